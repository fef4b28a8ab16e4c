"""How rows of SciPy's special functions are written, and how their derivatives call others.

A function of SciPy's has a symbol ``scipy.gammainc.dd``: its name there, and a letter for each parameter (d: double, f:
float, l: a C long, z: complex, p: the address of a result). One row serves all its variants that are real: its formulas
compute in double, whatever the operands are.

What SciPy has not, above all derivatives with respect to parameters, are functions of our own,
``enzyme.special.<name>``, all of doubles; the front end has their code (`frontend.special`).
"""

from __future__ import annotations

from collections.abc import Callable

from enzyme.engine.derivatives.catalogue import Entry, define, refused
from enzyme.engine.derivatives.scipy.names import OURS, PREFIX
from enzyme.engine.derivatives.table import Formula, Rule, lacking, rule
from enzyme.engine.derivatives.terms import PURE, Term, cast, of
from enzyme.engine.ir.types import DOUBLE, Type

# A partial derivative: of the result and the operands, all double.
Partial = Callable[..., Term]


def special(name: str, variants: str, *partials: Partial | str | None, note: str = "") -> None:
    """The rows of a function of SciPy's, for each of the blank-separated lists of letters.

    For each operand stands its partial derivative, or why there is none. Integers have none.
    """
    for letters in variants.split():
        define(f"{PREFIX}{name}.{letters}", *_rules(letters, partials), note=note)


def ours(name: str, *partials: Partial | str, note: str = "") -> None:
    """The row of a function of our own."""
    define(f"{OURS}{name}", *_rules("d" * len(partials), partials), note=note)


def without_derivative(names: str, note: str) -> Entry:
    """Functions of SciPy's, by their symbols without the prefix, that are refused where they are active."""
    return refused(" ".join(f"{PREFIX}{name}" for name in names.split()), note)


def _rules(letters: str, partials: tuple[Partial | str | None, ...]) -> list[Rule | None]:
    assert len(letters) == len(partials), (letters, partials)
    made: list[Rule | None] = []
    for letter, given in zip(letters, partials, strict=True):
        if letter == "l" or given is None:
            made.append(None)
        elif isinstance(given, str):
            made.append(lacking(given))
        else:
            made.append(rule(_product(given)))
    return made


def _product(given: Partial) -> Formula:
    def product(d: Term, y: Term, *x: Term) -> Term:
        slope = given(in_double(y), *map(in_double, x))
        return d * (slope if d.type is DOUBLE else cast("fptrunc", slope, d.type))

    return product


def in_double(x: Term) -> Term:
    """A number as a double, when it is asked for."""
    if x.type is DOUBLE:
        return x
    opcode = "sitofp" if x.type.is_int else "fpext"
    return Term(x.b, DOUBLE, fetch=lambda: cast(opcode, x, DOUBLE).value)


def scipy(name: str, *arguments: Term | float) -> Term:
    """A function of SciPy's with operands of type double; one of them must be a term."""
    return _call(f"{PREFIX}{name}.{'d' * len(arguments)}", DOUBLE, arguments)


def call(symbol: str, *arguments: Term) -> Term:
    """A function of SciPy's by its symbol without the prefix, that has a double for its result."""
    return _call(PREFIX + symbol, DOUBLE, arguments)


def own(name: str, *arguments: Term | float) -> Term:
    """A function of our own."""
    return _call(OURS + name, DOUBLE, arguments)


def _call(symbol: str, kind: Type, arguments: tuple[Term | float, ...]) -> Term:
    first = next(a for a in arguments if isinstance(a, Term))
    b = first.b
    values = [first.like(a).value for a in arguments]
    return of(b, b.call_named(symbol, kind, values, declaration_suffix=PURE))


THIRD = "a parameter for the third time"
TRUNCATED = None  # an operand of which only the integer part counts: its derivative is zero
