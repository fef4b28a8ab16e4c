"""PyTensor gets values and derivatives of every order, in graphs that numba compiles and in those that it does not."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

pytensor = pytest.importorskip("pytensor")

import pytensor.tensor as pt  # noqa: E402
from pytensor.compile.mode import Mode  # noqa: E402
from pytensor.gradient import DisconnectedInputError  # noqa: E402
from pytensor.graph.replace import vectorize_graph  # noqa: E402

from enzyme import grad, hvp  # noqa: E402
from enzyme.api.values import closure, jitted  # noqa: E402
from enzyme.errors import ActivityError, EnzymeError  # noqa: E402
from enzyme.interop.pytensor import function  # noqa: E402
from enzyme.interop.pytensor.ops import Call  # noqa: E402
from tests.interop.battery import BATTERY, TABLE, M, V, guarded, newton, recurrence  # noqa: E402

MODES = {
    "numba": "NUMBA",
    "perform": Mode(linker="py", optimizer="fast_run"),
    "plain": Mode(linker="py", optimizer=None),
}
RNG = np.random.default_rng(5)


def compiled(inputs, outputs, mode="numba", **kwargs):
    return pytensor.function(inputs, outputs, mode=MODES[mode], **kwargs)


def pushed(y, x, v):
    """The product with the Jacobian, by the operator's own forward mode."""
    if hasattr(pytensor.gradient, "pushforward"):
        return pytensor.gradient.pushforward(y, x, v, use_op_pushforward=True)
    return pytensor.gradient.Rop(y, x, v, use_op_rop_implementation=True)


def variable(x):
    """A variable for a float or an array of floats; anything else stays."""
    if isinstance(x, float) or (isinstance(x, np.ndarray) and x.dtype.kind == "f"):
        kind = np.asarray(x)
        return pt.tensor(dtype=kind.dtype.name, shape=(None,) * kind.ndim)
    return x


def copies(args):
    return [x.copy() if isinstance(x, np.ndarray) else x for x in args]


def listed(y):
    return list(y) if isinstance(y, tuple | list) else [y]


def weighted(f, weight, count, is_tuple):
    """Our own scalar function, of the first result."""
    names = ", ".join(f"x{k}" for k in range(count))
    product = f"weight * f({names}){'[0]' * is_tuple}"
    body = f"return ({product}).sum()" if np.ndim(weight) else f"return {product}"
    return closure(jitted(f, count), names, body, "weighted", weight=weight)


