"""Back into numba: call a derivative from Python or from jitted code.

The derivative, an LLVM function with the contract of `engine.synthesis.request`, is loaded into
numba's own execution engine as a finished library. Around it stands a small function with numba's
calling convention and flat arguments: every primal argument, directly after it its shadow where it
has one, and last the seed of an active return. Numba's wrapper around that does boxing, reference
counts and exceptions. Nothing here goes through type inference, so a thunk compiles fast.

Arguments whose type fixes their value (functions, None, omitted, literals) are left out of the
flat list. Reverse mode returns the adjoints of active arguments in order, then the primal result
where requested; forward mode the shadow of the result, then the primal result where requested.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from llvmlite import ir
from numba.core import cgutils, codegen, compiler, environment, funcdesc, types, typing
from numba.core.callconv import excinfo_t
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from enzyme.backend import passes, symbols
from enzyme.backend.jit import UnresolvedSymbolError
from enzyme.engine.synthesis.request import Activity, DiffMode
from enzyme.frontend.abi import Abi, Kind, is_fixed, parameter_activities
from enzyme.frontend.target import PrimalModule, cpu_context

_serial = itertools.count()


@dataclass(frozen=True)
class CallPlan:
    """What a derivative call takes and gives, in terms of numba types."""

    symbol: str
    abi: Abi
    argtypes: tuple[types.Type, ...]
    restype: types.Type
    activities: tuple[Activity, ...]
    return_activity: Activity
    mode: DiffMode
    return_primal: bool
    parameter_activities: tuple[Activity, ...]

    @property
    def seeded(self) -> bool:
        return self.mode is DiffMode.REVERSE and self.return_activity is Activity.ACTIVE

    @property
    def return_shadow(self) -> bool:
        return self.mode is DiffMode.FORWARD and self.return_activity.has_shadow

    @property
    def parameters(self) -> tuple[tuple[str, int], ...]:
        """(role, Python argument) of every flat argument: primal, shadow or seed."""
        found: list[tuple[str, int]] = []
        for index, (ty, activity) in enumerate(zip(self.argtypes, self.activities, strict=True)):
            if not is_fixed(ty):
                found.append(("primal", index))
                if activity.has_shadow:
                    found.append(("shadow", index))
        if self.seeded:
            found.append(("seed", -1))
        return tuple(found)

    @property
    def flat_types(self) -> tuple[types.Type, ...]:
        return tuple(
            self.restype if role == "seed" else self.argtypes[index]
            for role, index in self.parameters
        )

    @property
    def results(self) -> tuple[tuple[str, int], ...]:
        """(role, Python argument) of every member of the result tuple."""
        found = [
            ("adjoint", index)
            for index, activity in enumerate(self.activities)
            if activity is Activity.ACTIVE
        ]
        if self.return_shadow:
            found.append(("shadow", -1))
        if self.return_primal:
            found.append(("primal", -1))
        return tuple(found)

    @property
    def result_type(self) -> types.Type:
        members = [self.restype if i < 0 else self.argtypes[i] for _, i in self.results]
        return types.BaseTuple.from_types(members) if members else types.Tuple(())


def make_plan(
    primal: PrimalModule,
    symbol: str,
    activities: Sequence[Activity],
    return_activity: Activity,
    mode: DiffMode,
    return_primal: bool = True,
) -> CallPlan:
    """Plan of the calls to `symbol`, the derivative of `primal` made for these activities."""
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
    )


# --- lowering of one call ---------------------------------------------------------------------


def _flatten(nested: Any) -> list[Any]:
    if isinstance(nested, tuple | list):
        return [value for part in nested for value in _flatten(part)]
    return [nested]


def _as_leaves(context: Any, builder: Any, ty: types.Type, value: Any) -> list[Any]:
    return _flatten(context.data_model_manager[ty].as_argument(builder, value))


def _from_leaves(context: Any, builder: Any, ty: types.Type, leaves: Sequence[Any]) -> Any:
    return context.get_arg_packer([ty]).from_arguments(builder, leaves)[0]


def _fixed_value(context: Any, builder: Any, ty: types.Type) -> Any:
    if isinstance(ty, types.Literal):
        return context.get_constant_generic(builder, ty, ty.literal_value)
    return context.get_dummy_value()


def emit_call(context: Any, builder: Any, plan: CallPlan, args: Sequence[Any]) -> Any:
    """Emit the call; `args` are values of `plan.flat_types`; the value of `plan.result_type`.

    On a failed status the enclosing function returns it, so that the primal's exception surfaces.
    """
    given = dict(zip(plan.parameters, args, strict=True))
    conv = context.call_conv
    buffer_type = conv.get_return_type(plan.restype).pointee
    buffer = cgutils.alloca_once(builder, buffer_type, name="primal")
    builder.store(cgutils.get_null_value(buffer_type), buffer)
    shadow_buffer = cgutils.alloca_once(builder, buffer_type, name="shadow")
    seed = cgutils.get_null_value(buffer_type)
    if plan.seeded:
        model = context.data_model_manager[plan.restype]
        seed = model.as_return(builder, given["seed", -1])
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
        primal_leaves[index] = _as_leaves(context, builder, ty, value)
    shadow_leaves = {
        index: _as_leaves(context, builder, plan.argtypes[index], value)
        for (role, index), value in given.items()
        if role == "shadow"
    }
    position = dict.fromkeys(primal_leaves, 0)
    returned: list[ir.Type] = [ir.IntType(32)]
    for parameter, activity in zip(plan.abi.parameters, plan.parameter_activities, strict=True):
        if parameter.leaf.kind is Kind.RETPTR:
            operands.append(buffer)
            if activity.has_shadow:
                operands.append(shadow_buffer)
        elif parameter.leaf.kind is Kind.EXCINFO:
            operands.append(error)
        else:
            index = parameter.argument
            at = position[index]
            position[index] += 1
            operands.append(primal_leaves[index][at])
            if activity.has_shadow:
                operands.append(shadow_leaves[index][at])
            elif activity is Activity.ACTIVE:
                returned.append(operands[-1].type)

    function_type = ir.FunctionType(
        ir.LiteralStructType(returned), [operand.type for operand in operands]
    )
    function = cgutils.get_or_insert_function(builder.module, function_type, plan.symbol)
    answer = builder.call(function, operands)
    status = conv._get_return_status(builder, builder.extract_value(answer, 0), builder.load(error))
    with cgutils.if_unlikely(builder, status.is_error):
        conv.return_status_propagate(builder, status)
    return _collect(context, builder, plan, answer, primal_leaves, buffer, shadow_buffer)


def _collect(
    context: Any,
    builder: Any,
    plan: CallPlan,
    answer: Any,
    primal_leaves: dict[int, list[Any]],
    buffer: Any,
    shadow_buffer: Any,
) -> Any:
    """The result tuple, from the returned struct and the two return buffers."""
    adjoints: dict[int, list[Any]] = {}
    at = 1
    for parameter, activity in zip(plan.abi.parameters, plan.parameter_activities, strict=True):
        if parameter.argument < 0 or plan.activities[parameter.argument] is not Activity.ACTIVE:
            continue
        found = adjoints.setdefault(parameter.argument, [])
        if activity is Activity.ACTIVE:
            found.append(builder.extract_value(answer, at))
            at += 1
        else:
            leaf_type = primal_leaves[parameter.argument][len(found)].type
            found.append(cgutils.get_null_value(leaf_type))

    primal = context.get_returned_value(builder, plan.restype, builder.load(buffer))
    results = []
    for role, index in plan.results:
        if role == "adjoint":
            ty = plan.argtypes[index]
            results.append(_from_leaves(context, builder, ty, adjoints[index]))
        elif role == "shadow":
            results.append(_returned_shadow(context, builder, plan, primal, shadow_buffer))
        else:
            results.append(primal)
    if not plan.return_primal and context.enable_nrt:
        context.nrt.decref(builder, plan.restype, primal)
    return context.make_tuple(builder, plan.result_type, results)


def _returned_shadow(
    context: Any, builder: Any, plan: CallPlan, primal: Any, shadow_buffer: Any
) -> Any:
    """Tangent of the result: floats and memory from the shadow buffer, the rest as the primal."""
    shadow = context.get_returned_value(builder, plan.restype, builder.load(shadow_buffer))
    shadows = _as_leaves(context, builder, plan.restype, shadow)
    primals = _as_leaves(context, builder, plan.restype, primal)
    merged = []
    for (_, leaf), tangent, value in zip(plan.abi.returned, shadows, primals, strict=True):
        merged.append(tangent if leaf.differentiable else value)
        if leaf.kind is Kind.DATA and leaf.differentiable:
            missing = cgutils.is_null(builder, tangent)
            with cgutils.if_unlikely(builder, missing):
                context.call_conv.return_user_exc(
                    builder, RuntimeError, ("the returned array has no shadow",)
                )
    return _from_leaves(context, builder, plan.restype, merged)


# --- loading and wrapping ---------------------------------------------------------------------


class FinishedLibrary(codegen.JITCodeLibrary):
    """A library whose modules are optimised already."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        pass


