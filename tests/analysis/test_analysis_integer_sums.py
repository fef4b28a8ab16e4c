"""What follows from inequalities: never more than holds for all integers, and all that plain cases need."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from enzyme.engine.analysis.integer_sums import (
    constant,
    divided,
    follows,
    minus,
    plus,
    times,
    unknown,
)

I, J, N, M = (unknown(2 * k) for k in range(4))
ONE = constant(1)


def at(total, point):
    return sum(
        factor * math.prod(point[number] for number in product) for product, factor in total.items()
    )


def drawn(r: random.Random):
    total = constant(r.randint(-4, 4))
    for number in r.sample((0, 2, 4), r.randint(1, 3)):
        total = plus(total, unknown(number), r.choice((-3, -2, -1, -1, 1, 1, 2, 3)))
    if r.random() < 0.3:
        total = plus(total, times(unknown(0), unknown(r.choice((0, 2, 4)))), r.choice((-1, 1)))
    return total


def test_what_follows_holds_at_every_point():
    r = random.Random(4)
    points = [
        dict(zip((0, 2, 4), p, strict=True)) for p in itertools.product(range(-5, 6), repeat=3)
    ]
    found = missed = 0
    for _ in range(1500):
        facts, goal = [drawn(r) for _ in range(r.randint(1, 4))], drawn(r)
        allowed = [p for p in points if all(at(fact, p) >= 0 for fact in facts)]
        holds = all(at(goal, p) >= 0 for p in allowed)
        if follows(goal, facts):
            assert holds, (goal, facts)
            found += 1
        elif holds and allowed:
            missed += 1
    # In a box that ends more holds than among all integers.
    assert found > 60 and missed < 400, (found, missed)


@pytest.mark.parametrize(
    ("goal", "facts"),
    [
        (ONE, []),
        (minus(N, ONE), [I, minus(minus(N, ONE), I)]),
        (minus(N, J), [minus(I, J), minus(N, I)]),
        (minus(minus(J, I), ONE), [minus(J, M), minus(minus(M, I), ONE)]),
        # Twice a number is not one.
        (minus(I, ONE), [plus(constant(-1), I, 2)]),
        (minus(N, M), [minus(N, plus(M, ONE)), M]),
    ],
)
def test_chains_are_followed(goal, facts):
    assert follows(goal, facts)


def test_a_fact_more_is_needed():
    assert not follows(minus(N, I), [I, N])
    assert not follows(constant(-1), [I])
    assert (
        follows(constant(-1), [I, minus(constant(-1), I)]) is False
    )  # nothing is asked of the facts


def test_products():
    assert times(plus(I, ONE), plus(N, constant(2))) == {(0, 4): 1, (0,): 2, (4,): 1, (): 2}
    assert divided((0, 4, 4), (4,)) == (0, 4)
    assert divided((0, 4), (4, 4)) is None
    assert times(*[plus(times(I, times(J, N)), M)] * 2) is None
