"""Reverse mode: the forward function keeps what is needed, then every block runs backwards.

Each block that can reach a successful exit gets a reverse block: the adjoints of its instructions, last first,
and then a branch to the reverse of the predecessor that control came from.  A loop runs backwards with its counter
going down to zero.  What a block needs of the forward pass a dry run tells beforehand (`recorder`); how values and
adjoints are had while it runs backwards is `reverse_emitter`'s.

In combined mode the reverse blocks are part of the forward function; in split mode they form a function of their
own and slots travel in a heap-allocated frame.
"""

from __future__ import annotations

from collections.abc import Sequence

from enzyme.engine.analysis.activity_result import ActivityResult
from enzyme.engine.analysis.inductions import find_inductions
from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.analysis.variance import Variance
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.instructions import Instruction, Load, Phi, Store
from enzyme.engine.ir.module import Block, Function, Module
from enzyme.engine.ir.types import I1, I64, Type
from enzyme.engine.ir.values import Argument, ConstInt, Value, zero_of
from enzyme.engine.preprocess.canonical_loops import latch_of, preheader_of
from enzyme.engine.synthesis.adjoint_context import ReverseInputs
from enzyme.engine.synthesis.adjoints import emit_adjoint
from enzyme.engine.synthesis.arena import ARENA_TYPE
from enzyme.engine.synthesis.array_versions import ArrayVersions
from enzyme.engine.synthesis.cache import Cache
from enzyme.engine.synthesis.cache_layout import CacheLayout
from enzyme.engine.synthesis.cache_report import Notes, take_notes
from enzyme.engine.synthesis.count_bounds import CountBounds
from enzyme.engine.synthesis.elsewhere import Elsewhere
from enzyme.engine.synthesis.exits import Exits
from enzyme.engine.synthesis.facts import plan_text
from enzyme.engine.synthesis.frame import Frame
from enzyme.engine.synthesis.fused import FusedLoops
from enzyme.engine.synthesis.fused_flow import FusedFlow, remove_uses
from enzyme.engine.synthesis.helpers import helper
from enzyme.engine.synthesis.idle_loops import IdleLoops
from enzyme.engine.synthesis.idle_paths import Edge, IdleReversePaths
from enzyme.engine.synthesis.idle_regions import IdleRegions
from enzyme.engine.synthesis.late_results import LateResults
from enzyme.engine.synthesis.plan import CachePlan, Recipes, make_plan
from enzyme.engine.synthesis.prepare import CanonicalFunction
from enzyme.engine.synthesis.recorder import Recorder
from enzyme.engine.synthesis.refusals import about
from enzyme.engine.synthesis.reverse_emitter import ReverseEmitter
from enzyme.engine.synthesis.rolling import RollingGroup, find_groups
from enzyme.engine.synthesis.sums import stores_unread
from enzyme.support.watching import reached


def _rests_on_numbers(address: Value) -> bool:
    """Is an address computed from floats? To find a number there the number itself might be needed."""
    pending: list[Value] = [address]
    seen: set[Value] = set(pending)
    while pending:
        value = pending.pop()
        for operand in value.operands if isinstance(value, Instruction) else ():
            if isinstance(operand, Instruction) and operand not in seen:
                if operand.type.scalar.is_float:
                    return True
                seen.add(operand)
                pending.append(operand)
    return False


