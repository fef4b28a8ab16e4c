"""Integrals for derivatives in orders and parameters, where their integrands are long, narrow or beyond all numbers."""

from __future__ import annotations

import os

import mpmath as mp
import numpy as np
import pytest

from enzyme.frontend.special import bessel, hypergeometric

pytestmark = pytest.mark.skipif("EXHAUSTIVE" not in os.environ, reason="make exhaustive")

SMALL = (0.05, 1e-2, 1e-3, 2e-4)
ORDERS = (0.3, 2.0, 7.5, -1.5)
# What is compared, the function, the place of the operand, the points, how close.
TABLE = {
    "hyp1f1 a": (
        lambda a, b, x: hypergeometric.hyp1f1_parameter(a, b, x, False),
        mp.hyp1f1,
        0,
        [p for s in SMALL for p in ((1.0, 1.0 + s, 2.0), (s, 1.0, 2.0), (2.0, 2.0 + s, -3.0))],
    ),
    "hyp1f1 b": (
        lambda a, b, x: hypergeometric.hyp1f1_parameter(a, b, x, True),
        mp.hyp1f1,
        1,
        [p for s in SMALL for p in ((1.0, 1.0 + s, 2.0), (s, 1.0, 2.0), (2.0, 2.0 + s, -3.0))],
    ),
    "hyperu a": (
        lambda a, b, x: hypergeometric.hyperu_parameter(a, b, x, False),
        mp.hyperu,
        0,
        [p for s in SMALL for p in ((s, 1.0, 2.0), (s, 0.5, 30.0), (s, 3.5, 0.1))],
    ),
    "hyp2f1 a": (
        lambda a, b, c, x: hypergeometric.hyp2f1_parameter(a, b, c, x, False),
        mp.hyp2f1,
        0,
        [p for s in SMALL for p in ((0.7, 1.0, 1.0 + s, -5.0), (1.0, s, 0.7, 0.5))],
    ),
    "hyp2f1 c": (
        lambda a, b, c, x: hypergeometric.hyp2f1_parameter(a, b, c, x, True),
        mp.hyp2f1,
        2,
        [p for s in SMALL for p in ((0.7, 1.0, 1.0 + s, -5.0), (1.0, s, 0.7, 0.5))],
    ),
    "kv v": (
        lambda v, x: bessel.macdonald(v, x, 1, 0),
        mp.besselk,
        0,
        [(5.0, 690.0), (400.0, 745.0), (400.0, 800.0), (160.0, 3.0), (0.3, 1e-3)],
    ),
    "iv v": (
        lambda v, x: bessel.first_kind(v, x, 1, 1, 0),
        mp.besseli,
        0,
        [(5.0, 690.0), (400.0, 720.0), (1000.0, 1000.0), (-2.3, 5.0)],
    ),
    "yv v": (
        lambda v, x: bessel.second_kind(v, x, 1),
        mp.bessely,
        0,
        [(v, x) for v in ORDERS for x in (1e-3, 1.0, 100.0, 3e3, 1e5)],
    ),
    "jv v": (
        lambda v, x: bessel.first_kind(v, x, 1, 0, 0),
        mp.besselj,
        0,
        [(v, x) for v in ORDERS for x in (1e-3, 1.0, 100.0, 3e3, 1e5)],
    ),
}


@pytest.mark.parametrize("name", TABLE)
def test_far_out(name):
    found, function, place, points = TABLE[name]
    with mp.workdps(60):
        step = mp.mpf(10) ** -20
        for point in points:
            ahead, behind = list(map(mp.mpf, point)), list(map(mp.mpf, point))
            ahead[place] += step
            behind[place] -= step
            expected = (function(*ahead) - function(*behind)) / (2 * step)
            ratio = float(mp.mpf(found(*point)) / expected)
            # A wave of x radians is known to x times the rounding of its phase.
            close = 1e-7 if point[-1] > 1e3 else 3e-9
            np.testing.assert_allclose(ratio, 1.0, rtol=close, err_msg=str(point))
