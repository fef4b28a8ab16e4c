"""Functions that hold data: callable objects and bound methods, with their data as the first argument.

`Duplicated(f, df)` of such an object differentiates with respect to what it holds as well. Numba compiles no method
of an object, so the method is compiled as a function that takes the object, of a named tuple or a jitclass.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import types as pytypes
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numba
from numba.core import types
from numba.extending import is_jitted

from enzyme.api.objects import method_and_owner
from enzyme.api.places import call_site, shown
from enzyme.api.programs import prepare
from enzyme.api.trees import FieldsClass, native
from enzyme.api.values import CALLED, argument_type, jitted, key_of
from enzyme.contract.admission import split_return
from enzyme.contract.signature import of_call
from enzyme.errors import ActivityError, EnzymeMutabilityException
from enzymecore import Annotation, Const, ReverseMode, StructType
from enzymecore.record import record

if TYPE_CHECKING:
    from enzyme.api.compile import Program

_NOT_OBJECTS = (pytypes.FunctionType, type, *CALLED)
_CALL = "__call__"
# At the function: signatures with which it was seen not to write to its object.
_READ_ONLY = "__enzyme_read_only__"
_methods: dict[tuple[Any, str, int], Any] = {}


@record
class Bound:
    """A callable object: `function(count)` takes it before `count` arguments; `annotation` holds it."""

    name: str
    owner_type: Any
    method: Any
    annotation: Any
    plain: bool

    def function(self, count: int) -> Any:
        """The jitted function of the object and `count` arguments."""
        if self.method is not None:
            return jitted(self.method, count + 1)
        key = (self.owner_type, self.name, count)
        found = _methods.get(key)
        if found is None:
            names = ", ".join(f"x{i}" for i in range(count))
            scope: dict[str, Any] = {}
            exec(f"def call(self, {names}):\n    return self.{self.name}({names})\n", scope)
            scope["call"].__name__ = scope["call"].__qualname__ = self.name
            found = _methods[key] = numba.njit(scope["call"])
        return found


def unbind(f: Any) -> Bound | None:
    """What to differentiate for a callable object, bound method or annotation of one; None for functions."""
    given = f.val if isinstance(f, Annotation) else f
    if is_jitted(given) or isinstance(given, _NOT_OBJECTS) or not callable(given):
        return None
    if not isinstance(f, Annotation) or isinstance(f, Const):
        found = method_and_owner(given)
        if found is not None:
            function, owner = found
            held = Const(native(owner, False))
            return Bound(function.__name__, None, function, held, given is f)
    if not isinstance(given, pytypes.MethodType):
        method = getattr(type(given), _CALL, None)
        if not isinstance(method, pytypes.FunctionType) or not isinstance(given, tuple):
            return None
        return Bound(_CALL, None, method, _annotation(f, lambda x: x), given is f)
    owner = given.__self__
    annotation = _annotation(f, _self_of)
    described = getattr(owner, "_numba_type_", None)
    if isinstance(described, types.ClassInstanceType):
        return Bound(given.__name__, described, None, annotation, given is f)
    if isinstance(owner, tuple):
        return Bound(given.__name__, None, given.__func__, annotation, given is f)
    return None


def _self_of(method: Any) -> Any:
    """The object of a bound method."""
    if not isinstance(method, pytypes.MethodType):
        raise ActivityError(
            what=f"the shadow of a bound method is {method!r:.60}",
            todo="write Duplicated(x.method, dx.method) with a shadow dx of the object x",
        )
    return method.__self__


def _annotation(f: Any, owner_of: Callable[[Any], Any]) -> Annotation:
    """The annotation of the object that holds the data."""
    if not isinstance(f, Annotation):
        return Const(owner_of(f))
    if isinstance(f, Const):
        return Const(owner_of(f.val))
    if not hasattr(f, "dval"):
        raise ActivityError(
            what=f"the function cannot be {type(f).__name__}",
            why="a function object has no value whose adjoint could be returned",
            todo="pass Const(f), or Duplicated(f, df) with an object that holds the derivatives",
        )
    batch = isinstance(f.dval, tuple) and "N" in f._parameter_names
    shadow = tuple(map(owner_of, f.dval)) if batch else owner_of(f.dval)
    return type(f)(owner_of(f.val), shadow)  # type: ignore[call-arg]


def differentiate_bound(
    autodiff: Callable[..., Any], mode: Any, bound: Bound
) -> Callable[..., Any]:
    """The function that takes what `autodiff` got behind a callable object."""

    def call(*args: Any) -> Any:
        wanted, annotated = split_return(args)
        function = bound.function(len(annotated))
        given = (bound.annotation, *annotated)
        if bound.plain or (mode.err_if_func_written and isinstance(bound.annotation, Const)):
            _refuse_writes(mode, function, wanted, given)
        found = autodiff(mode, function, *([] if wanted is None else [wanted]), *given)
        return without_first(mode, found)

    return call


def without_first(mode: Any, found: Any) -> Any:
    """The result of reverse mode without the entry of the object."""
    return (found[0][1:], *found[1:]) if isinstance(mode, ReverseMode) else found


def _refuse_writes(mode: Any, function: Any, wanted: Any, args: Sequence[Any]) -> None:
    """A plain callable object may not change what it holds: its derivatives would be lost."""
    key = (mode, wanted, *((type(arg), key_of(arg.val)) for arg in args))
    known = function.__dict__.setdefault(_READ_ONLY, set())
    if key in known:
        return
    refuse_writing(prepare(function, of_call(mode, wanted, args, argument_type), args))
    known.add(key)


def refuse_writing(program: Program) -> None:
    """Raise an error if the program writes to its first argument, the object that a function belongs to."""
    if not program.writes(0):
        return
    strict = program.signature.mode.err_if_func_written
    # Numba is told of their type when there is an object first.
    if isinstance(getattr(program.signature.argtypes[0], "instance_class", None), FieldsClass):
        raise EnzymeMutabilityException(
            what=f"{shown(program.function)} writes to an array of its object, which has no shadow",
            why="derivatives that pass through this memory would be lost",
            todo="use grad, jacfwd, jvp or one of their relatives, which work with a copy that has one",
            where=call_site(),
        )
    raise EnzymeMutabilityException(
        what=f"{shown(program.function)} writes to the data of its object, which has no shadow",
        why="derivatives that pass through this memory would be lost",
        todo=(
            "pass Duplicated(f, make_zero(f)) to differentiate through it; "
            "of a method, Duplicated(x.method, make_zero(x).method)",
            "or clear_err_if_func_written(mode) and Const(f), if what is written carries no derivative"
            if strict
            else "or Const(f), if what is written there carries no derivative",
        ),
        where=call_site(),
    )


def method_of_type(annotation: Any) -> Any:
    """The function of an annotation class of a callable object, as ``Duplicated[typeof(f)]``; None for others."""
    described = getattr(annotation, "eltype", None)
    cls = described.cls if isinstance(described, StructType) else None
    method = getattr(cls, _CALL, None)
    return method if isinstance(method, pytypes.FunctionType) else None


def bind(method: Any, made: Any) -> Any:
    """The functions of a thunk of `method`, with the object in place of the function."""
    const = Const(method)

    def forward(function: Any, *args: Any) -> Any:
        return (made[0] if pair else made)(const, function, *args)

    def reverse(function: Any, *args: Any) -> Any:
        (entries,) = made[1](const, function, *args)
        return (entries[1:],)

    pair = isinstance(made, tuple)
    return (forward, reverse) if pair else forward
