"""The function that stands for a rule in a derivative.

It has the parameters that the engine gives to the derivative of a function: every primal parameter, directly
behind it its shadows.  Out of these it puts together annotations, calls the rule, and takes its answer apart.
What a tape refers to belongs to the arena of the derivative call, which releases it when all is over.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types

from enzyme.errors import ShadowLayoutError
from enzyme.frontend import registration
from enzyme.frontend.callplan import as_leaves, from_leaves
from enzyme.frontend.leaves import LeafKind
from enzyme.frontend.numba_compat.compilers import global_compiler_lock
from enzyme.frontend.overlap import arrays_of, overlap, range_of
from enzyme.frontend.target import cpu_context
from enzyme.ruled.choice import STAR_ARGUMENTS
from enzyme.ruled.operands import Call, Operand
from enzyme.support.generated import generated
from enzyme.typed.annotations import MIXED, AnnotationType
from enzyme.typed.refs import new_ref
from enzyme_rules.registry import Rule
from enzymecore import Active

# LLVM prints what is not ASCII in a symbol in another way than it is found by.
_NOT_IN_SYMBOLS = re.compile(r"\W", re.ASCII)
_serial = itertools.count()
_POINTER = cgutils.voidptr_t
# Fields of arrays that say how their memory is laid out.
_LAYOUT = {"nitems", "itemsize", "shape", "strides"}


def compile_rule(dispatcher: Any, arguments: Sequence[Any], as_source: bool) -> Any:
    """Compile a rule for the types of its arguments; numba's compile result."""
    if as_source:
        with registration.compiling({}):
            mine = registration.for_target(dispatcher)
            return _compiled(mine, arguments)
    with global_compiler_lock:
        return _compiled(dispatcher, arguments)


def _forget_annotations(dispatcher: Any) -> None:
    """Numba's finaliser of a dispatcher holds its overloads, and they the function: with a rule in its attributes
    that refers to the dispatcher, neither would ever die."""
    for key, found in list(dispatcher.overloads.items()):
        if found.type_annotation is not None:
            dispatcher.overloads[key] = found._replace(type_annotation=None)


def _compiled(dispatcher: Any, arguments: Sequence[Any]) -> Any:
    _, folded = dispatcher.fold_argument_types(tuple(arguments), {})
    folded = tuple(folded)
    dispatcher.compile(folded)
    _forget_annotations(dispatcher)
    return dispatcher.overloads[folded]


