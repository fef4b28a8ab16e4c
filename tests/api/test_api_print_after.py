"""The stages as data: what is reached, what `print_after` shows, and that looking changes nothing."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Duplicated, Forward, Reverse, autodiff, compile_report
from enzyme.api import print_after
from enzyme.engine.analysis.kinds import Activity, DiffMode
from enzyme.engine.differentiate import differentiate
from enzyme.engine.synthesis import prepare
from enzyme.engine.synthesis.printing import VARIABLE
from enzyme.engine.synthesis.request import DiffRequest
from enzyme.engine.synthesis.stages import STAGES, stages_table
from enzyme.errors import IRVerifyError
from enzyme.frontend.printing import print_as_asked
from enzyme.support.watching import watch, watch_process
from tests.stages import verify

ROOT = Path(__file__).resolve().parents[2]
NAMES = [stage.name for stage in STAGES]


@njit
def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)


@njit
def summed(x):
    total = 0.0
    for i in range(x.size):
        total += x[i] ** 3
    return power(total, x.size)


def compiled(mode=Reverse):
    x = np.array([1.0, 2.0])
    result = Active if mode is Reverse else Duplicated
    return compile_report(summed, mode, result, Duplicated(x, np.zeros(2)))


def printed(capsys):
    out, err = capsys.readouterr()
    assert out == ""
    return err


# The table -------------------------------------------------------------------------------------------


def in_order(mode):
    seen: dict[str, None] = {}
    with watch(lambda found: seen.setdefault(found.stage)):
        compile_report(
            lambda x: x * x, mode, Active if mode is Reverse else Duplicated, *given(mode)
        )
    return list(seen)


def given(mode):
    return [Active(3.0)] if mode is Reverse else [Duplicated(3.0, 1.0)]


def test_reverse_mode_reaches_all_stages_in_order():
    assert in_order(Reverse) == NAMES


def test_forward_mode_reaches_its_stages_in_order():
    assert in_order(Forward) == [stage.name for stage in STAGES if stage.modes == "both"]


def test_the_document_has_the_table():
    text = (ROOT / "docs" / "architecture.md").read_text()
    assert stages_table() in text, "docs/architecture.md: put in what stages_table() returns"


# What is shown ----------------------------------------------------------------------------------------


def test_every_stage_shows_something(capsys):
    with contextlib.ExitStack() as stack:
        for name in NAMES:
            stack.enter_context(print_after(name))
        compiled()
    text = printed(capsys)
    shown = re.findall(r"^; after (\w+).*((?:\n(?!; after ).*)+)", text, re.M)
    assert list(dict.fromkeys(stage for stage, _ in shown)) == NAMES
    by_name = {stage.name: stage for stage in STAGES}
    assert all(("\ndefine " in what) == (by_name[name].shows == "IR") for name, what in shown)


def test_a_function_is_chosen_by_its_name_in_python(capsys):
    with print_after("activity", "power"):
        compiled()
    headings = re.findall(r"^; after activity of @(\S+)", printed(capsys), re.M)
    assert headings
    assert all("5power" in symbol for symbol in headings)


@pytest.mark.parametrize("stage", ["optimise_before_ad", "parse", "write_out", "optimise_after_ad"])
def test_of_a_module_only_the_function_is_shown(stage, capsys):
    with print_after(stage, "power"):
        compiled()
    text = printed(capsys)
    defined = re.findall(r"^define .*?@(\S+?)\(", text, re.M)
    assert defined
    assert all("5power" in symbol for symbol in defined)
    assert "declare " not in text


def test_other_functions_are_not_shown(capsys):
    with print_after("activity", "pow"), print_after("parse", "pow"):
        compiled()
    assert printed(capsys) == ""


def test_nothing_is_shown_outside_the_block(capsys):
    with print_after("activity"):
        pass
    compiled()
    assert printed(capsys) == ""


def test_what_was_compiled_before_is_not_shown_again(capsys):
    def cube(x):
        return x * x * x

    with print_after("activity"):
        autodiff(Reverse, cube, Active, Active(3.0))
        assert "activity of @" in printed(capsys)
        autodiff(Reverse, cube, Active, Active(4.0))
        assert printed(capsys) == ""


@pytest.mark.parametrize("mode", [Forward, Reverse])
def test_looking_changes_nothing(mode, capsys):
    before = compiled(mode)["ir"]["derivative"]
    with contextlib.ExitStack() as stack:
        for name in NAMES:
            stack.enter_context(print_after(name))
        assert compiled(mode)["ir"]["derivative"] == before


# Facts ------------------------------------------------------------------------------------------------

TEXT = """
declare double @llvm.exp.f64(double)
define double @f(ptr %x, ptr %y) {
entry:
  %a = load double, ptr %x
  %b = load double, ptr %y
  %e = call double @llvm.exp.f64(double %a)
  store double %e, ptr %x
  %r = fmul double %e, %b
  ret double %r
}
"""
TREE = "{[-1]:Pointer, [-1,-1]:Float@double}"


def facts(stage, capsys):
    request = DiffRequest(
        "f",
        DiffMode.REVERSE,
        (Activity.DUPLICATED, Activity.DUPLICATED),
        Activity.ACTIVE,
        seeds=(TREE, TREE),
        distinct_arguments=True,
    )
    with print_after(stage, "f"):
        differentiate(TEXT, request)
    lines = (line.partition(" ; ") for line in printed(capsys).splitlines() if " ; " in line)
    return {instruction.strip(): fact for instruction, _, fact in lines}


def test_types_stand_beside_the_values(capsys):
    found = facts("types", capsys)
    assert found["ptr %x"] == TREE
    assert found["%a = load double, ptr %x"] == "{[-1]:Float@double}"


def test_objects_stand_beside_pointers_and_accesses(capsys):
    found = facts("aliasing", capsys)
    assert found["ptr %y"].startswith("an object")
    assert found["store double %e, ptr %x"] == "at %x"


def test_what_overwrites_stands_beside_the_load(capsys):
    found = facts("overwritten", capsys)
    assert found["%a = load double, ptr %x"] == "overwritten by store double %e, ptr %x"
    assert found["%b = load double, ptr %y"] == "the same in the reverse pass"


def test_the_plan_stands_beside_the_values(capsys):
    found = facts("cache_plan", capsys)
    assert found["%e = call double @llvm.exp.f64(double %a)"] == "cached once"
    assert [fact for value, fact in found.items() if value.startswith("%b = ")] == ["recomputed"]


# Names ------------------------------------------------------------------------------------------------


def test_an_unknown_stage_is_an_error_with_all_names():
    with (
        pytest.raises(
            ValueError, match=r"no stage 'activities'.*parse.*activity.*optimise_after_ad"
        ),
        print_after("activities"),
    ):
        pass


def test_an_unknown_stage_in_the_environment_is_an_error(monkeypatch):
    monkeypatch.setenv(VARIABLE, "activities:f")
    with pytest.raises(ValueError, match="no stage 'activities'"):
        print_as_asked()


def test_the_environment_says_what_is_shown(monkeypatch, capsys):
    monkeypatch.setenv(VARIABLE, "types:power, activity")
    try:
        print_as_asked()
        compiled()
    finally:
        watch_process(())
    text = printed(capsys)
    assert len(re.findall("^; after activity of", text, re.M)) >= 2
    assert {"5power" in symbol for symbol in re.findall("^; after types of @(.*)", text, re.M)} == {
        True
    }


def test_the_command_obeys_the_environment():
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "enzyme",
            "opt",
            "tests/frontdoor/programs/branch.ll",
            "-o",
            "/dev/null",
        ],
        env={VARIABLE: "activity:f", "PATH": ""},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "active  %" in done.stderr


# Verification -----------------------------------------------------------------------------------------


def test_verification_names_the_stage(monkeypatch):
    def spoil(p):
        p.function.entry.terminator.remove()

    spoiling = prepare.Pass("spoiled", "for this test", spoil)
    monkeypatch.setattr(prepare, "PASSES", (spoiling, *prepare.PASSES))
    request = DiffRequest("f", DiffMode.FORWARD, (Activity.CONST, Activity.CONST))
    with watch(verify), pytest.raises(IRVerifyError) as caught:
        differentiate(TEXT, request)
    assert caught.value.__notes__ == ["after the stage 'spoiled' of @f"]
