"""What a benchmark program is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Program:
    """A function that returns one float, and inputs for it.

    The function leaves its arguments as they were, so it can be called again and again on the same inputs.
    Floating-point arrays are differentiated but for those whose places are `constants`, everything else is
    constant.  `inputs(n)` makes the arguments for a size; the work of the function grows with `n ** order`.
    `size` is what is timed, `tiny` what is tested.  `adjoint` is the gradient written by hand, see
    `families/scalar_adjoints.py` for its form.
    """

    function: Callable[..., float]
    inputs: Callable[[int], tuple]
    size: int
    tiny: int
    about: str
    order: float = 1
    adjoint: Callable[..., float] | None = None
    constants: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        return self.function.__name__

    def active(self, inputs: tuple) -> list[int]:
        """The places of the arguments that are differentiated."""
        return [i for i, x in enumerate(inputs) if is_floating(x) and i not in self.constants]

    def make_inputs(self) -> tuple:
        return self.inputs(self.size)


def is_floating(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.dtype.kind in "fc"
