"""Trees of selects between two numbers become one select, which chooses as they did."""

from __future__ import annotations

import ctypes
import random
import re
from itertools import product

import numpy as np
import pytest

from enzyme import Active, Duplicated, Forward, Reverse, autodiff
from enzyme.backend.jit import JittedModule
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_module
from enzyme.engine.preprocess.joined_selects import join_selects

HEAD = "define double @f(i1 %a, i1 %b, i1 %c, double %x, double %y, double %z) {\n"


def tree(rng: random.Random, leaves: str, depth: int) -> list[str]:
    """Lines of selects, the last of which is the root."""
    lines: list[str] = []

    def arm(below: int) -> str:
        if not below or rng.random() < 0.2:
            return "%" + rng.choice(leaves)
        then, other = arm(below - 1), arm(below - 1)
        lines.append(
            f"  %s{len(lines)} = select i1 %{rng.choice('abc')}, double {then}, double {other}"
        )
        return f"%s{len(lines) - 1}"

    root = arm(depth)
    lines.append(f"  %r = select i1 %a, double {root}, double %x")
    return lines


def counted(lines):
    """The text before and after, and how many selects of numbers there are then."""
    before = HEAD + "\n".join(lines) + "\n  ret double %r\n}\n"
    module = parse_module(before)
    join_selects(module.functions["f"])
    after = print_module(module)
    return before, after, len(re.findall(r"select i1 [^,]+, double", after))


@pytest.mark.parametrize("seed", range(12))
def test_the_same_is_chosen(seed):
    rng = random.Random(seed)
    lines = tree(rng, "xy" if seed % 3 else "xyz", 3)
    before, after, count = counted(lines)
    if seed % 3:
        assert count <= 1 + 2 * (len(lines) > 9)  # of very large trees parts become one
    kinds = ctypes.c_double, *[ctypes.c_bool] * 3, *[ctypes.c_double] * 3
    first, second = (JittedModule(text, optimise=False) for text in (before, after))
    one, other = (m.function("f", *kinds) for m in (first, second))
    for conditions in product((False, True), repeat=3):
        assert one(*conditions, 1.0, 2.0, 3.0) == other(*conditions, 1.0, 2.0, 3.0)


# Of what `select uno(x, y), first, second` asks, and whether one `or` will do.
NAN = "0x7FF8000000000000"
ORDERED = {"oeq", "ogt", "oge", "olt", "ole", "one"}
QUESTIONS = [
    (first, second, second.split()[0] in ORDERED and "%z" not in second and first not in OTHERS)
    for OTHERS in ({"uno %z, 0.0", f"uno %x, {NAN}", "ord %x, 0.0", "uno %x, %z"},)
    for first in ("uno %x, 0.0", "uno %y, %y", *sorted(OTHERS))
    for second in (
        *(f"{p} %x, %y" for p in sorted(ORDERED | {"une", "ueq", "ugt", "uno", "ord"})),
        "oge %y, %x",
        "oge %x, %z",
        "olt %z, %y",
    )
]


@pytest.mark.parametrize("swapped", [False, True])
def test_nan_or_larger_is_one_question(swapped):
    """What is asked of nan and of order is one question where it may be, and has the same answer everywhere."""
    special = (np.nan, -0.0, 0.0, 1.0, np.inf)
    texts = [[], []]
    for number, (first, second, joined) in enumerate(QUESTIONS):
        either = "%y, %x" if swapped else "%x, %y"
        lines = [
            f"  %both = fcmp uno double {either}",
            f"  %nan = fcmp {first.replace(' ', ' double ', 1)}",
            f"  %order = fcmp {second.replace(' ', ' double ', 1)}",
            "  %s = select i1 %nan, double %x, double %y",
            "  %t = select i1 %order, double %x, double %y",
            "  %r = select i1 %both, double %s, double %t",
        ]
        before, after, count = counted(lines)
        assert count == 1
        assert (" or i1 " in after) == joined, (first, second)
        for text, kept in zip((before, after), texts, strict=True):
            kept.append(text.replace("@f(", f"@f{number}("))
    one, other = (JittedModule("\n".join(kept), optimise=False) for kept in texts)
    kinds = ctypes.c_double, *[ctypes.c_bool] * 3, *[ctypes.c_double] * 3
    for number, question in enumerate(QUESTIONS):
        f, g = (m.function(f"f{number}", *kinds) for m in (one, other))
        for x, y, z in product(special, repeat=3):
            pair = [np.float64(h(False, False, False, x, y, z)).tobytes() for h in (f, g)]
            assert pair[0] == pair[1], (question, x, y, z)


def test_what_others_use_stays():
    lines = [
        "  %s = select i1 %a, double %x, double %y",
        "  %t = select i1 %b, double %s, double %y",
        "  %r = fadd double %s, %t",
    ]
    assert counted(lines)[2] == 2


def largest(x, y, low, high):
    wide = np.maximum(np.maximum(x[::2], x[1::2]), np.minimum(y[::2], y[1::2]))
    cut = np.clip(y, low, high)
    return wide.sum() + 2.0 * cut.sum() + 3.0 * np.fmax(x, y).sum() - np.fmin(x, 2.0 * y).sum()


def test_chosen_elements_by_law():
    rng = np.random.default_rng(0)
    for special in (None, np.nan, np.inf, -np.inf):
        x, y, dx, dy = rng.normal(size=(4, 12)).round(1)  # with ties
        if special is not None:
            x[3], y[4] = special, special
        gx, gy = np.zeros(12), np.zeros(12)
        annotated = Duplicated(x, gx), Duplicated(y, gy)
        autodiff(Reverse, largest, Active, *annotated, Active(-0.5), Active(0.8))
        tangent = autodiff(
            Forward,
            largest,
            Duplicated(x, dx),
            Duplicated(y, dy),
            Duplicated(-0.5, 0.0),
            Duplicated(0.8, 0.0),
        )[0]
        together = gx @ dx + gy @ dy
        assert tangent == pytest.approx(together, rel=1e-12, nan_ok=True)
