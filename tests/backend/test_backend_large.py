"""Programs for which most of LLVM would take too long: recognised, and differentiated as well as small ones."""

from __future__ import annotations

import ctypes
import re

import numpy as np
import pytest

from benchmarks.shapes import CONSTANT, MEMORY, NUMBER, SHAPES, request
from enzyme import Reverse, gradient
from enzyme.backend import large, passes
from enzyme.backend.jit import JittedModule
from enzyme.engine.analysis.kinds import DiffMode
from enzyme.engine.differentiate import differentiate

pytestmark = pytest.mark.rotating(18)

# Addresses of `indices` are anywhere.
RUNNING = [name for name in SHAPES if name != "indices"]
SIZE = 240


def test_ordinary_programs_are_not_large():
    for shape in SHAPES.values():
        assert not large.is_large(shape(300)[0])


@pytest.mark.parametrize("name", ["loops", "nests"])
def test_many_loops_are_large(name):
    assert large.is_large(SHAPES[name](6000)[0])


def test_nested_loops_count_more():
    nests, loops = SHAPES["nests"](300)[0], SHAPES["loops"](300)[0]
    depths = []
    for text in (nests, loops):
        most = [n for n in range(2000) if not _is_large_with(text, n)]
        depths.append(most[0])
    assert depths == [30 * 31 // 2, 300 // 7]


def _is_large_with(text, most):
    return any(large._is_large(body, 10_000, most) for body in large._functions(text))


def test_a_front_end_writes_fewer_loops():
    loops = SHAPES["loops"](4200)[0]
    count = 4200 // 7
    assert large.MOST_PLAIN_LOOPS < count < large.MOST_LOOPS
    assert large.is_large(loops, plain=True)
    assert not large.is_large(loops)


def test_long_blocks_and_long_modules_are_large(monkeypatch):
    assert large.is_large(SHAPES["scalars"](large.LONGEST_BLOCK + 1)[0])
    assert large.is_large(SHAPES["calls"](large.MOST_LINES)[0])
    # The same instructions in short blocks.
    assert not large.is_large(SHAPES["branches"](large.LONGEST_BLOCK + 1)[0])


def test_branches_to_blocks_that_stand_before_are_no_loops():
    count = 500
    lines = ["define void @f(i1 %c) {", "entry:", f"  br label %b{count}"]
    for k in range(count):
        lines += [f"b{k}:", f"  br label %b{k - 1}" if k else "  ret void"]
    lines += [f"b{count}:", f"  br label %b{count - 1}", "}"]
    assert not large.is_large("\n".join(["", *lines, *["; "] * 5000]))


def test_expressions_of_arrays_are_not_large(monkeypatch):
    """LLVM puts the blocks of their loops in any order."""
    asked = []

    def is_large(text, plain=False, original=large.is_large):
        asked.append(original(text, plain))
        return asked[-1]

    monkeypatch.setattr(large, "is_large", is_large)
    lines = ["def f(x):", "    s = 0.0", *(f"    s += np.sum(x * x * {k}.5)" for k in range(16))]
    scope = {"np": np}
    exec("\n".join([*lines, "    return s"]), scope)
    with passes.compiling_with(passes.POST_DEFAULT):
        assert gradient(Reverse, scope["f"], np.ones(3))[0] == pytest.approx(2.0 * (120 + 8.0))
    assert asked and not any(asked)


def lengths(text):
    """The numbers of instructions of the blocks of all functions."""
    blocks = re.split(r"^(?:define .*|[-\w.$]+:.*)$", text, flags=re.MULTILINE)
    return [len(re.findall(r"^  \S", block, re.MULTILINE)) for block in blocks[1:]]


@pytest.mark.parametrize("count", range(large.SPLIT_LENGTH - 4, large.SPLIT_LENGTH + 4))
def test_where_blocks_cannot_be_cut(count):
    """A call before `ret` that must stay there; a name that looks like one of ours; types without names."""
    sums = [f"  %v{k} = fadd double %{f'v{k - 1}' if k else 'x'}, 1.0" for k in range(count)]
    text = "\n".join(
        [
            "define double @f({ double, double } %0, double %x) {",
            "  %split.1 = fadd double %x, 0.0",
            *sums,
            f"  %r = musttail call double @g({{ double, double }} %0, double %v{count - 1})",
            "  ret double %r",
            "}",
            "define double @g({ double, double } %0, double %x) {",
            *sums,
            f"  ret double %v{count - 1}",
            "}",
            "",
        ]
    )
    passes.parse(large.with_short_blocks(text))


UNNAMED = """define double @f(double %0, ptr readonly %1) {
  switch i32 7, label %5 [
    i32 1, label %6
    i32 7, label %3
  ]

3:
  %4 = load double, ptr %1
BODY
  br label %5

5:
  %x = phi double [ %0, %2 ], [ %LAST, %3 ]
  ret double %x

6:
  ret double 0.0
}
"""


def test_blocks_without_names():
    body = "\n".join(
        f"  %v{k} = fadd double %{'v' + str(k - 1) if k else '4'}, %0" for k in range(2500)
    )
    text = UNNAMED.replace("BODY", body).replace("LAST", "v2499")
    split = large.with_short_blocks(text)
    assert split.count("split.") > 4 and max(lengths(split)) <= large.SPLIT_LENGTH + 2
    module = JittedModule(split, optimise=False)
    f = module.function("f", ctypes.c_double, ctypes.c_double, ctypes.c_void_p)
    cell = ctypes.c_double(3.0)
    assert f(1.0, ctypes.addressof(cell)) == 2503.0


def test_the_first_block_is_split_too():
    """Its number, which phis name, comes after those of the parameters."""
    lines = ["define double @f(double %0, double %1, i1 %c) {"]
    lines += [f"  %v{k} = fadd double {f'%v{k - 1}' if k else '%0'}, %1" for k in range(2500)]
    lines += ["  br i1 %c, label %3, label %4", "3:", "  br label %4", "4:"]
    lines += ["  %r = phi double [ %v2499, %2 ], [ 0.0, %3 ]", "  ret double %r", "}", ""]
    module = JittedModule(large.with_short_blocks("\n".join(lines)), optimise=False)
    f = module.function("f", ctypes.c_double, ctypes.c_double, ctypes.c_double, ctypes.c_bool)
    assert f(1.0, 2.0, False) == 5001.0 and f(1.0, 2.0, True) == 0.0


# Derivatives ----------------------------------------------------------------------------------------


def compiled(name, mode, monkeypatch, as_large):
    """The derivative of a shape as a function of what `arguments` makes."""
    text, kinds = SHAPES[name](SIZE)
    if as_large:
        monkeypatch.setattr(large, "MOST_LINES", 0)
        monkeypatch.setattr(large, "SPLIT_LENGTH", 20)
    made = differentiate(passes.optimise_before_ad(text), request(kinds, mode))
    options = passes.options_for(made.text, passes.POST_DEFAULT)
    assert options.quick_code is as_large
    module = str(passes.optimise_after_ad_module(made.text, options, [made.symbol]))
    if as_large:
        module = large.with_short_blocks(module)
    monkeypatch.undo()
    return JittedModule(module, optimise=False), made.symbol, kinds


class Numbers(ctypes.Structure):
    _fields_ = [("first", ctypes.c_double), ("second", ctypes.c_double)]


def run(loaded, mode, given, along, seed):
    """Tangents of the result and of memory, or adjoints of numbers and of memory."""
    module, symbol, kinds = loaded
    reverse = mode is DiffMode.REVERSE
    arguments, types, memory = [], [], []
    for kind, value, direction in zip(kinds, given, along, strict=True):
        if kind is MEMORY:
            memory.append((value.copy(), direction.copy()))
            arguments += [array.ctypes.data for array in memory[-1]]
            types += [ctypes.c_void_p] * 2
        elif kind is CONSTANT or reverse:
            arguments.append(value)
            types.append(ctypes.c_int64 if kind is CONSTANT else ctypes.c_double)
        else:
            arguments += [value, direction]
            types += [ctypes.c_double] * 2
    if reverse:
        arguments.append(seed)
        types.append(ctypes.c_double)
    count = kinds.count(NUMBER) if reverse else 1
    result = None if not count else Numbers if count == 2 else ctypes.c_double
    found = module.function(symbol, result, *types)(*arguments)
    numbers = [] if not count else [found.first, found.second] if count == 2 else [found]
    return numbers, [shadow for _, shadow in memory]


@pytest.mark.parametrize("name", RUNNING)
def test_derivatives(name, monkeypatch):
    """The law for what is compiled as large; and what is compiled as small agrees."""
    rng = np.random.default_rng(5)
    _, kinds = SHAPES[name](SIZE)
    count = {"nests": 1, "switch": 5}.get(name, 3)
    make = {
        NUMBER: lambda: 0.9 + 0.2 * rng.random(),
        MEMORY: lambda: 0.9 + 0.2 * rng.random(SIZE),
        CONSTANT: lambda: count,
    }
    given = [make[kind]() for kind in kinds]
    tangents, seeds = ([make[kind]() for kind in kinds] for _ in range(2))
    found = {}
    for as_large in (True, False):
        forward, reverse = (
            run(compiled(name, mode, monkeypatch, as_large), mode, given, along, 0.7)
            for mode, along in ((DiffMode.FORWARD, tangents), (DiffMode.REVERSE, seeds))
        )
        weights = [s for s, kind in zip(seeds, kinds, strict=True) if kind is MEMORY]
        left = 0.7 * forward[0][0]
        left += sum(float(np.dot(t, w)) for t, w in zip(forward[1], weights, strict=True))
        numbers, memory = iter(reverse[0]), iter(reverse[1])
        right = 0.0
        for kind, tangent in zip(kinds, tangents, strict=True):
            if kind is NUMBER:
                right += tangent * next(numbers)
            elif kind is MEMORY:
                right += float(np.dot(tangent, next(memory)))
        assert np.isfinite(left) and left != 0.0
        assert left == pytest.approx(right, rel=1e-11)
        found[as_large] = np.concatenate([forward[0], *forward[1], reverse[0], *reverse[1]])
    assert found[True] == pytest.approx(found[False], rel=1e-11, abs=1e-14)
