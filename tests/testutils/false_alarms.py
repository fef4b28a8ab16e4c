"""Correct derivatives must pass: ``python -m tests.testutils.false_alarms --count 200 --seeds 50``.

Takes the programs of the suite, whose derivatives obey a law of their own, and checks each with
`test_forward`, `test_reverse` and `check_adjoint` for many seeds.  Prints what fails and leaves
with status 1 then.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from typing import Any

from enzyme import Active, Const, Duplicated
from enzyme_testutils import DerivativeTestError, check_adjoint, test_forward, test_reverse
from tests.programs import harness
from tests.programs.cases import Case
from tests.programs.suite import CASES
from tests.programs.values import Held, activity, is_float, vector


def arguments(case: Case, *, forward: bool) -> tuple[Any, ...]:
    """The arguments of a case with their activities."""
    args, _ = case.inputs()
    kinds = {"active": Duplicated if forward else Active, "duplicated": Duplicated, "const": Const}
    return tuple((x.value if isinstance(x, Held) else x, kinds[activity(x)]) for x in args)


def alarms(case: Case, seeds: int) -> Iterator[str]:
    """Every failure of a case, for seeds from zero on."""
    args, _ = case.inputs()
    result = harness.run_primal(case.function, args).result
    number = is_float(result)
    holds_floats = bool(vector((result,)).size)
    for seed in range(seeds):
        for run, forward, ret in (
            (test_forward, True, Duplicated if holds_floats else Const),
            (test_reverse, False, Active if number else Const),
            (check_adjoint, False, Active if number else Const),
        ):
            loose = run is check_adjoint and not case.single and case.dot_tolerance > 1e-12
            limit = {"rtol": case.dot_tolerance} if loose else {}
            try:
                run(case.function, ret, *arguments(case, forward=forward), rng=seed, **limit)
            except DerivativeTestError as error:
                yield str(error)


def size(name: str) -> int:
    """How many floats a case takes: finite differences of few are cheap."""
    return len(vector(CASES[name].inputs()[0]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--count", type=int, default=200, help="number of programs")
    parser.add_argument("--skip", type=int, default=0, help="number of programs to begin after")
    parser.add_argument("--step", type=int, default=1, help="take every so many of them")
    parser.add_argument("--seeds", type=int, default=50)
    options = parser.parse_args()
    names = sorted(filter(size, CASES), key=size)[options.skip :][: options.count : options.step]
    begin, failed = time.monotonic(), 0
    for number, name in enumerate(names, 1):
        found = list(alarms(CASES[name], options.seeds))
        failed += bool(found)
        if found:
            print(f"{name}: {len(found)} alarms, the first:\n{found[0]}\n", flush=True)
        if number % 20 == 0 or number == len(names):
            seconds = time.monotonic() - begin
            print(f"{number}/{len(names)} programs, {failed} failed, {seconds:.0f} s", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
