"""What each instruction says about types: it fills a `TypeGraph` for one function.

Floats are known by their LLVM type and get no cell. Integers and pointers get a cell each. What consists of
parts (structs, arrays, integer vectors, wide integers, and integers that are only loaded to be stored again)
is a *blob*: a region of memory of its own, so that parts of different kinds stay apart.

Integer arithmetic is weak evidence: bits of floats may be added and masked. Indices, sizes and conversions
from integers to floats are strong evidence.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

from enzyme.engine.analysis.addresses import gep_steps, is_gep, place_in, scalars_in
from enzyme.engine.analysis.known_functions import (
    MEMINFO,
    MEMINFO_DATA_OFFSET,
    KnownFunction,
    Table,
    lookup_known,
)
from enzyme.engine.analysis.metakinds import tbaa_kind
from enzyme.engine.analysis.typegraph import Reason, TypeGraph
from enzyme.engine.analysis.typetree import (
    FLOAT_KINDS,
    INTEGER,
    POINTER,
    UNKNOWN,
    Kind,
    Path,
    TypeTree,
    float_kind,
)
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.instructions import (
    Aggregate,
    Alloca,
    Call,
    Instruction,
    Load,
    Store,
    constant_int,
)
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import DOUBLE, FLOAT, I1, FloatType, IntType, Type, VectorType
from enzyme.engine.ir.values import (
    ConstAggregate,
    ConstExpr,
    ConstInt,
    GlobalValue,
    GlobalVariable,
    Value,
)

_ARITHMETIC = frozenset("add sub mul udiv sdiv urem srem".split())
_BITWISE = frozenset("and or xor shl lshr ashr".split())
_STRONG_INTRINSICS = ("llvm.smax", "llvm.smin", "llvm.umax", "llvm.umin", "llvm.abs", "llvm.ct")
_BLAS_TYPES: dict[int | None, Kind] = {
    ord("s"): FLOAT_KINDS[FLOAT],
    ord("c"): FLOAT_KINDS[FLOAT],
    ord("d"): FLOAT_KINDS[DOUBLE],
    ord("z"): FLOAT_KINDS[DOUBLE],
}


class TypeRules:
    """The constraints of one function, its cells, and the rules that wait for more facts."""

    def __init__(self, module: Module, layout: DataLayout, table: Table | None) -> None:
        self.graph = TypeGraph()
        self.module = module
        self.layout = layout
        self.table = table
        self.cells: dict[Value, int] = {}
        self.copied: set[Value] = set()
        self.calls: list[tuple[Call, Function]] = []
        self.returned: int = -1
        self._weak: list[tuple[int, Reason]] = []
        self._bits: list[Instruction] = []
        self._compared: list[tuple[int, int, Reason]] = []

    def visit(self, function: Function) -> None:
        result = function.function_type.ret
        if not result.is_void and not isinstance(result.scalar, FloatType):
            self.returned = self._cell_for(result, f"result of @{function.name}")
        for block in function.blocks:
            self.copied.update(i for i in block.instructions if _is_copied(i))
        handlers = _HANDLERS
        for block in function.blocks:
            for instruction in block.instructions:
                handler = handlers.get(instruction.opcode)
                if handler is not None:
                    handler(self, instruction)
                elif instruction.opcode in _ARITHMETIC:
                    self._arithmetic(instruction)

    # Cells of values ------------------------------------------------------------------------------

    def is_blob(self, type_: Type) -> bool:
        if type_.is_aggregate:
            return True
        if isinstance(type_, VectorType):
            return not type_.element.is_float
        return isinstance(type_, IntType) and type_.bits > 64

    def cell(self, value: Value) -> int:
        """The cell of a value; -1 for what needs none (floats, i1, most constants)."""
        found = self.cells.get(value)
        if found is not None:
            return found
        if value.is_constant:
            return self._constant_cell(value)
        type_ = value.type
        if isinstance(type_.scalar, FloatType) or type_ is I1 or type_.is_void:
            return -1
        blob = value in self.copied
        made = self.cells[value] = self._cell_for(type_, value, blob)
        return made

    def _cell_for(self, type_: Type, reason: Reason, blob: bool = False) -> int:
        if blob or self.is_blob(type_):
            return self.graph.new_pointer((self.graph.new_node(), 0, 0), reason)
        made = self.graph.new_cell()
        if type_.is_pointer:
            self.graph.set_kind(made, POINTER, reason)
        return made

    def _constant_cell(self, value: Value) -> int:
        graph = self.graph
        if isinstance(value, GlobalValue):
            made = self.cells[value] = graph.new_pointer((graph.new_node(), 0, 0), value)
            if isinstance(value, GlobalVariable) and value.initializer is not None:
                self.put(made, 0, value.initializer, value)
            return made
        if isinstance(value, ConstExpr):
            if is_gep(value):
                return self._gep_cell(value)
            if value.opcode in ("bitcast", "addrspacecast", "inttoptr", "ptrtoint"):
                return self.cell(value.operands[0])
        return -1

    def is_strong_blob(self, value: Value) -> bool:
        return value in self.copied or self.is_blob(value.type)

    # Memory ---------------------------------------------------------------------------------------

    def put(self, pointer: int, offset: int, value: Value, reason: Reason) -> None:
        """`value` stands `offset` bytes behind a pointer cell (also: is got from there)."""
        type_ = value.type
        graph = self.graph
        if isinstance(type_, FloatType):
            kind = float_kind(type_)
            graph.set_kind(graph.cell_at(pointer, offset, kind.size), kind, reason)
        elif isinstance(type_, VectorType) and type_.element.is_float:
            kind = float_kind(type_.element)
            for lane in range(min(type_.count, 64)):
                place = graph.cell_at(pointer, offset + lane * kind.size, kind.size)
                graph.set_kind(place, kind, reason)
        elif isinstance(value, ConstAggregate):
            for index, element in enumerate(value.elements[:64]):
                place_offset, _ = place_in(type_, [index], self.layout)
                self.put(pointer, offset + place_offset, element, reason)
        elif not value.is_constant and self.is_strong_blob(value):
            self._link(pointer, offset, self.cell(value), self.layout.size_of(type_), reason)
        elif isinstance(value, ConstInt):
            if value.value and type_ is not I1:
                place = graph.cell_at(pointer, offset, self.layout.size_of(type_))
                self._weak.append((place, reason))
        elif type_ is I1:
            graph.set_kind(graph.cell_at(pointer, offset, 1), INTEGER, reason)
        elif isinstance(type_, IntType) or type_.is_pointer:
            place = graph.cell_at(pointer, offset, self.layout.size_of(type_))
            cell = self.cell(value)
            if cell >= 0:
                graph.unite(cell, place, reason)
            elif type_.is_pointer and not value.is_constant:
                graph.set_kind(place, POINTER, reason)

    def _link(self, pointer: int, offset: int, other: int, length: int, reason: Reason) -> None:
        if offset:
            node, start, stride = self.graph.target(pointer)
            pointer = self.graph.new_pointer((node, start + offset, stride), reason)
        self.graph.link(pointer, other, length, reason)

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
        self.put(where, 0, value, instruction)
        tag = instruction.metadata.get("tbaa")
        if tag is not None and not value.type.is_float:
            kind = tbaa_kind(self.module, tag)
            size = self.layout.size_of(value.type)
            if kind is not UNKNOWN and kind.size in (0, size):
                self.graph.set_kind(self.graph.cell_at(where, 0, size), kind, instruction)

    def alloca(self, instruction: Instruction) -> None:
        assert isinstance(instruction, Alloca)
        self.cell(instruction)
        for operand in instruction.operands:
            self.integer(operand, instruction)

    def gep(self, instruction: Instruction) -> None:
        if instruction.type.is_vector:
            return
        self.cells[instruction] = self._gep_cell(instruction)

    def _gep_cell(self, gep: Value) -> int:
        found = gep_steps(gep, self.layout)
        if found is None:
            return -1
        base, constant, steps = found
        start = self.cell(base)
        if start < 0:
            made = self.graph.new_cell()
            self.graph.set_kind(made, POINTER, gep)
        else:
            node, offset, stride = self.graph.target(start)
            made = self.graph.new_pointer(
                (node, offset + constant, gcd(stride, *(scale for scale, _ in steps))), gep
            )
        for _, index in steps:
            self.integer(index, gep)
        waiting = self.cells.get(gep)
        if waiting is not None:
            self.graph.unite(waiting, made, gep)
        return made

    # Copies of values -----------------------------------------------------------------------------

    def same(self, first: Value, second: Value, reason: Reason) -> None:
        """Two values of one type always hold the same bits, at least on some path."""
        type_ = first.type
        if isinstance(type_.scalar, FloatType) or type_ is I1:
            return
        if isinstance(second, ConstInt):
            if second.value:
                self._guess(first, reason)
            return
        mine, yours = self.cell(first), self.cell(second)
        if mine >= 0 and yours >= 0:
            self.graph.unite(mine, yours, reason)

    def merge(self, instruction: Instruction) -> None:
        start = 1 if instruction.opcode == "select" else 0
        for operand in instruction.operands[start:]:
            self.same(instruction, operand, instruction)

    def result(self, instruction: Instruction) -> None:
        if self.returned >= 0 and instruction.operands:
            value = instruction.operands[0]
            cell = self.cell(value)
            if cell >= 0:
                self.graph.unite(self.returned, cell, instruction)
            elif isinstance(value, ConstAggregate):
                self.put(self.returned, 0, value, instruction)
            elif isinstance(value, ConstInt) and value.value:
                self._weak.append((self.returned, instruction))

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

    def _arithmetic(self, instruction: Instruction) -> None:
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

    def integer(self, value: Value, reason: Reason) -> None:
        cell = -1 if self.is_blob(value.type) else self.cell(value)
        if cell >= 0:
            self.graph.set_kind(cell, INTEGER, reason)

    def _guess(self, value: Value, reason: Reason) -> None:
        if isinstance(value.type, IntType) and not self.is_blob(value.type):
            cell = self.cell(value)
            if cell >= 0:
                self._weak.append((cell, reason))

    # Calls ------------------------------------------------------------------------------------------

    def call(self, instruction: Instruction) -> None:
        assert isinstance(instruction, Call)
        row = lookup_known(instruction, self.table)
        if row is not None:
            self._known_call(instruction, row)
            return
        callee = instruction.callee
        if isinstance(callee, Function) and not callee.is_declaration:
            self.calls.append((instruction, callee))

    def _known_call(self, call: Call, row: KnownFunction) -> None:
        arguments = call.arguments
        if row.kind == "hint":
            return
        if row.kind == "memory" and row.reads:
            length = constant_int(arguments[2])
            to, source = self.cell(arguments[0]), self.cell(arguments[1])
            if to >= 0 and source >= 0:
                self.graph.link(to, source, length, call)
        if row.returns_operand is not None:
            self.same(call, arguments[row.returns_operand], call)
        elif row.name.startswith("llvm.") and not row.name.startswith(_STRONG_INTRINSICS):
            for value in (call, *arguments):
                self._guess(value, call)
            if call.type.is_aggregate:
                for offset, type_ in scalars_in(call.type, self.layout):
                    self._part_of_result(call, offset, type_)
        else:
            for value in (call, *arguments):
                if isinstance(value.type, IntType):
                    self.integer(value, call)
        if row.returns == MEMINFO:
            data = self.graph.cell_at(self.cell(call), MEMINFO_DATA_OFFSET, 8)
            self.graph.set_kind(data, POINTER, call)
        for index, tree in row.pointees:
            cell = self.cell(arguments[index]) if index < len(arguments) else -1
            if cell < 0:
                continue
            if tree == "blas":
                kind = _BLAS_TYPES.get(constant_int(arguments[0]))
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

    # Facts from outside -----------------------------------------------------------------------------

    def seed_value(self, value: Value, tree: TypeTree, reason: Reason, binding: bool) -> None:
        """What somebody else knows about a value. `binding`: [-1] really means every offset."""
        cell = self.cell(value)
        if cell >= 0 and tree:
            if self.is_strong_blob(value):
                self._seed_memory(cell, tree, reason, binding)
            else:
                self.seed(cell, tree, reason, binding)

    def seed(self, cell: int, tree: TypeTree, reason: Reason, binding: bool = False) -> None:
        kind = tree.inner
        if kind is not UNKNOWN:
            self.graph.set_kind(cell, kind, reason)
        behind = tree.data0()
        if behind:
            self._seed_memory(cell, behind, reason, binding)

    def _seed_memory(self, pointer: int, tree: TypeTree, reason: Reason, binding: bool) -> None:
        graph = self.graph
        groups: dict[int, dict[Path, Kind]] = {}
        for path, kind in tree:
            groups.setdefault(path[0], {})[(-1, *path[1:])] = kind
        for offset, entries in groups.items():
            kind = entries.get((-1,), POINTER)
            node, start, stride = graph.target(pointer)
            if offset == -1 and binding:
                if kind is not INTEGER or graph.every(node) < 0:
                    self.seed(graph.state_every(node, reason), TypeTree(entries), reason, binding)
                graph.rebind(node)
            elif offset == -1:
                for size in (1, 4, 8) if kind is INTEGER else (kind.size,):
                    place = graph.place(node, (start % size, size, size))
                    self.seed(place, TypeTree(entries), reason)
                    node, start, stride = graph.target(pointer)
            elif kind is INTEGER and not stride:
                graph.state_integers(node, start + offset, start + offset + 1, reason)
            elif kind.size:
                place = graph.cell_at(pointer, offset, kind.size)
                self.seed(place, TypeTree(entries), reason, binding)

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

    def guess(self) -> None:
        """Apply the weak evidence, where nothing stronger was found."""
        for cell, reason in self._weak:
            self.graph.set_kind(cell, INTEGER, reason, weak=True)
        for instruction in self._bits:
            self.graph.set_kind(self.cell(instruction), INTEGER, instruction, weak=True)
        for mine, yours, reason in self._compared:
            for first, second in ((mine, yours), (yours, mine)):
                if self.graph.kind(first) is INTEGER:
                    self.graph.set_kind(second, INTEGER, reason, weak=True)


def _is_copied(value: Instruction) -> bool:
    """Is this an integer that is loaded only to be stored, as a small memcpy is?"""
    return (
        isinstance(value, Load)
        and isinstance(value.type, IntType)
        and value.type.bits >= 32
        and bool(value.users)
        and all(isinstance(u, Store) and u.pointer is not value for u in value.users)
    )


_HANDLERS: dict[str, Callable[[TypeRules, Instruction], None]] = {
    "load": TypeRules.load,
    "store": TypeRules.store,
    "alloca": TypeRules.alloca,
    "getelementptr": TypeRules.gep,
    "phi": TypeRules.merge,
    "select": TypeRules.merge,
    "freeze": TypeRules.merge,
    "ret": TypeRules.result,
    "extractvalue": TypeRules.part,
    "insertvalue": TypeRules.part,
    "extractelement": TypeRules.lane,
    "insertelement": TypeRules.lane,
    "icmp": TypeRules.compare,
    "switch": TypeRules.switch,
    "atomicrmw": TypeRules.atomic,
    "cmpxchg": TypeRules.atomic,
    "call": TypeRules.call,
    "invoke": TypeRules.call,
    **{opcode: TypeRules.bits for opcode in _BITWISE},
    **{
        opcode: TypeRules.cast
        for opcode in (
            "trunc zext sext fptoui fptosi uitofp sitofp ptrtoint inttoptr bitcast addrspacecast".split()
        )
    },
}
