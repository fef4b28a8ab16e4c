"""Where objects end: references counted along all ways through a function."""

from __future__ import annotations

import pytest

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.lifetimes import find_lifetimes
from enzyme.engine.ir.parser import parse_module
from enzyme.frontend.runtime_model import NUMBA

HEAD = """
declare noalias ptr @NRT_MemInfo_alloc_aligned(i64, i32)
declare void @NRT_incref(ptr)
declare void @NRT_decref(ptr)
declare void @unknown(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define void @f(i1 %c, i1 %d, ptr %p) {
"""
MAKE = """  %m = call ptr @NRT_MemInfo_alloc_aligned(i64 80, i32 32)
  %slot = getelementptr i8, ptr %m, i64 24
  %data = load ptr, ptr %slot
  store double 1.0, ptr %data
"""
END = "  call void @NRT_decref(ptr %m)\n"
KEEP = "  call void @NRT_incref(ptr %m)\n"
USE = "  %x{} = load double, ptr %data\n"
FILL = "  call void @llvm.memset.p0.i64(ptr %data, i8 0, i64 80, i1 false)\n"
OUT = "  ret void\n"


def ends(body, cold=()):
    """How many releases end the object, and on the way to failures; None where that is not known."""
    module = parse_module(HEAD + body + "}\n", NUMBA)
    function = module.functions["f"]
    blocks = [b for b in function.blocks if b.name not in cold]
    found = find_lifetimes(blocks, AliasOracle(module, function), lambda load: False)
    for life in found.values():
        return len(life.ends), len(life.failing_ends)
    return None


FORK = "  br i1 %c, label %one, label %two\n"
KNOWN = {
    "straight": ("entry:\n" + MAKE + FILL + END + OUT, 1),
    "kept twice": ("entry:\n" + MAKE + KEEP + END + USE.format(1) + END + OUT, 1),
    "both sides": (f"entry:\n{MAKE}{FORK}one:\n{END}{OUT}two:\n{END}{OUT}", 2),
    "behind the sides": (
        f"entry:\n{MAKE}{FORK}one:\n{USE.format(1)}  br label %two\ntwo:\n{END}{OUT}",
        1,
    ),
    "kept on both sides": (
        f"entry:\n{MAKE}{FORK}one:\n{KEEP}  br label %end\ntwo:\n{KEEP}  br label %end\n"
        f"end:\n{END}{USE.format(1)}{END}{OUT}",
        1,
    ),
    "in a loop": (
        f"entry:\n  br label %one\none:\n{MAKE}{END}  br i1 %c, label %one, label %two\ntwo:\n{OUT}",
        1,
    ),
    "through a loop": (
        f"entry:\n{MAKE}  br label %one\none:\n{USE.format(1)}  br i1 %c, label %one, label %two\n"
        f"two:\n{END}{OUT}",
        1,
    ),
}
UNKNOWN = {
    "left behind": "entry:\n" + MAKE + OUT,
    "left behind on one side": f"entry:\n{MAKE}{FORK}one:\n{END}{OUT}two:\n{OUT}",
    "kept on one side": f"entry:\n{MAKE}{FORK}one:\n{KEEP}  br label %two\ntwo:\n{END}{OUT}",
    "used afterwards": "entry:\n" + MAKE + END + USE.format(1) + OUT,
    "used afterwards on one side": (
        f"entry:\n{MAKE}{FORK}one:\n{END}{USE.format(1)}{OUT}two:\n{END}{OUT}"
    ),
    "given away": "entry:\n" + MAKE + "  call void @unknown(ptr %m)\n" + END + OUT,
    "its data given away": "entry:\n" + MAKE + "  call void @unknown(ptr %data)\n" + END + OUT,
    "written down": "entry:\n" + MAKE + "  store ptr %data, ptr %p\n" + END + OUT,
    "one of two": (
        "entry:\n" + MAKE + "  %q = select i1 %c, ptr %m, ptr %p\n"
        "  call void @NRT_decref(ptr %q)\n" + OUT
    ),
    "chosen by a phi": (
        f"entry:\n{MAKE}{FORK}one:\n  br label %two\ntwo:\n"
        f"  %q = phi ptr [ %data, %entry ], [ %p, %one ]\n  %y = load double, ptr %q\n{END}{OUT}"
    ),
    "released in the next round": (
        f"entry:\n  br label %one\none:\n{MAKE}  br i1 %c, label %one, label %two\ntwo:\n{END}{OUT}"
    ),
    "its data moved": "entry:\n" + MAKE + "  store ptr %p, ptr %slot\n" + END + OUT,
}


@pytest.mark.parametrize("name", KNOWN)
def test_ends_are_found(name):
    body, count = KNOWN[name]
    assert ends(body) == (count, 0)


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_not_certain_is_left_alone(name):
    assert ends(UNKNOWN[name]) is None


def test_a_failure_may_leave_an_object_behind_or_end_it():
    body = f"entry:\n{MAKE}{FORK}one:\n{{}}{OUT}two:\n{END}{OUT}"
    assert ends(body.format(""), cold=("one",)) == (1, 0)
    assert ends(body.format(END), cold=("one",)) == (1, 1)
    assert ends(body.format(KEEP), cold=("one",)) == (1, 0)
    assert ends(body.format(END + USE.format(1)), cold=("one",)) is None