@pytest.mark.parametrize("mode", ["numba", "perform"])
@pytest.mark.parametrize("name", BATTERY)
def test_battery(name, mode):
    """Values, gradients, products with second derivatives are our own; the adjoint test ties forward mode to them."""
    f, args = BATTERY[name]
    values = f(*copies(args))
    given = [variable(x) for x in args]
    inputs = [x for x in given if isinstance(x, pt.TensorVariable)]
    outputs = listed(function(f)(*given))
    weight = RNG.normal(size=np.shape(listed(values)[0]))
    weight = weight if np.ndim(weight) else float(weight)
    direction = [RNG.normal(size=np.shape(x)) for x in args[: len(inputs)]]
    cost = (weight * outputs[0]).sum()
    slopes = pt.grad(cost, inputs)
    second = pt.grad((slopes[0] * direction[0]).sum(), inputs[0], disconnected_inputs="ignore")
    tangent = pushed(outputs[0], inputs[0], pt.constant(direction[0]))
    run = compiled(inputs, [*outputs, *slopes, second, tangent], mode, on_unused_input="ignore")
    found = run(*copies(args)[: len(inputs)])
    for y, value in zip(found, listed(values)):
        np.testing.assert_allclose(y, value, rtol=1e-12)
    total = weighted(f, weight, len(args), isinstance(values, tuple))
    places = tuple(range(len(inputs)))
    ours = grad(total, argnums=places)(*copies(args))
    theirs = found[len(outputs) : len(outputs) + len(inputs)]
    for one, other in zip(theirs, ours, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)
    if name != "writes its argument":  # for which our own needs a copy
        along = direction[0] if np.ndim(direction[0]) else float(direction[0])
        product = hvp(total, args[0], along, *args[1:])
        np.testing.assert_allclose(found[-2], product, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(
        (found[-1] * weight).sum(), (theirs[0] * direction[0]).sum(), rtol=1e-12, atol=1e-13
    )


def calls(run):
    """What the operators in a compiled graph run."""
    nodes = run.maker.fgraph.toposort()
    return [repr(node.op.program) for node in nodes if isinstance(node.op, Call)]


def energy(x, table):
    return (table * x * x * x).sum()


def test_graphs():
    """Of adjoints those that are read are computed, a number and its gradient in one run, all in compiled code."""
    x, table = pt.dvector("x"), pt.constant(TABLE)
    y = function(energy)(x, table)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*object mode.*")
        run = compiled([x], [y, pt.grad(y, x)])
    assert calls(run) == ["value_and_gradient_of_energy"]
    assert len(run.maker.fgraph.toposort()[0].outputs) == 2
    value, slope = run(np.arange(5.0))
    np.testing.assert_allclose(value, energy(np.arange(5.0), TABLE), rtol=1e-12)
    np.testing.assert_allclose(slope, 3.0 * TABLE * np.arange(5.0) ** 2, rtol=1e-12)
    alone = compiled([x], pt.grad(2.0 * y, x))
    assert calls(alone) == ["pullback_of_energy"]
    np.testing.assert_allclose(alone(np.arange(5.0)), 2.0 * slope, rtol=1e-12)
    twice = compiled([x], [function(newton)(x[0]) + function(newton)(x[0])])
    assert len(calls(twice)) == 2  # two functions; one that is called twice runs once
    same = function(newton)
    assert calls(compiled([x], [same(x[0]) + same(x[0])])) == ["newton"]


@pytest.mark.parametrize("mode", MODES)
def test_memory(mode):
    """What comes out may be written: it is no view of an input, of another output, or of what the function reads."""
    x = pt.dvector("x")
    first, second, third, fourth = function(lambda x: (x, x[::2], x[1:], TABLE))(x)
    changed = [pt.set_subtensor(y[:1], 100.0) for y in (first, second, third, fourth)]
    run = compiled([x], [*changed, first, second], mode)
    given = np.arange(4.0)
    for _ in range(2):
        found = run(given)
        for y, value in zip(found, ([100, 1, 2, 3], [100, 2], [100, 2, 3], [100, *TABLE[1:]])):
            np.testing.assert_array_equal(y, value)
        for y, value in zip(found[4:], ([0, 1, 2, 3], [0, 2])):
            np.testing.assert_array_equal(y, value)
    np.testing.assert_array_equal(given, np.arange(4.0))


@pytest.mark.parametrize("mode", ["numba", "perform"])
def test_kinds_of_arguments(mode):
    """Single precision, whole numbers, truth values, trees; any order of numbers in memory; one variable twice."""

    def mixed(p, x, steps, flag):
        total = 1.0 * p["a"] * x[0, 0]
        for _ in range(steps):
            total += (x * x).sum() * p["b"][0] if flag else p["b"][1]
        return total, x.T * total, steps + 1

    x, a, steps = pt.fmatrix("x"), pt.fscalar("a"), pt.lscalar("steps")
    total, product, count = function(mixed)({"a": a, "b": (2.0, 3)}, x, steps, True)
    assert (total.dtype, product.dtype, count.dtype) == ("float64", "float64", "int64")
    slopes = pt.grad(total, [x, a])
    assert [slope.dtype for slope in slopes] == ["float32", "float32"]
    run = compiled([x, a, steps], [total, product, count, *slopes], mode)
    whole = np.arange(24.0, dtype=np.float32).reshape(4, 6)
    for given in (whole[:2, :3].copy(), whole[::2, ::2], whole.T[:3]):
        value = 0.5 * given[0, 0] + 2.0 * 2.0 * (given.astype(float) ** 2).sum()
        found = run(given, np.float32(0.5), 2)
        np.testing.assert_allclose(found[0], value, rtol=1e-6)
        np.testing.assert_allclose(found[1], given.T * value, rtol=1e-6)
        assert found[2] == 3
        expected = 8.0 * given
        expected[0, 0] += 0.5
        np.testing.assert_allclose(found[3], expected, rtol=1e-6)
        np.testing.assert_allclose(found[4], given[0, 0], rtol=1e-6)
    with pytest.raises(DisconnectedInputError):
        pt.grad(total, steps)
    v = pt.dvector("v")
    slope = pt.grad(function(lambda x, y: x @ y)(v, v), v)
    np.testing.assert_array_equal(compiled([v], slope, mode)(V), 2.0 * V)


def test_shapes():
    """Known shapes are found without a run: of adjoints, of numbers, and those that the user says."""
    x, m = pt.dvector("x"), pt.dmatrix("m")
    said = function(lambda m, x: (m @ x, x.sum()), shapes=lambda m, x: ((m[0],), ()))
    product, _ = said(m, x)
    tangent = pushed(product, x, x)
    run = compiled([m, x], [product.shape[0], pt.grad(product.sum(), m).shape[1], tangent.shape[0]])
    assert calls(run) == []
    assert run(M.T.copy(), V) == [2, 3, 2]
    unsaid = function(recurrence)(x, 0.5, 1.0)
    assert compiled([x], unsaid.shape[0])(V) == 3
    fixed = pt.tensor(dtype="float64", shape=(3,))
    assert pt.grad(function(energy)(fixed, TABLE[:3]), fixed).type.shape == (3,)
    with pytest.raises(ActivityError, match="shapes of recurrence says"):
        function(recurrence, shapes=lambda *given: ())(x, 0.5, 1.0)


@pytest.mark.parametrize("mode", ["numba", "perform"])
def test_complex_numbers(mode):
    """Complex arguments and results are values; PyTensor has no gradients of complex variables, and says so."""
    z = pt.zvector("z")
    found = function(lambda z, w: (w * z * z.conjugate() + z * z, w * z[0]))(z, 2.0 - 1.0j)
    given = np.array([1.0 + 2.0j, -0.5 + 0.3j])
    product, first = compiled([z], found, mode)(given)
    np.testing.assert_allclose(product, (2 - 1j) * np.abs(given) ** 2 + given**2, rtol=1e-12)
    np.testing.assert_allclose(first, (2 - 1j) * given[0], rtol=1e-12)
    with pytest.raises(TypeError, match="illegally"):
        pt.grad(pt.real(found[1]), z)
    re, im = pt.dvectors("re", "im")
    power = function(lambda re, im: (np.abs((re + 1j * im) ** 2) ** 2).sum())(re, im)
    slopes = compiled([re, im], pt.grad(power, [re, im]), mode)(given.real, given.imag)
    expected = 4.0 * np.abs(given) ** 2 * given
    np.testing.assert_allclose(slopes, [expected.real, expected.imag], rtol=1e-12)


@pytest.mark.parametrize("mode", ["numba", "perform"])
def test_errors(mode):
    """What the function raises passes; what has no derivative is an error of ours, when it is compiled."""
    x = pt.dvector("x")
    y = function(guarded)(x)
    for output in (y, pt.grad(y.sum(), x)):
        run = compiled([x], output, mode)
        assert run(V).shape == V.shape
        with pytest.raises(ValueError, match="too small"):
            run(V - 1000.0)

    bits = function(lambda x: (x.view(np.int64) ^ 1).view(np.float64).sum())(x)
    assert np.isfinite(compiled([x], bits, mode)(V))
    with pytest.raises(EnzymeError):
        compiled([x], pt.grad(bits, x), mode)(V)


def test_mistakes():
    """One clear error, where the graph is made."""
    with pytest.raises(ActivityError, match=r"argument 0 is a tensor of float16"):
        function(energy)(pt.tensor(dtype="float16", shape=(None,)), TABLE)
    with pytest.raises(ActivityError, match=r"energy in a graph .* float64 with 1 axes"):
        function(energy)(pt.dvector(), "text")
    with pytest.raises(ActivityError, match=r"argument 1 holds an object of type object"):
        function(energy)(pt.dvector(), object())
    with pytest.raises(ActivityError, match="returns a value of numba's type"):
        function(lambda x: "text")(pt.dvector())
    with pytest.raises(TypeError, match="takes"):
        function(energy)(pt.dvector(), TABLE).owner.op(pt.dmatrix(), TABLE)
    with pytest.raises(TypeError):
        function(energy)(pt.dvector(), wrong=TABLE)


def test_pickles():
    """Graphs travel by the functions in them, derivatives too."""
    x = pt.dvector("x")
    y = function(recurrence)(x, 0.5, 1.0)
    slope = pt.grad(y.sum(), x)
    again = pickle.loads(pickle.dumps(([x], [y, slope, pt.grad(slope.sum(), x)])))
    for one, other in zip(compiled(*again)(V), compiled([x], [y, slope])(V)):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_batches_and_loops():
    """`vectorize_graph` runs the function for every sample, and `scan` for every step, derivatives too."""
    x, many = pt.dvector("x"), pt.dmatrix("many")
    y = function(recurrence)(x, 0.5, 1.0)
    slope = pt.grad(y.sum(), x)
    batched = compiled([many], vectorize_graph([y, slope], {x: many}))
    rows = np.stack([V, 2.0 * V])
    for found, one in zip(batched(rows), (y, slope)):
        expected = [compiled([x], one)(row) for row in rows]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    step = function(lambda y, rate: y + 0.1 * rate * y * (1.0 - y))
    rate = pt.dscalar("rate")
    outputs = pytensor.scan(step, outputs_info=[pt.constant(0.2)], non_sequences=[rate], n_steps=20)
    states = outputs[0] if isinstance(outputs, tuple) else outputs
    found = compiled([rate], pt.grad(states[-1], rate))(1.4)

    def last(rate):
        y = 0.2
        for _ in range(20):
            y = y + 0.1 * rate * y * (1.0 - y)
        return y

    np.testing.assert_allclose(found, grad(last)(1.4), rtol=1e-12)
