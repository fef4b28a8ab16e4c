"""SciPy's functions of a complex number against mpmath, by real and imaginary parts: first and second derivatives.

Both modes agree exactly; second derivatives are asked for in three nestings.
"""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from numba import njit, types

from enzyme import EnzymeError, Reverse, grad, gradient, hvp, jvp
from enzyme.engine.derivatives.catalogue import all_entries
from enzyme.engine.derivatives.scipy.names import PREFIX
from enzyme.frontend.c_functions import address_of, exported_symbols

pytest.importorskip("scipy.special")
KINDS = {"d": types.float64, "l": types.int64, "z": types.complex128}
NEAR = [0.6 - 0.4j, -1.2 + 0.9j, 2.5 + 0.3j, -0.3 - 2.0j]
FAR = [*NEAR, 7.5 + 6.0j, 30.0 + 1.0j, -25.0 + 40.0j]
RIGHT = [0.6 - 0.4j, 2.5 + 0.3j, 0.3 - 2.0j, 7.5 + 6.0j]
# Where series and formulas meet, and far out on both sides.
ERRORS = [*FAR, 0.5 + 0.0j, 4.0 - 3.0j, -2.0 - 5.0j, 1e3 + 2.0j, 0.0 + 6.0j, 300.0 - 0.5j]
GAMMAS = [*FAR, 0.5 + 0.0j, -3.4 + 0.1j, -2.0 + 0.7j, -8.5 - 1.5j, 1.0 + 1e-3j, 14.0 + 30.0j]


def shifted(f):
    return lambda n, *x: f(n, *x[:-1], 2 * x[-1] - 1)


def halved(f, factor=1):
    return lambda n, z: factor * f(n, z / 2)


def sh_jacobi(n, p, q, z):
    return mp.jacobi(n, p - q, q - 1, 2 * z - 1) / mp.binomial(2 * n + p - 1, n)


def scaled(f, factor):
    return lambda v, z: f(v, z) * factor(z)


