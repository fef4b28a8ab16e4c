"""Methods of named tuples, jitclasses and other objects, and callable ones, in all functions of functions, nested."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from numba import float64
from numba.experimental import jitclass

from enzyme import batch, grad, hessian, hvp, jacfwd, jacrev, jvp, linearize, value_and_grad, vjp

pytestmark = pytest.mark.rotating(18)


@jitclass([("a", float64)])
class Compiled:
    def __init__(self, a):
        self.a = a

    def cubed(self, x):
        return self.a * x * x * x


class Named(NamedTuple):
    a: float

    def cubed(self, x):
        return self.a * x * x * x

    def __call__(self, x):
        return self.a * x * x * x


@dataclass
class Data:
    a: float

    def cubed(self, x):
        return self.a * x * x * x

    def __call__(self, x):
        return self.a * x * x * x


class Plain:
    def __init__(self, a):
        self.a = a

    def cubed(self, x):
        return self.a * x * x * x


FUNCTIONS = {
    "method of a named tuple": Named(2.0).cubed,
    "callable named tuple": Named(2.0),
    "method of a jitclass": Compiled(2.0).cubed,
    "method of a dataclass": Data(2.0).cubed,
    "callable dataclass": Data(2.0),
    "method of an object": Plain(2.0).cubed,
    "partial": functools.partial(lambda a, x: a * x * x * x, 2.0),
    "partial of a method": functools.partial(Named(2.0).cubed),
}
# f(x) = 2 x^3.
CALLS = {
    "grad": (lambda f: grad(f)(1.5), 13.5),
    "value_and_grad": (lambda f: value_and_grad(f)(1.5), (6.75, 13.5)),
    "hessian": (lambda f: hessian(f)(1.5), 18.0),
    "hvp": (lambda f: hvp(f, 1.5, 2.0), 36.0),
    "jvp": (lambda f: jvp(f, (1.5,), (2.0,)), (6.75, 27.0)),
    "vjp": (lambda f: vjp(f, 1.5)[1](2.0), (27.0,)),
    "linearize": (lambda f: linearize(f, 1.5)[1](2.0), 27.0),
    "batch": (lambda f: batch(f)(np.array([1.0, 1.5])), (2.0, 6.75)),
    "grad of grad": (lambda f: grad(grad(f))(1.5), 18.0),
    "jacfwd of grad": (lambda f: jacfwd(grad(f))(1.5), 18.0),
    "jacrev of jacfwd": (lambda f: jacrev(jacfwd(f))(1.5), 18.0),
    "grad of hessian": (lambda f: grad(hessian(f))(1.5), 12.0),
    "jvp of grad": (lambda f: jvp(grad(f), (1.5,), (1.0,)), (13.5, 18.0)),
    "vjp of grad": (lambda f: vjp(grad(f), 1.5)[1](1.0), (18.0,)),
    "linearize of grad": (lambda f: linearize(grad(f), 1.5)[1](1.0), 18.0),
    "batch of grad": (lambda f: batch(grad(f))(np.array([1.0, 1.5])), (6.0, 13.5)),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_right(function, call):
    run, expected = CALLS[call]
    np.testing.assert_allclose(run(FUNCTIONS[function]), expected, rtol=1e-13)
