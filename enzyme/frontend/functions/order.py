"""Functions of the order of numbers: medians, percentiles, sorted arrays.

Which number stands where is found out on a copy that has no derivative, with numba's own algorithms; then the numbers
are taken from where they stand. So nothing of a search is kept or run backwards. Equal numbers keep their order: where
the two in the middle are equal they are two elements all the same.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-call, untyped-decorator"

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable
from numba.np import arraymath, arrayobj

from enzyme.frontend.functions.stated import TARGET, constant, implements, with_derivative_of
from enzyme.frontend.numba_compat.functions import collect_percentiles, select_one, select_two


@register_jitable
def _place_of(items: Any, number: Any, rank: Any) -> Any:
    """Where the number of a rank stands, counted from zero; equal numbers rank in their order."""
    before = rank
    for i in range(len(items)):
        before -= int(items[i] < number)
    place = 0
    for i in range(len(items)):
        if items[i] == number or (number != number and items[i] != items[i]):
            place = i
            if before <= 0:
                break
            before -= 1
    return place


@register_jitable
def _copy_of(items: Any, dtype: Any) -> Any:
    """The numbers of an array, without a derivative."""
    copy = np.empty(len(items), dtype)
    for i in range(len(items)):
        copy[i] = constant(dtype(items[i]))
    return copy


@register_jitable
def _number_of_missing(items: Any) -> Any:
    missing = 0
    for i in range(len(items)):
        missing += int(np.isnan(items[i]))
    return missing


@register_jitable
def _without_missing(items: Any, missing: Any) -> Any:
    if missing > 0:
        items = items[~np.isnan(items)]
    return items


def _line(a: Any) -> Any:
    """A function that gives an array of this type as one of one dimension, without a copy if it can."""
    is_line = isinstance(a, types.Array) and a.ndim == 1

    @register_jitable
    def line(a: Any) -> Any:
        if is_line:
            return a
        return np.asarray(a).ravel()

    return line


# Medians ------------------------------------------------------------------------------------------


@register_jitable
def _median(items: Any) -> Any:
    count = len(items)
    work = _copy_of(items, items.dtype.type)
    half = count >> 1
    if count & 1 == 0:
        lower, upper = select_two(work, half - 1, 0, count - 1)
        below = items[_place_of(items, lower, half - 1)]
        above = items[_place_of(items, upper, half)]
        return with_derivative_of((lower + upper) / 2, (below + above) / 2)
    number = select_one(work, half, 0, count - 1)
    return with_derivative_of(number, items[_place_of(items, number, half)])


@overload(np.median, target=TARGET)
def np_median(a: Any) -> Any:
    """``np.median(a)``."""
    if not isinstance(a, types.Array) or not isinstance(a.dtype, types.Float):
        return None
    line = _line(a)

    def median(a: Any) -> Any:
        if a.size == 0:
            return np.nan
        return _median(line(a))

    return median


@overload(np.nanmedian, target=TARGET)
def np_nanmedian(a: Any) -> Any:
    """``np.nanmedian(a)``."""
    if not isinstance(a, types.Array) or not isinstance(a.dtype, types.Float):
        return None
    line = _line(a)

    def nanmedian(a: Any) -> Any:
        items = line(a)
        missing = _number_of_missing(items)
        if missing == len(items):
            return np.nan
        return _median(_without_missing(items, missing))

    return nanmedian


# Percentiles --------------------------------------------------------------------------------------


@register_jitable
def _percentile(items: Any, work: Any, percentage: Any) -> Any:
    """Numba's number, of items without nan, with the slope of the interpolation between the two next in order.

    Which items these are is found out on a copy, which is left in another order.
    """
    count = len(items)
    if count == 1 or percentage == 0 or percentage == 100:
        value = collect_percentiles(work, np.full(1, percentage, dtype=np.float64))[0]
        if count == 1:
            return with_derivative_of(value, items[0])
        # The two next to the end, from a copy of their own: numba has not changed the order here.
        work = work.copy()
    below = (count - 1) * np.true_divide(percentage, 100.0)
    k = min(max(math.floor(1 + below) - 1, 0), count - 2)
    lower, upper = select_two(work, k=k, low=0, high=count - 1)
    if percentage != 0 and percentage != 100:
        share = 1 + below - math.floor(1 + below)
        value = lower * (1 - share) + upper * share
    one, other = items[_place_of(items, lower, k)], items[_place_of(items, upper, k + 1)]
    return with_derivative_of(value, one * (1 - (below - k)) + other * (below - k))


@register_jitable
def _present(items: Any, skip_nan: Any) -> Any:
    """The items that count, and whether they have no percentiles."""
    missing = _number_of_missing(items)
    if missing > 0 and not skip_nan:
        return items, True
    items = _without_missing(items, missing)
    nothing = skip_nan and len(items) == 0
    return items, nothing or (len(items) == 1 and not np.isfinite(items[0]))


@register_jitable
def _one_of(items: Any, percentage: Any, skip_nan: Any) -> Any:
    """One percentile of a one-dimensional array."""
    items, has_none = _present(items, skip_nan)
    if has_none:
        return np.nan
    return _percentile(items, _copy_of(items, np.float64), percentage)


@register_jitable
def _several_of(items: Any, percentages: Any, skip_nan: Any) -> Any:
    """Percentiles of a one-dimensional array, one after the other on one copy, as numba finds them."""
    items, has_none = _present(items, skip_nan)
    if has_none:
        return np.full(len(percentages), np.nan)
    work = _copy_of(items, np.float64)
    found = np.empty(len(percentages), dtype=np.float64)
    for i in range(len(percentages)):
        found[i] = _percentile(items, work, percentages[i])
    return found


def _state_percentile(theirs: Any, numba: Any, skip_nan: bool, factor: float, check_q: Any) -> None:
    @overload(theirs, target=TARGET)
    def percentile(a: Any, q: Any) -> Any:
        numba(a, q)  # what numba refuses
        flat = _line(a)

        def of_number(a: Any, q: Any) -> Any:
            percentages = np.empty(1, dtype=np.float64)
            percentages[0] = q[()] if is_array else q
            check_q(percentages)
            return _one_of(flat(a), percentages[0] * factor, skip_nan)

        def of_array(a: Any, q: Any) -> Any:
            percentages = np.asarray(q, dtype=np.float64).flatten()
            check_q(percentages)
            return _several_of(flat(a), percentages * factor, skip_nan)

        is_array = isinstance(q, types.Array)
        is_number = isinstance(q, (types.Number, types.Boolean))
        return of_number if is_number or (is_array and q.ndim == 0) else of_array


for _theirs, _numba, _skip_nan, _factor, _check in (
    (np.percentile, arraymath.np_percentile, False, 1.0, arraymath.percentile_is_valid),
    (np.nanpercentile, arraymath.np_nanpercentile, True, 1.0, arraymath.percentile_is_valid),
    (np.quantile, arraymath.np_quantile, False, 100.0, arraymath.quantile_is_valid),
    (np.nanquantile, arraymath.np_nanquantile, True, 100.0, arraymath.quantile_is_valid),
):
    _state_percentile(_theirs, _numba, _skip_nan, _factor, _check)


# Sorted arrays ------------------------------------------------------------------------------------


def _sort_of(kind: str, dtype: Any) -> Any:
    """A function that sorts one row in place."""
    order_of = arrayobj.get_sort_func(
        kind=kind, lt_impl=arrayobj.lt_implementation(dtype), is_argsort=True
    )

    @register_jitable
    def sort(row: Any) -> None:
        count = len(row)
        order = order_of(_copy_of(row, row.dtype.type))
        inorder = np.empty(count, row.dtype)
        for i in range(count):
            inorder[i] = row[order[i]]
        for i in range(count):
            row[i] = inorder[i]

    return sort


@implements(arrayobj.array_sort)
def array_sort(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """``a.sort()``, along the last axis."""
    kind, array = sig.args[1].literal_value, sig.args[0]
    if not isinstance(array.dtype, types.Float):
        return arrayobj.array_sort(context, builder, sig, args)
    sort = _sort_of(kind, array.dtype)

    def of_line(a: Any) -> None:
        sort(a)

    def of_rows(a: Any) -> None:
        for place in np.ndindex(a.shape[:-1]):
            sort(a[place])

    sort_all = of_line if array.ndim == 1 else of_rows
    return context.compile_internal(builder, sort_all, sig.replace(args=sig.args[:1]), args[:1])
