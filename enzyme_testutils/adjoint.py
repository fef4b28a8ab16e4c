"""`check_adjoint`: the two modes against each other, without finite differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    autodiff,
)
from enzyme_testutils.arguments import Call, random_tangent, shadows_of
from enzyme_testutils.reverse import ReverseRun
from enzyme_testutils.tester import Tester, lanes_of

Tangents = list[dict[int, Any]]


def check_adjoint(
    f: Any,
    ret_activity: Any,
    *args: Any,
    fkwargs: Mapping[str, Any] | None = None,
    rtol: float | None = None,
    testset_name: str | None = None,
    rng: Any = None,
) -> None:
    """Check ⟨J v, w⟩ = ⟨v, Jᵀ w⟩ between forward and reverse mode for random v and w.

    Exact up to rounding, and cheap, as there are no finite differences; but both modes may be
    wrong in the same way, so `test_forward` should stand beside it.

    Parameters
    ----------
    f, ret_activity, *args, fkwargs, testset_name, rng
        As for `test_reverse`; forward mode gets the matching activities.
    rtol
        The largest difference, relative to the sum of the absolute values of all terms; 1e-11 if
        not given, 1e-5 where there is single precision.

    Raises
    ------
    DerivativeTestError
        If the products differ, in any lane of a batch.
    ValueError
        If an activity is not supported here, or activities do not fit together.

    Examples
    --------
    >>> import numpy as np
    >>> from numba import njit
    >>> from enzyme import Active, Duplicated
    >>> from enzyme_testutils import check_adjoint
    >>> @njit
    ... def step(x, a):
    ...     x[1:] = np.sin(a * x[:-1])
    ...     return a * x[0]
    >>> check_adjoint(step, Active, (np.ones(4), Duplicated), (0.3, Active))
    """
    __tracebackhide__ = True
    tester = Tester(
        "check_adjoint",
        f,
        ret_activity,
        args,
        fdm=None,
        fkwargs=fkwargs,
        rtol=None,
        atol=None,
        testset_name=testset_name,
        rng=rng,
        runtime_activity=False,
    )
    limit = rtol if rtol is not None else (1e-5 if tester.plain.single else 1e-11)
    call = tester.call
    annotations, entries, cotangents = ReverseRun(tester, None).differentiate()
    if entries is not None:
        tangents = _tangents(tester)
        outputs = _forward(tester, tangents)
        for k, (w, v, out) in enumerate(zip(cotangents, tangents, outputs)):
            adjoints = {}
            for index in call.active():
                annotation = annotations[index]
                if isinstance(annotation, Active):
                    lanes = lanes_of(entries[index], call.width, call.width > 1)
                    adjoints[index] = (lanes or [entries[index]] * call.width)[k]
                else:
                    adjoints[index] = shadows_of(annotation)[k]
            left = tester.outputs.vector(out) * w
            right = call.shadow_vector(v) * call.shadow_vector(adjoints)
            _verdict(tester, k, left, right, limit)
    tester.checks.finish()


def _verdict(tester: Tester, lane: int, left: Any, right: Any, limit: float) -> None:
    one, other = float(left.sum()), float(right.sum())
    size = float(np.abs(left).sum() + np.abs(right).sum())
    # Products below the smallest normal number have no relative precision.
    tiny = float(np.finfo(np.float32 if tester.plain.single else np.float64).tiny)
    allowed = limit * size + tiny * (left.size + right.size)
    where = f" in lane {lane}" if tester.call.batched else ""
    tester.checks.true(
        "forward and reverse mode",
        f"disagree{where}",
        abs(one - other) <= allowed,
        f"<Jv, w> = {one!r} by forward mode",
        f"<v, J'w> = {other!r} by reverse mode",
        f"difference {abs(one - other):.3g}, allowed {allowed:.3g}",
    )


def _tangents(tester: Tester) -> Tangents:
    """For each lane a random tangent for every position that is differentiated."""
    call = tester.call
    lanes = [random_tangent(tester.rng, call.values) for _ in range(call.width)]
    return [{index: lane[index] for index in call.active()} for lane in lanes]


def _forward(tester: Tester, tangents: Tangents) -> list[list[Any]]:
    """For each lane the tangents of all outputs of the call."""
    call = tester.call
    wide = call.width > 1
    constant = issubclass(call.return_activity, Const)
    activity = Const if constant else (BatchDuplicated if wide else Duplicated)
    made: list[Any] = []
    for index, value in enumerate(call.values):
        if index not in call.active():
            made.append(Const(value))
        elif wide:
            made.append(BatchDuplicated(value, tuple(lane[index] for lane in tangents)))
        else:
            made.append(Duplicated(value, tangents[0][index]))
    forward = Call(activity, made[0], tuple(made[1:]), call.fkwargs, tester.rng)
    annotations = forward.annotations()
    function, *rest = forward.derived(annotations)
    found = autodiff(Forward, function, activity, *rest)
    results = [None] * call.width if constant else list(found[-1] if wide else [found[-1]])
    return [[result, *call.shadows(annotations, k)] for k, result in enumerate(results)]
