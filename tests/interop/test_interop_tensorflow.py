"""TensorFlow gets values and derivatives of every order, eagerly and in graphs."""

from __future__ import annotations

import gc
import math
import os
import pickle
import threading

import numpy as np
import pytest
from numba import njit

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
tf = pytest.importorskip("tensorflow")

from enzyme import grad, hessian, jacrev  # noqa: E402
from enzyme.errors import ActivityError  # noqa: E402
from enzyme.interop.tensorflow import function  # noqa: E402
from enzyme.interop.tensorflow import tensors as bridge  # noqa: E402
from tests.interop.battery import (  # noqa: E402
    BATTERY,
    TABLE,
    V,
    branches,
    guarded,
    newton,
    recurrence,
)
from tests.interop.trees import TREES  # noqa: E402

tf.get_logger().setLevel("ERROR")
tf.config.threading.set_inter_op_parallelism_threads(2)

# AutoGraph would read the source again of what it finds, and find the wrong one of two functions on a line.
WAYS = {"eagerly": lambda f: f, "in a graph": lambda f: tf.function(f, autograph=False)}


def tensors(args):
    """Floats and arrays of floats as tensors; what has none stays."""
    return tuple(
        tf.constant(x, tf.float64)
        if isinstance(x, float) or (isinstance(x, np.ndarray) and x.dtype.kind == "f")
        else x
        for x in args
    )


def listed(outputs):
    return list(outputs) if isinstance(outputs, tuple | list) else [outputs]


def weighted(outputs):
    """One number, in which every element of every output counts otherwise."""
    total = tf.constant(0.0, tf.float64)
    for y in listed(outputs):
        if y.dtype.is_floating:
            weights = tf.reshape(tf.range(1, tf.size(y) + 1), tf.shape(y))
            total += tf.reduce_sum(tf.cast(weights, y.dtype) * y)
    return total


def weighted_by_hand(f, args):
    """The same in compiled code."""
    places = [k for k, y in enumerate(listed(f(*copies(args)))) if np.asarray(y).dtype.kind == "f"]
    alone = not isinstance(f(*copies(args)), tuple)
    names = ", ".join(f"x{k}" for k in range(len(args)))
    lines = [f"def total({names}):", f"    y = f({names})", "    s = 0.0"]
    for k in places:
        one = "y" if alone else f"y[{k}]"
        value = listed(f(*copies(args)))[k]
        if np.ndim(value):
            lines.append(f"    for i, e in enumerate({one}.flatten()): s += (i + 1.0) * e")
        else:
            lines.append(f"    s += {one}")
    scope = {"f": f if hasattr(f, "py_func") else njit(f)}
    exec("\n".join([*lines, "    return s"]), scope)
    return scope["total"]


def copies(args):
    return tuple(x.copy() if isinstance(x, np.ndarray) else x for x in args)


@pytest.mark.parametrize("name", BATTERY)
def test_battery(name):
    """The values, gradients and second derivatives are ours, one operation at a time and in a graph."""
    f, args = BATTERY[name]
    given, call = tensors(args), function(f)
    places = [k for k, x in enumerate(given) if isinstance(x, tf.Tensor)]

    def whole(*xs):
        inputs = list(given)
        for k, x in zip(places, xs, strict=True):
            inputs[k] = x
        with tf.GradientTape() as outer:
            outer.watch(xs)
            with tf.GradientTape() as inner:
                inner.watch(xs)
                outputs = call(*inputs)
                total = weighted(outputs)
            slopes = inner.gradient(total, xs)
            along = tf.add_n([tf.reduce_sum(tf.sin(x) * d) for x, d in zip(xs, slopes)])
        return listed(outputs), slopes, outer.gradient(along, xs)

    values = listed(f(*copies(args)))
    first, second = expected_of(f, args, tuple(places))
    for way in WAYS.values():
        outputs, slopes, seconds = way(whole)(*[given[k] for k in places])
        for found, expected in zip(
            [*outputs, *slopes, *seconds], [*values, *first, *second], strict=True
        ):
            np.testing.assert_allclose(found.numpy(), expected, rtol=1e-12, atol=1e-13)


