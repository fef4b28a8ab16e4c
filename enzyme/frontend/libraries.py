"""Libraries of numba's whose code we have optimised ourselves."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

from numba.core import codegen

from enzyme.backend import passes


class Library(codegen.JITCodeLibrary):
    """A library that optimises no single functions; with `quick` its machine code is made quickly."""

    def __init__(self, owner: Any, name: str, quick: bool = False) -> None:
        super().__init__(owner, name)
        self.quick = quick

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _finalize_final_module(self) -> None:
        if self.quick:
            give_quick_object(self)
        super()._finalize_final_module()


def give_quick_object(library: Any) -> bytes:
    """Let numba's engine take machine code that is made quickly for that of a library; comes before it is loaded."""
    data = passes.quick_object(library._final_module)
    library.enable_object_caching()
    library._set_compiled_object(data)
    library._disable_inspection = False
    return data
