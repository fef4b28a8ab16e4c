"""One table of calls, each made from Python and from a jitted function.

A row is the source of a function; Python runs it as it is, numba compiles it.  Rows come from the registries: the
modes and annotation classes that the package has, the kinds of values that `enzymecore` knows.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import njit, typed, types
from numba.core.errors import TypingError
from numba.experimental import jitclass

import enzyme
from enzyme.compiled.calls import NOT_HERE
from enzyme.contract.kinds import ACTIVITIES, BATCH
from enzyme.errors import EnzymeError
from enzymecore import Active, Const, Mode, make_zero
from enzymecore.structure import Kind, kind_of

NAMES = {name: getattr(enzyme, name) for name in enzyme.__all__}
MODES = {name: value for name, value in NAMES.items() if isinstance(value, Mode)}
ANNOTATIONS = {cls.__name__: cls for cls in ACTIVITIES}


class Pair(NamedTuple):
    a: Any
    b: Any


@jitclass([("p", types.float64), ("w", types.float64[::1])])
class Holder:
    def __init__(self, p, w):
        self.p = p
        self.w = w


def _dictionary() -> Any:
    made = typed.Dict.empty(types.unicode_type, types.float64)
    made["p"] = 2.0
    return made


@dataclass(frozen=True)
class Argument:
    """A way to hand over numbers: a value of it, and a float made of what is in it."""

    make: Callable[[], Any]
    number: str

    @property
    def is_array(self) -> bool:
        return isinstance(self.make(), np.ndarray)


_ARRAY = "x[0] * x[1]"
ARGUMENTS: dict[str, Argument] = {
    "float": Argument(lambda: 2.0, "x * x"),
    "float32": Argument(lambda: np.float32(2.0), "x * x"),
    "complex": Argument(lambda: 2.0 + 1.0j, "(x * x).real"),
    "int": Argument(lambda: 3, "x * 2.0"),
    "bool": Argument(lambda: True, "1.5 if x else 2.5"),
    "none": Argument(lambda: None, "1.5"),
    "text": Argument(lambda: "abc", "1.5 * len(x)"),
    "array": Argument(lambda: np.array([2.0, 3.0]), _ARRAY),
    "array32": Argument(lambda: np.array([2.0, 3.0], np.float32), _ARRAY),
    "complex_array": Argument(lambda: np.array([2.0 + 1.0j, 3.0]), f"({_ARRAY}).real"),
    "int_array": Argument(lambda: np.array([2, 3]), f"{_ARRAY} * 1.0"),
    "fortran": Argument(
        lambda: np.asfortranarray([[2.0, 3.0, 4.0], [5.0, 6.0, 7.0]]), "x[0, 1] * x[1, 0]"
    ),
    "strided": Argument(lambda: np.arange(1.0, 7.0)[::2], _ARRAY),
    "zero_d": Argument(lambda: np.array(2.0), "x[()] * x[()]"),
    "empty": Argument(lambda: np.zeros(0), "x.sum()"),
    "records": Argument(
        lambda: np.array([(2.0, 7)], [("p", np.float64), ("n", np.int64)]), "x[0].p * x[0].p"
    ),
    "floats": Argument(lambda: (2.0, 3.0), _ARRAY),
    "tuple": Argument(lambda: (2.0, 7, 3.0), "x[0] * x[1] * x[2]"),
    "arrays": Argument(lambda: (np.array([2.0]), np.array([3.0, 4.0])), "x[0][0] * x[1][1]"),
    "nested": Argument(lambda: (2.0, (3.0, 7)), "x[0] * x[1][0]"),
    "mixed": Argument(lambda: (2.0, np.array([3.0, 4.0])), "x[0] * x[1][1]"),
    "named": Argument(lambda: Pair(2.0, 3.0), "x.a * x.b"),
    "typed_list": Argument(lambda: typed.List([2.0, 3.0]), _ARRAY),
    "typed_dict": Argument(_dictionary, "x['p'] * x['p']"),
    "instance": Argument(lambda: Holder(2.0, np.array([3.0])), "x.p * x.w[0]"),
}

# Kinds of values that numba does not compile for, so no call inside a jitted function has one.
WITHOUT_TYPE = {
    Kind.RECORD: "numba takes a record out of an array only",
    Kind.FROZEN: "numba has no type for classes of Python",
    Kind.STRUCT: "numba has no type for classes of Python",
    Kind.LIST: "numba copies a list of Python where it is passed",
    Kind.DICT: "numba has no type for dictionaries of Python",
}

RESULTS = {
    "number": "s",
    "complex": "complex(s, 2.0 * s)",
    "array": "np.array([s, s * s])",
    "matrix": "np.array([[s, s * s]])",
    "floats": "(s, s * s)",
    "named": "Pair(s, s * s)",
    "mixed": "(s, np.array([s]))",
    "int": "int(s)",
    "none": "None",
}


@dataclass(frozen=True)
class Row:
    """One call: the source of what is returned, in terms of the function `f` and of `x` and `d`."""

    call: str
    argument: str
    result: str = "number"
    second: str = ""

    def __str__(self) -> str:
        return (
            f"{self.call} of {self.argument}{self.second and ', ' + self.second} to {self.result}"
        )

    def arguments(self) -> list[Any]:
        found = [ARGUMENTS[self.argument].make()]
        if self.second:
            found.append(ARGUMENTS[self.second].make())
        return [*found, *([] if self.second else map(_shadow, found * 2))]


def _shadow(x: Any) -> Any:
    """Zero, but something to begin with where it is floats."""
    zero = make_zero(x)
    if isinstance(zero, float | complex | np.floating):
        return type(zero)(1)
    if isinstance(zero, np.ndarray) and zero.dtype.kind in "fc":
        zero += 1
    return zero


@cache
def function_of(argument: str, result: str, second: str) -> Any:
    lines = [f"def f(x{', y' * bool(second)}):", f"    s = {ARGUMENTS[argument].number}"]
    if second:
        lines.append(f"    s = s * ({ARGUMENTS[second].number.replace('x', 'y')})")
    lines.append(f"    return {RESULTS[result]}")
    scope = {"np": np, "Pair": Pair}
    exec("\n".join(lines), scope)
    return njit(scope["f"])


# What may stand behind the arguments; ints that the function cannot take are the same by position.
OPTIONS = (
    "chunk=1", "chunk=2", "chunk=0", "chunk=True", "n_outs=2", "n_outs=3", "n_outs=-1", "n_outs=(2,)",
    "n_outs=(1, 2)", "n_outs=2.0", "1", "2", "0", "2, 1", "2, 0",
)  # fmt: skip
_ZEROS = "make_zero(x)", "make_zero(x, True)", "make_zero_inplace(x)", "remake_zero_inplace(x)"


# --- rows -----------------------------------------------------------------------------------------


def annotated(cls: str) -> str:
    kind = ANNOTATIONS[cls]
    if kind in (Const, Active):
        return f"{cls}(x)"
    return f"{cls}(x, (d, e))" if kind in BATCH else f"{cls}(x, d)"


def _of_modes() -> Iterator[Row]:
    """Every mode with every return activity and every kind of result."""
    wanted = ["", *(f"{name}, " for name in ANNOTATIONS)]
    for mode, activity, result in itertools.product(MODES, wanted, RESULTS):
        for cls in ("Duplicated", "BatchDuplicated"):
            yield Row(f"autodiff({mode}, f, {activity}{annotated(cls)})", "array", result)


def _of_arguments() -> Iterator[Row]:
    """Every kind of argument in every annotation."""
    for mode, argument, cls in itertools.product(
        ("Forward", "ReverseWithPrimal"), ARGUMENTS, ANNOTATIONS
    ):
        yield Row(f"autodiff({mode}, f, {annotated(cls)})", argument)


def _of_gradients() -> Iterator[Row]:
    for mode, argument in itertools.product(MODES, ARGUMENTS):
        for name in ("gradient", "jacobian"):
            yield Row(f"{name}({mode}, f, x)", argument)
        yield Row(f"gradient_inplace({mode}, d, f, x)", argument)
    for mode, argument, result in itertools.product(
        ("Forward", "ForwardWithPrimal", "Reverse", "ReverseWithPrimal"),
        ("float", "array", "fortran", "floats", "arrays"),
        RESULTS,
    ):
        for name in ("gradient", "jacobian"):
            yield Row(f"{name}({mode}, f, x)", argument, result)
    for mode, option in itertools.product(("Forward", "Reverse"), OPTIONS):
        yield Row(f"jacobian({mode}, f, x, {option})", "array", "array")
        if "n_outs" not in option:
            yield Row(f"gradient({mode}, f, x, {option})", "array")
    for mode, first, second, result, name, y in itertools.product(
        ("Forward", "ReverseWithPrimal"),
        ("array", "float", "floats"),
        ("array", "float", "int", "arrays"),
        ("number", "array"),
        ("gradient", "jacobian"),
        ("y", "Const(y)"),
    ):
        yield Row(f"{name}({mode}, f, x, {y})", first, result, second)
    for cls in ANNOTATIONS:
        for name, mode in itertools.product(("gradient", "jacobian"), ("Forward", "Reverse")):
            yield Row(f"{name}({mode}, f, {annotated(cls)})", "array")


def _of_zeros() -> Iterator[Row]:
    for argument, call in itertools.product(ARGUMENTS, _ZEROS):
        yield Row(call, argument)


def _of_memory() -> Iterator[Row]:
    """Calls whose arrays meet."""
    for mode in ("Forward", "Reverse"):
        for call in (
            "Duplicated(x, x)",
            "Duplicated(x, x[::-1])",
            "BatchDuplicated(x, (d, d))",
            "BatchDuplicated(x, (d, x))",
            "Duplicated(x, d[:1])",
            "Duplicated(x, np.zeros(4)[::2])",
        ):
            yield Row(f"autodiff({mode}, f, {call})", "array")


def rows() -> list[Row]:
    """All of them."""
    return [*_of_modes(), *_of_arguments(), *_of_gradients(), *_of_zeros(), *_of_memory()]


# --- running --------------------------------------------------------------------------------------


@dataclass
class Outcome:
    """What a call gave: its result and what it left in its arguments, or its error."""

    result: Any = None
    left: list[Any] = field(default_factory=list)
    error: BaseException | None = None

    @property
    def refused(self) -> str:
        return "" if self.error is None else type(self.error).__name__


def run(row: Row) -> tuple[Outcome, Outcome]:
    """The outcome from Python, and in a jitted function."""
    names = "x, y" if row.second else "x, d, e"
    scope = {
        **NAMES,
        "Pair": Pair,
        "np": np,
        "f": function_of(row.argument, row.result, row.second),
    }
    exec(f"def call({names}):\n    return {row.call}\n", scope)
    return _outcome(scope["call"], row), _outcome(njit(scope["call"]), row)


def _outcome(call: Callable[..., Any], row: Row) -> Outcome:
    given = row.arguments()
    try:
        return Outcome(call(*given), given)
    except Exception as error:
        return Outcome(error=_enzymes(error))


def _enzymes(error: BaseException) -> BaseException:
    """The error of ours that numba made one of its own of, if it did."""
    if isinstance(error, TypingError):
        found: BaseException | None = error
        while found is not None:
            if isinstance(found, EnzymeError):
                return found
            found = found.__cause__ or found.__context__
    return error


def difference(row: Row) -> str:
    """How the two differ; empty if they do not."""
    python, jitted = run(row)
    if python.error is not None or jitted.error is not None:
        if python.refused == jitted.refused and _same_remedy(python.error, jitted.error):
            return ""
        return f"{_said(python)} <> {_said(jitted)}"
    for mine, other, what in (
        (python.result, jitted.result, "result"),
        *((a, b, "argument") for a, b in zip(python.left, jitted.left, strict=True)),
    ):
        found = unlike(mine, other)
        if found:
            return f"{what}: {found}"
    return ""


def _same_remedy(mine: Any, other: Any) -> bool:
    """Is the same said about what to do? Errors of code that runs have it in one line; compiled code does not advise
    what it refuses."""
    if not isinstance(mine, EnzymeError):
        return True
    there = [text for text in mine.todo if not any(name in text for name in NOT_HERE)]
    return mine.todo == other.todo or all(text in str(other) for text in there)


def _said(outcome: Outcome) -> str:
    if outcome.error is None:
        return repr(outcome.result)[:150]
    return f"{outcome.refused}: {outcome.error!s}"[:300]


def unlike(mine: Any, other: Any) -> str:
    """Where two values differ in structure, type or numbers."""
    if isinstance(mine, np.floating) and type(other) is float:
        mine = float(mine)  # numba gives back every float as a double
    if isinstance(mine, np.complexfloating) and type(other) is complex:
        mine = complex(mine)
    if isinstance(mine, tuple) and isinstance(other, tuple):
        if type(mine) is not type(other) or len(mine) != len(other):
            return f"{mine!r} <> {other!r}"
        return next(filter(None, map(unlike, mine, other)), "")
    if kind_of(mine) in (Kind.TYPED_LIST, Kind.TYPED_DICT, Kind.INSTANCE):
        return "" if type(mine) is type(other) else f"{mine!r} <> {other!r}"
    if type(mine) is not type(other):
        return f"{mine!r} <> {other!r}"
    if isinstance(mine, np.ndarray):
        same = mine.dtype == other.dtype and mine.shape == other.shape
        if same and mine.dtype.names:
            same = bool((mine == other).all())
        elif same:
            same = bool(np.allclose(mine, other, rtol=1e-12, atol=0))
        return "" if same else f"{mine!r} ({mine.dtype}) <> {other!r} ({other.dtype})"
    if isinstance(mine, float | complex):
        return "" if np.isclose(mine, other, rtol=1e-12, atol=0) else f"{mine!r} <> {other!r}"
    return "" if mine == other else f"{mine!r} <> {other!r}"


# --- what cannot agree ----------------------------------------------------------------------------

_CONTAINERS = ("typed_list", "typed_dict", "instance")

# What cannot be the same inside a jitted function, with the reason; the first that applies counts.
REASONS: tuple[tuple[str, Callable[[Row], bool]], ...] = (
    ("numba has no type for a Ref", lambda row: "Mixed" in row.call),
    (
        "a tuple that holds floats by value and memory needs a Ref",
        lambda row: row.argument == "mixed" and row.call.startswith("gradient_inplace"),
    ),
    (
        "which objects are in a container twice takes a memo to tell; numba has none",
        lambda row: row.argument in _CONTAINERS,
    ),
    (
        "the length of a tuple is part of its type: there is an array in place of one entry per component",
        lambda row: (
            row.call.startswith("gradient(Forward")
            and not row.second
            and ARGUMENTS[row.argument].is_array
            and row.argument != "records"
        ),
    ),
    (
        "numba has no arrays of objects",
        lambda row: (
            row.call.startswith("gradient(Forward")
            and row.result in ("floats", "named", "mixed")
            and ("array" in row.argument + row.second or row.argument == "fortran")
        ),
    ),
    (
        "holomorphic mode takes three lanes and puts them together as objects",
        lambda row: "Holomorphic" in row.call and "complex" in (row.result, row.argument),
    ),
)


def reason(row: Row) -> str:
    """Why a row need not agree; empty if it must."""
    return next((why for why, applies in REASONS if applies(row)), "")
