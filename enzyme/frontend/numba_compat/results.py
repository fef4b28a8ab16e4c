"""Compiled functions as bytes, as numba writes them to its own files."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined"

from __future__ import annotations

import pickle
from typing import Any

from numba.core import boxing, pythonapi, serialize, types
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target


def bytes_of(result: CompileResult) -> bytes:
    """A compile result, to be read by the same versions on the same processor."""
    found: bytes = serialize.dumps(result._reduce())
    return found


def result_of(data: bytes) -> CompileResult:
    """The compile result again."""
    found: CompileResult = CompileResult._rebuild(cpu_target.target_context, *pickle.loads(data))
    return found


# What numba has for types of which it makes no objects.
_REFUSING = (boxing.box_unsupported, boxing.box_LiteralStrKeyDict)


def unknown_to_python(ty: types.Type) -> types.Type | None:
    """The part of a type whose values numba does not make Python objects of, if there is one."""
    if pythonapi._boxers.lookup(type(ty)) in (None, *_REFUSING):
        return ty
    members = ty.types if isinstance(ty, types.BaseTuple) else ()
    return next((found for member in members if (found := unknown_to_python(member))), None)


def declared(result: CompileResult) -> list[str]:
    """The names of the functions that the code of a compile result calls and does not have."""
    module = result.library._final_module
    return [function.name for function in module.functions if function.is_declaration]


def address(result: CompileResult) -> Any:
    """Where the function is."""
    return result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
