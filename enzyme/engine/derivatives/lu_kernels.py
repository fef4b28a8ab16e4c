"""Kernels on triangular factors for the derivatives of LAPACK's solvers, as IR text: block by block, small triangles by
loops and the rest by products.

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

from enzyme.engine.derivatives.linear_calls import is_complex
from enzyme.engine.derivatives.linear_kernels import for_kind

# So many rows or columns are treated at a time: below, products are slower than loops.
BLOCK = 8
_Range = tuple[str, str]  # the first number, and the one behind the last
# Matrix, row, column, and whether its conjugate transpose is meant.
_Factor = tuple[str, str, str, bool]
_ROWS, _COLUMNS = ("0", "%n"), ("0", "%columns")
PARAMETERS = "i64 %n, i64 %columns, ptr %lu, i64 %ld, ptr %pivots, ptr %x, i64 %ldx"


class _Writer:
    """Writes the body of one kernel; values are names of the text."""

    def __init__(self, kind: str) -> None:
        self.complex = is_complex(kind)
        self.star = "c" if self.complex else "t"
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
    def loop(self, first: str, end: str, down: bool = False) -> Iterator[str]:
        """A loop over the numbers from `first` to before `end`, or over the same numbers downwards."""
        self._count += 1
        tag, count = str(self._count), end if first == "0" else self.sub(end, first)
        before = self.block
        self.do(f"br label %head{tag}")
        self.lines.append(f"head{tag}:")
        self.do(f"%i{tag} = phi i64 [ 0, %{before} ], [ %next{tag}, %latch{tag} ]")
        self.do(f"%more{tag} = icmp slt i64 %i{tag}, {count}")
        self.do(f"br i1 %more{tag}, label %body{tag}, label %exit{tag}")
        self.lines.append(f"body{tag}:")
        self.block = f"body{tag}"
        index = f"%i{tag}"
        if down:
            yield self.sub(self.sub(end, "1"), index)
        else:
            yield index if first == "0" else self.add(first, index)
        self.do(f"br label %latch{tag}")
        self.lines.append(f"latch{tag}:")
        self.do(f"%next{tag} = add i64 %i{tag}, 1")
        self.do(f"br label %head{tag}")
        self.lines.append(f"exit{tag}:")
        self.block = f"exit{tag}"

    @contextmanager
    def blocks(self, first: str, end: str, down: bool = False) -> Iterator[_Range]:
        """A loop over the same numbers, as ranges of `BLOCK` of them; the last may be shorter."""
        number = self.value(f"sdiv i64 {self.add(self.sub(end, first), BLOCK - 1)}, {BLOCK}")
        with self.loop("0", number, down) as which:
            start = self.add(first, self.value(f"mul i64 {which}, {BLOCK}"))
            behind = self.add(start, BLOCK)
            yield start, self.value(f"call i64 @llvm.smin.i64(i64 {behind}, i64 {end})")

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

    def add_product(
        self,
        rows: _Range,
        columns: _Range,
        inner: _Range,
        left: _Factor,
        right: _Factor,
        minus: bool = True,
    ) -> None:
        """Add to a part of x, or take from it, the product of parts of `lu` and x that begin at these places."""
        letters, places = [], []
        for matrix, row, column, star in (left, right):
            letters.append(f"i8 {ord(self.star if star else 'n')}")
            places.append(f"ptr {self.at(matrix, row, column)}, i64 %ld{'x' * (matrix == 'x')}")
        sizes = ", ".join(f"i64 {self.sub(end, first)}" for first, end in (rows, columns, inner))
        target = f"ptr {self.at('x', rows[0], columns[0])}, i64 %ldx"
        factor, one = (f"T {self.number(sign)}" for sign in ("-1.0" if minus else "1.0", "1.0"))
        self.do(
            f"call void @enzyme_gemm_K({', '.join(letters)}, {sizes}, {factor},"
            f" {', '.join(places)}, {one}, {target})"
        )

    def number(self, value: str) -> str:
        return f"{{ P {value}, P 0.0 }}" if self.complex else value

    def over(self, left: str, right: str) -> str:
        return self.value(f"call T @enzyme_over_K(T {left}, T {right})")

    def inverse(self, value: str) -> str:
        return self.value(f"call T @enzyme_inverse_K(T {value})")

    def sum(self, left: str, right: str) -> str:
        return self.value(f"call T @enzyme_sum_K(T {left}, T {right})")


# Steps, in blocks: a small triangle by loops, the rest by a product. On the left of x they go row by row, on the right
# column by column. To some only a triangle of x belongs, and they leave the other as it is.


def _interchange(w: _Writer, back: bool, columns: bool = False) -> None:
    """Rows (columns) of x by the pivots: x = P x, or P^T x; x = x P^T, or x P."""
    with w.loop("0", "%n", down=back) as k:
        wide = w.value(f"load i32, ptr {w.value(f'getelementptr i32, ptr %pivots, i64 {k}')}")
        other = w.add(w.value(f"sext i32 {wide} to i64"), -1)
        with w.loop("0", "%columns") as j:
            first = w.at("x", *((j, k) if columns else (k, j)))
            second = w.at("x", *((j, other) if columns else (other, j)))
            one, two = w.load(first), w.load(second)
            w.store(two, first)
            w.store(one, second)


def _spread_below(w: _Writer, k: str, end: str, j: str, minus: bool) -> None:
    """Add x[k] times column k of L to what is between it and `end` in column j of x, or take it from that."""
    under, factor = w.add(k, 1), w.load(w.at("x", k, j))
    factor = w.minus(factor) if minus else factor
    w.axpy(w.sub(end, under), factor, w.at("lu", under, k), w.at("x", under, j))


def _add_below(w: _Writer, k: str, end: str, j: str, minus: bool) -> None:
    """Add to x[k] (or take from it) column k of L*, times what is between it and `end` in column j of x."""
    under, here = w.add(k, 1), w.at("x", k, j)
    part = w.dot(w.sub(end, under), w.at("lu", under, k), w.at("x", under, j))
    w.store(w.sum(w.load(here), w.minus(part) if minus else part), here)


def _lower(w: _Writer, star: bool, top: str = "0", columns: _Range = _COLUMNS) -> None:
    """L^-1 x, or L^-* x, of the rows from `top` and some columns."""
    left, right = columns
    with w.blocks(top, "%n", down=star) as (first, end):
        rows, others = (first, end), (end, "%n")
        if star:
            w.add_product(rows, columns, others, ("lu", end, first, True), ("x", end, left, False))
        with w.loop(left, right) as j, w.loop(first, end, down=star) as k:
            if star:
                _add_below(w, k, end, j, minus=True)
            else:
                _spread_below(w, k, end, j, minus=True)
        if not star:
            w.add_product(
                others, columns, rows, ("lu", end, first, False), ("x", first, left, False)
            )


def _lower_triangle(w: _Writer, star: bool) -> None:
    """L^-1 x, or L^-* x, of each column only the part below the diagonal."""
    with w.blocks("0", "%columns") as (left, right):
        if star:
            _lower(w, star, right, (left, right))
        with w.loop(left, right) as j, w.loop(w.add(j, 1), right, down=star) as k:
            if star:
                _add_below(w, k, "%n", j, minus=True)
            else:
                _spread_below(w, k, "%n", j, minus=True)
        if not star:
            _lower(w, star, right, (left, right))


def _upper(w: _Writer, star: bool) -> None:
    """U^-1 x, or U^-* x."""
    with w.blocks("0", "%n", down=not star) as (first, end):
        rows, others = (first, end), ("0", first)
        if star:
            w.add_product(rows, _COLUMNS, others, ("lu", "0", first, True), ("x", "0", "0", False))
        with w.loop("0", "%columns") as j, w.loop(first, end, down=not star) as k:
            here, factors, top = w.at("x", k, j), w.at("lu", first, k), w.at("x", first, j)
            pivot = w.conj(w.load(w.at("lu", k, k)), star)
            value, above = w.load(here), w.sub(k, first)
            if star:
                value = w.sum(value, w.minus(w.dot(above, factors, top)))
            value = w.over(value, pivot)
            w.store(value, here)
            if not star:
                w.axpy(above, w.minus(value), factors, top)
        if not star:
            w.add_product(
                others, _COLUMNS, rows, ("lu", "0", first, False), ("x", first, "0", False)
            )


def _right_upper(w: _Writer, star: bool) -> None:
    """The matrix x U^-1, or x U^-*."""
    with w.blocks("0", "%n", down=star) as (first, end):
        columns, others = (first, end), ((end, "%n") if star else ("0", first))
        rest = others[0]
        factor = ("lu", first, rest, True) if star else ("lu", rest, first, False)
        w.add_product(_ROWS, columns, others, ("x", "0", rest, False), factor)
        with w.loop(first, end, down=star) as j:
            with w.loop(*((w.add(j, 1), end) if star else (first, j))) as k:
                _add_column(w, j, k, _ROWS, star, minus=True)
            w.multiply("%n", w.inverse(w.conj(w.load(w.at("lu", j, j)), star)), w.at("x", "0", j))


def _add_column(w: _Writer, j: str, k: str, rows: _Range, star: bool, minus: bool) -> None:
    """Add to column j of x, or take from it, column k times an entry of U or L, or of U* or L*."""
    factor = w.conj(w.load(w.at("lu", *((j, k) if star else (k, j)))), star)
    first, end = rows
    target = w.at("x", first, j)
    w.axpy(w.sub(end, first), w.minus(factor) if minus else factor, w.at("x", first, k), target)


def _right_upper_triangle(w: _Writer, star: bool) -> None:
    """The matrix x U^-1, or x U^-*, in the upper triangle only."""
    with w.blocks("0", "%n", down=star) as (first, end):
        _add_upper(w, first, end, star, minus=True)
        with w.loop(first, end, down=star) as j:
            with w.loop(*((w.add(j, 1), end) if star else (first, j))) as k:
                _add_column(w, j, k, ("0", w.add(j if star else k, 1)), star, minus=True)
            pivot = w.conj(w.load(w.at("lu", j, j)), star)
            w.multiply(w.add(j, 1), w.inverse(pivot), w.at("x", "0", j))


def _add_upper(w: _Writer, first: str, end: str, star: bool, minus: bool) -> None:
    """Add to columns of the upper triangle what those before them give in x U, or those behind them in x U*."""
    columns = (first, end)
    if star:
        factor = ("lu", first, end, True)
        w.add_product(("0", first), columns, (end, "%n"), ("x", "0", end, False), factor, minus)
        with w.loop(first, end) as j, w.loop(end, "%n") as k:
            _add_column(w, j, k, (first, w.add(j, 1)), star, minus)
        return
    with w.blocks("0", first) as (left, right):
        factor = ("lu", left, first, False)
        w.add_product(("0", left), columns, (left, right), ("x", "0", left, False), factor, minus)
        with w.loop(first, end) as j, w.loop(left, right) as k:
            _add_column(w, j, k, (left, w.add(k, 1)), star, minus)


def _right_lower(w: _Writer, star: bool) -> None:
    """The matrix x L^-1, or x L^-*."""
    with w.blocks("0", "%n", down=not star) as (first, end):
        columns, others = (first, end), (("0", first) if star else (end, "%n"))
        rest = others[0]
        factor = ("lu", first, rest, True) if star else ("lu", rest, first, False)
        w.add_product(_ROWS, columns, others, ("x", "0", rest, False), factor)
        with (
            w.loop(first, end, down=not star) as j,
            w.loop(*((first, j) if star else (w.add(j, 1), end))) as k,
        ):
            _add_column(w, j, k, _ROWS, star, minus=True)


def _negate(w: _Writer) -> None:
    with w.loop("0", "%columns") as j, w.loop("0", "%n") as k:
        here = w.at("x", k, j)
        w.store(w.minus(w.load(here)), here)


def _times_lower(w: _Writer) -> None:
    """L tril(x), from the last factor up, below the diagonal."""
    with w.blocks("0", "%n") as (left, right):
        with w.blocks(right, "%n", down=True) as (first, end):
            rows, columns = (first, end), (left, right)
            right_factor = ("x", first, left, False)
            w.add_product(
                (end, "%n"), columns, rows, ("lu", end, first, False), right_factor, minus=False
            )
            with w.loop(left, right) as j, w.loop(first, end, down=True) as k:
                _spread_below(w, k, end, j, minus=False)
        with w.loop(left, right) as j, w.loop(w.add(j, 1), right, down=True) as k:
            _spread_below(w, k, "%n", j, minus=False)


def _factor_tangent(w: _Writer) -> None:
    _interchange(w, back=False)
    _lower(w, star=False)
    _right_upper(w, star=False)
    _times_lower(w)
    with w.blocks("0", "%n", down=True) as (first, end):  # triu(x) U
        with w.loop(first, end, down=True) as j:
            w.multiply(w.add(j, 1), w.load(w.at("lu", j, j)), w.at("x", "0", j))
            with w.loop(first, j) as k:
                _add_column(w, j, k, ("0", w.add(k, 1)), star=False, minus=False)
        _add_upper(w, first, end, star=False, minus=False)


def _factor_adjoint(w: _Writer) -> None:
    with w.blocks("0", "%n") as (left, right):  # tril(L* x), from the top down
        with w.loop(left, right) as j, w.loop(w.add(j, 1), right) as k:
            _add_below(w, k, "%n", j, minus=False)
        with w.blocks(right, "%n") as (first, end):
            with w.loop(left, right) as j, w.loop(first, end) as k:
                _add_below(w, k, end, j, minus=False)
            rows, columns, under = (first, end), (left, right), (end, "%n")
            right_factor = ("x", end, left, False)
            w.add_product(rows, columns, under, ("lu", end, first, True), right_factor, minus=False)
    with w.blocks("0", "%n") as (first, end):  # triu(x U*)
        with w.loop(first, end) as j:
            w.multiply(w.add(j, 1), w.conj(w.load(w.at("lu", j, j)), True), w.at("x", "0", j))
            with w.loop(w.add(j, 1), end) as k:
                _add_column(w, j, k, ("0", w.add(j, 1)), star=True, minus=False)
        _add_upper(w, first, end, star=True, minus=False)
    _lower(w, star=True)
    _right_upper(w, star=True)
    _interchange(w, back=True)


def _inverse_tangent(w: _Writer) -> None:
    _lower_triangle(w, star=False)
    _right_upper_triangle(w, star=False)
    _right_lower(w, star=False)
    _interchange(w, back=True, columns=True)
    _upper(w, star=False)
    _negate(w)


def _inverse_adjoint(w: _Writer) -> None:
    _negate(w)
    _upper(w, star=True)
    _interchange(w, back=False, columns=True)
    _right_lower(w, star=True)
    _lower_triangle(w, star=True)
    _right_upper_triangle(w, star=True)


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
    """All kernels for one kind; they use the loops of `linear_kernels`, and the routine `gemm`."""
    text = "declare i64 @llvm.smin.i64(i64, i64)\n"
    for name, write in KERNELS.items():
        w = _Writer(kind)
        write(w)
        w.do("ret void")
        text += f"\ndefine void @enzyme_{name}_K({PARAMETERS}) {{\n" + "\n".join(w.lines) + "\n}\n"
    return for_kind(text, kind)
