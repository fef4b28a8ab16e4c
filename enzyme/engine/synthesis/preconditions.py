"""What the body of a function must not hold if the function is to be differentiated.

Synthesis follows values through blocks, calls and memory. These constructs move control or memory in ways of their
own: a derivative that ignored them would be wrong. Where no success can be reached from, they do no harm.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from enzyme.engine.ir.instructions import Alloca, Call, Instruction
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.types import VectorType
from enzyme.engine.ir.values import RawConstant
from enzyme.engine.synthesis.failures import unsupported
from enzyme.errors import EnzymeNoDerivativeError

_FUNCTION_ATTRIBUTES = {
    "presplitcoroutine": "a coroutine",
    "naked": "a function whose body is assembly alone ('naked')",
}
_PARAMETER_ATTRIBUTES = {
    word: f"a parameter that is passed as '{word}'"
    for word in ("inalloca", "preallocated", "swifterror")
}
_OPCODES = {
    "invoke": "a call that may end in an exception ('invoke')",
    "callbr": "assembly that may jump ('callbr')",
    "indirectbr": "a jump to a computed address ('indirectbr')",
    "va_arg": "a function with a variable number of arguments ('va_arg')",
    **{
        word: f"the handling of exceptions ('{word}')"
        for word in "resume landingpad catchswitch catchpad catchret cleanuppad cleanupret".split()
    },
}
_WORD = re.compile(r"[\w-]+")


def check_constructs(function: Function, name: str, skipped: Container[Block]) -> None:
    """Raise for the first construct of a function, known to the user as `name`, that has no derivative.

    Blocks in `skipped` lead to a failure; nothing of them is differentiated.
    """
    words = set(_WORD.findall(re.sub(r'"[^"]*"', "", function.attribute_texts())))
    for word, what in _FUNCTION_ATTRIBUTES.items():
        if word in words:
            raise _refusal(what, name)
    for argument in function.args:
        for word, what in _PARAMETER_ATTRIBUTES.items():
            if argument.has_attribute(word):
                raise _refusal(what, name)
    for block in function.blocks:
        if block not in skipped:
            for instruction in block.instructions:
                for what in _found_in(instruction):
                    raise unsupported(
                        instruction, what, "it is in a function that is differentiated"
                    )


def _found_in(i: Instruction) -> Iterator[str]:
    if i.opcode in _OPCODES:
        yield _OPCODES[i.opcode]
    types = [i.type, i.allocated_type] if isinstance(i, Alloca) else [i.type]
    if any(isinstance(type_, VectorType) and type_.scalable for type_ in types):
        yield "a vector of scalable length"
    if isinstance(i, Alloca) and set(i.flags) & _PARAMETER_ATTRIBUTES.keys():
        yield _PARAMETER_ATTRIBUTES[i.flags[0]]
    if any(isinstance(o, RawConstant) and o.text.startswith("blockaddress") for o in i.operands):
        yield "the address of a block ('blockaddress')"
    if isinstance(i, Call):
        attributes = i.fn_attributes
        if isinstance(i.callee, Function):
            attributes += f" {i.callee.attribute_texts()}"
        if "returns_twice" in attributes.split():
            yield f"a call that may return twice ('{i.callee_name}')"


def _refusal(what: str, name: str) -> EnzymeNoDerivativeError:
    return EnzymeNoDerivativeError(
        what=f"no derivative is known for {what}: '{name}'",
        todo="keep active values away from it: pass its inputs as Const",
    )
