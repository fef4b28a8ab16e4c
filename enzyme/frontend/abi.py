"""How numba passes Python arguments to an LLVM function, described as plain data.

Numba flattens every argument along its data model into primitive parameters, after `retptr` and
`excinfo`. Each such leaf gets a kind, its LLVM type and the type tree that seeds type analysis;
from the activity of a Python argument follows the activity of each of its leaves.

Left out: the bytes behind pointers to records and to numba's reflected lists and sets (no seed
beyond "pointer"), and by-value floats inside `Duplicated` arguments in reverse mode, which have no
memory to accumulate into (an error).
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import numba
from llvmlite import ir as llvmir
from numba.core import types

from enzyme.engine.analysis.kinds import Activity, ArrayParameter, DiffMode
from enzyme.engine.synthesis.request import DiffRequest
from enzyme.errors import ActivityError
from enzyme.frontend.leaves import (
    Abi,
    Leaf,
    LeafKind,
    Parameter,
    float_content,
    leaves,
    record_entries,
)
from enzyme.frontend.numba_compat.models import (
    NumPyRandomGeneratorType,
)
from enzyme.frontend.runtime_model import NUMBA
from enzyme.frontend.visible import is_visible

_NUMBA_FOLDER = os.path.dirname(numba.__file__) + os.sep
# What is written where it is made, and the functions of this package.
_OUR_CODE = ("<enzyme", str(Path(__file__).resolve().parents[1]) + os.sep)


def _flat_types(nested: Any) -> list[llvmir.Type]:
    if isinstance(nested, tuple | list):
        return [ty for part in nested for ty in _flat_types(part)]
    return [nested]


def flat_types(context: Any, ty: types.Type) -> list[llvmir.Type]:
    """The LLVM types of the primitive parts of a value."""
    return _flat_types(context.data_model_manager[ty].get_argument_type())


def llvm_text(ty: llvmir.Type) -> str:
    """A type as LLVM writes it."""
    return "ptr" if isinstance(ty, llvmir.PointerType) else str(ty)


def _entries(leaf: Leaf) -> list[tuple[str, str]]:
    """(path below the value, concrete type) of the value of a leaf and what lies behind it."""
    if leaf.kind is LeafKind.FLOAT:
        return [("", f"Float@{float_content(leaf.type)}")]
    if leaf.kind is LeafKind.INTEGER:
        return [("", "Integer")]
    entries = [("", "Pointer")]
    if isinstance(leaf.type, types.Record):
        entries += [(f",{offset}", what) for offset, what in record_entries(leaf.type)]
    elif leaf.kind is LeafKind.DATA:
        dtype = getattr(leaf.type, "dtype", None)
        if dtype is not None and float_content(dtype):
            entries.append((",-1", f"Float@{float_content(dtype)}"))
        elif isinstance(dtype, types.Integer | types.Boolean):
            entries.append((",-1", "Integer"))
    return entries


def _seed(leaf: Leaf, llvm: str) -> str:
    if leaf.kind is LeafKind.OPAQUE:
        if llvm == "ptr" or isinstance(
            leaf.type, NumPyRandomGeneratorType
        ):  # addresses as integers
            return "{[-1]:Pointer}"
        return "{[-1]:Integer}" if llvm[0] == "i" else ""
    return "{" + ", ".join(f"[-1{path}]:{what}" for path, what in _entries(leaf)) + "}"


def seeds_of(context: Any, ty: types.Type) -> dict[str, str]:
    """The seed of each part of an argument of this type, by the part's path; what has none is empty."""
    abi = describe(context, (ty,), types.none, ("x",))
    return {
        p.name.removeprefix("x").removeprefix("."): p.seed
        for p in abi.parameters
        if p.argument == 0
    }


def _offsets(ty: llvmir.Type, target_data: Any, base: int = 0) -> Iterator[int]:
    """Byte offset of every primitive in a returned aggregate."""
    if isinstance(ty, llvmir.BaseStructType):
        for index, element in enumerate(ty.elements):
            at = ty.get_element_offset(target_data, index)
            yield from _offsets(element, target_data, base + at)
    elif isinstance(ty, llvmir.ArrayType):
        size = ty.element.get_abi_size(target_data)
        for index in range(ty.count):
            yield from _offsets(ty.element, target_data, base + index * size)
    else:
        yield base


