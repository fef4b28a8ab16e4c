"""Programs in C and C++, differentiated as their users would do it, against differences.

By default each is compiled at one level of optimisation; ``EXHAUSTIVE=1`` takes all, with and without type-based
aliasing, and those that need a run time linked to them.
"""

from __future__ import annotations

import os
import zlib

import pytest

from enzyme.llvm.compilers import find_clang

from .c_programs import LEVELS, LINKED, NAMES, REFUSED, Program, run_linked, run_together

pytestmark = pytest.mark.skipif(find_clang() is None, reason="there is no clang")
EXHAUSTIVE = bool(os.environ.get("EXHAUSTIVE"))
CHUNKS = 4


def level_of(name):
    return LEVELS[zlib.crc32(name.encode()) % len(LEVELS)]


def programs():
    if EXHAUSTIVE:
        return [Program(n, level, a) for n in NAMES for level in LEVELS for a in (True, False)]
    return [Program(n, level_of(n)) for n in NAMES if n not in LINKED]


def test_there_are_enough():
    assert len(NAMES) >= 90


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_programs(chunk, tmp_path):
    together, wrong, by_path = [], {}, {}
    for program in programs()[chunk::CHUNKS]:
        made, error = program.differentiate(tmp_path)
        if error:
            expected = REFUSED.get(program.name) or REFUSED.get(program.name + program.level)
            if expected is None or expected not in error:
                wrong[program.label] = error
        elif program.name in REFUSED:
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
    assert not wrong, "\n".join(f"{name}: {said}" for name, said in wrong.items())
