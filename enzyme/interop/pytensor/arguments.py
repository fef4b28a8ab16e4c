"""Arguments of a function as PyTensor has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytensor.tensor as pt
from pytensor.graph.basic import Variable
from pytensor.tensor.type import TensorType

from enzyme.errors import ActivityError
from enzyme.interop.arguments import Arguments
from enzyme.interop.forms import PARTS, REAL

_NUMBERS = (bool, int, float, complex, np.generic)


@dataclass
class Variables(Arguments):
    """Arguments in which arrays are PyTensor's variables; numbers and NumPy's arrays become constants."""

    host: ClassVar[str] = "PyTensor's"

    def array(self, x: Any, position: int) -> str | None:
        """The source of a variable, an array or a number, which is taken in."""
        if not isinstance(x, (Variable, np.ndarray, *_NUMBERS)):
            return None
        if not isinstance(x, Variable):
            # PyTensor would give a number the smallest type that holds it, and every type is a compilation.
            x = pt.constant(np.asarray(x), dtype=np.asarray(x).dtype.name)
        elif not isinstance(x.type, TensorType):
            try:
                x = pt.as_tensor_variable(x)
            except (TypeError, NotImplementedError):
                x = x.type
        kind = x.dtype if isinstance(x, Variable) else ""
        if kind in PARTS:
            return self.complex(pt.real(x), pt.imag(x), kind)
        if kind not in REAL:
            raise ActivityError(
                what=f"argument {position} is {f'a tensor of {kind}' if kind else f'of type {x}'}",
                why="numba's code takes tensors of float32, float64, complex numbers of those, and whole numbers",
                todo="cast it: pt.cast(x, 'float64'); of a sparse matrix pass pytensor.sparse.dense_from_sparse(x)",
            )
        return self.real(x)


def taken_apart(args: tuple[Any, ...]) -> Variables:
    """The arguments of a call."""
    found = Variables()
    found.take(args)
    return found
