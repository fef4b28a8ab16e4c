"""Functions of arrays that single out points: interpolation at its nodes, percentiles 0 and 100.

At a node numba returns the node's own value, which does not depend on where it was asked for. The derivative is
that of the interval to the right, at the last node of the one to the left; outside it is zero. The first and the
last percentile are a minimum and a maximum; how they depend on the percentage is told by the neighbour in order.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-call, untyped-decorator"

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable
from numba.np import arraymath

from enzyme.frontend.functions.reals import is_left_out
from enzyme.frontend.functions.stated import TARGET, differential, with_derivative_of
from enzyme.frontend.numba_compat.compilers import current_target


@register_jitable
def _on_the_line(slope: Any, x: Any, node: Any, value: Any) -> Any:
    return slope * (x - node) + value


@register_jitable
def _rescued(found: Any, slope: Any, x: Any, node: Any, value: Any, before: Any) -> Any:
    """Numba's second try, from the other end of the interval, where the first gave nan."""
    if np.isnan(found):
        found = _on_the_line(slope, x, node, value)
        if np.isnan(found) and before == value:
            found = before
    return found


def _interpolation(dtype: Any, is_complex: bool) -> Any:
    """Numba's algorithm for values of a type."""
    if is_complex:

        @register_jitable
        def slope_between(below: Any, above: Any, width: Any) -> Any:
            factor = np.true_divide(1, width)
            return (above.real - below.real) * factor + 1j * ((above.imag - below.imag) * factor)

        @register_jitable
        def inside(slope: Any, x: Any, left: Any, right: Any, below: Any, above: Any) -> Any:
            real = _on_the_line(slope.real, x, left, below.real)
            imag = _on_the_line(slope.imag, x, left, below.imag)
            real = _rescued(real, slope.real, x, right, above.real, below.real)
            imag = _rescued(imag, slope.imag, x, right, above.imag, below.imag)
            return real + 1j * imag

        @register_jitable
        def at_node(slope: Any, x: Any, node: Any, value: Any) -> Any:
            real = _on_the_line(slope.real, x, node, value.real)
            imag = _on_the_line(slope.imag, x, node, value.imag)
            return with_derivative_of(value, complex(real, imag))

        @register_jitable
        def not_a_number(x: Any) -> Any:
            return x + 1j * 0.0

    else:

        @register_jitable
        def slope_between(below: Any, above: Any, width: Any) -> Any:
            return np.true_divide(above - below, width)

        @register_jitable
        def inside(slope: Any, x: Any, left: Any, right: Any, below: Any, above: Any) -> Any:
            found = _on_the_line(slope, x, left, below)
            return _rescued(found, slope, x, right, above, below)

        @register_jitable
        def at_node(slope: Any, x: Any, node: Any, value: Any) -> Any:
            return with_derivative_of(value, _on_the_line(slope, x, node, value))

        @register_jitable
        def not_a_number(x: Any) -> Any:
            return x

    values_type = np.complex128 if is_complex else np.float64

    @register_jitable
    def interpolate(x: Any, xp: Any, fp: Any) -> Any:
        places = np.asarray(x, dtype=np.float64)
        nodes = np.asarray(xp, dtype=np.float64)
        values = np.asarray(fp, dtype=values_type)
        count = len(nodes)
        if count == 0:
            raise ValueError("array of sample points is empty")
        if count != len(values):
            raise ValueError("fp and xp are not of the same size.")
        if count == 1:
            return np.full(places.shape, fill_value=values[0], dtype=dtype)
        found = np.empty(places.shape, dtype=dtype)
        j = 0
        for i in range(places.size):
            place = places.flat[i]
            if np.isnan(place):
                found.flat[i] = not_a_number(place)
                continue
            j = arraymath.binary_search_with_guess(place, nodes, count, j)
            if j == -1:
                found.flat[i] = values[0]
            elif j == count or (j == count - 1 and nodes[j] == nodes[j - 1]):
                found.flat[i] = values[count - 1]
            else:
                k = min(j, count - 2)
                slope = slope_between(values[k], values[k + 1], nodes[k + 1] - nodes[k])
                if j == count - 1 or nodes[j] == place:
                    found.flat[i] = at_node(slope, place, nodes[j], values[j])
                else:
                    found.flat[i] = inside(
                        slope, place, nodes[j], nodes[j + 1], values[j], values[j + 1]
                    )
        return found

    return interpolate


