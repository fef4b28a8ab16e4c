"""Which modes, functions, annotations and return activities a call may have.

All of it is known before any code is compiled.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from enzyme.contract.kinds import ACTIVITIES, BATCH
from enzyme.errors import ActivityError, BatchSizeError, ModeError
from enzymecore import (
    Active,
    Annotation,
    BatchDuplicatedFunc,
    BatchMixedDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    ForwardMode,
    MixedDuplicated,
    Mode,
    ReverseMode,
    ReverseModeSplit,
    batch_size,
)
from enzymecore.annotation_base import AnnotationMeta

ORDER = "write autodiff(mode, f, return_activity, *annotations)"
_BATCH = (*BATCH, BatchDuplicatedFunc)


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
            if arg.origin not in ACTIVITIES:
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
        if type(arg) not in ACTIVITIES:
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
        sizes["the mode"] = mode.width
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
        raise duplicated_return(f"return activity {wanted!r}")


def _name(mode: Mode) -> str:
    return "forward mode" if isinstance(mode, ForwardMode) else "combined reverse mode"


def duplicated_return(what: str) -> ActivityError:
    return ActivityError(
        what=f"Duplicated returns are not handled in combined reverse mode: {what}",
        why="the shadow of a result can only be seeded between the two passes",
        todo=(
            "write the result into an output argument, Duplicated(out, seed), with Const return",
            "use a split mode with autodiff_thunk",
        ),
    )
