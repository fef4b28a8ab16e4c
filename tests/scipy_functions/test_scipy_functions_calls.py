"""SciPy's functions as users of numba call them: by addresses in different wrappings, and through numba_stats."""

from __future__ import annotations

import ctypes
import math
import os

import numpy as np
import pytest
from numba import float64, njit, types
from numba.extending import get_cython_function_address

from enzyme import grad, hessian, jacfwd
from enzyme.errors import EnzymeNoDerivativeError

special = pytest.importorskip("scipy.special")
EXHAUSTIVE = bool(os.environ.get("EXHAUSTIVE"))
D = ctypes.c_double


def address(name: str) -> int:
    return get_cython_function_address("scipy.special.cython_special", name)


class Wrapped(types.WrapperAddressProtocol):
    """A function by its address and numba's signature."""

    def __init__(self, name: str, signature) -> None:
        self.at = address(name)
        self.declared = signature

    def __wrapper_address__(self):
        return self.at

    def signature(self):
        return self.declared


xlogy = ctypes.CFUNCTYPE(D, D, D)(address("__pyx_fuse_1xlogy"))
# With the parameter that Cython adds, as the signature in C has it.
entr = ctypes.CFUNCTYPE(D, D, ctypes.c_int)(address("entr"))
j1 = Wrapped("j1", float64(float64))
y1 = Wrapped("y1", float64(float64))
legendre = Wrapped("__pyx_fuse_1_1eval_legendre", float64(types.int64, float64))
sici = ctypes.CFUNCTYPE(None, D, ctypes.c_void_p, ctypes.c_void_p)(address("__pyx_fuse_1sici"))
library = ctypes.CDLL(None)
in_c = library.cbrt
in_c.restype, in_c.argtypes = D, (D,)


@njit
def of_all_kinds(p):
    x, y = p[0], p[1]
    chosen = j1 if x > 0.0 else y1
    pair = np.empty(2)
    sici(x, pair.ctypes, pair[1:].ctypes)
    return xlogy(x, y) * entr(x, 0) + chosen(y) * legendre(3, x) + in_c(y) * pair[0] + pair[1]


def by_hand(x, y):
    si, ci = special.sici(x)
    values = special.xlogy(x, y), special.entr(x), special.j1(y), special.eval_legendre(3, x)
    a, b, c, d = values
    slope = 0.5 * (15.0 * x * x - 3.0)
    dx = math.log(y) * b + a * (-math.log(x) - 1.0) + c * slope
    dx += np.cbrt(y) * math.sin(x) / x + math.cos(x) / x
    dy = x / y * b + (special.j0(y) - c / y) * d + si / (3.0 * np.cbrt(y) ** 2)
    return a * b + c * d + np.cbrt(y) * si + ci, np.array([dx, dy])


@pytest.mark.parametrize("derivative", [grad, jacfwd])
def test_addresses_in_all_wrappings(derivative):
    p = np.array([0.6, 1.7])
    value, gradient = by_hand(*p)
    np.testing.assert_allclose(of_all_kinds(p), value, rtol=1e-14)
    np.testing.assert_allclose(derivative(of_all_kinds)(p), gradient, rtol=1e-13)


struve = Wrapped("struve", float64(float64, float64))
unknown = Wrapped("mathieu_a", float64(float64, float64))


@njit
def in_argument(v, x):
    return struve(v, x)


@njit
def not_known(v, x):
    return unknown(v, x)


def test_what_has_no_derivative_is_refused_and_named():
    np.testing.assert_allclose(
        grad(in_argument, argnums=1)(0.0, 1.5), 2.0 / math.pi - special.struve(1.0, 1.5), rtol=1e-13
    )
    with pytest.raises(
        EnzymeNoDerivativeError, match=r"'scipy.struve.dd' with respect to the order"
    ):
        grad(in_argument, argnums=0)(0.0, 1.5)
    with pytest.raises(EnzymeNoDerivativeError, match=r"scipy.mathieu_a.dd"):
        grad(not_known)(0.5, 1.5)


narrow = Wrapped("__pyx_fuse_1stdtr", types.float32(types.float32, types.float32))
wrong = Wrapped("j0", float64(float64, float64))


@njit
def in_single_precision(v, x):
    return narrow(v, x)


@njit
def declared_otherwise(x):
    return wrong(x, x)


def test_types_count():
    """Variants of float are known; what is declared with other types than it has is an address as before."""
    found = grad(in_single_precision, argnums=1)(np.float32(3.0), np.float32(0.7))
    difference = (special.stdtr(3.0, 0.7001) - special.stdtr(3.0, 0.6999)) / 2e-4
    np.testing.assert_allclose(found, difference, rtol=1e-6)
    with pytest.raises(EnzymeNoDerivativeError, match="by its address"):
        grad(declared_otherwise)(0.5)


# numba_stats --------------------------------------------------------------------------------------

