"""``__enzyme_batch``: a function called for several sets of arguments at once."""

from __future__ import annotations

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Module
from enzyme.engine.ir.types import VOID
from enzyme.engine.ir.values import ConstInt, Value
from enzyme.frontdoor.markers import marker_name, resolve
from enzyme.frontdoor.operands import MOST_LANES, Operands, location_in
from enzyme.frontdoor.results import deliver, replace_call
from enzyme.frontdoor.sites import Site

BATCH_WORD = "__enzyme_batch"
_KINDS = ("enzyme_vector", "enzyme_scalar", "enzyme_buffer")


def write_batch(call: Call, module: Module) -> None:
    """Put one call of the function for each set of arguments in the place of the batch."""
    reader = Operands(call, module)
    sret = reader.take_sret()
    primal = reader.primal()
    width = 0
    sets: list[list[Value]] = []
    for parameter in primal.args:
        shown = f"argument {parameter.index} of @{primal.name}"
        kind = None
        while kind is None:
            name = marker_name(resolve(reader.pending[0])) if reader.pending else None
            if name == "enzyme_width" and not width:
                reader.pending.pop(0)
                number = resolve(reader.pending.pop(0)) if reader.pending else None
                if not isinstance(number, ConstInt) or not 1 <= number.value <= MOST_LANES:
                    raise reader.fail(
                        f"enzyme_width needs a number from 1 to {MOST_LANES} that is known here"
                    )
                width = number.value
                sets = [[] for _ in range(width)]
            elif name in _KINDS and width:
                reader.pending.pop(0)
                kind = name
            else:
                raise reader.fail(
                    f"{shown} needs a marker" if width else "enzyme_width is missing",
                    todo="say enzyme_vector, enzyme_scalar or enzyme_buffer before each argument",
                )
        if kind == "enzyme_vector":
            for lane, arguments in enumerate(sets):
                arguments.append(reader.operand(parameter.type, f"value {lane} of {shown}"))
        elif kind == "enzyme_scalar":
            value = reader.operand(parameter.type, shown)
            for arguments in sets:
                arguments.append(value)
        else:
            if not parameter.type.is_pointer:
                raise reader.fail(f"{shown} cannot be enzyme_buffer", "it is not a pointer")
            stride = reader.integer(f"the distance of the values of {shown}")
            base = reader.operand(parameter.type, shown)
            addresses = reader.strided(base, stride, width)
            for arguments, address in zip(sets, addresses, strict=True):
                arguments.append(address)
    if reader.pending:
        raise reader.fail(f"{len(reader.pending)} operand(s) too many for @{primal.name}")
    b = Builder()
    b.before(call)
    made = [b.call(primal, arguments) for arguments in sets]
    for one in made:
        one.metadata = location_in(call)
    site = Site.of_batch(call, BATCH_WORD, primal, sret, reader.place, width)
    deliver(b, site, [] if primal.function_type.ret is VOID else made)
    replace_call(call)
