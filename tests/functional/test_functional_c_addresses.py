"""Addresses of C functions: prototypes, where arguments and results go, what becomes of errors."""

from __future__ import annotations

import ctypes
import pickle

import numba
import numpy as np
import pytest
from numba import njit
from scipy import LowLevelCallable
from scipy.integrate import quad

from enzyme import cfunc_address, grad, hessian, hvp, value_and_grad
from enzyme.errors import ActivityError
from enzyme.functional.c_prototypes import prototype_of

X, V = np.array([0.5, 1.5]), np.array([1.0, -2.0])


@njit
def valley(x):
    return (1.0 - x[0]) ** 2 + 100.0 * (x[1] - x[0] ** 2) ** 2


@njit
def product_of(x, v):
    return hvp(valley, x, v)


@njit
def filled(x, slope, v, product):
    slope[:] = grad(valley)(x)
    product[0] = slope @ v


def called(address, *given):
    """What the C function returns; arrays are passed by their memory."""
    return address.ctypes(
        *(np.ctypeslib.as_ctypes(x.reshape(-1)) if isinstance(x, np.ndarray) else x for x in given)
    )


@pytest.mark.parametrize(
    "text, signature, passed",
    [
        ("double(double, double)", "(float64, float64) -> float64", "x0 x1"),
        ("float64 ( float64 , float32 )", "(float64, float32) -> float64", "x0 x1"),
        ("int f(unsigned int n, const double *x, void *)", "(uint32, float64*, void*) -> int32", "n x"),
        ("double f(unsigned n, const double x[n], double g[n]);", "(uint32, float64*, float64*) -> float64", "x g"),
        ("void(double t, double const y[3], float j[3][3])", "(float64, float64*, float32*) -> none", "t y j"),
        ("int64_t(unsigned long long, size_t k, const int8_t a[k][2])", "(uint64, uint64, int8*) -> int64", "x0 a"),
        ("void(void)", "() -> none", ""),
    ],
)  # fmt: skip
def test_prototypes(text, signature, passed):
    found = prototype_of(text)
    assert str(found.signature) == signature
    assert " ".join(one.name for one in found.passed) == passed


@pytest.mark.parametrize(
    "text, why",
    [
        ("double", "no type with parameters"),
        ("real(double)", "'real' is no type of numbers"),
        ("double(double **x)", r"'double \*\*x' is no number"),
        ("double(const double x[n])", "the size 'n' of x"),
        ("double(const double x[n], double n)", "the size 'n' of x"),
        ("double(const double x[])", "the size '' of x"),
        ("double(void x)", "'void x' is no number"),
        ("double(const void x[3])", "no number, array or void pointer"),
        (numba.float64(numba.types.CPointer(numba.float64)), "neither sizes nor purpose"),
        (None, "neither sizes nor purpose"),
    ],
)
def test_what_is_no_prototype(text, why):
    with pytest.raises(ActivityError, match=why):
        cfunc_address(valley, text)


@pytest.mark.rotating(4)
def test_results():
    """Values go to the return value and to places, in their order; rows are written first."""
    slope, product, curvature, value = np.empty(2), np.empty(2), np.empty((2, 2)), np.empty(1)
    both = cfunc_address(
        value_and_grad(valley), "double(int n, const double x[n], double slope[n], void *data)"
    )
    assert called(both, 2, X, slope, None) == valley(X)
    np.testing.assert_array_equal(slope, grad(valley)(X))
    placed = cfunc_address(
        value_and_grad(valley), "int(const double x[2], double *value, double slope[2])"
    )
    slope[:] = 0.0
    assert called(placed, X, value, slope) == 0
    assert value[0] == valley(X)
    np.testing.assert_array_equal(slope, grad(valley)(X))
    along = cfunc_address(
        product_of, "void(const double x[2], const double v[2], double product[2])"
    )
    assert called(along, X, V, product) is None
    np.testing.assert_array_equal(product, hvp(valley, X, V))
    square = cfunc_address(hessian(valley), "void(long n, const double x[n], double h[n][n])")
    called(square, 2, X, curvature)
    np.testing.assert_array_equal(curvature, hessian(valley)(X))
    slope[:] = product[:] = 0.0
    own = cfunc_address(
        filled, "void(const double x[2], double slope[2], const double v[2], double product[2])"
    )
    called(own, X, slope, V, product)
    np.testing.assert_array_equal(slope, grad(valley)(X))
    np.testing.assert_array_equal(product, [grad(valley)(X) @ V, 0.0])


def test_numbers():
    """Through pointers too, in single precision, by a signature of numba's, and in SciPy's callables."""
    cube = grad(lambda x: x**3)
    for signature in ("double(double)", numba.float64(numba.float64), "double(const double *x)"):
        pointed = "*" in str(signature)
        given = ctypes.byref(ctypes.c_double(2.0)) if pointed else 2.0
        assert cfunc_address(cube, signature).ctypes(given) == 12.0
    assert cfunc_address(cube, "float(float)").ctypes(0.5) == np.float32(0.75)
    found = quad(LowLevelCallable(cfunc_address(cube, "double(double)").ctypes), 0.0, 2.0)[0]
    np.testing.assert_allclose(found, 8.0, rtol=1e-13)


@pytest.mark.rotating(4)
def test_errors():
    """Nobody can be told: numbers are nan, and a status says so; afterwards it works as before."""

    def root(x):
        if x[0] < 0.0:
            raise ValueError("a root of a negative number")
        return x[0] ** 0.5 + x[1]

    slope = np.zeros(2)
    both = cfunc_address(value_and_grad(root), "double(const double x[2], double slope[2])")
    status = cfunc_address(grad(root), "int(const double x[2], double slope[2])")
    longer = cfunc_address(grad(root), "int(const double x[2], double slope[3])")
    for address, good in ((both, 2.0 + 1.0), (status, 0)):
        assert called(address, np.array([4.0, 1.0]), slope) == good
        np.testing.assert_array_equal(slope, [0.25, 1.0])
        bad = called(address, np.array([-4.0, 1.0]), slope)
        assert bad == -1 if good == 0 else np.isnan(bad)
        assert np.isnan(slope).all()
    more = np.zeros(3)
    assert called(longer, np.array([4.0, 1.0]), more) == -1
    assert np.isnan(more).all()


def test_life():
    """One compilation for each function and prototype, which stays; an address does not travel."""
    text = "double(const double x[2])"
    first = cfunc_address(valley, text)
    assert cfunc_address(valley, text) is first
    assert cfunc_address(valley, "double(const double y[2])") != first
    assert type(first + 0) is int
    with pytest.raises(TypeError, match="another process"):
        pickle.dumps(first)
    made = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p)(first)
    assert made(X.ctypes.data) == valley(X)


@pytest.mark.parametrize(
    "f, text, why",
    [
        (grad(valley), "double(const double x[2])", "does not begin with a number"),
        (grad(valley), "void(const double x[2], const double y[2], double z[2])", "not take 2"),
        (value_and_grad(valley), "void(const double x[2], double z[2])", "places for 1"),
        (grad(valley), "void(const double x[2], double z[2][2])", "another number of axes"),
        (valley, "void(const double x[2], double z[2])", "z is an array, and it returns a number"),
        (valley, "double(double x)", "numba cannot compile it for float64"),
    ],
)
def test_misfits(f, text, why):
    with pytest.raises(ActivityError, match=why):
        cfunc_address(f, text)
