"""Statements: stores, calls, loops, branches, early exits.

A method `make_...` gives the lines of one statement and the scope behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tests.fuzz.expressions import Expressions, Scope

Made = tuple[list[str], Scope]


@dataclass(frozen=True)
class Feature:
    """A statement of another file.

    `dear` to compile; a `loop` of which it gives the head and the scope inside; `uses` a thing of
    this kind; `opens` a program, because it makes a thing.
    """

    make: Callable[[Statements, Scope], Made]
    dear: bool = False
    loop: bool = False
    uses: str = ""
    opens: bool = False


@dataclass(frozen=True)
class Part:
    """A function beside the program; it may take a thing of one kind as its last argument."""

    name: str
    text: str
    takes: str = ""


@dataclass
class Statements(Expressions):
    """Draws statements, `features` included."""

    features: list[Feature] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)

    def block(self, s: Scope, indent: str) -> list[str]:
        lines: list[str] = []
        for _ in range(self.one([1, 2, 3, 4])):
            if self.budget <= 0:
                break
            self.budget -= 1
            more, s = self.statement(s, indent)
            lines += more
        return lines or [f"{indent}pass"]

    def statement(self, s: Scope, indent: str) -> Made:
        kinds = ["scalar", "store", "store", "update", "call", "new array", "array"]
        if s.depth < 3:
            kinds += ["for", "for", "branch", "while"]
        kinds += ["feature"] * 10
        if s.in_loop:
            kinds += ["leave"]
        elif s.depth and self.returns:
            kinds += ["return"]
        kind = self.one(kinds)
        make = getattr(self, "make_" + kind.replace(" ", "_"))
        lines, s = make(s)
        return [indent + line for line in lines], s

    def make_feature(self, s: Scope) -> Made:
        """A feature of another file, preferably one that uses what is there."""
        possible = [
            f
            for f in self.features
            if not ((f.loop and s.depth >= 3) or (f.dear and self.dear <= 0))
            and (not f.uses or s.of(f.uses))
        ]
        used = [f for f in possible if f.uses]
        feature = self.one(used if used and self.chance(65) else possible)
        self.dear -= feature.dear
        if not feature.loop:
            return feature.make(self, s)
        lines, inner = feature.make(self, s)
        inner = replace(inner, in_loop=True, depth=s.depth + 1)
        return [*lines, *self.block(inner, "    ")], s

    def make_scalar(self, s: Scope) -> Made:
        if self.chance(10):
            return [self.one(["s, t = t, s", "w[0], w[1] = w[1], w[0]"])], s
        return [f"{self.one(s.scalars)} = {self.bounded(s)}"], s

    def make_store(self, s: Scope) -> Made:
        return [f"{self.element(s)} = {self.bounded(s)}"], s

    def make_update(self, s: Scope) -> Made:
        target = self.one([self.one(s.scalars), self.element(s)])
        return [f"{target} *= 0.7", f"{target} += 0.3 * math.sin({self.expression(s)})"], s

    def make_call(self, s: Scope) -> Made:
        which = self.one(["pair", "damp", "descend"])
        v, p, q = self.one(s.vectors), self.leaf(s), self.leaf(s)
        if which == "pair":
            first, second = self.one(s.scalars), self.one(s.scalars)
            return [f"{first}, {second} = pair({p}, {q})"], s
        if which == "damp":
            return [f"damp({v}, {p})"], s
        return [f"{self.one(s.scalars)} = descend({v}, {self.one(['0', '2'])}, {p} * 1.0)"], s

    def make_new_array(self, s: Scope) -> Made:
        kinds = ["copy", "zeros", "fresh", "rebind", "filled", "view", "grid"]
        kind = "expression" if self.chance(5) else self.one(kinds)
        v = self.one(s.vectors)
        if kind == "rebind" and s.owned:
            options = [self.one(s.owned), self.copy_of(s, v)]
            if v in s.owned:
                options.append(f"fresh({v}, {self.leaf(s)})")
            if not self.single and self.chance(10):
                options.append(self.array_expression(s))
            return [f"{self.one(s.owned)} = {self.one(options)}"], s
        if kind == "view":
            name = self.name("view")
            how = self.one([f"{v}[::-1]", f"{self.one(s.grids)}[1, :]"])
            if how.endswith(":]"):
                return [f"{name} = {how}", f"{name}[1] = {self.bounded(s)}"], s
            return [f"{name} = {how}"], s.plus(vectors=[name])
        if kind == "grid":
            name = self.name("grid")
            how = self.one(["np.zeros((3, 4))", f"{self.one(s.grids)}.copy()"])
            return [f"{name} = {how}"], s.plus(grids=[name])
        name = self.name("t")
        if kind == "expression":
            return [f"{name} = {self.array_expression(s)}"], s.plus(vectors=[name])
        s_new = s.plus(vectors=[name], owned=[name])
        if kind == "zeros":
            return [f"{name} = np.zeros({self.length()}, x.dtype)"], s_new
        if kind == "fresh" and s.owned:
            source = self.one(s.owned)
            return [f"{name} = fresh({source}, {self.leaf(s)})"], s_new
        if kind == "filled":
            i = self.name("i")
            inner = s.plus(positions=[i], integers=[i])
            return [
                f"{name} = np.empty({self.length()}, x.dtype)",
                f"for {i} in range(len(x)):",
                f"    {name}[{i}] = {self.bounded(inner)}",
            ], s_new
        return [f"{name} = {self.copy_of(s, v)}"], s_new

    def copy_of(self, s: Scope, v: str) -> str:
        """With the type of `x`, which only those surely have that are owned (see `arrays.rounded`)."""
        return f"{v}.copy()" if v in s.owned else f"{v}.astype(x.dtype)"

    def length(self) -> str:
        """That of every vector; memory of a known size may move to the stack."""
        return self.one(["len(x)", "5"])

    def make_array(self, s: Scope) -> Made:
        v = self.one(s.vectors)
        form = self.one(["slice", "scale"])
        if self.chance(10):  # numba takes seconds to compile these
            form = self.one(["whole", "shift", "row"])
        if form == "scale" and "[" not in v:
            return [f"{v} *= {self.one(['0.5', self.one(s.scalars)])}"], s
        if form == "shift":
            return [
                f"{v}[1:] = {self.one([v, self.one(s.vectors)])}[:-1]{self.one(['', ' * 0.9'])}"
            ], s
        if form == "row":
            g = self.one(s.grids)
            return [f"{g}[{self.one(['1', *s.rows])}] = {v}[:4] * 0.5"], s
        if form == "whole":
            return [f"{v}[:] = {self.array_expression(s)}"], s
        return [f"{v}[1:3] = {self.leaf(s)}"], s

    def make_for(self, s: Scope) -> Made:
        i = self.name("i")
        inner = replace(s, in_loop=True, depth=s.depth + 1).plus(integers=[i])
        kind = self.one(["vector", "vector", "count", "grid", "data", "triangle"])
        if kind == "grid":
            j = self.name("j")
            inner = replace(inner, depth=s.depth + 2).plus(rows=[i], columns=[j], integers=[j])
            head = [f"for {i} in range(3):", f"    for {j} in range(4):"]
            return head + self.block(inner, " " * 8), s
        if kind == "vector":
            head = self.one(
                ["range(len(x))", "range(1, len(x))", "range(len(x) - 1, -1, -1)", "range(0, 5, 2)"]
            )
            inner = inner.plus(positions=[i])
        elif kind == "data":
            head = f"range(int(3.0 * abs(math.sin({self.leaf(s)}))) + 1)"
        elif kind == "triangle" and s.integers:
            head = f"range({self.one(s.integers)})"
        else:
            head = self.one(["range(n)", "range(1, n + 2)", "range(0)"])
        lines = [f"for {i} in {head}:", *self.block(inner, "    ")]
        if self.chance(10):
            lines += ["else:", *self.block(replace(s, depth=s.depth + 1), "    ")]
        return lines, s

    def make_while(self, s: Scope) -> Made:
        k = self.name("k")
        inner = replace(s, in_loop=True, depth=s.depth + 1).plus(integers=[k])
        test = self.one([f"{k} < 4", f"{k} < 6 and ({self.condition(s)})", "True"])
        lines = [f"{k} = 0", f"while {test}:", f"    {k} += 1"]
        if test == "True":
            lines += [f"    if {k} > 5 or {self.condition(inner)}:", "        break"]
        return lines + self.block(inner, "    "), s

    def make_branch(self, s: Scope) -> Made:
        inner = replace(s, depth=s.depth + 1)
        lines = [f"if {self.condition(s)}:", *self.block(inner, "    ")]
        if self.chance(50):
            lines += ["else:", *self.block(inner, "    ")]
        return lines, s

    def make_leave(self, s: Scope) -> Made:
        result = f"return {self.leaf(s)} * 1.0" if self.returns else "return"
        how = self.one(["break", "continue", "continue", result])
        return [f"if {self.condition(s)}:", f"    {how}"], s

    def make_return(self, s: Scope) -> Made:
        return [f"if {self.condition(s)}:", f"    return {self.leaf(s)} * 1.0"], s
