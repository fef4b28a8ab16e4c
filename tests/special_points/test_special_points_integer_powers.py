"""Powers with integer exponents: numba's values and errors, and the derivatives of a polynomial everywhere."""

from __future__ import annotations

import itertools
import math
import re

import mpmath
import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    ForwardWithPrimal,
    Reverse,
    ReverseWithPrimal,
    autodiff,
    compile_report,
)


@njit
def power(k, x, n):
    if k == 0:
        return x**n
    if k == 1:
        return pow(x, n)
    x **= n
    return x


@njit
def twice(k, x, n):
    """The derivative by reverse over forward is that of this."""
    return autodiff(Forward, power, Const(k), Duplicated(x, type(x)(1)), Const(n))[0]


@njit
def by_reverse(k, x, n):
    return autodiff(Reverse, power, Active, Const(k), Active(x), Const(n))[0][1]


BASES = (0.0, -0.0, 1.0, -1.0, 0.5, 1.7, -2.3, 1e-300, 1e200, 1e30, math.inf, -math.inf, math.nan)
EXPONENTS = (0, 1, 2, 3, 5, 10, 100, -1, -2, -7, 65536, -65536, 65537, -70000, -(2**63))
KINDS = [
    (np.float64, np.int64),
    (np.float64, np.uint64),
    (np.float32, np.int64),
    (np.float32, np.uint8),
]


def slope(x, n, order):
    """The derivative of that order, in the number's own precision but for the power."""
    with np.errstate(all="ignore"):
        factor = float(math.prod(n - k for k in range(order)))
        return factor * float(np.float64(x) ** np.float64(n - order)) if factor else 0.0


def close(found, expected, kind):
    """The same infinity or the same number, up to what overflows or vanishes in between."""
    with np.errstate(all="ignore"):
        expected = kind(expected)
    if found == expected or (found != found and expected != expected):
        return True
    edge = np.finfo(kind)
    if abs(expected) >= edge.max / 1e3 or abs(expected) <= edge.tiny * 1e3:
        return abs(found) >= edge.max / 1e3 or abs(found) <= edge.tiny * 1e3
    return math.isclose(found, expected, rel_tol=1e5 * edge.eps)


def cases(base, exponent):
    limits = np.iinfo(exponent)
    with np.errstate(all="ignore"):
        for x in BASES:
            for n in EXPONENTS:
                if limits.min <= n <= limits.max:
                    yield base(x), exponent(n)


@pytest.mark.parametrize(("base", "exponent"), KINDS)
def test_values_errors_and_slopes(base, exponent):
    for turn, (x, n) in enumerate(cases(base, exponent)):
        k = turn % 3
        forward = Const(k), Duplicated(x, base(1)), Const(n)
        reverse = Const(k), Active(x), Const(n)
        try:
            expected = power(k, x, n)
        except (ZeroDivisionError, OverflowError) as error:
            for mode, *annotated in (ForwardWithPrimal, *forward), (Reverse, Active, *reverse):
                with pytest.raises(type(error), match=f"^{re.escape(str(error))}$"):
                    autodiff(mode, power, *annotated)
            continue
        tangent, value = autodiff(ForwardWithPrimal, power, *forward)
        (_, adjoint, _), again = autodiff(ReverseWithPrimal, power, Active, *reverse)
        for found in value, again:
            same = base(found).tobytes() == base(expected).tobytes()
            assert same or (math.isnan(found) and math.isnan(expected)), (x, n, found, expected)
        for found in tangent, adjoint:
            assert close(found, slope(x, int(n), 1), base), (x, n, found)


@pytest.mark.parametrize(("base", "exponent"), KINDS[::2])
def test_second_derivatives(base, exponent):
    for x, n in cases(base, exponent):
        try:
            power(0, x, n)
        except (ZeroDivisionError, OverflowError):
            continue
        over = autodiff(Forward, by_reverse, Const(0), Duplicated(x, base(1)), Const(n))[0]
        under = autodiff(Reverse, twice, Active, Const(0), Active(x), Const(n))[0][1]
        for found in over, under:
            assert close(found, slope(x, int(n), 2), base), (x, n, found)


