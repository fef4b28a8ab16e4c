"""Thunks: derivatives compiled from types, before there are values.

A forward thunk is one function; split reverse mode makes a pair, joined by a tape.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from enzyme.api import dependents, settings
from enzyme.api.callables import bind, method_of_type, refuse_writing
from enzyme.api.combined import autodiff
from enzyme.api.places import call_site, place, shown
from enzyme.api.programs import Known, check_count, prepare
from enzyme.api.runtime_thunks import RuntimeSplit, runtime_forward_thunk
from enzyme.api.thunk_calls import SplitThunk, ThunkFunctions, forward_thunk
from enzyme.api.values import argument_type, jitted, owner_of, spread
from enzyme.contract.admission import check_annotations, check_mode, check_split
from enzyme.contract.results import check_seedable
from enzyme.contract.signature import of_call
from enzyme.errors import (
    ActivityError,
    EnzymeError,
    ThunkCallError,
)
from enzyme.frontend.numba_compat.compilers import global_compiler_lock
from enzyme.support.collector import resting
from enzyme.support.per_function_cache import table_of
from enzyme.support.progress import compiling
from enzymecore import (
    Annotation,
    Const,
    FunctionType,
    Mode,
    ReverseModeSplit,
    StructType,
    TupleType,
    set_runtime_activity,
)
from enzymecore.annotation_base import AnnotationMeta

__all__ = ["autodiff_deferred_thunk", "autodiff_thunk", "tape_type"]

_ATTRIBUTE = "__enzyme_thunks__"
_PAIRS = (SplitThunk, RuntimeSplit)


def autodiff_thunk(
    mode: Mode, function: type[Annotation], return_activity: Any, *argtypes: Any
) -> Any:
    """Compile a derivative for types: ``autodiff_thunk(mode, Const[typeof(f)], RA, *argtypes)``.

    Parameters
    ----------
    mode
        A forward mode or a split reverse mode.
    function
        ``Const[typeof(f)]``; ``Duplicated[typeof(f)]`` of a named tuple whose class defines ``__call__``.
    return_activity
        The class of the result: ``Const``, ``Active`` (split mode), ``Duplicated`` or
        ``DuplicatedNoNeed``.
    *argtypes
        One annotation class with its type per argument, as ``Duplicated[typeof(x)]`` or, for three
        shadows, ``BatchDuplicated[typeof(x), 3]``. The width may also be that of the mode.

    Returns
    -------
    callable or tuple of two
        Forward mode: a function that takes ``Const(f)`` and the annotated arguments and returns
        what `autodiff` returns. Split mode: ``forward(Const(f), *args)`` returns ``(tape, primal,
        shadow)``, and ``reverse(Const(f), *args[, seed], tape)`` the tuple of adjoints, in a tuple;
        the seed is there for an active return only, a tuple of seeds in a batch. Each tape is used
        once, in any order; it may be None. A duplicated result is seeded by writing into its shadow
        between the calls.

    Raises
    ------
    EnzymeError
        As `autodiff`; `ModeError` for a combined reverse mode. The compiled functions raise
        `ThunkCallError` for arguments of other types and `EnzymeRuntimeException` for a tape that
        has been used.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import Active, Const, Duplicated, ReverseSplitWithPrimal, autodiff_thunk, typeof
    >>> def f(a, v):
    ...     r = a[0] * v
    ...     a[0] = 0.0
    ...     return r
    >>> a, da = np.array([2.2]), np.array([0.0])
    >>> types = Duplicated[typeof(a)], Active[float]
    >>> forward, reverse = autodiff_thunk(ReverseSplitWithPrimal, Const[typeof(f)], Active, *types)
    >>> tape, primal, shadow = forward(Const(f), Duplicated(a, da), Active(3.3))
    >>> reverse(Const(f), Duplicated(a, da), Active(3.3), 1.0, tape)
    ((None, 2.2),)
    >>> float(da[0])
    3.3
    """
    try:
        found = _find(mode, function, return_activity, argtypes)
    except Exception as error:
        place(error, call_site())
        raise
    return _functions(found, function)


def _functions(found: Any, function: Any) -> Any:
    """What the user gets of a thunk."""
    method = method_of_type(function)
    return found.made if method is None else bind(method, found.made)


def _recipe(mode: Any, function: Any, wanted: Any, argtypes: tuple[Any, ...]) -> tuple[Any, ...]:
    """How a thunk is pickled; its function by name where it has one, since calls of the thunk name it too.

    Another process may have another main module: packages that start such processes pickle the code of functions in it.
    """
    name = function.__module__, function.__qualname__
    found = _named(*name)
    if found is not function:
        given: tuple[Any, ...] = ((), Const(function))
    else:
        given = (name, Const(function) if name[0] == "__main__" else None)
    return _again, (mode, *given, wanted, argtypes)


def _named(module: str, name: str) -> Any:
    """The function of this name; None if there is none."""
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _again(
    mode: Any, name: tuple[str, ...], function: Any, wanted: Any, argtypes: tuple[Any, ...]
) -> ThunkFunctions:
    """The functions of a thunk that was pickled."""
    if name:
        importlib.import_module(name[0])
        found = _named(*name)
        if found is not None or function is None:
            function = Const(found)
    return _find(mode, function, wanted, argtypes)  # type: ignore[no-any-return]


def tape_type(mode: Any, function: Any, return_activity: Any, *argtypes: Any) -> Any:
    """The class of the tapes of a split thunk; parameters as for `autodiff_thunk`.

    ``type(None)`` where nothing need be kept. The same parameters give the same class.
    """
    try:
        found = _find(mode, function, return_activity, argtypes)
        if not isinstance(found.thunk, _PAIRS):
            raise ActivityError(
                what=f"only split reverse mode has tapes, not {mode!r}",
                todo="use ReverseSplitNoPrimal or ReverseSplitWithPrimal",
            )
        return found.thunk.tape_class
    except Exception as error:
        place(error, call_site())
        raise


def autodiff_deferred_thunk(
    mode: Any, tape: Any, function: Any, return_activity: Any, *argtypes: Any
) -> Any:
    """`autodiff_thunk` with the type of its tape, ``autodiff_deferred_thunk(mode, T, FA, RA, *argtypes)``.

    The return activity may be followed by its concrete form, as ``Active, Active[float]``.

    Raises
    ------
    ThunkCallError
        If the tape is that of another thunk.
    """
    candidates = [argtypes]
    given = argtypes[0] if argtypes else None
    if isinstance(given, AnnotationMeta) and issubclass(given, return_activity):
        candidates.append(argtypes[1:])
    if tape is not None and tape is not type(None):
        known = getattr(tape, "thunk", None)
        extra = method_of_type(function) is not None
        count = None if known is None else len(known.signature.annotations) - extra
        candidates = [c for c in candidates if len(c) == count]
    for candidate in candidates:
        try:
            found = _find(mode, function, return_activity, candidate)
        except (EnzymeError, TypeError):
            if candidate is candidates[-1]:
                raise
            continue
        thunk = found.thunk
        if isinstance(thunk, _PAIRS) and thunk.tape_class is (tape or type(None)):
            return _functions(found, function)
    raise ThunkCallError(
        what=f"{getattr(tape, '__name__', tape)!s} is not the type of the tapes of this thunk",
        todo="take it from tape_type with the same mode, function and types",
        where=call_site(),
    )


def _find(mode: Any, function: Any, wanted: Any, argtypes: tuple[Any, ...]) -> Any:
    """The thunk, compiled once for each mode and types; it hangs at the function."""
    check_split(mode, len(argtypes))
    mode = settings.effective(mode)
    method = method_of_type(function)
    if method is not None:  # a callable object is the first argument of its method
        function, argtypes = Const(method), (function, *argtypes)
        if isinstance(getattr(mode, "modified_between", True), tuple):  # its flag comes with it
            mode = replace(mode, modified_between=(False, *mode.modified_between))
    func = _function_of(function)
    check_mode(mode, func, split=True)
    if not (isinstance(wanted, type) and issubclass(wanted, Annotation)):
        raise ActivityError(
            what=f"the return activity must be an annotation class, not {wanted!r:.60}",
            todo="write autodiff_thunk(mode, Const[typeof(f)], Active, *argtypes)",
        )
    _check_types(argtypes)
    check_annotations(argtypes, types_too=True)
    dispatcher = spread(jitted(func, len(argtypes)), len(argtypes))
    check_count(dispatcher, len(argtypes))
    owner = owner_of(func, dispatcher)
    with global_compiler_lock:
        table = table_of(owner, _ATTRIBUTE)
        runtime = settings.counts(mode)
        key = (mode, runtime, settings.refuse_early(), wanted, argtypes, dispatcher)
        found = table.get(key)
        if found is None:
            with compiling(shown(dispatcher)), resting(), dependents.collected() as reached:
                signature = of_call(mode, wanted, argtypes, argument_type)
                known = [Known(_functions_in(t.eltype)) for t in argtypes]
                program = prepare(dispatcher, signature, known)
                if method is not None and mode.err_if_func_written and argtypes[0].origin is Const:
                    refuse_writing(program)
                if isinstance(mode, ReverseModeSplit) and program.result.shadow:
                    check_seedable(program.primal.restype)
                if runtime:
                    found = _with_runtime_activity(program, mode, wanted)
                else:
                    split = isinstance(mode, ReverseModeSplit)
                    found = SplitThunk(program) if split else forward_thunk(program)
                given = mode, func, wanted, argtypes
                found = ThunkFunctions(found, lambda: _recipe(*given))
            dependents.attach(reached, owner, _ATTRIBUTE, key)
            table[key] = found
    return found


def _with_runtime_activity(program: Any, mode: Any, wanted: Any) -> Any:
    """A thunk that takes the one for the constants of each call."""
    function = program.function
    if not isinstance(mode, ReverseModeSplit):
        return runtime_forward_thunk(
            program, lambda *args: autodiff(set_runtime_activity(mode), function, wanted, *args)
        )

    def find(mode: Any, argtypes: tuple[Any, ...]) -> Any:
        with settings.without_switches(), settings.refusing_early():
            return _find(mode, Const(function), wanted, argtypes)

    return RuntimeSplit(program, mode, find)


def _function_of(annotation: Any) -> Any:
    """The function of ``Const[typeof(f)]``; ``Const(f)`` and `f` itself will do."""
    if isinstance(annotation, AnnotationMeta) and annotation.parameters:
        if annotation.origin is not Const:
            raise ActivityError(
                what=f"{annotation!r} of a function, which holds no data to differentiate",
                todo="use Const[typeof(f)] and pass the data as an argument",
            )
        return getattr(annotation.eltype, "function", annotation.eltype)
    if isinstance(annotation, Const):
        return annotation.val
    if isinstance(annotation, type) and issubclass(annotation, Annotation):
        raise ActivityError(
            what=f"{annotation!r} does not say which function",
            todo="write Const[typeof(f)]",
        )
    return annotation


def _check_types(argtypes: Sequence[Any]) -> None:
    for position, given in enumerate(argtypes):
        if isinstance(given, AnnotationMeta) and given.parameters:
            continue
        raise ActivityError(
            what=f"argument {position}: {given!r:.60} is not an annotation class with a type",
            why="a thunk is compiled from types, before there are values",
            todo="write e.g. Duplicated[typeof(x)]",
        )


def _functions_in(described: Any) -> Any:
    if isinstance(described, FunctionType):
        return described.function
    if isinstance(described, TupleType | StructType):
        return tuple(map(_functions_in, described.types))
    return None
