"""Machine code of derivatives is made without the search for cheaper addresses, that of others with it."""

from __future__ import annotations

import ctypes

import llvmlite.binding as llvm
import numpy as np

from enzyme.backend import host, passes
from enzyme.backend.jit import JittedModule

# Two arrays whose strides are not known: an address is a product, or one that steps along.
STRIDED = """
define void @f(ptr noalias %a, ptr noalias %c, i64 %n, i64 %s) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %k = mul i64 %i, %s
  %from = getelementptr i8, ptr %a, i64 %k
  %to = getelementptr i8, ptr %c, i64 %k
  %x = load double, ptr %from
  store double %x, ptr %to
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %body
exit:
  ret void
}
"""


def assembly():
    module = llvm.parse_assembly(STRIDED)
    passes.set_host(module)
    return str(host.target_machine().emit_assembly(module))


def test_the_option_is_put_back():
    before = assembly()
    with passes.without_strength_reduction():
        inside = assembly()
    assert "mul" in inside
    assert "mul" not in before
    assert assembly() == before


def test_derivatives_are_loaded_without_it(monkeypatch):
    asked = []
    set_option = llvm.set_option
    monkeypatch.setattr(llvm, "set_option", lambda name, o: (asked.append(o), set_option(name, o)))
    loaded = JittedModule(STRIDED, optimise=False)
    assert asked == ["-disable-lsr=true", "-disable-lsr=false"]
    x, y = np.arange(6.0), np.zeros(6)
    run = loaded.function("f", None, *(ctypes.c_void_p,) * 2, *(ctypes.c_int64,) * 2)
    run(x.ctypes.data, y.ctypes.data, 3, 16)
    assert y.tolist() == [0.0, 0.0, 2.0, 0.0, 4.0, 0.0]
