"""Hypothesis strategies for the arguments of differentiable functions, and for their tangents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from enzyme_testutils.activities import combinations
from enzyme_testutils.vectors import to_vec
from enzymecore import Annotation


def scalars(
    low: float = -9.0,
    high: float = 9.0,
    *,
    dtype: Any = np.float64,
    kinks: Sequence[float] = (),
    distance: float = 0.05,
) -> st.SearchStrategy[Any]:
    """Return a strategy for numbers away from the kinks of a function.

    Parameters
    ----------
    low, high
        The bounds, of real and imaginary part for complex numbers.
    dtype
        float64 gives Python's own floats, complex128 its complex numbers, others numpy's scalars.
    kinks
        Where the function has no derivative.
    distance
        How far away from them the numbers stay.

    Examples
    --------
    >>> import hypothesis
    >>> @hypothesis.given(scalars(kinks=[0.0]))
    ... def check(x):
    ...     assert abs(x) >= 0.05
    >>> check()
    """
    wanted = np.dtype(dtype)
    if wanted.kind not in "fc":
        raise ValueError(f"a floating type is needed, not {wanted}")

    def clear(x: float) -> bool:
        return all(abs(x - kink) >= distance for kink in kinks)

    single = wanted.itemsize // (2 if wanted.kind == "c" else 1) == 4
    real = st.floats(
        low,
        high,
        allow_nan=False,
        allow_infinity=False,
        allow_subnormal=False,
        width=32 if single else 64,
    ).filter(clear)
    if wanted == np.float64:
        return real
    if wanted.kind == "f":
        return real.map(wanted.type)
    pairs = st.tuples(real, real).map(lambda parts: complex(*parts))
    return pairs if wanted == np.complex128 else pairs.map(wanted.type)


def arrays(
    shape: Any = None,
    low: float = -9.0,
    high: float = 9.0,
    *,
    dtype: Any = np.float64,
    kinks: Sequence[float] = (),
    distance: float = 0.05,
) -> st.SearchStrategy[np.ndarray[Any, Any]]:
    """Return a strategy for arrays of such numbers.

    Parameters
    ----------
    shape
        A shape, or a strategy for shapes; one or two dimensions of up to five if not given.
    low, high, dtype, kinks, distance
        As for `scalars`.

    Examples
    --------
    >>> import hypothesis
    >>> @hypothesis.given(arrays((2, 3)))
    ... def check(x):
    ...     assert x.shape == (2, 3)
    >>> check()
    """
    if shape is None:
        shape = hnp.array_shapes(min_dims=1, max_dims=2, min_side=1, max_side=5)
    elements = scalars(low, high, dtype=dtype, kinks=kinks, distance=distance)
    return hnp.arrays(np.dtype(dtype), shape, elements=elements)


def tangents(x: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for tangents of a value: the same structure, floats of the grid −9, −8.99, …, 9.

    Examples
    --------
    >>> import hypothesis
    >>> @hypothesis.given(tangents((1.0, 2)))
    ... def check(dx):
    ...     assert abs(dx[0]) <= 9 and dx[1] == 2
    >>> check()
    """
    vector, rebuild = to_vec(x)
    grid = st.integers(-900, 900).map(lambda k: k / 100.0)
    return st.lists(grid, min_size=len(vector), max_size=len(vector)).map(rebuild)


def with_tangents(values: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, Any]]:
    """Return a strategy for pairs of a value and a tangent of it.

    Examples
    --------
    >>> import hypothesis
    >>> @hypothesis.given(with_tangents(arrays(3)))
    ... def check(pair):
    ...     assert pair[0].shape == pair[1].shape
    >>> check()
    """
    make: Callable[[Any], Any] = lambda x: st.tuples(st.just(x), tangents(x))  # noqa: E731
    return values.flatmap(make)


def activities(
    ret: Sequence[type[Annotation]], *arguments: Sequence[type[Annotation]]
) -> st.SearchStrategy[tuple[type[Annotation], ...]]:
    """Return a strategy for compatible activities: of the result, then of each argument.

    Examples
    --------
    >>> import hypothesis
    >>> from enzyme import Active, Const
    >>> @hypothesis.given(activities((Const, Active), (Const, Active)))
    ... def check(chosen):
    ...     assert len(chosen) == 2
    >>> check()
    """
    return st.sampled_from(list(combinations(ret, *arguments)))
