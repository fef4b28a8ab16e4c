"""Errors that a derivative raises when control gets to what has none.

The engine calls a hook by name, with the number of the error, and leaves with the status that numba reads as "a Python
exception is set"; the hook sets it.
"""

from __future__ import annotations

import copy
import functools
from typing import Any, NoReturn

from enzyme.backend import symbols
from enzyme.backend.jit import JittedModule
from enzyme.engine.analysis.known_functions import REFUSE
from enzyme.errors import EnzymeError

_known: dict[int, EnzymeError] = {}


def remember(number: int, error: EnzymeError, located: bool) -> None:
    """Keep an error for the code that raises it; one that is `located` names a line."""
    if located or number not in _known:
        _known[number] = error


def _raise(number: int) -> NoReturn:
    raise copy.copy(_known[number]) from None


# The thread may have given up the interpreter's lock.
_TEXT = f"""
@format = private constant [2 x i8] c"L\\00"
declare i32 @PyGILState_Ensure()
declare void @PyGILState_Release(i32)
declare ptr @PyObject_CallFunction(ptr, ptr, ...)
define void @{REFUSE}(i64 %number) {{
  %state = call i32 @PyGILState_Ensure()
  %raise = inttoptr i64 {id(_raise)} to ptr
  %null = call ptr (ptr, ptr, ...) @PyObject_CallFunction(ptr %raise, ptr @format, i64 %number)
  call void @PyGILState_Release(i32 %state)
  ret void
}}
"""


@functools.cache
def register_hook() -> Any:
    """Let every JIT of the process resolve the hook; the module that defines it."""
    module = JittedModule(_TEXT)
    symbols.register(REFUSE, module.address(REFUSE))
    return module