# Of each function: in mpmath, operands in front of the number, numbers.
FUNCTIONS = {
    "erf": (mp.erf, (), NEAR),
    "erfc": (mp.erfc, (), NEAR),
    "erfi": (mp.erfi, (), NEAR),
    "erfcx": (lambda z: mp.exp(z * z) * mp.erfc(z), (), [z for z in ERRORS if z.real > -3]),
    "wofz": (lambda z: mp.exp(-z * z) * mp.erfc(-1j * z), (), ERRORS[:-2]),
    "dawsn": (
        lambda z: mp.sqrt(mp.pi) / 2 * mp.exp(-z * z) * mp.erfi(z),
        (),
        [*NEAR, *ERRORS[7:-2]],
    ),
    "ndtr": (lambda z: mp.erfc(-z / mp.sqrt(2)) / 2, (), NEAR),
    "log_ndtr": (
        lambda z: mp.log(mp.erfc(-z / mp.sqrt(2)) / 2),
        (),
        [*NEAR, -20.0 + 1.0j, 6.0 + 2.0j, 3.0 - 9.0j],
    ),
    "loggamma": (mp.loggamma, (), GAMMAS),
    "gamma": (mp.gamma, (), GAMMAS),
    "rgamma": (mp.rgamma, (), [*GAMMAS, -3.0 + 0.0j, 0.0 + 0.0j]),
    "psi": (mp.digamma, (), GAMMAS),
    "expm1": (mp.expm1, (), [*NEAR, -40.0 + 1.0j]),
    "log1p": (mp.log1p, (), [*FAR, 1e-9 + 1e-9j]),
    "exp1": (mp.e1, (), FAR),
    "expi": (mp.ei, (), FAR),
    "wrightomega": (lambda z: mp.lambertw(mp.exp(z)), (), NEAR),
    "spence": (lambda z: mp.polylog(2, 1 - z), (), [*FAR, 1.0 + 1e-4j, 1.0 + 0.0j, 1.15 - 0.1j]),
    "jv": (mp.besselj, (1.3,), FAR),
    "yv": (mp.bessely, (1.3,), FAR),
    "iv": (mp.besseli, (1.3,), FAR),
    "kv": (mp.besselk, (1.3,), FAR),
    "hankel1": (mp.hankel1, (1.3,), FAR),
    "hankel2": (mp.hankel2, (1.3,), FAR),
    "jve": (scaled(mp.besselj, lambda z: mp.exp(-abs(z.imag))), (1.3,), FAR),
    "yve": (scaled(mp.bessely, lambda z: mp.exp(-abs(z.imag))), (1.3,), FAR),
    "ive": (scaled(mp.besseli, lambda z: mp.exp(-abs(z.real))), (1.3,), FAR),
    "kve": (scaled(mp.besselk, mp.exp), (1.3,), FAR),
    "hankel1e": (scaled(mp.hankel1, lambda z: mp.exp(-1j * z)), (1.3,), FAR),
    "hankel2e": (scaled(mp.hankel2, lambda z: mp.exp(1j * z)), (1.3,), FAR),
    "hyp0f1": (mp.hyp0f1, (1.7,), NEAR),
    "hyp1f1": (mp.hyp1f1, (0.7, 1.9), NEAR),
    "hyp2f1": (mp.hyp2f1, (0.7, 1.4, 2.3), [0.3 - 0.4j, -1.2 + 0.9j, 0.2 + 2.0j]),
    "eval_legendre": (mp.legendre, (4,), NEAR),
    "eval_sh_legendre": (shifted(mp.legendre), (4,), NEAR),
    "eval_chebyt": (mp.chebyt, (4,), NEAR),
    "eval_chebyu": (mp.chebyu, (4,), NEAR),
    "eval_chebyc": (halved(mp.chebyt, 2), (4,), NEAR),
    "eval_chebys": (halved(mp.chebyu), (4,), NEAR),
    "eval_sh_chebyt": (shifted(mp.chebyt), (4,), NEAR),
    "eval_sh_chebyu": (shifted(mp.chebyu), (4,), NEAR),
    "eval_gegenbauer": (mp.gegenbauer, (4, 0.7), NEAR),
    "eval_laguerre": (lambda n, z: mp.laguerre(n, 0, z), (4,), NEAR),
    "eval_genlaguerre": (mp.laguerre, (4, 0.7), NEAR),
    "eval_jacobi": (mp.jacobi, (4, 0.7, 1.2), NEAR),
    "eval_sh_jacobi": (sh_jacobi, (4, 2.7, 1.2), NEAR),
}
SYMBOLS = sorted(
    n for n, e in all_entries().items() if n.startswith(PREFIX) and n.endswith("z") and e.row
)
WEIGHTS = 0.7, 1.3
ALONG = np.array([0.8, -0.6])


def function_at(symbol):
    """The function behind a symbol as numba calls it by address."""

    letters = symbol.rpartition(".")[2]

    class Function(types.WrapperAddressProtocol):
        def __wrapper_address__(self):
            return address_of(symbol)

        def signature(self):
            return KINDS["z"](*(KINDS[c] for c in letters))

    return Function()


def weighed(symbol, given):
    """A weighted sum of the parts of the result, as a function of those of the number."""
    call, (re, im) = function_at(symbol), WEIGHTS
    letters = symbol.rpartition(".")[2]
    given = tuple(int(x) if c == "l" else float(x) for c, x in zip(letters, given, strict=False))
    passed = "".join(f"{x!r}, " for x in given)
    scope = {"call": call}
    exec(
        f"def f(v):\n    r = call({passed}complex(v[0], v[1]))\n    return {re} * r.real + {im} * r.imag",
        scope,
    )
    return njit(scope["f"])


