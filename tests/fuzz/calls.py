"""Functions in other clothes: closures, generators, arguments that are one array, raises."""

from __future__ import annotations

from tests.fuzz.expressions import Scope
from tests.fuzz.statements import Feature, Made, Part, Statements


def closure(w: Statements, s: Scope) -> Made:
    f, c = w.name("f"), w.name("c")
    body = w.one([f"math.sin(p * {c})", f"({c} if p > {c} else 0.5 * p)"])
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


def part(w: Statements, s: Scope) -> Made:
    """A call of a function that is made like the program."""
    named = [thing for thing in s.things if thing[1].isidentifier()]
    fitting = [p for p in w.parts if not p.takes or s.of(p.takes)]
    if not w.parts or (len(w.parts) < 3 and w.chance(30)):
        fitting = [new_part(w, s, *w.one([("", ""), *named]))]
    if not fitting:
        return w.make_store(s)
    p = w.one(fitting)
    target, v, g, k = w.one(s.scalars), w.one(s.vectors), w.one(s.grids), w.index(s, 3)
    thing = f", {w.one(s.of(p.takes))}" if p.takes else ""
    return [f"{target} = {p.name}({v}, {g}, {w.leaf(s)}, {w.leaf(s)}, {k}{thing})"], s


def new_part(w: Statements, s: Scope, takes: str, thing: str) -> Part:
    """A function of the arguments of the program and perhaps of a container."""
    name = w.name("part")
    inside = Scope(("s", "t"), ("x", "w"), ("w",), ("y",), ("n",))
    also = f", {thing}" if takes else ""
    if takes:
        inside = s.only(thing, inside)
    body = ["    s = 0.5 * a", "    t = b * 1.0", "    w = x.copy()"]
    kept = w.budget, w.returns, w.dear
    w.budget, w.returns, w.dear = min(w.budget, 5), True, 0
    body += w.block(inside, "    ")
    w.budget, w.returns, w.dear = kept[0] - 2, kept[1], kept[2]
    if w.chance(25):
        body.insert(0, "    if n <= 0:\n        return 0.5 * a")
        body.append(f"    t = {name}(w, y, t, 0.5 * s, n - 1{also})")
    body.append(f"    return {w.bounded(inside)} * 1.0")
    made = Part(
        name, "\n".join(["@njit", f"def {name}(x, y, a, b, n{also}):", *body]) + "\n", takes
    )
    w.parts.append(made)
    return made


FEATURES = [
    *[Feature(part)] * 4,
    Feature(aliased),
    Feature(refusal),
    Feature(generated, loop=True),
    Feature(closure),
]
