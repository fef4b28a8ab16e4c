"""The catalogue of functions: one entry says all that the compiler knows about a function of numbers.

Entries stand in the files of `_FILES`, by subject. All other knowledge about such functions is read off them:
effects on memory and types of operands (`analysis.known_functions`), the range of the values
(`analysis.value_ranges`), what is kept and what computed again (`synthesis.plan`), what goes back under its branch
(`preprocess.unspeculate`), what is rewritten before differentiation (`result_pointers`, `preprocess.squares`).

A function of the catalogue touches no memory but that behind its result pointers, may be run again at any place,
and its result depends on its operands alone.

Not here: instructions (`table`), routines of linear algebra (`routines`), and the functions of a runtime, which have
effects and no mathematics (`analysis.known_functions`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TypedDict, Unpack

from enzyme.engine.derivatives.bounds import Bound
from enzyme.engine.derivatives.table import Formula, Row, Rule, rules_of
from enzyme.engine.derivatives.terms import Term
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.types import StructType, Type
from enzyme.engine.ir.values import Value

INTRINSIC = "llvm."
# Functions of our own: declared until no more derivatives are taken, or written by a derivative.
OWN = "enzyme."
# A function of the program's that is differentiated as one of the C library: its name, and its own, stand behind.
LIKE = "enzyme.like."

# Writes a call in terms of others, at the builder's place; gives what it returned.
Expansion = Callable[[Builder, list[Value]], Value | None]


class Facts(TypedDict, total=False):
    """What an entry says beside names and derivative, see `Entry`."""

    bound: Bound
    square: Callable[..., Term]
    square_at: int
    is_power: bool
    indices: bool
    chooses: int
    multiplies: bool
    stops_at_zero: bool
    cheap: bool
    smooth: bool
    vector: str


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One function under all its names: those of the C library for each type, of LLVM's intrinsics without types, of
    numba's helpers.

    `row` is its derivative. A function without one is of integers only (`integral`), or `expand` writes its calls in
    terms of others before differentiation, or active calls of it are refused; `note` says why. `numbers` and
    `integers` are the operands that point to further results: a number of the first operand's type, an integer.
    `bound`: the range of its values. `square`: the square of its value, smooth where the function itself is not;
    `square_at`: which operand that is, if it is not negative; `is_power`: a power whose last operand is the exponent,
    so that such a square may be meant.
    `indices`: the integers that it works on are no bits of floats. `chooses`: the larger one of two signed integers (1)
    or the smaller one (-1). `multiplies`: the first member of what it gives is the product of integers.
    `stops_at_zero`: it is the difference of integers without sign, or zero. `cheap`: the intrinsic is an instruction,
    and run again rather than kept. `smooth`: it costs no more than one, and its partials are finite, so that it may
    stay where LLVM has put it, outside of the branch that asks for it. `vector`: the function of `backend.elementary`
    that computes it for several numbers at once.
    """

    names: tuple[str, ...]
    row: Row | None = None
    note: str = ""
    integral: bool = False
    expand: Expansion | None = None
    numbers: frozenset[int] = frozenset()
    integers: frozenset[int] = frozenset()
    bound: Bound | None = None
    square: Callable[..., Term] | None = None
    square_at: int = -1
    is_power: bool = False
    indices: bool = False
    chooses: int = 0
    multiplies: bool = False
    stops_at_zero: bool = False
    cheap: bool = False
    smooth: bool = False
    vector: str = ""

    @property
    def lacks_derivative(self) -> bool:
        """Do numbers pass through it, and no row says how a derivative does?"""
        return self.row is None and not self.integral


class Catalogue:
    """Entries by symbol."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}

    def add(self, entry: Entry) -> Entry:
        for name in entry.names:
            if name in self.entries:
                raise ValueError(f"two entries for {name}")
            self.entries[name] = entry
        return entry

    def remove(self, entry: Entry) -> None:
        """Forget a function; what was compiled with it stays."""
        for name in entry.names:
            del self.entries[name]


CATALOGUE = Catalogue()


# Writing entries ----------------------------------------------------------------------------------


def in_c(*functions: str) -> str:
    """``cbrt cbrtf cbrtl`` of ``cbrt``: for double, float and long double."""
    return " ".join(f"{f} {f}f {f}l" for f in functions)


def everywhere(*functions: str) -> str:
    """``llvm.sin sin sinf sinl`` of ``sin``."""
    return " ".join(f"{INTRINSIC}{f} {in_c(f)}" for f in functions)


def define(
    names: str, *rules: Rule | Formula | None, note: str = "", **facts: Unpack[Facts]
) -> Entry:
    """A function with a derivative, under each of the blank-separated names."""
    listed = tuple(names.split())
    return CATALOGUE.add(Entry(listed, Row(listed[0], rules_of(rules), note), note, **facts))


def constant(names: str, note: str = "piecewise constant", **facts: Unpack[Facts]) -> Entry:
    """A function whose derivative is zero wherever it exists."""
    return define(names, note=note, **facts)


def of_integers(names: str, **facts: Unpack[Facts]) -> Entry:
    """A function that no number passes through."""
    return CATALOGUE.add(Entry(tuple(names.split()), None, "of integers", True, **facts))


def expanded(
    names: str, expand: Expansion, numbers: tuple[int, ...] = (), integers: tuple[int, ...] = ()
) -> Entry:
    """A function that leaves further results behind these operands."""
    return CATALOGUE.add(
        Entry(
            tuple(names.split()),
            note="differentiated in the form without pointers",
            expand=expand,
            numbers=frozenset(numbers),
            integers=frozenset(integers),
        )
    )


def refused(names: str, note: str) -> Entry:
    """A function whose effects are known and whose derivative is not, for the reason given."""
    return CATALOGUE.add(Entry(tuple(names.split()), note=note))


# Looking them up ----------------------------------------------------------------------------------

_OF_SCIPY = """
    gamma distributions error elementwise bessel elliptic hypergeometric polynomials pointers of_complex
