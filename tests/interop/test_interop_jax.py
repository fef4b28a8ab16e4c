"""JAX gets values, derivatives of every order in both modes, batches and loops, from handlers that XLA calls."""

from __future__ import annotations

import ctypes
import dataclasses
import math
import os
import pickle
import subprocess
import sys
import threading
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402

from enzyme import hessian, jacrev  # noqa: E402
from enzyme.errors import ActivityError  # noqa: E402
from enzyme.interop.jax import function  # noqa: E402
from tests.interop.battery import BATTERY, V, guarded, newton, recurrence  # noqa: E402

Shape = jax.ShapeDtypeStruct
EXHAUSTIVE = bool(os.environ.get("EXHAUSTIVE"))


@pytest.fixture(autouse=True)
def double_precision():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)  # for all threads
    yield
    jax.config.update("jax_enable_x64", before)


def close(found, expected, rtol=1e-12):
    """Trees with the same numbers."""
    jax.tree_util.tree_map(
        lambda x, y: np.testing.assert_allclose(x, y, rtol=rtol, atol=1e-14), found, expected
    )


def shapes_of(values):
    return jax.tree_util.tree_map(lambda y: Shape(np.shape(y), np.asarray(y).dtype), values)


def copied(args):
    return tuple(x.copy() if isinstance(x, np.ndarray) else x for x in args)


def total_of(f, args):
    """The first floats that a function returns, as a sum, for numba and for JAX."""
    values = f(*copied(args))
    call = function(f, shapes_of(values))
    inner, several = njit(f) if not hasattr(f, "py_func") else f, isinstance(values, tuple)
    several, array = int(several), np.ndim(values[0] if several else values) > 0
    names = ", ".join(f"x{k}" for k in range(len(args)))
    source = f"f({names}){'[0]' * several}"
    scope = {"f": inner, "np": np}
    exec(f"def total({names}):\n    return {f'np.sum({source})' if array else source}\n", scope)

    def ours(*xs):
        y = call(*xs)
        return (y[0] if several else y).sum()

    return call, values, ours, scope["total"]


@pytest.mark.parametrize("name", BATTERY)
def test_battery(name):
    """The value, the Jacobian in both modes, the Hessian, and batches of gradients are our own."""
    f, args = BATTERY[name]
    call, values, theirs, total = total_of(f, args)
    given = tuple(jnp.asarray(x) if isinstance(x, np.ndarray) else x for x in args)
    close(call(*given), values)
    close(jax.jit(call)(*given), values)
    first = lambda *xs: call(*xs)[0] if isinstance(values, tuple) else call(*xs)  # noqa: E731
    expected = jacrev(f)(*args)
    expected = expected[0] if isinstance(values, tuple) else expected
    close(jax.jit(jax.jacrev(first))(*given), expected)
    close(jax.jacfwd(first)(*given), expected)
    second = hessian(total)(*args)
    close(jax.jit(jax.hessian(theirs))(*given), second)
    if EXHAUSTIVE:
        close(jax.jacrev(jax.jacrev(theirs))(*given), second)
        close(jax.jacrev(jax.jacfwd(theirs))(*given), second)
    many = jnp.stack([given[0], given[0] * 1.5])
    axes = (0, *(None for _ in given[1:]))
    slopes = [jacrev(total)(*copied((x, *args[1:]))) for x in np.asarray(many)]
    close(jax.jit(jax.vmap(jax.grad(theirs), axes))(many, *given[1:]), np.stack(slopes))


def loss(x, w):
    total = 0.0
    for i in range(len(x)):
        total += math.sin(x[i]) * w[i] * x[i]
    return total


def same_in_jax(x, w):
    return (jnp.sin(x) * w * x).sum()


def stepped(f, x, w):
    return jax.lax.scan(lambda c, _: (c * 0.5 + f(c, w) * x, f(c, c)), x, None, length=4)[0].sum()


