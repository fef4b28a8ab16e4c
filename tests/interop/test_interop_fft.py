"""Transforms of rocket-fft in compiled code: their tangents are transforms of tangents, their adjoints obey the law.

A transform is linear, so NumPy's or SciPy's own function of the tangent is what forward mode must give; the law
<Jv, w> = <v, J'w> says the rest. One program per function and kind of numbers, called with all lengths, axes and norms.
"""

from __future__ import annotations

import functools
import os

import numpy as np
import pytest
import scipy.fft
from numba import njit

from enzyme import grad, hessian, jvp

rocket_fft = pytest.importorskip("rocket_fft")

MODULES = {"np.fft": np.fft, "scipy.fft": scipy.fft}
SHARED = "fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn".split()
OWN = "hfft2 ihfft2 hfftn ihfftn dct idct dst idst dctn idctn dstn idstn".split()
FUNCTIONS = [("np.fft", name) for name in SHARED] + [
    ("scipy.fft", name) for name in [*SHARED, *OWN]
]
DAILY = {
    ("np.fft", "fft"),
    ("np.fft", "irfft"),
    ("scipy.fft", "rfftn"),
    ("scipy.fft", "dct"),
    ("scipy.fft", "dst"),
}
NORMS = ("backward", "ortho", "forward")
SINGLE = {np.float64: np.float32, np.complex128: np.complex64}


def _is_real(name):
    return name.strip("i").startswith("d")


def _kinds(name):
    if name.strip("i2n").startswith(("rfft",)) and not name.startswith("irfft"):
        return [np.float64]
    if name.startswith("ihfft") or _is_real(name):
        return [np.float64]
    return [np.complex128] if name.startswith(("irfft", "hfft")) else [np.complex128, np.float64]


def _cases():
    for module, name in FUNCTIONS:
        for kind in _kinds(name):
            for dtype in (kind, SINGLE[kind]):
                daily = (module, name) in DAILY and dtype is _kinds(name)[0]
                if daily or "EXHAUSTIVE" in os.environ:
                    yield pytest.param(module, name, dtype, id=f"{module}.{name}-{dtype.__name__}")


def _calls(name, rank):
    """Lengths and axes, the same types throughout."""
    if name.rstrip("2n") == name:
        return [(n, axis) for n in (5, 6, 4, 9, 1) for axis in range(-rank, rank)]
    return [(s, axes) for s in ((4, 6), (9, 3), (5, 5)) for axes in ((0, 1), (-1, 0), (1, 2))]


def _numbers(rng, shape, dtype):
    made = rng.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        made = made + 1j * rng.standard_normal(shape)
    return made.astype(dtype)


@functools.cache
def _weighed(compiled):
    """A number whose gradient is the adjoint of the transform."""

    def weighed(x, w, *given):
        y = compiled(x, *given)
        return (w.real * y.real + w.imag * y.imag).sum()

    return njit(weighed)


def _check(compiled, plain, x, given, rng):
    v = _numbers(rng, x.shape, x.dtype)
    expected = plain(v, *given)
    value, tangent = jvp(compiled, (x, *given), (v, *(None for _ in given)))
    tolerance = 3e-5 if x.dtype in (np.float32, np.complex64) else 1e-12
    scale = max(1.0, np.abs(expected).max())
    assert value.dtype == expected.dtype and value.shape == expected.shape
    np.testing.assert_allclose(value, plain(x, *given), atol=tolerance * scale)
    np.testing.assert_allclose(tangent, expected, atol=tolerance * scale)
    w = _numbers(rng, value.shape, value.dtype)
    pulled = grad(_weighed(compiled))(x, w, *given)
    left, right = np.vdot(w, tangent).real, np.vdot(pulled, v).real
    size = np.linalg.norm(w) * np.linalg.norm(tangent) + 1.0
    assert abs(left - right) <= tolerance * size, (given, left, right)


