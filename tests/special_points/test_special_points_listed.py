"""Every implementation of numba's that looks at special points has a verdict, and one only."""

from __future__ import annotations

import importlib

from enzyme.frontend.functions.stated import replaced
from tests.special_points.listing import implementations
from tests.special_points.verdicts import DOCUMENT, VERDICTS, document, verdict_of


def test_every_implementation_has_a_verdict():
    missing = [name for name in implementations() if verdict_of(name) is None]
    assert not missing, f"look what these do at the points they single out: {missing}"


def test_verdicts_are_of_implementations_that_there_are():
    names = [name for verdict in VERDICTS for name in verdict.names()]
    assert len(names) == len(set(names))
    there = {name.rpartition(".")[2] for name in implementations()}
    assert [name for name in names if name not in there] == []


def test_what_our_target_replaces_is_listed_as_ours():
    """And what is listed otherwise is not replaced."""
    ours = {f"{f.__module__}.{f.__qualname__}" for f in replaced()}
    for name in implementations():
        module, _, short = name.rpartition(".")
        if hasattr(importlib.import_module(f"numba.{module}"), short) and f"numba.{name}" in ours:
            assert verdict_of(name).title == "ours", name


def test_the_document_is_up_to_date():
    assert DOCUMENT.read_text(encoding="utf-8") == document(), (
        "write it anew: python -m tests.special_points.verdicts"
    )
