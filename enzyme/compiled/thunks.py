"""Thunks in jitted code: those made before, and `autodiff_thunk` itself, of which all arguments are types."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba.core import types, typing
from numba.core.imputils import lower_builtin, lower_cast
from numba.core.typing.templates import infer_global
from numba.extending import as_numba_type, typeof_impl

from enzyme.api import settings
from enzyme.api.tapes import TapeClass
from enzyme.api.thunk_calls import Bound, Part
from enzyme.api.thunks import autodiff_deferred_thunk, autodiff_thunk, tape_type
from enzyme.compiled.calls import derivative_of, refuse_runtime_activity
from enzyme.compiled.split import Split, check_call
from enzyme.compiled.subscripts import DescriptorType
from enzyme.errors import ActivityError
from enzyme.frontend.registration import EnzymeContext, EnzymeTypingContext
from enzyme.typed.annotations import AnnotationClass, AnnotationType, ModeType
from enzyme.typed.fixed import Fixed, FixedCallable, dummy
from enzyme.typed.where import placed
from enzymecore import Const, FunctionType, as_type, typeof


class TapeClassType(Fixed):
    """Type of the class of a thunk's tapes."""

    def __init__(self, cls: Any) -> None:
        super().__init__(cls, f"class({cls.__name__})")


class ThunkFunction(FixedCallable):
    """Type of one function of a thunk; `part` is ``forward`` or ``reverse`` of split mode, else ``derivative``.

    Lowering gets to see arguments only, so a call is typed with the function in place of its first argument.
    """

    def __init__(self, part: Part) -> None:
        self.thunk, self.part = part.thunk, part.part
        super().__init__(part, f"{part.part} thunk <{id(part.thunk)}>")

    @property
    def key(self) -> Any:
        return id(self.thunk), self.part

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        with placed():
            if isinstance(context, EnzymeTypingContext) and self.part != "derivative":
                raise ActivityError(
                    what="a tape cannot be differentiated",
                    why="a split derivative keeps its intermediate values in an object of its own",
                    todo="use autodiff in the function that is differentiated",
                )
            given = tuple(map(types.unliteral, args))
            if self.part == "derivative":
                found = derivative_of(
                    isinstance(context, EnzymeTypingContext), _as_autodiff(self, given)
                )
                return typing.signature(found.result_type, self, *args[1:])
            restype = Split.of(self.thunk).check(self.part, given)
            return typing.signature(restype, self, *args[1:])


class ThunkMaker(FixedCallable):
    """Type of `autodiff_thunk`, `autodiff_deferred_thunk`, `tape_type` and `typeof`."""

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        with placed():
            given = tuple(map(types.unliteral, args))
            if self.python_value is typeof:
                if len(given) != 1:
                    raise ActivityError(what=f"typeof takes one value, not {len(given)}")
                return typing.signature(DescriptorType(_descriptor_of(*given)), *args)
            if len(given) < 3:
                raise ActivityError(
                    what=f"{self.name} takes a mode, a function and a return activity",
                    todo=f"write {self.name}(mode, Const[typeof(f)], Active, *argtypes)",
                )
            stated = list(map(_stand_in, given))
            refuse_runtime_activity(stated[0])
            with settings.without_switches():
                made = self.python_value(*stated)
            return typing.signature(_type_of(made), *args)


lower_cast(AnnotationType, ThunkFunction)(dummy)


@lower_builtin(ThunkFunction, types.VarArg(types.Any))
def _lower_call(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    function = sig.args[0]
    if function.part != "derivative":
        split = Split.of(function.thunk)
        emit = split.emit_forward if function.part == "forward" else split.emit_reverse
        return emit(context, builder, sig.args, args)
    const = AnnotationType(Const, types.Dispatcher(function.thunk.function), None)
    asked = _as_autodiff(function, (const, *sig.args[1:]))
    dummies = [context.get_dummy_value()] * (len(asked) - len(args) + 1)
    found = derivative_of(isinstance(context, EnzymeContext), asked)
    return found.emit(context, builder, [*dummies, *args[1:]])


def _descriptor_of(ty: types.Type) -> Any:
    if isinstance(ty, types.Dispatcher):
        return FunctionType(ty.dispatcher)
    if isinstance(ty, AnnotationType):
        return ty.described
    return as_type(ty)


def _stand_in(ty: types.Type) -> Any:
    """The Python value that an argument of this type is."""
    if isinstance(ty, ModeType | AnnotationClass | TapeClassType):
        return ty.python_value
    if isinstance(ty, types.NoneType):
        return None
    if isinstance(ty, AnnotationType) and isinstance(ty.value, types.Dispatcher):
        return Const(ty.value.dispatcher)
    raise ActivityError(
        what=f"a thunk is made from types, not from a value of type {ty}",
        todo="write e.g. Duplicated[typeof(x)]",
    )


def _type_of(made: Any) -> types.Type:
    if isinstance(made, tuple):
        return types.BaseTuple.from_types([_type_of(part) for part in made])
    if isinstance(made, TapeClass):
        return TapeClassType(made)
    if made is type(None):
        return types.none
    found = _typeof_part(made, None) if isinstance(made, Bound) else None
    if found is None:
        raise ActivityError(
            what="a thunk of a callable object in compiled code",
            todo="use a function and pass the data of the object as an argument",
        )
    return found


def _as_autodiff(function: ThunkFunction, args: Sequence[types.Type]) -> tuple[types.Type, ...]:
    """The arguments of `autodiff` that a call of a forward thunk stands for."""
    program = function.thunk
    signature = program.signature
    check_call(program, args, ())
    return (
        ModeType(signature.mode),
        args[0],
        AnnotationClass(signature.return_activity),
        *args[1:],
    )


# --- numba's tables -------------------------------------------------------------------------------


@typeof_impl.register(Bound)
def _typeof_part(val: Any, c: Any) -> Any:
    return ThunkFunction(val.func.__enzyme_part__)


@typeof_impl.register(TapeClass)
def _typeof_tape_class(val: Any, c: Any) -> types.Type:
    return TapeClassType(val)


@as_numba_type.register
def _type_of_field(cls: Any) -> Any:
    if isinstance(cls, TapeClass) and cls.thunk is not None:
        return Split.of(cls.thunk).tape
    return None


for _function in (autodiff_thunk, autodiff_deferred_thunk, tape_type, typeof):
    infer_global(_function, ThunkMaker(_function, _function.__name__))


@lower_builtin(ThunkMaker, types.VarArg(types.Any))
def _lower_maker(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    ty = sig.return_type
    if isinstance(ty, types.BaseTuple):
        return context.make_tuple(builder, ty, [context.get_dummy_value()] * len(ty))
    return context.get_dummy_value()
