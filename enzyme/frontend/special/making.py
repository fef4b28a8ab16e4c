"""Makes a special function of ours known to the JIT when a derivative asks for it."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import functools
import importlib
from typing import Any

from numba.core import types

from enzyme.backend import passes, symbols
from enzyme.backend.emit import called_by, defined_by, object_of
from enzyme.engine.derivatives.scipy.names import OURS, PREFIX
from enzyme.engine.derivatives.scipy.pointers import RESULTS
from enzyme.engine.differentiate import write_out
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_module
from enzyme.frontend import pieces
from enzyme.frontend.runtime_model import NUMBA

_FILES = (
    "gamma",
    "beta",
    "student",
    "elementary",
    "error",
    "elliptic",
    "bessel",
    "noncentral",
    "hypergeometric",
    "of_complex",
)


def address_of(symbol: str) -> int | None:
    """Where the function is in this process, which makes it, and those that share its code."""
    name = symbol.removeprefix(OURS)
    if name in RESULTS:
        kernel = RESULTS[name][0]
    else:
        function, *_ = functions()[name]
        kernel = function.__name__
    return pieces.load(f"special {kernel}", lambda: _make(kernel)).address(symbol)


def _make(kernel: str) -> pieces.Piece:
    text = _text_of_results(kernel) if kernel.startswith(PREFIX) else _text_of_kernel(kernel)
    module = passes.parse(text)
    passes.run_after_ad(module, passes.POST_DEFAULT)
    called = called_by(module)
    missing = symbols.missing(called)
    assert not missing, f"{kernel} calls {missing}"
    return pieces.Piece(object_of(module), defined_by(module), called)


def _text_of_results(symbol: str) -> str:
    """A function for each of the results that one of SciPy's leaves behind pointers."""
    letters = symbol.rpartition(".")[2]
    kind = _IN_C["z" if "z" in letters else "d"]
    numbers = [f"{kind} %{k}" for k in range(letters.index("p"))]
    places = [f"ptr %p{k}" for k in range(letters.count("p"))]
    allocated = "".join(f"  %p{k} = alloca {kind}\n" for k in range(len(places)))
    types = ", ".join([kind] * len(numbers) + ["ptr"] * len(places))
    text = f"declare void @{symbol}({types})\n"
    for name, (of, _, place) in RESULTS.items():
        if of == symbol:
            text += f"""
define {kind} @{OURS}{name}({", ".join(numbers)}) {{
{allocated}  call void @{symbol}({", ".join(numbers + places)})
  %value = load {kind}, ptr %p{place}
  ret {kind} %value
}}
"""
    return text


def _text_of_kernel(name: str) -> str:
    """A function in Python as those in C that it serves, each of which has constants for its last operands.

    Letters behind the names of those say what they take; a function of complex numbers returns one.
    """
    from enzyme.frontend.target import compile_primal

    served = {n: given for n, given in functions().items() if given[0].__name__ == name}
    symbol, (function, *constants) = next(iter(served.items()))
    count = function.py_func.__code__.co_argcount - len(constants)
    letters = symbol.partition(".")[2] or "d" * count
    argtypes = tuple(_KINDS[c] for c in letters) + (types.int64,) * len(constants)
    primal = compile_primal(function, argtypes)
    module = parse_module(primal.text, NUMBA)
    write_out(module)
    text = print_module(module)
    for symbol, (_, *given) in served.items():
        text += _served(symbol, letters, primal.entry, given)
    parsed = passes.parse(text)
    kernel = parsed.get_function(primal.entry)
    kernel.linkage = "internal"
    if len(served) > 1:
        kernel.add_function_attribute("noinline")
    return str(parsed)


_KINDS = {"d": types.float64, "z": types.complex128}
_IN_C = {"d": "double", "z": "{ double, double }"}


def _served(symbol: str, letters: str, entry: str, constants: list[int]) -> str:
    """A function in C by the one that numba has made."""
    result = _IN_C["z" if "z" in letters else "d"]
    parameters = ", ".join(f"{_IN_C[c]} %{k}" for k, c in enumerate(letters))
    lines, passed = "", []
    for k, c in enumerate(letters):
        if c == "d":
            passed.append(f"double %{k}")
            continue
        for part in (0, 1):
            lines += f"  %v{k}.{part} = extractvalue {_IN_C[c]} %{k}, {part}\n"
            passed.append(f"double %v{k}.{part}")
    listed = ", ".join([*passed, *(f"i64 {c}" for c in constants)])
    return f"""
define {result} @{OURS}{symbol}({parameters}) {{
{lines}  %result = alloca {result}
  %raised = alloca ptr
  %status = call i32 @{entry}(ptr %result, ptr %raised, {listed})
  %value = load {result}, ptr %result
  ret {result} %value
}}
"""


@functools.cache
def functions() -> dict[str, tuple[Any, ...]]:
    """For every function the one in Python and its last operands."""
    found: dict[str, tuple[Any, ...]] = {}
    for file in _FILES:
        found |= importlib.import_module(f"enzyme.frontend.special.{file}").FUNCTIONS
    return found
