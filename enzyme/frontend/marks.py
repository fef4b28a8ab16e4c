"""What rules and marks change in programs as they are compiled: arguments and classes without derivatives.

Both go through `ignore_derivatives`: arguments declared constant where their function begins, and what an object of
a class declared inactive is made of. Functions with rules or marks are never inlined by numba.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, misc"

from __future__ import annotations

import functools
import inspect
from types import ModuleType
from typing import Any

import numba
from numba.core import ir, types
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.ir_utils import get_definition, guard
from numba.core.untyped_passes import IRProcessing
from numba.extending import typeof_impl

from enzyme.frontend.array_fusion import Fusion
from enzyme.frontend.numba_compat.compilers import Dispatcher, NopythonRewrites
from enzyme.frontend.numba_compat.programs import define, redefine
from enzyme_rules import inactive
from enzyme_rules.registry import is_inactive_class, rules_of

__all__ = ["ignore_derivatives", "maker", "marking"]


class _Identity(Dispatcher):
    """In Python it need not be compiled, and takes what numba has no type for."""

    def __call__(self, x: Any) -> Any:
        return x


@numba.njit
def ignore_derivatives(x: Any) -> Any:
    """Return `x`, whose derivative is taken as zero from there on, in every mode.

    Examples
    --------
    >>> from enzyme import Active, Reverse, autodiff, ignore_derivatives
    >>> autodiff(Reverse, lambda x: x * ignore_derivatives(x), Active, Active(3.0))
    ((3.0,),)
    """
    return x


ignore_derivatives.__class__ = _Identity
inactive(ignore_derivatives)


@register_pass(mutates_CFG=False, analysis_only=False)
class Marks(FunctionPass):
    """Begin with ``x = ignore_derivatives(x)`` for every constant argument; keep calls of functions with rules.

    Numba would inline some of these (``inline="always"``) before anybody could look at them.
    """

    _name = "enzyme_marks"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        self._ignore_arguments(state)
        for block in state.func_ir.blocks.values():
            for statement in block.body:
                if isinstance(statement, ir.Assign):
                    self._keep_call(state, statement)
        return True

    def _ignore_arguments(self, state: Any) -> None:
        marked = rules_of(state.func_id.func).inactive_arguments
        if not marked:
            return
        block = state.func_ir.blocks[min(state.func_ir.blocks)]
        body: list[Any] = []
        for statement in block.body:
            given = getattr(statement, "value", None)
            if not isinstance(given, ir.Arg) or given.name not in marked:
                body.append(statement)
                continue
            target, loc = statement.target, statement.loc
            raw = target.scope.redefine("$given", loc)
            function = target.scope.redefine("$constant", loc)
            made = ir.Expr.call(function, [raw], (), loc)
            named = ir.Global("ignore_derivatives", ignore_derivatives, loc)
            for place, value in ((raw, given), (function, named), (target, made)):
                body.append(ir.Assign(value, place, loc))
                define(state.func_ir, place.name, value)
        block.body[:] = body

    def _keep_call(self, state: Any, statement: Any) -> None:
        given = statement.value
        if isinstance(given, ir.Global | ir.FreeVar):
            found = given.value
        elif isinstance(given, ir.Expr) and given.op == "getattr":
            found = _in_module(state.func_ir, given)
        else:
            return
        if not _is_inlined(found):
            return
        if any(rules_of(f.py_func).says_something for f in (found, *inlined_in(found.py_func))):
            named = ir.Global(found.py_func.__name__, _Called(found), statement.loc)
            redefine(state.func_ir, statement.target.name, given, named)
            statement.value = named


def _in_module(func_ir: Any, given: Any) -> Any:
    """What an attribute of a module is, or of a module in one; None for attributes of anything else.

    Numba's own search asks of what it finds whether it is true, which arrays do not say.
    """
    names: list[str] = []
    while isinstance(given, ir.Expr) and given.op == "getattr":
        names.append(given.attr)
        given = guard(get_definition, func_ir, given.value)
    found = given.value if isinstance(given, ir.Global | ir.FreeVar) else None
    for name in reversed(names):
        found = getattr(found, name, None) if isinstance(found, ModuleType) else None
    return found


def _is_inlined(found: Any) -> bool:
    options = found.targetoptions if isinstance(found, Dispatcher) else {}
    return bool(options.get("inline", "never") != "never")


def inlined_in(function: Any) -> tuple[Any, ...]:
    """The jitted functions that numba inlines in this one before it compiles it."""
    found: dict[int, Any] = {}
    pending = [function]
    while pending:
        at = inspect.getclosurevars(pending.pop())
        values = [*at.globals.values(), *at.nonlocals.values()]
        modules = [value for value in values if isinstance(value, ModuleType)]
        values += [getattr(m, name, None) for m in modules for name in sorted(at.unbound)]
        for value in values:
            if _is_inlined(value) and id(value) not in found:
                found[id(value)] = value
                pending.append(value.py_func)
    return tuple(found.values())


class _Called:
    """A function that numba shall call."""

    def __init__(self, function: Any) -> None:
        self.function = function


@typeof_impl.register(_Called)
def _typeof_called(val: _Called, c: Any) -> types.Type:
    return types.Dispatcher(val.function)


@functools.cache
def marking(pipeline: Any) -> Any:
    """The pipeline with `Marks` at its beginning, and `Fusion` where numba is through with array expressions."""

    class Marking(pipeline):
        def define_pipelines(self) -> list[Any]:
            passes: list[Any] = super().define_pipelines()
            for each in passes:
                each.add_pass_after(Marks, IRProcessing)
                if any(known is NopythonRewrites for known, _ in each.passes):
                    each.add_pass_after(Fusion, NopythonRewrites)
                each.finalize()
            return passes

    return Marking


# Classes --------------------------------------------------------------------------------------------


class _Class:
    """A class itself, where its name means the function that makes its objects."""

    def __init__(self, cls: type) -> None:
        self.cls = cls


@typeof_impl.register(_Class)
def _typeof_class(val: _Class, c: Any) -> types.Type:
    return types.NamedTupleClass(val.cls)


_makers: dict[type, Any] = {}


def maker(cls: Any) -> Any:
    """The function that makes objects of a named tuple's class in differentiated code, if the class is inactive."""
    if not isinstance(cls, type) or not issubclass(cls, tuple) or not is_inactive_class(cls):
        return None
    if cls not in _makers:
        names = ", ".join(cls._fields)
        given = ", ".join(f"constant({name})" for name in cls._fields)
        scope: dict[str, Any] = {"constant": ignore_derivatives, "cls": _Class(cls)}
        exec(f"def make({names}):\n    return cls({given})\n", scope)
        _makers[cls] = numba.njit(scope["make"])
    return _makers[cls]
