"""What a derivative call takes and gives in numba's types; `callplan` writes its code.

Flat arguments are every primal argument, directly after it its shadow where it has one, and last
the seed of an active return. Arguments whose type fixes their value (functions, None, omitted,
literals) are left out. Reverse mode returns the adjoints of active arguments in order, then the
primal result where requested; forward mode the shadow of the result, then the primal result.

Split reverse mode has two plans. The augmented call has no seed and returns the tape where there is
one, the shadow of the result and the primal result; the reverse call takes the seed and the tape
last and returns adjoints.

In a batch, `width` above one, every shadow, seed and adjoint is a tuple with one member per lane.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

from numba.core import types

from enzyme.engine.analysis.kinds import Activity, DiffMode
from enzyme.frontend.leaves import Abi, LeafKind, is_fixed
from enzyme.frontend.tuples import tuple_type
from enzymecore.record import record


@record
class CallPlan:
    """What a derivative call takes and gives, in terms of numba types.

    `raises_late`: code of the user's runs in the reverse pass, where there is no status; it may leave a Python
    exception behind.
    `optional`: the result may be None, and then its shadow is, and all adjoints are zero; seeds are never None.
    """

    symbol: str
    abi: Abi
    argtypes: tuple[types.Type, ...]
    restype: types.Type
    activities: tuple[Activity, ...]
    return_activity: Activity
    mode: DiffMode
    return_primal: bool
    parameter_activities: tuple[Activity, ...]
    reverses: bool = False
    has_tape: bool = False
    width: int = 1
    raises_late: bool = False
    optional: bool = False

    @property
    def augments(self) -> bool:
        """Is it the first of the two calls of split mode?"""
        return self.mode is DiffMode.SPLIT and not self.reverses

    @property
    def seeded(self) -> bool:
        return not self.augments and self.return_activity.has_adjoint

    @property
    def return_shadow(self) -> bool:
        first = self.mode is DiffMode.FORWARD or self.augments
        return first and self.return_activity.has_shadow

    @property
    def parameters(self) -> tuple[tuple[str, int], ...]:
        """(role, Python argument) of every flat argument: primal, shadow or seed."""
        found: list[tuple[str, int]] = []
        for index, (ty, activity) in enumerate(zip(self.argtypes, self.activities, strict=True)):
            if not is_fixed(ty):
                found.append(("primal", index))
                if activity.has_shadow:
                    found.append(("shadow", index))
        if self.seeded:
            found.append(("seed", -1))
        if self.reverses and self.has_tape:
            found.append(("tape", -1))
        return tuple(found)

    @property
    def flat_types(self) -> tuple[types.Type, ...]:
        return tuple(self._type_of(role, index) for role, index in self.parameters)

    def _type_of(self, role: str, index: int) -> types.Type:
        if role == "tape":
            return types.uintp
        found = self.argtypes[index] if index >= 0 else self.given_type
        if role == "seed":
            found = self.restype
        if role == "adjoint":
            found = adjoint_type(found)
        batched = self.width > 1 and role != "primal"
        return types.UniTuple(found, self.width) if batched else found

    @property
    def given_type(self) -> types.Type:
        """The type of the result, as the caller gets it."""
        return types.Optional(self.restype) if self.optional else self.restype

    def lanes(self, builder: Any, value: Any) -> list[Any]:
        """The members of a value of a batch; without one the value itself."""
        if self.width == 1:
            return [value]
        return [builder.extract_value(value, lane) for lane in range(self.width)]

    @property
    def return_has_shadow(self) -> bool:
        """Is a shadow of the result made, whether or not the caller gets it?"""
        return any(
            p.leaf.kind is LeafKind.RETPTR and activity.has_shadow
            for p, activity in zip(self.abi.parameters, self.parameter_activities, strict=True)
        )

    @property
    def results(self) -> tuple[tuple[str, int], ...]:
        """(role, Python argument) of every member of the result tuple."""
        found = [
            ("adjoint", index)
            for index, activity in enumerate(self.activities)
            if activity.has_adjoint and self.mode is not DiffMode.FORWARD and not self.augments
        ]
        if self.augments and self.has_tape:
            found.append(("tape", -1))
        if self.return_shadow:
            found.append(("shadow", -1))
        if self.return_primal and not self.reverses:
            found.append(("primal", -1))
        return tuple(found)

    @property
    def result_type(self) -> types.Type:
        members = [self._type_of(role, index) for role, index in self.results]
        return types.BaseTuple.from_types(members) if members else types.Tuple(())


def adjoint_type(ty: types.Type) -> types.Type:
    """The type of the adjoint of an argument: of a record, which numba returns in no tuple, it is nothing (False);
    its adjoint is in its shadow."""
    if isinstance(ty, types.Record):
        return types.boolean
    if isinstance(ty, types.BaseTuple):
        origin = getattr(ty, "instance_class", None)
        given = list(ty.types)
        parts = [adjoint_type(part) for part in given]
        return ty if parts == given else tuple_type(parts, origin)
    return ty
