"""A compilation that takes long is spoken of, and every stage where that is asked for."""

import logging
import os
import subprocess
import sys

import pytest
from numba import njit

import enzyme
from enzyme import Active, Reverse, Split, autodiff, autodiff_thunk, grad, typeof
from enzyme.support import progress


def square(x):
    return x * x


@pytest.fixture
def records(caplog):
    caplog.set_level(logging.DEBUG, "enzyme")
    return caplog


def test_a_compilation_that_takes_long(records, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    autodiff(Reverse, lambda x: x * x, Active, Active(2.0))
    said = [r.getMessage() for r in records.records if r.levelno == logging.WARNING]
    assert said[0].startswith("compiling the derivative of <lambda> takes long (once): ")
    assert said[-1].startswith("the derivative of <lambda> is there after ")
    assert len(said) == 2


CALLS = {
    "autodiff": lambda: autodiff(Reverse, lambda x: x * x, Active, Active(2.0)),
    "grad": lambda: grad(lambda x: x * x)(2.0),
    "thunk": lambda: autodiff_thunk(Split(Reverse), lambda x: x * x, Active, Active[typeof(1.0)]),
    "compiled": lambda: njit(lambda x: grad(njit_square)(x))(2.0),
}
njit_square = njit(square)


@pytest.mark.parametrize("call", CALLS)
def test_stages(call, records):
    CALLS[call]()
    said = [r.getMessage() for r in records.records]
    assert all(r.levelno == logging.DEBUG for r in records.records)
    function = "square" if call == "compiled" else "<lambda>"
    assert any(f": derivative of {function}" in line for line in said)
    assert said[-1].startswith("the derivative of ")


def test_nothing_is_said_unasked(capfd):
    grad(lambda x: x * x * x)(2.0)
    enzyme.log()
    grad(lambda x: x * x)(2.0)
    enzyme.log(False)
    grad(lambda x: x + x)(2.0)
    lines = capfd.readouterr().err.splitlines()
    assert lines[0].startswith("enzyme: the derivative of <lambda>: ")
    assert sum("is there after" in line for line in lines) == 1


def test_the_environment_asks():
    code = "from enzyme import grad; grad(lambda x: x * x)(2.0)"
    environment = dict(os.environ, ENZYME_LOG="1")
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert "enzyme: the derivative of <lambda> is there after" in done.stderr
