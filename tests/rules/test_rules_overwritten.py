"""The example of Enzyme.jl's manual: a rule that keeps an array only if it changes before the reverse pass."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseSplitWidth,
    ReverseSplitWithPrimal,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
    typeof,
)
from enzyme_rules import AugmentedReturn, augmented_primal, forward, overwritten, reverse

pytestmark = pytest.mark.rotating(27)


def plain(y, x):
    for i in range(len(x)):
        y[i] = x[i] ** 2
    return y.sum()


def made(keep):
    @njit
    def f(y, x):
        for i in range(len(x)):
            y[i] = x[i] ** 2
        return y.sum()

    @forward(f)
    def tangent(config, func, RT, y, x):
        primal = func.val(y.val, x.val)
        if config.width == 1:
            if isinstance(x, Const):
                y.dval[:] = 0.0
            else:
                y.dval[:] = 2.0 * x.val * x.dval
            d = y.dval.sum()
            if config.needs_primal and config.needs_shadow:
                return Duplicated(primal, d)
        else:
            for i in range(config.width):
                y.dval[i][:] = 2.0 * x.val * x.dval[i]
            if config.width == 2:
                d = (y.dval[0].sum(), y.dval[1].sum())
            else:
                d = (y.dval[0].sum(), y.dval[1].sum(), y.dval[2].sum())
            if config.needs_primal and config.needs_shadow:
                return BatchDuplicated(primal, d)
        if config.needs_shadow:
            return d
        return primal if config.needs_primal else None

    if keep == "decided early":

        @augmented_primal(f)
        def augmented(config, func, RT, y, x):
            primal = func.val(y.val, x.val)
            tape = x.val.copy() if config.overwritten[2] else None
            return AugmentedReturn(primal if config.needs_primal else None, None, tape)

        @reverse(f)
        def adjoint(config, func, dret, tape, y, x):
            kept = tape if overwritten(config)[2] else x.val
            x.dval[:] += 2.0 * kept * (y.dval + dret.val)
            y.dval[:] = 0.0
            return (None, None)

    else:

        @augmented_primal(f)
        def augmented_any(config, func, RT, y, x):
            primal = func.val(y.val, x.val)
            tape = x.val.copy() if config.overwritten[2] else np.empty(0)
            return AugmentedReturn(primal if config.needs_primal else None, None, tape)

        @reverse(f)
        def adjoint_any(config, func, dret, tape, y, x):
            kept = tape if config.overwritten[2] else x.val
            if config.width == 1:
                seed = dret.val if isinstance(dret, Active) else 0.0
                x.dval[:] += 2.0 * kept * (y.dval + seed)
                y.dval[:] = 0.0
            else:
                for i in range(config.width):
                    x.dval[i][:] += 2.0 * kept * (y.dval[i] + dret[i].val)
                    y.dval[i][:] = 0.0
            return (None, None)

    return f


def keeping(f):
    @njit
    def h(y, x):
        r = f(y, x)
        return r * y[0]

    return h


def changing(f):
    @njit
    def h(y, x):
        r = f(y, x)
        s = x[0] * x[1]
        for i in range(len(x)):
            x[i] = 100.0 * x[i] * y[i]
        return r * s + x.sum()

    return h


def repeating(f):
    @njit
    def h(y, x):
        s = 0.0
        for _ in range(3):
            s += f(y, x)
            x *= 0.5 + y
        return s * x[0]

    return h


CALLERS = [keeping, changing, repeating]


@pytest.fixture(scope="module")
def rule():
    return made("decided late")


@pytest.fixture(params=CALLERS, ids=lambda caller: caller.__name__)
def pair(request, rule):
    return request.param(rule), request.param(njit(plain))


def values(width, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=3), tuple(rng.normal(size=3) for _ in range(width))


def annotated(width):
    y, dy = values(width, 1)
    x, dx = values(width, 2)
    if width == 1:
        return Duplicated(y, dy[0]), Duplicated(x, dx[0])
    return BatchDuplicated(y, dy), BatchDuplicated(x, dx)


def same(first, second):
    for mine, theirs in zip(first, second, strict=True):
        np.testing.assert_allclose(mine.val, theirs.val, rtol=1e-12)
        np.testing.assert_allclose(mine.dval, theirs.dval, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_forward(pair, width):
    mine, theirs = annotated(width), annotated(width)
    found, expected = (
        autodiff(Forward, f, *args) for f, args in zip(pair, (mine, theirs), strict=True)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    same(mine, theirs)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_reverse(pair, width):
    mine, theirs = annotated(width), annotated(width)
    for f, args in zip(pair, (mine, theirs), strict=True):
        autodiff(Reverse, f, Active, *args)
    same(mine, theirs)
    if width == 1:
        mine, theirs = annotated(1), annotated(1)
        _, found = autodiff(ReverseWithPrimal, pair[0], Active, *mine)
        _, expected = autodiff(ReverseWithPrimal, pair[1], Active, *theirs)
        assert found == pytest.approx(expected)


def in_two_calls(f, args, width, seed):
    """Adjoints from split mode; between its calls the last argument changes, as is not promised that it does not."""
    of_array = typeof(np.zeros(3))
    kind = Duplicated[of_array] if width == 1 else BatchDuplicated[of_array, width]
    mode = ReverseSplitWidth(ReverseSplitWithPrimal, width)
    ahead, back = autodiff_thunk(mode, Const[typeof(f)], Active, *[kind] * len(args))
    tape, _, _ = ahead(Const(f), *args)
    args[-1].val[:] = -1.0
    back(Const(f), *args, seed if width == 1 else (seed,) * width, tape)
    return args


@pytest.mark.parametrize("width", [1, 2, 3])
def test_split(pair, width):
    same(*[in_two_calls(f, annotated(width), width, 2.0) for f in pair])


@pytest.mark.parametrize("caller", CALLERS)
def test_tapes_of_different_types(caller):
    """None, where nothing changes."""
    pair = caller(made("decided early")), caller(njit(plain))
    mine, theirs = annotated(1), annotated(1)
    for f, args in zip(pair, (mine, theirs), strict=True):
        autodiff(Reverse, f, Active, *args)
    same(mine, theirs)


# --- a function that returns memory, which has a shadow ---------------------------------------------


def plain_squares(x):
    return x * x


def made_squares():
    @njit
    def f(x):
        return x * x

    @forward(f)
    def tangent(config, func, RT, x):
        primal = func.val(x.val)
        if config.width == 1:
            d = 2.0 * x.val * x.dval
            return Duplicated(primal, d) if config.needs_primal else d
        if config.width == 2:
            d = (2.0 * x.val * x.dval[0], 2.0 * x.val * x.dval[1])
        else:
            d = (2.0 * x.val * x.dval[0], 2.0 * x.val * x.dval[1], 2.0 * x.val * x.dval[2])
        return BatchDuplicated(primal, d) if config.needs_primal else d

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        if config.width == 1:
            shadow = np.zeros_like(x.val)
        elif config.width == 2:
            shadow = (np.zeros_like(x.val), np.zeros_like(x.val))
        else:
            shadow = (np.zeros_like(x.val), np.zeros_like(x.val), np.zeros_like(x.val))
        kept = x.val.copy() if config.overwritten[1] else x.val
        return AugmentedReturn(
            func.val(x.val) if config.needs_primal else None,
            shadow if config.needs_shadow else None,
            (shadow, kept),
        )

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        shadow, kept = tape
        if config.width == 1:
            x.dval[:] += 2.0 * kept * shadow
            shadow[:] = 0.0
        else:
            for i in range(config.width):
                x.dval[i][:] += 2.0 * kept * shadow[i]
                shadow[i][:] = 0.0
        return (None,)

    return f


def summing(f):
    @njit
    def h(x):
        return (f(x) * np.sin(x)).sum()

    return h


def overwriting(f):
    @njit
    def h(x):
        y = f(x)
        y[0] *= y[1]
        x[:] = 0.5 * x + y
        z = f(x)
        return (y * z).sum() + x[2]

    return h


def in_a_loop(f):
    @njit
    def h(x):
        s = 0.0
        y = x
        for _ in range(3):
            y = f(y) * 0.5
            s += y[0] * y[2]
        return s

    return h


@pytest.fixture(scope="module")
def squares():
    return made_squares()


@pytest.fixture(params=[summing, overwriting, in_a_loop], ids=lambda caller: caller.__name__)
def squared(request, squares):
    return request.param(squares), request.param(njit(plain_squares))


@pytest.mark.parametrize("width", [1, 2, 3])
def test_arrays_forward(squared, width):
    mine, theirs = annotated(width)[1:], annotated(width)[1:]
    found = [autodiff(Forward, f, *args) for f, args in zip(squared, (mine, theirs), strict=True)]
    np.testing.assert_allclose(*found, rtol=1e-12)
    same(mine, theirs)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_arrays_reverse(squared, width):
    mine, theirs = annotated(width)[1:], annotated(width)[1:]
    for f, args in zip(squared, (mine, theirs), strict=True):
        autodiff(Reverse, f, Active, *args)
    same(mine, theirs)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_arrays_split(squared, width):
    same(*[in_two_calls(f, annotated(width)[1:], width, -1.5) for f in squared])