# Parameters of its distributions, and where they are looked at: variates, and probabilities for quantiles.
DISTRIBUTIONS = {
    "argus": (1.3, 1.1, 0.5),
    "chi2": (3.2, 0.1, 1.2),
    "cmsshape": (1.0, 0.4, 1.2),
    "cpoisson": (3.3,),
    "cruijff": (1.1, 0.1, 0.2, 0.9, 1.1),
    "crystalball": (1.1, 2.3, 0.2, 1.3),
    "crystalball_ex": (1.1, 2.3, 1.2, 1.3, 2.6, 0.9, 0.1),
    "expon": (0.1, 1.3),
    "exponnorm": (0.7, 0.1, 1.2),
    "gamma": (2.1, 0.1, 1.2),
    "hypatia2": (-1.3, 0.7, 0.1, 1.1, 2.3, 1.2, 2.1, 0.1, 1.2),
    "laplace": (0.1, 1.2),
    "lognorm": (0.7, -0.1, 1.2),
    "ncx2": (2.2, 1.4, 0.05, 1.1),
    "norm": (0.1, 1.2),
    "novosibirsk": (0.1, 1.2, 0.4),
    "poisson": (3.3,),
    "qgaussian": (1.4, 0.1, 1.2),
    "skewnorm": (1.1, 0.1, 1.2),
    "t": (3.1, 0.1, 1.2),
    "truncexpon": (0.0, 3.0, 0.1, 1.3),
    "truncexponnorm": (-1.0, 3.0, 0.7, 0.1, 1.2),
    "truncnorm": (-2.0, 3.0, 0.1, 1.2),
    "tsallis": (0.4, 0.3, 3.1),
    "uniform": (0.1, 1.2),
    "voigt": (0.4, 0.1, 1.2),
}
# Parameters that must be zero.
ZEROS = {("hypatia2", "integral"): (1, 2)}
COUNTS = ("poisson", "cpoisson")
KINDS = "logpdf pdf logpmf pmf cdf ppf density integral".split()


def differences(function, p):
    """Differences of fourth order."""
    h = 1e-4
    found = []
    for k in range(p.size):
        d = np.zeros_like(p)
        d[k] = h
        near, far = (function(p + m * d) - function(p - m * d) for m in (1, 2))
        found.append((8.0 * near - far) / (12.0 * h))
    return np.array(found)


@pytest.mark.skipif(not EXHAUSTIVE, reason="numba_stats compiles ten seconds for each distribution")
@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_distributions_of_numba_stats(name, kind):
    """All of an unchanged library: with respect to the variates, and to every parameter."""
    module = pytest.importorskip(f"numba_stats.{name}")
    function = getattr(module, kind, None)
    if function is None:
        pytest.skip(f"{name} has no {kind}")
    listed = DISTRIBUTIONS[name]
    zeros = ZEROS.get((name, kind), ())
    passed = ", ".join("0.0" if k in zeros else f"p[{len(X) + k}]" for k in range(len(listed)))
    space = {"np": np, "function": function, "WEIGHTS": WEIGHTS}
    exec(f"def total(p):\n  return np.sum(function(p[:3].copy(), {passed}) * WEIGHTS)", space)
    total = njit(space["total"])
    inside = kind == "ppf" or name in ("argus", "uniform")  # of a bounded support
    x = np.array([0.2, 0.55, 0.8]) if inside else X
    p = np.concatenate([np.round(x + 1.0) if name in COUNTS and kind != "ppf" else x, listed])
    found, expected = grad(total)(p), differences(total, p)
    if name in COUNTS:
        expected[:3] = found[:3]  # counts do not move
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8)


X = np.array([0.3, 1.0, 2.2])
WEIGHTS = np.array([0.9, -0.4, 0.7])


@pytest.mark.skipif(not EXHAUSTIVE, reason="compiles a Hessian")
def test_a_fit_with_numba_stats():
    """The maximum of a likelihood by Newton's method on the gradient and the Hessian of an unchanged library."""
    pytest.importorskip("numba_stats")
    from numba_stats import t

    logpdf = t.logpdf

    @njit
    def loss(p, x):
        return -np.mean(logpdf(x, math.exp(p[0]), p[1], math.exp(p[2])))

    x = np.random.default_rng(5).standard_t(4.0, 4000) * 1.5 + 0.7
    p = np.array([1.0, 0.5, 0.2])
    gradient, curvature = grad(loss), hessian(loss)
    for _ in range(8):
        p -= np.linalg.solve(curvature(p, x), gradient(p, x))
    assert np.abs(gradient(p, x)).max() < 1e-10
    np.testing.assert_allclose([math.exp(p[0]), p[1], math.exp(p[2])], [4.0, 0.7, 1.5], rtol=0.2)


@pytest.mark.parametrize("df", [-1e10, -2.5, -1e300])
def test_what_is_no_number_ends(df):
    """Sums whose length grows with an argument would not, where this is far on the wrong side."""
    stdtr = Wrapped("__pyx_fuse_0stdtr", float64(float64, float64))
    f = njit(lambda v: stdtr(v[0], v[1]))
    assert np.isnan(hessian(f)(np.array([df, 0.3]))).all()
