"""Refusals speak of the user's program: its lines, never LLVM's code or names."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Duplicated,
    EnzymeError,
    Forward,
    Reverse,
    ReverseSplitNoPrimal,
    autodiff,
    autodiff_thunk,
    jacobian,
    jvp,
)
from enzyme.api import compile as compilation
from enzyme.errors import (
    EnzymeInternalError,
    EnzymeRuntimeActivityError,
    IllegalTypeAnalysisException,
    IRParseError,
)


@njit
def one_buffer(x):
    b = np.zeros(16, np.uint8)
    f = b.view(np.float64)
    n = b.view(np.int64)
    f[0] = x[0]
    n[1] = 2
    s = 0.0
    for i in range(2):
        s += f[i] * n[i]
    return s


@njit
def records_of_floats(x):
    t = x.view(RECORDS)
    return t[0].a ** 2 + t[0].n


@njit
def bits(x):
    b = x.view(np.int64)
    return (b ^ (b >> 3)).view(np.float64)[0]


RECORDS = np.dtype([("a", "f8"), ("n", "i8")])

# The function, the line that is told of, and what is said.
REFUSED = {
    "one_buffer": (one_buffer, "s += f[i]", "the same bytes are used as two types"),
    "records_of_floats": (records_of_floats, "return t[0].a", "an integer (line"),
    "bits": (bits, "return (b ^", "the bits of a float"),
}


@pytest.mark.parametrize("mode", [Forward, Reverse], ids=["forward", "reverse"])
@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_words(name, mode):
    function, line, says = REFUSED[name]
    x = np.array([1.0, 2.0])
    activity = [] if mode is Forward else [Active]
    with pytest.raises(EnzymeError) as caught:
        autodiff(mode, function, *activity, Duplicated(x, np.zeros(2)))
    lines, start = inspect.getsourcelines(function.py_func)
    number = next(start + k for k, text in enumerate(lines) if line in text)
    text = str(caught.value)
    assert text.startswith(f"{__file__}:{number}") and says in text
    assert not re.search(r"%[\w.]|@\.|_ZN|0x[0-9a-f]{6}|getelementptr", text.replace("@njit", ""))


def test_the_code_is_kept_beside_the_message():
    x = np.array([1.0, 2.0])
    with pytest.raises(IllegalTypeAnalysisException) as caught:
        autodiff(Forward, one_buffer, Duplicated(x, x))
    assert "load" in caught.value.show_ir() or "sitofp" in caught.value.show_ir()
    assert "a float of 64 bits" in caught.value.deductions[0]


def test_of_a_long_line_of_ir_the_part_around_the_column_is_shown():
    text = "x" * 500 + "here" + "y" * 500
    shown = str(IRParseError("wrong", line=7, text=text, column=501))
    _, line, mark, _ = shown.splitlines()
    assert len(line) == 120 and line.startswith("...") and line.endswith("...")
    assert line[mark.index("^") :].startswith("here")
    assert str(IRParseError("wrong", line=7, text="  short", column=3)).count("...") == 0


def test_another_number_of_outputs_inside_a_jitted_function():
    pair = njit(lambda x: x * x)

    @njit
    def wrong(x):
        return jacobian(Reverse, pair, x, n_outs=3)

    with pytest.raises(IndexError, match="than n_outs says; leave it out"):
        wrong(np.ones(2))


def test_advice_for_constants_that_are_returned():
    """Shadows are no help for memory without floats, nor for memory without a name."""
    x, k = np.ones(2), np.arange(2)
    with pytest.raises(EnzymeRuntimeActivityError, match=r"use a copy of it there: k\.copy\(\)"):
        jvp(lambda x, k: (k, x * 2.0), (x, k), (x, None))
    found = jvp(lambda x, k: (k.copy(), x * 2.0), (x, k), (x, None))
    np.testing.assert_equal(found, ((k, 2.0 * x), (None, 2.0 * x)))
    with pytest.raises(EnzymeRuntimeActivityError, match="constant memory is used") as caught:
        jvp(lambda x: (x, (True, "abc")), (x,), (x,))
    assert "make_zero" not in str(caught.value)


@pytest.mark.parametrize("way", ["together", "split"])
def test_what_llvm_refuses_is_a_defect_of_the_compiler(way, monkeypatch):
    """Planted: a derivative that is no LLVM IR."""
    right = compilation.differentiate

    def wrong(*arguments, **keywords):
        made = right(*arguments, **keywords)
        return replace(made, text=made.text + "\ndefine void @defect() {\n  ret double %x\n}\n")

    monkeypatch.setattr(compilation, "differentiate", wrong)
    square = njit(lambda x: x * x)
    with pytest.raises(EnzymeInternalError, match="a defect of the compiler") as caught:
        if way == "together":
            autodiff(Reverse, square, Active, Active(2.0))
        else:
            autodiff_thunk(ReverseSplitNoPrimal, square, Active, Active[float])
    assert "test_api_in_words.py" in str(caught.value)
    assert "LLVM IR parsing error" in str(caught.value)
