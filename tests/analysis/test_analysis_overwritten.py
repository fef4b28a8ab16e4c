"""Which loads give the same again later, where each iteration makes an object anew."""

from __future__ import annotations

import pytest

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.cfg import ControlFlow
from enzyme.engine.analysis.dominance import Dominators
from enzyme.engine.analysis.loop_indices import LoopFacts
from enzyme.engine.analysis.loops import LoopForest
from enzyme.engine.analysis.overwritten import Overwritten, writes_memory
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.parser import parse_module
from enzyme.frontend.runtime_model import NUMBA

HEAD = """
declare noalias ptr @NRT_MemInfo_alloc_aligned(i64, i32)
declare void @fill(ptr nocapture) nounwind willreturn memory(argmem: write)
declare void @fill_both(ptr nocapture, ptr nocapture) nounwind willreturn memory(argmem: write)

define void @f(i1 %c, i1 %d, ptr noalias %p) {
"""
MAKE = """  %m = call ptr @NRT_MemInfo_alloc_aligned(i64 80, i32 32)
  %slot = getelementptr i8, ptr %m, i64 24
  %data = load ptr, ptr %slot
"""
READ = "  %x = load double, ptr %data\n"
WRITE = "  store double 1.0, ptr %data\n"
FILL = "  call void @fill(ptr %data)\n"
FILL_BOTH = "  call void @fill_both(ptr %data, ptr %p)\n"
OUT = "out:\n  ret void\n"
LOOP = "entry:\n  br label %loop\nloop:\n"
AGAIN = "  br i1 %c, label %loop, label %out\n"
INNER = "  br label %inner\ninner:\n"
ROUND = "  br i1 %d, label %inner, label %next\nnext:\n"

# A body, and whether what it reads is the same later.
CASES = {
    "written before": (LOOP + MAKE + WRITE + READ + AGAIN, True),
    "filled before": (LOOP + MAKE + FILL + READ + AGAIN, True),
    "filled behind": (LOOP + MAKE + READ + FILL + AGAIN, False),
    "filled with another": (LOOP + MAKE + FILL_BOTH + READ + AGAIN, False),
    "written behind": (LOOP + MAKE + READ + WRITE + AGAIN, False),
    "made before the loop": (
        "entry:\n" + MAKE + "  br label %loop\nloop:\n" + WRITE + READ + AGAIN,
        False,
    ),
    "written in a loop, then read": (LOOP + MAKE + INNER + WRITE + ROUND + READ + AGAIN, True),
    "written and read in a loop": (LOOP + MAKE + INNER + WRITE + READ + ROUND + AGAIN, False),
    "written, then read in a loop": (LOOP + MAKE + WRITE + INNER + READ + ROUND + AGAIN, True),
    "read in a loop, then written": (LOOP + MAKE + INNER + READ + ROUND + WRITE + AGAIN, False),
    "on the other side": (
        LOOP
        + MAKE
        + "  br i1 %d, label %one, label %two\none:\n"
        + READ
        + AGAIN
        + "two:\n"
        + WRITE
        + "  br i1 %c, label %loop, label %out\n",
        True,
    ),
    "once more without another": (
        LOOP
        + MAKE
        + "  br label %one\none:\n"
        + READ
        + "  br i1 %d, label %two, label %next\ntwo:\n"
        + WRITE
        + "  br label %one\nnext:\n"
        + AGAIN,
        False,
    ),
    "made on one way": (
        LOOP
        + MAKE
        + "  br label %two\ntwo:\n"
        + READ
        + "  br i1 %d, label %three, label %one\n"
        + "three:\n"
        + WRITE
        + "  br label %one\none:\n"
        + AGAIN,
        False,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_object_made_anew_leaves_the_old_one_as_it_was(name):
    body, expected = CASES[name]
    module = parse_module(HEAD + body + OUT + "}\n", NUMBA)
    function = module.functions["f"]
    cfg = ControlFlow(function)
    dominators = Dominators(cfg)
    loops = LoopFacts(LoopForest(cfg, dominators), dominators, {}, {}, {})
    oracle = AliasOracle(module, function)
    history = Overwritten(
        cfg,
        oracle,
        DataLayout.of(module),
        cfg.reverse_postorder,
        lambda i: writes_memory(i, lambda call: bool(oracle.effects(call).writes)),
        frozenset(),
        loops,
    )
    (load,) = (i for i in function.instructions() if i.name == "x")
    assert (history.cause(load) is None) is expected
