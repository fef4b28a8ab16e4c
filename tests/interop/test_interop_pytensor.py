"""PyTensor gets values and derivatives of every order, in graphs that numba compiles and in those that it does not."""

from __future__ import annotations

import pickle
import sys
import warnings

import numpy as np
import pytest
from numba import njit

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
from tests.interop.battery import BATTERY, M, V, guarded, newton, recurrence, scratch  # noqa: E402

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
    """Values, gradients and products with second derivatives are our own; the adjoint test ties forward mode to them."""
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
