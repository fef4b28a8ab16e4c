"""SciPy's functions of a complex number, in that number; of orders and parameters beside it no derivative is known.

A number travels as ``{double, double}``, which C returns and takes in two registers. All functions are holomorphic but
those that are scaled by the exponential of an absolute value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial

from enzyme.engine.derivatives.catalogue import define
from enzyme.engine.derivatives.complex import (
    Numbers,
    Pair,
    choose,
    packed,
    pair_of,
    product,
    whole_rule,
)
from enzyme.engine.derivatives.scipy.calls import THIRD, in_double
from enzyme.engine.derivatives.scipy.degrees import is_constant, reflected
from enzyme.engine.derivatives.scipy.names import OURS, PREFIX
from enzyme.engine.derivatives.scipy.pointers import NUMBER as _NUMBER
from enzyme.engine.derivatives.scipy.pointers import several
from enzyme.engine.derivatives.table import Rule, lacking
from enzyme.engine.derivatives.terms import PURE, Term, compare, intrinsic, libm, of, where
from enzyme.engine.ir.types import DOUBLE

# The partial derivative in z, of the result and of the operands.
Slope = Callable[..., Pair]


def _operand(letter: str, term: Term) -> Callable[[], Pair | Term]:
    return cache(partial(pair_of, term)) if letter == "z" else cache(partial(in_double, term))


def _given(letters: str, slope: Slope) -> Callable[..., Pair]:
    """The slope as a function of terms as they stand in a call."""

    def of_terms(y: Term, x: tuple[Term, ...]) -> Pair:
        operands = [_operand(letter, term) for letter, term in zip(letters, x, strict=True)]
        return slope(cache(partial(pair_of, y)), *operands)

    return of_terms


def _row(name: str, letters: str, slope: Slope | str) -> None:
    """One whose last operand is the number."""
    rule = lacking(slope) if isinstance(slope, str) else whole_rule(_given(letters, slope))
    _define(name, letters, rule)


def _define(name: str, letters: str, rule: Rule) -> None:
    others = [lacking("a parameter") if c == "d" else None for c in letters[:-1]]
    define(f"{name}.{letters}", *others, rule)


def _special(name: str, letters: str, slope: Slope) -> None:
    _row(PREFIX + name, letters, slope)


def _ours(name: str, slope: Slope | str) -> None:
    _row(OURS + name, "z", slope)


# Numbers in formulas ------------------------------------------------------------------------------


def _called(symbol: str, *operands: Pair | Term) -> Pair:
    values = [packed(x, _NUMBER).value if isinstance(x, Pair) else x.value for x in operands]
    last = operands[-1]
    assert isinstance(last, Pair)
    b = last.re.b
    return pair_of(of(b, b.call_named(symbol, _NUMBER, values, declaration_suffix=PURE)))


def _scipy(name: str, *operands: Pair | Term) -> Pair:
    letters = "".join("z" if isinstance(x, Pair) else "d" for x in operands)
    return _called(f"{PREFIX}{name}.{letters}", *operands)


def _own(name: str, z: Pair) -> Pair:
    return _called(f"{OURS}{name}.z", z)


def _number(z: Pair, re: float, im: float = 0.0) -> Pair:
    return Pair(z.re.like(re), z.re.like(im))


def _exp(z: Pair) -> Pair:
    size = intrinsic("exp", z.re)
    return Pair(size * intrinsic("cos", z.im), size * intrinsic("sin", z.im))


def _log(z: Pair) -> Pair:
    size = libm("hypot", DOUBLE, z.re, z.im)
    return Pair(intrinsic("log", size), libm("atan2", DOUBLE, z.im, z.re))


def _is(z: Pair, re: float) -> Term:
    both = z.re.b.and_(compare("oeq", z.re, re).value, compare("oeq", z.im, 0.0).value)
    return of(z.re.b, both)


# Error functions ----------------------------------------------------------------------------------

_SLOPE = 2.0 / math.sqrt(math.pi)

_special("erf", "z", lambda y, z: _exp(-(z() * z())).scaled(_SLOPE))
_special("erfc", "z", lambda y, z: _exp(-(z() * z())).scaled(-_SLOPE))
_special("erfi", "z", lambda y, z: _exp(z() * z()).scaled(_SLOPE))
_special("ndtr", "z", lambda y, z: _exp((z() * z()).scaled(-0.5)).scaled(_SLOPE * math.sqrt(0.125)))


def _mills(y: Numbers, z: Numbers) -> Pair:
    """The density over the function: where both are large or small, by a function that is scaled."""
    x = z()
    square = x * x
    plain = _exp(square.scaled(-0.5)).scaled(1.0 / math.sqrt(2.0 * math.pi)) / _scipy("ndtr", x)
    scaled = _number(x, math.sqrt(2.0 / math.pi)) / _scipy("erfcx", x.scaled(-math.sqrt(0.5)))
    to_right = x.re.b.and_(compare("ogt", x.re, 0.0).value, compare("ogt", square.re, 0.0).value)
    return choose(of(x.re.b, to_right), plain, scaled)


_special("log_ndtr", "z", _mills)
# What cancels in 2 z erfcx(z) - 2 / sqrt(pi) and its like are functions of our own.
for _name, _again, _once in (("wofz", -2.0, -4.0), ("erfcx", 2.0, 4.0), ("dawsn", -2.0, -4.0)):
    _special(_name, "z", partial(lambda of, y, z: _own(f"{of}_1", z()), _name))
    _ours(f"{_name}_1", partial(lambda of, y, z: _own(f"{of}_2", z()), _name))
    _ours(
        f"{_name}_2",
        partial(
            lambda of, again, once, y, z: (
                _own(f"{of}_1", z()).scaled(once) + (z() * y()).scaled(again)
            ),
            *(_name, _again, _once),
        ),
    )

# Gamma functions ----------------------------------------------------------------------------------

_special("loggamma", "z", lambda y, z: _scipy("psi", z()))
_special("gamma", "z", lambda y, z: y() * _scipy("psi", z()))
_special("rgamma", "z", lambda y, z: _own("rgamma_1", z()))
_ours("rgamma_1", lambda y, z: _own("rgamma_2", z()))
_ours("rgamma_2", THIRD)
_special("psi", "z", lambda y, z: _own("psi_1", z()))
for _order in (1, 2, 3):
    _ours(f"psi_{_order}", partial(lambda n, y, z: _own(f"psi_{n + 1}", z()), _order))
_ours("psi_4", THIRD)

# Logarithms and exponentials ----------------------------------------------------------------------

_special("expm1", "z", lambda y, z: _exp(z()))
_special("log1p", "z", lambda y, z: _number(z(), 1.0) / z().plus(1.0))
_special("exp1", "z", lambda y, z: -(_exp(-z()) / z()))
_special("expi", "z", lambda y, z: _exp(z()) / z())
_special("wrightomega", "z", lambda y, z: y() / y().plus(1.0))
_special("spence", "z", lambda y, z: _own("spence_1", z()))
_ours("spence_1", lambda y, z: _own("spence_2", z()))
_ours("spence_2", THIRD)


def _or_zero(x: Pair, found: Pair) -> Pair:
    """What is multiplied by a zero x counts for nothing."""
    return choose(_is(x, 0.0), _number(x, 0.0), found)


def _two(name: str, first: Slope, second: Slope) -> None:
    rules = [whole_rule(_given("zz", slope)) for slope in (first, second)]
    define(f"{PREFIX}{name}.zz", *rules)


_two("xlogy", lambda y, x, w: _log(w()), lambda y, x, w: _or_zero(x(), x() / w()))
_two(
    "xlog1py",
    lambda y, x, w: _scipy("log1p", w()),
    lambda y, x, w: _or_zero(x(), x() / w().plus(1.0)),
)

# Bessel functions, of a real order ----------------------------------------------------------------


def _neighbours(name: str, below: float, above: float) -> Slope:
    """Below f(v - 1) + above f(v + 1)."""

    def slope(y: Numbers, v: Callable[[], Term], z: Numbers) -> Pair:
        one, other = _scipy(name, v() - 1.0, z()), _scipy(name, v() + 1.0, z())
        return one.scaled(below) + other.scaled(above)

    return slope


def _bessel(name: str, below: float, above: float, factor: complex = 0.0) -> None:
    """One whose derivative is the sum of its neighbours, and of itself times `factor`."""
    neighbours = _neighbours(name, below, above)

    def slope(y: Numbers, v: Callable[[], Term], z: Numbers) -> Pair:
        found = neighbours(y, v, z)
        return found + _number(z(), factor.real, factor.imag) * y() if factor else found

    _special(name, "dz", slope)


_bessel("jv", 0.5, -0.5)
_bessel("yv", 0.5, -0.5)
_bessel("iv", 0.5, 0.5)
_bessel("kv", -0.5, -0.5)
_bessel("kve", -0.5, -0.5, 1.0)
_bessel("hankel1", 0.5, -0.5)
_bessel("hankel2", 0.5, -0.5)
_bessel("hankel1e", 0.5, -0.5, -1j)
_bessel("hankel2e", 0.5, -0.5, 1j)


def _scaled(name: str, below: float, above: float, part: int) -> None:
    """One that is scaled by exp(-|x|) for a part of the number, 0 or 1, which is not holomorphic."""
    column = _given("dz", _neighbours(name, below, above))

    def shrinking(y: Term, z: Term) -> Pair:
        x = z.member(part)
        sign = where(compare("oeq", x, 0.0), 0.0, -intrinsic("copysign", x.like(1.0), x))
        return pair_of(y).scaled(sign)

    def tangent(d: Term, y: Term, *x: Term) -> Term:
        more = shrinking(y, x[-1]).scaled(d.member(part))
        return packed(product(d, column(y, x), False) + more, d.type)

    def adjoint(d: Term, y: Term, *x: Term) -> Term:
        found, g, s = product(d, column(y, x), True), pair_of(d), shrinking(y, x[-1])
        more = g.re * s.re + g.im * s.im
        re, im = (found.re, found.im + more) if part else (found.re + more, found.im)
        return packed(Pair(re, im), d.type)

    _define(PREFIX + name, "dz", Rule(tangent, adjoint))


_scaled("jve", 0.5, -0.5, part=1)
_scaled("yve", 0.5, -0.5, part=1)
_scaled("ive", 0.5, 0.5, part=0)

# Results behind pointers --------------------------------------------------------------------------

several("airy", "z", "airy_ai.z airy_aip.z airy_bi.z airy_bip.z")
several("sici", "z", "si.z ci.z")
several("shichi", "z", "shi.z chi.z")
several("fresnel", "z", "fresnel_s.z fresnel_c.z")


def _sine(z: Pair) -> Pair:
    wide, high = libm("cosh", DOUBLE, z.im), libm("sinh", DOUBLE, z.im)
    return Pair(intrinsic("sin", z.re) * wide, intrinsic("cos", z.re) * high)


def _cosine(z: Pair) -> Pair:
    wide, high = libm("cosh", DOUBLE, z.im), libm("sinh", DOUBLE, z.im)
    return Pair(intrinsic("cos", z.re) * wide, -(intrinsic("sin", z.re) * high))


def _turned(z: Pair) -> Pair:
    """-i z: the hyperbolic sine is i times the sine of it."""
    return Pair(z.im, -z.re)


def _over(top: Pair, z: Pair) -> Pair:
    """Of a sine, whose quotient is 1 at 0."""
    return choose(_is(z, 0.0), _number(z, 1.0), top / z)


for _name in ("ai", "bi"):
    _ours(f"airy_{_name}", partial(lambda of, y, z: _own(f"airy_{of}p", z()), _name))
    _ours(f"airy_{_name}p", partial(lambda of, y, z: z() * _own(f"airy_{of}", z()), _name))
_ours("si", lambda y, z: _over(_sine(z()), z()))
_ours("ci", lambda y, z: _cosine(z()) / z())
_ours("shi", lambda y, z: _over(_sine(_turned(z())).times_i(), z()))
_ours("chi", lambda y, z: _cosine(_turned(z())) / z())
_ours("fresnel_s", lambda y, z: _sine((z() * z()).scaled(0.5 * math.pi)))
_ours("fresnel_c", lambda y, z: _cosine((z() * z()).scaled(0.5 * math.pi)))

# Hypergeometric functions and orthogonal polynomials: neighbours ----------------------------------


def _next(name: str, *parameters: Term) -> Callable[[Pair], Pair]:
    return lambda z: _scipy(name, *(p + 1.0 for p in parameters), z)


_special("hyp0f1", "dz", lambda y, b, z: _next("hyp0f1", b())(z()).scaled(1.0 / b()))
_special("hyp1f1", "ddz", lambda y, a, b, z: _next("hyp1f1", a(), b())(z()).scaled(a() / b()))
_special(
    "hyp2f1",
    "dddz",
    lambda y, a, b, c, z: _next("hyp2f1", a(), b(), c())(z()).scaled(a() * b() / c()),
)


def _polynomial(name: str, parameters: int, slope: Slope) -> None:
    """`slope` is of `lower(name, ...)`, a polynomial of one degree less, the degree, parameters, and the number.

    Degrees are doubles: where they are integers, SciPy returns nan.
    """

    def of_degree(y: Numbers, n: Callable[[], Term], *others: Callable[[], Pair | Term]) -> Pair:
        *given, z = [x() for x in others]
        assert isinstance(z, Pair)
        degree, sign = reflected(name, n())

        def lower(name: str, *operands: Term | float | Pair) -> Pair:
            return _scipy(name, degree - 1.0, *(_term(z, x) for x in operands))

        found = slope(lower, degree, *given, z)
        if sign is not None:
            found = found.scaled(sign)
        return choose(is_constant(name, degree), _number(z, 0.0), found)

    _special(name, "d" * (parameters + 1) + "z", of_degree)


def _term(z: Pair, x: Term | float | Pair) -> Term | Pair:
    return x if isinstance(x, Pair) else z.re.like(x)


def _gegenbauer(lower: Slope, a: Term | float, z: Pair) -> Pair:
    return lower("eval_gegenbauer", a, z)


def _shifted(z: Pair) -> Pair:
    return z.scaled(2.0).plus(-1.0)


_polynomial("eval_legendre", 0, lambda lower, n, z: _gegenbauer(lower, 1.5, z))
_polynomial(
    "eval_sh_legendre", 0, lambda lower, n, z: _gegenbauer(lower, 1.5, _shifted(z)).scaled(2.0)
)
_polynomial("eval_chebyt", 0, lambda lower, n, z: lower("eval_chebyu", z).scaled(n))
_polynomial("eval_chebyu", 0, lambda lower, n, z: _gegenbauer(lower, 2.0, z).scaled(2.0))
_polynomial("eval_chebyc", 0, lambda lower, n, z: lower("eval_chebyu", z.scaled(0.5)).scaled(n))
_polynomial("eval_chebys", 0, lambda lower, n, z: _gegenbauer(lower, 2.0, z.scaled(0.5)))
_polynomial(
    "eval_sh_chebyt", 0, lambda lower, n, z: lower("eval_chebyu", _shifted(z)).scaled(2.0 * n)
)
_polynomial(
    "eval_sh_chebyu", 0, lambda lower, n, z: _gegenbauer(lower, 2.0, _shifted(z)).scaled(4.0)
)
_polynomial(
    "eval_gegenbauer", 1, lambda lower, n, a, z: _gegenbauer(lower, a + 1.0, z).scaled(2.0 * a)
)
_polynomial("eval_laguerre", 0, lambda lower, n, z: -lower("eval_genlaguerre", 1.0, z))
_polynomial("eval_genlaguerre", 1, lambda lower, n, a, z: -lower("eval_genlaguerre", a + 1.0, z))
_polynomial(
    "eval_jacobi",
    2,
    lambda lower, n, a, b, z: lower("eval_jacobi", a + 1.0, b + 1.0, z).scaled(
        0.5 * (n + a + b + 1.0)
    ),
)
_polynomial(
    "eval_sh_jacobi",
    2,
    lambda lower, n, p, q, z: lower("eval_sh_jacobi", p + 2.0, q + 1.0, z).scaled(n),
)
