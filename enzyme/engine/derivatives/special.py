"""Error functions, the gamma family, Bessel functions.

The derivative of log-gamma has no name in the C library, so the module gets functions of our own on
demand: `enzyme.digamma` and `enzyme.polygamma<n>`, on double. Narrower types are widened; for
x86_fp80 the derivative has the accuracy of double. Each is the derivative of the one before, so
lgamma and tgamma can be differentiated as often as there are members.

Method: reflection for x <= 0, recurrence up to large x, then the asymptotic series (Abramowitz and
Stegun 6.3.18, 6.4.11). Near its positive root digamma is (x - root) times a polynomial, so that the
relative error stays small there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from enzyme.engine.derivatives import bounds
from enzyme.engine.derivatives.catalogue import define, in_c, refused
from enzyme.engine.derivatives.terms import PURE, Term, cast, compare, intrinsic, libm, of, where
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.module import Function, Module, new_function
from enzyme.engine.ir.types import DOUBLE

# Error functions ----------------------------------------------------------------------------------

_ERF_SLOPE = 2.0 / math.sqrt(math.pi)

define(
    in_c("erf") + " numba_erf numba_erff",
    lambda d, y, x: d * (_ERF_SLOPE * intrinsic("exp", -(x * x))),
    bound=bounds.between(-1.0, 1.0),
    vector="erf",
)
define(
    in_c("erfc") + " numba_erfc numba_erfcf",
    lambda d, y, x: d * (-_ERF_SLOPE * intrinsic("exp", -(x * x))),
    bound=bounds.between(0.0, 2.0),
    vector="erfc",
)

# Bessel functions ---------------------------------------------------------------------------------


def _order(function: str, n: Term, step: int, x: Term) -> Term:
    b = n.b
    return libm(function, x.type, of(b, b.iadd(n.value, b.const(n.type, step))), x)


define(in_c("j0"), lambda d, y, x: -d * libm("j1", x.type, x))
define(in_c("y0"), lambda d, y, x: -d * libm("y1", x.type, x))


def _j1(d: Term, y: Term, x: Term) -> Term:
    """J0 - J1/x; of the series where x may have lost digits, and at 0."""
    tiny = compare("olt", intrinsic("fabs", x), 1e-30)
    return d * where(tiny, 0.5 - 0.1875 * x * x, libm("j0", x.type, x) - y / x)


define(in_c("j1"), _j1)
define(in_c("y1"), lambda d, y, x: d * (libm("y0", x.type, x) - y / x))
define(
    in_c("jn"),
    None,
    lambda d, y, n, x: d * (0.5 * (_order("jn", n, -1, x) - _order("jn", n, 1, x))),
)
define(
    in_c("yn"),
    None,
    lambda d, y, n, x: d * (0.5 * (_order("yn", n, -1, x) - _order("yn", n, 1, x))),
)

# The gamma family ---------------------------------------------------------------------------------

define(
    in_c("lgamma") + " numba_lgamma numba_lgammaf",
    lambda d, y, x: d * polygamma(0, x),
)
define(
    in_c("tgamma") + " numba_gamma numba_gammaf",
    lambda d, y, x: d * (y * polygamma(0, x)),
)

refused("gamma gammaf", "log-gamma in some C libraries, gamma in others")

LAST_POLYGAMMA = 4


def polygamma_name(order: int) -> str:
    return f"enzyme.polygamma{order}" if order else "enzyme.digamma"


def polygamma(order: int, x: Term) -> Term:
    """The derivative number `order` + 1 of log-gamma, by a call of a function that the module gets."""
    b = x.b
    function = _function(b.module, order)
    if x.type is DOUBLE:
        return of(b, b.call(function, [x.value]))
    wider = x.type.text in ("x86_fp80", "fp128")
    argument = cast("fptrunc" if wider else "fpext", x, DOUBLE)
    made = of(b, b.call(function, [argument.value]))
    return cast("fpext" if wider else "fptrunc", made, x.type)


def _next_order(order: int) -> Callable[[Term, Term, Term], Term]:
    return lambda d, y, x: d * polygamma(order + 1, x)


for _n in range(LAST_POLYGAMMA):
    define(polygamma_name(_n), _next_order(_n))

# B(2k) for k = 1, 2, ...
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
_FAR = (10.0, 16.0)  # from here the series of digamma, of the others, is accurate

# digamma(x) / (x - root) on [1, 2] as a polynomial in 2 x - 3: Chebyshev interpolation of degree 24,
# relative error 5e-17. The root is the sum of two doubles.
_ROOT = (1.4616321449683622, 9.549995429965697e-17)
_NEAR_ROOT = (
    0.9510558760318328,
    -0.21181371064073024,
    0.06013562106019673,
    -0.018550615381739837,
    0.0059367952783072235,
    -0.0019350666647357589,
    0.0006368880302846364,
    -0.00021074841288832956,
    6.995018923408578e-05,
    -2.3258232475310846e-05,
    7.741228917125823e-06,
    -2.5781348596283653e-06,
    8.589262341522206e-07,
    -2.8620913305524894e-07,
    9.538512882131195e-08,
    -3.1812511684429887e-08,
    1.0603457246127488e-08,
    -3.503398923223047e-09,
    1.167771177499064e-09,
    -4.1965284357280646e-10,
    1.3988314142821704e-10,
    -2.7517988497113302e-11,
    9.172618879913334e-12,
    -1.0006438997505267e-11,
    3.335477322544212e-12,
)


def _function(module: Module, order: int) -> Function:
    """The module's polygamma function, written where it is not there yet."""
    found = module.functions.get(polygamma_name(order))
    if found is not None:
        return found
    made = new_function(module, polygamma_name(order), DOUBLE, [(DOUBLE, "x")])
    made.suffix = PURE
    entry, reflect, positive = (made.append_block(n) for n in ("entry", "reflect", "positive"))
    b = Builder(entry)
    x = of(b, made.args[0])
    b.cond_br(compare("ole", x, 0.0).value, reflect, positive)
    b.at_end(reflect)
    b.ret(_reflected(order, x, of(b, b.call(made, [(1.0 - x).value]))).value)
    b.at_end(positive)
    if order == 0:
        _positive_digamma(made, x)
    else:
        at, total = _walk(b, x, x.like(0.0), lambda z: compare("olt", z, _FAR[1]), _up(order))
        b.ret((total + _series(order, at)).value)
    return made