@pytest.mark.parametrize(("module", "name", "dtype"), list(_cases()))
def test_transforms_and_their_adjoints(module, name, dtype):
    theirs, rng = getattr(MODULES[module], name), np.random.default_rng(3)
    x = _numbers(rng, (5, 6, 4), dtype)
    if _is_real(name):
        compiled = njit(lambda x, type, n, axis, norm: theirs(x, type, n, axis, norm))
        given = [
            (type, n, axis, norm)
            for n, axis in _calls(name, x.ndim)
            for type in (1, 2, 3, 4)
            for norm in NORMS
            if np.min(n) > 1
        ]
    else:
        compiled = njit(lambda x, n, axis, norm: theirs(x, n, axis, norm))
        given = [(*call, norm) for call in _calls(name, x.ndim) for norm in NORMS]
    if "EXHAUSTIVE" not in os.environ:
        given = given[:: len(given) // 12 or 1]
    for each in given:
        _check(compiled, theirs, x, each, rng)


PAIRS = [
    ("np.fft", ("fft", "ifft"), False),
    ("np.fft", ("rfft", "irfft"), True),
    ("np.fft", ("ihfft", "hfft"), True),
    ("scipy.fft", ("rfft", "irfft"), True),
    ("scipy.fft", ("ihfft", "hfft"), True),
    ("scipy.fft", ("dct", "idct"), False),
    ("scipy.fft", ("idct", "dct"), False),
    ("scipy.fft", ("dst", "idst"), False),
]


@pytest.mark.parametrize("first", range(0, len(PAIRS), 4))
def test_there_and_back_in_one_process(first):
    """Partners have much in common, but not their scales: what one needs must not be what the other has."""
    rng = np.random.default_rng(5)
    for module, names, asks_length in PAIRS[first : first + 4]:
        there, back = (getattr(MODULES[module], name) for name in names)
        if asks_length:
            compiled = njit(lambda x, t=there, b=back: b(t(x), 6).real)
        else:
            compiled = njit(lambda x, t=there, b=back: b(t(x)).real)
        x, v, w = rng.standard_normal((3, 6))
        np.testing.assert_allclose(jvp(compiled, (x,), (v,))[1], v, atol=1e-13)
        weighed = njit(lambda x, w, f=compiled: (w * f(x)).sum())
        np.testing.assert_allclose(grad(weighed)(x, w), w, atol=1e-13)


@pytest.mark.parametrize("orthogonalize", [False, True])
@pytest.mark.parametrize("name", ["dct", "dst"])
def test_real_transforms_with_ends_of_their_own(name, orthogonalize):
    theirs, rng = getattr(scipy.fft, name), np.random.default_rng(4)
    compiled = njit(lambda x, type, norm, ends: theirs(x, type, None, -1, norm, orthogonalize=ends))

    def plain(x, type, norm, ends):
        return theirs(x, type, None, -1, norm, orthogonalize=ends)

    for type in (1, 2, 3, 4):
        for norm in NORMS:
            for length in (2, 5, 6):
                x = rng.standard_normal((2, length))
                _check(compiled, plain, x, (type, norm, orthogonalize), rng)


def test_a_spectrum_is_differentiated_twice():
    def energy(x):
        spectrum = np.fft.rfft(x)
        return (np.abs(spectrum) ** 4).sum()

    f, rng = njit(energy), np.random.default_rng(5)
    x, v, step = rng.standard_normal(6), rng.standard_normal(6), 1e-5
    expected = (grad(f)(x + step * v) - grad(f)(x - step * v)) / (2 * step)
    np.testing.assert_allclose(hessian(f)(x) @ v, expected, rtol=1e-6)


def test_layouts_and_defaults():
    def both(x):
        return np.abs(np.fft.fft2(x.T)).sum() + np.abs(np.fft.fft(x[::2, ::-1])).sum()

    f, x = njit(both), np.random.default_rng(6).standard_normal((4, 5))
    v, step = np.ones_like(x), 1e-6
    expected = (both(x + step * v) - both(x - step * v)) / (2 * step)
    np.testing.assert_allclose(np.vdot(grad(f)(x), v), expected, rtol=1e-7)


def test_shifts_and_frequencies():
    weights = np.arange(1.0, 7.0)

    def program(x, d):
        shifted = np.fft.fftshift(x) * weights
        return shifted.sum() + (np.fft.fftfreq(6, d) * x * x).sum()

    f, x, step = njit(program), np.linspace(0.5, 2.0, 6), 1e-6
    np.testing.assert_allclose(
        grad(f)(x, 0.3), np.fft.ifftshift(weights) + 2 * x * np.fft.fftfreq(6, 0.3)
    )
    slope = (program(x, 0.3 + step) - program(x, 0.3 - step)) / (2 * step)
    np.testing.assert_allclose(grad(f, argnums=1)(x, 0.3), slope, rtol=1e-7)


def test_errors_are_those_of_the_transform():
    f = njit(lambda x, n: np.abs(np.fft.fft(x, n)).sum())
    with pytest.raises(ValueError, match="data points"):
        grad(f)(np.ones(3), 0)
    twice = njit(lambda x: np.abs(np.fft.fftn(x, None, (0, 0))).sum())
    with pytest.raises(ValueError, match="twice"):
        grad(twice)(np.ones((2, 2)))
