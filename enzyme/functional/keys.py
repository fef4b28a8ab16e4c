"""Tuples that stand for dictionaries, in compiled code: ``p["w"]``, ``"w" in p``, ``p.keys()`` and so on."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-call, untyped-decorator, override"

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.core.errors import NumbaKeyError
from numba.core.imputils import impl_ret_borrowed, lower_builtin
from numba.core.typing import signature
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    infer,
    infer_getattr,
)
from numba.extending import overload

from enzyme.functional.trees import KEYS


def keys_of(ty: Any) -> tuple[str, ...] | None:
    """The keys of a dictionary that a tuple of this type stands for; None for other types."""
    if not isinstance(ty, types.BaseNamedTuple):
        return None
    return getattr(ty.instance_class, KEYS, None)


@infer
class _Member(AbstractTemplate):
    """The type of ``p["w"]``."""

    key = "static_getitem"

    def generic(self, args: Any, kws: Any) -> Any:
        tup, key = args
        if not isinstance(tup, types.BaseNamedTuple) or not isinstance(key, str):
            return None
        keys = keys_of(tup)
        if keys is None:
            return None
        if key not in keys:
            raise NumbaKeyError(
                f"the dictionary has no key {key!r}; its keys are {', '.join(keys)}"
            )
        return signature(tup.types[keys.index(key)], *args)


@lower_builtin("static_getitem", types.BaseNamedTuple, types.StringLiteral)
def _member(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    tup, key = args
    place = keys_of(sig.args[0]).index(key)  # type: ignore[union-attr]
    found = builder.extract_value(tup, place)
    return impl_ret_borrowed(context, builder, sig.return_type, found)


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


@infer_getattr
class _Methods(AttributeTemplate):
    key = types.BaseNamedTuple

    def generic_resolve(self, tup: Any, attr: str) -> Any:
        if keys_of(tup) is None or attr not in _TEMPLATES:
            return None
        return types.BoundFunction(_TEMPLATES[attr], tup)


def _lower_method(name: str) -> None:
    @lower_builtin(_PREFIX + name, types.BaseNamedTuple)
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        keys = keys_of(sig.args[0]) or ()
        entries = [_METHODS[name][1].format(key=key, place=k) for k, key in enumerate(keys)]
        scope: dict[str, Any] = {}
        exec(f"def method(p):\n    return ({', '.join(entries)},)\n", scope)
        return context.compile_internal(builder, scope["method"], sig, args)


for _name in _METHODS:
    _lower_method(_name)


def _contains(p, key):  # type: ignore[no-untyped-def]
    keys = keys_of(p)
    if keys is None or not isinstance(key, types.UnicodeType | types.StringLiteral):
        return None
    return lambda p, key: key in keys


# Of a target: asked before numba's own, which looks for a key among the members.
overload(operator.contains, target="cpu")(_contains)
