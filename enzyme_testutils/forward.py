"""`test_forward`: forward mode against finite differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from enzyme import (
    BatchDuplicated,
    BatchDuplicatedNoNeed,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    autodiff,
)
from enzyme_testutils import expected
from enzyme_testutils.activities import BATCH
from enzyme_testutils.arguments import shadows_of
from enzyme_testutils.differences import FiniteDifferences
from enzyme_testutils.tester import Tester, lanes_of

# How many results are due, and what they are.
_DUE = (
    (Const, 0, "an empty tuple is due"),
    ((DuplicatedNoNeed, BatchDuplicatedNoNeed), 1, "only the derivative is due"),
    ((Duplicated, BatchDuplicated), 2, "both the value and the derivative are due"),
)


def test_forward(
    f: Any,
    ret_activity: Any,
    *args: Any,
    fdm: FiniteDifferences | None = None,
    fkwargs: Mapping[str, Any] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    testset_name: str | None = None,
    rng: Any = None,
    runtime_activity: bool = False,
) -> None:
    """Compare forward mode with finite differences: results, mutated arguments, their tangents.

    Parameters
    ----------
    f
        The function, or ``(callable, activity)``, or an annotation that holds a callable.  It must
        accept copies of its arguments.
    ret_activity
        `Const`, `Duplicated`, `DuplicatedNoNeed` or their batch forms.
    *args
        Each a plain value, which is constant; ``(value, activity)``, for which tangents are drawn
        (two for batches); or an annotation with the user's own.  They are copied, not changed.
    fdm
        The method of finite differences; ``central_fdm(5, 1)`` if not given.
    fkwargs
        Keyword arguments of `f`; they are constant.
    rtol, atol
        Limits for the distance of two numbers, or of two arrays in the Euclidean norm.  If neither
        is given: 1e-9 (2e-5 where there is single precision) and what the finite differences
        themselves are uncertain by.
    testset_name
        Begins the message of a failure in place of a description of the call.
    rng
        A seed or a `numpy.random.Generator` for the tangents.
    runtime_activity
        Whether to differentiate with runtime activity.

    Raises
    ------
    DerivativeTestError
        An `AssertionError` with everything that disagrees.
    ValueError
        If an activity is not supported here, or activities do not fit together.

    Examples
    --------
    >>> import numpy as np
    >>> from numba import njit
    >>> from enzyme import Const, Duplicated
    >>> from enzyme_testutils import test_forward
    >>> @njit
    ... def scaled(x, a):
    ...     x *= a
    ...     return x.sum()
    >>> test_forward(scaled, Duplicated, (np.ones(3), Duplicated), (2.0, Const))
    """
    __tracebackhide__ = True
    tester = Tester(
        "test_forward",
        f,
        ret_activity,
        args,
        fdm=fdm,
        fkwargs=fkwargs,
        rtol=rtol,
        atol=atol,
        testset_name=testset_name,
        rng=rng,
        runtime_activity=runtime_activity,
    )
    run_forward(tester)
    tester.checks.finish()


# Imported into test modules, it must not be taken for a test.
test_forward.__test__ = False  # type: ignore[attr-defined]


def run_forward(tester: Tester) -> None:
    """Make all checks of forward mode."""
    call, checks = tester.call, tester.checks
    activity = call.return_activity
    due = next((row for row in _DUE if issubclass(activity, row[0])), None)
    if due is None:
        raise ValueError(f"unsupported activity of the result in forward mode: {activity.__name__}")
    wanted = expected.tangents(call, tester.plain, tester.fdm)
    annotations = call.annotations()
    function, *rest = call.derived(annotations)
    found = autodiff(tester.mode(Forward), function, activity, *rest)
    _, count, what = due
    right = checks.true(
        "the number of results",
        f"is wrong: with {activity.__name__} {what}",
        isinstance(found, tuple) and len(found) == count,
        f"found: {found!r}",
    )
    tester.primal(
        found[0] if right and count == 2 else None, annotations, returned=right and count == 2
    )
    if right and count:
        lanes = _result(tester, found[-1], wanted)
        if lanes is not None and count == 2:
            tester.sharing(
                [[lane, *call.shadows(annotations, k)] for k, lane in enumerate(lanes)],
                [found[0], *(annotations[i].val for i in call.shadowed())],
            )
    for place, index in enumerate(call.shadowed(), 1):
        for k, shadow in enumerate(shadows_of(annotations[index])):
            lane = f", lane {k}" if call.batched else ""
            tester.derivative(
                f"the tangent of {call.position(index)}{lane}",
                shadow,
                wanted[k][0][place],
                wanted[k][1][place],
                call.names[index],
            )


def _result(tester: Tester, found: Any, wanted: list[tuple[Any, Any]]) -> list[Any] | None:
    """Check the derivative of the result, lane by lane and for a tuple entry by entry; its lanes."""
    call = tester.call
    batched = call.width > 1 or issubclass(call.return_activity, BATCH)
    lanes = lanes_of(found, call.width, batched)
    if not tester.checks.true(
        "the derivative of the result",
        f"must be a tuple with one entry for each of {call.width} lanes",
        lanes is not None,
        f"found: {found!r}",
    ):
        return None
    for k, shadow in enumerate(lanes or ()):
        lane = f", lane {k}" if call.batched else ""
        value, error = wanted[k][0][0], wanted[k][1][0]
        if type(shadow) is tuple and type(value) is tuple and len(shadow) == len(value):
            for element, parts in enumerate(zip(shadow, value, error)):
                tester.derivative(
                    f"the derivative of the result{lane}, element {element},",
                    *parts,
                    f"result[{element}]",
                )
        else:
            tester.derivative(
                f"the derivative of the result{lane}",
                shadow,
                value,
                error,
                "result",
            )
    return lanes
