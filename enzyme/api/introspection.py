"""What programs may say about their own differentiation: `ignore_derivatives` and `within_autodiff`."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

from numba.core import types, typing
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global

from enzyme.frontend.marks import ignore_derivatives
from enzyme.frontend.registration import EnzymeContext

__all__ = ["ignore_derivatives", "within_autodiff"]


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
