"""What goes into the digest of a program beside functions and plain values: numba's objects and ours.

See `enzyme.disk.fingerprint`.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import types as pytypes
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from numba.core import types
from numba.core.compiler import Compiler
from numba.core.extending import _Intrinsic
from numba.core.imputils import builtin_registry as implementations
from numba.core.typing.templates import builtin_registry as templates

from enzyme.disk.fingerprint import (
    Fingerprint,
    Unknown,
    attached,
    attachments,
    class_walks,
    digests_of,
    of_library,
    walks,
)
from enzyme.disk.installed import loaded_by_numba, package_of, stamp
from enzyme.frontend.numba_compat.callables import (
    CFunc,
    Dispatcher,
    StencilFunc,
    UfuncBase,
    name_of,
)
from enzyme_rules.easy import EasyRule
from enzyme_rules.registry import Rule, RuleSet, rules_of
from enzymecore.annotation_base import AnnotationMeta
from enzymecore.descriptors import TypeDescriptor
from enzymecore.structure import kind_of_class

# Types that say all of themselves in their key, which holds types and plain values.
_KEYED = (
    types.Integer,
    types.Float,
    types.Complex,
    types.Boolean,
    types.NoneType,
    types.UnicodeType,
    types.Bytes,
    types.Array,
    types.Optional,
    types.ListType,
    types.DictType,
    types.List,
    types.Set,
    types.UniTuple,
    types.Tuple,
    types.SliceType,
    types.RangeType,
    types.NPDatetime,
    types.NPTimedelta,
    types.UnicodeCharSeq,
    types.CharSeq,
    types.DType,
)


@walks(types.Type)
def _type(found: Fingerprint, x: Any) -> None:
    cls = type(x)
    found.note("type", cls.__name__)
    if isinstance(x, types.Dispatcher):
        found.add(x.dispatcher)
    elif isinstance(x, types.Literal) and of_library(cls.__module__):
        found.add(x.literal_value)
    elif isinstance(x, types.Omitted):
        found.add(x.value)
    elif isinstance(x, types.NestedArray):
        found.all("nested", (x.dtype, x.shape))
    elif isinstance(x, types.Record):
        found.note("record", f"{x.size} {x.aligned}")
        for name, field in x.fields.items():
            found.all(name, (field.type, field.offset, field.alignment, field.title))
    elif isinstance(x, types.BaseNamedTuple):
        found.add(x.instance_class)
        found.all("members", x.types)
    elif cls in _KEYED:
        key = x.key
        if isinstance(key, str):
            found.note("name", key)
        elif isinstance(x, types.Optional):
            found.add(x.type)
        else:
            found.add(key)
        if cls is types.Array:
            found.note("aligned", str(x.aligned))
    else:
        raise Unknown(f"a value of numba's type {x}")


@walks(type(types.Type))
def _class_of_types(found: Fingerprint, x: Any) -> None:
    if not found.named("class of types", x):
        raise Unknown(f"the class of types {x.__qualname__}")


@walks(Dispatcher)
def _dispatcher(found: Fingerprint, x: Any) -> None:
    function = x.py_func
    if x._compiler.pipeline_class is not Compiler:
        raise Unknown(f"{function.__qualname__}, compiled by {x._compiler.pipeline_class.__name__}")
    found.all("attached", attached(function))
    if of_library(function.__module__ or "") and found.named("function", function):
        return
    found.compiled.append(x)
    found.note("dispatcher", type(x).__name__)
    for name in sorted(x.targetoptions):
        if name not in ("cache", "nopython"):
            found.note("option", name)
            found.add(x.targetoptions[name])
    found.all("locals", [part for pair in sorted(x.locals.items()) for part in pair])
    if not x._can_compile:
        signatures = [result.signature for result in x.overloads.values()]
        found.all("signatures", [(*s.args, s.return_type) for s in signatures])
    found.add(function)


def _overloads(dispatcher: Any) -> list[Any]:
    """What was compiled of a function; of a universal one only what was declared counts."""
    return list(dispatcher.overloads.values())


@walks(UfuncBase)
def _ufunc(found: Fingerprint, x: Any) -> None:
    inner = getattr(x, "_dispatcher", None)
    if inner is None:
        raise Unknown(f"the universal function {x!r:.60}")
    builder = getattr(x, "gufunc_builder", None)
    function = inner.py_func
    found.note("ufunc", f"{type(x).__name__} {getattr(x, 'identity', None)!r}")
    found.note("frozen", str(getattr(x, "_frozen", None)))
    if builder is not None:
        found.all("builder", (builder.signature, tuple(builder.writable_args or ())))
    for name in sorted(inner.targetoptions):
        if name not in ("cache", "nopython"):
            found.note("option", name)
            found.add(inner.targetoptions[name])
    made = [(tuple(one.signature.args), one.signature.return_type) for one in _overloads(inner)]
    found.all("overloads", sorted(digests_of(found, made)))
    found.add(function)


@walks(StencilFunc)
def _stencil(found: Fingerprint, x: Any) -> None:
    # It keeps the values that its names had when it was made.
    raise Unknown(f"the stencil {name_of(x)}")


@walks(CFunc)
def _callback(found: Fingerprint, x: Any) -> None:
    found.all("signature", (*x._sig.args, x._sig.return_type))
    found.add(dict(sorted(x._compiler.targetoptions.items())))
    found.add(dict(sorted(x._compiler.locals.items())))
    found.add(x._pyfunc)


@walks(_Intrinsic)
def _intrinsic(found: Fingerprint, x: Any) -> None:
    found.note("intrinsic", f"{x._name} {x._prefer_literal}")
    found.add(x._defn)


# Of this library ----------------------------------------------------------------------------------


@walks(AnnotationMeta)
def _annotation(found: Fingerprint, x: Any) -> None:
    found.note("annotation", x.__name__)
    found.all("parameters", x.parameters)
    if not of_library(x.__module__):
        raise Unknown(f"the annotation {x.__qualname__}")


@walks(TypeDescriptor)
def _descriptor(found: Fingerprint, x: Any) -> None:
    slots = [name for cls in type(x).__mro__ for name in getattr(cls, "__slots__", ())]
    state = {
        name: getattr(x, name) for name in slots if not name.startswith("_") and hasattr(x, name)
    }
    state.update({k: v for k, v in getattr(x, "__dict__", {}).items() if not k.startswith("_")})
    found.note("described", type(x).__name__)
    found.add(dict(sorted(state.items())))


@walks(RuleSet)
def _rules(found: Fingerprint, x: RuleSet) -> None:
    for kind in ("forward", "augmented_primal", "reverse", "easy", "inactive", "inactive_noinl"):
        found.all(kind, getattr(x, kind))
    found.all("constant", sorted(x.inactive_arguments))
    found.note("noalias", str(x.noalias))


@walks(Rule)
def _rule(found: Fingerprint, x: Rule) -> None:
    found.all("rule", (x.kind, x.function, x.pattern, x.takes_config))


@walks(EasyRule)
def _easy_rule(found: Fingerprint, x: EasyRule) -> None:
    found.all("easy", (x.function, x.setup, x.types))


def _declared(found: Fingerprint, cls: type) -> None:
    """What was declared of a class: that its objects have no derivatives, for instance."""
    found.note("declared", str(kind_of_class(cls)))


class_walks.append(_declared)


def _rules_of(function: pytypes.FunctionType) -> Iterator[Any]:
    rules = rules_of(function)
    if rules or rules.inactive_arguments or rules.noalias:
        yield rules


attachments.append(_rules_of)


# Extensions of numba ------------------------------------------------------------------------------


_OPTIONS = ("_jit_options", "_strict", "prefer_literal", "metadata")


def _of_user(template: Any) -> Any:
    """The user's function behind a registered template, with its options; the template if it is written as a class."""
    function = getattr(template, "_overload_func", None)
    if function is None:
        function = getattr(template, "_definition_func", None)
    written = template if function is None else function
    key = getattr(template, "key", None)
    of_user = isinstance(key, pytypes.FunctionType) and not of_library(key.__module__ or "")
    if of_library(getattr(written, "__module__", None) or "numba") and not of_user:
        return None
    options = [getattr(template, name, None) for name in _OPTIONS]
    inline = getattr(getattr(template, "_inline", None), "_inline", None)
    return (written, *options, inline)


