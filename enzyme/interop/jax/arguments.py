"""Arguments of a function as JAX has them, trees of arrays, and as compiled code gets them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numba.extending import is_jitted

from enzyme.api.trees import native
from enzyme.api.values import jitted
from enzyme.errors import ActivityError
from enzyme.interop.jax.handlers import Form

_TYPES = frozenset("bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 float32 float64".split())
_PARTS = {"complex64": "float32", "complex128": "float64"}
_NUMBERS = (bool, int, float, complex, np.generic)


@dataclass
class Arguments:
    """The arrays in the arguments, real ones, and the source of each argument in terms of them.

    In the sources `x0` is the first array. `scope` has the constants in them, by name, and `strong` the types of the
    floats that are no plain numbers.
    """

    arrays: list[Any] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    scope: dict[str, Any] = field(default_factory=dict)
    strong: set[str] = field(default_factory=set)

    @property
    def key(self) -> Any:
        """Equal for arguments for which the same code is compiled."""
        named = tuple(self.scope.items())
        return tuple(self.forms), tuple(self.sources), named, frozenset(self.strong)

    @property
    def is_plain(self) -> bool:
        """Is each argument one array?"""
        return self.sources == [f"x{k}" for k in range(len(self.arrays))]

    def constant(self, value: Any) -> str:
        """The name of a value that is the same in every run."""
        name = f"c{len(self.scope)}"
        self.scope[name] = value
        return name

    def real(self, x: Any) -> str:
        """The name of a real array."""
        self.arrays.append(x)
        self.forms.append(Form(x.dtype.name, x.ndim))
        return f"x{len(self.arrays) - 1}"


def taken_apart(args: tuple[Any, ...]) -> Arguments:
    """The arguments of a call."""
    found = Arguments()
    found.sources = [_source(x, k, found) for k, x in enumerate(args)]
    return found


def _source(x: Any, position: int, found: Arguments) -> str:
    if isinstance(x, (jax.Array, np.ndarray, *_NUMBERS)):
        return _of_array(x, position, found)
    if isinstance(x, tuple | list):
        members = [_source(part, position, found) for part in x]
        if hasattr(x, "_fields"):
            return f"{found.constant(type(x))}({', '.join(members)})"
        return f"({', '.join(members)}{',' * (len(members) == 1)})"
    if isinstance(x, dict) and x:
        name = found.constant(type(native(dict.fromkeys(x, 0.0))))
        return f"{name}({', '.join(_source(part, position, found) for part in x.values())})"
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        parts = [getattr(x, one.name) for one in dataclasses.fields(x)]
        name = found.constant(type(native(x)))
        return f"{name}({', '.join(_source(part, position, found) for part in parts)})"
    if x is None:
        return "None"
    if isinstance(x, FunctionType):
        x = jitted(x, 0)
    if isinstance(x, str) or is_jitted(x):
        return found.constant(x)
    raise ActivityError(
        what=f"argument {position} holds an object of type {type(x).__name__}, in a function of JAX's arrays",
        why="arguments are arrays, numbers, texts, functions, and tuples, lists, dictionaries and dataclasses of those",
        todo="bind it before: function(lambda x: f(x, it))",
    )


def _of_array(x: Any, position: int, found: Arguments) -> str:
    weak = isinstance(x, bool | int | float | complex) and not isinstance(x, np.generic)
    if not isinstance(x, jax.Array):
        x = jnp.asarray(x)
    kind = x.dtype.name
    if not weak and kind.startswith(("float", "complex")):
        found.strong.add(_PARTS.get(kind, kind))
    if kind in _PARTS:
        re, im = found.real(jnp.real(x)), found.real(jnp.imag(x))
        to = found.constant(np.dtype(kind).type)
        return f"({re} + 1j * {im}).astype({to})" if x.ndim else f"{to}(complex({re}, {im}))"
    if kind not in _TYPES:
        raise ActivityError(
            what=f"argument {position} is an array of {kind}",
            why="numba has float32, float64, complex numbers of those, and whole numbers",
            todo="pass x.astype(jnp.float32); of keys of random numbers jax.random.key_data(key)",
        )
    return found.real(x)
