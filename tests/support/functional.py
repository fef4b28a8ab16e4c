"""Every function of `enzyme.functional`, called from Python and in jitted code, with every kind of argument.

`docs/support.md` shows which of them work; `test_support_functional.py` compares them with differences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numba import njit

import enzyme
from enzyme.errors import EnzymeError

W = np.array([0.7, -1.1])
B = 1.3


class Pair(NamedTuple):
    """A named tuple."""

    w: np.ndarray
    b: float


@dataclass
class Layer:
    """A dataclass."""

    w: np.ndarray
    b: float


# What is differentiated, as arguments, and a number that is made of them.
KINDS: dict[str, tuple[tuple[Any, ...], str]] = {
    "float": ((B,), "a * a * a * 0.3"),
    "array": ((W,), "(a * a * a).sum() * a[0]"),
    "tuple": (((W, B),), "(a[0] * a[0] * a[0]).sum() * a[1] * a[1]"),
    "tuple of arrays": (((W, W[:1] + 2.0),), "(a[0] * a[0] * a[0]).sum() * (a[1] * a[1]).sum()"),
    "named tuple": ((Pair(W, B),), "(a.w * a.w * a.w).sum() * a.b * a.b"),
    "dataclass": ((Layer(W, B),), "(a.w * a.w * a.w).sum() * a.b * a.b"),
    "dictionary": (({"w": W, "b": B},), "(a['w'] * a['w'] * a['w']).sum() * a['b'] * a['b']"),
    "list": (([W, W + 1.0],), "(a[0] * a[0] * a[1]).sum()"),
    "several arguments": ((W, B), "(a * a * a).sum() * c * c"),
}
PLACES = ("Python", "jitted code")
ONLY_IN_PYTHON = ("dataclass", "dictionary", "list")  # numba has no types for them

# How each is called; `{a}` are the arguments, `{v}` directions for them, `{o}` says which are differentiated.
CALLS = {
    "grad": "grad(f{o})({a})",
    "value_and_grad": "value_and_grad(f{o})({a})",
    "gradient": "gradient(Reverse, f, {a})",
    "jacobian": "jacobian(Reverse, g, {a})",
    "jacfwd": "jacfwd(g{o})({a})",
    "jacrev": "jacrev(g{o})({a})",
    "hessian": "hessian(f{o})({a})",
    "jvp": "jvp(f, ({a},), ({v},))",
    "vjp": "vjp(g, {a})[1](seed)",
    "linearize": "linearize(f, {a})[1]({v})",
    "hvp": "hvp(f, {first}, v{rest})",
    "hvp_inplace": "hvp_inplace(res, f, {first}, v{rest})",
    "hvp_and_gradient_inplace": "hvp_and_gradient_inplace(res, res2, f, {first}, v{rest})",
    "batch": "batch(grad(f{o}))({a})",
    "stop_gradient": "grad(stopped{o})({a})",
    "custom_jvp": "grad(forward{o})({a})",
    "custom_vjp": "grad(backward{o})({a})",
    "ravel": "ravel(({a},))[0]",
}

_HOLDS = "in compiled code"
# What is refused, with words of the error: by function and place, and of those by kind ("" is every kind).
_PLACES = dict.fromkeys((k for k in KINDS if k not in ("array", "several arguments")), "to write")
REFUSED: dict[tuple[str, str], dict[str, str]] = {
    **{
        (f"{name}_inplace", place): _PLACES
        for name in ("hvp", "hvp_and_gradient")
        for place in PLACES
    },
    ("vjp", "jitted code"): {"": _HOLDS},
    ("linearize", "jitted code"): {"": _HOLDS},
    ("ravel", "jitted code"): {"": _HOLDS},
}


@dataclass(frozen=True)
class Cell:
    """A function, where it is called, and with what."""

    name: str
    place: str
    kind: str

    def __str__(self) -> str:
        return f"{self.name} of {self.kind} in {self.place}"

    @property
    def phrase(self) -> str | None:
        """Words of the error, None for what works."""
        found = REFUSED.get((self.name, self.place), {})
        return found.get(self.kind, found.get(""))


def cells() -> Iterator[Cell]:
    """All that there can be."""
    for name in CALLS:
        for place in PLACES:
            for kind in KINDS:
                if place == "Python" or kind not in ONLY_IN_PYTHON:
                    yield Cell(name, place, kind)


# Values as vectors ----------------------------------------------------------------------------------


def leaves(x: Any) -> list[np.ndarray]:
    """The arrays and numbers in a value."""
    if isinstance(x, dict):
        x = list(x.values())
    elif hasattr(x, "__dataclass_fields__"):
        x = [getattr(x, name) for name in x.__dataclass_fields__]
    if isinstance(x, list | tuple):
        return [leaf for part in x for leaf in leaves(part)]
    return [np.asarray(x)]


def flat(x: Any) -> np.ndarray:
    """The numbers in a value."""
    return np.concatenate([leaf.ravel() for leaf in leaves(x)])


def like(x: Any, numbers: Iterator[Any]) -> Any:
    """The structure of a value with other numbers, or other arrays for its leaves."""
    if isinstance(x, dict):
        return {key: like(part, numbers) for key, part in x.items()}
    if hasattr(x, "__dataclass_fields__"):
        return type(x)(*(like(getattr(x, name), numbers) for name in x.__dataclass_fields__))
    if isinstance(x, list | tuple):
        parts = [like(part, numbers) for part in x]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    if isinstance(x, np.ndarray):
        return np.array([next(numbers) for _ in range(x.size)]).reshape(x.shape)
    return float(next(numbers))


def stacked(values: list[Any]) -> Any:
    """Values one behind the other along a new first axis of every leaf."""
    first = values[0]
    if isinstance(first, dict):
        return {key: stacked([v[key] for v in values]) for key in first}
    if hasattr(first, "__dataclass_fields__"):
        names = first.__dataclass_fields__
        return type(first)(*(stacked([getattr(v, n) for v in values]) for n in names))
    if isinstance(first, list | tuple):
        parts = [stacked(list(part)) for part in zip(*values, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)
    return np.array(values)


# What is called -------------------------------------------------------------------------------------


def _scope(kind: str, place: str, decorated: bool) -> dict[str, Any]:
    args, body = KINDS[kind]
    names = ", ".join("ac"[: len(args)])
    scope: dict[str, Any] = {name: getattr(enzyme, name) for name in enzyme.__all__}
    scope |= {"np": np, "names": names}
    exec(
        f"def f({names}):\n    return {body}\n"
        f"def g({names}):\n    s = {body}\n    return np.array([s, s * s])\n",
        scope,
    )
    scope["plain"] = scope["f"], scope["g"]
    if decorated:
        scope["f"], scope["g"] = njit(scope["f"]), njit(scope["g"])
    exec(
        f"def stopped({names}):\n    return f({names}) * stop_gradient(f({names}))\n"
        f"def forward({names}):\n    return f({names})\n"
        f"def backward({names}):\n    return f({names})\n",
        scope,
    )
    if place != "Python":
        scope["stopped"] = njit(scope["stopped"])
    return scope


def called(cell: Cell) -> tuple[Any, Callable[..., Any], tuple[Any, ...]]:
    """What a call gives, the plain function, and the arguments."""
    args, _ = KINDS[cell.kind]
    # Half of what Python calls is undecorated, where nothing compiled calls it.
    called = cell.place != "Python" or cell.name in ("custom_jvp", "custom_vjp", "stop_gradient")
    scope = _scope(cell.kind, cell.place, called or crc32(str(cell).encode()) % 2 == 0)
    names = scope["names"]
    several = len(args) > 1
    if cell.name.startswith("custom"):
        _customise(cell.name, scope, args)
    text = CALLS[cell.name].format(
        a=names,
        first=names.partition(", ")[0],
        rest=names[1:],
        v=", ".join("vu"[: len(args)]),
        o=", (0, 1)" if several else "",
    )
    values: dict[str, Any] = dict(zip("ac", args))
    numbers = iter(np.linspace(0.5, 1.5, 16))
    values |= dict(zip("vu", [like(x, numbers) for x in args]))
    values |= {"seed": np.array([2.0, -1.0])}
    if "res" in text:
        values |= {name: like(args[0], iter(np.zeros(8))) for name in ("res", "res2")}
    if cell.name == "batch":
        for name in names.split(", "):
            values[name] = stacked([values[name], values["vu"["ac".index(name)]]])
    if cell.place == "Python":
        return eval(text, scope, values), scope["plain"][0], args
    used = [n for n in values if n in text.replace("value_and", "")]
    head = ", ".join(values)
    exec(f"def call({head}):\n    return {text}\n", scope)
    assert used
    return njit(scope["call"])(*values.values()), scope["plain"][0], args


def _customise(name: str, scope: dict[str, Any], args: tuple[Any, ...]) -> None:
    """Rules that say three times the derivative."""
    count = len(args)
    names = scope["names"]
    if name == "custom_jvp":
        made = enzyme.custom_jvp(scope["forward"])
        exec(
            "def rule(primals, tangents):\n"
            "    y, t = jvp(f, primals, tangents)\n"
            "    return y, 3.0 * t\n",
            scope,
        )
        made.defjvp(njit(scope["rule"]))
        scope["forward"] = made
        return
    made = enzyme.custom_vjp(scope["backward"])
    which = "(0, 1)" if count > 1 else "0"
    exec(
        f"def ahead({names}):\n    return value_and_grad(f, {which})({names})\n",
        scope,
    )
    scope["scaled"] = _scaled(args, count)
    exec(
        "def back(kept, ct):\n    return scaled(kept, 3.0 * ct)\n",
        scope,
    )
    made.defvjp(njit(scope["ahead"]), njit(scope["back"]))
    scope["backward"] = made


def _scaled(args: tuple[Any, ...], count: int) -> Any:
    def text(x: Any, place: str) -> str:
        if isinstance(x, tuple) and hasattr(x, "_fields"):
            return f"Pair({', '.join(text(p, f'{place}[{k}]') for k, p in enumerate(x))})"
        if isinstance(x, dict):
            x = tuple(x.values())
        elif hasattr(x, "__dataclass_fields__"):
            x = (x.w, x.b)
        if isinstance(x, list | tuple):
            return f"({', '.join(text(p, f'{place}[{k}]') for k, p in enumerate(x))},)"
        return f"t * {place}"

    parts = [text(x, f"d[{k}]" if count > 1 else "d") for k, x in enumerate(args)]
    scope: dict[str, Any] = {"Pair": Pair}
    exec(f"def scaled(d, t):\n    return ({', '.join(parts)},)\n", scope)
    return njit(scope["scaled"])


# What it should be ----------------------------------------------------------------------------------


def disagreement(cell: Cell) -> str:
    """How a cell is wrong; "" if it is right."""
    found, f, args = called(cell)
    here = flat(args)
    n = len(here)
    units = np.eye(n)

    def at(numbers: np.ndarray) -> float:
        return float(f(*like(args, iter(numbers))))

    def gradient(numbers: np.ndarray, step: float = 1e-5) -> np.ndarray:
        return np.array(
            [(at(numbers + step * u) - at(numbers - step * u)) / (2 * step) for u in units]
        )

    slope, value = gradient(here), at(here)
    v = np.linspace(0.5, 1.5, 16)[:n]
    step = 1e-4
    curves = np.array(
        [(gradient(here + step * u) - gradient(here - step * u)) / (2 * step) for u in units]
    )
    wanted: Any
    if cell.name.startswith("hvp"):  # with respect to the first argument
        first = len(flat(args[:1]))
        v, curves, slope = v[:first], curves[:first, :first], slope[:first]
    if cell.name in ("grad", "gradient"):
        got, wanted = flat(found), slope
    elif cell.name == "value_and_grad":
        got, wanted = flat(found), np.r_[value, slope]
    elif cell.name in ("jacobian", "jacfwd", "jacrev"):
        got = np.concatenate([leaf.reshape(2, -1) for leaf in leaves(found)], axis=1)
        wanted = np.array([slope, 2 * value * slope])
    elif cell.name == "hessian":
        sizes = [leaf.size for leaf in leaves(args)]
        blocks = iter(leaves(found))
        got = np.block([[next(blocks).reshape(i, j) for j in sizes] for i in sizes])
        wanted = curves
    elif cell.name == "jvp":
        got, wanted = flat(found), np.array([value, slope @ v])
    elif cell.name == "vjp":
        got, wanted = flat(found), (2.0 - 2 * value) * slope
    elif cell.name == "linearize":
        got, wanted = flat(found), np.array([slope @ v])
    elif cell.name in ("hvp", "hvp_inplace"):
        got, wanted = flat(found), curves @ v
    elif cell.name == "hvp_and_gradient_inplace":
        got, wanted = flat(found), np.r_[curves @ v, slope]
    elif cell.name == "batch":
        both = [leaf.reshape(2, -1) for leaf in leaves(found)]
        got, wanted = np.concatenate(both, axis=1), np.array([slope, gradient(v)])
    elif cell.name == "stop_gradient":
        got, wanted = flat(found), value * slope
    elif cell.name == "ravel":
        got, wanted = np.asarray(found), here
    else:
        got, wanted = flat(found), 3.0 * slope
    if got.shape != wanted.shape:
        return f"shape {got.shape}, not {wanted.shape}"
    if not np.allclose(got, wanted, rtol=1e-5, atol=1e-5):
        return f"{got}, not {wanted}"
    return ""


def verdict(cell: Cell) -> str:
    """In words, for who writes the table."""
    try:
        return disagreement(cell) or "right"
    except EnzymeError as error:
        return f"refused: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:300]}"


def table() -> str:
    """What the document shows."""
    lines = [
        "## Functions of functions",
        "",
        "With respect to each kind of argument: called from Python, and in jitted code, where numba has no types for\n"
        "dataclasses, dictionaries and Python lists of arrays. Products of Hessians that write to places take arrays\n"
        "where `hvp` takes containers. In Python functions are plain or jitted ones, partial ones, methods of named"
        " tuples,",
        "jitclass instances, dataclasses and objects of any class, and such objects themselves if they can be called;"
        " compiled code",
        "has of an object the attributes that numba knows, and its methods. Refused are objects of classes that define",
        "`__getitem__` or `__len__`, attributes that are set, and new dataclasses made in compiled code.",
        "",
        f"| function | {' | '.join(KINDS)} |",
        f"|---|{'---|' * len(KINDS)}",
    ]
    known = {(c.name, c.place, c.kind): c.phrase is None for c in cells()}
    words = {(True, True): "yes", (True, None): "Python", (True, False): "Python"}
    for name in CALLS:
        entries = []
        for kind in KINDS:
            here = tuple(known.get((name, place, kind)) for place in PLACES)
            entries.append(words.get(here, "no"))
        lines.append(f"| `{name}` | {' | '.join(entries)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for each in cells():
        said = verdict(each)
        if said != "right" and not (each.phrase and re.search(each.phrase, said)):
            print(each, "|", said, flush=True)
