"""Numba's models of values: which primitive parts a value of a type has."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

from numba.core.datamodel import default_manager
from numba.core.datamodel.models import (
    OmittedArgDataModel,
    StructModel,
    TupleModel,
    UniTupleModel,
)
from numba.core.registry import cpu_target
from numba.core.types.npytypes import NumPyRandomGeneratorType

__all__ = [
    "NumPyRandomGeneratorType",
    "OmittedArgDataModel",
    "StructModel",
    "TupleModel",
    "UniTupleModel",
    "default_manager",
    "members",
    "model_of",
]


def model_of(ty: Any) -> Any:
    """The model of the values of a type; some, as that of text, numba registers late."""
    try:
        return default_manager[ty]
    except NotImplementedError:
        cpu_target.target_context.refresh()
        return default_manager[ty]


def members(model: Any) -> list[tuple[str, Any]]:
    """The fields of a struct's model, names and types in order."""
    return list(zip(model._fields, model._members, strict=True))
