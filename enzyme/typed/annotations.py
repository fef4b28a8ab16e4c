"""Modes, annotation classes and annotations as values of numba.

A mode and an annotation class are known from their types.  An annotation is a struct of its value and its shadow,
a tuple of shadows in a batch; calls of the classes make it.  That shadows fit is tested where they are used, in
`calls`.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import cgutils, types, typing
from numba.core.imputils import (
    impl_ret_borrowed,
    lower_builtin,
    lower_getattr_generic,
    lower_setattr_generic,
)
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import (
    NativeValue,
    box,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from enzyme.contract.kinds import BATCH, MIXED, in_memory
from enzyme.errors import ActivityError, BatchSizeError, ShadowLayoutError, ShadowTypeError
from enzyme.frontend.numba_compat.patches import allow_types_as_indices
from enzyme.frontend.tuples import tuple_type
from enzyme.typed.fixed import Fixed, FixedCallable
from enzyme.typed.where import placed
from enzymecore import (
    Active,
    Annotation,
    BatchDuplicated,
    BatchDuplicatedNoNeed,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Mode,
    NumbaType,
)
from enzymecore.annotation_base import AnnotationMeta
from enzymecore.annotations import active_memory
from enzymecore.congruence import how_to_shadow

# Rules get mixed ones too; their Refs cannot be made in code.
_MADE = (Const, Active, Duplicated, DuplicatedNoNeed, BatchDuplicated, BatchDuplicatedNoNeed)


class ModeType(Fixed):
    """Type of one mode."""

    def __init__(self, mode: Mode) -> None:
        super().__init__(mode, repr(mode))


class AnnotationType(types.Type):
    """Type of an annotation: its class, the type of its value and, if there is one, of its shadow."""

    def __init__(self, cls: Any, value: types.Type, shadow: types.Type | None) -> None:
        self.cls = cls
        self.value = value
        self.shadow = shadow
        inner = str(value) if shadow is None else f"{value}, {shadow}"
        super().__init__(name=f"{cls.__name__}({inner})")

    @property
    def key(self) -> Any:
        return self.cls, self.value, self.shadow

    @property
    def described(self) -> AnnotationMeta:
        """The parametrised class, as a thunk is told of an argument."""
        value = NumbaType(self.value)
        given = (value, len(self.shadow.types)) if issubclass(self.cls, BATCH) else value  # type: ignore[union-attr]
        return self.cls[given]  # type: ignore[no-any-return]


class AnnotationClass(FixedCallable):
    """Type of one annotation class; calling it makes an annotation."""

    takes_types = True  # in brackets

    def __init__(self, cls: AnnotationMeta) -> None:
        super().__init__(cls, f"class({cls!r})")
        allow_types_as_indices()

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        with placed():
            made = annotated(self.python_value, [types.unliteral(ty) for ty in args])
            return typing.signature(made, *args)


def annotated(cls: AnnotationMeta, given: list[types.Type]) -> AnnotationType:
    """The type of an annotation of these fields.

    Raises
    ------
    ActivityError, BatchSizeError, ShadowTypeError
        As calling the class in Python.
    """
    bare = cls.origin if cls.parameters else cls
    if bare not in _MADE:
        raise ActivityError(
            what=f"{bare.__name__} cannot be made in compiled code",
            todo="pass its floats and its arrays as arguments of their own",
        )
    alone = bare in (Const, Active)
    count = len(given) - (len(given) == 3 and not alone)
    if count != 1 + (not alone):
        fields = "the value" if alone else "the value and its shadow"
        raise ActivityError(what=f"{bare.__name__} takes {fields}, not {len(given)} arguments")
    value = given[0]
    if bare is not Const and may_be_none(value):
        raise ActivityError(
            what=f"{bare.__name__} of a value of type {value}, which may be None",
            todo=(
                "make it a number before: write 0.0 in place of None, or convert it with float(x)",
                "or give it to a function that differentiates: numba takes it out there, or raises a TypeError",
            ),
        )
    if bare is Active:
        value = _active(value)
    if alone:
        return AnnotationType(bare, value, None)
    shadow = given[1]
    if bare in BATCH:
        if not isinstance(shadow, types.BaseTuple):
            raise ActivityError(
                what=f"{bare.__name__} needs a tuple of shadows, not {shadow}",
                todo=f"write {bare.__name__}(x, (dx1, dx2)); (dx,) for a single shadow",
            )
        if not len(shadow):
            raise BatchSizeError(what="cannot differentiate with zero shadows")
        members = [shadow_type(value, member) for member in shadow.types]
        return AnnotationType(bare, value, types.BaseTuple.from_types(members))
    return AnnotationType(bare, value, shadow_type(value, shadow))


def may_be_none(ty: types.Type) -> bool:
    """Is it an optional value, or a tuple with one?"""
    if isinstance(ty, types.BaseTuple):
        return any(map(may_be_none, ty.types))
    return isinstance(ty, types.Optional)


def _active(value: types.Type) -> types.Type:
    if isinstance(value, types.Integer | types.Boolean):
        return types.float64
    if not isinstance(value, types.BaseTuple) and _is_memory(value):
        name = "an array" if isinstance(value, types.Array) else f"a {_class_of(value)}"
        raise active_memory(name, str(value))
    return value


_CONTAINERS = types.Array | types.ListType | types.DictType | types.ClassInstanceType | types.List


def _is_memory(ty: types.Type) -> bool:
    return isinstance(ty, _CONTAINERS) or in_memory(ty)


def _class_of(ty: types.Type) -> str:
    if isinstance(ty, types.ClassInstanceType):
        return str(ty.classname)
    return {types.ListType: "List", types.DictType: "Dict"}.get(type(ty), str(ty))


def holds_read_only(ty: types.Type) -> bool:
    """Is it an array that may not be written, or a tuple with one?"""
    if isinstance(ty, types.BaseTuple):
        return any(map(holds_read_only, ty.types))
    return isinstance(ty, types.Array) and not ty.mutable


def check_shadow_type(position: int, given: AnnotationType, written: bool) -> None:
    """Refuse a shadow of another type than its value, and, where it is written, one that may not be."""
    if given.shadow is None:
        return
    if given.cls in MIXED:
        raise ActivityError(
            what=f"argument {position} is {given.cls.__name__}, in compiled code",
            todo="pass the floats and the arrays as arguments of their own",
        )
    for lane in given.shadow.types if given.cls in BATCH else (given.shadow,):
        shadow_type(given.value, lane)
        if written and holds_read_only(lane):
            raise ShadowLayoutError(
                what=f"argument {position}: its shadow is read-only",
                why="derivatives are written into the shadow",
                todo="make it with make_zero(x)",
            )


def shadow_type(value: types.Type, shadow: types.Type) -> types.Type:
    """The type of a shadow: that of its value, but what may be written is its own affair."""
    if as_writable(value) == as_writable(shadow):
        return shadow
    if isinstance(value, types.Array) and isinstance(shadow, types.Array):
        wider = shadow.copy(layout=value.layout)
        if value.layout == "A" and as_writable(value) == as_writable(wider):
            return wider
    same = _changed(value, _any_layout) == _changed(shadow, _any_layout)
    integer = isinstance(value, types.Float) and isinstance(shadow, types.Integer | types.Boolean)
    raise (ShadowLayoutError if same else ShadowTypeError)(
        what=f"a shadow of type {shadow} for a value of type {value}", todo=how_to_shadow(integer)
    )


def as_writable(ty: types.Type) -> types.Type:
    return _changed(ty, lambda array: array.copy(readonly=False))


def _any_layout(array: types.Array) -> types.Type:
    return array.copy(layout="A", readonly=False)


def _changed(ty: types.Type, change: Callable[[types.Array], types.Type]) -> types.Type:
    """The type with all arrays changed."""
    if isinstance(ty, types.Array):
        return change(ty)
    if isinstance(ty, types.BaseTuple):
        members = [_changed(member, change) for member in ty.types]
        named = isinstance(ty, types.BaseNamedTuple)
        return tuple_type(members, ty.instance_class if named else None)
    return ty


# --- numba's tables -----------------------------------------------------------------------------


@typeof_impl.register(Mode)
def _typeof_mode(val: Any, c: Any) -> types.Type:
    return ModeType(val)


@typeof_impl.register(AnnotationMeta)
def _typeof_class(val: Any, c: Any) -> types.Type:
    return AnnotationClass(val)


@typeof_impl.register(Annotation)
def _typeof_annotation(val: Any, c: Any) -> Any:
    if type(val) not in _MADE:
        return None
    value = typeof_impl(val.val, c)
    alone = isinstance(val, Const | Active)
    shadow = None if alone else typeof_impl(val.dval, c)
    if value is None or (not alone and shadow is None):
        return None
    return AnnotationType(type(val), value, shadow)


@register_model(AnnotationType)
class _AnnotationModel(models.StructModel):
    def __init__(self, dmm: Any, fe_type: AnnotationType) -> None:
        members = [("val", fe_type.value)]
        if fe_type.shadow is not None:
            members.append(("dval", fe_type.shadow))
        super().__init__(dmm, fe_type, members)


@infer_getattr
class _Fields(AttributeTemplate):
    key = AnnotationType

    def resolve_val(self, ty: AnnotationType) -> types.Type:
        return ty.value

    def resolve_dval(self, ty: AnnotationType) -> types.Type | None:
        return ty.shadow


@lower_getattr_generic(AnnotationType)
def _field(context: Any, builder: Any, typ: Any, value: Any, attr: str) -> Any:
    held = cgutils.create_struct_proxy(typ)(context, builder, value=value)
    kind = typ.value if attr == "val" else typ.shadow
    return impl_ret_borrowed(context, builder, kind, getattr(held, attr))


@lower_setattr_generic(AnnotationType)
def _set_field(context: Any, builder: Any, sig: Any, args: Any, attr: str) -> None:
    with placed():
        raise ActivityError(
            what=f"{attr} of {sig.args[0].cls.__name__} is set",
            why="annotations do not change",
            todo=f"change what is in it: x.{attr}[i] of an array, x.{attr}[()] of a Ref",
        )


@lower_builtin(AnnotationClass, types.VarArg(types.Any))
def _make(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    ty = sig.return_type
    made = cgutils.create_struct_proxy(ty)(context, builder)
    fields = ["val"] if ty.shadow is None else ["val", "dval"]
    for field, wanted, found, value in zip(
        fields, (ty.value, ty.shadow), sig.args, args, strict=False
    ):
        converted = context.cast(builder, value, found, wanted)
        if context.enable_nrt:
            context.nrt.incref(builder, wanted, converted)
        setattr(made, field, converted)
    return made._getvalue()


@unbox(ModeType)
@unbox(AnnotationClass)
def _unbox_opaque(typ: Any, obj: Any, c: Any) -> NativeValue:
    return NativeValue(c.context.get_dummy_value())


@unbox(AnnotationType)
def _unbox(typ: Any, obj: Any, c: Any) -> NativeValue:
    made = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    failed = cgutils.alloca_once_value(c.builder, cgutils.false_bit)
    cleanups = []
    for name, ty in (("val", typ.value), ("dval", typ.shadow)):
        if ty is None:
            continue
        held = c.pyapi.object_getattr_string(obj, name)
        part = c.unbox(ty, held)
        c.pyapi.decref(held)  # the annotation, an argument of the call, still holds it
        setattr(made, name, part.value)
        if part.cleanup is not None:
            cleanups.append(part.cleanup)
        c.builder.store(c.builder.or_(c.builder.load(failed), part.is_error), failed)

    def cleanup() -> None:
        for part in cleanups:
            part()

    return NativeValue(
        made._getvalue(),
        is_error=c.builder.load(failed),
        cleanup=cleanup if cleanups else None,
    )


@box(AnnotationType)
def _box(typ: Any, val: Any, c: Any) -> Any:
    made = cgutils.create_struct_proxy(typ)(c.context, c.builder, value=val)
    fields = []
    for name, ty in (("val", typ.value), ("dval", typ.shadow)):
        if ty is not None:
            held = getattr(made, name)
            if c.context.enable_nrt:
                c.context.nrt.incref(c.builder, ty, held)
            fields.append(c.box(ty, held))
    if c.context.enable_nrt:
        c.context.nrt.decref(c.builder, typ, val)
    cls = c.pyapi.unserialize(c.pyapi.serialize_object(typ.cls))
    result = c.pyapi.call_function_objargs(cls, fields)
    for held in (cls, *fields):
        c.pyapi.decref(held)
    return result