@njit
def of_arrays(x, n, many, weights):
    total = 0.0
    for i in range(len(x)):
        total += weights[i] * x[i] ** (2 * i - n)
    return total + (weights * x**n).sum() + (weights * x**many).sum()


def test_arrays_in_all_modes():
    x = np.array([0.4, -1.2, 2.0, 0.7, -0.3])
    many, weights = np.array([0, 1, 2, -3, 7]), np.linspace(1.0, 2.0, 5)
    i = np.arange(5)
    expected = weights * (
        (2 * i - 3) * x ** (2.0 * i - 4) + 3 * x**2 + many * np.abs(x) ** (many - 1.0) * np.sign(x) ** (many + 1)
    )  # fmt: skip
    constants = Const(3), Const(many), Const(weights)
    dx = np.zeros(5)
    autodiff(Reverse, of_arrays, Active, Duplicated(x, dx), *constants)
    np.testing.assert_allclose(dx, expected, rtol=1e-14)
    lanes = np.eye(5)[1], np.eye(5)[3]
    found = autodiff(Forward, of_arrays, BatchDuplicated(x, lanes), *constants)[0]
    np.testing.assert_allclose([found[0], found[1]], expected[[1, 3]], rtol=1e-14)


def horner(x, n):
    total = 0.0
    for i in range(len(x)):
        for k in range(n):
            total += x[i] ** k
    return total


def test_nothing_of_the_loop_of_squares_is_kept():
    x = np.ones(3)
    report = compile_report(horner, Reverse, Active, Duplicated(x, np.zeros(3)), Const(5))
    assert report["cache_bytes_per_iteration"] == 0


@njit
def to_the(x, n):
    return x**n


@njit
def cubed(x):
    return to_the(x, 3)


def test_constant_exponents_are_products():
    report = compile_report(cubed, ReverseWithPrimal, Active, Active(2.0))
    calls = report["ir"]["derivative"].count("call double @enzyme.power")
    assert calls <= 1  # the program itself
    assert autodiff(ReverseWithPrimal, cubed, Active, Active(2.0)) == ((12.0,), 8.0)


@pytest.mark.rotating(27)
@pytest.mark.parametrize("n", [-1, -2, -3, -6, -7, -12])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_slopes_of_negative_powers_reach_as_far_as_powers(n, order):
    """With the exponent in the code, where the power itself is far below or above them."""
    from enzyme import grad, jacfwd

    f = eval(f"lambda x: x ** {n}")
    for derivative in itertools.product((grad, jacfwd), repeat=order):
        made = f
        for one in derivative:
            made = one(made)
        for x in (1e26, 1e50, 1e160, 1e-20, -(10.0 ** (260 // n)), 3.0):
            with mpmath.workdps(30):
                exact = math.prod(n - k for k in range(order)) * mpmath.mpf(x) ** (n - order)
                size = abs(exact)
            wanted = math.copysign(math.inf, exact) if size > 1.7e308 else float(exact)
            if size < 1e-300:
                assert abs(made(x)) < 1e-299
            else:
                assert made(x) == pytest.approx(wanted, rel=1e-13)


@pytest.mark.parametrize("model", ["python", "numpy"])
@pytest.mark.parametrize("power_of", ["x ** -2", "x ** n", "(np.array([x]) ** -2)[0]"])
def test_errors_are_those_of_numba_in_both_error_models(model, power_of):
    """Numba divides by a power that is zero in its own model, whatever that of the function is."""
    scope = {"np": np}
    exec(f"def f(x, n):\n    return {power_of}", scope)
    f = njit(error_model=model)(scope["f"])
    for x in 0.0, 1e-200:
        with pytest.raises(ZeroDivisionError, match=r"^division by zero$"):
            f(x, -2)
        for mode, *given in (
            (ForwardWithPrimal, Duplicated(x, 1.0)),
            (Reverse, Active, Active(x)),
        ):
            with pytest.raises(ZeroDivisionError, match=r"^division by zero$"):
                autodiff(mode, f, *given, Const(-2))
