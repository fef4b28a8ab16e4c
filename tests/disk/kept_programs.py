"""Calls of all kinds, run by a process of its own: ``python -m tests.disk.kept_programs``.

Prints the results of each call, how often a derivative came from disk, and whether the compiler was needed.
"""

from __future__ import annotations

import json
import logging
import math
from collections import namedtuple

import numpy as np
from numba import njit, prange
from numba.typed import Dict, List

import enzyme
from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    ForwardWithPrimal,
    Reverse,
    ReverseHolomorphic,
    ReverseSplitWithPrimal,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
    grad,
    gradient,
    hessian,
    jacobian,
    make_zero,
    typeof,
    value_and_grad,
)

X = np.linspace(0.5, 2.0, 7)
M = np.arange(9.0).reshape(3, 3) + 4 * np.eye(3)
K = np.array([1.0, 2.0, 3.0])
Pair = namedtuple("Pair", "a b")


@njit
def helper(x):
    return math.sin(x) * K[1]


@njit
def total(x):
    s = 0.0
    for i in range(x.size):
        s += helper(x[i]) * x[i]
    return s


@njit
def square(x):
    return x * x + math.exp(-x)


@njit
def into(y, x):
    for i in range(x.size):
        y[i] = x[i] * x[i]


@njit
def solve(a, b):
    return np.linalg.solve(a, b).sum()


@njit
def of_list(items):
    s = 0.0
    for x in items:
        s += x * x
    return s


@njit
def of_dict(d):
    s = 0.0
    for k in d:
        s += d[k] ** 3
    return s


@njit
def of_pair(p):
    return p.a * p.a * p.b


@njit
def of_tuple(t):
    return t[0] * t[1][0]


@njit(parallel=True)
def parallel(x):
    s = 0.0
    for i in prange(x.size):
        s += math.sqrt(x[i])
    return s


@njit(nogil=True, fastmath=True)
def quick(x):
    return np.sum(np.exp(x) / (1.0 + x * x))


@njit
def refuses(x):
    if x > 1.0:
        raise ValueError("too large", x)
    return x * x


@njit
def holomorphic(z):
    return z * z + 1j * z


@njit
def of_complex_list(items):
    return items[0] * items[1]


@njit
def array_of(x):
    return np.cos(x) * 2.0


@njit
def nested(x):
    return gradient(Reverse, square, x)


@njit
def grows(x):
    out = List()
    for i in range(x.size):
        out.append(x[i] * i)
    return out[2] * out[1]


def closure(k):
    @njit
    def inner(x):
        return k * x * x

    return inner


def plain(x):
    return helper(x) + 1.0


lambda_ = njit(lambda x: x**3)


def split(f, x):
    forward, reverse = autodiff_thunk(
        ReverseSplitWithPrimal, Const[typeof(f)], Active, Duplicated[typeof(x)]
    )
    dx = np.zeros_like(x)
    tape, primal, _ = forward(Const(f), Duplicated(x, dx))
    reverse(Const(f), Duplicated(x, dx), 1.0, tape)
    return primal, dx


def with_shadow(mode, f, x, *more):
    dx = make_zero(x)
    return autodiff(mode, f, *more, Duplicated(x, dx)), dx


def message(call):
    try:
        return call()
    except Exception as error:
        return f"{type(error).__name__}: {error.args}"


def overlapping():
    both = np.arange(1.0, 7.0)
    shadows = np.zeros(6)
    autodiff(
        Reverse, into, Const, Duplicated(both[:3], shadows[:3]), Duplicated(both[3:], shadows[3:])
    )
    y = np.arange(1.0, 4.0)
    return shadows, message(lambda: autodiff(Reverse, total, Active, Duplicated(y, y)))


def written():
    y, dy, dx = np.zeros(7), np.ones(7), np.zeros(7)
    autodiff(Reverse, into, Const, Duplicated(y, dy), Duplicated(X, dx))
    return y, dx


CALLS = {
    "reverse": lambda: with_shadow(Reverse, total, X, Active),
    "with primal": lambda: with_shadow(ReverseWithPrimal, total, X, Active),
    "forward": lambda: autodiff(Forward, square, Duplicated(0.3, 1.0)),
    "forward with primal": lambda: autodiff(ForwardWithPrimal, array_of, Duplicated(X, np.ones(7))),
    "batch": lambda: autodiff(Forward, square, BatchDuplicated(0.3, (1.0, 2.0))),
    "active": lambda: autodiff(Reverse, square, Active, Active(0.3)),
    "written": written,
    "overlapping": overlapping,
    "linear algebra": lambda: gradient(Reverse, solve, M, K),
    "list": lambda: with_shadow(Reverse, of_list, List([1.0, 2.0]), Active),
    "dictionary": lambda: str(with_shadow(Reverse, of_dict, dictionary(), Active)),
    "named tuple": lambda: autodiff(Reverse, of_pair, Active, Active(Pair(2.0, 3.0))),
    "tuple": lambda: autodiff(Reverse, of_tuple, Active, Active((2.0, (3.0,)))),
    "parallel": lambda: with_shadow(Reverse, parallel, X, Active),
    "options": lambda: with_shadow(Reverse, quick, X, Active),
    "exception": lambda: message(lambda: autodiff(Reverse, refuses, Active, Active(2.0))),
    "no exception": lambda: autodiff(Reverse, refuses, Active, Active(0.5)),
    "holomorphic": lambda: autodiff(ReverseHolomorphic, holomorphic, Active, Active(1 + 2j)),
    "split": lambda: split(total, X),
    "holomorphic of a list": lambda: with_shadow(
        ReverseHolomorphic, of_complex_list, List([1 + 2j, 3.0]), Active
    ),
    "growing": lambda: with_shadow(Reverse, grows, X, Active),
    "closure": lambda: autodiff(Reverse, closure(3.0), Active, Active(2.0)),
    "other closure": lambda: autodiff(Reverse, closure(5.0), Active, Active(2.0)),
    "lambda": lambda: autodiff(Reverse, lambda_, Active, Active(2.0)),
    "plain": lambda: autodiff(Reverse, plain, Active, Active(2.0)),
    "nested": lambda: autodiff(Reverse, nested, Active, Active(0.3)),
    "gradient": lambda: gradient(Reverse, total, X),
    "jacobian": lambda: jacobian(Reverse, array_of, X),
    "grad": lambda: grad(total)(X),
    "value and grad": lambda: value_and_grad(lambda p: p["a"] * p["b"])({"a": 2.0, "b": 3.0}),
    "hessian": lambda: hessian(total)(X),
    "single precision": lambda: gradient(Reverse, total, X.astype(np.float32)),
    "Fortran order": lambda: gradient(Reverse, lambda m: np.sum(m @ m), np.asfortranarray(M)),
}


def dictionary():
    made = Dict()
    made["x"] = 2.0
    return made


class Count(logging.Handler):
    """How often a derivative came from disk, and why one was not kept."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[str] = []
        self.not_kept: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if "is taken from disk" in text:
            self.taken.append(text)
        if "is not" in text:
            self.not_kept.append(text)


def main() -> None:
    count = Count()
    logger = logging.getLogger("enzyme")
    logger.setLevel(logging.DEBUG)
    logger.addHandler(count)
    results = {name: repr(call()) for name, call in CALLS.items()}
    print(
        json.dumps(
            {
                "results": results,
                "taken": len(count.taken),
                "not kept": count.not_kept,
                "version": enzyme.__version__,
            }
        )
    )


if __name__ == "__main__":
    main()
