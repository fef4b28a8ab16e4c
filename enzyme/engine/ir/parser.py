"""Reads the textual IR that LLVM prints (LLVM 14 to 22 with opaque pointers) into a `Module`.

Two passes over the tokens: the first makes every symbol, so that the second (initializers and bodies)
finds them all. A construct that is not known is an `IRParseError` with its line, never dropped. The one thing
left out on purpose are use-list orders, which mean nothing and would be wrong after any change. What stands inside
of a top-level entity is read by the classes of `reading`.
"""

from __future__ import annotations

import re

from enzyme.engine.ir.lexer import END
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.reading.bodies import BodyReader
from enzyme.engine.ir.reading.constants import VALUE_WORDS
from enzyme.engine.ir.reading.cursor import MAX_NESTING
from enzyme.engine.ir.reading.names import (
    NUMBERED,
    local_key,
    local_name,
    struct_name,
    symbol_key,
    symbol_name,
)
from enzyme.engine.ir.runtime_model import NO_RUNTIME, RuntimeModel
from enzyme.engine.ir.types import (
    PTR,
    ArrayType,
    StructType,
    Type,
    VectorType,
    function_type,
    pointer_type,
)
from enzyme.engine.ir.values import Argument, ConstSimple, GlobalAlias, GlobalValue, GlobalVariable
from enzyme.errors import IRParseError

_GROUP_LINE = re.compile(r"attributes #(\d+)\s*=\s*\{(.*)\}\s*(?:;.*)?$", re.ASCII)


_METADATA_LINE = re.compile(r"!([^\s=]+)\s*=\s*(.*?)\s*$", re.ASCII)


_SUFFIX_WORDS = frozenset(
    """
    section partition comdat align code_model no_sanitize_address no_sanitize_hwaddress sanitize_memtag
    sanitize_address_dyninit
    """.split()
)


def parse_module(text: str, runtime: RuntimeModel = NO_RUNTIME) -> Module:
    """Read one module, compiled for this run time.

    Raises
    ------
    IRParseError
        with line and column, for anything that is not understood.
    """
    module = _Parser(text).module_()
    module.runtime = runtime
    return module


class _Parser(BodyReader):
    """Reads the top level of a module."""

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
        self.check_nesting()
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
        made = self.module.named_struct(struct_name(token))
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

    def check_nesting(self) -> None:
        """Structs with names must not stand inside each other deeper than types that are written out may."""
        depth: dict[Type, int] = {}
        for struct in self.module.structs.values():
            pending: list[Type] = [struct]
            while pending:
                parts = _parts_of(pending[-1])
                unknown = [part for part in parts if part not in depth]
                if unknown and len(pending) <= MAX_NESTING:
                    pending += unknown[:1]
                    continue
                type_ = pending.pop()
                depth[type_] = 1 + max((depth.get(part, 0) for part in parts), default=0)
                if depth[type_] > MAX_NESTING or unknown:
                    raise IRParseError(
                        f"types nested more than {MAX_NESTING} deep", text=struct.text
                    )

    def add_symbol(self, token: str, symbol: GlobalValue, position: int) -> None:
        key = symbol_key(token)
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
        prefix = self.since(prefix_start)
        self.pos += 1
        value_type = self.type_()
        name = symbol_name(token)
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
            if self.tokens[self.pos] in VALUE_WORDS:  # LLVM leaves out the type of an expression
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
        symbol.suffix = self.since(start)

    def is_external(self, symbol: GlobalVariable) -> bool:
        words = symbol.prefix.split()
        return "external" in words or "extern_weak" in words

    def signature(self) -> tuple[Function, list[str]]:
        """Header of a function up to the opening brace of its body; also the tokens of its arguments."""
        tokens = self.tokens
        start = self.pos
        self.pos += 1
        prefix_start = self.pos
        while not self.is_type_start(tokens[self.pos]):
            token = tokens[self.pos]
            if token[:1] == "!":
                self.pos += 1
                self.skip_metadata_group(token)
            else:
                self.attribute()
        prefix = self.since(prefix_start)
        ret = self.type_()
        name_position = self.pos
        token = tokens[self.pos]
        if token[:1] != "@":
            self.fail(f"expected the name of a function, found {token!r}")
        self.pos += 1
        self.expect("(")
        args, keys, vararg = self.parameters()
        suffix = self.function_suffix(start)
        function = Function(
            symbol_name(token),
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

    def parameters(self) -> tuple[list[Argument], list[str], bool]:
        """The parameters behind their parenthesis, the tokens that name them, and whether more may follow."""
        tokens = self.tokens
        args: list[Argument] = []
        keys: list[str] = []
        number = 0
        if self.accept(")"):
            return args, keys, False
        while True:
            if self.accept("..."):
                self.expect(")")
                return args, keys, True
            type_ = self.type_()
            start = self.pos
            while (word := tokens[self.pos]) not in (",", ")") and word[:1] != "%":
                self.attribute()
            attributes = self.since(start)
            if word[:1] == "%":
                key = local_key(word)
                if NUMBERED.fullmatch(key):
                    number = int(key[1:]) + 1
                self.pos += 1
            else:
                key = f"%{number}"
                number += 1
            args.append(Argument(type_, local_name(key), len(args), attributes))
            keys.append(key)
            if self.accept(")"):
                return args, keys, False
            self.expect(",")

    def function_suffix(self, header: int) -> str:
        """What stands between the parameters and the body, of the function whose header begins at `header`."""
        tokens, start = self.tokens, self.pos
        is_definition = tokens[header] == "define"
        while True:
            word = tokens[self.pos]
            if (word == "{" and is_definition) or (not is_definition and self.at_entity()):
                return self.since(start)
            self.pos += 1
            if word in ("prefix", "prologue", "personality"):
                self.constant_text()
            elif word == "section" or word == "gc" or word == "partition":
                self.pos += 1
            elif word[:1] == "!":
                self.skip_metadata_group(word)
            elif word == END:
                self.fail("function without a body", header)
            elif word[:1].isalpha() or word[:1] in ('"', "#"):
                self.pos -= 1
                self.attribute()
            else:
                self.fail(f"unknown {word!r} in the header of a function", self.pos - 1)

    def constant_text(self) -> None:
        """Step over ``type constant`` without reading the constant, whose symbols may not exist yet."""
        self.type_()
        while self.tokens[self.pos] not in ("(", "[", "{", "<"):
            token = self.tokens[self.pos]
            self.pos += 1
            if token[:1] in "@%-0123456789cn" and token not in VALUE_WORDS:
                return
            if token in ("null", "undef", "poison", "zeroinitializer", "true", "false", "none"):
                return
        self.skip_group()


def _parts_of(type_: Type) -> tuple[Type, ...]:
    if isinstance(type_, StructType):
        return type_.elements or ()
    return (type_.element,) if isinstance(type_, (ArrayType, VectorType)) else ()


def _balanced(text: str) -> bool:
    bare = re.sub(r'"[^"]*"', "", text)
    return all(bare.count(a) == bare.count(b) for a, b in ("()", "{}"))
