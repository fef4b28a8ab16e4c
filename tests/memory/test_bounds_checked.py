"""With bounds checks nothing outside of arrays is touched, and the error names index and line."""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import njit, stencil, typed

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseSplitWithPrimal,
    autodiff,
    autodiff_thunk,
    grad,
    hvp,
    jacfwd,
    typeof,
)
from enzyme.errors import OutOfBoundsError

pytestmark = pytest.mark.rotating(27)

checked = njit(boundscheck=True)
ROOM = 64


def read(x: Any, i: int) -> float:
    return x[i] * x[i]


def write(x: Any, i: int) -> float:
    x[i] = x[0] * x[0]
    return x[1] * x[0]


def update(x: Any, i: int) -> float:
    x[i] += x[0] * x[1]
    return x[1]


def plane(x: Any, i: int) -> float:
    return x.reshape(2, 2)[1, i - 2] ** 2


def row(x: Any, i: int) -> float:
    return (x.reshape(4, 1)[i] * x[0]).sum()


def fancy(x: Any, i: int) -> float:
    return (x[np.array([0, i, 1])] ** 2).sum()


def scattered(x: Any, i: int) -> float:
    x[np.array([0, i])] = x[1] * x[1]
    return x[0]


@checked
def at(x: Any, i: int) -> float:
    return x[i]


def callee(x: Any, i: int) -> float:
    return x[0] * at(x, i)


def in_list(x: Any, i: int) -> float:
    parts = [x * 2.0, x * x]
    return parts[1][i] * parts[0][0]


def within(x: Any, i: int) -> float:
    s = 0.0
    for k in range(i + 1):
        s += x[k] * x[k] * x[0]
    return s


def caught(x: Any, i: int) -> float:
    s = x[0] * x[0]
    try:
        s += x[i] * x[i]
    except Exception:
        s += 3.0 * x[1]
    return s


BODIES = (read, write, update, plane, row, fancy, scattered, callee, in_list, within)


def _reverse(f: Any, x: Any, dx: Any, i: int) -> Any:
    return autodiff(Reverse, f, Active, Duplicated(x, dx), Const(i))


def _forward(f: Any, x: Any, dx: Any, i: int) -> Any:
    return autodiff(Forward, f, Duplicated(x, dx), Const(i))


def _split(f: Any, x: Any, dx: Any, i: int) -> Any:
    types = Duplicated[typeof(x)], Const[int]
    ahead, back = autodiff_thunk(ReverseSplitWithPrimal, Const[typeof(f)], Active, *types)
    given = Const(f), Duplicated(x, dx), Const(i)
    return back(*given, 1.0, ahead(*given)[0])


def _gradient(f: Any, x: Any, dx: Any, i: int) -> Any:
    return grad(f)(x, i)


def _columns(f: Any, x: Any, dx: Any, i: int) -> Any:
    return jacfwd(f)(x, i)


def _second(f: Any, x: Any, dx: Any, i: int) -> Any:
    return hvp(f, x, np.ones_like(x), i)


CHECKED = {body: checked(body) for body in BODIES}
MODES = (_reverse, _forward, _split, _gradient, _columns, _second)


@pytest.mark.parametrize("index", [4, -5])
@pytest.mark.parametrize("mode", MODES, ids=lambda m: m.__name__[1:])
def test_outside(mode: Callable[..., Any], index: int) -> None:
    for body in BODIES:
        if (body, index) in ((plane, -5), (within, -5)):  # inside of the array; no run
            continue
        f = CHECKED[body]
        memory, shadows = np.arange(ROOM) + 1.0, np.ones(ROOM)
        x, dx = memory[8:12], shadows[8:12]
        with pytest.raises(IndexError):
            f(x.copy(), index)
        with pytest.raises(IndexError) as raised:
            mode(f, x, dx, index)
        outside = np.r_[0:8, 12:ROOM]
        np.testing.assert_array_equal(memory[outside], outside + 1.0, err_msg=body.__name__)
        np.testing.assert_array_equal(shadows[outside], 1.0, err_msg=body.__name__)
        if body not in (fancy, scattered):  # numba's own functions test those
            shown = index - 2 if body is plane else index
            assert str(shown) in str(raised.value), body.__name__
            frames = traceback.extract_tb(raised.value.__traceback__)
            assert frames[-1].filename == __file__, body.__name__


@pytest.mark.parametrize("mode", MODES, ids=lambda m: m.__name__[1:])
def test_inside(mode: Callable[..., Any]) -> None:
    for body in BODIES:
        x = np.array([1.0, 2.0, 3.0, 4.0])
        one, other = np.ones(4), np.ones(4)
        found = mode(CHECKED[body], x.copy(), one, 3)
        expected = mode(njit(body), x.copy(), other, 3)
        np.testing.assert_equal(found, expected, err_msg=body.__name__)
        np.testing.assert_array_equal(one, other, err_msg=body.__name__)


def test_caught() -> None:
    f = checked(caught)
    x = np.array([1.0, 2.0])
    np.testing.assert_array_equal(grad(f)(x, 7), [2.0, 3.0])
    np.testing.assert_array_equal(grad(f)(x, 1), [2.0, 4.0])


def test_in_typed_lists_and_compiled_derivatives() -> None:
    def f(parts: Any, i: int) -> float:
        return parts[0][i] ** 2

    parts = typed.List([np.ones(2)])
    with pytest.raises(OutOfBoundsError, match="index 2 is out of bounds for axis 0 with size 2"):
        grad(checked(f))(parts, 2)
    inner = checked(read)

    @checked
    def outer(x: Any, i: int) -> Any:
        return grad(inner)(x, i)

    with pytest.raises(OutOfBoundsError, match="index -3 is out of bounds for axis 0 with size 2"):
        outer(np.ones(2), -3)


def test_stencils_stay_inside() -> None:
    @stencil
    def middle(a: Any) -> Any:
        return 0.5 * (a[-1] + a[1])

    @checked
    def f(x: Any) -> float:
        return (middle(x) ** 2).sum()

    np.testing.assert_allclose(grad(f)(np.array([1.0, 2.0, 3.0])), [2.0, 0.0, 2.0])


PROGRAM = """
import numpy as np
from enzyme import grad
def f(x, n):
    s = 0.0
    for i in range(n):
        s += x[i] * x[i + 1]
    return s
grad(f)(np.ones(3), 3)
"""


def test_environment_of_numba(tmp_path: Any) -> None:
    file = tmp_path / "model.py"
    file.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, str(file)],
        env={**os.environ, "NUMBA_BOUNDSCHECK": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "s += x[i] * x[i + 1]" in done.stderr
    assert done.stderr.endswith("index 3 is out of bounds for axis 0 with size 3\n")