class RuleAdapter:
    """Writes one function around a rule."""

    def __init__(
        self, call: Call, as_source: bool, stem: str, extra: Sequence[Any], result: Any
    ) -> None:
        """`extra`: types of the parameters behind those of the call; `result`: the type that is returned."""
        self.call = call
        self.as_source = as_source
        base = registration.enzyme_target.target_context if as_source else cpu_context()
        self.context = base.subtarget(enable_nrt=True)
        name = _NOT_IN_SYMBOLS.sub("_", call.function.py_func.__name__)
        self.symbol = f"enzyme.rule.{next(_serial)}.{stem}.{name}"
        self.library = self.context.codegen().create_library(self.symbol)
        self.module = self.library.create_ir_module(self.symbol)
        compiled = call.staying.compiled
        convention = self.context.call_conv
        primal = convention.get_function_type(compiled.restype, compiled.argtypes)
        shapes = []
        for (_, activity), ty in zip(call.parameters, primal.args, strict=True):
            shapes += [ty] * (1 + call.width * activity.has_shadow)
        self.function = ir.Function(
            self.module, ir.FunctionType(result, [*shapes, *extra]), name=self.symbol
        )
        self.builder = ir.IRBuilder(self.function.append_basic_block("entry"))
        given = iter(self.function.args)
        self.primal: list[Any] = []
        self.shadows: list[list[Any]] = []
        for _, activity in call.parameters:
            self.primal.append(next(given))
            self.shadows.append([next(given) for _ in range(call.width * activity.has_shadow)])
        self.extra = list(given)
        self._refs: dict[int, list[Any]] = {}

    @property
    def result_place(self) -> Any:
        return self.primal[0]

    @property
    def result_shadows(self) -> list[Any]:
        return self.shadows[0]

    # Annotations ------------------------------------------------------------------------------------

    def _leaves(self, operand: Operand, lane: int) -> list[Any]:
        """The parts of an argument (lane -1), or of its shadow in one lane."""
        found = []
        for n, (p, _) in enumerate(self.call.parameters):
            if not operand.holds(p):
                continue
            value = self.primal[n]
            if lane >= 0:
                if self.shadows[n]:
                    value = self.shadows[n][lane]
                elif p.leaf.kind in (LeafKind.FLOAT, LeafKind.MEMINFO, LeafKind.PARENT):
                    value = cgutils.get_null_value(value.type)
            found.append(value)
        return found

    def _value(self, operand: Operand, lane: int) -> Any:
        if operand.default is not None:
            return self.context.get_constant_generic(self.builder, operand.type, operand.default[0])
        leaves = self._leaves(operand, lane)
        return from_leaves(self.context, self.builder, operand.type, leaves)

    def annotation(self, operand: Operand) -> Any:
        """The annotation of an argument."""
        ty = operand.annotation
        made = cgutils.create_struct_proxy(ty)(self.context, self.builder)
        made.val = self._value(operand, -1)
        if ty.shadow is not None:
            lanes = [self._value(operand, lane) for lane in range(self.call.width)]
            if operand.cls in MIXED:
                lanes = self._refs[operand.index] = [new_ref(self.builder, lane) for lane in lanes]
            made.dval = self._joined(operand.lane, lanes)
        return made._getvalue()

    def contents(self, operand: Operand) -> list[Any]:
        """What the rule left in the Refs of a mixed argument."""
        return [self.builder.load(ref) for ref in self._refs[operand.index]]

    def _joined(self, ty: types.Type, lanes: list[Any]) -> Any:
        if self.call.width == 1:
            return lanes[0]
        return self.context.make_tuple(self.builder, types.UniTuple(ty, self.call.width), lanes)

    def function_annotation(self, ty: AnnotationType) -> Any:
        made = cgutils.create_struct_proxy(ty)(self.context, self.builder)
        made.val = self.context.get_dummy_value()
        return made._getvalue()

    def seeds(self) -> Any:
        """The adjoints of an active result, taken out of its shadow, as annotations."""
        ty = AnnotationType(Active, self.call.restype, None)
        lanes = []
        for place in self.result_shadows:
            stored = self.builder.load(place)
            made = cgutils.create_struct_proxy(ty)(self.context, self.builder)
            made.val = self.context.get_returned_value(self.builder, self.call.restype, stored)
            self.builder.store(cgutils.get_null_value(stored.type), place)
            lanes.append(made._getvalue())
        return self._joined(ty, lanes)

    # The rule ---------------------------------------------------------------------------------------

    def run(self, rule: Any, leading: Sequence[Any], operands: Sequence[Operand]) -> Any:
        """Call the rule: the status, and the value of its result."""
        self.library.add_linking_library(rule.library)
        values = self._packed(rule, [*leading, *map(self.annotation, operands)])
        return self.context.call_internal_no_propagate(
            self.builder, rule.fndesc, rule.signature, values
        )

    def _packed(self, rule: Any, values: list[Any]) -> list[Any]:
        """Values in the order of the rule's parameters, those of ``*args`` as one tuple."""
        wanted = rule.signature.args
        if not any(isinstance(ty, STAR_ARGUMENTS) for ty in wanted):
            return values
        packed: list[Any] = []
        rest = iter(values)
        for ty in wanted:
            if isinstance(ty, STAR_ARGUMENTS):
                members = [next(rest) for _ in range(len(ty))]
                packed.append(self.context.make_tuple(self.builder, ty, members))
            else:
                packed.append(next(rest))
        return packed

    def leave_if_failed(self, status: Any) -> None:
        """Hand the rule's exception on, as the primal would its own."""
        error = next(
            value
            for value, (p, _) in zip(self.primal, self.call.parameters, strict=True)
            if p.leaf.kind is LeafKind.EXCINFO
        )
        with cgutils.if_unlikely(self.builder, status.is_error):
            self.builder.store(status.excinfoptr, error)
            self.leave(status.code, [])

    def leave_by(self, fail: Callable[[], None]) -> Any:
        """Leave with the exception that a Python function raises; its status, where code must go on."""
        failing = compile_rule(numba.njit(fail), [], self.as_source)
        status, _ = self.run(failing, [], [])
        self.leave_if_failed(status)
        return status

    def leave(self, status: Any, handed_over: Sequence[Any]) -> None:
        """Return a struct of the status and of what is handed over; zeros where nothing is given."""
        type_ = self.function.ftype.return_type
        made: Any = cgutils.get_null_value(type_)
        made = self.builder.insert_value(made, status, 0)
        for position, value in enumerate(handed_over):
            made = self.builder.insert_value(made, value, 1 + position)
        self.builder.ret(made)

    def check_layout(self, rule: Rule, primal: Any, lanes: Sequence[Any] | None) -> None:
        """Leave with an error where a shadow of a result in memory is laid out in another way than the primal."""
        if primal is None or not lanes or lanes[0] is None or not self.call.owns_memory:
            return
        restype = self.call.restype
        numbers = [
            k
            for k, (_, leaf) in enumerate(self.call.staying.abi.returned)
            if leaf.kind is LeafKind.INTEGER and _LAYOUT & set(map(str, leaf.path))
        ]
        mine = as_leaves(self.context, self.builder, restype, primal)
        differs: Any = cgutils.false_bit
        for lane in lanes:
            its = as_leaves(self.context, self.builder, restype, lane)
            for k in numbers:
                other = self.builder.icmp_unsigned("!=", mine[k], its[k])
                differs = self.builder.or_(differs, other)
        message = (
            f"{rule.describe()}: the shadow that it returns has other shapes or strides than the primal: "
            "make it with np.zeros_like(primal)"
        )

        def fail() -> None:
            raise ShadowLayoutError(message)

        with cgutils.if_unlikely(self.builder, differs):
            self.leave_by(fail)

    def apart(self, primal: Any, lanes: list[Any]) -> list[Any]:
        """The tangents of a result; copies of those that share memory with tangents of arguments, if the result itself
        shares none with these."""
        if primal is None or not lanes or lanes[0] is None or not self.call.owns_memory:
            return lanes
        results = self._places(self.call.restype, primal)
        return [self._apart(results, lane, value) for lane, value in enumerate(lanes)]

    def _apart(self, results: list[tuple[Any, Any]], lane: int, value: Any) -> Any:
        mine = self._places(self.call.restype, value)
        copier = _copying(self.call.restype)
        if copier is None:
            return value
        theirs = [
            (self._places(o.type, self._value(o, -1)), self._places(o.type, self._value(o, lane)))
            for o in self.call.positional
            if o.annotation.shadow is not None and o.cls not in MIXED
        ]
        values = [place for places, _ in theirs for place in places]
        shadows = [place for _, places in theirs for place in places]
        flags = []
        for k, (result, tangent) in enumerate(zip(results, mine, strict=True)):
            alike = self._meets(result, [*values, *results[:k]])
            shared = self._meets(tangent, [*shadows, *mine[:k]])
            flags.append(self.builder.and_(shared, self.builder.not_(alike)))
        any_ = functools.reduce(self.builder.or_, flags, cgutils.false_bit)
        place = cgutils.alloca_once_value(self.builder, value)
        with cgutils.if_unlikely(self.builder, any_):
            asked = [self.call.restype, *[types.boolean] * len(flags)]
            compiled = compile_rule(copier, asked, self.as_source)
            status, made = self.run(compiled, [value, *flags], [])
            self.leave_if_failed(status)
            self.context.nrt.decref(self.builder, self.call.restype, value)
            self.builder.store(made, place)
        return self.builder.load(place)

    def _meets(self, place: tuple[Any, Any], others: list[tuple[Any, Any]]) -> Any:
        """Does memory overlap with any other?"""
        each = (overlap(self.builder, place, other) for other in others)
        return functools.reduce(self.builder.or_, each, cgutils.false_bit)

    def _places(self, ty: types.Type, value: Any) -> list[tuple[Any, Any]]:
        """Where the arrays of a value begin and end."""
        return [
            range_of(self.builder, kind, array)
            for kind, array in arrays_of(self.context, self.builder, ty, value)
        ]

    def in_place_of(self, primal: Any, lanes: Sequence[Any] | None) -> Any:
        """The primal, or where nobody reads it and it is memory a reference to its shadow, which can be released."""
        if primal is not None or not self.call.owns_memory or not lanes or lanes[0] is None:
            return primal
        self.context.nrt.incref(self.builder, self.call.restype, lanes[0])
        return lanes[0]

    def store_result(self, primal: Any, lanes: Sequence[Any] | None) -> None:
        """Write the result, and its shadows unless their memory holds adjoints, to where they belong."""
        model = self.context.data_model_manager[self.call.restype]
        places = [(self.result_place, primal)]
        if lanes is not None:
            places += zip(self.result_shadows, lanes, strict=True)
        for place, value in places:
            if value is None:
                stored = cgutils.get_null_value(place.type.pointee)
            else:
                stored = model.as_return(self.builder, value)
            self.builder.store(stored, place)

    def lanes_of(self, value: Any) -> list[Any]:
        if self.call.width == 1:
            return [value]
        return [self.builder.extract_value(value, k) for k in range(self.call.width)]

    def hold(self, arena: Any, ty: types.Type, value: Any) -> None:
        """Let the arena have references of its own to what a value refers to."""
        hold = cgutils.get_or_insert_function(
            self.module,
            ir.FunctionType(ir.VoidType(), [_POINTER, _POINTER, ir.IntType(64)]),
            "enzyme_hold",
        )
        for _, meminfo in self.context.nrt.get_meminfos(self.builder, ty, value):
            pointer = self.builder.bitcast(meminfo, _POINTER)
            self.builder.call(hold, [arena, pointer, ir.Constant(ir.IntType(64), 0)])

    def hand_over(self, arena: Any, ty: types.Type, value: Any) -> None:
        """Leave the references of a value to the arena alone."""
        self.hold(arena, ty, value)
        self.context.nrt.decref(self.builder, ty, value)

    def raise_pending(self, status: Any) -> None:
        """Leave the rule's exception to Python: there is nobody here to take a status."""
        with cgutils.if_unlikely(self.builder, status.is_error):
            api = self.context.get_python_api(self.builder)
            gil = api.gil_ensure()
            pending = cgutils.is_not_null(self.builder, api.err_occurred())
            with cgutils.if_likely(self.builder, self.builder.not_(pending)):
                self.context.call_conv.raise_error(self.builder, api, status)
            api.gil_release(gil)
            self.leave_with_zeros()

    def leave_with_zeros(self) -> None:
        """Return no adjoints, or adjoints of zero."""
        type_ = self.function.ftype.return_type
        if isinstance(type_, ir.VoidType):
            self.builder.ret_void()
        else:
            self.builder.ret(cgutils.get_null_value(type_))

    def finish(self) -> None:
        self.library.add_ir_module(self.module)
        self.library.finalize()


def _copying(ty: Any) -> Any:
    """A jitted function that copies those arrays of a value that are asked for; None where numba would make another
    type of it."""
    members = ty.types if isinstance(ty, types.BaseTuple) else [ty]
    arrays = [k for k, member in enumerate(members) if isinstance(member, types.Array)]
    others = isinstance(ty, types.BaseNamedTuple) or any(
        isinstance(member, types.BaseTuple | types.Record) for member in members
    )
    if others or any(members[k].layout != "C" or not members[k].mutable for k in arrays):
        return None
    lines = [f"def copied(x, {', '.join(f'f{k}' for k in range(len(arrays)))}):"]
    parts = [f"x[{k}]" for k in range(len(members))] if isinstance(ty, types.BaseTuple) else ["x"]
    for n, k in enumerate(arrays):
        lines += [f"    v{k} = {parts[k]}", f"    if f{n}:", f"        v{k} = v{k}.copy()"]
        parts[k] = f"v{k}"
    result = f"({', '.join(parts)},)" if isinstance(ty, types.BaseTuple) else parts[0]
    return numba.njit(generated("copied", [*lines, f"    return {result}"], {}))
