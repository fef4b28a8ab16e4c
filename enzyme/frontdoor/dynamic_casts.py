"""``dynamic_cast`` in copies of primals: the object itself, at the distance that its class says, or null.

The compiler tells the function of C++'s run time at which offset of the class that is asked for the given class
lies, where that is one place. Then the library decides only whether the object is of that class.
"""

from __future__ import annotations

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.types import I8, I64, PTR, function_type
from enzyme.engine.ir.values import ConstInt, zero_of

_NAME = "__dynamic_cast"


def cast_by_offset(function: Function, prefix: str) -> None:
    """Rewrite the casts; the library's function is called by a name with this prefix, and gives a number."""
    module = function.module
    assert module is not None
    for call in [i for i in function.instructions() if isinstance(i, Call)]:
        if call.callee_name != _NAME or call.opcode != "call" or len(call.arguments) != 4:
            continue
        offset = call.arguments[3]
        if not isinstance(offset, ConstInt) or offset.value < 0:
            continue
        kinds = [v.type for v in call.arguments]
        b = Builder()
        b.before(call)
        asked = module.declare(prefix + _NAME, function_type(I64, kinds), "nounwind")
        found = b.icmp("ne", b.call(asked, call.arguments), ConstInt(I64, 0))
        place = b.gep(I8, call.arguments[0], [ConstInt(I64, -offset.value)])
        call.replace_uses_with(b.select(found, place, zero_of(PTR)))
        call.erase()
