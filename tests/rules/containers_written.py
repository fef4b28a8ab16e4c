"""Inactive functions that write to lists, dictionaries and objects, with the numbers that keep their derivatives.

Each container is filled with multiples of `x[0]` and `x[1]`, in turn; `kept` says, for a container of so many numbers,
which of those still stand there as they were, by their first places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import float64, int64, njit, typed, types
from numba.experimental import jitclass


@jitclass([("first", float64), ("values", float64[::1])])
class Pair:
    def __init__(self, first, values):
        self.first = first
        self.values = values


@njit
def of_reflected(x, n):
    made = [x[0]]
    for i in range(1, n):
        made.append(x[i % 2] * (i + 1))
    return made


@njit
def of_typed(x, n):
    made = typed.List.empty_list(float64)
    for i in range(n):
        made.append(x[i % 2] * (i + 1))
    return made


@njit
def of_dict(x, n):
    made = typed.Dict.empty(int64, float64)
    for i in range(n):
        made[i] = x[i % 2] * (i + 1)
    return made


ARRAY = types.float64[::1]


@njit
def of_arrays(x, n):
    made = typed.List.empty_list(ARRAY)
    for i in range(n):
        made.append(np.array([x[i % 2] * (i + 1)]))
    return made


@njit
def of_reflected_arrays(x, n):
    made = [np.array([x[0]])]
    for i in range(1, n):
        made.append(np.array([x[i % 2] * (i + 1)]))
    return made


@njit
def of_object(x, n):
    values = np.empty(n - 1)
    for i in range(1, n):
        values[i - 1] = x[i % 2] * (i + 1)
    return Pair(x[0], values)


@njit
def numbers_of_list(made):
    return np.array([number for number in made])


@njit
def numbers_of_dict(made):
    found = np.empty(len(made))
    for k, key in enumerate(made):
        found[k] = made[key]
    return found


@njit
def numbers_of_arrays(made):
    return np.array([member[0] for member in made])


@njit
def numbers_of_object(made):
    found = np.empty(len(made.values) + 1)
    found[0] = made.first
    found[1:] = made.values
    return found


@dataclass(frozen=True)
class Change:
    """`function` is called with the container and a number of times, `kept` with its length and that number."""

    make: Callable[..., Any]
    numbers: Callable[..., Any]
    function: Callable[..., Any]
    kept: Callable[[int, int], Sequence[int]]

    @property
    def name(self) -> str:
        return f"{self.make.__name__}-{self.function.__name__}"


def grown(made, times):
    for _ in range(times):
        made.append(1.5)


def extended(made, times):
    for _ in range(times):
        made.extend([1.5, 2.0])


def shrunk(made, times):
    for _ in range(times):
        if len(made) > 1:
            made.pop()


def emptied(made, times):
    if times > 1:
        made.clear()


def overwritten(made, times):
    for i in range(times):
        made[i % 2] = 0.5


def inserted(made, times):
    made.insert(0, 2.5)


def entered(made, times):
    for i in range(times):
        made[i * 3 + 1] = 2.0


def removed(made, times):
    if times > 1:
        made.pop(1)


def in_members(made, times):
    for i in range(times):
        made[i % 2][0] = 0.5


def replaced(made, times):
    for i in range(times):
        made[i % 2] = np.array([0.5])


def in_its_array(made, times):
    for _ in range(times):
        made.values[0] = 0.5


def first_of_it(made, times):
    for _ in range(times):
        made.first *= 2.0


def another_array(made, times):
    for _ in range(times):
        made.values = np.ones(3)


def removed_first(made, times):
    if times > 1:
        made.pop(0)


def through_others(made, times):
    """By addresses that are kept in a list, in an object and in a view of the function's own."""
    same = [made[0], made[1]]
    if times > 2:
        for member in same:
            member[0] = 0.5
    elif times > 1:
        Pair(1.0, made[0]).values[0] = 0.5
    elif times:
        made[1].reshape(1, 1)[0, 0] = 0.5


def reshaped(made, times):
    if times:
        made.values.reshape(len(made.values), 1)[0, 0] = 0.5


def all_of(n, times):
    return range(n)


def but_the_last(n, times):
    return range(max(1, n - times))


def none_of(n, times):
    return []


def but_two(n, times):
    return range(min(2, times), n)


def unless_twice(n, times):
    return [] if times > 1 else range(n)


def but_the_second_at(*changes: int) -> Callable[[int, int], Sequence[int]]:
    return lambda n, times: [i for i in range(n) if i not in changes[: max(times, 0)]]


IN_LISTS = [
    (grown, all_of),
    (extended, all_of),
    (shrunk, but_the_last),
    (emptied, unless_twice),
    (overwritten, but_two),
    (inserted, none_of),
]


def through_others_kept(n, times):
    gone = {0: (), 1: (1,), 2: (0,)}.get(times, (0, 1))
    return [i for i in range(n) if i not in gone]


CHANGES = [
    *(Change(of_reflected, numbers_of_list, *change) for change in IN_LISTS),
    *(Change(of_typed, numbers_of_list, *change) for change in IN_LISTS),
    Change(of_dict, numbers_of_dict, entered, but_the_second_at(1, 4, 7)),
    Change(
        of_dict, numbers_of_dict, removed, lambda n, t: [0, *range(2, n)] if t > 1 else range(n)
    ),
    Change(of_dict, numbers_of_dict, emptied, unless_twice),
    Change(of_arrays, numbers_of_arrays, in_members, but_two),
    Change(of_arrays, numbers_of_arrays, replaced, but_two),
    Change(of_arrays, numbers_of_arrays, removed_first, lambda n, t: range(t > 1, n)),
    Change(of_arrays, numbers_of_arrays, through_others, through_others_kept),
    Change(of_reflected_arrays, numbers_of_arrays, in_members, but_two),
    Change(of_reflected_arrays, numbers_of_arrays, removed_first, lambda n, t: range(t > 1, n)),
    Change(of_reflected_arrays, numbers_of_arrays, through_others, through_others_kept),
    Change(of_object, numbers_of_object, in_its_array, but_the_second_at(1)),
    Change(of_object, numbers_of_object, reshaped, but_the_second_at(1)),
    Change(of_object, numbers_of_object, first_of_it, but_the_second_at(0)),
    Change(of_object, numbers_of_object, another_array, lambda n, t: [0] if t else range(n)),
]
