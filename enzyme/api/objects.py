"""Objects of classes written in Python, and methods of them, as constants: numba knows no such class.

Compiled code gets a named tuple of the attributes that numba knows, read at each call, and the methods of the class.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import functools
import inspect
import types as pytypes
from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Any

import numpy as np
from numba import typeof
from numba.core.errors import NumbaError
from numba.extending import is_jitted

from enzyme.api.values import CALLED, JITTED, jitted
from enzymecore import Annotation
from enzymecore.foreign_arrays import is_foreign_sequence

# Of a class's flags: a class that is made at run time, as Python code does; one that nobody can change, as C code may.
_HEAP_TYPE, _IMMUTABLE = 1 << 9, 1 << 8
_OTHERS = (type, tuple, list, dict, set, str, np.ndarray, np.generic, BaseException, Annotation)
_FUNCTIONS = (pytypes.FunctionType, pytypes.MethodType, functools.partial)
# Their classes are written in Python, and are known to numba or of no use to it.
_LIBRARIES = frozenset({"enzyme", "enzymecore", "numba", "numpy"})
_CALL = "__call__"
NUMBERS = (int, float, complex, bool, str)


def is_object(x: Any) -> bool:
    """Is this an instance of a class written in Python that numba does not know, and no dataclass?

    Examples
    --------
    >>> from array import array
    >>> from fractions import Fraction
    >>> is_object(Fraction(1, 2)), is_object(Fraction), is_object(1.0), is_object(array("d"))
    (True, False, False, False)
    """
    cls = type(x)
    return (
        cls.__flags__ & (_HEAP_TYPE | _IMMUTABLE) == _HEAP_TYPE
        and not isinstance(x, (*_OTHERS, *_FUNCTIONS))
        and not is_dataclass(x)
        and cls.__module__.partition(".")[0] not in _LIBRARIES
        and not any(hasattr(x, name) for name in ("_numba_type_", JITTED))
        and not is_jitted(x)
        and not is_foreign_sequence(x)
    )


class Held:
    """What compiled code knows of an object; `outer` are the ones that it is an attribute of."""

    def __init__(self, x: Any, outer: tuple[Any, ...] = ()) -> None:
        self.owner = type(x)
        outer = (*outer, x)
        self.fields = {name: _attribute(part, outer) for name, part in _attributes(x).items()}

    def names(self, is_container: Callable[[Any], bool]) -> tuple[str, ...]:
        """The names of the attributes that numba knows; of containers it is told where they are taken apart."""
        return tuple(n for n, part in self.fields.items() if is_container(part) or _is_known(part))


def _attribute(x: Any, outer: tuple[Any, ...]) -> Any:
    if not is_object(x):
        return for_constants(x)
    return _Nothing() if any(x is one for one in outer) else Held(x, outer)


class _Nothing:
    """Stands for an object that is an attribute of its own attributes."""


def _is_known(x: Any) -> bool:
    if type(x) in NUMBERS or isinstance(x, Held):
        return True
    try:
        typeof(x)
    except (NumbaError, ValueError):
        return False
    return True


def _attributes(x: Any) -> dict[str, Any]:
    """The attributes of an object, and those values of its class that are not read as constants."""
    bases = type(x).__mro__
    arrays = {
        n: v for cls in reversed(bases) for n, v in vars(cls).items() if type(v) is np.ndarray
    }
    slots = [name for cls in bases for name in _slots(cls) if hasattr(x, name)]
    own: dict[str, Any] = getattr(x, "__dict__", {})
    return {**arrays, **{name: getattr(x, name) for name in slots}, **own}


def _slots(cls: type) -> tuple[str, ...]:
    slots = vars(cls).get("__slots__", ())
    every = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(name for name in every if not name.startswith("__"))


def for_constants(x: Any) -> Any:
    """What stands for a constant that numba does not know: jitted functions for functions, `Held` for objects."""
    if isinstance(x, pytypes.FunctionType):
        return jitted(x, 0)
    if isinstance(x, CALLED):
        count = _arity(x)
        return x if count is None else jitted(x, count)
    return Held(x) if is_object(x) else x


def _arity(x: Any) -> int | None:
    """With how many arguments a function of NumPy's or Python's is called; None where that is not told."""
    if isinstance(x, np.ufunc):
        return int(x.nin)
    try:
        parameters = inspect.signature(x).parameters.values()
    except (TypeError, ValueError):
        return None
    needed = [p for p in parameters if p.default is p.empty]
    return None if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in needed) else len(needed)


def method_and_owner(f: Any) -> tuple[Any, Any] | None:
    """The function, and the object that it takes first, of a bound method or callable object of a class written in
    Python; None for everything else."""
    bound = isinstance(f, pytypes.MethodType)
    owner: Any = f.__self__ if bound else f
    function: Any = f.__func__ if bound else getattr(type(f), _CALL, None)
    function = getattr(function, "py_func", function)
    ours = is_object(owner) or (is_dataclass(owner) and not isinstance(owner, type))
    return (function, owner) if ours and isinstance(function, pytypes.FunctionType) else None
