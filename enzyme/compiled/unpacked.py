"""Tuples that hold floats by value and in memory, in compiled code: given member by member.

The adjoint of a float is returned, that of an array is in its shadow, so a tuple of both has neither. A function that
puts the tuple together has the members as its arguments, and of those each has one.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numba
from numba.core import types

from enzyme.compiled.terms import Term, Writer, at
from enzyme.contract.derivatives import annotation_of, is_constant, with_inactive
from enzyme.frontend.leaves import is_differentiable
from enzyme.frontend.visible import is_apart
from enzyme.support.generated import generated
from enzyme.typed.annotations import AnnotationType
from enzymecore import Active, MixedDuplicated

Path = tuple[int, ...]


class Unpacked:
    """Arguments of a function, those of mixed activity in pieces; `terms` are all pieces in their order."""

    def __init__(self, writer: Writer, x: Sequence[Term], shadowed: bool = False) -> None:
        self.writer, self.x, self.shadowed = writer, x, shadowed
        self.mixed = [annotation_of(writer.state(one)) is MixedDuplicated for one in x]
        self.pieces: list[list[tuple[Term, Path]]] = [
            _members(writer, one) if mixed else [(one, ())]
            for one, mixed in zip(x, self.mixed, strict=True)
        ]
        self.terms = [term for pieces in self.pieces for term, _ in pieces]

    def function(self, f: Any, body: Callable[[str], str], more: str = "") -> Any:
        """A jitted function of the pieces, and of `more`, with this body; it gets the arguments of `f` as source."""
        scope: dict[str, Any] = {"f": f}
        names = [f"x{k}" for k in range(len(self.terms))]
        terms = [Term(x.ty, name) for x, name in zip(self.terms, names, strict=True)]
        inner = Writer({})
        inner.scope = scope
        given = []
        for k, one in enumerate(self.x):
            mine = self._of(k, terms)
            given.append(inner.filled(one, mine).source if self.mixed[k] else mine[0].source)
        parameters = ", ".join(filter(None, [*names, more]))
        lines = [f"def whole({parameters}):", f"    {body(', '.join(given))}"]
        return numba.njit(generated("whole", lines, scope))

    def annotated(self, own: Sequence[Term]) -> tuple[list[str], dict[tuple[int, Path], str]]:
        """The annotations of the pieces, which are `own` now, and the derivatives by argument and way: of what is no
        constant, source in terms of `adjoints`, what reverse mode returns for the arguments."""
        sources: list[str] = []
        derivatives = {}
        for k in range(len(self.x)):
            for piece, (given, path) in zip(self._of(k, own), self.pieces[k], strict=True):
                if is_constant(self.writer, given):
                    sources.append(self._constant(piece))
                    continue
                source, derivatives[k, path] = self._annotation(piece, len(sources))
                sources.append(source)
        return sources, derivatives

    @property
    def given(self) -> list[Term]:
        """The pieces; those that get shadows though they are constants without their annotations."""
        return [plain(x) if self._gets_shadow(x) else x for x in self.terms]

    def _gets_shadow(self, x: Term) -> bool:
        return self.shadowed and has_floats(plain(x))

    def _constant(self, x: Term) -> str:
        if self._gets_shadow(x):
            return shadowed(self.writer, plain(x))
        return x.source if isinstance(x.ty, AnnotationType) else f"Const({x.source})"

    def _annotation(self, x: Term, position: int) -> tuple[str, str]:
        if annotation_of(self.writer.state(x)) is Active:
            return f"Active({x.source})", f"adjoints[{position}]"
        shadow = self.writer.zeros(x).source
        return f"Duplicated({x.source}, {shadow})", shadow

    def derivative(
        self, k: int, own: Sequence[Term], derivatives: dict[tuple[int, Path], str]
    ) -> Term:
        """The derivative with respect to an argument that is no constant, with what is inactive taken from there."""
        x, mine = self.x[k], self._of(k, own)
        if not self.mixed[k]:
            (piece,) = mine
            found: Term = with_inactive(self.writer, piece, Term(x.ty, derivatives[k, ()]))
            return found
        return self.writer.filled(
            x,
            [
                Term(piece.ty, derivatives.get((k, path), piece.source))
                for piece, (_, path) in zip(mine, self.pieces[k], strict=True)
            ],
        )

    def shadows(
        self, own: Sequence[Term], derivatives: dict[tuple[int, Path], str]
    ) -> Iterator[tuple[int, Term, Term]]:
        """The arguments, what they hold that is no tuple and has a shadow, and the shadow."""
        for (k, path), source in derivatives.items():
            if source.startswith("adjoints"):
                continue
            ways = [way for _, way in self.pieces[k]]
            piece = self._of(k, own)[ways.index(path)]
            for member, way in _members(self.writer, piece):
                yield k, member, Term(member.ty, at(source, way))

    def _of(self, k: int, every: Sequence[Term]) -> Sequence[Term]:
        """Of one entry for each piece, those of one argument."""
        first = sum(map(len, self.pieces[:k]))
        return every[first : first + len(self.pieces[k])]


def plain(x: Term) -> Term:
    """An argument without its annotation."""
    return Term(x.ty.value, f"{x.source}.val") if isinstance(x.ty, AnnotationType) else x


def has_floats(x: Term) -> bool:
    """Is there memory for differentiable data in a constant?"""
    if isinstance(x.ty, types.BaseTuple):
        return any(has_floats(Term(ty, "")) for ty in x.ty.types)
    if isinstance(x.ty, types.ListType | types.DictType):
        return is_apart(x.ty) and is_differentiable(x.ty)
    return x.is_array and is_differentiable(x.ty)


def shadowed(writer: Writer, x: Term) -> str:
    """Source of an argument with a shadow that nobody reads."""
    place = Term(x.ty, writer.name(x.source))
    return f"Duplicated({place.source}, {writer.zeros(place).source})"


def _members(writer: Writer, x: Term, path: Path = ()) -> list[tuple[Term, Path]]:
    parts = writer.parts(x)
    if parts is None:
        return [(x, path)]
    return [found for k, part in enumerate(parts) for found in _members(writer, part, (*path, k))]
