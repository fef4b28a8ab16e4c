"""Thunks around hand-written derivatives: boxing, results, exceptions, references."""

from __future__ import annotations

import gc
import math
import sys
from collections import namedtuple

import numpy as np
import pytest
from numba import float64, int64, njit, objmode, types
from numba.core.runtime import _nrt_python as nrt
from numba.core.runtime import rtsys

from enzyme.backend.jit import UnresolvedSymbolError
from enzyme.engine.analysis.kinds import Activity, DiffMode
from enzyme.frontend.intrinsic import build_thunk
from enzyme.frontend.target import compile_primal

ACTIVE, CONST, DUPLICATED = Activity.ACTIVE, Activity.CONST, Activity.DUPLICATED
VECTOR = types.Array(float64, 1, "C")


def product(x, y):
    if x < 0:
        raise ValueError("negative", 3)
    return x * y


PRODUCT_REVERSE = """
define {{ i32, double, double }} @grad(ptr %r, ptr %dr, ptr %e, double %x, double %y) {{
  %status = call i32 @{primal}(ptr %r, ptr %e, double %x, double %y)
  %seed = load double, ptr %dr
  %dx = fmul double %seed, %y
  %dy = fmul double %seed, %x
  %a = insertvalue {{ i32, double, double }} undef, i32 %status, 0
  %b = insertvalue {{ i32, double, double }} %a, double %dx, 1
  %c = insertvalue {{ i32, double, double }} %b, double %dy, 2
  ret {{ i32, double, double }} %c
}}
"""


@pytest.fixture(scope="module")
def product_gradient():
    primal = compile_primal(product, (float64, float64))
    text = primal.text + PRODUCT_REVERSE.format(primal=primal.entry)
    return build_thunk(
        text, "grad", primal, (ACTIVE, ACTIVE), DiffMode.REVERSE, return_activity=ACTIVE
    )


def test_active_scalars(product_gradient):
    assert product_gradient.call(3.0, 5.0, 2.0) == (10.0, 6.0, 15.0)
    assert product_gradient.plan.parameters == (("primal", 0), ("primal", 1), ("seed", -1))
    assert product_gradient.plan.results == (("adjoint", 0), ("adjoint", 1), ("primal", -1))


def test_user_exception_surfaces(product_gradient):
    with pytest.raises(ValueError) as caught:
        product_gradient.call(-1.0, 5.0, 1.0)
    assert caught.value.args == ("negative", 3)


def test_wrong_types_are_rejected(product_gradient):
    with pytest.raises(TypeError):
        product_gradient.call("a", 5.0, 1.0)
    with pytest.raises(TypeError):
        product_gradient.call(np.ones(3), 5.0, 1.0)


def scale(x, n):
    for i in range(n):
        x[i] = 2.0 * x[i]


SCALE_REVERSE = """
define {{ i32 }} @grad(ptr %r, ptr %e, ptr %m, ptr %dm, ptr %p, ptr %dp, i64 %c, i64 %z,
                       ptr %d, ptr %dd, i64 %n0, i64 %s0, i64 %n) {{
  %status = call i32 @{primal}(ptr %r, ptr %e, ptr %m, ptr %p, i64 %c, i64 %z, ptr %d,
                               i64 %n0, i64 %s0, i64 %n)
  %ignored = call i32 @{primal}(ptr %r, ptr %e, ptr %dm, ptr %dp, i64 %c, i64 %z, ptr %dd,
                                i64 %n0, i64 %s0, i64 %n)
  %a = insertvalue {{ i32 }} undef, i32 %status, 0
  ret {{ i32 }} %a
}}
"""


def test_arrays_are_followed_by_their_shadow():
    primal = compile_primal(scale, (VECTOR, int64))
    thunk = build_thunk(
        primal.text + SCALE_REVERSE.format(primal=primal.entry),
        "grad",
        primal,
        (DUPLICATED, CONST),
        DiffMode.REVERSE,
        return_primal=False,
    )
    x, dx = np.arange(3.0), np.ones(3)
    assert thunk.call(x, dx, 3) == ()
    assert x.tolist() == [0.0, 2.0, 4.0]
    assert dx.tolist() == [2.0, 2.0, 2.0]


def index(x, i):
    return x[i] / (i - 1)


INDEX_FORWARD = """
define {{ i32 }} @fwd(ptr %r, ptr %dr, ptr %e, ptr %m, ptr %dm, ptr %p, ptr %dp, i64 %c, i64 %z,
                      ptr %d, ptr %dd, i64 %n0, i64 %s0, i64 %i) {{
  %ignored = call i32 @{primal}(ptr %dr, ptr %e, ptr %dm, ptr %dp, i64 %c, i64 %z, ptr %dd,
                                i64 %n0, i64 %s0, i64 %i)
  %status = call i32 @{primal}(ptr %r, ptr %e, ptr %m, ptr %p, i64 %c, i64 %z, ptr %d,
                               i64 %n0, i64 %s0, i64 %i)
  %a = insertvalue {{ i32 }} undef, i32 %status, 0
  ret {{ i32 }} %a
}}
"""


def forward_of(func, text, argtypes, activities, **options):
    primal = compile_primal(func, argtypes)
    return build_thunk(
        primal.text + text.format(primal=primal.entry),
        "fwd",
        primal,
        activities,
        DiffMode.FORWARD,
        return_activity=DUPLICATED,
        **options,
    )


