"""Bodies of functions."""

from __future__ import annotations

from collections.abc import Callable

from enzyme.engine.ir.dispatch import Dispatch
from enzyme.engine.ir.instructions import (
    Instruction,
)
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.opcodes import (
    BINARY_FLOAT,
    BINARY_INT,
    CASTS,
    DEBUG_RECORDS,
    INSTRUCTIONS,
    TERMINATORS,
)
from enzyme.engine.ir.reading.constants import Forward
from enzyme.engine.ir.reading.names import NUMBERED, local_key, local_name
from enzyme.engine.ir.reading.rare import RareReader
from enzyme.engine.ir.types import VOID
from enzyme.engine.ir.values import Value


class BodyReader(RareReader):
    """Reads the blocks of a function."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.number = 0  # of the next unnamed local

    def start_block(self, function: Function, key: str, position: int) -> Block:
        if key in self.values:
            self.fail(f"{key} is defined twice", position)
        block = self.blocks.get(key)
        if block is None:
            block = self.blocks[key] = Block(local_name(key))
        elif block.parent is not None:
            self.fail(f"block {key} is defined twice", position)
        block.parent = function
        function.blocks.append(block)
        return block

    def enter(self, function: Function, keys: list[str]) -> None:
        """Forget the locals of the function before; the arguments of this one are known by `keys`."""
        self.values = {}
        self.blocks = {}
        self.block_uses = {}
        self.forwards = {}
        self.wrapped = []
        self.number = 0
        for key, argument in zip(keys, function.args, strict=True):
            if key in self.values:
                self.fail(f"argument {key} is defined twice", self.pos)
            self.values[key] = argument
            if NUMBERED.fullmatch(key):
                self.number = int(key[1:]) + 1

    def body(self, function: Function, keys: list[str]) -> None:
        tokens, handlers = self.tokens, READER.handlers
        self.enter(function, keys)
        self.expect("{")
        block: Block | None = None
        while True:
            token = tokens[self.pos]
            if token == "}":
                if block is not None:
                    self.fail("block without terminator")
                break
            if token[-1:] == ":":
                if block is not None:
                    self.fail("block without terminator")
                key = local_key("%" + token[:-1])
                if NUMBERED.fullmatch(key):
                    self.number = int(key[1:]) + 1
                block = self.start_block(function, key, self.pos)
                self.pos += 1
                continue
            start = self.pos
            if token[:12] == "uselistorder":
                self.pos += 1
                continue
            if block is None:
                block = self.start_block(function, f"%{self.number}", start)
                self.number += 1
            named = ""
            if token[:1] == "%":
                named = token
                if tokens[start + 1] != "=":
                    self.fail(f"expected '=' after {token}", start + 1)
                token = tokens[start + 2]
                self.pos = start + 3
            else:
                self.pos = start + 1
            handler = handlers.get(token)
            if handler is None:
                if token not in _HEADS:
                    self.fail(f"unknown instruction {token or 'at the end'!r}", self.pos - 1)
                handler = BodyReader.headed_call
            instruction = handler(self, token)
            if tokens[self.pos] == ",":
                self.attachments(instruction)
            instruction.parent = block
            block.instructions.append(instruction)
            if named or instruction.type is not VOID:
                self.define(named, instruction, start)
            if token in TERMINATORS:
                block = None
        self.expect("}")
        if not function.blocks:
            self.fail("function without blocks", self.pos - 1)
        for key, forward in self.forwards.items():
            self.fail(f"use of undefined value {key}", forward.position)
        for key, used in self.blocks.items():
            if used.parent is None:
                self.fail(f"use of undefined block {key}", self.block_uses[key])

    def define(self, token: str, instruction: Instruction, position: int) -> None:
        """Make the result known by its name, or by the next number without one."""
        if not token:
            key = f"%{self.number}"
            self.number += 1
        else:
            if instruction.type is VOID:
                self.fail("an instruction without result cannot have a name", position)
            key = token if token[1] != '"' else local_key(token)
            if key[1].isdigit() and key[1:].isdigit():
                self.number = int(key[1:]) + 1
            else:
                instruction.name = local_name(key)
            if key in self.values or (key in self.blocks and self.blocks[key].parent is not None):
                self.fail(f"{key} is defined twice", position)
        self.values[key] = instruction
        if key in self.forwards:
            self.resolve(self.forwards.pop(key), instruction)

    def resolve(self, forward: Forward, value: Value) -> None:
        if forward.type is not value.type:
            self.fail(
                f"{forward.key} is of type {value.type}, not {forward.type}", forward.position
            )
        forward.replace_uses_with(value)
        for wrapper in self.wrapped:
            if wrapper.value is forward:
                wrapper.value = value


# Words in front of a call.
_HEADS = frozenset(("tail", "musttail", "notail"))

READER: Dispatch[Callable[[BodyReader, str], Instruction]] = Dispatch(
    "reader",
    "the text becomes instructions",
    INSTRUCTIONS,
    {
        **dict.fromkeys(BINARY_INT | BINARY_FLOAT, BodyReader.binary),
        **dict.fromkeys(CASTS, BodyReader.cast),
        **dict.fromkeys(("fneg", "freeze"), BodyReader.unary),
        **dict.fromkeys(("icmp", "fcmp"), BodyReader.compare),
        **dict.fromkeys(("call", "invoke", "callbr"), BodyReader.call),
        **dict.fromkeys(("extractvalue", "insertvalue"), BodyReader.aggregate),
        **dict.fromkeys(("cleanuppad", "catchpad"), BodyReader.pad),
        **dict.fromkeys(DEBUG_RECORDS, BodyReader.debug_record),
        "select": BodyReader.select,
        "phi": BodyReader.phi,
        "getelementptr": BodyReader.gep,
        "load": BodyReader.load,
        "store": BodyReader.store,
        "alloca": BodyReader.alloca,
        "extractelement": BodyReader.extract_element,
        "insertelement": BodyReader.insert_element,
        "shufflevector": BodyReader.shuffle_vector,
        "va_arg": BodyReader.va_arg,
        "ret": BodyReader.ret,
        "br": BodyReader.br,
        "switch": BodyReader.switch,
        "indirectbr": BodyReader.indirectbr,
        "resume": BodyReader.resume,
        "unreachable": BodyReader.unreachable,
        "fence": BodyReader.fence,
        "cmpxchg": BodyReader.cmpxchg,
        "atomicrmw": BodyReader.atomicrmw,
        "landingpad": BodyReader.landingpad,
        "catchswitch": BodyReader.catchswitch,
        "catchret": BodyReader.catchret,
        "cleanupret": BodyReader.cleanupret,
    },
)
