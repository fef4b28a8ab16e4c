"""Python lines of instructions."""

from __future__ import annotations

import inspect
import math
import re

from numba import float64, njit, types

from enzyme.frontend.locate import DebugInfo, locate, recompile_with_debug
from enzyme.frontend.target import compile_primal

VECTOR = types.Array(float64, 1, "C")


@njit
def inner(x):
    y = math.sin(x)
    return y * math.erf(y)


@njit
def outer(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += inner(x[i])
    return s


def line_of(func, what):
    lines, start = inspect.getsourcelines(func.py_func)
    return next(start + i for i, line in enumerate(lines) if what in line)


def result_of(text, what):
    return re.search(rf"(%\S+) = .*{re.escape(what)}", text).group(1)


def test_instruction_to_line_through_inlining():
    primal = compile_primal(outer, (VECTOR,))
    assert locate(primal.text, result_of(primal.text, "@erf")) is None
    debug = recompile_with_debug(primal)
    assert "#dbg" not in debug.text
    info = DebugInfo(debug.text)
    place = info.locate(result_of(debug.text, "@erf"), debug.entry)
    assert (place.file, place.line) == (__file__, line_of(inner, "math.erf"))
    chain = info.chain(result_of(debug.text, "@erf"))
    assert [p.line for p in chain] == [line_of(inner, "math.erf"), line_of(outer, "inner(x[i])")]
    add = result_of(debug.text, "fadd double")
    assert info.locate(add).line == line_of(outer, "s +=")


def test_numbas_own_helpers_are_skipped():
    @njit
    def func(x):
        y = x.sum()
        return y * 2

    debug = compile_primal(func, (VECTOR,), debug=True)
    place = locate(debug.text, result_of(debug.text, "fadd double"))
    assert place.line == line_of(func, "x.sum()")
