"""The one copy of the engine's arena, and of the pool that it stands on, that all derivatives of a process share.

It is compiled once, when the first derivative is loaded, and its functions are registered as symbols.  Arrays that
derivatives make come from the pool too: numba lets every object have an allocator of its own, which is asked to take
the memory back by whoever lets go of the object last, here or in Python.  So the pool's code stays until the process
ends, whatever becomes of derivatives.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import ctypes
import functools
from typing import Any

from enzyme.backend import symbols
from enzyme.backend.jit import JittedModule
from enzyme.engine.synthesis.arena import arena_text
from enzyme.frontend.memory_limit import share_of_memory
from enzyme.frontend.numba_compat.code import address_in_engine
from enzyme.frontend.numba_compat.compilers import rtsys
from enzyme.frontend.numba_compat.layouts import (
    MEMINFO,
    placed,
    runtime_function,
    runtime_interface,
)
from enzyme.frontend.runtime_model import NUMBA

FUNCTIONS = (
    "enzyme_allocate",
    "enzyme_grow",
    "enzyme_hold",
    "enzyme_release",
    "enzyme_release_many",
    "enzyme_discard",
    "enzyme_end_all",
    "enzyme_open",
    "enzyme_close",
    "enzyme_held",
    "enzyme_adopt",
    "enzyme_let_go",
)
POOLED = {
    "NRT_MemInfo_alloc": "enzyme_new_object",
    "NRT_MemInfo_alloc_aligned": "enzyme_new_aligned_object",
}

# As numba's functions, but for where memory comes from. Nothing asks for objects to grow.
_OBJECTS = """
@enzyme_objects = internal constant { ptr, ptr, ptr, ptr }
  { ptr @enzyme_object_room, ptr @enzyme_object_wider, ptr @enzyme_object_gone, ptr null }
declare ptr @enzyme_numba_object(i64, ptr)

define internal ptr @enzyme_object_room(i64 %size, ptr %opaque) {
  %room = call ptr @enzyme_take(i64 %size)
  ret ptr %room
}

define internal ptr @enzyme_object_wider(ptr %room, i64 %size, ptr %opaque) {
  %wider = call ptr @enzyme_widen(ptr %room, i64 %size)
  ret ptr %wider
}

define internal void @enzyme_object_gone(ptr %room, ptr %opaque) {
  call void @enzyme_give(ptr %room)
  ret void
}

define noalias ptr @enzyme_new_object(i64 %size) nounwind {
  %made = call ptr @enzyme_numba_object(i64 %size, ptr @enzyme_objects)
  ret ptr %made
}

define noalias ptr @enzyme_new_aligned_object(i64 %size, i32 %align) nounwind {
entry:
  %boundary = zext i32 %align to i64
  %twice = shl i64 %boundary, 1
  %wide = add i64 %size, %twice
  %made = call ptr @enzyme_numba_object(i64 %wide, ptr @enzyme_objects)
  %none = icmp eq ptr %made, null
  br i1 %none, label %out, label %align.data
align.data:
  %data.at = getelementptr i8, ptr %made, i64 $meminfo_data
  %data = load ptr, ptr %data.at
  %address = ptrtoint ptr %data to i64
  %least = sub i64 %boundary, 1
  %beyond = add i64 %address, %least
  %past = urem i64 %beyond, %boundary
  %aligned = sub i64 %beyond, %past
  %first = inttoptr i64 %aligned to ptr
  store ptr %first, ptr %data.at
  %size.at = getelementptr i8, ptr %made, i64 $meminfo_size
  store i64 %size, ptr %size.at
  br label %out
out:
  ret ptr %made
}
"""


@functools.cache
def register(context: Any) -> JittedModule:
    """Let every JIT of the process resolve the arena's functions; the module that defines them."""
    rtsys.initialize(context)
    generator = context.codegen()
    numbas = {name: address_in_engine(generator, name) for name in ("NRT_incref", "NRT_decref")}
    numbas["NRT_Free"] = runtime_function("Free")
    numbas["enzyme_numba_object"] = runtime_interface("allocate_external")
    text = arena_text(NUMBA) + placed(_OBJECTS, meminfo=MEMINFO)
    module = JittedModule(text, symbol_addresses=numbas)
    module.stay()
    for name in (*FUNCTIONS, *POOLED.values()):
        symbols.register_from(module.module, name, module.address(name))
    module.function("enzyme_bound_pool", None, ctypes.c_int64)(share_of_memory())
    return module


def use_pool(module: Any) -> None:
    """Let the objects that a derivative makes come from the pool."""
    for function in module.functions:
        pooled = POOLED.get(function.name)
        if pooled is not None and function.is_declaration:
            function.name = pooled
