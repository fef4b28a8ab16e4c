"""SciPy's functions as values that our own call."""

# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

from numba.core import types

from enzyme.engine.derivatives.scipy.names import PREFIX
from enzyme.frontend import c_functions

_TYPES = {"d": types.float64, "z": types.complex128}


class FromSciPy(types.WrapperAddressProtocol):
    """A function by its symbol there, `erfcx.d`, and the letter of its result."""

    def __init__(self, symbol: str, result: str = "d") -> None:
        self.symbol = symbol
        self.result = result

    def __wrapper_address__(self) -> int:
        found = c_functions.address_of(PREFIX + self.symbol)
        assert found is not None, f"SciPy has no {self.symbol}"
        return found

    def signature(self) -> Any:
        letters = self.symbol.rpartition(".")[2]
        return _TYPES[self.result](*(_TYPES[letter] for letter in letters))
