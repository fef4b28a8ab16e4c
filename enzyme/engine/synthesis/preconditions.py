"""What the body of a function must not hold if the function is to be differentiated.

Synthesis follows values through blocks, calls and memory. These constructs move control or memory in ways of their
own: a derivative that ignored them would be wrong. Where no success can be reached from, they do no harm.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator

from enzyme.engine.ir.dispatch import Dispatch, Refusal, Refused
from enzyme.engine.ir.instructions import Alloca, Call, Instruction
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.opcodes import CONSTANTS, INSTRUCTIONS, opcodes
from enzyme.engine.ir.types import ArrayType, StructType, Type, VectorType
from enzyme.engine.ir.values import Constant, kind_of
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
                for what in constructs_in(instruction):
                    raise unsupported(
                        instruction, what, "it is in a function that is differentiated"
                    )


def constructs_in(i: Instruction) -> Iterator[str]:
    refusal = CONSTRUCTS.refusals.get(i.opcode)
    if refusal is not None:
        yield refusal.what
    handler = CONSTRUCTS.handlers[i.opcode]
    if handler is not None:
        yield from handler(i)
    for operand in i.operands:
        if isinstance(operand, Constant):
            refusal = CONSTANT_CONSTRUCTS.refusals.get(kind_of(operand))
            if refusal is not None:
                yield refusal.what


def _result(i: Instruction) -> Iterator[str]:
    if isinstance(i.type, VectorType) and i.type.scalable:
        yield _SCALABLE
    if i.type.is_aggregate and _members(i.type) > _MOST_MEMBERS:
        yield _LARGE


def _members(type_: Type) -> int:
    """How many values one of this type consists of."""
    if isinstance(type_, ArrayType):
        return type_.count * _members(type_.element)
    if isinstance(type_, StructType):
        return sum(_members(element) for element in type_.elements or ())
    return 1


def _alloca(i: Instruction) -> Iterator[str]:
    assert isinstance(i, Alloca)
    if isinstance(i.allocated_type, VectorType) and i.allocated_type.scalable:
        yield _SCALABLE
    if set(i.flags) & _PARAMETER_ATTRIBUTES.keys():
        yield _PARAMETER_ATTRIBUTES[i.flags[0]]


def _call(i: Instruction) -> Iterator[str]:
    assert isinstance(i, Call)
    yield from _result(i)
    attributes = i.fn_attributes
    if isinstance(i.callee, Function):
        attributes += f" {i.callee.attribute_texts()}"
    if "returns_twice" in attributes.split():
        yield f"a call that may return twice ('{i.callee_name}')"


def _refused(what: str) -> Refused:
    return Refused(EnzymeNoDerivativeError, what)


_SCALABLE = "a vector of scalable length"
# LLVM itself handles values of so many members one by one.
_MOST_MEMBERS = 1 << 14
_LARGE = f"a single value of more than {_MOST_MEMBERS} members"
_OTHERS = {
    "invoke": _refused("a call that may end in an exception ('invoke')"),
    "callbr": _refused("assembly that may jump ('callbr')"),
    "indirectbr": _refused("a jump to a computed address ('indirectbr')"),
    "va_arg": _refused("a function with a variable number of arguments ('va_arg')"),
    **{word: _refused(f"the handling of exceptions ('{word}')") for word in opcodes("exceptions")},
}

# Their result is no vector of scalable length unless an operand is.
_OF_SINGLE = ("extractelement", "insertvalue", "atomicrmw", "cmpxchg")

CONSTRUCTS: Dispatch[Callable[[Instruction], Iterator[str]]] = Dispatch(
    "constructs",
    "what moves control or memory in a way of its own",
    INSTRUCTIONS,
    {
        "alloca": Refusal(_alloca, EnzymeNoDerivativeError, "if `inalloca` or of scalable length"),
        "call": Refusal(_call, EnzymeNoDerivativeError, "if it may return twice"),
        **{
            o.name: Refusal(
                _result, EnzymeNoDerivativeError, "for scalable vectors and huge values"
            )
            for o in INSTRUCTIONS.values()
            if o.result and o.name not in ("alloca", "call", *_OF_SINGLE, *_OTHERS)
        },
    },
    ignored=[
        *_OF_SINGLE,
        *(o.name for o in INSTRUCTIONS.values() if not o.result and o.name not in _OTHERS),
    ],
    refused=_OTHERS,
)

_ADDRESSES = {
    "blockaddress": _refused("the address of a block ('blockaddress')"),
    "ptrauth": _refused("an address that is signed ('ptrauth')"),
}

CONSTANT_CONSTRUCTS: Dispatch[None] = Dispatch(
    "constructs",
    CONSTRUCTS.does,
    CONSTANTS,
    {},
    ignored=CONSTANTS.keys() - _ADDRESSES.keys(),
    refused=_ADDRESSES,
)


def _refusal(what: str, name: str) -> EnzymeNoDerivativeError:
    return EnzymeNoDerivativeError(
        what=f"no derivative is known for {what}: '{name}'",
        todo="keep active values away from it: pass its inputs as Const",
    )
