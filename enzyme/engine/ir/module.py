"""Module, function and block: the containers, and how things enter and leave them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from enzyme.engine.ir.conventions import convention_of
from enzyme.engine.ir.instructions import Call, Instruction, Phi
from enzyme.engine.ir.known_function import KnownFunction
from enzyme.engine.ir.runtime_model import NO_RUNTIME, RuntimeModel
from enzyme.engine.ir.types import LABEL, PTR, FunctionType, StructType, Type, function_type
from enzyme.engine.ir.values import Argument, GlobalAlias, GlobalValue, GlobalVariable, Value
from enzyme.errors import EnzymeError
from enzyme.support.places import place_near


class TakenNameError(EnzymeError, ValueError):
    """A module calls something else by the name of a function that its derivative needs."""


class Block(Value):
    """A basic block: phis first, terminator last."""

    __slots__ = ("_last", "instructions", "parent")

    def __init__(self, name: str = "") -> None:
        super().__init__(LABEL, name)
        self._last = 0
        self.instructions: list[Instruction] = []
        self.parent: Function | None = None

    def append(self, instruction: Instruction) -> Instruction:
        instruction.parent = self
        self.instructions.append(instruction)
        return instruction

    def insert(self, index: int, instruction: Instruction) -> Instruction:
        instruction.parent = self
        self.instructions.insert(index, instruction)
        return instruction

    def insert_before(self, instruction: Instruction, before: Instruction) -> Instruction:
        return self.insert(self.index_of(before), instruction)

    def index_of(self, instruction: Instruction) -> int:
        """Where an instruction stands; quick near the one asked for before."""
        self._last = place_near(self._last, self.instructions, instruction)
        return self._last

    @property
    def terminator(self) -> Instruction:
        return self.instructions[-1]

    @property
    def is_terminated(self) -> bool:
        return bool(self.instructions) and self.instructions[-1].is_terminator

    def phis(self) -> list[Phi]:
        found: list[Phi] = []
        for instruction in self.instructions:
            if not isinstance(instruction, Phi):
                break
            found.append(instruction)
        return found

    def first_non_phi(self) -> int:
        return len(self.phis())

    def successors(self) -> list[Block]:
        """Distinct successors in order."""
        return list(dict.fromkeys(self.terminator.successors()))

    def __repr__(self) -> str:
        return f"<block %{self.name}>"


# On functions whose numbers have no derivatives: neither what they return nor what they write to memory.
MAKES_CONSTANTS = '"enzyme-makes-constants"'
# On copies with which something moves to other memory: its numbers keep their derivatives, whoever made it move.
MOVES_HOUSE = '"enzyme-moves-house"'


class Function(GlobalValue):
    """`header` pieces are verbatim: `prefix` (linkage, visibility, cc ... and return attributes) stands before
    the return type, `suffix` (unnamed_addr, ``#0``, section, gc, ``!dbg``, ...) after the parameters.
    `blocks` is empty for a declaration. `known` holds effects that a caller of the engine states of this very
    function, `seeds` type trees of its parameters, `written` the parameters whose memory it may change (None: go by its
    attributes), `failures` those in whose memory it says what it raised; `is_ruled` if calls of it are differentiated
    by a user's rule, `forgets` if it keeps nothing that it is given and returns none of it."""

    __slots__ = (
        "_last",
        "args",
        "blocks",
        "failures",
        "forgets",
        "function_type",
        "is_ruled",
        "known",
        "module",
        "prefix",
        "seeds",
        "suffix",
        "written",
    )

    def __init__(
        self,
        name: str,
        function_type: FunctionType,
        args: Sequence[Argument],
        prefix: str = "",
        suffix: str = "",
    ) -> None:
        super().__init__(PTR, name)
        self.function_type = function_type
        self.args = list(args)
        for argument in self.args:
            argument.function = self
        self.blocks: list[Block] = []
        self._last = 0
        self.prefix = prefix
        self.suffix = suffix
        self.module: Module | None = None
        self.known: KnownFunction | None = None
        self.seeds: tuple[str, ...] = ()
        self.written: frozenset[int] | None = None
        self.failures: frozenset[int] = frozenset()
        self.is_ruled = False
        self.forgets = False

    @property
    def is_declaration(self) -> bool:
        return not self.blocks

    @property
    def convention(self) -> str:
        """The calling convention, "" for that of C."""
        return convention_of(self.prefix)

    @property
    def entry(self) -> Block:
        return self.blocks[0]

    def append_block(self, name: str = "", after: Block | None = None) -> Block:
        block = Block(name)
        block.parent = self
        if after is None:
            self.blocks.append(block)
        else:
            self.blocks.insert(self.index_of(after) + 1, block)
        return block

    def index_of(self, block: Block) -> int:
        """Where a block stands; quick near the one asked for before."""
        self._last = place_near(self._last, self.blocks, block)
        return self._last

    def instructions(self) -> Iterator[Instruction]:
        for block in self.blocks:
            yield from block.instructions

    def attribute_texts(self) -> str:
        """The function's attribute words: its own suffix with attribute groups expanded."""
        return self.suffix if self.module is None else self.module.with_groups(self.suffix)

    @property
    def makes_constants(self) -> bool:
        """Is everything constant that it computes, and writes to memory?"""
        return MAKES_CONSTANTS in self.attribute_texts()

    def __repr__(self) -> str:
        return f"<function @{self.name}>"


class Module:
    """One LLVM module.

    `order` lists top-level globals and functions in the order of the text; `metadata` maps a node number to
    its verbatim text, `named_metadata` a name to its text; `attribute_groups` a number to the words in braces;
    `header` holds other verbatim top-level lines (``source_filename``, ``target``, ``module asm``, comdats).
    Errors name no line of a file in one of the `library_folders`, but the line that called it. `runtime` says what the
    functions do that the module only declares. `unchecked` names functions
    that give addresses of memory whose content has no derivative, because the program says so.
    """

    def __init__(self) -> None:
        self.header: list[str] = []
        self.structs: dict[str, StructType] = {}
        self.globals: dict[str, GlobalVariable | GlobalAlias] = {}
        self.functions: dict[str, Function] = {}
        self.attribute_groups: dict[int, str] = {}
        self.named_metadata: dict[str, str] = {}
        self.metadata: dict[int, str] = {}
        self.footer: list[str] = []
        self.library_folders: tuple[str, ...] = ()
        self.runtime: RuntimeModel = NO_RUNTIME
        self.unchecked: frozenset[str] = frozenset()

    def named_struct(self, name: str) -> StructType:
        """The identified struct ``%name`` (name includes the percent sign), opaque until given a body."""
        found = self.structs.get(name)
        if found is None:
            found = self.structs[name] = StructType(None, False, name)
        return found

    def add_function(self, function: Function) -> Function:
        if function.name in self.functions:
            raise ValueError(f"function @{function.name} exists already")
        function.module = self
        self.functions[function.name] = function
        return function

    def declare(self, name: str, function_type: FunctionType, suffix: str = "") -> Function:
        """The function of this name, declared if it is not there yet."""
        found = self.functions.get(name)
        if found is not None:
            return found
        if name in self.globals:
            raise TakenNameError(
                what=f"@{name} is a variable; the derivative needs the function of that name"
            )
        args = [Argument(t, "", k) for k, t in enumerate(function_type.params)]
        return self.add_function(Function(name, function_type, args, suffix=suffix))

    def with_groups(self, attributes: str) -> str:
        """The words of attributes, and those of the groups that they name."""
        for word in attributes.split():
            if word.startswith("#") and word[1:].isdigit():
                attributes += " " + self.attribute_groups.get(int(word[1:]), "")
        return attributes

    def symbol(self, name: str) -> GlobalValue | None:
        return self.functions.get(name) or self.globals.get(name)

    def fresh_symbol(self, wish: str) -> str:
        name, number = wish, 0
        while name in self.functions or name in self.globals:
            number += 1
            name = f"{wish}.{number}"
        return name


def new_function(
    module: Module, name: str, ret: Type, params: Sequence[tuple[Type, str]]
) -> Function:
    """Add an empty internal function; parameters are (type, name) pairs."""
    args = [Argument(t, n, k) for k, (t, n) in enumerate(params)]
    made = Function(name, function_type(ret, [t for t, _ in params]), args, prefix="internal")
    return module.add_function(made)


def defined_callee(call: Call) -> Function | None:
    """The function of the module that is called, argument by argument; None for any other call."""
    callee = call.callee
    if not isinstance(callee, Function) or callee.is_declaration:
        return None
    plain = not callee.function_type.vararg and callee.function_type is call.function_type
    return callee if plain else None


def is_local(value: Value) -> bool:
    """Does the value belong to a function body (argument, instruction or block)?"""
    return isinstance(value, (Argument, Instruction, Block))
