"""Values that the documentation promises, for single shadows in forward and combined reverse mode."""

from __future__ import annotations

import cmath
import math
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit, prange
from scipy import special

from enzyme import (
    Active,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    ForwardWithPrimal,
    Reverse,
    ReverseWithPrimal,
    autodiff,
    clear_err_if_const_written,
    set_strong_zero,
)
from enzyme.errors import EnzymeConstStorageError

pytestmark = pytest.mark.rotating(21)


def close(got, wanted):
    np.testing.assert_allclose(got, wanted, rtol=1e-12)


def slope(f, x, mode="both"):
    """df/dx in both modes, which must agree."""
    ((reverse,),) = autodiff(Reverse, f, Active, Active(x))
    (forward,) = autodiff(Forward, f, Duplicated(x, 1.0))
    close(forward, reverse)
    return reverse


# --- what shadows mean in reverse mode -------------------------------------------------------------


def scratch(x, tmp, k, n):
    tmp[0] = 1.0
    for _ in range(n):
        tmp[k] *= x
    return tmp[0]


def test_scratch_memory():
    args = Active(1.2), Const(np.zeros(1)), Const(0), Const(5)
    with pytest.raises(EnzymeConstStorageError) as caught:
        autodiff(Reverse, scratch, Active, *args)
    assert caught.value.argument == "tmp"
    assert caught.value.where.file == __file__ and "tmp[k] *= x" in str(caught.value)
    mode = clear_err_if_const_written(Reverse)
    assert autodiff(mode, scratch, Active, *args) == ((0.0, None, None, None),)
    tmp = Duplicated(np.zeros(1), np.zeros(1))
    ((d, *rest),) = autodiff(Reverse, scratch, Active, args[0], tmp, *args[2:])
    close(d, 10.367999999999999)
    assert rest == [None] * 3


def shift(o, i):
    o[:-1] = i[1:]


def test_argument_passed_twice_with_its_shadow():
    x, dx = np.arange(4.0), np.ones(4)
    autodiff(Reverse, shift, Const, Duplicated(x, dx), Duplicated(x, dx))
    assert dx.tolist() == [0.0, 1.0, 1.0, 2.0]
    autodiff(Forward, shift, Const, Duplicated(x, dx), Duplicated(x, dx))
    assert dx.tolist() == [1.0, 1.0, 2.0, 2.0]


def test_cost():
    def cost(c):
        for i in range(1, len(c)):
            if c[i] == c[i - 1]:
                c[i] = c[i] * c[i]
        c[0] = 0.0

    a, da = np.array([1.0, 3.0, 3.0, 7.0]), np.ones(4)
    autodiff(Reverse, cost, Const, Duplicated(a, da))
    assert da.tolist() == [0.0, 1.0, 6.0, 1.0]


def copytest(f):
    c = f.copy()
    f[:] = 0.0
    return c[0] * c[1]


def test_copy_then_overwrite():
    x, dx = np.array([2.0, 3.0]), np.zeros(2)
    autodiff(Reverse, copytest, Active, Duplicated(x, dx))
    assert dx.tolist() == [3.0, 2.0] and x.tolist() == [0.0, 0.0]
    got = autodiff(Forward, copytest, Duplicated(np.array([2.0, 3.0]), np.array([7.0, 5.0])))
    assert got == (31.0,)


def reshaped(x):
    y = x.reshape(2, 2)
    y[0, 0] *= y[0, 1]
    y[1, 1] *= y[1, 0]


def test_reshape():
    x, dx = np.array([1.0, 2.0, 3.0, 4.0]), np.ones(4)
    autodiff(Reverse, reshaped, Const, Duplicated(x, dx))
    assert dx.tolist() == [2.0, 2.0, 5.0, 3.0]
    x, dx = np.array([1.0, 2.0, 3.0, 4.0]), np.ones(4)
    autodiff(Forward, reshaped, Const, Duplicated(x, dx))
    assert dx.tolist() == [3.0, 1.0, 1.0, 7.0]


