"""What is looked up by bytes is what comparing in pairs gives."""

from __future__ import annotations

import random

from enzyme.engine.analysis.typebytes import Around
from enzyme.engine.analysis.typetags import overlap
from enzyme.engine.analysis.typetree import INTEGER, POINTER, UNKNOWN

KINDS = (INTEGER, POINTER, UNKNOWN)


def some_place(rng):
    offset, stride = rng.randrange(-20, 60), rng.choice([0, 0, 1, 4, 8, 12, 16, 24])
    return (offset, stride, rng.choice([1, 2, 4, 8, 16]), rng.choice(KINDS)), rng.choice(KINDS)


def test_around_is_overlap():
    rng = random.Random(1)
    for _ in range(300):
        places = [some_place(rng) for _ in range(rng.randrange(1, 25))]
        around = Around(places)
        for key, _ in places:
            assert around.of(key) == {
                (other[3], kind) for other, kind in places if overlap(key, other)
            }
