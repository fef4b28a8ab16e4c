"""Elementary functions of our own: digits, special values, the same bits in every lane, and where they are used."""

from __future__ import annotations

import ctypes
import math
import os
import re
from dataclasses import replace

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseWithPrimal,
    autodiff,
    clear_vector_math,
    compile_report,
)
from enzyme.backend import host, passes
from enzyme.backend.elementary import coefficients, glibc, variants
from enzyme.backend.elementary.functions import ELEMENTARY, PREFIX
from enzyme.backend.loops_in_text import innermost_loops
from enzyme.engine.derivatives.catalogue import vector_forms
from enzyme.frontend import thunks
from tests.backend.loop_text import loop_over
from tools.elementary import accuracy
from tools.elementary.coefficients import CONSTANTS, POLYNOMIALS

pytestmark = pytest.mark.rotating(27)

KINDS = {"double": np.float64, "float": np.float32}
BITS = {"double": np.int64, "float": np.int32}
POINTS = 20_000 if "ALL_POINTS" in os.environ else 400
FUNCTIONS = [name for name, function in ELEMENTARY.items() if not function.helper]
MOST = 1.5

# Digits -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_digits_and_lanes(name, kind, fused):
    if fused and not host.has_fused(host.features()):
        pytest.skip("the processor has no fma")
    operands = accuracy.arguments(name, kind, POINTS, seed=1 + fused)
    made = accuracy.vector_function(name, kind, 8, fused)(*operands)
    for value, *given in zip(made, *operands):
        error = accuracy.error_of(float(value), accuracy.exact(name, given), kind)
        assert error <= MOST, (given, value)
    lanes = 4 if kind == "double" else 16
    for other in (1, lanes):
        again = accuracy.vector_function(name, kind, other, fused)(*operands)
        assert np.array_equal(again.view(BITS[kind]), made.view(BITS[kind]))