@pytest.mark.parametrize("axis", [0, 1])
def test_weights_of_rows_and_columns(axis):
    def f(x, axis):
        total = 0.0
        for i in range(3):
            for j in range(3):
                total += x[i, j] * ((j if axis == 1 else i) + 1)
        return total

    dx = np.zeros((3, 3))
    autodiff(Reverse, f, Active, Duplicated(np.ones((3, 3)), dx), Const(axis))
    wanted = np.broadcast_to([1.0, 2.0, 3.0], (3, 3))
    assert dx.tolist() == (wanted if axis == 1 else wanted.T).tolist()


def test_in_place_update_multiplies():
    def f(x):
        x *= 5.0

    x, dx = np.array([2.0]), np.array([1.0])
    autodiff(Reverse, f, Const, Duplicated(x, dx))
    assert (x[0], dx[0]) == (10.0, 5.0)


def test_shadows_accumulate_and_untouched_cells_stay():
    def f(x):
        return x[0] * x[0]

    x, dx = np.array([3.0, 1.0]), np.array([0.0, 42.0])
    for _ in range(2):
        autodiff(Reverse, f, Active, Duplicated(x, dx))
    assert dx.tolist() == [12.0, 42.0]


def test_no_need_output():
    def f(out, v):
        out[()] = v * v

    out, dout = np.array(0.0), np.array(1.0)
    got = autodiff(Reverse, f, Const, DuplicatedNoNeed(out, dout), Active(1.0))
    assert got == ((None, 2.0),) and dout[()] == 0.0


def test_parallel_loop():
    @njit(parallel=True)
    def f(y):
        for i in prange(len(y)):
            y[i] *= 2.0

    y, dy = np.ones(8), np.ones(8)
    autodiff(Reverse, f, Const, Duplicated(y, dy))
    assert dy.tolist() == [2.0] * 8 and y.tolist() == [2.0] * 8


# --- default activities, functions ------------------------------------------------------------------


def test_guess_is_made_from_types_only():
    assert autodiff(Reverse, lambda x: x * x, Const(1.0)) == ((None,),)


def test_text_argument():
    def f(s):
        return 1.0 if s == "1.0" else 2.0

    assert autodiff(Forward, f, Duplicated("1.0", "1.0")) == (0.0,)
    assert autodiff(Reverse, f, Const("x")) == ((None,),)


def test_closure():
    v = np.array([2.0])

    def f(y):
        return v[0] * y

    assert autodiff(Reverse, f, Active, Active(3.0)) == ((2.0,),)
    assert autodiff(Reverse, Const(f), Active, Active(3.0)) == ((2.0,),)


def test_functions_as_arguments():
    def caller(g, x):
        return g(x)

    assert autodiff(Reverse, caller, Active, Const(lambda x: x), Active(3.0)) == ((None, 1.0),)

    @njit
    def square(x):
        return x * x

    assert autodiff(Reverse, lambda fs, x: fs[0](x), Active, Const((square,)), Active(2.0)) == (
        (None, 4.0),
    )


# --- complex numbers ----------------------------------------------------------------------------------

Z = 3.1 + 2.7j


def test_complex_reverse():
    ((d,),) = autodiff(Reverse, lambda z: (z * z).real, Active, Active(Z))
    close(d, 6.2 - 5.4j)
    ((d,),) = autodiff(Reverse, lambda z: (z * z).imag, Active, Active(Z))
    close(d, 5.4 + 6.2j)
    ((d,),) = autodiff(Reverse, lambda z: abs(z), Active, Active(3 + 4j))
    close(d, 0.6 + 0.8j)


def test_complex_forward():
    for seed, wanted in ((1 + 0j, 6.2 + 5.4j), (1j, -5.4 + 6.2j)):
        (s,) = autodiff(Forward, lambda z: z * z, Duplicated(Z, seed))
        close(s, wanted)


def test_complex_forward_of_several_seeds():
    for seed in (1, 2, 3):
        (s,) = autodiff(Forward, lambda z: z * z, Duplicated(3 + 7j, seed + 0j))
        close(s, seed * (6 + 14j))


