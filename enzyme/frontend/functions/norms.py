"""Lengths of vectors that do not lie as BLAS needs them.

Numba gives BLAS the first item of the vector and the stride in items. A stride that goes backwards, or that is no
multiple of an item (a field of records), makes BLAS read memory beside the vector. Here such vectors are copied first.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, no-untyped-call, untyped-decorator"

from __future__ import annotations

from typing import Any

from numba.extending import overload, register_jitable

from enzyme.frontend.functions.stated import TARGET
from enzyme.frontend.numba_compat.functions import vector_length, vector_length_impl


@overload(vector_length, target=TARGET)
def _length(a: Any) -> Any:
    of_items = register_jitable(vector_length_impl(a))
    if a.layout in "CF":

        def contiguous(a: Any) -> Any:
            return of_items(a)

        return contiguous

    def strided(a: Any) -> Any:
        if a.strides[0] < 0 or a.strides[0] % a.itemsize != 0:
            return of_items(a.copy())
        return of_items(a)

    return strided
