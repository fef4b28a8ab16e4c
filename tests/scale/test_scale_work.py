"""The stages of the engine do work in proportion to the program; `python -m benchmarks scale` measures it."""

from __future__ import annotations

import pytest

from benchmarks.shapes import SHAPES, request
from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.cfg import ControlFlow
from enzyme.engine.analysis.dominance import Dominators
from enzyme.engine.analysis.kinds import DiffMode
from enzyme.engine.analysis.value_ranges import ValueRanges
from enzyme.engine.differentiate import differentiate
from enzyme.engine.ir.parser import parse_module
from tests.counting import calls

pytestmark = pytest.mark.rotating(18)

SMALL, TIMES = 200, 3
# As many arrays in both, because each is compared with each; nests of which there are several.
SMALLER = {"arrays": {"count": 40}, "nests": {"depth": 6}}
EXPONENT = 1.2  # small programs; the benchmark says 1.15 of large ones


@pytest.mark.parametrize("mode", [DiffMode.REVERSE, DiffMode.FORWARD], ids=lambda m: m.value)
@pytest.mark.parametrize("name", SHAPES)
def test_work_is_linear(name, mode):
    work, length = [], []
    for size in (SMALL, TIMES * SMALL):
        text, kinds = SHAPES[name](size, **SMALLER.get(name, {}))
        work.append(calls(differentiate, text, request(kinds, mode)))
        length.append(text.count("\n"))
    assert work[1] / work[0] < (length[1] / length[0]) ** EXPONENT


@pytest.mark.parametrize("name", ["loops", "branches", "nests"])
def test_ranges_are_found_in_linear_work(name):
    """Every loop and branch tells something of all that comes behind it: seen in larger programs only."""
    work, length = [], []
    for size in (1500, 6000):
        text, _ = SHAPES[name](size)
        work.append(calls(_ranges, parse_module(text)))
        length.append(text.count("\n"))
    assert work[1] / work[0] < (length[1] / length[0]) ** EXPONENT


def _ranges(module):
    function = next(f for f in module.functions.values() if not f.is_declaration)
    cfg = ControlFlow(function)
    oracle = AliasOracle(module, function)
    blocks = cfg.reverse_postorder
    return ValueRanges(blocks, Dominators(cfg), oracle, strict=False, defined=True, trusted=True)
