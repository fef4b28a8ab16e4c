"""What each instruction says about types: it fills a `TypeGraph` for one function.

Integer arithmetic is weak evidence: bits of floats may be added and masked. Indices, sizes and conversions
from integers to floats are strong evidence. A constant that may as well be a float is the weakest: it is
an integer only where nothing else that stands there is a float.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from operator import itemgetter
from typing import cast

from enzyme.engine.analysis.addresses import place_in, scalars_in
from enzyme.engine.analysis.chosen import (
    arms_of,
    chosen_distances,
    is_chosen_place,
    is_only_counted,
    is_told_place,
)
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.analysis.metakinds import tbaa_kind
from enzyme.engine.analysis.typecells import TypeCells, may_be_floats
from enzyme.engine.analysis.typegraph import TypeGraph
from enzyme.engine.analysis.typeread import kind_in
from enzyme.engine.analysis.typereasons import Reason
from enzyme.engine.analysis.typetags import FILLED, is_plain_constant, told_beside
from enzyme.engine.analysis.typetree import (
    FLOAT_KINDS,
    INTEGER,
    MAX_OFFSET,
    POINTER,
    UNKNOWN,
    ConcreteType,
    TypeTree,
    float_kind,
)
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.dispatch import Dispatch
from enzyme.engine.ir.instructions import (
    Aggregate,
    Alloca,
    Call,
    Gep,
    Instruction,
    Load,
    Store,
    constant_int,
)
from enzyme.engine.ir.items import Items, Says, stated
from enzyme.engine.ir.known_function import BLAS, NUMBER, KnownFunction
from enzyme.engine.ir.module import Block, Function, Module
from enzyme.engine.ir.opcodes import ATOMICS, CASTS, FLOAT_CASTS, INSTRUCTIONS, opcodes
from enzyme.engine.ir.types import DOUBLE, FLOAT, I1, FloatType, IntType, Type
from enzyme.engine.ir.values import (
    ConstAggregate,
    ConstInt,
    Value,
)

_ARITHMETIC = frozenset("add sub mul udiv sdiv urem srem".split())
_BITWISE = frozenset("and or xor shl lshr ashr".split())
_ADDRESS = 8
_BLAS_TYPES: dict[int | None, ConcreteType] = {
    ord("s"): FLOAT_KINDS[FLOAT],
    ord("c"): FLOAT_KINDS[FLOAT],
    ord("d"): FLOAT_KINDS[DOUBLE],
    ord("z"): FLOAT_KINDS[DOUBLE],
}


class TypeRules(TypeCells):
    """The constraints of one function, and the rules that wait for more facts."""

    def __init__(self, module: Module, layout: DataLayout, graph: TypeGraph) -> None:
        super().__init__(module, layout, graph)
        self.calls: list[tuple[Call, Function]] = []
        self.returned: int = -1
        self._bits: list[Instruction] = []
        self._compared: list[tuple[int, int, Reason]] = []

    def visit(self, function: Function, skipped: Container[Block] = ()) -> None:
        result = function.function_type.ret
        if not result.is_void and not isinstance(result.scalar, FloatType):
            self.returned = self.cell_for(result, "the result of the function")
        for block in function.blocks:
            self.copied.update(
                i for i in block.instructions if _is_copied(i) and self.told(i) is UNKNOWN
            )
        handlers = TYPES.handlers
        for block in function.blocks:
            if block in skipped:
                continue
            for instruction in block.instructions:
                handler = handlers[instruction.opcode]
                if handler is not None:
                    handler(self, instruction)

    # Memory ---------------------------------------------------------------------------------------

    def load(self, instruction: Instruction) -> None:
        assert isinstance(instruction, Load)
        self._access(instruction, instruction.pointer, instruction)

    def store(self, instruction: Instruction) -> None:
        assert isinstance(instruction, Store)
        self._access(instruction, instruction.pointer, instruction.value)

    def _access(self, instruction: Instruction, pointer: Value, value: Value) -> None:
        where = self.cell(pointer)
        if where < 0:
            return
        if self.graph.by_tags:
            self._access_by_tag(instruction, where, value)
            return
        self.put(where, 0, value, instruction)
        tag = instruction.metadata.get("tbaa")
        if tag is not None and not value.type.is_float:
            kind = tbaa_kind(self.module, tag)
            size = self.layout.size_of(value.type)
            if kind is not UNKNOWN and kind.size in (0, size):
                self.graph.set_kind(self.graph.cell_at(where, 0, size), kind, instruction)

    def _access_by_tag(self, instruction: Instruction, where: int, value: Value) -> None:
        told = self.told(instruction)
        self.put(where, 0, value, instruction, told)
        size = self.layout.size_of(value.type)
        if told is UNKNOWN:
            moved = not value.is_constant and self.is_strong_blob(value)
            if moved or (value.is_constant and not is_plain_constant(value)):
                # It says nothing of itself, but that something is filled, or moved.
                self.graph.mention(self.graph.cell_at(where, 0, size, FILLED), instruction)
            return
        width = self.layout.size_of(value.type.scalar)
        for place in range(0, size, width):
            self.graph.set_kind(self.graph.cell_at(where, place, width, told), told, instruction)

    def seed_result(self, type_: Type, tree: TypeTree, source: str) -> None:
        """What a caller knows of the memory that the function returns."""
        reason = f"the result {source}"
        if self.returned >= 0 and tree:
            if self.is_blob(type_):
                self._seed_memory(self.returned, tree, reason, False, False)
            else:
                self.seed(self.returned, tree, reason)

    def told(self, access: Instruction) -> ConcreteType:
        """What the tag of a load or a store tells of what it accesses, in a graph that goes by tags."""
        return told_beside(self.module, self.layout, access) if self.graph.by_tags else UNKNOWN

    def alloca(self, instruction: Instruction) -> None:
        assert isinstance(instruction, Alloca)
        self.cell(instruction)
        for operand in instruction.operands:
            self.integer(operand, instruction)

    def gep(self, instruction: Instruction) -> None:
        if instruction.type.is_vector:
            return
        chosen = None
        if self._is_told_place(instruction):
            chosen = chosen_distances(cast(Gep, instruction), self.layout)
        if chosen is None:
            self.cells[instruction] = self.gep_cell(instruction)
        else:
            self._chosen_places(instruction, chosen)

    def _chosen_places(self, gep: Instruction, distances: list[int]) -> None:
        """One of a few members of an object: which, a condition tells."""
        made = self.cell(gep)
        base = self.cell(gep.operands[0])
        for distance in distances if base >= 0 else ():
            node, start, stride = self.graph.target(base)
            arm = self.graph.new_pointer((node, start + distance, stride), gep)
            self.graph.choose(made, arm, gep)

    def _is_told_place(self, pointer: Instruction) -> bool:
        by_tags = self.graph.by_tags
        return is_told_place(pointer, lambda i: not by_tags or self.told(i) is not UNKNOWN)

    # Copies of values -----------------------------------------------------------------------------

    def same(self, first: Value, second: Value, reason: Reason) -> None:
        """Two values of one type always hold the same bits, at least on some path."""
        type_ = first.type
        if isinstance(type_.scalar, FloatType) or type_ is I1:
            return
        if isinstance(second, ConstInt):
            if second.value:
                self._guess(first, reason, self.merged if may_be_floats(second) else self.weak)
            return
        mine, yours = self.cell(first), self.cell(second)
        if mine >= 0 and yours >= 0:
            self.graph.unite(mine, yours, reason)

    def merge(self, instruction: Instruction) -> None:
        self.same(instruction, instruction.operands[0], instruction)

    def choose(self, instruction: Instruction) -> None:
        if self.graph.apart and is_only_counted(instruction):
            return
        by_tags = self.graph.by_tags and self._is_told_place(instruction)
        if not by_tags and not is_chosen_place(instruction):
            for arm in arms_of(instruction):
                self.same(instruction, arm, instruction)
            return
        for arm in arms_of(instruction):
            cell = self.cell(arm)
            if cell >= 0:
                self.graph.choose(self.cell(instruction), cell, instruction)

    def result(self, instruction: Instruction) -> None:
        if self.returned >= 0 and instruction.operands:
            value = instruction.operands[0]
            cell = self.cell(value)
            if cell >= 0:
                self.graph.unite(self.returned, cell, instruction)
            elif isinstance(value, ConstAggregate):
                self.put(self.returned, 0, value, instruction)
            elif isinstance(value, ConstInt) and value.value:
                self.weak.append((self.returned, instruction))

    def part(self, instruction: Instruction) -> None:
        assert isinstance(instruction, Aggregate)
        whole = instruction.operands[0]
        offset, _ = place_in(whole.type, instruction.indices, self.layout)
        if instruction.opcode == "extractvalue":
            if not whole.is_constant:
                self.put(self.cell(whole), offset, instruction, instruction)
            return
        self.put(self.cell(instruction), offset, instruction.operands[1], instruction)
        if isinstance(whole, ConstAggregate):
            self.put(self.cell(instruction), 0, whole, instruction)
        elif not whole.is_constant:
            self.graph.unite(self.cell(instruction), self.cell(whole), instruction)

    def lane(self, instruction: Instruction) -> None:
        whole = instruction.operands[0]
        if isinstance(whole.type.scalar, FloatType):
            return
        vector = whole if instruction.opcode == "extractelement" else instruction
        lane = constant_int(instruction.operands[-1])
        if lane is not None and not vector.is_constant:
            element = instruction if vector is whole else instruction.operands[1]
            size = self.layout.size_of(element.type)
            self.put(self.cell(vector), lane * size, element, instruction)
        if vector is instruction and not whole.is_constant:
            self.graph.unite(self.cell(instruction), self.cell(whole), instruction)

    # Casts and arithmetic ---------------------------------------------------------------------------

    def cast(self, instruction: Instruction) -> None:
        source, to = instruction.operands[0], instruction.type
        if instruction.opcode in ("sitofp", "uitofp"):
            self.integer(source, instruction)
        elif instruction.opcode in ("fptosi", "fptoui"):
            self.integer(instruction, instruction)
        elif instruction.opcode in ("trunc", "zext", "sext"):
            if source.type is I1:
                self.integer(instruction, instruction)
            elif self.is_blob(source.type) and not self.is_blob(to) and not source.is_constant:
                self.put(self.cell(source), 0, instruction, instruction)
            else:
                self._guess(source, instruction)
                self._guess(instruction, instruction)
        elif instruction.opcode == "bitcast":
            self._bitcast(instruction, source, to)
        elif self.layout.size_of(source.type) == self.layout.size_of(to):
            self.same(instruction, source, instruction)

    def _bitcast(self, instruction: Instruction, source: Value, to: Type) -> None:
        if self.is_blob(to):
            if not source.is_constant:
                self.put(self.cell(instruction), 0, source, instruction)
        elif self.is_blob(source.type):
            if not source.is_constant:
                self.put(self.cell(source), 0, instruction, instruction)
        elif isinstance(to, FloatType) and isinstance(source.type, IntType):
            cell = self.cell(source)
            if cell >= 0:
                self.graph.set_kind(cell, float_kind(to), instruction)
        elif isinstance(source.type, FloatType) and isinstance(to, IntType):
            self.graph.set_kind(self.cell(instruction), float_kind(source.type), instruction)
        elif to.is_pointer or isinstance(to, IntType):
            self.same(instruction, source, instruction)

    def arithmetic(self, instruction: Instruction) -> None:
        self._guess(instruction, instruction)
        for operand in instruction.operands:
            self._guess(operand, instruction)

    def bits(self, instruction: Instruction) -> None:
        type_ = instruction.type
        if type_ is I1 or self.is_blob(type_):
            return
        self._bits.append(instruction)
        if instruction.opcode in ("shl", "lshr", "ashr"):
            self.integer(instruction.operands[1], instruction)

    def compare(self, instruction: Instruction) -> None:
        left, right = instruction.operands
        if isinstance(left.type, IntType) and left.type is not I1:
            mine, yours = self.cell(left), self.cell(right)
            if mine >= 0 and yours >= 0:
                self._compared.append((mine, yours, instruction))

    def switch(self, instruction: Instruction) -> None:
        self.integer(instruction.operands[0], instruction)

    def atomic(self, instruction: Instruction) -> None:
        """Pieces of text: only the types of the operands are used."""
        pointer = self.cell(instruction.operands[0])
        if pointer < 0:
            return
        for operand in instruction.operands[1:]:
            self.put(pointer, 0, operand, instruction)
        if instruction.opcode == "atomicrmw":
            self.put(pointer, 0, instruction, instruction)

    def _guess(
        self, value: Value, reason: Reason, where: list[tuple[int, Reason]] | None = None
    ) -> None:
        if isinstance(value.type, IntType) and not self.is_blob(value.type):
            cell = self.cell(value)
            if cell >= 0:
                (self.weak if where is None else where).append((cell, reason))

    # Calls ------------------------------------------------------------------------------------------

    def call(self, instruction: Instruction) -> None:
        assert isinstance(instruction, Call)
        callee = instruction.callee
        if isinstance(callee, Function) and callee.seeds:
            for argument, tree in zip(instruction.arguments, callee.seeds, strict=True):
                if tree and not argument.is_constant:
                    self.seed_value(argument, TypeTree.parse(tree), instruction)
        row = lookup_known(instruction)
        said = stated(instruction.callee_name) if row is not None else None
        if said is not None:
            self._statement(self.cell(instruction.arguments[0]), *said, instruction)
            return
        if row is not None:
            self._known_call(instruction, row)
            return
        if isinstance(callee, Function) and not callee.is_declaration:
            self.calls.append((instruction, callee))

    def _statement(self, pointer: int, says: Says, items: Items, reason: Reason) -> None:
        """What the memory behind a pointer consists of."""
        if pointer < 0:
            return
        if says is Says.VIEWED:
            self.graph.state_items(pointer, items, reason)
            return
        node, start, stride = self.graph.target(pointer)
        if says is Says.LAYOUT and stride % items.period:
            return
        for offset, size, kind in _places_of(items):
            if says is Says.SINGLE:
                cell = self.graph.cell_at(pointer, offset, size)
            else:
                cell = self.graph.place(node, (start + offset, items.period, size, UNKNOWN))
            self.graph.set_kind(cell, kind, reason)

    def _known_call(self, call: Call, row: KnownFunction) -> None:
        arguments = call.arguments
        if row.kind == "hint":
            return
        if row.kind == "memory" and row.reads:
            length = constant_int(arguments[2])
            to, source = self.cell(arguments[0]), self.cell(arguments[1])
            if to >= 0 and source >= 0:
                self.graph.link(to, source, length, call)
        if row.data_slot is not None:
            slot = self.graph.cell_at(self.cell(arguments[0]), row.data_slot, 8)
            self.graph.unite(self.cell(call), slot, call)
        elif row.returns_operand is not None:
            self.same(call, arguments[row.returns_operand], call)
        elif row.bits:
            for value in (call, *arguments):
                self._guess(value, call)
            if call.type.is_aggregate:
                for offset, type_ in scalars_in(call.type, self.layout):
                    self._part_of_result(call, offset, type_)
        else:
            for value in (call, *arguments):
                if isinstance(value.type, IntType):
                    self.integer(value, call)
        if row.data_offset is not None:
            data = self.graph.cell_at(self.cell(call), row.data_offset, 8)
            self.graph.set_kind(data, POINTER, call)
            if row.header_size:
                node, start, _ = self.graph.target(data)
                self.graph.state_integers(node, start, start + row.header_size, call)
        for index, tree in row.pointees:
            cell = self.cell(arguments[index]) if index < len(arguments) else -1
            if cell < 0:
                continue
            if tree in (BLAS, NUMBER):
                kind = _kind_of_numbers(tree, arguments[0])
                if kind is None:
                    continue
                place = self.graph.new_pointer(self.graph.target(cell), call)
                self.seed(place, TypeTree.scalar(kind).pointer(), call)
            else:
                self.seed(cell, TypeTree.parse(tree), call)

    def _part_of_result(self, call: Call, offset: int, type_: Type) -> None:
        size = self.layout.size_of(type_)
        kind = float_kind(type_) if isinstance(type_, FloatType) else INTEGER
        self.graph.set_kind(self.graph.cell_at(self.cell(call), offset, size), kind, call)

    # Rules that wait ----------------------------------------------------------------------------------

    def late(self) -> None:
        """Masks on the bits of a float give the bits of a float."""
        for instruction in self._bits:
            left, right = instruction.operands
            mine, yours = self.cell(left), self.cell(right)
            made = self.cell(instruction)
            kinds = [self.graph.kind(c) for c in (mine, yours) if c >= 0]
            float_in = next((k for k in kinds if k.is_float), None)
            mask = constant_int(right)
            opcode = instruction.opcode
            if opcode in ("and", "or", "xor"):
                width = instruction.type.bits if isinstance(instruction.type, IntType) else 64
                sign = 1 << (width - 1)
                if mask is not None:
                    mask &= (1 << width) - 1
                    if mask == (sign - 1 if opcode == "and" else sign):
                        result = self.graph.kind(made)
                        if float_in is not None:
                            self.graph.set_kind(made, float_in, instruction)
                        elif result.is_float and mine >= 0:
                            self.graph.set_kind(mine, result, instruction)
                elif float_in is not None:
                    self.graph.set_kind(made, float_in, instruction)

    def guess_constants(self) -> None:
        """Take constants for integers, where no float was found."""
        for pointer, offset, constant, reason in self.constants:
            size = self.layout.size_of(constant.type)
            found = {kind_in(self.graph, pointer, offset + k)[0] for k in range(size)}
            if self.graph.by_tags and found != {UNKNOWN}:
                continue
            if not any(kind.is_float for kind in found):
                place = self.graph.cell_at(pointer, offset, size)
                self.graph.set_kind(place, INTEGER, reason, weak=True)
        for pointer, offset, size, reason in self.texts:
            for place in range(offset, offset + min(size, MAX_OFFSET)):
                if kind_in(self.graph, pointer, place)[0] is UNKNOWN:
                    cell = self.graph.cell_at(pointer, place, 1)
                    self.graph.set_kind(cell, INTEGER, reason, weak=True)
        for cell, reason in self.merged:
            self.graph.set_kind(cell, INTEGER, reason, weak=True)

    def guess(self) -> None:
        """Apply the weak evidence, where nothing stronger was found."""
        for cell, reason in self.weak:
            self.graph.set_kind(cell, INTEGER, reason, weak=True)
        for instruction in self._bits:
            self.graph.set_kind(self.cell(instruction), INTEGER, instruction, weak=True)
        for mine, yours, reason in self._compared:
            for first, second in ((mine, yours), (yours, mine)):
                if self.graph.kind(first) is INTEGER:
                    self.graph.set_kind(second, INTEGER, reason, weak=True)


def _places_of(items: Items) -> Iterator[tuple[int, int, ConcreteType]]:
    """Offset, size and kind of what one item consists of; what is neither float nor pointer are integers."""
    place = 0
    parts = [(offset, FLOAT_KINDS[type_]) for offset, type_ in items.floats]
    parts += [(offset, POINTER) for offset in items.pointers]
    for offset, kind in [*sorted(parts, key=itemgetter(0)), (items.period, INTEGER)]:
        for byte in range(place, offset):
            yield byte, 1, INTEGER
        size = kind.size or _ADDRESS
        if offset < items.period:
            yield offset, size, kind
        place = offset + size


def _kind_of_numbers(tree: str, first: Value) -> ConcreteType | None:
    """The type of numbers behind a pointer, which operand 0 of the call tells."""
    if tree == BLAS:
        return _BLAS_TYPES.get(constant_int(first))
    return float_kind(first.type) if isinstance(first.type, FloatType) else None


def _is_copied(value: Instruction) -> bool:
    """Is this an integer that is loaded only to be stored, as a small memcpy is?"""
    return (
        isinstance(value, Load)
        and isinstance(value.type, IntType)
        and value.type.bits >= 32
        and bool(value.users)
        and all(isinstance(u, Store) and u.pointer is not value for u in value.users)
    )


TYPES: Dispatch[Callable[[TypeRules, Instruction], None]] = Dispatch(
    "types",
    "what it tells of the types of its operands, its result and memory",
    INSTRUCTIONS,
    {
        **dict.fromkeys(_ARITHMETIC, TypeRules.arithmetic),
        **dict.fromkeys(_BITWISE, TypeRules.bits),
        **dict.fromkeys(CASTS - FLOAT_CASTS, TypeRules.cast),
        **dict.fromkeys(("phi", "select"), TypeRules.choose),
        **dict.fromkeys(("extractvalue", "insertvalue"), TypeRules.part),
        **dict.fromkeys(("extractelement", "insertelement"), TypeRules.lane),
        **dict.fromkeys(ATOMICS, TypeRules.atomic),
        **dict.fromkeys(("call", "invoke"), TypeRules.call),
        "load": TypeRules.load,
        "store": TypeRules.store,
        "alloca": TypeRules.alloca,
        "getelementptr": TypeRules.gep,
        "freeze": TypeRules.merge,
        "ret": TypeRules.result,
        "icmp": TypeRules.compare,
        "switch": TypeRules.switch,
    },
    ignored=(
        *opcodes("float arithmetic", "debug records"),
        *FLOAT_CASTS,
        *"fcmp shufflevector fence br unreachable".split(),
    ),
    elsewhere=dict.fromkeys(
        ("va_arg", "callbr", "indirectbr", *opcodes("exceptions")), "constructs"
    ),
)