def expected_of(f, args, places):
    """Our own gradient of the weighted sum, and that of its product with the sines of the arguments."""
    total = weighted_by_hand(f, args)
    slopes = grad(total, argnums=places)
    names = ", ".join(f"x{k}" for k in range(len(args)))
    terms = " + ".join(f"product(x{k}, d[{j}])" for j, k in enumerate(places))
    scope = {"slopes": slopes, "product": product_with_sine}
    exec(f"def along({names}):\n    d = slopes({names})\n    return {terms}", scope)
    return slopes(*args), grad(scope["along"], argnums=places)(*args)


@njit
def product_with_sine(x, d):
    return np.sum(np.sin(x) * d)


# Functions of complex numbers, and the same in TensorFlow's own words.
COMPLEX = {
    "holomorphic": (lambda z: z * z * z, lambda z: z * z * z),
    "conjugate": (lambda z: np.conj(z) * z, lambda z: tf.math.conj(z) * z),
    "square of abs": (
        lambda z: (z.real**2 + z.imag**2).sum(),
        lambda z: tf.reduce_sum(tf.abs(z) ** 2),
    ),
    "real part": (lambda z: np.sin(z).real.copy(), lambda z: tf.math.real(tf.sin(z))),
    "two outputs": (
        lambda z: (np.exp(z), (z * z).imag.sum()),
        lambda z: (tf.exp(z), tf.reduce_sum(tf.math.imag(z * z))),
    ),
}


def absolute(outputs):
    return tf.add_n([tf.cast(tf.reduce_sum(tf.abs(y) ** 2), tf.float64) for y in listed(outputs)])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", COMPLEX)
def test_complex_numbers(name, way):
    """As TensorFlow has them: adjoints are u_x + i u_y, and of a complex result cotangents times the conjugate."""
    ours, theirs = COMPLEX[name]
    z = tf.constant([0.3 + 0.4j, -1.0 + 0.2j, 0.5j])

    def run(f, z):
        with tf.GradientTape() as outer:
            outer.watch(z)
            with tf.GradientTape(persistent=True) as inner:
                inner.watch(z)
                outputs = f(z)
                total = absolute(outputs)
            slope = inner.gradient(total, z)
            plain = inner.gradient(listed(outputs)[0], z)
            change = absolute([slope * tf.cast(z, slope.dtype)])
        return [total, slope, plain, outer.gradient(change, z)]

    for dtype, tolerance in ((tf.complex128, 1e-12), (tf.complex64, 3e-5)):
        x = tf.cast(z, dtype)
        found, expected = (WAYS[way](lambda z, f=f: run(f, z))(x) for f in (function(ours), theirs))
        for one, other in zip(found, expected, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=tolerance, atol=tolerance)


def test_complex_results_of_real_arguments():
    ours, theirs = (lambda t: np.exp(1j * t)), (lambda t: tf.exp(tf.complex(tf.zeros_like(t), t)))
    slopes = []
    for f in (function(ours), theirs):
        t = tf.constant([0.3, 0.7], tf.float64)
        with tf.GradientTape() as tape:
            tape.watch(t)
            total = tf.reduce_sum(tf.math.real(f(t) * tf.constant(2.0 - 1.0j, tf.complex128)))
        slopes.append(tape.gradient(total, t).numpy())
    np.testing.assert_allclose(*slopes, rtol=1e-12)


