"""Work and memory counted in a process whose `malloc`, `exp`, ... count their calls."""

from __future__ import annotations

import json

import pytest

from tests.memory.separate import output_of

pytestmark = pytest.mark.rotating(14)


@pytest.fixture(scope="module")
def counts():
    return json.loads(output_of("counted"))


@pytest.mark.parametrize("program", ["counted nest", "uncounted loop"])
def test_a_second_call_allocates_nothing_large(counts, program):
    largest, second = counts[program]
    assert largest > 100_000, "the counting malloc was not used"
    assert second == []


def test_pairs_beyond_the_cutoff_cost_no_adjoint(counts):
    inside, pairs = counts["pairs inside"]
    assert 0 < inside < 100 < pairs
    # The sum of sines is not asked for.
    assert counts["pairs"] == {"cos": inside, "cosh": 3 * pairs, "sinh": 3 * inside}


def test_an_exponential_per_element_in_all(counts):
    assert counts["log-sum-exp"] == {"exp": 100}


def test_a_cell_calls_what_the_primal_calls(counts):
    assert counts["LSTM cell"] == {"exp": 30, "tanh": 20}
