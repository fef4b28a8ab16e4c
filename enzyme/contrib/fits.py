"""Least squares as a step with a derivative: where ``|r(x, p)|^2`` is least its gradient is zero."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def, no-any-return"

from __future__ import annotations

import inspect
from typing import Any

import numba
import numpy as np

from enzyme.api.combined import autodiff
from enzyme.api.values import jitted
from enzyme.contrib.implicit import divide, root
from enzymecore import Active, Const, Duplicated, DuplicatedNoNeed, Forward, Reverse

__all__ = ["least_squares"]

# The function may compute in its argument.
_FIT = """
def residuals(x{p}):
    return given(x.copy(){p})

def cost(x{p}):
    r = residuals(x{p})
    return 0.5 * np.sum(r * r)

def slope(x{p}):
    x = np.ascontiguousarray(x)
    d = np.zeros_like(x)
    autodiff(Reverse, cost, Active, Duplicated(x, d){constants})
    return d

def columns(x, r{p}):
    j = np.empty((r.size, x.size))
    d = np.zeros_like(x)
    for k in range(x.size):
        d[k] = 1.0
        j[:, k] = autodiff(Forward, residuals, DuplicatedNoNeed, Duplicated(x, d){constants})[0]
        d[k] = 0.0
    return j

def fit(x0{p}):
    x = x0.copy()
    damping = 1e-3
    r = residuals(x{p})
    least = np.sum(r * r)
    for _ in range(maxiter):
        j = columns(x, r{p})
        normal = j.T @ j
        right = j.T @ r
        while True:
            damped = normal.copy()
            for k in range(len(x)):
                damped[k, k] += damping * max(normal[k, k], tiny)
            step = divide(damped, right)
            size = np.abs(step).max()
            tried = x - step
            r = residuals(tried{p})
            found = np.sum(r * r)
            if found <= least * (1.0 + 1e-14):  # else rounding would end it far too soon
                break
            if size <= tol * (1.0 + np.abs(x).max()):
                return x
            damping *= 4.0
        x = tried
        least = found
        damping *= 0.25
        if size <= tol * (1.0 + np.abs(x).max()):
            return x
    raise ArithmeticError(message)
"""


def least_squares(
    residuals: Any, solver: Any = None, *, tol: float = 1e-12, maxiter: int = 200
) -> Any:
    """A function that finds the `x` where the squares of ``residuals(x, *parameters)`` sum up to the least.

    Parameters
    ----------
    residuals
        A function that numba can compile, of a float64 vector `x` and of parameters, floats and arrays; it returns a
        vector, of whatever length. It may compute in `x`, which is a copy, but not in parameters.
    solver
        ``solver(x0, *parameters)``; left out, the method of Levenberg and Marquardt with exact Jacobians.
    tol
        It ends when the step is at most `tol`, relative to ``1 + |x|``.
    maxiter
        The most steps; one more raises `ArithmeticError`.

    Returns
    -------
    function
        ``fit(x0, *parameters)``, jitted. Its derivatives are those of the point where the gradient is zero, with the
        whole Hessian of the sum and not the part of it that the method works with, so they are exact where residuals
        are left; that with respect to `x0` is zero. Where the Hessian is singular, as with parameters of the fit that
        nothing determines, they raise `ArithmeticError`.

    Examples
    --------
    How a rate that is fitted depends on the data:

    >>> import numpy as np
    >>> from enzyme import grad, least_squares
    >>> t = np.linspace(0.0, 2.0, 5)
    >>> fit = least_squares(lambda x, y: x[0] * np.exp(-x[1] * t) - y)
    >>> y = np.array([2.0, 1.3, 0.8, 0.5, 0.3])
    >>> x = fit(np.ones(2), y)
    >>> x.round(4)
    array([2.0131, 0.9204])
    >>> grad(lambda y: fit(np.ones(2), y)[1])(y).round(2)
    array([ 0.43, -0.17, -0.39, -0.42, -0.38])
    """
    function = jitted(residuals, 0)
    count = len(inspect.signature(function.py_func).parameters) - 1
    names = [f"p{k}" for k in range(count)]
    scope: dict[str, Any] = {
        "np": np,
        "given": function,
        "autodiff": autodiff,
        "divide": divide,
        **{kind.__name__: kind for kind in (Active, Const, Duplicated, DuplicatedNoNeed)},
        "Forward": Forward,
        "Reverse": Reverse,
        "tol": float(tol),
        "maxiter": int(maxiter),
        "tiny": 1e-300,
        "message": f"least_squares does not converge in {maxiter} steps",
    }
    source = _FIT.format(
        p="".join(f", {name}" for name in names),
        constants="".join(f", Const({name})" for name in names),
    )
    exec(compile(source, "<enzyme.least_squares>", "exec"), scope)
    for name in ("residuals", "cost", "slope", "columns", "fit"):
        scope[name] = numba.njit(scope[name])
    scope["slope"].py_func.__name__ = f"least_squares_of_{function.py_func.__name__}"
    return root(scope["slope"], scope["fit"] if solver is None else solver)