def _registered() -> Iterator[tuple[Any, Any]]:
    """(key, function) of all that users registered."""
    for template in (*templates.functions, *templates.attributes):
        written = _of_user(template)
        if written is not None:
            yield template.key, written
    for value, ty in templates.globals:
        for template in getattr(ty, "templates", ()):
            written = _of_user(template)
            if written is not None:
                yield value, written
    for name in ("functions", "getattrs", "setattrs", "casts", "constants"):
        for entry in getattr(implementations, name):
            if not of_library(getattr(entry[0], "__module__", None) or "numba"):
                yield None, entry[0]


_counted: tuple[int, ...] = ()
_for_functions: dict[int, list[Any]] = {}
_for_all: list[Any] = []


def _look() -> None:
    """Sort what was registered: for a function of the user's it counts where that is called, else everywhere."""
    global _counted
    lists = (templates.functions, templates.attributes, templates.globals)
    others = (implementations.functions, implementations.getattrs, implementations.setattrs)
    more = (implementations.casts, implementations.constants)
    counted = tuple(len(one) for one in (*lists, *others, *more))
    if counted == _counted:
        return
    _for_functions.clear()
    _for_all.clear()
    seen = set()
    for key, written in _registered():
        mark = id(key), id(written[0] if isinstance(written, tuple) else written)
        if mark in seen:
            continue
        seen.add(mark)
        plain = isinstance(key, pytypes.FunctionType) and not of_library(key.__module__ or "")
        if plain or isinstance(key, _Intrinsic):
            _for_functions.setdefault(id(key), []).append(written)
        else:
            _for_all.append(written)
    _counted = counted


