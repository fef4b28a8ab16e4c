"""Calls."""

from __future__ import annotations

import re

from enzyme.engine.ir.conventions import CONVENTIONS
from enzyme.engine.ir.instructions import Call, Instruction
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.reading.constants import FAST_MATH, FLOAT_LITERAL, VALUE_WORDS
from enzyme.engine.ir.reading.instructions import InstructionReader
from enzyme.engine.ir.reading.names import symbol_key, symbol_name
from enzyme.engine.ir.reading.typereader import SIMPLE_TYPES
from enzyme.engine.ir.types import (
    METADATA,
    PTR,
    FloatType,
    FunctionType,
    Type,
    function_type,
    pointer_type,
)
from enzyme.engine.ir.values import Value

# Words that may follow the parenthesis of a call. They are listed because, newlines being no tokens, an
# unknown instruction on the next line must not be taken for an attribute.
_CALL_ATTRIBUTES = frozenset(
    """
    allockind allocsize alignstack alwaysinline argmemonly builtin cold convergent coro_elide_safe
    coro_only_destroy_when_complete disable_sanitizer_instrumentation fn_ret_thunk_extern hot
    hybrid_patchable inaccessiblemem_or_argmemonly inaccessiblememonly inlinehint jumptable memory minsize
    mustprogress naked nobuiltin nocallback nocf_check nocreateundeforpoison nodivergencesource
    noduplicate nofree noimplicitfloat noinline nomerge nonlazybind nooutline noprofile norecurse
    noredzone noreturn nosanitize_bounds nosanitize_coverage nosync nounwind null_pointer_is_valid
    optdebug optforfuzzing optnone optsize presplitcoroutine readnone readonly returns_twice safestack
    sanitize_address sanitize_alloc_token sanitize_hwaddress sanitize_memory sanitize_memtag
    sanitize_numerical_stability sanitize_realtime sanitize_realtime_blocking sanitize_thread sanitize_type
    shadowcallstack skipprofile speculatable speculative_load_hardening ssp sspreq sspstrong strictfp
    uwtable vscale_range willreturn writeonly
    """.split()
)


class CallReader(InstructionReader):
    """Reads calls of all kinds."""

    def headed_call(self, head: str) -> Instruction:
        self.expect("call")
        return self.call("call", head)

    def call(self, opcode: str, head: str = "") -> Instruction:
        flags = self.flags(FAST_MATH)
        cc, ret_attributes = self.before_type()
        returned = self.type_()
        callee, name = self.callee(ret_attributes)
        arguments, attributes = self.arguments()
        called = returned
        if not isinstance(called, FunctionType):
            called = function_type(returned, [a.type for a in arguments])
        if callee is None:
            callee = self.module.declare(symbol_name(name), called)
            self.symbols[symbol_key(name)] = callee
        fn_attributes = self.after_arguments()
        bundles = ""
        bundle_operands: list[Value] = []
        if self.tokens[self.pos] == "[":
            bundles, bundle_operands = self.bundles()
        return Call(
            called,
            callee,
            arguments,
            "",
            flags,
            opcode=opcode,
            destinations=self.destinations(opcode),
            head=head,
            cc=cc,
            ret_attributes=ret_attributes,
            arg_attributes=attributes,
            fn_attributes=fn_attributes,
            bundles=bundles,
            bundle_operands=bundle_operands,
        )

    def before_type(self) -> tuple[str, str]:
        """Calling convention and attributes of the result."""
        tokens = self.tokens
        convention = attributes = ""
        token = tokens[self.pos]
        if token in CONVENTIONS:
            start = self.pos
            self.attribute()
            convention = self.since(start)
            token = tokens[self.pos]
        if token not in SIMPLE_TYPES and not self.is_type_start(token):
            start = self.pos
            while not self.is_type_start(tokens[self.pos]):
                self.attribute()
            attributes = self.since(start)
        return convention, attributes

    def callee(self, ret_attributes: str) -> tuple[Value | None, str]:
        """What is called, and its token if it is a symbol; None for an intrinsic that was not declared."""
        position, name = self.pos, self.tokens[self.pos]
        if name[:1] != "@":
            space = PTR
            if "addrspace(" in ret_attributes:
                number = re.search(r"addrspace\((\d+)\)$", ret_attributes)
                assert number is not None
                space = pointer_type(int(number[1]))
            return self.value(space), ""
        self.pos += 1
        found = self.symbols.get(name) or self.symbols.get(symbol_key(name))
        if found is None and not name.startswith("@llvm."):
            self.fail(f"use of undefined symbol {name}", position)
        return found, name

    def arguments(self) -> tuple[list[Value], list[str]]:
        """The arguments in parentheses, and the attributes of each."""
        tokens = self.tokens
        self.expect("(")
        arguments: list[Value] = []
        attributes: list[str] = []
        while tokens[self.pos] != ")":
            if arguments:
                self.expect(",")
            type_ = self.type_()
            start = self.pos
            token = tokens[start]
            if type_ is METADATA:
                arguments.append(self.metadata_operand())
                attributes.append("")
                continue
            if token[:1] not in "%@":
                while (token := tokens[self.pos])[:1].isalpha() or token[:1] in ('"', "#"):
                    if self.is_value(type_, token):
                        break
                    self.attribute()
            attributes.append(self.since(start))
            arguments.append(self.value(type_))
        self.pos += 1
        return arguments, attributes

    def after_arguments(self) -> str:
        """Attributes of the call."""
        tokens, start = self.tokens, self.pos
        while True:
            token = tokens[self.pos]
            if token in _CALL_ATTRIBUTES or (token[:1] == '"' and token[-1] != ":"):
                self.attribute()
            elif token[:1] == "#" and token[1:].isdigit():
                self.pos += 1
            else:
                return self.since(start)

    def destinations(self, opcode: str) -> list[Block]:
        """Where ``invoke`` and ``callbr`` go on."""
        if opcode == "call":
            return []
        self.expect("to")
        found = [self.block()]
        if opcode == "callbr":
            return found + self.block_list()
        self.expect("unwind")
        return [*found, self.block()]

    def is_value(self, type_: Type, token: str) -> bool:
        """Is this word a value rather than an attribute in front of one?"""
        if token in VALUE_WORDS or token[:2] == 'c"':
            return True
        if isinstance(type_, FloatType):
            return FLOAT_LITERAL.fullmatch(token) is not None or token in ("nan", "snan")
        return token[:3] in ("u0x", "s0x")

    def bundles(self) -> tuple[str, list[Value]]:
        """``[ "tag"(type value, ...), ... ]`` as text with ``%{k}`` for the values."""
        self.expect("[")
        texts: list[str] = []
        operands: list[Value] = []
        while not self.accept("]"):
            if texts:
                self.expect(",")
            tag = self.tokens[self.pos]
            if tag[:1] != '"':
                self.fail(f"expected the tag of an operand bundle, found {tag!r}")
            self.pos += 1
            self.expect("(")
            inputs: list[str] = []
            while not self.accept(")"):
                if inputs:
                    self.expect(",")
                value = self.typed_value()
                inputs.append(f"{value.type.text} %{{{len(operands)}}}")
                operands.append(value)
            texts.append(f"{tag}({', '.join(inputs)})")
        return f"[ {', '.join(texts)} ]", operands
