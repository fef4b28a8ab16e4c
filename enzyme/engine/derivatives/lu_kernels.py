"""Loops on triangular factors for the derivatives of LAPACK's solvers, as IR text.

A factorisation P A = L U lies in one matrix `lu`: U in and above the diagonal, L below it with ones on its own.
`pivots` are LAPACK's interchanges, from one. For each kind K, in place on the matrix `x`:

    enzyme_lusolve_K, enzyme_lusolvec_K      x = A^-1 x and x = A^-* x
    enzyme_getrf_tangent_K, .._adjoint_K     of (L, U) for that of A, and back
    enzyme_getri_tangent_K, .._adjoint_K     of A^-1 for that of (L, U), and back

All take (n, columns of x, lu, its leading dimension, pivots, x, its leading dimension). With S* the conjugate
transpose, and tril without the diagonal, triu with it:

    F = L^-1 P dA U^-1                dL = L tril(F)        dU = triu(F) U
    dA^-1 = -U^-1 (L^-1 dL + dU U^-1) L^-1 P

A pivot that is zero divides by one: such factors have no derivative, and a program that finds them discards them. So
their adjoints are zero, and stay it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from enzyme.engine.derivatives.linear_kernels import for_kind

PARAMETERS = "i64 %n, i64 %columns, ptr %lu, i64 %ld, ptr %pivots, ptr %x, i64 %ldx"


class _Writer:
    """Writes the body of one kernel; values are names of the text."""

    def __init__(self) -> None:
        self.lines: list[str] = ["entry:"]
        self.block = "entry"
        self._count = 0

    def value(self, code: str) -> str:
        self._count += 1
        self.lines.append(f"  %v{self._count} = {code}")
        return f"%v{self._count}"

    def do(self, code: str) -> None:
        self.lines.append(f"  {code}")

    def add(self, left: str, right: str | int) -> str:
        return self.value(f"add i64 {left}, {right}")

    def sub(self, left: str, right: str) -> str:
        return self.value(f"sub i64 {left}, {right}")

    @contextmanager
    def loop(self, count: str, down: bool = False) -> Iterator[str]:
        """A loop over 0, 1, ... below `count`, or over the same numbers downwards."""
        self._count += 1
        tag, before = str(self._count), self.block
        self.do(f"br label %head{tag}")
        self.lines.append(f"head{tag}:")
        self.do(f"%i{tag} = phi i64 [ 0, %{before} ], [ %next{tag}, %latch{tag} ]")
        self.do(f"%more{tag} = icmp slt i64 %i{tag}, {count}")
        self.do(f"br i1 %more{tag}, label %body{tag}, label %exit{tag}")
        self.lines.append(f"body{tag}:")
        self.block = f"body{tag}"
        index = f"%i{tag}"
        yield self.sub(self.sub(count, "1"), index) if down else index
        self.do(f"br label %latch{tag}")
        self.lines.append(f"latch{tag}:")
        self.do(f"%next{tag} = add i64 %i{tag}, 1")
        self.do(f"br label %head{tag}")
        self.lines.append(f"exit{tag}:")
        self.block = f"exit{tag}"

    def at(self, matrix: str, row: str, column: str) -> str:
        """Address of an entry of `lu` or `x`."""
        skip = self.value(f"mul i64 {column}, {'%ld' if matrix == 'lu' else '%ldx'}")
        return self.value(f"getelementptr T, ptr %{matrix}, i64 {self.add(skip, row)}")

    def load(self, place: str) -> str:
        return self.value(f"load T, ptr {place}")

    def store(self, value: str, place: str) -> None:
        self.do(f"store T {value}, ptr {place}")

    def minus(self, value: str) -> str:
        return self.value(f"call T @enzyme_minus_K(T {value})")

    def conj(self, value: str, wanted: bool) -> str:
        return self.value(f"call T @enzyme_conjugate_K(T {value})") if wanted else value

    def axpy(self, n: str, factor: str, source: str, target: str) -> None:
        self.do(
            f"call void @enzyme_axpy_K(i1 false, i64 {n}, T {factor}, ptr {source}, ptr {target})"
        )

    def multiply(self, n: str, factor: str, target: str) -> None:
        self.do(f"call void @enzyme_multiply_K(i64 {n}, T {factor}, ptr {target})")

    def dot(self, n: str, left: str, right: str) -> str:
        """Sum of conj(left) right."""
        return self.value(f"call T @enzyme_starred_K(i64 {n}, ptr {left}, ptr {right})")

    def over(self, left: str, right: str) -> str:
        return self.value(f"call T @enzyme_over_K(T {left}, T {right})")

    def inverse(self, value: str) -> str:
        return self.value(f"call T @enzyme_inverse_K(T {value})")

    def sum(self, left: str, right: str) -> str:
        return self.value(f"call T @enzyme_sum_K(T {left}, T {right})")


# Steps. On the left of x they go column by column, on the right from column to column.


def _interchange(w: _Writer, back: bool, columns: bool = False) -> None:
    """Rows (columns) of x by the pivots: x = P x, or P^T x; x = x P^T, or x P."""
    with w.loop("%n", down=back) as k:
        wide = w.value(f"load i32, ptr {w.value(f'getelementptr i32, ptr %pivots, i64 {k}')}")
        other = w.add(w.value(f"sext i32 {wide} to i64"), -1)
        with w.loop("%columns") as j:
            first = w.at("x", *((j, k) if columns else (k, j)))
            second = w.at("x", *((j, other) if columns else (other, j)))
            one, two = w.load(first), w.load(second)
            w.store(two, first)
            w.store(one, second)


def _lower(w: _Writer, star: bool, below: bool = False) -> None:
    """L^-1 x, or L^-* x; with `below`, of each column only the part below the diagonal."""
    with w.loop("%columns") as j:
        start = w.add(j, 1) if below else "0"
        with w.loop(w.sub("%n", start), down=star) as step:
            k = w.add(step, start)
            rest = w.sub(w.sub("%n", k), "1")
            under = w.add(k, 1)
            factors, target = w.at("lu", under, k), w.at("x", under, j)
            here = w.at("x", k, j)
            if star:
                w.store(w.sum(w.load(here), w.minus(w.dot(rest, factors, target))), here)
            else:
                w.axpy(rest, w.minus(w.load(here)), factors, target)


def _upper(w: _Writer, star: bool) -> None:
    """U^-1 x, or U^-* x."""
    with w.loop("%columns") as j, w.loop("%n", down=not star) as k:
        here, factors, top = w.at("x", k, j), w.at("lu", "0", k), w.at("x", "0", j)
        pivot = w.conj(w.load(w.at("lu", k, k)), star)
        value = w.load(here)
        if star:
            value = w.sum(value, w.minus(w.dot(k, factors, top)))
        value = w.over(value, pivot)
        w.store(value, here)
        if not star:
            w.axpy(k, w.minus(value), factors, top)


def _right_upper(w: _Writer, star: bool, triangle: bool = False) -> None:
    """The matrix x U^-1, or x U^-*; with `triangle`, in the upper triangle only."""
    with w.loop("%n", down=star) as j:
        target = w.at("x", "0", j)
        rows = w.add(j, 1) if triangle else "%n"
        with w.loop(w.sub(w.sub("%n", j), "1") if star else j) as step:
            k = w.add(w.add(j, 1), step) if star else step
            length = rows if star or not triangle else w.add(k, 1)
            factor = w.load(w.at("lu", *((j, k) if star else (k, j))))
            w.axpy(length, w.minus(w.conj(factor, star)), w.at("x", "0", k), target)
        pivot = w.conj(w.load(w.at("lu", j, j)), star)
        w.multiply(rows, w.inverse(pivot), target)


def _right_lower(w: _Writer, star: bool) -> None:
    """The matrix x L^-1, or x L^-*."""
    with w.loop("%n", down=not star) as j:
        target = w.at("x", "0", j)
        with w.loop(j if star else w.sub(w.sub("%n", j), "1")) as step:
            k = step if star else w.add(w.add(j, 1), step)
            factor = w.load(w.at("lu", *((j, k) if star else (k, j))))
            w.axpy("%n", w.minus(w.conj(factor, star)), w.at("x", "0", k), target)


def _negate(w: _Writer) -> None:
    with w.loop("%columns") as j, w.loop("%n") as k:
        here = w.at("x", k, j)
        w.store(w.minus(w.load(here)), here)


def _factor_tangent(w: _Writer) -> None:
    _interchange(w, back=False)
    _lower(w, star=False)
    _right_upper(w, star=False)
    with w.loop("%n", down=True) as j:
        # L tril(F), from the last factor up; then triu(F) U.
        under = w.add(j, 1)
        with w.loop(w.sub("%n", under), down=True) as step:
            k = w.add(step, under)
            rest, next_row = w.sub(w.sub("%n", k), "1"), w.add(k, 1)
            w.axpy(rest, w.load(w.at("x", k, j)), w.at("lu", next_row, k), w.at("x", next_row, j))
        target = w.at("x", "0", j)
        w.multiply(under, w.load(w.at("lu", j, j)), target)
        with w.loop(j) as k:
            w.axpy(w.add(k, 1), w.load(w.at("lu", k, j)), w.at("x", "0", k), target)


def _factor_adjoint(w: _Writer) -> None:
    with w.loop("%n") as j:
        # tril(L* dL), from the top down; then triu(dU U*).
        under = w.add(j, 1)
        with w.loop(w.sub("%n", under)) as step:
            i = w.add(step, under)
            rest, next_row, here = w.sub(w.sub("%n", i), "1"), w.add(i, 1), w.at("x", i, j)
            part = w.dot(rest, w.at("lu", next_row, i), w.at("x", next_row, j))
            w.store(w.sum(w.load(here), part), here)
        target = w.at("x", "0", j)
        w.multiply(under, w.conj(w.load(w.at("lu", j, j)), True), target)
        with w.loop(w.sub("%n", under)) as step:
            k = w.add(step, under)
            w.axpy(under, w.conj(w.load(w.at("lu", j, k)), True), w.at("x", "0", k), target)
    _lower(w, star=True)
    _right_upper(w, star=True)
    _interchange(w, back=True)


def _inverse_tangent(w: _Writer) -> None:
    _lower(w, star=False, below=True)
    _right_upper(w, star=False, triangle=True)
    _right_lower(w, star=False)
    _interchange(w, back=True, columns=True)
    _upper(w, star=False)
    _negate(w)


def _inverse_adjoint(w: _Writer) -> None:
    _negate(w)
    _upper(w, star=True)
    _interchange(w, back=False, columns=True)
    _right_lower(w, star=True)
    _lower(w, star=True, below=True)
    _right_upper(w, star=True, triangle=True)


def _solve(w: _Writer) -> None:
    _interchange(w, back=False)
    _lower(w, star=False)
    _upper(w, star=False)


def _solve_star(w: _Writer) -> None:
    _upper(w, star=True)
    _lower(w, star=True)
    _interchange(w, back=True)


KERNELS: dict[str, Callable[[_Writer], None]] = {
    "lusolve": _solve,
    "lusolvec": _solve_star,
    "getrf_tangent": _factor_tangent,
    "getrf_adjoint": _factor_adjoint,
    "getri_tangent": _inverse_tangent,
    "getri_adjoint": _inverse_adjoint,
}


def lu_kernels_text(kind: str) -> str:
    """All kernels for one kind; they use the loops of `linear_kernels`."""
    text = ""
    for name, write in KERNELS.items():
        w = _Writer()
        write(w)
        w.do("ret void")
        text += f"\ndefine void @enzyme_{name}_K({PARAMETERS}) {{\n" + "\n".join(w.lines) + "\n}\n"
    return for_kind(text, kind)
