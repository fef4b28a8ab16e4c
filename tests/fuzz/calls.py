"""Functions in other clothes: closures, generators, arguments that are one array, raises."""

from __future__ import annotations

from tests.fuzz.expressions import Scope
from tests.fuzz.statements import Feature, Made, Statements


def closure(w: Statements, s: Scope) -> Made:
    f, c = w.name("f"), w.name("c")
    inside = Scope(scalars=("p", c), vectors=(c,), owned=(), grids=())
    body = w.one([f"math.sin(p * {c})", f"({c} if p > {c} else 0.5 * p)"])
    del inside
    return [
        f"{c} = {w.bounded(s)} * 1.0",
        f"def {f}(p):",
        f"    return {body}",
        f"{w.one(s.scalars)} = {f}({w.leaf(s)})",
    ], s.plus(atoms=[f"math.sin({f}({w.leaf(s)}))"])


def generated(w: Statements, s: Scope) -> Made:
    """A loop over a generator."""
    e = w.name("e")
    count = w.one(["n", "2"])
    return [f"for {e} in halves({w.leaf(s)} * 1.0, {count}):"], s.plus(atoms=[e])


def aliased(w: Statements, s: Scope) -> Made:
    """The same array twice, or two that may be the same."""
    v = w.one(s.vectors)
    other = w.one([v, f"{v}[::-1]", w.one(s.vectors)])
    return [f"both({v}, {other})"], s


def refusal(w: Statements, s: Scope) -> Made:
    """What is never raised."""
    e = w.leaf(s)
    return w.one(
        [
            [f"assert {e} < 1e30"],
            [f"if {e} > 1e30:", '    raise ValueError("too large")'],
        ]
    ), s


FEATURES = [
    Feature(aliased),
    Feature(refusal),
    Feature(generated, loop=True),
    Feature(closure),
]
