"""A second body for a function, in which something is known. Which body runs is asked where the function begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import fill_copies
from enzyme.engine.ir.instructions import Alloca
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.values import Value


def add_body(
    function: Function,
    name: str,
    suppose: Callable[[Builder], tuple[Value, Mapping[Value, Value]]],
) -> None:
    """`suppose` writes the condition under which the second body runs, and says what then stands for which values."""
    entry = function.entry
    start = Block(name)
    start.parent = function
    function.blocks.insert(0, start)
    b = Builder(start)
    condition, known = suppose(b)
    blocks = function.blocks[1:]
    copies = {block: function.append_block(f"{block.name}.{name}") for block in blocks}
    fill_copies(copies, known)
    for block in (entry, copies[entry]):
        for i in list(block.instructions):
            if isinstance(i, Alloca) and not i.operands:
                block.instructions.remove(i)
                start.insert(0, i)
    b.at_end(start)
    b.cond_br(condition, copies[entry], entry)
