"""What comes back of a call: what becomes of the primal's result, and where everything stands that the caller gets."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

from numba.core import types

from enzyme.contract.admission import duplicated_return
from enzyme.contract.kinds import by_value, in_memory
from enzyme.contract.signature import Signature
from enzyme.engine.analysis.kinds import Activity
from enzyme.errors import ActivityError, NonInferredActiveReturn
from enzyme.frontend.leaves import leaves
from enzymecore import (
    Active,
    BatchDuplicated,
    BatchDuplicatedNoNeed,
    BatchMixedDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    MixedDuplicated,
    ReverseModeSplit,
    as_type,
)
from enzymecore.record import record


@record
class Return:
    """What becomes of the result: its activity, and which parts of it the caller gets.

    `zero_shadow`: nothing varies, so the shadow is made from the primal result. `holomorphic`: the result is complex
    and its derivative that of a holomorphic function.
    """

    activity: Activity
    primal: bool
    shadow: bool
    shadow_first: bool
    zero_shadow: bool = False
    holomorphic: bool = False


def of_return(signature: Signature, restype: types.Type, varies: bool) -> Return:
    """What becomes of a result of type `restype`; `varies`: does any argument have a shadow?"""
    wanted = signature.return_activity
    mode = signature.mode
    active = any(leaf.differentiable for leaf in leaves(restype))
    if wanted is not None and wanted.parameters:
        _check_declared(wanted, restype)
    holomorphic = not signature.forward and signature.mode.holomorphic
    if holomorphic and not active:  # there, any return activity will do
        wanted = None
    if wanted is not None and not issubclass(wanted, Const) and not active:
        raise ActivityError(
            restype=restype,
            what=f"return activity {wanted!r}, but the result is of the constant type {restype}",
            why="this type holds no floats",
            todo="mark it Const, or leave the return activity out",
        )
    constant = not active if wanted is None else issubclass(wanted, Const)
    if signature.forward:
        if constant:
            return Return(Activity.CONST, mode.return_primal, False, True)
        both = wanted is not None and issubclass(wanted, Duplicated | BatchDuplicated)
        needs = mode.return_primal or both
        if not varies:
            return Return(Activity.CONST, True, True, mode.return_primal, zero_shadow=True)
        return Return(Activity.DUPLICATED, needs, True, mode.return_primal)
    if constant:
        return Return(Activity.CONST, mode.return_primal, False, False)
    if isinstance(mode, ReverseModeSplit):
        return _of_split_return(mode, wanted, restype)
    if isinstance(restype, types.Float):
        return Return(Activity.ACTIVE, mode.return_primal, False, False)
    if isinstance(restype, types.Complex) and mode.holomorphic:
        return Return(Activity.ACTIVE, mode.return_primal, False, False, holomorphic=True)
    raise _no_seed(signature, restype)


def _of_split_return(mode: ReverseModeSplit, wanted: Any, restype: types.Type) -> Return:
    """An active result has a seed, a duplicated one a shadow, which is seeded between the two calls."""
    if isinstance(restype, types.Record):
        raise ActivityError(
            restype=restype,
            what=f"split mode of a function that returns a record: {restype}",
            why="a pair of functions returns tuples, and numba has none of records",
            todo="return an array of records, or the numbers in a tuple",
        )
    values, memory = by_value(restype), in_memory(restype)
    if wanted is not None and issubclass(wanted, MixedDuplicated | BatchMixedDuplicated):
        return Return(Activity.MIXED, mode.return_primal, mode.return_shadow, False)
    if values and memory:
        raise ActivityError(
            what=f"the result is of mixed activity: {restype}",
            why="it holds floats by value, which need a seed, and memory, which needs a shadow",
            todo="use MixedDuplicated: the seed is a value of this type, with the shadow's memory",
        )
    if wanted is None or issubclass(wanted, Active):
        if memory:
            raise ActivityError(
                what=f"return activity Active, but the result holds memory: {restype}",
                why="its seed is written into its shadow, between the two calls",
                todo="use Duplicated, or DuplicatedNoNeed, as return activity",
            )
        return Return(Activity.ACTIVE, mode.return_primal, False, False)
    if values:
        raise ActivityError(
            what=f"return activity {wanted!r}, but the result is immutable: {restype}",
            why="its seed cannot be written into it",
            todo="use Active: the seed is an argument of the reverse call",
        )
    needed = mode.return_primal and not issubclass(wanted, DuplicatedNoNeed | BatchDuplicatedNoNeed)
    return Return(Activity.DUPLICATED, needed, mode.return_shadow, False)


def check_seedable(restype: types.Type) -> None:
    """Refuse results that Python gets a copy of: what is written into the shadow would be lost."""
    if isinstance(restype, types.BaseTuple):
        for member in restype.types:
            check_seedable(member)
    elif isinstance(restype, types.List | types.Set) and any(
        leaf.differentiable for leaf in leaves(restype)
    ):
        raise ActivityError(
            restype=restype,
            what=f"split mode of a function that returns a Python list or set: {restype}",
            why="Python gets a copy of its shadow, so that seeds which are put there would be lost",
            todo="return a typed list, numba.typed.List, or an array",
        )


def ambiguous(restype: types.Type) -> ActivityError:
    """The error for a complex result, whose seed may be real or imaginary."""
    return ActivityError(
        what=f"the derivative of a result of type {restype} is ambiguous",
        why="a complex result has two gradients, of its real and of its imaginary part",
        todo=(
            "return a real number, as f(z).real",
            "use ReverseHolomorphic for a holomorphic function of complex arguments",
            "use Forward, which gives complex derivatives with respect to real arguments",
            "use a split mode and pass the seed",
        ),
    )


def _no_seed(signature: Signature, restype: types.Type) -> Exception:
    """Why a result of this type cannot be Active in combined reverse mode."""
    if isinstance(restype, types.Complex):
        return ambiguous(restype)
    if signature.return_activity is None and not by_value(restype):
        return duplicated_return(f"the result is of type {restype}")
    return ActivityError(
        restype=restype,
        what=f"a result of type {restype} has no default seed",
        why="reverse mode starts from the adjoint of one real number",
        todo=(
            "write the result into an output argument, Duplicated(out, seed), with Const return",
            "use a split mode with autodiff_thunk and pass the seed",
        ),
    )


def _check_declared(wanted: Any, restype: types.Type) -> None:
    declared = wanted.eltype
    inferred = as_type(restype)
    if declared != inferred:
        raise NonInferredActiveReturn(
            what=f"return activity {wanted!r}, but the result is of type {inferred!r}",
            todo=f"write {wanted.__name__}[{inferred!r}] or just {wanted.__name__}",
            declared=declared,
            inferred=inferred,
        )
