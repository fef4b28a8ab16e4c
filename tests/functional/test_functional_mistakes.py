"""What users do wrong with `grad` and its relatives: one error with a remedy, and the remedy works."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Const,
    Reverse,
    ReverseWithPrimal,
    grad,
    gradient,
    hessian,
    hvp,
    hvp_inplace,
    jacrev,
    jvp,
    value_and_grad,
    vjp,
)
from enzyme.errors import EnzymeError

X = np.array([1.0, 2.0])


def total(x):
    return (x * x).sum()


def with_one(x):
    return (x * x).sum(), 1


def scaled(x, n, *, c=2.0):
    return c * n * x


# A mistake, words of its message, and what the message advises.
MISTAKES = {
    "an int": (lambda: grad(lambda x: x * x)(3), r"pass 3\.0 in place of 3", lambda: grad(lambda x: x * x)(3.0)),
    "an array of ints": (lambda: grad(total)(np.array([1, 2])), r"astype", lambda: grad(total)(X)),
    "a string": (lambda: grad(lambda s, x: x)("a", 1.0), r"argnums", lambda: grad(lambda s, x: x, 1)("a", 1.0)),
    "no such place": (lambda: grad(total, 1)(X), r"the arguments are x", lambda: grad(total, 0)(X)),
    "no such name": (lambda: grad(total, "y")(X), r"the arguments are x", lambda: grad(total, "x")(X)),
    "a float as place": (lambda: grad(total, 0.0), r"place of an argument", lambda: grad(total, 0)),
    "no places": (lambda: grad(total, ()), r"place of an argument", lambda: grad(total, (0,))),
    "a mode object": (lambda: grad(total, mode=Reverse), r'mode="reverse"', lambda: grad(total, mode="reverse")),
    "annotated": (lambda: grad(total)(Const(X)), r"pass the value itself", lambda: grad(total)(X)),
    "keyword-only, jitted": (lambda: grad(njit(scaled)), r"without @njit", lambda: grad(scaled)(1.0, 2, c=2.0)),
    "an array returned": (lambda: grad(lambda x: x * x)(X), r"jacobian", lambda: jacrev(lambda x: x * x)(X)),
    "no pair": (lambda: grad(total, has_aux=True)(X), r"pair", lambda: grad(with_one, has_aux=True)(X)),
    "no tuple of primals": (lambda: jvp(total, X, X), r"give a tuple", lambda: jvp(total, (X,), (X,))),
    "too few tangents": (lambda: jvp(total, (X,), ()), r"a tangent for each", lambda: jvp(total, (X,), (X,))),
    "a tangent of another shape": (lambda: jvp(total, (X,), (np.ones(3),)), r"shape", lambda: jvp(total, (X,), (X,))),
    "a cotangent of another shape": (
        lambda: vjp(lambda x: x * x, X)[1](np.ones(3)),
        r"like the value",
        lambda: vjp(lambda x: x * x, X)[1](np.ones(2)),
    ),
    "a number for an array": (
        lambda: vjp(lambda x: x * x, X)[1](1.0),
        r"array of float64 of shape \(2,\)",
        lambda: vjp(lambda x: x * x, X)[1](np.ones(2)),
    ),
    "nothing to pull back": (lambda: vjp(lambda x: 3, 1.0), r"returns int", lambda: vjp(lambda x: 3 * x, 1.0)),
    "a complex result": (lambda: vjp(lambda x: x * 1j, 1.0), r"complex", lambda: vjp(lambda x: (x * 1j).imag, 1.0)),
    "no place for the product": (
        lambda: hvp_inplace(np.ones(3), total, X, X),
        r"np\.zeros_like",
        lambda: hvp_inplace(np.zeros_like(X), total, X, X),
    ),
    "a direction of another shape": (lambda: hvp(total, X, np.ones(3)), r"shape", lambda: hvp(total, X, X)),
    "a hessian of an array": (lambda: hessian(lambda x: x * x)(X), r"float", lambda: hessian(total)(X)),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name):
    wrong, words, right = MISTAKES[name]
    with pytest.raises(EnzymeError, match=words) as caught:
        wrong()
    assert "test_functional_mistakes.py" in str(caught.value)
    right()


def test_errors_name_the_line_of_the_call():
    made = value_and_grad(total)
    with pytest.raises(EnzymeError, match=r"test_functional_mistakes\.py:\d+") as caught:
        made(3)
    assert "made(3)" in str(caught.value)


def test_an_int_is_refused_on_the_short_way_too():
    """`gradient` takes it for a constant, and remembers that."""

    def product(x, n):
        return x * n

    for mode in (Reverse, ReverseWithPrimal):
        gradient(mode, product, 3.0, 2)
    for made in (grad(product, 1), value_and_grad(product, 1)):
        for _ in range(2):
            with pytest.raises(EnzymeError, match=r"pass 2\.0"):
                made(3.0, 2)
            made(3.0, 2.0)
