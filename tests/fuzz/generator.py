"""Random programs: Python source of a function that the engine must differentiate.

Every value that is stored is bounded (it went through sin, tanh, ... or an average), so loops
neither overflow nor leave the domain of a function; every `while` has a counter beside its
condition on data.  Simple choices stand first in every list, which is what hypothesis shrinks to.
Not generated: exceptions, complex numbers, lists, calls of linear algebra libraries.
"""

from __future__ import annotations

import linecache
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

HELPERS = {
    "mix": """\
@njit
def mix(p, q):
    if p > q:
        return 0.5 * p + math.sin(q)
    return math.cos(p) * 0.4 * q
""",
    "pair": """\
@njit
def pair(p, q):
    return math.sin(p * q), 0.5 * p - 0.5 * q
""",
    "weigh": """\
@njit
def weigh(v):
    total = 0.0
    for i in range(len(v)):
        total = 0.8 * total + 0.2 * v[i] * v[i]
        if total > 0.7:
            break
    return total
""",
    "largest": """\
@njit
def largest(v):
    best = v[0]
    for i in range(1, len(v)):
        if v[i] > best:
            best = v[i]
    return best
""",
    "damp": """\
@njit
def damp(v, p):
    for i in range(len(v)):
        v[i] = math.tanh(v[i] * p + 0.1 * v[i - 1])
""",
    "fresh": """\
@njit
def fresh(v, p):
    made = np.empty_like(v)
    for i in range(len(v)):
        made[i] = 0.5 * v[i] + math.sin(p * v[len(v) - 1 - i])
    return made
""",
    "descend": """\
@njit
def descend(v, i, p):
    if i >= len(v):
        return p
    v[i] = math.sin(v[i] + 0.3 * p)
    below = descend(v, i + 1, 0.9 * p * v[i])
    return 0.5 * below + 0.5 * v[i] * p
""",
}
CONSTANTS = ["0.5", "1.0", "-0.3", "0.1", "2.0", "-1.0"]
HEAD = "import math\nimport numpy as np\nfrom numba import njit\n"
WARM_UP = (
    HEAD
    + HELPERS["weigh"]
    + """\
@njit
def program(x, y, a, b, n):
    w = np.zeros(len(x), x.dtype)
    w *= 0.5
    w[1:3] = y[1, 1]
    w = w + x.copy() + y.copy()[0, 0]
    return weigh(w) + w.sum() * math.tanh(b) * math.exp(a) * math.sqrt(1.0 + b * b)
"""
)


@dataclass(frozen=True)
class Program:
    """Source text and how to call it; `arguments()` makes the same inputs every time."""

    source: str
    single: bool
    layout: str
    seed: int

    def arguments(self) -> tuple[Any, ...]:
        rng = np.random.default_rng(self.seed)
        dtype = np.float32 if self.single else np.float64
        x = (0.8 * rng.standard_normal(5)).astype(dtype)
        y = (0.8 * rng.standard_normal((3, 4))).astype(dtype)
        if self.layout == "F":
            y = np.asfortranarray(y)
        elif self.layout == "A":
            x = np.repeat(x, 2)[::2]
            y = np.repeat(y, 2, axis=1)[::-1, ::2]
        a, b = rng.uniform(-1.0, 1.0, 2)
        scalar = np.float32 if self.single else float
        return x, y, scalar(a), scalar(b), 3

    def compiled(self) -> Any:
        return define(self.source)["program"]

    def interpreted(self) -> Any:
        """The same function in plain Python: nothing to compile, and an independent witness."""
        return define(self.source.replace("@njit\n", ""))["program"]

    def __str__(self) -> str:
        head = f"# single={self.single} layout={self.layout!r} seed={self.seed}\n"
        return head + self.source

    __repr__ = __str__


def define(source: str) -> dict[str, Any]:
    """The names that `source` defines."""
    name = f"<fuzz {zlib.crc32(source.encode()):08x}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    # Recursion in a function of no real module is an unresolved symbol in numba.
    scope: dict[str, Any] = {"__name__": __name__}
    exec(compile(source, name, "exec"), scope)
    return scope


def from_text(text: str) -> Program:
    """The program that `str` printed."""
    head, source = text.split("\n", 1)
    settings = eval(f"dict({head.removeprefix('# ').replace(' ', ', ')})")
    return Program(source, **settings)


