"""Complex numbers and arrays of them; all stay within a few units of zero."""

from __future__ import annotations

from tests.fuzz.expressions import Scope
from tests.fuzz.statements import Feature, Made, Statements


def _value(w: Statements, s: Scope, names: list[str]) -> str:
    """A bounded complex expression."""
    z = w.one([*names, f"complex({w.leaf(s)} * 1.0, {w.leaf(s)} * 1.0)"])
    other = w.one([*names, "(0.3 - 0.4j)", f"({w.leaf(s)} + 0.2j)"])
    inner = w.one(
        [
            f"{z} * {other}",
            f"{z} + {other}",
            f"{z} - np.conj({other})",
            f"{z}.conjugate() * {z}",
            f"{z} / (1.5 + {other} * {other}.conjugate())",
            f"{z} ** 2",
            f"-{z} * 1j",
        ]
    )
    bounded = f"(({inner}) / (1.0 + abs(({inner}) + 3.7)))"
    return w.one(
        [
            bounded,
            bounded,
            f"cmath.exp({bounded})",
            f"cmath.sin({bounded})",
            f"np.cosh({bounded})",
            f"cmath.sqrt({bounded} + 1.9)",
            f"cmath.log({bounded} + 2.0)",
            f"({bounded} + 2.0) ** 0.7",
            f"({bounded} if {w.condition(s)} else {other})",
        ]
    )


def number(w: Statements, s: Scope) -> Made:
    z = w.name("z")
    atoms = [f"{z}.real", f"{z}.imag", f"abs({z} + 2.0)", f"cmath.phase({z} + 9.0)"]
    return [f"{z} = {_value(w, s, s.of('complex'))} * (1.0 + 0.0j)"], s.plus(
        "complex", z, wild=atoms
    )


def change(w: Statements, s: Scope) -> Made:
    z = w.one(s.of("complex"))
    value = _value(w, s, s.of("complex"))
    return [w.one([f"{z} = 0.5 * {z} + 0.5 * {value}", f"{z} = {value} * (1.0 + 0.0j)"])], s


def array(w: Statements, s: Scope) -> Made:
    c, i, v = w.name("cs"), w.name("i"), w.one(s.vectors)
    lines = [
        f"{c} = np.zeros(5, np.complex128)",
        f"for {i} in range(min(5, len({v}))):",
        f"    {c}[{i}] = complex({v}[{i}] / (1.0 + abs({v}[{i}])), {w.bounded(s)})",
    ]
    k = w.index(s, 5)
    atoms = [f"{c}[{k}].real", f"{c}.sum().imag", f"abs({c}[1] + 2.5)"]
    return lines, s.plus("complex array", c, wild=atoms)


def array_change(w: Statements, s: Scope) -> Made:
    c, i = w.one(s.of("complex array")), w.name("i")
    value = _value(w, s, [*s.of("complex"), f"{c}[{i}]"])
    whole = _value(w, s, s.of("complex"))
    return w.one(
        [
            [f"for {i} in range(1, 5):", f"    {c}[{i}] = 0.5 * {value} + 0.4 * {c}[{i} - 1]"],
            [f"{c}[{w.index(s, 5)}] = {whole}"],
            [f"{c} *= 0.5 * {whole}"],
            [f"{c}[1:4] = np.conj({c}[1:4]) * 0.9"],
            [f"{c} = {c}[::-1].copy()"],
            [f"{w.element(s)} = math.sin(({c} * np.conj({c})).sum().real)"],
            [f"{w.element(s)} = math.sin(np.abs({c} + 3.0).sum())"],
        ]
    ), s


FEATURES = [
    Feature(number, opens=True),
    Feature(change, uses="complex"),
    Feature(array, opens=True),
    Feature(array_change, uses="complex array"),
]
