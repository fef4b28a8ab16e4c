"""`residuals` and `curve`: what least squares take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from enzyme.api.directions import value_of
from enzyme.errors import ActivityError
from enzyme.functional import jacfwd, jacrev
from enzyme.functional.arguments import signature_of
from enzyme.interop.scipy.parameters import Keywords, Parameters, pickled


@pickled
def residuals(
    f: Callable[..., Any], argnums: Any = 0, args: Sequence[Any] = (), *, x0: Any = None
) -> Keywords:
    """What `scipy.optimize.least_squares` takes of a function: the residuals and their Jacobian.

    Parameters are those of `objective`; `f` returns an array. The Jacobian is taken in forward mode where there are no
    more parameters than residuals, else in reverse mode.

    Returns
    -------
    Keywords
        ``fun`` and ``jac``, and ``x0`` as a vector if it was given.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.optimize import least_squares
    >>> from enzyme.interop.scipy import residuals
    >>> t = np.linspace(0.0, 2.0, 9)
    >>> problem = residuals(lambda p, t, y: p[0] * np.exp(-p[1] * t) - y, args=(t, 3.0 * np.exp(-0.5 * t)))
    >>> least_squares(x0=np.ones(2), **problem).x.round(6)
    array([3. , 0.5])
    """
    return vector_function(f, Parameters("residuals", argnums, args, x0))


def vector_function(f: Any, p: Parameters) -> Keywords:
    """A function of a vector with a vector as its value, and its Jacobian as a matrix."""
    forward, reverse = jacfwd(f, p.argnums), jacrev(f, p.argnums)

    def fun(x: Any, *more: Any) -> Any:
        return _vector(p.value(f, x, more))

    # How many there were last time says which mode is the cheaper one.
    known: list[int] = []

    def jac(x: Any, *more: Any) -> Any:
        size = np.size(x)
        if not known or not known[0] or not size:
            known[:] = [np.size(fun(x, *more))]
        if not size or not known[0]:
            return np.zeros((known[0], size))
        by = forward if size <= known[0] else reverse
        found = p.columns(by(*p.arguments(x, more)), size)
        known[:] = [len(found)]
        return found

    return p.keywords(fun=fun, jac=jac)


def _vector(value: Any) -> Any:
    if isinstance(value, tuple):
        raise ActivityError(
            what=f"a function that returns a tuple of {len(value)}",
            why="SciPy takes one vector",
            todo="return one array",
        )
    return np.ravel(value)


@pickled
def curve(f: Callable[..., Any]) -> Keywords:
    """What `scipy.optimize.curve_fit` takes of a model: the model, and its derivatives by its parameters.

    Parameters
    ----------
    f
        ``f(xdata, *parameters)``, which numba compiles; the parameters are floats. It returns an array.

    Returns
    -------
    Keywords
        ``f`` and ``jac``.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.optimize import curve_fit
    >>> from enzyme.interop.scipy import curve
    >>> t = np.linspace(0.0, 2.0, 9)
    >>> decay = curve(lambda t, a, k: a * np.exp(-k * t))
    >>> found, _ = curve_fit(xdata=t, ydata=3.0 * np.exp(-0.5 * t), **decay)
    >>> found.round(6)
    array([3. , 0.5])
    """
    parameters = signature_of(f).parameters
    if any(p.kind is p.VAR_POSITIONAL for p in parameters.values()):
        raise ActivityError(
            what="a curve with a parameter *args",
            why="SciPy counts the parameters of a model by its signature",
            todo="name the parameters: f(x, a, b), or use residuals with a vector of them",
        )
    places = tuple(range(1, len(parameters)))
    if not places:
        raise ActivityError(
            what="a curve without parameters", todo="let the parameters follow the data: f(x, a, b)"
        )
    slopes = jacfwd(f, places)

    # SciPy counts the parameters of the model by its signature.
    listed = [f"a{k}" for k in places]
    floats = ", ".join(f"float({name})" for name in listed)
    scope: dict[str, Any] = {"value_of": value_of, "f": f}
    exec(f"def curve(x, {', '.join(listed)}):\n    return value_of(f, (x, {floats}))\n", scope)

    def jac(x: Any, *parameters: Any) -> Any:
        found = slopes(x, *map(float, parameters))
        return np.stack([np.ravel(column) for column in found], axis=1)

    return Keywords(f=scope["curve"], jac=jac)
