"""Finite differences with steps that adapt to the function, and an estimate of what they are worth.

    f'(x) ≈ 1/h Σ cₖ f(x + gₖ h)

on an integer grid g, with the weights c of Fornberg's algorithm (package `finitediff`).  The step
balances round-off against truncation as FiniteDifferences.jl does it; then it is made smaller for
as long as that brings two neighbouring steps closer together, and their distance is the estimate
of the error.  Where the function is not finite on the grid the step shrinks, and at the edge of a
domain the grid becomes one-sided.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from enzyme_testutils.vectors import Vector, floats_of, precision, to_vec

Curve = Callable[[float], Vector]

# How flat a function is taken to be where its higher derivative cannot be estimated.
_CONDITION = 10.0
_EPS = float(np.finfo(np.float64).eps)
_SHRINK = 0.25
_TRIES = 24


class NotDifferentiableError(ArithmeticError):
    """The function has no finite value on either side of the point."""


class Estimate(NamedTuple):
    """A derivative and the error that it is believed to have, element by element."""

    value: Vector
    error: Vector


@lru_cache
def _weights(grid: tuple[int, ...], order: int) -> Vector:
    # Needs a C compiler to install, hence an extra and imported late.
    from finitediff import get_weights

    found: Vector = get_weights(np.array(grid, np.float64), 0.0, -1, order)[:, order]
    return found


@dataclass(frozen=True)
class FiniteDifferences:
    """A method of finite differences; made by `central_fdm`, `forward_fdm`, `backward_fdm`.

    Parameters
    ----------
    grid
        Where the function is evaluated, in steps.
    order
        Of the derivative.
    adapt
        Whether the step adapts to the function; else it follows from the precision alone.
    factor
        How much less precise than its type the function is.

    Examples
    --------
    >>> import math
    >>> abs(central_fdm(5, 1)(math.sin, 3.0) - math.cos(3.0)) < 1e-11
    True
    """

    grid: tuple[int, ...]
    order: int
    adapt: bool = True
    factor: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.order < len(self.grid):
            raise ValueError(
                f"{len(self.grid)} points do not give a derivative of order {self.order}"
            )

    @cached_property
    def weights(self) -> Vector:
        """One weight for each point of the grid, for a step of one."""
        return _weights(self.grid, self.order)

    def __call__(self, f: Callable[[float], Any], x: float) -> Any:
        """The derivative of a function of one float, which may return any structure of floats."""
        rebuild = to_vec(f(x))[1]
        found = self.estimate(lambda t: floats_of(f(x + t)), x, precision(f(x)))
        return rebuild(found.value)

    def estimate(self, curve: Curve, scale: float = 0.0, eps: float = _EPS) -> Estimate:
        """The derivative of a curve at zero.

        Parameters
        ----------
        curve
            Takes a displacement, returns a vector.
        scale
            The point that is displaced: steps that drown in its rounding are not taken.
        eps
            The precision of what the curve returns.

        Raises
        ------
        NotDifferentiableError
            If the curve is not finite at zero, or arbitrarily near to it on both sides.
        """
        values = _Values(curve)
        if not np.isfinite(values(0.0)).all():
            raise NotDifferentiableError("the function is not finite at the point itself")
        found = None
        for method in (self, *self._one_sided()):
            here = method._search(values, scale, eps)
            if here is not None and (found is None or here.error.sum() < found.error.sum()):
                found = here
            if method is self and found is not None and values.all_finite:
                break
        if found is None:
            raise NotDifferentiableError("the function is not finite near the point")
        return found

    def _one_sided(self) -> tuple[FiniteDifferences, ...]:
        """The methods with as many points on one side only."""
        count = len(self.grid)
        sides = (tuple(range(count)), tuple(range(1 - count, 1)))
        return tuple(
            FiniteDifferences(grid, self.order, self.adapt, self.factor)
            for grid in sides
            if grid != self.grid
        )

    def _at(self, values: _Values, step: float) -> Vector | None:
        """The formula itself; None where the function is not finite."""
        points = np.array([values(g * step) for g in self.grid])
        if not np.isfinite(points).all():
            return None
        found: Vector = self.weights @ points / step**self.order
        return found

    def _bounds(self) -> tuple[float, float]:
        """Factors of round-off and truncation: Σ|c| and Σ|c g^P| / P!."""
        points = len(self.grid)
        powers = np.abs(self.weights * np.array(self.grid, np.float64) ** points)
        return float(np.abs(self.weights).sum()), float(powers.sum() / math.factorial(points))

    def _balanced(self, noise: float, bend: float) -> float:
        """The step where round-off `noise` and truncation by a higher derivative `bend` are equal."""
        points, order = len(self.grid), self.order
        rounding, truncation = self._bounds()
        balance = order / (points - order) * noise * rounding / (bend * (truncation or 1.0))
        return float(balance ** (1 / points)) if order else 1e-3

    def _search(self, values: _Values, scale: float, eps: float) -> Estimate | None:
        size = float(np.abs(values(0.0)).max(initial=0.0)) or 1.0
        eps = eps * self.factor
        default = self._balanced(eps * size, _CONDITION * size)
        step = self._adapted(values, eps * size, default) if self.adapt else default
        smallest = 8 * _EPS * abs(scale)
        # Large enough for a second, smaller step to compare with.
        step = max(step, 4 * smallest)
        rounding = self._bounds()[0]
        best: Estimate | None = None
        last = None
        worse = 0
        for _ in range(_TRIES):
            here = self._at(values, step)
            if here is not None and last is not None:
                noise = rounding * eps * np.abs(values(0.0)) / step**self.order
                error = np.abs(here - last) + noise
                if best is None or error.sum() < best.error.sum():
                    best, worse = Estimate(here, error), 0
                else:
                    worse += 1
                if worse > 1 or error.sum() <= 100 * noise.sum():
                    break
            last = here
            step *= 0.5 if here is not None else _SHRINK
            if step < smallest:
                break
        return best

    def _adapted(self, values: _Values, noise: float, default: float) -> float:
        """The step from an estimate of the higher derivative that bounds the truncation."""
        points = len(self.grid)
        coarse = central_fdm(points + 2 + points % 2, points)
        step = coarse._balanced(noise, _CONDITION * noise / _EPS)
        for _ in range(_TRIES):
            bend = coarse._at(values, step)
            if bend is not None:
                largest = float(np.abs(bend).max(initial=0.0))
                return min(self._balanced(noise, largest), 1000 * default) if largest else default
            step *= _SHRINK
        return default


class _Values:
    """A curve that is not defined everywhere, evaluated once at each displacement."""

    def __init__(self, curve: Curve) -> None:
        self.curve = curve
        self.known: dict[float, Vector] = {}
        self.all_finite = True

    def __call__(self, displacement: float) -> Vector:
        if displacement not in self.known:
            try:
                with np.errstate(all="ignore"):
                    value = np.array(self.curve(displacement), np.float64)
            except (ArithmeticError, ValueError):
                if displacement == 0.0:
                    raise
                value = np.full_like(self(0.0), np.nan)
            if value.shape != self.known.get(0.0, value).shape:
                value = np.full_like(self(0.0), np.nan)
            self.all_finite &= bool(np.isfinite(value).all())
            self.known[displacement] = value
        return self.known[displacement]


def central_fdm(points: int, order: int, **options: Any) -> FiniteDifferences:
    """Return the method with `points` points around the point; a keyword is a field of the method.

    Examples
    --------
    >>> central_fdm(5, 1).grid
    (-2, -1, 0, 1, 2)
    >>> central_fdm(4, 1).grid
    (-2, -1, 1, 2)
    """
    half = points // 2
    grid = tuple(k for k in range(-half, half + 1) if k or points % 2)
    return FiniteDifferences(grid, order, **options)


def forward_fdm(points: int, order: int, **options: Any) -> FiniteDifferences:
    """Return the method that looks ahead only: for the left edge of a domain.

    Examples
    --------
    >>> import math
    >>> abs(forward_fdm(5, 1)(math.exp, 0.0) - 1.0) < 1e-10
    True
    """
    return FiniteDifferences(tuple(range(points)), order, **options)


def backward_fdm(points: int, order: int, **options: Any) -> FiniteDifferences:
    """Return the method that looks back only: for the right edge of a domain.

    Examples
    --------
    >>> backward_fdm(3, 1).grid
    (-2, -1, 0)
    """
    return FiniteDifferences(tuple(range(1 - points, 1)), order, **options)


DEFAULT = central_fdm(5, 1)


def jvp(fdm: FiniteDifferences, f: Callable[..., Any], *pairs: tuple[Any, Any]) -> Any:
    """Return J·ẋ for the pairs (x, ẋ) of arguments and tangents, in the structure of f's result.

    Examples
    --------
    >>> import numpy as np
    >>> jvp(central_fdm(5, 1), lambda x, y: x * y, (2.0, 1.0), (np.ones(2), np.zeros(2))).round(9)
    array([1., 1.])
    """
    primals, tangents = tuple(p for p, _ in pairs), tuple(t for _, t in pairs)
    return estimate_jvp(fdm, lambda args: f(*args), primals, floats_of(tangents))[0]


def estimate_jvp(
    fdm: FiniteDifferences, f: Callable[[Any], Any], x: Any, tangent: Vector, eps: float = 0.0
) -> tuple[Any, Any]:
    """Return J·ẋ of a function of one structure, and its error; both in the structure of the result."""
    start, rebuild_x = to_vec(x)
    result = f(rebuild_x(start))
    rebuild = to_vec(result)[1]
    length = float(np.abs(tangent).max(initial=0.0))
    if not length:
        zero = np.zeros(len(floats_of(result)))
        return rebuild(zero), rebuild(zero)
    direction = tangent / length
    found = fdm.estimate(
        lambda t: floats_of(f(rebuild_x(start + t * direction))),
        float(np.abs(start).max(initial=0.0)),
        eps or max(precision(x), precision(result)),
    )
    return rebuild(found.value * length), rebuild(found.error * length)


def jacobian(
    fdm: FiniteDifferences,
    f: Callable[[Any], Any],
    x: Any,
    eps: float = 0.0,
    columns: Iterable[int] | None = None,
) -> tuple[Vector, Vector]:
    """Return the matrix of all derivatives of a function of one structure, and that of their errors.

    A row for each float of the result, a column for each float of the argument; columns that are
    not asked for are zero.
    """
    start, rebuild = to_vec(x)
    result = f(rebuild(start))
    count = len(floats_of(result))
    values, errors = np.zeros((count, len(start))), np.zeros((count, len(start)))
    eps = eps or max(precision(x), precision(result))
    for k in range(len(start)) if columns is None else columns:

        def curve(t: float, k: int = k) -> Vector:
            moved = start.copy()
            moved[k] += t
            return floats_of(f(rebuild(moved)))

        values[:, k], errors[:, k] = fdm.estimate(curve, float(start[k]), eps)
    return values, errors


def vjp(fdm: FiniteDifferences, f: Callable[..., Any], cotangent: Any, *args: Any) -> Any:
    """Return Jᵀ·ȳ for a cotangent of the result's structure: a tuple with one entry for each argument.

    Complex numbers count as pairs of real ones, as everywhere in this project.

    Examples
    --------
    >>> dx, dy = vjp(central_fdm(5, 1), lambda x, y: x * y, 1.0, 3.0, 2.0)
    >>> round(dx, 9), round(dy, 9)
    (2.0, 3.0)
    """
    matrix, _ = jacobian(fdm, lambda held: f(*held), args)
    return to_vec(args)[1](matrix.T @ floats_of(cotangent))


def grad(fdm: FiniteDifferences, f: Callable[..., Any], *args: Any) -> Any:
    """Return the gradient of a real function: a tuple with one entry for each argument.

    Examples
    --------
    >>> import numpy as np
    >>> grad(central_fdm(5, 1), lambda x: x @ x, np.array([1.0, 2.0]))[0].round(9)
    array([2., 4.])
    """
    return vjp(fdm, f, 1.0, *args)
