"""Compiling numba functions to one module: what comes out, and which errors surface."""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np
import pytest
from numba import float64, int64, njit, typeof, types, vectorize
from numba.core.errors import NumbaError, TypingError

from enzyme import Active, Duplicated, Reverse, autodiff
from enzyme.backend.passes import parse
from enzyme.engine.analysis.kinds import Activity, DiffMode
from enzyme.errors import ActivityError
from enzyme.frontend.abi import make_request
from enzyme.frontend.leaves import LeafKind
from enzyme.frontend.target import compile_primal

pytestmark = pytest.mark.rotating(18)

VECTOR = types.Array(float64, 1, "C")


def calls(text):
    return {line.split("@")[1].split("(")[0] for line in text.splitlines() if " call " in line}


@njit
def helper(x):
    return math.sin(x) * x


def test_callees_are_inlined_and_loops_are_not_vectorised():
    @njit
    def func(x):
        s = 0.0
        for i in range(x.shape[0]):
            s += helper(x[i])
        return s

    primal = compile_primal(func, (VECTOR,))
    assert primal.text.count("\ndefine ") == 1
    assert "double>" not in primal.text
    assert calls(primal.text) == {"llvm.sin.f64"}
    assert "NumbaEnv" not in primal.text
    assert primal.restype == float64
    assert parse(primal.text).get_function(primal.entry)


def test_plain_functions_and_defaults():
    primal = compile_primal(lambda x, n=3: x**n, (float64,))
    assert primal.argtypes[1] == types.Omitted(3)
    assert [p.name for p in primal.abi.parameters] == ["return", "error", "x"]


def test_reference_counts_stay_calls_by_name():
    primal = compile_primal(lambda x: np.sin(x) + x, (VECTOR,))
    assert "NRT_MemInfo_alloc_aligned" in calls(primal.text)
    assert "declare void @NRT_decref(ptr)" in primal.text or "NRT_decref" not in primal.text


def test_options_are_honoured():
    def divide(x, y):
        return x / y + x

    strict = compile_primal(njit(divide), (float64, float64)).text
    numpy = compile_primal(njit(error_model="numpy")(divide), (float64, float64)).text
    fast = compile_primal(njit(fastmath=True)(divide), (float64, float64)).text
    asked = compile_primal(njit(divide), (float64, float64), fastmath=True).text
    assert "ZeroDivision" in strict and "ZeroDivision" not in numpy
    assert "fadd fast" in fast and "fadd fast" in asked and "fadd fast" not in strict


def test_bounds_are_checked_where_asked():
    def get(x, i):
        return x[i]

    assert "OutOfBounds" in compile_primal(njit(boundscheck=True)(get), (VECTOR, int64)).text
    assert "OutOfBounds" not in compile_primal(njit(get), (VECTOR, int64)).text


def test_parallel_is_compiled_serially():
    from numba import prange

    @njit(parallel=True)
    def func(x):
        s = 0.0
        for i in prange(x.shape[0]):
            s += x[i]
        return s

    assert compile_primal(func, (VECTOR,)).text.count("\ndefine ") == 1


def test_typing_errors_are_numbas():
    with pytest.raises(TypingError):
        compile_primal(lambda x: x.nothing, (float64,))
    with pytest.raises(NumbaError):
        compile_primal(lambda x: __import__(x), (float64,))


def test_declared_signatures_are_the_only_ones():
    @njit([float64(float64)])
    def declared(x):
        return x * 2

    assert compile_primal(declared, (int64,)).argtypes == (float64,)
    assert compile_primal(lambda x: declared(x), (int64,)).restype == float64
    with pytest.raises(TypeError):
        compile_primal(declared, (VECTOR,))


def test_recursion():
    @njit
    def factorial(n):
        if n <= 1:
            return 1.0
        return n * factorial(n - 1)

    primal = compile_primal(factorial, (float64,))
    parse(primal.text)
    assert "unresolved" not in primal.text


@njit
def even(x, n):
    if n == 0:
        return x
    return odd(x, n - 1)


@njit
def odd(x, n):
    if n == 0:
        return -x
    return even(x * 2, n - 1)


def test_mutual_recursion():
    parse(compile_primal(even, (float64, int64)).text)


def test_functions_as_arguments_and_closures():
    @njit
    def apply(f, x):
        def inner(y):
            return f(y) + x

        return inner(x)

    primal = compile_primal(apply, (typeof(helper), float64))
    assert "llvm.sin.f64" in primal.text
    assert primal.abi.parameters[2].leaf.kind is LeafKind.OPAQUE


