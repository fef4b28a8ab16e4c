"""Of the tests of large tables a share runs each day, and all have run after as many days as there are shares."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import pytest

from tests.rotation import ALL, rest_today


def item(name: str, table: str | None, share: int | None):
    mark = None if share is None else SimpleNamespace(args=(share,))
    parameters = {} if table is None else {"callspec": object(), "originalname": table}
    return SimpleNamespace(
        path="a file", nodeid=name, get_closest_marker=lambda _: mark, **parameters
    )


ITEMS = [
    *(item(f"plain {i}", None, None) for i in range(5)),
    *(item(f"single {i}", None, 3) for i in range(5)),
    *(item(f"of a table {i}", "table", 4) for i in range(11)),
    item("a table of one", "small", 4),
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
    times = {"plain": 12, "single": 4, "of": 3, "a": 12}
    assert turns == {one.nodeid: times[one.nodeid.split()[0]] for one in ITEMS}


@pytest.mark.parametrize("switch", ALL)
def test_all_at_once(switch, monkeypatch):
    monkeypatch.setenv(switch, "1")
    assert rest_today(ITEMS) == set()
