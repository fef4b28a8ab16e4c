"""What programs may say about their own differentiation: `ignore_derivatives` and `within_autodiff`."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

import numba
from numba.core import types, typing
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global

from enzyme.frontend.registration import EnzymeContext
from enzyme_rules import inactive

__all__ = ["ignore_derivatives", "within_autodiff"]


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


inactive(ignore_derivatives)


def within_autodiff() -> bool:
    """Is the code that asks part of a derivative? False in ordinary execution.

    Examples
    --------
    >>> from enzyme import Active, ReverseWithPrimal, autodiff, within_autodiff
    >>> def f(x):
    ...     return x if within_autodiff() else 100.0 * x
    >>> autodiff(ReverseWithPrimal, f, Active, Active(3.0))
    ((1.0,), 3.0)
    """
    return False


@infer_global(within_autodiff)
class _Within(AbstractTemplate):
    key = within_autodiff

    def generic(self, args: Any, kws: Any) -> Any:
        return None if args or kws else typing.signature(types.boolean)


@lower_builtin(within_autodiff)
def _within(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.get_constant(types.boolean, isinstance(context, EnzymeContext))
