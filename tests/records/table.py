"""Arrays of records: what their items are, where they come from, how items are reached, which derivative is taken.

Every program is a quadratic form in the floats of its records, with their integers for coefficients.  Its values tell
its Hessian, which tells all derivatives.
"""

from __future__ import annotations

import functools
import itertools
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

import enzyme
from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff
from enzyme.errors import EnzymeNoDerivativeError

# The layout, and one item as a quadratic form: `@.a` is the field a of the item.
LAYOUTS: dict[str, tuple[list, str]] = {
    "plain": ([("a", "f8"), ("n", "i8")], "@.a * @.a * @.n"),
    "single": ([("a", "f4"), ("n", "i4")], "@.a * @.a * @.n"),
    "integer_first": ([("n", "i4"), ("m", "i4"), ("a", "f8")], "@.a * @.a * @.n * @.m"),
    "packed": ([("k", "i1"), ("a", "f8"), ("n", "i8"), ("b", "f4")], "@.a * @.b * @.n * @.k"),
    "complex": ([("z", "c16"), ("n", "i8")], "@.z.real * @.z.imag * @.n"),
    "nested": ([("n", "i8"), ("p", [("a", "f8"), ("m", "i8")])], "@.p.a * @.p.a * @.n * @.p.m"),
    "vectors": ([("a", "f8", (2,)), ("m", "i8", (2,))], "@.a[0] * @.a[1] * @.m[1] + @.a[0] * @.a[0] * @.m[0]"),
    "matrices": ([("m", "i8", (2, 2)), ("a", "f8", (2, 2))], "@.a[0, 1] * @.a[1, 1] * @.m[1, 0]"),
    "unread": ([("x", "i8"), ("a", "f8"), ("y", "f8"), ("n", "i8")], "@.a * @.a * @.n"),
    "repeated": ([("a", "f8"), ("n", "i8"), ("b", "f8"), ("m", "i8")], "@.a * @.b * @.n + @.b * @.b * @.m"),
}  # fmt: skip


def sections(text: str) -> dict[str, str]:
    """Titles with what stands indented below them."""
    found = re.findall(r"^(\S.*):\n((?:    .*\n)+)", text, re.MULTILINE)
    return {title: textwrap.dedent(lines) for title, lines in found}


# {t[i]} is the form of an item, {t, i} the same by views of fields.
FORMS = sections("""
index:
    for i in range(len(t)):
        s += {t[i]}
iterate:
    for r in t:
        s += {r}
enumerate:
    for i, r in enumerate(t[1:]):
        s += i * ({r})
zip:
    for r, q in zip(t, t[::-1]):
        s += ({r}) + 2.0 * ({q})
flat:
    for r in t.flat:
        s += {r}
while:
    i = 0
    while i < len(t):
        s += {t[::-1][i]}
        i += 3
branch:
    for i, r in enumerate(t):
        if i % 2 > 0:
            s += {r}
        else:
            s -= {r}
strided:
    u = t[::2]
    for i in range(len(u)):
        s += (i + 1) * ({u[i]})
big_step:
    for r in t[1::4]:
        s += {r}
    for r in t[::8]:
        s += {r}
reversed:
    u = t[::-1]
    for i in range(len(u)):
        s += (i + 1) * ({u[i]})
neighbours:
    for i in range(1, len(t)):
        r = t[i]
        q = t[i - 1]
        s += ({r}) - 3.0 * ({q})
gathered:
    w = np.array([2, 0, 3])
    for k in range(3):
        s += {t[w[k]]}
        s += {t[::-1][w[k]]}
two_axes:
    w = t.copy().reshape((2, 2))
    for i in range(2):
        for j in range(2):
            s += (i - 2) * ({w[i, j]})
transposed:
    w = t.copy().reshape((2, 2)).T
    for i in range(2):
        for r in w[i]:
            s += (i + 1) * ({r})
columns:
    w = t.copy().reshape((2, 2))
    for j in range(2):
        for r in w[::-1, j]:
            s += (j + 1) * ({r})
field:
    for i in range(len(t)):
        s += (i + 1) * ({t, i})
field_of_copy:
    u = t.copy()
    for i in range(len(u)):
        s += {u, i}
field_of_strided:
    u = t[::-2]
    for i in range(len(u)):
        s += (i + 1) * ({u, i})
copy:
    u = t.copy()
    for r in u:
        s += {r}
copy_of_strided:
    u = t[::2].copy()
    for i in range(len(u)):
        s += {u[i]}
filled:
    u = np.zeros(len(t), t.dtype)
    for i in range(len(t)):
        u[i] = t[len(t) - 1 - i]
    for i in range(len(u)):
        s += (i + 1) * ({u[i]})
assigned:
    u = np.zeros(2 * len(t), t.dtype)
    u[1::2] = t[::-1]
    u[::2] = t
    for i in range(len(u)):
        s += i * ({u[i]})
moved:
    u = t.copy()
    v = t[::-1]
    for i in range(len(t) - 1):
        u[::-1][i] = v[i + 1]
    for r in u:
        s += {r}
exchanged:
    u = t.copy()
    v = t.copy()
    for k in range(3):
        for i in range(len(t)):
            v[i] = u[len(t) - 1 - i]
        u, v = v, u
    for i in range(len(u)):
        s += i * ({u[i]})
chosen:
    u = t[np.array([2, 0, 1])]
    for i in range(3):
        s += i * ({u[i]})
masked:
    u = t[np.array([True, False, True, True])]
    for i in range(3):
        s += i * ({u[i]})
tuple:
    p = (t, t[::-1])
    for i in range(len(t)):
        s += ({p[0][i]}) + i * ({p[1][i]})
closure:
    def at(k):
        return t[::-1][k]
    for i in range(len(t)):
        r = at(i)
        s += (i + 1) * ({r})
item_passed:
    for r in t[::2]:
        s += item(r)
array_passed:
    s += whole(t[::-1]) + whole(t)
recursion:
    s += recursive(t[::-1], 0)
""")