def test_jacobians_and_hessians():
    """By a persistent tape, with TensorFlow's loop over outputs and without."""
    f, args = BATTERY["matrix and vector"]
    m, x = tensors(args)
    call = function(f)
    for way in WAYS.values():
        run = way(lambda m, x: call(m, x))
        with tf.GradientTape(persistent=True) as tape:
            tape.watch((m, x))
            y = run(m, x)
        for experimental in (True, False):
            if not experimental and way is not WAYS["eagerly"]:
                continue
            found = tape.jacobian(y, [m, x], experimental_use_pfor=experimental)
            for k, one in enumerate(found):
                np.testing.assert_allclose(
                    one.numpy(), jacrev(f, argnums=k)(*args), rtol=1e-12, atol=1e-14
                )
        assert tape.gradient(y, x).shape == x.shape
    f = BATTERY["norm"][0]
    call, x = function(f), tf.constant(V)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = call(x)
        slope = inner.gradient(y, x)
    np.testing.assert_allclose(outer.jacobian(slope, x).numpy(), hessian(f)(V), rtol=1e-12)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["square", "vector and number", "two outputs", "recurrence"])
def test_forward_mode(name, way):
    """TensorFlow makes it of two reverse ones."""
    f, args = BATTERY[name]
    call = WAYS[way](function(f))
    given = tensors(args)
    directions = tuple(tf.cos(x) for x in given)
    with tf.autodiff.ForwardAccumulator(given, directions) as forward:
        outputs = listed(call(*given))
    tangents = [forward.jvp(y) for y in outputs]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(given)
        outputs = listed(call(*given))
    for y, tangent in zip(outputs, tangents, strict=True):
        adjoints = tape.gradient(y, given)
        product = sum(tf.reduce_sum(a * d) for a, d in zip(adjoints, directions) if a is not None)
        np.testing.assert_allclose(tf.reduce_sum(tangent).numpy(), product.numpy(), rtol=1e-12)


def test_samples():
    """`vectorized_map` and `map_fn` call the function for each."""
    call = function(lambda x: (x * x * x).sum())
    x = tf.constant(np.arange(6.0).reshape(3, 2))

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(x)
        return tape.gradient(y, x)

    for every in (tf.vectorized_map, tf.map_fn):
        np.testing.assert_allclose(every(slope, x).numpy(), 3.0 * x.numpy() ** 2)