@dataclass(frozen=True)
class Scope:
    """Names that may be used at one place of the program."""

    scalars: tuple[str, ...]
    vectors: tuple[str, ...]  # 1-d, all of one length
    owned: tuple[str, ...]  # vectors that may be bound to another array
    grids: tuple[str, ...]  # 2-d
    integers: tuple[str, ...] = ()
    positions: tuple[str, ...] = ()  # integers that are valid positions of a vector
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    in_loop: bool = False
    depth: int = 0


@dataclass
class Writer:
    """Draws a program; `budget` bounds the number of statements."""

    draw: Callable[[st.SearchStrategy[Any]], Any]
    single: bool
    returns: bool
    budget: int
    used: set[str] = field(default_factory=set)
    names: int = 0

    def one(self, options: Any) -> Any:
        return self.draw(st.sampled_from(list(options)))

    def chance(self, percent: int) -> bool:
        return self.draw(st.integers(0, 99)) >= 100 - percent

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def helper(self, name: str) -> str:
        self.used.add(name)
        return name

    # --- expressions ------------------------------------------------------------------------------

    def position(self, s: Scope) -> str:
        options = ["0", "1", "-1"]
        for i in s.positions:
            options += [i, f"{i} - 1", f"({i} + 1) % len(x)"]
        options += [f"{k} % len(x)" for k in s.integers]
        return self.one(options)

    def cell(self, s: Scope, grid: str) -> str:
        row = self.one(["0", *s.rows, *(f"{r} - 1" for r in s.rows), "2"])
        column = self.one(["0", *s.columns, *(f"{c} - 1" for c in s.columns), "3"])
        return f"{grid}[{row}, {column}]"

    def element(self, s: Scope) -> str:
        if self.chance(30):
            return self.cell(s, self.one(s.grids))
        return f"{self.one(s.vectors)}[{self.position(s)}]"

    def leaf(self, s: Scope) -> str:
        kind = self.one(["scalar", "element", "constant", "integer"])
        if kind == "element":
            return self.element(s)
        if kind == "constant":
            return self.one(CONSTANTS)
        if kind == "integer" and s.integers:
            return f"0.1 * {self.one(s.integers)}"
        return self.one(s.scalars)

    def expression(self, s: Scope, depth: int = 2) -> str:
        if depth == 0 or self.chance(25):
            return self.leaf(s)
        e = self.expression(s, depth - 1)
        form = self.one(
            [
                "add",
                "multiply",
                "sin",
                "tanh",
                "divide",
                "root",
                "gauss",
                "logarithm",
                "angle",
                "choose",
                "smaller",
                "absolute",
                "reduce",
                "mix",
                "weigh",
                "largest",
            ]
        )
        if form in ("add", "multiply", "divide", "choose", "smaller", "mix"):
            f = self.expression(s, depth - 1)
            if form == "choose":
                return f"({e} if {self.leaf(s)} > {self.leaf(s)} else {f})"
            return {
                "add": f"(0.6 * {e} - 0.4 * {f})",
                "multiply": f"{e} * {f}",
                "divide": f"{e} / (1.0 + ({f}) ** 2)",
                "smaller": f"{self.one(['min', 'max'])}({e}, {f})",
                "mix": f"{self.helper('mix') if form == 'mix' else ''}({e}, {f})",
            }[form]
        if form == "reduce":
            return f"0.2 * {self.one(s.vectors)}.sum()"
        if form in ("weigh", "largest"):
            return f"{self.helper(form)}({self.one(s.vectors)})"
        return {
            "sin": f"math.sin({e})",
            "tanh": f"math.tanh({e})",
            "root": f"(math.sqrt(1.0 + ({e}) ** 2) - 1.0)",
            "gauss": f"math.exp(-(({e}) ** 2))",
            "logarithm": f"math.log(1.5 + math.cos({e}))",
            "angle": f"math.atan2({e}, 1.5)",
            "absolute": f"abs({e})",
        }[form]

    def bounded(self, s: Scope) -> str:
        form = self.one(["leaf", "average", "sin", "tanh", "rational"])
        if form == "leaf":
            return self.leaf(s)
        if form == "average":
            return f"0.5 * {self.leaf(s)} + 0.5 * {self.leaf(s)}"
        e = self.expression(s)
        if form == "rational":
            return f"{e} / (1.0 + abs({e}))"
        return f"math.{form}({e})"

    def condition(self, s: Scope) -> str:
        options = [f"{self.leaf(s)} > {self.one(CONSTANTS)}"]
        if self.chance(50):
            options.append(f"{self.expression(s, 1)} < {self.leaf(s)}")
        options += [f"{k} % 2 == 0" for k in s.integers]
        options += [f"{k} > 1" for k in s.integers]
        return self.one(options)

    def array_expression(self, s: Scope) -> str:
        v, w = self.one(s.vectors), self.one(s.vectors)
        return self.one(
            [
                f"0.5 * {v} + 0.5 * {w}",
                f"np.sin({v} * {self.leaf(s)})",
                f"np.tanh({v} * {w} + {self.leaf(s)})",
                f"{v}[::-1] * 0.9",
            ]
        )

    # --- statements -------------------------------------------------------------------------------

    def block(self, s: Scope, indent: str) -> list[str]:
        lines: list[str] = []
        for _ in range(self.draw(st.integers(1, 4))):
            if self.budget <= 0:
                break
            self.budget -= 1
            more, s = self.statement(s, indent)
            lines += more
        return lines or [f"{indent}pass"]

    def statement(self, s: Scope, indent: str) -> tuple[list[str], Scope]:
        kinds = ["scalar", "store", "store", "update", "call", "new array", "array"]
        if s.depth < 3:
            kinds += ["for", "for", "branch", "while"]
        if s.in_loop:
            kinds += ["leave"]
        elif s.depth and self.returns:
            kinds += ["return"]
        kind = self.one(kinds)
        make = getattr(self, "make_" + kind.replace(" ", "_"))
        lines, s = make(s)
        return [indent + line for line in lines], s

    def make_scalar(self, s: Scope) -> tuple[list[str], Scope]:
        return [f"{self.one(s.scalars)} = {self.bounded(s)}"], s

    def make_store(self, s: Scope) -> tuple[list[str], Scope]:
        return [f"{self.element(s)} = {self.bounded(s)}"], s

    def make_update(self, s: Scope) -> tuple[list[str], Scope]:
        target = self.one([self.one(s.scalars), self.element(s)])
        return [f"{target} *= 0.7", f"{target} += 0.3 * math.sin({self.expression(s)})"], s

    def make_call(self, s: Scope) -> tuple[list[str], Scope]:
        which = self.one(["pair", "damp", "descend"])
        v, p, q = self.one(s.vectors), self.leaf(s), self.leaf(s)
        self.helper(which)
        if which == "pair":
            first, second = self.one(s.scalars), self.one(s.scalars)
            return [f"{first}, {second} = pair({p}, {q})"], s
        if which == "damp":
            return [f"damp({v}, {p})"], s
        return [f"{self.one(s.scalars)} = descend({v}, {self.one(['0', '2'])}, {p} * 1.0)"], s

    def make_new_array(self, s: Scope) -> tuple[list[str], Scope]:
        kinds = ["copy", "zeros", "fresh", "rebind", "filled", "view", "grid"]
        kind = "expression" if self.chance(5) else self.one(kinds)
        v = self.one(s.vectors)
        if kind == "rebind" and s.owned:
            options = [self.one(s.owned), f"{v}.copy()"]
            if v in s.owned:
                options.append(f"{self.helper('fresh')}({v}, {self.leaf(s)})")
            if not self.single and self.chance(10):
                options.append(self.array_expression(s))
            return [f"{self.one(s.owned)} = {self.one(options)}"], s
        if kind == "view":
            name = self.name("view")
            how = self.one([f"{v}[::-1]", f"{self.one(s.grids)}[1, :]"])
            if how.endswith(":]"):
                return [f"{name} = {how}", f"{name}[1] = {self.bounded(s)}"], s
            return [f"{name} = {how}"], replace(s, vectors=(*s.vectors, name))
        if kind == "grid":
            name = self.name("grid")
            how = self.one(["np.zeros((3, 4))", f"{self.one(s.grids)}.copy()"])
            return [f"{name} = {how}"], replace(s, grids=(*s.grids, name))
        name = self.name("t")
        if kind == "expression":
            line = f"{name} = {self.array_expression(s)}"
            return [line], replace(s, vectors=(*s.vectors, name))
        s_new = replace(s, vectors=(*s.vectors, name), owned=(*s.owned, name))
        if kind == "zeros":
            return [f"{name} = np.zeros(len(x), x.dtype)"], s_new
        if kind == "fresh" and s.owned:
            source = self.one(s.owned)
            return [f"{name} = {self.helper('fresh')}({source}, {self.leaf(s)})"], s_new
        if kind == "filled":
            i = self.name("i")
            inner = replace(s, positions=(*s.positions, i), integers=(*s.integers, i))
            return [
                f"{name} = np.empty(len(x), x.dtype)",
                f"for {i} in range(len(x)):",
                f"    {name}[{i}] = {self.bounded(inner)}",
            ], s_new
        return [f"{name} = {v}.copy()"], s_new

    def make_array(self, s: Scope) -> tuple[list[str], Scope]:
        v = self.one(s.vectors)
        form = self.one(["slice", "scale"])
        if self.chance(10):  # numba takes seconds to compile these
            form = self.one(["whole", "shift", "row"])
        if form == "scale":
            return [f"{v} *= {self.one(['0.5', self.one(s.scalars)])}"], s
        if form == "shift":
            return [f"{v}[1:] = {self.one(s.vectors)}[:-1] * 0.9"], s
        if form == "row":
            g = self.one(s.grids)
            return [f"{g}[{self.one(['1', *s.rows])}] = {v}[:4] * 0.5"], s
        if form == "slice":
            return [f"{v}[1:3] = {self.leaf(s)}"], s
        return [f"{v}[:] = {self.array_expression(s)}"], s

    def make_for(self, s: Scope) -> tuple[list[str], Scope]:
        i = self.name("i")
        inner = replace(s, in_loop=True, depth=s.depth + 1, integers=(*s.integers, i))
        kind = self.one(["vector", "vector", "count", "grid", "data", "triangle"])
        if kind == "grid":
            j = self.name("j")
            inner = replace(
                inner,
                rows=(*s.rows, i),
                columns=(*s.columns, j),
                integers=(*s.integers, i, j),
                depth=s.depth + 2,
            )
            head = [f"for {i} in range(3):", f"    for {j} in range(4):"]
            return head + self.block(inner, " " * 8), s
        if kind == "vector":
            head = self.one(
                ["range(len(x))", "range(1, len(x))", "range(len(x) - 1, -1, -1)", "range(0, 5, 2)"]
            )
            inner = replace(inner, positions=(*s.positions, i))
        elif kind == "data":
            head = f"range(int(3.0 * abs(math.sin({self.leaf(s)}))) + 1)"
        elif kind == "triangle" and s.integers:
            head = f"range({self.one(s.integers)})"
        else:
            head = self.one(["range(n)", "range(1, n + 2)", "range(0)"])
        return [f"for {i} in {head}:", *self.block(inner, "    ")], s

    def make_while(self, s: Scope) -> tuple[list[str], Scope]:
        k = self.name("k")
        inner = replace(s, in_loop=True, depth=s.depth + 1, integers=(*s.integers, k))
        test = self.one([f"{k} < 4", f"{k} < 6 and {self.condition(s)}"])
        lines = [f"{k} = 0", f"while {test}:", f"    {k} += 1", *self.block(inner, "    ")]
        return lines, s

    def make_branch(self, s: Scope) -> tuple[list[str], Scope]:
        inner = replace(s, depth=s.depth + 1)
        lines = [f"if {self.condition(s)}:", *self.block(inner, "    ")]
        if self.chance(50):
            lines += ["else:", *self.block(inner, "    ")]
        return lines, s

    def make_leave(self, s: Scope) -> tuple[list[str], Scope]:
        result = f"return {self.leaf(s)} * 1.0" if self.returns else "return"
        how = self.one(["break", "continue", "continue", result])
        return [f"if {self.condition(s)}:", f"    {how}"], s

    def make_return(self, s: Scope) -> tuple[list[str], Scope]:
        return [f"if {self.condition(s)}:", f"    return {self.leaf(s)} * 1.0"], s


@st.composite
def programs(draw: Any, statements: int = 12) -> Program:
    """A random program of at most `statements` statements."""
    single = draw(st.integers(0, 4)) == 4
    layout = draw(st.sampled_from(["C", "C", "F", "A"]))
    returns = draw(st.integers(0, 5)) < 5
    writer = Writer(draw, single, returns, statements)
    scope = Scope(
        scalars=("s", "t"),
        vectors=("x", "w"),
        owned=("x", "w") if layout != "A" else ("w",),
        grids=("y",),
        integers=("n",),
    )
    body = ["    s = 0.5 * a", "    t = b * 1.0", "    w = x.copy()"]
    body += writer.block(scope, "    ")
    while writer.budget > 0 and draw(st.booleans()):
        body += writer.block(scope, "    ")
    if returns:
        body.append(f"    return {writer.expression(scope)} * 1.0")
    used = [HELPERS[name] for name in HELPERS if name in writer.used]
    function = ["@njit", "def program(x, y, a, b, n):", *body]
    source = "\n".join([HEAD, *used, "\n".join(function)]) + "\n"
    return Program(source, single, layout, draw(st.integers(0, 3)))
