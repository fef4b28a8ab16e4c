"""A number that is stored together with another one, as two halves of an integer, is stored for itself.

Records of eight bytes are passed in a register: ``(bits of the float << 32) | count``.  Stored for itself, each part is
what it is.
"""

from __future__ import annotations

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Instruction, Store
from enzyme.engine.ir.module import Module
from enzyme.engine.ir.types import DOUBLE, FLOAT, HALF, I8, PTR, IntType, Type
from enzyme.engine.ir.values import Value
from enzyme.engine.preprocess.register_bits import Trace, is_little

_FLOATS: dict[int, Type] = {64: DOUBLE, 32: FLOAT, 16: HALF, 8: I8}


def store_parts(module: Module) -> None:
    """Take such stores apart in the whole module; the low bits come first there."""
    if not is_little(module):
        return
    for function in module.functions.values():
        if not any(map(_takes_bits, function.instructions())):
            continue
        for store in [i for i in function.instructions() if isinstance(i, Store)]:
            type_ = store.value.type
            if not isinstance(type_, IntType) or store.flags or store.suffix:
                continue
            if type_.bits in (32, 64, 128) and store.pointer.type is PTR:
                _take_apart(store, type_.bits)


def _takes_bits(i: Instruction) -> bool:
    """Are these the bits of floats, as integers?"""
    return (
        i.opcode == "bitcast" and i.operands[0].type.scalar.is_float and not i.type.scalar.is_float
    )


def _take_apart(store: Store, bits: int) -> None:
    traces: list[Trace] = []
    parts = _parts(store.value, 0, bits, traces) if isinstance(store.value, Instruction) else None
    if parts is None or not any(part.type.is_float for _, part in parts):
        for trace in reversed(traces):
            trace.undo()
        return
    b = Builder()
    b.before(store)
    for low, part in parts:
        b.store(part, b.byte_offset(store.pointer, low // 8), 1)
    store.erase()
    for trace in traces:
        trace.tidy()


def _parts(
    value: Value, low: int, width: int, traces: list[Trace]
) -> list[tuple[int, Value]] | None:
    """What the bits of a value are, each part as large as can be, with its first bit; None if some are not seen."""
    if width in _FLOATS:
        traces.append(Trace(_FLOATS[width]))
        found = traces[-1].find(value, low, width)
        if found is not None and found is not value:
            return [(low, found)]
    if width <= 8:
        return None
    first = _parts(value, low, width // 2, traces)
    second = _parts(value, low + width // 2, width // 2, traces) if first is not None else None
    return [*first, *second] if first is not None and second is not None else None
