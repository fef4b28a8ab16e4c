"""`autodiff` in jitted code.

Numba asks for the type of the call, which takes the primal's result type: the derivative is made then, so that
errors come with the line of the call.  Lowering links the derivative's code and emits the call.  In code that is
differentiated itself the derivative is linked as the engine made it, not yet optimised: it is part of the
program, and the engine differentiates it like the rest.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numba.core import cgutils, types, typing
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import infer_global

from enzyme.api import dependents, settings
from enzyme.api.callers import Origin, let_cache_file, origin_of
from enzyme.api.combined import autodiff, autodiff_deferred
from enzyme.api.compile import Program
from enzyme.api.places import shown
from enzyme.api.programs import Known, check_count, prepare
from enzyme.api.values import jitted, spread
from enzyme.compiled import apart
from enzyme.compiled.operands import one, operand
from enzyme.compiled.results import Joined
from enzyme.contract.admission import ORDER, check_annotations, check_function, check_mode
from enzyme.contract.layout import of_autodiff
from enzyme.contract.signature import of_call
from enzyme.errors import ActivityError, EnzymeConstStorageError, EnzymeError, ModeError
from enzyme.frontend import visible
from enzyme.frontend.callplan import emit_call, make_plan
from enzyme.frontend.function_values import is_function_value
from enzyme.frontend.intrinsic import linkable
from enzyme.frontend.numba_compat.code import DYNAMIC_GLOBALS
from enzyme.frontend.numba_compat.compilers import global_compiler_lock
from enzyme.frontend.plans import CallPlan
from enzyme.frontend.registration import EnzymeContext, EnzymeTypingContext
from enzyme.frontend.target import source_library
from enzyme.support.collector import resting
from enzyme.support.per_function_cache import table_of
from enzyme.support.progress import compiling
from enzyme.typed.annotations import (
    AnnotationClass,
    AnnotationType,
    ModeType,
    check_shadow_type,
)
from enzyme.typed.fixed import FixedCallable
from enzyme.typed.where import line_in_messages, placed
from enzymecore import Const, Mode

_ATTRIBUTE = "__enzyme_compiled__"


# What is known of a call: nothing; nothing but the call refers to its shadows; it is one of several, too, each on
# copies of the arguments.
PLAIN, ONCE, REPEATED = range(3)


def autodiff_with_new_shadows(*args: Any) -> Any:
    """`autodiff` with shadows that nothing else refers to; compiled code only."""
    raise NotImplementedError


def autodiff_repeated(*args: Any) -> Any:
    """`autodiff` as one of several calls with copies of one set of arguments, and new shadows; compiled code only."""
    raise NotImplementedError


class AutodiffFunction(FixedCallable):
    """Type of `autodiff` itself."""

    use = PLAIN

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        with placed():
            if kws:
                raise ActivityError(what="autodiff takes no keyword arguments", todo=ORDER)
            as_source = isinstance(context, EnzymeTypingContext)
            found = derivative_of(as_source, args, self.use)
            return typing.signature(found.result_type, *args)


class NewShadowsFunction(AutodiffFunction):
    """Type of `autodiff_with_new_shadows`."""

    use = ONCE


class RepeatedFunction(AutodiffFunction):
    """Type of `autodiff_repeated`."""

    use = REPEATED


for _function in (autodiff, autodiff_deferred):
    infer_global(_function, AutodiffFunction(_function, _function.__name__))
infer_global(autodiff_with_new_shadows, NewShadowsFunction(autodiff_with_new_shadows, "autodiff"))
infer_global(autodiff_repeated, RepeatedFunction(autodiff_repeated, "autodiff"))


def _lower(kind: type[AutodiffFunction]) -> None:
    @lower_builtin(kind, types.VarArg(types.Any))
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        as_source = isinstance(context, EnzymeContext)
        return derivative_of(as_source, sig.args, kind.use).emit(context, builder, args)


for _kind in (AutodiffFunction, NewShadowsFunction, RepeatedFunction):
    _lower(_kind)


# --- what a call asks for ---------------------------------------------------------------------------


@dataclass(frozen=True)
class CallRequest:
    """A call by its types; its annotations are the arguments from position `first` on."""

    mode: Mode
    function: Any
    wanted: Any
    annotations: tuple[AnnotationType, ...]
    first: int


def _plain(ty: types.Type) -> Any:
    """A stand-in for the Python value of an argument, for the checks that `autodiff` makes in Python."""
    if isinstance(ty, ModeType | AnnotationClass):
        return ty.python_value
    if isinstance(ty, AnnotationType):
        return ty.described
    return function_of(ty) or ty


def function_of(ty: types.Type) -> Any:
    """The function of this type."""
    if isinstance(ty, AnnotationType) and ty.cls is Const:
        ty = ty.value
    if isinstance(ty, types.Dispatcher):
        return ty.dispatcher
    if isinstance(ty, types.Function):
        return ty.typing_key
    return None


def refuse_runtime_activity(mode: Any) -> None:
    """The switch for all modes, by contrast, is a matter of calls from Python."""
    if getattr(mode, "runtime_activity", False):
        raise ModeError(
            what="there is no runtime activity in compiled code: all types are known before",
            todo="call autodiff from Python, or pass constant memory with a shadow of its own",
        )


def read(args: Sequence[types.Type]) -> CallRequest:
    """What a call with arguments of these types asks for; raises the errors that `autodiff` does."""
    if len(args) < 2:
        raise ActivityError(what="autodiff takes a mode and a function", todo=ORDER)
    mode, f = _plain(args[0]), _plain(args[1])
    check_mode(mode, f)
    refuse_runtime_activity(mode)
    function = function_of(args[1])
    if isinstance(args[1], AnnotationType) and args[1].cls is not Const:
        raise ActivityError(
            what=f"the function cannot be {args[1].cls.__name__} in compiled code",
            todo="give the function by its name, and the data as arguments",
        )
    if isinstance(args[1], types.RecursiveCall):
        raise ActivityError(
            what="a function that differentiates itself",
            why="its derivative would need its own derivative",
            todo="differentiate another function",
        )
    if function is None:
        check_function(f, tuple(map(_plain, args[2:])))
        raise ActivityError(
            what=f"the function to differentiate must be a jitted one, not a value of type {args[1]}",
            todo="give a function by its name, decorated with @njit",
        )
    wanted = (
        args[2].python_value if len(args) > 2 and isinstance(args[2], AnnotationClass) else None
    )
    first = 2 + (wanted is not None)
    given: list[Any] = list(args[first:])
    check_annotations([_plain(ty) for ty in given], types_too=True)
    for position, ty in enumerate(given):
        if not isinstance(ty, AnnotationType):
            raise ActivityError(
                what=f"argument {position} is not annotated: its type is {ty}",
                why="autodiff must be told of every argument whether to differentiate it",
                todo="wrap it, e.g. Const(x), Active(x) or Duplicated(x, dx)",
            )
    return CallRequest(settings.effective(mode), function, wanted, tuple(given), first)


# --- the derivative ---------------------------------------------------------------------------------


def derivative_of(as_source: bool, args: Sequence[types.Type], use: int = PLAIN) -> Derivative:
    """The derivative that a call asks for, made once for each function and types; `use` says what is known of it."""
    call_request = read(args)
    count = len(call_request.annotations)
    dispatcher = spread(jitted(call_request.function, count), count)
    with global_compiler_lock:
        table = table_of(dispatcher, _ATTRIBUTE)
        call = call_request.mode, call_request.wanted, call_request.annotations
        key = (as_source, use, *call)
        found: Derivative | None = table.get(key)
        if found is None:
            with (
                compiling(shown(dispatcher)),
                _advice_for_compiled_code(),
                resting(),
                dependents.collected() as reached,
            ):
                found = table[key] = _make(dispatcher, call_request, as_source, use)
            dependents.attach(reached, dispatcher, _ATTRIBUTE, key)
            found.reached = tuple(map(weakref.ref, reached.values()))
        else:
            dependents.note(found.reached)
    return found


def _make(dispatcher: Any, call_request: CallRequest, as_source: bool, use: int) -> Derivative:
    annotations = call_request.annotations
    check_count(dispatcher, len(annotations))
    signature = of_call(
        call_request.mode,
        call_request.wanted,
        tuple(given.described for given in annotations),
        lambda position, _: annotations[position].value,
    )
    for position, given in enumerate(annotations):
        check_shadow_type(position, given, not signature.forward)
    values = [Known(_content(position, given.value)) for position, given in enumerate(annotations)]
    origin = None if as_source else origin_of(dispatcher)
    program = prepare(dispatcher, signature, values, nested=as_source, fresh=True)
    if program.result.holomorphic:
        raise ModeError(
            what="holomorphic mode in compiled code",
            todo="call autodiff from Python, or differentiate the real and the imaginary part",
        )
    hidden = [ty.value for ty in annotations if _is_hidden(ty, use)]
    for position, given in enumerate(annotations):
        if hidden and not (use != PLAIN and _only_reads(program)):
            _check_memory(position, given, hidden[0])
        check_shadow_type(position, given, signature.forward and program.writes(position))
        if use == REPEATED and not visible.can_be_copied(given.value) and program.writes(position):
            raise _cannot_be_copied(position, given.value)
    found = Derivative(program, call_request, as_source, origin)
    found.compile()
    return found


# What is advised in Python and refused here, and what helps here.
NOT_HERE = {
    "MixedDuplicated": "pass the floats and the arrays as arguments of their own",
    "ReverseHolomorphic": "differentiate the real and the imaginary part",
}


@contextmanager
def _advice_for_compiled_code() -> Iterator[None]:
    """Errors advise what compiled code takes."""
    try:
        yield
    except EnzymeError as error:
        todo = []
        for advice in error.todo:
            here = [instead for name, instead in NOT_HERE.items() if name in advice]
            todo += [one for one in here or [advice] if one not in todo]
        if tuple(todo) != error.todo:
            error.todo = tuple(todo)
            error.args = (error.render(),)
        raise


def _content(position: int, ty: types.Type) -> Any:
    if is_function_value(ty):
        raise ActivityError(
            what=f"argument {position} holds a function chosen at run time, in compiled code",
            todo="give the function by its name, or call autodiff from Python",
        )
    if isinstance(ty, types.BaseTuple):
        return tuple(_content(position, member) for member in ty.types)
    return None


def _only_reads(program: Program) -> bool:
    """Does the program write to no argument? Then it does not matter what else shares their memory."""
    return not any(map(program.writes, range(len(program.primal.argtypes))))


def _is_hidden(given: AnnotationType, use: int) -> bool:
    """Has an argument memory that is seen nowhere, and that others may refer to? Not what is apart, where nobody else
    has its shadow."""
    apart = visible.is_apart(given.value) and (given.shadow is None or use != PLAIN)
    return not apart and not visible.is_visible(given.value)


def _check_memory(position: int, given: AnnotationType, hidden: types.Type) -> None:
    """Refuse shadows that cannot be compared with their primals when the code runs."""
    if given.shadow is not None and visible.holds_memory(given.value):
        raise ActivityError(
            what=f"argument {position} has a shadow in memory beside an argument of type {hidden}",
            why="compiled code compares shadows with arrays, records and tuples of them only, and second derivatives "
            "are made in it",
            todo=(
                "pass the arrays as arguments of their own",
                "or take a first derivative, from Python: grad, gradient, or autodiff",
            ),
        )


def _cannot_be_copied(position: int, ty: types.Type) -> ActivityError:
    return ActivityError(
        what=f"the function writes to argument {position} of type {ty}, and would find it changed in its next run",
        why="it runs once for each direction or output, on copies, and compiled code copies arrays, lists and"
        " dictionaries of numbers",
        todo="call jacobian from Python, or let the function make what it writes to",
    )


class Derivative:
    """A compiled derivative, ready to be linked and called."""

    def __init__(
        self,
        program: Program,
        call_request: CallRequest,
        as_source: bool,
        origin: Origin | None = None,
    ) -> None:
        self.program = program
        self.origin = origin
        self.call_request = call_request
        self.as_source = as_source
        self.tested = program.overlap_matters
        self.plans: dict[bool, CallPlan] = {}
        self.refused: EnzymeError | None = None  # what is wrong with arguments that overlap
        self._libraries: list[Any] = []
        self.reached: tuple[weakref.ref[Any], ...] = ()  # the functions that it is made of

    def compile(self) -> None:
        """Make the derivative that relies on arguments being distinct, and the one that does not.

        A program that is differentiated again has only the second: the engine would see both.
        """
        distinct = self.tested and self.program.can_be_distinct and not self.as_source
        for promise in (True, False) if distinct else (False,):
            program = self.program
            try:
                made = program.differentiate(promise)
            except EnzymeConstStorageError as error:
                if True not in self.plans:
                    raise
                self.refused = error
                return
            needs = program.libraries, program.outside
            vector_math = program.signature.mode.vector_math
            library: Any
            if self.as_source:
                symbol, library = source_library(made.text, made.symbol, *needs)
            else:
                pack = program.signature.width > 1
                (symbol,), library = linkable(
                    made.text, (made.symbol,), pack, *needs, vector_math=vector_math
                )
            self._libraries.append(library)
            self.plans[promise] = make_plan(
                program.primal,
                symbol,
                program.activities,
                program.result.activity,
                program.signature.diff_mode,
                program.result.primal,
                width=program.signature.width,
                raises_late=program.raises_late,
            )

    # The result -------------------------------------------------------------------------------------

    @property
    def plan(self) -> CallPlan:
        return next(iter(self.plans.values()))

    @cached_property
    def joined(self) -> Joined:
        program = self.program
        return Joined(of_autodiff(program.signature, program.result), self.plan)

    @property
    def result_type(self) -> types.Type:
        return self.joined.type

    # The call ---------------------------------------------------------------------------------------

    def emit(self, context: Any, builder: Any, args: Sequence[Any]) -> Any:
        """Emit the call; `args` are the values of all arguments of `autodiff`."""
        for library in self._libraries:
            context.active_code_library.add_linking_library(library)
        answer = self._emit(context, builder, args)
        origin = None if self.program.late else self.origin
        if origin is None or not let_cache_file(builder.module, origin, self._libraries):
            forbid_cache_file(builder.module)
        return answer

    def _emit(self, context: Any, builder: Any, args: Sequence[Any]) -> Any:
        given = args[self.call_request.first :]
        annotations = self.call_request.annotations
        operands = [
            one(context, builder, self.plan)
            if role == "seed"
            else operand(context, builder, self.plan, annotations[index], given[index], role, index)
            for role, index in self.plan.parameters
        ]
        if not self.tested:
            answer = emit_call(context, builder, self.plan, operands)
            return self.joined.emit(context, builder, answer)
        shared = apart.emit_examination(
            context,
            builder,
            self.plan,
            operands,
            self.program.writes,
            line_in_messages(),
            constants_may=not self.as_source,
        )
        if self.refused is not None:
            apart.refuse(context, builder, [shared], self.refused, line_in_messages())
            answer = emit_call(context, builder, self.plans[True], operands)
            return self.joined.emit(context, builder, answer)
        if True not in self.plans:
            answer = emit_call(context, builder, self.plans[False], operands)
            return self.joined.emit(context, builder, answer)
        slot = cgutils.alloca_once(builder, context.get_value_type(self.plan.result_type))
        with builder.if_else(shared, likely=False) as (then, otherwise):
            with then:
                builder.store(emit_call(context, builder, self.plans[False], operands), slot)
            with otherwise:
                builder.store(emit_call(context, builder, self.plans[True], operands), slot)
        return self.joined.emit(context, builder, builder.load(slot))


def forbid_cache_file(module: Any) -> None:
    """Keep numba from writing the caller to a file: a derivative lives in this process."""
    name = f"{DYNAMIC_GLOBALS}.enzyme"
    if name not in module.globals:
        mark = cgutils.add_global_variable(module, cgutils.bool_t, name)
        mark.initializer = cgutils.false_bit
        mark.linkage = "weak_odr"  # stays, and may be there more than once


__all__ = [
    "AutodiffFunction",
    "Derivative",
    "CallRequest",
    "derivative_of",
    "forbid_cache_file",
    "function_of",
    "read",
]
