"""What is checked of each program: the law always; batches, constants and other modes for some, or all where asked for.

``python -m tests.programs.checks`` counts the pairs of a program and a mode that are checked.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.programs import batches, harness, memory, partial, variants
from tests.programs.cases import Case

# Every width, constants and all modes for every program take long: where the environment asks for them.
WIDTHS = (2, 4)
CONSTANTS_IN = 3


@dataclass(frozen=True)
class Check:
    """One law: the modes whose derivatives it holds against each other, and against finite differences."""

    run: Callable[[Case], None]
    modes: tuple[str, ...]
    differences: tuple[str, ...] = ()


LAW = Check(harness.check, ("forward", "reverse", "split"), ("forward",))
_CONSTANTS = Check(partial.check, tuple(f"{m}, constants" for m in LAW.modes))


def _batches(width: int) -> Check:
    return Check(lambda case: batches.check(case, width), tuple(f"{m}, {width}" for m in LAW.modes))


def _variant(mode: str) -> Check:
    return Check(lambda case: variants.check(case, mode), (f"reverse, {mode}",))


def checks_of(case: Case) -> Iterator[Check]:
    """What is checked of a program in this run."""
    number = zlib.crc32(case.name.encode())
    yield LAW
    if case.name.startswith("regressions."):
        return
    if "ALL_WIDTHS" in os.environ:
        yield from map(_batches, WIDTHS)
    elif not case.single:
        yield _batches(WIDTHS[number % 2])
    if "ALL_CONSTANTS" in os.environ or number % CONSTANTS_IN == 0:
        yield _CONSTANTS
    if "ALL_MODES" in os.environ:
        yield from map(_variant, variants.MODES)


def run(case: Case) -> None:
    """All that is checked of a program."""
    with memory.where_numba_keeps(case.keeps):
        for check in checks_of(case):
            check.run(case)


def count() -> dict[str, int]:
    """Pairs of a program and a mode that are checked, by what holds them to be right."""
    from tests.programs import programs_regressions, suite

    assert programs_regressions
    found = [check for case in suite.CASES.values() for check in checks_of(case)]
    return {
        "law": sum(len(check.modes) for check in found),
        "finite differences": sum(len(check.differences) for check in found),
    }


if __name__ == "__main__":
    for what, number in count().items():
        print(f"{number:6d} (program, mode) pairs by {what}")
