"""What numba writes into a module must not depend on what it compiled before.

Its counters of variables and labels belong to the process, as does the place it names in some errors; variables of
functions that it inlines bear the serial number of the function, constants the hash of their bytes.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from numba.core import cpu, errors, inline_closurecall, ir_utils, pythonapi

# While a function is compiled for our target: numbers of the functions that numba inlines into it, by their names.
_inlined: dict[str, int] | None = None


@contextmanager
def as_if_first() -> Iterator[None]:
    """Compile a function as if it were the first, and leave no trace for one that is being compiled."""
    global _inlined
    labels, inlined = ir_utils._the_max_label, _inlined
    variables, label, place = ir_utils._unique_var_count, labels._value, dict(errors.loc_info)
    ir_utils._unique_var_count, labels._value, _inlined = 0, 0, {}
    errors.loc_info.clear()
    try:
        yield
    finally:
        ir_utils._unique_var_count, labels._value, _inlined = variables, label, inlined
        errors.loc_info.clear()
        errors.loc_info.update(place)


def _numbered_anew(name_of: Any) -> Any:
    """Numba's names of inlined variables, with numbers that begin with each function that is compiled."""

    @wraps(name_of)
    def name(function_name: str, variable: str) -> Any:
        if _inlined is not None:
            number = _inlined.setdefault(function_name, len(_inlined) + 1)
            function_name = f"{function_name.rpartition('$')[0]}${number}"
        return name_of(function_name, variable)

    return name


inline_closurecall._created_inlined_var_name = _numbered_anew(
    inline_closurecall._created_inlined_var_name
)


class RepeatablePythonAPI(pythonapi.PythonAPI):
    """Calls of Python's functions."""

    def emit_environment_sentry(
        self, envptr: Any, return_pyobject: bool = False, debug_msg: str = ""
    ) -> None:
        super().emit_environment_sentry(envptr, return_pyobject, "its function was freed")


class RepeatableContext(cpu.CPUContext):
    """Lowering that gives the same module in every process, but for symbols; see `names`."""

    def _compile_subroutine_no_cache(self, *args: Any, **kwargs: Any) -> Any:
        with as_if_first():
            return super()._compile_subroutine_no_cache(*args, **kwargs)

    def get_python_api(self, builder: Any) -> Any:
        return RepeatablePythonAPI(self, builder)

    def insert_const_bytes(self, mod: Any, bytes: bytes, name: Any = None) -> Any:
        name = name or hashlib.sha256(bytes).hexdigest()[:16]
        return super().insert_const_bytes(mod, bytes, name)