# Loops over arrays in records and whole fields, each for one layout; every product is written out.
OTHERS = {
    title.split()[0]: (title.split()[-1], body)
    for title, body in sections("""
inner of vectors:
    u = t
    for i in range(len(u)):
        for j in range(2):
            s += (i + 1) * u[i].a[j] * u[i].a[1 - j] * u[i].m[j]
inner_strided of vectors:
    u = t[::2]
    for i in range(len(u)):
        for j in range(2):
            s += (i + 1) * u[i].a[j] * u[i].a[1 - j] * u[i].m[j]
inner_copy of vectors:
    u = t.copy()
    for i in range(len(u)):
        for j in range(2):
            s += (i + 1) * u[i].a[j] * u[i].a[1 - j] * u[i].m[j]
inner_copy_of_strided of vectors:
    u = t[::-1].copy()
    for i in range(len(u)):
        for j in range(2):
            s += (i + 1) * u[i].a[j] * u[i].a[1 - j] * u[i].m[j]
inner_field of vectors:
    for i in range(len(t)):
        for j in range(2):
            s += t.a[i, j] * t.a[i, j] * t.m[i, j]
inner_items of vectors:
    for r in t:
        for x in r.a:
            for k in r.m:
                s += x * x * k
inner_views of vectors:
    for r in t[::2]:
        b = r.a
        m = r.m
        for j in range(2):
            s += b[j] * b[j] * m[1 - j]
inner_matrices of matrices:
    for r in t:
        for j in range(2):
            for k in range(2):
                s += r.a[j, k] * r.a[k, j] * r.m[j, k]
whole of plain:
    s += np.sum(t.a * t.a * t.n)
whole_named of single:
    s += (t['a'] * t['a'] * t['n']).sum()
product of plain:
    s += np.dot(t.a.copy(), t.n * t.a)
scaled of plain:
    w = t.copy()
    for i in range(len(t)):
        w[i].a = w[i].a * w[i].n
    for r in w:
        s += r.a * r.a * r.n
scaled_strided of plain:
    w = t.copy()
    v = w[::-1]
    for i in range(3):
        v[i].a = v[i].a + v[i + 1].a
    for r in w[::2]:
        s += r.a * r.a * r.n
fields_written of single:
    w = t.copy()
    w.a[:] = 2.0 * w.a
    w.n[::2] = 3
    for r in w:
        s += r.a * r.a * r.n
fields_assigned of plain:
    w = np.zeros(len(t), t.dtype)
    w.a[:] = t.a
    w.n[::-1] = t.n
    for r in w:
        s += r.a * r.a * r.n
integers_changed of plain:
    w = t.copy()
    v = w[::-1]
    for i in range(len(v)):
        v[i].n = v[i].n + 1
        s += v[i].a * w[i].a * w[i].n
counted of plain:
    for r in t:
        for k in range(r.n):
            s += r.a * r.a * k
""").items()
}

