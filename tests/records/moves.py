"""Items that are moved through a view of another type: the storage, the view, how its items move, where to, the mode.

Every cell is right or refused, and those of `must_work` are right.  Programs are quadratic forms, as in `table`.
"""

from __future__ import annotations

import functools
import itertools
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit, typeof

import enzyme
from enzyme import Active, BatchDuplicated, Const, Duplicated, Reverse, autodiff
from enzyme.errors import EnzymeNoDerivativeError, IllegalTypeAnalysisException
from tests.records import table
from tests.records.table import LAYOUTS, Make, Program

STORAGES: dict[str, tuple[Any, str]] = {
    "double": ("f8", "@ * @"),
    "float": ("f4", "@ * @"),
    "complex": ("c16", "@.real * @.imag"),
    "single_complex": ("c8", "@.real * @.imag"),
    "two_doubles": ([("a", "f8"), ("b", "f8")], "@.a * @.b + @.a * @.a"),
    "two_floats": ([("a", "f4"), ("b", "f4")], "@.a * @.b + @.a * @.a"),
    "both_floats": ([("a", "f4"), ("n", "i4"), ("b", "f8")], "@.a * @.b * @.n + @.a * @.a"),
    "plain_record": LAYOUTS["plain"],
    "single_record": LAYOUTS["single"],
    "packed_record": LAYOUTS["packed"],
    "nested_record": LAYOUTS["nested"],
    "record_of_vectors": LAYOUTS["vectors"],
}  # fmt: skip

VIEWS = "u1 i2 i4 i8 f4 f8 c8 c16".split()

# q is the source, p the target, and m how many items of the view one item of the storage has.
MOVES = table.sections("""
slice:
    p[:] = q
loop:
    for k in range(len(q)):
        p[k] = q[k]
items:
    for i in range(len(q) // m):
        for j in range(m):
            p[i * m + j] = q[(len(q) // m - 1 - i) * m + j]
unrolled:
    p[0] = q[0]
    p[m - 1] = q[m - 1]
    p[m] = q[m]
strided:
    p[::m] = q[::m]
branch:
    for k in range(len(q)):
        if k % 3 != 1:
            p[k] = q[k]
backwards:
    p[::-1] = q[::-1]
copied:
    p[:] = q.copy()
chosen:
    for k in range(len(q)):
        x = q[k] if k % 2 else q[k - 1]
        p[k] = q[k] if k % 2 == 0 else x
tuple:
    for k in range(len(q) - 1):
        pair = (q[k], q[k + 1])
        p[k] = pair[0]
        p[k + 1] = pair[1]
list:
    kept = [x for x in q]
    for k in range(len(q)):
        p[k] = kept[k]
chain:
    first = np.zeros(len(q), V)
    for k in range(len(q)):
        first[k] = q[len(q) - 1 - k]
    second = first.copy()
    for k in range(len(q)):
        p[k] = second[len(q) - 1 - k]
callee:
    moved(p, q, 0)
added:
    for k in range(len(q)):
        p[k] = q[k] + V(1)
    for k in range(len(q)):
        p[k] = p[k] - V(1)
masked:
    for k in range(len(q)):
        p[k] = q[k] ^ V(77)
    for k in range(len(q)):
        p[k] = p[k] ^ V(77)
multiplied:
    for k in range(len(q)):
        p[k] = q[k] * V(3)
    for k in range(len(q)):
        p[k] = p[k] * V((2 ** (8 * q.itemsize + 1) + 1) // 3)
""")
ON_BITS = ("added", "masked", "multiplied")
BY_PLACE = ("items", "unrolled", "strided")

# Where the items are, and where they go.
PLACES = table.sections("""
to_new:
    w = np.zeros(len(t), t.dtype)
    q, p = t.view(V), w.view(V)
    MOVE
from_new:
    z = np.zeros(len(t), t.dtype)
    for i in range(len(t)):
        z[i] = t[i]
    w = np.zeros(len(t), t.dtype)
    q, p = z.view(V), w.view(V)
    MOVE
to_integers:
    q = t.view(V)
    p = np.zeros(len(q), V)
    MOVE
    w = p.view(t.dtype)
to_argument:
    v = t.view(V)
    q, p = v[: 2 * m], v[2 * m :]
    MOVE
    w = t
""")

_PROGRAM = """
@njit
def moved(p, q, k):
    if k < len(q):
        p[k] = q[k]
        moved(p, q, k + 1)

@njit
def f(t):
    s = 0.0
    m = {m}
{body}
    for i in range(len(w)):
        s += (i + 1) * ({{w[i]}})
    return s
"""


@dataclass(frozen=True)
class Cell:
    storage: str
    view: str
    move: str
    place: str
    mode: str

    def __str__(self) -> str:
        return "-".join((self.storage, self.view, self.move, self.place, self.mode))

    @property
    def must_work(self) -> bool:
        """Are whole floats moved, each from a place and to a place that are known?"""
        dtype, view = np.dtype(STORAGES[self.storage][0]), np.dtype(self.view)
        floats = set(_float_sizes(dtype))
        fits = view.kind == "i" and floats == {view.itemsize}
        if not fits or self.move in ON_BITS or _holds_integers(dtype):
            return fits and self.move in BY_PLACE and self.place != "to_argument"
        return self.move not in ("list", "callee")


