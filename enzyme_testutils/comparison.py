"""Compare two values part by part and say where they differ.

Numbers and arrays are compared norm-wise, |x − y| ≤ max(atol, rtol·max(|x|, |y|)); an infinity
equals itself, not-a-number nothing.  Everything else must have the same type, length, keys and
shape before its parts are compared; parts that hold no floats must be equal.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from enzymecore import typeof
from enzymecore.structure import Kind, kind_of, parts


@dataclass(frozen=True)
class Tolerance:
    """How far apart two leaves may be, and what a leaf of one of them is uncertain by anyway."""

    rtol: float
    atol: float

    def allowed(self, x: Any, y: Any, error: Any) -> float:
        """The largest distance of two leaves that counts as none."""
        size = max(norm(x), norm(y))
        return max(self.atol, self.rtol * size) + (norm(error) if error is not None else 0.0)


@dataclass(frozen=True)
class Leaf:
    """Two parts that were compared: numbers or arrays, or parts that do not fit together.

    `distance` is that of the norms, `allowed` the largest one that counts as none; for parts that
    cannot be compared `problem` says why.
    """

    path: str
    x: Any
    y: Any
    distance: float = 0.0
    allowed: float = 0.0
    problem: str = ""

    @property
    def ok(self) -> bool:
        """Whether the parts agree."""
        return not self.problem and self.distance <= self.allowed


def norm(x: Any) -> float:
    """Return the Euclidean norm of the finite floats in a number or an array."""
    found = np.asarray(x)
    if found.dtype.kind not in "fc" or not found.size:
        return 0.0
    flat = np.abs(found.astype(np.complex128 if found.dtype.kind == "c" else np.float64)).ravel()
    flat = flat[np.isfinite(flat)]
    largest = flat.max(initial=0.0)
    # Scaled, as squares of large numbers overflow.
    return float(largest * np.linalg.norm(flat / largest)) if largest else 0.0


def _distance(x: Any, y: Any, same_nan: bool = False) -> float:
    x, y = np.asarray(x), np.asarray(y)
    with np.errstate(invalid="ignore", over="ignore"):
        equal = (x == y) | (np.isnan(x) & np.isnan(y)) if same_nan else x == y
        gap = np.where(equal, 0.0, x - y)
    if not np.isfinite(gap).all():
        return float("inf")
    return norm(gap.astype(np.complex128 if gap.dtype.kind == "c" else np.float64))


def leaves(
    x: Any,
    y: Any,
    tolerance: Tolerance,
    error: Any = None,
    *,
    inactive: bool = True,
    same_nan: bool = False,
) -> Iterator[Leaf]:
    """Return what a comparison of two values finds, leaf by leaf, agreement included.

    Parameters
    ----------
    x, y
        The values.
    tolerance
        What is allowed.
    error
        A value of the same structure as `y` with what its floats are uncertain by, or None.
    inactive
        Whether parts without floats must be equal.
    same_nan
        Whether not-a-number equals itself.
    """
    pending: list[tuple[str, Any, Any, Any]] = [("", x, y, error)]
    seen: set[tuple[int, int]] = set()
    while pending:
        path, a, b, unsure = pending.pop()
        kind = kind_of(b)
        if isinstance(b, types.MethodType) and isinstance(a, types.MethodType):
            pending.append((path, a.__self__, b.__self__, unsure and unsure.__self__))
            continue
        if kind is Kind.INACTIVE and not inactive and type(a) is type(b):
            continue
        if (id(a), id(b)) in seen and kind is not Kind.FLOAT:
            continue
        seen.add((id(a), id(b)))
        problem = _misfit(a, b, kind)
        if problem:
            yield Leaf(path, a, b, problem=problem)
        elif kind is Kind.RECORD or (kind is Kind.ARRAY and b.dtype.names is not None):
            for name in b.dtype.names:
                held = None if unsure is None else unsure[name]
                pending.append((f"{path}[{name!r}]", a[name], b[name], held))
        elif kind is Kind.FLOAT or (kind is Kind.ARRAY and b.dtype.kind in "fc"):
            distance = _distance(a, b, same_nan)
            yield Leaf(path, a, b, distance, tolerance.allowed(a, b, unsure))
        elif kind is Kind.ARRAY and b.dtype != object:
            if inactive and not np.array_equal(a, b):
                yield Leaf(path, a, b, problem="the elements differ")
        elif kind is Kind.INACTIVE:
            if inactive and not _equal(a, b):
                yield Leaf(path, a, b, problem=f"{a!r} is not {b!r}")
        else:
            errors = _children(unsure, kind) if unsure is not None else None
            first = _children(a, kind)
            children = [
                (path + step, first[step], part, errors and errors[step])
                for step, part in parts(b, kind)
            ]
            pending.extend(reversed(children))


def _children(x: Any, kind: Kind) -> dict[str, Any]:
    return dict(parts(x, kind))


def _equal(a: Any, b: Any) -> bool:
    try:
        return a is b or bool(a == b)
    except (TypeError, ValueError):
        return False


def _same_number(a: Any, b: Any) -> bool:
    """Whether two numbers may be of one type: numba hands out single precision as Python's own floats."""
    if isinstance(a, complex | np.complexfloating) is not isinstance(
        b, complex | np.complexfloating
    ):
        return False
    return type(a) in (float, complex) or type(b) in (float, complex)