@pytest.mark.parametrize("way", WAYS)
def test_single_precision(way):
    call = function(lambda x, a: (a * np.sin(x)).sum())

    def run(x, a):
        with tf.GradientTape() as tape:
            tape.watch((x, a))
            y = call(x, a)
        return y, *tape.gradient(y, (x, a))

    x, a = tf.ones(3), tf.constant(2.0)
    found = WAYS[way](run)(x, a)
    assert {one.dtype for one in found} == {tf.float32}
    np.testing.assert_allclose(found[1], 2.0 * np.cos(1.0) * np.ones(3), rtol=1e-6)
    mixed = WAYS[way](run)(tf.cast(x, tf.float64), a)
    assert [one.dtype for one in mixed] == [tf.float64, tf.float64, tf.float32]
    assert call(tf.ones(3), np.float64(2.0)).dtype == tf.float32
    arrays = function(lambda x, c: x * c)
    assert WAYS[way](lambda x: arrays(x, np.ones(3)))(tf.ones(3)).dtype == tf.float64


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.filterwarnings("error:overflow")
def test_beyond_single_precision(way):
    """Infinite, as TensorFlow's own results are, without a warning of NumPy's."""
    call = WAYS[way](function(lambda x: x * 1e300))
    for x in (tf.constant(2.0), tf.ones(2)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(x)
        assert np.isinf(y.numpy()).all()
        assert np.isinf(tape.gradient(y, x).numpy()).all()


@pytest.mark.parametrize("name", "bool uint8 int8 uint16 int16 uint32 int32 uint64 int64".split())
@pytest.mark.parametrize("way", WAYS)
def test_whole_numbers(name, way):
    """They are constants that tensors may hold, and results without derivatives."""
    call = function(lambda x, k: (x * k[1], k.copy(), k[0], len(k), k[0] > 0))
    x = tf.constant([0.5, 1.5], tf.float64)
    k = tf.cast(tf.constant([1, 1, 0]), name)

    def run(x, k):
        with tf.GradientTape() as tape:
            tape.watch(x)
            outputs = call(x, k)
        return outputs, tape.gradient(outputs[0], x)

    (y, again, first, count, positive), slope = WAYS[way](run)(x, k)
    assert again.dtype == k.dtype and again.numpy().tolist() == [1, 1, 0]
    assert first.dtype == (tf.bool if name == "bool" else tf.int64) and first.numpy() == 1
    assert count.dtype == tf.int64 and count.numpy() == 3
    assert positive.dtype == tf.bool and positive.numpy()
    assert y.numpy().tolist() == [0.5, 1.5] and slope.numpy().tolist() == [1.0, 1.0]


@pytest.mark.parametrize("way", ["eager", "graph"])
@pytest.mark.parametrize("name", TREES)
def test_trees_of_tensors(name, way):
    f, tree = TREES[name]
    call = function(f)
    w = tf.Variable(np.linspace(-1.0, 1.0, 6).reshape(3, 2))
    b = tf.constant(0.3, tf.float64)
    x = np.arange(3.0)

    def slopes(y):
        def run():
            with tf.GradientTape() as outer:
                outer.watch(b)
                with tf.GradientTape() as inner:
                    inner.watch(b)
                    total = tf.reduce_sum(tf.square(y(w, b)))
                first = inner.gradient(total, [w, b])
                both = tf.reduce_sum(first[0]) + first[1]
            return [*first, *outer.gradient(both, [w, b])]

        return (tf.function(run) if way == "graph" else run)()

    ours = slopes(lambda w, b: call(tree(w, b), x))
    theirs = slopes(lambda w, b: tf.tanh(tf.linalg.matvec(w, x, transpose_a=True) + b))
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("in_a_tuple", [False, True])
def test_constants_may_be_changed(in_a_tuple):
    table = np.array([1.0, 2.0, 3.0])
    call = function(lambda x, t: x * t[0] if in_a_tuple else x * t)
    x = tf.ones(3, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = call(x, (table,) if in_a_tuple else table)
    table[:] = 0.0
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [1.0, 2.0, 3.0])


@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize("way", ["eager", "graph"])
def test_results_of_several_kinds(first, way):
    """One function returns numbers and arrays, real and complex, by what it is given."""
    call = function(lambda x: x * x)
    kinds = [tf.constant(2.0), tf.ones(3), tf.ones((2, 2), tf.float64), tf.ones(3, tf.complex128)]
    for x in kinds[first:] + kinds[:first]:

        def slope(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = call(x)
            return y, tape.gradient(y, x, tf.ones_like(y))

        y, found = (tf.function(slope) if way == "graph" else slope)(x)
        assert (y.dtype, found.dtype) == (x.dtype, x.dtype)
        np.testing.assert_allclose(found.numpy(), 2 * x.numpy())


def test_shapes_in_graphs():
    call = function(recurrence)
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float64)])
    def run(rows):
        x = rows[0]
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(x, 0.3, 1.2)
            known = function(recurrence, lambda x, a, b: x)(x, 0.3, 1.2)
        slope = tape.gradient(y, x)
        seen.append([one.shape.as_list() for one in (y, known, slope)])
        return slope

    assert run(V[None, :]).shape == (3,)
    assert seen == [[[None], [3], [3]]]
    fixed = function(lambda x: (x, x.sum()), (tf.TensorSpec([None], tf.float32), tf.TensorSpec([])))
    for way in WAYS.values():
        assert [one.dtype for one in way(fixed)(tf.constant(V))] == [tf.float32, tf.float32]
    for way in WAYS.values():
        with pytest.raises(
            (ActivityError, tf.errors.OpError), match=r"give one tf\.TensorSpec for each"
        ):
            way(function(lambda x: x, tf.TensorSpec([2])))(tf.constant(V))

    @tf.function(input_signature=[tf.TensorSpec(None, tf.float64)])
    def unknown(x):
        return call(x, 0.3, 1.2)

    with pytest.raises(Exception, match="set_shape"):  # AutoGraph has a class of its own
        unknown(V)


