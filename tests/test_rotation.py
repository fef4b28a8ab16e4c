"""Of the tests of large files a share runs each day, and all have run after as many days as there are shares."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import pytest

from tests.rotation import ALL, rest_today


def item(name: str, file: str, share: int | None):
    mark = None if share is None else SimpleNamespace(args=(share,))
    return SimpleNamespace(path=file, nodeid=name, get_closest_marker=lambda _: mark)


ITEMS = [
    *(item(f"plain {i}", "a file", None) for i in range(5)),
    *(item(f"single {i}", "a file", 3) for i in range(5)),
    *(item(f"of a table {i}", "a file", 4) for i in range(11)),
    item("alone", "another file", 4),
]


@pytest.fixture(autouse=True)
def a_day_as_others(monkeypatch):
    for switch in ALL:
        monkeypatch.delenv(switch, raising=False)


def run_on(day: int, monkeypatch) -> set[str]:
    monkeypatch.setenv("FUZZ_SEED", str(day))
    return {one.nodeid for one in ITEMS} - rest_today(ITEMS)


def test_all_have_their_turn(monkeypatch):
    turns: Counter[str] = Counter()
    for day in range(12):
        found = run_on(day, monkeypatch)
        turns.update(found)
        assert sum(name.startswith("of a table") for name in found) in (2, 3)
        assert sum(name.startswith("single") for name in found) in (1, 2)
    times = {"plain": 12, "single": 4, "of": 3, "alone": 12}
    assert turns == {one.nodeid: times[one.nodeid.split()[0]] for one in ITEMS}


@pytest.mark.parametrize("switch", ALL)
def test_all_at_once(switch, monkeypatch):
    monkeypatch.setenv(switch, "1")
    assert rest_today(ITEMS) == set()
