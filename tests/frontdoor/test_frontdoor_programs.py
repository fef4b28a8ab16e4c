"""Derivatives of the programs in `programs/`, in both modes, against differences of the program."""

from __future__ import annotations

import pytest

from .frontdoor_harness import PROGRAMS, Program, check, opt

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
# What the engine cannot do yet; a program that starts to work must leave this list.
NOT_YET = {
    "call_through_pointer": "which function is called is not known",
    "callee_returns_memory": "a callee that is not inlined returns a pointer",
    "callee_returns_pointer": "a callee that is not inlined returns a pointer",
    "floats_packed_in_integer": "two floats in one i64 count as an integer",
    "global_state": "active values in a global variable need a shadow of it",
    "linked_list": "memory whose pointers are stored in memory of the same allocation",
    "realloc": "the shadow of memory that is resized",
    "vectors": "shufflevector of active vectors",
}
# These would end the process.
CRASHES = {
    "calloc_temporary": "memory is freed by the primal and again with the arena",
    "malloc_in_loop": "memory is freed by the primal and again with the arena",
    "malloc_temporary": "memory is freed by the primal and again with the arena",
}


def marked(name):
    if name in CRASHES:
        mark = pytest.mark.xfail(reason=CRASHES[name], run=False)
    elif name in NOT_YET:
        mark = pytest.mark.xfail(reason=NOT_YET[name], strict=True)
    else:
        return name
    return pytest.param(name, marks=mark)


def test_there_are_enough():
    assert len(NAMES) >= 75


@pytest.mark.parametrize("name", [marked(name) for name in NAMES])
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
