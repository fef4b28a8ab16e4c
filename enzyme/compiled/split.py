"""Split thunks in jitted code: what their two functions take and give, and the lowering of their calls."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba.core import cgutils, types

from enzyme.api.thunk_calls import SplitThunk, wrong_call
from enzyme.api.values import jitted, spread
from enzyme.compiled import apart
from enzyme.compiled.calls import forbid_cache_file, function_of
from enzyme.compiled.operands import operand
from enzyme.compiled.results import Joined
from enzyme.compiled.tapes import OpenTape, TapeType, new_tape
from enzyme.contract.apart import in_one_line
from enzyme.contract.kinds import BATCH
from enzyme.contract.layout import TAPE, of_augmented, of_reverse
from enzyme.contract.tapes import other_shadow, other_tape
from enzyme.engine.analysis.kinds import Activity
from enzyme.errors import ActivityError, ThunkCallError
from enzyme.frontend import visible
from enzyme.frontend.callplan import emit_call, make_plan
from enzyme.frontend.intrinsic import linkable
from enzyme.frontend.plans import CallPlan
from enzyme.typed.annotations import AnnotationType, check_shadow_type
from enzyme.typed.where import line_in_messages
from enzymecore import Const


def check_call(program: Any, args: Sequence[types.Type], tail: Sequence[str]) -> None:
    """Raise an error unless function and annotations are those of the thunk."""
    signature = program.signature
    pairs = list(zip(signature.annotations, signature.argtypes, strict=True))
    expected = ("Const[function]", *(f"{cls.__name__}[{ty}]" for cls, ty in pairs), *tail)
    right = len(args) == len(expected) and _is_function(program, args[0])
    for given, (cls, ty) in zip(args[1:], pairs, strict=False):
        right = right and isinstance(given, AnnotationType) and given.cls is cls
        right = right and given.value == ty
        if right and given.shadow is not None:
            lanes = given.shadow.types if issubclass(cls, BATCH) else (given.shadow,)
            right = len(lanes) == signature.width
    if not right:
        raise wrong_call(program.primal.name, expected, tuple(map(str, args)))
    for position, given in enumerate(args[1 : 1 + len(pairs)]):
        assert isinstance(given, AnnotationType)
        check_shadow_type(position, given, True)


def _is_function(program: Any, ty: types.Type) -> bool:
    if not isinstance(ty, AnnotationType) or ty.cls is not Const:
        return False
    func, count = function_of(ty), len(program.signature.annotations)
    if func is None:
        return False
    mine = program.function
    dispatcher = jitted(func, count)
    # What stands for a dispatcher in code that is differentiated knows which one it stands for.
    return any(
        found is mine or getattr(found, "identity", None) == id(mine)
        for found in (dispatcher, spread(dispatcher, count))
    )


class Split:
    """A split thunk for compiled code: the plans of its two functions and the library that has them."""

    def __init__(self, thunk: SplitThunk) -> None:
        self.thunk = thunk
        self.program = program = thunk.program
        signature = program.signature
        if Activity.MIXED in (*signature.activities, program.result.activity):
            raise ActivityError(
                what="a mixed argument or result in compiled code",
                todo="pass the floats and the arrays as arguments of their own",
            )
        if not all(map(visible.is_visible, signature.argtypes)):
            raise ActivityError(
                what="a thunk of a function of lists, dictionaries or instances in compiled code",
                todo="call the thunk from Python",
            )
        program.constants_meet = False  # that is tested when the code runs
        made = program.differentiate(False)
        symbols, self.library = linkable(
            made.text,
            (made.symbol, made.reverse_symbol),
            signature.width > 1,
            program.libraries,
            program.outside,
            signature.mode.vector_math,
        )
        self.has_tape = made.has_tape
        self.forward, self.reverse = (
            make_plan(
                program.primal,
                symbol,
                program.activities,
                program.result.activity,
                signature.diff_mode,
                program.result.primal,
                reverses=bool(reverses),
                has_tape=made.has_tape,
                width=signature.width,
                raises_late=program.raises_late,
            )
            for reverses, symbol in enumerate(symbols)
        )
        self.tape = TapeType(thunk) if self.has_tape else types.none
        layout = of_augmented(signature, program.result, self.has_tape)
        self.forward_result = Joined(layout, self.forward, {TAPE: self.tape})
        self.reverse_result = Joined(of_reverse(signature), self.reverse)

    @staticmethod
    def of(thunk: SplitThunk) -> Split:
        """Made once for each thunk."""
        if thunk.compiled is None:
            thunk.compiled = Split(thunk)
        found: Split = thunk.compiled
        return found

    def check(self, part: str, args: Sequence[types.Type]) -> types.Type:
        """The result type of a call."""
        if part == "forward":
            check_call(self.program, args, ())
            return self.forward_result.type
        tail = ["seed"] * self.reverse.seeded + ["tape"]
        check_call(self.program, args, tail)
        if args[-1] != self.tape:
            raise other_tape(str(args[-1]))
        seed = self._seed_type
        if seed is not None and not _may_be(args[-2], seed):
            raise ThunkCallError(what=f"the seed must be of type {seed}, not {args[-2]}")
        return self.reverse_result.type

    @property
    def _seed_type(self) -> types.Type | None:
        if not self.reverse.seeded:
            return None
        plan = self.reverse
        return plan.restype if plan.width == 1 else types.UniTuple(plan.restype, plan.width)

    # Lowering ---------------------------------------------------------------------------------------

    def _operands(
        self, context: Any, builder: Any, plan: CallPlan, types_: Any, values: Any
    ) -> list[Any]:
        return [
            operand(context, builder, plan, types_[index], values[index], role, index)
            for role, index in plan.parameters
            if index >= 0
        ]

    def emit_forward(self, context: Any, builder: Any, types_: Any, args: Any) -> Any:
        context.active_code_library.add_linking_library(self.library)
        forbid_cache_file(builder.module)
        plan = self.forward
        operands = self._operands(context, builder, plan, types_[1:], args[1:])
        if self.program.overlap_matters:
            apart.emit_examination(
                context, builder, plan, operands, self.program.writes, line_in_messages(), False
            )
        answer = emit_call(context, builder, plan, operands)
        made = {}
        if isinstance(self.tape, TapeType):
            held = self.tape.held
            members = [
                context.cast(builder, value, given, wanted)
                for value, given, wanted in zip(args[1:], types_[1:], held.types, strict=True)
            ]
            kept = context.make_tuple(builder, held, members)
            handle = builder.extract_value(answer, self.forward_result.positions[TAPE])
            made[TAPE] = new_tape(context, builder, self.tape, handle, kept)
        return self.forward_result.emit(context, builder, answer, made)

    def emit_reverse(self, context: Any, builder: Any, types_: Any, args: Any) -> Any:
        context.active_code_library.add_linking_library(self.library)
        forbid_cache_file(builder.module)
        plan = self.reverse
        count = len(self.program.signature.annotations)
        operands = self._operands(
            context, builder, plan, types_[1 : 1 + count], args[1 : 1 + count]
        )
        seed = []
        if plan.seeded:
            seed = [context.cast(builder, args[-2], types_[len(args) - 2], self._seed_type)]
        if self.has_tape:
            handle, operands = self._take(context, builder, args[-1], operands)
            operands += [*seed, handle]
        else:
            operands += seed
            if self.program.overlap_matters:
                apart.emit_examination(
                    context, builder, plan, operands, self.program.writes, line_in_messages(), False
                )
        answer = emit_call(context, builder, plan, operands)
        return self.reverse_result.emit(context, builder, answer)

    def _take(
        self, context: Any, builder: Any, tape: Any, given: Sequence[Any]
    ) -> tuple[Any, list[Any]]:
        """The storage of a tape, which is empty from now on, and the arguments that it holds."""
        assert isinstance(self.tape, TapeType)
        opened = OpenTape(context, builder, self.tape, tape)
        kinds = self.tape.held.types
        mine = self._operands(context, builder, self.reverse, kinds, opened.annotations)
        differs = apart.emit_differs(context, builder, self.reverse, mine, given)
        if differs is not None:
            error = other_shadow()
            with cgutils.if_unlikely(builder, differs):
                context.call_conv.return_user_exc(
                    builder,
                    type(error),
                    (f"{line_in_messages()}{in_one_line(error)}",),
                )
        return opened.take(), mine


def _may_be(given: types.Type, wanted: types.Type) -> bool:
    if given == wanted:
        return True
    if isinstance(wanted, types.BaseTuple):
        return (
            isinstance(given, types.BaseTuple)
            and len(given) == len(wanted)
            and all(map(_may_be, given.types, wanted.types))
        )
    return isinstance(given, types.Number) and (
        isinstance(wanted, types.Complex) or not isinstance(given, types.Complex)
    )
