"""Makes a special function of ours known to the JIT when a derivative asks for it."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import importlib

from numba import types

from enzyme.backend import passes, symbols
from enzyme.backend.emit import called_by, defined_by, object_of
from enzyme.engine.derivatives.scipy.calls import OURS
from enzyme.engine.derivatives.scipy.pointers import RESULTS
from enzyme.frontend import pieces

_FILES = ("gamma", "beta", "student", "elementary", "error", "elliptic", "bessel", "noncentral", "hypergeometric")


def address_of(symbol: str) -> int | None:
    """Where the function is in this process, which makes it."""
    name = symbol.removeprefix(OURS)
    return pieces.load(f"special {name}", lambda: _make(name)).address(symbol)


def _make(name: str) -> pieces.Piece:
    module = passes.parse(_text_of_result(name) if name in RESULTS else _text_of_code(name))
    passes.isolate(module, f"{OURS}{name}")
    passes.run_after_ad(module, passes.POST_DEFAULT)
    called = called_by(module)
    missing = symbols.missing(called)
    assert not missing, f"{name} calls {missing}"
    return pieces.Piece(object_of(module), defined_by(module), called)


def _text_of_result(name: str) -> str:
    """One of the results that a function of SciPy's leaves behind pointers."""
    symbol, operands, place = RESULTS[name]
    results = symbol.rpartition(".")[2].count("p")
    numbers = [f"double %{k}" for k in range(operands)]
    places = "".join(f"  %p{k} = alloca double\n" for k in range(results))
    passed = ", ".join([*numbers, *(f"ptr %p{k}" for k in range(results))])
    types = ", ".join(["double"] * operands + ["ptr"] * results)
    return f"""
declare void @{symbol}({types})
define double @{OURS}{name}({", ".join(numbers)}) {{
{places}  call void @{symbol}({passed})
  %value = load double, ptr %p{place}
  ret double %value
}}
"""


def _text_of_code(name: str) -> str:
    """A function in Python, as one in C."""
    from enzyme.frontend.target import compile_primal

    function = functions()[name]
    count = function.py_func.__code__.co_argcount
    primal = compile_primal(function, (types.float64,) * count)
    numbers = ", ".join(f"double %{k}" for k in range(count))
    return f"""{primal.text}
define double @{OURS}{name}({numbers}) {{
  %result = alloca double
  %raised = alloca ptr
  %status = call i32 @{primal.entry}(ptr %result, ptr %raised, {numbers})
  %value = load double, ptr %result
  ret double %value
}}
"""


def functions() -> dict[str, object]:
    """All functions by name."""
    found: dict[str, object] = {}
    for file in _FILES:
        found |= importlib.import_module(f"enzyme.frontend.special.{file}").FUNCTIONS
    return found
