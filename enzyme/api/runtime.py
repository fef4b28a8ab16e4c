"""Runtime activity: whether memory is constant is found out in each call.

A shadow that *is* its primal means a constant. Each combination of constants is a derivative of its own, compiled
when it first occurs. Where a value may come from constant or from differentiable memory, so that types cannot tell,
the constant gets a shadow of zeros for the time of the call; if such a shadow is returned, the primal takes its
place: a returned shadow that is the primal says that the derivative is zero.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from numba import typed

from enzyme.api import settings
from enzyme.api.mixed import ref_to
from enzyme.errors import EnzymeConstStorageError, EnzymeRuntimeActivityError
from enzymecore import (
    Active,
    Annotation,
    BatchDuplicated,
    BatchMixedDuplicated,
    Const,
    Duplicated,
    ForwardMode,
    MixedDuplicated,
    active_register_state,
    clear_err_if_const_written,
    clear_runtime_activity,
    make_zero,
    named_shadows,
)
from enzymecore.activity_state import AnyState, DupState
from enzymecore.structure import Kind, arrays_in, kind_of

_MUTABLE = (Kind.ARRAY, Kind.RECORD, Kind.TYPED_LIST, Kind.TYPED_DICT, Kind.INSTANCE)
_MIXED = (MixedDuplicated, BatchMixedDuplicated)


# Which constants are chosen together with differentiable memory, by the classes of all arguments.
_Chosen = dict[tuple[type, ...], set[int]]


def make_runtime_call(
    autodiff: Callable[..., Any],
    mode: Any,
    f: Any,
    return_given: bool,
    sugar: _Chosen | None = None,
) -> Callable[..., Any]:
    """The function that takes what `autodiff` got behind the function, for a mode with runtime activity.

    With `sugar` constants may also keep differentiable data, and a shadow of zeros that is returned stays what it is.
    """
    plain = clear_runtime_activity(mode)
    # What the caller calls constant may be written: nothing of it is differentiated.
    careless = clear_err_if_const_written(plain)
    forward = isinstance(mode, ForwardMode)
    chosen: _Chosen = {} if sugar is None else sugar

    def call(*given: Any) -> Any:
        wanted, args = given[:return_given], given[return_given:]
        found = [without_constants(arg) for arg in args]
        constant = any(isinstance(new, Const) and new is not arg for new, arg in zip(found, args))
        inner = careless if constant else plain
        promoted = chosen.setdefault(tuple(map(type, found)), set())
        width = _width(args)
        while True:
            passed, scratch = constants_promoted(found, promoted, width, forward)
            try:
                result = autodiff(inner, f, *wanted, *passed)
            except (EnzymeRuntimeActivityError, EnzymeConstStorageError) as error:
                if sugar is None and isinstance(error, EnzymeConstStorageError):
                    raise
                more = named_constants(error, f, passed) - promoted
                if not more:
                    raise
                promoted |= more
                continue
            if forward and sugar is None:
                return restored(result, places_of_constants(scratch))
            return result

    return call


_known: weakref.WeakKeyDictionary[Any, dict[Any, _Chosen]] = weakref.WeakKeyDictionary()


def constants_known(f: Any, key: Any, classes: tuple[type, ...]) -> set[int]:
    """Which constants of `f` are known to need shadows; to be added to."""
    try:
        known = _known.setdefault(f, {})
    except TypeError:  # it cannot be referred to weakly
        return set()
    return known.setdefault(key, {}).setdefault(classes, set())


def patient_autodiff(autodiff: Callable[..., Any], mode: Any, f: Any, *args: Any) -> Any:
    """`autodiff`, also of functions that have constants and differentiable data in one place.

    Such constants get shadows of zeros for the time of the call, which changes no derivative.
    """
    return_given = bool(args) and isinstance(args[0], type)
    try:
        known = _known.setdefault(f, {})
    except TypeError:  # it cannot be referred to weakly
        known = {}
    key = mode, return_given
    try:
        with settings.refusing_early():  # so that nothing has run when it is tried again
            if key not in known:
                try:
                    return autodiff(mode, f, *args)
                except (EnzymeRuntimeActivityError, EnzymeConstStorageError):
                    if not any(isinstance(arg, Const) for arg in args):
                        raise
                known[key] = {}
            return make_runtime_call(autodiff, mode, f, return_given, known[key])(*args)
    except (EnzymeRuntimeActivityError, EnzymeConstStorageError):
        known.pop(key, None)
    return autodiff(mode, f, *args)  # an error of the path that leads there


def named_constants(
    error: EnzymeRuntimeActivityError | EnzymeConstStorageError, f: Any, args: Sequence[Annotation]
) -> set[int]:
    """The constant that the error is about; all of them where it names none."""
    constants = {k for k, arg in enumerate(args) if isinstance(arg, Const)}
    name = error.value if isinstance(error, EnzymeRuntimeActivityError) else error.argument
    try:
        names = list(inspect.signature(getattr(f, "py_func", f)).parameters)
    except (TypeError, ValueError):
        return constants
    found = {k for k in constants if k < len(names) and names[k] == name}
    return found or constants


def without_constants(arg: Annotation) -> Annotation:
    """A constant for an argument whose shadow is its primal; zeros where a part of the shadow is one."""
    if isinstance(arg, (Const, Active, *_MIXED)):
        return arg
    lanes = [shadow for _, shadow in named_shadows(arg)]
    if kind_of(arg.val) in _MUTABLE:
        if lanes and all(_same(arg.val, shadow) for shadow in lanes):
            return Const(arg.val)
        found = [make_zero(s) if _same(arg.val, s) else s for s in lanes]
    else:
        found = [_zeros_for_constants(arg.val, s) for s in lanes]
    if all(new is old for new, old in zip(found, lanes, strict=True)):
        return arg
    batch = "N" in arg._parameter_names
    return type(arg)(arg.val, tuple(found) if batch else found[0])  # type: ignore[call-arg]


def _same(primal: Any, shadow: Any) -> bool:
    if primal is shadow:
        return True
    arrays = isinstance(primal, np.ndarray) and isinstance(shadow, np.ndarray)
    return arrays and primal.size > 0 and _place(primal) == _place(shadow)


def _place(x: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    return x.__array_interface__["data"][0], x.shape, x.strides


def _zeros_for_constants(primal: Any, shadow: Any) -> Any:
    """A shadow of a tuple, with zeros in place of parts that are the primal's."""
    if not isinstance(primal, tuple):
        constant = kind_of(primal) in _MUTABLE and _same(primal, shadow)
        return make_zero(shadow) if constant else shadow
    parts = list(map(_zeros_for_constants, primal, shadow))
    if all(new is old for new, old in zip(parts, shadow, strict=True)):
        return shadow
    return shadow._make(parts) if hasattr(shadow, "_make") else tuple(parts)


