"""What the letters of BLAS mean, and what becomes of them for matrices that are stored row by row.

Operations are N: the matrix, T: its transpose, C: the conjugate transpose, R: the conjugate.
"""

from __future__ import annotations

from enzyme.engine.derivatives.blas.language import (
    Letter,
    Number,
    imag,
    inlined,
    is_complex,
    pair,
    real,
)


@inlined
def first(n: int, step: int) -> int:
    """Where a vector of n numbers begins: at its end, if it is walked backwards."""
    return (1 - n) * step if step < 0 else 0


@inlined
def transposes(trans: Letter) -> bool:
    return trans == "T" or trans == "C"


@inlined
def conjugates(trans: Letter) -> bool:
    return trans == "C" or trans == "R"


@inlined
def plain(trans: Letter) -> Letter:
    """The operation, with those that conjugate as those that do not where numbers are real."""
    if not is_complex():
        if trans == "C":
            return "T"
        if trans == "R":
            return "N"
    return trans


@inlined
def turned(trans: Letter) -> Letter:
    """The operation on the transpose."""
    if trans == "N":
        return "T"
    if trans == "T":
        return "N"
    if trans == "C":
        return "R"
    return "C"


@inlined
def starred(trans: Letter) -> Letter:
    """The operation on the conjugate transpose."""
    if trans == "N":
        return "C"
    return "N"


@inlined
def opposite(uplo: Letter) -> Letter:
    """The other triangle."""
    return "L" if uplo == "U" else "U"


@inlined
def other_side(side: Letter) -> Letter:
    return "R" if side == "L" else "L"


@inlined
def letter_of(value: int) -> Letter:
    """The letter for a value of an enumeration of CBLAS."""
    if value == 112:
        return "T"
    if value == 113:
        return "C"
    if value == 114 or value == 142:
        return "R"
    if value == 121 or value == 132:
        return "U"
    if value == 122 or value == 141:
        return "L"
    return "N"


@inlined
def quotient(a: Number, b: Number) -> Number:
    """The quotient as Smith forms it: by the larger part of the divisor first."""
    br = real(b)
    bi = imag(b)
    if abs(br) >= abs(bi):
        r = bi / br
        d = br + bi * r
        return pair((real(a) + imag(a) * r) / d, (imag(a) - real(a) * r) / d)
    r = br / bi
    d = br * r + bi
    return pair((real(a) * r + imag(a)) / d, (imag(a) * r - real(a)) / d)
