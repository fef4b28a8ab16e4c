"""Functions in C that compiled code calls by their address, told by name: those of SciPy and of the C library.

An address means nothing to the engine, and something else in every process. So where a program holds one (a pointer of
`ctypes` or cffi, an object with a `__wrapper_address__`, what `get_cython_function_address` gave), and it is that of a
function that SciPy exports to Cython or one that the catalogue knows, it becomes a symbol: ``scipy.gammainc.dd``, whose
letters are the types of the parameters, or the name in the C library; routines of linear algebra see `fortran`. Symbols
of SciPy's are found when the machine code is loaded.

Nothing is imported to find a name: whoever holds an address has loaded the module that it is from.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import ctypes
import functools
import importlib
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import types

from enzyme.backend import symbols
from enzyme.disk.fingerprint import Fingerprint, Unknown, walks
from enzyme.engine.derivatives.catalogue import INTRINSIC, OWN, all_entries
from enzyme.engine.derivatives.scipy.names import PREFIX
from enzyme.frontend import fortran
from enzyme.frontend.capsules import CFunction, exported

_MODULE = "scipy.special.cython_special"
_FUSED = re.compile(r"^__pyx_fuse(_\d+)+")
_LETTERS = {
    "double": "d",
    "float": "f",
    "long double": "x",
    "long": "l",
    "Py_ssize_t": "l",
    "__pyx_t_double_complex": "z",
    "void": "v",
}
_POINTER = ir.IntType(8).as_pointer()
# As llvmlite writes the types of parameters.
_OF_TYPE = {"double": "d", "float": "f", "i64": "l", "{double, double}": "z", "void": "v"}


def _exported() -> Iterator[tuple[CFunction, int]]:
    """What SciPy exports to Cython, with addresses; of two with one signature the first."""
    for name, result, parameters, address in exported(_MODULE):
        described = _described(name, result, parameters)
        if described is not None:
            yield described, address


def _described(name: str, result: str, parameters: Sequence[str]) -> CFunction | None:
    """A function of SciPy's by its exported name and its type in C.

    >>> _described("__pyx_fuse_1kn", "double", ["long", "double"])
    CFunction(symbol='scipy.kn.ld', result='d', letters='ld')
    """
    letters = ["p" if p.endswith("*") else _LETTERS.get(p, "") for p in parameters]
    if result not in _LETTERS or not all(letters):
        return None
    taken = "".join(letters)
    return CFunction(f"{PREFIX}{_FUSED.sub('', name)}.{taken}", _LETTERS[result], taken)


@functools.cache
def _of_scipy() -> tuple[dict[int, CFunction], dict[str, int]]:
    """The functions by address, and the addresses by symbol; the module has been loaded."""
    found = list(_exported())
    addresses: dict[str, int] = {}
    for function, address in found:
        addresses.setdefault(function.symbol, address)
    return {address: function for function, address in found}, addresses


@functools.cache
def _of_the_c_library() -> dict[int, CFunction]:
    """The functions of the C library that the catalogue has rows for."""
    names = [
        n
        for n, entry in all_entries().items()
        if not n.startswith((INTRINSIC, OWN, PREFIX)) and not entry.integral
    ]
    return {
        address: CFunction(name)
        for name in sorted(names, reverse=True)
        for address in symbols.addresses_of(name)
    }


def function_at(address: int) -> CFunction | None:
    """The function behind an address, if it is one that is known by name."""
    found = _of_scipy()[0].get(address) if _MODULE in sys.modules else None
    return found or fortran.function_at(address) or _of_the_c_library().get(address)


def address_of(symbol: str) -> int | None:
    """Where a function of SciPy's is in this process, which loads SciPy for it."""
    try:
        importlib.import_module(_MODULE)
    except ImportError:
        return None
    return _of_scipy()[1].get(symbol)


def exported_symbols() -> list[str]:
    """All functions of SciPy's by their symbols; it is loaded for that."""
    importlib.import_module(_MODULE)
    return list(_of_scipy()[1])


symbols.provide(PREFIX, address_of)


