"""Numbers of a loop's last iteration, and arrays of a call that is over, which others go on with."""

from __future__ import annotations

import math

import numpy as np
from numba import njit, types
from numba.experimental import jitclass
from numba.typed import List

from tests.programs.cases import program


def vector(rng):
    return (rng.uniform(-1.0, 1.0, 5),)


@program(vector)
@njit
def the_last_of_either_branch(x):
    t = 0.0
    for i in range(len(x)):
        t = math.log(x[i] + 2.0) if x[i] > 0.0 else x[i] * x[i]
    return t


@program(vector)
@njit
def the_sum_before_the_last(x):
    s = before = 0.0
    for i in range(len(x)):
        before = s
        s += x[i] * x[i]
    return before


@program(vector)
@njit
def a_sum_half_made(x):
    s = half = 0.0
    for i in range(len(x)):
        half = s + math.sin(x[i])
        s = half + x[i] ** 3
    return half


@program(vector)
@njit
def a_sum_and_the_last_term(x):
    s = t = 0.0
    for i in range(len(x)):
        t = math.exp(x[i]) if x[i] > 0.2 else math.cos(x[i])
        s += t * x[i]
    return s * t


@program(vector)
@njit
def the_last_of_an_inner_loop(x):
    total = 0.0
    for i in range(len(x)):
        t = 0.0
        for j in range(i + 1):
            t = math.exp(x[j]) * x[i] if x[j] > 0.0 else x[j] * x[j]
        total += t
    return total


@njit
def made_below(x, depth):
    if depth > 0:
        y = made_below(x, depth - 1)
        for i in range(len(y)):
            y[i] = y[i] * x[i]
        return y
    y = np.empty(len(x))
    for i in range(len(x)):
        y[i] = math.exp(x[i])
    return y


@program(vector)
@njit
def an_array_of_a_recursion_is_written_over(x):
    y = made_below(x, 2)
    t = 0.0
    for i in range(len(y)):
        t += y[i] * y[i]
        y[i] = 7.0
    return t


@njit
def summed_below(x, depth, s):
    if depth > 0:
        return summed_below(x, depth - 1, s)
    y = np.empty((2, len(x)))
    for i in range(len(x)):
        y[0, i] = x[i] * 2.0
        y[1, i] = math.sin(x[i])
    for i in range(len(x)):
        s[0] += y[0, i] ** 3 * y[1, i]
    return y[1]


@program(vector)
@njit
def a_row_of_a_recursion_is_written_over(x):
    s = np.zeros(1)
    y = summed_below(x, 2, s)
    t = s[0]
    for i in range(len(y)):
        y[i] = y[i] * y[i] * x[i]
        t += y[i] * y[i]
    return t


@program(vector)
@njit
def a_number_stored_where_it_says(x):
    s = 0.0
    for i in range(len(x)):
        t = np.zeros(8)
        y = math.sin(x[i]) * 3.0 + 3.0
        t[int(y)] = y
        for k in range(8):
            s += t[k] * t[k] * t[k] * y
    return s


@jitclass([("held", types.float64[::1])])
class Holder:
    def __init__(self, held):
        self.held = held


@njit
def cubes_behind(holder, n, depth):
    if depth > 0:
        return cubes_behind(holder, n, depth - 1)
    s = 0.0
    for i in range(n):
        s += holder.held[i] ** 3
    return s


@njit
def cubes_before_it_is_written_over(holder, y):
    s = cubes_behind(holder, len(y), 2)
    for i in range(len(y)):
        y[i] = 7.0
    return s + y[0]


@program(vector)
@njit
def an_array_behind_an_object_is_written_over(x):
    y = x * 2.0
    return cubes_before_it_is_written_over(Holder(y), y)


@njit
def put_into(holder, y, depth):
    if depth > 0:
        put_into(holder, y, depth - 1)
    else:
        holder.held = y


@program(vector)
@njit
def an_array_that_a_call_put_into_an_object_is_written_over(x):
    y = x * 2.0
    holder = Holder(np.zeros(len(x)))
    put_into(holder, y, 2)
    return cubes_before_it_is_written_over(holder, y)


@jitclass([("inner", Holder.class_type.instance_type)])
class HolderOfOne:
    def __init__(self, inner):
        self.inner = inner


@njit
def put_further(outer, y, depth):
    if depth > 0:
        put_further(outer, y, depth - 1)
    else:
        outer.inner.held = y


@program(vector)
@njit
def an_array_that_a_call_put_further_in_is_written_over(x):
    s = 0.0
    outer = HolderOfOne(Holder(np.zeros(len(x))))
    for k in range(3):
        y = np.sin(x) * (k + 1.0)
        put_further(outer, y, 2)
        s += cubes_behind(outer.inner, len(x), 1)
        y[k] = 7.0
        s += y[k + 1] * y[k]
    return s


@njit
def put_into_list(arrays, y, depth):
    if depth > 0:
        put_into_list(arrays, y, depth - 1)
    else:
        arrays.append(y)


@njit
def cubes_in_list(arrays, depth):
    if depth > 0:
        return cubes_in_list(arrays, depth - 1)
    s = 0.0
    for y in arrays:
        for i in range(len(y)):
            s += y[i] ** 3
    return s


@njit
def cubes_of_what_a_call_puts_into_it(arrays, x):
    y = x * 2.0
    put_into_list(arrays, y, 2)
    s = cubes_in_list(arrays, 2)
    for i in range(len(x)):
        y[i] = 7.0
    return s + y[0]


@program(vector)
@njit
def an_array_that_a_call_put_into_a_list_is_written_over(x):
    return cubes_of_what_a_call_puts_into_it([x * 3.0], x)


@program(vector)
@njit
def an_array_that_a_call_put_into_a_typed_list_is_written_over(x):
    arrays = List()
    arrays.append(x * 3.0)
    return cubes_of_what_a_call_puts_into_it(arrays, x)


@njit
def swapped_below(arrays, depth):
    if depth > 0:
        return swapped_below(arrays, depth - 1)
    arrays[1] = arrays[0]
    return 1.0


@program(vector)
@njit
def an_array_was_in_a_list_that_a_call_changes(x):
    arrays = [x * 3.0, x * x]
    y = arrays[1]
    s = swapped_below(arrays, 2)
    for i in range(len(x)):
        s += y[i] * y[i] * arrays[1][i]
    return s


@njit
def replaced_below(p, arrays, depth):
    if depth > 0:
        return replaced_below(p, arrays, depth - 1)
    u = p * arrays[1]
    arrays[1] = u
    return u


@program(vector)
@njit
def arrays_in_a_list_are_replaced_again_and_again(x):
    arrays = [x * 3.0, np.sin(x)]
    first = arrays[1]
    y = replaced_below(x, arrays, 2)
    z = replaced_below(y, arrays, 1)
    s = 0.0
    for i in range(len(x)):
        y[i] = 7.0
        s += z[i] * first[i] + arrays[1][i] ** 2 + y[i] * x[i]
    return s
