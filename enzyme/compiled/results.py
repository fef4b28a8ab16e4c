"""Results of native calls in the layout that the caller gets."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numba.core import types, typing

from enzyme.contract.layout import PRIMAL, ZERO, Layout, Part, fold, parts_of
from enzyme.frontend.plans import CallPlan
from enzymecore import make_zero


class Joined:
    """A layout of the results of one plan: its type, and the code that makes it.

    `kinds` are the types of parts that stand for what native code gives, as a tape does for its address.
    """

    def __init__(
        self, layout: Layout, plan: CallPlan, kinds: Mapping[Part, types.Type] | None = None
    ) -> None:
        self.layout = layout
        self.plan = plan
        self.kinds = kinds or {}
        self.positions = {Part(*result): k for k, result in enumerate(plan.results)}
        self.type = fold(layout, self._kind, tuple_of)

    def _kind(self, part: Part | None) -> types.Type:
        if part is None:
            return types.none
        if part is ZERO:
            return self.plan.given_type
        found: types.Type = (
            self.kinds.get(part) or self.plan.result_type.types[self.positions[part]]
        )
        return found

    def emit(
        self, context: Any, builder: Any, answer: Any, made: Mapping[Part, Any] | None = None
    ) -> Any:
        """The result out of the results of a call, and of what was `made` of them; what the caller does not get is
        released."""

        def leaf(part: Part | None) -> tuple[types.Type, Any]:
            if part is None:
                return types.none, context.get_dummy_value()
            if part is ZERO:
                return self.plan.given_type, self._zero(context, builder, answer)
            if made and part in made:
                return self._kind(part), made[part]
            return self._kind(part), builder.extract_value(answer, self.positions[part])

        def joined(parts: Sequence[tuple[types.Type, Any]]) -> tuple[types.Type, Any]:
            kind = tuple_of([ty for ty, _ in parts])
            return kind, context.make_tuple(builder, kind, [value for _, value in parts])

        _, result = fold(self.layout, leaf, joined)
        given = set(parts_of(self.layout))
        for part, k in self.positions.items():
            if part not in given and context.enable_nrt:
                context.nrt.decref(
                    builder, self.plan.result_type.types[k], builder.extract_value(answer, k)
                )
        return result

    def _zero(self, context: Any, builder: Any, answer: Any) -> Any:
        """A zero like the primal result."""
        primal = builder.extract_value(answer, self.positions[PRIMAL])
        restype = self.plan.given_type
        sig = typing.signature(restype, restype)
        return context.compile_internal(builder, lambda x: make_zero(x), sig, [primal])


def tuple_of(members: Sequence[types.Type]) -> types.Type:
    """The type of a tuple."""
    return types.BaseTuple.from_types(members) if members else types.Tuple(())