def declared(module: Any, address: int, kind: Any) -> Any:
    """A function of type `kind` that is the one behind the address, as a value of a module of llvmlite's; None if
    there is none by name, or it is of another type."""
    found = function_at(address)
    if found is None:
        return None
    if not found.letters:
        return _of_type(module, found.symbol, kind)
    if not _fits(kind.args, found.letters):
        return None
    if found.result == "v" and _letter(kind.return_type) in "vp":  # numba has a pointer for None
        result = ir.VoidType()
    elif _letter(kind.return_type) == found.result:
        result = kind.return_type
    else:
        return None
    given = zip(kind.args, found.letters, strict=False)  # without the parameter that is of no use
    plain = ir.FunctionType(result, [_POINTER if letter == "p" else t for t, letter in given])
    function = _of_type(module, found.symbol, plain)
    return function if function is None or plain == kind else _adapted(module, function, kind)


def _fits(kinds: Sequence[Any], letters: str) -> bool:
    """May it be called with these types? A pointer may be given as a number, and there may be a last argument that
    is of no use."""
    have = "".join(map(_letter, kinds))
    if len(have) < len(letters) or have[len(letters) :] not in ("", "i"):
        return False
    return all(
        one == two or (one, two) == ("l", "p") for one, two in zip(have, letters, strict=False)
    )


def _letter(kind: Any) -> str:
    if isinstance(kind, ir.PointerType):
        return "p"
    return "i" if kind == ir.IntType(32) else _OF_TYPE.get(str(kind), "?")


def _of_type(module: Any, symbol: str, kind: Any) -> Any:
    function = module.globals.get(symbol)
    if function is None:
        return ir.Function(module, kind, symbol)
    return function if function.function_type == kind else None


def _adapted(module: Any, of: Any, kind: Any) -> Any:
    """A function of type `kind` that calls another with its first arguments, and returns nothing as a null pointer."""
    letters = "".join(map(_letter, kind.args))
    name = f"{of.name}.as.{_letter(kind.return_type)}{letters}"
    while (known := module.globals.get(name)) is not None:
        if known.function_type == kind:
            return known
        name += "p"  # other pointers
    function = ir.Function(module, kind, name)
    function.linkage = "linkonce_odr"
    function.attributes.add("alwaysinline")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    given = [
        _converted(builder, value, wanted)
        for value, wanted in zip(function.args, of.function_type.args, strict=False)
    ]
    result = builder.call(of, given)
    if isinstance(kind.return_type, ir.VoidType):
        builder.ret_void()
    elif isinstance(of.function_type.return_type, ir.VoidType):
        builder.ret(kind.return_type(None))
    else:
        builder.ret(result)
    return function


def _converted(builder: Any, value: Any, wanted: Any) -> Any:
    if value.type == wanted:
        return value
    if isinstance(value.type, ir.PointerType):
        return builder.bitcast(value, wanted)
    return builder.inttoptr(value, wanted)


_EFFECTS = "nounwind willreturn nofree nosync memory({})"


def declarations(parts: Sequence[llvm.ModuleRef]) -> str:
    """Declarations of SciPy's functions in these modules that say what their calls do."""
    found = {
        f.name: str(f.global_value_type)
        for part in parts
        for f in part.functions
        if f.is_declaration and f.name.startswith(PREFIX)
    }
    text = ""
    for name, kind in sorted(found.items()):
        result, _, parameters = kind.partition(" (")
        effects = _EFFECTS.format("argmem: write" if "ptr" in parameters else "none")
        text += f"declare {result} @{name}({parameters.rstrip(')')}) {effects}\n"
    return text


# What of it is in the digest of a program ----------------------------------------------------------


@walks(ctypes._CFuncPtr)
def _pointer(found: Fingerprint, x: Any) -> None:
    _take_in(found, ctypes.cast(x, ctypes.c_void_p).value or 0)
    found.note("result", str(x.restype))
    found.note("parameters", str(x.argtypes))


@walks(types.WrapperAddressProtocol)
def _wrapped(found: Fingerprint, x: Any) -> None:
    _take_in(found, x.__wrapper_address__())
    signature = x.signature()
    found.all("signature", (*signature.args, signature.return_type))


def _take_in(found: Fingerprint, address: int) -> None:
    function = function_at(address)
    if function is None:
        raise Unknown("a function that is called by its address")
    found.note("function in C", function.symbol)
