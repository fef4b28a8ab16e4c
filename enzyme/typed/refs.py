"""Refs as values of numba: what a rule finds the shadow of a mixed argument in.

A Ref is read as ``ref[()]`` and written as ``ref[()] = value``, like the 0-d array that it is in Python.  It is a
place on the stack of who calls the rule: so it ends when the rule returns, and nothing that lives longer may hold
it.  Only numbers are put into it; memory in it is the shadow itself, which is added to in place.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import operator
from typing import Any

from numba.core import cgutils, types, typing
from numba.core.imputils import impl_ret_borrowed, lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import models, register_model

from enzyme.errors import CustomRuleError, ShadowLayoutError
from enzyme.frontend.callplan import as_leaves, from_leaves
from enzyme.frontend.leaves import LeafKind, leaves
from enzyme.typed.where import line_in_messages, placed


class RefType(types.Type):
    """Type of a Ref that holds a value of type `content`."""

    def __init__(self, content: types.Type) -> None:
        self.content = content
        super().__init__(name=f"Ref({content})")

    @property
    def key(self) -> Any:
        return self.content


@register_model(RefType)
class _RefModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: RefType) -> None:
        super().__init__(dmm, fe_type, dmm.lookup(fe_type.content).get_value_type().as_pointer())


def new_ref(builder: Any, content: Any) -> Any:
    """A Ref that holds `content`, until the function that is being written returns."""
    return cgutils.alloca_once_value(builder, content)


def holds_ref(ty: types.Type) -> bool:
    """Is there a Ref in a value of this type, or in what it refers to?"""
    pending: list[Any] = [ty]
    seen = set()
    while pending:
        found = pending.pop()
        if isinstance(found, RefType):
            return True
        if isinstance(found, tuple | list):
            pending += found
        elif isinstance(found, dict):
            pending += found.values()
        elif isinstance(found, types.Type) and found not in seen:
            seen.add(found)
            pending += vars(found).values()
    return False


def _refuse_index(index: types.Type) -> None:
    if index == types.Tuple(()):
        return
    with placed():
        raise CustomRuleError(
            what=f"a Ref has no element of index {index}",
            why="it holds one value",
            todo="read it as ref[()], and write ref[()] = value",
        )


@infer_global(operator.getitem)
class _Read(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        ref, index = args
        if not isinstance(ref, RefType):
            return None
        _refuse_index(index)
        return typing.signature(ref.content, ref, index)


@infer_global(operator.setitem)
class _Written(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        ref, index, value = args
        if not isinstance(ref, RefType):
            return None
        _refuse_index(index)
        if types.unliteral(value) != ref.content:
            with placed():
                raise CustomRuleError(
                    what=f"a value of type {types.unliteral(value)} is put into a Ref to {ref.content}",
                    todo="put in a value of the same type",
                    expected=ref.content,
                    found=value,
                )
        return typing.signature(types.none, ref, index, ref.content)


@lower_builtin(operator.getitem, RefType, types.BaseTuple)
def _read(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return impl_ret_borrowed(context, builder, sig.return_type, builder.load(args[0]))


@lower_builtin(operator.setitem, RefType, types.BaseTuple, types.Any)
def _write(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    ref, _, value = args
    ty = sig.args[0].content
    parts = list(leaves(ty))
    old = as_leaves(context, builder, ty, builder.load(ref))
    new = as_leaves(context, builder, ty, value)
    differs: Any = cgutils.false_bit
    for leaf, mine, its in zip(parts, old, new, strict=True):
        if leaf.differentiable and leaf.kind in (LeafKind.DATA, LeafKind.MEMINFO):
            differs = builder.or_(differs, builder.icmp_unsigned("!=", mine, its))
    with cgutils.if_unlikely(builder, differs):
        message = (
            f"{line_in_messages()}other memory is put into a Ref than the shadow that it holds: "
            "add to the arrays in ref[()] in place"
        )
        context.call_conv.return_user_exc(builder, ShadowLayoutError, (message,))
    kept = [
        its if leaf.kind is LeafKind.FLOAT else mine
        for leaf, mine, its in zip(parts, old, new, strict=True)
    ]
    builder.store(from_leaves(context, builder, ty, kept), ref)
    return context.get_dummy_value()
