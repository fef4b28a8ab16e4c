"""Run one test for many activities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from enzyme_testutils.activities import combinations
from enzymecore import Annotation


def parametrize_activities(
    ret: Sequence[type[Annotation]], **arguments: Sequence[type[Annotation]]
) -> Any:
    """Return a decorator that runs a pytest test for all compatible activities.

    Parameters
    ----------
    ret
        The activities of the result; the test gets one as its argument `ret`.
    **arguments
        For each further argument of the test the activities that it takes.

    Examples
    --------
    >>> from enzyme import Active, Const
    >>> @parametrize_activities((Const, Active), x=(Const, Active))
    ... def test_square(ret, x):
    ...     ...
    >>> [mark.args[0] for mark in test_square.pytestmark]
    [['ret', 'x']]
    """
    import pytest

    names = ["ret", *arguments]
    cases = list(combinations(ret, *arguments.values()))
    ids = ["-".join(cls.__name__ for cls in case) for case in cases]
    return pytest.mark.parametrize(names, cases, ids=ids)
