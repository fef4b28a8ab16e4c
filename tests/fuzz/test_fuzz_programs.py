"""Random programs obey the law, each in a process of its own.

The environment may give the seed, FUZZ_SEED: that of the day in CI.  `long_run` looks for more, and makes those that
fail small: that takes long, and is not done here.
"""

from __future__ import annotations

import os

import hypothesis
import pytest

from tests.fuzz import drawing, generator

CHUNKS, PROGRAMS_PER_CHUNK = 3, 4
SEED = os.environ.get("FUZZ_SEED", "0")


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_programs(chunk, apart):
    @hypothesis.seed(f"{SEED}/{chunk}")
    @drawing.settings(PROGRAMS_PER_CHUNK, print_blob=False, phases=[hypothesis.Phase.generate])
    @hypothesis.given(generator.programs())
    def obeys(program):
        if not apart.check(program):
            hypothesis.reject()

    obeys()


@hypothesis.given(generator.programs())
@hypothesis.settings(max_examples=20, database=None, deadline=None)
def test_programs_survive_printing(program):
    assert generator.from_text(str(program)) == program
    compile(program.source, "program", "exec")
