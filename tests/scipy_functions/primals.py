"""SciPy's functions in mpmath, and where they are compared: one entry for each, inverses by what they invert.

`POINTS` has lists for the operands, of which all combinations are taken, or whole points. In the middle of them stand
places where formulas change or cancel: far out, near a zero or a pole, small and large parameters.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import mpmath as mp

Point = tuple[float, ...]


def P(*lists: Any) -> list[Point]:
    return [tuple(map(float, p)) for p in itertools.product(*lists)]


def _half(x):
    return mp.mpf(x) / 2


def gammainc(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def gammaincc(a, x):
    return mp.gammainc(a, x, mp.inf, regularized=True)


def betainc(a, b, x):
    """By the series that converges."""
    if x > (a + 1) / (a + b + 2):
        return 1 - betainc(b, a, 1 - x)
    head = x**a * (1 - x) ** b / (a * mp.beta(a, b))
    return head * mp.hyp2f1(1, a + b, a + 1, x)


def stdtr(v, t):
    if t > 0:
        return 1 - stdtr(v, -t)
    return betainc(v / 2, mp.mpf(1) / 2, v / (v + t * t)) / 2


def chndtr(x, df, nc):
    def term(j):
        return mp.exp(-nc / 2) * (nc / 2) ** j / mp.factorial(j) * gammainc(df / 2 + j, x / 2)

    return mp.fsum(term(j) for j in range(50))


def fdtr(n, m, x):
    return betainc(n / 2, m / 2, n * x / (m + n * x))


def bdtr(k, n, p):
    return betainc(n - k, k + 1, 1 - p)


def nbdtr(k, n, p):
    return betainc(n, k + 1, p)


def erfcx(x):
    return mp.exp(x * x) * mp.erfc(x)


def dawsn(x):
    return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


def ndtr(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def voigt(x, s, g):
    z = (x + mp.j * g) / (s * mp.sqrt(2))
    return mp.re(mp.exp(-z * z) * mp.erfc(-mp.j * z)) / (s * mp.sqrt(2 * mp.pi))


def owens_t(h, a):
    return mp.quad(lambda t: mp.exp(-h * h * (1 + t * t) / 2) / (1 + t * t), [0, a]) / (2 * mp.pi)


def boxcox(x, p):
    return mp.expm1(p * mp.log(x)) / p if p else mp.log(x)


def inv_boxcox(x, p):
    return mp.exp(mp.log1p(p * x) / p) if p else mp.exp(x)


def kl_div(x, y):
    return x * mp.log(x / y) - x + y


def pseudo_huber(d, r):
    return d * d * (mp.sqrt(1 + (r / d) ** 2) - 1)


def huber(d, r):
    return r * r / 2 if abs(r) <= d else d * (abs(r) - d / 2)


def airye(order, scaled):
    def f(x):
        return mp.exp(scaled * 2 * x ** mp.mpf(1.5) / 3) * _airy(order)(x)

    return f


def _airy(order):
    return [
        mp.airyai,
        lambda x: mp.airyai(x, 1),
        mp.airybi,
        lambda x: mp.airybi(x, 1),
    ][order]


def jacobi_shifted(n, p, q, x):
    return mp.jacobi(n, p - q, q - 1, 2 * x - 1) / mp.binomial(2 * n + p - 1, n)


def hypU(a, b, x):
    return mp.hyperu(a, b, x)


WIDE = (-7.5, -1.2, -0.3, 0.4, 2.1, 9.0)
RIGHT = (1e-3, 0.3, 1.0, 2.7, 11.0, 40.0)
UNIT = (1e-3, 0.2, 0.5, 0.77, 0.999)
SHAPES = (0.05, 0.7, 3.0, 30.0)
ORDERS = (0.0, 0.3, 1.0, 2.5, 8.0)
AROUND = (0.2, 1.0, 3.1, 12.0)
INSIDE = (-0.9, -0.3, 0.01, 0.8)
_ROOT = mp.sqrt
degree = mp.pi / 180

# name: (mpmath, points)
FUNCTIONS: dict[str, tuple[Callable[..., Any], list[Point]]] = {
    "gamma": (mp.gamma, P((-2.7, -0.4, 0.01, 0.6, 3.2, 30.0))),
    "gammaln": (lambda x: mp.log(abs(mp.gamma(x))), P((-2.7, -0.4, 0.01, 0.6, 3.2, 30.0))),
    "loggamma": (mp.loggamma, P((0.01, 0.6, 3.2, 30.0, 1e4))),
    "psi": (mp.digamma, P((-2.7, -0.4, 0.01, 0.6, 3.2, 30.0))),
    "rgamma": (mp.rgamma, P((-3.0, -2.7, -1.0, -0.4, 0.0, 0.3, 0.6, 3.2, 30.0))),
    "beta": (mp.beta, P(SHAPES, SHAPES)),
    "betaln": (lambda a, b: mp.log(mp.beta(a, b)), P((0.05, 3.0, 300.0), (1e-4, 0.7, 30.0))),
    "poch": (lambda a, m: mp.gamma(a + m) / mp.gamma(a), P((0.3, 4.0, 30.0), (0.1, 1.5, 6.0))),
    "binom": (mp.binomial, P((5.0, 7.5, 40.0), (0.3, 2.0, 4.2))),
    "gammainc": (gammainc, P(SHAPES, (1e-3, 0.5, 3.0, 29.0, 45.0))),
    "gammaincc": (gammaincc, P(SHAPES, (1e-3, 0.5, 3.0, 29.0, 45.0))),
    "gdtr": (lambda a, b, x: gammainc(b, a * x), P((0.5, 3.0), (0.7, 8.0), (0.4, 6.0))),
    "gdtrc": (lambda a, b, x: gammaincc(b, a * x), P((0.5, 3.0), (0.7, 8.0), (0.4, 6.0))),
    "betainc": (
        betainc,
        [
            *P((0.2, 3.0, 30.0), (0.7, 12.0), (0.03, 0.4, 0.9)),
            *P((1e-3, 0.05), (1e-3, 0.5), (0.3, 0.7)),  # falls off slowly
            (1e-4, 0.5, 1e-6),
        ],
    ),
    "betaincc": (
        lambda a, b, x: 1 - betainc(a, b, x),
        P((0.2, 3.0, 30.0), (0.7, 12.0), (0.03, 0.4, 0.9)),
    ),
    "erf": (mp.erf, P(WIDE)),
    "erfc": (mp.erfc, P(WIDE)),
    "erfi": (mp.erfi, P(WIDE)),
    "erfcx": (erfcx, P((-5.0, -0.3, 0.2, 0.7, 3.0, 40.0))),
    "dawsn": (dawsn, P((-8.0, -2.0, 0.1, 1.0, 4.0, 6.9, 7.5))),
    "exp1": (mp.e1, P(RIGHT)),
    "expi": (mp.ei, P((-20.0, -0.4, 0.1, 3.0, 30.0))),
    "expn": (mp.expint, P((0, 1, 2, 5), AROUND)),
    "voigt_profile": (voigt, P((-0.2, 3.0, 9.0), (0.4, 1.7), (0.1, 2.0))),
    "ndtr": (ndtr, P(WIDE)),
    "log_ndtr": (lambda x: mp.log(ndtr(x)), P((-35.0, -7.5, -1.2, -0.9, 0.4, 2.1))),
    "owens_t": (owens_t, P((-1.3, 0.2, 3.0), (-2.0, 0.4, 5.0))),
    "stdtr": (stdtr, P((0.5, 3.0, 37.0, 200.0), (-6.0, -1.3, 0.2, 1.7))),
    "chdtr": (lambda v, x: gammainc(v / 2, x / 2), P((0.7, 5.0, 60.0), (0.3, 6.0, 55.0))),
    "chdtrc": (lambda v, x: gammaincc(v / 2, x / 2), P((0.7, 5.0, 60.0), (0.3, 6.0, 55.0))),
    "chndtr": (
        chndtr,
        [
            *P((0.7, 9.0), (1.5, 6.0), (0.3, 4.0)),
            (950.0, 940.0, 0.5),  # where a Bessel function underflows
            (9900.0, 1e4, 3.7),
        ],
    ),
    "fdtr": (fdtr, P((1.0, 7.0), (2.5, 30.0), (0.2, 1.4, 6.0))),
    "fdtrc": (lambda n, m, x: 1 - fdtr(n, m, x), P((1.0, 7.0), (2.5, 30.0), (0.2, 1.4, 6.0))),
    "pdtr": (lambda k, m: gammaincc(mp.floor(k) + 1, m), P((0.0, 3.0, 7.4), AROUND)),
    "pdtrc": (lambda k, m: gammainc(mp.floor(k) + 1, m), P((0.0, 3.0, 7.4), AROUND)),
    "bdtr": (bdtr, P((0.0, 3.0), (5.0, 20.0), (0.1, 0.7))),
    "bdtrc": (lambda k, n, p: 1 - bdtr(k, n, p), P((0.0, 3.0), (5.0, 20.0), (0.1, 0.7))),
    "nbdtr": (nbdtr, P((0.0, 3.0), (5.0, 20.0), (0.1, 0.7))),
    "nbdtrc": (lambda k, n, p: 1 - nbdtr(k, n, p), P((0.0, 3.0), (5.0, 20.0), (0.1, 0.7))),
    "expit": (lambda x: 1 / (1 + mp.exp(-x)), P((-40.0, -2.0, 0.0, 3.0, 40.0))),
    "log_expit": (lambda x: -mp.log1p(mp.exp(-x)), P((-40.0, -2.0, 0.0, 3.0, 40.0))),
    "logit": (lambda p: mp.log(p / (1 - p)), P(UNIT)),
    "xlogy": (lambda x, y: x * mp.log(y), P((-1.0, 0.3, 2.0), AROUND)),
    "xlog1py": (lambda x, y: x * mp.log1p(y), P((-1.0, 0.3, 2.0), (-0.9, 1e-5, 3.0))),
    "entr": (lambda x: -x * mp.log(x), P(RIGHT)),
    "rel_entr": (lambda x, y: x * mp.log(x / y), P(AROUND, AROUND)),
    "kl_div": (kl_div, P((0.2, 1.0, 3.1), (0.2001, 1.0001, 9.0))),
    "huber": (huber, P((0.5, 2.0), (-3.0, -0.3, 0.2, 1.0))),
    "pseudo_huber": (pseudo_huber, P((1e-3, 0.5, 2.0), (-3.0, 1e-4, 0.2, 50.0))),
    "boxcox": (boxcox, P((0.2, 1.01, 7.0), (-3.0, -0.2, 1e-6, 0.5, 4.0))),
    "boxcox1p": (lambda x, p: boxcox(1 + x, p), P((-0.6, 1e-5, 7.0), (-3.0, -0.2, 1e-6, 0.5, 4.0))),
    "inv_boxcox": (inv_boxcox, P((-0.2, 1e-3, 1.5), (-0.6, -1e-6, 0.3, 2.0))),
    "inv_boxcox1p": (
        lambda x, p: inv_boxcox(x, p) - 1,
        P((-0.2, 1e-3, 1.5), (-0.6, -1e-6, 0.3, 2.0)),
    ),
    "powm1": (lambda x, y: x**y - 1, P((0.3, 1.001, 5.0), (-2.0, 1e-5, 0.5))),
    "exprel": (lambda x: mp.expm1(x) / x, P((-30.0, -3.0, 1e-7, 0.4, 5.0))),
    "spence": (lambda x: mp.polylog(2, 1 - x), P((0.01, 0.5, 0.999, 1.001, 1.6))),
    "wrightomega": (lambda x: mp.lambertw(mp.exp(x)).real, P((-5.0, -0.3, 0.0, 2.0, 30.0))),
    "expm1": (mp.expm1, P((-4.0, 1e-6, 2.0))),
    "log1p": (mp.log1p, P((-0.9, 1e-6, 2.0))),
    "exp2": (lambda x: mp.mpf(2) ** x, P((-4.0, 0.3, 2.0))),
    "exp10": (lambda x: mp.mpf(10) ** x, P((-4.0, 0.3, 2.0))),
    "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), P((-4.0, 0.3, 2.0))),
    "cosm1": (lambda x: mp.cos(x) - 1, P((-4.0, 1e-4, 2.0))),
    "sindg": (lambda x: mp.sin(x * degree), P((-200.0, 10.0, 90.5))),
    "cosdg": (lambda x: mp.cos(x * degree), P((-200.0, 10.0, 90.5))),
    "tandg": (lambda x: mp.tan(x * degree), P((-200.0, 10.0, 80.5))),
    "cotdg": (lambda x: mp.cot(x * degree), P((-200.0, 10.0, 80.5))),
    "radian": (lambda d, m, s: (d + m / 60 + s / 3600) * degree, P((3.0,), (20.0,), (5.0,))),
    "agm": (mp.agm, P((0.1, 1.0, 30.0), (0.2, 1.0001, 7.0))),
    "j0": (mp.j0, P(WIDE)),
    "j1": (mp.j1, P((-7.5, -1e-5, 0.4, 2.1, 30.0))),
    "y0": (lambda x: mp.bessely(0, x), P(RIGHT)),
    "y1": (lambda x: mp.bessely(1, x), P(RIGHT)),
    "i0": (lambda x: mp.besseli(0, x), P(WIDE)),
    "i1": (lambda x: mp.besseli(1, x), P((-7.5, -1e-5, 0.4, 2.1, 30.0))),
    "k0": (lambda x: mp.besselk(0, x), P(RIGHT)),
    "k1": (lambda x: mp.besselk(1, x), P(RIGHT)),
    "i0e": (lambda x: mp.exp(-abs(x)) * mp.besseli(0, x), P(WIDE)),
    "i1e": (lambda x: mp.exp(-abs(x)) * mp.besseli(1, x), P(WIDE)),
    "k0e": (lambda x: mp.exp(x) * mp.besselk(0, x), P(RIGHT)),
    "k1e": (lambda x: mp.exp(x) * mp.besselk(1, x), P(RIGHT)),
    "jv": (mp.besselj, P(ORDERS, (0.05, 0.9, 4.0, 20.0))),
    "jve": (mp.besselj, P(ORDERS, (0.05, 0.9, 4.0, 20.0))),
    "yv": (mp.bessely, P(ORDERS, (0.05, 0.9, 4.0, 20.0))),
    "yve": (mp.bessely, P(ORDERS, (0.05, 0.9, 4.0, 20.0))),
    "iv": (mp.besseli, P(ORDERS, (0.05, 0.9, 4.0, 20.0))),
    "kv": (mp.besselk, P(ORDERS, (0.05, 0.9, 4.0, 20.0))),
    "ive": (lambda v, x: mp.exp(-x) * mp.besseli(v, x), P(ORDERS, (0.05, 0.9, 4.0, 20.0))),
    "kve": (lambda v, x: mp.exp(x) * mp.besselk(v, x), P(ORDERS, (0.05, 0.9, 4.0, 20.0))),
    "kn": (mp.besselk, P((0, 1, 4), AROUND)),
    "yn": (mp.bessely, P((0, 1, 4), AROUND)),
    "struve": (mp.struveh, P((0.0, 0.4, 3.0), AROUND)),
    "modstruve": (mp.struvel, P((0.0, 0.4, 3.0), AROUND)),
    "ber": (lambda x: mp.ber(0, x), P(AROUND)),
    "bei": (lambda x: mp.bei(0, x), P(AROUND)),
    "ker": (lambda x: mp.ker(0, x), P(AROUND)),
    "kei": (lambda x: mp.kei(0, x), P(AROUND)),
    "berp": (lambda x: mp.diff(lambda t: mp.ber(0, t), x), P(AROUND)),
    "beip": (lambda x: mp.diff(lambda t: mp.bei(0, t), x), P(AROUND)),
    "kerp": (lambda x: mp.diff(lambda t: mp.ker(0, t), x), P(AROUND)),
    "keip": (lambda x: mp.diff(lambda t: mp.kei(0, t), x), P(AROUND)),
    "ellipk": (mp.ellipk, P((-30.0, -0.4, 0.0, 1e-6, 0.6, 0.999))),
    "ellipkm1": (lambda p: mp.ellipk(1 - p), P((1e-9, 1e-3, 0.6, 3.0))),
    "ellipe": (mp.ellipe, P((-30.0, -0.4, 0.0, 1e-6, 0.6, 0.999))),
    "ellipkinc": (mp.ellipf, P((-4.0, 0.3, 1.2, 8.0), (-6.0, 0.0, 0.3, 0.9))),
    "ellipeinc": (mp.ellipe, P((-4.0, 0.3, 1.2, 8.0), (-6.0, 0.0, 0.3, 0.9))),
    "hyp0f1": (mp.hyp0f1, P((0.3, 2.0), (-5.0, 0.1, 6.0))),
    "hyp1f1": (mp.hyp1f1, P((0.3, 2.0), (2.5, 6.0), (-8.0, -0.1, 4.0))),
    "hyp2f1": (mp.hyp2f1, P((0.5, 2.0), (-1.3, 0.4), (2.5, 4.0), (-9.0, -0.2, 0.7))),
    "hyperu": (hypU, P((0.3, 2.0), (-1.0, 0.5, 3.0), (0.2, 5.0))),
    "wright_bessel": (
        lambda a, b, x: mp.nsum(
            lambda k: x**k / mp.factorial(k) * mp.rgamma(b + a * k), [0, mp.inf]
        ),
        P((0.5, 1.0), (0.7, 2.0), (0.3, 2.0)),
    ),
    "lpmv": (lambda m, v, x: mp.legenp(v, m, x), P((0, 1, 2), (2, 4), (-0.6, 0.3))),
    "eval_legendre": (mp.legendre, P((0, 1, 4), INSIDE)),
    "eval_sh_legendre": (lambda n, x: mp.legendre(n, 2 * x - 1), P((0, 1, 4), UNIT)),
    "eval_chebyt": (mp.chebyt, P((0, 1, 4), INSIDE)),
    "eval_chebyu": (mp.chebyu, P((0, 1, 4), INSIDE)),
    "eval_chebyc": (lambda n, x: 2 * mp.chebyt(n, x / 2), P((0, 1, 4), INSIDE)),
    "eval_chebys": (lambda n, x: mp.chebyu(n, x / 2), P((0, 1, 4), INSIDE)),
    "eval_sh_chebyt": (lambda n, x: mp.chebyt(n, 2 * x - 1), P((0, 1, 4), UNIT)),
    "eval_sh_chebyu": (lambda n, x: mp.chebyu(n, 2 * x - 1), P((0, 1, 4), UNIT)),
    "eval_gegenbauer": (mp.gegenbauer, P((0, 1, 4), (0.6, 2.0), INSIDE)),
    "eval_laguerre": (lambda n, x: mp.laguerre(n, 0, x), P((0, 1, 4), AROUND)),
    "eval_genlaguerre": (mp.laguerre, P((0, 1, 4), (0.6, 2.0), AROUND)),
    "eval_hermite": (mp.hermite, P((0, 1, 4), WIDE)),
    "eval_hermitenorm": (
        lambda n, x: mp.mpf(2) ** (-n / mp.mpf(2)) * mp.hermite(n, x / mp.sqrt(2)),
        P((0, 1, 4), WIDE),
    ),
    "eval_jacobi": (mp.jacobi, P((0, 1, 4), (0.6, 2.0), (0.3, 1.5), INSIDE)),
    "eval_sh_jacobi": (jacobi_shifted, P((0, 1, 4), (2.6, 4.0), (0.3, 1.5), (0.2, 0.7))),
    "si": (mp.si, P((-4.0, 1e-3, 3.0, 20.0))),
    "ci": (mp.ci, P((1e-3, 3.0, 20.0))),
    "shi": (mp.shi, P((-4.0, 1e-3, 3.0, 12.0))),
    "chi": (mp.chi, P((1e-3, 3.0, 12.0))),
    "fresnel_s": (mp.fresnels, P((-1.7, 0.3, 4.6))),
    "fresnel_c": (mp.fresnelc, P((-1.7, 0.3, 4.6))),
    **{
        name: (_airy(k), P((-6.0, -0.4, 0.7, 5.0)))
        for k, name in enumerate(("airy_ai", "airy_aip", "airy_bi", "airy_bip"))
    },
    **{
        name: (airye(k, 1 if k < 2 else -1), P((0.1, 0.7, 5.0, 30.0)))
        for k, name in enumerate(("airye_ai", "airye_aip", "airye_bi", "airye_bip"))
    },
    **{
        f"ellipj_{name}": (
            lambda u, m, n=name: mp.ellipfun(n, u, m=m),
            P((-0.7, 0.4, 2.0), (1e-3, 0.3, 0.95)),
        )
        for name in ("sn", "cn", "dn")
    },
}

_COUNTS = P((1.5, 3.0), (6.0, 20.5), (0.1, 0.7))
# Of real numbers of trials and successes, for inverses that give these.
REAL: dict[str, tuple[Callable[..., Any], list[Point]]] = {
    "real pdtr": (lambda k, m: gammaincc(k + 1, m), P((0.4, 3.0), (0.7, 5.0))),
    "real bdtr": (bdtr, _COUNTS),
    "real nbdtr": (nbdtr, _COUNTS),
}
# Their derivative is zero.
CONSTANT = {"gammasgn": P((-1.5, 2.0)), "round": P((-1.3, 2.6))}

# name: the function that it inverts, the operand that it solves for, and the order of its own operands among those of
# that function, with "y" for its value; operands are given for the function that is inverted.
INVERSES: dict[str, tuple[str, int, tuple[int | str, ...]]] = {
    "gammaincinv": ("gammainc", 1, (0, "y")),
    "gammainccinv": ("gammaincc", 1, (0, "y")),
    "gdtrix": ("gdtr", 2, (0, 1, "y")),
    "gdtria": ("gdtr", 0, ("y", 1, 2)),
    "gdtrib": ("gdtr", 1, (0, "y", 2)),
    "betaincinv": ("betainc", 2, (0, 1, "y")),
    "betainccinv": ("betaincc", 2, (0, 1, "y")),
    "btdtria": ("betainc", 0, ("y", 1, 2)),
    "btdtrib": ("betainc", 1, (0, "y", 2)),
    "erfinv": ("erf", 0, ("y",)),
    "erfcinv": ("erfc", 0, ("y",)),
    "ndtri": ("ndtr", 0, ("y",)),
    "ndtri_exp": ("log_ndtr", 0, ("y",)),
    "stdtrit": ("stdtr", 1, (0, "y")),
    "stdtridf": ("stdtr", 0, ("y", 1)),
    "chdtri": ("chdtrc", 1, (0, "y")),
    "chdtriv": ("chdtr", 0, ("y", 1)),
    "chndtrix": ("chndtr", 0, ("y", 1, 2)),
    "chndtridf": ("chndtr", 1, (0, "y", 2)),
    "chndtrinc": ("chndtr", 2, (0, 1, "y")),
    "fdtri": ("fdtr", 2, (0, 1, "y")),
    "fdtridfd": ("fdtr", 1, (0, "y", 2)),
    "pdtri": ("pdtr", 1, (0, "y")),
    "pdtrik": ("real pdtr", 0, ("y", 1)),
    "bdtrik": ("real bdtr", 0, ("y", 1, 2)),
    "bdtrin": ("real bdtr", 1, (0, "y", 2)),
    "nbdtrik": ("real nbdtr", 0, ("y", 1, 2)),
    "nbdtrin": ("real nbdtr", 1, (0, "y", 2)),
    "bdtri": ("bdtr", 2, (0, 1, "y")),
    "nbdtri": ("nbdtr", 2, (0, 1, "y")),
}
