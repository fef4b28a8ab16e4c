"""Every row of SciPy's functions, in all modes: all functions of a list stand in one program, one line each.

The program is differentiated once for each mode and each order of two modes, and then called for one point after the
other. Functions with several results behind pointers are called by the names that these have in the engine.
"""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import mpmath as mp
import numpy as np
import scipy.special

from enzyme.backend import passes
from enzyme.backend.jit import JittedModule
from enzyme.engine.analysis.kinds import Activity, DiffMode
from enzyme.engine.derivatives.catalogue import all_entries
from enzyme.engine.derivatives.scipy.names import OURS, PREFIX
from enzyme.engine.derivatives.scipy.pointers import RESULTS
from enzyme.engine.differentiate import differentiate
from enzyme.engine.synthesis.arena import GROWTH_BY_COPYING
from enzyme.engine.synthesis.request import DiffRequest
from enzyme.frontdoor.c_library import C_LIBRARY
from enzyme.frontend import runtime_pieces
from tests.scipy_functions.primals import CONSTANT, FUNCTIONS, INVERSES, REAL, Point

WIDTH = 4  # operands of a function at most
FORWARD, REVERSE = DiffMode.FORWARD, DiffMode.REVERSE
TREE = "{[-1]:Pointer, [-1,-1]:Float@double}"
# Operands of which a second derivative is refused, see the rows of `enzyme.special...`.
ONCE = {
    "hyp1f1": {0, 1},
    "hyp2f1": {0, 1, 2},
    "hyperu": {0, 1},
    "chndtr": {1},
    "chndtrix": {1},
    "chndtridf": {0, 1, 2},
    "chndtrinc": {1},
}


@dataclass(frozen=True)
class Line:
    """One function in the program: its symbol, letters, and for each operand whether it is differentiated, and whether
    the function is constant between integers."""

    name: str
    symbol: str
    letters: str
    active: tuple[bool, ...]
    steps: tuple[bool, ...]


def names() -> list[str]:
    """All functions of real numbers with a row, or with results that have rows."""
    found = {
        n.split(".")[1]
        for n, e in all_entries().items()
        if n.startswith(PREFIX) and e.row is not None and not n.endswith("z")
    }
    return sorted([*found, *(n for n in RESULTS if not n.endswith(".z"))])


def variants(name: str) -> list[str]:
    """Lists of letters under which SciPy has a function."""
    if name in RESULTS:
        return ["d" * RESULTS[name][1]]
    return [n.split(".")[2] for n in all_entries() if n.startswith(f"{PREFIX}{name}.")]


def line(name: str, twice: bool = False) -> Line:
    """The variant of doubles, with integers where SciPy has them."""
    letters = min(
        (v for v in variants(name) if "f" not in v and "z" not in v), key=lambda v: -v.count("l")
    )
    symbol = f"{OURS}{name}" if name in RESULTS else f"{PREFIX}{name}.{letters}"
    row = all_entries()[symbol].row
    assert row is not None
    rules = row.rules or (None,) * len(letters)
    once = ONCE.get(name, set()) if twice else set()
    active = tuple(
        letter == "d" and not (rule is not None and rule.lacks) and k not in once
        for k, (letter, rule) in enumerate(zip(letters, rules, strict=True))
    )
    return Line(name, symbol, letters, active, tuple(rule is None for rule in rules))


TYPES = {"d": "double", "l": "i64"}


def program(lines: Sequence[Line]) -> str:
    """``rows(x, y, c)``: line k computes y[k] of four numbers of x, or of c where it is not differentiated."""
    declared, body = {}, ""
    for k, row in enumerate(lines):
        given = []
        for j, (letter, active) in enumerate(zip(row.letters, row.active, strict=True)):
            at = f"%v{k}.{j}"
            body += f"  {at}.at = getelementptr double, ptr %{'x' if active else 'c'}, i64 {WIDTH * k + j}\n"
            body += f"  {at} = load double, ptr {at}.at\n"
            if letter == "l":
                body += f"  {at}.n = fptosi double {at} to i64\n"
                at += ".n"
            given.append(f"{TYPES[letter]} {at}")
        declared[row.symbol] = (
            f"declare double @{row.symbol}({', '.join(TYPES[c] for c in row.letters)})\n"
        )
        body += f"  %r{k} = call double @{row.symbol}({', '.join(given)})\n"
        body += (
            f"  %y{k} = getelementptr double, ptr %y, i64 {k}\n  store double %r{k}, ptr %y{k}\n"
        )
    head = "define void @rows(ptr noalias %x, ptr noalias %y, ptr noalias %c) {\n"
    return "".join(declared.values()) + head + body + "  ret void\n}\n"