""".split()
_FILES = (
    "arithmetic",
    "integers",
    "minmax",
    "intrinsics",
    "integer_powers",
    "packed_tanh",
    "known_roots",
    "libm",
    "result_pointers",
    "special",
    *("scipy." + f for f in _OF_SCIPY),
    "complex",
    "stated",
)
_loaded: list[bool] = []


def find(name: str) -> Entry | None:
    """The entry of a symbol: ``llvm.sin.f64``, ``llvm.pow.v4f32``, ``sinf``, ``hypot``."""
    entries = all_entries()
    found = entries.get(name)
    if found is None and name.startswith(INTRINSIC):
        found = entries.get(base_of_intrinsic(name))
    if found is None and name.startswith(LIKE):
        found = entries.get(name.removeprefix(LIKE).partition(".")[0])
    elif found is None and name.startswith(OWN):  # the linker numbers internal namesakes
        found = entries.get(base_of_intrinsic(_NUMBERED.sub("", name)))
    return found


def entry_of(call: Call) -> Entry | None:
    """The entry of a call, by the symbol and by the shape: a function of the program's own with a body,
    or one of that name with other operands, has none."""
    name = call.callee_name
    found = find(name)
    if found is None or (is_defined(call.callee) and not name.startswith(OWN)):
        return None
    return found if found.row is None or _fits(found.row, call) else None


def is_defined(callee: Value) -> bool:
    return isinstance(callee, Function) and not callee.is_declaration


def _fits(row: Row, call: Call) -> bool:
    types = call.function_type.params
    if any(t.is_pointer for t in types) or call.function_type.vararg or call.type.is_pointer:
        return False
    if row.rules and len(row.rules) != len(types):
        return False
    return all(is_number(types[index]) for index in row.active_operands)


def is_number(type_: Type) -> bool:
    """A float, a vector of them, or a complex number."""
    if isinstance(type_, StructType):
        parts = type_.elements or ()
        return len(parts) == 2 and all(t.is_float for t in parts)
    return type_.scalar.is_float


def row_for_call(call: Call) -> Row | None:
    """The derivative of a call."""
    found = entry_of(call)
    return None if found is None else found.row


def lookup(name: str) -> Row | None:
    """The derivative of a symbol."""
    found = find(name)
    return None if found is None else found.row


def is_cheap(name: str) -> bool:
    """Is the function run again rather than its value kept? A function of the C library is not, under that name."""
    entry = find(name) if name.startswith((INTRINSIC, OWN)) else None
    return entry is not None and entry.cheap


def is_of_indices(call: Call) -> bool:
    """Is it an instruction on integers that are no bits of floats, as the smaller of two is?"""
    entry = entry_of(call)
    return entry is not None and entry.indices and entry.cheap


@cache
def base_of_intrinsic(name: str) -> str:
    """``llvm.powi`` of ``llvm.powi.f64.i32``."""
    while (shorter := _MANGLED.sub("", name)) != name:
        name = shorter
    return name


_NUMBERED = re.compile(r"(\.\d+)+$")
_MANGLED = re.compile(r"\.(nx)?(v\d+)?(bf16|f16|f32|f64|f80|f128|ppcf128|i\d+|p\d+)$")


def all_entries() -> dict[str, Entry]:
    """All entries by name; intrinsics without their type suffix."""
    if not _loaded:  # the files of entries import this one
        _loaded.append(True)
        for name in _FILES:
            import_module(f"enzyme.engine.derivatives.{name}")
    return CATALOGUE.entries


def all_symbols() -> list[str]:
    """Every symbol with a derivative, sorted."""
    return sorted(name for name, entry in all_entries().items() if entry.row is not None)


# Functions that derivatives write into their module, and which `backend.elementary` has for several numbers at once.
_WRITTEN: dict[str, str] = {}


def vector_form_of(stem: str, vector: str) -> None:
    """Say that a function which derivatives write, ``<stem>.f64`` and ``<stem>.f32``, has a form for vectors."""
    _WRITTEN[stem] = vector


@cache
def vector_forms() -> dict[str, str]:
    """For each symbol of doubles or floats the name of the function that computes it for several numbers at once."""
    made: dict[str, str] = {}
    for name, entry in all_entries().items():
        if not entry.vector:
            continue
        if name.startswith(INTRINSIC):
            made.update({f"{name}.f64": entry.vector, f"{name}.f32": entry.vector})
        elif name in (entry.vector, f"{entry.vector}f"):
            made[name] = entry.vector
    for stem, vector in _WRITTEN.items():
        made.update({f"{stem}.f64": vector, f"{stem}.f32": vector})
    return made
