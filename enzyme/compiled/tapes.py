"""Tapes as values of numba: objects that hold the storage of one augmented call, and its annotations.

A tape frees both when it is dropped.  The reverse call takes the storage out, so a second one finds none.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import box, models, register_model

from enzyme.api.thunk_calls import SplitThunk
from enzyme.contract.apart import in_one_line
from enzyme.contract.kinds import BATCH
from enzyme.contract.tapes import used_tape
from enzyme.errors import ActivityError
from enzyme.typed.annotations import AnnotationType, as_writable
from enzyme.typed.where import line_in_messages
from enzymecore import Active, Const

_HANDLE = ir.IntType(64)


class TapeType(types.Type):
    """Type of the tapes of one thunk."""

    def __init__(self, thunk: SplitThunk) -> None:
        self.thunk = thunk
        super().__init__(name=f"{thunk.tape_class.__name__}<{id(thunk)}>")

    @property
    def held(self) -> types.BaseTuple:
        """The annotations of the augmented call."""
        signature = self.thunk.signature
        pairs = zip(signature.annotations, signature.argtypes, strict=True)
        return types.Tuple([_annotation(cls, ty, signature.width) for cls, ty in pairs])


def _annotation(cls: Any, value: types.Type, width: int) -> AnnotationType:
    """The annotation that a thunk takes."""
    if issubclass(cls, Const | Active):
        return AnnotationType(cls, value, None)
    shadow = as_writable(value)
    return AnnotationType(cls, value, types.UniTuple(shadow, width) if cls in BATCH else shadow)


def _payload(context: Any, held: types.Type) -> Any:
    """What the object of a tape holds: the address of the storage and the annotations."""
    return ir.LiteralStructType([_HANDLE, context.get_value_type(held)])


def _close(builder: Any, handle: Any) -> None:
    function = cgutils.get_or_insert_function(
        builder.module,
        ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, ir.IntType(1)]),
        "enzyme_close",
    )
    builder.call(function, [builder.inttoptr(handle, cgutils.voidptr_t), ir.IntType(1)(0)])


def _destructor(context: Any, builder: Any, held: types.Type) -> Any:
    """A function that frees what a dropped tape still has."""
    name = f"enzyme.drop_tape.{held}"
    module = builder.module
    function_type = ir.FunctionType(
        ir.VoidType(),
        [cgutils.voidptr_t, context.get_value_type(types.uintp), cgutils.voidptr_t],
    )
    function = cgutils.get_or_insert_function(module, function_type, name)
    if function.is_declaration:
        function.linkage = "linkonce_odr"
        b = ir.IRBuilder(function.append_basic_block("entry"))
        place = b.bitcast(function.args[0], _payload(context, held).as_pointer())
        handle = b.load(cgutils.gep_inbounds(b, place, 0, 0))
        with b.if_then(b.icmp_unsigned("!=", handle, _HANDLE(0))):
            _close(b, handle)
        kept = b.load(cgutils.gep_inbounds(b, place, 0, 1))
        context.nrt.decref(b, held, kept)
        b.ret_void()
    return function


@box(TapeType)
def _box(typ: Any, val: Any, c: Any) -> Any:
    raise ActivityError(
        what="a tape that leaves compiled code",
        why="it belongs to the compiled form of its thunk",
        todo="call reverse in the same function, or both functions of the thunk from Python",
    )


@register_model(TapeType)
class _TapeModel(models.StructModel):
    def __init__(self, dmm: Any, fe_type: TapeType) -> None:
        super().__init__(dmm, fe_type, [("meminfo", types.MemInfoPointer(types.voidptr))])


def new_tape(context: Any, builder: Any, ty: TapeType, handle: Any, annotations: Any) -> Any:
    """A tape that owns storage, given by its address, and annotations, a tuple of type `ty.held`."""
    context.nrt.incref(builder, ty.held, annotations)
    payload = _payload(context, ty.held)
    size = context.get_constant(types.uintp, context.get_abi_sizeof(payload))
    destructor = _destructor(context, builder, ty.held)
    info = context.nrt.meminfo_alloc_dtor_unchecked(builder, size, destructor)
    with cgutils.if_unlikely(builder, cgutils.is_null(builder, info)):
        _close(builder, handle)
        context.nrt.decref(builder, ty.held, annotations)
        context.call_conv.return_user_exc(builder, MemoryError, ("no memory for a tape",))
    place = builder.bitcast(context.nrt.meminfo_data(builder, info), payload.as_pointer())
    builder.store(handle, cgutils.gep_inbounds(builder, place, 0, 0))
    builder.store(annotations, cgutils.gep_inbounds(builder, place, 0, 1))
    tape = cgutils.create_struct_proxy(ty)(context, builder)
    tape.meminfo = info
    return tape._getvalue()


class OpenTape:
    """A tape of a reverse call: `annotations` are those of the augmented call, one by one."""

    def __init__(self, context: Any, builder: Any, ty: TapeType, tape: Any) -> None:
        self._context, self._builder = context, builder
        proxy = cgutils.create_struct_proxy(ty)(context, builder, value=tape)
        payload = _payload(context, ty.held)
        data = context.nrt.meminfo_data(builder, proxy.meminfo)
        self._place = builder.bitcast(data, payload.as_pointer())
        kept = builder.load(cgutils.gep_inbounds(builder, self._place, 0, 1))
        self.annotations = [builder.extract_value(kept, k) for k in range(len(ty.held.types))]

    def take(self) -> Any:
        """The storage, which the caller owns now; an error if the tape has been used."""
        builder = self._builder
        slot = cgutils.gep_inbounds(builder, self._place, 0, 0)
        handle = builder.atomic_rmw("xchg", slot, _HANDLE(0), "seq_cst")
        error = used_tape()
        with cgutils.if_unlikely(builder, builder.icmp_unsigned("==", handle, _HANDLE(0))):
            self._context.call_conv.return_user_exc(
                builder,
                type(error),
                (f"{line_in_messages()}{in_one_line(error)}",),
            )
        return handle
