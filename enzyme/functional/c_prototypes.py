"""Prototypes of C functions as text: what stands between the brackets, with the sizes of arrays."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return, no-untyped-call"

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from numba.core import types

from enzyme.errors import ActivityError

_WORDS = {
    "double": types.float64,
    "float": types.float32,
    "int": types.intc,
    "signed": types.intc,
    "signed int": types.intc,
    "unsigned": types.uintc,
    "unsigned int": types.uintc,
    "long": types.int_,
    "long int": types.int_,
    "unsigned long": types.uint64,
    "long long": types.int64,
    "long long int": types.int64,
    "unsigned long long": types.uint64,
    "size_t": types.uintp,
    "ptrdiff_t": types.intp,
    "ssize_t": types.intp,
    "bool": types.boolean,
    "_Bool": types.boolean,
    "void": types.void,
}
_BITS = (8, 16, 32, 64)
_WORDS |= {f"int{n}_t": getattr(types, f"int{n}") for n in _BITS}
_WORDS |= {f"uint{n}_t": getattr(types, f"uint{n}") for n in _BITS}
_WORDS |= {
    name: getattr(types, name)
    for name in "float64 float32 intc uintc intp uintp int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
}
_WHOLE = re.compile(r"\s*([A-Za-z_][\w\s]*?)\s*\(\s*(.*?)\s*\)\s*;?\s*", re.DOTALL)
_ONE = re.compile(r"([A-Za-z_][\w\s]*?)\s*(\*?)\s*(?:\b([A-Za-z_]\w*))?\s*((?:\[[^\]]*\])*)")
_FORM = "double(double t, const double y[n], double slopes[n][n], int n, void *data)"


@dataclass(frozen=True)
class Parameter:
    """A parameter of a C function: a number, or a pointer to numbers, of which `sizes` says how many.

    Without sizes it points to one number.
    """

    name: str
    number: Any
    is_pointer: bool
    is_read: bool
    sizes: tuple[str, ...]

    @property
    def ndim(self) -> int:
        """The axes of the array."""
        return len(self.sizes)

    @property
    def is_ignored(self) -> bool:
        """Is it the pointer to anything that solvers hand through?"""
        return self.number == types.void

    @property
    def numba_type(self) -> Any:
        """What `numba.cfunc` takes for it."""
        if self.is_ignored:
            return types.voidptr
        return types.CPointer(self.number) if self.is_pointer else self.number


@dataclass(frozen=True)
class Prototype:
    """A C function: what it returns, and its parameters."""

    text: str
    returns: Any
    parameters: tuple[Parameter, ...]

    @property
    def signature(self) -> Any:
        """Numba's."""
        return self.returns(*(one.numba_type for one in self.parameters))

    @property
    def passed(self) -> list[Parameter]:
        """The parameters that are arguments or results: no sizes, nothing that is ignored."""
        sizes = {size for one in self.parameters for size in one.sizes}
        return [one for one in self.parameters if one.name not in sizes and not one.is_ignored]


def prototype_of(signature: Any) -> Prototype:
    """What a text says, or numba's signature of a function of numbers.

    Raises
    ------
    ActivityError
        For what is no prototype, or one that does not say how long an array is.
    """
    if not isinstance(signature, str):
        arguments = getattr(signature, "args", None)
        if arguments is None or not all(one in _WORDS.values() for one in arguments):
            raise _wrong(signature, "numba's signatures say of pointers neither sizes nor purpose")
        named = ", ".join(f"{one} x{k}" for k, one in enumerate(arguments))
        signature = f"{signature.return_type}({named})"
    text = " ".join(signature.split())
    found = _WHOLE.fullmatch(text)
    if not found:
        raise _wrong(text, "it is no type with parameters in brackets")
    head, inside = found.groups()
    returns = _WORDS.get(head) or _WORDS.get(head.rpartition(" ")[0])
    if returns is None:
        raise _wrong(text, f"{head!r} is no type of numbers that is known here")
    parts = [] if inside in ("", "void") else inside.split(",")
    parameters = tuple(_parameter(part.strip(), k, text) for k, part in enumerate(parts))
    counts = {
        one.name
        for one in parameters
        if not one.is_pointer and isinstance(one.number, types.Integer)
    }
    for one in parameters:
        for size in one.sizes:
            if not size.isdigit() and size not in counts:
                raise _wrong(text, f"the size {size!r} of {one.name} is no whole number in it")
    return Prototype(text, returns, parameters)


def _parameter(part: str, place: int, text: str) -> Parameter:
    words = part.split()
    is_read = "const" in words
    found = _ONE.fullmatch(" ".join(word for word in words if word != "const"))
    if not found:
        raise _wrong(text, f"{part!r} is no number, array or void pointer")
    kind, star, name, brackets = found.groups()
    if name in _WORDS:  # unsigned int, without a name
        kind, name = f"{kind} {name}", None
    number = _WORDS.get(kind)
    sizes = tuple(size.strip() for size in re.findall(r"\[([^\]]*)\]", brackets))
    if number is None or (number == types.void and (not star or sizes)) or (star and sizes):
        raise _wrong(text, f"{part!r} is no number, array or void pointer")
    return Parameter(name or f"x{place}", number, bool(star or sizes), is_read, sizes)


def is_float(number: Any) -> bool:
    """Is it a float, not a whole number?"""
    return isinstance(number, types.Float)


def _wrong(signature: Any, why: str) -> ActivityError:
    return ActivityError(
        what=f"{str(signature)!r:.120} as the prototype of a C function",
        why=why,
        todo=f"write it as in C, with the sizes of arrays: {_FORM!r}",
    )
