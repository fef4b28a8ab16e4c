"""Level 1 of BLAS: vectors. As loops, which are differentiated like any others."""

from __future__ import annotations

from enzyme.engine.derivatives.blas.language import (
    Double,
    Number,
    Numbers,
    Real,
    Single,
    Singles,
    conj_if,
    double,
    formula,
    imag,
    norm,
    real,
    single,
    sqrt,
    zero,
)
from enzyme.engine.derivatives.blas.letters import first


@formula
def axpy(n: int, alpha: Number, x: Numbers, incx: int, y: Numbers, incy: int) -> None:
    x = x + first(n, incx)
    y = y + first(n, incy)
    for i in range(n):
        y[i * incy] += alpha * x[i * incx]


@formula
def axpby(
    n: int, alpha: Number, x: Numbers, incx: int, beta: Number, y: Numbers, incy: int
) -> None:
    x = x + first(n, incx)
    y = y + first(n, incy)
    for i in range(n):
        y[i * incy] = alpha * x[i * incx] + beta * y[i * incy]


@formula
def scal(n: int, alpha: Number, x: Numbers, incx: int) -> None:
    if incx > 0:
        for i in range(n):
            x[i * incx] *= alpha


@formula
def rscal(n: int, alpha: Real, x: Numbers, incx: int) -> None:
    if incx > 0:
        for i in range(n):
            x[i * incx] *= alpha


@formula
def copy(n: int, x: Numbers, incx: int, y: Numbers, incy: int) -> None:
    x = x + first(n, incx)
    y = y + first(n, incy)
    for i in range(n):
        y[i * incy] = x[i * incx]


@formula
def swap(n: int, x: Numbers, incx: int, y: Numbers, incy: int) -> None:
    x = x + first(n, incx)
    y = y + first(n, incy)
    for i in range(n):
        mine = x[i * incx]
        theirs = y[i * incy]
        x[i * incx] = theirs
        y[i * incy] = mine


@formula
def dot(conjugated: bool, n: int, x: Numbers, incx: int, y: Numbers, incy: int) -> Number:
    """Sum of x y, or of conj(x) y."""
    x = x + first(n, incx)
    y = y + first(n, incy)
    total = zero()
    for i in range(n):
        total += conj_if(conjugated, x[i * incx]) * y[i * incy]
    return total


@formula
def dsdot(n: int, x: Singles, incx: int, y: Singles, incy: int) -> Double:
    """Products of floats, summed as doubles."""
    x = x + first(n, incx)
    y = y + first(n, incy)
    total = double(0)
    for i in range(n):
        total += double(x[i * incx]) * double(y[i * incy])
    return total


@formula
def sdsdot(n: int, start: Single, x: Singles, incx: int, y: Singles, incy: int) -> Single:
    return single(dsdot(n, x, incx, y, incy) + double(start))


@formula
def nrm2(n: int, x: Numbers, incx: int) -> Real:
    """The Euclidean norm; zero is the derivative where it is zero."""
    if incx == 0:
        return sqrt(0.0 + n) * norm(1, x, 1)
    if incx < 0:
        return norm(n, x, -incx)
    return norm(n, x, incx)


@formula
def asum(n: int, x: Numbers, incx: int) -> Real:
    """Sum of |Re x| + |Im x|."""
    total = 0.0
    if incx > 0:
        for i in range(n):
            total += abs(real(x[i * incx])) + abs(imag(x[i * incx]))
    return total


@formula
def iamax(n: int, x: Numbers, incx: int) -> int:
    """Place of the largest |Re x| + |Im x|, from zero; -1 if there is none."""
    if n < 1 or incx < 1:
        return -1
    place = 0
    largest = abs(real(x[0])) + abs(imag(x[0]))
    for i in range(1, n):
        size = abs(real(x[i * incx])) + abs(imag(x[i * incx]))
        if size > largest:
            largest = size
            place = i
    return place
