"""What numba writes into a module must not depend on what it compiled before.

Its counters of variables and labels belong to the process, as does the place it names in some errors; variables of
functions that it inlines bear the serial number of the function, constants the hash of their bytes.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from enzyme.frontend.numba_compat.compilers import Context, PythonAPI, fresh_counters
from enzyme.frontend.numba_compat.patches import installed, naming_inlined, remembering_calls
from enzyme.frontend.numba_compat.probes import overriding


@contextmanager
def as_if_first() -> Iterator[None]:
    """Compile a function as if it were the first, and leave no trace for one that is being compiled."""
    with installed(), fresh_counters(), naming_inlined(_Numbers()), remembering_calls():
        yield


class _Numbers:
    """Numbers of the functions that numba inlines, which begin with each function that is compiled."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def __call__(self, function_name: str) -> str:
        number = self.known.setdefault(function_name, len(self.known) + 1)
        return f"{function_name.rpartition('$')[0]}${number}"


@overriding("emit_environment_sentry")
class RepeatablePythonAPI(PythonAPI):
    """Calls of Python's functions."""

    def emit_environment_sentry(
        self, envptr: Any, return_pyobject: bool = False, debug_msg: str = ""
    ) -> None:
        super().emit_environment_sentry(envptr, return_pyobject, "its function was freed")


@overriding("get_python_api insert_const_bytes")
class RepeatableContext(Context):
    """Lowering that gives the same module in every process, but for symbols; see `names`."""

    def around_function(self) -> AbstractContextManager[None]:
        return as_if_first()

    def get_python_api(self, builder: Any) -> Any:
        return RepeatablePythonAPI(self, builder)

    def insert_const_bytes(self, mod: Any, bytes: bytes, name: Any = None) -> Any:
        name = name or hashlib.sha256(bytes).hexdigest()[:16]
        return super().insert_const_bytes(mod, bytes, name)
