"""The address of an entry is asked for below a phi, not above it.

Entries of growing objects move, so the reverse pass asks a shadow for them anew, by object and place.  Where control
flow chooses between two addresses (`phi [place(d, i), a], [place(d, j), b]`, as in every loop over a dictionary) it
could not ask; between two places it can choose: `place(d, phi [i, a], [j, b])`.
"""

from __future__ import annotations

from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.ir.clone import clone_instruction
from enzyme.engine.ir.instructions import Call, Phi
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.values import Value


def sink_item_addresses(function: Function) -> None:
    """Rewrite every phi of addresses in one object, until none is left."""
    pending = [phi for block in function.blocks for phi in block.phis() if phi.type.is_pointer]
    changed = True
    while changed:
        changed = False
        for phi in list(pending):
            calls = _same_question(phi)
            if calls:
                _sink(phi, calls)
                pending.remove(phi)
                changed = True


def _same_question(phi: Phi) -> list[Call]:
    """The incoming calls, if all ask one object for entries."""
    calls = [v for v in phi.operands if isinstance(v, Call)]
    if len(calls) < len(phi.operands):
        return []
    first = calls[0]
    known = lookup_known(first)
    if known is None or known.kind != "items" or len(first.arguments) < 2:
        return []
    same = all(c.callee is first.callee and c.arguments[0] is first.arguments[0] for c in calls)
    return calls if same else []


def _sink(phi: Phi, calls: list[Call]) -> None:
    block = phi.parent
    assert block is not None
    mapping: dict[Value, Value] = {}
    below = clone_instruction(calls[0], mapping)
    for index in range(1, len(calls[0].arguments)):
        places = Phi(calls[0].arguments[index].type, (), f"{phi.name}.at")
        for call, (_, source) in zip(calls, phi.incoming, strict=True):
            places.add_incoming(call.arguments[index], source)
        block.insert(0, places)
        below.set_operand(index, places)
    below.name = f"{phi.name}.item"
    block.insert(len(block.phis()), below)
    phi.replace_uses_with(below)
    phi.erase()