def address(x):
    return np.from_dlpack(x).__array_interface__["data"][0]


def test_memory_is_shared():
    """A million numbers come in at their address, and go out where memory is aligned as TensorFlow wants it."""
    x = tf.random.normal((1_000_000,), dtype=tf.float64)
    (value,) = bridge.values_of([x])
    assert value.__array_interface__["data"][0] == address(x) and value.flags.writeable
    room = np.empty(1_000_008)
    start = -room.__array_interface__["data"][0] % 64 // 8
    for offset, shares in ((0, True), (1, False)):
        y = room[start + offset :][:1_000_000]
        y[:] = 2.0
        made = bridge.tensor_of(y)
        assert (address(made) == y.__array_interface__["data"][0]) == shares
        assert address(made) % 64 == 0 and float(tf.reduce_sum(made)) == 2e6

    places = []
    call = function(lambda x: (x * x).sum())
    program = call._program([x])
    plain = program.f

    class Seen(type(program)):
        def __call__(self, inputs):
            places.append([one.__array_interface__["data"][0] for one in inputs[:1]])
            return super().__call__(inputs)

    program.__class__ = Seen
    assert program.f is plain

    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(x)
        return y, tape.gradient(y, x)

    np.testing.assert_allclose(slope(x)[1].numpy(), 2.0 * x.numpy())
    call(x)
    assert places == [[address(x)]] * 2


def test_arguments_and_results_are_apart():
    """What `f` writes stays in a copy; what it returns of its arguments is one, and outputs lie apart."""
    x = tf.constant(V)
    for way in WAYS.values():
        way(function(BATTERY["writes its argument"][0]))(x)
        np.testing.assert_array_equal(x.numpy(), V)
        y, z = way(function(lambda x: (x, x[:2])))(x)
        assert len({address(one) for one in (x, y, z)}) == 3

        def overlap(x, y):
            x[0] = 5.0
            return (x * y).sum()

        def slope(x, overlap=overlap):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(overlap)(x, x)
            return tape.gradient(y, x)

        assert way(slope)(tf.constant([1.0, 2.0, 3.0])).numpy().tolist() == [5.0, 4.0, 6.0]


def test_no_elements_and_constants():
    call = function(lambda x: x * x)
    for way in WAYS.values():
        assert way(call)(tf.zeros((0, 3))).shape == (0, 3)
    constant = function(lambda x: (x, TABLE))
    for way in WAYS.values():
        assert way(constant)(tf.constant(V))[1].numpy().tolist() == TABLE.tolist()
    assert call(2.0).numpy() == 4.0 and call(2.0).dtype == tf.float64
    assert call(V).numpy().tolist() == (V * V).tolist()
    c = np.array([1.0, 2.0, 3.0])
    x = tf.constant(V)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(lambda x, c: (x * c).sum())(x, c)
    c[:] = 0.0
    assert tape.gradient(y, x).numpy().tolist() == [1.0, 2.0, 3.0]


def test_variables_and_keywords():
    def scaled(x, scale=2.0):
        return (scale * x * x).sum()

    v = tf.Variable([1.0, 2.0])
    for way in WAYS.values():
        call = way(lambda scale, x=v: function(scaled)(scale=scale, x=x))
        with tf.GradientTape() as tape:
            y = call(3.0)
        assert tape.gradient(y, v).numpy().tolist() == [6.0, 12.0]


