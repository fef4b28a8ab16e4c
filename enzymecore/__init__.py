"""Annotations, modes and zeros: the vocabulary of differentiation, without the compiler.

A package that defines derivative rules needs only this one and `enzyme_rules`; importing it takes
milliseconds and never loads numba. Numpy is loaded when a public name is first touched.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from pathlib import Path as _Path
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING
from typing import Any as _Any

from enzymecore.neighbour import check_neighbour as _check_neighbour

if TYPE_CHECKING:
    from enzymecore.vocabulary import *  # noqa: F403
    from enzymecore.vocabulary import __all__ as __all__

_HOME = _Path(__file__).resolve().parent
_check_neighbour(_HOME.parent)


def __getattr__(name: str) -> _Any:
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module 'enzymecore' has no attribute {name!r}")
    if name.islower() and (_HOME / f"{name}.py").exists():
        # Modules of this package import each other so; they must not get all of them for it.
        return _import_module(f"enzymecore.{name}")
    vocabulary = _vocabulary()
    found = {public: getattr(vocabulary, public) for public in ("__all__", *vocabulary.__all__)}
    globals().update(found)
    if name not in found:
        raise AttributeError(f"module 'enzymecore' has no attribute {name!r}")
    return found[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *_vocabulary().__all__})


def _vocabulary() -> _ModuleType:
    return _import_module("enzymecore.vocabulary")
