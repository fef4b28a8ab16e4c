"""The routines of linear algebra that programs may call, one row each: operands, effects, derivative.

Numba's own functions for them, which have their scalars and numbers behind pointers, stand below: the front end
turns calls of them into calls of the routines, and until then their effects are known.
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme.engine.derivatives.decompositions import DECOMPOSITION, KNOWN, VALUES
from enzyme.engine.derivatives.linear_algebra import PRODUCT
from enzyme.engine.derivatives.linear_calls import KINDS, PREFIX, LinearCall, Routine, Rule
from enzyme.engine.derivatives.linear_solvers import FACTORS, INVERSE, NORM, SOLUTION
from enzyme.engine.ir.instructions import Call


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _routine(
    name: str,
    operands: str,
    rule: Rule,
    *,
    reads: str,
    writes: str = "",
    integers: str = "",
    unread: str = "",
    readable: str = "",
    square: str = "",
    factors: tuple[str, str, str] | None = None,
    factored: bool = False,
    **shapes: str,
) -> Routine:
    return Routine(
        name,
        tuple(operands.split()),
        rule,
        _names(reads),
        _names(writes),
        _names(integers),
        _names(unread),
        readable,
        square,
        {operand: tuple(text.split()) for operand, text in shapes.items()},
        factors,
        factored,
    )


def _dot(name: str) -> Routine:
    return _routine(name, "n x y", PRODUCT, reads="x y", factors=("x", "y", ""), x="n 1", y="n 1")


def _norm(name: str, square: str = "") -> Routine:
    """With a stride, which is the leading dimension of a row."""
    return _routine(name, "n x incx", NORM, reads="x", square=square, x="1 n")


def _solver(name: str, unread: str = "", readable: str = "") -> Routine:
    return _routine(
        name,
        "n nrhs a lda ipiv b ldb",
        SOLUTION,
        reads="a b",
        writes="a ipiv b",
        integers="ipiv",
        unread=unread,
        readable=readable,
        factored=True,
        a="n n",
        ipiv="n 1",
        b="n nrhs",
    )


def _decomposition(name: str, operands: str, vectors: str, **shapes: str) -> tuple[Routine, ...]:
    """The routine, that without `vectors`, and the one that derivatives of the latter need (`blas/calling.py`)."""
    left = " ".join(shapes)
    writes = left + " info"
    made = (
        (name, "", ""),
        (name + VALUES, vectors, name + KNOWN),
        (name + KNOWN, "", ""),
    )
    return tuple(
        Routine(
            stem,
            tuple(operands.split()),
            DECOMPOSITION,
            reads=_names("a"),
            writes=_names(writes),
            integers=_names("info"),
            unread=_names(unread),
            readable=readable,
            square="",
            shapes={name: tuple(shape.split()) for name, shape in shapes.items()},
            factors=None,
            factored=False,
        )
        for stem, unread, readable in made
    )


def _hermitian(name: str) -> tuple[Routine, ...]:
    """Vectors take the place of the matrix."""
    return _decomposition(name, "uplo n a lda w lwork info", "a", a="n n", w="n 1")


def _singular(name: str) -> tuple[Routine, ...]:
    operands = "m n count mu nv a lda s u ldu vt ldvt lwork info"
    return _decomposition(name, operands, "u vt", s="count 1", u="m mu", vt="nv n")


ROUTINES: dict[str, Routine] = {
    r.name: r
    for r in (
        *_hermitian("syev"),
        *_hermitian("syevd"),
        *_singular("gesdd"),
        *_singular("gesvd"),
        *_decomposition(
            "geev",
            "left n a lda wr wi vl ldvl vr ldvr lwork info",
            "vl vr",
            wr="n 1",
            wi="n 1",
            vl="n n",
            vr="n n",
        ),
        _dot("dotu"),
        _dot("dotc"),
        _routine(
            "gemv",
            "trans m n alpha a lda x beta y",
            PRODUCT,
            reads="a x y",
            writes="y",
            factors=("a", "x", "y"),
            a="m n",
            x="n m trans",
            y="m n trans",
        ),
        _norm("nrm2", square="sumsq"),
        _norm("sumsq"),
        _solver("gesv", unread="a", readable="gesvlu"),
        _solver("gesvlu"),
        _routine(
            "getrf",
            "m n a lda ipiv",
            FACTORS,
            reads="a",
            writes="a ipiv",
            integers="ipiv",
            factored=True,
            a="n n",
            ipiv="n 1",
        ),
        _routine(
            "getri",
            "n a lda ipiv",
            INVERSE,
            reads="a ipiv",
            writes="a",
            integers="ipiv",
            factored=True,
            a="n n",
            ipiv="n 1",
        ),
        _routine(
            "gemm",
            "transa transb m n k alpha a lda b ldb beta c ldc",
            PRODUCT,
            reads="a b c",
            writes="c",
            factors=("a", "b", "c"),
            a="m k transa",
            b="k n transb",
            c="m n",
        ),
    )
}


@dataclass(frozen=True, slots=True)
class LibraryFunction:
    """A function of numba for a kind of numbers that its first operand names: operands that it reads and writes."""

    name: str
    operands: tuple[str, ...]
    reads: frozenset[str]
    writes: frozenset[str]
    integers: frozenset[str] = frozenset()

    def positions(self, names: frozenset[str]) -> frozenset[int]:
        return frozenset(k for k, name in enumerate(self.operands) if name in names)


def _of_routine(name: str, routine: str, behind_pointers: str = "") -> LibraryFunction:
    """One with the operands of a routine, of which these scalars stand behind pointers."""
    found = ROUTINES[routine]
    return LibraryFunction(
        name,
        ("kind", *found.operands),
        found.reads | _names(behind_pointers),
        found.writes,
        found.integers,
    )


LIBRARY = (
    LibraryFunction(
        "numba_xxdot",
        ("kind", "conjugate", "n", "x", "y", "result"),
        _names("x y"),
        _names("result"),
    ),
    LibraryFunction(
        "numba_xxnrm2", ("kind", "n", "x", "incx", "result"), _names("x"), _names("result")
    ),
    _of_routine("numba_xxgemv", "gemv", "alpha beta"),
    _of_routine("numba_xxgemm", "gemm", "alpha beta"),
    _of_routine("numba_xxgetrf", "getrf"),
    _of_routine("numba_ez_xxgetri", "getri"),
    _of_routine("numba_xgesv", "gesv"),
    LibraryFunction(
        "numba_xxpotrf", ("kind", "uplo", "n", "a", "lda"), _names("a"), _names("a")
    ),  # no derivative
)


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