def test_derivatives_by_z_and_its_conjugate():
    def f(z):
        return z * np.conj(z)

    (dx,) = autodiff(Forward, f, Duplicated(Z, 1 + 0j))
    (dy,) = autodiff(Forward, f, Duplicated(Z, 1j))
    close((dx - 1j * dy) / 2, Z.conjugate())
    close((dx + 1j * dy) / 2, Z)
    ((gu,),) = autodiff(Reverse, lambda z: (z * np.conj(z)).real, Active(Z))
    ((gv,),) = autodiff(Reverse, lambda z: (z * np.conj(z)).imag, Active(Z))
    close((gu.conjugate() + 1j * gv.conjugate()) / 2, Z.conjugate())
    close((gu + 1j * gv) / 2, Z)


def test_complex_in_between():
    close(slope(lambda x: ((x + 1j) * (1 - 1j * x)).real, 1.7), 2.0)


def test_complex_square_root_forward():
    (s,) = autodiff(Forward, lambda z: np.sqrt(z), Duplicated(1.7 + 2.1j, 1 + 0j))
    close(s, 0.27454355697857163 - 0.13097704606630292j)


def test_complex_array():
    z, dz = np.array([Z, 1 + 1j]), np.zeros(2, complex)
    autodiff(Reverse, lambda v: (v * v).sum().real, Active, Duplicated(z, dz))
    close(dz, np.conj(2 * z))


def test_complex64_stays():
    ((d,),) = autodiff(Reverse, lambda z: (z * z).real, Active(np.complex64(Z)))
    assert type(d) is np.complex64


# --- further values ---------------------------------------------------------------------------------


def test_square():
    def f(x):
        return x * x

    close(autodiff(Forward, f, Duplicated, Duplicated(3.14, 1.0)), (9.8596, 6.28))
    close(autodiff(Forward, f, DuplicatedNoNeed, Duplicated(3.14, 1.0)), (6.28,))
    assert autodiff(ReverseWithPrimal, f, Active, Active(3.0)) == ((6.0,), 9.0)
    assert autodiff(Reverse, f, Active, Active(1.0)) == ((2.0,),)
    assert autodiff(Reverse, lambda x: 1 + x, Active, Active(1.0)) == ((1.0,),)
    assert autodiff(Reverse, math.log, Active, Active(2.0)) == ((0.5,),)


def test_four_arguments():
    def f(a, b, c, d):
        return a * math.sqrt(b[0] ** 2 + b[1] ** 2) + c**2 * d**2

    b, db = np.array([2.2, 3.3]), np.zeros(2)
    got = autodiff(Reverse, f, Active, Active(4.2), Duplicated(b, db), Const(55), Active(9))
    ((da, none1, none2, dd),) = got
    close(da, 3.966106403010388)
    close(dd, 54450.0)
    assert none1 is None and none2 is None
    close(db, [2.3297408241459627, 3.4946112362189434])


@pytest.mark.parametrize("dtype", [float, np.float64, np.float32])
def test_tanh(dtype):
    ((d,),) = autodiff(Reverse, math.tanh, Active, Active(dtype(1)))
    assert type(d) is dtype
    np.testing.assert_allclose(d, 0.41997434161402607, rtol=4 * np.finfo(dtype).eps)
    (s,) = autodiff(Forward, math.tanh, Duplicated(dtype(1), dtype(1)))
    assert np.dtype(type(s)) == np.dtype(dtype)
    np.testing.assert_allclose(s, d, rtol=4 * np.finfo(dtype).eps)


def test_atan2():
    (got,) = autodiff(Reverse, math.atan2, Active, Active(0.9), Active(3.4))
    close(got, (0.27485852869846406, -0.07275666936135813))


def rosenbrock(x, y):
    return (1 - x) ** 2 + 100 * (y - x**2) ** 2


def test_rosenbrock():
    got = autodiff(ReverseWithPrimal, rosenbrock, Active, Active(1.0), Active(2.0))
    assert got == ((-400.0, 200.0), 100.0)
    one = Duplicated(1.0, 1.0)
    three = Duplicated(3.0, 1.0)
    assert autodiff(Forward, rosenbrock, Const(1.0), three) == (400.0,)
    assert autodiff(Forward, rosenbrock, one, Const(3.0)) == (-800.0,)
    assert autodiff(Forward, rosenbrock, one, three) == (-400.0,)


