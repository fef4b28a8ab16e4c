"""Python lines of instructions."""

from __future__ import annotations

import importlib
import inspect
import math
import os
import sys

import numba
import pytest
from numba import float64, njit, types

from enzyme.engine.ir.metadata import location_of, locations_of
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_instruction
from enzyme.frontend.target import compile_primal, recompile_with_debug

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


def instruction(primal, what):
    """The first instruction whose printed form contains `what`."""
    module = parse_module(primal.text)
    module.library_folders = (os.path.dirname(numba.__file__) + os.sep,)
    return next(
        i
        for f in module.functions.values()
        for i in f.instructions()
        if what in print_instruction(i)
    )


def test_instruction_to_line_through_inlining():
    primal = compile_primal(outer, (VECTOR,))
    assert location_of(instruction(primal, "@erf")) is None
    debug = recompile_with_debug(primal)
    assert "#dbg" not in debug.text
    call = instruction(debug, "@erf")
    place = location_of(call)
    assert (place.file, place.line) == (__file__, line_of(inner, "math.erf"))
    lines = [p.line for p in locations_of(call)]
    assert lines == [line_of(inner, "math.erf"), line_of(outer, "inner(x[i])")]
    assert location_of(instruction(debug, "fadd double")).line == line_of(outer, "s +=")


def test_numbas_own_helpers_are_skipped():
    @njit
    def func(x):
        y = x.sum()
        return y * 2

    debug = compile_primal(func, (VECTOR,), debug=True)
    assert location_of(instruction(debug, "fadd double")).line == line_of(func, "x.sum()")


HELPER = """
from math import erf
from numba import njit


@njit(inline="always")
def doubled(x):
    y = x * x

    return 2.0 * erf(y)
"""


@pytest.mark.parametrize("folder", ["plain", 'jürgen "q"'])
def test_functions_that_numba_inlines_have_lines_of_their_own_file(tmp_path, monkeypatch, folder):
    file = tmp_path / folder / "helper_of_lines.py"
    file.parent.mkdir()
    file.write_text(HELPER)
    monkeypatch.syspath_prepend(file.parent)
    monkeypatch.delitem(sys.modules, "helper_of_lines", raising=False)
    doubled = importlib.import_module("helper_of_lines").doubled

    @njit
    def func(x):
        y = math.sin(x)
        return doubled(y) + math.cosh(y)

    debug = compile_primal(func, (float64,), debug=True)
    place = location_of(instruction(debug, "@erf"))
    assert (place.file, place.line) == (str(file), line_of(doubled, "erf(y)"))
    place = location_of(instruction(debug, "@cosh"))
    assert (place.file, place.line) == (__file__, line_of(func, "math.cosh"))
