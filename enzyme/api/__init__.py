"""The functions that users call; `enzyme` exports most of them. Each is loaded when it is first touched."""

from __future__ import annotations

import importlib
from typing import Any

_HOMES = {
    name: home
    for home, names in {
        "combined": "autodiff autodiff_deferred",
        "explanation": "Explanation explain",
        "gradients": "WithValue gradient gradient_inplace jacobian",
        "introspection": "ignore_derivatives within_autodiff",
        "pool": "bound_pool empty_pool pool_bytes",
        "reflection": "compile_report enzyme_code_llvm enzyme_code_native",
        "settings": "runtime_activity set_runtime_activity",
        "thunks": "autodiff_deferred_thunk autodiff_thunk tape_type",
    }.items()
    for name in names.split()
}
_ELSEWHERE = {
    "cache": "enzyme.disk.switch",
    "log": "enzyme.support.progress",
    "print_after": "enzyme.frontend.printing",
}

__all__ = sorted([*_HOMES, *_ELSEWHERE])


def __getattr__(name: str) -> Any:
    home = f"enzyme.api.{_HOMES[name]}" if name in _HOMES else _ELSEWHERE.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(home), name)
    return found