class WrapperLibrary(codegen.JITCodeLibrary):
    """A library of glue code, where compile time counts more than the last nanosecond."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        passes.run_light(self._final_module)


def load_module(module: Any, name: str) -> FinishedLibrary:
    """Load an optimised LLVM module into numba's execution engine."""
    with global_compiler_lock:
        context = cpu_context()
        engine = context.codegen()._engine
        missing = symbols.unresolved(module, engine._defined_symbols)
        if missing:  # LLVM would end the process
            raise UnresolvedSymbolError(f"no definition of {', '.join(missing)}")
        library = FinishedLibrary(context.codegen(), name)
        library.add_llvm_module(module)
        library.finalize()
        for variable in library._final_module.global_variables:
            if variable.name.startswith("_ZN08NumbaEnv") and not variable.is_declaration:
                found = environment.lookup_environment(variable.name)
                if found is not None:
                    context.codegen().set_env(variable.name, found)
    return library


@dataclass(frozen=True)
class Thunk:
    """A compiled derivative.

    `call` takes the flat arguments in the order of `plan.parameters` and returns the tuple that
    `plan.results` describes; it checks types like any jitted function. `entry` is the same without
    the check: it may only be given arguments of exactly `plan.flat_types`.
    """

    call: Callable[..., Any]
    entry: Callable[..., Any]
    plan: CallPlan
    stages: dict[str, float]
    derivative_text: str = field(repr=False, default="")
    keepalive: tuple[Any, ...] = field(repr=False, compare=False, default=())


