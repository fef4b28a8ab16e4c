"""One cell of the table: a function made of a body, a kind of argument and an option, and its derivative in a mode."""

from __future__ import annotations

import itertools
import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numba import typeof as numba_type

from tests.crossing.bodies import BODIES, DIRECTION, POINT, derivatives, kernel_source
from tests.crossing.kinds import KINDS, Kind
from tests.crossing.options import OPTIONS, compiled


@dataclass(frozen=True)
class Program:
    """The differentiated function with everything that modes ask of it."""

    body: str
    kind: Kind
    option: str
    dtype: Any = float

    @cached_property
    def function(self) -> Any:
        scope: dict[str, Any] = {"np": np, **dict(self.kind.inside)}
        exec(kernel_source(self.body), scope)
        scope["kernel"], options = compiled(self.option, scope["kernel"], self.dtype)
        numbers = ", ".join((*self.kind.reads, *map(repr, POINT[self.dtype][self.kind.count :])))
        exec(
            f"def function({', '.join(self.kind.parameters)}):\n{self.kind.before}"
            f"    return kernel({numbers}){self.kind.after}\n",
            scope,
        )
        if self.option == "signature":
            types = tuple(map(numba_type, self.arguments()))
            return njit(types, **options)(scope["function"])
        return njit(**options)(scope["function"])

    def arguments(self) -> tuple[Any, ...]:
        return self.holding(POINT[self.dtype])

    def holding(self, values: Any) -> tuple[Any, ...]:
        """Arguments, or shadows of them, that hold these numbers."""
        return self.kind.make(list(values)[: self.kind.count], self.dtype)

    def zeros(self) -> tuple[Any, ...]:
        return self.holding(np.zeros(3))

    def found(self, args: tuple[Any, ...]) -> np.ndarray:
        return np.array(self.kind.read(args)[: self.kind.count], self.dtype)

    @property
    def value(self) -> Any:
        return derivatives(self.body, self.dtype)[0]

    @property
    def gradient(self) -> np.ndarray:
        return derivatives(self.body, self.dtype)[1][: self.kind.count]

    @property
    def hessian(self) -> np.ndarray:
        return derivatives(self.body, self.dtype)[2][: self.kind.count, : self.kind.count]

    @property
    def direction(self) -> np.ndarray:
        return np.array(DIRECTION[self.dtype][: self.kind.count])


@dataclass(frozen=True)
class Cell:
    mode: str
    kind: str
    option: str
    body: str

    def __str__(self) -> str:
        return "-".join((self.mode, self.kind, self.option, self.body))


def body_of(mode: str, kind: str, option: str) -> str:
    """Bodies are dealt out by name, so that each meets everything."""
    return list(BODIES)[zlib.crc32(f"{mode} {kind} {option}".encode()) % len(BODIES)]


def all_cells() -> list[Cell]:
    """Every mode with every kind of argument and every option."""
    from tests.crossing.modes import MODES

    return [Cell(*abc, body_of(*abc)) for abc in itertools.product(MODES, KINDS, OPTIONS)]


def pairwise_cells() -> list[Cell]:
    """Few cells in which each two of mode, kind, option and body meet."""
    from allpairspy import AllPairs

    from tests.crossing.modes import MODES

    axes = [list(MODES), list(KINDS), list(OPTIONS), list(BODIES)]
    return [Cell(*row) for row in AllPairs(axes)]
