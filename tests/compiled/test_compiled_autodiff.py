"""`autodiff` inside jitted functions: values, types, errors that name the line, arrays that meet."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit, typed
from numba.core.errors import NumbaWarning, TypingError

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    ForwardWithPrimal,
    Reverse,
    ReverseHolomorphic,
    ReverseSplitNoPrimal,
    ReverseWithPrimal,
    autodiff,
    autodiff_deferred,
    make_zero,
    make_zero_inplace,
    remake_zero_inplace,
    set_runtime_activity,
)
from enzyme.errors import (
    ActivityError,
    BatchSizeError,
    EnzymeError,
    ImmutableZeroError,
    ModeError,
    ShadowLayoutError,
    ShadowTypeError,
)


@njit
def wave(x, y):
    return math.sin(x) * y


@njit
def total(x):
    s = 0.0
    for i in range(x.size):
        s += x[i] * x[i]
    return s


@njit
def scale(x, factor):
    x *= factor


@njit
def doubled(x):
    return 2.0 * x


SIN, COS = math.sin(1.0), math.cos(1.0)
X = np.array([1.0, 2.0, 3.0])


# --- results --------------------------------------------------------------------------------------


def test_reverse():
    @njit
    def run(x, y):
        return (
            autodiff(Reverse, wave, Active, Active(x), Const(y)),
            autodiff(ReverseWithPrimal, wave, Active, Active(x), Active(y)),
            autodiff(Reverse, wave, Active(x), Active(y)),
            autodiff_deferred(Reverse, wave, Const, Active(x), Active(y)),
        )

    first, second, guessed, const = run(1.0, 2.0)
    assert first == ((2.0 * COS, None),)
    assert second == ((2.0 * COS, SIN), 2.0 * SIN)
    assert guessed == ((2.0 * COS, SIN),)
    assert const == ((0.0, 0.0),)


def test_forward_forms():
    @njit
    def run(x):
        d, c = Duplicated(x, 10.0), Const(2.0)
        return (
            autodiff(Forward, wave, Duplicated, d, c),
            autodiff(Forward, wave, DuplicatedNoNeed, d, c),
            autodiff(Forward, wave, d, c),
            autodiff(Forward, wave, Const, d, c),
            autodiff(ForwardWithPrimal, wave, Duplicated, d, c),
            autodiff(ForwardWithPrimal, wave, d, c),
            autodiff(ForwardWithPrimal, wave, Const, d, c),
            autodiff(Forward, wave, Duplicated, Const(x), c),
        )

    primal, tangent = 2.0 * SIN, 20.0 * COS
    assert run(1.0) == (
        (primal, tangent),
        (tangent,),
        (tangent,),
        (),
        (tangent, primal),
        (tangent, primal),
        (primal,),
        (primal, 0.0),
    )


def test_arrays_and_batches():
    @njit
    def run(x):
        dx, d1, d2 = np.zeros_like(x), np.zeros_like(x), np.ones_like(x)
        value = autodiff(ReverseWithPrimal, total, Active, Duplicated(x, dx))[1]
        autodiff(Reverse, total, Active, BatchDuplicated(x, (d1, d2)))
        batch = autodiff(Forward, total, BatchDuplicated(x, (dx, d1)))
        shadow = autodiff(Forward, doubled, Duplicated(x, dx))[0]
        zero = autodiff(Forward, doubled, Duplicated, Const(x))[1]
        return dx, d1, d2, value, batch, shadow, zero

    dx, d1, d2, value, batch, shadow, zero = run(X)
    np.testing.assert_array_equal(dx, 2 * X)
    np.testing.assert_array_equal(d1, 2 * X)
    np.testing.assert_array_equal(d2, 2 * X + 1)
    assert value == 14.0
    assert batch == ((56.0, 56.0),)
    np.testing.assert_array_equal(shadow, 4 * X)
    np.testing.assert_array_equal(zero, 0 * X)


class Point(NamedTuple):
    a: float
    b: float


def test_tuples_and_precision():
    @njit
    def of_point(p):
        return p.a * p.a * p.b

    @njit
    def run(p, x):
        return (
            autodiff(Reverse, of_point, Active, Active(p))[0][0],
            autodiff(Reverse, doubled, Active, Active(x))[0][0],
            autodiff(Reverse, doubled, Active, Active(3))[0][0],
        )

    point, single, of_int = run(Point(2.0, 3.0), np.float32(1.5))
    assert point == Point(12.0, 4.0) and isinstance(point, Point)
    assert single == 2.0 and of_int == 2.0

    @njit
    def kind(x):
        return np.full(1, autodiff(Reverse, total, Active, Duplicated(x, x * 0))[0] == (None,))

    assert kind(X.astype(np.float32))[0]


def test_lambdas_and_builtins():
    @njit
    def run(x):
        def cube(y):
            return y * y * y

        return (
            autodiff(Reverse, cube, Active, Active(x))[0][0],
            autodiff(Reverse, lambda y: y * y, Active, Active(x))[0][0],
            autodiff(Reverse, math.sin, Active, Active(x))[0][0],
            autodiff(Reverse, Const(wave), Active, Active(x), Const(1.0))[0][0],
        )

    assert run(1.0) == (3.0, 2.0, COS, COS)


def test_in_a_loop_and_an_exception():
    @njit
    def logarithm(x):
        if x < 0.0:
            raise ValueError("negative")
        return math.log(x)

    @njit
    def newton(x, steps):
        for _ in range(steps):
            (slope,), value = autodiff(ReverseWithPrimal, logarithm, Active, Active(x))
            x = x - value / slope
        return x

    assert newton(0.8, 6) == pytest.approx(1.0, abs=1e-14)
    with pytest.raises(ValueError, match="negative"):
        newton(-1.0, 1)


def test_annotations_cross_the_border():
    @njit
    def fields(a, b):
        return a.val, a.dval, b

    dx = np.ones(3)
    val, dval, same = fields(Duplicated(X, dx), Active(2.5))
    assert val is X and dval is dx
    assert isinstance(same, Active) and same.val == 2.5


def test_make_zero():
    @njit
    def run(x):
        held = (x, 2, np.ones(2), 1.0)
        zero = make_zero(held)
        make_zero_inplace(held[2])
        other = (x, np.ones(2))
        remake_zero_inplace(other)
        return zero, held[2], other

    zero, cleared, other = run(3.0)
    assert zero[:2] == (0.0, 2) and zero[3] == 0.0
    np.testing.assert_array_equal(zero[2], [0.0, 0.0])
    np.testing.assert_array_equal(cleared, [0.0, 0.0])
    assert other[0] == 3.0 and not other[1].any()

    @njit
    def immutable(x):
        make_zero_inplace((x, np.ones(2)))

    with pytest.raises(ImmutableZeroError):
        immutable(1.0)


# --- arrays that meet -----------------------------------------------------------------------------


@njit
def difference(x, y):
    s = 0.0
    for i in range(x.size):
        s += x[i] * y[i]
    return s


@njit
def copy_over(x, y):
    for i in range(x.size):
        x[i] = y[i] * y[i]


@njit
def gradients(x, dx, y, dy):
    return autodiff(Reverse, difference, Active, Duplicated(x, dx), Duplicated(y, dy))


@njit
def through(x, dx, y, dy):
    autodiff(Reverse, copy_over, Const, Duplicated(x, dx), Duplicated(y, dy))


def test_one_array_twice():
    dx = np.zeros(3)
    gradients(X, dx, X, dx)
    np.testing.assert_array_equal(dx, 2 * X)
    x, dx = X.copy(), np.ones(3)
    through(x, dx, x, dx)
    np.testing.assert_array_equal(dx, 2 * X)


def test_shadows_that_do_not_fit():
    with pytest.raises(ShadowLayoutError, match="shape"):
        gradients(X, np.zeros(2), X.copy(), np.zeros(3))
    with pytest.raises(ActivityError, match="its own shadow"):
        gradients(X, X, X.copy(), np.zeros(3))
    with pytest.raises(ShadowLayoutError, match="in the same way"):
        x = X.copy()
        through(x, np.zeros(3), x, np.zeros(3))
    assert (X == [1.0, 2.0, 3.0]).all()

    @njit
    def strided(x, dx):
        autodiff(Reverse, total, Active, Duplicated(x[::2], dx[:2]))

    with pytest.raises(ShadowLayoutError, match="strides"):
        strided(np.ones(4), np.zeros(4))


# --- misuse ---------------------------------------------------------------------------------------


def _line_of(function, text):
    import inspect

    lines, first = inspect.getsourcelines(function.py_func)
    return first + next(k for k, line in enumerate(lines) if text in line)


@njit
def not_annotated(x):
    return autodiff(Reverse, wave, Active, Active(x), x)


@njit
def no_mode(x):
    return autodiff(wave, Reverse, Active, Active(x))


@njit
def split_mode(x):
    return autodiff(ReverseSplitNoPrimal, wave, Active, Active(x), Active(x))


@njit
def active_forward(x):
    return autodiff(Forward, wave, Active(x), Active(x))


@njit
def no_seed(x, dx):
    return autodiff(Reverse, doubled, Active, Duplicated(x, dx))


@njit
def different_widths(x, dx):
    autodiff(Forward, difference, BatchDuplicated(x, (dx, dx)), Duplicated(x, dx))


@njit
def active_array(x):
    return autodiff(Reverse, total, Active, Active(x))


@njit
def other_shadow_type(x):
    return autodiff(Reverse, total, Active, Duplicated(x, 1.0))


RUNTIME = set_runtime_activity(Reverse)


@njit
def with_runtime_activity(x, dx):
    autodiff(RUNTIME, total, Active, Duplicated(x, dx))


@njit
def squared(z):
    return z * z


@njit
def with_holomorphic_mode(x):
    return autodiff(ReverseHolomorphic, squared, Active, Active(x + 1j))


@njit
def list_total(values):
    s = 0.0
    for v in values:
        s += v
    return s


@njit
def of_a_list(values, other):
    autodiff(Reverse, list_total, Active, Duplicated(values, other))


@njit
def floor_of(x):
    return int(x)


@njit
def constant_result(x):
    return autodiff(Forward, floor_of, Duplicated, Duplicated(x, 1.0))


@pytest.mark.parametrize(
    ("function", "args", "error", "text"),
    [
        (not_annotated, (1.0,), ActivityError, "argument 1 is not annotated"),
        (no_mode, (1.0,), ModeError, "mode comes first"),
        (split_mode, (1.0,), ModeError, "split mode"),
        (active_forward, (1.0,), ActivityError, "forward mode"),
        (no_seed, (X, X), ActivityError, "no default seed"),
        (different_widths, (X, X), BatchSizeError, "different numbers"),
        (active_array, (X,), ActivityError, "Duplicated"),
        (other_shadow_type, (X,), ShadowTypeError, "shadow of type float64"),
        (with_runtime_activity, (X, X), ModeError, "runtime activity"),
        (with_holomorphic_mode, (1.0,), ModeError, "holomorphic"),
        (constant_result, (1.0,), ActivityError, "constant type"),
    ],
)
def test_misuse(function, args, error, text):
    with pytest.raises(error, match=text) as found:
        function(*args)
    assert isinstance(found.value, EnzymeError)
    assert f"{__file__}:{_line_of(function, 'autodiff(')}" in str(found.value)


@njit
def maybe(x, given):
    y = x if given else None
    return autodiff(Reverse, wave, Active, Active(y), Const(1.0))


@njit
def no_shadow(x):
    return Const(x).dval


@njit
def itself(x):
    return autodiff(Reverse, itself, Active, Active(x))[0][0]


@njit
def active_function(x):
    return autodiff(Reverse, Active(wave), Active(x), Active(x))


def test_more_misuse():
    with pytest.raises(ActivityError, match="may be None"):
        maybe(1.0, True)
    with pytest.raises(TypingError, match="Unknown attribute 'dval'"):
        no_shadow(1.0)
    with pytest.raises(ActivityError, match="differentiates itself"):
        itself(1.0)
    with pytest.raises(ActivityError, match="cannot be Active"):
        active_function(1.0)


def test_no_file_of_machine_code(tmp_path, monkeypatch):
    """Derivatives live in the process; numba must not write their callers to files."""
    (tmp_path / "cached_caller.py").write_text(
        "import numpy as np\nfrom numba import njit\n"
        "from enzyme import Active, Reverse, autodiff\n"
        "@njit\ndef f(x):\n    return x * x\n"
        "@njit(cache=True)\ndef slope(x):\n    return autodiff(Reverse, f, Active, Active(x))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import cached_caller

    with pytest.warns(NumbaWarning, match="Cannot cache"):
        assert cached_caller.slope(3.0) == ((6.0,),)


def test_containers_are_refused():
    values, other = typed.List([1.0, 2.0]), typed.List([0.0, 0.0])
    with pytest.raises(ActivityError, match="compiled code compares shadows with arrays"):
        of_a_list(values, other)


def test_read_only_shadow():
    @njit
    def run(x, dx):
        autodiff(Reverse, total, Active, Duplicated(x, dx))

    dx = np.zeros(3)
    dx.flags.writeable = False
    with pytest.raises(ShadowLayoutError, match="read-only"):
        run(X, dx)