_INTERPOLATION = {
    (np.dtype(kind), is_complex): _interpolation(kind, is_complex)
    for kind, is_complex in ((np.float64, False), (np.complex128, True))
}


@overload(np.interp, target=TARGET)
def np_interp(x: Any, xp: Any, fp: Any) -> Any:
    """``np.interp(x, xp, fp)``."""
    arraymath.np_interp(x, xp, fp)  # what numba refuses
    kind = np.result_type(arraymath.determine_dtype(fp), np.float64)
    interpolate = _INTERPOLATION.get((kind, kind.kind == "c"))
    if interpolate is None:
        return None

    def of_array(x: Any, xp: Any, fp: Any) -> Any:
        return interpolate(x, xp, fp)

    def of_number(x: Any, xp: Any, fp: Any) -> Any:
        return interpolate(x, xp, fp).flat[0]

    return of_number if isinstance(x, types.Number) else of_array


# Phases -------------------------------------------------------------------------------------------


@overload(np.unwrap, target=TARGET)
def np_unwrap(p: Any, discont: Any = None, axis: Any = -1, period: Any = 6.283185307179586) -> Any:
    """``np.unwrap``: each phase plus a whole number of periods; numba puts half a period in place of jumps by one."""
    unwrapped = register_jitable(arraymath.numpy_unwrap(p, discont, axis, period))
    if not isinstance(p, types.Array) or not isinstance(p.dtype, types.Float):
        return None

    def impl(p: Any, discont: Any = None, axis: Any = -1, period: Any = 6.283185307179586) -> Any:
        found = unwrapped(p, discont, axis, period)
        for index, phase in np.ndenumerate(p):
            value = found[index]
            periods = np.rint((value - phase) / period)
            found[index] = with_derivative_of(value, phase + differential(periods, period))
        return found

    return impl


# Outer products -----------------------------------------------------------------------------------


@overload(np.outer, target=TARGET, inline="always")
def np_outer(a: Any, b: Any, out: Any = None) -> Any:
    """``np.outer`` of vectors, as the array expression that it is; numba's has shapes that only the run tells.

    Numba asks all overloads which are for inlining, whatever their target.
    """
    if current_target() != TARGET:
        return None
    vectors = all(isinstance(x, types.Array) and x.ndim == 1 for x in (a, b))
    if not vectors or not is_left_out(out):
        return None

    def impl(a: Any, b: Any, out: Any = None) -> Any:
        return a[:, None] * b

    return impl


# Rolling ------------------------------------------------------------------------------------------


@register_jitable
def _copy_rolled(source: Any, target: Any, shift: int) -> None:
    count = source.size
    if count > 0:
        begin = shift % count
        for i in range(count - begin):
            target[begin + i] = source[i]
        for i in range(begin):
            target[i] = source[count - begin + i]


@overload(np.roll, target=TARGET)
def np_roll(a: Any, shift: Any) -> Any:
    """``np.roll(a, shift)`` as two copies; numba's takes a remainder for each element."""
    if not isinstance(a, types.Array) or not isinstance(shift, (types.Integer, types.Boolean)):
        return None

    def line(a: Any, shift: Any) -> Any:
        found = np.empty(a.size, a.dtype)
        _copy_rolled(a, found, int(shift))
        return found

    def rows(a: Any, shift: Any) -> Any:
        found = np.empty(a.shape, a.dtype)
        _copy_rolled(a.ravel(), found.ravel(), int(shift))
        return found

    return line if a.ndim == 1 else rows
