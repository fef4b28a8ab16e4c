"""What is to be compiled for one call: activities of arguments and result, and what comes back.

Everything here follows from types and annotation classes, never from values. The checks are those
that need no compiled primal (`of_call`) and those that need its return type (`of_return`).
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numba.core import types

from enzyme.api.values import numba_type, type_of
from enzyme.engine.synthesis.request import Activity, DiffMode
from enzyme.errors import (
    ActivityError,
    BatchSizeError,
    ModeError,
    NonInferredActiveReturn,
    ShadowLayoutError,
)
from enzyme.frontend.abi import Kind, is_fixed, leaves
from enzymecore import (
    Active,
    Annotation,
    BatchDuplicated,
    BatchDuplicatedFunc,
    BatchDuplicatedNoNeed,
    BatchMixedDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    ForwardMode,
    MixedDuplicated,
    Mode,
    ReverseMode,
    ReverseModeSplit,
    as_type,
    batch_size,
    check_congruent,
    named_shadows,
    shadow_not_writable,
)
from enzymecore.annotation_base import AnnotationMeta

_BATCH = (BatchDuplicated, BatchDuplicatedNoNeed, BatchMixedDuplicated, BatchDuplicatedFunc)
_ACTIVITIES = {
    Const: Activity.CONST,
    Active: Activity.ACTIVE,
    Duplicated: Activity.DUPLICATED,
    DuplicatedNoNeed: Activity.DUPLICATED_NO_NEED,
    BatchDuplicated: Activity.DUPLICATED,
    BatchDuplicatedNoNeed: Activity.DUPLICATED_NO_NEED,
    MixedDuplicated: Activity.MIXED,
    BatchMixedDuplicated: Activity.MIXED,
}
ORDER = "write autodiff(mode, f, return_activity, *annotations)"


@dataclass(frozen=True)
class Signature:
    """A call by its types: everything a compiled derivative depends on."""

    mode: Mode
    return_activity: Any
    annotations: tuple[Any, ...]
    argtypes: tuple[types.Type, ...]
    width: int = 1

    @property
    def returns_batch(self) -> bool:
        """Is the shadow of the result asked for as a tuple, also where it has one member?"""
        wanted = self.return_activity
        return wanted is not None and issubclass(wanted, _BATCH)

    @property
    def forward(self) -> bool:
        return isinstance(self.mode, ForwardMode)

    @property
    def diff_mode(self) -> DiffMode:
        if isinstance(self.mode, ReverseModeSplit):
            return DiffMode.SPLIT
        return DiffMode.FORWARD if self.forward else DiffMode.REVERSE

    @property
    def activities(self) -> tuple[Activity, ...]:
        return tuple(_ACTIVITIES[cls] for cls in self.annotations)


@dataclass(frozen=True)
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


# --- what a value of a type holds ----------------------------------------------------------------


def by_value(ty: types.Type) -> bool:
    """Does a value of this type hold floats by value?"""
    return any(leaf.kind is Kind.FLOAT for leaf in leaves(ty))


def in_memory(ty: types.Type) -> bool:
    """Does a value of this type hold floats in memory?"""
    return any(leaf.differentiable and leaf.kind is not Kind.FLOAT for leaf in leaves(ty))


def is_empty(ty: types.Type) -> bool:
    """Does a value of this type carry no data at run time?"""
    if is_fixed(ty) or isinstance(ty, types.DTypeSpec):
        return True
    if isinstance(ty, types.BaseTuple):
        return all(map(is_empty, ty.types))
    return False


# --- checks of a call -------------------------------------------------------------------------------


def check_mode(mode: Any, f: Any, split: bool = False) -> None:
    """Refuse what is not a mode that `autodiff`, or with `split` a thunk, can run."""
    if split and isinstance(mode, ReverseMode):
        raise ModeError(
            what="a thunk of reverse mode is a pair of functions, which needs a split mode",
            todo="use Split(mode), or autodiff for both passes in one call",
        )
    if isinstance(mode, ReverseModeSplit) and not split:
        raise ModeError(
            what="autodiff runs forward and reverse pass in one call; a split mode needs two",
            todo="use autodiff_thunk with this mode, or Combined(mode) with autodiff",
        )
    if isinstance(mode, type) and issubclass(mode, Mode):
        raise ModeError(
            what=f"the mode must be a value, not the class {mode.__name__}",
            todo="use Forward, Reverse, ReverseWithPrimal or ForwardWithPrimal",
        )
    if not isinstance(mode, Mode):
        swapped = isinstance(f, Mode)
        first = "the function" if callable(mode) else f"{mode!r:.60}"
        raise ModeError(
            what=f"the mode comes first; the first argument is {first}",
            why="the first two arguments are swapped" if swapped else "",
            todo=ORDER,
        )


def check_split(mode: Any, count: int) -> None:
    """Flags for memory that changes are one for the function and one for each argument of split mode."""
    if getattr(mode, "shadow_init", False):
        raise ModeError(
            what="shadow_init: shadows of results start at zero",
            todo="write the seed into the shadow that forward returns",
        )
    flags = getattr(mode, "modified_between", True)
    if isinstance(flags, bool) or len(flags) == 1 + count:
        return
    raise ModeError(
        what=f"modified_between has {len(flags)} flags, but the call has {1 + count} places for them",
        why="the first flag is of the function, and each argument has one",
        todo=f"give {1 + count} bools, or True for all",
    )


def check_function(f: Any, args: Sequence[Any]) -> Any:
    """The function itself, out of its annotation."""
    if isinstance(f, type) and issubclass(f, Annotation):
        other = args[0] if args else "f"
        name = getattr(other, "__name__", "f")
        raise ActivityError(
            what=f"the return activity {f!r} comes after the function",
            todo=f"write autodiff(mode, {name}, {f!r}, *annotations)",
        )
    if not isinstance(f, Annotation):
        return f
    if isinstance(f, Const):
        return f.val
    if isinstance(f, Active):
        raise ActivityError(
            what="the function cannot be Active",
            why="a function object has no value whose adjoint could be returned",
            todo="pass Const(f), or f itself",
        )
    if isinstance(f, (Duplicated, DuplicatedNoNeed, MixedDuplicated, *_BATCH)):
        raise ActivityError(
            what=f"{type(f).__name__}(f, ...) of a function, which holds no data to differentiate",
            why="numba freezes what a closure captures",
            todo=(
                "pass the data as an argument: Duplicated(data, shadow)",
                "or make f an object: a named tuple whose class defines __call__",
            ),
        )
    raise ActivityError(what=f"a function cannot be annotated {type(f).__name__}")


def split_return(rest: Sequence[Any]) -> tuple[Any, tuple[Any, ...]]:
    """(return activity or None, annotations) of the arguments behind the function."""
    if rest and isinstance(rest[0], type) and issubclass(rest[0], Annotation):
        return rest[0], tuple(rest[1:])
    return None, tuple(rest)


def check_annotations(args: Sequence[Any], types_too: bool = False) -> None:
    """Every argument must be an annotation that is supported; with `types_too` or a class of one."""
    for position, arg in enumerate(args):
        if types_too and isinstance(arg, AnnotationMeta) and arg.parameters:
            if arg.origin not in _ACTIVITIES:
                raise ActivityError(what=f"argument {position}: {arg!r} is not supported yet")
            continue
        if isinstance(arg, type) and issubclass(arg, Annotation):
            raise ActivityError(
                what=f"argument {position} is the class {arg!r}, not an annotated value",
                why="a return activity is given once, directly behind the function",
                todo=(ORDER, f"for an argument write {arg.__name__}(x)"),
            )
        if isinstance(arg, Mode):
            raise ModeError(what=f"argument {position} is a mode", todo=ORDER)
        if not isinstance(arg, Annotation):
            raise ActivityError(
                what=f"argument {position} is not annotated: {arg!r:.60}",
                why="autodiff must be told of every argument whether to differentiate it",
                todo="wrap it, e.g. Const(x), Active(x) or Duplicated(x, dx)",
            )
        if type(arg) not in _ACTIVITIES:
            raise ActivityError(
                what=f"argument {position}: {type(arg).__name__} is not supported yet",
                todo="pass the floats and the arrays as arguments of their own",
            )


def width_of(mode: Mode, wanted: Any, args: Sequence[Any]) -> int:
    """The number of shadows of every duplicated argument, of an annotation or of its class.

    Raises
    ------
    BatchSizeError
        If it is zero, or not the same everywhere.
    """
    sizes: dict[str, int] = {}
    for position, arg in enumerate(args):
        cls = arg if isinstance(arg, type) else type(arg)
        if issubclass(cls, _BATCH):
            sizes[f"argument {position}"] = batch_size(arg)
        elif issubclass(cls, Duplicated | DuplicatedNoNeed | MixedDuplicated):
            sizes[f"argument {position}"] = 1
    if wanted is not None and issubclass(wanted, _BATCH) and wanted.parameters:
        sizes[f"the return activity {wanted!r}"] = batch_size(wanted)
    if getattr(mode, "width", 0):
        sizes["the mode"] = mode.width  # type: ignore[attr-defined]
    empty = [name for name, n in sizes.items() if n == 0]
    if empty:
        raise BatchSizeError(
            what=f"cannot differentiate with zero shadows ({', '.join(empty)})",
            todo="give at least one shadow, or use Const(x)",
        )
    if len(set(sizes.values())) > 1:
        found = ", ".join(f"{n} in {name}" for name, n in sizes.items())
        raise BatchSizeError(
            what=f"there are different numbers of shadows: {found}",
            todo="give every duplicated argument the same number of shadows",
        )
    return next(iter(sizes.values()), 1)


def check_return_class(mode: Mode, wanted: Any) -> None:
    """Refuse return activities that the mode cannot have."""
    if wanted is None or issubclass(wanted, Const):
        return
    if wanted is Annotation:
        raise ActivityError(what="Annotation is abstract, hence no return activity", todo=ORDER)
    if issubclass(wanted, MixedDuplicated | BatchMixedDuplicated | BatchDuplicatedFunc):
        if isinstance(mode, ReverseModeSplit) and not issubclass(wanted, BatchDuplicatedFunc):
            return
        raise ActivityError(
            what=f"{wanted!r} is no return activity of {_name(mode)}",
            why="mixed returns exist only in split reverse mode",
            todo="use Duplicated or DuplicatedNoNeed in forward mode, Active in reverse mode",
        )
    if isinstance(mode, ForwardMode):
        if issubclass(wanted, Active):
            raise ActivityError(
                what="Active return in forward mode",
                why="forward mode computes the tangent of the result; it has no adjoints",
                todo="use Duplicated (primal and tangent) or DuplicatedNoNeed (tangent only)",
            )
    elif isinstance(mode, ReverseModeSplit):
        return
    elif not issubclass(wanted, Active):
        raise _duplicated_return(f"return activity {wanted!r}")


def _duplicated_return(what: str) -> ActivityError:
    return ActivityError(
        what=f"Duplicated returns are not handled in combined reverse mode: {what}",
        why="the shadow of a result can only be seeded between the two passes",
        todo=(
            "write the result into an output argument, Duplicated(out, seed), with Const return",
            "use a split mode with autodiff_thunk",
        ),
    )


def _name(mode: Mode) -> str:
    return "forward mode" if isinstance(mode, ForwardMode) else "combined reverse mode"


def of_call(mode: Mode, wanted: Any, args: Sequence[Any]) -> Signature:
    """The signature of a call; annotations must have been checked.

    An argument may also be a parametrised annotation class: a call of which only types are known.
    """
    check_return_class(mode, wanted)
    width = width_of(mode, wanted, args)
    batched = any(issubclass(a if isinstance(a, type) else type(a), _BATCH) for a in args)
    if batched and isinstance(mode, ReverseMode) and mode.holomorphic:
        raise BatchSizeError(
            what="a batch in holomorphic reverse mode",
            why="it takes three lanes for one derivative",
            todo="call autodiff once per shadow, with Duplicated(x, dx)",
        )
    found = []
    for position, arg in enumerate(args):
        is_type = isinstance(arg, type)
        cls = arg.origin if is_type else type(arg)
        forward = isinstance(mode, ForwardMode)
        if cls is Active and forward:
            raise ActivityError(
                what=f"argument {position} is Active in forward mode",
                why="forward mode has no Active: it needs the tangent of what is differentiated",
                todo="use Duplicated(x, dx) with the tangent dx",
            )
        ty = numba_type(arg.eltype) if is_type else type_of(arg.val, position)
        found.append((cls, ty))
        if cls is Const:
            continue
        if is_empty(ty):
            raise ActivityError(
                what=f"argument {position} is {cls.__name__}, but its type {ty} has nothing to "
                "differentiate",
                todo="use Const(x)",
            )
        values, memory = by_value(ty), in_memory(ty)
        mixed = issubclass(cls, MixedDuplicated | BatchMixedDuplicated)
        if values and memory and not forward and not mixed:
            raise ActivityError(
                what=f"argument {position} is {cls.__name__} and of mixed activity: {ty}",
                why="it holds floats by value, whose adjoint is returned, and memory, whose adjoint "
                "is added to a shadow",
                todo=("use MixedDuplicated(x, ref)", "or put the floats into an array"),
            )
        if cls is Active:
            if memory:
                raise ActivityError(
                    what=f"argument {position} is Active but holds memory: {ty}",
                    why="the adjoint of memory is added to a shadow, not returned",
                    todo="use Duplicated(x, make_zero(x))",
                )
            continue
        if values and not forward and not mixed:
            raise ActivityError(
                what=f"argument {position} is {cls.__name__} but immutable ({ty}) in reverse mode",
                why="its adjoint cannot be added to a number that cannot change",
                todo="use Active(x); its adjoint is returned",
            )
        if not is_type:
            check_shadow(position, arg, values or memory, forward)
    return Signature(mode, wanted, tuple(c for c, _ in found), tuple(t for _, t in found), width)


def check_shadow(position: int, arg: Any, differentiable: bool, forward: bool) -> None:
    """Type, layout and access of a shadow, also where construction did not check."""
    for name, shadow in named_shadows(arg):
        if shadow is not arg.val:
            check_congruent(arg.val, shadow, f"{name} of argument {position}")
    if differentiable and not forward:
        check_writable(position, arg)


def check_writable(position: int, arg: Any) -> None:
    """Refuse a read-only shadow."""
    problem = shadow_not_writable(arg)
    if problem:
        raise ShadowLayoutError(
            what=f"argument {position}: {problem}",
            why="derivatives are written into the shadow",
            todo="make it with make_zero(x), or set shadow.flags.writeable = True",
        )


# --- what depends on the return type --------------------------------------------------------------


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


def _no_seed(signature: Signature, restype: types.Type) -> Exception:
    """Why a result of this type cannot be Active in combined reverse mode."""
    if isinstance(restype, types.Complex):
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
    if signature.return_activity is None and not by_value(restype):
        return _duplicated_return(f"the result is of type {restype}")
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
