"""Packed records, and records with gaps between or behind their fields, are moved like others: every layout with every
way to move."""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff

pytestmark = pytest.mark.rotating(14)

INNER = np.dtype([("k", np.int8), ("a", np.float64)], align=True)
LAYOUTS = {
    "packed": np.dtype([("m", np.int32), ("x", np.float64)]),
    "packed with a byte": np.dtype([("m", np.int8), ("x", np.float64), ("n", np.int16)]),
    "behind": np.dtype([("x", np.float64), ("m", np.int32)], align=True),
    "between": np.dtype([("m", np.int8), ("x", np.float64), ("n", np.int16)], align=True),
    "anywhere": np.dtype(
        {"names": ["x", "m"], "formats": [np.float64, np.int16], "offsets": [5, 21], "itemsize": 27}
    ),
    "single": np.dtype([("x", np.float32), ("y", np.float64), ("m", np.int8)], align=True),
    "nested": np.dtype([("m", np.int8), ("inner", INNER), ("x", np.float64)], align=True),
    "nested arrays": np.dtype(
        [("inner", INNER, (2,)), ("x", np.float64), ("m", np.int8)], align=True
    ),
    "floats alone": np.dtype(
        {
            "names": ["x", "m"],
            "formats": [np.float64, np.float64],
            "offsets": [8, 24],
            "itemsize": 40,
        }
    ),
}
MOVES = {
    "sorted": "u = t[np.argsort(t.x)]",
    "picked": "u = t[np.array([2, 0, 2, 1])]",
    "chosen": "u = t[t.x > -9.0]",
    "one to another": "t[2] = t[0]\n    t[0].x = t[2].x * t[1].x\n    u = t",
    "filled": "u = np.empty(4, t.dtype)\n    u[:] = t\n    u[3] = t[1]",
    "turned": "u = t[::-1].copy()\n    u[1:3] = t[:2]",
    "one": "n = 1\n    u = t[:1].copy()\n    t[1].x = u[0].x * t[2].x\n    u = t",
    "one alone": "u = t[2:3].copy()",
    "joined": "u = np.concatenate((t, t[:2]))",
    "exchanged": "u = t.copy()\n    for i in range(2):\n        u[i], u[3 - i] = t[3 - i], t[i]",
}
TOTAL = """
    s = 0.0
    for i in range(len(u)):
        s += u[i].x * u[i].x * (i + 1) * u[i].m
    return s
"""


def table(layout, rng):
    made = np.zeros(4, layout)
    made["x"] = rng.normal(size=4)
    made["m"] = rng.integers(1, 5, 4)
    return made


EVERY = list(itertools.product(LAYOUTS, MOVES))
# Every third, with ALL_RECORDS in the environment all; each layout and each move is met.
SOME = EVERY if "ALL_RECORDS" in os.environ else EVERY[::3]


def test_everything_is_met():
    assert {layout for layout, _ in SOME} == set(LAYOUTS)
    assert {move for _, move in SOME} == set(MOVES)


@pytest.mark.parametrize(("layout", "move"), SOME)
def test_records_with_gaps(layout, move):
    scope = {"np": np}
    exec(f"def f(t):\n    {MOVES[move]}{TOTAL}", scope)
    rng = np.random.default_rng(1)
    f, t = njit(scope["f"]), table(LAYOUTS[layout], rng)
    dt, tangent = np.zeros_like(t), np.zeros_like(t)
    autodiff(Reverse, f, Active, Duplicated(t.copy(), dt))
    tangent["x"] = rng.normal(size=4)
    (forward,) = autodiff(Forward, f, Duplicated(t.copy(), tangent.copy()))
    slope = []
    for step in (0.25, -0.25):
        other = t.copy()
        other["x"] += step * tangent["x"]
        slope.append(f(other) / 0.5)
    single = LAYOUTS[layout]["x"] == np.float32
    np.testing.assert_allclose(dt["x"] @ tangent["x"], forward, rtol=1e-4 if single else 1e-12)
    if move not in ("one to another", "one", "sorted"):  # of degree two, without jumps
        np.testing.assert_allclose(forward, slope[0] - slope[1], rtol=1e-4 if single else 1e-10)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_records_that_only_constants_index(layout):
    """Nothing but the type of the array tells where its numbers are."""
    length = "12n"[list(LAYOUTS).index(layout) % 3]
    scope = {"np": np}
    exec(f"def f(t, n):\n    r = t[:{length}].copy()\n    return r[0].x * t[1].x\n", scope)
    t = table(LAYOUTS[layout], np.random.default_rng(1))
    dt = np.zeros_like(t)
    dt["m"] = -1
    autodiff(Reverse, njit(scope["f"]), Active, Duplicated(t, dt), Const(2))
    np.testing.assert_array_equal(dt["x"], [t["x"][1], t["x"][0], 0.0, 0.0])
    assert (dt["m"] == -1).all()
