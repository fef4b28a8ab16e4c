"""A derivative that runs out of memory for its cache or a shadow raises MemoryError.

The engine calls a hook by name and returns the status that numba reads as "a Python exception is
set"; the hook sets it.
"""

from __future__ import annotations

from enzyme.frontend import pieces

HOOK = "enzyme_no_memory"

# The thread may have given up the interpreter's lock. A callee may have left for another reason.
_TEXT = f"""
declare i32 @PyGILState_Ensure()
declare void @PyGILState_Release(i32)
declare ptr @PyErr_Occurred()
declare ptr @PyErr_NoMemory()
define void @{HOOK}() {{
  %state = call i32 @PyGILState_Ensure()
  %pending = call ptr @PyErr_Occurred()
  %none = icmp eq ptr %pending, null
  br i1 %none, label %say, label %done
say:
  %null = call ptr @PyErr_NoMemory()
  br label %done
done:
  call void @PyGILState_Release(i32 %state)
  ret void
}}
"""


def register_hook() -> None:
    """Let every JIT of the process resolve the hook."""
    pieces.load("no memory", _make)


def _make() -> pieces.Piece:
    from enzyme.backend.emit import called_by, defined_by, object_of, optimised

    module = optimised(_TEXT)
    return pieces.Piece(object_of(module), defined_by(module), called_by(module))
