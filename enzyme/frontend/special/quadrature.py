"""Integrals over half a line by a double exponential change of variable.

The integrand falls off exponentially at least and is analytic; the trapezoidal rule in `s` of
``w = scale * exp(s - exp(-s))`` then doubles its digits with every halving of the step. `NODES` are these w, and their
weights, for scale 1: the same for all integrals.
"""

from __future__ import annotations

import numpy as np

STEP = 1.0 / 16.0
_S = np.arange(-4.0, 6.5, STEP)
NODES = np.exp(_S - np.exp(-_S))
WEIGHTS = STEP * NODES * (1.0 + np.exp(-_S))
NODES.setflags(write=False)
WEIGHTS.setflags(write=False)

# For finite intervals, on (0, 1), as distances from both ends.
_T = np.arange(-4.0, 4.0 + STEP / 2, STEP)
_E = np.exp(-np.pi * np.sinh(_T))
FROM_LEFT = 1.0 / (1.0 + _E)
FINITE_WEIGHTS = STEP * np.pi * np.cosh(_T) * FROM_LEFT / (1.0 + 1.0 / _E)
FROM_LEFT.setflags(write=False)
FINITE_WEIGHTS.setflags(write=False)

# For panels in which the integrand has no features.
GAUSS, GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(20)
GAUSS.setflags(write=False)
GAUSS_WEIGHTS.setflags(write=False)