HELPERS = """
@njit
def item(r):
    return {r}

@njit
def whole(t):
    s = 0.0
    for r in t:
        s += {r}
    return s

@njit
def recursive(t, i):
    if i >= len(t):
        return 0.0
    r = t[i]
    return (i + 1) * ({r}) + recursive(t, i + 1)

@njit
def f(t):
    s = 0.0
"""

# How the array is made of four items; a shadow is made in the same way.
CONTAINERS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "argument": lambda items: items,
    "every_other": lambda items: _within(np.zeros(8, items.dtype)[::2], items),
    "backwards": lambda items: _within(np.zeros(4, items.dtype)[::-1], items),
    "in_records": lambda items: _within(
        np.zeros(4, [("k", "i4"), ("in", items.dtype), ("x", "f4")])["in"], items
    ),
}


def _within(view: np.ndarray, items: np.ndarray) -> np.ndarray:
    view[:] = items
    return view


@dataclass(frozen=True)
class Cell:
    form: str
    layout: str
    container: str
    mode: str

    def __str__(self) -> str:
        return "-".join((self.form, self.layout, self.container, self.mode))


def with_items(source: str, item: str) -> str:
    """Source in which {t[i]} and {t, i} are written out."""

    def written(match: re.Match[str]) -> str:
        array, comma, index = match.group(1).partition(", ")
        if not comma or "[" in array:
            return item.replace("@", match.group(1))
        # `t.a[i]` for `t[i].a`: the first name behind the item is a field of the array.
        return re.sub(r"@\.(\w+)", rf"{array}.\1[{index}]", item)

    return re.sub(r"\{([^}]*)\}", written, source)


class Program:
    """The function of a form and a layout, with its records and its Hessian."""

    def __init__(self, form: str, layout: str) -> None:
        fields, item = LAYOUTS[layout]
        body = OTHERS[form][1] if form in OTHERS else FORMS[form]
        lines = textwrap.indent(body, "    ")
        scope = {"np": np, "njit": njit}
        exec(with_items(f"{HELPERS}{lines}    return s\n", item), scope)
        self.prepare(scope["f"], np.dtype(fields))

    def prepare(self, function: Callable[..., float], dtype: np.dtype) -> None:
        """Records for a function, and the point at which it is differentiated."""
        self.function = function
        self.dtype = dtype
        self.items = np.zeros(4, self.dtype)
        for number, view in enumerate(parts(self.items, "i")):
            view[...] = 1 + (np.arange(view.size).reshape(view.shape) + number) % 3
        self.point = self.floats(self.holding(np.sin(3.0 + np.arange(self.size))))
        self.tolerance = 1e-4 if re.search("f4|c8|float32|complex64", str(dtype)) else 1e-11

    @property
    def size(self) -> int:
        return sum(view.size for view in parts(self.items, "fc"))

    def holding(self, numbers: np.ndarray) -> np.ndarray:
        """Records with these floats, and with the integers that all have."""
        made, place = self.items.copy(), 0
        for view in parts(made, "fc"):
            view[...] = numbers[place : place + view.size].reshape(view.shape)
            place += view.size
        return made

    def floats(self, records: np.ndarray) -> np.ndarray:
        return np.concatenate([view.ravel() for view in parts(records, "fc")]).astype(float)

    @functools.cached_property
    def hessian(self) -> np.ndarray:
        units = np.eye(self.size)
        value = {}
        for i, j in itertools.combinations_with_replacement(range(self.size), 2):
            value[i, j] = self.function(self.holding(units[i] + units[j]))
        # The value at twice a unit is four times that at the unit.
        return np.array(
            [
                [
                    value[min(i, j), max(i, j)] - (value[i, i] + value[j, j]) / 4.0 * (i != j)
                    - value[i, i] / 2.0 * (i == j)
                    for j in range(self.size)
                ]
                for i in range(self.size)
            ]
        )  # fmt: skip


def parts(records: np.ndarray, kinds: str) -> Iterator[np.ndarray]:
    """Views of all numbers of these kinds; of complex numbers both parts."""
    if records.dtype.names:
        for name in records.dtype.names:
            yield from parts(records[name], kinds)
    elif records.dtype.kind in kinds:
        yield from (records.real, records.imag) if records.dtype.kind == "c" else (records,)


@functools.lru_cache(maxsize=4)
def program(form: str, layout: str) -> Program:
    return Program(form, layout)


# Modes: each checks the derivatives of a program whose arrays `make` makes ------------------------

Make = Callable[[np.ndarray], np.ndarray]


def close(p: Program, found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=p.tolerance, atol=p.tolerance)


