"""Functions that make modes of modes, in jitted code: the result is known when the code is compiled."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

from numba.core import types, typing
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import infer_global

import enzymecore
from enzyme.errors import ActivityError, EnzymeError
from enzyme.typed.annotations import ModeType
from enzyme.typed.fixed import FixedCallable, dummy
from enzyme.typed.where import placed

_MAKERS = (
    enzymecore.Combined,
    enzymecore.NoPrimal,
    enzymecore.ReverseSplitModified,
    enzymecore.ReverseSplitWidth,
    enzymecore.Split,
    enzymecore.WithPrimal,
    enzymecore.clear_check_nan,
    enzymecore.clear_err_if_const_written,
    enzymecore.clear_err_if_func_written,
    enzymecore.clear_fast_adjoints,
    enzymecore.clear_runtime_activity,
    enzymecore.clear_strong_zero,
    enzymecore.clear_vector_math,
    enzymecore.set_check_nan,
    enzymecore.set_err_if_const_written,
    enzymecore.set_err_if_func_written,
    enzymecore.set_fast_adjoints,
    enzymecore.set_runtime_activity,
    enzymecore.set_strong_zero,
    enzymecore.set_vector_math,
)


class ModeMaker(FixedCallable):
    """Type of one of these functions."""

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        with placed():
            if kws:
                raise ActivityError(
                    what=f"{self.name} takes no keywords in jitted code",
                    todo="give the arguments by position",
                )
            values = [self._value(ty) for ty in args]
            try:
                made = self.python_value(*values)
            except EnzymeError:
                raise
            except TypeError as error:  # too many arguments, or too few
                raise ActivityError(what=str(error)) from None
            return typing.signature(ModeType(made), *args)

    def _value(self, ty: types.Type) -> Any:
        if isinstance(ty, ModeType):
            return ty.python_value
        if isinstance(ty, types.Literal):
            return ty.literal_value
        if isinstance(ty, types.BaseTuple):
            return tuple(map(self._value, ty.types))
        raise ActivityError(
            what=f"{self.name} needs modes and constants that stand in the code, not a value of type {ty}",
            todo="make the mode outside of the jitted function",
        )


for _maker in _MAKERS:
    infer_global(_maker, ModeMaker(_maker, _maker.__name__))

lower_builtin(ModeMaker, types.VarArg(types.Any))(dummy)
