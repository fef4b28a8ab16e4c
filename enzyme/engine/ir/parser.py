"""Reads the textual IR that LLVM prints (LLVM 14 to 22 with opaque pointers) into a `Module`.

Two passes over the tokens: the first makes every symbol, so that the second (initializers and bodies)
finds them all. A local used before its definition stands in as a `_Forward` until it is defined.
A construct that is not known is an `IRParseError` with its line, never dropped. The one thing left out on
purpose are use-list orders, which mean nothing and would be wrong after any change.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn

from enzyme.engine.ir.instructions import (
    BINARY_FLOAT,
    BINARY_INT,
    CASTS,
    TERMINATORS,
    Aggregate,
    Alloca,
    Call,
    Cmp,
    Gep,
    Instruction,
    Load,
    Phi,
    Raw,
    Store,
)
from enzyme.engine.ir.lexer import END, position_of, quote_name, tokenize, unescape
from enzyme.engine.ir.module import Block, Function, Module
from enzyme.engine.ir.types import (
    FLOAT_TYPES,
    I1,
    I8,
    I32,
    LABEL,
    METADATA,
    PTR,
    TOKEN,
    VOID,
    ArrayType,
    FloatType,
    FunctionType,
    IntType,
    PointerType,
    StructType,
    Type,
    VectorType,
    array_type,
    function_type,
    int_type,
    opaque_type,
    pointer_type,
    struct_type,
    vector_type,
)
from enzyme.engine.ir.values import (
    Argument,
    ConstAggregate,
    ConstExpr,
    ConstFloat,
    ConstInt,
    ConstSimple,
    ConstSplat,
    ConstString,
    GlobalAlias,
    GlobalValue,
    GlobalVariable,
    MetadataOperand,
    RawConstant,
    Value,
)
from enzyme.errors import IRParseError

FAST_MATH = frozenset("fast nnan ninf nsz arcp contract afn reassoc".split())
INT_FLAGS = frozenset("nuw nsw exact disjoint nneg samesign inbounds nusw inrange".split())
_FLAGS = FAST_MATH | INT_FLAGS

_ORDERINGS = frozenset("unordered monotonic acquire release acq_rel seq_cst".split())

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

_VALUE_WORDS = (
    frozenset(
        """
    null undef poison true false zeroinitializer none splat blockaddress dso_local_equivalent no_cfi
    ptrauth asm getelementptr icmp fcmp select extractelement insertelement shufflevector
    """.split()
    )
    | BINARY_INT
    | BINARY_FLOAT
    | CASTS
)

_CONVENTIONS = frozenset(
    """
    cc ccc fastcc coldcc ghccc swiftcc swifttailcc tailcc webkit_jscc anyregcc preserve_mostcc
    preserve_allcc preserve_nonecc cfguard_checkcc cxx_fast_tlscc x86_stdcallcc x86_fastcallcc
    x86_thiscallcc x86_vectorcallcc x86_regcallcc x86_intrcc x86_64_sysvcc win64cc intel_ocl_bicc
    arm_apcscc arm_aapcscc arm_aapcs_vfpcc aarch64_vector_pcs aarch64_sve_vector_pcs
    aarch64_sme_preservemost_from_x0 aarch64_sme_preservemost_from_x1 aarch64_sme_preservemost_from_x2
    msp430_intrcc avr_intrcc avr_signalcc ptx_kernel ptx_device spir_func spir_kernel hhvmcc hhvm_ccc
    amdgpu_vs amdgpu_gs amdgpu_ps amdgpu_cs amdgpu_ls amdgpu_hs amdgpu_es amdgpu_gfx amdgpu_kernel
    amdgpu_cs_chain amdgpu_cs_chain_preserve amdgpu_gfx_whole_wave m68k_rtdcc graalcc riscv_vector_cc
    riscv_vls_cc cheriot_compartmentcallcc cheriot_compartmentcalleecc cheriot_librarycallcc
    """.split()
)

_FLOAT_LITERAL = re.compile(
    r"[-+]?\d+\.\d*(?:[eE][-+]?\d+)?|0x[KLMHR]?[0-9a-fA-F]+|f0x[0-9a-fA-F]+"
    r"|[-+]?(?:inf|qnan|nan|snan)",
    re.ASCII,
)
_INT_LITERAL = re.compile(r"-?\d+", re.ASCII)
_INT_TYPE = re.compile(r"i[1-9]\d*", re.ASCII)
_NUMBERED = re.compile(r"[%@]\d+", re.ASCII)
_GROUP_LINE = re.compile(r"attributes #(\d+)\s*=\s*\{(.*)\}\s*(?:;.*)?$", re.ASCII)
_METADATA_LINE = re.compile(r"!([^\s=]+)\s*=\s*(.*?)\s*$", re.ASCII)

# Filled with every integer type met; only types written as one word that takes no continuation.
_SIMPLE_TYPES: dict[str, Type] = {
    **{f"i{bits}": int_type(bits) for bits in (1, 2, 4, 8, 16, 32, 64, 128)},
    **FLOAT_TYPES,
    "void": VOID,
    "label": LABEL,
    "token": TOKEN,
    "metadata": METADATA,
    "x86_amx": opaque_type("x86_amx"),
    "x86_mmx": opaque_type("x86_mmx"),
}


def parse_module(text: str) -> Module:
    """Read one module.

    Raises
    ------
    IRParseError
        with line and column, for anything that is not understood.
    """
    return _Parser(text).module_()


class _Forward(Value):
    """Stands for a local that is used before its definition."""

    __slots__ = ("key", "position")

    def __init__(self, type_: Type, key: str, position: int) -> None:
        super().__init__(type_)
        self.key = key
        self.position = position


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.pos = 0
        self.module = Module()
        self.constants: dict[tuple[Type, str], Value] = {}
        self.symbols: dict[str, GlobalValue] = {}  # by token, with @
        # Of the function at hand, by token:
        self.values: dict[str, Value] = {}
        self.blocks: dict[str, Block] = {}
        self.block_uses: dict[str, int] = {}
        self.forwards: dict[str, _Forward] = {}
        self.wrapped: list[MetadataOperand] = []
        self.number = 0

    # Tokens -------------------------------------------------------------------------------------------

    def fail(self, message: str, position: int | None = None) -> NoReturn:
        line, text, column = position_of(self.text, self.pos if position is None else position)
        raise IRParseError(message, line=line, text=text, column=column)

    def expect(self, token: str) -> None:
        if self.tokens[self.pos] != token:
            self.fail(f"expected {token!r}, found {self.tokens[self.pos] or 'the end'!r}")
        self.pos += 1

    def accept(self, token: str) -> bool:
        if self.tokens[self.pos] == token:
            self.pos += 1
            return True
        return False

    def skip_group(self) -> None:
        """Step over a balanced group that opens at this position."""
        tokens, start, depth = self.tokens, self.pos, 0
        while True:
            token = tokens[self.pos]
            if token in ("(", "[", "{", "<"):
                depth += 1
            elif token in (")", "]", "}", ">"):
                depth -= 1
            elif token == END:
                self.fail("bracket without its end", start)
            self.pos += 1
            if depth == 0:
                return

    def attribute(self) -> None:
        """Step over one attribute: a word, a word with a group, ``align 8``, ``"key"="value"``, ``#3``."""
        token = self.tokens[self.pos]
        if not (token[:1].isalpha() or token[:1] in ('"', "#")) or token[-1] == ":":
            self.fail(f"expected an attribute, a type or a value, found {token or 'the end'!r}")
        self.pos += 1
        after = self.tokens[self.pos]
        if after == "(":
            self.skip_group()
        elif token in ("align", "cc", "alignstack") and after.isdigit():
            self.pos += 1
        elif (after == "=" and token[0] == '"') or (
            after == "=" and token in ("align", "alignstack")
        ):
            self.pos += 2

    def joined(self, start: int, end: int) -> str:
        if end == start + 1:
            return self.tokens[start]
        return join_tokens(self.tokens[start:end])

    # Types --------------------------------------------------------------------------------------------

    def type_(self) -> Type:
        token = self.tokens[self.pos]
        found = _SIMPLE_TYPES.get(token)
        if found is not None:
            self.pos += 1
        else:
            found = self.other_type(token)
        after = self.tokens[self.pos]
        if after == "(":
            return self.function_type_after(found)
        if after == "*":
            self.fail("typed pointers are not supported: this text is from an LLVM older than 15")
        return found

    def is_type_start(self, token: str) -> bool:
        return (
            token in _SIMPLE_TYPES
            or token in ("ptr", "{", "[", "<", "target")
            or token[:1] == "%"
            or _INT_TYPE.fullmatch(token) is not None
        )

    def other_type(self, token: str) -> Type:
        start = self.pos
        self.pos += 1
        if token == "ptr":
            if self.tokens[self.pos] == "addrspace":
                return pointer_type(self.addrspace())
            return PTR
        if token[:1] == "%":
            return self.module.named_struct(_struct_name(token))
        if token == "[":
            count = self.integer("a number of elements")
            self.expect("x")
            element = self.type_()
            self.expect("]")
            return array_type(count, element)
        if token == "<":
            if self.tokens[self.pos] == "{":
                self.pos += 1
                packed = struct_type(self.types_until("}"), True)
                self.expect(">")
                return packed
            scalable = self.accept("vscale")
            if scalable:
                self.expect("x")
            count = self.integer("a number of elements")
            self.expect("x")
            element = self.type_()
            self.expect(">")
            return vector_type(count, element, scalable)
        if token == "{":
            return struct_type(self.types_until("}"))
        if token == "target":
            self.skip_group()
            return opaque_type(self.joined(start, self.pos))
        if _INT_TYPE.fullmatch(token):
            made = _SIMPLE_TYPES[token] = int_type(int(token[1:]))
            return made
        self.fail(f"unknown type {token or 'at the end'!r}", start)

    def types_until(self, close: str) -> list[Type]:
        found: list[Type] = []
        if self.accept(close):
            return found
        while True:
            found.append(self.type_())
            if self.accept(close):
                return found
            self.expect(",")

    def function_type_after(self, ret: Type) -> FunctionType:
        self.expect("(")
        params: list[Type] = []
        vararg = False
        if not self.accept(")"):
            while True:
                if self.accept("..."):
                    vararg = True
                    self.expect(")")
                    break
                params.append(self.type_())
                if self.accept(")"):
                    break
                self.expect(",")
        return function_type(ret, params, vararg)

    def addrspace(self) -> int:
        self.pos += 1
        self.expect("(")
        number = self.integer("the number of an address space")
        self.expect(")")
        return number

    def integer(self, what: str) -> int:
        token = self.tokens[self.pos]
        if not _INT_LITERAL.fullmatch(token):
            self.fail(f"expected {what}, found {token or 'the end'!r}")
        self.pos += 1
        return int(token)

    # Module -------------------------------------------------------------------------------------------

    def module_(self) -> Module:
        tokens, module = self.tokens, self.module
        initializers: list[tuple[GlobalVariable | GlobalAlias, int]] = []
        bodies: list[tuple[Function, int, list[str]]] = []
        while True:
            token = tokens[self.pos]
            if token == END:
                break
            first = token[0]
            if first == "@":
                initializers.append(self.global_())
            elif token in ("define", "declare"):
                function, keys = self.signature()
                if token == "define":
                    bodies.append((function, self.pos, keys))
                    self.skip_group()
            elif first == "!" and "=" in token:
                self.metadata_line(token)
            elif token.startswith("attributes #"):
                self.attribute_group(token)
            elif first == "%" and tokens[self.pos + 1] == "=":
                self.struct_definition(token)
            elif first == "$" and tokens[self.pos + 1 : self.pos + 3] == ["=", "comdat"]:
                module.header.append(f"{token} = comdat {tokens[self.pos + 3]}")
                self.pos += 4
            elif token.startswith(("source_filename", "target ", "module ")):
                module.header.append(token.rstrip())
                self.pos += 1
            elif first == "^":
                module.footer.append(token.rstrip())
                self.pos += 1
            elif token.startswith("uselistorder"):
                self.pos += 1
            else:
                self.fail(f"unknown top-level construct {token!r}")
        renumbered = self.renumbered()
        if renumbered is not None:
            return renumbered.module_()
        for symbol, position in initializers:
            self.pos = position
            self.initializer(symbol)
        for function, position, keys in bodies:
            self.pos = position
            self.body(function, keys)
        return module

    def renumbered(self) -> _Parser | None:
        """A parser of the same text with unnamed symbols in the order in which they will be printed.

        LLVM wants their numbers to grow; None if they do already, as in all text that LLVM prints.
        """
        module = self.module
        numbers = [int(n) for n in (*module.globals, *module.functions) if n.isdigit()]
        if numbers == sorted(numbers):
            return None
        spelling = {f"@{number}": f"@{index}" for index, number in enumerate(numbers)}
        again = _Parser("")
        again.text = self.text
        again.tokens = [spelling.get(token, token) for token in self.tokens]
        return again

    def at_entity(self) -> bool:
        """Does a top-level entity, or the end, start here?"""
        token = self.tokens[self.pos]
        if token in ("define", "declare", END):
            return True
        if token[0] in "@%$" and self.tokens[self.pos + 1] == "=":
            return True
        return ("=" in token and token[0] in "!ast^") or token.startswith(
            ("module asm", "uselistorder")
        )

    def metadata_line(self, token: str) -> None:
        match = _METADATA_LINE.match(token)
        if match is None or not _balanced(match[2]):
            self.fail("metadata must stand on one line")
        name, text = match[1], match[2]
        if name.isdigit():
            self.module.metadata[int(name)] = text
        else:
            self.module.named_metadata[name] = text
        self.pos += 1

    def attribute_group(self, token: str) -> None:
        match = _GROUP_LINE.match(token)
        if match is None:
            self.fail("an attribute group must stand on one line")
        self.module.attribute_groups[int(match[1])] = match[2].strip()
        self.pos += 1

    def struct_definition(self, token: str) -> None:
        start = self.pos
        made = self.module.named_struct(_struct_name(token))
        self.pos += 2
        self.expect("type")
        if self.accept("opaque"):
            return
        body = self.type_()
        if not isinstance(body, StructType) or body.name:
            self.fail("the body of a named type must be a struct", start)
        if made.elements is not None:
            self.fail(f"type {token} is defined twice", start)
        made.elements, made.packed = body.elements, body.packed

    def add_symbol(self, token: str, symbol: GlobalValue, position: int) -> None:
        key = _symbol_key(token)
        if key in self.symbols:
            self.fail(f"{token} is defined twice", position)
        self.symbols[key] = symbol
        if isinstance(symbol, Function):
            self.module.add_function(symbol)
        else:
            assert isinstance(symbol, (GlobalVariable, GlobalAlias))
            self.module.globals[symbol.name] = symbol

    def global_(self) -> tuple[GlobalVariable | GlobalAlias, int]:
        tokens, start = self.tokens, self.pos
        token = tokens[start]
        self.pos += 1
        self.expect("=")
        prefix_start, space = self.pos, 0
        while (kind := tokens[self.pos]) not in ("global", "constant", "alias", "ifunc"):
            if kind == "addrspace":
                space = self.addrspace()
            elif kind[:1].isalpha():
                self.attribute()
            else:
                self.fail(f"expected global, constant, alias or ifunc, found {kind or 'the end'!r}")
        prefix = self.joined(prefix_start, self.pos) if self.pos > prefix_start else ""
        self.pos += 1
        value_type = self.type_()
        name = _symbol_name(token)
        symbol: GlobalVariable | GlobalAlias
        if kind in ("alias", "ifunc"):
            symbol = GlobalAlias(name, kind, value_type, ConstSimple(PTR, "null"), prefix, "")
            position = self.pos
        else:
            symbol = GlobalVariable(
                name, value_type, kind == "constant", None, prefix, "", pointer_type(space)
            )
            position = self.pos
        self.add_symbol(token, symbol, start)
        while not self.at_entity():
            self.pos += 1
        return symbol, position

    def initializer(self, symbol: GlobalVariable | GlobalAlias) -> None:
        if isinstance(symbol, GlobalAlias):
            self.expect(",")
            if self.tokens[self.pos] in _VALUE_WORDS:  # LLVM leaves out the type of an expression
                opcode = self.tokens[self.pos]
                self.pos += 1
                symbol.aliasee = self.constant_expression(None, opcode)
            else:
                symbol.aliasee = self.typed_value()
            symbol.type = symbol.aliasee.type
        elif not self.at_entity() and self.tokens[self.pos] != "," and not self.is_external(symbol):
            symbol.initializer = self.value(symbol.value_type)
        start = self.pos
        while not self.at_entity():
            token = self.tokens[self.pos]
            if token != "," and token[:1] not in ("!", "#", '"') and token not in _SUFFIX_WORDS:
                self.fail(f"unknown word {token!r} after a global")
            self.pos += 1
            if token[:1] == "!":
                self.skip_metadata_group(token)
            elif token == "comdat" and self.tokens[self.pos] == "(":
                self.skip_group()
            elif (
                token in ("section", "partition", "align", "code_model")
                or self.tokens[self.pos] == "="
            ):
                self.pos += 2 if self.tokens[self.pos] == "=" else 1
        symbol.suffix = self.joined(start, self.pos) if self.pos > start else ""

    def is_external(self, symbol: GlobalVariable) -> bool:
        words = symbol.prefix.split()
        return "external" in words or "extern_weak" in words

    def signature(self) -> tuple[Function, list[str]]:
        """Header of a function up to the opening brace of its body; also the tokens of its arguments."""
        tokens = self.tokens
        start = self.pos
        is_definition = tokens[start] == "define"
        self.pos += 1
        prefix_start = self.pos
        while not self.is_type_start(tokens[self.pos]):
            token = tokens[self.pos]
            if token[:1] == "!":
                self.pos += 1
                self.skip_metadata_group(token)
            else:
                self.attribute()
        prefix = self.joined(prefix_start, self.pos) if self.pos > prefix_start else ""
        ret = self.type_()
        name_position = self.pos
        token = tokens[self.pos]
        if token[:1] != "@":
            self.fail(f"expected the name of a function, found {token!r}")
        self.pos += 1
        self.expect("(")
        args: list[Argument] = []
        keys: list[str] = []
        vararg = False
        number = 0
        if not self.accept(")"):
            while True:
                if self.accept("..."):
                    vararg = True
                    self.expect(")")
                    break
                type_ = self.type_()
                attributes_start = self.pos
                while (word := tokens[self.pos]) not in (",", ")") and word[:1] != "%":
                    self.attribute()
                attributes = (
                    self.joined(attributes_start, self.pos) if self.pos > attributes_start else ""
                )
                if word[:1] == "%":
                    key = _local_key(word)
                    if _NUMBERED.fullmatch(key):
                        number = int(key[1:]) + 1
                    self.pos += 1
                else:
                    key = f"%{number}"
                    number += 1
                args.append(Argument(type_, _local_name(key), len(args), attributes))
                keys.append(key)
                if self.accept(")"):
                    break
                self.expect(",")
        suffix_start = self.pos
        while True:
            word = tokens[self.pos]
            if (word == "{" and is_definition) or (not is_definition and self.at_entity()):
                break
            self.pos += 1
            if word in ("prefix", "prologue", "personality"):
                self.constant_text()
            elif word == "section" or word == "gc" or word == "partition":
                self.pos += 1
            elif word[:1] == "!":
                self.skip_metadata_group(word)
            elif word == END:
                self.fail("function without a body", start)
            elif word[:1].isalpha() or word[:1] in ('"', "#"):
                self.pos -= 1
                self.attribute()
            else:
                self.fail(f"unknown {word!r} in the header of a function", self.pos - 1)
        suffix = self.joined(suffix_start, self.pos) if self.pos > suffix_start else ""
        function = Function(
            _symbol_name(token),
            function_type(ret, [a.type for a in args], vararg),
            args,
            prefix,
            suffix,
        )
        space = re.search(r"\baddrspace\((\d+)\)", suffix)
        if space:
            function.type = pointer_type(int(space[1]))
        self.add_symbol(token, function, name_position)
        return function, keys

    def constant_text(self) -> None:
        """Step over ``type constant`` without reading the constant, whose symbols may not exist yet."""
        self.type_()
        while self.tokens[self.pos] not in ("(", "[", "{", "<"):
            token = self.tokens[self.pos]
            self.pos += 1
            if token[:1] in "@%-0123456789cn" and token not in _VALUE_WORDS:
                return
            if token in ("null", "undef", "poison", "zeroinitializer", "true", "false", "none"):
                return
        self.skip_group()

    # Constants ----------------------------------------------------------------------------------------

    def typed_value(self) -> Value:
        return self.value(self.type_())

    def value(self, type_: Type) -> Value:
        token = self.tokens[self.pos]
        first = token[:1]
        if first == "%":
            self.pos += 1
            found = self.values.get(token)
            if found is None:
                found = self.local(type_, token)
            if found.type is not type_:
                self.fail(f"{token} is of type {found.type}, not {type_}", self.pos - 1)
            return found
        key = (type_, token)
        constant = self.constants.get(key)
        if constant is not None:
            self.pos += 1
            return constant
        constant = self.simple_constant(type_, token, first)
        if constant is not None:
            self.pos += 1
            self.constants[key] = constant
            return constant
        return self.other_constant(type_, token)

    def local(self, type_: Type, token: str) -> Value:
        key = _local_key(token)
        found = self.values.get(key) or self.forwards.get(key)
        if found is None:
            found = self.forwards[key] = _Forward(type_, key, self.pos - 1)
        return found

    def simple_constant(self, type_: Type, token: str, first: str) -> Value | None:
        if isinstance(type_, IntType):
            if _INT_LITERAL.fullmatch(token):
                return ConstInt(type_, int(token))
            if token in ("true", "false") and type_ is I1:
                return ConstInt(type_, token == "true")
            if token[:3] in ("u0x", "s0x"):
                number = int(token[3:], 16)
                # LLVM counts the width from the highest bit set, which makes every s0x negative.
                if first == "s" and number:
                    number -= 1 << number.bit_length()
                return ConstInt(type_, number)
        elif isinstance(type_, FloatType):
            if _FLOAT_LITERAL.fullmatch(token) and not (
                token.lstrip("+-") in ("nan", "snan") and self.tokens[self.pos + 1] == "("
            ):
                return ConstFloat(type_, token)
        elif first == "@" and isinstance(type_, PointerType):
            symbol = self.symbol(token)
            if symbol.type is not type_:
                self.fail(f"{token} is of type {symbol.type}, not {type_}")
            return symbol
        if token in ("undef", "poison", "zeroinitializer") and not type_.is_void:
            return ConstSimple(type_, token)
        if token == "null" and isinstance(type_, PointerType):
            return ConstSimple(type_, token)
        if token == "none" and (type_ is TOKEN or type_.text.startswith("target")):
            return ConstSimple(type_, token)
        if token[:2] == 'c"' and isinstance(type_, ArrayType):
            return ConstString(type_, token)
        return None

    def symbol(self, token: str) -> GlobalValue:
        found = self.symbols.get(token) or self.symbols.get(_symbol_key(token))
        if found is None:
            self.fail(f"use of undefined symbol {token}")
        return found

    def other_constant(self, type_: Type, token: str) -> Value:
        start = self.pos
        self.pos += 1
        if token == "[" and isinstance(type_, ArrayType):
            return ConstAggregate(type_, self.elements("]"))
        if token == "{" and isinstance(type_, StructType):
            return ConstAggregate(type_, self.elements("}"))
        if token == "<":
            if isinstance(type_, StructType) and self.accept("{"):
                made = ConstAggregate(type_, self.elements("}"))
                self.expect(">")
                return made
            if isinstance(type_, VectorType):
                return ConstAggregate(type_, self.elements(">"))
        if token == "splat" and isinstance(type_, VectorType):
            self.expect("(")
            element = self.typed_value()
            self.expect(")")
            return ConstSplat(type_, element)
        if token in ("blockaddress", "ptrauth") and self.tokens[self.pos] == "(":
            self.skip_group()
            return RawConstant(type_, self.joined(start, self.pos))
        if token in ("dso_local_equivalent", "no_cfi") and self.tokens[self.pos][:1] == "@":
            self.symbol(self.tokens[self.pos])
            self.pos += 1
            return RawConstant(type_, self.joined(start, self.pos))
        if token == "asm":
            return self.inline_asm(type_, start)
        if token.lstrip("+-") in ("nan", "snan") and isinstance(type_, FloatType):
            self.skip_group()
            return ConstFloat(type_, "".join(self.tokens[start : self.pos]))
        if token in _VALUE_WORDS:
            return self.constant_expression(type_, token)
        if type_ is METADATA:
            self.pos = start
            return self.metadata_operand()
        self.fail(f"expected a value of type {type_}, found {token or 'the end'!r}", start)

    def elements(self, close: str) -> list[Value]:
        found: list[Value] = []
        if self.accept(close):
            return found
        while True:
            found.append(self.typed_value())
            if self.accept(close):
                return found
            self.expect(",")

    def inline_asm(self, type_: Type, start: int) -> Value:
        while self.tokens[self.pos] in ("sideeffect", "alignstack", "inteldialect", "unwind"):
            self.pos += 1
        for separator in (",", ""):
            if self.tokens[self.pos][:1] != '"':
                self.fail(f"expected a string of inline assembly, found {self.tokens[self.pos]!r}")
            self.pos += 1
            if separator:
                self.expect(separator)
        return RawConstant(type_, self.joined(start, self.pos))

    def constant_expression(self, type_: Type | None, opcode: str) -> Value:
        tokens, start = self.tokens, self.pos
        while tokens[self.pos] != "(" or tokens[self.pos - 1] == "inrange":
            word = tokens[self.pos]
            if (
                word not in _FLAGS
                and opcode not in ("icmp", "fcmp")
                and tokens[self.pos - 1] != "inrange"
            ):
                self.fail(f"unknown word {word!r} in a constant expression")
            if word == "(":
                self.skip_group()
            else:
                self.pos += 1
        flags = self.joined(start, self.pos) if self.pos > start else ""
        self.expect("(")
        source_type = None
        if opcode == "getelementptr":
            source_type = self.type_()
            self.expect(",")
        operands = [self.typed_value()]
        if opcode in CASTS:
            self.expect("to")
            to = self.type_()
            if type_ is not None and to is not type_:
                self.fail(f"the constant expression is not of type {type_}")
            type_ = to
            self.expect(")")
        else:
            while not self.accept(")"):
                self.expect(",")
                operands.append(self.typed_value())
        return ConstExpr(type_ or operands[0].type, opcode, operands, flags, source_type)

    # Metadata -----------------------------------------------------------------------------------------

    def skip_metadata_group(self, token: str) -> None:
        """Step over the group that belongs to metadata token `token`, just passed: ``!{...}``, ``!X(...)``."""
        after = self.tokens[self.pos]
        if (token == "!" and after == "{") or (after == "(" and not token[1:2].isdigit()):
            self.skip_group()

    def metadata_text(self) -> str:
        start = self.pos
        token = self.tokens[start]
        if token[:1] != "!":
            self.fail(f"expected metadata, found {token or 'the end'!r}")
        self.pos += 1
        if token == "!" and self.tokens[self.pos] != "{":
            self.fail("expected metadata after '!'")
        if token == "!" or (not token[1:2].isdigit() and self.tokens[self.pos] == "("):
            self.skip_group()
        return self.joined(start, self.pos)

    def metadata_operand(self) -> Value:
        if self.tokens[self.pos][:1] == "!":
            return MetadataOperand(METADATA, self.metadata_text())
        made = MetadataOperand(METADATA, "", self.typed_value())
        if isinstance(made.value, _Forward):
            self.wrapped.append(made)
        return made

    def attachments(self, instruction: Instruction) -> None:
        """``, !kind !node`` as often as it comes."""
        tokens = self.tokens
        while tokens[self.pos] == ",":
            kind = tokens[self.pos + 1]
            if kind[:1] != "!" or len(kind) < 2:
                self.fail(f"unexpected {kind or 'end'!r} after an instruction", self.pos + 1)
            self.pos += 2
            node = tokens[self.pos]
            if node[1:2].isdigit() and node[0] == "!":
                self.pos += 1
                instruction.metadata[kind[1:]] = node
            else:
                instruction.metadata[kind[1:]] = self.metadata_text()

    # Function bodies ----------------------------------------------------------------------------------

    def block(self) -> Block:
        """``label %name``."""
        self.expect("label")
        token = self.tokens[self.pos]
        found = self.blocks.get(token)
        if found is None:
            if token[:1] != "%":
                self.fail(f"expected the name of a block, found {token!r}")
            key = _local_key(token)
            found = self.blocks.get(key)
            if found is None:
                found = self.blocks[key] = Block(_local_name(key))
                self.block_uses[key] = self.pos
        self.pos += 1
        return found

    def start_block(self, function: Function, key: str, position: int) -> Block:
        if key in self.values:
            self.fail(f"{key} is defined twice", position)
        block = self.blocks.get(key)
        if block is None:
            block = self.blocks[key] = Block(_local_name(key))
        elif block.parent is not None:
            self.fail(f"block {key} is defined twice", position)
        block.parent = function
        function.blocks.append(block)
        return block

    def body(self, function: Function, keys: list[str]) -> None:
        tokens, handlers = self.tokens, _HANDLERS
        values: dict[str, Value] = {}
        forwards: dict[str, _Forward] = {}
        self.values = values
        self.blocks = {}
        self.block_uses = {}
        self.forwards = forwards
        self.wrapped = []
        self.number = 0
        for key, argument in zip(keys, function.args, strict=True):
            if key in values:
                self.fail(f"argument {key} is defined twice", self.pos)
            values[key] = argument
            if _NUMBERED.fullmatch(key):
                self.number = int(key[1:]) + 1
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
                key = _local_key("%" + token[:-1])
                if _NUMBERED.fullmatch(key):
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
                if token[:5] != "#dbg_":
                    self.fail(f"unknown instruction {token or 'at the end'!r}", self.pos - 1)
                handler = _Parser.debug_record
            instruction = handler(self, token)
            if tokens[self.pos] == ",":
                self.attachments(instruction)
            instruction.parent = block
            block.instructions.append(instruction)
            if named:
                if instruction.type is VOID:
                    self.fail("an instruction without result cannot have a name", start)
                key = named if named[1] != '"' else _local_key(named)
                if key[1].isdigit() and key[1:].isdigit():
                    self.number = int(key[1:]) + 1
                else:
                    instruction.name = _local_name(key)
                if key in values or (key in self.blocks and self.blocks[key].parent is not None):
                    self.fail(f"{key} is defined twice", start)
                values[key] = instruction
                if forwards and key in forwards:
                    self.resolve(forwards.pop(key), instruction)
            elif instruction.type is not VOID:
                key = f"%{self.number}"
                self.number += 1
                values[key] = instruction
                if key in forwards:
                    self.resolve(forwards.pop(key), instruction)
            if token in TERMINATORS:
                block = None
        self.expect("}")
        if not function.blocks:
            self.fail("function without blocks", self.pos - 1)
        for key, forward in forwards.items():
            self.fail(f"use of undefined value {key}", forward.position)
        for key, used in self.blocks.items():
            if used.parent is None:
                self.fail(f"use of undefined block {key}", self.block_uses[key])

    def resolve(self, forward: _Forward, value: Value) -> None:
        if forward.type is not value.type:
            self.fail(
                f"{forward.key} is of type {value.type}, not {forward.type}", forward.position
            )
        forward.replace_uses_with(value)
        for wrapper in self.wrapped:
            if wrapper.value is forward:
                wrapper.value = value

    def flags(self, words: frozenset[str]) -> tuple[str, ...]:
        tokens, start = self.tokens, self.pos
        if tokens[start] not in words:
            return ()
        end = start + 1
        while tokens[end] in words:
            end += 1
        self.pos = end
        return tuple(tokens[start:end])

    # Instructions; each starts behind its opcode --------------------------------------------------------

    def binary(self, opcode: str) -> Instruction:
        flags = self.flags(_FLAGS)
        type_ = self.type_()
        left = self.value(type_)
        self.expect(",")
        return Instruction(opcode, type_, (left, self.value(type_)), "", flags)

    def unary(self, opcode: str) -> Instruction:
        flags = self.flags(_FLAGS)
        value = self.typed_value()
        return Instruction(opcode, value.type, (value,), "", flags)

    def cast(self, opcode: str) -> Instruction:
        flags = self.flags(_FLAGS)
        value = self.typed_value()
        self.expect("to")
        return Instruction(opcode, self.type_(), (value,), "", flags)

    def compare(self, opcode: str) -> Instruction:
        flags = self.flags(_FLAGS)
        predicate = self.tokens[self.pos]
        if predicate not in _PREDICATES[opcode]:
            self.fail(f"unknown predicate {predicate!r}")
        self.pos += 1
        type_ = self.type_()
        left = self.value(type_)
        self.expect(",")
        return Cmp(opcode, predicate, left, self.value(type_), "", flags)

    def select(self, opcode: str) -> Instruction:
        flags = self.flags(FAST_MATH)
        operands = self.operand_list(3)
        return Instruction(opcode, operands[1].type, operands, "", flags)

    def operand_list(self, count: int) -> list[Value]:
        found = [self.typed_value()]
        for _ in range(count - 1):
            self.expect(",")
            found.append(self.typed_value())
        return found

    def phi(self, opcode: str) -> Instruction:
        flags = self.flags(FAST_MATH)
        type_ = self.type_()
        made = Phi(type_, (), "", flags)
        tokens = self.tokens
        while True:
            self.expect("[")
            value = self.value(type_)
            self.expect(",")
            token = tokens[self.pos]
            block = self.blocks.get(token)
            if block is None:
                key = _local_key(token)
                block = self.blocks.get(key)
                if block is None:
                    if token[:1] != "%":
                        self.fail(f"expected the name of a block, found {token!r}")
                    block = self.blocks[key] = Block(_local_name(key))
                    self.block_uses[key] = self.pos
            self.pos += 1
            self.expect("]")
            made.append_operand(value)
            made.blocks.append(block)
            if tokens[self.pos] != "," or tokens[self.pos + 1] != "[":
                return made
            self.pos += 1

    def gep(self, opcode: str) -> Instruction:
        flags = self.flags(INT_FLAGS)
        source = self.type_()
        self.expect(",")
        base = self.typed_value()
        indices = self.more_operands()
        type_ = base.type
        if not isinstance(type_, VectorType):
            for index in indices:
                if isinstance(index.type, VectorType):
                    type_ = vector_type(index.type.count, type_, index.type.scalable)
                    break
        return Gep(source, base, indices, "", flags, type_)

    def more_operands(self) -> list[Value]:
        found: list[Value] = []
        tokens = self.tokens
        while tokens[self.pos] == "," and tokens[self.pos + 1][:1] != "!":
            self.pos += 1
            found.append(self.typed_value())
        return found

    def align(self) -> int:
        tokens = self.tokens
        if tokens[self.pos] == "," and tokens[self.pos + 1] == "align":
            self.pos += 2
            return self.integer("an alignment")
        return 0

    def orderings(self) -> str:
        tokens, start = self.tokens, self.pos
        if tokens[self.pos] == "syncscope":
            self.pos += 1
            self.skip_group()
        while tokens[self.pos] in _ORDERINGS:
            self.pos += 1
        return self.joined(start, self.pos) if self.pos > start else ""

    def load(self, opcode: str) -> Instruction:
        flags = self.flags(_ACCESS)
        type_ = self.type_()
        self.expect(",")
        pointer = self.typed_value()
        suffix = self.orderings()
        return Load(type_, pointer, self.align(), "", flags, suffix)

    def store(self, opcode: str) -> Instruction:
        flags = self.flags(_ACCESS)
        value = self.typed_value()
        self.expect(",")
        pointer = self.typed_value()
        suffix = self.orderings()
        return Store(value, pointer, self.align(), flags, suffix)

    def alloca(self, opcode: str) -> Instruction:
        flags = self.flags(_ALLOCA)
        allocated = self.type_()
        count: Value | None = None
        align = space = 0
        tokens = self.tokens
        while tokens[self.pos] == "," and tokens[self.pos + 1][:1] != "!":
            word = tokens[self.pos + 1]
            if word == "align":
                align = self.align()
            elif word == "addrspace":
                self.pos += 1
                space = self.addrspace()
            else:
                self.pos += 1
                count = self.typed_value()
        return Alloca(allocated, pointer_type(space), count, align, "", flags)

    def extract_element(self, opcode: str) -> Instruction:
        operands = self.operand_list(2)
        vector = operands[0].type
        if not isinstance(vector, VectorType):
            self.fail(f"{vector} is not a vector")
        return Instruction(opcode, vector.element, operands)

    def insert_element(self, opcode: str) -> Instruction:
        operands = self.operand_list(3)
        return Instruction(opcode, operands[0].type, operands)

    def shuffle_vector(self, opcode: str) -> Instruction:
        operands = self.operand_list(3)
        vector, mask = operands[0].type, operands[2].type
        if not isinstance(vector, VectorType) or not isinstance(mask, VectorType):
            self.fail(f"shufflevector of {vector} by {mask}")
        return Instruction(opcode, vector_type(mask.count, vector.element, mask.scalable), operands)

    def aggregate(self, opcode: str) -> Instruction:
        operands = self.operand_list(1 if opcode == "extractvalue" else 2)
        indices: list[int] = []
        tokens, start = self.tokens, self.pos
        while tokens[self.pos] == "," and tokens[self.pos + 1][:1] != "!":
            self.pos += 1
            indices.append(self.integer("an index"))
        type_ = operands[0].type
        if opcode == "extractvalue":
            for index in indices:
                if isinstance(type_, StructType) and type_.elements is not None:
                    if index >= len(type_.elements):
                        self.fail(f"{type_} has no element {index}", start)
                    type_ = type_.elements[index]
                elif isinstance(type_, ArrayType):
                    type_ = type_.element
                else:
                    self.fail(f"{type_} has no elements", start)
        return Aggregate(opcode, type_, operands, indices)

    def va_arg(self, opcode: str) -> Instruction:
        pointer = self.typed_value()
        self.expect(",")
        return Instruction(opcode, self.type_(), (pointer,))

    def ret(self, opcode: str) -> Instruction:
        type_ = self.type_()
        if type_ is VOID:
            return Instruction(opcode, VOID)
        return Instruction(opcode, VOID, (self.value(type_),))

    def br(self, opcode: str) -> Instruction:
        if self.tokens[self.pos] == "label":
            return Instruction(opcode, VOID, (self.block(),))
        condition = self.typed_value()
        self.expect(",")
        then = self.block()
        self.expect(",")
        return Instruction(opcode, VOID, (condition, then, self.block()))

    def switch(self, opcode: str) -> Instruction:
        operands: list[Value] = [self.typed_value()]
        self.expect(",")
        operands.append(self.block())
        self.expect("[")
        while not self.accept("]"):
            operands.append(self.typed_value())
            self.expect(",")
            operands.append(self.block())
        return Instruction(opcode, VOID, operands)

    def block_list(self) -> list[Block]:
        self.expect("[")
        found: list[Block] = []
        while not self.accept("]"):
            if found:
                self.expect(",")
            found.append(self.block())
        return found

    def indirectbr(self, opcode: str) -> Instruction:
        address = self.typed_value()
        self.expect(",")
        return Instruction(opcode, VOID, (address, *self.block_list()))

    def resume(self, opcode: str) -> Instruction:
        return Instruction(opcode, VOID, (self.typed_value(),))

    def unreachable(self, opcode: str) -> Instruction:
        return Instruction(opcode, VOID)

    def headed_call(self, head: str) -> Instruction:
        self.expect("call")
        return self.call("call", head)

    def call(self, opcode: str, head: str = "") -> Instruction:
        tokens = self.tokens
        flags = self.flags(FAST_MATH)
        cc = ret_attributes = ""
        token = tokens[self.pos]
        if token in _CONVENTIONS:
            start = self.pos
            self.attribute()
            cc = self.joined(start, self.pos)
            token = tokens[self.pos]
        if token not in _SIMPLE_TYPES and not self.is_type_start(token):
            start = self.pos
            while not self.is_type_start(tokens[self.pos]):
                self.attribute()
            ret_attributes = self.joined(start, self.pos)
        space = PTR
        if "addrspace(" in ret_attributes:
            number = re.search(r"addrspace\((\d+)\)$", ret_attributes)
            assert number is not None
            space = pointer_type(int(number[1]))
        type_ = self.type_()
        callee_position = self.pos
        callee: Value | None
        if tokens[self.pos][:1] == "@":
            name = tokens[self.pos]
            callee = self.symbols.get(name) or self.symbols.get(_symbol_key(name))
            self.pos += 1
            if callee is None and not name.startswith("@llvm."):
                self.fail(f"use of undefined symbol {name}", callee_position)
        else:
            callee = self.value(space)
        self.expect("(")
        arguments: list[Value] = []
        attributes: list[str] = []
        while tokens[self.pos] != ")":
            if arguments:
                self.expect(",")
            argument_type = self.type_()
            start = self.pos
            token = tokens[start]
            if argument_type is METADATA:
                arguments.append(self.metadata_operand())
                attributes.append("")
                continue
            if token[:1] not in "%@":
                while (token := tokens[self.pos])[:1].isalpha() or token[:1] in ('"', "#"):
                    if self.is_value(argument_type, token):
                        break
                    self.attribute()
            attributes.append(self.joined(start, self.pos) if self.pos > start else "")
            arguments.append(self.value(argument_type))
        self.pos += 1
        if isinstance(type_, FunctionType):
            called = type_
        else:
            called = function_type(type_, [a.type for a in arguments])
        if callee is None:
            callee = self.module.declare(_symbol_name(name), called)
            self.symbols[_symbol_key(name)] = callee
        start = self.pos
        while True:
            token = tokens[self.pos]
            if token in _CALL_ATTRIBUTES or (token[:1] == '"' and token[-1] != ":"):
                self.attribute()
            elif token[:1] == "#" and token[1:].isdigit():
                self.pos += 1
            else:
                break
        fn_attributes = self.joined(start, self.pos) if self.pos > start else ""
        bundles = ""
        bundle_operands: list[Value] = []
        if token == "[":
            bundles, bundle_operands = self.bundles()
        destinations: list[Block] = []
        if opcode == "invoke":
            self.expect("to")
            destinations.append(self.block())
            self.expect("unwind")
            destinations.append(self.block())
        elif opcode == "callbr":
            self.expect("to")
            destinations.append(self.block())
            destinations += self.block_list()
        return Call(
            called,
            callee,
            arguments,
            "",
            flags,
            opcode=opcode,
            destinations=destinations,
            head=head,
            cc=cc,
            ret_attributes=ret_attributes,
            arg_attributes=attributes,
            fn_attributes=fn_attributes,
            bundles=bundles,
            bundle_operands=bundle_operands,
        )

    def is_value(self, type_: Type, token: str) -> bool:
        """Is this word a value rather than an attribute in front of one?"""
        if token in _VALUE_WORDS or token[:2] == 'c"':
            return True
        if isinstance(type_, FloatType):
            return _FLOAT_LITERAL.fullmatch(token) is not None or token in ("nan", "snan")
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

    # Instructions kept as pieces of text and operands ----------------------------------------------------

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
        count = 0
        while not self.accept("]"):
            if count:
                self.expect(",")
                pieces.append(", ")
            self.raw_list(pieces, operands, 1)
            count += 1
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
        count = 0
        while not self.accept("]"):
            if count:
                self.expect(",")
                pieces.append(", ")
            self.raw_block(pieces, operands)
            count += 1
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
        count = 0
        while not self.accept(")"):
            if count:
                self.expect(",")
                pieces.append(", ")
            count += 1
            token = self.tokens[self.pos]
            if token == "!DIArgList":
                self.pos += 1
                self.expect("(")
                pieces.append("!DIArgList(")
                inner = 0
                while not self.accept(")"):
                    if inner:
                        self.expect(",")
                        pieces.append(", ")
                    inner += 1
                    self.raw_list(pieces, operands, 1)
                pieces.append(")")
            elif token[:1] == "!":
                pieces.append(self.metadata_text())
            else:
                self.raw_list(pieces, operands, 1)
        pieces.append(")")
        return Raw(opcode, VOID, operands, pieces)


