"""`explain`: what is kept, where, why; what is computed again; forward mode; errors."""

from __future__ import annotations

import ctypes
import ctypes.util
import inspect
import itertools
import math
from html.parser import HTMLParser

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, ReverseMode, explain
from enzyme.errors import EnzymeNoDerivativeError, ModeError


@njit
def damped(x, steps):
    state = x.copy()
    for _ in range(steps):
        for i in range(len(state)):
            state[i] = math.sin(state[i]) * 0.9
    return state.sum()


@njit
def newton(a):
    x = a
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


@njit
def down(x, n):
    return x if n == 0 else math.tanh(down(x, n - 1) * x)


@njit
def longer(x):
    w = x.copy()
    return (np.append(x, w) * np.append(w, x)).sum() * np.append(w, w)[1]


def line_of(function, text):
    lines, first = inspect.getsourcelines(function.py_func)
    return first + next(k for k, line in enumerate(lines) if text in line)


def array():
    return Duplicated(np.ones(4), np.zeros(4))


def test_values_have_lines_and_reasons():
    found = explain(damped, Reverse, Active, array(), Const(3))
    (account,) = found.functions
    assert account.function == "damped"
    storage = next(s for s in account.storages if s.kind == "static")
    assert storage.bytes_per_iteration == found.bytes_per_iteration == 8
    (value,) = storage.values
    line = line_of(damped, "math.sin")
    assert (value.where.line, value.size, value.type) == (line, 8, "double")
    assert value.why == f"its memory is overwritten in line {line}"
    text = str(found)
    assert text.startswith("damped, reverse mode\n")
    assert f"line {line}: state[i] = math.sin(state[i]) * 0.9" in text
    assert "one allocation before the loops" in text
    assert "typing lowering" in text


def test_loops_of_unknown_length():
    found = explain(newton, Reverse, Active, Active(2.0))
    storage = next(s for s in found.functions[0].storages if s.kind == "growing")
    assert [v.why for v in storage.values] == ["carried from one iteration to the next"]
    assert "how often a loop ran" in str(found)


def test_callees_have_accounts_of_their_own():
    found = explain(down, Reverse, Active, Active(0.5), Const(3))
    assert {f.function for f in found.functions} == {"down"}
    assert len(found.functions) > 1
    whys = [v.why for f in found.functions for s in f.storages for v in s.values]
    assert any("call tanh again" in why for why in whys)


def test_the_analyses_and_the_code():
    found = explain(damped, Reverse, Active, array(), Const(3))
    assert "active" in found.functions[0].activity
    assert "Float@double" in found.functions[0].types
    assert "define" in found.primal_ir and "sin" in found.optimised_ir
    assert set(found.stages) >= {"parse", "analyses", "synthesis", "machine_code"}


def test_forward_mode_keeps_nothing():
    found = explain(damped, Forward, array(), Const(3))
    assert found.functions == ()
    assert found.bytes_per_iteration == 0
    assert str(found).startswith("damped, forward mode\n")


def test_types_are_enough():
    found = explain(newton, Reverse, Active, Active[float])
    assert found.functions


def test_errors_are_those_of_autodiff():
    root = ctypes.CDLL(ctypes.util.find_library("m")).significand
    root.argtypes, root.restype = [ctypes.c_double], ctypes.c_double

    @njit
    def foreign(x):
        return root(x)

    with pytest.raises(EnzymeNoDerivativeError) as caught:
        explain(foreign, Reverse, Active, Active(2.0))
    assert ".foreign\n" in str(caught.value)


def test_what_is_an_error_where_it_runs_is_listed():
    root = ctypes.CDLL(ctypes.util.find_library("m")).significand
    root.argtypes, root.restype = [ctypes.c_double], ctypes.c_double

    @njit
    def foreign(x, wanted):
        return root(x) if wanted else x

    found = explain(foreign, Reverse, Active, Active(2.0), Const(True))
    (error,) = found.refused
    assert isinstance(error, EnzymeNoDerivativeError)
    assert "raises EnzymeNoDerivativeError where it runs: no derivative is known" in str(found)
    assert "return root(x) if wanted" in str(found)


def test_the_mode_may_come_first_as_in_autodiff():
    for call in ((newton, Reverse), (Reverse, newton)):
        assert explain(*call, Active, Active(2.0)).title == "newton, reverse mode"
    with pytest.raises(ModeError, match="not the class ReverseMode"):
        explain(ReverseMode, newton, Active, Active(2.0))


def test_functions_of_numba_have_their_names():
    found = {f.function for f in explain(longer, Reverse, Active, array()).functions}
    assert found == {"longer", "numba.np.arrayobj.np_append.<locals>.impl"}


def cells(html):
    """The rows of all tables, and that the tags are balanced."""
    parser = Table()
    parser.feed(html)
    assert parser.open == []
    return parser.rows


class Table(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.rows = [], []

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data


def test_tables_for_notebooks():
    """A row for each value, beside its line, with characters that HTML takes for its own."""
    found = explain(damped, Reverse, Active, array(), Const(3))
    rows = cells(found._repr_html_())
    kept = [value for f in found.functions for s in f.storages for value in s.values]
    assert rows[0] == ["line", "source", "bytes, type", "kept", "why"]
    body = rows[1 : 1 + len(kept)]
    lines = sorted(v.where.line if v.where else 0 for v in kept)
    assert [int(row[0] or 0) for row in body] == lines and lines[-1]
    source = inspect.getsourcelines(damped.py_func)[0]
    assert all(any(row[1] == text.strip() for text in source) for row in body if row[0])
    assert ["parse"] in [row[:1] for row in rows]


def test_tables_say_what_is_refused_and_that_nothing_is_kept():
    html = explain(lambda x: 2.0 * x, Reverse, Active, Active(2.0))._repr_html_()
    assert "keeps nothing" in html
    several = explain(down, Reverse, Active, Active(0.5), Const(3))._repr_html_()
    assert "<code>" in several and cells(several)
    grows = cells(explain(newton, Reverse, Active, Active(2.0))._repr_html_())
    assert any("storage grows" in row[3] for row in grows if len(row) > 3)


def polynomials(c, x):
    s = 0.0
    for i in range(len(x)):
        h = 0.0
        for k in range(len(c)):
            h = h * x[i] + c[k]
        s += h * h
    return s


def test_what_iterations_that_run_at_once_keep_is_said_once():
    c, x = np.ones(3), np.ones(20)
    given = [Duplicated(v, np.zeros_like(v)) for v in (c, x)]
    found = explain(polynomials, Reverse, Active, *given)
    assert "bytes, double, 16 times: carried from one iteration to the next" in str(found)
    assert "double, 16 times" in found._repr_html_()
    lines = [line for line in str(found).splitlines() if " bytes, " in line and "kept" not in line]
    assert all(one != other for one, other in itertools.pairwise(lines))
