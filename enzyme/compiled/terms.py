"""Terms of source: how the code of a derivative is written for the types of a call."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from numba.core import types

from enzyme.compiled.zeros import members_of
from enzyme.contract.derivatives import by_structure
from enzyme.contract.kinds import state_of
from enzyme.frontend.leaves import is_differentiable, is_fixed
from enzyme.frontend.tuples import tuple_type
from enzyme.frontend.visible import is_apart
from enzyme.support.generated import generated
from enzyme.typed.annotations import AnnotationType
from enzymecore import ActivityState, AnyState


@dataclass(frozen=True)
class Term:
    """An expression and its type."""

    ty: types.Type
    source: str

    @property
    def is_array(self) -> bool:
        return isinstance(self.ty, types.Array)

    @property
    def dtype(self) -> types.Type:
        """The type of a number, or of those in an array."""
        found: types.Type = self.ty.dtype if self.is_array else self.ty
        return found


NONE = Term(types.none, "None")


class Writer:
    """The source of one function, and the names that it uses; a view of its terms."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.scope = dict(names)
        self.lines: list[str] = []
        self.indent = "    "
        self._count = 0

    # Lines and names --------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append(self.indent + text)

    def name(self, source: str) -> str:
        """A new variable with this value."""
        self._count += 1
        self.line(f"v{self._count} = {source}")
        return f"v{self._count}"

    def constant(self, value: Any) -> str:
        """The name of an object."""
        self._count += 1
        self.scope[f"c{self._count}"] = value
        return f"c{self._count}"

    def loop(self, count: str) -> str:
        """Begin a loop, and give its counter."""
        self._count += 1
        self.line(f"for k{self._count} in range({count}):")
        self.indent += "    "
        return f"k{self._count}"

    def end_loop(self) -> None:
        self.indent = self.indent[:-4]

    def function(self, name: str, parameters: Sequence[str], result: str) -> Callable[..., Any]:
        """What was written, as a function that returns `result`."""
        head = f"def {name}({', '.join(parameters)}):"
        return generated(name, [head, *self.lines, f"    return {result}"], self.scope)

    # The view ---------------------------------------------------------------------------------------

    def parts(self, x: Term) -> Sequence[Term] | None:
        if not isinstance(x.ty, types.BaseTuple):
            return None
        return [Term(ty, f"{x.source}[{k}]") for k, ty in enumerate(x.ty.types)]

    def state(self, x: Term) -> ActivityState:
        if isinstance(x.ty, AnnotationType) or is_fixed(x.ty) or not is_differentiable(x.ty):
            return AnyState
        return state_of(x.ty)

    def like(self, x: Term, parts: Sequence[Term]) -> Term:
        return self.joined([part.ty for part in parts], [part.source for part in parts], x.ty)

    def nothing(self) -> Term:
        return NONE

    def joined(self, kinds: Sequence[types.Type], parts: Sequence[str], like: Any = None) -> Term:
        """A tuple of terms, of the class of a named tuple `like`."""
        named = isinstance(like, types.BaseNamedTuple)
        ty: Any = tuple_type(kinds, like.instance_class if named else None)
        return Term(ty, members_of(ty, list(parts), self.scope))

    # Values -----------------------------------------------------------------------------------------

    def changed(self, x: Term, change: Callable[[Term, tuple[int, ...]], Term]) -> Term:
        """A value with each part that is no tuple replaced."""

        def of(x: Term, path: tuple[int, ...]) -> Term:
            members = self.parts(x)
            if members is None:
                return change(x, path)
            return self.like(x, [of(part, (*path, k)) for k, part in enumerate(members)])

        return of(x, ())

    def filled(self, x: Term, pieces: Iterable[Term]) -> Term:
        """A value with its parts that are no tuples replaced by these, in their order."""
        rest = iter(pieces)
        return self.changed(x, lambda part, path: next(rest))

    def copied(self, x: Term) -> Term:
        """A value with memory of its own."""

        def copy(part: Term, _: Any) -> Term:
            if is_apart(part.ty):
                return Term(part.ty, f"{part.source}.copy()")
            if not part.is_array:
                return part
            layout = "C" if part.ty.layout == "A" else part.ty.layout
            return Term(part.ty.copy(layout=layout, readonly=False), f"{part.source}.copy()")

        return self.changed(x, copy)

    def zeros(self, x: Term) -> Term:
        """Zeros in a place of their own for each part, in a variable."""
        made = self.changed(x, lambda part, _: Term(part.ty, f"make_zero({part.source})"))
        return Term(x.ty, self.name(made.source))

    def leaves(self, x: Term) -> list[tuple[Term, tuple[int, ...]]]:
        """The parts with floats that are no tuples, and the way to each."""
        found: list[tuple[Term, tuple[int, ...]]] = []

        def leaf(part: Term, path: tuple[int, ...]) -> Term:
            found.append((part, path))
            return part

        if self.state(x) is not AnyState:
            by_structure(self, x, leaf)
        return found


def at(source: str, path: Sequence[int]) -> str:
    """Source of what is in a value at the end of a way."""
    return source + "".join(f"[{k}]" for k in path)
