"""Joins modules given as text."""

from __future__ import annotations

from collections.abc import Iterable

from enzyme.backend import passes
from enzyme.backend.call_sites import check_calls


def link(texts: Iterable[str], keep: Iterable[str] | None = None) -> str:
    """One module with all definitions; with `keep`, only those names stay visible outside."""
    first, *others = texts
    module = passes.parse(first)
    for text in others:
        module.link_in(passes.parse(text))
    if keep is not None:
        kept = set(keep)
        for function in module.functions:
            if not function.is_declaration and function.name not in kept:
                function.linkage = "internal"
    module.verify()
    linked = str(module)
    check_calls(linked)
    return linked
