"""Configurations of rules as numba values: everything about them is known when a rule is compiled."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from dataclasses import fields
from typing import Any

from numba.core import types, typing
from numba.core.imputils import lower_builtin, lower_getattr_generic
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    infer_getattr,
    infer_global,
)
from numba.extending import typeof_impl

import enzyme_rules
from enzyme.typed.fixed import Fixed
from enzyme_rules import FwdConfig, RevConfig

# The functions that ask a configuration for one of its fields.
GETTERS = {
    getattr(enzyme_rules, name): name
    for name in "needs_primal needs_shadow width overwritten runtime_activity strong_zero".split()
}


class ConfigType(Fixed):
    """Type of one configuration."""

    def __init__(self, config: FwdConfig | RevConfig) -> None:
        super().__init__(config, repr(config))


@typeof_impl.register(FwdConfig)
@typeof_impl.register(RevConfig)
def _typeof_config(val: Any, c: Any) -> types.Type:
    return ConfigType(val)


def _type_of(value: Any) -> types.Type:
    if isinstance(value, tuple):
        return types.UniTuple(types.boolean, len(value))
    return types.boolean if isinstance(value, bool) else types.intp


@infer_getattr
class _Attributes(AttributeTemplate):
    key = ConfigType

    def generic_resolve(self, ty: ConfigType, attr: str) -> types.Type | None:  # type: ignore[override]
        if attr not in {field.name for field in fields(ty.python_value)}:
            return None
        return _type_of(getattr(ty.python_value, attr))


@lower_getattr_generic(ConfigType)
def _attribute(context: Any, builder: Any, typ: Any, value: Any, attr: str) -> Any:
    found = getattr(typ.python_value, attr)
    return context.get_constant_generic(builder, _type_of(found), found)


def _getter(name: str) -> None:
    function = getattr(enzyme_rules, name)

    class Getter(AbstractTemplate):
        key = function

        def generic(self, args: Any, kws: Any) -> Any:
            if len(args) == 1 and not kws and isinstance(args[0], ConfigType):
                found = getattr(args[0].python_value, name, None)
                if found is not None:
                    return typing.signature(_type_of(found), args[0])
            return None

    infer_global(function)(Getter)

    @lower_builtin(function, ConfigType)
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        found = getattr(sig.args[0].python_value, name)
        return context.get_constant_generic(builder, sig.return_type, found)


for _name in GETTERS.values():
    _getter(_name)