def expected(f, given, z):
    """First and second derivatives of the weighted sum in the two parts."""

    def parts(x, y):
        r = f(*map(mp.mpf, given), mp.mpc(x, y))
        return WEIGHTS[0] * mp.re(r) + WEIGHTS[1] * mp.im(r)

    with mp.workdps(50):
        at = (mp.mpf(z.real), mp.mpf(z.imag))
        found = {order: mp.diff(parts, at, order) for order in ((1, 0), (0, 1), (2, 0), (1, 1))}
        found[0, 2] = mp.diff(parts, at, (0, 2))
    first = np.array([found[1, 0], found[0, 1]], float)
    second = np.array([[found[2, 0], found[1, 1]], [found[1, 1], found[0, 2]]], float)
    return first, second


def test_every_row_is_here():
    rows = {s.split(".")[1] for s in SYMBOLS}
    assert rows == {*FUNCTIONS, "xlogy", "xlog1py"}
    assert {*SYMBOLS} <= {*exported_symbols()}


def off(found, wanted):
    return np.linalg.norm(found - wanted) / np.linalg.norm(wanted)


@pytest.mark.rotating(68)
@pytest.mark.parametrize("symbol", [s for s in SYMBOLS if not s.endswith(".zz")])
def test_derivatives(symbol):
    of_mpmath, given, points = FUNCTIONS[symbol.split(".")[1]]
    f = weighed(symbol, given)
    slope_of = grad(f)
    nestings = {
        "forward over reverse": lambda v: hvp(f, v, ALONG),
        "reverse over forward": grad(lambda v: jvp(f, (v,), (ALONG,))[1]),
        "reverse over reverse": grad(lambda v: (slope_of(v) * ALONG).sum()),
    }
    for z in points:
        v = np.array([z.real, z.imag])
        first, second = expected(of_mpmath, given, z)
        slope = gradient(Reverse, f, v)
        tangents = [jvp(f, (v,), (e,))[1] for e in np.eye(2)]
        np.testing.assert_allclose(tangents, slope, rtol=1e-13, err_msg=str(z))
        assert off(slope, first) < 1e-12, (z, slope, first)
        for nesting, product in nestings.items():
            assert off(product(v), second @ ALONG) < 1e-9, (z, nesting)


def fresnel(z):
    return mp.fresnels(z), mp.fresnelc(z)


# Of each function the results, and numbers.
SEVERAL = {
    "airy": (
        lambda z: (mp.airyai(z), mp.airyai(z, 1), mp.airybi(z), mp.airybi(z, 1)),
        4,
        [*NEAR, 5.0 + 3.0j],
    ),
    "sici": (lambda z: (mp.si(z), mp.ci(z)), 2, [*NEAR, 7.5 + 6.0j]),
    "shichi": (lambda z: (mp.shi(z), mp.chi(z)), 2, [*NEAR, 7.5 + 6.0j]),
    "fresnel": (fresnel, 2, NEAR),
}


@pytest.mark.rotating(4)
@pytest.mark.parametrize("name", SEVERAL)
def test_results_behind_pointers(name):
    of_mpmath, count, points = SEVERAL[name]
    symbol = f"{PREFIX}{name}.z{'p' * count}"

    class Function(types.WrapperAddressProtocol):
        def __wrapper_address__(self):
            return address_of(symbol)

        def signature(self):
            return types.void(KINDS["z"], *[types.uintp] * count)

    places = ", ".join(f"out[{k}:].ctypes.data" for k in range(count))
    scope = {"np": np, "call": Function(), "weights": 1.0 / np.arange(1, 2 * count + 1)}
    exec(
        f"""def f(v):
    out = np.empty({count}, np.complex128)
    call(complex(v[0], v[1]), {places})
    return (out.view(np.float64) * weights).sum()""",
        scope,
    )
    f = njit(scope["f"])

    def parts(x, y):
        found = [p for r in of_mpmath(mp.mpc(x, y)) for p in (mp.re(r), mp.im(r))]
        return mp.fsum(w * p for w, p in zip(scope["weights"], found, strict=True))

    for z in points:
        v = np.array([z.real, z.imag])
        with mp.workdps(50):
            first = [mp.diff(parts, (z.real, z.imag), order) for order in ((1, 0), (0, 1))]
            second = [mp.diff(parts, (z.real, z.imag), o) for o in ((2, 0), (1, 1), (0, 2))]
        xx, xy, yy = map(float, second)
        slope = gradient(Reverse, f, v)
        assert off(slope, np.array(first, float)) < 1e-12, z
        assert abs(jvp(f, (v,), (ALONG,))[1] - slope @ ALONG) < 1e-13 * np.linalg.norm(slope)
        wanted = np.array([[xx, xy], [xy, yy]]) @ ALONG
        assert off(hvp(f, v, ALONG), wanted) < 1e-9, z


