"""Everything that numba produces survives reading and printing, optimised or not."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import llvmlite.binding as llvm
import numba
import pytest
from numba.core import codegen

from enzyme.engine.analysis.cfg import ControlFlow
from enzyme.engine.analysis.dominance import Dominators
from enzyme.engine.analysis.loops import LoopForest
from enzyme.engine.ir.clone import clone_function
from enzyme.engine.ir.instructions import Instruction, Phi
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_module
from enzyme.engine.ir.simplify import remove_dead, remove_unreachable_blocks
from enzyme.engine.ir.verifier import verify_module

pytestmark = pytest.mark.rotating(27)

_spec = importlib.util.spec_from_file_location(
    "ir_numba_programs", Path(__file__).with_name("ir_numba_programs.py")
)
_programs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_programs)
PROGRAMS = _programs.PROGRAMS


def canonical(text: str) -> str:
    module = llvm.parse_assembly(text, context=llvm.create_context())
    module.verify()
    return str(module)


def test_there_are_enough_programs():
    assert len(PROGRAMS) >= 60


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "function", "signature", "options"), PROGRAMS, ids=[p[0] for p in PROGRAMS]
)
def test_round_trip(name, function, signature, options, monkeypatch):
    written = []
    original = codegen.CPUCodeLibrary.add_ir_module

    def record(self, module):
        written.append(str(module))
        return original(self, module)

    monkeypatch.setattr(codegen.CPUCodeLibrary, "add_ir_module", record)
    compiled = numba.njit(signature, **options)(function)
    optimised = list(compiled.inspect_llvm().values())
    assert written and optimised
    for text in (*written, *optimised):
        before = canonical(text)
        module = parse_module(before)
        verify_module(module)
        assert canonical(print_module(module)) == before
    transform(parse_module(canonical(optimised[0])))


def transform(module):
    """Cloning, cleaning and the analyses leave a module that LLVM takes."""
    for function in list(module.functions.values()):
        if function.is_declaration:
            continue
        copy, _ = clone_function(function, function.name + ".copy")
        remove_unreachable_blocks(copy)
        remove_dead(copy)
        cfg = ControlFlow(copy)
        dominators = Dominators(cfg)
        forest = LoopForest(cfg, dominators)
        assert not forest.irreducible
        assert all(str(a) for a in (cfg, dominators, forest))
        for inst in copy.instructions():
            for operand in () if isinstance(inst, Phi) else inst.operands:
                if isinstance(operand, Instruction):
                    assert dominators.dominates(operand.parent, inst.parent)
    verify_module(module)
    canonical(print_module(module))
