"""Rules for numba: which one a call gets, its compilation, the function that it becomes.

What users register stands in `enzyme_rules`.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from enzyme.frontend import factorisations, transforms


@factorisations.ruled_by
def _factorisations() -> Mapping[str, Any]:
    """Loaded for programs that call one of them."""
    found: Mapping[str, Any] = importlib.import_module("enzyme.ruled.factorisations").RULED
    return found


@transforms.ruled_by
def _transforms() -> Mapping[Any, Any]:
    """Loaded for programs that have transforms."""
    found: Mapping[Any, Any] = importlib.import_module("enzyme.ruled.transforms").RULED
    return found
