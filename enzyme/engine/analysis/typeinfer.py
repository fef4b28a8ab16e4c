"""Type analysis: which values and which bytes of memory are integers, pointers or floats.

`analyse_types` solves one function and, for every context, the functions it calls. The rules stand in
`typerules`, the facts in `typegraph`. Between functions facts travel as type trees, so they lose what a tree
cannot say (that two parameters are copies of each other, periods of arrays of structs).

Nothing is guessed about floats: `UNKNOWN` means that no instruction shows what the bytes are, and the consumer
decides what to do about it. A contradiction raises `IllegalTypeAnalysisException` with both reasons.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from enzyme.engine.analysis.addresses import spacing
from enzyme.engine.analysis.typeread import kind_in, kinds_in, tree_of
from enzyme.engine.analysis.typerules import TypeRules
from enzyme.engine.analysis.typetree import (
    EMPTY,
    INTEGER,
    UNKNOWN,
    ConcreteType,
    TypeTree,
    float_kind,
)
from enzyme.engine.analysis.typeviews import Found
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Block, Function, Module
from enzyme.engine.ir.printer import local_names
from enzyme.engine.ir.types import I1, FloatType, IntType
from enzyme.engine.ir.values import ConstInt, Value
from enzyme.errors import EnzymeInternalError, IllegalTypeAnalysisException

# Programs take one round or two. Facts only grow, so this many are a defect of the rules.
_MAX_ROUNDS = 100
_MAX_RECURSION = 3
_MOST_NESTED = 8

Trees = tuple[TypeTree, ...]


def analyse_types(
    module: Module,
    function: Function,
    seeds: Sequence[str | TypeTree] = (),
    *,
    skipped: Container[Block] = (),
    memo: TypeMemo | None = None,
) -> TypeAnalysis:
    """Solve `function`; `seeds` holds one tree per parameter (text or tree, "" if nothing is known).

    What is found out of the functions that it calls is kept in `memo`, for others that call them.

    Blocks in `skipped` say nothing: those that raise exceptions bring objects of all kinds together.
    In a seed, -1 binds every offset: any other use of that memory is a contradiction.  What is perhaps the same is
    taken for the same (objects of which only references are counted, chosen from several; places with variable
    indices whose distance only the run knows), unless that is a contradiction: then it is held apart.
    """
    trees = tuple(s if isinstance(s, TypeTree) else TypeTree.parse(s) for s in seeds)
    if trees and len(trees) != len(function.args):
        raise ValueError(f"{len(trees)} seeds for {len(function.args)} parameters")
    memo = TypeMemo() if memo is None else memo
    try:
        return _Session(module, skipped, memo.alike).solve(function, trees)
    except IllegalTypeAnalysisException:
        return _Session(module, skipped, memo.apart, True).solve(function, trees)


class TypeAnalysis:
    """The solved types of one function in one context: `seeds` is what is known of its parameters."""

    def __init__(self, function: Function, seeds: Trees, rules: TypeRules) -> None:
        self.function = function
        self.seeds = seeds
        self._rules = rules
        self._graph = rules.graph
        self._callees: dict[Call, _Frame] = {}
        self._trees: dict[Value, TypeTree] = {}

    def of(self, value: Value) -> TypeTree:
        """The tree of an SSA value or constant."""
        found = self._trees.get(value)
        if found is None:
            found = self._trees[value] = self._tree(value)
        return found

    def _tree(self, value: Value, strong: bool = False) -> TypeTree:
        type_ = value.type
        if isinstance(type_.scalar, FloatType):
            return TypeTree.scalar(float_kind(type_.scalar))
        if type_ is I1 or (isinstance(value, ConstInt) and value.value):
            return TypeTree.scalar(INTEGER)
        cell = self._rules.cell(value)
        if cell < 0:
            return EMPTY
        if self._rules.is_strong_blob(value):
            size = self._rules.layout.size_of(type_)
            return tree_of(self._graph, cell, strong).data0().shift(0, size)
        return tree_of(self._graph, cell, strong)

    def returned(self, strong: bool = False) -> TypeTree:
        """The tree of the return value; `strong`: without guesses."""
        result = self.function.function_type.ret
        if isinstance(result.scalar, FloatType):
            return TypeTree.scalar(float_kind(result.scalar))
        if self._rules.returned < 0:
            return EMPTY
        tree = tree_of(self._graph, self._rules.returned, strong)
        return tree.data0() if self._rules.is_blob(result) else tree

    def kind(self, value: Value) -> ConcreteType:
        """The kind of a scalar value as a whole."""
        return self.of(value).inner

    def is_float_bits(self, value: Value) -> bool:
        """Is this an integer whose bits are one float?"""
        if not isinstance(value.type, IntType):
            return False
        kind = self.of(value).inner
        return kind.is_float and kind.size * 8 == value.type.bits

    def is_integer(self, value: Value) -> bool:
        """Is it known, not only guessed, that this is an integer?"""
        return self._tree(value, strong=True).inner is INTEGER

    def viewed(self, pointer: Value, size: int) -> Found | None:
        """Which floats stand in `size` bytes behind a pointer into memory that the program looks at as items of two
        types; None for other memory."""
        cell = self._rules.cell(pointer)
        return None if cell < 0 else self._graph.viewed(cell, 0, size)

    def memory_kinds(self, pointer: Value, size: int) -> list[tuple[int, ConcreteType]]:
        """What the `size` bytes behind a pointer are: ``(offset, kind)`` in order.

        Every float and pointer has an entry of its own; a run of integer or unknown bytes has one.
        For unknown `size` (-1) the kinds of one period, as in `element_kinds`.
        """
        if size < 0:
            return self.element_kinds(pointer)[1]
        return self._kinds(pointer, 0, size)

    def element_kinds(
        self, pointer: Value, length: Value | None = None
    ) -> tuple[int, list[tuple[int, ConcreteType]]]:
        """How memory of unknown length behind a pointer repeats: the period in bytes, its kinds.

        `length` is the number of bytes of whole items, if somebody copies them.
        """
        cell = self._rules.cell(pointer)
        if cell < 0 or self._graph.known_target(cell) is None:
            return 1, [(0, UNKNOWN)]
        whole = 0 if length is None or length.is_constant else spacing(((1, length),))
        return kinds_in(self._graph, cell, whole if whole > 1 else 0)

    def _kinds(self, pointer: Value, offset: int, size: int) -> list[tuple[int, ConcreteType]]:
        cell = self._rules.cell(pointer)
        if cell < 0 or size <= 0:
            return [(0, UNKNOWN)]
        found: list[tuple[int, ConcreteType]] = []
        place = 0
        while place < size:
            kind, length = kind_in(self._graph, cell, offset + place)
            if kind in (INTEGER, UNKNOWN) and found and found[-1][1] is kind:
                place += length
                continue
            found.append((place, kind))
            place += length
        return found

    def callee(self, call: Call) -> TypeAnalysis | None:
        """The analysis of the function that a call runs, in the context of this call."""
        frame = self._callees.get(call)
        return None if frame is None else frame.analysis

    def __str__(self) -> str:
        lines = [f"types of @{self.function.name}"]
        names = local_names(self.function)
        lines += [f"  {names[a]}: {self.of(a)}" for a in self.function.args]
        for block in self.function.blocks:
            lines.append(f"{names[block][1:]}:")
            for instruction in block.instructions:
                if instruction.type.is_void:
                    continue
                tree = self.of(instruction)
                lines.append(f"  {names[instruction]} = {instruction.opcode}: {tree}")
        if not self.function.function_type.ret.is_void:
            lines.append(f"returns {self.returned()}")
        return "\n".join(lines) + "\n"


class _Frame:
    """One function in one context, while it is being solved and afterwards.

    `rests_on` is the lowest place on the stack of an unsolved frame whose facts were used, `_NOTHING` if there is
    none: then the facts hold whatever is found out about other frames.
    """

    def __init__(self, function: Function, seeds: Trees, depth: int) -> None:
        self.function = function
        self.seeds = seeds
        self.depth = depth
        self.arguments: Trees = seeds or (EMPTY,) * len(function.args)
        self.returned = EMPTY
        self.guesses: Trees = ()
        self.solved = False
        self.recursive = False
        self.rests_on = _NOTHING
        self.analysis: TypeAnalysis | None = None


_NOTHING = 1 << 30
_Key = tuple[Function, Trees]


class TypeMemo:
    """Solved functions by context, for several calls of `analyse_types` on functions of one module."""

    def __init__(self) -> None:
        self.alike: dict[_Key, _Frame] = {}
        self.apart: dict[_Key, _Frame] = {}


class _TooDeep(Exception):
    """A callee whose turn comes when nothing else is being solved: calls may be nested deeper than the stack."""

    def __init__(self, function: Function, seeds: Trees) -> None:
        super().__init__()
        self.function = function
        self.seeds = seeds


def _unsettled(function: Function) -> EnzymeInternalError:
    return EnzymeInternalError(
        what=f"the types of {function.name} do not settle: a defect of the compiler",
        why=f"type analysis adds facts in every one of {_MAX_ROUNDS} rounds",
        todo="please report it with the source of the function",
    )


class _Session:
    """Contexts are memoised by function and argument trees."""

    def __init__(
        self,
        module: Module,
        skipped: Container[Block],
        memo: dict[_Key, _Frame],
        apart: bool = False,
    ) -> None:
        self.module = module
        self.layout = DataLayout.of(module)
        self.skipped = skipped
        self.apart = apart
        self._kept = memo
        self._frames: dict[_Key, _Frame] = {}  # those that rest on assumptions, in order
        self._stack: list[_Frame] = []

    def solve(self, function: Function, seeds: Trees) -> TypeAnalysis:
        waiting = [(function, seeds)]
        while True:
            try:
                frame = self._frame(*waiting[-1], binding=len(waiting) == 1)
            except _TooDeep as deep:
                if sum(f is deep.function for f, _ in waiting) < _MAX_RECURSION:
                    waiting.append((deep.function, deep.seeds))
                    continue
                unknown = self._frames[deep.function, deep.seeds] = _Frame(
                    deep.function, deep.seeds, -1
                )
                unknown.solved, unknown.rests_on = True, -1
                continue
            waiting.pop()
            if not waiting:
                # What the user says of the parameters counts for this analysis only.
                self._kept.pop((function, seeds), None)
                assert frame.analysis is not None
                return frame.analysis

    def _frame(self, function: Function, seeds: Trees, binding: bool = False) -> _Frame:
        key = (function, seeds)
        found = None if binding else self._kept.get(key)
        if found is not None:
            return found
        found = self._frames.get(key)
        if found is None and sum(f.function is function for f in self._stack) >= _MAX_RECURSION:
            found = next(f for f in reversed(self._stack) if f.function is function)
        if found is not None:
            if not found.solved:
                found.recursive = True
            self._rest_on(found.rests_on if found.solved else found.depth)
            return found
        if len(self._stack) >= _MOST_NESTED:
            raise _TooDeep(function, seeds)
        known = len(self._frames)
        frame = self._frames[key] = _Frame(function, seeds, len(self._stack))
        self._stack.append(frame)
        try:
            self._solve_frame(frame, binding)
        except BaseException:
            # It is solved anew later, with all that was solved while it was not.
            self._forget(known)
            raise
        finally:
            self._stack.pop()
        if frame.rests_on >= frame.depth:
            self._keep(known)
        else:
            # What rests on this frame rests on what it rests on; its own place is soon another's.
            for key in self._made_since(known):
                other = self._frames[key]
                other.rests_on = min(other.rests_on, frame.rests_on)
            self._rest_on(frame.rests_on)
        return frame

    def _rest_on(self, depth: int) -> None:
        """The frame that is being solved uses facts of the unsolved one at `depth`."""
        if self._stack:
            self._stack[-1].rests_on = min(self._stack[-1].rests_on, depth)

    def _made_since(self, known: int) -> list[_Key]:
        """The contexts of the frames that were made after there were `known`."""
        return list(self._frames)[known:]

    def _forget(self, known: int) -> None:
        """Drop the frames that were made after there were `known`."""
        for key in self._made_since(known):
            del self._frames[key]

    def _keep(self, known: int) -> None:
        """Keep for good what was made after there were `known` frames: it rests on itself only."""
        for key in self._made_since(known):
            frame = self._kept[key] = self._frames.pop(key)
            frame.rests_on = _NOTHING

    def _solve_frame(self, frame: _Frame, binding: bool) -> None:
        function = frame.function
        known = len(self._frames)
        for _ in range(_MAX_ROUNDS):
            frame.recursive = False
            analysis = self._run(frame, binding)
            arguments = tuple(analysis._tree(a, strong=True) for a in function.args)
            returned = analysis.returned(strong=True)
            stable = (arguments, returned) == (frame.arguments, frame.returned)
            frame.arguments, frame.returned, frame.analysis = arguments, returned, analysis
            if stable or not frame.recursive:
                break
            # What was solved under the assumption that just changed must be solved again.
            self._forget(known)
        else:
            raise _unsettled(function)
        frame.guesses = (*(analysis.of(a) for a in function.args), analysis.returned())
        frame.solved = True

    def _run(self, frame: _Frame, binding: bool) -> TypeAnalysis:
        rules = TypeRules(self.module, self.layout, self.apart)
        analysis = TypeAnalysis(frame.function, frame.seeds, rules)
        source = "as the caller says" if binding else "from a call"
        for argument, tree in zip(frame.function.args, frame.seeds, strict=False):
            rules.seed_value(argument, tree, f"parameter %{argument.name} {source}", binding)
        rules.visit(frame.function, self.skipped)
        used: dict[Call, tuple[Trees, Trees]] = {}
        self._settle(rules, analysis, used, relate=False)
        rules.guess()
        self._settle(rules, analysis, used, relate=True)
        known = rules.graph.revision
        rules.guess_constants()
        if rules.graph.revision != known:
            self._settle(rules, analysis, used, relate=True)
        rules.guess()
        rules.graph.check()
        rules.graph.check_guesses(rules.weak)
        analysis._trees.clear()
        return analysis

    def _settle(
        self,
        rules: TypeRules,
        analysis: TypeAnalysis,
        used: dict[Call, tuple[Trees, Trees]],
        relate: bool,
    ) -> None:
        for _ in range(_MAX_ROUNDS):
            before = rules.graph.revision
            rules.graph.settle(relate)
            rules.late()
            for call, callee in rules.calls:
                self._call(call, callee, rules, analysis, used, relate)
            if rules.graph.revision == before:
                break
        else:
            raise _unsettled(analysis.function)

    def _call(
        self,
        call: Call,
        callee: Function,
        rules: TypeRules,
        analysis: TypeAnalysis,
        used: dict[Call, tuple[Trees, Trees]],
        relate: bool,
    ) -> None:
        arguments = call.arguments[: len(callee.args)]
        trees = tuple(analysis._tree(a, strong=True) for a in arguments)
        if len(trees) != len(callee.args):
            return
        frame = analysis._callees[call] = self._frame(callee, trees)
        places = (*arguments, call)
        facts = (*frame.arguments, frame.returned)
        guesses = frame.guesses if relate else ()
        if used.get(call) == (facts, guesses):
            return
        used[call] = (facts, guesses)
        for place, tree in zip(places, facts, strict=True):
            if not place.is_constant:
                rules.seed_value(place, tree, call)
        for place, tree in zip(places, guesses, strict=False):
            if not place.is_constant:
                rules.seed_value(place, tree, call, weak=True)
