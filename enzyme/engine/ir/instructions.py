"""Instructions: one class, and a subclass only where there is structure beyond operands.

`flags` are the verbatim words after the opcode (``nuw nsw``, ``fast``, ``inbounds``); `metadata` maps a
kind (``dbg``, ``tbaa``) to the text of its node; both are carried along uninterpreted unless a pass asks.
Successor blocks are operands of terminators; the incoming blocks of a phi are not operands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from enzyme.engine.ir.opcodes import TERMINATORS
from enzyme.engine.ir.types import (
    I1,
    LABEL,
    VOID,
    FunctionType,
    StructType,
    Type,
    VectorType,
    vector_type,
)
from enzyme.engine.ir.values import ConstInt, GlobalValue, Value

if TYPE_CHECKING:
    from enzyme.engine.ir.module import Block, Function


class Instruction(Value):
    """`opcode operands`, producing a value of `type` (void if none).

    `origin` is what it is a copy of, where somebody keeps track of that.
    """

    __slots__ = ("flags", "metadata", "opcode", "operands", "origin", "parent")

    def __init__(
        self,
        opcode: str,
        type_: Type,
        operands: Sequence[Value] = (),
        name: str = "",
        flags: tuple[str, ...] = (),
    ) -> None:
        super().__init__(type_, name)
        self.opcode = opcode
        self.flags = flags
        self.metadata: dict[str, str] = {}
        self.parent: Block | None = None
        self.origin: Instruction | None = None
        self.operands: list[Value] = []
        for operand in operands:
            self.append_operand(operand)

    # Operands -----------------------------------------------------------------------------------------

    def append_operand(self, value: Value) -> None:
        self.operands.append(value)
        if value.tracks_users:
            value.users[self] = value.users.get(self, 0) + 1

    def set_operand(self, index: int, value: Value) -> None:
        self._forget(self.operands[index])
        self.operands[index] = value
        if value.tracks_users:
            value.users[self] = value.users.get(self, 0) + 1

    def replace_operand(self, old: Value, new: Value) -> None:
        for index, operand in enumerate(self.operands):
            if operand is old:
                self.set_operand(index, new)

    def drop_operands(self) -> None:
        for operand in self.operands:
            self._forget(operand)
        self.operands = []

    def _forget(self, value: Value) -> None:
        if value.tracks_users:
            left = value.users[self] - 1
            if left:
                value.users[self] = left
            else:
                del value.users[self]

    # Place --------------------------------------------------------------------------------------------

    @property
    def function(self) -> Function:
        assert self.parent is not None and self.parent.parent is not None
        return self.parent.parent

    @property
    def is_terminator(self) -> bool:
        return self.opcode in TERMINATORS

    def erase(self) -> None:
        """Remove from the block; it must have no users left."""
        if self.users:
            raise ValueError(f"%{self.name} ({self.opcode}) still has users")
        self.remove()
        self.drop_operands()

    def remove(self) -> None:
        """Unlink from the block and keep the operands."""
        if self.parent is not None:
            self.parent.instructions.remove(self)
            self.parent = None

    def successors(self) -> Iterator[Block]:
        """Successor blocks of a terminator, in operand order, duplicates included."""
        for operand in self.operands:
            if operand.type is LABEL:
                yield cast("Block", operand)

    def __repr__(self) -> str:
        return f"<{self.opcode} %{self.name}>" if self.name else f"<{self.opcode}>"


class Phi(Instruction):
    """`operands[k]` comes from `blocks[k]`."""

    __slots__ = ("blocks",)

    def __init__(
        self,
        type_: Type,
        incoming: Sequence[tuple[Value, Block]] = (),
        name: str = "",
        flags: tuple[str, ...] = (),
    ) -> None:
        super().__init__("phi", type_, [value for value, _ in incoming], name, flags)
        self.blocks: list[Block] = [block for _, block in incoming]

    @property
    def incoming(self) -> list[tuple[Value, Block]]:
        return list(zip(self.operands, self.blocks, strict=True))

    def add_incoming(self, value: Value, block: Block) -> None:
        self.append_operand(value)
        self.blocks.append(block)

    def value_from(self, block: Block) -> Value:
        return self.operands[self.blocks.index(block)]

    def remove_incoming(self, *blocks: Block) -> None:
        gone = set(blocks)
        kept = [pair for pair in self.incoming if pair[1] not in gone]
        if len(kept) < len(self.blocks):
            for value, block in self.incoming:
                if block in gone:
                    self._forget(value)
            self.operands = [value for value, _ in kept]
            self.blocks = [block for _, block in kept]


class Cmp(Instruction):
    """``icmp`` or ``fcmp`` with `predicate`."""

    __slots__ = ("predicate",)

    def __init__(
        self,
        opcode: str,
        predicate: str,
        left: Value,
        right: Value,
        name: str = "",
        flags: tuple[str, ...] = (),
    ) -> None:
        type_: Type = I1
        if isinstance(left.type, VectorType):
            type_ = vector_type(left.type.count, I1, left.type.scalable)
        super().__init__(opcode, type_, (left, right), name, flags)
        self.predicate = predicate

    @property
    def signed_predicate(self) -> str:
        """The predicate; as one of signed numbers where both are known to have one sign."""
        same = "samesign" in self.flags and self.predicate[0] == "u"
        return f"s{self.predicate[1:]}" if same else self.predicate


class Gep(Instruction):
    """``getelementptr flags source_type, base, indices``."""

    __slots__ = ("source_type",)

    def __init__(
        self,
        source_type: Type,
        base: Value,
        indices: Sequence[Value],
        name: str = "",
        flags: tuple[str, ...] = (),
        type_: Type | None = None,
    ) -> None:
        super().__init__("getelementptr", type_ or base.type, (base, *indices), name, flags)
        self.source_type = source_type


class Load(Instruction):
    """`flags` may hold ``volatile`` and ``atomic``; `suffix` is the verbatim text after the pointer
    (syncscope and ordering); `align` is 0 when not printed."""

    __slots__ = ("align", "suffix")

    def __init__(
        self,
        type_: Type,
        pointer: Value,
        align: int = 0,
        name: str = "",
        flags: tuple[str, ...] = (),
        suffix: str = "",
    ) -> None:
        super().__init__("load", type_, (pointer,), name, flags)
        self.align = align
        self.suffix = suffix

    @property
    def accessed(self) -> Type:
        """The type of what stands in memory."""
        return self.type

    @property
    def pointer(self) -> Value:
        return self.operands[0]


class Store(Instruction):
    """``store value, pointer``; fields as in `Load`."""

    __slots__ = ("align", "suffix")

    def __init__(
        self,
        value: Value,
        pointer: Value,
        align: int = 0,
        flags: tuple[str, ...] = (),
        suffix: str = "",
    ) -> None:
        super().__init__("store", VOID, (value, pointer), "", flags)
        self.align = align
        self.suffix = suffix

    @property
    def value(self) -> Value:
        return self.operands[0]

    @property
    def accessed(self) -> Type:
        """The type of what stands in memory."""
        return self.value.type

    @property
    def pointer(self) -> Value:
        return self.operands[1]


class Alloca(Instruction):
    """`operands` holds the element count if it was printed; `flags` may hold ``inalloca``."""

    __slots__ = ("align", "allocated_type")

    def __init__(
        self,
        allocated_type: Type,
        type_: Type,
        count: Value | None = None,
        align: int = 0,
        name: str = "",
        flags: tuple[str, ...] = (),
    ) -> None:
        super().__init__("alloca", type_, () if count is None else (count,), name, flags)
        self.allocated_type = allocated_type
        self.align = align


class Call(Instruction):
    """A call or an invoke-like terminator. `operands` = arguments, then (for invoke) the two destinations,
    then the callee last.

    All attribute texts are verbatim: `head` is what stands before the return attributes (``tail``,
    fast-math words are in `flags`), `cc` the calling convention, `ret_attributes`, `arg_attributes`
    (one text per argument), `fn_attributes` (after the parenthesis, ``#3`` included) and `bundles`: the text of
    the operand bundles with brackets, in which ``%{k}`` stands for the k-th of the bundle operands; these are
    operands that follow the arguments.
    """

    __slots__ = (
        "arg_attributes",
        "bundles",
        "cc",
        "fn_attributes",
        "function_type",
        "head",
        "ret_attributes",
    )

    def __init__(
        self,
        function_type: FunctionType,
        callee: Value,
        arguments: Sequence[Value],
        name: str = "",
        flags: tuple[str, ...] = (),
        *,
        opcode: str = "call",
        destinations: Sequence[Block] = (),
        head: str = "",
        cc: str = "",
        ret_attributes: str = "",
        arg_attributes: Sequence[str] = (),
        fn_attributes: str = "",
        bundles: str = "",
        bundle_operands: Sequence[Value] = (),
    ) -> None:
        super().__init__(
            opcode,
            function_type.ret,
            (*arguments, *bundle_operands, *destinations, callee),
            name,
            flags,
        )
        self.function_type = function_type
        self.head = head
        self.cc = cc
        self.ret_attributes = ret_attributes
        self.arg_attributes = list(arg_attributes) or [""] * len(arguments)
        self.fn_attributes = fn_attributes
        self.bundles = bundles

    @property
    def callee(self) -> Value:
        return self.operands[-1]

    @property
    def arguments(self) -> list[Value]:
        return self.operands[: len(self.arg_attributes)]

    @property
    def callee_name(self) -> str:
        """The symbol called, or "" for an indirect call."""
        callee = self.operands[-1]
        return callee.name if isinstance(callee, GlobalValue) else ""


class Aggregate(Instruction):
    """``extractvalue`` and ``insertvalue`` with constant `indices`."""

    __slots__ = ("indices",)

    def __init__(
        self,
        opcode: str,
        type_: Type,
        operands: Sequence[Value],
        indices: Sequence[int],
        name: str = "",
    ) -> None:
        super().__init__(opcode, type_, operands, name)
        self.indices = tuple(indices)


class Raw(Instruction):
    """An instruction kept by text: `pieces` alternates verbatim text and operand positions.

    Used for what the engine does not interpret (fence, atomicrmw, landingpad, debug records, ...): printed
    by joining the texts with the printed operands, so that renaming and replacing values still works.
    """

    __slots__ = ("pieces",)

    def __init__(
        self,
        opcode: str,
        type_: Type,
        operands: Sequence[Value],
        pieces: Sequence[str | int],
        name: str = "",
    ) -> None:
        super().__init__(opcode, type_, operands, name)
        self.pieces = tuple(pieces)


def element_type(type_: Type, indices: Sequence[int]) -> Type:
    """The type reached in an aggregate by constant indices."""
    for index in indices:
        if isinstance(type_, StructType):
            assert type_.elements is not None
            type_ = type_.elements[index]
        else:
            type_ = type_.element  # type: ignore[attr-defined]
    return type_


def constant_int(value: Value) -> int | None:
    """The number, if this is an integer constant."""
    return value.value if isinstance(value, ConstInt) else None