def _misfit(a: Any, b: Any, kind: Kind) -> str:
    """What keeps two values from being compared part by part; empty if nothing does."""
    if kind is Kind.FLOAT or kind_of(a) is Kind.FLOAT:
        fits = kind_of(a) is kind and (_same_number(a, b) or typeof(a) == typeof(b))
        return "" if fits else f"the types differ: {typeof(a)} and {typeof(b)}"
    if kind is Kind.ARRAY and isinstance(a, np.ndarray):
        if a.dtype != b.dtype:
            return f"the types of the elements differ: {a.dtype} and {b.dtype}"
        return f"the shapes differ: {a.shape} and {b.shape}" if a.shape != b.shape else ""
    if type(a) is not type(b):
        return f"the types differ: {type(a).__name__} and {type(b).__name__}"
    if kind in (Kind.TUPLE, Kind.NAMEDTUPLE, Kind.LIST, Kind.TYPED_LIST) and len(a) != len(b):
        return f"the lengths differ: {len(a)} and {len(b)}"
    if kind is not Kind.INACTIVE and kind is not Kind.RECORD:
        mine, its = list(_children(a, kind)), list(_children(b, kind))
        if set(mine) != set(its):
            return f"the keys or fields differ: {', '.join(mine)} and {', '.join(its)}"
    return ""


def misfits(x: Any, y: Any) -> list[str]:
    """Return what keeps one value from being the shadow of the other: types, lengths, keys, shapes."""
    anything = Tolerance(0.0, float("inf"))
    return [
        f"{leaf.path}: {leaf.problem}" if leaf.path else leaf.problem
        for leaf in leaves(x, y, anything, inactive=False)
        if leaf.problem
    ]


def describe(leaf: Leaf, names: tuple[str, str], at: str = "") -> list[str]:
    """Return lines that show how two parts differ, much as numpy's assertions do."""
    where = f"at {at}{leaf.path}: " if at or leaf.path else ""
    if leaf.problem:
        return [f"{where}{leaf.problem}", *_shown(leaf, names)]
    x, y = np.asarray(leaf.x), np.asarray(leaf.y)
    size = f"distance {leaf.distance:.3g}, allowed {leaf.allowed:.3g}"
    if x.ndim == 0:
        return [f"{where}{size}", *_shown(leaf, names)]
    with np.errstate(invalid="ignore", divide="ignore"):
        gap = np.where(x == y, 0.0, np.abs(x - y))
        relative = gap / np.abs(y)
    wrong = ~(gap <= leaf.allowed / np.sqrt(max(1, x.size)))
    worst = np.unravel_index(int(np.argmax(np.where(np.isnan(gap), np.inf, gap))), x.shape)
    index = ", ".join(map(str, worst))
    finite = relative[np.isfinite(relative)]
    return [
        f"{where}{size}",
        f"Mismatched elements: {wrong.sum()} / {x.size} ({wrong.mean():.3g} of all)",
        f"Max absolute difference: {gap[worst]:.8g}, at [{index}]: "
        f"{names[0]} {x[worst]!r}, {names[1]} {y[worst]!r}",
        f"Max relative difference: {finite.max(initial=0.0):.8g}",
        *_shown(leaf, names),
    ]


def _shown(leaf: Leaf, names: tuple[str, str]) -> list[str]:
    width = max(map(len, names))
    lines = []
    for name, value in zip(names, (leaf.x, leaf.y)):
        first, *rest = (
            np.array2string(value, threshold=60, separator=", ").splitlines()
            if isinstance(value, np.ndarray)
            else repr(value).splitlines()
        )
        lines.append(f" {name:>{width}}: {first}")
        lines.extend(f" {'':>{width}}  {line}" for line in rest)
    return lines