SPECIAL = [
    0.0,
    5e-324,
    1e-310,
    2.0**-1022,
    1e-200,
    1e-30,
    1e-8,
    0.5,
    1 - 2.0**-53,
    1.0,
    1 + 2.0**-52,
    2.0,
    3.0,
    5.9,
]
SPECIAL += [
    26.5,
    27.3,
    36.7,
    708.4,
    709.782712893384,
    709.7827128933841,
    710.4758600739439,
    710.475860073944,
]
SPECIAL += [
    745.1332191019411,
    745.1332191019412,
    745.14,
    1022.5,
    1023.9999999999999,
    1024.0,
    1074.0,
    1075.0,
    1e6,
]
SPECIAL += [
    2.0**52 + 1,
    2.0**53,
    2.0**53 + 2,
    1e22,
    1e200,
    1e300,
    1.7976931348623157e308,
    math.inf,
    math.nan,
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_values(name, kind):
    """Zeros with their signs, infinities and nan where the C library has them, and its neighbours elsewhere."""
    with np.errstate(over="ignore", under="ignore"):
        numbers = np.array(SPECIAL + [-x for x in SPECIAL]).astype(KINDS[kind])
    count = ELEMENTARY[name].operands
    operands = [numbers] if count == 1 else [x.ravel() for x in np.meshgrid(numbers, numbers)]
    type_ = ctypes.c_double if kind == "double" else ctypes.c_float
    function = getattr(ctypes.CDLL("libm.so.6"), name + "f" * (kind == "float"))
    function.restype, function.argtypes = type_, [type_] * count
    wanted = np.array([function(*map(float, given)) for given in zip(*operands)], KINDS[kind])
    bits = BITS[kind]
    settled = (wanted == 0) | np.isinf(wanted)
    for fused in {True, False} & {False, host.has_fused(host.features())}:
        made = accuracy.vector_function(name, kind, 8, fused)(*operands)
        away = np.abs(made.view(bits) - wanted.view(bits))
        right = np.where(settled, away == 0, away <= (4 if name == "cbrt" else 1))
        right |= np.isnan(made) & np.isnan(wanted)
        assert right.all(), [(x[~right], made[~right], wanted[~right]) for x in operands]


def test_coefficients_are_those_of_the_tool():
    for name, numbers in CONSTANTS.items():
        stored = getattr(coefficients, name)
        assert np.array_equal(np.atleast_1d(stored), [x for x in numbers if x or len(numbers) > 2])
    for name in ("EXP", "SIN"):
        rows = POLYNOMIALS[name].rows()
        stored = getattr(coefficients, name)
        assert [list(row) for row in stored] == [list(row) for row in rows]


def test_the_catalogue_names_what_there_is():
    assert set(vector_forms().values()) == set(ELEMENTARY)


# Offered, taken, settled --------------------------------------------------------------------------

OPTIONS = replace(passes.POST_DEFAULT, vector_forms=vector_forms(), features=host.features())
wide = pytest.mark.skipif(
    host.doubles_at_once(host.features()) < 4, reason="vectors of two doubles only"
)


def loop(function, words="", kind="double", before=""):
    body = loop_over(
        "%x = load double, ptr %from",
        f"%y = call {words}{kind} @{function}(double %x)",
        "store double %y, ptr %to",
    )
    return f"{body}{before}declare double @{function}(double)\n"


def optimised(text):
    return str(passes.optimise_after_ad_module(text, OPTIONS))


def vectors_in(text):
    return set(re.findall(rf"call [^@]*@{re.escape(PREFIX)}(\w+)\.v\d+f\d+\(", text))


@wide
@pytest.mark.parametrize("function", ["exp", "llvm.exp.f64", "tanh", "erf", "log1p"])
def test_a_loop_takes_vectors_and_keeps_no_other_function(function):
    text = optimised(loop(function))
    name = vector_forms()[function]
    assert vectors_in(text) == {name}
    assert f"@{PREFIX}{name}.f64(" in text and f"@{function}(" not in text.split("\ndeclare")[0]
    assert "llvm.compiler.used" not in text and "vector-function-abi-variant" not in text


def test_one_number_alone_is_computed_by_the_c_library():
    text = optimised(
        "define double @f(double %x) {\n %y = call double @llvm.exp.f64(double %x)\n"
        " ret double %y\n}\ndeclare double @llvm.exp.f64(double)\n"
    )
    assert "@llvm.exp.f64(double %x)" in text and PREFIX not in text.split("attributes")[0]


@wide
def test_a_loop_that_is_not_vectorised_keeps_the_c_library_beside_one_that_is():
    chain = """
define double @chain(double %start, i64 %n) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %x = phi double [ %start, %entry ], [ %y, %body ]
  %z = fneg double %x
  %y = call double @exp(double %z)
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %body
exit:
  ret double %y
}
"""
    text = optimised(loop("exp", before=chain))
    chained = text.split("@chain(")[1].split("\n}")[0]
    assert "@exp(double" in chained and PREFIX not in chained
    assert vectors_in(text) == {"exp"}


REWRITTEN = {
    "two to the": "%y = call FLAGS double @llvm.pow.f64(double 2.0, double %x)",
    "ten to the": "%y = call FLAGS double @pow(double 10.0, double %x)",
    "root": "%y = call FLAGS double @pow(double %x, double 0.5)",
    "cube": "%y = call FLAGS double @llvm.pow.f64(double %x, double 3.0)",
    "of minus": "%o = fneg double %x\n  %y = call FLAGS double @cos(double %o)",
    "power of e": "%o = call FLAGS double @exp(double %x)\n"
    "  %y = call FLAGS double @pow(double %o, double 7.0)",
    "log of power": "%o = call FLAGS double @llvm.pow.f64(double %x, double 1.5)\n"
    "  %y = call FLAGS double @llvm.log.f64(double %o)",
    "in single": "%t = fptrunc double %x to float\n  %o = fpext float %t to double\n"
    "  %b = call FLAGS double @log(double %o)\n  %u = fptrunc double %b to float\n"
    "  %y = fpext float %u to double",
}


@pytest.mark.parametrize("flags", ["", "fast"])
def test_calls_that_llvm_writes_anew(flags):
    """Attributes that tell of functions with other operands end the process."""
    loops = [
        loop_over("%x = load double, ptr %from", body, "store double %y, ptr %to").replace(
            "@f(", f"@f{k}("
        )
        for k, body in enumerate(REWRITTEN.values())
    ]
    declared = [f"declare double @{f}(double)" for f in ("cos", "exp", "log", "llvm.log.f64")]
    declared += [f"declare double @{f}(double, double)" for f in ("pow", "llvm.pow.f64")]
    text = "\n".join([*loops, *declared, ""]).replace(
        "call FLAGS ", f"call {flags} ".replace("  ", " ")
    )
    passes.parse(optimised(text)).verify()


def test_parameters_of_functions_that_derivatives_write_stay():
    """LLVM would drop one that it knows, and then end the process because of the attribute."""
    text = loop("enzyme.pow_slope.far.f64").replace(
        "(double %x)", "(double %x, double 1.5, double %x)"
    )
    declared = "declare double @enzyme.pow_slope.far.f64(double)\n"
    written = """define internal double @enzyme.pow_slope.far.f64(double %x, double %p, double %y) cold noinline {
  %z = call double @pow(double %x, double %p)
  ret double %z
}
declare double @pow(double, double)
"""
    passes.parse(optimised(text.replace(declared, written))).verify()


@pytest.mark.parametrize("function", ["exp", "log"])
def test_what_a_part_that_was_optimised_before_calls_stays_declared(function):
    """The derivative of a solver that a program calls comes as it was compiled for itself."""
    part = f"""define double @part(double %x) {{
  %y = call double @{PREFIX}exp.f64(double %x)
  ret double %y
}}
declare double @{PREFIX}exp.f64(double)
"""
    text = optimised(part + loop(function))
    passes.parse(text).verify()
    assert text.count(f"declare double @{PREFIX}exp.f64(") == 1
    if host.doubles_at_once(host.features()) >= 4:
        assert vectors_in(text) == {function}


def test_a_function_of_the_program_is_its_own():
    own = (
        "define double @exp(double %x) noinline {\n  %y = fadd double %x, 1.0\n  ret double %y\n}\n"
    )
    text = loop("exp").replace("declare double @exp(double)\n", own)
    assert variants.offered(text, vector_forms(), host.features()) == text


def test_approximations_are_those_of_glibc():
    if not glibc.vector_functions("exp", "double", 1, host.features()):
        pytest.skip("the C library has no vector functions")
    text = optimised(loop("exp", "fast "))
    assert re.search(r"call fast <\d x double> @_ZGV\w+_exp\(", text) and not vectors_in(text)
    assert "call fast double @exp(" in text


@pytest.mark.parametrize(
    ("features", "taken"), [("+sse2", False), ("+avx,+avx2", True), ("+avx,+avx512f", True)]
)
def test_what_two_numbers_at_once_do_not_make_quicker_is_not_offered(features, taken):
    text = variants.offered(loop("log"), vector_forms(), features)
    assert ("log.v4f64" in text) == taken
    assert "erf.v2f64" in variants.offered(loop("erf"), vector_forms(), features)


def test_loops_of_a_text():
    body = """entry:
  br label %outer
outer:
  br label %inner
inner:
  br i1 %a, label %inner, label %between
between:
  br i1 %b, label %outer, label %exit
exit:
  ret void"""
    assert innermost_loops(body.split("\n")) == {
        "outer": "outer",
        "inner": "inner",
        "between": "outer",
    }


# Derivatives --------------------------------------------------------------------------------------


@njit
def sum_of_exp(x):
    s = 0.0
    for i in range(x.size):
        s += np.exp(x[i])
    return s


@njit
def sum_of_tanh(x):
    s = 0.0
    for i in range(x.size):
        s += math.tanh(x[i])
    return s


@njit
def one_exp(x):
    return math.exp(x)


@njit
def one_power(x):
    return x**1.7


@njit(fastmath=True)
def quick_sum_of_exp(x):
    s = 0.0
    for i in range(x.size):
        s += np.exp(x[i])
    return s


def gradient_of(f, x, mode=Reverse):
    dx = np.zeros_like(x)
    autodiff(mode, f, Active, Duplicated(x, dx))
    return dx


@wide
@pytest.mark.optimised
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_all_numbers_of_a_gradient_have_the_same_digits(dtype):
    """In lanes and in what is left of the loop; the slope of the exponential is itself."""
    kind = "double" if dtype == np.float64 else "float"
    for size in (1, 7, 8, 37):
        x = np.linspace(-3, 3, size).astype(dtype)
        assert np.array_equal(
            gradient_of(sum_of_exp, x), accuracy.vector_function("exp", kind, 1)(x)
        )


@njit
def sum_down_a_column(a, j):
    s = 0.0
    for i in range(a.shape[0]):
        s += np.exp(a[i, j]) * np.exp(-0.5 * a[i, j])
    return s


@njit
def sum_of_columns(a, x):
    s = 0.0
    for j in range(a.shape[1]):
        for i in range(a.shape[0]):
            s += np.exp(a[i, j])
    for i in range(x.size):
        s += np.exp(x[i])
    return s


@wide
@pytest.mark.optimised
@pytest.mark.parametrize("columns", [1, 2, 7])
def test_columns_are_computed_by_the_c_library(columns):
    """LLVM makes vectors for arrays of one column alone; the others would go number by number through our functions."""
    a = np.linspace(-3, 3, 37 * columns).reshape(37, columns)
    da = np.zeros_like(a)
    autodiff(Reverse, sum_down_a_column, Active, Duplicated(a, da), Const(columns - 1))
    assert np.array_equal(np.nonzero(da.any(axis=0))[0], [columns - 1])
    assert np.allclose(da[:, -1], 0.5 * np.exp(0.5 * a[:, -1]), rtol=1e-14)
    x = np.linspace(-3, 3, 37)
    da[:], dx = 0, np.zeros_like(x)
    autodiff(Reverse, sum_of_columns, Active, Duplicated(a, da), Duplicated(x, dx))
    assert da.ravel().tolist() == [math.exp(number) for number in a.ravel()]
    assert np.array_equal(dx, accuracy.vector_function("exp", "double", 1)(x))


@wide
@pytest.mark.optimised
def test_vectors_for_arrays_of_one_column_never_run():
    a = np.zeros((8, 3))
    arguments = Duplicated(a, a.copy()), Const(1)
    optimised = compile_report(sum_down_a_column, Reverse, Active, *arguments)["ir"]["optimised"]
    assert "ident.check" in optimised  # LLVM's name, by which such loops are known
    assert "elementary.exp" not in optimised


@pytest.mark.optimised
def test_slopes_of_tanh_far_out_and_near():
    x = np.concatenate([np.linspace(-0.5, 0.5, 21), np.linspace(-20, 20, 22)])
    for part in (x[:21], x):
        assert np.allclose(gradient_of(sum_of_tanh, part), 1 / np.cosh(part) ** 2, rtol=1e-13)


@pytest.mark.optimised
@pytest.mark.parametrize("by_environment", [False, True])
def test_vector_versions_can_be_forbidden(monkeypatch, by_environment):
    x = np.linspace(-3, 3, 40)
    mode = Reverse
    if by_environment:
        monkeypatch.setenv("ENZYME_VECTOR_MATH", "0")
        f = njit(lambda x: sum_of_exp(x))  # not compiled yet
    else:
        f, mode = sum_of_exp, clear_vector_math(Reverse)
    assert gradient_of(f, x, mode).tolist() == [math.exp(number) for number in x]

    @njit
    def nested(x, dx):
        return autodiff(clear_vector_math(Reverse), sum_of_exp, Active, Duplicated(x, dx))

    dx = np.zeros_like(x)
    nested(x, dx)
    assert dx.tolist() == [math.exp(number) for number in x]


@pytest.mark.optimised
def test_numbers_outside_of_loops_are_those_of_the_primal():
    for number in np.linspace(-3, 3, 11):
        derivatives, value = autodiff(ReverseWithPrimal, one_exp, Active, Active(number))
        assert derivatives == (value,) == (one_exp(number),)


@wide
@pytest.mark.optimised
def test_sums_are_added_in_their_order():
    """The loop is vectorised, and the sum is that of the numbers one after the other."""
    x = np.linspace(-3, 3, 1001)
    _, value = autodiff(ReverseWithPrimal, sum_of_exp, Active, Duplicated(x, np.zeros_like(x)))
    total = 0.0
    for number in accuracy.vector_function("exp", "double", 1)(x):
        total += number
    assert value == total


@pytest.mark.optimised
def test_tangents_and_adjoints_agree():
    x = np.linspace(-3, 3, 37)
    v = np.cos(x)
    for f in (sum_of_exp, sum_of_tanh, quick_sum_of_exp):
        (tangent,) = autodiff(Forward, f, Duplicated(x, v))
        assert math.isclose(tangent, gradient_of(f, x) @ v, rel_tol=1e-12)


@pytest.mark.optimised
def test_derivatives_that_are_linked_into_jitted_code_and_optimised_again():
    """What LLVM was told of vector forms must not outlive their functions' parameters."""

    @njit
    def power(x, p):
        s = 0.0
        for i in range(x.size):
            s += x[i] ** p
        return s

    @njit
    def slopes(x, dx, p):
        autodiff(Reverse, power, Active, Duplicated(x, dx), Const(p))

    x, dx = np.linspace(0.5, 2.0, 21), np.zeros(21)
    slopes(x, dx, 1.7)
    assert np.allclose(dx, 1.7 * x**0.7, rtol=1e-14)

    @njit
    def slope(x):
        return autodiff(Reverse, one_power, Active, Active(x))[0][0]

    assert math.isclose(slope(2.0), 1.7 * 2.0**0.7)


@wide
@pytest.mark.optimised
def test_the_report_shows_what_is_called():
    x = np.zeros(8)
    report = compile_report(sum_of_exp, Reverse, Active, Duplicated(x, np.zeros(8)))
    assert ".elementary.exp.v" in report["ir"]["optimised"]
    report = compile_report(one_exp, Reverse, Active, Active(1.0))
    assert ".elementary.exp" not in report["ir"]["optimised"].split("attributes")[0]
    assert f"{PREFIX}exp.f64" in thunks.elementary


def test_constants_of_the_call_do_not_matter():
    """A function of an argument that is constant is computed by the same functions."""

    @njit
    def f(a, x):
        s = 0.0
        for i in range(x.size):
            s += a * np.exp(x[i])
        return s

    x = np.linspace(-1, 1, 19)
    ((da, _),) = autodiff(Reverse, f, Active, Active(2.0), Const(x))
    assert math.isclose(da, np.exp(x).sum(), rel_tol=1e-14)
