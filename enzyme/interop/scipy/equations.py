"""`equations` and `system`: what solvers of equations and of differential equations take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from enzyme.api.directions import value_of
from enzyme.errors import ActivityError
from enzyme.functional import jacfwd
from enzyme.interop.scipy.compressed import Band, Pattern, compressed_jacobian
from enzyme.interop.scipy.fits import vector_function
from enzyme.interop.scipy.parameters import Keywords, Parameters, pickled


@pickled
def equations(
    f: Callable[..., Any], argnums: Any = 0, args: Sequence[Any] = (), *, x0: Any = None
) -> Keywords:
    """What `scipy.optimize.root` takes of ``f(x) = 0``: the function and its Jacobian.

    Parameters are those of `objective`; `f` returns an array. For `fsolve` the two are ``func`` and ``fprime``.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.optimize import fsolve, root
    >>> from enzyme.interop.scipy import equations
    >>> def crossing(x):
    ...     return np.array([x[0] ** 2 + x[1] ** 2 - 2.0, x[0] - x[1]])
    >>> problem = equations(crossing)
    >>> root(x0=np.array([2.0, 0.5]), **problem).x.round(6)
    array([1., 1.])
    >>> fsolve(problem.fun, np.array([2.0, 0.5]), fprime=problem.jac).round(6)
    array([1., 1.])
    """
    return vector_function(f, Parameters("equations", argnums, args, x0))


@pickled
def system(
    f: Callable[..., Any],
    args: Sequence[Any] = (),
    *,
    sparsity: Any = None,
    lband: int | None = None,
    uband: int | None = None,
) -> Keywords:
    """What `scipy.integrate.solve_ivp` takes of ``dy/dt = f(t, y, *args)``: the function and its Jacobian.

    Parameters
    ----------
    f
        A function that numba compiles, of a float, a vector and `args`; it returns a vector.
    args
        Its other arguments.
    sparsity
        For Radau and BDF: a matrix, dense or of `scipy.sparse`, that is not zero where ``f[i]`` depends on ``y[j]``.
        The Jacobian is sparse then, and takes one direction for each set of columns that share no row.
    lband, uband
        For LSODA: how many diagonals below and above the main one are not zero. The Jacobian is banded then, as LSODA
        takes it, and takes ``lband + uband + 1`` directions.

    Returns
    -------
    Keywords
        ``fun`` and ``jac``, and ``lband`` and ``uband`` if they were given.

    Raises
    ------
    ActivityError
        For a sparsity together with bands, and for a band without the other.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.integrate import solve_ivp
    >>> from enzyme.interop.scipy import system
    >>> def stiff(t, y, k):
    ...     return np.array([-k * y[0] + y[1], y[0] - k * y[1]])
    >>> found = solve_ivp(t_span=(0.0, 1.0), y0=np.array([1.0, 0.0]), method="Radau", **system(stiff, (100.0,)))
    >>> found.success, int(found.njev)
    (True, 1)
    """
    given = tuple(args) if isinstance(args, tuple | list) else (args,)
    bands = lband is not None or uband is not None
    wrong = [k for k in (lband, uband) if k is not None and (k < 0 or k != int(k))]
    if (bands and sparsity is not None) or (lband is None) != (uband is None) or wrong:
        raise ActivityError(
            what="a system with a pattern that is not one",
            todo="give sparsity, or both lband and uband, numbers of diagonals",
        )

    def fun(t: Any, y: Any, *more: Any) -> Any:
        return value_of(f, (float(t), y, *given, *more))

    made = Keywords(fun=fun)
    if bands:
        made["jac"] = compressed_jacobian(f, Band(lband, uband), given)
        made["lband"], made["uband"] = lband, uband
    elif sparsity is not None:
        made["jac"] = compressed_jacobian(f, Pattern(sparsity), given)
    else:
        dense = jacfwd(f, 1)
        made["jac"] = lambda t, y, *more: dense(float(t), np.asarray(y, float), *given, *more)
    return made
