"""Derivatives of the programs in `programs/`, in both modes, against differences of the program."""

from __future__ import annotations

import pytest

from enzyme.frontdoor.command import main

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
# What the engine cannot do: each ends in an error that names the construct.
REFUSED = {
    "floats_packed_in_integer": "floats packed into an integer",
}


def test_there_are_enough():
    assert len(NAMES) >= 75


@pytest.mark.parametrize("name", [name for name in NAMES if name not in REFUSED])
def test_derivatives(name):
    program = Program.read(PROGRAMS / f"{name}.ll")
    check(program, opt(program.text))


@pytest.mark.parametrize("name", REFUSED)
def test_refusal_names_the_construct(name, tmp_path, capsys):
    output = tmp_path / "out.ll"
    assert main(["opt", str(PROGRAMS / f"{name}.ll"), "-o", str(output)]) == 1
    message = capsys.readouterr().err
    assert message.startswith("error: ") and message.count("\n") == 1
    assert REFUSED[name] in message
    assert not output.exists()


@pytest.mark.parametrize("name", OPTIMISED)
def test_optimised(name):
    program = Program.read(PROGRAMS / f"{name}.ll")
    check(program, opt(program.text, "-O"), optimise=True)


@pytest.mark.parametrize("name", ["heat_stencil", "struct_fields"])
def test_same_input_same_output(name):
    text = (PROGRAMS / f"{name}.ll").read_text()
    assert opt(text) == opt(text)
