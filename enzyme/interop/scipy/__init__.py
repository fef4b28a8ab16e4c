"""What SciPy's optimisers, fits and solvers take, with derivatives: dictionaries of keyword arguments.

>>> import numpy as np
>>> from scipy.optimize import minimize, rosen
>>> from enzyme.interop.scipy import objective
>>> def valley(x):
...     return (1.0 - x[0]) ** 2 + 100.0 * (x[1] - x[0] ** 2) ** 2
>>> found = minimize(x0=np.array([-1.0, 2.0]), method="trust-exact", **objective(valley, hess="dense"))
>>> bool(np.allclose(found.x, 1.0))
True
"""

from enzyme.interop.scipy.callbacks import low_level
from enzyme.interop.scipy.equations import equations, system
from enzyme.interop.scipy.fits import curve, residuals
from enzyme.interop.scipy.objectives import constraint, objective

__all__ = [
    "constraint",
    "curve",
    "equations",
    "low_level",
    "objective",
    "residuals",
    "system",
]
