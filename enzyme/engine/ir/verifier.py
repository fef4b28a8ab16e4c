"""Checks that a function is what LLVM would accept and that the model's own bookkeeping is right.

Checked: one terminator per block, phis first and in step with the predecessors, operand types,
definitions before uses, ownership of operands, and the counts in `users`. Attributes and metadata are not
looked into. All problems are collected, in program order, into one error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from enzyme.engine.ir.conventions import convention_of
from enzyme.engine.ir.dispatch import Dispatch
from enzyme.engine.ir.graph import (
    DominatorTree,
    available_at_end,
    immediate_dominators,
    reverse_postorder,
)
from enzyme.engine.ir.instructions import (
    Aggregate,
    Call,
    Instruction,
    Phi,
)
from enzyme.engine.ir.module import Block, Function, Module
from enzyme.engine.ir.opcodes import (
    ATOMICS,
    BINARY_FLOAT,
    BINARY_INT,
    CASTS,
    INSTRUCTIONS,
    opcodes,
)
from enzyme.engine.ir.printer import local_names, print_instruction
from enzyme.engine.ir.types import I1, VOID, IntType, StructType, Type, VectorType
from enzyme.engine.ir.values import Argument, GlobalValue, MetadataOperand, Value
from enzyme.errors import IRVerifyError


def verify_function(function: Function) -> None:
    """Raise `IRVerifyError` unless the definition is well formed."""
    if function.is_declaration:
        return
    problems = list(_Checker(function).problems())
    if problems:
        raise _error(function.name, problems)


def verify_module(module: Module) -> None:
    """Verify every function, and that symbols are registered and counted right."""
    problems: list[str] = []
    counts: dict[Value, Counter[Instruction]] = {}
    for name, function in module.functions.items():
        if function.name != name or function.module is not module:
            problems.append(f"@{name} is registered for @{function.name} or of another module")
        verify_function(function)
        for inst in function.instructions():
            for operand in inst.operands:
                if isinstance(operand, GlobalValue):
                    counts.setdefault(operand, Counter())[inst] += 1
    symbols: list[GlobalValue] = [*module.functions.values(), *module.globals.values()]
    for symbol in symbols:
        if dict(counts.pop(symbol, {})) != symbol.users:
            problems.append(f"@{symbol.name}: the count of its users is wrong")
    problems += [f"@{symbol.name} is used but not in the module" for symbol in counts]
    if problems:
        raise _error("", problems)


def _error(function: str, problems: list[str]) -> IRVerifyError:
    head = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
    where = f" in @{function}" if function else ""
    error = IRVerifyError(head + where + ":\n  " + "\n  ".join(problems))
    error.function = function
    error.problems = tuple(problems)
    return error


class _Checker:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.names = local_names(function)
        self.position: dict[Value, int] = {}
        for index, inst in enumerate(function.instructions()):
            self.position[inst] = index

    def shown(self, inst: Instruction) -> str:
        try:
            return print_instruction(inst, self.names)
        except (KeyError, ValueError, IndexError):
            return repr(inst)

    def problems(self) -> Iterator[str]:
        broken = False
        for problem in self.structure():
            broken = True
            yield problem
        for block in self.function.blocks:
            for inst in block.instructions:
                for problem in (*self.ownership(inst), *operand_types(inst, self.function)):
                    broken = True
                    yield f"{self.shown(inst)}: {problem}"
        yield from self.user_counts()
        if not broken:
            yield from self.phis()
            yield from self.dominance()

    def structure(self) -> Iterator[str]:
        function, names = self.function, self.names
        if len(function.args) != len(function.function_type.params) or any(
            a.type is not t for a, t in zip(function.args, function.function_type.params)
        ):
            yield "the arguments do not match the type of the function"
        for argument in function.args:
            if argument.function is not function:
                yield f"argument {names[argument]} belongs to another function"
        for block in function.blocks:
            name = names[block]
            if block.parent is not function:
                yield f"block {name} belongs to another function"
            if not block.is_terminated:
                yield f"block {name} has no terminator"
            seen_other = False
            for index, inst in enumerate(block.instructions):
                if inst.parent is not block:
                    yield f"{self.shown(inst)}: in block {name} but with another parent"
                if inst.is_terminator and index + 1 < len(block.instructions):
                    yield f"{self.shown(inst)}: terminator in the middle of block {name}"
                if not isinstance(inst, Phi):
                    seen_other = True
                elif seen_other:
                    yield f"{self.shown(inst)}: phi after other instructions in block {name}"

    def ownership(self, inst: Instruction) -> Iterator[str]:
        operands = list(inst.operands)
        operands += [o.value for o in operands if isinstance(o, MetadataOperand) and o.value]
        if isinstance(inst, Phi):
            operands += inst.blocks
            if len(inst.blocks) != len(inst.operands):
                yield "as many values as blocks expected"
        for operand in operands:
            if isinstance(operand, (Instruction, Block, Argument)):
                if operand not in self.names and operand not in self.position:
                    kind = type(operand).__name__.lower()
                    yield f"{kind} %{operand.name or '?'} is not of this function"
            elif isinstance(operand, GlobalValue):
                module = self.function.module
                if module is not None and module.symbol(operand.name) is not operand:
                    yield f"symbol @{operand.name} is not of this module"

    def user_counts(self) -> Iterator[str]:
        counts: dict[Value, dict[Instruction, int]] = {}
        for inst in self.position:
            assert isinstance(inst, Instruction)
            for operand in inst.operands:
                if operand.tracks_users and not isinstance(operand, GlobalValue):
                    users = counts.setdefault(operand, {})
                    users[inst] = users.get(inst, 0) + 1
        values: list[Value] = [*self.function.args, *self.function.blocks, *self.position]
        for value in values:
            if counts.get(value, {}) != value.users:
                name = self.names.get(value) or f"an instruction without name ({value!r})"
                yield f"{name}: the count of its users is wrong"

    def phis(self) -> Iterator[str]:
        edges: dict[Block, list[Block]] = {block: [] for block in self.function.blocks}
        for block in self.function.blocks:
            for successor in block.terminator.successors():
                edges[successor].append(block)
        if edges[self.function.entry]:
            yield "the entry has predecessors"
        for block in self.function.blocks:
            phis = block.phis()
            if not phis:
                continue
            expected = Counter(edges[block])
            for phi in phis:
                if Counter(phi.blocks) != expected:
                    listed = ", ".join(self.names[b] for b in edges[block]) or "none"
                    yield f"{self.shown(phi)}: the predecessors are {listed}"
                    continue
                values: dict[Block, Value] = {}
                for value, source in phi.incoming:
                    if values.setdefault(source, value) is not value and not value.is_constant:
                        yield f"{self.shown(phi)}: two values from {self.names[source]}"

    def dominance(self) -> Iterator[str]:
        blocks = self.function.blocks
        successors = {block: block.successors() for block in blocks}
        predecessors: dict[Block, list[Block]] = {block: [] for block in blocks}
        for block in blocks:
            for successor in successors[block]:
                predecessors[successor].append(block)
        order = reverse_postorder(self.function.entry, successors)
        tree = DominatorTree(immediate_dominators(order, predecessors.__getitem__))

        def dominates(above: Block, below: Block) -> bool:
            return below not in tree.parents or (
                above in tree.parents and tree.is_ancestor(above, below)
            )

        for block in order:
            for inst in block.instructions:
                for index, operand in enumerate(inst.operands):
                    if not isinstance(operand, Instruction):
                        continue
                    place = inst.blocks[index] if isinstance(inst, Phi) else block
                    if operand.parent is place and not isinstance(inst, Phi):
                        fine = self.position[operand] < self.position[inst]
                    elif place not in tree.parents:
                        fine = True
                    else:
                        fine = available_at_end(operand, place, dominates, predecessors.__getitem__)
                    if not fine:
                        yield f"{self.shown(inst)}: {self.names[operand]} does not dominate this use"


def operand_types(inst: Instruction, function: Function) -> Iterator[str]:
    """Problems with the types of the operands and of the result."""
    check = OPERAND_TYPES.handlers[inst.opcode]
    return check(inst, [o.type for o in inst.operands], function) if check else iter(())


def _binary(inst: Instruction, types: list[Type], function: Function) -> Iterator[str]:
    if len(types) != 2 or types[0] is not types[1] or types[0] is not inst.type:
        yield "operands and result must have one type"
    elif inst.opcode in BINARY_FLOAT and not inst.type.scalar.is_float:
        yield f"float expected, not {inst.type}"
    elif inst.opcode in BINARY_INT and not inst.type.scalar.is_int:
        yield f"integer expected, not {inst.type}"


def _compare(inst: Instruction, types: list[Type], function: Function) -> Iterator[str]:
    if len(types) != 2 or types[0] is not types[1]:
        yield "operands must have one type"
    elif types[0].scalar.is_float != (inst.opcode == "fcmp"):
        yield f"cannot compare {types[0]}"


def _phi(inst: Instruction, types: list[Type], function: Function) -> Iterator[str]:
    for type_ in types:
        if type_ is not inst.type:
            yield f"a value of {type_} in a phi of {inst.type}"


def _access(inst: Instruction, types: list[Type], function: Function) -> Iterator[str]:
    if len(types) != (2 if inst.opcode == "store" else 1) or not types[-1].is_pointer:
        yield "the address must be a pointer"


def _atomic(inst: Instruction, types: list[Type], function: Function) -> Iterator[str]:
    if not types or not types[0].is_pointer:
        yield "the address must be a pointer"
    elif any(t is not types[1] for t in types[2:]):
        yield "operands must have one type"


def _gep(inst: Instruction, types: list[Type], function: Function) -> Iterator[str]:
    if not types[0].scalar.is_pointer:
        yield f"the base must be a pointer, not {types[0]}"
    for type_ in types[1:]:
        if not type_.scalar.is_int:
            yield f"an index must be an integer, not {type_}"


def _alloca(inst: Instruction, types: list[Type], function: Function) -> Iterator[str]:
    if types and not types[0].is_int:
        yield "the count must be an integer"


def _vector(inst: Instruction, types: list[Type], function: Function) -> Iterator[str]:
    if not types[0].is_vector:
        yield f"a vector expected, not {types[0]}"


def _cast(inst: Instruction, types: list[Type], function: Function) -> Iterator[str]:
    opcode, to = inst.opcode, inst.type
    if len(types) != 1:
        yield "one operand expected"
        return
    source, target = types[0].scalar, to.scalar
    described = INSTRUCTIONS[opcode]
    if described.operands == "v":
        return
    if (_kind(source), _kind(target)) != (described.operands, described.result):
        yield f"{opcode} cannot turn {types[0]} into {to}"
    elif isinstance(source, IntType) and isinstance(target, IntType):
        if source.bits == target.bits or (source.bits < target.bits) == (opcode == "trunc"):
            yield f"{opcode} cannot turn {types[0]} into {to}"
    elif opcode in ("fptrunc", "fpext"):
        narrower = _bits(source) < _bits(target)
        if _bits(source) == _bits(target) or narrower == (opcode == "fptrunc"):
            yield f"{opcode} cannot turn {types[0]} into {to}"


def _bits(type_: Type) -> int:
    return int(getattr(type_, "bits", 0))


def _kind(type_: Type) -> str:
    if type_.is_int:
        return "i"
    if type_.is_float:
        return "f"
    return "p" if type_.is_pointer else "?"


def _call(inst: Instruction, types: list[Type], function: Function) -> Iterator[str]:
    assert isinstance(inst, Call)
    called = inst.function_type
    arguments = inst.arguments
    enough = len(arguments) >= len(called.params)
    if not enough or (len(arguments) > len(called.params) and not called.vararg):
        yield f"{len(arguments)} arguments for {called}"
    for argument, type_ in zip(arguments, called.params):
        if argument.type is not type_:
            yield f"an argument of {argument.type} where {type_} is expected"
    if inst.type is not called.ret:
        yield f"the result is {called.ret}, not {inst.type}"
    if not inst.callee.type.is_pointer:
        yield "the callee must be a pointer"
    if isinstance(inst.callee, Function):
        if called is not inst.callee.function_type:
            yield f"a call of {called}, but the function is {inst.callee.function_type}"
        if convention_of(inst.cc) != inst.callee.convention:
            theirs = inst.callee.convention or "ccc"
            yield f"a call by {inst.cc or 'ccc'}, but the function is {theirs}"


def _aggregate(inst: Instruction, types: list[Type], function: Function) -> Iterator[str]:
    assert isinstance(inst, Aggregate)
    type_ = inst.operands[0].type
    for index in inst.indices:
        elements = getattr(type_, "elements", None)
        if isinstance(type_, StructType) and elements is not None and index < len(elements):
            type_ = elements[index]
        elif not isinstance(type_, (StructType, VectorType)) and hasattr(type_, "element"):
            type_ = type_.element
        else:
            yield f"{type_} has no element {index}"
            return
    if inst.opcode == "extractvalue":
        if type_ is not inst.type:
            yield f"the result is {type_}, not {inst.type}"
    elif type_ is not inst.operands[1].type:
        yield f"an element of {inst.operands[1].type} where {type_} is expected"
    elif inst.operands[0].type is not inst.type:
        yield "the result must have the type of the aggregate"


def _ret(inst: Instruction, types: list[Type], function: Function) -> Iterator[str]:
    expected = function.function_type.ret
    found = types[0] if types else VOID
    if found is not expected:
        yield f"returns {found} where {expected} is expected"


def _br(inst: Instruction, types: list[Type], function: Function) -> Iterator[str]:
    if len(types) not in (1, 3) or (len(types) == 3 and types[0] is not I1):
        yield "a branch takes one block, or an i1 and two blocks"
    elif not all(isinstance(o, Block) for o in inst.operands[-2 if len(types) == 3 else -1 :]):
        yield "a branch leads to blocks"


def _switch(inst: Instruction, types: list[Type], function: Function) -> Iterator[str]:
    if any(t is not types[0] for t in types[2::2]) or not types[0].is_int:
        yield "cases must have the type of the value"
    elif not all(isinstance(o, Block) for o in inst.operands[1::2]):
        yield "a switch leads to blocks"


def _select(inst: Instruction, types: list[Type], function: Function) -> Iterator[str]:
    if len(types) != 3 or types[1] is not types[2] or types[1] is not inst.type:
        yield "both choices and the result must have one type"
    elif types[0].scalar is not I1:
        yield f"the condition must be i1, not {types[0]}"


def _unary(inst: Instruction, types: list[Type], function: Function) -> Iterator[str]:
    if len(types) != 1 or types[0] is not inst.type:
        yield "operand and result must have one type"


OPERAND_TYPES: Dispatch[Callable[[Instruction, list[Type], Function], Iterator[str]]] = Dispatch(
    "verifier",
    "the types of operands and result are right",
    INSTRUCTIONS,
    {
        **dict.fromkeys(BINARY_INT | BINARY_FLOAT, _binary),
        **dict.fromkeys(CASTS, _cast),
        **dict.fromkeys(("icmp", "fcmp"), _compare),
        **dict.fromkeys(("load", "store", "va_arg"), _access),
        **dict.fromkeys(ATOMICS, _atomic),
        **dict.fromkeys(("call", "invoke", "callbr"), _call),
        **dict.fromkeys(("extractvalue", "insertvalue"), _aggregate),
        **dict.fromkeys(("fneg", "freeze"), _unary),
        **dict.fromkeys(("extractelement", "insertelement", "shufflevector"), _vector),
        "phi": _phi,
        "getelementptr": _gep,
        "alloca": _alloca,
        "select": _select,
        "br": _br,
        "ret": _ret,
        "switch": _switch,
    },
    ignored=(
        "indirectbr",
        "unreachable",
        "fence",
        *opcodes("exceptions", "debug records"),
    ),
)

__all__ = ["verify_function", "verify_module"]
