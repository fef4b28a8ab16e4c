"""Instructions that programs are full of; each starts behind its opcode."""

from __future__ import annotations

from enzyme.engine.ir.instructions import Aggregate, Alloca, Cmp, Gep, Instruction, Load, Phi, Store
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.reading.constants import FAST_MATH, FLAGS, INT_FLAGS, ConstantReader
from enzyme.engine.ir.reading.names import local_key, local_name
from enzyme.engine.ir.types import (
    VOID,
    ArrayType,
    StructType,
    VectorType,
    pointer_type,
    vector_type,
)
from enzyme.engine.ir.values import Value

_ORDERINGS = frozenset("unordered monotonic acquire release acq_rel seq_cst".split())


_ACCESS = frozenset(("atomic", "volatile"))


_ALLOCA = frozenset(("inalloca", "swifterror"))


_PREDICATES = {
    "icmp": frozenset("eq ne ugt uge ult ule sgt sge slt sle".split()),
    "fcmp": frozenset("false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true".split()),
}


class InstructionReader(ConstantReader):
    """Reads arithmetic, memory access, control flow."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        # Of the function at hand, by token:
        self.blocks: dict[str, Block] = {}
        self.block_uses: dict[str, int] = {}

    def block(self) -> Block:
        """``label %name``."""
        self.expect("label")
        token = self.tokens[self.pos]
        found = self.blocks.get(token)
        if found is None:
            if token[:1] != "%":
                self.fail(f"expected the name of a block, found {token!r}")
            key = local_key(token)
            found = self.blocks.get(key)
            if found is None:
                found = self.blocks[key] = Block(local_name(key))
                self.block_uses[key] = self.pos
        self.pos += 1
        return found

    def block_list(self) -> list[Block]:
        self.expect("[")
        found: list[Block] = []
        while not self.accept("]"):
            if found:
                self.expect(",")
            found.append(self.block())
        return found

    def operand_list(self, count: int) -> list[Value]:
        found = [self.typed_value()]
        for _ in range(count - 1):
            self.expect(",")
            found.append(self.typed_value())
        return found

    def more_operands(self) -> list[Value]:
        found: list[Value] = []
        tokens = self.tokens
        while tokens[self.pos] == "," and tokens[self.pos + 1][:1] != "!":
            self.pos += 1
            found.append(self.typed_value())
        return found

    def align(self) -> int:
        tokens = self.tokens
        if tokens[self.pos] == "," and tokens[self.pos + 1] == "align":
            self.pos += 2
            return self.integer("an alignment")
        return 0

    def orderings(self) -> str:
        tokens, start = self.tokens, self.pos
        if tokens[self.pos] == "syncscope":
            self.pos += 1
            self.skip_group()
        while tokens[self.pos] in _ORDERINGS:
            self.pos += 1
        return self.since(start)

    def binary(self, opcode: str) -> Instruction:
        flags = self.flags(FLAGS)
        type_ = self.type_()
        left = self.value(type_)
        self.expect(",")
        return Instruction(opcode, type_, (left, self.value(type_)), "", flags)

    def unary(self, opcode: str) -> Instruction:
        flags = self.flags(FLAGS)
        value = self.typed_value()
        return Instruction(opcode, value.type, (value,), "", flags)

    def cast(self, opcode: str) -> Instruction:
        flags = self.flags(FLAGS)
        value = self.typed_value()
        self.expect("to")
        return Instruction(opcode, self.type_(), (value,), "", flags)

    def compare(self, opcode: str) -> Instruction:
        flags = self.flags(FLAGS)
        predicate = self.tokens[self.pos]
        if predicate not in _PREDICATES[opcode]:
            self.fail(f"unknown predicate {predicate!r}")
        self.pos += 1
        type_ = self.type_()
        left = self.value(type_)
        self.expect(",")
        return Cmp(opcode, predicate, left, self.value(type_), "", flags)

    def select(self, opcode: str) -> Instruction:
        flags = self.flags(FAST_MATH)
        operands = self.operand_list(3)
        return Instruction(opcode, operands[1].type, operands, "", flags)

    def phi(self, opcode: str) -> Instruction:
        flags = self.flags(FAST_MATH)
        type_ = self.type_()
        made = Phi(type_, (), "", flags)
        tokens = self.tokens
        while True:
            self.expect("[")
            value = self.value(type_)
            self.expect(",")
            token = tokens[self.pos]
            block = self.blocks.get(token)
            if block is None:
                key = local_key(token)
                block = self.blocks.get(key)
                if block is None:
                    if token[:1] != "%":
                        self.fail(f"expected the name of a block, found {token!r}")
                    block = self.blocks[key] = Block(local_name(key))
                    self.block_uses[key] = self.pos
            self.pos += 1
            self.expect("]")
            made.append_operand(value)
            made.blocks.append(block)
            if tokens[self.pos] != "," or tokens[self.pos + 1] != "[":
                return made
            self.pos += 1

    def gep(self, opcode: str) -> Instruction:
        flags = self.flags(INT_FLAGS)
        source = self.type_()
        self.expect(",")
        base = self.typed_value()
        indices = self.more_operands()
        type_ = base.type
        if not isinstance(type_, VectorType):
            for index in indices:
                if isinstance(index.type, VectorType):
                    type_ = vector_type(index.type.count, type_, index.type.scalable)
                    break
        return Gep(source, base, indices, "", flags, type_)

    def load(self, opcode: str) -> Instruction:
        flags = self.flags(_ACCESS)
        type_ = self.type_()
        self.expect(",")
        pointer = self.typed_value()
        suffix = self.orderings()
        return Load(type_, pointer, self.align(), "", flags, suffix)

    def store(self, opcode: str) -> Instruction:
        flags = self.flags(_ACCESS)
        value = self.typed_value()
        self.expect(",")
        pointer = self.typed_value()
        suffix = self.orderings()
        return Store(value, pointer, self.align(), flags, suffix)

    def alloca(self, opcode: str) -> Instruction:
        flags = self.flags(_ALLOCA)
        allocated = self.type_()
        count: Value | None = None
        align = space = 0
        tokens = self.tokens
        while tokens[self.pos] == "," and tokens[self.pos + 1][:1] != "!":
            word = tokens[self.pos + 1]
            if word == "align":
                align = self.align()
            elif word == "addrspace":
                self.pos += 1
                space = self.addrspace()
            else:
                self.pos += 1
                count = self.typed_value()
        return Alloca(allocated, pointer_type(space), count, align, "", flags)

    def extract_element(self, opcode: str) -> Instruction:
        operands = self.operand_list(2)
        vector = operands[0].type
        if not isinstance(vector, VectorType):
            self.fail(f"{vector} is not a vector")
        return Instruction(opcode, vector.element, operands)

    def insert_element(self, opcode: str) -> Instruction:
        operands = self.operand_list(3)
        return Instruction(opcode, operands[0].type, operands)

    def shuffle_vector(self, opcode: str) -> Instruction:
        operands = self.operand_list(3)
        vector, mask = operands[0].type, operands[2].type
        if not isinstance(vector, VectorType) or not isinstance(mask, VectorType):
            self.fail(f"shufflevector of {vector} by {mask}")
        return Instruction(opcode, vector_type(mask.count, vector.element, mask.scalable), operands)

    def aggregate(self, opcode: str) -> Instruction:
        operands = self.operand_list(1 if opcode == "extractvalue" else 2)
        indices: list[int] = []
        tokens, start = self.tokens, self.pos
        while tokens[self.pos] == "," and tokens[self.pos + 1][:1] != "!":
            self.pos += 1
            indices.append(self.integer("an index"))
        type_ = operands[0].type
        if opcode == "extractvalue":
            for index in indices:
                if isinstance(type_, StructType) and type_.elements is not None:
                    if index >= len(type_.elements):
                        self.fail(f"{type_} has no element {index}", start)
                    type_ = type_.elements[index]
                elif isinstance(type_, ArrayType):
                    type_ = type_.element
                else:
                    self.fail(f"{type_} has no elements", start)
        return Aggregate(opcode, type_, operands, indices)

    def va_arg(self, opcode: str) -> Instruction:
        pointer = self.typed_value()
        self.expect(",")
        return Instruction(opcode, self.type_(), (pointer,))

    def ret(self, opcode: str) -> Instruction:
        type_ = self.type_()
        if type_ is VOID:
            return Instruction(opcode, VOID)
        return Instruction(opcode, VOID, (self.value(type_),))

    def br(self, opcode: str) -> Instruction:
        if self.tokens[self.pos] == "label":
            return Instruction(opcode, VOID, (self.block(),))
        condition = self.typed_value()
        self.expect(",")
        then = self.block()
        self.expect(",")
        return Instruction(opcode, VOID, (condition, then, self.block()))

    def switch(self, opcode: str) -> Instruction:
        operands: list[Value] = [self.typed_value()]
        self.expect(",")
        operands.append(self.block())
        self.expect("[")
        while not self.accept("]"):
            operands.append(self.typed_value())
            self.expect(",")
            operands.append(self.block())
        return Instruction(opcode, VOID, operands)

    def indirectbr(self, opcode: str) -> Instruction:
        address = self.typed_value()
        self.expect(",")
        return Instruction(opcode, VOID, (address, *self.block_list()))

    def resume(self, opcode: str) -> Instruction:
        return Instruction(opcode, VOID, (self.typed_value(),))

    def unreachable(self, opcode: str) -> Instruction:
        return Instruction(opcode, VOID)
