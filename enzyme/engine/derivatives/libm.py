"""The C mathematics library beyond what LLVM has intrinsics for."""

from __future__ import annotations

import math

from enzyme.engine.derivatives import bounds
from enzyme.engine.derivatives.catalogue import constant, define, in_c
from enzyme.engine.derivatives.table import IDENTITY, exact
from enzyme.engine.derivatives.terms import Term, companion, compare, intrinsic, libm, where


def sqrt(x: Term) -> Term:
    return intrinsic("sqrt", x)


# Not y + 1, which is nothing where y is nearly -1.
define(
    in_c("expm1"),
    lambda d, y, x: d * companion("exp", x),
    bound=bounds.exponential_less_one,
    vector="expm1",
)
define(
    in_c("log1p"),
    lambda d, y, x: d / (1.0 + x),
    bound=bounds.logarithm_of_one_more,
    vector="log1p",
)
define(
    in_c("cbrt"),
    lambda d, y, x: where(compare("oeq", y, 0.0), 0.0, d / (3.0 * (y * y))),
    note="0 at 0",
    bound=bounds.odd,
    vector="cbrt",
)
define(
    in_c("hypot"),
    lambda d, y, a, b: where(compare("oeq", y, 0.0), 0.0, d * a.over(y)),
    lambda d, y, a, b: where(compare("oeq", y, 0.0), 0.0, d * b.over(y)),
    note="0 at the origin",
    bound=bounds.length,
    square=lambda a, b: a * a + b * b,
)
# Two roots and not one of a product: below 1 the product of two negatives would look valid.
define(in_c("acosh"), lambda d, y, x: d / (sqrt(x - 1.0) * sqrt(x + 1.0)))
define(in_c("atanh"), lambda d, y, x: d / ((1.0 - x) * (1.0 + x)))


def _asinh(d: Term, y: Term, x: Term) -> Term:
    """1 / sqrt(1 + x²), scaled: x² may overflow."""
    size = intrinsic("fabs", x)
    larger, smaller = intrinsic("maxnum", size, 1.0), intrinsic("minnum", size, 1.0)
    ratio = smaller / larger
    return d / (larger * sqrt(1.0 + ratio * ratio))


define(in_c("asinh"), _asinh, bound=bounds.odd)

_scaled = exact(lambda d, y, x, n: intrinsic("ldexp", d, n, overload=(d.type, n.type)))
define(in_c("ldexp", "scalbn") + " numba_ldexp numba_ldexpf", _scaled, None)
define(in_c("scalbln"), exact(lambda d, y, x, n: libm("scalbln", d.type, d, n)), None)
define(in_c("nextafter", "nexttoward") + " numba_nextafter numba_nextafterf", IDENTITY, None)
# Of ISO C23; only where the platform has them.
define(in_c("sinpi"), lambda d, y, x: d * (math.pi * libm("cospi", x.type, x)), bound=bounds.wave)
define(in_c("cospi"), lambda d, y, x: d * (-math.pi * libm("sinpi", x.type, x)), bound=bounds.wave)
define(in_c("tanpi"), lambda d, y, x: d * (math.pi * (1.0 + y * y)))
constant(
    in_c("logb", "ilogb") + " isnan isinf finite isnanf isinff finitef __isnan __isinf __finite "
    "__fpclassify __fpclassifyf __signbit __signbitf __isnanf __isinff __finitef"
)
