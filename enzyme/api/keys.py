"""Tuples that stand for dictionaries, in compiled code: ``p["w"]``, ``"w" in p``, ``for key in p`` and so on.

Their type is one of their own: numba would take a tuple with members of one type for a sequence of them. Where it
knows tuples nonetheless, what is about the keys stands before it, as belonging to a target; what dictionaries cannot
do is refused.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-call, untyped-decorator, override"

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from numba.core import cgutils, types
from numba.core.errors import NumbaKeyError
from numba.core.imputils import impl_ret_borrowed, lower_builtin, lower_cast
from numba.core.typing import signature
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    infer,
    infer_getattr,
)
from numba.extending import models, overload, register_model, typeof_impl

from enzyme.api.trees import Dictionary, DictionaryClass
from enzyme.errors import ActivityError
from enzyme.frontend.tuples import ClassOfTuples, tuple_type
from enzyme.support.generated import generated


class DictionaryType(types.NamedTuple):
    """Type of what stands for a dictionary."""


register_model(DictionaryType)(models.TupleModel)
Dictionary.__enzyme_type__ = DictionaryType


@typeof_impl.register(DictionaryClass)
def _typeof_class(val: Any, c: Any) -> Any:
    return ClassOfTuples(val)


@typeof_impl.register(Dictionary)
def _typeof(val: Any, c: Any) -> Any:
    members = [typeof_impl(member, c) for member in val]
    return None if None in members else tuple_type(members, type(val))


def keys_of(ty: Any) -> tuple[str, ...] | None:
    """The keys of a dictionary that a tuple of this type stands for; None for other types."""
    return ty.instance_class.keys_of_it if isinstance(ty, DictionaryType) else None


_TARGET = "cpu"


@infer
class _Member(AbstractTemplate):
    """The type of ``p["w"]``."""

    key = "static_getitem"

    def generic(self, args: Any, kws: Any) -> Any:
        tup, key = args
        keys = keys_of(tup)
        if keys is None or not isinstance(key, str):
            return None
        if key not in keys:
            raise NumbaKeyError(
                f"the dictionary has no key {key!r}; its keys are {', '.join(keys)}"
            )
        return signature(tup.types[keys.index(key)], *args)


@lower_builtin("static_getitem", DictionaryType, types.StringLiteral)
def _member(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    tup, key = args
    place = keys_of(sig.args[0]).index(key)  # type: ignore[union-attr]
    found = builder.extract_value(tup, place)
    return impl_ret_borrowed(context, builder, sig.return_type, found)


def _at(p, key):  # type: ignore[no-untyped-def]
    """The member at a key that is not known before the run."""
    keys = keys_of(p)
    if keys is None:
        return None
    if not isinstance(key, types.UnicodeType | types.StringLiteral):
        raise _refusal(f"a dictionary at an index of type {key}")
    if len(set(p.types)) > 1:
        raise _refusal(
            "a dictionary with members of several types, at a key that only the run knows",
            "write the keys out, or give all members one type",
        )
    lines = [f"    if key == {key!r}: return p[{key!r}]" for key in keys]
    return generated("at", ["def at(p, key):", *lines, "    raise KeyError('no such key')"], {})


overload(operator.getitem, target=_TARGET)(_at)


# --- methods: of these tuples alone, for the fields of others may have such names -------------------

_TEXT = types.unicode_type
# Of each method the type of what stands for a key and its member, and the source of that.
_METHODS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "keys": (lambda member: _TEXT, "{key!r}"),
    "values": (lambda member: member, "p[{place}]"),
    "items": (lambda member: types.Tuple([_TEXT, member]), "({key!r}, p[{place}])"),
}


class _Method(AbstractTemplate):
    """The type of one of the methods; `key` is its name behind a prefix."""

    def generic(self, args: Any, kws: Any) -> Any:
        if args or kws:
            return None
        of, _ = _METHODS[self.key.removeprefix(_PREFIX)]
        members = types.BaseTuple.from_types([of(member) for member in self.this.types])
        return signature(members, recvr=self.this)


_PREFIX = "enzyme.dictionary."
_TEMPLATES = {name: type(name, (_Method,), {"key": _PREFIX + name}) for name in _METHODS}


class _Get(AbstractTemplate):
    """The type of ``p.get("w", default)``: of the member, or of the default where there is no such key."""

    key = _PREFIX + "get"

    def generic(self, args: Any, kws: Any) -> Any:
        keys = keys_of(self.this) or ()
        if kws or len(args) not in (1, 2):
            return None
        default = args[1] if len(args) == 2 else types.none
        if isinstance(args[0], types.StringLiteral):
            key = args[0].literal_value
            found = self.this.types[keys.index(key)] if key in keys else types.unliteral(default)
            return signature(found, *args, recvr=self.this)
        members = [*self.this.types, types.unliteral(default)]
        found = self.context.unify_types(*members)
        if args[0] != _TEXT or found is None or isinstance(found, types.Optional):
            raise _refusal(
                "p.get of a dictionary at a key that only the run knows",
                "write the key out, or give all members, and the default, one type",
            )
        return signature(found, *args, recvr=self.this)


_TEMPLATES["get"] = _Get


@infer_getattr
class _Methods(AttributeTemplate):
    key = DictionaryType

    def generic_resolve(self, tup: Any, attr: str) -> Any:
        if attr in _TEMPLATES:
            return types.BoundFunction(_TEMPLATES[attr], tup)
        if attr in dir(dict):
            raise _refusal(f"the method {attr} of a dictionary")
        return None


def _lower_method(name: str) -> None:
    @lower_builtin(_PREFIX + name, DictionaryType)
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        keys = keys_of(sig.args[0]) or ()
        entries = [_METHODS[name][1].format(key=key, place=k) for k, key in enumerate(keys)]
        scope: dict[str, Any] = {}
        exec(f"def method(p):\n    return ({', '.join(entries)},)\n", scope)
        return context.compile_internal(builder, scope["method"], sig, args)


for _name in _METHODS:
    _lower_method(_name)


def _get(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    tup, key = sig.args[:2]
    keys = keys_of(tup) or ()
    if not isinstance(key, types.StringLiteral):
        lines = [f"    if key == {key!r}: return p[{key!r}]" for key in keys]
        method = generated("get", ["def get(p, key, default):", *lines, "    return default"], {})
        return context.compile_internal(builder, method, sig, args)
    if key.literal_value in keys:
        place = keys.index(key.literal_value)
        found, ty = builder.extract_value(args[0], place), tup.types[place]
    elif len(args) == 3:
        found, ty = args[2], sig.args[2]
    else:
        return context.get_dummy_value()
    found = context.cast(builder, found, ty, sig.return_type)
    return impl_ret_borrowed(context, builder, sig.return_type, found)


for _rest in ((), (types.Any,)):
    lower_builtin(_PREFIX + "get", DictionaryType, types.StringLiteral, *_rest)(_get)
    lower_builtin(_PREFIX + "get", DictionaryType, _TEXT, *_rest)(_get)


# --- what numba does with sequences ---------------------------------------------------------------


def _names(keys: tuple[str, ...]) -> Any:
    return types.UniTuple(_TEXT, len(keys))


@infer
class _Iterator(AbstractTemplate):
    """The type of ``for key in p``: the dictionary is cast to its keys."""

    key = "getiter"

    def generic(self, args: Any, kws: Any) -> Any:
        keys = keys_of(args[0])
        return None if keys is None else signature(_names(keys).iterator_type, _names(keys))


@lower_cast(DictionaryType, types.UniTuple)
def _keys_of_dictionary(context: Any, builder: Any, fromty: Any, toty: Any, val: Any) -> Any:
    keys = keys_of(fromty) or ()
    if toty != _names(keys):
        raise NotImplementedError(fromty, toty)
    texts = [context.get_constant_generic(builder, _TEXT, key) for key in keys]
    return cgutils.pack_array(builder, texts)


def _contains(p, key):  # type: ignore[no-untyped-def]
    keys = keys_of(p)
    if keys is None or not isinstance(key, types.UnicodeType | types.StringLiteral):
        return None
    return lambda p, key: key in keys


overload(operator.contains, target=_TARGET)(_contains)


def _refuse(function: Any) -> None:
    """Refuse a function of sequences for dictionaries."""

    def refused(p):  # type: ignore[no-untyped-def]
        if keys_of(p) is not None:
            raise _refusal(f"{function.__name__} of a dictionary")

    overload(function, target=_TARGET)(refused)


for _function in (min, max, sum, tuple, reversed):
    _refuse(_function)


def _set(p, key, value):  # type: ignore[no-untyped-def]
    if keys_of(p) is not None:
        raise _refusal(
            "a dictionary that is written to",
            "write to the array at the key, p[key][:] = ..., or return what is new",
        )


def _delete(p, key):  # type: ignore[no-untyped-def]
    if keys_of(p) is not None:
        raise _refusal("a dictionary from which an entry is taken")


overload(operator.setitem, target=_TARGET)(_set)
overload(operator.delitem, target=_TARGET)(_delete)


def _refusal(
    what: str, todo: str = "use p[key], p.get(key, default), p.keys(), p.values() or p.items()"
) -> ActivityError:
    return ActivityError(
        what=what,
        why="in compiled code a dictionary is a tuple with a name for each key",
        todo=todo,
    )
