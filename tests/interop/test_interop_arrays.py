"""Arrays of other packages: their NumPy buffers work, and what has none is refused with the way out."""

from __future__ import annotations

import array
import importlib

import numpy as np
import pytest

from enzyme import (
    Active,
    Const,
    Duplicated,
    EnzymeError,
    Reverse,
    autodiff,
    grad,
    gradient,
    jvp,
    make_zero,
    value_and_grad,
)

V, W = np.array([1.0, 2.0, 3.0]), np.array([0.5, -1.0, 2.0])


def weighted(x, w):
    s = 0.0
    for i in range(len(x)):
        s += w[i] * x[i] ** 2
    return s


class Protocol:
    """An array that speaks one protocol."""

    def __init__(self, x, name):
        self.x = x
        if name == "__array_interface__":
            self.__array_interface__ = x.__array_interface__

    def __getitem__(self, place):
        return self.x[place]

    def __len__(self):
        return len(self.x)


class Dlpack(Protocol):
    def __dlpack__(self, **wanted):
        return self.x.__dlpack__(**wanted)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


class Array(Protocol):
    def __array__(self, dtype=None, copy=None):
        return self.x


def of(package, make):
    def made(x):
        return make(importlib.import_module(package), x)

    return package, made


# What makes one of an array, the package it needs, the way to NumPy, and what the error says of it.
OTHERS = {
    "series": (*of("pandas", lambda pd, x: pd.Series(x)), lambda s: s.to_numpy(), "x.to_numpy()"),
    "column": (
        *of("pandas", lambda pd, x: pd.DataFrame({"a": x, "b": -x})["a"]),
        lambda s: s.to_numpy(),
        "x.to_numpy()",
    ),
    "nullable": (
        *of("pandas", lambda pd, x: pd.Series(x, dtype="Float64")),
        lambda s: s.to_numpy(dtype=float, na_value=np.nan),
        "na_value",
    ),
    "data array": (
        *of("xarray", lambda xr, x: xr.DataArray(x, dims="t")),
        lambda a: a.to_numpy(),
        "x.to_numpy()",
    ),
    "awkward": (
        *of("awkward", lambda ak, x: ak.Array(x)),
        lambda a: importlib.import_module("awkward").to_numpy(a),
        "ak.to_numpy(x)",
    ),
    "dlpack": ("numpy", lambda x: Dlpack(x, ""), np.from_dlpack, "np.from_dlpack(x)"),
    "array interface": (
        "numpy",
        lambda x: Protocol(x, "__array_interface__"),
        np.asarray,
        "np.asarray(x)",
    ),
    "__array__": ("numpy", lambda x: Array(x, ""), np.asarray, "np.asarray(x)"),
}

CALLS = {
    "grad": lambda x: grad(weighted)(x, W),
    "gradient": lambda x: gradient(Reverse, weighted, x, Const(W)),
    "a constant of grad": lambda x: grad(weighted)(V, x),
    "a constant": lambda x: autodiff(
        Reverse, weighted, Active, Duplicated(V, np.zeros(3)), Const(x)
    ),
    "a primal": lambda x: autodiff(Reverse, weighted, Active, Duplicated(x, np.zeros(3)), Const(W)),
    "an argument of jvp": lambda x: jvp(weighted, (x, W), (V, None)),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_others_hold(name):
    """Its buffer is an argument and a constant; without it each way to a derivative says how to get it."""
    package, make, to_numpy, way = OTHERS[name]
    pytest.importorskip(package)
    x = make(V.copy())
    held = to_numpy(x)
    np.testing.assert_allclose(grad(weighted)(held, W), 2.0 * V * W)
    np.testing.assert_allclose(grad(weighted)(W, held), 2.0 * V * W)
    np.testing.assert_allclose(value_and_grad(weighted)(held, W)[1], 2.0 * V * W)
    shadow = make_zero(held)
    autodiff(Reverse, weighted, Active, Duplicated(held, shadow), Const(W))
    np.testing.assert_allclose(shadow, 2.0 * V * W)
    for call in CALLS.values():
        with pytest.raises(EnzymeError) as caught:
            call(x)
        assert way in str(caught.value), str(caught.value)


@pytest.mark.parametrize("name", ["series", "data array", "awkward", "dlpack", "array interface"])
def test_buffers_are_shared(name):
    """A million numbers: the array of NumPy's has the address that the other one has."""
    package, make, to_numpy, _ = OTHERS[name]
    pytest.importorskip(package)
    x = make(np.linspace(0.0, 1.0, 1_000_000))
    places = {to_numpy(x).__array_interface__["data"][0] for _ in range(2)}
    assert len(places) == 1
    held = to_numpy(x)
    assert np.shares_memory(held, to_numpy(x))
    value, slope = value_and_grad(lambda x: (x * x).sum())(held)
    np.testing.assert_allclose(slope, 2.0 * held)
    assert value > 0.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
def test_derivatives_go_out_by_both_protocols(dtype):
    """They are arrays of NumPy's, which share their memory with whoever asks."""
    x = np.arange(1, 4).astype(dtype)
    slope = grad(lambda x: (x * x.conj()).sum().real)(x)
    assert np.shares_memory(np.from_dlpack(slope), slope)
    assert np.shares_memory(np.asarray(Protocol(slope, "__array_interface__")), slope)
    assert slope.flags.writeable and slope.dtype == dtype


def test_rows_of_several_lengths():
    """Their numbers and counts are two arrays, of which one has a derivative."""
    ak = pytest.importorskip("awkward")

    def energy(values, counts):
        total, at = 0.0, 0
        for n in counts:
            s = 0.0
            for k in range(n):
                s += values[at + k]
            total += s * s
            at += n
        return total

    rows = ak.Array([[1.0, 2.0], [], [3.0]])
    values, counts = ak.to_numpy(ak.flatten(rows)), ak.to_numpy(ak.num(rows))
    slope = ak.unflatten(grad(energy)(values, Const(counts)), counts)
    assert ak.to_list(slope) == [[6.0, 6.0], [], [6.0]]
    for call in (lambda: grad(energy)(values, rows), lambda: grad(len)(rows)):
        with pytest.raises(EnzymeError, match=r"ak\.to_numpy"):
            call()


def test_columns_of_a_frame():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": V, "w": W, "n": [1, 2, 3]})
    names = ["x", "w"]
    slope = grad(lambda m: (m[:, 0] ** 2 * m[:, 1]).sum())(frame[names].to_numpy())
    found = pd.DataFrame(slope, frame.index, names)
    np.testing.assert_allclose(found["x"], 2.0 * V * W)
    with pytest.raises(EnzymeError, match=r"x\.to_numpy\(\)"):
        grad(lambda m: m)(frame)


@pytest.mark.parametrize("make", [memoryview, lambda x: array.array("d", x)])
def test_buffers_without_names(make):
    """They are constants as they are."""
    np.testing.assert_allclose(grad(weighted)(W, make(V)), 2.0 * V * W)
    with pytest.raises(EnzymeError, match=r"np\.asarray\(x\)"):
        grad(weighted)(make(V), W)