def test_universal_functions():
    @vectorize
    def square(x):
        return x * x

    primal = compile_primal(lambda x, y: (square(x), square(y)), (float64, VECTOR))
    assert "fmul double" in primal.text
    parse(primal.text)


Pair = namedtuple("Pair", "a n")

EVERYTHING = [
    1.0,
    np.float32(1),
    np.int8(1),
    np.uint64(1),
    True,
    1j,
    np.complex64(1),
    None,
    "text",
    (1.0, (2, 3.0)),
    (1.0, 2.0),
    Pair(1.0, 2),
    np.ones(()),
    np.ones(3, np.float32),
    np.ones((2, 2), np.complex128),
    np.ones((2, 2, 2), np.int64)[::2],
    np.asfortranarray(np.ones((2, 2, 2, 2))),
    np.zeros(3, bool),
    (np.ones(3), 1.0),
    helper,
]


@pytest.mark.parametrize("value", EVERYTHING, ids=lambda v: str(typeof(v))[:40])
def test_parameters_match_the_function(value):
    primal = compile_primal(lambda v, w: w, (typeof(value), typeof(value)))
    function = parse(primal.text).get_function(primal.entry)
    got = [str(argument.type) for argument in function.arguments]
    assert got == [p.llvm for p in primal.abi.parameters]
    assert all(p.seed for p in primal.abi.parameters)


def test_seeds_and_activities():
    primal = compile_primal(lambda t, x, n: (t[0] * x[n], x), (typeof((1.0, 2)), VECTOR, int64))
    seeds = {p.name: p.seed for p in primal.abi.parameters}
    assert seeds["t.0"] == "{[-1]:Float@double}"
    assert seeds["t.1"] == "{[-1]:Integer}"
    assert seeds["x.data"] == "{[-1]:Pointer, [-1,-1]:Float@double}"
    assert seeds["return"].startswith("{[-1]:Pointer, [-1,0]:Float@double, [-1,8]:Pointer")
    request = make_request(
        primal.entry,
        primal.abi,
        (Activity.ACTIVE, Activity.DUPLICATED, Activity.CONST),
        Activity.DUPLICATED,
        DiffMode.REVERSE,
    )
    active = dict(zip(seeds, request.activities, strict=True))
    assert {name for name, a in active.items() if a is Activity.ACTIVE} == {"t.0"}
    assert {name for name, a in active.items() if a is Activity.DUPLICATED} == {
        "return",
        "x.meminfo",
        "x.parent",
        "x.data",
    }


def test_active_memory_is_refused():
    primal = compile_primal(lambda x: x[0], (VECTOR,))
    with pytest.raises(ActivityError):
        make_request(
            primal.entry, primal.abi, (Activity.ACTIVE,), Activity.ACTIVE, DiffMode.REVERSE
        )


@pytest.mark.parametrize("method", ["var", "std", "mean", "max", "sum"])
def test_methods_of_arrays_do_not_mix_targets(method):
    """Numba interns the types of methods, whichever target asked first."""

    def fresh():
        scope = {}
        exec(f"def f(x):\n    return x.{method}()", scope)
        return scope["f"]

    array = types.float64[:, :, ::1]
    x = np.ones((2, 2, 2))
    for options in ({}, {"fastmath": True}):
        compile_primal(fresh(), (array,), **options)
        assert njit(**options)(fresh())(x) == fresh()(x)
        compile_primal(fresh(), (array,), **options)


LEFT_ALONE = [
    "np.outer(b[:, 0], b[0]).sum()",
    "np.outer(a[0], a[1]).sum()",
    "np.roll(a[0], 1)[0] + np.roll(b, 2)[0, 0]",
    "np.interp(0.5, a[0], a[1])",
    "np.unwrap(a[0])[1] + np.linalg.det(a[:, :2])",
    "(a * b).sum() + np.where(a > 2.0, a, b)[0, 1] + a.max()",
]


@pytest.mark.parametrize("expression", LEFT_ALONE)
def test_numba_compiles_as_if_there_were_no_derivative(expression):
    """What our target computes otherwise it computes for itself: numba inlines without asking for the target."""
    scope = {"np": np}
    exec(f"def f(a):\n    b = np.asfortranarray(a)\n    return {expression}\n", scope)
    a = np.array([[1.0, 2.5, 3.0], [4.0, 5.0, 6.5]])
    before = njit(scope["f"])
    value = before(a)
    shadow = np.zeros_like(a)
    autodiff(Reverse, scope["f"], Active, Duplicated(a, shadow))
    after = njit(scope["f"])
    assert after(a) == value
    (one,), (other,) = before.inspect_llvm().values(), after.inspect_llvm().values()
    assert one.count("define") == other.count("define") and "enzyme" not in other
