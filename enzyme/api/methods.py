"""Methods and properties of dataclasses and other objects, in compiled code.

What stands for such an object is a named tuple of its fields, whose type is made for its class: numba asks that type
for methods. They are compiled as functions that take the tuple.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-call, untyped-decorator"

from __future__ import annotations

import inspect
import operator
import types as pytypes
from typing import Any

from numba.core import types
from numba.core.imputils import lower_builtin, lower_setattr_generic
from numba.extending import (
    box,
    models,
    overload,
    overload_attribute,
    overload_method,
    register_model,
    typeof_impl,
)

from enzyme.api.objects import NUMBERS
from enzyme.api.trees import Fields, FieldsClass
from enzyme.api.values import jitted
from enzyme.disk.captured import Captured
from enzyme.disk.fingerprint import Fingerprint, class_walks
from enzyme.errors import ActivityError
from enzyme.frontend.tuples import ClassOfTuples, tuple_type
from enzyme.support.generated import generated
from enzyme.support.keywords import positional

_CALL = "__call__"
# How numba spells what calls a method of a name with underscores, and how many arguments that has.
_OPERATORS: dict[str, tuple[Any, int]] = {
    "__abs__": (abs, 1),
    "__neg__": (operator.neg, 1),
    "__pos__": (operator.pos, 1),
    "__invert__": (operator.invert, 1),
    "__bool__": (bool, 1),
    "__contains__": (operator.contains, 2),
    "__add__": (operator.add, 2),
    "__sub__": (operator.sub, 2),
    "__mul__": (operator.mul, 2),
    "__matmul__": (operator.matmul, 2),
    "__truediv__": (operator.truediv, 2),
    "__floordiv__": (operator.floordiv, 2),
    "__mod__": (operator.mod, 2),
    "__pow__": (operator.pow, 2),
    "__eq__": (operator.eq, 2),
    "__ne__": (operator.ne, 2),
    "__lt__": (operator.lt, 2),
    "__le__": (operator.le, 2),
    "__gt__": (operator.gt, 2),
    "__ge__": (operator.ge, 2),
}
_REFLECTED = {
    f"__{name}__": f"__r{name}__"
    for name in ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow")
}
_SPECIAL = frozenset([_CALL, *_OPERATORS, *_REFLECTED.values()])
# What the decorator of dataclasses writes compares as tuples do, and needs no compilation.
_GENERATED = "__create_fn__"
_DEFAULT = "default_"


class FieldsType(types.NamedTuple):
    """Type of what stands for an object."""

    def __bool__(self) -> bool:
        return True  # also without attributes: numba asks whether a method has an object


@typeof_impl.register(Fields)
def _typeof(val: Any, c: Any) -> Any:
    members = [typeof_impl(member, c) for member in val]
    return None if None in members else tuple_type(members, type(val))


@box(FieldsType)
def _box(typ: Any, val: Any, c: Any) -> Any:
    """The class itself, where numba would write out what is in it: locks, files, whatever it has."""
    cls = c.env_manager.read_const(c.env_manager.add_const(typ.instance_class))
    members = [c.box(ty, c.builder.extract_value(val, k)) for k, ty in enumerate(typ.types)]
    found = c.pyapi.call_function_objargs(cls, members)
    for member in members:
        c.pyapi.decref(member)
    return found


@lower_setattr_generic(FieldsType)
def _refuse_to_set(context: Any, builder: Any, sig: Any, args: Any, attr: str) -> Any:
    owner = sig.args[0].instance_class.owner.__name__
    raise ActivityError(
        what=f"the attribute {attr} of {owner} is written to",
        why="in compiled code an object is a tuple of its attributes",
        todo="keep the value in a variable, or return it; arrays can be written to: x.a[:] = ...",
    )


def _declared(found: Fingerprint, cls: type) -> None:
    """What is compiled for tuples that stand for objects, for derivatives on disk."""
    if isinstance(cls, FieldsClass):
        found.add(cls.methods)  # type: ignore[attr-defined]


class_walks.append(_declared)


@typeof_impl.register(FieldsClass)
def _typeof_class(val: Any, c: Any) -> Any:
    return ClassOfTuples(val)


class Methods:
    """The methods, properties and constants of a class, as they were when they were looked at."""

    def __init__(self, cls: type, fields: tuple[str, ...]) -> None:
        wrong = next((name for name in ("__getitem__", "__len__") if hasattr(cls, name)), None)
        if wrong:
            raise ActivityError(
                what=f"an object of the class {cls.__name__}, which defines {wrong}",
                why="in compiled code it is a tuple of its attributes, and numba takes it for that there",
                todo="give the method another name, or pass what the object holds",
            )
        self.functions = _members(cls, fields)
        self._cls, self._fields = cls, fields
        functions = [_function(x)[1] for x in self.functions.values()]
        self._captured = [(f, Captured(f)) for f in functions if f is not None]

    def changed(self) -> bool:
        """Has the class other ones now, or do these read other values?"""
        now = _members(self._cls, self._fields)
        same = now.keys() == self.functions.keys() and all(
            now[name] is found for name, found in self.functions.items()
        )
        return not same or any(captured.changed(f) for f, captured in self._captured)

    def declare(self, made: FieldsClass) -> None:
        """Tell numba, for tuples of the class `made`."""
        described: Any = type(made.__name__, (FieldsType,), {})
        register_model(described)(models.TupleModel)
        made.__enzyme_type__ = described  # type: ignore[attr-defined]
        for name, found in self.functions.items():
            declared, function = _function(found)
            if function is None:
                overload_attribute(described, name)(_constant(found))
            else:
                declared(described, name)(_implemented_by(positional(function), found))
        # numba finds what a call of such a value returns with its method, but not the code.
        lower_builtin(described, described, types.VarArg(types.Any))(_lower_call)


def _lower_call(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.get_function((type(sig.args[0]), _CALL), sig)(builder, args)


def _members(cls: type, fields: tuple[str, ...]) -> dict[str, Any]:
    """What a class, and those it is derived from, define in Python and numba may compile."""
    found = {name: x for base in reversed(cls.__mro__) for name, x in vars(base).items()}
    return {
        name: x
        for name, x in found.items()
        if (name in _SPECIAL or not name.startswith("__"))
        and not _is_generated(x)
        and name not in fields
        and (type(x) in NUMBERS or _function(x)[1] is not None)
    }


def _is_generated(x: Any) -> bool:
    code = getattr(x, "__code__", None)
    return code is not None and code.co_qualname.startswith(_GENERATED)


def _function(x: Any) -> tuple[Any, Any]:
    """How numba is told of a member of a class, and the function that it is; None of a constant."""
    if isinstance(x, property):
        return overload_attribute, x.fget
    if isinstance(x, staticmethod):
        x = x.__func__
    x = getattr(x, "py_func", x)
    return overload_method, x if isinstance(x, pytypes.FunctionType) else None


def _constant(value: Any) -> Any:
    return lambda self: lambda self: value


def _implemented_by(function: Any, found: Any) -> Any:
    """What numba asks for the implementation: the function itself; a static one behind a first parameter."""
    if isinstance(found, staticmethod):
        function = _behind_an_object(function)

    def implementation(*args: Any, **kwargs: Any) -> Any:
        return function

    implementation.__name__ = function.__name__
    implementation.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return implementation


def _behind_an_object(function: Any) -> Any:
    """A function of an object, which it does not look at, and of the arguments of `function`."""
    parameters = inspect.signature(function).parameters
    defaults = {n: p.default for n, p in parameters.items() if p.default is not p.empty}
    listed = [f"{n}={_DEFAULT}{n}" if n in defaults else n for n in parameters]
    lines = [
        f"def make({', '.join(['f', *(_DEFAULT + n for n in defaults)])}):",
        f"    def call({', '.join(['self_', *listed])}):",
        f"        return f({', '.join(parameters)})",
        "    return call",
    ]
    scope: dict[str, Any] = {}
    exec(compile("\n".join(lines), "<enzyme.call>", "exec"), scope)
    return scope["make"](jitted(function, 0), *defaults.values())


# --- operators ------------------------------------------------------------------------------------


def _has(ty: Any, name: str) -> bool:
    return isinstance(ty, FieldsType) and name in ty.instance_class.methods


def _refuse_tuples(ty: Any, name: str) -> None:
    """An object is no tuple, though it is one in compiled code."""
    if not isinstance(ty, FieldsType):
        return
    owner = ty.instance_class.owner
    found = getattr(owner, name, None)
    if found is None or found is getattr(object, name, None):
        raise ActivityError(
            what=f"{name.strip('_')} of an object of the class {owner.__name__}",
            why=f"the class does not define {name}",
            todo="define it, or write what is meant with the attributes",
        )


def _operator(name: str) -> Any:
    """What numba asks for the implementation of an operator."""
    reflected = _REFLECTED.get(name, "")

    def of_one(a):  # type: ignore[no-untyped-def]
        if _has(a, name):
            return generated("call", ["def call(a):", f"    return a.{name}()"], {})
        return None if name == "__bool__" else _refuse_tuples(a, name)

    def of_two(a, b):  # type: ignore[no-untyped-def]
        if _has(a, name):
            return generated("call", ["def call(a, b):", f"    return a.{name}(b)"], {})
        if _has(b, reflected):
            return generated("call", ["def call(a, b):", f"    return b.{reflected}(a)"], {})
        return _refuse_tuples(a, name)

    return of_one if _OPERATORS[name][1] == 1 else of_two


for _name, (_called, _) in _OPERATORS.items():
    overload(_called, target="cpu")(_operator(_name))
