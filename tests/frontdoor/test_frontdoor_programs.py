"""Derivatives of the programs in `programs/`, in both modes, against differences of the program."""

from __future__ import annotations

import pytest

from .frontdoor_harness import PROGRAMS, Program, check, opt

pytestmark = pytest.mark.rotating(27)

NAMES = sorted(p.stem for p in PROGRAMS.glob("*.ll") if "; arguments:" in p.read_text())
# Kinds of control flow and of memory that optimisation after differentiation might break.
OPTIMISED = (
    "alloca_array",
    "call_noinline_pointer",
    "double_buffer",
    "heat_stencil",
    "intrinsics",
    "memcpy_sized",
    "recursion_tree",
    "while_nested",
)


def test_there_are_enough():
    assert len(NAMES) >= 75


@pytest.mark.parametrize("name", NAMES)
def test_derivatives(name):
    program = Program.read(PROGRAMS / f"{name}.ll")
    check(program, opt(program.text))


@pytest.mark.parametrize("name", OPTIMISED)
def test_optimised(name):
    program = Program.read(PROGRAMS / f"{name}.ll")
    check(program, opt(program.text, "-O"), optimise=True)


@pytest.mark.parametrize("name", ["heat_stencil", "struct_fields"])
def test_same_input_same_output(name):
    text = (PROGRAMS / f"{name}.ll").read_text()
    assert opt(text) == opt(text)