class ReverseSynthesis:
    """Turns a prepared function, with shadows inserted, into its reverse-mode derivative."""

    def __init__(
        self,
        prepared: CanonicalFunction,
        activity: ActivityResult,
        spec: ReverseInputs,
        layout: DataLayout,
        reverse: Function | None,
    ) -> None:
        """`reverse` is the (still empty) function for the reverse pass in split mode."""
        self.p = prepared
        self.spec = spec
        self.activity = activity
        self.layout = layout
        self.forward = prepared.function
        module = self.forward.module
        assert module is not None
        self.module: Module = module
        self.plan = CachePlan()
        self.report: list[str] = []
        self.notes = Notes()
        self.reverse: Function = reverse or self.forward
        self.frame = Frame(self.forward, self.reverse)
        self.argument: dict[Value, Value] = {}
        self.primal_phis: set[Phi] = set()
        self.rolling: dict[Loop, list[RollingGroup]] = {}
        self.rolled: dict[Load, RollingGroup] = {}
        self.skips: dict[Edge, Block] = {}
        self.quiet: dict[Loop, list[Instruction]] = {}
        self.exits = Exits(self)
        self._arena: Value | None = None
        self.unread: set[Store] = set()
        self.fused: FusedLoops | None = None
        self.given: dict[Loop, list[Instruction]] = {}
        self.flows: dict[Loop, FusedFlow] = {}
        self.idle: IdleRegions
        self.idle_loops: IdleLoops

    # Entry ----------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Plan, then turn the prepared function into the derivative."""
        p = self.p
        self._find_shadow_inductions()
        short_lived = self.spec.shadows.short_lived
        short_lived.find_addresses()
        self.versions = ArrayVersions(p, self.spec.later, self.spec.writers_in)
        recipes = Recipes(
            p.forest,
            p.counters,
            p.inductions,
            lambda load: self.spec.overwritten_by(load) is None,
            allocas_live=not self.spec.split,
            is_shadow=lambda i: i in self.spec.shadows.created,
            nested=self.spec.nested,
            fleeting=short_lived.patterns,
            never_kept=short_lived.addresses,
            at_hand=lambda i: self.fused is not None and self.fused.at_hand(i),
            left_by=self._left_by,
            elsewhere=Elsewhere(
                self.spec.left_for,
                self.spec.previous_for,
                self.spec.later.indices,
                p.forest,
                p.dominators,
                p.counters,
            ).find,
            versions=None if self.spec.nested else self.versions,
        )
        self.recipes = recipes
        self.primal_phis = {
            i for order in self.spec.order.values() for i in order if isinstance(i, Phi)
        }
        if not self.spec.split:
            program = [i for order in self.spec.order.values() for i in order]
            self.unread = stores_unread(program, self.spec.unread)
            written = [i for i in program if i not in self.unread]
            self.fused = FusedLoops(
                p,
                self.activity,
                self.unread,
                LateResults(p, self.layout, self.spec.later, self.activity, written),
                recipes.reloads,
                self.spec.return_primal,
            )
        # Blocks are split while caches are emitted; edges are spoken of by the blocks as they are now.
        self.incoming = {phi: {b: v for v, b in phi.incoming} for phi in self.primal_phis}
        # A loop that may leave early gets growing storage: its range says little about what it will use.
        counts = {loop: count for loop, count in p.trips.items() if count is not None}
        bounds = CountBounds(p.counters, p.inductions, counts)
        variance = Variance(p.forest, recipes.counters, p.inductions, self.spec.written_in)
        counted: set[Loop] = set()
        self.idle = IdleRegions(p, self.activity, self.spec.order, self.has_adjoint)
        while True:
            self.idle.find({*counted, *self._fused_loops()})
            self._find_rolling()
            homes = CacheLayout(p.forest, p.dominators, variance, bounds, self._fused_loops())
            needs = self._needs()
            self.plan = make_plan(needs, recipes, self.layout, homes)
            asked = self.fused.asked(self.plan, needs, recipes) if self.fused else []
            found = self._counted(homes)
            if not asked and not found:
                break
            counted |= found
            if self.fused is not None and asked:
                self.fused.drop(asked)
        reached(
            "cache_plan",
            p.primal.name,
            self.plan,
            lambda: plan_text(self.plan, self.forward, homes),
        )
        if self.spec.explain:
            self.notes = take_notes(self)
        needed = (*self.plan.cached, *self.plan.recomputed)
        for allocation in short_lived.let_die(needed):
            self.spec.shadows.hold_behind(allocation)
        self.cache = Cache(
            self.frame,
            self.layout,
            p.counters,
            homes,
            self.spec.scopes.cache,
            self.exits.no_memory_block,
            self.forward_arena,
            self.spec.nested,
            p.lanes,
            self.versions,
        )
        for value in self.plan.cached:
            self.cache.add(value)
        growing = {r.home.growing for r in self.cache.regions.values() if r.home.growing}
        failing = [] if self.fused is None else [*self.fused.that_fail, *self.fused.late.loops]
        skips = IdleReversePaths(
            p, self.activity, self.spec.order, self.has_adjoint, growing, self.rolling, failing
        )
        self.skips = skips.find()
        fused = self._fused_loops()
        self.idle_loops = IdleLoops(
            p, self.activity, self.spec.order, self.has_adjoint, growing, failing, fused
        )
        self.quiet = self.idle_loops.find()
        self.exits.prepare()
        self.cache.emit_forward()
        self._emit_reverse()
        self.report = self.cache.report()

    def _find_shadow_inductions(self) -> None:
        """The shadow of a pointer that walks through an array walks through the array's shadow."""
        created = self.spec.shadows.created
        for loop in self.p.counters:
            found = find_inductions(loop, latch_of(loop), preheader_of(loop))
            self.p.inductions.update((phi, i) for phi, i in found.items() if phi in created)

    def _left_by(self, number: Instruction) -> Store | None:
        """The store that leaves a number in memory until the reverse pass, wherever it was computed."""
        if not number.type.is_float:
            return None
        for user in number.users:
            if (
                isinstance(user, Store)
                and user.value is number
                and user.parent is number.parent
                and user not in self.unread
                and not _rests_on_numbers(user.pointer)
                and self.spec.stays(user)
            ):
                return user
        return None

    def _fused_loops(self) -> dict[Loop, None]:
        """The fused loops, outer before inner; asked of every loop and edge, so that a look must be quick."""
        return {} if self.fused is None else self.fused.loops

    def _counted(self, homes: CacheLayout) -> set[Loop]:
        """Loops in idle regions whose iterations the reverse pass counts, for storage that grows with them."""
        growing = {homes.of(value).growing for value in self.plan.cached}
        return {loop for loop in growing if loop is not None and loop.header in self.idle.between}

    def _find_rolling(self) -> None:
        self.rolling.clear()
        self.rolled.clear()
        for loop, counter in self.p.counters.items():
            if loop in self._fused_loops():
                continue  # sums roll from the last iteration to the first
            order = self.spec.order.get(loop.header, [])
            for group in find_groups(loop, counter, self.p.inductions, self.activity, order):
                self.rolling.setdefault(loop, []).append(group)
                for loads in group.loads:
                    self.rolled.update(dict.fromkeys(loads, group))

    # Which values are needed ----------------------------------------------------------------------------

    def _needs(self) -> dict[Value, list[Block]]:
        """What the reverse pass needs, with the blocks whose reverse needs it."""
        recorder = self._recorder()
        found: dict[Value, list[Block]] = {}
        for block in self.p.blocks:
            for instruction in reversed(self.spec.order[block]):
                with about(instruction):
                    for _ in recorder.each_lane():
                        emit_adjoint(recorder, instruction)
            self._edge_needs(block, recorder)
            for value in recorder.needs_since():
                found.setdefault(value, []).append(block)
        recorder.end()
        for loop in reversed(self._fused_loops()):
            assert self.fused is not None
            given = self.given[loop] = self.fused.needed_inside(loop, found)
            for value in given:
                found.setdefault(value, []).append(self.fused.end(loop))
        return found

    def primals_used(self, i: Instruction) -> set[Value]:
        """What the adjoint of an active number computes with."""
        recorder = self._recorder()
        emit_adjoint(recorder, i)
        return set(recorder.end())

    def _recorder(self) -> Recorder:
        return Recorder(self.p, self.activity, self.spec, self.rolled)

    def _edge_needs(self, block: Block, recorder: Recorder) -> None:
        if block in self.idle.beginning or block in self.idle.between:
            return
        origin = self.p.origin.get(block)
        if origin is not None:
            recorder.lookup(origin[0])
        for loop, count in self.p.exit_counts.get(block, {}).items():
            if loop not in self._fused_loops():
                recorder.lookup(count)

    def has_adjoint(self, i: Instruction) -> bool:
        """Is it a call with an adjoint of its own?"""
        shadows = self.spec.shadows
        return i in self.spec.call_sites or i in shadows.held or i in shadows.short_lived.ending

    # Arena ----------------------------------------------------------------------------------------------

    def forward_arena(self) -> Value:
        """The arena as the forward function sees it; in combined mode it is made here."""
        if self.spec.split:
            return self.arena_argument
        if self._arena is None:
            self._arena = self.frame.local(ARENA_TYPE, "arena", zero_of(ARENA_TYPE))
        return self._arena

    def arena(self) -> Value:
        """The arena as the reverse pass sees it."""
        return self.reverse.args[-2] if self.spec.split else self.forward_arena()

    def release(self, b: Builder, failed: bool) -> None:
        """Give back everything that this derivative call owns."""
        if self._arena is not None:
            b.call(helper(self.module, "enzyme_release"), [self._arena, ConstInt(I1, failed)])

    # Emission -------------------------------------------------------------------------------------------

    def _emit_reverse(self) -> None:
        p = self.p
        self.backward = ReverseEmitter(
            p,
            self.activity,
            self.spec,
            self.rolled,
            self.module,
            self.frame,
            self.recipes,
            self.plan,
            self.cache,
            self.argument,
            self.arena,
        )
        target = self.reverse
        self.blocks: dict[Block, Block] = {}
        self.ends: dict[Block, Block] = {}
        entry = target.append_block("rev.entry") if self.spec.split else None
        for block in reversed(p.blocks):
            self.blocks[block] = self.ends[block] = target.append_block(f"rev.{block.name}")
        for start in self.skips.values():
            if self.ends[start] is self.blocks[start]:
                after = self.blocks[start]
                self.ends[start] = target.append_block(f"rev.{start.name}.end", after=after)
        finish = target.append_block("rev.finish")
        self.exits.leave_forward()
        if self.fused is not None:
            self.fused.late.prepare(self.frame)
        for block in reversed(p.blocks):
            self._reverse_block(block, finish)
        if self.fused is not None:
            self.fused.late.finish(Builder(finish), self.frame)
        self.exits.finish(finish, entry)
        self.exits.fail()
        self._leave_out()
        self.spec.shadows.short_lived.remove_patterns()
        self.frame.place()

    def _reverse_block(self, block: Block, finish: Block) -> None:
        r = self.backward
        r.begin(self.blocks[block])
        if block in self.idle.between:
            r.b.unreachable()
            return
        if block in self.p.successful and self.spec.returns_active:
            value = self.exits.results[block]
            if value is not None and r.is_active(value):
                for lane in r.each_lane():
                    r.add(value, self.seeds[lane])
        for instruction in reversed(self.spec.order[block]):
            r.now = instruction
            for _ in r.each_lane():
                emit_adjoint(r, instruction)
        r.now = None
        if self.ends[block] is not self.blocks[block]:
            r.b.br(self.ends[block])
            r.begin(self.ends[block])
        if block is self.forward.entry:
            r.b.br(finish)
            return
        self._leave_block(block)

    def _leave_block(self, block: Block) -> None:
        """Take the adjoints of the phis and branch to the predecessor control came from."""
        r, p = self.backward, self.p
        b = r.b
        taken = [
            (lane, phi, r.take(phi))
            for phi in block.phis()
            if phi in self.primal_phis and r.is_active(phi)
            for lane in r.each_lane()
        ]
        if block in self.idle.beginning:
            b.br(self.blocks[self.idle.beginning[block]])
            return
        predecessors = p.predecessors(block)
        loop = p.forest.loop_of(block)
        if loop is not None and loop.header is block:
            assert loop.preheader is not None
            for group in self.rolling.get(loop, ()):
                for _ in r.each_lane():
                    r.roll(group)
            flow = self.flows.get(loop)
            if flow is not None:
                self._next_iteration(flow, taken)
                return
            counter = r.counter(loop)
            self.cache.emit_step_back(b, loop)
            first = b.icmp("eq", counter, ConstInt(I64, 0))
            memo = dict(r.memo)
            into = self._edge(block, loop.preheader, taken)
            r.memo = memo
            back = self._edge(block, loop.latches[0], taken, counter)
            b.at_end(self.ends[block])
            b.cond_br(first, into, back)
        elif len(predecessors) == 1:
            edge = self._edge(block, predecessors[0], taken)
            b.at_end(self.ends[block])
            b.br(edge)
        else:
            selector, numbers = p.origin[block]
            came = r.lookup(selector)
            memo = dict(r.memo)
            targets = []
            for predecessor in predecessors:
                r.memo = dict(memo)
                targets.append((numbers[predecessor], self._edge(block, predecessor, taken)))
            b.at_end(self.ends[block])
            if len(targets) == 2:
                (number, one), (_, other) = targets
                if came.type.text == "i1":
                    b.cond_br(came, *((one, other) if number else (other, one)))
                else:
                    b.cond_br(b.icmp("eq", came, ConstInt(came.type, number)), one, other)
            else:
                cases = [(ConstInt(came.type, n), t) for n, t in targets[1:]]
                b.switch(came, targets[0][1], cases)

    def _next_iteration(self, flow: FusedFlow, taken: Sequence[tuple[int, Phi, Value]]) -> None:
        """Behind the reverse of an iteration that has just run: another one, or what is in front of the loop."""
        r, loop = self.backward, flow.loop
        b = r.b
        assert loop.preheader is not None
        into = self._edge(loop.header, loop.preheader, taken)
        flow.again = self.reverse.append_block(
            f"rev.{loop.header.name}.again", after=self.blocks[loop.header]
        )
        b.at_end(flow.again)
        self._add_incoming(loop.latches[0], taken)
        b.br(loop.header)
        b.at_end(self.ends[loop.header])
        condition, going = flow.goes_on
        b.cond_br(condition, *((flow.again, into) if going else (into, flow.again)))

    def _add_incoming(self, predecessor: Block, taken: Sequence[tuple[int, Phi, Value]]) -> None:
        r = self.backward
        for lane, phi, d in taken:
            value = self.incoming[phi][predecessor]
            if r.is_active(value):
                self.spec.shadows.lane = lane
                r.add(value, d)
        self.spec.shadows.lane = 0

    def _enter(self, loop: Loop, edge: Block) -> None:
        """Go through a fused loop: its code finds here what it needs."""
        assert self.fused is not None
        r = self.backward
        counter = self.p.counters[loop]
        latch = latch_of(loop)
        slot, start = r.counter_slot[counter], self.blocks[latch]
        given: dict[Value, Value] = {value: r.lookup(value) for value in self.given[loop]}
        end = self.fused.end(loop)
        checked = self.fused.failing(loop) if self.fused.is_checked_ahead(loop) else ()
        late = self.fused.late.in_loop(loop)
        for sum_ in late:
            if sum_.outermost is loop:
                sum_.begin(r.b, given)
        self.flows[loop] = FusedFlow(loop, end, counter, slot, start, edge, given, checked, late)
        r.b.br(loop.header)

    def _leave_out(self) -> None:
        """Take out of the forward pass what it need not do."""
        for store in self.unread:
            store.erase()
        no_memory = self.exits.no_memory
        apart = {*self.p.failing, *([] if no_memory is None else [no_memory])}
        flows = [self.flows[loop] for loop in reversed(self._fused_loops())]
        for flow in flows:
            flow.connect(apart)
        remove_uses(phi for flow in flows for phi in flow.without)

    def _edge(
        self,
        block: Block,
        predecessor: Block,
        taken: Sequence[tuple[int, Phi, Value]],
        counter: Value | None = None,
    ) -> Block:
        """The reverse of the edge predecessor -> block: adjoints of incoming values, counters of loops entered."""
        r = self.backward
        left = self.p.loops_left(predecessor, block)
        start = self.skips.get((predecessor, block))
        target = self.blocks[predecessor] if start is None else self.ends[start]
        loop = self.p.forest.loop_of(block)
        over = loop is not None and loop.header is block and predecessor is loop.preheader
        groups = self.rolling.get(loop, []) if loop is not None and over else []
        adds = any(r.is_active(self.incoming[phi][predecessor]) for _, phi, _ in taken)
        if not adds and not left and counter is None and not groups:
            return target
        made = self.reverse.append_block(
            f"rev.{block.name}.{predecessor.name}", after=self.blocks[block]
        )
        r.b.at_end(made)
        for group in groups:
            for _ in r.each_lane():
                r.flush(group)
        self._add_incoming(predecessor, taken)
        if left and left[0] in self._fused_loops():
            self._enter(left[0], made)
            return made
        for ended in left:
            r.set_counter(ended, r.lookup(self.p.exit_counts[block][ended]))
        if counter is not None:
            r.set_counter(self._loop_with_header(block), r.b.isub(counter, ConstInt(I64, 1)))
        if len(left) == 1 and left[0] in self.quiet:
            self._pass_over(left[0], block, target)
        else:
            r.b.br(target)
        return made

    def _pass_over(self, loop: Loop, behind: Block, target: Block) -> None:
        """Go back through a loop, or to what is in front of it if it would only add zeros."""
        r = self.backward
        b = r.b
        idle: Value | None = None
        if not loop.children:
            # A square, so that LLVM does not learn that loops which are not passed over are short: it would go
            # through them in one masked vector, and store what the next one loads.
            count = r.lookup(self.p.exit_counts[behind][loop])
            idle = b.icmp(
                "uge", b.imul(count, count), ConstInt(I64, self.idle_loops.few(loop) ** 2)
            )
        for value in self.quiet[loop]:
            for _ in r.each_lane():
                zero = r.is_idle(value)
                idle = zero if idle is None else b.and_(idle, zero)
        assert idle is not None and loop.preheader is not None
        b.cond_br(idle, self.blocks[loop.preheader], target)

    def _loop_with_header(self, block: Block) -> Loop:
        loop = self.p.forest.loop_of(block)
        assert loop is not None and loop.header is block
        return loop

    # Leaving --------------------------------------------------------------------------------------------

    def adjoint_results(self) -> list[Value]:
        """The adjoints of the active arguments, at the end of the reverse pass."""
        r = self.backward
        results: list[Value] = []
        for argument, activity in zip(self.source_arguments, self.spec.activities, strict=True):
            for _ in r.each_lane() if activity is Activity.ACTIVE else ():
                active = r.is_active(argument)
                results.append(r.read(argument) if active else zero_of(argument.type))
        return results

    # Set by the driver ------------------------------------------------------------------------------------

    source_arguments: list[Argument]
    arena_argument: Argument
    seeds: list[Value]
    returns_shadow: bool = False
    forward_result: Type
    reverse_result: Type
