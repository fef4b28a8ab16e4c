"""Methods, properties, constants and operators of dataclasses and of objects of other classes, as Python has them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

from enzyme import Active, Reverse, autodiff, batch, grad, gradient, hessian, jacfwd, jvp, vjp
from enzyme.errors import EnzymeError

pytestmark = pytest.mark.rotating(18)

X = np.array([0.5, -1.5])
FACTOR = 2.0


@dataclass(order=True)
class Law:
    a: float
    b: float = 1.5
    SCALE = 3.0

    def __call__(self, x, power=2):
        return self.a * x**power * self.SCALE

    def shifted(self, x, *, by=1.0):
        return self(x) + self.square(self.half) * by * FACTOR

    @property
    def half(self):
        return self.a * self.b / 2.0

    @staticmethod
    def square(x, power=2):
        return x**power

    def __add__(self, other):
        return self.a * other.b

    def __mul__(self, number):
        return self.a * number

    def __rmul__(self, number):
        return self.b * number

    def __neg__(self):
        return -self.a * self.b

    def __bool__(self):
        return self.a > 10.0

    def __contains__(self, number):
        return number > self.a


class Memory:
    """Of a class that is no dataclass; `itself` and `other` are nothing that numba knows."""

    weights = np.array([2.0, 5.0])
    POWER = 3

    def __init__(self):
        self.scale, self.law, self.buffer = 4.0, Law(2.0), np.zeros(2)
        self.activation, self.function, self.name = np.tanh, lambda x: 7.0 * x, "memory"
        self.itself, self.other = self, object()

    def __call__(self, x):
        return self.scale * x**self.POWER + self.law.shifted(x)

    def of_array(self, x):
        self.buffer[:] = x * x
        return (self.buffer * self.buffer * self.weights).sum() * self.function(self.scale)

    def activated(self, x):
        return self.activation(x) * self.scale if self.name == "memory" else x


class Slots:
    __slots__ = ("a",)

    def __init__(self):
        self.a = 4.0

    def product(self, x, y):
        return self.a * x * y**3


MEMORY = Memory()
# Functions of an object and a number, as users write them.
WRITTEN = {
    "a call": lambda p, x: p(x),
    "a call with a keyword": lambda p, x: p(x, power=3),
    "methods of methods": lambda p, x: p.shifted(x, by=x),
    "a property": lambda p, x: p.half * x,
    "a static method": lambda p, x: p.square(x * p.a, 3),
    "a constant": lambda p, x: p.SCALE * x * p.a,
    "a sum": lambda p, x: (p + p) * x,
    "products": lambda p, x: (p * x) * (x * p),
    "a sign": lambda p, x: -p * x,
    "truth": lambda p, x: x * p.a if p else x * p.b,
    "membership": lambda p, x: x * p.a if x in p else x * p.b,
    "order": lambda p, x: x * p.a if p < p else x * p.b,
}


def slope_of(f, x, h=1e-6):
    return (f(x + h) - f(x - h)) / (2 * h)


@pytest.mark.parametrize("name", WRITTEN)
def test_dataclasses(name):
    f, p, x = WRITTEN[name], Law(1.2, 0.7), 1.4
    found, of_x = grad(f, argnums=(0, 1))(p, x)
    assert of_x == pytest.approx(slope_of(lambda x: f(p, x), x), rel=1e-7)
    assert found.a == pytest.approx(slope_of(lambda a: f(Law(a, p.b), x), p.a), rel=1e-7, abs=1e-9)
    assert found.b == pytest.approx(slope_of(lambda b: f(Law(p.a, b), x), p.b), rel=1e-7, abs=1e-9)


CALLED = {
    "an object": MEMORY,
    "a method": MEMORY.activated,
    "a dataclass": Law(1.2),
    "a method of a dataclass": Law(1.2).shifted,
    "slots": partial(Slots().product, 2.0),
}


@pytest.mark.parametrize("name", CALLED)
def test_objects(name):
    f, x = CALLED[name], 0.8
    slope = slope_of(f, x)
    assert grad(f)(x) == pytest.approx(slope, rel=1e-7)
    assert jvp(f, (x,), (1.0,)) == pytest.approx((f(x), slope), rel=1e-7)
    assert vjp(f, x)[1](2.0)[0] == pytest.approx(2.0 * slope, rel=1e-7)
    if name in ("an object", "slots"):
        second = slope_of(grad(f), x)
        assert grad(grad(f))(x) == pytest.approx(second, rel=1e-7)
        assert hessian(f)(x) == pytest.approx(second, rel=1e-7)
        np.testing.assert_allclose(batch(grad(f))(X), [grad(f)(t) for t in X])
    if not isinstance(f, partial):
        assert gradient(Reverse, f, x) == pytest.approx(slope, rel=1e-7)
        assert autodiff(Reverse, f, Active(x))[0][0] == pytest.approx(slope, rel=1e-7)


def test_objects_as_constants_and_with_memory():
    def applied(f, g, x):
        return f(g(x))

    expected = slope_of(lambda x: MEMORY(np.sin(x)), 0.8)
    assert grad(applied, argnums=2)(MEMORY, np.sin, 0.8) == pytest.approx(expected, rel=1e-7)
    assert grad(applied, argnums=2)(np.cos, np.sin, 0.8) != pytest.approx(expected)
    np.testing.assert_allclose(grad(MEMORY.of_array)(X), 4 * X**3 * Memory.weights * 28.0)
    np.testing.assert_array_equal(MEMORY.buffer, 0.0)
    both = jacfwd(grad(Slots().product, argnums=(0, "y")), argnums=(0, 1))(2.0, 3.0)
    np.testing.assert_allclose(both, [[0.0, 108.0], [108.0, 144.0]])


def test_changes_are_seen(monkeypatch):
    memory, law = Memory(), Law(1.2)
    of_memory, of_law = grad(memory), grad(lambda p, x: p.shifted(x * x), argnums=1)

    def right():
        assert of_memory(0.8) == pytest.approx(slope_of(memory, 0.8), rel=1e-6)
        assert of_law(law, 0.8) == pytest.approx(
            slope_of(lambda x: law.shifted(x * x), 0.8), rel=1e-6
        )

    right()
    memory.scale, law.a = 6.0, 0.3
    right()
    monkeypatch.setattr(Law, "SCALE", 5.0)
    right()
    monkeypatch.setattr(Law, "shifted", lambda self, x: self(x) * self(x))
    right()


class Indexed(Slots):
    def __getitem__(self, k):
        return k


class Counter(Slots):
    def count(self, x):
        self.a = self.a + 1.0
        return self.a * x


REFUSED = {
    "a place": (lambda: grad(Indexed().product)(1.0, 2.0), "__getitem__"),
    "an attribute that is set": (lambda: grad(Counter().count)(1.0), "written to"),
    "an operator that is not there": (lambda: grad(lambda p: p - p)(Law(1.0)), "define it"),
    "memory in autodiff": (lambda: gradient(Reverse, MEMORY.of_array, X), "use grad"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    call, words = REFUSED[name]
    with pytest.raises(EnzymeError, match=words) as caught:
        call()
    assert "test_functional_objects.py" in str(caught.value)