def derivative(
    text: str, symbol: str, pairs: int, mode: DiffMode, nested: bool = False
) -> tuple[str, str]:
    """The derivative of a function of `pairs` vectors and one that is constant."""
    request = DiffRequest(
        symbol,
        mode,
        (Activity.DUPLICATED,) * pairs + (Activity.CONST,),
        return_primal=False,
        seeds=(TREE,) * (pairs + 1),
        runtime=C_LIBRARY,
        distinct_arguments=True,
        nested=nested,
    )
    made = differentiate(text, request, stand_alone=False)
    return made.text, made.symbol


def again(text: str, symbol: str) -> str:
    """The text of a derivative as a program to be differentiated."""
    module = passes.parse(text)
    if "@enzyme_grow(" in text:
        module.link_in(passes.parse(GROWTH_BY_COPYING))
    passes.isolate(module, symbol)
    return passes.optimise_for_nesting(str(module))


class Loaded:
    """A compiled function of vectors, which it changes."""

    def __init__(self, text: str, symbol: str, count: int) -> None:
        runtime_pieces.register((), ())
        self.module = JittedModule(text, optimise=False)
        self.function = self.module.function(symbol, None, *[ctypes.c_void_p] * count)

    def __call__(self, *vectors: np.ndarray) -> None:
        self.function(*(v.ctypes.data for v in vectors))