_ACCESS = frozenset(("atomic", "volatile"))
_ALLOCA = frozenset(("inalloca", "swifterror"))
_CMPXCHG = frozenset(("weak", "volatile"))
_PREDICATES = {
    "icmp": frozenset("eq ne ugt uge ult ule sgt sge slt sle".split()),
    "fcmp": frozenset("false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true".split()),
}
_ATOMIC_OPERATIONS = frozenset(
    """
    xchg add sub and nand or xor max min umax umin fadd fsub fmax fmin fmaximum fminimum uinc_wrap
    udec_wrap usub_cond usub_sat fmaximumnum fminimumnum
    """.split()
)
_SUFFIX_WORDS = frozenset(
    """
    section partition comdat align code_model no_sanitize_address no_sanitize_hwaddress sanitize_memtag
    sanitize_address_dyninit
    """.split()
)

_Handler = Callable[[_Parser, str], Instruction]

_HANDLERS: dict[str, _Handler] = {
    **dict.fromkeys(BINARY_INT | BINARY_FLOAT, _Parser.binary),
    **dict.fromkeys(CASTS, _Parser.cast),
    **dict.fromkeys(("fneg", "freeze"), _Parser.unary),
    **dict.fromkeys(("icmp", "fcmp"), _Parser.compare),
    **dict.fromkeys(("tail", "musttail", "notail"), _Parser.headed_call),
    **dict.fromkeys(("call", "invoke", "callbr"), _Parser.call),
    **dict.fromkeys(("extractvalue", "insertvalue"), _Parser.aggregate),
    **dict.fromkeys(("cleanuppad", "catchpad"), _Parser.pad),
    "select": _Parser.select,
    "phi": _Parser.phi,
    "getelementptr": _Parser.gep,
    "load": _Parser.load,
    "store": _Parser.store,
    "alloca": _Parser.alloca,
    "extractelement": _Parser.extract_element,
    "insertelement": _Parser.insert_element,
    "shufflevector": _Parser.shuffle_vector,
    "va_arg": _Parser.va_arg,
    "ret": _Parser.ret,
    "br": _Parser.br,
    "switch": _Parser.switch,
    "indirectbr": _Parser.indirectbr,
    "resume": _Parser.resume,
    "unreachable": _Parser.unreachable,
    "fence": _Parser.fence,
    "cmpxchg": _Parser.cmpxchg,
    "atomicrmw": _Parser.atomicrmw,
    "landingpad": _Parser.landingpad,
    "catchswitch": _Parser.catchswitch,
    "catchret": _Parser.catchret,
    "cleanupret": _Parser.cleanupret,
}


