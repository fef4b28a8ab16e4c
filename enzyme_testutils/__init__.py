"""Tests of derivatives: of rules, and of whole functions.

`test_forward` and `test_reverse` compare a derivative with finite differences, `check_adjoint`
compares the two modes with each other to the last digits.  They need nothing but plain `assert`;
for pytest there is a plugin, for hypothesis there are strategies in `enzyme_testutils.strategies`,
and ``python -m enzyme_testutils module:function`` shows a table.

Names are imported when they are used: pytest loads the plugin of this package in every project.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from enzyme_testutils.activities import all_or_batch as all_or_batch
    from enzyme_testutils.activities import are_activities_compatible as are_activities_compatible
    from enzyme_testutils.adjoint import check_adjoint as check_adjoint
    from enzyme_testutils.differences import FiniteDifferences as FiniteDifferences
    from enzyme_testutils.differences import backward_fdm as backward_fdm
    from enzyme_testutils.differences import central_fdm as central_fdm
    from enzyme_testutils.differences import forward_fdm as forward_fdm
    from enzyme_testutils.differences import grad as grad
    from enzyme_testutils.differences import jvp as jvp
    from enzyme_testutils.differences import vjp as vjp
    from enzyme_testutils.forward import test_forward as test_forward
    from enzyme_testutils.messages import test_msg as test_msg
    from enzyme_testutils.parametrize import parametrize_activities as parametrize_activities
    from enzyme_testutils.report import DerivativeTestError as DerivativeTestError
    from enzyme_testutils.report import test_approx as test_approx
    from enzyme_testutils.reverse import test_reverse as test_reverse
    from enzyme_testutils.seeds import set_seed as set_seed
    from enzyme_testutils.vectors import to_vec as to_vec

_HOME = {
    "DerivativeTestError": "report",
    "FiniteDifferences": "differences",
    "all_or_batch": "activities",
    "are_activities_compatible": "activities",
    "backward_fdm": "differences",
    "central_fdm": "differences",
    "check_adjoint": "adjoint",
    "forward_fdm": "differences",
    "grad": "differences",
    "jvp": "differences",
    "parametrize_activities": "parametrize",
    "set_seed": "seeds",
    "test_approx": "report",
    "test_forward": "forward",
    "test_msg": "messages",
    "test_reverse": "reverse",
    "to_vec": "vectors",
    "vjp": "differences",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
