"""The functions that users call; `enzyme` exports most of them. Each is loaded when it is first touched."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from enzyme.spellings import missing_switch

# For who reads the code: checkers of types, and the reference.
if TYPE_CHECKING:
    from enzyme.api.combined import autodiff, autodiff_deferred
    from enzyme.api.explanation import Explanation, explain
    from enzyme.api.gradients import WithValue, gradient, gradient_inplace, jacobian
    from enzyme.api.introspection import ignore_derivatives, within_autodiff
    from enzyme.api.pool import bound_pool, empty_pool, pool_bytes
    from enzyme.api.reflection import (
        compile_report,
        enzyme_code_llvm,
        enzyme_code_native,
        enzyme_code_typed,
        typetree,
    )
    from enzyme.api.settings import (
        check_nan,
        fast_adjoints,
        runtime_activity,
        set_check_nan,
        set_fast_adjoints,
        set_runtime_activity,
        set_strong_zero,
        strong_zero,
    )
    from enzyme.api.thunks import autodiff_deferred_thunk, autodiff_thunk, tape_type
    from enzyme.disk.switch import cache
    from enzyme.frontend.printing import print_after
    from enzyme.support.progress import log

_HOMES = {
    name: home
    for home, names in {
        "combined": "autodiff autodiff_deferred",
        "explanation": "Explanation explain",
        "gradients": "WithValue gradient gradient_inplace jacobian",
        "introspection": "ignore_derivatives within_autodiff",
        "pool": "bound_pool empty_pool pool_bytes",
        "reflection": "compile_report enzyme_code_llvm enzyme_code_native enzyme_code_typed typetree",
        "settings": "check_nan fast_adjoints runtime_activity set_check_nan set_fast_adjoints "
        "set_runtime_activity set_strong_zero strong_zero",
        "thunks": "autodiff_deferred_thunk autodiff_thunk tape_type",
    }.items()
    for name in names.split()
}
_ELSEWHERE = {
    "cache": "enzyme.disk.switch",
    "log": "enzyme.support.progress",
    "print_after": "enzyme.frontend.printing",
}

__all__ = [
    "Explanation",
    "WithValue",
    "autodiff",
    "autodiff_deferred",
    "autodiff_deferred_thunk",
    "autodiff_thunk",
    "bound_pool",
    "cache",
    "check_nan",
    "compile_report",
    "empty_pool",
    "enzyme_code_llvm",
    "enzyme_code_native",
    "enzyme_code_typed",
    "explain",
    "fast_adjoints",
    "gradient",
    "gradient_inplace",
    "ignore_derivatives",
    "jacobian",
    "log",
    "pool_bytes",
    "print_after",
    "runtime_activity",
    "set_check_nan",
    "set_fast_adjoints",
    "set_runtime_activity",
    "set_strong_zero",
    "strong_zero",
    "tape_type",
    "typetree",
    "within_autodiff",
]


def __getattr__(name: str) -> Any:
    home = f"enzyme.api.{_HOMES[name]}" if name in _HOMES else _ELSEWHERE.get(name)
    if home is None:
        raise AttributeError(missing_switch(name))
    found = globals()[name] = getattr(importlib.import_module(home), name)
    return found