def _float_sizes(dtype: np.dtype) -> list[int]:
    return [view.itemsize for view in table.parts(np.zeros(1, dtype), "fc")]


def _holds_integers(dtype: np.dtype) -> bool:
    return bool(list(table.parts(np.zeros(1, dtype), "i")))


class Moves(Program):
    """The function that moves items, with its storage and its Hessian."""

    def __init__(self, storage: str, view: str, move: str, place: str) -> None:
        dtype, item = STORAGES[storage]
        kind = np.dtype(view)
        body = PLACES[place].replace("MOVE\n", MOVES[move])
        source = _PROGRAM.format(
            m=np.dtype(dtype).itemsize // kind.itemsize,
            body=textwrap.indent(body, "    ").rstrip(),
        )
        scope = {"np": np, "njit": njit, "V": getattr(np, kind.name)}
        exec(table.with_items(source, item), scope)
        self.prepare(scope["f"], np.dtype(dtype))


@functools.lru_cache(maxsize=4)
def program(storage: str, view: str, move: str, place: str) -> Moves:
    return Moves(storage, view, move, place)


# Modes beside those of `table` ---------------------------------------------------------------------


def split(p: Program, make: Make) -> None:
    primal, shadow = make(p.holding(p.point)), make(p.holding(np.zeros(p.size)))
    forward, backward = enzyme.autodiff_thunk(
        enzyme.ReverseSplitNoPrimal, Const[typeof(p.function)], Active, Duplicated[typeof(primal)]
    )
    tape, *_ = forward(Const(p.function), Duplicated(primal, shadow))
    backward(Const(p.function), Duplicated(primal, shadow), 1.0, tape)
    table.close(p, p.floats(shadow), p.hessian @ p.point)


def batch(p: Program, make: Make) -> None:
    primal = make(p.holding(p.point))
    shadows = tuple(make(p.holding(np.zeros(p.size))) for _ in range(2))
    autodiff(Reverse, p.function, Active, BatchDuplicated(primal, shadows))
    for shadow in shadows:
        table.close(p, p.floats(shadow), p.hessian @ p.point)


def jitted(p: Program, make: Make) -> None:
    primal, shadow = make(p.holding(p.point)), make(p.holding(np.zeros(p.size)))
    scope = {**vars(enzyme), "f": p.function}
    exec("def derivative(t, d):\n    autodiff(Reverse, f, Active, Duplicated(t, d))\n", scope)
    njit(scope["derivative"])(primal, shadow)
    table.close(p, p.floats(shadow), p.hessian @ p.point)


MODES: dict[str, Callable[[Program, Make], None]] = {
    **table.MODES,
    "split": split,
    "batch": batch,
    "jitted": jitted,
}

REFUSED = (EnzymeNoDerivativeError, IllegalTypeAnalysisException)


def run(cell: Cell) -> str:
    """Check a cell; what became of it."""
    p = program(cell.storage, cell.view, cell.move, cell.place)
    try:
        MODES[cell.mode](p, lambda items: items)
    except REFUSED as error:
        assert not cell.must_work, error
        assert error.where is not None
        return "refused"
    return "right"


def _fits(storage: str, view: str, move: str) -> bool:
    kind = np.dtype(view)
    return not np.dtype(STORAGES[storage][0]).itemsize % kind.itemsize and (
        kind.kind in "iu" or move not in ON_BITS
    )


def _may_write(place: str, mode: str) -> bool:
    """Does the mode differentiate the tangents too, which are written where the argument is?"""
    return place != "to_argument" or mode not in ("forward_over_forward", "reverse_over_forward")


def all_cells() -> list[Cell]:
    rows = itertools.product(STORAGES, VIEWS, MOVES, PLACES, MODES)
    return [Cell(*row) for row in rows if _fits(*row[:3]) and _may_write(*row[3:])]


def some_cells() -> list[Cell]:
    """Every move once, with what goes with it in turn; most of them such that must work, or on which all rests."""
    storages, places, modes = list(STORAGES), list(PLACES), list(MODES)
    found = []
    for k, move in enumerate(MOVES):
        fitting = [
            Cell(
                s, v, move, places[k % 4], modes[(0, 1, 6, 0, 7, 8)[k % 6] if k % 7 else 2 + k % 4]
            )
            for s in storages[5 * k % 12 :] + storages[: 5 * k % 12]
            for v in VIEWS[k % 3 : 4]
            if _fits(s, v, move)
        ]
        fitting = [cell for cell in fitting if _may_write(cell.place, cell.mode)]
        working = [cell for cell in fitting if cell.must_work]
        found.append(working[0] if working and k % 3 else fitting[0])
    return found
