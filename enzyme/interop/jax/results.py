"""What a function returns: as numba types it, as the caller declares it, and as JAX gets it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from enzyme.errors import ActivityError
from enzyme.interop.forms import Form, Returned, real_forms, returned, sources


@dataclass(frozen=True)
class Results:
    """The results of a function: what it returns, the shapes and types with which JAX gets it, the tree of places."""

    returned: tuple[Returned, ...]
    shapes: tuple[tuple[int, ...], ...]
    dtypes: tuple[Any, ...]
    tree: Any

    @property
    def forms(self) -> tuple[Form, ...]:
        """Those of real outputs: of complex ones both parts."""
        pairs = zip(self.dtypes, self.shapes, strict=True)
        return tuple(form for dtype, shape in pairs for form in real_forms(dtype, len(shape)))

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
        return sources(self.returned)

    def joined(self, outputs: list[Any]) -> Any:
        """The tree of what JAX gets for real outputs."""
        rest = iter(outputs)
        leaves = [
            jax.lax.complex(next(rest), next(rest)) if dtype.kind == "c" else next(rest)
            for dtype in self.dtypes
        ]
        return jax.tree_util.tree_map(lambda place: leaves[place], self.tree)


def _declared(x: Any, found: list[Any], name: str) -> Any:
    """Take in the shapes in a tree, in JAX's order; the tree of their places."""
    if hasattr(x, "shape") and hasattr(x, "dtype"):
        found.append(x)
        return len(found) - 1
    if isinstance(x, dict):
        if list(x) != jax.tree_util.tree_leaves({key: key for key in x}):
            raise ActivityError(
                what=f"result_shape_dtypes of {name} has entries {', '.join(map(repr, x))}, which are not sorted",
                why="JAX sorts dictionaries, and one that it has sorted would give the results other names",
                todo="return the results in the order of sorted names, and write the entries in it; or give a tuple",
            )
        return {key: _declared(part, found, name) for key, part in x.items()}
    parts, structure = jax.tree_util.tree_flatten(x, is_leaf=lambda part: part is not x)
    if any(part is x for part in parts):
        raise ActivityError(
            what=f"result_shape_dtypes of {name} holds {x!r:.60}",
            todo="give a jax.ShapeDtypeStruct, or a tree of them",
        )
    return jax.tree_util.tree_unflatten(structure, [_declared(one, found, name) for one in parts])


def results_of(ty: Any, declared: Any, single: bool, name: str) -> Results:
    """The results of a function that returns numba's type `ty`; `declared` is what the caller says of them, or None.

    Without that, floats are of single precision if all arrays that go in are (`single`).
    """
    found: list[Returned] = []
    leaves: list[Any] = []
    tree = returned(ty, "r", found)
    if declared is not None:
        tree = _declared(declared, leaves, name)
    elif not any(one.ndim for one in found):
        leaves = [jax.ShapeDtypeStruct((), _inferred(one.dtype, single)) for one in found]
    else:
        raise ActivityError(
            what=f"{name} returns arrays, and it is not said of which shape",
            why="JAX knows all shapes before anything runs, and numba's types have none",
            todo=(
                "say it as for jax.pure_callback: function(f, jax.ShapeDtypeStruct((3,), float))",
                "or by the arguments: function(f, lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype))",
            ),
        )
    shapes = tuple(tuple(one.shape) for one in leaves)
    dtypes = tuple(jax.dtypes.canonicalize_dtype(one.dtype) for one in leaves)
    said = [(dtype.kind, len(shape)) for dtype, shape in zip(dtypes, shapes, strict=True)]
    if said != [(one.dtype.kind, one.ndim) for one in found]:
        raise ActivityError(
            what=f"result_shape_dtypes of {name} says {_shown(dtypes, shapes)}, and it returns {ty}",
            todo="give one jax.ShapeDtypeStruct for each number and array in it, in their order, of the same kind and "
            "number of axes",
        )
    return Results(tuple(found), shapes, dtypes, tree)


def _inferred(dtype: Any, single: bool) -> Any:
    halves = {"float64": np.float32, "complex128": np.complex64}
    return halves.get(dtype.name, dtype) if single else dtype


def _shown(dtypes: Any, shapes: Any) -> str:
    parts = [f"{dtype.name}{list(shape)}" for dtype, shape in zip(dtypes, shapes, strict=True)]
    return ", ".join(parts) or "nothing"
