"""Type analysis: which values and which bytes of memory are integers, pointers or floats.

`analyse_types` solves one function and, for every context, the functions it calls. The rules stand in
`typerules`, the facts in `typegraph`. Between functions facts travel as type trees, so they lose what a tree
cannot say (that two parameters are copies of each other, periods of arrays of structs).

Nothing is guessed about floats: `UNKNOWN` means that no instruction shows what the bytes are, and the consumer
decides what to do about it. A contradiction raises `IllegalTypeAnalysisException` with both reasons.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from math import gcd

from enzyme.engine.analysis.addresses import spacing
from enzyme.engine.analysis.typegraph import TypeGraph
from enzyme.engine.analysis.typeheaders import Headed, headed
from enzyme.engine.analysis.typeread import (
    TooWide,
    floats_too,
    is_cut,
    kinds_in,
    runs_behind,
    tree_of,
)
from enzyme.engine.analysis.typereasons import name_of_parameter
from enzyme.engine.analysis.typerules import TypeRules
from enzyme.engine.analysis.typeruns import LONGEST
from enzyme.engine.analysis.typetags import has_tags
from enzyme.engine.analysis.typetree import (
    EMPTY,
    INTEGER,
    MAX_DEPTH,
    UNKNOWN,
    ConcreteType,
    TypeTree,
    float_kind,
    untold,
)
from enzyme.engine.analysis.typeviews import Found
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.instructions import Call, Cmp, Instruction, Load, Store
from enzyme.engine.ir.module import Block, Function, Module
from enzyme.engine.ir.printer import local_names
from enzyme.engine.ir.types import I1, FloatType, IntType
from enzyme.engine.ir.values import ConstInt, Value
from enzyme.errors import EnzymeInternalError, IllegalTypeAnalysisException

# Programs take one round or two. Facts only grow, so this many are a defect of the rules.
_MAX_ROUNDS = 100
_PATIENCE = 8
# Where tags tell what is accessed, less has to be handed from function to function.
_DEPTH_BY_TAGS = 4
_MAX_RECURSION = 3
_MOST_RECURSIONS = 40
_MOST_NESTED = 30

Trees = tuple[TypeTree, ...]


def analyse_types(
    module: Module,
    function: Function,
    seeds: Sequence[str | TypeTree] = (),
    *,
    skipped: Container[Block] = (),
    memo: TypeMemo | None = None,
) -> TypeAnalysis:
    """Solve `function`; `seeds` holds one tree per parameter (text or tree, "" if nothing is known), perhaps with one
    more for the result behind them: who has a shadow made of it knows what stands there.

    What is found out of the functions that it calls is kept in `memo`, for others that call them.

    Blocks in `skipped` say nothing: those that raise exceptions bring objects of all kinds together.
    In a seed, -1 binds every offset: any other use of that memory is a contradiction.  What is perhaps the same is
    taken for the same (objects of which only references are counted, chosen from several; places with variable
    indices whose distance only the run knows), unless that is a contradiction: then it is held apart. If that is
    still one, tags tell what is accessed (see `typetags`).
    """
    trees = tuple(s if isinstance(s, TypeTree) else TypeTree.parse(s) for s in seeds)
    if trees and len(trees) - len(function.args) not in (0, 1):
        raise ValueError(f"{len(trees)} seeds for {len(function.args)} parameters")
    memo = TypeMemo() if memo is None else memo
    found: IllegalTypeAnalysisException | None = None
    for apart, by_tags in _ways(module, any(tree.is_told for tree in trees)):
        try:
            return _solve(module, function, trees, skipped, memo, apart, by_tags)
        except IllegalTypeAnalysisException as error:
            if found is None or not by_tags:
                found = error
    assert found is not None
    raise found


def _ways(module: Module, is_told: bool) -> Iterator[tuple[bool, bool]]:
    """How to solve, in turn: apart or not, then by tags, for which a module is searched where all else has failed."""
    if not is_told:
        yield from ((False, False), (True, False))
    if is_told or has_tags(module):
        yield from ((False, True), (True, True))


def _solve(
    module: Module,
    function: Function,
    trees: Trees,
    skipped: Container[Block],
    memo: TypeMemo,
    apart: bool,
    by_tags: bool,
) -> TypeAnalysis:
    """Solve in one way, with trees as deep as they can be."""
    while True:
        depth = min(memo.depth, _DEPTH_BY_TAGS) if by_tags else memo.depth
        session = _Session(
            module, skipped, memo.frames(apart, by_tags, depth), apart, by_tags, depth
        )
        try:
            return session.solve(function, trees)
        except TooWide:
            memo.depth = depth - 1


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
            found = self._trees[value] = self._read(value)
        return found

    def _read(self, value: Value, strong: bool = False) -> TypeTree:
        """The tree for those who only look at it: if it is too wide, less of it."""
        while True:
            try:
                return self._tree(value, strong)
            except TooWide:
                self._graph.depth -= 1

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
        return untold(self.of(value).inner)

    def is_float_bits(self, value: Value) -> bool:
        """Is this an integer whose bits are one float?"""
        if not isinstance(value.type, IntType):
            return False
        kind = self.kind(value)
        return kind.is_float and kind.size * 8 == value.type.bits

    def is_integer(self, value: Value) -> bool:
        """Is it known, not only guessed, that this is an integer?"""
        return untold(self._read(value, strong=True).inner) is INTEGER

    def told(self, access: Instruction) -> ConcreteType:
        """What a tag tells of what a load or a store accesses, where types go by tags; else UNKNOWN."""
        return self._rules.told(access)

    def floats_too(self, store: Store) -> bool:
        """May floats stand in some object where this stores something else, which only tags tell apart?"""
        told = self.told(store)
        if told is UNKNOWN or told.is_float:
            return False
        size = self._rules.layout.size_of(store.value.type)
        return floats_too(self._graph, self._rules.cell(store.pointer), size)

    def accessed(self, access: Load | Store) -> list[tuple[int, ConcreteType]]:
        """What the bytes are that a load or a store accesses: as in `memory_kinds`, but this access knows best."""
        type_ = access.accessed
        size, told = self._rules.layout.size_of(type_), self.told(access)
        if told is UNKNOWN:
            return self.memory_kinds(access.pointer, size)
        width = size if told is INTEGER else self._rules.layout.size_of(type_.scalar)
        return [(place, told) for place in range(0, size, width)]

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
        return kinds_in(self._graph, cell, _length_of_items(length))

    def headed(self, pointer: Value, length: Value) -> Headed | None:
        """How memory repeats behind a header, of which `length` bytes are copied; None if it is something else."""
        cell = self._rules.cell(pointer)
        if cell < 0 or self._graph.known_target(cell) is None:
            return None
        return headed(self._graph, cell, _length_of_items(length))

    def _kinds(self, pointer: Value, offset: int, size: int) -> list[tuple[int, ConcreteType]]:
        cell = self._rules.cell(pointer)
        if cell < 0 or not 0 < size <= LONGEST:
            return [(0, UNKNOWN)]
        return runs_behind(self._graph, cell, offset, size)

    def cuts(self, pointer: Value, size: int) -> bool:
        """Does a float stand across the ends of the `size` bytes behind a pointer, or somewhere that nobody tells?"""
        cell = self._rules.cell(pointer)
        return cell >= 0 and size > 0 and is_cut(self._graph, cell, size)

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
    none: then the facts hold whatever is found out about other frames.  `leans_on` is the same without contexts of
    which nothing will be found out. `unsettled`: facts of a frame that leans on this one have just changed.
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
        self.leans_on = _NOTHING
        self.unsettled = False
        self.analysis: TypeAnalysis | None = None


_NOTHING = 1 << 30
_Key = tuple[Function, Trees]


class TypeMemo:
    """Solved functions by context, for several calls of `analyse_types` on functions of one module.

    `depth` is that of trees; it becomes less where they grow too wide.
    """

    def __init__(self) -> None:
        self.depth = MAX_DEPTH
        self._frames: dict[tuple[bool, bool, int], dict[_Key, _Frame]] = {}

    def frames(self, apart: bool, by_tags: bool, depth: int) -> dict[_Key, _Frame]:
        """What was solved in one way."""
        return self._frames.setdefault((apart, by_tags, depth), {})


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
        by_tags: bool = False,
        depth: int = MAX_DEPTH,
    ) -> None:
        self.module = module
        self.layout = DataLayout.of(module)
        self.skipped = skipped
        self.apart = apart
        self.by_tags = by_tags
        self.depth = depth
        self._kept = memo
        self._frames: dict[_Key, _Frame] = {}  # those that rest on assumptions, in order
        self._stack: list[_Frame] = []
        self._nested: dict[Function, int] = {}
        # What was found out of contexts that were solved, however often: facts only grow.
        self._known: dict[_Key, tuple[Trees, TypeTree]] = {}

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
        if found is None:
            found = self._recursion(function)
        if found is not None:
            if not found.solved:
                found.recursive = True
                self._rest_on(found.depth, found.depth)
            else:
                self._rest_on(found.rests_on, found.leans_on)
            return found
        if len(self._stack) >= _MOST_NESTED:
            raise _TooDeep(function, seeds)
        known = len(self._frames)
        frame = self._frames[key] = _Frame(function, seeds, len(self._stack))
        frame.arguments, frame.returned = self._known.get(key, (frame.arguments, frame.returned))
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
                other.leans_on = min(other.leans_on, frame.leans_on)
            self._rest_on(frame.rests_on, frame.leans_on)
        return frame

    def _context(self, function: Function, seeds: Trees) -> Trees:
        """What to take for known: all that is, but for functions that have more contexts than recursion may open.

        Callers that are solved in several rounds know more in each.  Such a function is taken in the context that
        says most of those that were solved before and say nothing else.
        """
        if self._nested.get(function, 0) <= _MOST_RECURSIONS or (function, seeds) in self._known:
            return seeds
        weaker = [
            known
            for other, known in self._known
            if other is function and all(map(TypeTree.implies, seeds, known))
        ]
        return max(weaker, key=lambda known: sum(map(len, known)), default=seeds)

    def _recursion(self, function: Function) -> _Frame | None:
        """A context of the function that is being solved, for one that calls it again; None for a context of its own.

        Each call again may have a context of its own in all that lead there: there are only so many of these.
        """
        solving = [f for f in self._stack if f.function is function]
        if not solving:
            return None
        nested = self._nested[function] = self._nested.get(function, 0) + 1
        if len(solving) < _MAX_RECURSION and nested <= _MOST_RECURSIONS:
            return None
        return solving[-1]

    def _rest_on(self, depth: int, leans_on: int) -> None:
        """The frame that is being solved uses facts of the unsolved one at `depth`."""
        if self._stack:
            top = self._stack[-1]
            top.rests_on = min(top.rests_on, depth)
            top.leans_on = min(top.leans_on, leans_on)

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
        for rounds in range(_MAX_ROUNDS):
            frame.recursive = frame.unsettled = False
            analysis = self._run(frame, binding)
            arguments = tuple(analysis._tree(a, strong=True) for a in function.args)
            returned = analysis.returned(strong=True)
            if (
                rounds >= _PATIENCE
            ):  # trees of limited depth may take turns: what was found once stays
                old = frame.arguments
                arguments = tuple(a.or_with(b) for a, b in zip(old, arguments, strict=True))
                returned = frame.returned.or_with(returned)
            stable = (arguments, returned) == (frame.arguments, frame.returned)
            frame.arguments, frame.returned, frame.analysis = arguments, returned, analysis
            self._known[function, frame.seeds] = arguments, returned
            if frame.leans_on < frame.depth:
                # Only the outermost frame of a recursion goes round: it comes here again.
                self._stack[frame.leans_on].unsettled |= not stable
                break
            if (stable and not frame.unsettled) or not frame.recursive:
                break
            # What was solved under the assumption that just changed must be solved again.
            self._forget(known)
        else:
            raise _unsettled(function)
        frame.guesses = (*(analysis._tree(a) for a in function.args), analysis.returned())
        frame.solved = True

    def _run(self, frame: _Frame, binding: bool) -> TypeAnalysis:
        rules = TypeRules(self.module, self.layout, TypeGraph(self.apart, self.by_tags, self.depth))
        analysis = TypeAnalysis(frame.function, frame.seeds, rules)
        source = "as the caller says" if binding else "from a call"
        for argument, tree in zip(frame.function.args, frame.seeds, strict=False):
            rules.seed_value(argument, tree, f"{name_of_parameter(argument)} {source}", binding)
        rules.visit(frame.function, self.skipped)
        if len(frame.seeds) > len(frame.function.args):
            rules.seed_result(frame.function.function_type.ret, frame.seeds[-1], source)
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
        frame = analysis._callees[call] = self._frame(callee, self._context(callee, trees))
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


def _length_of_items(length: Value | None) -> int:
    """What divides the number of bytes that are copied; 0 if nothing tells."""
    whole = 0 if length is None or length.is_constant else _whole_items(length)
    return whole if whole > 1 else 0


def _whole_items(length: Value) -> int:
    """So many bytes, or several times as many, are copied; of the smaller of two sizes, as the one says that tells."""
    if isinstance(length, Call) and length.callee_name.startswith("llvm.umin."):
        return _told(length.arguments)
    if isinstance(length, Instruction) and length.opcode == "select":
        condition, *arms = length.operands
        smaller = isinstance(condition, Cmp) and set(condition.operands) == set(arms)
        if smaller or any(arm.is_constant for arm in arms):  # nothing, where there is no memory
            return _told(arms)
    return spacing(((1, length),))


def _told(sizes: Sequence[Value]) -> int:
    found = [_whole_items(size) for size in sizes if not size.is_constant]
    if not found:
        found = [size.value for size in sizes if isinstance(size, ConstInt)]
    return gcd(*(size for size in found if size > 1))
