"""OpenMP in copies of primals: regions run on one thread, so that derivatives have no races.

What clang makes of ``#pragma omp parallel`` is a function for the region and calls of the run time (``__kmpc_*``).
Here the region is called as a team of one. The program's own functions keep their threads.
"""

from __future__ import annotations

from collections.abc import Callable

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call, Raw
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.types import I1, I32, FloatType, Type, int_type
from enzyme.engine.ir.values import ConstInt, Value, zero_of
from enzyme.frontdoor.failures import FrontDoorError

_NOTHING = """
    barrier for_static_fini critical end_critical end_reduce end_reduce_nowait end_single end_master end_masked
    dispatch_fini_4 dispatch_fini_4u dispatch_fini_8 dispatch_fini_8u dispatch_deinit flush serialized_parallel
    end_serialized_parallel ordered end_ordered push_num_threads push_proc_bind critical_with_hint
""".split()
_CONSTANTS = {
    "__kmpc_single": 1,
    "__kmpc_master": 1,
    "__kmpc_masked": 1,
    "__kmpc_reduce": 1,
    "__kmpc_reduce_nowait": 1,
    "__kmpc_global_thread_num": 0,
    "__kmpc_cancel_barrier": 0,
    "omp_get_thread_num": 0,
    "omp_get_num_threads": 1,
    "omp_get_max_threads": 1,
    "omp_get_level": 0,
    "omp_in_parallel": 0,
}
_KINDS = {"4": 32, "4u": 32, "8": 64, "8u": 64}


def run_on_one_thread(function: Function) -> list[Function]:
    """Take OpenMP's calls out of a copy; the regions that it calls now."""
    regions: list[Function] = []
    pending: dict[int, Value] = {}
    for call in [i for i in function.instructions() if isinstance(i, Call)]:
        name = call.callee_name
        if not name.startswith(("__kmpc_", "omp_get_", "omp_in_")):
            continue
        stem, _, kind = name.rpartition("_")
        if name in _CONSTANTS and call.type.is_int:
            _give(call, ConstInt(call.type, _CONSTANTS[name]))
        elif name.removeprefix("__kmpc_") in _NOTHING and not call.users:
            call.erase()
        elif name == "__kmpc_fork_call":
            regions.append(_fork(call))
        elif stem in _SHARES and kind in _KINDS:
            _SHARES[stem](call, int_type(_KINDS[kind]), pending)
    return regions


def update_in_steps(region: Function) -> None:
    """Let sums of floats that are atomic for the team of a region be reading, adding and writing: the team is one."""
    for i in [i for i in region.instructions() if isinstance(i, Raw) and i.opcode == "atomicrmw"]:
        words = " ".join(p for p in i.pieces if isinstance(p, str)).split()
        operation = next((w for w in words if w in ("fadd", "fsub")), "")
        place, value = i.operands[:2]
        if not operation or not isinstance(value.type, FloatType):
            continue
        b = Builder()
        b.before(i)
        before = b.load(value.type, place)
        b.store(b.binary(operation, before, value), place)
        i.replace_uses_with(before)
        i.erase()


def _give(call: Call, value: Value) -> None:
    call.replace_uses_with(value)
    call.erase()


def _fork(call: Call) -> Function:
    """``__kmpc_fork_call(place, count, region, ...)``: call the region as thread 0."""
    region = call.arguments[2]
    passed = call.arguments[3:]
    wanted = list(region.function_type.params[2:]) if isinstance(region, Function) else None
    if not isinstance(region, Function) or wanted != [v.type for v in passed]:
        raise FrontDoorError(
            where=f"in @{call.function.name}",
            what="a parallel region of OpenMP is not a function of the module, or takes other arguments",
        )
    entry = call.function.entry
    thread = Builder(entry, entry.first_non_phi()).alloca(I32)
    b = Builder()
    b.before(call)
    b.store(zero_of(I32), thread)
    b.call(region, [thread, thread, *passed])
    call.erase()
    return region


def _static(call: Call, kind: Type, _: dict[int, Value]) -> None:
    """``(place, thread, schedule, last, lower, upper, stride, increment, chunk)``: all is the share of one thread."""
    last, lower, upper, stride, increment = call.arguments[3:8]
    b = Builder()
    b.before(call)
    b.store(ConstInt(I32, 1), last)
    count = b.isub(b.load(kind, upper), b.load(kind, lower))
    b.store(b.iadd(count, increment), stride)
    call.erase()


def _pending(function: Function, pending: dict[int, Value], kind: Type) -> list[Value]:
    """Variables of a loop that is handed out at once: is it still to be, first, last, step."""
    if not pending:
        entry = function.entry
        b = Builder(entry, entry.first_non_phi())
        for k, type_ in enumerate((I1, kind, kind, kind)):
            pending[k] = b.alloca(type_)
    return [pending[k] for k in range(4)]


def _dispatch(call: Call, kind: Type, pending: dict[int, Value]) -> None:
    """``dispatch_init(place, thread, schedule, lower, upper, step, chunk)``"""
    variables = _pending(call.function, pending, kind)
    b = Builder()
    b.before(call)
    for variable, value in zip(variables, [ConstInt(I1, 1), *call.arguments[3:6]], strict=True):
        b.store(value, variable)
    call.erase()


def _next(call: Call, kind: Type, pending: dict[int, Value]) -> None:
    """``dispatch_next(place, thread, &last, &lower, &upper, &step)`` tells whether there is a share: once."""
    more, *bounds = _pending(call.function, pending, kind)
    b = Builder()
    b.before(call)
    b.store(ConstInt(I32, 1), call.arguments[2])
    for variable, place in zip(bounds, call.arguments[3:6], strict=True):
        b.store(b.load(kind, variable), place)
    left = b.cast("zext", b.load(I1, more), I32)
    # Nothing is left of an empty loop.
    b.store(zero_of(I1), more)
    call.replace_uses_with(left)
    call.erase()


_SHARES: dict[str, Callable[[Call, Type, dict[int, Value]], None]] = {
    "__kmpc_for_static_init": _static,
    "__kmpc_dispatch_init": _dispatch,
    "__kmpc_dispatch_next": _next,
}
