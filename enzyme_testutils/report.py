"""Collect the checks of one test and raise once, with all that failed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from enzyme_testutils.comparison import Leaf, Tolerance, describe, leaves

Names = tuple[str, str]
PRIMAL: Names = ("derived code", "plain function")
DERIVATIVE: Names = ("AD", "finite differences")


class DerivativeTestError(AssertionError):
    """A derivative, or what the derived code does besides, is not what it must be.

    Parameters
    ----------
    message
        Everything that failed, as text.
    checks
        All checks that were made, those that passed included.
    """

    def __init__(self, message: str, checks: tuple[Check, ...] = ()) -> None:
        super().__init__(message)
        self.checks = checks


@dataclass(frozen=True)
class Check:
    """One comparison: what was compared, what is wrong if it does not hold, and the lines that say why."""

    subject: str
    problem: str
    ok: bool
    lines: tuple[str, ...] = ()
    leaves: tuple[Leaf, ...] = ()
    names: Names = DERIVATIVE


@dataclass
class Checks:
    """The checks of one test."""

    name: str
    tolerance: Tolerance
    reproduce: str = ""
    made: list[Check] = field(default_factory=list)

    def true(self, subject: str, problem: str, condition: bool, *lines: str) -> bool:
        """Note whether a condition holds."""
        self.made.append(Check(subject, problem, bool(condition), () if condition else lines))
        return bool(condition)

    def approx(
        self,
        subject: str,
        problem: str,
        x: Any,
        y: Any,
        *,
        error: Any = None,
        names: Names = DERIVATIVE,
        at: str = "",
        inactive: bool = True,
        same_nan: bool = False,
    ) -> bool:
        """Note whether two values agree."""
        found = tuple(leaves(x, y, self.tolerance, error, inactive=inactive, same_nan=same_nan))
        lines = tuple(line for leaf in found if not leaf.ok for line in describe(leaf, names, at))
        self.made.append(Check(subject, problem, not lines, lines, found, names))
        return not lines

    def finish(self) -> None:
        """Raise `DerivativeTestError` if a check failed."""
        __tracebackhide__ = True
        failed = [check for check in self.made if not check.ok]
        if not failed:
            return
        lines = [self.name, f"{len(failed)} of {len(self.made)} checks failed"]
        for number, check in enumerate(failed, 1):
            lines += ["", f"{number}) {check.subject} {check.problem}"]
            lines += [f"   {line}" for line in check.lines]
        tolerance = f"rtol={self.tolerance.rtol:g}, atol={self.tolerance.atol:g}"
        lines += ["", f"tolerance: {tolerance}"]
        if self.reproduce:
            lines.append(f"reproduce: {self.reproduce}")
        raise DerivativeTestError("\n".join(lines), tuple(self.made))


def test_approx(x: Any, y: Any, msg: str = "", rtol: float = 1e-9, atol: float = 1e-9) -> None:
    """Compare two values of any structure; numbers and arrays norm-wise.

    Parameters
    ----------
    x, y
        The values.  Types, lengths, keys and shapes must be the same; what holds no floats equal.
    msg
        Begins the message of a failure.
    rtol, atol
        |x − y| ≤ max(atol, rtol·max(|x|, |y|)) for numbers, and for arrays with Euclidean norms.

    Raises
    ------
    DerivativeTestError
        An `AssertionError` that shows every part that differs, with its path.

    Examples
    --------
    >>> test_approx((1.0, [2.0]), (1.0, [2.0 + 1e-12]))
    >>> test_approx({"a": 1.0}, {"a": 1.5}, "the weights")
    Traceback (most recent call last):
        ...
    enzyme_testutils.report.DerivativeTestError: the weights
    1 of 1 checks failed
    <BLANKLINE>
    1) the values differ
       at ['a']: distance 0.5, allowed 1.5e-09
        x: 1.0
        y: 1.5
    <BLANKLINE>
    tolerance: rtol=1e-09, atol=1e-09
    """
    __tracebackhide__ = True
    checks = Checks(msg or "test_approx", Tolerance(rtol, atol))
    checks.approx("the values", "differ", x, y, names=("x", "y"))
    checks.finish()


# Imported into test modules, it must not be taken for a test.
test_approx.__test__ = False  # type: ignore[attr-defined]
