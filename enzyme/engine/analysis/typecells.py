"""Cells for the values of one function, and facts about them that come from outside the instructions.

Floats are known by their LLVM type and get no cell. Integers and pointers get a cell each. What consists of
parts (structs, arrays, integer vectors, wide integers, and integers that are only loaded to be stored again)
is a *blob*: a region of memory of its own, so that parts of different kinds stay apart.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

from enzyme.engine.analysis.addresses import (
    Steps,
    distance,
    gep_steps,
    place_in,
    scalars_in,
    spacing,
)
from enzyme.engine.analysis.typegraph import TypeGraph
from enzyme.engine.analysis.typereasons import Reason
from enzyme.engine.analysis.typetags import is_plain_constant
from enzyme.engine.analysis.typetree import (
    INTEGER,
    POINTER,
    SEVERAL,
    UNKNOWN,
    ConcreteType,
    Path,
    TypeTree,
    float_kind,
    untold,
)
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.dispatch import Dispatch
from enzyme.engine.ir.instructions import Instruction
from enzyme.engine.ir.items import looks_twice
from enzyme.engine.ir.module import Module
from enzyme.engine.ir.opcodes import CONSTANTS
from enzyme.engine.ir.types import I1, I8, FloatType, IntType, Type, VectorType
from enzyme.engine.ir.values import (
    ConstAggregate,
    Constant,
    ConstExpr,
    ConstInt,
    ConstString,
    GlobalVariable,
    Value,
    kind_of,
)


class TypeCells:
    """The cells of one function; `copied` holds the integers that are blobs.

    `weak` are the cells that integer arithmetic tells of. `constants` are those in memory (pointer cell, offset,
    value) that may be floats as well, since LLVM moves constants as integers; `merged` are cells of such values;
    `texts` are constants of bytes (pointer cell, offset, size).
    """

    def __init__(self, module: Module, layout: DataLayout, graph: TypeGraph) -> None:
        self.graph = graph
        self.module = module
        self.layout = layout
        self.looks_twice = looks_twice(module)
        self.cells: dict[Value, int] = {}
        self.copied: set[Value] = set()
        self.weak: list[tuple[int, Reason]] = []
        self.constants: list[tuple[int, int, ConstInt, Reason]] = []
        self.merged: list[tuple[int, Reason]] = []
        self.texts: list[tuple[int, int, int, Reason]] = []

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
        if isinstance(type_, VectorType) and type_.scalable:
            return -1
        blob = value in self.copied
        made = self.cells[value] = self.cell_for(type_, value, blob)
        return made

    def cell_for(self, type_: Type, reason: Reason, blob: bool = False) -> int:
        if blob or self.is_blob(type_):
            made = self.graph.new_pointer((self.graph.new_node(), 0, 0), reason)
            for offset, scalar in scalars_in(type_, self.layout) if type_.is_aggregate else ():
                if isinstance(scalar, FloatType):
                    self._state(made, offset, float_kind(scalar), reason)
                elif scalar.is_pointer:
                    self._state(made, offset, POINTER, reason)
            return made
        made = self.graph.new_cell()
        if type_.is_pointer:
            self.graph.set_kind(made, POINTER, reason)
        return made

    def _state(self, pointer: int, offset: int, kind: ConcreteType, reason: Reason) -> None:
        self.graph.set_kind(self.graph.cell_at(pointer, offset, kind.size), kind, reason)

    def _constant_cell(self, value: Value) -> int:
        assert isinstance(value, Constant)
        handler = CONSTANT_TYPES.handlers.get(kind_of(value))
        return -1 if handler is None else handler(self, value)

    def _symbol_cell(self, value: Value) -> int:
        made = self.cells[value] = self.graph.new_pointer((self.graph.new_node(), 0, 0), value)
        return made

    def _variable_cell(self, value: Value) -> int:
        assert isinstance(value, GlobalVariable)
        made = self._symbol_cell(value)
        if value.initializer is not None:
            self.put(made, 0, value.initializer, value)
        elif value.is_const and value.value_type is I8:  # defined elsewhere; a byte is no float
            self.graph.set_kind(self.graph.cell_at(made, 0, 1), INTEGER, value)
        return made

    def _copy_cell(self, value: Value) -> int:
        assert isinstance(value, ConstExpr)
        return self.cell(value.operands[0])

    def is_strong_blob(self, value: Value) -> bool:
        return value in self.copied or self.is_blob(value.type)

    # Memory ---------------------------------------------------------------------------------------

    def put(
        self,
        pointer: int,
        offset: int,
        value: Value,
        reason: Reason,
        told: ConcreteType = UNKNOWN,
    ) -> None:
        """`value` stands `offset` bytes behind a pointer cell (also: is got from there); a tag has `told` its kind."""
        type_ = value.type
        graph = self.graph
        if pointer < 0 or (isinstance(type_, VectorType) and type_.scalable):
            return
        if isinstance(type_, FloatType):
            kind = float_kind(type_)
            graph.set_kind(graph.cell_at(pointer, offset, kind.size, told), kind, reason)
        elif isinstance(type_, VectorType) and type_.element.is_float:
            kind = float_kind(type_.element)
            for lane in range(min(type_.count, 64)):
                place = graph.cell_at(pointer, offset + lane * kind.size, kind.size, told)
                graph.set_kind(place, kind, reason)
        elif isinstance(value, ConstAggregate):
            for index, element in enumerate(value.elements[:64]):
                place_offset, _ = place_in(type_, [index], self.layout)
                self.put(pointer, offset + place_offset, element, reason, told)
        elif not value.is_constant and self.is_strong_blob(value):
            self._link(pointer, offset, self.cell(value), self.layout.size_of(type_), reason, told)
        elif isinstance(value, ConstString):
            if self.graph.by_tags:
                self.texts.append((pointer, offset, self.layout.size_of(type_), reason))
        elif isinstance(value, ConstInt):
            if told is UNKNOWN and self.graph.by_tags and is_plain_constant(value):
                self.constants.append((pointer, offset, value, reason))
            elif value.value and type_ is not I1 and told is UNKNOWN:
                place = graph.cell_at(pointer, offset, self.layout.size_of(type_))
                if may_be_floats(value):
                    self.constants.append((pointer, offset, value, reason))
                else:
                    self.weak.append((place, reason))
        elif type_ is I1:
            graph.set_kind(graph.cell_at(pointer, offset, 1, told), INTEGER, reason)
        elif isinstance(type_, IntType) or type_.is_pointer:
            place = graph.cell_at(pointer, offset, self.layout.size_of(type_), told)
            cell = self.cell(value)
            if cell >= 0:
                graph.unite(cell, place, reason)
            elif type_.is_pointer:
                graph.set_kind(place, POINTER, reason, weak=value.is_constant)

    def _link(
        self,
        pointer: int,
        offset: int,
        other: int,
        length: int,
        reason: Reason,
        told: ConcreteType,
    ) -> None:
        if offset:
            node, start, stride = self.graph.target(pointer)
            pointer = self.graph.new_pointer((node, start + offset, stride), reason)
        self.graph.link(pointer, other, length, reason, told)

    def gep_cell(self, gep: Value) -> int:
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
            ends = self._ends(steps)
            if ends is not None:
                made = self.graph.distances.pointer((node, offset + constant, stride), *ends, gep)
            else:
                constant, step = self._distance(constant, steps)
                made = self.graph.new_pointer((node, offset + constant, gcd(stride, step)), gep)
        for _, index in steps:
            self.integer(index, gep)
        waiting = self.cells.get(gep)
        if waiting is not None:
            self.graph.unite(waiting, made, gep)
        return made

    def _ends(self, steps: Steps) -> tuple[int, int] | None:
        """The pointers whose distance an index is, where nothing else tells what divides it."""
        if len(steps) != 1:
            return None
        scale, index = steps[0]
        if scale != 1 or not isinstance(index, Instruction) or index.opcode != "sub":
            return None
        if not any(isinstance(p, Instruction) and p.opcode == "ptrtoint" for p in index.operands):
            return None
        if distance(steps)[1] != 1:
            return None
        first, second = map(self.cell, index.operands)
        return (first, second) if first >= 0 and second >= 0 else None

    def _distance(self, constant: int, steps: Steps) -> tuple[int, int]:
        """How many bytes on an address is, and a multiple of how many more."""
        if not self.graph.apart and not self.looks_twice:
            return constant, spacing(steps)
        more, multiple = distance(steps)
        return constant + more, multiple

    def integer(self, value: Value, reason: Reason) -> None:
        cell = -1 if self.is_blob(value.type) else self.cell(value)
        if cell >= 0:
            self.graph.set_kind(cell, INTEGER, reason)

    # Facts from outside -----------------------------------------------------------------------------

    def seed_value(
        self,
        value: Value,
        tree: TypeTree,
        reason: Reason,
        binding: bool = False,
        weak: bool = False,
    ) -> None:
        """What somebody else knows, or guesses (`weak`), about a value.

        `binding`: [-1] really means every offset.
        """
        cell = self.cell(value)
        if cell >= 0 and tree:
            if self.is_strong_blob(value):
                self._seed_memory(cell, tree, reason, binding, weak)
            else:
                self.seed(cell, tree, reason, binding, weak)

    def seed(
        self,
        cell: int,
        tree: TypeTree,
        reason: Reason,
        binding: bool = False,
        weak: bool = False,
    ) -> None:
        kind = tree.inner
        if kind is not UNKNOWN:
            self.graph.set_kind(cell, kind, reason, weak)
        behind = tree.data0()
        if behind:
            self._seed_memory(cell, behind, reason, binding, weak)

    def _seed_memory(
        self, pointer: int, tree: TypeTree, reason: Reason, binding: bool, weak: bool
    ) -> None:
        graph = self.graph
        groups: dict[int, dict[Path, ConcreteType]] = {}
        for path, kind in tree:
            groups.setdefault(path[0], {})[(-1, *path[1:])] = kind
        runs: list[int] = []
        for offset, entries in groups.items():
            kind = entries.get((-1,), POINTER)
            target = node, start, stride = graph.target(pointer)
            if kind in SEVERAL or untold(kind) is not kind:
                self._seed_told(pointer, offset, entries, reason, weak)
            elif offset == -1 and binding:
                if kind is not INTEGER or graph.every(target) < 0:
                    self.seed(
                        graph.state_every(target, reason),
                        TypeTree.of_valid(entries),
                        reason,
                        binding,
                        weak,
                    )
                graph.rebind(node)
            elif offset == -1:
                for size in (1, 4, 8) if kind is INTEGER else (kind.size,):
                    place = graph.place(node, (start % size, size, size, UNKNOWN))
                    self.seed(place, TypeTree.of_valid(entries), reason, False, weak)
                    node, start, stride = graph.target(pointer)
            elif kind is INTEGER and weak:
                runs.append(offset)
            elif kind is INTEGER and not stride:
                graph.state_integers(node, start + offset, start + offset + 1, reason)
            elif kind.size:
                place = graph.cell_at(pointer, offset, kind.size)
                self.seed(place, TypeTree.of_valid(entries), reason, binding, weak)
        for low, size in _words(runs):
            graph.set_kind(graph.cell_at(pointer, low, size), INTEGER, reason, weak=True)

    def _seed_told(
        self,
        pointer: int,
        offset: int,
        entries: dict[Path, ConcreteType],
        reason: Reason,
        weak: bool,
    ) -> None:
        """What accesses with tags in another function say of a place: it is known by the kind that they tell."""
        kind = untold(entries[(-1,)])
        size = kind.size or 1
        tree = TypeTree.of_valid({**entries, (-1,): kind})
        if offset == -1:
            node, start, _ = self.graph.target(pointer)
            place = self.graph.place(node, (start % size, size, size, kind))
        else:
            place = self.graph.cell_at(pointer, offset, size, kind)
        self.seed(place, tree, reason, False, weak)


# Of what is ignored nothing is known but its type; floats and members are seen where a constant is stored (`put`).
CONSTANT_TYPES: Dispatch[Callable[[TypeCells, Value], int]] = Dispatch(
    "types",
    "what it tells of the memory that it leads to",
    CONSTANTS,
    {
        "variable": TypeCells._variable_cell,
        "function": TypeCells._symbol_cell,
        "alias": TypeCells._symbol_cell,
        "getelementptr": TypeCells.gep_cell,
        **dict.fromkeys(
            ("bitcast", "addrspacecast", "inttoptr", "ptrtoint", "ptrtoaddr"),
            TypeCells._copy_cell,
        ),
    },
    ignored="""
    integer float null undef poison zeroinitializer none string aggregate splat blockaddress
    dso_local_equivalent no_cfi ptrauth asm metadata trunc add sub xor extractelement insertelement
    shufflevector
    """.split(),
)


def may_be_floats(constant: ConstInt) -> bool:
    """Are these the bits of a normal float, or of two?

    Sizes, counts and flags are not: as floats they are subnormal. Of the values that are no numbers only those that
    everybody writes count.
    """
    assert isinstance(constant.type, IntType)
    bits = constant.type.bits
    value = constant.value % (1 << bits)
    if bits == 64:
        halves = value >> 32, value % (1 << 32)
        return _is_usual(value, 11, 52) or all(not h or _is_usual(h, 8, 23) for h in halves)
    return bits == 32 and _is_usual(value, 8, 23)


def _is_usual(value: int, exponent_bits: int, fraction_bits: int) -> bool:
    sign_and_exponent, fraction = divmod(value, 1 << fraction_bits)
    exponent = sign_and_exponent % (1 << exponent_bits)
    if exponent == (1 << exponent_bits) - 1:
        return fraction in (0, 1 << (fraction_bits - 1))
    return exponent > 0 or (sign_and_exponent > 0 and not fraction)


def _words(offsets: list[int]) -> list[tuple[int, int]]:
    """Sorted bytes put together to aligned words of 8, 4, 2 or 1 bytes."""
    present, found = set(offsets), []
    for low in offsets:
        if low in present:
            size = next(
                n for n in (8, 4, 2, 1) if low % n == 0 and present >= set(range(low, low + n))
            )
            present.difference_update(range(low, low + size))
            found.append((low, size))
    return found