def join_tokens(tokens: list[str]) -> str:
    """Text of tokens with the spaces that LLVM puts."""
    parts: list[str] = []
    previous = ""
    for token in tokens:
        glued = (
            not parts
            or token in (",", ")", "]", "}", ">", "=")
            or previous in ("(", "[", "<", "=", "!", "{")
            or (token == "(" and (previous[:1].isalnum() or previous[:1] in '!"_'))
        )
        parts.append(token if glued else " " + token)
        previous = token
    return "".join(parts)


def _balanced(text: str) -> bool:
    bare = re.sub(r'"[^"]*"', "", text)
    return all(bare.count(a) == bare.count(b) for a, b in ("()", "{}"))


def _local_key(token: str) -> str:
    """One spelling per local: ``%"ab"`` is ``%ab``, while ``%"5"`` is not ``%5``."""
    if token[1:2] != '"':
        return token
    name = unescape(token[2:-1])
    return "%" + (name if not name.isdigit() and quote_name(name) == name else f'"{name}"')


def _local_name(key: str) -> str:
    """The name of the local with this key; unnamed is empty."""
    if key[1:2] == '"':
        return key[2:-1]
    return "" if key[1:].isdigit() else key[1:]


def _struct_name(token: str) -> str:
    """The spelling that LLVM prints, by which the module knows the type."""
    name = unescape(token[2:-1]) if token[1:2] == '"' else token[1:]
    return token if token[1:].isdigit() else "%" + quote_name(name)


def _symbol_key(token: str) -> str:
    return "@" + _symbol_name(token)


def _symbol_name(token: str) -> str:
    """Name of a symbol. Unnamed ``@0`` is called 0, and ``@"0"`` keeps its quotes to tell them apart."""
    if token[1:2] != '"':
        return token[1:]
    name = unescape(token[2:-1])
    return f'"{name}"' if name.isdigit() else name


__all__ = ["I8", "I32", "join_tokens", "parse_module"]
