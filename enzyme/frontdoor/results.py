"""Gives the caller of ``__enzyme_*`` the results in the type that it declared."""

from __future__ import annotations

import re
from collections.abc import Sequence

from enzyme.engine.analysis.kinds import DiffMode
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Block, Module
from enzyme.engine.ir.types import VOID, Type, struct_type
from enzyme.engine.ir.values import Value
from enzyme.frontdoor.failures import FrontDoorError
from enzyme.frontdoor.sites import AUGMENTED_WORD, Site


def mismatch(site: Site, wanted: str) -> FrontDoorError:
    """The call is declared to return something else than its derivative gives."""
    gives = ", ".join(str(t) for t in site.results) or "nothing"
    todo = ""
    if site.mode is DiffMode.REVERSE and site.results:
        todo = "declare it to return one value per enzyme_out argument, or mark it enzyme_const"
    return FrontDoorError(
        where=site.place,
        what=f"the call is declared to return {wanted}, but the derivative of @{site.primal.name}"
        f" gives {gives}",
        todo=todo or (),
    )


def deliver(b: Builder, site: Site, values: Sequence[Value]) -> None:
    """Put the values in the place of the call's result, or in the memory that the caller names for it."""
    call = site.call
    if site.sret is not None:
        if not values:
            raise mismatch(site, "a structure")
        size = DataLayout.of(b.module).size_of(_packed(values))
        found = re.search(r"sret\((.*)\)", call.arg_attributes[0])
        declared = size_of_text(b.module, found.group(1)) if found else None
        if declared is not None and declared != size:
            raise mismatch(site, f"a structure of {declared} bytes")
        b.store(b.make_struct(_packed(values), values), site.sret)
        return
    if call.type is VOID:
        # Adjoints of what no marker speaks of are nobody's loss.
        if values and (site.demanded or site.returns_primal) and site.word != AUGMENTED_WORD:
            raise mismatch(site, "nothing")
        return
    if call.users:
        call.replace_uses_with(_in_type(b, site, values, call.type))


def _in_type(b: Builder, site: Site, values: Sequence[Value], wanted: Type) -> Value:
    """The values as one of the declared type."""
    if not values:
        raise mismatch(site, str(wanted))
    alone = len(values) == 1 or site.word == AUGMENTED_WORD
    if alone and wanted is values[0].type:
        return values[0]
    made_type = _packed(values)
    layout = DataLayout.of(b.module)
    if not wanted.is_aggregate and not wanted.is_vector:
        raise mismatch(site, str(wanted))
    if layout.size_of(wanted) != layout.size_of(made_type):
        raise mismatch(site, str(wanted))
    made = b.make_struct(made_type, values)
    if wanted is made_type:
        return made
    # Structures of one size that differ in name only, or as C passes them in registers.
    entry = b.function.entry
    memory = Builder(entry, entry.first_non_phi()).alloca(made_type)
    b.before(site.call)
    b.store(made, memory)
    return b.load(wanted, memory)


def _packed(values: Sequence[Value]) -> Type:
    return struct_type([v.type for v in values])


def size_of_text(module: Module, type_text: str) -> int | None:
    """Bytes of a named structure."""
    struct = module.structs.get(type_text)
    return None if struct is None else DataLayout.of(module).size_of(struct)


def replace_call(call: Call, made: Call | None = None) -> None:
    """Take a call out of the module whose result nobody reads.

    An ``invoke`` goes on to its normal destination; what stands for it now may end in the exceptions that it did.
    """
    if call.opcode == "invoke":
        normal, unwind = call.successors()
        block = call.parent
        assert block is not None
        b = Builder()
        b.before(call)
        b.br(normal)
        if made is None:
            for phi in unwind.phis():
                phi.remove_incoming(block)
            call.erase()
        else:
            call.erase()
            _invoke(made, unwind)
        return
    call.erase()


def _invoke(made: Call, unwind: Block) -> None:
    """Let a call lead to a landing pad; what stands behind it moves into a block of its own."""
    block = made.parent
    assert block is not None and block.parent is not None
    after = block.parent.append_block("called", block)
    place = block.index_of(made)
    moved = block.instructions[place + 1 :]
    for i in moved:
        i.parent = after
    after.instructions = moved
    block.instructions = block.instructions[:place]
    for successor in dict.fromkeys(after.terminator.successors()):
        for phi in successor.phis():
            phi.blocks = [after if b is block else b for b in phi.blocks]
    other = Call(
        made.function_type,
        made.callee,
        made.arguments,
        made.name,
        made.flags,
        opcode="invoke",
        destinations=[after, unwind],
        cc=made.cc,
    )
    other.metadata = dict(made.metadata)
    made.replace_uses_with(other)
    made.parent = None
    made.drop_operands()
    block.append(other)
