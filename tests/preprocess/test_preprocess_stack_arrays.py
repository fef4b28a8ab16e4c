"""Which allocations move to the stack, and what becomes of the calls that fill them."""

from __future__ import annotations

import pytest

from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_module
from enzyme.engine.preprocess.stack_arrays import may_move, move_to_stack
from enzyme.frontend.runtime_model import NUMBA

FUNCTION = """
declare noalias ptr @NRT_MemInfo_alloc_aligned(i64, i32)
declare void @NRT_decref(ptr)
declare void @keep(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define double @f(ptr %x, i64 %n, i64 %size) {
  %info = tail call ptr @NRT_MemInfo_alloc_aligned(i64 SIZE, i32 32)
  %slot = getelementptr i8, ptr %info, i64 24
  %data = load ptr, ptr %slot
  %rest = getelementptr i8, ptr %data, i64 8
  tail call void @llvm.memset.p0.i64(ptr %rest, i8 0, i64 16, i1 false)
  tail call void @llvm.memcpy.p0.p0.i64(ptr %data, ptr %x, i64 8, i1 false)
  USE
  %item = getelementptr double, ptr %data, i64 %n
  %value = load double, ptr %item
  tail call void @NRT_decref(ptr %info)
  ret double %value
}
"""


def moved(size="24", use=""):
    module = parse_module(FUNCTION.replace("SIZE", size).replace("USE", use), NUMBA)
    count = move_to_stack(module)
    return count, print_module(module)


def test_calls_that_fill_an_array_on_the_stack_are_no_tail_calls():
    """LLVM takes it that a tail call leaves its caller's stack alone, and the array for undefined."""
    count, text = moved()
    assert count == 1
    assert "alloca [24 x i8]" in text
    assert "call void @llvm.memset" in text
    assert "call void @llvm.memcpy" in text
    assert "tail call" not in text
    assert "@NRT_decref(ptr %info)" not in text


@pytest.mark.parametrize(
    ("size", "use"),
    [
        ("%size", ""),
        ("1025", ""),
        ("24", "call void @keep(ptr %data)"),
        ("24", "call void @keep(ptr %info)"),
        ("24", "store ptr %rest, ptr %x"),
    ],
)
def test_what_may_be_large_or_may_outlive_the_function_stays(size, use):
    count, text = moved(size, use)
    assert count == 0
    assert text.count("tail call") == 4


@pytest.mark.parametrize("size", ["24", "noundef 24", "0"])
def test_text_tells_what_might_be_moved(size):
    """The module is not parsed for this pass where nothing might be."""
    text = FUNCTION.replace("SIZE", size).replace("USE", "")
    module = parse_module(text, NUMBA)
    assert may_move(text, NUMBA)
    assert move_to_stack(module) == 1
    assert not may_move(text.replace(f"i64 {size}, i32", "i64 %size, i32"), NUMBA)