def test_promoted_int():
    ((d, none),) = autodiff(Reverse, lambda a, c: a * math.sqrt(c), Active(2), Const(3))
    close(d, math.sqrt(3))
    assert none is None


def test_none_arguments():
    assert autodiff(Reverse, lambda _, y: y, Const(None), Active(2.0)) == ((None, 1.0),)
    assert autodiff(Reverse, lambda x: x, Const(None)) == ((None,),)
    assert autodiff(Forward, lambda x: x, Const(None)) == ()


class Foo(NamedTuple):
    baz: int
    qux: float


def test_struct():
    ((d,),) = autodiff(Reverse, lambda s: s.qux, Active(Foo(3, 1.2)))
    assert d == Foo(0, 1.0)
    (s,) = autodiff(
        Forward,
        lambda x, y: x.qux * y.qux,
        Duplicated(Foo(3, 1.2), Foo(0, 7.0)),
        Duplicated(Foo(3, 3.4), Foo(0, 9.0)),
    )
    close(s, 34.6)


def test_in_place_on_ref():
    def f(x):
        x[()] *= 2
        return 7

    x, dx = np.array(3.0), np.array(1.0)
    assert autodiff(ReverseWithPrimal, f, Const, Duplicated(x, dx)) == ((None,), 7)
    assert (x[()], dx[()]) == (6.0, 2.0)


def test_returned_array_marked_const():
    def f(x):
        x[0] *= 2
        return x

    x, dx = np.array([5.0]), np.array([1.2])
    assert autodiff(Reverse, f, Const, Duplicated(x, dx)) == ((None,),)
    assert dx.tolist() == [2.4]


def test_six_tuple_into_matrix():
    def f(m, t):
        m[0, 0] = t[0]
        m[0, 1] = t[1]
        m[0, 2] = t[2]
        m[1, 0] = t[3]
        m[1, 1] = t[4]
        m[1, 2] = t[5]

    m, dm = np.zeros((2, 3)), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    t = (1, 2.2, 3, 4.4, 5, 6.6)
    ((none, entry),) = autodiff(Reverse, f, Const, Duplicated(m, dm), Active(t))
    assert none is None and entry == (0, 2.0, 0, 4.0, 0, 6.0) and not dm.any()


@njit
def bessel(nu, z):
    """J_nu(z) by its series, ended by a test of the term."""
    total, term, k = 0.0, (z / 2) ** nu / math.gamma(nu + 1), 0
    while abs(term) > 1e-16 * abs(total) and k < 500:
        total += term
        k += 1
        term *= -((z / 2) ** 2) / (k * (k + nu))
    return total


@pytest.mark.parametrize("x", [1.0, -1.0, 0.0, 0.5, 10.0, -17.1])
def test_bessel_series(x):
    ((none, d),) = autodiff(Reverse, bessel, Active, Const(2), Active(x))
    assert none is None
    np.testing.assert_allclose(d, special.jvp(2, x), rtol=1e-5, atol=1e-8)


def test_long_series():
    def f(x):
        total = 0.0
        for i in range(1, 10_000_001):
            total += x**i / i
        return total

    ((d,),) = autodiff(Reverse, f, Active, Active(0.5))
    np.testing.assert_allclose(d, 2.0, rtol=1e-9)


def test_sine():
    close(slope(lambda x: math.sin(x) + x, 2.0), 0.5838531634528576)
    close(autodiff(Forward, math.sin, Duplicated(2.0, 7.0)), (7 * -0.4161468365471424,))


def test_random_is_inactive():
    def f(x):
        return x * np.random.rand()

    ((d,),) = autodiff(Reverse, f, Active, Active(2.0))
    assert 0.0 <= d < 1.0
    assert autodiff(Reverse, lambda x: np.random.rand(), Active, Active(2.0)) == ((0.0,),)


def test_printing_and_asserts_are_inactive():
    def f(x):
        if x <= 0:
            raise AssertionError("positive")
        print(x)
        return x * x

    assert autodiff(Reverse, f, Active, Active(2.0)) == ((4.0,),)
    with pytest.raises(AssertionError):
        autodiff(Reverse, f, Active, Active(-2.0))