def _stub(name: str, parameters: Sequence[tuple[str, int]], names: Sequence[str]) -> Any:
    """A Python function with the right signature for numba's dispatcher to show and check."""
    words = []
    for role, index in parameters:
        stem = names[index].replace(".", "_") if index >= 0 else "result"
        words.append(stem if role == "primal" else f"{role}_{stem}")
    unique = [f"{word}_{i}" if word in words[:i] else word for i, word in enumerate(words)]
    scope: dict[str, Any] = {}
    exec(f"def thunk({', '.join(unique)}):\n    raise NotImplementedError\n", scope)
    function = scope["thunk"]
    function.__name__ = function.__qualname__ = name
    return function, unique


def wrap(plan: CallPlan, name: str, names: Sequence[str], nogil: bool = False) -> tuple[Any, ...]:
    """(dispatcher, C entry, library) of the function that Python calls for `plan`."""
    context = cpu_context().subtarget(enable_nrt=True)
    argtypes, restype = plan.flat_types, plan.result_type
    stub, words = _stub(name, plan.parameters, names)
    with global_compiler_lock:
        uid = f"e{next(_serial)}"
        descriptor = funcdesc.FunctionDescriptor(
            native=True,
            modname="enzyme.thunks",
            qualname=name,
            unique_name=uid,
            doc="",
            typemap=None,
            restype=restype,
            calltypes=None,
            args=words,
            kws=(),
            argtypes=argtypes,
            abi_tags=(uid,),
        )
        env = environment.Environment.from_fndesc(descriptor)
        library = WrapperLibrary(context.codegen(), name)
        with context.push_code_library(library):
            module = library.create_ir_module(name)
            function_type = context.call_conv.get_function_type(restype, argtypes)
            function = ir.Function(module, function_type, name=descriptor.llvm_func_name)
            context.call_conv.decorate_function(function, words, argtypes)
            builder = ir.IRBuilder(function.append_basic_block("entry"))
            context.call_conv.init_call_helper(builder)
            args = context.call_conv.decode_arguments(builder, argtypes, function)
            result = emit_call(context, builder, plan, args)
            model = context.data_model_manager[restype]
            context.call_conv.return_value(builder, model.as_return(builder, result))
            context.declare_env_global(module, descriptor.env_name)
            library.add_ir_module(module)
            context.create_cpython_wrapper(library, descriptor, env, None, release_gil=nogil)
        library.finalize()
        entry = context.get_executable(library, descriptor, env)
        dispatcher = CPUDispatcher(stub, targetoptions={"nopython": True, "nogil": nogil})
        result = compiler.compile_result(
            typing_context=dispatcher.typingctx,
            target_context=context,
            entry_point=entry,
            signature=typing.signature(restype, *argtypes),
            objectmode=False,
            fndesc=descriptor,
            library=library,
            environment=env,
            lifted=(),
        )
        context.insert_user_function(entry, descriptor, [library])
        dispatcher.add_overload(result)
        dispatcher.disable_compile()
    return dispatcher, entry, library


def build_thunk(
    derivative_text: str,
    symbol: str,
    primal: PrimalModule,
    activities: Sequence[Activity],
    mode: DiffMode,
    *,
    return_activity: Activity = Activity.CONST,
    return_primal: bool = True,
    options: passes.PostOptions = passes.POST_DEFAULT,
    nogil: bool = False,
    keep_text: bool = False,
) -> Thunk:
    """Compile the derivative `symbol` of `derivative_text` and wrap it for Python.

    The symbol is renamed so that thunks never meet in numba's execution engine; everything else
    in the module becomes internal.
    """
    begin = time.perf_counter()
    module = passes.optimise_after_ad_module(derivative_text, options, keep=symbol)
    unique = f"enzyme.{next(_serial)}.{symbol}"
    module.get_function(symbol).name = unique
    optimised = time.perf_counter()
    plan = make_plan(primal, unique, activities, return_activity, mode, return_primal)
    library = load_module(module, unique)
    loaded = time.perf_counter()
    call, entry, wrapper = wrap(plan, f"d_{primal.py_func.__name__}", primal.argument_names, nogil)
    wrapped = time.perf_counter()
    return Thunk(
        call=call,
        entry=entry,
        plan=plan,
        stages={
            "optimise_after_ad": optimised - begin,
            "machine_code": loaded - optimised,
            "wrapper": wrapped - loaded,
        },
        derivative_text=str(module) if keep_text else "",
        keepalive=(primal.keepalive, library, wrapper),
    )
