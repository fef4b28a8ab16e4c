"""Makes a special function of ours known to the JIT when a derivative asks for it."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import importlib

from numba import types

from enzyme.backend import passes, symbols
from enzyme.backend.emit import called_by, defined_by, object_of
from enzyme.engine.derivatives.scipy.calls import OURS
from enzyme.frontend import pieces

_FILES = ("gamma", "beta", "student")


def address_of(symbol: str) -> int | None:
    """Where the function is in this process, which makes it."""
    name = symbol.removeprefix(OURS)
    return pieces.load(f"special {name}", lambda: _make(name)).address(symbol)


def _make(name: str) -> pieces.Piece:
    from enzyme.frontend.target import compile_primal

    function = functions()[name]
    count = function.py_func.__code__.co_argcount
    primal = compile_primal(function, (types.float64,) * count)
    numbers = ", ".join(f"double %{k}" for k in range(count))
    text = f"""{primal.text}
define double @{OURS}{name}({numbers}) {{
  %result = alloca double
  %raised = alloca ptr
  %status = call i32 @{primal.entry}(ptr %result, ptr %raised, {numbers})
  %value = load double, ptr %result
  ret double %value
}}
"""
    module = passes.parse(text)
    passes.isolate(module, f"{OURS}{name}")
    passes.run_after_ad(module, passes.POST_DEFAULT)
    called = called_by(module)
    missing = symbols.missing(called)
    assert not missing, f"{name} calls {missing}"
    return pieces.Piece(object_of(module), defined_by(module), called)


def functions() -> dict[str, object]:
    """All functions by name."""
    found: dict[str, object] = {}
    for file in _FILES:
        found |= importlib.import_module(f"enzyme.frontend.special.{file}").FUNCTIONS
    return found
