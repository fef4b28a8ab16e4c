"""What is assumed of numba, tested when the library is first used.

A probe is a function that ends if its assumption holds, and raises `UnsupportedNumbaError` with one sentence if not.
Names that numba lacks are told when they are looked up (`private`). Probes run once per process and must be cheap:
they compile nothing.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numba
from numba.core.compiler_lock import global_compiler_lock

from enzyme.errors import UnsupportedNumbaError

Probe = Callable[[], None]
PROBES: list[Probe] = []
_passed = False


def probe(test: Probe) -> Probe:
    """Have `test` run before the library is first used."""
    PROBES.append(test)
    return test


def expect(holds: Any, sentence: str) -> None:
    """Raise an error that says with one sentence what changed in numba, unless the assumption holds."""
    if not holds:
        raise UnsupportedNumbaError(
            what=sentence,
            why=f"this release does not know numba {numba.__version__}",
            todo="install the version of numba that pip chooses for it: pip install enzyme-autodiff",
        )


def private(module: str, name: str) -> Any:
    """What numba calls `name` in one of its modules."""
    try:
        return getattr(importlib.import_module(module), name)
    except (AttributeError, ImportError):
        expect(False, f"{module} has no {name} any more")


def expect_attributes(owner: Any, names: str) -> None:
    """Numba's class or object has attributes of these names."""
    for name in names.split():
        expect(
            hasattr(owner, name),
            f"{getattr(owner, '__name__', type(owner).__name__)} of numba has no {name} any more",
        )


def expect_parameters(owner: Any, name: str, parameters: str) -> None:
    """A method of numba's takes parameters of these names; what others have put around it takes any."""
    expect_attributes(owner, name)
    code = getattr(inspect.unwrap(getattr(owner, name)), "__code__", None)
    if code is None or code.co_flags & inspect.CO_VARARGS:
        return
    found = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    expect(
        found == tuple(parameters.split()),
        f"{owner.__name__}.{name} of numba takes {', '.join(found)} now, not {', '.join(parameters.split())}",
    )


def overriding(names: str) -> Callable[[type], type]:
    """Decorate a class that overrides methods of numba's: if numba drops one, ours would never be called."""

    def register(cls: type) -> type:
        def test() -> None:
            for name in names.split():
                expect(
                    any(name in base.__dict__ for base in cls.__mro__[1:]),
                    f"{cls.__mro__[1].__name__} of numba has no {name} any more",
                )

        test.overriding, test.names = cls, names.split()  # type: ignore[attr-defined]
        test.__name__ = f"{cls.__name__}_overrides_what_is_there"
        probe(test)
        return cls

    return register


def check() -> None:
    """Run all probes, once per process.

    Raises
    ------
    UnsupportedNumbaError
        One of them failed; it will be run again at the next use.
    """
    global _passed
    if _passed:
        return
    with global_compiler_lock:
        for test in PROBES:
            test()
        _passed = True
