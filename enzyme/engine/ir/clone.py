"""Copies instructions and whole functions under a map from old to new values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

from enzyme.engine.ir.instructions import Instruction, Phi
from enzyme.engine.ir.module import Block, Function, is_local
from enzyme.engine.ir.values import Argument, MetadataOperand, Value

I = TypeVar("I", bound=Instruction)  # noqa: E741

# A comdat belongs to one symbol, and a distinct subprogram to one function.
_NOT_COPIED = re.compile(r'(?:^|\s)(?:comdat\b(?:\(\$(?:"[^"]*"|[^)]*)\))?|!dbg !\d+)')

_HANDLED = {"blocks", "metadata", "name", "operands", "parent", "type", "users"}
_EXTRA: dict[type, tuple[str, ...]] = {}


def clone_instruction(inst: I, mapping: Mapping[Value, Value]) -> I:
    """A copy that is in no block yet; operands (and blocks of a phi) without an entry stay as they are."""
    kind = type(inst)
    extra = _EXTRA.get(kind)
    if extra is None:
        slots = [s for base in kind.__mro__ for s in getattr(base, "__slots__", ())]
        extra = _EXTRA[kind] = tuple(s for s in slots if s not in _HANDLED)
    made = kind.__new__(kind)
    made.type = inst.type
    made.name = inst.name
    made.users = {}
    made.parent = None
    made.metadata = dict(inst.metadata)
    for slot in extra:
        value = getattr(inst, slot)
        setattr(made, slot, list(value) if type(value) is list else value)
    made.operands = []
    for operand in inst.operands:
        if isinstance(operand, MetadataOperand) and operand.value in mapping:
            assert operand.value is not None
            operand = MetadataOperand(operand.type, operand.text, mapping[operand.value])
        made.append_operand(mapping.get(operand, operand))
    if isinstance(inst, Phi):
        assert isinstance(made, Phi)
        made.blocks = [_block(mapping.get(block, block)) for block in inst.blocks]
    return made


def substitute(inst: Instruction, mapping: Mapping[Value, Value]) -> None:
    """Put other values, and blocks, in the place of operands and of the blocks of a phi."""
    for index, operand in enumerate(inst.operands):
        inst.set_operand(index, mapping.get(operand, operand))
    if isinstance(inst, Phi):
        inst.blocks = [_block(mapping.get(block, block)) for block in inst.blocks]


def fill_copies(
    copies: Mapping[Block, Block], known: Mapping[Value, Value] | None = None
) -> dict[Value, Value]:
    """Copy the instructions of blocks into others of the same function, which may be used in any order.

    Values that are `known` stand in the place of those of the blocks. Returned is the map from every block and
    instruction to what stands for it in the copies.
    """
    mapping: dict[Value, Value] = dict(copies.items())
    for block, copy in copies.items():
        for inst in block.instructions:
            mapping[inst] = copy.append(clone_instruction(inst, mapping))
    mapping.update(known or {})
    for copy in copies.values():
        for inst in copy.instructions:
            substitute(inst, mapping)
    return mapping


def _block(value: Value) -> Block:
    assert isinstance(value, Block)
    return value


def clone_function(
    function: Function, new_name: str, value_map: Mapping[Value, Value] | None = None
) -> tuple[Function, dict[Value, Value]]:
    """Copy a function into its module under another name.

    `value_map` replaces values on the way: an argument by a constant (the parameter stays), a function by
    another. Returned with the copy: the map from every argument, block and instruction to its copy.
    Attributes stay except comdat and debug subprogram, which may have one owner only. What is told to debuggers of
    variables speaks of those of the subprogram, and stays with it.
    """
    args = [Argument(a.type, a.name, a.index, a.attributes) for a in function.args]
    made = Function(
        new_name,
        function.function_type,
        args,
        function.prefix,
        _NOT_COPIED.sub("", function.suffix).strip(),
    )
    made.type = function.type
    mapping: dict[Value, Value] = dict(zip(function.args, args, strict=True))
    mapping.update(value_map or {})
    for block in function.blocks:
        mapping[block] = made.append_block(block.name)
    early: list[tuple[Instruction, int]] = []
    for block in function.blocks:
        target = _block(mapping[block])
        for inst in block.instructions:
            if inst.opcode.startswith("#dbg_"):
                continue
            for index, operand in enumerate(inst.operands):
                if operand not in mapping and is_local(operand):
                    early.append((inst, index))
            copy = clone_instruction(inst, mapping)
            copy.metadata.pop("DIAssignID", None)
            copy.parent = target
            target.instructions.append(copy)
            mapping.setdefault(inst, copy)
    for inst, index in early:
        copied = mapping[inst]
        assert isinstance(copied, Instruction)
        copied.set_operand(index, mapping[inst.operands[index]])
    if function.module is not None:
        function.module.add_function(made)
    return made, mapping


__all__ = ["clone_function", "clone_instruction", "fill_copies", "substitute"]