def _width(args: Sequence[Annotation]) -> int:
    return max((len(list(named_shadows(arg))) for arg in args), default=1) or 1


def constants_promoted(
    args: Sequence[Annotation], promoted: Collection[int], width: int, forward: bool
) -> tuple[list[Annotation], list[tuple[Any, Any]]]:
    """Arguments with shadows of zeros for some constants, and these shadows with their primals."""
    scratch: list[tuple[Any, Any]] = []
    passed = [
        _promoted(arg, width, forward, scratch) if k in promoted else arg
        for k, arg in enumerate(args)
    ]
    return passed, scratch


def _promoted(
    arg: Annotation, width: int, forward: bool, scratch: list[tuple[Any, Any]]
) -> Annotation:
    """A constant with memory gets shadows of zeros, which go to `scratch` with it."""
    if not isinstance(arg, Const):
        return arg
    state = active_register_state(arg.val)
    if state is AnyState or not (state is DupState or any(True for _ in arrays_in(arg.val))):
        return arg
    lanes = [make_zero(arg.val) for _ in range(width)]
    scratch += [(lane, arg.val) for lane in lanes]
    if forward or state is DupState:
        return (
            Duplicated(arg.val, lanes[0]) if width == 1 else BatchDuplicated(arg.val, tuple(lanes))
        )
    refs = tuple(map(ref_to, lanes))
    return MixedDuplicated(arg.val, refs[0]) if width == 1 else BatchMixedDuplicated(arg.val, refs)


def places_of_constants(scratch: Sequence[tuple[Any, Any]]) -> dict[Any, Any]:
    """The primal arrays of the constants, by the places of their shadows."""
    found = {}
    for shadow, primal in scratch:
        twins = dict(arrays_in(primal))
        found.update({_place(x): twins[path] for path, x in arrays_in(shadow) if x.size})
    return found


def restored(result: Any, places: dict[Any, Any]) -> Any:
    """The result with the primals in place of their shadows of zeros."""
    if isinstance(result, np.ndarray):
        return places.get(_place(result), result)
    if isinstance(result, tuple):
        parts = [restored(part, places) for part in result]
        return result._make(parts) if hasattr(result, "_make") else tuple(parts)
    if isinstance(result, list):
        result[:] = [restored(part, places) for part in result]
    if isinstance(result, typed.List) and len(result) and isinstance(result[0], np.ndarray):
        for k in range(len(result)):
            result[k] = restored(result[k], places)
    return result