def test_forward_scalar_and_numba_errors():
    func = njit(boundscheck=True)(index)
    thunk = forward_of(func, INDEX_FORWARD, (VECTOR, int64), (DUPLICATED, CONST))
    x, dx = np.arange(4.0), np.ones(4)
    assert thunk.call(x, dx, 3) == (0.5, 1.5)
    with pytest.raises(IndexError):
        thunk.call(x, dx, 9)
    with pytest.raises(ZeroDivisionError):
        thunk.call(x, dx, 1)


def doubled(x):
    return x + x


DOUBLED_FORWARD = """
define {{ i32 }} @fwd(ptr %r, ptr %dr, ptr %e, ptr %m, ptr %dm, ptr %p, ptr %dp, i64 %c, i64 %z,
                      ptr %d, ptr %dd, i64 %n0, i64 %s0) {{
  %ignored = call i32 @{primal}(ptr %dr, ptr %e, ptr %dm, ptr %dp, i64 %c, i64 %z, ptr %dd,
                                i64 %n0, i64 %s0)
  %status = call i32 @{primal}(ptr %r, ptr %e, ptr %m, ptr %p, i64 %c, i64 %z, ptr %d,
                               i64 %n0, i64 %s0)
  %a = insertvalue {{ i32 }} undef, i32 %status, 0
  ret {{ i32 }} %a
}}
"""


@pytest.mark.parametrize("return_primal", [True, False])
def test_returned_arrays_leak_nothing(return_primal):
    thunk = forward_of(
        doubled, DOUBLED_FORWARD, (VECTOR,), (DUPLICATED,), return_primal=return_primal
    )
    x, dx = np.arange(4.0), np.ones(4)
    nrt.memsys_enable_stats()
    before = rtsys.get_allocation_stats()
    for _ in range(5):
        shadow, *primal = thunk.call(x, dx)
        assert shadow.tolist() == [2.0] * 4
        assert [p.tolist() for p in primal] == [[0.0, 2.0, 4.0, 6.0]] * return_primal
    del shadow, primal
    gc.collect()
    after = rtsys.get_allocation_stats()
    # two results and two descriptions of arguments for each of the five calls
    assert after.mi_alloc - before.mi_alloc == 20
    assert after.mi_free - before.mi_free == 20
    assert (sys.getrefcount(x), sys.getrefcount(dx)) == (2, 2)


Pair = namedtuple("Pair", "a n")


def aggregate(pair, z):
    return math.sin(pair.a) * pair.n + z.real


AGGREGATE_REVERSE = """
define {{ i32, double, double, double }} @grad(ptr %r, ptr %dr, ptr %e, double %a, i64 %n,
                                               double %re, double %im) {{
  %status = call i32 @{primal}(ptr %r, ptr %e, double %a, i64 %n, double %re, double %im)
  %seed = load double, ptr %dr
  %s = insertvalue {{ i32, double, double, double }} undef, i32 %status, 0
  %t = insertvalue {{ i32, double, double, double }} %s, double %a, 1
  %u = insertvalue {{ i32, double, double, double }} %t, double %seed, 2
  %v = insertvalue {{ i32, double, double, double }} %u, double 7.0, 3
  ret {{ i32, double, double, double }} %v
}}
"""


def test_adjoints_have_the_type_of_their_argument():
    pair = types.NamedTuple((float64, int64), Pair)
    primal = compile_primal(aggregate, (pair, types.complex128))
    thunk = build_thunk(
        primal.text + AGGREGATE_REVERSE.format(primal=primal.entry),
        "grad",
        primal,
        (ACTIVE, ACTIVE),
        DiffMode.REVERSE,
        return_activity=ACTIVE,
        return_primal=False,
    )
    dpair, dz = thunk.call(Pair(0.5, 2), 1 + 2j, 3.0)
    assert dpair == Pair(0.5, 0) and type(dpair) is Pair
    assert dz == 3 + 7j


def interpreted(x, y):
    with objmode(z="float64"):
        z = float(str(x)) + 1
    if x < 0:
        raise ValueError("computed", x)
    return z * y


def test_object_mode_blocks_and_computed_exceptions():
    primal = compile_primal(interpreted, (float64, float64))
    text = primal.text + PRODUCT_REVERSE.format(primal=primal.entry)
    thunk = build_thunk(
        text, "grad", primal, (ACTIVE, ACTIVE), DiffMode.REVERSE, return_activity=ACTIVE
    )
    assert thunk.call(1.0, 2.0, 1.0)[-1] == 4.0
    with pytest.raises(ValueError) as caught:
        thunk.call(-1.0, 2.0, 1.0)
    assert caught.value.args == ("computed", -1.0)


def test_missing_symbols_are_an_error_not_an_abort():
    primal = compile_primal(product, (float64, float64))
    text = primal.text + PRODUCT_REVERSE.format(primal="nowhere").replace(
        "define", "declare i32 @nowhere(ptr, ptr, double, double)\ndefine"
    )
    with pytest.raises(UnresolvedSymbolError, match="nowhere"):
        build_thunk(
            text, "grad", primal, (ACTIVE, ACTIVE), DiffMode.REVERSE, return_activity=ACTIVE
        )