def _overloads_of(function: pytypes.FunctionType) -> Iterable[Any]:
    _look()
    return _for_functions.get(id(function), ())


attachments.append(_overloads_of)


def add_extensions(found: Fingerprint) -> None:
    """Take in what users registered for functions of libraries, operators, attributes and types."""
    _look()
    by_numba = loaded_by_numba()
    found.note("loaded by numba", str(sorted(by_numba.items())))
    count = 0
    for written in _for_all:
        function = written[0] if isinstance(written, tuple) else written
        package = package_of(function)
        if package in by_numba and not any(_functions_of_user(function)):
            continue  # it is there when numba has compiled something, and its files count before
        count += 1
        if package is None:
            found.add(written)
        else:
            _add_installed(found, function, package)
    found.note("extensions", str(count))


def _contents(function: Any) -> Iterator[Any]:
    for cell in getattr(function, "__closure__", None) or ():
        with suppress(ValueError):
            yield cell.cell_contents


def _functions_of_user(function: Any) -> Iterator[Any]:
    """What a function of a package holds that is the user's."""
    for content in _contents(function):
        of_user = getattr(content, "py_func", content)
        if isinstance(of_user, pytypes.FunctionType) and package_of(of_user) is None:
            yield content


def _add_installed(found: Fingerprint, function: Any, package: str) -> None:
    """Take in an extension that an installed package has made: by its name, and what the user gave to make it."""
    found.note("installed", f"{function.__module__}.{getattr(function, '__qualname__', '')}")
    found.note("package", stamp(package))
    for content in _functions_of_user(function):
        found.add(content)
    for content in _contents(function):
        if isinstance(content, bool | int | float | complex | str | bytes):
            found.add(content)