def test_a_layer_of_keras():
    """A fit of the parameters of a simulator, in the graph that Keras makes."""
    keras = pytest.importorskip("keras")
    if keras.backend.backend() != "tensorflow":
        pytest.skip("Keras has another backend")

    def simulated(start, rate):
        y = np.empty((len(start), 8))
        for i in range(len(start)):
            state = start[i, 0]
            for k in range(8):
                state = state + 0.3 * rate * state * (1.0 - state)
                y[i, k] = state
        return y

    class Growth(keras.layers.Layer):
        def build(self, shape):
            self.rate = self.add_weight(shape=(), initializer="ones", dtype="float64")
            self.call_simulator = function(
                simulated, lambda start, rate: tf.TensorSpec([start.shape[0], 8], tf.float64)
            )

        def call(self, start):
            return self.call_simulator(start, self.rate)

    starts = np.linspace(0.05, 0.4, 16)[:, None]
    model = keras.Sequential([keras.Input((1,), dtype="float64"), Growth(dtype="float64")])
    model.compile(keras.optimizers.Adam(0.05), "mse", jit_compile=False)
    model.fit(starts, simulated(starts, 1.7), batch_size=16, epochs=150, verbose=0)
    np.testing.assert_allclose(float(model.layers[-1].rate.value), 1.7, atol=0.02)


def test_exceptions():
    """Eagerly they are what `f` raised; a graph wraps them with its words."""
    x = tf.constant([-200.0, 1.0], tf.float64)
    with pytest.raises(ValueError, match="too small"):
        function(guarded)(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="ValueError: too small"):
        tf.function(function(guarded))(x)


def test_threads():
    """Eight of them with some hundred backward passes each, in graphs and without; memory stays flat."""
    call, errors = function(recurrence), []

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(call(x, 0.3, 1.2))
        return tape.gradient(y, x)

    graph = tf.function(slope)
    size = 20_000
    base = np.linspace(0.0, 1.0, size)
    expected = slope(tf.constant(base)).numpy()

    def work(seed):
        try:
            x = tf.constant(base * (seed + 1.0))
            for k in range(60):
                found = (graph if k % 2 else slope)(x).numpy()
                np.testing.assert_allclose(found, expected * (seed + 1.0), rtol=1e-12)
        except Exception as error:
            errors.append(error)

    def spell():
        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors, errors[0]
        gc.collect()
        return resident()

    first = spell()
    assert spell() - first < 40e6  # one array per pass would be 77 MB


def resident():
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_functions_are_pickled():
    again = pickle.loads(pickle.dumps(function(newton)))
    assert again(2.0) == function(newton)(2.0)


def test_globals_that_change():
    scope = {"factor": 2.0}
    exec("def f(x):\n    return factor * x * x\n", scope)
    call = function(scope["f"])
    assert call(tf.constant(1.0)).numpy() == 2.0
    scope["factor"] = 3.0
    assert call(tf.constant(1.0)).numpy() == 3.0


def test_branches_follow_the_value():
    call = function(branches)
    for value in (0.3, 0.8):
        t = tf.constant(value, tf.float64)
        with tf.GradientTape() as tape:
            tape.watch(t)
            y = call(t)
        assert math.isclose(tape.gradient(y, t).numpy(), grad(branches)(value))


MISTAKES = {
    "half": (lambda: function(newton)(tf.constant(1.0, tf.bfloat16)), r"tf\.cast"),
    "text": (lambda: function(newton)(tf.constant("a")), r"tf\.cast"),
    "sparse": (lambda: function(newton)(tf.sparse.eye(2)), r"to_dense"),
    "a text as a result": (
        lambda: function(lambda x: "a")(tf.constant(1.0)),
        "return one of those",
    ),
    "the same in a graph": (
        lambda: WAYS["in a graph"](function(lambda x: "a"))(tf.constant(1.0)),
        "return one of those",
    ),
    "XLA": (
        lambda: tf.function(function(newton), autograph=False, jit_compile=True)(tf.constant(2.0)),
        "leave jit_compile out",
    ),
    "a signature of something": (
        lambda: function(newton, (3,))(tf.constant(2.0)),
        "each with a number of axes",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    call, remedy = MISTAKES[name]
    with pytest.raises(ActivityError, match=remedy):
        call()
