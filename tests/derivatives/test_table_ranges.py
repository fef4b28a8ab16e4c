"""Ranges hold what they say: every operation on sampled members of its operands' ranges."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest

from enzyme.engine.derivatives import bounds, ranges
from enzyme.engine.derivatives.catalogue import all_entries, find
from enzyme.engine.derivatives.ranges import ANYTHING, FINITE, NOTHING, Range, finite, number

INF, NAN = math.inf, math.nan
SAMPLES = [
    *(s * v for s in (1.0, -1.0) for v in (0.0, 5e-324, 1e-310, 1e-200, 1e-9, 0.5, 1.0, 2.0)),
    *(s * v for s in (1.0, -1.0) for v in (30.0, 79.0, 81.0, 710.0, 1e200, 1.7e308, INF)),
    NAN,
]
RANGES = [
    ANYTHING,
    FINITE,
    finite(0.0, INF),
    finite(1.0, INF),
    finite(-2.0, -0.5),
    finite(-1.0, 1.0),
    FINITE._replace(zero=False),
    FINITE._replace(nan=True),
    finite(0.5, 2.0)._replace(above=True),
    finite(-81.0, 30.0)._replace(below=True),
    number(INF),
    number(0.0),
    number(NAN),
]


def holds(found: Range, value: float) -> bool:
    """Is the value in the range?"""
    if math.isnan(value):
        return found.nan
    if math.isinf(value):
        return found.above if value > 0.0 else found.below
    return found.low <= value <= found.high and (value != 0.0 or found.zero)


def members(found: Range) -> list[float]:
    return [v for v in SAMPLES if holds(found, v)]


def quiet(function, *arguments: float) -> float:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return float(function(*map(np.float64, arguments)))


BINARY = {
    "add": (lambda x, y: ranges.add(x, y, True), lambda a, b: a + b),
    "multiply": (lambda x, y: ranges.multiply(x, y, True), lambda a, b: a * b),
    "divide": (lambda x, y: ranges.divide(x, y, True), lambda a, b: a / b),
    "join": (ranges.join, lambda a, b: b),
    "maxnum": (ranges.largest, np.fmax),
    "maximum": (ranges.largest, np.maximum),
    "minnum": (ranges.smallest, np.fmin),
    "select max": (ranges.largest, lambda a, b: a if a > b else b),
    "hypot": (lambda x, y: bounds.length([x, y], True), np.hypot),
    "copysign": (lambda x, y: bounds.with_sign([x, y], True), np.copysign),
    "atan2": (lambda x, y: bounds.angle([x, y], True), np.arctan2),
}


@pytest.mark.parametrize("name", BINARY)
def test_operations_on_two_numbers(name):
    of_ranges, of_numbers = BINARY[name]
    for x, y in itertools.product(RANGES, RANGES):
        found = of_ranges(x, y)
        for a, b in itertools.product(members(x), members(y)):
            value = quiet(of_numbers, a, b)
            assert holds(found, value), (x, y, a, b, value, found)


def _erf(x: float) -> float:
    return math.erf(x)


NUMPY = {"asinh": np.arcsinh, "atan": np.arctan, "fabs": np.abs, "erf": _erf}
NUMPY |= {"erfc": lambda x: math.erfc(x), "round": np.round, "roundeven": np.round}
NUMPY |= {"nearbyint": np.rint, "exp10": lambda x: np.power(np.float64(10.0), x)}
# Those of one number, by the name that they have in C, or else as intrinsics.
BOUNDED = {
    min(entry.names, key=lambda name: (name.startswith("llvm."), len(name)))
    for entry in all_entries().values()
    if entry.bound is not None and entry.row is not None and len(entry.row.rules) < 2
}
LISTED = sorted(name for name in BOUNDED if hasattr(np, name) or name in NUMPY)


def test_all_functions_are_listed():
    others = {
        "sinpi",
        "cospi",
        "llvm.ssa.copy",
    }  # what numpy lacks, and what only names its operand
    found = {name for name in BOUNDED if not name.startswith("enzyme.")}
    assert found - set(LISTED) == others


@pytest.mark.parametrize("name", LISTED)
def test_functions(name):
    function = NUMPY.get(name) or getattr(np, name)
    for x in RANGES:
        found = find(name).bound([x], True)
        for a in members(x):
            value = quiet(function, a)
            # Functions of the library may be off by a rounding; bounds are used for what is far away.
            if math.isfinite(value) and value != 0.0:
                value = min(max(value, found.low), found.high) if near(found, value) else value
            assert holds(found, value), (name, x, a, value, found)


def near(found: Range, value: float) -> bool:
    return any(math.isclose(value, end, rel_tol=1e-14) for end in (found.low, found.high))


def test_squares_are_not_negative():
    square = ranges.multiply(FINITE, FINITE, False, True)
    assert (square.low, square.is_finite) == (0.0, True)
    assert not ranges.divide(number(1.0), ranges.add(square, number(1.0), False), False).infinite


PREDICATES = {
    "oeq": lambda a, b: a == b,
    "ogt": lambda a, b: a > b,
    "oge": lambda a, b: a >= b,
    "olt": lambda a, b: a < b,
    "ole": lambda a, b: a <= b,
    "one": lambda a, b: a < b or a > b,
    "ord": lambda a, b: a == a and b == b,
    "ueq": lambda a, b: not (a < b or a > b),
    "ugt": lambda a, b: not a <= b,
    "uge": lambda a, b: not a < b,
    "ult": lambda a, b: not a >= b,
    "ule": lambda a, b: not a > b,
    "une": lambda a, b: a != b,
    "uno": lambda a, b: a != a or b != b,
}


@pytest.mark.parametrize("predicate", PREDICATES)
def test_what_a_comparison_says(predicate):
    test = PREDICATES[predicate]
    for x, bound in itertools.product(RANGES, RANGES):
        for truth in (True, False):
            found = ranges.refine(x, predicate, bound, truth)
            other = ranges.refine(bound, ranges.turned(predicate), x, truth)
            sized = ranges.refine_by_size(x, predicate, bound, truth)
            for a, b in itertools.product(members(x), members(bound)):
                if test(a, b) is truth:
                    assert holds(found, a), (predicate, truth, x, bound, a, b, found)
                    assert holds(other, b), (predicate, truth, x, bound, a, b, other)
                if test(abs(a), b) is truth:
                    assert holds(sized, a), (predicate, truth, x, bound, a, b, sized)


def test_what_is_larger_than_a_positive_number_in_size_is_not_zero():
    smallest = number(5e-324)
    assert not ranges.refine_by_size(FINITE, "uge", smallest, True).zero
    assert not ranges.refine_by_size(FINITE, "olt", smallest, False).zero
    assert ranges.refine_by_size(FINITE, "olt", number(2.0), True) == finite(-2.0, 2.0)


def test_nothing_stays_nothing():
    for x in RANGES:
        assert ranges.add(x, NOTHING, True) == NOTHING
        assert ranges.multiply(NOTHING, x, True) == NOTHING
        assert ranges.divide(x, NOTHING, True) == NOTHING
        assert ranges.join(x, NOTHING) == x
