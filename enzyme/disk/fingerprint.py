"""A digest of a program: of a function, of all that it calls, and of all values that are constants in its code.

Two programs with one digest compile to the same derivative, in whatever process they are. So nothing goes in that
belongs to a process (addresses, serial numbers, the order of sets), and all that numba or a rule may look at does. A
value that is not known to be determined by its content makes the program `Unknown`: it is not kept on disk.
"""

from __future__ import annotations

import builtins
import dis
import enum
import functools
import hashlib
import struct
import sys
import sysconfig
import types as pytypes
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any, cast

import numpy as np

# What comes with the versions of `made_by`: it is told by its name.
LIBRARIES = frozenset(
    [
        *sys.stdlib_module_names,
        *("numba", "numpy", "scipy", "llvmlite"),
        *("enzyme", "enzymecore", "enzyme_rules"),
    ]
) - {"__main__"}
_GLOBAL = ("LOAD_GLOBAL", "LOAD_NAME")
_FREE = ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF")
_ATTRIBUTE = ("LOAD_ATTR", "LOAD_METHOD")
_MISSING = object()
_PYTHON = (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"))
# What a program may have put into a module of a library.
_MAY_BE_SET: tuple[Any, ...] = (
    *(bool, int, float, complex, str, bytes, tuple, list, dict, np.ndarray, np.generic),
    *(pytypes.FunctionType, pytypes.BuiltinFunctionType, np.ufunc, type, pytypes.ModuleType),
)
_MOST_BYTES = 1 << 28  # of an array
Walk = Callable[["Fingerprint", Any], None]


class Unknown(Exception):
    """The program holds something that its content does not determine; the message says what."""


class Fingerprint:
    """Takes in values one after the other; `digest` tells sequences apart that are not the same.

    Examples
    --------
    >>> def of(x):
    ...     found = Fingerprint()
    ...     found.add(x)
    ...     return found.digest()
    >>> of((1, 2.0)) == of((1, 2.0)), of((1, 2.0)) == of((1.0, 2.0)), of(0.0) == of(-0.0)
    (True, False, False)
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._met: dict[int, tuple[int, Any]] = {}
        self.classes: list[type] = []  # of the user's, in the order in which they were met
        self.functions: list[pytypes.FunctionType] = []  # all that were looked into
        self.compiled: list[Any] = []  # all jitted ones

    def digest(self) -> str:
        return self._hash.hexdigest()

    def note(self, tag: str, content: bytes | str = b"") -> None:
        """Take in one thing; its length makes sure that no two sequences look alike."""
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        self._hash.update(struct.pack("<IQ", len(tag), len(data)) + tag.encode() + data)

    def add(self, x: Any) -> None:
        """Take in a value, and what it refers to.

        Raises
        ------
        Unknown
            If its content does not determine what it is.
        """
        cls = type(x)
        plain = _PLAIN.get(cls)
        if plain is not None:
            self.note(cls.__name__, plain(x))
            return
        known = self._met.get(id(x))
        if known is not None:
            self.note("again", str(known[0]))
            return
        self._met[id(x)] = len(self._met), x
        for kind, walk in _WALKS:
            if isinstance(x, kind):
                walk(self, x)
                return
        if objects_of_libraries(self, x):
            return
        raise Unknown(f"{x!r:.60} of type {cls.__module__}.{cls.__qualname__}")

    def all(self, tag: str, values: Iterable[Any]) -> None:
        """Take in several values as one."""
        found = list(values)
        self.note(tag, str(len(found)))
        for value in found:
            self.add(value)

    def named(self, tag: str, x: Any) -> bool:
        """Take in something of a library by its name, if that is where it is found."""
        module, name = getattr(x, "__module__", None), getattr(x, "__qualname__", None)
        if not isinstance(module, str) or not isinstance(name, str) or not of_library(module):
            return False
        if find(module, name) is not x:
            return False
        self.note(tag, f"{module}.{name}")
        return True


@functools.lru_cache(maxsize=4096)
def of_library(module: str) -> bool:
    """Does a module of this name come with the versions that the digest of `made_by` tells?

    A module of the user's may have the name of one of Python's.
    """
    root = module.partition(".")[0]
    if root not in LIBRARIES:
        return False
    if root not in sys.stdlib_module_names:
        return True
    spec = getattr(sys.modules.get(root), "__spec__", None)
    place = getattr(spec, "origin", None) or "built-in"
    return place in ("built-in", "frozen") or (
        place.startswith(_PYTHON) and "-packages" not in place
    )


def find(module: str, name: str) -> Any:
    """What a module has under a name with dots; None if nothing."""
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) else getattr(found, "py_func", found)


def walks(*kinds: type) -> Callable[[Walk], Walk]:
    """Say how values of these classes, or of subclasses of them, are taken in; what is said first counts."""

    def say(walk: Walk) -> Walk:
        _WALKS.append((kinds, walk))
        return walk

    return say


_PLAIN: dict[type, Callable[[Any], bytes | str]] = {
    type(None): repr,
    type(Ellipsis): repr,
    type(NotImplemented): repr,
    bool: repr,
    int: repr,
    float: lambda x: struct.pack("<d", x),
    complex: lambda x: struct.pack("<dd", x.real, x.imag),
    str: lambda x: x,
    bytes: lambda x: x,
    range: repr,
    slice: lambda x: _of_slice(x),
}
_WALKS: list[tuple[tuple[type, ...], Walk]] = []


def _of_slice(x: slice) -> str:
    parts = (x.start, x.stop, x.step)
    if all(part is None or type(part) is int for part in parts):
        return repr(x)
    raise Unknown(f"{x!r:.60}")


# Values -------------------------------------------------------------------------------------------


@walks(enum.Enum)
def _enumerated(found: Fingerprint, x: enum.Enum) -> None:
    found.note("member", x.name)
    found.add(type(x))


@walks(np.dtype)
def _dtype(found: Fingerprint, x: np.dtype[Any]) -> None:
    if x.hasobject:
        raise Unknown(f"an array of objects: {x}")
    found.note("dtype", f"{x.str} {x.itemsize} {x.alignment} {x.isalignedstruct}")
    if x.subdtype is not None:
        found.all("subarray", x.subdtype)
    found.add(x.names)
    for name, entry in sorted((x.fields or {}).items()):
        found.all(name, entry)


@walks(np.generic)
def _number(found: Fingerprint, x: np.generic) -> None:
    found.add(x.dtype)
    found.note(type(x).__name__, x.tobytes())


@walks(np.ndarray)
def _array(found: Fingerprint, x: np.ndarray[Any, Any]) -> None:
    if type(x) is not np.ndarray:
        raise Unknown(f"an array of class {type(x).__qualname__}")
    if x.nbytes > _MOST_BYTES:
        raise Unknown(f"an array of {x.nbytes} bytes")
    found.add(x.dtype)
    found.note("array", f"{x.shape} {x.strides} {x.flags.num & 0x507}")
    found.note("items", x.tobytes())


@walks(tuple)
def _tuple(found: Fingerprint, x: tuple[Any, ...]) -> None:
    if type(x) is not tuple:
        found.add(type(x))
    found.all("tuple", x)


@walks(list)
def _list(found: Fingerprint, x: list[Any]) -> None:
    found.all("list", x)


@walks(dict)
def _dict(found: Fingerprint, x: dict[Any, Any]) -> None:
    found.all("dict", [part for pair in x.items() for part in pair])


@walks(frozenset, set)
def _set(found: Fingerprint, x: Any) -> None:
    found.all(type(x).__name__, sorted(digests_of(found, x)))


def digests_of(found: Fingerprint, values: Iterable[Any]) -> list[str]:
    """A digest for each value, so that they can be brought into an order."""
    digests = []
    for value in values:
        one = type(found)()
        one.add(value)
        digests.append(one.digest())
        found.classes += one.classes
        found.functions += one.functions
        found.compiled += one.compiled
    return digests


# Functions ----------------------------------------------------------------------------------------


@walks(pytypes.CodeType)
def _code(found: Fingerprint, x: pytypes.CodeType) -> None:
    found.note("code", x.co_code)
    if not x.co_filename.startswith("<") and "ipykernel" not in x.co_filename:
        found.note("file", x.co_filename)  # that errors name
    counts = x.co_argcount, x.co_posonlyargcount, x.co_kwonlyargcount, x.co_flags
    found.note("lines", f"{x.co_firstlineno} {counts}")
    found.note("table", x.co_linetable)
    found.note("exceptions", x.co_exceptiontable)
    found.all("names", (x.co_name, x.co_names, x.co_varnames, x.co_freevars, x.co_cellvars))
    found.all("constants", x.co_consts)


@walks(pytypes.FunctionType)
def _function(found: Fingerprint, x: pytypes.FunctionType) -> None:
    found.all("attached", attached(x))
    if found.named("function", x):
        return
    found.functions.append(x)
    found.note("name", f"{x.__module__}.{x.__qualname__}")
    found.add(x.__code__)
    found.add(x.__defaults__)
    found.add(x.__kwdefaults__)
    captured = dict(zip(x.__code__.co_freevars, x.__closure__ or (), strict=True))
    for tag, name, value in outside(x, captured):
        found.note(tag, name)
        if value is not _MISSING:
            found.add(value)


# What else belongs to a function: rules, implementations that are registered for it.
attachments: list[Callable[[pytypes.FunctionType], Iterable[Any]]] = []


def attached(x: pytypes.FunctionType) -> Iterator[Any]:
    """What a function has beside its code."""
    for look in attachments:
        yield from look(x)


def outside(x: pytypes.FunctionType, captured: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """What a function, and the functions in it, read from outside: globals, cells, and attributes of modules."""
    for name, cell in captured.items():
        try:
            yield "cell", name, cell.cell_contents
        except ValueError:
            yield "empty", name, _MISSING
    seen: set[tuple[str, ...]] = set()
    for kind, chain, every in chains(x.__code__):
        if kind == "free" and chain[0] not in captured:
            continue  # of a function around
        if kind == "global":
            value = x.__globals__.get(chain[0], _MISSING)
            if value is _MISSING:
                value = getattr(builtins, chain[0], _MISSING)
            if (chain[0],) not in seen:
                seen.add((chain[0],))
                yield "global", chain[0], value
        else:
            try:
                value = captured[chain[0]].cell_contents
            except ValueError:
                continue
        yield from _attributes(value, chain, every, seen)


def _attributes(
    value: Any, chain: tuple[str, ...], every: tuple[str, ...], seen: set[tuple[str, ...]]
) -> Iterator[tuple[str, str, Any]]:
    """What is read from a module of the user's; where it is passed on, all names that the code reads from anything."""
    for at, name in enumerate(chain[1:], 2):
        if not isinstance(value, pytypes.ModuleType):
            return
        if value.__name__ == "os" and name in ("environ", "getenv"):
            raise Unknown("what it reads from the environment of the process")
        of_module = of_library(value.__name__)
        value = getattr(value, name, _MISSING)
        if of_module and not isinstance(value, _MAY_BE_SET) and not hasattr(value, "py_func"):
            value = type(value).__name__  # as the library has it
        if chain[:at] not in seen:
            seen.add(chain[:at])
            yield "attribute", ".".join(chain[:at]), value
    if not isinstance(value, pytypes.ModuleType) or of_library(value.__name__):
        return
    for name in every:
        if (*chain, name) not in seen and hasattr(value, name):
            yield from _attributes(value, (*chain, name), every, seen)


@functools.lru_cache(maxsize=1024)
def chains(code: pytypes.CodeType) -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
    """``a.b.c`` for every global or captured ``a`` that code reads, and all names of attributes that it reads."""
    found: dict[tuple[str, tuple[str, ...]], None] = {}
    every: dict[str, None] = {}
    pending = [code]
    while pending:
        part = pending.pop()
        pending += [c for c in part.co_consts if isinstance(c, pytypes.CodeType)]
        kind = ""
        chain: tuple[str, ...] = ()
        for instruction in dis.get_instructions(part):
            if instruction.opname in _ATTRIBUTE:
                every[instruction.argval] = None
                chain = (*chain, instruction.argval) if chain else ()
                continue
            if chain:
                found[kind, chain] = None
            if instruction.opname in _GLOBAL:
                kind, chain = "global", (instruction.argval,)
            elif instruction.opname in _FREE:
                kind, chain = "free", (instruction.argval,)
            else:
                chain = ()
        if chain:
            found[kind, chain] = None
    return tuple((kind, chain, tuple(every)) for kind, chain in found)


@walks(pytypes.ModuleType)
def _module(found: Fingerprint, x: pytypes.ModuleType) -> None:
    found.note("module", x.__name__)  # what is read from it is taken in where it is read


@walks(pytypes.MethodType)
def _method(found: Fingerprint, x: pytypes.MethodType) -> None:
    found.all("method", (x.__func__, x.__self__))


@walks(functools.partial)
def _partial(found: Fingerprint, x: functools.partial[Any]) -> None:
    found.all("partial", (x.func, x.args, x.keywords))


@walks(pytypes.BuiltinFunctionType)
def _builtin(found: Fingerprint, x: Any) -> None:
    owner = cast(Any, x.__self__)
    if isinstance(owner, pytypes.ModuleType) and of_library(owner.__name__):
        found.note("builtin", f"{owner.__name__}.{x.__qualname__}")
        return
    raise Unknown(f"{x!r:.60}")


@walks(np.ufunc, type(np.sum))
def _of_numpy(found: Fingerprint, x: Any) -> None:
    name: str = x.__name__
    for module in ("numpy", "numpy.linalg", "numpy.fft", "scipy.special"):
        if getattr(sys.modules.get(module), name, None) is x:
            found.note("function", f"{module}.{name}")
            return
    if not found.named("function", x):
        raise Unknown(f"{x!r:.60}")


# Classes ------------------------------------------------------------------------------------------


@walks(type)
def _class(found: Fingerprint, x: type) -> None:
    for look in class_walks:
        look(found, x)
    if found.named("class", x):
        return
    found.classes.append(x)
    found.note("class", f"{x.__module__}.{x.__qualname__}")
    if issubclass(x, BaseException):
        # Errors are raised by their names, so others must find them there.
        if x.__module__ == "__main__" or find(x.__module__, x.__qualname__) is not x:
            raise Unknown(f"the exception {x.__qualname__}, which is in no module")
        return
    if issubclass(x, enum.Enum):
        found.all("members", [(name, member.value) for name, member in x.__members__.items()])
        found.all("bases", x.__bases__)
        return
    if issubclass(x, tuple) and hasattr(x, "_fields"):
        defaults = getattr(x, "_field_defaults", {})
        found.all("fields", (x._fields, defaults, x.__new__.__defaults__))
        found.all("bases", x.__bases__)
        own = {n: v for n, v in vars(x).items() if isinstance(v, pytypes.FunctionType)}
        made = {"_make", "_replace", "__repr__", "_asdict", "__getnewargs__", "__new__"}
        found.add({n: v for n, v in own.items() if n not in made})
        return
    raise Unknown(f"the class {x.__qualname__}")


# Take in what was declared of a class.
class_walks: list[Callable[[Fingerprint, type], None]] = []


@walks(property, staticmethod, classmethod)
def _descriptor(found: Fingerprint, x: Any) -> None:
    if isinstance(x, property):
        found.all("property", (x.fget, x.fset, x.fdel))
    else:
        found.all(type(x).__name__, (x.__func__,))


def objects_of_libraries(found: Fingerprint, x: Any) -> bool:
    """Take in an object of a library's data class, or one that says how it is pickled; was it one?"""
    cls = type(x)
    if not of_library(cls.__module__):
        return False
    if is_dataclass(x):
        found.add(cls)
        found.all("fields", [getattr(x, field.name) for field in fields(x)])
        return True
    owner = next(c for c in cls.__mro__ if "__reduce__" in vars(c))
    if owner is object or not owner.__module__.startswith("enzyme"):
        return False
    found.note("made", cls.__qualname__)
    found.add(x.__reduce__())
    return True
