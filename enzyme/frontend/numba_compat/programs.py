"""What numba makes of programs: its IR of functions, templates, ufuncs, stencils, and models of values."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, misc"

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from numba.core import ir, types
from numba.core.datamodel.models import ArrayModel, RecordModel
from numba.experimental import structref
from numba.np.ufunc.ufunc_base import UfuncBase
from numba.stencils.stencil import StencilFunc, StencilFuncLowerer  # type: ignore[import-untyped,unused-ignore]
from numba.typed import Dict, List

from enzyme.frontend.numba_compat.models import (
    default_manager,
    members,
)
from enzyme.frontend.numba_compat.probes import expect, expect_attributes, private, probe

__all__ = [
    "ArrayModel",
    "RecordModel",
    "StencilFunc",
    "UfuncBase",
    "default_manager",
    "members",
]

# `enzymecore.numba_types` looks these up itself, for it must not import the compiler.
_ASKED_FOR = {
    "numba.core.types": "Type ClassInstanceType Array StructRef",
    "numba.core.ccallback": "CFunc",
    "numba.core.dispatcher": "Dispatcher",
    "numba.experimental.jitclass.base": "imp_dtor",
    "numba.experimental.structref": "StructRefProxy new",
    "numba.np.numpy_support": "as_dtype",
    "numba.stencils.stencil": "StencilFunc",
    "numba.typed.typedlist": "List",
    "numba.typed.typeddict": "Dict",
}
Intrinsic: Any = private("numba.core.extending", "_Intrinsic")
_MethodTemplate: Any = private("numba.core.typing.templates", "_OverloadMethodTemplate")


# Functions as numba reads them --------------------------------------------------------------------


def define(func_ir: Any, name: str, value: Any) -> None:
    """Let a variable of a function be defined once, by `value`."""
    func_ir._definitions[name] = [value]


def redefine(func_ir: Any, name: str, old: Any, new: Any) -> None:
    """Put one definition of a variable in place of another."""
    definitions = func_ir._definitions[name]
    definitions[definitions.index(old)] = new


def overloaded_method(template: Any) -> Any:
    """The Python function behind `overload_method`; None for other templates."""
    return template._overload_func if isinstance(template, _MethodTemplate) else None


def set_overloaded_method(template: Any, function: Any) -> None:
    """Let `function` be behind an overloaded method."""
    template._overload_func = function


def is_known(typing_context: Any, value: Any) -> bool:
    """Has a typing context been told of this function before?"""
    return typing_context._lookup_global(value) is not None


# Ufuncs and stencils ------------------------------------------------------------------------------


def element_dispatcher(ufunc: Any) -> Any:
    """What compiles the function of one element."""
    return ufunc._dispatcher


def install_ufunc(ufunc: Any, typing: Any, context: Any, adapted: Callable[[Any], Any]) -> None:
    """Make calls of a ufunc known to a target; `adapted` gives its class that emits the call for one element."""
    ufunc._install_type(typing)
    at_hand = ufunc._lower_me
    lowerer = copy.copy(at_hand)
    lowerer.libs = []
    lowerer.kernel = adapted(lowerer.kernel)
    ufunc._lower_me = lowerer  # the entries are put together by numba
    try:
        ufunc._install_cg(context)
    finally:
        ufunc._lower_me = at_hand


def stencil_for(stencil: StencilFunc, typing: Any, context: Any) -> StencilFunc:
    """A copy of a stencil that is tied to another target."""
    made = copy.copy(stencil)
    made._typingctx, made._targetctx = typing, context
    made._type_cache = {}
    made._lower_me = StencilFuncLowerer(made)
    made._install_type(typing)
    return made


# Values -------------------------------------------------------------------------------------------


# Probes -------------------------------------------------------------------------------------------


@probe
def definitions() -> None:
    """Numba's IR keeps lists of definitions by name."""
    made = ir.FunctionIR({}, False, None, ir.unknown_loc, {}, 0, set())
    expect_attributes(made, "_definitions")
    define(made, "x", 1)
    redefine(made, "x", 1, 2)
    try:
        found = made.get_definition("x")
    except KeyError:
        found = None
    expect(found == 2, "numba's IR keeps the definitions of variables otherwise")


@probe
def models() -> None:
    """Structs know their fields."""
    model = default_manager[types.complex128]
    expect_attributes(model, "_fields _members")
    found = members(model)
    expect(
        found == [("real", types.float64), ("imag", types.float64)],
        "numba's models of structs know their fields otherwise",
    )


@probe
def what_enzymecore_asks_for() -> None:
    """It knows values of numba's by their classes, and imports none of them."""
    expect_attributes(types.StructRef([("a", types.float64)]), "_fields")
    for module, names in _ASKED_FOR.items():
        for name in names.split():
            private(module, name)


@probe
def typed_containers() -> None:
    """Lists, dictionaries and structrefs hold an object that counts references."""
    for cls in (List, Dict):
        names = cls.__init__.__code__.co_names
        expect_attributes(cls, "_typed _numba_type_")
        expect("_opaque" in names, f"numba.typed.{cls.__name__} has no _opaque any more")
    expect_attributes(structref.StructRefProxy, "_meminfo _numba_type_")


@probe
def ufuncs_and_stencils() -> None:
    """How they are tied to a target."""
    from numba.np.ufunc.dufunc import DUFunc
    from numba.np.ufunc.gufunc import GUFunc

    cls: Any
    for cls in (DUFunc, GUFunc):
        expect_attributes(cls, "_install_type _install_cg")
        expect(
            "_lower_me" in cls.__init__.__code__.co_names + cls._initialize.__code__.co_names,
            f"numba's {cls.__name__} has no _lower_me any more",
        )
    names = StencilFunc.__init__.__code__.co_names
    for name in ("_typingctx", "_targetctx", "_type_cache", "_lower_me", "_install_type"):
        expect(name in names, f"numba's stencils have no {name} any more")
