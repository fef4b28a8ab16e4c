"""Calls of linear algebra: how the routines are called, and what is known of one (the rows: `routines`).

A front end turns the calls of its own library into these, with scalars by value:

    enzyme_gemm_d(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)

is BLAS's ``c = alpha op(a) op(b) + beta c`` on column-major matrices of doubles. The last letter is the kind:
`s` and `d` are float and double, `c` and `z` their complex numbers, which travel as a struct of two. Operands
of a routine are named as in BLAS and LAPACK. As there, what is written may not overlap anything else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.types import DOUBLE, FLOAT, FloatType, Type, struct_type
from enzyme.engine.ir.values import Value

KINDS: dict[str, FloatType] = {"s": FLOAT, "d": DOUBLE, "c": FLOAT, "z": DOUBLE}
PREFIX = "enzyme_"


Fetch = Callable[[str], Value]
Shadow = Callable[[str], Value | None]
# Before the name of a leading dimension: that of the program's memory or a copy of it, not of the shadow.
PRIMAL = "primal "
RESULT = "result"


@dataclass(frozen=True, slots=True)
class Rule:
    """The derivative of one routine.

    `fetch` gives operands by name (RESULT: what the call returned), `shadow` their shadows. `needed` lists the
    operands in memory whose content behind the call the adjoint reads, given which have shadows; with `early`
    it is the content before the call, and the tangent is emitted there.
    """

    is_understood: Callable[[LinearCall], bool]
    needed: Callable[[LinearCall, Callable[[str], bool]], list[str]]
    tangent: Callable[[Builder, LinearCall, Fetch, Shadow], Value | None]
    adjoint: Callable[[Builder, LinearCall, Fetch, Shadow, Value | None], None]
    early: bool = False


@dataclass(frozen=True, slots=True)
class Routine:
    """Operands in order, those behind whose pointers the routine reads or writes numbers, and its derivative.

    `integers` are pointers to integers. What the routine leaves behind those in `unread` no program reads, so its rule
    need not say how that changes. A derivative that does read it calls `readable` instead: the same routine, with a
    rule for everything that it leaves behind. `square`: the routine for the square of what this one returns.
    `shapes` has the rows and columns of operands as they lie in memory, by the operands that hold them; behind
    `trans` and the like they change places where that asks for the transpose. `factors` are the two factors of a
    product and where it goes; `factored`: its derivative solves with L and U.
    """

    name: str
    operands: tuple[str, ...]
    rule: Rule
    reads: frozenset[str]
    writes: frozenset[str]
    integers: frozenset[str]
    unread: frozenset[str]
    readable: str
    square: str
    shapes: dict[str, tuple[str, ...]]
    factors: tuple[str, str, str] | None
    factored: bool

    def positions(self, names: frozenset[str]) -> frozenset[int]:
        return frozenset(k for k, name in enumerate(self.operands) if name in names)


@dataclass(frozen=True, slots=True)
class LinearCall:
    """A call of one of the routines, with operands by name."""

    call: Call
    routine: Routine
    kind: str

    def __getitem__(self, operand: str) -> Value:
        return self.call.arguments[self.routine.operands.index(operand)]

    @property
    def type(self) -> Type:
        return number_type(self.kind)


def is_complex(kind: str) -> bool:
    return kind in "cz"


def number_type(kind: str) -> Type:
    """The type of a number of this kind where it travels by value."""
    part = KINDS[kind]
    return struct_type([part, part]) if is_complex(kind) else part


def in_complex(kind: str) -> str:
    """The kind of complex numbers with such parts."""
    return {"s": "c", "d": "z"}.get(kind, kind)


def symbol(routine: str, kind: str) -> str:
    return f"{PREFIX}{routine}_{kind}"
