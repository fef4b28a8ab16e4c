"""The programs with their inputs, by name."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.programs.interpreted import interpreted
from tests.programs.values import cast

Random = np.random.Generator


@dataclass(frozen=True)
class Case:
    """One program with one kind of inputs.

    `python` says that the program means the same without numba, whose function is run otherwise to see what is right,
    `keeps` that numba keeps memory of the program's, as it does of arrays that exceptions and generators hold.
    """

    name: str
    function: Any
    make: Callable[[Random], tuple[Any, ...]]
    single: bool = False
    dot_tolerance: float = 1e-12
    fd_tolerance: float = 1e-6
    fd_step: float = 1e-3
    python: bool = True
    keeps: bool = False

    @property
    def plain(self) -> Any:
        """What computes the same as `function` and knows nothing of derivatives."""
        return interpreted(self.function) if self.python else self.function

    def inputs(self) -> tuple[tuple[Any, ...], Random]:
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        args = self.make(rng)
        return (cast(args, np.float32) if self.single else args), rng


CASES: dict[str, Case] = {}


def program(*makes: Callable[[Random], tuple[Any, ...]], single: bool = False, **options: Any):
    """Register a jitted function with functions that make inputs; `single` adds float32 forms."""

    def register(function: Any) -> Any:
        base = f"{function.__module__.rsplit('.', 1)[-1].removeprefix('programs_')}"
        for index, make in enumerate(makes):
            name = f"{base}.{function.__name__}" + (f".{index}" if len(makes) > 1 else "")
            for is_single in (False, True)[: 1 + single]:
                case = Case(name + ".f32" * is_single, function, make, is_single, **options)
                assert case.name not in CASES, case.name
                CASES[case.name] = case
        return function

    return register
