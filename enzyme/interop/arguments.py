"""Arguments of a function as a host has them, trees of arrays, and as compiled code gets them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, ClassVar

import numpy as np
from numba.extending import is_jitted

from enzyme.api.trees import native
from enzyme.api.values import jitted
from enzyme.errors import ActivityError
from enzyme.interop.forms import Form


@dataclass
class Arguments:
    """The arrays in the arguments, real ones, and the source of each argument in terms of them.

    In the sources `x0` is the first array. `scope` has the constants in them, by name, and `split` says that
    complex numbers are two arrays. A host says in `array` what an array is.
    """

    arrays: list[Any] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    scope: dict[str, Any] = field(default_factory=dict)
    split: bool = False

    # How errors name the host.
    host: ClassVar[str] = "a framework"

    def array(self, x: Any, position: int) -> str | None:
        """The source of an array or number, which is taken in; None for anything else."""
        raise NotImplementedError

    def take(self, args: Sequence[Any]) -> None:
        """Take in the arguments of a call."""
        self.sources = [self._source(x, k) for k, x in enumerate(args)]

    @property
    def key(self) -> Any:
        """Equal for arguments for which the same code is compiled."""
        return tuple(self.forms), tuple(self.sources), tuple(self.scope.items())

    @property
    def names(self) -> list[str]:
        """Those of the arrays."""
        return [f"x{k}" for k in range(len(self.arrays))]

    def constant(self, value: Any) -> str:
        """The name of a value that is the same in every run."""
        name = f"c{len(self.scope)}"
        self.scope[name] = value
        return name

    def real(self, x: Any) -> str:
        """The name of a real array."""
        self.arrays.append(x)
        self.forms.append(Form(np.dtype(x.dtype).name, x.ndim))
        return f"x{len(self.arrays) - 1}"

    def complex(self, re: Any, im: Any, dtype: str) -> str:
        """The source of complex numbers of these parts."""
        self.split = True
        first, second = self.real(re), self.real(im)
        to = self.constant(np.dtype(dtype).type)
        if re.ndim:
            return f"({first} + 1j * {second}).astype({to})"
        return f"{to}(complex({first}, {second}))"

    def _source(self, x: Any, position: int) -> str:
        found = self.array(x, position)
        if found is not None:
            return found
        if isinstance(x, tuple | list):
            members = self._joined(x, position)
            if hasattr(x, "_fields"):
                return f"{self.constant(type(x))}({members})"
            return f"({members}{',' * (len(x) == 1)})"
        if isinstance(x, dict) and x:
            name = self.constant(type(native(dict.fromkeys(x, 0.0))))
            return f"{name}({self._joined(x.values(), position)})"
        if dataclasses.is_dataclass(x) and not isinstance(x, type):
            parts = [getattr(x, one.name) for one in dataclasses.fields(x)]
            name = self.constant(type(native(x)))
            return f"{name}({self._joined(parts, position)})"
        if x is None:
            return "None"
        if isinstance(x, FunctionType):
            x = jitted(x, 0)
        if isinstance(x, str) or is_jitted(x):
            return self.constant(x)
        raise ActivityError(
            what=f"argument {position} holds an object of type {type(x).__name__}, in a function of {self.host} arrays",
            why="arguments are arrays, numbers, texts, functions, and tuples, lists, dictionaries and dataclasses of "
            "those",
            todo="bind it before: function(lambda x: f(x, it))",
        )

    def _joined(self, parts: Any, position: int) -> str:
        return ", ".join(self._source(part, position) for part in parts)