def _positive_digamma(function: Function, x: Term) -> None:
    b = x.b
    far, near = function.append_block("far"), function.append_block("near")
    b.cond_br(compare("oge", x, _FAR[0]).value, far, near)
    b.at_end(far)
    b.ret(_series(0, x).value)
    b.at_end(near)
    at, total = _walk(b, x, x.like(0.0), lambda z: compare("olt", z, 1.0), _up(0))
    at, total = _walk(b, at, total, lambda z: compare("ogt", z, 2.0), _down)
    b.ret((total + _near_root(at)).value)


Step = Callable[[Term, Term], tuple[Term, Term]]


def _walk(
    b: Builder, start: Term, total: Term, again: Callable[[Term], Term], step: Step
) -> tuple[Term, Term]:
    """A loop: `step` place and sum while `again` holds of the place; what they are afterwards."""
    before = b.block
    assert before is not None
    head, body, done = (b.function.append_block(n) for n in ("walk", "step", "walked"))
    b.br(head)
    b.at_end(head)
    at, so_far = b.phi(start.type, "at"), b.phi(start.type, "sum")
    at.add_incoming(start.value, before)
    so_far.add_incoming(total.value, before)
    place, partial_sum = of(b, at), of(b, so_far)
    b.cond_br(again(place).value, body, done)
    b.at_end(body)
    next_place, next_sum = step(place, partial_sum)
    at.add_incoming(next_place.value, body)
    so_far.add_incoming(next_sum.value, body)
    b.br(head)
    b.at_end(done)
    return place, partial_sum


def _up(order: int) -> Step:
    """psi_n(z) = psi_n(z + 1) - (-1)^n n! / z^(n+1)."""
    factor = -((-1.0) ** order) * math.factorial(order)
    return lambda z, total: (z + 1.0, total + factor / power(z, order + 1))


def _down(z: Term, total: Term) -> tuple[Term, Term]:
    below = z - 1.0
    return below, total + 1.0 / below


def power(z: Term, n: int) -> Term:
    made = z
    for _ in range(n - 1):
        made = made * z
    return made


def horner(z: Term, coefficients: Sequence[float]) -> Term:
    """The polynomial with these coefficients, constant first."""
    made = z.like(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        made = made * z + coefficient
    return made


def _near_root(z: Term) -> Term:
    return ((z - _ROOT[0]) - _ROOT[1]) * horner(2.0 * z - 3.0, _NEAR_ROOT)


def _series(n: int, z: Term) -> Term:
    """The asymptotic series, for large z."""
    inverse = 1.0 / z
    square = inverse * inverse
    if n == 0:
        tail = [-bernoulli / (2 * k) for k, bernoulli in enumerate(_BERNOULLI, 1)]
        return intrinsic("log", z) - 0.5 * inverse + square * horner(square, tail)
    head = math.factorial(n - 1) + (0.5 * math.factorial(n)) * inverse
    tail = [
        bernoulli * math.factorial(2 * k + n - 1) / math.factorial(2 * k)
        for k, bernoulli in enumerate(_BERNOULLI, 1)
    ]
    total = (head + square * horner(square, tail)) * power(inverse, n)
    return total if n % 2 else -total


def _reflected(n: int, x: Term, other_side: Term) -> Term:
    """psi_n(x) = (-1)^n psi_n(1 - x) - pi (d/dx)^n cot(pi x)."""
    pi = math.pi
    rest = x - intrinsic("rint", x)  # exact, and cot has period 1 in it
    c = 1.0 / intrinsic("tan", pi * rest)
    s = 1.0 + c * c
    match n:
        case 0:
            slope = pi * c
        case 1:
            slope = -(pi**2) * s
        case 2:
            slope = (2 * pi**3) * (c * s)
        case 3:
            slope = (-2 * pi**4) * (s * (1.0 + 3.0 * (c * c)))
        case _:
            slope = (8 * pi**5) * (c * s * (2.0 + 3.0 * (c * c)))
    return (-other_side if n % 2 else other_side) - slope
