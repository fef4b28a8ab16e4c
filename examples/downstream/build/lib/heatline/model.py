"""Heat along a line whose conductivity depends on the temperature, implicit in time."""

from __future__ import annotations

import numpy as np
from numba import njit

from heatline.materials import conductivity
from heatline.tridiagonal import solve


@njit
def heat(temperature, factor, steps):
    """Conduct heat for some steps, in place; the ends are insulated.

    Parameters
    ----------
    temperature
        float64[n], changed.
    factor
        Conductivity of cold material times step over the square of the spacing.
    steps
        How many.

    Returns
    -------
    float
        The highest temperature, smoothed.
    """
    n = len(temperature)
    beside, diagonal = np.empty(n - 1), np.empty(n)
    after = np.empty(n)
    for _ in range(steps):
        diagonal[:] = 1.0
        for i in range(n - 1):
            flow = factor * conductivity(0.5 * (temperature[i] + temperature[i + 1]))
            beside[i] = -flow
            diagonal[i] += flow
            diagonal[i + 1] += flow
        solve(beside, diagonal, beside, temperature, after)
        temperature[:] = after
    return np.log(np.sum(np.exp(temperature)))