def describe(
    context: Any, argtypes: Sequence[types.Type], restype: types.Type, names: Sequence[str]
) -> Abi:
    """The ABI of a function compiled by numba target context `context`."""
    target_data = context.target_data
    returned_type = context.call_conv.get_return_type(restype).pointee
    offsets = list(_offsets(returned_type, target_data))
    parts = list(leaves(restype))
    returned = tuple(zip(offsets, parts, strict=True)) if len(offsets) == len(parts) else ()
    entries = ["[-1]:Pointer"]
    for offset, leaf in returned:
        if leaf.kind is not LeafKind.OPAQUE:
            entries += [f"[-1,{offset}{path}]:{what}" for path, what in _entries(leaf)]
    parameters = [
        Parameter(
            -1,
            Leaf((), LeafKind.RETPTR, restype, any(leaf.differentiable for leaf in parts)),
            "ptr",
            "{" + ", ".join(entries) + "}",
            "return",
        ),
        Parameter(
            -1, Leaf((), LeafKind.EXCINFO, types.none, False), "ptr", "{[-1]:Pointer}", "error"
        ),
    ]
    for position, ty in enumerate(argtypes):
        flat = flat_types(context, ty)
        parts = list(leaves(ty))
        if len(flat) != len(parts):  # a model of its own: opaque
            parts = [Leaf((index,), LeafKind.OPAQUE, ty, False) for index in range(len(flat))]
        for leaf, llvm in zip(parts, flat, strict=True):
            text = llvm_text(llvm)
            name = ".".join([names[position], *map(str, leaf.path)])
            parameters.append(Parameter(position, leaf, text, _seed(leaf, text), name))
    return Abi(tuple(parameters), returned)


def _leaf_activity(leaf: Leaf, activity: Activity, mode: DiffMode, name: str) -> Activity:
    if activity is Activity.CONST or (leaf.kind is LeafKind.FLOAT and not leaf.differentiable):
        return Activity.CONST
    if activity is Activity.ACTIVE:
        if leaf.kind.is_memory and leaf.differentiable:
            raise ActivityError(
                what=f"argument {name} is Active but holds memory ({leaf.type})",
                why="an adjoint of memory is accumulated in a shadow, not returned",
                todo="annotate it Duplicated and pass a shadow",
            )
        if mode is DiffMode.FORWARD and leaf.kind is LeafKind.FLOAT:
            raise ActivityError(
                what=f"argument {name} is Active in forward mode",
                why="forward mode needs the tangent of every differentiated argument",
                todo="annotate it Duplicated and pass its tangent",
            )
        return Activity.ACTIVE if leaf.kind is LeafKind.FLOAT else Activity.CONST
    if activity is Activity.MIXED:
        by_value = leaf.kind is LeafKind.FLOAT and mode is not DiffMode.FORWARD
        activity = Activity.ACTIVE if by_value else Activity.DUPLICATED
        if by_value:
            return activity
    if leaf.kind is LeafKind.FLOAT and mode is not DiffMode.FORWARD:
        raise ActivityError(
            what=f"argument {name} is {activity.name.title()} but passed by value",
            why="reverse mode has no memory to accumulate its adjoint into",
            todo="annotate it Active",
        )
    if mode is not DiffMode.FORWARD and _is_reflected(leaf.type):
        raise ActivityError(
            what=f"argument {name} is a Python list or set with a shadow",
            why="the compiled code gets a copy of it, so that its adjoints would be lost",
            todo="use a typed list, numba.typed.List(x), or an array",
        )
    return activity if leaf.differentiable else Activity.CONST


def _shown(parameter: Parameter) -> str:
    """What a parameter is part of, as the user writes it: members of tuples have numbers, those of objects names."""
    path = parameter.leaf.path
    members = itertools.takewhile(lambda step: isinstance(step, int), path)
    name = parameter.name.removesuffix("".join(f".{step}" for step in path))
    return name + "".join(f"[{k}]" for k in members)


def _is_reflected(ty: types.Type) -> bool:
    return isinstance(ty, types.MemInfoPointer) and isinstance(
        ty.dtype, types.ListPayload | types.SetPayload
    )


