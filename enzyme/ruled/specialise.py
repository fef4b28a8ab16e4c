"""Rules are compiled for one configuration and one set of activities; what follows from these is settled first.

``config.needs_primal``, ``isinstance(x, Const)``, ``issubclass(RT, Active)`` and the like become constants before
type inference, and numba drops the branches that are not taken: so a rule may return something else in each.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, misc"

from __future__ import annotations

import inspect
import operator
from types import ModuleType
from typing import Any

import numba
from numba.core import ir, types
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.ir_utils import find_const, get_definition, guard
from numba.core.untyped_passes import IRProcessing

from enzyme.contract.kinds import BATCH
from enzyme.frontend.numba_compat.programs import define, redefine
from enzyme.frontend.numba_compat.releasing import ReleasingCompiler
from enzyme.ruled.operands import described
from enzyme.support.keywords import positional
from enzyme.support.per_function_cache import PerFunctionCache
from enzyme.typed.annotations import AnnotationClass, AnnotationType
from enzyme.typed.configs import GETTERS, ConfigType
from enzyme_rules.patterns import fits
from enzymecore.annotation_base import AnnotationMeta

_KEPT = "__enzyme_jitted_rule__"
_FOLDED = {getattr(operator, name) for name in "eq ne lt le gt ge is_ is_not contains".split()}


@register_pass(mutates_CFG=False, analysis_only=False)
class Specialise(FunctionPass):
    """Replace questions about the configuration and the annotations by their answers."""

    _name = "enzyme_specialise"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        found = False
        again = True
        while again:  # answers follow from answers
            again = False
            for block in state.func_ir.blocks.values():
                for statement in block.body:
                    if not isinstance(statement, ir.Assign) or not isinstance(
                        statement.value, ir.Expr
                    ):
                        continue
                    answer = _answer(_Answers(state), statement.value)
                    if answer is None:
                        continue
                    constant = ir.Const(answer[0], loc=statement.loc)
                    redefine(state.func_ir, statement.target.name, statement.value, constant)
                    self._forget_function(state, statement.value)
                    statement.value = constant
                    again = found = True
        return found

    def _forget_function(self, state: Any, answered: Any) -> None:
        """Numba has no type for `issubclass`, not even where nobody calls it."""
        if answered.op != "call":
            return
        load = guard(get_definition, state.func_ir, answered.func)
        if isinstance(load, ir.Global) and load.value is issubclass:
            for block in state.func_ir.blocks.values():
                for statement in block.body:
                    if isinstance(statement, ir.Assign) and statement.value is load:
                        statement.value = ir.Const(None, loc=statement.loc)
                        define(state.func_ir, statement.target.name, statement.value)


def _answer(answers: _Answers, expression: Any) -> tuple[Any] | None:
    """None where there is no answer, or where finding it fails: numba then says what is wrong with the code."""
    try:
        return answers.of(expression)
    except (IndexError, TypeError, ValueError):
        return None


class _Answers:
    """What of a rule's code is known before types are."""

    def __init__(self, state: Any) -> None:
        self.func_ir = state.func_ir
        self.types = state.args

    def of(self, expression: Any) -> tuple[Any] | None:
        op = expression.op
        if op == "getattr":
            config = self._config(expression.value)
            if config is not None and hasattr(config, expression.attr):
                return (getattr(config, expression.attr),)
        elif op == "call" and not expression.kws and not expression.vararg:
            return self._call(expression)
        elif op == "unary" and expression.fn is operator.not_:
            value = self._constant(expression.value)
            return None if value is None else (not value[0],)
        elif op in ("static_getitem", "getitem"):
            value = self._constant(expression.value)
            index = (expression.index,) if op != "getitem" else self._constant(expression.index)
            if value is not None and index is not None and isinstance(value[0], tuple):
                return (value[0][index[0]],)
        elif op == "binop" and expression.fn in _FOLDED:
            left, right = self._constant(expression.lhs), self._constant(expression.rhs)
            if left is not None and right is not None:
                return (expression.fn(left[0], right[0]),)
        return None

    def _call(self, expression: Any) -> tuple[Any] | None:
        function = self._constant(expression.func)
        if function is None:
            return None
        called = function[0]
        args = expression.args
        if len(args) == 1 and called is len:
            ty = self._type(args[0])
            if isinstance(ty, types.BaseTuple):
                return (len(ty),)
            value = self._known(args[0])
            return None if value is None or not isinstance(value[0], tuple) else (len(value[0]),)
        if len(args) == 1 and getattr(called, "__hash__", None) and called in GETTERS:
            config = self._config(args[0])
            return None if config is None else (getattr(config, GETTERS[called]),)
        if len(args) == 2 and called in (isinstance, issubclass):
            ty = self._type(args[0])
            stated = self._constant(args[1])
            if stated is None:
                return None
            classes = stated[0]
            wanted = classes if isinstance(classes, tuple) else (classes,)
            if not all(isinstance(cls, AnnotationMeta) for cls in wanted):
                return None
            if called is isinstance and isinstance(ty, AnnotationType):
                return (fits(wanted, _class_of(ty)),)
            if called is issubclass and isinstance(ty, AnnotationClass):
                return (fits(wanted, ty.python_value),)
        return None

    def _type(self, variable: Any) -> Any:
        """The type of a parameter, or of a member of one, as in ``args[0]``."""
        definition = guard(get_definition, self.func_ir, variable)
        if isinstance(definition, ir.Arg):
            return self.types[definition.index]
        if isinstance(definition, ir.Expr) and definition.op in ("static_getitem", "getitem"):
            whole = self._type(definition.value)
            static = definition.op == "static_getitem"
            index = (definition.index,) if static else self._constant(definition.index)
            if isinstance(whole, types.BaseTuple) and index and isinstance(index[0], int):
                return whole.types[index[0]]
        return None

    def _config(self, variable: Any) -> Any:
        ty = self._type(variable)
        return ty.python_value if isinstance(ty, ConfigType) else None

    def _known(self, variable: Any) -> tuple[Any] | None:
        """A constant made by this pass, or a literal."""
        definition = guard(get_definition, self.func_ir, variable)
        return (definition.value,) if isinstance(definition, ir.Const) else None

    def _constant(self, variable: Any) -> tuple[Any] | None:
        definition = guard(get_definition, self.func_ir, variable)
        if isinstance(definition, ir.Const | ir.Global | ir.FreeVar):
            return (definition.value,)
        if isinstance(definition, ir.Expr) and definition.op == "build_tuple":
            items = [item for v in definition.items if (item := self._constant(v)) is not None]
            every = len(items) == len(definition.items)
            return (tuple(item[0] for item in items),) if every else None
        if isinstance(definition, ir.Expr) and definition.op == "getattr":
            owner = self._constant(definition.value)
            if owner is not None and isinstance(owner[0], ModuleType):
                found = getattr(owner[0], definition.attr, None)
                return None if found is None else (found,)
        found = guard(find_const, self.func_ir, variable)
        return None if found is None else (found,)


class RuleCompiler(ReleasingCompiler):
    """Numba's compiler with `Specialise` in front of the pass that drops dead branches."""

    def define_pipelines(self) -> list[Any]:
        (passes,) = super().define_pipelines()
        passes.add_pass_after(Specialise, IRProcessing)
        passes.finalize()
        return [passes]


def _class_of(ty: AnnotationType) -> Any:
    lanes: Any = ty.shadow
    return described(ty.cls, ty.value, len(lanes.types) if ty.cls in BATCH else 1)


def jitted_rule(function: Any) -> Any:
    """The dispatcher of a rule's Python function; it lives as long as the function."""
    kept = function.__dict__.get(_KEPT)
    if kept is None or not kept.belongs_to(function):
        for name in getattr(function, "__enzyme_calls__", ()):
            called = function.__globals__[name]
            if inspect.isfunction(called):
                function.__globals__[name] = numba.njit(called)
        made = numba.njit(positional(function), pipeline_class=RuleCompiler)
        kept = function.__dict__[_KEPT] = PerFunctionCache(function, made)
    return kept.value
