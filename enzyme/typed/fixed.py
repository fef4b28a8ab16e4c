"""Types whose only value is known from the type: modes, classes, functions of this library."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.core.imputils import lower_constant
from numba.extending import models, register_model


def dummy(context: Any, builder: Any, *given: Any) -> Any:
    """The value of every such type, as a constant, result of a call or of a cast."""
    return context.get_dummy_value()


class Fixed(types.Opaque):
    """Type of one Python object, `python_value`, which equal types share; no data at run time."""

    def __init__(self, python_value: Any, name: str) -> None:
        self.python_value = python_value
        super().__init__(name=name)

    def __init_subclass__(cls) -> None:
        register_model(cls)(models.OpaqueModel)
        lower_constant(cls)(dummy)

    @property
    def key(self) -> Any:
        return self.python_value


class FixedCallable(types.Callable, Fixed):  # type: ignore[misc]
    """Type of one object that jitted code calls; calls are lowered by the class of the type."""

    def get_call_signatures(self) -> Any:
        return (), True

    def get_impl_key(self, sig: Any) -> Any:
        return type(self)