# What is done to a function of two vectors, and with which: vectors, or two of each.
TRANSFORMS = {
    "both in batches": (lambda f: jax.vmap(f), "XW"),
    "one in batches": (lambda f: jax.vmap(f, (0, None)), "Xw"),
    "along the last axis": (lambda f: jax.vmap(lambda x, w: f(x, w), (1, None), 0), "Tw"),
    "gradient of what a batch shares": (
        lambda f: jax.grad(lambda x, w: jax.vmap(f, (0, None))(x, w).sum(), (0, 1)),
        "Xw",
    ),
    "gradient of batches of batches": (
        lambda f: jax.grad(
            lambda x, w: (jax.vmap(jax.vmap(f, (0, None)), (None, 0))(x, w) ** 2).sum(), (0, 1)
        ),
        "XW",
    ),
    "Hessians of a batch": (lambda f: jax.vmap(jax.hessian(f)), "XW"),
    "Hessian in two": (lambda f: jax.hessian(f, (0, 1)), "xw"),
    "reverse over forward": (lambda f: jax.jacrev(jax.jacfwd(f, (0, 1)), (0, 1)), "xw"),
    "reverse over reverse": (lambda f: jax.jacrev(jax.jacrev(f, (0, 1)), (0, 1)), "xw"),
    "third order": (lambda f: jax.jacfwd(jax.jacfwd(jax.jacrev(f))), "xw"),
    "tangent of a pullback": (
        lambda f: lambda x, w: jax.jvp(lambda x: jax.vjp(f, x, w)[1](1.0), (x,), (w,)),
        "xw",
    ),
    "transpose of a batch of tangents": (
        lambda f: (
            lambda x, w: jax.linear_transpose(
                jax.vmap(lambda u: jax.linearize(f, x, w)[1](u, u)), jnp.stack([x, w])
            )(jnp.array([1.0, 2.0]))
        ),
        "xw",
    ),
    "gradient of tangents": (
        lambda f: jax.grad(
            lambda x, w: (
                jax.vmap(lambda t: jax.jvp(f, (x, w), (t, t * t))[1])(jnp.stack([x, w])) ** 2
            ).sum(),
            (0, 1),
        ),
        "xw",
    ),
    "scan": (lambda f: jax.grad(lambda x, w: stepped(f, x, w), (0, 1)), "xw"),
    "Hessian of a scan": (lambda f: jax.hessian(lambda x, w: stepped(f, x, w)), "xw"),
    "branch": (
        lambda f: jax.grad(lambda x, w: jax.lax.cond(x[0] > 0, f, lambda x, w: x.sum(), x, w)),
        "xw",
    ),
    "computed again": (lambda f: jax.grad(jax.checkpoint(f)), "xw"),
    "loop": (
        lambda f: jax.jacfwd(lambda x, w: jax.lax.fori_loop(0, 3, lambda i, c: c + f(c, w) * x, x)),
        "xw",
    ),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms(name):
    """Whatever is done to it, it is as if it were written in JAX."""
    transform, letters = TRANSFORMS[name]
    x, w = jnp.linspace(0.1, 1.0, 3), jnp.linspace(-1.0, 2.0, 3)
    many = jnp.stack([x, 2.0 * x])
    values = {"x": x, "w": w, "X": many, "W": jnp.stack([w, w * w]), "T": many.T}
    args = [values[letter] for letter in letters]
    call = function(loss)
    expected = transform(same_in_jax)(*args)
    close(transform(call)(*args), expected)
    close(jax.jit(transform(call))(*args), expected)


COMPLEX = {
    "number": (lambda z: (z * z * np.conj(z)).sum() * 1j, lambda z: (z * z * z.conj()).sum() * 1j),
    "array": (lambda z: np.exp(z) * z, lambda z: jnp.exp(z) * z),
}


@pytest.mark.parametrize("kind", ["complex128", "complex64"])
@pytest.mark.parametrize("name", COMPLEX)
def test_complex_numbers(name, kind):
    """By JAX's conventions, for what is holomorphic and what is not."""
    f, plain = COMPLEX[name]
    z = jnp.array([1 + 2j, 0.5 - 1j], kind)
    call = function(f, Shape(() if name == "number" else (2,), kind))
    rtol = 1e-12 if kind == "complex128" else 1e-5
    tangent = (1.0 - 0.5j) * z
    found, expected = (jax.jit(g)(z) for g in (call, plain))
    assert found.dtype == kind
    close(found, expected, rtol)
    close(*(jax.jvp(g, (z,), (tangent,)) for g in (call, plain)), rtol)
    close(*(jax.vjp(g, z)[1](expected) for g in (call, plain)), rtol)
    size = lambda g: jax.grad(lambda z: (jnp.abs(g(z)) ** 2).sum())  # noqa: E731
    close(size(call)(z), size(plain)(z), rtol)


class Pair(NamedTuple):
    left: object
    right: object


@dataclasses.dataclass
class Weights:
    w: object
    b: object


jax.tree_util.register_dataclass(Weights, ["w", "b"], [])

TREES = {
    "dictionary": (lambda p, x: (p["w"] * x).sum() + p["b"], lambda w, b: {"w": w, "b": b}),
    "dataclass": (lambda p, x: (p.w * x).sum() + p.b, Weights),
    "named tuple": (lambda p, x: (p.left * x).sum() + p.right, Pair),
    "nested": (lambda p, x: (p[1][0] * x).sum() + p[0]["b"], lambda w, b: ({"b": b}, [w])),
}


@pytest.mark.parametrize("name", TREES)
def test_trees_of_arguments(name):
    f, make = TREES[name]
    x, w = jnp.arange(3.0), jnp.array([2.0, 3.0, 5.0])
    call = function(f)
    expected = make(x, jnp.array(1.0))
    close(jax.jit(jax.grad(call))(make(w, 4.0), x), expected)
    close(call(make(w, 4.0), x), (w * x).sum() + 4.0)


def test_trees_of_results():
    result = {"parts": [Shape((2,), float), Shape((), int)], "sum": Shape((), float)}
    call = function(lambda x: ((2.0 * x, len(x)), (x * x).sum()), result)
    x = jnp.array([1.0, 3.0])
    close(jax.jit(call)(x), {"sum": 10.0, "parts": [2.0 * x, 2]})
    found = jax.jacrev(lambda x: {"sum": call(x)["sum"], "first": call(x)["parts"][0]})(x)
    close(found, {"sum": 2.0 * x, "first": 2.0 * jnp.eye(2)})
    unsaid = function(lambda x: (x.sum(), (x.min(), len(x))))
    close(unsaid(x), (4.0, (1.0, 2)))


def test_whole_numbers_and_truth_values():
    """They have no derivatives."""
    call = function(
        lambda x, n: (x * n, n + 1, x > 0.0), lambda x, n: (x, Shape((), int), Shape(x.shape, bool))
    )
    x = jnp.array([1.0, -2.0])
    close(call(x, 3), (3.0 * x, 4, np.array([True, False])))
    _, tangents = jax.jvp(lambda x: call(x, 3), (x,), (x,))
    close(tangents[0], 3.0 * x)
    assert tangents[1].dtype == tangents[2].dtype == jax.dtypes.float0
    slopes = jax.grad(lambda x, n: call(x, n)[0].sum(), (0, 1), allow_int=True)(x, 3)
    close(slopes[0], np.array([3.0, 3.0]))
    assert slopes[1].dtype == jax.dtypes.float0


def test_single_precision():
    call = function(lambda x, a: (a * np.sin(x)).sum())
    x = jnp.ones(3, "float32")
    assert call(x, 2.0).dtype == "float32"
    slope = jax.grad(call)(x, 2.0)
    assert slope.dtype == "float32"
    close(slope, 2.0 * np.cos(np.ones(3)), 1e-6)
    assert call(x.astype("float64"), 2.0).dtype == "float64"
    assert call(x, np.float64(2.0)).dtype == "float64"


def test_without_double_precision():
    """As JAX is set up at first: all is of single precision, whatever is declared."""
    with jax.enable_x64(False):
        call = function(lambda x: (np.exp(x), len(x)), (Shape((3,), float), Shape((), int)))
        values, count = jax.jit(call)(np.arange(3.0))
        assert (values.dtype, count.dtype) == ("float32", "int32")
        slopes = jax.jacfwd(lambda x: call(x)[0])(np.arange(3.0))
        assert slopes.dtype == "float32"
        close(slopes, np.diag(np.exp(np.arange(3.0))), 1e-6)


def fills(x, work):
    for i in range(len(x)):
        work[i] = x[i] * x[i]
    return work.sum()


def test_written_arguments():
    """What is written keeps derivatives, and to JAX the function is pure."""
    x, work = jnp.arange(3.0), jnp.zeros(3)
    call = function(fills)
    for transform in (jax.grad, jax.jacrev, jax.jacfwd):
        close(transform(call)(x, work), 2.0 * x)
        close(jax.jit(transform(call, 1))(x, work), jnp.zeros(3))
    close(jax.hessian(call)(x, work), 2.0 * jnp.eye(3))
    close(jax.grad(lambda x: call(x, x))(x), 2.0 * x)
    close((x, work), (np.arange(3.0), np.zeros(3)))


def test_one_array_twice():
    call = function(lambda x, y: (x * y * y).sum())
    x = jnp.arange(3.0)
    for transform in (jax.grad, jax.jacfwd):
        close(jax.jit(transform(lambda x: call(x, x)))(x), 3.0 * x * x)


def test_nothing_in_arrays():
    call = function(lambda x: x * x, lambda x: x)
    total = lambda x: call(x).sum()  # noqa: E731
    assert call(jnp.ones(0)).shape == jax.grad(total)(jnp.ones(0)).shape == (0,)
    assert jax.vmap(call)(jnp.ones((0, 3))).shape == (0, 3)
    assert jax.vmap(jax.grad(total))(jnp.ones((0, 3))).shape == (0, 3)
    shared = function(lambda x, w: (x * w).sum())
    batch = lambda w: jax.vmap(shared, (0, None))(jnp.ones((0, 3)), w).sum()  # noqa: E731
    close(jax.grad(batch)(jnp.ones(3)), jnp.zeros(3))


def test_a_loss_runs_once_for_value_and_gradient():
    call = function(loss)
    x = jnp.ones(3)
    for transform in (jax.value_and_grad(call), jax.grad(lambda x, w: call(x, w) ** 2)):
        assert str(jax.make_jaxpr(transform)(x, x)).count("enzyme_call[") == 1
    # A loop would keep the gradient of each step.
    many = jnp.ones(200_000)
    assert str(jax.make_jaxpr(jax.grad(call))(many, many)).count("enzyme_call[") == 2
    close(jax.jit(jax.grad(call))(many, many), (np.sin(1.0) + np.cos(1.0)) * np.ones(200_000))


def test_keywords_defaults_and_constants():
    def scaled(x, scale=2.0, kind="linear", inner=None):
        y = x if inner is None else inner(x)
        return scale * y if kind == "linear" else scale * y * y

    call, x = function(scaled), jnp.array(1.5)
    for found, expected in (
        (call(x), 3.0),
        (call(scale=x, x=3.0), 4.5),
        (call(x, kind="square"), 4.5),
        (call(x, 1.0, inner=njit(lambda x: x + 1.0)), 2.5),
        (jax.grad(call)(x, kind="square"), 6.0),
    ):
        close(found, expected)


def test_globals_that_change():
    scope = {"factor": 2.0}
    exec("def f(x):\n    return factor * x * x\n", scope)
    call = function(scope["f"])
    assert jax.grad(call)(1.0) == 4.0
    scope["factor"] = 3.0
    assert jax.grad(call)(1.0) == 6.0


def test_functions_are_pickled():
    again = pickle.loads(pickle.dumps(function(recurrence, Shape((3,), float))))
    close(again(V, 0.3, 1.2), recurrence(V, 0.3, 1.2))


def refused(x):
    """Has no derivative where `x` is large: the bits of a float together with others."""
    y = np.empty(1)
    y[0] = x
    if x > 10.0:
        bits = y.view(np.int64)
        bits[0] = bits[0] * 3 + int(x)
    return y[0] * y[0]


RAISED = {
    "value": (lambda: function(guarded, lambda x: x)(jnp.full(3, -200.0)), "ValueError: too small"),
    "jit": (
        lambda: jax.jit(function(guarded, lambda x: x))(jnp.full(3, -200.0)),
        "ValueError: too small",
    ),
    "gradient": (
        lambda: jax.jit(jax.grad(lambda x: function(guarded, lambda x: x)(x).sum()))(
            jnp.full(3, -200.0)
        ),
        "ValueError: too small",
    ),
    "batch": (
        lambda: jax.vmap(function(guarded, lambda x: x))(jnp.array([[1.0], [-200.0]])),
        "ValueError: too small",
    ),
    "shape": (lambda: function(lambda x: x, Shape((2,), float))(jnp.ones(3)), "another shape"),
}


@pytest.mark.parametrize("name", RAISED)
def test_exceptions_become_errors_of_xla(name):
    call, words = RAISED[name]
    with pytest.raises(jax.errors.JaxRuntimeError, match=words):
        jax.block_until_ready(call())


thread_of_the_system = ctypes.CDLL(None).gettid
thread_of_the_system.restype = ctypes.c_int64
thread_of_the_system.argtypes = []


def where(x):
    return x, thread_of_the_system()


def test_exceptions_in_threads_of_xla():
    """Python knows nothing of these threads; an error of a derivative was set there, and would be lost behind it."""

    @jax.jit
    def several(x):  # things that can be done at once
        places = [function(where)(jnp.sin(x * k).sum())[1] for k in range(6)]
        slopes = [jax.grad(function(refused))(jnp.sin(x * k).sum() + k) for k in range(6)]
        return places, slopes

    places, slopes = several(jnp.zeros(300))
    if threading.get_native_id() in map(int, places):
        pytest.skip("XLA does all in the thread that asks")
    close(slopes, [2.0 * k for k in range(6)])
    with pytest.raises(jax.errors.JaxRuntimeError, match="no derivative is known for floats"):
        jax.block_until_ready(several(jnp.ones(300)))


MISTAKES = {
    "an array without a shape": (lambda: function(lambda x: x)(jnp.ones(2)), "ShapeDtypeStruct"),
    "another number of axes": (
        lambda: function(lambda x: x, Shape((), float))(jnp.ones(2)),
        "it returns array",
    ),
    "another kind": (lambda: function(lambda x: x, Shape((2,), int))(jnp.ones(2)), "same kind"),
    "too few results": (lambda: function(lambda x: (x, x), Shape((), float))(1.0), "one jax"),
    "half precision": (lambda: function(newton)(jnp.float16(1.0)), r"astype\(jnp\.float32\)"),
    "a key": (lambda: function(newton)(jax.random.key(0)), r"key_data\(key\)"),
    "an object": (lambda: function(lambda x, y: x)(1.0, object()), "bind it before"),
    "a result that is no array": (lambda: function(lambda x: "text")(1.0), "floats or whole"),
    "a transpose": (
        lambda: jax.linear_transpose(function(lambda x: 2.0 * x), 1.0)(1.0),
        r"jax\.vjp",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    call, remedy = MISTAKES[name]
    with pytest.raises(ActivityError, match=remedy):
        call()


def test_memory_is_shared():
    """A million numbers are where JAX has them."""
    x = jnp.ones(1_000_000)
    place = jax.jit(function(lambda x: x.ctypes.data))(x)
    assert int(place) == x.unsafe_buffer_pointer()


def memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_many_threads():
    """Eight threads, ten thousand calls each: the right numbers, an end, and no memory that stays."""
    call = jax.jit(jax.value_and_grad(function(lambda x: (np.sin(x) * x).sum())))
    x = jnp.arange(50.0)
    value, slope = map(np.asarray, call(x))
    wrong = []

    def work(count):
        for _ in range(count):
            found = call(x)
            if found[0] != value or not np.array_equal(found[1], slope):
                wrong.append(found)

    def run(count):
        threads = [threading.Thread(target=work, args=(count,), daemon=True) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=300)
        assert not any(thread.is_alive() for thread in threads)

    run(500)
    before = memory()
    run(10_000)
    assert not wrong
    assert memory() - before < 20e6  # one result of each call would be 32 MB


PROGRAM = """
import sys
import jax, jax.numpy as jnp
from enzyme.interop.jax import function
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
def f(x):
    return x * x
def g(x):
    return x + 10.0
for name in sys.argv[1:]:
    print(name, jax.jit(jax.vmap(function({"f": f, "g": g}[name])))(jnp.arange(3.0)).tolist())
"""


def test_executables_on_disk(tmp_path):
    """Another process, which makes its handlers in another order, takes them from there and gets its own."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "JAX_COMPILATION_CACHE_DIR": str(tmp_path / "kept")}
    for names in ("fg", "gf"):
        found = subprocess.run(
            [sys.executable, str(program), *names],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        lines = {"f": "f [0.0, 1.0, 4.0]", "g": "g [10.0, 11.0, 12.0]"}
        assert found.stdout.splitlines() == [lines[name] for name in names]
        kept = sorted(
            path.name for path in (tmp_path / "kept").iterdir() if "-atime" not in path.name
        )
        if names == "fg":
            before = kept
    assert before and kept == before


def test_entries_of_a_declared_dictionary_are_sorted():
    both = lambda x: (2.0 * x, 3.0 * x)  # noqa: E731
    number = jax.ShapeDtypeStruct((), np.float64)
    found = function(both, {"double": number, "triple": number})(1.0)
    assert {name: float(value) for name, value in found.items()} == {"double": 2.0, "triple": 3.0}
    with pytest.raises(ActivityError, match="not sorted"):
        function(both, {"twice": number, "thrice": number})(1.0)
