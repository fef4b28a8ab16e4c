"""Thunks take by their quick tests what they take by the types that they look up, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    ReverseSplitNoPrimal,
    autodiff_thunk,
    typeof,
)
from enzyme.api import thunk_calls
from tests.api.test_api_look_alikes import LOOK_ALIKES, NATIVE, squares


@njit
def cubes(m):
    total = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            total += (1 + i + 3 * j) * m[i, j] ** 3
    return total


@njit
def square(x):
    return x * x


def read_only(x):
    x.flags.writeable = False
    return x


MATRIX = np.arange(1.0, 7.0).reshape(2, 3)
MATRICES = {
    "rows": lambda: MATRIX.copy(),
    "columns": lambda: np.asfortranarray(MATRIX),
    "neither": lambda: np.repeat(MATRIX, 2, axis=1)[:, ::2],
    "one row": lambda: MATRIX[:1].copy(),
    "none": lambda: np.zeros((0, 3)),
    "read-only": lambda: read_only(MATRIX.copy()),
    "complex": lambda: MATRIX.astype(complex),
    "single": lambda: MATRIX.astype(np.float32),
}
VECTORS = {
    "native": NATIVE.copy,
    **LOOK_ALIKES,
    "read-only": lambda: read_only(NATIVE.copy()),
    "one for all": lambda: np.broadcast_to(NATIVE[:1], 3),
    "number": lambda: 2.0,
    "list": lambda: [1.0, 2.0],
}
NUMBERS = {
    "float": lambda: 3.0,
    "double": lambda: np.float64(3.0),
    "single": lambda: np.float32(3.0),
    "int": lambda: 3,
    "bool": lambda: True,
    "complex": lambda: 3j,
    "array": lambda: np.array(3.0),
    "text": lambda: "3.0",
}


def outcome(thunk, *args):
    """What a call gives, or the error; with what it leaves in shadows."""
    try:
        found = thunk(*args)
    except Exception as error:
        return type(error), [line for line in str(error).splitlines() if " at 0x" not in line][1:]
    left = [np.array(a.dval, copy=True) for a in args if isinstance(a, Duplicated)]
    return repr(found) if isinstance(found, tuple) else "", [a.tolist() for a in left]


def thunks_of(f, like, cls):
    """Forward thunk, and both halves of a split one, called in turn."""
    kind = cls[typeof(like)]
    if cls is Active:
        ahead, back = autodiff_thunk(ReverseSplitNoPrimal, Const[typeof(f)], Active, kind)
    else:
        result = Const if cls is Const else Duplicated
        forward = autodiff_thunk(Forward, Const[typeof(f)], result, kind)
        if cls is Const or not isinstance(like, np.ndarray) or not like.flags.writeable:
            return [forward]
        ahead, back = autodiff_thunk(ReverseSplitNoPrimal, Const[typeof(f)], Active, kind)

    def both(function, arg):
        tape, _, _ = ahead(function, arg)
        return back(function, arg, 1.0, tape)

    return [both] if cls is Active else [forward, both]


def annotated(cls, value, shadow):
    return cls(value, shadow, check=False) if cls in (Duplicated, DuplicatedNoNeed) else cls(value)


TABLES = {
    "vector": (squares, VECTORS, ["native", "every second", "read-only"], (Duplicated, Const)),
    "matrix": (cubes, MATRICES, ["rows", "columns", "neither"], (Duplicated, DuplicatedNoNeed)),
    "number": (square, NUMBERS, ["float", "single"], (Duplicated, Active, Const)),
}


@pytest.mark.parametrize("table", TABLES)
def test_quick_tests_agree_with_types(table, monkeypatch):
    f, kinds, compiled_for, classes = TABLES[table]
    for like in compiled_for:
        for cls in classes:
            quick = thunks_of(f, kinds[like](), cls)
            with monkeypatch.context() as patch:
                patch.setattr(thunk_calls, "guard", lambda *args: "")
                f.__dict__.pop("__enzyme_thunks__")
                slow = thunks_of(f, kinds[like](), cls)
            f.__dict__.pop("__enzyme_thunks__")
            pairs = [(kinds[like], kinds[like])]  # the first call is of what was compiled
            pairs += [(make, kinds[like]) for make in kinds.values()]
            pairs += [(kinds[like], make) for make in kinds.values()]
            for make, make_shadow in pairs:
                for one, other in zip(quick, slow, strict=True):
                    found, expected = (
                        outcome(thunk, Const(f), made)
                        for thunk, made in zip(
                            (one, other), made_twice(cls, make, make_shadow), strict=True
                        )
                    )
                    assert found == expected, (like, cls, make, make_shadow)


def made_twice(cls, make, make_shadow):
    """The same annotation, twice; None where it cannot be made."""
    made = []
    for _ in range(2):
        try:
            made.append(annotated(cls, make(), make_shadow()))
        except Exception:
            made.append(None)
    return made


def test_keys_are_not_asked_for_what_is_common(monkeypatch):
    def key(arg):
        raise AssertionError(arg)

    monkeypatch.setattr(thunk_calls, "key", key)
    for f, like in ((squares, NATIVE), (cubes, np.asfortranarray(MATRIX)), (square, 3.0)):
        f.__dict__.pop("__enzyme_thunks__", None)
        cls = Duplicated if isinstance(like, np.ndarray) else Active
        for thunk in thunks_of(f, like, cls):
            thunk(Const(f), annotated(cls, like, np.zeros_like(like)))
        f.__dict__.pop("__enzyme_thunks__")
