"""What numba's typed lists and dictionaries hold: the containers among arguments, the one size of their contents."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from numba.core import types


def containers_in(argtypes: Iterable[types.Type], cls: type) -> Iterable[Any]:
    """The types of class `cls` in arguments; None for what cannot be looked into."""
    for ty in argtypes:
        if isinstance(ty, cls):
            yield ty
        elif isinstance(ty, types.BaseTuple):
            yield from containers_in(ty.types, cls)
        elif cls.__name__ in str(ty):
            yield None


def common_size(context: Any, sizes: Iterable[int], contents: Iterable[types.Type]) -> int:
    """Bytes of what all containers hold, `sizes` included; 0 if they differ or something is counted."""
    found = set(sizes)
    for content in contents:
        if context.data_model_manager[content].contains_nrt_meminfo():
            return 0
        found.add(context.get_abi_sizeof(context.get_data_type(content)))
    return found.pop() if len(found) == 1 else 0
