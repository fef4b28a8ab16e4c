"""What a function returns: as numba types it, as the caller declares it, and as JAX gets it."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype

from enzyme.errors import ActivityError
from enzyme.interop.derivable import no_tensor
from enzyme.interop.jax.handlers import Form


@dataclass(frozen=True)
class Returned:
    """One number or array that a function returns: where in its result, and what numba says of it."""

    source: str
    dtype: Any
    ndim: int
    is_array: bool


@dataclass(frozen=True)
class Results:
    """The results of a function: what it returns, and a tree of the shapes and types with which JAX gets them."""

    returned: tuple[Returned, ...]
    shapes: tuple[tuple[int, ...], ...]
    dtypes: tuple[Any, ...]
    tree: Any

    @property
    def forms(self) -> tuple[Form, ...]:
        """Those of real outputs: of complex ones both parts."""
        found = []
        for dtype, shape in zip(self.dtypes, self.shapes, strict=True):
            parts = 2 if dtype.kind == "c" else 1
            kind = {"complex64": "float32", "complex128": "float64"}.get(dtype.name, dtype.name)
            found += [Form(kind, len(shape))] * parts
        return tuple(found)

    @property
    def real_shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of real outputs."""
        return tuple(
            shape
            for dtype, shape in zip(self.dtypes, self.shapes, strict=True)
            for _ in range(2 if dtype.kind == "c" else 1)
        )

    def sources(self) -> list[str]:
        """The real outputs, in terms of the result `r`."""
        found = []
        for one in self.returned:
            value = f"{one.source}[()]" if one.is_array and not one.ndim else one.source
            if one.dtype.kind != "c":
                found.append(value)
            elif one.ndim:
                found += [f"np.real({value}).copy()", f"np.imag({value}).copy()"]
            else:
                found += [f"{value}.real", f"{value}.imag"]
        return found

    def joined(self, outputs: list[Any]) -> Any:
        """The tree of what JAX gets for real outputs."""
        rest = iter(outputs)
        leaves = [
            jax.lax.complex(next(rest), next(rest)) if dtype.kind == "c" else next(rest)
            for dtype in self.dtypes
        ]
        return jax.tree_util.tree_unflatten(self.tree, leaves)


def returned(ty: Any, source: str = "r") -> tuple[list[Returned], Any]:
    """The numbers and arrays in a result of numba's type `ty`, and the tree of them."""
    if isinstance(ty, types.BaseTuple):
        found: list[Returned] = []
        trees = []
        for k, part in enumerate(ty.types):
            below, tree = returned(part, f"{source}[{k}]")
            found += below
            trees.append(tree)
        return found, tuple(trees)
    if isinstance(ty, types.Array) and isinstance(ty.dtype, types.Number | types.Boolean):
        return [Returned(source, as_dtype(ty.dtype), ty.ndim, True)], 0
    if isinstance(ty, types.Number | types.Boolean):
        plain = types.unliteral(ty)
        return [Returned(source, as_dtype(plain), 0, False)], 0
    raise no_tensor(f"a value of numba's type {ty}")


def results_of(ty: Any, declared: Any, single: bool, name: str) -> Results:
    """The results of a function that returns numba's type `ty`; `declared` is what the caller says of them, or None.

    Without that, floats are of single precision if all arrays that go in are (`single`).
    """
    found, like = returned(ty)
    leaves: list[Any]
    if declared is None:
        if any(one.ndim for one in found):
            raise ActivityError(
                what=f"{name} returns arrays, and it is not said of which shape",
                why="JAX knows all shapes before anything runs, and numba's types have none",
                todo=(
                    "say it as for jax.pure_callback: function(f, jax.ShapeDtypeStruct((3,), float))",
                    "or by the arguments: function(f, lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype))",
                ),
            )
        tree = jax.tree_util.tree_structure(like)
        leaves = [jax.ShapeDtypeStruct((), _inferred(one.dtype, single)) for one in found]
    else:
        leaves, tree = jax.tree_util.tree_flatten(declared)
    shapes = tuple(tuple(one.shape) for one in leaves)
    dtypes = tuple(jax.dtypes.canonicalize_dtype(one.dtype) for one in leaves)
    said = [(dtype.kind, len(shape)) for dtype, shape in zip(dtypes, shapes)]
    is_so = [(one.dtype.kind, one.ndim) for one in found]
    if said != is_so:
        raise ActivityError(
            what=f"result_shape_dtypes of {name} says {_shown(dtypes, shapes)}, and it returns {ty}",
            todo="give one jax.ShapeDtypeStruct for each number and array in it, of the same kind and number of axes",
        )
    return Results(tuple(found), shapes, dtypes, tree)


def _inferred(dtype: Any, single: bool) -> Any:
    halves = {"float64": np.float32, "complex128": np.complex64}
    return halves.get(dtype.name, dtype) if single else dtype


def _shown(dtypes: Any, shapes: Any) -> str:
    parts = [f"{dtype.name}{list(shape)}" for dtype, shape in zip(dtypes, shapes, strict=True)]
    return ", ".join(parts) or "nothing"
