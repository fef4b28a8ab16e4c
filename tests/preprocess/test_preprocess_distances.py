"""Addresses that are reached over distances between two others."""

from __future__ import annotations

import pytest

from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_function
from enzyme.engine.preprocess.distances import count_from_nearest

TEXT = """
target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"

define ptr @f(ptr %first, ptr %last, ptr %made, i64 %i) {{
  %a = ptrtoint ptr %first to i64
  %z = ptrtoint ptr %last to i64
  %bytes = sub i64 %z, %a
  %items = sdiv exact i64 %bytes, 24
  %back = sub i64 0, %items
  {body}
  ret ptr %p
}}
"""


@pytest.mark.parametrize(
    ("body", "returned"),
    [
        ("%p = getelementptr inbounds i8, ptr %first, i64 %bytes", "%last"),
        ("%p = getelementptr [3 x double], ptr %first, i64 %items", "%last"),
        ("%p = getelementptr [3 x double], ptr %last, i64 %back", "%first"),
        (
            "%q = getelementptr i8, ptr %made, i64 %bytes\n  %p = getelementptr [3 x double], ptr %q, i64 %back",
            "%made",
        ),
        (
            "%q = getelementptr i8, ptr %first, i64 8\n  %p = getelementptr i8, ptr %q, i64 %bytes",
            "getelementptr i8, ptr %last, i64 8",
        ),
    ],
)
def test_the_nearest_is_taken(body, returned):
    module = parse_module(TEXT.format(body=body))
    count_from_nearest(module)
    text = print_function(module.functions["f"])
    assert f"ret ptr {returned}" in text or f"= {returned}" in text


@pytest.mark.parametrize(
    "body",
    [
        "%p = getelementptr i8, ptr %made, i64 %bytes",
        "%p = getelementptr double, ptr %first, i64 %items",
        "%p = getelementptr i8, ptr %last, i64 %bytes",
        "%p = getelementptr i8, ptr %first, i64 %i",
    ],
)
def test_what_does_not_cancel_stays(body):
    module = parse_module(TEXT.format(body=body))
    before = print_function(module.functions["f"])
    count_from_nearest(module)
    assert print_function(module.functions["f"]) == before