def parameter_activities(
    abi: Abi,
    activities: Sequence[Activity],
    return_activity: Activity,
    mode: DiffMode,
    need_primal: bool = True,
) -> tuple[Activity, ...]:
    """Activity of every LLVM parameter, from one activity per Python argument.

    `retptr` is duplicated when the return is: its shadow holds the seed (reverse) or receives the
    tangent (forward). A return that owns memory is always needed, for it must be released.
    """
    owns = any(leaf.kind is LeafKind.MEMINFO for _, leaf in abi.returned)
    found = []
    for p in abi.parameters:
        if p.leaf.kind is LeafKind.RETPTR:
            if not p.leaf.differentiable:
                found.append(Activity.CONST)
            elif return_activity is Activity.CONST:
                # A returned object takes its references along, and so does its shadow.
                shared = owns and any(a.has_shadow for a in activities)
                found.append(Activity.DUPLICATED if shared else Activity.CONST)
            else:
                needed = need_primal or owns
                found.append(Activity.DUPLICATED if needed else Activity.DUPLICATED_NO_NEED)
        elif p.leaf.kind is LeafKind.EXCINFO:
            found.append(Activity.CONST)
        else:
            found.append(_leaf_activity(p.leaf, activities[p.argument], mode, _shown(p)))
    return tuple(found)


def _groups(
    abi: Abi, activities: Sequence[Activity], argtypes: Sequence[types.Type]
) -> tuple[int, ...]:
    """A number for each parameter, the same for those whose memory may be shared by promise."""
    seen: dict[object, int] = {}
    found = []
    for n, p in enumerate(abi.parameters):
        key: object = (-1 - n) if p.argument < 0 else p.argument
        known = 0 <= p.argument < len(argtypes) and activities[p.argument] is Activity.CONST
        if known and is_visible(argtypes[p.argument]):
            key = (p.argument, tuple(takewhile(lambda step: isinstance(step, int), p.leaf.path)))
        found.append(seen.setdefault(key, len(seen)))
    return tuple(found)


def _arrays(abi: Abi, argtypes: Sequence[types.Type]) -> Iterator[ArrayParameter]:
    """The arrays without gaps among the arguments."""
    numbers = {(p.argument, p.leaf.path): n for n, p in enumerate(abi.parameters)}
    for argument, ty in enumerate(argtypes):
        if not isinstance(ty, types.Array) or ty.layout == "A" or not ty.ndim:
            continue
        data = numbers.get((argument, ("data",)))
        shape = [numbers.get((argument, ("shape", k))) for k in range(ty.ndim)]
        bits = getattr(ty.dtype, "bitwidth", 0)
        if data is not None and None not in shape and bits:
            axes = tuple(n for n in shape if n is not None)
            yield ArrayParameter(
                data,
                axes if ty.layout == "C" else axes[::-1],
                bits // 8,
                numbers.get((argument, ("nitems",))),
                numbers.get((argument, ("itemsize",))),
            )


def make_request(
    symbol: str,
    abi: Abi,
    activities: Sequence[Activity],
    return_activity: Activity,
    mode: DiffMode,
    *,
    need_primal: bool = True,
    argtypes: Sequence[types.Type] = (),
    **options: Any,
) -> DiffRequest:
    """The engine's request for a numba function with this ABI; `options` go to `DiffRequest`.

    Arrays in one constant argument are told apart if its type is in `argtypes`; others may overlap as their shadows do.
    """
    return DiffRequest(
        function=symbol,
        mode=mode,
        activities=parameter_activities(abi, activities, return_activity, mode, need_primal),
        return_activity=Activity.CONST,
        return_primal=True,
        seeds=abi.seeds,
        runtime=NUMBA,
        groups=_groups(abi, activities, argtypes),
        arrays=tuple(_arrays(abi, argtypes)),
        discarded=frozenset(
            n
            for n, p in enumerate(abi.parameters)
            if p.leaf.kind is LeafKind.RETPTR and return_activity is Activity.CONST
        ),
        library_folders=(_NUMBA_FOLDER, *_OUR_CODE),
        **options,
    )
