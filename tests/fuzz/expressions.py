"""What may be used at one place of a program, and the expressions that use it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

CONSTANTS = ["0.5", "1.0", "-0.3", "0.1", "2.0", "-1.0"]


@dataclass(frozen=True)
class Scope:
    """Names that may be used at one place of the program."""

    scalars: tuple[str, ...]
    vectors: tuple[str, ...]  # 1-d, all of one length
    owned: tuple[str, ...]  # contiguous vectors that may be bound to another array
    grids: tuple[str, ...]  # 2-d
    integers: tuple[str, ...] = ()
    positions: tuple[str, ...] = ()  # integers that are valid positions of a vector
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    atoms: tuple[str, ...] = ()  # other floats that can only be read
    places: tuple[str, ...] = ()  # other floats that can be read and assigned
    wild: tuple[str, ...] = ()  # floats that may be large
    tests: tuple[str, ...] = ()  # other conditions
    things: tuple[tuple[str, str], ...] = ()  # kind and name of containers and other objects
    in_loop: bool = False
    depth: int = 0

    def of(self, kind: str) -> list[str]:
        """The things of one kind."""
        return [name for what, name in self.things if what == kind]

    def plus(self, kind: str = "", name: str = "", **more: Iterable[str]) -> Scope:
        """With a thing, and with more of anything."""
        things = (*self.things, (kind, name)) if kind else self.things
        return replace(self, things=things, **{k: (*getattr(self, k), *v) for k, v in more.items()})

    def without(self, name: str) -> Scope:
        """Without a thing and all that is written with its name."""
        kept = {k: tuple(x for x in getattr(self, k) if stem(x) != stem(name)) for k in WRITTEN}
        things = tuple(t for t in self.things if stem(t[1]) != stem(name))
        return replace(self, things=things, **kept)

    def only(self, name: str, place: Scope) -> Scope:
        """`place` with this thing and what is written with no other name."""
        found = {
            k: [x for x in getattr(self, k) if set(re.findall(r"[a-z_]+\d+", x)) == {name}]
            for k in WRITTEN
        }
        return place.plus(*next(t for t in self.things if t[1] == name), **found)


WRITTEN = ("vectors", "atoms", "places", "wild")


def stem(text: str) -> str:
    """The name that `text` begins with."""
    return re.split(r"\W", text)[0]


@dataclass
class Expressions:
    """Draws expressions; `budget` bounds the number of statements, `dear` that of dear ones."""

    draw: Callable[[st.SearchStrategy[Any]], Any]
    single: bool
    returns: bool
    budget: int
    dear: int
    names: int = 0

    def one(self, options: Any) -> Any:
        return self.draw(st.sampled_from(list(options)))

    def chance(self, percent: int) -> bool:
        return self.draw(st.integers(0, 99)) >= 100 - percent

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    # --- places -----------------------------------------------------------------------------------

    def position(self, s: Scope) -> str:
        options = ["0", "1", "-1"]
        for i in s.positions:
            options += [i, f"{i} - 1", f"({i} + 1) % len(x)"]
        options += [f"{k} % len(x)" for k in s.integers]
        return self.one(options)

    def index(self, s: Scope, size: int) -> str:
        """A valid index of something of this size."""
        return self.one(["0", str(size - 1), *(f"{k} % {size}" for k in s.integers)])

    def cell(self, s: Scope, grid: str) -> str:
        row = self.one(["0", *s.rows, *(f"{r} - 1" for r in s.rows), "2"])
        column = self.one(["0", *s.columns, *(f"{c} - 1" for c in s.columns), "3"])
        return f"{grid}[{row}, {column}]"

    def element(self, s: Scope) -> str:
        if s.places and self.chance(30):
            return self.one(s.places)
        if self.chance(30):
            return self.cell(s, self.one(s.grids))
        return f"{self.one(s.vectors)}[{self.position(s)}]"

    # --- expressions ------------------------------------------------------------------------------

    def leaf(self, s: Scope) -> str:
        kind = self.one(["scalar", "element", "constant", "integer", *["atom"] * bool(s.atoms)])
        if kind == "element":
            return self.element(s)
        if kind == "constant":
            return self.one(CONSTANTS)
        if kind == "integer" and s.integers:
            return f"0.1 * {self.one(s.integers)}"
        return self.one(s.atoms if kind == "atom" else s.scalars)

    def expression(self, s: Scope, depth: int = 2) -> str:
        if s.wild and self.chance(15):
            return self.one(s.wild)
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
                "call",
                "distance",
                "error",
                "power",
                "remainder",
                "fraction",
                "less",
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
                "mix": f"mix({e}, {f})",
            }[form]
        if form == "reduce":
            return f"0.2 * {self.one(s.vectors)}.sum()"
        if form in ("weigh", "largest"):
            return f"{form}({self.one(s.vectors)})"
        if form == "call":
            return self.call(s, e)
        return {
            "sin": f"math.sin({e})",
            "tanh": f"math.tanh({e})",
            "root": f"(math.sqrt(1.0 + ({e}) ** 2) - 1.0)",
            "gauss": f"math.exp(-(({e}) ** 2))",
            "logarithm": f"math.log(1.5 + math.cos({e}))",
            "angle": f"math.atan2({e}, 1.5)",
            "absolute": f"abs({e})",
            "distance": f"math.hypot({e}, 1.2)",
            "error": f"math.erf({e})",
            "power": f"(1.1 + math.sin({e})) ** {self.leaf(s)}",
            "remainder": f"(({e}) % 1.5)",
            "fraction": f"({e} - math.floor({e}))",
            "less": f"math.expm1(-abs({e}))",
        }[form]

    def call(self, s: Scope, e: str) -> str:
        """A call with scalars."""
        which = self.one(["guarded", "scaled", "squash", "apply", "ping", "constant", "random"])
        if which == "constant":
            if self.chance(50):
                return f"TABLE[{self.index(s, 2)}, {self.index(s, 3)}] * {e}"
            return f"WEIGHTS[{self.index(s, 5)}] * {e}"
        if which == "random":
            return f"np.random.random() * {e}"
        if which == "guarded":
            return f"guarded({e})"
        if which == "scaled":
            return self.one([f"scaled({e})", f"scaled({e}, {self.leaf(s)})"])
        if which == "apply":
            return f"apply(mix, {e}, {self.leaf(s)})"
        if which == "ping":
            return f"{self.one(['ping', 'pong'])}({e} * 1.0, {self.one(['n', '2'])})"
        return f"squash({e}, {self.leaf(s)})"

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
        options = [f"{self.leaf(s)} > {self.one(CONSTANTS)}", *s.tests]
        if self.chance(50):
            options.append(f"{self.expression(s, 1)} < {self.leaf(s)}")
        options += [f"{k} % 2 == 0" for k in s.integers]
        options += [f"{k} > 1" for k in s.integers]
        test = self.one(options)
        form = self.one(["plain"] * 5 + ["and", "or", "not", "chain"])
        if form == "chain":
            return f"-0.5 < {self.leaf(s)} <= {self.leaf(s)}"
        if form == "not":
            return f"not {test}"
        return f"{test} {form} {self.one(options)}" if form != "plain" else test

    def array_expression(self, s: Scope) -> str:
        v, w = self.one(s.vectors), self.one(s.vectors)
        return self.one(
            [
                f"0.5 * {v} + 0.5 * {w}",
                f"np.sin({v} * {self.leaf(s)})",
                f"np.tanh({v} * {w} + {self.leaf(s)})",
                f"{v}[::-1] * 0.9",
                f"np.minimum({v}, {w}) * 0.9",
                f"np.abs(np.sin({v} - WEIGHTS * {self.leaf(s)}))",
            ]
        )
