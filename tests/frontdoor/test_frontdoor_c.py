"""Programs in C and C++, differentiated as their users would do it, against differences.

By default a quarter of them, in turn from day to day, are compiled at one level of optimisation, but for most of those
that ask for all modes; ``ALL_TESTS=1`` takes all, ``EXHAUSTIVE=1`` all levels, with and without type-based aliasing
and those that need a run time linked to them, and prints a table (``-s``).
"""

from __future__ import annotations

import os
import re
import zlib

import pytest

from enzyme.llvm.compilers import find_clang

from .c_programs import (
    FAMILIES,
    FOLDER,
    LEVELS,
    LINKED,
    NAMES,
    REFUSED,
    Program,
    compile_apart,
    run_linked,
    run_together,
)

pytestmark = pytest.mark.skipif(find_clang() is None, reason="there is no clang")
EXHAUSTIVE = bool(os.environ.get("EXHAUSTIVE"))
CHUNKS, NESTED_CHUNKS = (64, 64) if EXHAUSTIVE else (4, 1)


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


# Of the second derivatives, by default one in so many, in turn from day to day.
NESTED_IN = 151


def nested_programs():
    """Programs that ask for all modes of `double f(double *x)`, differentiated twice in each order."""
    found = [
        Program(name, level, nesting=nesting)
        for name in NAMES
        if re.search(r"^double f\(double ?\* ?x\)", (FOLDER / name).read_text(), re.M)
        for level in (("-O1", "-O2") if EXHAUSTIVE else ("-O2",))
        for nesting in (1, 2, 3, 4)
    ]
    found = [p for p in found if p.asks_for_all and p.name not in LINKED]
    day = int(os.environ.get("FUZZ_SEED", "0"))
    return [p for k, p in enumerate(found) if EXHAUSTIVE or (k + 37 * day) % NESTED_IN == 0]


def said_of(program):
    """What the refusal of a program says, if it is refused."""
    name = program.name
    return REFUSED.get(name, REFUSED.get(name + program.level))


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_programs(chunk, tmp_path):
    together, wrong, refused, of_path = [], {}, set(), {}
    chosen = part(programs(), chunk, CHUNKS)
    for ir, same in compile_apart(chosen, tmp_path):
        program, labels = same[0], [p.label for p in same]
        try:
            made, error = program.derive(ir)
        except AssertionError as said:
            wrong |= dict.fromkeys(labels, str(said))
            continue
        expected = said_of(program)
        if error:
            refused.update(labels)
            # With all levels, any words will do: what an optimiser leaves is not ours to foretell.
            if not EXHAUSTIVE and (expected is None or expected not in error):
                wrong |= dict.fromkeys(labels, error)
        elif expected is not None and not EXHAUSTIVE:
            wrong |= dict.fromkeys(labels, "was refused before")
        elif program.name in LINKED:
            printed = run_linked(made, program.name.endswith(".cpp"))
            if printed != "OK":
                wrong |= dict.fromkeys(labels, printed)
        else:
            together.append(made)
            of_path[made.name] = labels
    for name, said in not_ok(together).items():
        wrong |= dict.fromkeys(of_path[name], said)
    print(table(chosen, set(wrong), refused))
    assert not wrong, "\n".join(f"{name}: {said}" for name, said in wrong.items())


@pytest.mark.parametrize("chunk", range(NESTED_CHUNKS))
def test_second_derivatives(chunk, tmp_path):
    """They are right, or refused in words: what a first derivative leaves is not ours to foretell."""
    chosen = part(nested_programs(), chunk, NESTED_CHUNKS)
    done = [same[0].derive(ir) for ir, same in compile_apart(chosen, tmp_path)]
    assert not not_ok([made for made, error in done if not error])


def part(programs, chunk, chunks):
    """One of so many parts of the programs, all levels of one together."""
    names = sorted({p.name for p in programs})[chunk::chunks]
    return [p for p in programs if p.name in names]


def not_ok(paths):
    """By name of the file, what programs print that do not print OK in the end."""
    printed = run_together(paths)
    for path in paths:
        if printed[path.name] == "unresolved":
            printed[path.name] = run_linked(path, ".cpp" in path.name)
    return {name: said for name, said in printed.items() if said.splitlines()[-1:] != ["OK"]}


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
