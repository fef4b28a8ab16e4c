"""Random loops as text: over scalars, arrays that are read and written at shifted indices, rows, and in calls.

The programs of `generator` are of all kinds, and few of them are such loops. What these carry from one iteration to the
next, hand out behind the last one, and read of elements that others write, decides what the reverse pass keeps and in
which order it runs. ``python -m tests.fuzz.loops --count 1000`` checks many.
"""

from __future__ import annotations

import argparse
import functools
import linecache
import random
import sys
from collections.abc import Callable

import numpy as np
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff


class Writer:
    """Lines of a function ``f(x, y, w, n, m)``: vectors of n numbers, and a matrix with a margin of four."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.lines = ["def f(x, y, w, n, m):"]
        self.made = 0

    def add(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def fresh(self, stem: str = "i") -> str:
        self.made += 1
        return f"{stem}{self.made}"


# Scalars ------------------------------------------------------------------------------------------


class Scalars(Writer):
    """Sums, last values, values before them, extremes, branches, inner loops, and which of it is returned."""

    def text(self) -> str:
        r = self.r
        self.names = [f"s{k}" for k in range(r.randint(2, 4))]
        for name in self.names:
            self.add(1, f"{name} = {r.choice(('0.0', '1.0', '0.5'))}")
        for _ in range(r.randint(1, 2)):
            self.loop([], 1, r.choice((0, 1, 1, 2)))
        chosen = r.sample(self.names, r.randint(1, len(self.names)))
        self.add(1, "return " + r.choice((" + ", " * ")).join(chosen))
        return "\n".join(self.lines) + "\n"

    def term(self, index: str) -> str:
        a, b = f"x[{index}]", f"y[{index}]"
        forms = [a, b, f"{a} * {b}", f"np.sin({a})", f"{a} * {a}", f"np.log({b} * {b} + 1.0)"]
        forms += [self.r.choice(self.names), f"0.3 * {self.r.choice(self.names)} * {a}"]
        return self.r.choice([*forms, f"np.exp(-{a})"])

    def loop(self, around: list[str], indent: int, depth: int) -> None:
        r, name = self.r, self.fresh()
        ranges = ["n", "n", "1, n", "n - 1, -1, -1", *([f"{around[-1]} + 1"] if around else [])]
        self.add(indent, f"for {name} in range({r.choice(ranges)}):")
        for _ in range(r.randint(1, 3)):
            if depth and r.random() < 0.3:
                self.loop([*around, name], indent + 1, depth - 1)
            else:
                self.statement([*around, name], indent + 1)
        if r.random() < 0.08:
            self.add(indent + 1, f"if {r.choice(self.names)} > 3.0:")
            self.add(indent + 2, "break")

    def statement(self, around: list[str], indent: int) -> None:
        r = self.r
        index, name, kind = r.choice(around), r.choice(self.names), r.random()
        if kind < 0.3:
            self.add(indent, f"{name} += {self.term(index)}")
        elif kind < 0.5:
            self.add(indent, f"{name} = {self.term(index)}")
        elif kind < 0.6:
            self.add(indent, f"{name} = {r.choice(self.names)}")
        elif kind < 0.7:
            self.add(indent, f"{name} = {r.choice(('max', 'min'))}({name}, {self.term(index)})")
        elif kind < 0.9:
            tests = (f"x[{index}] > 0.0", f"y[{index}] < 0.3", f"{index} % 2 == 0", f"{name} > 0.4")
            self.add(indent, f"if {r.choice(tests)}:")
            self.statement(around, indent + 1)
            if r.random() < 0.6:
                self.add(indent, "else:")
                self.statement(around, indent + 1)
        else:
            self.add(indent, f"{name} = {name} * 0.5 + {self.term(index)}")


# Arrays -------------------------------------------------------------------------------------------


class Arrays(Writer):
    """Nests over a matrix, a vector, a flat array and one of three dimensions; loops have numbers of n or of m."""

    def text(self) -> str:
        r = self.r
        self.flat, self.deep = r.random() < 0.3, r.random() < 0.3
        made = "np.zeros((n + 4, m + 4))\n    a += np.outer(np.sin(0.3 * np.arange(n + 4)), w[0])"
        self.add(1, "a = " + r.choice((made, "w.copy()", "w")))
        self.add(1, "v = 0.1 * np.arange(n + 4) + x[0]")
        if self.flat:
            self.add(1, "g = 0.01 * np.arange((n + 5) * (m + 5) * 2) + y[0]")
        if self.deep:
            self.add(1, "u = np.zeros((n + 4, m + 4, 3)) + w[1, 0]")
        self.add(1, "t = 0.0")
        for _ in range(r.randint(1, 3)):
            if r.random() < 0.25:
                self.add(1, f"for {self.fresh()} in range(2):")
                self.nest(r.choice((1, 2, 2)), [], 2)
            else:
                self.nest(r.choice((1, 2, 2, 3)), [], 1)
        whole = "return t + (a * a).sum() + v.sum()"
        whole += " + (g * np.cos(g)).sum()" if self.flat else ""
        self.add(1, whole + (" + np.sin(u).sum()" if self.deep else ""))
        return "\n".join(self.lines) + "\n"

    def range(self, around: list[tuple[str, str]], end: str) -> str:
        own = [name for name, size in around if size == end]
        if own and self.r.random() < 0.45:
            i = self.r.choice(own)
            band = f"max(0, {i} - 1), min({end}, {i} + 2)"
            return self.r.choice(
                (i, f"{i}, {end}", f"{i} + 1, {end}", f"{i} + 1", band, f"{end} - 1, {i}, -1")
            )
        forms = (end, end, f"1, {end}", f"{end} - 1", f"{end} - 1, -1, -1", f"0, {end}, 2")
        return self.r.choice((*forms, f"{end} - 2, 0, -1"))

    def index(self, around: list[tuple[str, str]], size: str) -> str:
        own, r = [name for name, end in around if end == size], self.r
        if not own or r.random() < 0.15:
            return r.choice(("2", "0", f"{size} + 1", "1", f"{size} + 3"))
        if r.random() < 0.1:
            return f"{size} + 1 - {own[-1]}"
        return f"{r.choice(own[-2:])} + {r.choice((2, 2, 2, 3, 1, 3, 1, 4, 0, -1))}"

    def cell(self, around: list[tuple[str, str]]) -> str:
        r, names = self.r, [name for name, _ in around]
        if self.deep and r.random() < 0.25:
            return f"u[{self.index(around, 'n')}, {self.index(around, 'm')}, {r.randrange(3)}]"
        if self.flat and r.random() < 0.25:
            row, column = r.choice(names), r.choice((*names, "m", "0", "1"))
            return (
                f"g[{row} * {r.choice(('m', 'm', '(m + 1)', '3'))} + {column} + {r.randrange(3)}]"
            )
        if r.random() < 0.35:
            return f"v[{self.index(around, 'n')}]"
        return f"a[{self.index(around, 'n')}, {self.index(around, 'm')}]"

    def nest(self, depth: int, around: list[tuple[str, str]], indent: int) -> None:
        r, name, size = self.r, self.fresh(), self.r.choice("nm")
        self.add(indent, f"for {name} in range({self.range(around, size)}):")
        around = [*around, (name, size)]
        if depth > 1 and r.random() < 0.85:
            if r.random() < 0.3:
                self.statement(around, indent + 1)
            self.nest(depth - 1, around, indent + 1)
            if r.random() < 0.5:
                self.statement(around, indent + 1)
        else:
            for _ in range(r.randint(1, 2)):
                self.statement(around, indent + 1)

    def statement(self, around: list[tuple[str, str]], indent: int) -> None:
        r = self.r
        if r.random() < 0.12 and len(around) > 1:
            one, other = r.sample([name for name, _ in around], 2)
            self.add(indent, f"if {one} {r.choice(('==', '<', '>=', '!='))} {other}:")
            indent += 1
        a, b, c = (self.cell(around) for _ in range(3))
        forms = (
            f"{a} * {b}",
            f"np.sin({a}) + {b} * {b}",
            f"{a} / (2.0 + {b} * {b})",
            f"{a} * x[0]",
        )
        term = r.choice((*forms, f"0.5 * {a} * {b} + {c}", f"np.tanh({a} * {b})"))
        target = r.choice((f"{self.cell(around)} =", f"{self.cell(around)} -= 0.1 *", "t +="))
        self.add(indent, f"{target} {r.choice(('np.sin', 'np.tanh'))}({term})")


# Rows ---------------------------------------------------------------------------------------------


class Rows(Writer):
    """Whole rows and columns of matrices, written and read before and behind where a loop is."""

    def text(self) -> str:
        r = self.r
        self.names = ["a", "b"]
        self.add(1, f"a = {r.choice(('np.zeros((n + 4, m + 4))', 'w.copy()', 'w'))}")
        self.add(
            1, f"b = {r.choice(('np.zeros_like(w) + 0.1', '0.5 * w', 'np.ones((n + 4, m + 4))'))}"
        )
        if r.random() < 0.3:
            self.add(1, "v = 0.3 * w[:, 0] + x[0]")
            self.names.append("v")
        self.add(1, f"a[{r.randrange(3)}] = y[0]")
        self.add(1, f"b[:, {r.randrange(3)}] += x[0]")
        self.add(1, "t = 0.0")
        for _ in range(r.randint(1, 2)):
            self.loop()
        self.add(1, "return t + " + " + ".join(f"({name} * {name}).sum()" for name in self.names))
        return "\n".join(self.lines) + "\n"

    def loop(self) -> None:
        r, name, size = self.r, self.fresh(), self.r.choice("nnm")
        ranges = (
            f"2, {size} + 2",
            f"{size} + 1, 1, -1",
            f"1, {size} + 2",
            f"2, {size} + 2, 2",
            f"{size} + 2",
            "1, 4",
            "2, 4",
            "3, 0, -1",
        )
        self.add(1, f"for {name} in range({r.choice(ranges)}):")
        for _ in range(r.randint(1, 3)):
            if r.random() < 0.3:
                inner, other = self.fresh(), "m" if size == "n" else "n"
                self.add(2, f"for {inner} in range({r.choice(('1', '2'))}, {other} + 2):")
                others = ("x[0]", f"v[{name}]") if "v" in self.names else ("x[0]",)
                self.statement(3, functools.partial(self.cell, name, inner, size), others)
            else:
                self.statement(2, functools.partial(self.part, name, size), ("y[0]", "0.5"))

    def near(self, name: str) -> str:
        return name + self.r.choice(("", " - 1", " + 1", " - 1", "", " - 2"))

    def cell(self, name: str, inner: str, size: str) -> str:
        at = [self.near(name), self.near(inner)]
        return f"{self.r.choice('ab')}[{', '.join(at if size == 'n' else reversed(at))}]"

    def part(self, name: str, size: str) -> str:
        """A row, or a column where the loop goes over columns."""
        at = self.near(name)
        return f"{self.r.choice('ab')}[{at if size == 'n' else ':, ' + at}]"

    def statement(self, indent: int, place: Callable[[], str], others: tuple[str, ...]) -> None:
        r = self.r
        one, two, target = place(), r.choice((place(), *others)), place()
        terms = (f"{one} * {two}", f"np.sin({one})", f"np.tanh({one}) ** 2", f"0.3 * {one} + {two}")
        self.add(indent, f"{target} {r.choice(('=', '=', '=', '+='))} {r.choice(terms)}")


# Calls --------------------------------------------------------------------------------------------


class Calls(Writer):
    """Functions that call themselves, so that they stay calls, and get and return arrays, which others write over.

    In some programs all have a list of two arrays in common, in which they put them.
    """

    def text(self) -> str:
        r = self.r
        self.lines = ["import math", "from numba.typed import List"]
        self.holder = r.choice(("", "", "[x * 1.0, y * 1.0]", "List([x * 1.0, y * 1.0])"))
        kinds = [r.choice(("number", "array", "both", "row")) for _ in range(r.randint(1, 2))]
        for k, kind in enumerate(kinds):
            self.helper(k, kind)
        self.add(0, "def f(x, y, w, n, m):")
        self.add(1, "t = 0.0")
        self.names = ["x", "y"]
        for made in range(r.randint(1, 2)):
            self.add(
                1,
                f"a{made} = {r.choice(('x * 2.0', 'np.sin(y)', 'x.copy()', 'x * y', 'np.zeros(n) + w[0, 0]'))}",
            )
            self.names.append(f"a{made}")
        if self.holder:
            self.add(1, f"held = {self.holder}")
        for _ in range(r.randint(3, 7) if self.holder else r.randint(2, 5)):
            self.step(kinds)
        self.add(1, "for i in range(n):")
        self.add(2, "t += " + " * ".join(f"{name}[i]" for name in r.sample(self.names, 2)))
        self.add(1, "return t")
        return "\n".join(self.lines) + "\n"

    def helper(self, k: int, kind: str) -> None:
        r = self.r
        self.add(0, "@njit")
        self.add(0, f"def h{k}(p, q, b, d):")
        again = f"h{k}(p, q, b, d - 1)"
        self.add(1, "if d > 0:")
        if kind == "array" and r.random() < 0.5:
            self.add(2, f"z = {again}")
            self.add(2, "for i in range(len(z)):")
            self.add(3, f"z[i] = {self.value(('z', 'p', 'q'))}")
            self.add(2, "return z")
        else:
            self.add(2, f"return {again}")
        rows = kind == "row"
        self.add(1, f"s = 0.0\n    u = np.zeros({'(2, len(p))' if rows else 'len(p)'})")
        own = "u[1]" if rows else "u"
        for _ in range(r.randint(1, 3)):
            self.add(1, "for i in range(len(p)):")
            target = r.choice((own, own, "s", "p", "b[0]"))
            value = self.value((own, "p", "q", "b[0]", "b[1]"))
            self.add(
                2,
                f"s += {value}"
                if target == "s"
                else f"{target}[i] {r.choice(('=', '+='))} {value}",
            )
            if self.holder and r.random() < 0.4:
                self.add(1, f"b[{r.randrange(2)}] = {r.choice(('p', own, own))}")
        self.add(1, "return " + {"number": "s", "array": "u", "both": "s, u", "row": "u[1]"}[kind])

    def value(self, names: tuple[str, ...]) -> str:
        a, b, c = (f"{self.r.choice(names)}[i]" for _ in range(3))
        return self.r.choice(
            (f"{a} * {b}", f"math.sin({a} * {b})", f"{a} * {a} * {c}", f"0.5 * {a} + {b} * {c}")
        )

    def step(self, kinds: list[str]) -> None:
        r = self.r
        if r.random() < 0.5:
            k = r.randrange(len(kinds))
            given = [r.choice(self.names) for _ in range(2)]
            box = "held" if self.holder else f"({r.choice(self.names)}, {r.choice(self.names)})"
            call = f"h{k}({given[0]}, {given[1]}, {box}, {r.randint(1, 2)})"
            name = self.fresh("r")
            if kinds[k] == "number":
                self.add(1, f"t += {call}")
            elif kinds[k] == "both":
                self.add(1, f"s{name}, {name} = {call}")
                self.add(1, f"t += s{name}")
            else:
                self.add(1, f"{name} = {call}")
            if kinds[k] != "number":
                self.names.append(name)
        elif self.holder and r.random() < 0.3:
            if r.random() < 0.5:
                self.add(1, f"held[{r.randrange(2)}] = {r.choice(self.names)}")
            else:
                name = self.fresh("r")
                self.add(1, f"{name} = held[{r.randrange(2)}]")
                self.names.append(name)
        else:
            target = r.choice(self.names)
            self.add(1, "for i in range(n):")
            if r.random() < 0.4:
                self.add(2, f"t += {self.value(tuple(self.names))}")
            self.add(2, f"{target}[i] = {r.choice(('7.0', self.value(tuple(self.names))))}")


FAMILIES = {"scalars": Scalars, "arrays": Arrays, "rows": Rows, "calls": Calls}


def failure(family: str, seed: int) -> str | None:
    """What is wrong with the derivative of a program, and the program; None if nothing is."""
    text = FAMILIES[family](seed).text()
    name = f"<{family} {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope: dict[str, object] = {"np": np, "njit": njit}
    exec(compile(text, name, "exec"), scope)
    f = njit(scope["f"])
    for n, m in ((5, 3), (1, 1), (3, 4)):
        rng = np.random.default_rng(seed + n)
        given = [rng.normal(size=n), rng.normal(size=n), rng.normal(size=(n + 4, m + 4))]
        tangents = [rng.normal(size=a.shape) for a in given]
        along = [Duplicated(a.copy(), d.copy()) for a, d in zip(given, tangents, strict=True)]
        (forward,) = autodiff(Forward, f, *along, Const(n), Const(m))
        shadows = [np.zeros_like(a) for a in given]
        back = [Duplicated(a.copy(), d) for a, d in zip(given, shadows, strict=True)]
        autodiff(Reverse, f, Active, *back, Const(n), Const(m))
        terms = [s * d for s, d in zip(shadows, tangents, strict=True)]
        reverse, size = sum(t.sum() for t in terms), 1.0 + sum(np.abs(t).sum() for t in terms)
        ordinary = np.isfinite(forward) and abs(forward) < 1e12 and size < 1e12
        if ordinary and abs(forward - reverse) > 1e-9 * (size + abs(forward)):
            return f"n = {n}, m = {m}: forward {forward}, reverse {reverse}\n{text}"
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--family", choices=FAMILIES, action="append")
    given = parser.parse_args()
    failed = 0
    families = given.family or list(FAMILIES)
    for family in families:
        for seed in range(given.seed, given.seed + given.count):
            found = failure(family, seed)
            if found is not None:
                failed += 1
                print(f"{family} {seed}: {found}", flush=True)
    print(f"{len(families) * given.count} programs, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
