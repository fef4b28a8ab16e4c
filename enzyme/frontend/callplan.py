"""The code of one call of a derivative, by its plan (`plans`)."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from enzyme.engine.analysis.kinds import Activity, DiffMode
from enzyme.errors import EnzymeRuntimeException
from enzyme.frontend.abi import parameter_activities
from enzyme.frontend.leaves import LeafKind, held_by_value, is_differentiable
from enzyme.frontend.numba_compat.compilers import RETCODE_EXC, call_status, excinfo_t
from enzyme.frontend.plans import CallPlan, adjoint_type
from enzyme.frontend.target import PrimalModule

_STOPPED = "a derivative could not go on: it ran out of memory, or got to code that has none"


def make_plan(
    primal: PrimalModule,
    symbol: str,
    activities: Sequence[Activity],
    return_activity: Activity,
    mode: DiffMode,
    return_primal: bool = True,
    *,
    reverses: bool = False,
    has_tape: bool = False,
    width: int = 1,
    raises_late: bool = False,
) -> CallPlan:
    """Plan of the calls to `symbol`, the derivative of `primal` made for these activities.

    In split mode `reverses` tells the second call from the first.
    """
    return CallPlan(
        symbol=symbol,
        abi=primal.abi,
        argtypes=primal.argtypes,
        restype=primal.restype,
        activities=tuple(activities),
        return_activity=return_activity,
        mode=mode,
        return_primal=return_primal,
        parameter_activities=parameter_activities(
            primal.abi, activities, return_activity, mode, return_primal
        ),
        reverses=reverses,
        has_tape=has_tape,
        width=width,
        raises_late=raises_late,
        optional=primal.optional,
    )


# --- lowering of one call ---------------------------------------------------------------------


def _flatten(nested: Any) -> list[Any]:
    if isinstance(nested, tuple | list):
        return [value for part in nested for value in _flatten(part)]
    return [nested]


def as_leaves(context: Any, builder: Any, ty: types.Type, value: Any) -> list[Any]:
    """The primitive parts of a value, as numba passes them."""
    return _flatten(context.data_model_manager[ty].as_argument(builder, value))


def from_leaves(context: Any, builder: Any, ty: types.Type, leaves: Sequence[Any]) -> Any:
    """A value out of its primitive parts."""
    return context.get_arg_packer([ty]).from_arguments(builder, leaves)[0]


def _fixed_value(context: Any, builder: Any, ty: types.Type) -> Any:
    if isinstance(ty, types.BaseTuple):
        members = [_fixed_value(context, builder, member) for member in ty.types]
        return context.make_tuple(builder, ty, members)
    if isinstance(ty, types.Literal):
        return context.get_constant_generic(builder, ty, ty.literal_value)
    return context.get_dummy_value()


def emit_call(
    context: Any, builder: Any, plan: CallPlan, args: Sequence[Any], address: Any = None
) -> Any:
    """Emit the call; `args` are values of `plan.flat_types`; the value of `plan.result_type`.

    What is called is the plan's symbol, or what is at an `address` known only when the call is made.
    On a failed status the enclosing function returns it, so that the primal's exception surfaces.
    """
    given = dict(zip(plan.parameters, args, strict=True))
    conv = context.call_conv
    buffer_type = conv.get_return_type(plan.restype).pointee
    buffer = cgutils.alloca_once(builder, buffer_type, name="primal")
    builder.store(cgutils.get_null_value(buffer_type), buffer)
    shadow_buffers = [
        cgutils.alloca_once(builder, buffer_type, name="shadow") for _ in range(plan.width)
    ]
    seeds = [cgutils.get_null_value(buffer_type)] * plan.width
    if plan.seeded:
        model = context.data_model_manager[plan.restype]
        seeds = [model.as_return(builder, s) for s in plan.lanes(builder, given["seed", -1])]
    for seed, shadow_buffer in zip(seeds, shadow_buffers, strict=True):
        builder.store(seed, shadow_buffer)
    error_type = ir.PointerType(excinfo_t)
    error = cgutils.alloca_once(builder, error_type, name="excinfo")
    builder.store(cgutils.get_null_value(error_type), error)

    operands: list[Any] = []
    primal_leaves = {}
    for index, ty in enumerate(plan.argtypes):
        value = given.get(("primal", index))
        if value is None:
            value = _fixed_value(context, builder, ty)
        primal_leaves[index] = as_leaves(context, builder, ty, value)
    shadow_leaves = {
        index: [
            as_leaves(context, builder, plan.argtypes[index], lane)
            for lane in plan.lanes(builder, value)
        ]
        for (role, index), value in given.items()
        if role == "shadow"
    }
    position = dict.fromkeys(primal_leaves, 0)
    returned: list[ir.Type] = [ir.IntType(32)]
    for parameter, activity in zip(plan.abi.parameters, plan.parameter_activities, strict=True):
        if parameter.leaf.kind is LeafKind.RETPTR:
            operands.append(buffer)
            if activity.has_shadow:
                operands += shadow_buffers
        elif parameter.leaf.kind is LeafKind.EXCINFO:
            operands.append(error)
        else:
            index = parameter.argument
            at = position[index]
            position[index] += 1
            operands.append(primal_leaves[index][at])
            if activity.has_shadow:
                operands += [lane[at] for lane in shadow_leaves[index]]
            elif activity is Activity.ACTIVE:
                returned += [operands[-1].type] * plan.width

    if plan.reverses:
        answer = _call_reverse(builder, plan, operands, returned[1:], given, address)
        _surface(context, builder, plan)
        return _collect(
            context, builder, plan, answer, 0, primal_leaves, shadow_leaves, buffer, shadow_buffers
        )
    if plan.augments:
        returned = [ir.IntType(32), cgutils.voidptr_t]
    function_type = ir.FunctionType(
        ir.LiteralStructType(returned), [operand.type for operand in operands]
    )
    answer = builder.call(_callee(builder, plan, function_type, address), operands)
    code = builder.extract_value(answer, 0)
    status = call_status(conv, builder, code, builder.load(error))
    with cgutils.if_unlikely(builder, status.is_error):
        _leave(context, builder, status)
    _surface(context, builder, plan)
    there = builder.not_(status.is_none) if plan.optional else None
    return _collect(
        context,
        builder,
        plan,
        answer,
        1,
        primal_leaves,
        shadow_leaves,
        buffer,
        shadow_buffers,
        there,
    )


def _leave(context: Any, builder: Any, status: Any) -> None:
    """Hand on a failure. In a ``try`` numba does not see Python exceptions that are set: it gets one that it sees."""
    conv = context.call_conv
    caught = conv.check_try_status(builder).in_try
    seen = builder.not_(builder.and_(caught, status.is_python_exc))
    with builder.if_else(seen) as (then, otherwise):
        with then:
            conv.return_status_propagate(builder, status)
        with otherwise:
            api = context.get_python_api(builder)
            gil = api.gil_ensure()
            api.err_clear()
            api.gil_release(gil)
            conv.set_static_user_exc(builder, EnzymeRuntimeException, (_STOPPED,))


def _surface(context: Any, builder: Any, plan: CallPlan) -> None:
    """Let the exception of a reverse rule leave the function around the call."""
    if not plan.raises_late or plan.augments or plan.mode is DiffMode.FORWARD:
        return
    api = context.get_python_api(builder)
    gil = api.gil_ensure()
    pending = cgutils.is_not_null(builder, api.err_occurred())
    api.gil_release(gil)
    with cgutils.if_unlikely(builder, pending):
        builder.ret(RETCODE_EXC)


def _callee(builder: Any, plan: CallPlan, function_type: Any, address: Any) -> Any:
    if address is None:
        return cgutils.get_or_insert_function(builder.module, function_type, plan.symbol)
    return builder.inttoptr(address, function_type.as_pointer())


def _call_reverse(
    builder: Any,
    plan: CallPlan,
    operands: list[Any],
    returned: list[Any],
    given: dict[Any, Any],
    address: Any,
) -> Any:
    """The second call of split mode: it cannot fail, so there is no status."""
    if plan.has_tape:
        operands.append(builder.inttoptr(given["tape", -1], cgutils.voidptr_t))
    result = ir.LiteralStructType(returned) if returned else ir.VoidType()
    function_type = ir.FunctionType(result, [operand.type for operand in operands])
    return builder.call(_callee(builder, plan, function_type, address), operands)


def _collect(
    context: Any,
    builder: Any,
    plan: CallPlan,
    answer: Any,
    at: int,
    primal_leaves: dict[int, list[Any]],
    shadow_leaves: dict[int, list[list[Any]]],
    buffer: Any,
    shadow_buffers: list[Any],
    there: Any = None,
) -> Any:
    """The result tuple, from the returned struct (adjoints from `at` on) and the return buffers.

    `there` says whether there is a result; None if there always is.
    """

    def optional(value: Any) -> Any:
        if there is None:
            return value
        made = context.make_helper(builder, plan.given_type)
        made.data, made.valid = value, there
        return made._getvalue()

    adjoints: dict[int, list[list[Any]]] = {}
    borrowed: set[int] = set()
    for parameter, activity in zip(plan.abi.parameters, plan.parameter_activities, strict=True):
        if ("adjoint", parameter.argument) not in plan.results:
            continue
        found = adjoints.setdefault(parameter.argument, [[] for _ in range(plan.width)])
        shadows = shadow_leaves.get(parameter.argument)
        for number, lane in enumerate(found):
            if activity is Activity.ACTIVE:
                lane.append(builder.extract_value(answer, at))
                at += 1
                continue
            if isinstance(parameter.leaf.type, types.Record):
                lane.append(cgutils.false_bit)
                continue
            given = (primal_leaves[parameter.argument] if shadows is None else shadows[number])[
                len(lane)
            ]
            by_value = held_by_value(plan.argtypes[parameter.argument])[len(lane)]
            if by_value and (shadows is None or parameter.leaf.kind is LeafKind.FLOAT):
                given = cgutils.get_null_value(given.type)  # floats are those of an inactive type
            else:  # text and arrays of integers have no zero
                borrowed.add(parameter.argument)
            lane.append(given)

    primal = context.get_returned_value(builder, plan.restype, builder.load(buffer))
    results = []
    for role, index in plan.results:
        if role == "tape":
            tape = builder.extract_value(answer, 1)
            results.append(builder.ptrtoint(tape, context.get_value_type(types.uintp)))
        elif role == "adjoint":
            ty = adjoint_type(plan.argtypes[index])
            lanes = adjoints.get(index, [[]] * plan.width)
            members = [from_leaves(context, builder, ty, lane) for lane in lanes]
            if index in borrowed and context.enable_nrt:
                for member in members:
                    context.nrt.incref(builder, ty, member)
            results.append(_joined(context, builder, plan, ty, members))
        elif role == "shadow":
            members = [
                optional(_returned_shadow(context, builder, plan, primal, b, there))
                for b in shadow_buffers
            ]
            results.append(_joined(context, builder, plan, plan.given_type, members))
        else:
            results.append(optional(primal))
    if plan.reverses:
        return context.make_tuple(builder, plan.result_type, results)
    if not plan.return_shadow and plan.return_has_shadow and context.enable_nrt:
        for shadow_buffer in shadow_buffers:
            value = builder.load(shadow_buffer)
            shadow = context.get_returned_value(builder, plan.restype, value)
            for ty, mine, theirs in _constants_in(builder, plan.restype, shadow, primal):
                context.nrt.incref(builder, ty, mine)
                _let_go(context, builder, ty, mine, theirs)
            context.nrt.decref(builder, plan.restype, shadow)
    if not plan.return_primal and context.enable_nrt:
        context.nrt.decref(builder, plan.restype, primal)
    return context.make_tuple(builder, plan.result_type, results)


def _joined(context: Any, builder: Any, plan: CallPlan, ty: types.Type, members: list[Any]) -> Any:
    """The lanes as one value."""
    if plan.width == 1:
        return members[0]
    return context.make_tuple(builder, types.UniTuple(ty, plan.width), members)


def _returned_shadow(
    context: Any, builder: Any, plan: CallPlan, primal: Any, shadow_buffer: Any, there: Any
) -> Any:
    """Tangent of the result: floats and memory from the shadow buffer, the rest as the primal."""
    shadow = context.get_returned_value(builder, plan.restype, builder.load(shadow_buffer))
    shadows = as_leaves(context, builder, plan.restype, shadow)
    primals = as_leaves(context, builder, plan.restype, primal)
    merged = []
    for (_, leaf), tangent, value in zip(plan.abi.returned, shadows, primals, strict=True):
        merged.append(tangent if leaf.differentiable else value)
        if leaf.kind is LeafKind.DATA and leaf.differentiable:
            missing = builder.and_(  # a member that may be None has no array
                cgutils.is_null(builder, tangent), cgutils.is_not_null(builder, value)
            )
            if there is not None:
                missing = builder.and_(missing, there)
            with cgutils.if_unlikely(builder, missing):
                context.call_conv.return_user_exc(
                    builder, RuntimeError, ("the returned array has no shadow",)
                )
    if context.enable_nrt:
        for ty, mine, theirs in _constants_in(builder, plan.restype, shadow, primal):
            context.nrt.incref(builder, ty, theirs)
            _let_go(context, builder, ty, mine, theirs)
    return from_leaves(context, builder, plan.restype, merged)


def _constants_in(
    builder: Any, ty: types.Type, shadow: Any, primal: Any
) -> Iterator[tuple[types.Type, Any, Any]]:
    """What of a shadow stands for no floats, as text and arrays of integers do, and what stands there in the primal."""
    if isinstance(ty, types.BaseTuple):
        for k, member in enumerate(ty.types):
            parts = (builder.extract_value(value, k) for value in (shadow, primal))
            yield from _constants_in(builder, member, *parts)
    elif not is_differentiable(ty):
        yield ty, shadow, primal


def _let_go(context: Any, builder: Any, ty: types.Type, mine: Any, theirs: Any) -> None:
    """Let go of an object in a shadow, unless it is that of the primal, for which nothing was counted."""
    places = [context.nrt.get_meminfos(builder, ty, value) for value in (mine, theirs)]
    for (_, one), (_, other) in zip(*places, strict=True):
        with builder.if_then(builder.icmp_unsigned("!=", one, other)):
            context.nrt.decref(builder, types.MemInfoPointer(types.voidptr), one)
