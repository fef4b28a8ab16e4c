"""One function made ready for differentiation: the analyses, on a private copy, in one place.

`CanonicalFunction` holds a clone of the primal in canonical form (successful exits told from failing ones, simplified
loops with counters, exit counts as values) and everything that is known about it.  Forward and reverse synthesis
start from it and then turn the clone into the derivative.

The passes are the rows of `MODULE_PASSES` and `PASSES`, which run in order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.cfg import ControlFlow
from enzyme.engine.analysis.dominance import Dominators
from enzyme.engine.analysis.inductions import Induction, find_inductions, trip_count
from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.analysis.loop_indices import LoopFacts
from enzyme.engine.analysis.loops import Loop, LoopForest
from enzyme.engine.derivatives.integer_powers import multiply_out
from enzyme.engine.derivatives.packed_tanh import pack_tanh
from enzyme.engine.derivatives.products import is_product
from enzyme.engine.ir.clone import clone_function
from enzyme.engine.ir.instructions import Call, Instruction, Phi
from enzyme.engine.ir.module import Block, Function, Module
from enzyme.engine.ir.printer import print_function, print_module
from enzyme.engine.ir.simplify import remove_dead
from enzyme.engine.ir.types import IntType, numbering_type
from enzyme.engine.ir.values import Argument, ConstInt, Value
from enzyme.engine.preprocess.aligned_memory import align_memory
from enzyme.engine.preprocess.borrowed import drop_borrowed_counts
from enzyme.engine.preprocess.canonical_loops import (
    canonicalise_loops,
    counter_of,
    latch_of,
    preheader_of,
)
from enzyme.engine.preprocess.cleanup import clean_up
from enzyme.engine.preprocess.different_ends import may_have_ends, run_ends_apart
from enzyme.engine.preprocess.distances import count_from_nearest
from enzyme.engine.preprocess.gathered_calls import gather_calls
from enzyme.engine.preprocess.item_addresses import sink_item_addresses
from enzyme.engine.preprocess.jammed_bodies import Lanes
from enzyme.engine.preprocess.jammed_loops import jam_loops, may_jam
from enzyme.engine.preprocess.joined_selects import join_selects
from enzyme.engine.preprocess.loop_tables import fill_tables, may_fill_tables
from enzyme.engine.preprocess.moved_bytes import copy_moved_bytes
from enzyme.engine.preprocess.null_arguments import separate_null_arguments
from enzyme.engine.preprocess.numbered_addresses import follow_numbers
from enzyme.engine.preprocess.packed_stores import store_parts
from enzyme.engine.preprocess.plain_indices import settle_indices
from enzyme.engine.preprocess.plain_pointers import write_plain_pointers
from enzyme.engine.preprocess.register_bits import follow_bits
from enzyme.engine.preprocess.returned_bits import return_floats
from enzyme.engine.preprocess.returns import cold_blocks, split_returns
from enzyme.engine.preprocess.ring_indices import choose_on_rings
from enzyme.engine.preprocess.separate import separate_constants
from enzyme.engine.preprocess.squares import smooth_squares
from enzyme.engine.preprocess.steady_selects import settle_selects
from enzyme.engine.preprocess.unspeculate import unspeculate
from enzyme.engine.preprocess.vector_lanes import take_vectors_apart
from enzyme.engine.preprocess.whole_values import take_apart
from enzyme.engine.preprocess.winners import find_winners, may_search
from enzyme.support.watching import reached


@dataclass(slots=True)
class CanonicalFunction:
    """`function` is the clone of `primal`; `exit_counts[block][loop]`: the counter with which `loop` was left into
    `block`; `origin[block]`: how the reverse pass finds the predecessor that control came from; `tables`: calls for
    memory that the program does not make, and that may give null; `lanes`: what iterations that run at once compute in
    a value's place, itself included.

    What has no default is there when the pass that finds it has run.
    """

    primal: Function
    function: Function
    activities: Sequence[Activity]
    success: tuple[int, ...] | None
    oracle: Callable[[Function], AliasOracle] | None = None
    reverse: bool = True
    width: int = 1
    successful: set[Block] = field(init=False)
    cold: set[Block] = field(init=False)
    cfg: ControlFlow = field(init=False)
    dominators: Dominators = field(init=False)
    forest: LoopForest = field(init=False)
    blocks: list[Block] = field(init=False)
    counters: dict[Loop, Phi] = field(default_factory=dict)
    trips: dict[Loop, Value | None] = field(default_factory=dict)
    inductions: dict[Phi, Induction] = field(default_factory=dict)
    exit_counts: dict[Block, dict[Loop, Value]] = field(default_factory=dict)
    origin: dict[Block, tuple[Value, dict[Block, int]]] = field(default_factory=dict)
    tables: list[Instruction] = field(default_factory=list)
    lanes: dict[Value, Lanes] = field(default_factory=dict)

    @property
    def loop_facts(self) -> LoopFacts:
        """What the loops are like, for questions about the numbers that they count."""
        return LoopFacts(
            self.forest, self.dominators, self.counters, self.trips, self.inductions, self.cold
        )

    @property
    def unread(self) -> set[Argument]:
        """The parameters whose memory nobody reads behind the function."""
        return {
            argument
            for argument, activity in zip(self.function.args, self.activities, strict=True)
            if activity is Activity.DUPLICATED_NO_NEED
        }

    @property
    def failing(self) -> list[Block]:
        """The cold blocks in the order of the function."""
        return [b for b in self.function.blocks if b in self.cold]

    def replace_selector(self, old: Value, new: Value) -> None:
        """Let blocks by whose condition `old` control is told apart be told apart by `new`."""
        for block, (selector, numbers) in self.origin.items():
            if selector is old:
                self.origin[block] = new, numbers

    def predecessors(self, block: Block) -> list[Block]:
        return self.cfg.predecessors(block)

    def loops_left(self, source: Block, target: Block) -> list[Loop]:
        """Loops that the edge leaves, innermost first."""
        left = []
        loop = self.forest.loop_of(source)
        while loop is not None and target not in loop:
            left.append(loop)
            loop = loop.parent
        return left


@dataclass(frozen=True, slots=True)
class Pass:
    """One step of the preparation of a function; what it finds out goes into `CanonicalFunction`."""

    name: str
    does: str
    run: Callable[[CanonicalFunction], None]
    reverse_only: bool = False


@dataclass(frozen=True, slots=True)
class ModulePass:
    """One step of the preparation of a whole program."""

    name: str
    does: str
    run: Callable[[Module], None]


def prepare_module(module: Module, skipped: Container[str] = ()) -> None:
    """Run `MODULE_PASSES`, but for those whose names are `skipped`."""
    reached("parse", "", module, lambda: print_module(module))
    for step in MODULE_PASSES:
        if step.name not in skipped:
            step.run(module)
            reached(step.name, "", module, lambda: print_module(module))


def prepare(
    primal: Function,
    name: str,
    activities: Sequence[Activity],
    success: tuple[int, ...] | None,
    reverse: bool,
    width: int = 1,
    cut: Callable[[Function, Mapping[Value, Value]], None] | None = None,
    oracle: Callable[[Function], AliasOracle] | None = None,
) -> CanonicalFunction:
    """Clone the primal under `name` and bring the clone into canonical form, for a derivative in so many directions;
    `cut` takes out what is refused, and `oracle` answers what may be written where."""
    function, mapping = clone_function(primal, name)
    if cut is not None:
        cut(function, mapping)
    reached("copy", primal.name, function, lambda: print_function(function))
    made = CanonicalFunction(primal, function, activities, success, oracle, reverse, width)
    for step in PASSES:
        if reverse or not step.reverse_only:
            step.run(made)
            reached(step.name, primal.name, function, lambda: print_function(function))
    return made


def _split_returns(p: CanonicalFunction) -> None:
    # A status inside a struct is the caller's business.
    returns_status = isinstance(p.function.function_type.ret, IntType)
    p.successful = split_returns(p.function, p.success if returns_status else None)


def _drop_borrowed_counts(p: CanonicalFunction) -> None:
    drop_borrowed_counts(p.function, cold_blocks(p.function, p.successful))


def _canonicalise_loops(p: CanonicalFunction) -> None:
    cold = cold_blocks(p.function, p.successful)
    p.cfg, p.dominators, p.forest = canonicalise_loops(p.function, cold)


def _find_winners(p: CanonicalFunction) -> None:
    while may_search(p.forest):
        moved: dict[Block, Block] = {}
        if not find_winners(p.function, p.forest, cold_blocks(p.function, p.successful), moved):
            return
        p.successful = {moved.get(block, block) for block in p.successful}
        _canonicalise_loops(p)


def _settle_selects(p: CanonicalFunction) -> None:
    settle_selects(p.function, p.forest)
    p.cold = cold_blocks(p.function, p.successful)
    p.blocks = [b for b in p.cfg.reverse_postorder if b not in p.cold]


def _describe_loops(p: CanonicalFunction) -> None:
    for loop in p.forest.loops:
        if loop.header in p.cold:
            continue
        latch, preheader = latch_of(loop), preheader_of(loop)
        p.counters[loop] = counter_of(loop)
        inductions = find_inductions(loop, latch, preheader)
        p.trips[loop] = trip_count(loop, latch, preheader, inductions, p.dominators, p.cold)
        inductions.pop(p.counters[loop], None)
        p.inductions.update(inductions)


def _run_ends_apart(p: CanonicalFunction) -> None:
    if choose_on_rings(p.function, p.loop_facts):
        _describe_again(p)
    while may_have_ends(p.loop_facts) and run_ends_apart(p.function, p.loop_facts):
        _describe_again(p)


def _fill_tables(p: CanonicalFunction) -> None:
    if p.oracle is None or not may_fill_tables(p.loop_facts):
        return
    oracle = p.oracle(p.function)
    while fill_tables(p.function, p.loop_facts, oracle, p.tables):
        _describe_again(p)
        oracle = p.oracle(p.function)


# So many iterations run at once in forward mode with several directions.
_MOST_WITH_DIRECTIONS = 8


def _jam_loops(p: CanonicalFunction) -> None:
    if p.oracle is None:
        return
    if p.reverse:
        _jam_each(p, p.oracle, p.unread)
    elif any(loop.children for loop in p.forest.loops) and not _is_derivative(p.function):
        _describe_loops(p)
        # Tangents are added up in the order of the program, and each direction needs registers of its own.
        _jam_each(p, p.oracle, (), None if p.width == 1 else _MOST_WITH_DIRECTIONS)
        p.counters, p.trips, p.inductions = {}, {}, {}
        remove_dead(p.function)


def _jam_each(
    p: CanonicalFunction,
    oracle: Callable[[Function], AliasOracle],
    unread: Collection[Argument],
    most: int | None = None,
) -> None:
    widths: dict[Block, int] = {}
    while may_jam(p.loop_facts):
        lanes = jam_loops(p.function, p.loop_facts, oracle(p.function), unread, widths, most)
        if lanes is None:
            return
        p.lanes.update((value, each) for each in lanes for value in each)
        _describe_again(p)


def _is_derivative(function: Function) -> bool:
    return any(isinstance(i, Call) and is_product(i) for i in function.instructions())


def _describe_again(p: CanonicalFunction) -> None:
    _canonicalise_loops(p)
    _settle_selects(p)
    p.counters, p.trips, p.inductions = {}, {}, {}
    _describe_loops(p)


def _describe_exits(p: CanonicalFunction) -> None:
    for block in p.blocks:
        predecessors = p.predecessors(block)
        for loop in dict.fromkeys(
            left for source in predecessors for left in p.loops_left(source, block)
        ):
            exact = p.trips[loop]
            if exact is not None and p.forest.loop_of(block) is loop.parent:
                p.exit_counts.setdefault(block, {})[loop] = exact
                continue
            phi = Phi(p.counters[loop].type, (), f"{loop.header.name}.trips")
            for source in predecessors:
                phi.add_incoming(p.counters[loop], source)
            block.insert(0, phi)
            p.exit_counts.setdefault(block, {})[loop] = phi


def _describe_origins(p: CanonicalFunction) -> None:
    headers = {loop.header for loop in p.forest.loops}
    for block in p.blocks:
        predecessors = p.predecessors(block)
        if len(predecessors) < 2 or block in headers:
            continue
        p.origin[block] = _origin_by_branch(p, block, predecessors) or _origin_by_phi(
            block, predecessors
        )


def _origin_by_branch(
    p: CanonicalFunction, block: Block, predecessors: list[Block]
) -> tuple[Value, dict[Block, int]] | None:
    """The condition of the immediate dominator decides, where each side leads to one predecessor."""
    dominator = p.dominators.idom(block)
    if (
        dominator is None
        or len(predecessors) != 2
        or p.forest.loop_of(dominator) is not p.forest.loop_of(block)
    ):
        return None
    terminator = dominator.terminator
    if terminator.opcode != "br" or len(terminator.operands) != 3:
        return None
    condition, then, other = terminator.operands
    assert isinstance(then, Block) and isinstance(other, Block)
    found: dict[Block, int] = {}
    for predecessor in predecessors:
        sides = [
            bit
            for bit, side in ((1, then), (0, other))
            if (side is block and predecessor is dominator)
            or (
                side is not block
                and len(p.predecessors(side)) == 1
                and p.dominators.dominates(side, predecessor)
            )
        ]
        if len(sides) != 1:
            return None
        found[predecessor] = sides[0]
    return (condition, found) if len(set(found.values())) == 2 else None


def _origin_by_phi(block: Block, predecessors: list[Block]) -> tuple[Value, dict[Block, int]]:
    phi = Phi(numbering_type(len(predecessors)), (), f"{block.name}.from")
    for number, predecessor in enumerate(predecessors):
        # Of a switch several cases may lead there.
        for target in predecessor.terminator.successors():
            if target is block:
                phi.add_incoming(ConstInt(phi.type, number), predecessor)
    block.insert(0, phi)
    return phi, {predecessor: number for number, predecessor in enumerate(predecessors)}


MODULE_PASSES = (
    ModulePass(
        "null_arguments",
        "a function that is called with a null pointer gets a form in which it is null",
        separate_null_arguments,
    ),
    ModulePass(
        "aligned_memory",
        "memory whose address is rounded to a boundary lies on it to begin with",
        align_memory,
    ),
    ModulePass(
        "plain_pointers",
        "intrinsics that hand out a pointer become the pointer itself",
        write_plain_pointers,
    ),
    ModulePass(
        "distances",
        "an address over a distance between two others is counted from the nearest",
        count_from_nearest,
    ),
    ModulePass(
        "whole_values",
        "values with pointers among their parts are stored and loaded part by part",
        take_apart,
    ),
    ModulePass(
        "returned_bits",
        "floats that are returned as the bits of an integer are returned as floats",
        return_floats,
    ),
    ModulePass(
        "register_bits",
        "floats whose bits went through integers are taken from where they were floats",
        follow_bits,
    ),
    ModulePass(
        "vector_lanes",
        "vectors that hold things of several kinds are taken apart into their lanes",
        take_vectors_apart,
    ),
    ModulePass(
        "numbered_addresses",
        "addresses that are numbers in between are addresses throughout",
        follow_numbers,
    ),
    ModulePass(
        "packed_stores",
        "numbers that are stored as parts of an integer are stored for themselves",
        store_parts,
    ),
    ModulePass(
        "moved_bytes",
        "integers that are only moved, and may be several numbers at once, are copied as bytes",
        copy_moved_bytes,
    ),
)

PASSES = (
    Pass(
        "cleanup",
        "drop what would be wrong in a derivative; write tricks on the bits of floats as values",
        lambda p: clean_up(p.function),
    ),
    Pass(
        "constant_powers",
        "powers with constant exponents become products",
        lambda p: multiply_out(p.function),
    ),
    Pass(
        "squares", "squares of lengths become sums of squares", lambda p: smooth_squares(p.function)
    ),
    Pass(
        "joined_selects",
        "several choices between the same two numbers become one",
        lambda p: join_selects(p.function),
    ),
    Pass(
        "packed_tanh",
        "`tanh` and its slope become functions of one number",
        lambda p: pack_tanh(p.function),
    ),
    Pass(
        "separate_constants",
        "a load from constant or active memory becomes two under a branch",
        lambda p: separate_constants(p.function, p.activities),
    ),
    Pass(
        "item_addresses",
        "choose between places of a dictionary, not between addresses",
        lambda p: sink_item_addresses(p.function),
        reverse_only=True,
    ),
    Pass(
        "unspeculate",
        "guarded logarithms, divisions and the like go back under their branch",
        lambda p: unspeculate(p.function),
        reverse_only=True,
    ),
    Pass("split_returns", "a return either always succeeds or always fails", _split_returns),
    Pass(
        "borrowed",
        "references that are taken and given back while another is held are not counted",
        _drop_borrowed_counts,
    ),
    Pass(
        "canonical_loops",
        "each loop gets one preheader, one latch and exits of its own",
        _canonicalise_loops,
    ),
    Pass(
        "winners",
        "the smallest of many candidates is computed once more, for the one that won",
        _find_winners,
    ),
    Pass(
        "steady_selects",
        "an index that stands still is computed from a condition, not carried along",
        _settle_selects,
    ),
    Pass(
        "gathered_calls",
        "functions of one number that are apart only by a check are called in one place",
        lambda p: gather_calls(p.cfg, p.cold),
        reverse_only=True,
    ),
    Pass(
        "trip_counts",
        "each loop gets a counter; how often it runs, and what steps with it",
        _describe_loops,
        reverse_only=True,
    ),
    Pass(
        "different_ends",
        "the first or the last iteration of a loop that takes its neighbours from elsewhere runs apart",
        _run_ends_apart,
        reverse_only=True,
    ),
    Pass(
        "loop_tables",
        "what an inner loop computes alike each time is computed once, before the loops around it;"
        " functions in loops that run one by one are computed before, in vectors",
        _fill_tables,
        reverse_only=True,
    ),
    Pass(
        "jammed_loops",
        "iterations of a loop that need nothing from each other run side by side in the loops inside of it",
        _jam_loops,
    ),
    Pass(
        "plain_indices",
        "indices that cannot be negative are not asked whether they are",
        lambda p: settle_indices(p.function, p.loop_facts),
        reverse_only=True,
    ),
    Pass(
        "exit_counts",
        "with which count of a loop each exit was taken",
        _describe_exits,
        reverse_only=True,
    ),
    Pass(
        "origins",
        "which way control came to each merge",
        _describe_origins,
        reverse_only=True,
    ),
)
