"""Programs in C and C++, differentiated as their users would do it, against differences.

By default a quarter of them, in turn from day to day, are compiled at one level of optimisation, but for most of those
that ask for all modes; ``ALL_TESTS=1`` takes all, ``EXHAUSTIVE=1`` all levels, with and without type-based aliasing
and those that need a run time linked to them, and prints a table (``-s``).
"""

from __future__ import annotations

import os
import zlib

import pytest

from enzyme.llvm.compilers import find_clang

from .c_programs import (
    FAMILIES,
    LEVELS,
    LINKED,
    NAMES,
    REFUSED,
    Program,
    run_linked,
    run_together,
)

pytestmark = pytest.mark.skipif(find_clang() is None, reason="there is no clang")
EXHAUSTIVE = bool(os.environ.get("EXHAUSTIVE"))
CHUNKS = 4


# Programs that ask for all modes: by default one in so many runs.
ONE_IN = 17


def hashed(name):
    return zlib.crc32(name.encode())


def level_of(name):
    """Sizes (-Os) are left to the long run."""
    return LEVELS[hashed(name) % 4]


def by_default(program):
    number, day = hashed(program.name), int(os.environ.get("FUZZ_SEED", "0"))
    today = "ALL_TESTS" in os.environ or (number // 4 + day) % 4 == 0
    return today and program.name not in LINKED and not (program.asks_for_all and number % ONE_IN)


def programs():
    if EXHAUSTIVE:
        return [Program(n, level, a) for n in NAMES for level in LEVELS for a in (True, False)]
    return [p for p in (Program(n, level_of(n)) for n in NAMES) if by_default(p)]


def test_there_are_enough():
    assert len(NAMES) >= 220
    assert {Program(n, "-O0").family for n in NAMES} == set(FAMILIES)


def said_of(program):
    """What the refusal of a program says, if it is refused."""
    name = program.name
    return REFUSED.get(name, REFUSED.get(name + program.level))


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_programs(chunk, tmp_path):
    together, wrong, refused, by_path = [], {}, [], {}
    chosen = programs()[chunk::CHUNKS]
    for program in chosen:
        try:
            made, error = program.differentiate(tmp_path)
        except AssertionError as said:
            wrong[program.label] = str(said)
            continue
        expected = said_of(program)
        if error:
            refused.append(program)
            # With all levels, any words will do: what an optimiser leaves is not ours to foretell.
            if not EXHAUSTIVE and (expected is None or expected not in error):
                wrong[program.label] = error
        elif expected is not None and not EXHAUSTIVE:
            wrong[program.label] = "was refused before"
        elif program.name in LINKED:
            printed = run_linked(made, program.name.endswith(".cpp"))
            if printed != "OK":
                wrong[program.label] = printed
        else:
            together.append(made)
            by_path[made.name] = program.label
    for name, printed in run_together(together).items():
        if printed == "unresolved":
            printed = run_linked(tmp_path / name, ".cpp" in name)
        if printed.splitlines()[-1:] != ["OK"]:
            wrong[by_path[name]] = printed
    print(table(chosen, set(wrong), {p.label for p in refused}))
    assert not wrong, "\n".join(f"{name}: {said}" for name, said in wrong.items())


def table(chosen, wrong, refused):
    """Right, refused and wrong by family and level."""
    lines = [f"{'right/refused/wrong':30}" + "".join(f"{level:>12}" for level in LEVELS)]
    for family in FAMILIES:
        cells = []
        for level in LEVELS:
            labels = [p.label for p in chosen if p.family == family and p.level == level]
            bad, not_done = len(wrong & set(labels)), len(refused & set(labels) - wrong)
            cells.append(f"{len(labels) - bad - not_done}/{not_done}/{bad}")
        lines.append(f"{family:30}" + "".join(f"{cell:>12}" for cell in cells))
    return "\n".join(lines)
