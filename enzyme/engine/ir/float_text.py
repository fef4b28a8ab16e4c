"""Floats that Python has no format for, as LLVM writes them: a letter, and the bits in hexadecimal."""

from __future__ import annotations

import math

# Behind ``0x``: the letter, bits of the exponent, bits behind it, and whether their first one is written.
_FORMATS = {
    "bfloat": ("R", 8, 7, False),
    "half": ("H", 5, 10, False),
    "x86_fp80": ("K", 15, 64, True),
    "fp128": ("L", 15, 112, False),
}
_BY_LETTER = {row[0]: row[1:] for row in _FORMATS.values()}
FORMATS = frozenset(_FORMATS)


def text_of(name: str, value: float) -> str:
    """The literal of the nearest number of a type.

    >>> text_of("x86_fp80", 1.0), text_of("bfloat", -2.0), text_of("fp128", 1.0)
    ('0xK3FFF8000000000000000', '0xRC000', '0xL00000000000000003FFF000000000000')
    """
    letter, exponents, fractions, explicit = _FORMATS[name]
    bias, top = (1 << (exponents - 1)) - 1, (1 << exponents) - 1
    places = fractions - explicit
    if math.isnan(value):
        exponent, fraction = top, 1 << (places - 1)
    elif math.isinf(value) or value == 0:
        exponent, fraction = (top if value else 0), 0
    else:
        mantissa, power = math.frexp(abs(value))
        # What rounds up may reach the next power: the sum carries into the exponent.
        least = max(power - 1 + bias, 1)
        scaled = round(math.ldexp(mantissa, 54)) * (1 << places)
        shift = 53 + (least - (power - 1 + bias))
        whole = scaled >> shift
        rest, half = scaled - (whole << shift), 1 << (shift - 1)
        whole += rest > half or (rest == half and whole & 1)
        bits = min(((least - 1) << places) + whole, top << places)
        exponent, fraction = bits >> places, bits & ((1 << places) - 1)
    bits = fraction
    if explicit:
        bits |= (exponent != 0) << places
    bits |= exponent << fractions
    bits |= (math.copysign(1, value) < 0) << (fractions + exponents)
    if letter == "L":  # the lower half comes first
        return f"0xL{bits & (1 << 64) - 1:016X}{bits >> 64:016X}"
    return f"0x{letter}{bits:0{(1 + exponents + fractions) // 4}X}"


def value_of(text: str) -> float | None:
    """The number nearest to a literal; None for a format that is not known here.

    >>> value_of("0xKC0008000000000000000"), value_of("0xR3F80"), value_of("0xM0")
    (-2.0, 1.0, None)
    """
    known = _BY_LETTER.get(text[2:3])
    if known is None:
        return None
    exponents, fractions, explicit = known
    digits = text[3:]
    if text[2] == "L":
        digits = digits[16:] + digits[:16]
    bits = int(digits, 16)
    places = fractions - explicit
    fraction = bits & ((1 << places) - 1)
    exponent = (bits >> fractions) & ((1 << exponents) - 1)
    sign = -1.0 if bits >> (fractions + exponents) & 1 else 1.0
    bias, top = (1 << (exponents - 1)) - 1, (1 << exponents) - 1
    if exponent == top:
        return math.nan if fraction else sign * math.inf
    whole = fraction | ((exponent != 0) << places)
    try:
        return sign * math.ldexp(whole, max(exponent, 1) - bias - places)
    except OverflowError:
        return sign * math.inf
