"""A long run goes on after a failure and stores what fails in its smallest form; nothing is compiled here."""

from __future__ import annotations

import pytest

from tests.fuzz import long_run
from tests.fuzz.program import from_text

pytestmark = pytest.mark.rotating(3)


@pytest.fixture
def seen(monkeypatch):
    """The programs that are run; those with a loop `while` fail."""
    programs = []

    def check(program):
        programs.append(program)
        if "while " in program.source:
            raise long_run.ProgramFailed("AssertionError: loops")
        return True

    monkeypatch.setattr(long_run, "check_in_child", check)
    return programs


def test_a_batch_goes_on_after_a_failure(seen, tmp_path, monkeypatch):
    monkeypatch.setattr(long_run.Batch, "MOST_FAILURES", 2)
    stored = long_run.Batch(1, 60, tmp_path).run()
    assert len(stored) == len(set(stored)) == 2
    for path in stored:
        program = from_text(path.read_text())
        assert "while " in program.source
        assert path.read_text().endswith("# AssertionError: loops\n")
        assert len(program.source) <= max(len(p.source) for p in seen if "while " in p.source)


def test_without_failures_every_program_is_run_once_and_a_seed_gives_the_same_ones(
    seen, tmp_path, monkeypatch
):
    monkeypatch.setattr(long_run, "check_in_child", lambda program: seen.append(program) or True)
    assert long_run.Batch(2, 25, tmp_path).run() == []
    assert len(seen) == 25
    before = [*seen]
    assert long_run.Batch(2, 25, tmp_path).run() == []
    assert seen == 2 * before
    assert not list(tmp_path.iterdir())
