"""Arguments of a function as JAX has them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from enzyme.errors import ActivityError
from enzyme.interop.arguments import Arguments
from enzyme.interop.forms import PARTS, REAL

_NUMBERS = (bool, int, float, complex, np.generic)


@dataclass
class JaxArguments(Arguments):
    """Arguments in which arrays are JAX's; `strong` has the types of the floats that are no plain numbers."""

    strong: set[str] = field(default_factory=set)
    host: ClassVar[str] = "JAX's"

    @property
    def key(self) -> Any:
        """Equal for arguments for which the same code is compiled."""
        return super().key, frozenset(self.strong)

    def array(self, x: Any, position: int) -> str | None:
        """The source of an array or number, which is taken in."""
        if not isinstance(x, (jax.Array, np.ndarray, *_NUMBERS)):
            return None
        weak = isinstance(x, bool | int | float | complex) and not isinstance(x, np.generic)
        if not isinstance(x, jax.Array):
            x = jnp.asarray(x)
        kind = x.dtype.name
        if not weak and kind.startswith(("float", "complex")):
            self.strong.add(PARTS.get(kind, kind))
        if kind in PARTS:
            return self.complex(jnp.real(x), jnp.imag(x), kind)
        if kind not in REAL:
            raise ActivityError(
                what=f"argument {position} is an array of {kind}",
                why="numba has float32, float64, complex numbers of those, and whole numbers",
                todo="pass x.astype(jnp.float32); of keys of random numbers jax.random.key_data(key)",
            )
        return self.real(x)


def taken_apart(args: tuple[Any, ...]) -> JaxArguments:
    """The arguments of a call."""
    found = JaxArguments()
    found.take(args)
    return found
