"""Small programs with array expressions: targets x expressions x dtypes x views x overlap x broadcasting x errors.

A program is a few lines about two buffers, `b` and `c`, of 60 elements, which they see through views that overlap in
all ways. It leaves its results in the buffers, and a number in `out`. Many programs are one function, with a branch
for each: they are compiled at once.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

import numpy as np

# What becomes of the arguments m and n before and after the lines of a program.
DTYPES = {
    "f8": (["b = m", "c = n"], []),
    "f4": (
        ["b = m.astype(np.float32)", "c = n.astype(np.float32)"],
        ["m[...] = b", "n[...] = c"],
    ),
    "i4": (
        ["b = (m * 40.0).astype(np.int32)", "c = (n * 90.0).astype(np.int32)"],
        ["m[...] = b", "n[...] = c"],
    ),
    "c16": (["b = m + 1j * n", "c = n - 1j * m"], ["m[...] = b.real", "n[...] = c.imag"]),
    "mixed": (["b = m", "c = n.astype(np.float32)"], ["n[...] = c"]),
}
LINES = [
    "b[:7]",
    "b[1:8]",
    "b[6::-1]",
    "b[7:0:-1]",
    "b[:14:2]",
    "b[2:16:2]",
    "b[20:27]",
    "c[:7]",
    "c[13::-2]",
]
B, C = "b[:48].reshape(6, 8)", "c[:48].reshape(6, 8)"
SHEETS = [
    f"{B}[:4, :4]",
    f"{B}[1:5, 1:5]",
    f"{B}[3::-1, :4]",
    f"{B}[:4, 3::-1]",
    f"{B}[:4, :4].T",
    f"{B}[1:5, ::2]",
    "b[:16].reshape(4, 4)",
    "b[:16].reshape(4, 4).T",
    "b[4:20].reshape(4, 4)",
    "c[:16].reshape(4, 4).T",
    f"{C}[:4, 2:6]",
]
STRETCHED = {
    1: ["b[3:4]", "c[5:6]"],
    2: [
        f"{B}[:1, :4]",
        f"{B}[:4, :1]",
        f"{B}[2, :4]",
        f"{B}[1:5, 2:3]",
        "c[3:4]",
        f"{C}[:4, 1:2]",
        "b[3:7][:, None]",
        "c[8:4:-1][None]",
        "np.outer(b[:4], c[2:10:2])",
        f"{B}[0, 2:6][:, None]",
    ],
}
MISFITS = {1: ["b[:6]", "c[:0]"], 2: [f"{B}[:3, :4]", f"{B}[:4, :5]", "c[:3]"]}
EXPRESSIONS = {
    "copy": "X",
    "number": "2",
    "sum": "X + Y",
    "scaled": "X * 2 - Y",
    "twice": "X * Y + X * X",
    "negative": "-X",
    "square": "X ** 2 + Y",
    "quotient": "X / (Y + 3)",
    "sine": "np.sin(X) * Y - X",
    "greatest": "np.maximum(X, Y) * X",
    "number first": "3 - X * Y",
    "chosen": "np.where(X > Y, X * 2 - Y, Y)",
    "masked": "np.where(X * Y > 0, X + Y, 0)",
    "chosen by numbers": "np.where(X, 2, Y) * X",
    "of two numbers": "np.where(X > 1, 2, 1.5) * Y",
    "clipped": "np.clip(X + Y, -1, 1.5) * X",
    "clipped below": "np.clip(X * Y, -1, None)",
    "clipped by method": "(X * Y).clip(-0.5, 1) + Y",
    "converted": "(X * 2 - Y).astype(np.float32) + Y",
    "exponential": "X * np.exp(Y) - Y",
    "of an item": "X / np.exp(c[5:6] - 1) + np.sqrt(b[:1] * b[:1])",
    "mask as number": "(X > Y).astype(np.float64) * X + Y",
    "rolled": "np.roll(X, 2) * Y - np.roll(X * Y, -9)",
    "rolled by an item": "np.roll(X + Y, X.size + len(Y)) - X",
}
# What numba has not: floats that are added to integers in place, an order of complex numbers.
_ORDERED = (
    "greatest",
    "chosen",
    "masked",
    "of two numbers",
    "clipped",
    "clipped below",
    "clipped by method",
    "mask as number",
)
LACKS = {
    "i4": (
        "quotient",
        "sine",
        "number first",
        "of two numbers",
        "converted",
        "exponential",
        "of an item",
        "mask as number",
    ),
    "c16": (*_ORDERED, "converted"),
}
# Their lines take parts of X and Y that must have the shape of those of T.
UNSTRETCHED = ("rest", "item", "looped", "fresh", "sliced write between")
OPERATORS = ["+=", "-=", "*=", "="]

# In each, T is a view, E an expression; names end with the number of the program.
TARGETS = {
    "view": ["t@ = T", "t@[...] O E"],
    "direct": ["T[:] O E"],
    "named": ["t@ = T", "e@ = E", "t@[:] O e@"],
    "in place": ["t@ = T", "t@ O E"],
    "in place, named": ["t@ = T", "e@ = E", "t@ O e@ * 2 + X"],
    "chain": ["t@ = T", "e@ = E", "f@ = e@ + Y", "g@ = f@ * f@", "t@[...] O g@"],
    "written between": ["t@ = T", "e@ = E", "z@ = Y", "z@[0] = 5", "t@[...] O e@"],
    "sliced write between": ["t@ = T", "e@ = E", "z@ = X", "z@[1:] = Y[1:]", "t@[...] O e@"],
    "read between": ["t@ = T", "e@ = E", "s@ = np.sum(X).real", "t@[...] O e@", "out = s@ * 1.0"],
    "used twice": ["t@ = T", "e@ = E * 1", "t@[...] O e@", "out = np.sum(e@).real * 1.0"],
    "sum": ["t@ = T", "t@[...] O E", "out = np.sum(Y + t@ * X).real * 1.0"],
    "method": ["e@ = X * 2 + Y", "out = e@.sum().real * 1.0"],
    "mean": ["t@ = T", "t@[...] O E", "out = np.mean(t@ - X).real * 1.0"],
    "product": ["e@ = (X + 1) * Y", "out = e@.prod().real * 1.0", "t@ = T", "t@[...] O E"],
    "fresh": ["r@ = np.zeros_like(T)", "r@[...] = X", "r@ O E", "t@ = T", "t@[...] = r@"],
    "out": ["t@ = T", "np.add(X, Y, t@)"],
    "read twice": ["t@ = T", "e@ = E", "f@ = e@ * e@ + X", "g@ = f@ - e@ * Y", "t@[...] O g@"],
    "read by many": [
        "t@ = T",
        "e@ = E",
        "f@ = np.sin(e@) * X",
        "g@ = f@ * e@ - Y",
        "h@ = f@ + g@ * e@",
        "out = np.sum(h@).real * 1.0",
        "t@[...] O X",
    ],
    "read twice and more": [
        "t@ = T",
        "e@ = E",
        "f@ = e@ * X",
        "t@[...] O f@ + e@",
        "out = e@.sum().real * 1.0",
    ],
    "read before a write": [
        "t@ = T",
        "e@ = E",
        "f@ = e@ * X",
        "t@[...] O Y",
        "out = np.sum(f@ + e@).real * 1.0",
    ],
    "methods": [
        "t@ = T",
        "e@ = E + X",
        "f@ = e@.astype(np.complex128)",
        "out = np.sum(f@ * e@).real * 1.0",
        "t@[...] O X",
    ],
    "greatest": [
        "t@ = T",
        "e@ = E - Y * X",
        "out = e@.max() * 1.0 - np.min(X) * 3.0",
        "t@[...] O X",
    ],
    "along": [
        "e@ = E + X",
        "s@ = e@.sum(axis=1)",
        "r@ = np.sum(X * Y, axis=0)",
        "out = np.sum(s@ * r@ - s@).real * 1.0",
        "t@ = T",
        "t@[...] O X",
    ],
    "along and back": [
        "e@ = E * 1 + X",
        "s@ = np.sum(e@, axis=-1)",
        "p@ = e@ / (s@.reshape(-1, 1) + 30)",
        "out = np.sum(p@ * e@).real * 1.0",
        "t@ = T",
        "t@[...] O X",
    ],
    "plain sum": ["t@ = T", "t@[...] O E", "out = t@.sum().real + np.sum(X).real"],
    "rest": ["t@ = T", "t@[1:] O (E)[1:]", "t@[1:-1] O t@[2:] - t@[:-2]"],
    "item": ["t@ = T", "t@[0] O X[1]", "t@[-1:] O Y[:1] * 2"],
    "looped": ["t@ = T", "for i@ in range(3):", "    t@[1:] O t@[:-1] * 2 + X[1:]"],
}
ERRORS = {
    "expression": ["t@ = T", "t@[...] = X + W"],
    "target": ["t@ = T", "e@ = W * 2", "t@[...] = e@"],
    "two of them": ["t@ = T", "e@ = X + W", "f@ = W * Y", "t@[:] = e@"],
    "before": ["t@ = T", "t@[...] = X", "e@ = Y * W", "t@[...] = e@"],
    "sum": ["out = np.sum(X * W).real * 1.0"],
    "named sum": ["e@ = X * W", "q@ = Y - W", "out = e@.sum().real + q@.sum().real"],
    "slice": ["t@ = T", "t@[1:] = X"],
    "choice": ["t@ = T", "e@ = np.where(X > 0, Y, W)", "t@[...] = e@"],
    "choice by": ["out = np.sum(np.where(W > 0, X * 2, 0.0))"],
    "choices": ["e@ = np.where(X > 0, Y, W)", "f@ = Y * W", "out = np.sum(f@ * e@)"],
    "behind a choice": ["e@ = Y * W", "f@ = np.where(X > 0, Y, W)", "out = np.sum(f@ * e@)"],
    "greatest": ["e@ = Y * 2", "f@ = X * W", "out = e@.max() + f@.sum()"],
    "of a row": ["out = np.sum(X * np.exp(W) + W - Y)"],
    "greatest of none": ["e@ = X[:0] * 2", "f@ = X * W", "out = e@.max() + f@.sum()"],
    "none": ["e@ = X * 2", "out = np.min(e@[:0]) + np.sum(Y * W)"],
    "along": ["e@ = X * W", "f@ = Y + W", "out = np.sum(np.sum(e@, axis=0) * 2) + np.sum(f@)"],
    "read twice": ["t@ = T", "e@ = X * W", "f@ = e@ + Y", "t@[...] = f@ * e@"],
}


# Operations in place, of views that have names.
UPDATES = ("in place", "in place, named", "fresh")
VIEWS = {1: LINES, 2: SHEETS}
# How many programs there are for each target, by dtype and number of axes.
COUNTS = {"f8": {1: 6, 2: 5}} | {name: {1: 2, 2: 1} for name in DTYPES if name != "f8"}


@dataclass(frozen=True)
class Program:
    """Lines, and what they are about."""

    name: str
    dtype: str
    lines: tuple[str, ...]
    fails: bool = False


def _filled(lines: list[str], number: int, **given: str) -> tuple[str, ...]:
    """Lines with what the letters stand for; expressions are made of letters themselves."""
    found = []
    for line in lines:
        for _ in range(2):
            line = re.sub(r"(?<!\.)\b[EOTXYW]\b", lambda at: given.get(at[0], at[0]), line)
        found.append(line.replace("@", str(number)))
    return tuple(found)


def programs() -> list[Program]:
    """The whole table, in an order of no meaning."""
    rng = random.Random(7)
    found: list[Program] = []
    for dtype, count in COUNTS.items():
        for ndim in VIEWS:
            for target in TARGETS:
                if dtype == "c16" and target == "greatest":  # there is no greatest
                    continue
                for _ in range(count[ndim]):
                    found.append(_program(rng, len(found), dtype, ndim, target))
    for ndim, views in VIEWS.items():
        for error, lines in ERRORS.items():
            for misfit in MISFITS[ndim]:
                t, x, y = (rng.choice(views) for _ in range(3))
                filled = _filled(lines, len(found), T=t, X=x, Y=y, W=misfit)
                found.append(Program(f"{len(found)} error {error}", "f8", filled, fails=True))
    rng.shuffle(found)
    return found


def _program(rng: random.Random, number: int, dtype: str, ndim: int, target: str) -> Program:
    lines, views = TARGETS[target], VIEWS[ndim]
    if ndim == 1:  # sums along the only axis are numbers
        lines = [re.sub(r"axis=(1|-1)", "axis=0", line) for line in lines]
        lines = [line.replace("s@.reshape(-1, 1)", "s@") for line in lines]
    expression = rng.choice([name for name in EXPRESSIONS if name not in LACKS.get(dtype, ())])
    if target == "rest" and expression == "number":
        expression = "sum"
    stretched = rng.random() < 0.3 and target not in UNSTRETCHED
    operators = OPERATORS[:-1] if target in UPDATES else OPERATORS
    given = {
        "E": EXPRESSIONS[expression],
        "O": rng.choice(operators),
        "T": rng.choice(views[:2] if dtype == "mixed" and target == "out" else views),
        "X": rng.choice(views),
        "Y": rng.choice(STRETCHED[ndim] if stretched else views),
    }
    if given["O"] != "=":  # numba has no `x[...] += y`
        lines = [line.replace("[...] O", "[:] O") for line in lines]
    if ndim == 2:  # items of lines are rows of sheets
        lines = [line.replace("z@[0] =", "z@[:] =") for line in lines]
        lines = [line for line in lines if "[0] O X[1]" not in line]
    name = f"{number} {dtype} {target} {given['O']} {expression}"
    return Program(name, dtype, _filled(lines, number, **given))


def source(group: list[Program]) -> str:
    """One function for all: its first argument says which."""
    text = ["def group(which, m, n):", "    out = 0.0"]
    for number, program in enumerate(group):
        before, after = DTYPES[program.dtype]
        text.append(f"    {'el' if number else ''}if which == {number}:")
        for line in (*before, *program.lines, *after):
            text.append("        " + re.sub(r"\b[bc]\b", rf"\g<0>_{number}", line))
    text.append("    return out")
    return "\n".join(text) + "\n"


def buffers() -> tuple[np.ndarray, np.ndarray]:
    """The arguments m and n."""
    rng = np.random.default_rng(3)
    return rng.uniform(0.5, 1.5, 60), rng.uniform(-1.5, -0.5, 60)
