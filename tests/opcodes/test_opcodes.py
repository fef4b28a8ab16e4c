"""Every instruction, constant and kind of metadata has an answer in every stage, and comes to what the answers say."""

from __future__ import annotations

import re

import llvmlite.binding as llvm
import pytest

from enzyme.engine.ir.clone import clone_function
from enzyme.engine.ir.dispatch import Dispatch
from enzyme.engine.ir.instructions import Instruction
from enzyme.engine.ir.opcodes import CONSTANTS, INSTRUCTIONS, METADATA, Opcode
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_module
from enzyme.engine.ir.values import Constant, kind_of
from enzyme.engine.ir.verifier import verify_module
from enzyme.engine.synthesis.answers import (
    OF_CONSTANTS,
    OF_INSTRUCTIONS,
    OF_METADATA,
    blanks,
    document,
)
from enzyme.engine.synthesis.preconditions import CONSTRUCTS, constructs_in
from tests.frontdoor.frontdoor_harness import Argument, Program
from tests.opcodes import constant_bodies, memory_bodies  # noqa: F401  they fill the tables
from tests.opcodes.bodies import CASES, CONSTANT_CASES, METADATA_CASES, Verdict
from tests.opcodes.document import DOCUMENT
from tests.snapshots.snapshot_harness import MODES, check_numbers, derivative

POINT = Argument("f64", (1.25,), False)
_ERROR = re.compile(r"`(\w+(?:Error|Exception))`")
ALL = [
    (what, name, number)
    for what, cases in (("", CASES), ("constant ", CONSTANT_CASES), ("!", METADATA_CASES))
    for name, listed in cases.items()
    for number in range(len(listed))
]
OF = {"": CASES, "constant ": CONSTANT_CASES, "!": METADATA_CASES}


def program(text: str) -> Program:
    outside, _, body = text.rpartition("-----\n")
    attributes = ""
    if body.startswith("attributes: "):
        attributes, _, body = body.removeprefix("attributes: ").partition("\n")
    whole = f"{outside}\ndefine double @f(double %x) {attributes} {{\n{body}\n  ret double %t\n}}\n"
    return (_Single if " float" in body else Program)(whole, (POINT,), "double")


class _Single(Program):
    """One that rounds to single precision on the way."""

    single = True


# The cross product -----------------------------------------------------------------------------------------------


def test_no_blanks():
    assert list(blanks()) == []


@pytest.mark.parametrize("tables, held", [
    (OF_INSTRUCTIONS, INSTRUCTIONS), (OF_CONSTANTS, CONSTANTS), (OF_METADATA, METADATA)
], ids=["instructions", "constants", "metadata"])  # fmt: skip
def test_answers(tables, held):
    """Each pair has one answer; who refuses for others does."""
    stages = {table.stage: table for table in tables}
    for table in tables:
        assert list(table.answers) and table.answers.keys() == held.keys()
        for name, answer in table.answers.items():
            assert answer, (table.stage, name)
            if answer.startswith("refused by"):
                other = answer.removeprefix("refused by ").strip("`")
                assert name in stages[other].refusals, (table.stage, name)


def test_a_blank_is_found():
    INSTRUCTIONS["new"] = Opcode("new", "casts", "i", "i")
    try:
        assert list(blanks()) == [(table.stage, "new") for table in OF_INSTRUCTIONS]
        with pytest.raises(ValueError, match="does not say what it does with new"):
            Dispatch("stage", "", INSTRUCTIONS, {}, ignored=INSTRUCTIONS.keys() - {"new"})
    finally:
        del INSTRUCTIONS["new"]


def test_the_document_is_up_to_date():
    assert DOCUMENT.read_text(encoding="utf-8") == document(), (
        "write it anew: python -m tests.opcodes.document"
    )


# What the answers say comes true -----------------------------------------------------------------------------------


@pytest.mark.parametrize("tables, held, cases", [
    (OF_INSTRUCTIONS, INSTRUCTIONS, CASES),
    (OF_CONSTANTS, CONSTANTS, CONSTANT_CASES),
    (OF_METADATA, METADATA, METADATA_CASES),
], ids=["instructions", "constants", "metadata"])  # fmt: skip
def test_cases_are_complete(tables, held, cases):
    """Everything has a case; each error that a table names has one."""
    assert cases.keys() == held.keys()
    for name in held:
        named = {e for table in tables for e in _ERROR.findall(table.answers[name])}
        found = {verdict[0].__name__ for verdict, _ in cases[name] if verdict is not None}
        assert named <= found, name
        is_refused = any(name in table.refusals for table in tables)
        assert is_refused or found or any(verdict is None for verdict, _ in cases[name]), name


@pytest.mark.parametrize("what, name, number", ALL, ids=lambda value: str(value).strip())
def test_text(what, name, number):
    """The model holds it: read, verified, cloned and printed it is what LLVM reads."""
    text = program(OF[what][name][number][1]).text
    expected = _canonical(text)
    module = parse_module(expected)
    verify_module(module)
    assert what or any(i.opcode == name for i in _instructions(module))
    assert _canonical(print_module(module)) == expected
    for function in [f for f in module.functions.values() if f.blocks]:
        clone_function(function, f"{function.name}.copy")
    verify_module(module)
    assert "blockaddress" in expected or _canonical(print_module(module))


def _canonical(text: str) -> str:
    module = llvm.parse_assembly(text, context=llvm.create_context())
    module.verify()
    return str(module)


def _instructions(module) -> list[Instruction]:
    return [i for f in module.functions.values() for i in f.instructions()]


@pytest.mark.parametrize("what, name, number", ALL, ids=lambda value: str(value).strip())
def test_derivative(what, name, number):
    verdict, text = OF[what][name][number]
    f = program(text)
    if verdict is None:
        check_numbers(f, *(derivative(f, mode) for mode in MODES))
        return
    for mode in MODES:
        _check_refused(f, mode, verdict)


def _check_refused(f: Program, mode: str, verdict: Verdict) -> None:
    assert verdict is not None
    error, words = verdict
    with pytest.raises(error) as caught:
        derivative(f, mode)
    assert type(caught.value) is error
    assert words in str(caught.value)


@pytest.mark.parametrize("name", sorted(CONSTRUCTS.refusals))
def test_constructs(name):
    """Told of the instruction itself, where another would be refused first."""
    module = parse_module(program(CASES[name][0][1]).text)
    (first, *_) = [i for i in _instructions(module) if i.opcode == name]
    assert list(constructs_in(first)) == [CONSTRUCTS.refusals[name].what]
    assert name in CONSTRUCTS.refusals[name].what


@pytest.mark.parametrize("name", sorted(CONSTANTS))
def test_constants_are_what_they_are_called(name):
    found = set()
    for _, text in CONSTANT_CASES[name]:
        module = parse_module(program(text).text)
        pending = [o for i in _instructions(module) for o in i.operands]
        pending += [v for g in module.globals.values() if (v := getattr(g, "initializer", None))]
        while pending:
            value = pending.pop()
            if isinstance(value, Constant):
                found.add(kind_of(value))
                pending += getattr(value, "operands", ())
    assert name in found and found <= CONSTANTS.keys()
