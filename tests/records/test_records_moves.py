"""Numbers that are moved through a view of another type keep their derivatives, or are refused.

By default every way of moving is met once; with ALL_MOVES in the environment, every cell of the table is.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff
from enzyme.errors import EnzymeNoDerivativeError
from tests.records.moves import MOVES, Cell, all_cells, run, some_cells

pytestmark = pytest.mark.rotating(18)

CELLS = all_cells() if "ALL_MOVES" in os.environ else some_cells()
RECORD = np.dtype([("a", "f8"), ("n", "i8")])


def records(numbers, integers=(1, 2, 3, 4)):
    made = np.zeros(len(numbers), RECORD)
    made["a"], made["n"] = numbers, integers
    return made


def test_everything_is_met():
    assert {cell.move for cell in CELLS} == set(MOVES)
    assert any(cell.must_work for cell in CELLS)


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_cell(cell: Cell):
    run(cell)


def moves_words(t, u):
    u.view(np.int64)[:] = t.view(np.int64)
    s = 0.0
    for r in u:
        s += r.a * r.a * r.n
    return s


def test_words_that_are_floats_and_integers_by_turns_are_refused_in_words():
    t, u = records([1.0, 2.0, 3.0, 4.0]), records(np.zeros(4))
    dt, du = records(np.zeros(4)), records(np.zeros(4))
    with pytest.raises(EnzymeNoDerivativeError) as caught:
        autodiff(Reverse, njit(moves_words), Active, Duplicated(t, dt), Duplicated(u, du))
    text = str(caught.value)
    assert "through a view of another type" in text and "whole arrays, records or fields" in text
    assert "test_records_moves.py" in text and "u.view(np.int64)[:] = t.view(np.int64)" in text


def steered(t, y):
    """Bytes and integer fields that only choose: of constants and of what is differentiated."""
    h = np.uint64(14695981039346656037)
    for byte in t.view(np.uint8):
        h = (h ^ np.uint64(byte)) * np.uint64(1099511628211)
    words = t.view(np.int64)
    counts = np.zeros(len(t), np.int64)
    for i in range(len(t)):
        counts[i] = words[2 * i + 1] % 3
    s = t[h % np.uint64(len(t))].a ** 2
    for i in range(len(t)):
        s += t[i].a * y[counts[i]] * t[i].n
    return s


def chosen_by(t):
    h = 14695981039346656037
    for byte in t.tobytes():
        h = (h ^ byte) * 1099511628211 % 2**64
    return h % len(t)


@pytest.mark.parametrize("mode", [Forward, Reverse])
def test_bits_that_only_steer_are_constants(mode):
    t, y, direction = (
        records([0.3, 1.0, 2.0, 0.7]),
        np.array([2.0, 3.0, 5.0]),
        [1.0, 2.0, -1.0, 0.5],
    )
    expected = y[t["n"] % 3] * t["n"]
    expected[chosen_by(t)] += 2.0 * t[chosen_by(t)]["a"]
    function = njit(steered)
    if mode is Forward:
        (found,) = autodiff(mode, function, Duplicated(t, records(direction)), Const(y))
        assert abs(found - expected @ direction) < 1e-12
        return
    shadow = records(np.zeros(4))
    autodiff(mode, function, Active, Duplicated(t, shadow), Const(y))
    np.testing.assert_allclose(shadow["a"], expected, rtol=1e-14)
    np.testing.assert_array_equal(shadow["n"], t["n"])


def counted(t, x):
    """Integers that are made from bytes, and kept beside numbers."""
    w = np.zeros(len(t), t.dtype)
    for i in range(len(t)):
        w[i].a = t[i].a * x[i]
        w[i].n = t[i].n
    for byte in w.view(np.uint8):
        w[byte % 4].n += 1
    for k in range(1, 2 * len(t), 2):
        w.view(np.int64)[k] ^= 7
    s = 0.0
    for r in w:
        s += r.a * r.a + 0.0 * r.n
    return s


def test_integer_fields_are_changed_through_views():
    t, x = records([0.3, 1.0, 2.0, 0.7]), np.array([2.0, 3.0, 5.0, 1.0])
    dt, dx = records(np.zeros(4)), np.zeros(4)
    autodiff(Reverse, njit(counted), Active, Duplicated(t, dt), Duplicated(x, dx))
    np.testing.assert_allclose(dt["a"], 2.0 * t["a"] * x**2, rtol=1e-14)
    np.testing.assert_allclose(dx, 2.0 * t["a"] ** 2 * x, rtol=1e-14)


def through_buffer(t):
    u = np.zeros(len(t), t.dtype)
    q, p = np.frombuffer(t, np.uint8), np.frombuffer(u, np.uint8)
    for k in range(len(q)):
        p[k] = q[k]
    return (u.a * u.a).sum()


def through_halves(t):
    u = np.zeros(len(t), t.dtype)
    for i in range(len(t)):
        u[i].low = t[i].low
        u[i].high = t[i].high
    return (u.a * u.a).sum()


HALVES = np.dtype(
    {"names": ["a", "low", "high"], "formats": ["f8", "i4", "i4"], "offsets": [0, 0, 4]}
)


@pytest.mark.parametrize("function, dtype", [(through_buffer, RECORD), (through_halves, HALVES)])
def test_other_ways_to_look_at_bytes_are_refused(function, dtype):
    t, shadow = np.zeros(3, dtype), np.zeros(3, dtype)
    with pytest.raises(EnzymeNoDerivativeError, match="floats packed into an integer"):
        autodiff(Reverse, njit(function), Active, Duplicated(t, shadow))


def test_fields_that_share_their_bytes_whole_are_one_number():
    both = np.dtype({"names": ["a", "word"], "formats": ["f8", "i8"], "offsets": [0, 0]})

    @njit
    def moves_words_of(t):
        u = np.zeros(len(t), t.dtype)
        for i in range(len(t)):
            u[i].word = t[i].word
        return (u.a * u.a).sum()

    t, shadow = np.zeros(3, both), np.zeros(3, both)
    t["a"] = [1.0, 2.0, 3.0]
    autodiff(Reverse, moves_words_of, Active, Duplicated(t, shadow))
    np.testing.assert_array_equal(shadow["a"], [2.0, 4.0, 6.0])
