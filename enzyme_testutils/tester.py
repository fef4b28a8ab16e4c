"""What `test_forward` and `test_reverse` share: set-up, the checks of the primal, the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from enzyme import DuplicatedNoNeed, set_runtime_activity
from enzyme_testutils import seeds
from enzyme_testutils.arguments import Call
from enzyme_testutils.comparison import Tolerance, norm
from enzyme_testutils.differences import DEFAULT, FiniteDifferences
from enzyme_testutils.expected import Outputs, Plain, run_plain
from enzyme_testutils.report import PRIMAL, Checks
from enzyme_testutils.vectors import floats_of
from enzymecore import BatchDuplicatedNoNeed

_NO_NEED = (DuplicatedNoNeed, BatchDuplicatedNoNeed)
# Finite differences that are less certain than this, relatively, say too little about a derivative.
_WORTHLESS, _WORTHLESS_SINGLE = 1e-4, 1e-2


class Tester:
    """One run of `test_forward` or `test_reverse`."""

    def __init__(
        self,
        kind: str,
        f: Any,
        return_activity: Any,
        args: tuple[Any, ...],
        *,
        fdm: FiniteDifferences | None,
        fkwargs: Mapping[str, Any] | None,
        rtol: float | None,
        atol: float | None,
        testset_name: str | None,
        rng: Any,
        runtime_activity: bool,
    ) -> None:
        self.rng, how = seeds.generator(rng)
        self.call = Call(return_activity, f, args, fkwargs or {}, self.rng)
        self.fdm = fdm or DEFAULT
        self.runtime_activity = runtime_activity
        self.plain: Plain = run_plain(self.call)
        self.outputs = Outputs(self.plain)
        default = 2e-5 if self.plain.single else 1e-9
        # Where the user sets a limit, what finite differences are worth does not widen it.
        self.estimated = rtol is None and atol is None
        self.checks = Checks(
            testset_name or f"{kind}: {self.call.describe()}",
            Tolerance(default if rtol is None else rtol, default if atol is None else atol),
            how,
        )

    def mode(self, mode: Any) -> Any:
        """The mode, with runtime activity if that was asked for."""
        return set_runtime_activity(mode) if self.runtime_activity else mode

    def primal(self, result: Any, annotations: list[Any], *, returned: bool) -> bool:
        """Check what the derived code did beside derivatives; whether the arguments are right."""
        if returned:
            self.checks.approx(
                "the value of the result",
                "is not that of the function",
                result,
                self.plain.result,
                names=PRIMAL,
                same_nan=True,
            )
        return self.contents(annotations, "after the call")

    def contents(self, annotations: list[Any], when: str) -> bool:
        """Check that the arguments have the content that the plain function gives them."""
        right = True
        for index, (annotation, value) in enumerate(zip(annotations, self.plain.values)):
            if isinstance(annotation, _NO_NEED):
                continue
            right &= self.checks.approx(
                f"{self.call.position(index)} {when}",
                "is not as the function leaves it",
                annotation.val,
                value,
                names=PRIMAL,
                at=self.call.names[index],
                same_nan=True,
            )
        return right

    def sharing(self, lanes: list[list[Any]], primals: list[Any]) -> bool:
        """Check that the shadows of a call's outputs share memory as the outputs do, and no more."""
        joint = len(floats_of([*lanes, primals]))
        return self.checks.true(
            "the memory of the shadows",
            "is not shared as that of their primals is",
            joint == self.outputs.size * (len(lanes) + 1),
            "a result that is (part of) an argument must have (that part of) the argument's shadow "
            "for its own,",
            "a result in new memory a shadow in new memory, one for each lane",
        )

    def derivative(self, subject: str, found: Any, wanted: Any, error: Any, at: str) -> None:
        """Check one derivative."""
        problem = "disagrees with finite differences"
        if self.estimated and not self._is_worth(wanted, error):
            self.checks.true(
                subject,
                "cannot be checked: finite differences are too inaccurate here",
                False,
                f"their error is estimated as {error!r}",
                "give rtol and atol, another fdm, or a point that is farther from kinks and jumps",
            )
            return
        self.checks.approx(
            subject,
            problem,
            found,
            wanted,
            error=error if self.estimated else None,
            at=at,
            inactive=False,
        )

    def _is_worth(self, wanted: Any, error: Any) -> bool:
        limit = _WORTHLESS_SINGLE if self.plain.single else _WORTHLESS
        return not norm(floats_of(error)) > limit * max(1.0, norm(floats_of(wanted)))


def lanes_of(found: Any, width: int, batched: bool) -> list[Any] | None:
    """Take apart what a batch gave; None if it is not one entry for each lane."""
    if not batched:
        return [found]
    return list(found) if isinstance(found, tuple) and len(found) == width else None
