"""A generated program: its text, its inputs, and two ways to run it."""

from __future__ import annotations

import itertools
import linecache
import re
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

# Values at which functions have kinks, are equal or nearly nothing; and values that nothing can be computed of.
SPECIAL = {
    "kinks": (0.0, -0.0, 1.0, -1.0, 0.5, 5e-324, 1e-310),
    "infinite": (np.inf, -np.inf, np.nan, 1e300, 0.0, -0.0),
}


@dataclass(frozen=True)
class Program:
    """Source text and how to call it; `arguments()` makes the same inputs every time.

    `options` are those of `njit`; `special` tells of which of the `SPECIAL` values inputs are.  With the layout
    "overlap" both arrays are views of one, which is the argument.
    """

    source: str
    single: bool
    layout: str
    seed: int
    options: str = ""
    special: str = ""

    def arguments(self) -> tuple[Any, ...]:
        x, y, a, b, n = self._arguments()
        if self.special:
            rng = np.random.default_rng(self.seed)
            for array in (x, y):
                values = rng.choice(SPECIAL[self.special], array.shape)
                array[...] = np.where(rng.random(array.shape) < 0.4, values, array)
            a = type(a)(rng.choice([*SPECIAL[self.special], b]))
        if self.layout == "overlap":
            return np.concatenate((x, y.ravel()))[: 3 + y.size], a, b, n
        return x, y, a, b, n

    def _arguments(self) -> tuple[Any, ...]:
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

    @property
    def rough(self) -> bool:
        """Some values are rounded to single precision, or sums may be added up in another order."""
        return self.single or "float32" in self.source or "fastmath" in self.options

    def compiled(self) -> Any:
        source = self.source.replace("@njit\ndef program(", f"@njit({self.options})\ndef program(")
        return self._entry(define(source))

    def _entry(self, scope: dict[str, Any]) -> Any:
        """The function that is called."""
        if self.layout != "overlap":
            return scope["program"]
        return _run(_OVERLAPPING, scope)["overlapping"]

    def interpreted(self) -> Any:
        """The same function in plain Python: nothing to compile, and an independent witness."""
        source = re.sub(r"(?m)^from numba\S* import", "from tests.fuzz.plain import", self.source)
        # The fields of a plain structured array are no attributes.
        source = source.replace("np.zeros(3, ENTRY)", "np.zeros(3, ENTRY).view(np.recarray)")
        return self._entry(define(source))

    def __str__(self) -> str:
        head = f"# single={self.single} layout={self.layout!r} seed={self.seed}"
        head += f" options={self.options!r} special={self.special!r}\n"
        return head + self.source

    __repr__ = __str__


_OVERLAPPING = """@njit
def overlapping(z, a, b, n):
    return program(z[:5], z[3:15].reshape(3, 4), a, b, n)
"""


def define(source: str) -> dict[str, Any]:
    """The names that `source` defines: imports, helpers, the program.

    A helper stands on the imports only.  Many programs share its text: it is run once, so that
    numba compiles it once.
    """
    head, *helpers, program = re.split(r"\n\n+", source)
    scope: dict[str, Any] = {}
    for text in helpers:
        if (head, text) not in _SHARED:
            _SHARED[head, text] = _run(text, _run(head, {}))
        scope |= _SHARED[head, text]
    return _run(program, scope or _run(head, {}))


_SHARED: dict[tuple[str, str], dict[str, Any]] = {}


def _run(text: str, scope: dict[str, Any]) -> dict[str, Any]:
    """`scope` and what `text` defines in it."""
    name = f"<fuzz {zlib.crc32(text.encode()):08x}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    # Recursion in a function of no real module is an unresolved symbol in numba.
    scope["__name__"] = __name__
    exec(compile(text, name, "exec"), scope)
    return scope


def from_text(text: str) -> Program:
    """The program that `str` printed; comments behind it are left out."""
    head, source = text.split("\n", 1)
    settings = eval(f"dict({head.removeprefix('# ').replace(' ', ', ')})")
    lines = source.splitlines(keepends=True)
    kept = itertools.dropwhile(lambda line: line.startswith("#") or line == "\n", lines[::-1])
    return Program("".join(list(kept)[::-1]), **settings)
