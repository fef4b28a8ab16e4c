"""Numba's functions behind its overloads.

Our target puts its own in their place, or computes with them.
"""

from __future__ import annotations

from enzyme.frontend.numba_compat.probes import private

_LIST, _DICT, _UTILS = (
    "numba.typed.listobject",
    "numba.typed.dictobject",
    "numba.typed.typedobjectutils",
)
_MATH, _SCALARS = "numba.np.arraymath", "numba.np.npyfuncs"

container_data = private(_UTILS, "_container_get_data")

ListStatus = private(_LIST, "ListStatus")
list_append = private(_LIST, "_list_append")
list_setitem = private(_LIST, "_list_setitem")
list_delitem = private(_LIST, "_list_delitem")
list_delete_slice = private(_LIST, "_list_delete_slice")
list_is_mutable = private(_LIST, "_list_is_mutable")
list_make = private(_LIST, "_make_list")

dict_insert = private(_DICT, "_dict_insert")
dict_lookup = private(_DICT, "_dict_lookup")
dict_delitem = private(_DICT, "_dict_delitem")
dict_popitem = private(_DICT, "_dict_popitem")
dict_make = private(_DICT, "_make_dict")

select_one = private(_MATH, "_select")
select_two = private(_MATH, "_select_two")
collect_percentiles = private(_MATH, "_collect_percentiles_inner")
correlate = private(_MATH, "_np_correlate_core")
correlate_impl = private(_MATH, "_np_correlate_core_impl")

logaddexp = private(_SCALARS, "_npy_logaddexp")
logaddexp2 = private(_SCALARS, "_npy_logaddexp2")
LOG_E_2 = private(_SCALARS, "_NPY_LOGE2")
LOG_2_E = private(_SCALARS, "_NPY_LOG2E")
LOG_10_E = private(_SCALARS, "_NPY_LOG10E")

singular_values = private("numba.np.linalg", "_compute_singular_values")
singular_values_impl = private("numba.np.linalg", "_compute_singular_values_impl")
vector_length = private("numba.np.linalg", "_oneD_norm_2")
vector_length_impl = private("numba.np.linalg", "_oneD_norm_2_impl")

tuple_setitem = private("numba.cpython.unsafe.tuple", "tuple_setitem")
