"""The C mathematics library beyond what LLVM has intrinsics for."""

from __future__ import annotations

from enzyme.engine.derivatives.table import (
    IDENTITY,
    SYMBOLS,
    Term,
    compare,
    exact,
    intrinsic,
    where,
)


def names(*functions: str) -> str:
    """``cbrt cbrtf cbrtl`` of ``cbrt``."""
    return " ".join(f"{f} {f}f {f}l" for f in functions)


def sqrt(x: Term) -> Term:
    return intrinsic("sqrt", x)


SYMBOLS.add(names("expm1"), lambda d, y, x: d * (y + 1.0))
SYMBOLS.add(names("log1p"), lambda d, y, x: d / (1.0 + x))
SYMBOLS.add(
    names("cbrt"),
    lambda d, y, x: where(compare("oeq", y, 0.0), 0.0, d / (3.0 * (y * y))),
    note="0 at 0",
)
SYMBOLS.add(
    names("hypot"),
    lambda d, y, a, b: where(compare("oeq", y, 0.0), 0.0, d * (a / y)),
    lambda d, y, a, b: where(compare("oeq", y, 0.0), 0.0, d * (b / y)),
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
SYMBOLS.add(names("ldexp", "scalbn"), _scaled, None)
SYMBOLS.add(names("nextafter", "nexttoward"), IDENTITY, None)
SYMBOLS.constant(
    names("logb", "ilogb") + " isnan isinf finite isnanf isinff finitef __isnan __isinf __finite "
    "__fpclassify __fpclassifyf __signbit __signbitf __isnanf __isinff __finitef"
)