def test_strong_zero():
    def f(x):
        return min(1.0, 1.0 / x)

    g = njit(error_model="numpy")(f)
    ((d,),) = autodiff(set_strong_zero(Reverse), g, Active, Active(0.0))
    assert d == 0.0


LIBRARY = {
    "product": (lambda x: np.prod(np.array([x, 2 * x, 3 * x])), 2.0, 72.0),
    "reduce": (lambda x: np.prod(np.array([1.0, x, x, 3.0])), 2.0, 12.0),
    "cumulative": (lambda x: np.cumsum(np.array([1.0, x, x, 3.0])).sum(), 2.0, 5.0),
    "abs": (lambda x: abs(1.0 / x), -2.0, 0.25),
    "hypot": (lambda x: math.hypot(x, 2 * x), 2.0, math.sqrt(5)),
    "linspace": (lambda x: x * np.linspace(x, 10.0, 6).sum(), 2.0, 42.0),
    "fma": (lambda x: x * 3.0 + x, 2.0, 4.0),
    "argmax": (lambda x: x * np.argmax(np.array([1.0, 5.0, 2.0])), 2.0, 1.0),
    "copysign": (lambda x: math.copysign(x, -x), 2.0, -1.0),
    "full": (lambda x: np.full((3, 3), x).sum(), 2.0, 9.0),
    "roll": (lambda x: np.roll(np.array([1.0, 2 * x, 3.0]), 1)[-1], 2.0, 2.0),
    "std": (lambda x: np.std(np.array([x, 2.0, 3.0])) * math.sqrt(3 / 2), 0.0, -0.5455447255899809),
    "var": (lambda x: np.var(np.array([x, 2.0, 3.0])) * 3 / 2, 0.0, -5 / 3),
    "median": (lambda x: np.median(np.array([2.0, 1.0, x])), 1.5, 1.0),
    "median outside": (lambda x: np.median(np.array([2.0, 1.0, x])), 2.5, 0.0),
    "midrange": (
        lambda x: (np.array([2.0, x, 1.0]).max() + np.array([2.0, x, 1.0]).min()) / 2,
        2.5,
        0.5,
    ),
    "unique": (lambda x: x * np.unique(np.array([1.0, 2.0, 2.0])).sum(), 2.0, 3.0),
    "quantile": (
        lambda x: np.quantile(np.array([1.0, x]), np.array([0.5, 0.7])).sum(),
        2.0,
        1.2,
    ),
    "complex helper": (lambda x: cmath.exp(1j * x).real, 2.0, -math.sin(2.0)),
}


@pytest.mark.parametrize("name", LIBRARY)
def test_library_functions(name):
    f, x, wanted = LIBRARY[name]
    np.testing.assert_allclose(slope(f, x), wanted, rtol=1e-8)


def test_try_and_except():
    def f(x):
        try:
            if x > 5:
                raise ValueError
            y = 3 * x
        except Exception:
            y = 2 * x
        return y

    assert slope(f, 2.0) == 3.0
    assert slope(f, 6.0) == 2.0


def test_forward_with_primal_ignoring_container():
    def f(x, c):
        return c[0]

    c = np.array([1.0])
    assert autodiff(Forward, f, Duplicated(5.0, 1.0), Const(c)) == (0.0,)
    assert autodiff(ForwardWithPrimal, f, Duplicated(5.0, 1.0), Const(c)) == (0.0, 1.0)


def test_a_function_of_any_number_of_arguments():
    def product(x, *rest):
        for v in rest:
            x *= v
        return x

    assert autodiff(Reverse, product, Active, Active(2.0), Active(3.0)) == ((3.0, 2.0),)
    arguments = Active(2.0), Active(3.0), Active(5.0)
    assert autodiff(Reverse, product, Active, *arguments) == ((15.0, 10.0, 6.0),)
    dx = np.zeros(2)
    arguments = Active(2.0), Const(3.0), Duplicated(np.ones(2), dx)
    jitted = njit(lambda x, *rest: x * rest[0] * rest[1][0])
    assert autodiff(Reverse, jitted, Active, *arguments) == ((3.0, None, None),)
    assert list(dx) == [6.0, 0.0]
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        autodiff(Reverse, product, Active)
