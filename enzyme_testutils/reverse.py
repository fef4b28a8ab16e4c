"""`test_reverse`: reverse mode, in two calls, against finite differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from enzyme import (
    Active,
    BatchDuplicated,
    BatchDuplicatedNoNeed,
    BatchMixedDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    MixedDuplicated,
    ReverseSplitWidth,
    ReverseSplitWithPrimal,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
)
from enzyme_testutils.arguments import random_tangent, seed_in_place, shadows_of, type_of
from enzyme_testutils.comparison import misfits
from enzyme_testutils.differences import FiniteDifferences
from enzyme_testutils.expected import Adjoints
from enzyme_testutils.tester import Tester, lanes_of
from enzyme_testutils.vectors import to_vec
from enzymecore.copying import assign
from enzymecore.copying import copied as copies_of

_MIXED = (MixedDuplicated, BatchMixedDuplicated)
_MEMORY = (Duplicated, DuplicatedNoNeed, BatchDuplicated, BatchDuplicatedNoNeed)
_KNOWN = (Const, Active, *_MEMORY, *_MIXED)


def test_reverse(
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
    output_tangent: Any = None,
) -> None:
    """Compare reverse mode with finite differences: values, mutated arguments, adjoints, shadows.

    The augmented primal and the reverse pass run in two calls (`ReverseSplitWithPrimal`).  Shadows
    start with random content, so that a rule that sets where it must add is found.

    Parameters
    ----------
    f, *args, fdm, fkwargs, rtol, atol, testset_name, rng
        As for `test_forward`.
    ret_activity
        `Const`; `Active` for numbers and tuples of them; `Duplicated` for memory;
        `MixedDuplicated` for both; or batch forms.
    runtime_activity
        Whether to differentiate with runtime activity.  Split mode has none, so it is one call
        then, with the derivative of the result fixed to one.
    output_tangent
        The cotangent of the result, a tuple of them for batches; random if not given.

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
    >>> from enzyme import Active, Duplicated
    >>> from enzyme_testutils import test_reverse
    >>> @njit
    ... def weighted(x, a):
    ...     return a * (x**2).sum()
    >>> test_reverse(weighted, Active, (np.ones(3), Duplicated), (2.0, Active))
    """
    __tracebackhide__ = True
    tester = Tester(
        "test_reverse",
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
    ReverseRun(tester, output_tangent).check()
    tester.checks.finish()


# Imported into test modules, it must not be taken for a test.
test_reverse.__test__ = False  # type: ignore[attr-defined]


class ReverseRun:
    """One reverse pass with everything that is compared."""

    def __init__(self, tester: Tester, output_tangent: Any) -> None:
        self.tester, self.call, self.checks = tester, tester.call, tester.checks
        self.activity = self.call.return_activity
        if not issubclass(self.activity, _KNOWN):
            raise ValueError(
                f"unsupported activity of the result in reverse mode: {self.activity.__name__}"
            )
        self.batched = self.call.batched
        self.given = output_tangent
        if output_tangent is not None and issubclass(self.activity, Const):
            raise ValueError("a constant result has no cotangent: leave output_tangent out")
        if output_tangent is not None and not self.batched:
            self.given = (output_tangent,)
        if self.given is not None and issubclass(self.activity, Active):
            self.given = tuple(Active(x).val for x in self.given)  # integers become floats
        if self.given is not None and len(self.given) != self.call.width:
            raise ValueError(
                f"output_tangent must be a tuple of {self.call.width}, one for each lane"
            )

    def check(self) -> None:
        """Make all checks."""
        # Before the derived code runs: a function that cannot be evaluated here is no fault of it.
        adjoints = Adjoints(self.call, self.tester.plain, self.tester.fdm)
        annotations, entries, cotangents = self.differentiate()
        if entries is not None:
            self._compare(adjoints, annotations, entries, cotangents)

    def differentiate(self) -> tuple[list[Any], list[Any] | None, list[Any]]:
        """Run the derivative once.

        Returns the annotations, with the shadows as they are afterwards; what was returned for
        each position; and for each lane the cotangents that the pass started from, as a vector.
        If one of the checks on the way fails nothing is returned for the positions.
        """
        annotations = self.call.annotations()
        run = self._combined if self.tester.runtime_activity else self._split
        found, starts = run(annotations)
        entries = self._entries(found, len(annotations)) if starts is not None else None
        try:
            return annotations, entries, [self.tester.outputs.vector(x) for x in starts or ()]
        except ValueError as error:
            self.checks.true("the shadow of the result", f"does not fit: {error}", False)
            return annotations, None, []

    def _combined(self, annotations: list[Any]) -> tuple[Any, Any]:
        if not issubclass(self.activity, (Const, Active)):
            raise ValueError("runtime activity needs a result that is Const or Active")
        derived = self.call.derived(annotations)
        active = issubclass(self.activity, Active)
        starts = self._starts([1.0 if active else None] * self.call.width, annotations)
        mode = self.tester.mode(ReverseWithPrimal)
        found, result = autodiff(mode, derived[0], self.activity, *derived[1:])
        self.tester.primal(result, annotations, returned=True)
        return found, starts

    def _split(self, annotations: list[Any]) -> tuple[Any, Any]:
        derived = self.call.derived(annotations)
        f, *rest = [x if hasattr(x, "val") else Const(x) for x in derived]
        mode = ReverseSplitWithPrimal
        if self.batched:
            mode = ReverseSplitWidth(mode, self.call.width)
        forward, reverse = autodiff_thunk(mode, type_of(f), self.activity, *map(type_of, rest))
        tape, result, shadow = forward(f, *rest)
        kept = self.tester.primal(result, annotations, returned=True)
        seeds = self._seeds(result, shadow, annotations)
        if seeds is None:
            return None, None
        # What reverse gets is no part of what it leaves behind.
        starts = self._starts(seeds, annotations)
        handed = issubclass(self.activity, (Active, *_MIXED))
        given = [tuple(seeds) if self.batched else seeds[0]] if handed else []
        (found,) = reverse(f, *rest, *given, tape)
        if kept:
            self.tester.contents(annotations, "after the reverse pass")
        return found, starts

    def _seeds(self, result: Any, shadow: Any, annotations: list[Any]) -> list[Any] | None:
        """The cotangent of the result in each lane; those of memory are written into its shadow."""
        rng, width = self.tester.rng, self.call.width
        if issubclass(self.activity, (Const, Active)):
            self.checks.true(
                "the shadow of the result",
                f"must be None: the result is {self.activity.__name__}",
                shadow is None,
                f"found: {shadow!r}",
            )
            if issubclass(self.activity, Const):
                return [None] * width
            if self.given is not None:
                return list(self.given)
            return [random_tangent(rng, result) for _ in range(width)]
        lanes = lanes_of(shadow, width, self.batched)
        if issubclass(self.activity, _MIXED) and lanes is not None:
            lanes = [ref.reshape(-1)[0] for ref in lanes]
        if not self.checks.true(
            "the shadow of the result",
            f"must be a tuple with one entry for each of {width} lanes",
            lanes is not None,
            f"found: {shadow!r}",
        ):
            return None
        fits = [
            self.checks.true(
                "the shadow of the result",
                "is of another type than the result",
                not misfits(lane, self.tester.plain.result),
                *misfits(lane, self.tester.plain.result),
            )
            for lane in lanes or ()
        ]
        if not all(fits) or not self._clean(result, lanes or [], annotations):
            return None
        if self.given is not None:
            return [assign(lane, copies_of(new)) for lane, new in zip(lanes or (), self.given)]
        return [seed_in_place(lane, rng) for lane in lanes or ()]

    def _clean(self, result: Any, lanes: list[Any], annotations: list[Any]) -> bool:
        """Check that the shadow of a result is the one of an argument, or is new and zero."""
        outputs = self.tester.outputs
        starts = self._starts(lanes, annotations, copied=False)
        primals = [result, *(annotations[i].val for i in self.call.shadowed())]
        if not self.tester.sharing(starts, primals):
            return False
        given = np.concatenate([np.zeros(0, int), *outputs.rows[1:]])
        new = np.setdiff1d(outputs.rows[0], given)
        return all(
            self.checks.true(
                "the shadow of the result",
                "must be zero when the augmented primal returns it",
                not outputs.vector(start)[new].any(),
                f"found: {lane!r}",
            )
            for start, lane in zip(starts, lanes)
        )

    def _starts(
        self, seeds: list[Any], annotations: list[Any], copied: bool = True
    ) -> list[list[Any]]:
        """For each lane the cotangents of all outputs: the result's, and the shadows."""
        found = [[seed, *self.call.shadows(annotations, k)] for k, seed in enumerate(seeds)]
        return [copies_of(lane) for lane in found] if copied else found

    def _entries(self, found: Any, positions: int) -> list[Any] | None:
        """What the reverse pass returned for each position; nothing for the callable."""
        words = bool(self.call.fkwargs)
        count = positions - 1 + words
        right = self.checks.true(
            "the reverse pass",
            f"must return {count} derivatives, one for each argument",
            isinstance(found, tuple) and len(found) == count,
            f"found: {found!r}",
        )
        return [None, *found[words:]] if right else None

    def _compare(
        self,
        adjoints: Adjoints,
        annotations: list[Any],
        entries: list[Any],
        cotangents: list[Any],
    ) -> None:
        call = self.call
        wanted = [adjoints.apply(cotangent) for cotangent in cotangents]
        for index, annotation in enumerate(annotations):
            if isinstance(annotation, Active):
                self._active(index, entries[index], [lane[index] for lane in wanted])
                continue
            if index:
                self.checks.true(
                    f"the derivative returned for {call.position(index)}",
                    f"must be None: it is {call.activities[index].__name__}",
                    entries[index] is None,
                    f"found: {entries[index]!r}",
                )
            if index in call.shadowed():
                lanes = [lane[index] for lane in wanted]
                self._each_lane("shadow", index, shadows_of(annotation), lanes)

    def _active(self, index: int, entry: Any, wanted: list[Any]) -> None:
        call = self.call
        lanes = lanes_of(entry, call.width, call.width > 1)
        if not self.checks.true(
            f"the active derivative of {call.position(index)}",
            f"must be a tuple with one entry for each of {call.width} lanes",
            lanes is not None,
            f"found: {entry!r}",
        ):
            return
        self._each_lane("active derivative", index, lanes or [], wanted)

    def _each_lane(self, what: str, index: int, lanes: list[Any], wanted: list[Any]) -> None:
        call = self.call
        rebuild = to_vec(call.values[index])[1]
        for k, (found, (value, error)) in enumerate(zip(lanes, wanted, strict=True)):
            lane = f", lane {k}," if self.batched else ""
            self.tester.derivative(
                f"the {what} of {call.position(index)}{lane}",
                found,
                rebuild(value),
                rebuild(error),
                call.names[index],
            )
