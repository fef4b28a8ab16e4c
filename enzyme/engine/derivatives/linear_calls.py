"""The linear algebra that programs may call: names, operands, effects.

A front end turns the calls of its own library into these, with scalars by value:

    enzyme_gemm_d(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)

is BLAS's ``c = alpha op(a) op(b) + beta c`` on column-major matrices of doubles. The last letter is the kind:
`s` and `d` are float and double, `c` and `z` their complex numbers, which travel as a struct of two. Operands
of a routine are named as in BLAS and LAPACK. As there, what is written may not overlap anything else.
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.types import DOUBLE, FLOAT, FloatType, Type, struct_type
from enzyme.engine.ir.values import Value

KINDS: dict[str, FloatType] = {"s": FLOAT, "d": DOUBLE, "c": FLOAT, "z": DOUBLE}
PREFIX = "enzyme_"


@dataclass(frozen=True, slots=True)
class Routine:
    """Operands in order, and those behind whose pointers the routine reads or writes numbers.

    `integers` are pointers to integers. What the routine leaves behind those in `unread` no program reads, so its rule
    need not say how that changes. A derivative that does read it calls `readable` instead: the same routine, with a
    rule for everything that it leaves behind.
    """

    name: str
    operands: tuple[str, ...]
    reads: frozenset[str]
    writes: frozenset[str] = frozenset()
    integers: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()
    readable: str = ""

    def positions(self, names: frozenset[str]) -> frozenset[int]:
        return frozenset(k for k, name in enumerate(self.operands) if name in names)


def _routine(
    name: str,
    operands: str,
    reads: str,
    writes: str = "",
    integers: str = "",
    unread: str = "",
    readable: str = "",
) -> Routine:
    def names(text: str) -> frozenset[str]:
        return frozenset(text.split())

    sets = names(reads), names(writes), names(integers), names(unread)
    return Routine(name, tuple(operands.split()), *sets, readable)


_GESV = "n nrhs a lda ipiv b ldb", "a b", "a ipiv b", "ipiv"


ROUTINES: dict[str, Routine] = {
    r.name: r
    for r in (
        _routine("dotu", "n x y", "x y"),
        _routine("dotc", "n x y", "x y"),
        _routine("gemv", "trans m n alpha a lda x beta y", "a x y", "y"),
        _routine("nrm2", "n x incx", "x"),
        _routine("sumsq", "n x incx", "x"),
        _routine("gesv", *_GESV, "a", "gesvlu"),
        _routine("gesvlu", *_GESV),
        _routine("getrf", "m n a lda ipiv", "a", "a ipiv", "ipiv"),
        _routine("getri", "n a lda ipiv", "a ipiv", "a", "ipiv"),
        _routine("gemm", "transa transb m n k alpha a lda b ldb beta c ldc", "a b c", "c"),
    )
}


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


def symbol(routine: str, kind: str) -> str:
    return f"{PREFIX}{routine}_{kind}"


def linear_call(call: Call) -> LinearCall | None:
    """The call as one of the routines, or None."""
    name = call.callee_name
    if not name.startswith(PREFIX):
        return None
    stem, _, kind = name.removeprefix(PREFIX).rpartition("_")
    routine = ROUTINES.get(stem)
    if routine is None or kind not in KINDS or len(call.arguments) != len(routine.operands):
        return None
    return LinearCall(call, routine, kind)
