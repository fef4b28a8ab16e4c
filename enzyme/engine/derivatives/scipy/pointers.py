"""Functions that leave several results behind pointers: calls of them become calls of one function for each result.

The functions of one result are ours and call SciPy's; `RESULTS` says which result of which.
"""

from __future__ import annotations

from enzyme.engine.derivatives.catalogue import Expansion, expanded
from enzyme.engine.derivatives.scipy.calls import ours, own
from enzyme.engine.derivatives.scipy.names import OURS, PREFIX
from enzyme.engine.derivatives.terms import PURE, Term, compare, intrinsic, where
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.types import DOUBLE, Type, struct_type
from enzyme.engine.ir.values import Value

# For each function of ours: SciPy's, the number of its operands, and the place of the result among the results. What
# is of complex numbers has `.z` behind its name.
RESULTS: dict[str, tuple[str, int, int]] = {}
_HALF_PI = 1.5707963267948966
NUMBER = struct_type((DOUBLE, DOUBLE))


def several(name: str, operands: str, results: str) -> None:
    """A function with these results, in their order; a letter for each operand."""
    listed = results.split()
    count = len(operands)
    symbol = f"{PREFIX}{name}.{operands}{'p' * len(listed)}"
    for place, result in enumerate(listed):
        RESULTS[result] = symbol, count, place
    kind = NUMBER if "z" in operands else DOUBLE
    numbers = tuple(range(count, count + len(listed)))
    expanded(symbol, _expansion(kind, count, listed), numbers=numbers)


def _expansion(kind: Type, operands: int, results: list[str]) -> Expansion:
    def expand(b: Builder, arguments: list[Value]) -> None:
        given = arguments[:operands]
        for result, place in zip(results, arguments[operands:], strict=True):
            made = b.call_named(f"{OURS}{result}", kind, given, declaration_suffix=PURE)
            b.store(made, place)

    return expand


def _sqrt(x: Term) -> Term:
    return intrinsic("sqrt", x)


# Sine and cosine integrals, and the hyperbolic ones ------------------------------------------------

several("sici", "d", "si ci")
several("shichi", "d", "shi chi")
several("fresnel", "d", "fresnel_s fresnel_c")


def _over(y: Term, x: Term) -> Term:
    """The quotient of the sine, or the hyperbolic sine, and x."""
    return where(compare("oeq", x, 0.0), 1.0, y / x)


def _hyperbolic(x: Term, sign: float) -> Term:
    return 0.5 * (intrinsic("exp", x) + sign * intrinsic("exp", -x))


def _sinh_over(x: Term) -> Term:
    """sinh(x) / x: exprel(2 x) exp(-x)."""
    return own("exp_moment_0", 2.0 * x) * intrinsic("exp", -x)


ours("si", lambda y, x: _over(intrinsic("sin", x), x))
ours("ci", lambda y, x: intrinsic("cos", x) / x)
ours("shi", lambda y, x: _sinh_over(x))
ours("chi", lambda y, x: _hyperbolic(x, 1.0) / x)
ours("fresnel_s", lambda y, x: intrinsic("sin", _HALF_PI * (x * x)))
ours("fresnel_c", lambda y, x: intrinsic("cos", _HALF_PI * (x * x)))

# Airy's functions, with their slopes, and scaled by exp(2/3 x^(3/2)) ------------------------------

several("airy", "d", "airy_ai airy_aip airy_bi airy_bip")
several("airye", "d", "airye_ai airye_aip airye_bi airye_bip")


def _equation(name: str, scaled: float) -> None:
    """The two rows of a solution of y'' = x y and its slope, times exp(scaled 2/3 x^(3/2))."""

    def and_scale(found: Term, y: Term, x: Term) -> Term:
        return found + scaled * _sqrt(x) * y if scaled else found

    ours(name, lambda y, x: and_scale(own(f"{name}p", x), y, x))
    ours(f"{name}p", lambda y, x: and_scale(x * own(name, x), y, x))


_equation("airy_ai", 0.0)
_equation("airy_bi", 0.0)
_equation("airye_ai", 1.0)
_equation("airye_bi", -1.0)

# Jacobi's elliptic functions, through the amplitude ------------------------------------------------

several("ellipj", "dd", "ellipj_sn ellipj_cn ellipj_dn ellipj_am")


def _sn(u: Term, m: Term) -> Term:
    return own("ellipj_sn", u, m)


def _cn(u: Term, m: Term) -> Term:
    return own("ellipj_cn", u, m)


def _dn(u: Term, m: Term) -> Term:
    return own("ellipj_dn", u, m)


def _am_m(u: Term, m: Term) -> Term:
    """ellipkinc(am(u, m), m) is u for all m."""
    return -own("ellipkinc_m", own("ellipj_am", u, m), m) * _dn(u, m)


def _dn_m(y: Term, u: Term, m: Term) -> Term:
    sn = _sn(u, m)
    return -0.5 * sn * (sn + 2.0 * m * (_cn(u, m) * _am_m(u, m))) / y


ours("ellipj_am", lambda y, u, m: _dn(u, m), lambda y, u, m: _am_m(u, m))
ours("ellipj_sn", lambda y, u, m: _cn(u, m) * _dn(u, m), lambda y, u, m: _cn(u, m) * _am_m(u, m))
ours("ellipj_cn", lambda y, u, m: -_sn(u, m) * _dn(u, m), lambda y, u, m: -_sn(u, m) * _am_m(u, m))
ours("ellipj_dn", lambda y, u, m: -m * (_sn(u, m) * _cn(u, m)), _dn_m)
