"""Properties of materials."""

from __future__ import annotations

import ctypes
import ctypes.util
import math

from numba import njit

import enzyme_rules

_erfc = ctypes.CDLL(ctypes.util.find_library("m")).erfc
_erfc.argtypes, _erfc.restype = [ctypes.c_double], ctypes.c_double


@njit
def conductivity(temperature):
    """Relative conductivity: one where it is cold, a quarter where it is hot."""
    return 0.25 + 0.375 * _erfc(temperature - 2.0)


# A call through a pointer has no derivative; this one statement gives all modes and widths.
enzyme_rules.easy_rule(
    conductivity,
    (
        lambda omega, temperature: (
            -0.75 / math.sqrt(math.pi) * math.exp(-((temperature - 2.0) ** 2))
        ),
    ),
)
