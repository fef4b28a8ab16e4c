"""The C mathematics library beyond what LLVM has intrinsics for.

Rows speak of values; functions that write a second result through a pointer are rewritten by
`expand` into a form without pointers, followed by the stores.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from enzyme.engine.derivatives.table import (
    IDENTITY,
    SYMBOLS,
    Term,
    companion,
    compare,
    exact,
    intrinsic,
    libm,
    of,
    where,
)
from enzyme.engine.ir.builder import Builder, mangle
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.types import I32, FloatType, struct_type
from enzyme.engine.ir.values import Value


def names(*functions: str) -> str:
    """``cbrt cbrtf cbrtl`` of ``cbrt``."""
    return " ".join(f"{f} {f}f {f}l" for f in functions)


def sqrt(x: Term) -> Term:
    return intrinsic("sqrt", x)


# Not y + 1, which is nothing where y is nearly -1.
SYMBOLS.add(names("expm1"), lambda d, y, x: d * companion("exp", x))
SYMBOLS.add(names("log1p"), lambda d, y, x: d / (1.0 + x))
SYMBOLS.add(
    names("cbrt"),
    lambda d, y, x: where(compare("oeq", y, 0.0), 0.0, d / (3.0 * (y * y))),
    note="0 at 0",
)
SYMBOLS.add(
    names("hypot"),
    lambda d, y, a, b: where(compare("oeq", y, 0.0), 0.0, d * a.over(y)),
    lambda d, y, a, b: where(compare("oeq", y, 0.0), 0.0, d * b.over(y)),
    note="0 at the origin",
)
# Two roots and not one of a product: below 1 the product of two negatives would look valid.
SYMBOLS.add(names("acosh"), lambda d, y, x: d / (sqrt(x - 1.0) * sqrt(x + 1.0)))
SYMBOLS.add(names("atanh"), lambda d, y, x: d / ((1.0 - x) * (1.0 + x)))


def _asinh(d: Term, y: Term, x: Term) -> Term:
    """1 / sqrt(1 + x²), scaled: x² may overflow."""
    size = intrinsic("fabs", x)
    larger, smaller = intrinsic("maxnum", size, 1.0), intrinsic("minnum", size, 1.0)
    ratio = smaller / larger
    return d / (larger * sqrt(1.0 + ratio * ratio))


SYMBOLS.add(names("asinh"), _asinh)

_scaled = exact(lambda d, y, x, n: intrinsic("ldexp", d, n, overload=(d.type, n.type)))
SYMBOLS.add(names("ldexp", "scalbn") + " numba_ldexp numba_ldexpf", _scaled, None)
SYMBOLS.add(names("scalbln"), exact(lambda d, y, x, n: libm("scalbln", d.type, d, n)), None)
SYMBOLS.add(names("nextafter", "nexttoward") + " numba_nextafter numba_nextafterf", IDENTITY, None)
# Of ISO C23; only where the platform has them.
SYMBOLS.add(names("sinpi"), lambda d, y, x: d * (math.pi * libm("cospi", x.type, x)))
SYMBOLS.add(names("cospi"), lambda d, y, x: d * (-math.pi * libm("sinpi", x.type, x)))
SYMBOLS.add(names("tanpi"), lambda d, y, x: d * (math.pi * (1.0 + y * y)))
SYMBOLS.constant(
    names("logb", "ilogb") + " isnan isinf finite isnanf isinff finitef __isnan __isinf __finite "
    "__fpclassify __fpclassifyf __signbit __signbitf __isnanf __isinff __finitef"
)


# Functions with a second result behind a pointer --------------------------------------------------

Expansion = Callable[[Builder, list[Value]], Value | None]


def _sincos(b: Builder, arguments: list[Value]) -> None:
    x, sine, cosine = arguments
    b.store(b.intrinsic("sin", [x]), sine)
    b.store(b.intrinsic("cos", [x]), cosine)


def _modf(b: Builder, arguments: list[Value]) -> Value:
    x, whole = arguments
    pair = b.call_named(f"llvm.modf.{mangle(x.type)}", struct_type((x.type, x.type)), [x])
    b.store(b.extract_value(pair, [1]), whole)
    return b.extract_value(pair, [0])


def _frexp(b: Builder, arguments: list[Value]) -> Value:
    x, exponent = arguments
    symbol = f"llvm.frexp.{mangle(x.type)}.i32"
    pair = b.call_named(symbol, struct_type((x.type, I32)), [x])
    b.store(b.extract_value(pair, [1]), exponent)
    return b.extract_value(pair, [0])


def _lgamma_r(b: Builder, arguments: list[Value]) -> Value:
    """Gamma is negative between an odd negative integer and the next one up, and at -0."""
    x, sign = arguments
    term = of(b, x)
    below = intrinsic("floor", term)
    half = 0.5 * below
    odd = compare("one", half, intrinsic("floor", half))
    negative = b.and_(compare("olt", term, 0.0).value, odd.value)
    inverse = compare("oeq", 1.0 / term, -math.inf)
    negative = b.or_(negative, inverse.value)
    b.store(b.select(negative, b.const(I32, -1), b.const(I32, 1)), sign)
    return libm("lgamma", x.type, term).value


def _remquo(b: Builder, arguments: list[Value]) -> Value:
    """Three bits of the quotient, with its sign."""
    x, y, quotient = (of(b, a) for a in arguments)
    rest = libm("remainder", x.type, x, y)
    ratio = intrinsic("rint", (x - rest) / y)
    low = b.binary("frem", ratio.value, b.const(x.type, 8.0))
    b.store(b.cast("fptosi", low, I32), quotient.value)
    return rest.value


_EXPANSIONS: dict[str, Expansion] = {
    name: expansion
    for listed, expansion in (
        (names("sincos"), _sincos),
        (names("modf"), _modf),
        (names("frexp") + " numba_frexp numba_frexpf", _frexp),
        ("lgamma_r lgammaf_r lgammal_r", _lgamma_r),
        (names("remquo"), _remquo),
    )
    for name in listed.split()
}


def expandable(name: str) -> bool:
    """Does `expand` rewrite calls of this symbol?"""
    return name in _EXPANSIONS


def expand(call: Call) -> bool:
    """Rewrite the call of a function that writes through pointers into value form and stores.

    True if it was one; the call is then erased. Types are checked, so that another function of the
    same name is left alone."""
    if not expandable(call.callee_name) or call.opcode != "call":
        return False
    pointers = [a for a in call.arguments if a.type.is_pointer]
    plain = all(a.type.is_pointer or isinstance(a.type, FloatType) for a in call.arguments)
    if not pointers or not plain:
        return False
    b = Builder()
    b.before(call)
    result = _EXPANSIONS[call.callee_name](b, call.arguments)
    if result is not None:
        result.name = result.name or call.name
        call.replace_uses_with(result)
    call.erase()
    return True


def expand_all(function: Function) -> int:
    """`expand` every call of a function; the number rewritten."""
    calls = [i for i in function.instructions() if isinstance(i, Call)]
    return sum(expand(call) for call in calls)
