"""Two constants of a product become one, and nothing else changes."""

from __future__ import annotations

import ctypes
import itertools

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Duplicated, Forward, Reverse, autodiff, enzyme_code_llvm
from enzyme.backend.jit import JittedModule
from enzyme.backend.scales import with_scales_joined

FAST = "nsz arcp contract"
NUMBERS = (0.0, -0.0, 1.0, -3.0, 0.1, np.inf, -np.inf, np.nan, 1e-300, 1e300)


def program(first, second, product=f"fmul {FAST} {{t}} %f, %m", more="", t="double"):
    return f"""
define void @f(ptr %a, ptr %out) {{
  %u = load {t}, ptr %a, align 8
  %rest = getelementptr {t}, ptr %a, i64 1
  %b = load {t}, ptr %rest, align 8
  %m = {first.format(t=t)}
  %f = {second.format(t=t)}
  %p = {product.format(t=t)}
{more}  store {t} %p, ptr %out, align 8
  ret void
}}
"""


def scaled(of, constant, flags=f"{FAST} ", form="{}"):
    return f"fmul {flags}{{t}} {of}, {form.format(f'{constant:.6e}')}"


def run(text, *numbers):
    jit = JittedModule(text, optimise=False)
    given, out = np.array(numbers), np.zeros(max(1, len(numbers) // 2))
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(jit.address("f"))
    function(given.ctypes.data, out.ctypes.data)
    return out


@pytest.mark.parametrize(
    "first, second, product",
    [(0.5, 2.0, ""), (0.25, 2.0, "5.000000e-01"), (-0.5, 2.0, "-1.000000e+00"), (3.0, 2.0, "6.0")],
)
def test_they_are_joined(first, second, product):
    text = program(scaled("%u", first), scaled("%b", second))
    joined = with_scales_joined(text)
    assert product in joined
    assert joined.count("fmul") == 1 + bool(product)
    for u, b in itertools.product(NUMBERS, NUMBERS):
        np.testing.assert_allclose(run(joined, u, b), run(text, u, b), rtol=1e-15)


def test_in_vectors():
    half, four = (scaled(of, c, form="splat (double {})") for of, c in (("%u", 0.5), ("%b", 4.0)))
    text = program(half, four, t="<2 x double>")
    joined = with_scales_joined(text)
    assert "splat (double 2.000000e+00)" in joined
    assert joined.count("fmul") == 2
    np.testing.assert_array_equal(run(joined, 3.0, 5.0, 7.0, -1.0), [42.0, -10.0])
    np.testing.assert_array_equal(run(text, 3.0, 5.0, 7.0, -1.0), [42.0, -10.0])


def test_a_factor_of_the_program_stays_for_others():
    text = program(
        scaled("%u", 0.5),
        scaled("%b", 2.0, ""),
        more="  %q = getelementptr double, ptr %out, i64 1\n  store double %f, ptr %q, align 8\n",
    )
    joined = with_scales_joined(text)
    assert (
        f"%p = fmul {FAST} double %b, %u" in joined or f"%p = fmul {FAST} double %u, %b" in joined
    )
    assert "%f = fmul double %b, 2.000000e+00" in joined


@pytest.mark.parametrize(
    "text",
    [
        program(scaled("%u", 0.5, ""), scaled("%b", 2.0, "")),
        program(scaled("%u", 0.5), scaled("%b", 2.0), "fmul {t} %f, %m"),
        program(
            scaled("%u", 0.5, "contract "),
            scaled("%b", 2.0, "contract "),
            "fmul contract {t} %f, %m",
        ),
        program(scaled("%u", 32.0), scaled("%b", 2.0)),
        program(scaled("%u", 1e-300), scaled("%b", 16.0)),
        program(scaled("%u", 0.5), "fadd {t} %b, %b"),
        program(
            scaled("%u", 0.5),
            scaled("%b", 4.0),
            more="  store double %m, ptr %out, align 8\n  store double %f, ptr %out, align 8\n",
        ),
    ],
    ids=[
        "of the program",
        "in order",
        "contracted",
        "far from one",
        "near zero",
        "no constant",
        "read twice",
    ],
)
def test_others_stay(text):
    assert with_scales_joined(text) is text


@njit
def energy(x, v):
    e = 0.0
    for i in range(len(x)):
        e = 0.5 * v[i] ** 2 + e * np.cos(x[i])
    return e


def test_halves_of_squares():
    """A half and a square: their constants are gone from the loop of the derivative."""
    rng = np.random.default_rng(0)
    x, v, w = rng.normal(size=9), rng.normal(size=9), rng.normal(size=9)
    dx, dv = np.zeros(9), np.zeros(9)
    autodiff(Reverse, energy, Active, Duplicated(x, dx), Duplicated(v, dv))
    along = autodiff(Forward, energy, Duplicated(x, w), Duplicated(v, w))[0]
    assert abs(w @ (dx + dv) - along) < 1e-12
    text = enzyme_code_llvm(energy, Active, (Duplicated(x, dx), Duplicated(v, dv)))
    assert f"fmul {FAST} double" in text
    assert not [line for line in text.split("\n") if " = fmul " in line and "2.000000e+00" in line]
