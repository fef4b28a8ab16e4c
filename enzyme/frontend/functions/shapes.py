"""The error of a slice that is given an array of another shape, without its text.

Numba puts the text together in the program: one such assignment in a loop of twenty statements makes three
quarters of all instructions. Here the program raises with the numbers, and the text is made where it is caught.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, no-untyped-call, untyped-decorator"

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.extending import overload
from numba.np.arrayobj import raise_with_shape_context

from enzyme.frontend.functions.stated import TARGET


class SliceShapeError(ValueError):
    """Makes the `ValueError` that numba raises."""

    def __new__(cls, source: tuple[int, ...], index: tuple[int, ...]) -> ValueError:  # type: ignore[misc]
        return ValueError(f"cannot assign slice of shape {index} from input of shape {source}")


def _is_a_shape(type_: types.Type) -> bool:
    return isinstance(type_, types.UniTuple) and isinstance(type_.dtype, types.Integer)


@overload(raise_with_shape_context, target=TARGET)
def _raise_with_shape_context(src_shapes: Any, index_shape: Any) -> Any:
    if not (_is_a_shape(src_shapes) and _is_a_shape(index_shape)):
        return None

    def raising(src_shapes: Any, index_shape: Any) -> Any:
        raise SliceShapeError(src_shapes, index_shape)

    return raising
