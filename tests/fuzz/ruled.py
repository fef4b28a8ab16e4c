"""Calls of functions with rules of their own: one with partials, one that changes an array, one that makes one."""

from __future__ import annotations

from tests.fuzz.expressions import Scope
from tests.fuzz.statements import Feature, Made, Statements


def bent(w: Statements, s: Scope) -> Made:
    return [f"{w.one(s.scalars)} = bent({w.leaf(s)} * 1.0, {w.leaf(s)} * 1.0)"], s.plus(
        atoms=[f"bent({w.leaf(s)} * 1.0, 0.5)"]
    )


def stir(w: Statements, s: Scope) -> Made:
    return [f"stir({w.one(s.vectors)}, {w.bounded(s)} * 1.0)"], s


def spun(w: Statements, s: Scope) -> Made:
    name = w.name("spun")
    return [f"{name} = spun({w.one(s.vectors)}, {w.leaf(s)} * 1.0)"], s.plus(vectors=[name])


FEATURES = [Feature(bent), Feature(stir), Feature(spun)]
