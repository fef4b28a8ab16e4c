"""Instructions kept as pieces of text and operands."""

from __future__ import annotations

from collections.abc import Iterator

from enzyme.engine.ir.instructions import Instruction, Raw
from enzyme.engine.ir.reading.calls import CallReader
from enzyme.engine.ir.types import I1, TOKEN, VOID, struct_type
from enzyme.engine.ir.values import Value

_CMPXCHG = frozenset(("weak", "volatile"))


_ATOMIC_OPERATIONS = frozenset(
    """
    xchg add sub and nand or xor max min umax umin fadd fsub fmax fmin fmaximum fminimum uinc_wrap
    udec_wrap usub_cond usub_sat fmaximumnum fminimumnum
    """.split()
)


class RareReader(CallReader):
    """Reads atomics, exception handling and debug records."""

    def entries(self, close: str, pieces: list[str | int]) -> Iterator[None]:
        """Stop at each entry of a list up to `close`; the commas between become pieces."""
        first = True
        while not self.accept(close):
            if not first:
                self.expect(",")
                pieces.append(", ")
            first = False
            yield

    def raw_list(self, pieces: list[str | int], operands: list[Value], count: int) -> None:
        """``type value`` `count` times with commas between."""
        for index in range(count):
            if index:
                self.expect(",")
                pieces.append(", ")
            value = self.typed_value()
            pieces += (value.type.text + " ", len(operands))
            operands.append(value)

    def words(self, allowed: frozenset[str]) -> str:
        found = self.flags(allowed)
        return " ".join(found) + " " if found else ""

    def raw_align(self, pieces: list[str | int]) -> None:
        order = self.orderings()
        if order:
            pieces.append(" " + order)
        align = self.align()
        if align:
            pieces.append(f", align {align}")

    def fence(self, opcode: str) -> Instruction:
        return Raw(opcode, VOID, (), (f"fence {self.orderings()}",))

    def cmpxchg(self, opcode: str) -> Instruction:
        pieces: list[str | int] = [f"cmpxchg {self.words(_CMPXCHG)}"]
        operands: list[Value] = []
        self.raw_list(pieces, operands, 3)
        self.raw_align(pieces)
        return Raw(opcode, struct_type([operands[1].type, I1]), operands, pieces)

    def atomicrmw(self, opcode: str) -> Instruction:
        volatile = "volatile " if self.accept("volatile") else ""
        operation = self.tokens[self.pos]
        if operation not in _ATOMIC_OPERATIONS:
            self.fail(f"unknown operation {operation!r} of atomicrmw")
        self.pos += 1
        pieces: list[str | int] = [f"atomicrmw {volatile}{operation} "]
        operands: list[Value] = []
        self.raw_list(pieces, operands, 2)
        self.raw_align(pieces)
        return Raw(opcode, operands[1].type, operands, pieces)

    def landingpad(self, opcode: str) -> Instruction:
        type_ = self.type_()
        pieces: list[str | int] = [f"landingpad {type_.text}"]
        operands: list[Value] = []
        if self.accept("cleanup"):
            pieces.append(" cleanup")
        while (word := self.tokens[self.pos]) in ("catch", "filter"):
            self.pos += 1
            pieces.append(f" {word} ")
            self.raw_list(pieces, operands, 1)
        return Raw(opcode, type_, operands, pieces)

    def token_operand(self, pieces: list[str | int], operands: list[Value]) -> None:
        pieces.append(len(operands))
        operands.append(self.value(TOKEN))

    def raw_block(self, pieces: list[str | int], operands: list[Value]) -> None:
        block = self.block()
        pieces += ("label ", len(operands))
        operands.append(block)

    def pad(self, opcode: str) -> Instruction:
        """``cleanuppad`` and ``catchpad``."""
        self.expect("within")
        pieces: list[str | int] = [f"{opcode} within "]
        operands: list[Value] = []
        self.token_operand(pieces, operands)
        self.expect("[")
        pieces.append(" [")
        for _ in self.entries("]", pieces):
            self.raw_list(pieces, operands, 1)
        pieces.append("]")
        return Raw(opcode, TOKEN, operands, pieces)

    def unwind_target(self, pieces: list[str | int], operands: list[Value]) -> None:
        self.expect("unwind")
        if self.accept("to"):
            self.expect("caller")
            pieces.append(" unwind to caller")
        else:
            pieces.append(" unwind ")
            self.raw_block(pieces, operands)

    def catchswitch(self, opcode: str) -> Instruction:
        self.expect("within")
        pieces: list[str | int] = ["catchswitch within "]
        operands: list[Value] = []
        self.token_operand(pieces, operands)
        self.expect("[")
        pieces.append(" [")
        for _ in self.entries("]", pieces):
            self.raw_block(pieces, operands)
        pieces.append("]")
        self.unwind_target(pieces, operands)
        return Raw(opcode, TOKEN, operands, pieces)

    def catchret(self, opcode: str) -> Instruction:
        self.expect("from")
        pieces: list[str | int] = ["catchret from "]
        operands: list[Value] = []
        self.token_operand(pieces, operands)
        self.expect("to")
        pieces.append(" to ")
        self.raw_block(pieces, operands)
        return Raw(opcode, VOID, operands, pieces)

    def cleanupret(self, opcode: str) -> Instruction:
        self.expect("from")
        pieces: list[str | int] = ["cleanupret from "]
        operands: list[Value] = []
        self.token_operand(pieces, operands)
        self.unwind_target(pieces, operands)
        return Raw(opcode, VOID, operands, pieces)

    def debug_record(self, opcode: str) -> Instruction:
        """``#dbg_value(type value, !1, !DIExpression(), !2)`` and its kin."""
        self.expect("(")
        pieces: list[str | int] = [f"{opcode}("]
        operands: list[Value] = []
        for _ in self.entries(")", pieces):
            token = self.tokens[self.pos]
            if token == "!DIArgList":
                self.pos += 1
                self.expect("(")
                pieces.append("!DIArgList(")
                for _ in self.entries(")", pieces):
                    self.raw_list(pieces, operands, 1)
                pieces.append(")")
            elif token[:1] == "!":
                pieces.append(self.metadata_text())
            else:
                self.raw_list(pieces, operands, 1)
        pieces.append(")")
        return Raw(opcode, VOID, operands, pieces)
