"""The hooks of derivatives that are looked at for NaN: what is seen first is raised in the end.

One number is kept for the whole process, that of the first place which was told of since somebody asked.
"""

from __future__ import annotations

import functools
from typing import Any

from enzyme.backend import symbols
from enzyme.backend.jit import JittedModule
from enzyme.engine.analysis.known_functions import NAN_FORGET, NAN_SEEN, NAN_STATUS, REFUSE
from enzyme.frontend import refusals

_SEEN = f"""
define void @{NAN_SEEN}.TYPE(TYPE %d, i64 %place) {{
  %nan = fcmp uno TYPE %d, %d
  br i1 %nan, label %keep, label %done
keep:
  %kept = cmpxchg ptr @first, i64 0, i64 %place monotonic monotonic
  br label %done
done:
  ret void
}}
"""
_TYPES = ("float", "double")
_TEXT = f"""
@first = internal global i64 0
declare void @{REFUSE}(i64)
define void @{NAN_FORGET}() {{
  store atomic i64 0, ptr @first monotonic, align 8
  ret void
}}
define i32 @{NAN_STATUS}(i32 %status) {{
  %place = atomicrmw xchg ptr @first, i64 0 monotonic
  %none = icmp eq i64 %place, 0
  br i1 %none, label %good, label %bad
good:
  ret i32 %status
bad:
  call void @{REFUSE}(i64 %place)
  ret i32 -1
}}
""" + "".join(_SEEN.replace("TYPE", type_) for type_ in _TYPES)


@functools.cache
def register_hooks() -> Any:
    """Let every JIT of the process resolve the hooks."""
    refusals.register_hook()
    module = JittedModule(_TEXT)
    for name in (NAN_FORGET, NAN_STATUS, *(f"{NAN_SEEN}.{type_}" for type_ in _TYPES)):
        symbols.register(name, module.address(name))
    return module