class Walk:
    """The derivatives of all lines of a program."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = list(lines)
        self.size = len(self.lines)
        self.text = passes.optimise_before_ad(program(self.lines))
        self._twice: dict[tuple[DiffMode, DiffMode], Loaded] = {}

    @functools.cached_property
    def forward(self) -> Loaded:
        return Loaded(*derivative(self.text, "rows", 2, FORWARD), 5)

    @functools.cached_property
    def reverse(self) -> Loaded:
        return Loaded(*derivative(self.text, "rows", 2, REVERSE), 5)

    def twice(self, outer: DiffMode, inner: DiffMode) -> Loaded:
        if (outer, inner) not in self._twice:
            text, symbol = derivative(self.text, "rows", 2, inner, nested=True)
            made = derivative(again(text, symbol), symbol, 4, outer)
            self._twice[outer, inner] = Loaded(*made, 9)
        return self._twice[outer, inner]

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        """All first derivatives at once, in forward mode: lines are independent."""
        found = np.zeros((self.size, WIDTH))
        for j in range(WIDTH):
            dx, y, dy = self.direction(j), np.zeros(self.size), np.zeros(self.size)
            self.forward(x.copy(), dx, y, dy, x)
            found[:, j] = dy
        return found

    def adjoints(self, x: np.ndarray) -> np.ndarray:
        dx, y, dy = np.zeros(WIDTH * self.size), np.zeros(self.size), np.ones(self.size)
        self.reverse(x.copy(), dx, y, dy, x)
        return dx.reshape(self.size, WIDTH)

    def direction(self, j: int) -> np.ndarray:
        d = np.zeros((self.size, WIDTH))
        d[:, j] = 1.0
        return d.ravel()

    def second(self, x: np.ndarray, i: int, j: int, outer: DiffMode, inner: DiffMode) -> np.ndarray:
        """The second derivative in operands i and j of all lines."""
        n = self.size
        call = self.twice(outer, inner)
        # x dx y dy are the vectors of the inner derivative; of the outer one each has its shadow behind it.
        x, dx, y, dy = x.copy(), np.zeros(WIDTH * n), np.zeros(n), np.zeros(n)
        x2, dx2, y2, dy2 = np.zeros(WIDTH * n), np.zeros(WIDTH * n), np.zeros(n), np.zeros(n)
        if inner is FORWARD:
            dx = self.direction(i)
        else:
            dy = np.ones(n)
        if outer is FORWARD:
            x2 = self.direction(j)
        elif inner is FORWARD:
            dy2 = np.ones(n)
        else:
            dx2 = self.direction(i)
        call(x, x2, dx, dx2, y, y2, dy, dy2, x.copy())
        if outer is REVERSE:
            return x2.reshape(n, WIDTH)[:, j]
        return dy2 if inner is FORWARD else dx2.reshape(n, WIDTH)[:, i]


MODES = [(outer, inner) for outer in (FORWARD, REVERSE) for inner in (FORWARD, REVERSE)]

# What is right ------------------------------------------------------------------------------------


def points(name: str) -> list[Point]:
    """The operands of a function at its places."""
    if name in CONSTANT:
        return CONSTANT[name]
    if name in FUNCTIONS:
        return FUNCTIONS[name][1]
    return [point for point, _ in _inverted(name)]


@functools.cache
def _inverted(name: str) -> list[tuple[Point, Point]]:
    """Operands of an inverse, and those of what it inverts: where the rounding of a value is not the whole answer, and
    SciPy finds the solution."""
    of, solved, order = INVERSES[name]
    primal, given = {**FUNCTIONS, **REAL}[of]
    made = []
    for point in given:
        y = _diff(primal, point, (0,) * len(point))
        slope = _diff(primal, point, _unit(len(point), solved))
        operands = tuple(float(y) if k == "y" else point[k] for k in order)
        found = getattr(scipy.special, name)(*operands)
        if abs(y) < 1e2 * abs(slope * point[solved]) and abs(found - point[solved]) < 1e-9 * abs(
            found
        ):
            made.append((operands, point))
    return made


def partial(name: str, index: int, orders: tuple[int, ...]) -> mp.mpf:
    """The derivative of these orders in the operands, at point number `index`."""
    row = line(name)
    rules = all_entries()[row.symbol].row.rules
    if any(k and (j >= len(rules) or rules[j] is None) for j, k in enumerate(orders)):
        return mp.mpf(0)  # it is truncated to an integer
    if name in FUNCTIONS:
        primal, given = FUNCTIONS[name]
        return _diff(primal, given[index], orders)
    of, solved, order = INVERSES[name]
    primal, _ = {**FUNCTIONS, **REAL}[of]
    _, point = _inverted(name)[index]
    place = orders.index(1)
    down = _diff(primal, point, _unit(len(order), solved))
    if order[place] == "y":
        return 1 / down
    return -_diff(primal, point, _unit(len(order), order[place])) / down


def _unit(count: int, place: int) -> tuple[int, ...]:
    return tuple(int(k == place) for k in range(count))


@functools.cache
def _diff(primal, point: Point, orders: tuple[int, ...]) -> mp.mpf:
    at = tuple(map(mp.mpf, point))
    with mp.workdps(50):
        try:
            if not any(orders):
                return mp.re(primal(*at))
            return mp.re(mp.diff(primal, at, orders, h=mp.mpf(10) ** -15, relative=False))
        except (
            mp.libmp.libhyper.NoConvergence
        ):  # a series whose sum is zero has no relative accuracy
            return mp.mpf(0)


@dataclass
class Error:
    """The worst relative error of a derivative, and where."""

    size: float = 0.0
    point: Point = ()
    found: float = 0.0
    right: float = 0.0

    def note(self, point: Point, found: float, right: mp.mpf, scale: float = 0.0) -> None:
        right = float(right)
        against = max(abs(right), scale)
        size = abs(found - right) / against if against else abs(found)
        if math.isnan(size) or size > self.size:
            self.size, self.point, self.found, self.right = (
                (math.inf if math.isnan(size) else size),
                point,
                found,
                right,
            )


def batches(
    lines: Sequence[Line],
) -> Iterator[tuple[int, np.ndarray, list[tuple[int, Line, Point]]]]:
    """Points number 0, 1, ... of all lines, as far as they have so many; others repeat their first."""
    all_points = [points(row.name) for row in lines]
    for number in range(max(map(len, all_points))):
        x = np.zeros((len(lines), WIDTH))
        there = []
        for k, (row, given) in enumerate(zip(lines, all_points, strict=True)):
            point = given[number if number < len(given) else 0]
            x[k, : len(point)] = point
            if number < len(given):
                there.append((k, row, point))
        yield number, x.ravel(), there


# What is found ------------------------------------------------------------------------------------

Errors = dict[tuple[str, int, int], Error]
# SciPy's own functions are not better where these are looked at, as its values against mpmath show.
LOOSE = {
    "hyperu": 1e-5,
    **dict.fromkeys("ber bei ker kei berp beip kerp keip".split(), 1e-10),
    **dict.fromkeys("bdtrik bdtrin nbdtrik nbdtrin stdtridf fdtridfd".split(), 1e-9),
    "voigt_profile": 1e-11,
}


def tolerance(name: str, order: int) -> float:
    return max(1e-12 if order == 1 else 1e-9, LOOSE.get(name, 0.0) * (1.0 if order == 1 else 100.0))


def first_errors(walk: Walk) -> tuple[Errors, list[str]]:
    """For each function and operand the worst error, and where forward and reverse mode are not the same."""
    errors: Errors = {}
    apart = []
    for number, x, there in batches(walk.lines):
        forward, reverse = walk.jacobian(x), walk.adjoints(x)
        for k, row, point in there:
            for j, active in enumerate(row.active):
                if not active:
                    continue
                one, other = forward[k, j], reverse[k, j]
                if not (one == other or abs(one - other) <= 1e-11 * abs(one)):
                    apart.append(f"{row.name}{point} in {j}: {one} {other}")
                right = partial(row.name, number, _unit(len(row.letters), j))
                value = (
                    partial(row.name, number, (0,) * len(row.letters))
                    if row.name in FUNCTIONS
                    else 0
                )
                errors.setdefault((row.name, j, j), Error()).note(
                    point, one, right, 1e-4 * float(abs(value))
                )
    return errors, apart


def second_errors(walk: Walk, outer: DiffMode, inner: DiffMode) -> Errors:
    """For each function and pair of operands the worst error of a second derivative; inverses are compared with
    differences of their first."""
    errors: Errors = {}
    for number, x, there in batches(walk.lines):
        first = walk.jacobian(x)
        for i in range(WIDTH):
            if not any(len(row.active) > i and row.active[i] for _, row, _ in there):
                continue
            moved = _differences(walk, x, i)
            for j in range(WIDTH):
                found = walk.second(x, i, j, outer, inner)
                for k, row, point in there:
                    if max(i, j) >= len(row.active) or not (row.active[i] and row.active[j]):
                        continue
                    error = errors.setdefault((row.name, i, j), Error())
                    if row.name in FUNCTIONS:
                        orders = [0] * len(row.letters)
                        orders[i] += 1
                        orders[j] += 1
                        right = partial(row.name, number, tuple(orders))
                        scale = max(abs(first[k, i]), abs(first[k, j])) * 1e-2
                        error.note(point, found[k], right, scale)
                    elif row.steps[i]:  # a difference would cross one
                        error.note(point, found[k], 0.0, abs(first[k, j]) or 1.0)
                    else:
                        scale = abs(first[k, j]) / max(abs(point[i]), 1e-3)
                        error.note(
                            point,
                            found[k],
                            found[k] if _near(found[k], moved[k, j], scale) else moved[k, j],
                        )
    return errors


def _near(found: float, difference: float, scale: float) -> bool:
    """As near as a difference tells."""
    if math.isnan(difference):  # a probability moved out of its range
        return math.isfinite(found)
    return abs(found - difference) <= 1e-5 * max(abs(found), scale)


def _differences(walk: Walk, x: np.ndarray, i: int) -> np.ndarray:
    """Differences of fourth order of the first derivatives, along operand i."""
    at = np.abs(x.reshape(-1, WIDTH)[:, i])
    h = 2e-5 * np.where(at > 0.0, at, 1e-3)
    step = np.zeros((walk.size, WIDTH))
    step[:, i] = h
    step = step.ravel()
    near, far = (walk.jacobian(x + m * step) - walk.jacobian(x - m * step) for m in (1, 2))
    return (8.0 * near - far) / (12.0 * h[:, None])
