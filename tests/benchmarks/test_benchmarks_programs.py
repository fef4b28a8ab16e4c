"""The gradients of the benchmark programs, and the adjoints written by hand, are right at tiny sizes.

One program in so many by default, all with ALL_BENCHMARKS in the environment.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import zlib

import numpy as np
import pytest

from benchmarks import growth, kept, page
from benchmarks.__main__ import chosen_names
from benchmarks.families import FAMILIES, PROGRAMS, scalar
from benchmarks.measure import (
    ROUNDING,
    TOLERANCE,
    Result,
    adjoint_call,
    difference,
    disagreement,
    gradient_call,
)
from benchmarks.report import summaries
from enzyme.backend import passes
from enzyme.engine.synthesis.arena import arena_text
from enzyme.frontend.runtime_model import NUMBA

pytestmark = pytest.mark.rotating(14)

ONE_IN = 24


def chosen() -> list[str]:
    if "ALL_BENCHMARKS" in os.environ:
        return list(PROGRAMS)
    return [name for name in PROGRAMS if zlib.crc32(name.encode()) % ONE_IN == 0]


def same(a, b):
    return np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b


@pytest.mark.parametrize("name", chosen())
def test_gradient_is_right(name):
    program = PROGRAMS[name]
    inputs, fresh = program.inputs(program.tiny), program.inputs(program.tiny)
    gradient, shadows = gradient_call(program, inputs)
    gradient()
    assert all(map(same, inputs, fresh)), "a program leaves its arguments as they were"
    assert any(shadow.any() for shadow in shadows)
    assert disagreement(program, inputs, shadows) < TOLERANCE
    if program.adjoint is None:
        return
    by_hand, found = adjoint_call(program, inputs)
    assert by_hand() == pytest.approx(program.function(*inputs), rel=1e-12)
    assert difference(found, shadows) < ROUNDING


def test_there_are_enough():
    assert len(PROGRAMS) >= 60
    assert sum(p.adjoint is not None for p in PROGRAMS.values()) >= 25
    assert all(p.tiny <= p.size for p in PROGRAMS.values())
    assert {name for family in FAMILIES.values() for name in (p.name for p in family)} == set(
        PROGRAMS
    )


def test_a_wrong_gradient_is_found():
    program = PROGRAMS["horner"]
    inputs = program.inputs(program.tiny)
    _, shadows = adjoint_call(program, inputs)
    scalar.hand.horner.py_func(inputs[0], shadows[0], inputs[1], shadows[1])
    assert disagreement(program, inputs, shadows) < TOLERANCE
    shadows[1][0] *= 1.01
    assert disagreement(program, inputs, shadows) > TOLERANCE


def test_kept_bytes_can_be_counted():
    text = kept.with_counter(arena_text(NUMBA))
    assert text.count("@enzyme_asked_for") == 13
    passes.parse(text)
    with pytest.raises(LookupError):
        kept.with_counter("define void @other() { ret void }")


_COUNTED = """
from benchmarks import kept
kept.count()
import numpy as np
from enzyme import Const, Duplicated, Reverse, autodiff
from numba import njit

@njit
def f(x, y, rounds):
    for _ in range(rounds):
        for i in range(len(x)):
            y[i] = y[i] * y[i] + x[i]

def asked(n, rounds):
    pairs = [Duplicated(np.zeros(n), np.ones(n)) for _ in range(2)]
    return kept.asked_for_by(lambda: autodiff(Reverse, f, Const, *pairs, Const(rounds)))

@njit
def rows(x):
    s = 1.0
    for i in range(len(x)):
        for k in range(i):
            s = np.sin(s * x[k])
    return s

def of_rows(n):
    x = Duplicated(np.ones(n), np.zeros(n))
    return kept.asked_for_by(lambda: autodiff(Reverse, rows, x))

print(asked(100, 10), asked(200, 10), asked(100, 40), of_rows(800), of_rows(400))
"""


def test_what_a_gradient_keeps_is_counted():
    environment = {k: v for k, v in os.environ.items() if k != "ENZYME_CACHE_DIR"}
    command = [sys.executable, "-c", _COUNTED]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    once, wider, longer, large, small = map(int, done.stdout.split())
    assert once >= 8 * 100 * 10
    assert wider == pytest.approx(2 * once, rel=0.1)
    assert longer == pytest.approx(4 * once, rel=0.1)
    # Storage that grows, whatever the one before has left.
    assert 8 * 319_600 <= large <= 2 * 8 * 319_600
    assert 8 * 79_800 <= small <= 2 * 8 * 79_800


def test_the_page_shows_what_failed():
    good = Result("horner", "scalar", 1e-3, gradient=3e-3, ratio=3.0, kept_bytes=2_000_000)
    bad = Result("heat", "arrays", 1e-3, error="ArithmeticError: off by 3.0e-01")
    content = {
        "machine": {"python": "3.11"},
        "programs": [
            {field: getattr(r, field) for field in Result.__dataclass_fields__} for r in (good, bad)
        ],
        "families": [
            {field: getattr(s, field) for field in type(s).__dataclass_fields__}
            for s in summaries([good, bad])
        ],
    }
    text = page.page(content)
    assert "* `heat`: ArithmeticError: off by 3.0e-01" in text
    assert "| `horner` |" in text and "2 MB" in text and "1 (1 failed)" in text


def test_programs_are_chosen_by_family_and_by_name():
    def names(**options):
        return chosen_names(argparse.Namespace(**{"programs": None, "families": None} | options))

    assert set(PROGRAMS) < set(names())
    assert names(families=["adbench"]) == [p.name for p in FAMILIES["adbench"]]
    assert names(families=["adbench"], programs=["gmm", "startup"])[-1] == "startup"


@pytest.mark.parametrize("name", ["lorenz", "cholesky", "lennard_jones"])
def test_sizes_span_three_decades_of_work(name):
    program = PROGRAMS[name]
    found = growth.sizes(program)
    work = [(n / program.size) ** program.order for n in found]
    assert work == sorted(work) and 200 < work[-1] / work[0] < 5000
