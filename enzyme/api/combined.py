"""`autodiff`: forward mode, and reverse mode in one call.

A compiled derivative is found by the identity of mode, function and return class and by the types
of the annotated values; it hangs at the function object, and dies with it. What is not found is
checked and compiled under numba's lock, so that racing calls compile once.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

from enzyme.api import dependents, settings
from enzyme.api.callables import differentiate_bound, unbind
from enzyme.api.caller import make_call
from enzyme.api.places import call_site, definition, place, shown
from enzyme.api.programs import AlwaysRaises, check_count, prepare
from enzyme.api.values import (
    INT64,
    SCALARS,
    argument_type,
    captured_by,
    jitted,
    key_of,
    native,
    owner_of,
    pair_key,
    spread,
)
from enzyme.contract.admission import check_annotations, check_function, check_mode, split_return
from enzyme.contract.signature import of_call
from enzyme.disk.captured import Captured, Root
from enzyme.errors import EnzymeError
from enzyme.frontend.numba_compat.callables import global_compiler_lock
from enzyme.support.collector import resting
from enzyme.support.per_function_cache import nothing
from enzyme.support.progress import compiling
from enzymecore import Active, Const, Mode
from enzymecore.annotation_base import AnnotationMeta
from enzymecore.parameters import Annotated, Function

__all__ = ["autodiff", "autodiff_deferred"]

_ATTRIBUTE = "__enzyme_derivatives__"
# Modes made anew for every call each leave an entry.
_MOST_ENTRIES = 4096


class Derivatives(dict[Any, Any]):
    """Compiled derivatives of one function, by key; values are (mode, call).

    `owner` is a weak reference: decorators copy the attributes of functions, this table too. `dispatcher` is what
    was compiled, of a plain function with what it had `captured`. `gradients` are what `known_gradients` makes of them.
    """

    __slots__ = ("by_value", "captured", "dispatcher", "gradients", "owner")

    def __init__(self, owner: Any, dispatcher: Any, captured: Captured | Root | None) -> None:
        self.owner = weakref.ref(owner)
        self.dispatcher = weakref.ref(dispatcher)
        self.captured = captured
        # By the mode's value: equal modes share code.
        self.by_value: dict[Any, Callable[..., Any]] = {}
        self.gradients: dict[Any, Any] = {}

    def forget(self, key: Any) -> None:
        """Drop one derivative."""
        self.by_value.pop(key, None)
        self.clear()
        self.gradients.clear()

    def __reduce__(self) -> Any:
        return nothing, ()


def autodiff(mode: Mode, f: Function, *args: Annotated) -> tuple[Any, ...]:
    """Differentiate a function: ``autodiff(mode, f[, return_activity], *annotations)``.

    Parameters
    ----------
    mode
        `Forward`, `ForwardWithPrimal`, `Reverse`, `ReverseWithPrimal`, or, for complex results,
        `ReverseHolomorphic`.
    f
        A jitted function or a plain one, which is compiled; also ``Const(f)``. An object that holds
        data, a named tuple whose class defines ``__call__`` or a method of a jitclass, may be
        ``Duplicated(f, df)`` as well.
    *args
        First, optionally, the return activity, an annotation class: ``Active`` (a float, in
        reverse mode), ``Const``, ``Duplicated`` (primal and tangent, in forward mode) or
        ``DuplicatedNoNeed`` (tangent only). Left out, it follows from the return type.
        Then every argument of `f` in its annotation. With batch annotations there are several
        shadows, the same number in each; every tangent and adjoint is a tuple then.

    Returns
    -------
    tuple
        Reverse mode: a tuple with one entry per argument, the adjoint of an ``Active`` argument or
        None, and the primal result where the mode says so. Adjoints of ``Duplicated`` arguments
        are added to their shadows. Forward mode: primal result and tangent as the return activity
        asks; with `ForwardWithPrimal` tangent and primal result.

    Raises
    ------
    EnzymeError
        For misuse, and for programs that cannot be differentiated, with the line.

    Notes
    -----
    Exceptions of `f` and of its compilation by numba come as they are. After one the shadows hold a part of the
    derivative or none of it, and must be cleared before they are used again.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import Active, Duplicated, Forward, Reverse, autodiff
    >>> def f(x, y):
    ...     return x * y + x
    >>> autodiff(Reverse, f, Active, Active(2.0), Active(3.0))
    ((4.0, 2.0),)
    >>> autodiff(Forward, f, Duplicated, Duplicated(2.0, 1.0), Duplicated(3.0, 0.0))
    (8.0, 4.0)
    """
    try:
        return derivative(mode, f, args)(*args)  # type: ignore[no-any-return]
    except Exception as error:
        place(error, call_site())
        raise


def derivative(mode: Any, f: Any, args: tuple[Any, ...]) -> Callable[..., Any]:
    """The function for what `autodiff` gets behind `f`, compiled if it has to be; `program` is what it stands for, if
    it is one."""
    try:
        table = f.__dict__[_ATTRIBUTE]
        key: list[Any] = [id(mode), settings.state]
        for arg in args:
            cls = type(arg)
            if cls is AnnotationMeta:
                key.append(arg)
                continue
            key.append(cls)
            value = arg.val
            kind = type(value)
            if cls is not Active and cls is not Const:
                key.append(pair_key(value, arg.dval))
            elif kind in SCALARS or (kind is int and value in INT64):
                key.append(kind)
            else:
                key.append(key_of(value))
        known, call = table[tuple(key)]
        captured = table.captured
        if (
            known is not mode
            or table.owner() is not f
            or (captured is not None and captured.changed(f))
        ):
            call = None
    except (AttributeError, KeyError, TypeError):
        call = None
    if call is None:
        call = _find(mode, f, args)
    return call  # type: ignore[no-any-return]


def current(f: Any) -> Derivatives:
    """The derivatives of a function as it is now; an error of one of the usual classes if there are none."""
    table = f.__dict__[_ATTRIBUTE]
    captured = table.captured
    if table.owner() is not f or (captured is not None and captured.changed(f)):
        raise KeyError(f)
    return table  # type: ignore[no-any-return]


def found_before(table: Derivatives, mode: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    """What `autodiff` calls for `args`, if that is known and depends on nothing else."""
    known, call = table.get((id(mode), False, *_key(args)), (None, None))
    return call if known is mode else None


def autodiff_deferred(mode: Mode, f: Function, *args: Annotated) -> tuple[Any, ...]:
    """The same as `autodiff`, by the name that it has where differentiation is compiled later."""
    return autodiff(mode, f, *args)


def _with_mode(mode: Any, f: Any, *args: Any) -> Any:
    """`autodiff` by the mode alone, whatever the switches say; constants that it refuses it refuses before it runs."""
    with settings.refusing_early():
        call = _find(mode, f, args, switches=False)
    return call(*args)


def _find(mode: Any, f: Any, args: tuple[Any, ...], switches: bool = True) -> Callable[..., Any]:
    """The compiled call; checks, and compiles where it must."""
    other = sys.modules.get("enzyme.llvm")
    if other is not None and isinstance(f, other.Function):
        return partial(other.autodiff, mode, f)
    try:
        check_mode(mode, f)
        bound = unbind(f)
        if bound is not None:
            return differentiate_bound(autodiff, mode, bound)
        func = check_function(f, args)
        wanted, annotations = split_return(args)
        check_annotations(annotations)
        dispatcher = spread(jitted(func, len(annotations)), len(annotations))
        owner = owner_of(func, dispatcher)
        with global_compiler_lock:
            table = owner.__dict__.get(_ATTRIBUTE)
            if table is None or table.owner() is not owner or table.dispatcher() is not dispatcher:
                captured = captured_by(func) if owner is func else None
                table = owner.__dict__[_ATTRIBUTE] = Derivatives(owner, dispatcher, captured)
            key = _key(args)
            state = settings.state
            runtime = mode.runtime_activity or (switches and settings.runtime_activity())
            early = settings.refuse_early()
            known = (mode, state, runtime, early, key)
            call = table.by_value.get(known)
            if call is None:
                if runtime:
                    from enzyme.api.runtime import make_runtime_call

                    call = make_runtime_call(_with_mode, mode, f, wanted is not None)
                else:
                    name = shown(dispatcher)
                    with compiling(name), resting(), dependents.collected() as reached:
                        call = _compile(dispatcher, settings.effective(mode), wanted, annotations)
                    dependents.attach(reached, owner, _ATTRIBUTE, known)
                table.by_value[known] = call
            if len(table) >= _MOST_ENTRIES:
                table.clear()
            if not getattr(call, "may_refuse_constants", False):  # the same, early or not
                if switches or not settings.runtime_activity():
                    table[(id(mode), state, *key)] = (mode, call)
        return call
    except Exception as error:
        place(error, call_site())
        raise


def _key(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """What `autodiff` makes of its arguments, also for values without a fingerprint."""
    key: list[Any] = []
    for arg in args:
        if isinstance(arg, type):
            key.append(arg)
        else:
            single = isinstance(arg, Active | Const)
            key += (type(arg), key_of(arg.val) if single else pair_key(arg.val, arg.dval))
    return tuple(key)


def _compile(
    dispatcher: Any, mode: Any, wanted: Any, annotations: tuple[Any, ...]
) -> Callable[..., Any]:
    """Compile the derivative for one signature."""
    check_count(dispatcher, len(annotations))
    signature = of_call(mode, wanted, annotations, argument_type)
    try:
        program = prepare(dispatcher, signature, annotations)
    except AlwaysRaises:
        return _run_primal(dispatcher, wanted is not None)
    make: Any = make_call
    if program.result.holomorphic:
        from enzyme.api.holomorphic import make_holomorphic_call

        make = make_holomorphic_call
    made = make(program, annotations, wanted is not None)
    made.may_refuse_constants = program.may_refuse_constants  # type: ignore[attr-defined]
    made.program = program  # type: ignore[attr-defined]
    return made


def _run_primal(dispatcher: Any, return_given: bool) -> Callable[..., Any]:
    """In place of a derivative: the primal has no way to return, so its exception surfaces."""

    def call(*args: Any) -> Any:
        dispatcher(*(native(arg.val) for arg in args[return_given:]))
        raise EnzymeError(
            what=f"{shown(dispatcher)} returned, though numba says that it cannot",
            where=definition(dispatcher),
        )

    return call