def forward(p: Program, make: Make) -> None:
    direction = np.cos(np.arange(p.size))
    primal, tangent = make(p.holding(p.point)), make(p.holding(direction))
    (found,) = autodiff(Forward, p.function, Duplicated(primal, tangent))
    close(p, found, p.point @ p.hessian @ direction)


def reverse(p: Program, make: Make) -> None:
    primal, shadow = make(p.holding(p.point)), make(p.holding(np.zeros(p.size)))
    autodiff(Reverse, p.function, Active, Duplicated(primal, shadow))
    close(p, p.floats(shadow), p.hessian @ p.point)
    for view, kept in zip(parts(shadow, "i"), parts(p.items, "i"), strict=True):
        np.testing.assert_array_equal(view, kept)


def _derivative(p: Program, mode: str) -> Any:
    scope = {**vars(enzyme), "f": p.function}
    activity, result = ("Active, ", "None") if mode == "Reverse" else ("", "r[0]")
    exec(
        f"def derivative(t, d):\n    r = autodiff({mode}, f, {activity}Duplicated(t, d))\n"
        f"    return {result}\n",
        scope,
    )
    return njit(scope["derivative"])


def forward_over_forward(p: Program, make: Make) -> None:
    one, two = np.cos(np.arange(p.size)), np.sin(np.arange(p.size))
    primal, inner, outer = (make(p.holding(v)) for v in (p.point, one, two))
    (found,) = autodiff(Forward, _derivative(p, "Forward"), Duplicated(primal, outer), Const(inner))
    close(p, found, one @ p.hessian @ two)


def reverse_over_forward(p: Program, make: Make) -> None:
    direction = np.cos(np.arange(p.size))
    primal, inner, shadow = (make(p.holding(v)) for v in (p.point, direction, 0.0 * direction))
    autodiff(Reverse, _derivative(p, "Forward"), Active, Duplicated(primal, shadow), Const(inner))
    close(p, p.floats(shadow), p.hessian @ direction)


def _over_reverse(p: Program, make: Make, mode: Any) -> None:
    direction = np.cos(np.arange(p.size))
    zero = np.zeros(p.size)
    starts = (direction, zero) if mode is Forward else (zero, direction)
    primal, shadow, inner, second = (
        make(p.holding(v)) for v in (p.point, starts[0], zero, starts[1])
    )
    annotated = Duplicated(primal, shadow), Duplicated(inner, second)
    autodiff(mode, _derivative(p, "Reverse"), Const, *annotated)
    close(p, p.floats(inner), p.hessian @ p.point)
    close(p, p.floats(second if mode is Forward else shadow), p.hessian @ direction)


MODES: dict[str, Callable[[Program, Make], None]] = {
    "reverse": reverse,
    "forward": forward,
    "forward_over_forward": forward_over_forward,
    "reverse_over_forward": reverse_over_forward,
    "forward_over_reverse": functools.partial(_over_reverse, mode=Forward),
    "reverse_over_reverse": functools.partial(_over_reverse, mode=Reverse),
}


def all_cells() -> list[Cell]:
    """Every form with every layout that it goes with, in every container and mode."""
    rows = [*itertools.product(FORMS, LAYOUTS), *((f, layout) for f, (layout, _) in OTHERS.items())]
    return [Cell(*row, c, m) for row in rows for c in CONTAINERS for m in MODES]


def some_cells() -> list[Cell]:
    """Every other form once, with layouts, containers and modes in turn."""
    layouts, containers, modes = list(LAYOUTS), list(CONTAINERS), list(MODES)
    return [
        Cell(
            form,
            OTHERS[form][0] if form in OTHERS else layouts[k % len(layouts)],
            containers[k // 2 % len(containers)],
            # Nested derivatives take longer: one in six.
            modes[k % 2] if k % 6 else modes[2 + k // 6 % 4],
        )
        for k, form in enumerate([*FORMS, *OTHERS][1::2])
    ]


# What is refused in nested derivatives, and in which words.
LIMITS = {
    "recursion": "a recursive function that is differentiated twice",
    **dict.fromkeys(("inner_copy", "transposed", "columns"), "a copy of memory of unknown type"),
}


def run(cell: Cell) -> None:
    try:
        MODES[cell.mode](program(cell.form, cell.layout), CONTAINERS[cell.container])
    except EnzymeNoDerivativeError as error:
        if "_over_" not in cell.mode or LIMITS.get(cell.form, "nothing") not in str(error):
            raise
