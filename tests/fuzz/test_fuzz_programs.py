"""Random programs obey the law; the same ones in every run, each in a process of its own.

`long_run` looks for new ones, and makes those that fail small: that takes long, and is not done here.
"""

from __future__ import annotations

import hypothesis
import pytest

from tests.fuzz import drawing, generator
from tests.fuzz.long_run import check_in_child

CHUNKS, PROGRAMS_PER_CHUNK = 50, 10


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_programs(chunk):
    @hypothesis.seed(chunk)
    @drawing.settings(PROGRAMS_PER_CHUNK, print_blob=False, phases=[hypothesis.Phase.generate])
    @hypothesis.given(generator.programs())
    def obeys(program):
        if not check_in_child(program):
            hypothesis.reject()

    obeys()


@hypothesis.given(generator.programs())
@hypothesis.settings(max_examples=20, database=None, deadline=None)
def test_programs_survive_printing(program):
    assert generator.from_text(str(program)) == program
    compile(program.source, "program", "exec")
