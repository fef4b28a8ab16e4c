"""Random programs over arrays that are overwritten in nested loops whose lengths depend on each other.

Indices are in range because of these lengths alone: ``x[q + 1]`` where `q` is less than `n`, in an array of ``n + 1``.
What a load finds there may be what another loop has left, or the iteration before.
"""

from __future__ import annotations

import numpy as np

_ARRAYS = ("x", "y", "z", "h")
_INDICES = {
    "m": ("{0}", "{0}", "{0}", "m - 1 - {0}", "({0} + 1) % m", "({0} * 2) % m"),
    "n": ("{0}", "{0}", "{0}", "{0} + 1", "n - 1 - {0}"),
    "less": ("{0}", "{0}"),
}
_RANGES = (
    *[("m", "range(m)")] * 2,
    *[("n", "range(n)")] * 2,
    ("m", "range(m - 1, -1, -1)"),
    ("less", "range(m - 1)"),
    ("less", "range(1, m)"),
    ("less", "range(m // 2)"),
    ("less", "range(1, n)"),
    ("less", "range(n - 1)"),
)
_LENGTHS = ("n + 1", "n + 1", "n + 2", "2 * n + 1")
_FIRST = ("z = np.zeros(m)", "z = x[:m].copy()", "z = np.ones(m)", "z = x * y")
_STATES = (
    "h = np.zeros(m)",
    "h = y[:m].copy()",
    "h = np.full(m, 0.4)",
    "h = x",
    "h = np.empty(m)\nfor i in range(m):\n    h[i] = x[i] * y[i]",
)
_TESTS = ("a > b", "x[0] > 0.5", "n > 1", "s < 3.0")
_OPERATIONS = ("*", "*", "+", "-")
_DEEPEST = 3
Loops = list[tuple[str, str]]


class Overwritten:
    """One program, by its number."""

    def __init__(self, number: int) -> None:
        self.rng = np.random.default_rng([number, 17])
        self.names = 0

    def text(self) -> str:
        """A function ``f(x, y, n)`` of arrays of ``2 * n + 4`` numbers."""
        times, kind = self.one((("n", "n"), ("m", "m"), ("2", "less")))
        lines = ["s = 0.0", "a = 0.5", "b = 0.25", f"m = {self.one(_LENGTHS)}"]
        lines += [self.one(_FIRST), *self.one(_STATES).split("\n"), f"for t in range({times}):"]
        around = [] if times == "2" else [("t", kind)]
        lines += self.block(around, 1, 2 + self.below(4))
        lines.append("return s + (z * z).sum() + (h * h).sum() * 0.5 + (x * y).sum()")
        return "def f(x, y, n):\n" + "\n".join(f"    {line}" for line in lines)

    def below(self, count: int) -> int:
        return int(self.rng.integers(count))

    def one(self, these):
        return these[self.below(len(these))]

    def index(self, loops: Loops) -> str:
        found = ["0", "m - 1", "m // 2", "n"]
        for name, kind in loops:
            found += [way.format(name) for way in _INDICES[kind]]
        return self.one(found)

    def item(self, loops: Loops) -> str:
        return f"{self.one(_ARRAYS)}[{self.index(loops)}]"

    def expression(self, loops: Loops, depth: int = 0) -> str:
        kind = self.below(9)
        if depth > 2 or kind < 3:
            return self.item(loops)
        if kind == 3:
            return self.one(("a", "b", "s * 0.01", "0.7"))
        inner = self.expression(loops, depth + 1)
        if kind < 7:
            return ("np.sin({})", "np.exp(-np.abs({}))", "np.tanh({})")[kind - 4].format(inner)
        return f"({inner} {self.one(_OPERATIONS)} {self.expression(loops, depth + 1)})"

    def block(self, loops: Loops, depth: int, count: int) -> list[str]:
        lines = [line for _ in range(count) for line in self.statement(loops, depth)]
        return [f"    {line}" for line in lines]

    def statement(self, loops: Loops, depth: int) -> list[str]:
        kind = self.below(12)
        value = self.expression(loops)
        if kind < 5:
            ways = (
                "{0} = np.sin({1})",
                "{0} = 0.8 * {1}",
                "{0} += 0.3 * {1}",
                "{0} *= 0.5 + 0.5 * np.tanh({1})",
            )
            return [self.one(ways).format(self.item(loops), value)]
        if kind == 5:
            return [f"{self.one(('a', 'b'))} = np.tanh({value})"]
        if kind == 6 or depth >= _DEEPEST:
            return [f"s += 0.1 * {value}"]
        if kind == 7:
            return [f"if {self.one(_TESTS)}:", *self.block(loops, depth, 1 + self.below(2))]
        self.names += 1
        name = f"i{self.names}"
        length, header = self.one(_RANGES)
        inside = [*loops, (name, length)]
        return [f"for {name} in {header}:", *self.block(inside, depth + 1, 1 + self.below(3))]