@pytest.mark.parametrize("name", ["xlogy", "xlog1py"])
def test_products_with_logarithms(name):
    call, shift = function_at(f"{PREFIX}{name}.zz"), float(name == "xlog1py")

    def f(v):
        r = call(complex(v[0], v[1]), complex(v[2], v[3]))
        return WEIGHTS[0] * r.real + WEIGHTS[1] * r.imag

    def plain(v):
        r = complex(v[0], v[1]) * np.log(complex(v[2] + shift, v[3]))
        return WEIGHTS[0] * r.real + WEIGHTS[1] * r.imag

    v = np.array([0.4, -0.3, 1.2, 0.7])
    np.testing.assert_allclose(gradient(Reverse, f, v), gradient(Reverse, plain, v), rtol=1e-13)
    zero = gradient(Reverse, f, np.array([0.0, 0.0, -shift, 0.0]))
    np.testing.assert_array_equal(zero[2:], 0.0)


@pytest.mark.parametrize("symbol", ["jv.dz", "hyp2f1.dddz"])
def test_orders_and_parameters_are_refused(symbol):
    call = function_at(PREFIX + symbol)
    scope = {"call": call}
    given = "v[0], " * symbol.count("d")
    exec(f"def f(v):\n    return call({given}0.3 + 0.2j).real", scope)
    with pytest.raises(EnzymeError, match="with respect to a parameter"):
        gradient(Reverse, scope["f"], np.array([1.5]))


@pytest.mark.parametrize("z", [150.0 + 80.0j, 1e4 + 1e3j])
def test_a_logarithm_that_is_zero_has_no_slope(z):
    f, v = weighed(f"{PREFIX}log_ndtr.z", ()), np.array([z.real, z.imag])
    np.testing.assert_array_equal(gradient(Reverse, f, v), 0.0)
    np.testing.assert_array_equal(hvp(f, v, ALONG), 0.0)


# A degree, and the one whose polynomial is the same up to a sign; polynomials of degree 0 are constant.
STANDS_FOR = {
    "eval_legendre": (-4, 3, 1),
    "eval_sh_legendre": (-3, 2, 1),
    "eval_chebyt": (-3, 3, 1),
    "eval_chebyc": (-4, 4, 1),
    "eval_sh_chebyt": (-2, 2, 1),
    "eval_chebyu": (-5, 3, -1),
    "eval_chebys": (-4, 2, -1),
    "eval_sh_chebyu": (-5, 3, -1),
    "eval_gegenbauer": (0, None, 1),
    "eval_sh_jacobi": (0, None, 1),
}


@pytest.mark.rotating(12)
@pytest.mark.parametrize("name", STANDS_FOR)
def test_degrees(name):
    degree, other, sign = STANDS_FOR[name]
    (symbol,) = (s for s in SYMBOLS if s.startswith(f"{PREFIX}{name}."))
    parameters = FUNCTIONS[name][1][1:]
    f = weighed(symbol, (degree, *parameters))
    for v in (np.array([0.6, -0.4]), np.array([-1.2, 0.9])):
        if other is None:
            wanted, along = np.zeros(2), np.zeros(2)
        else:
            same = weighed(symbol, (other, *parameters))
            wanted, along = sign * grad(same)(v), sign * hvp(same, v, ALONG)
        np.testing.assert_allclose(grad(f)(v), wanted, rtol=1e-11)
        np.testing.assert_allclose(hvp(f, v, ALONG), along, rtol=1e-9)
