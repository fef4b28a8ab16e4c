"""A small neural network, trained in one jitted function.

    python examples/gallery/network.py

Two inputs, sixteen hidden units tanh and one logit tell two spirals apart. The loss is the mean cross entropy, written
as loops over points and units. Gradient descent with momentum calls `value_and_grad` of it, so the whole training is
machine code. The gradient is compared with central differences and with backpropagation written by hand in NumPy; the
trained network must classify points that it has not seen.
"""

from __future__ import annotations

import time
import timeit
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from numba import njit
from rich.console import Console
from rich.table import Table

from enzyme import value_and_grad

HIDDEN, POINTS, STEPS = 16, 200, 20_000


@njit
def logit(w, x, y):
    """The network's output. A column of `w` is a unit: two weights, a bias, a weight of its output."""
    total = 0.0
    for j in range(HIDDEN):
        total += w[3, j] * np.tanh(w[0, j] * x + w[1, j] * y + w[2, j])
    return total


@njit
def loss(w, points, labels):
    """Mean of log(1 + exp(-label * logit)), labels being -1 and 1."""
    total = 0.0
    for i in range(len(points)):
        z = -labels[i] * logit(w, points[i, 0], points[i, 1])
        total += max(z, 0.0) + np.log1p(np.exp(-abs(z)))
    return total / len(points)


@njit
def train(w, points, labels, rate, momentum, steps):
    """Trained weights, and the loss before each step."""
    velocity, history = np.zeros_like(w), np.empty(steps)
    for k in range(steps):
        history[k], slope = value_and_grad(loss)(w, points, labels)
        velocity = momentum * velocity - rate * slope
        w = w + velocity
    return w, history


def spirals(rng):
    """Points on two arms that turn one and a half times, with noise, and labels -1 and 1."""
    labels = np.where(np.arange(POINTS) % 2, 1.0, -1.0)
    angle = 3.0 * np.pi * np.sqrt(rng.uniform(0.05, 1.0, POINTS))
    arms = labels * angle / np.pi * np.array([np.cos(angle), np.sin(angle)])
    return arms.T + rng.normal(scale=0.06, size=(POINTS, 2)), labels


def by_hand(w, points, labels):
    """The gradient, by backpropagation."""
    hidden = np.tanh(points @ w[:2] + w[2])
    error = -labels / (1.0 + np.exp(labels * (hidden @ w[3]))) / len(points)
    back = error[:, None] * w[3] * (1.0 - hidden**2)
    return np.vstack([points.T @ back, back.sum(0), error @ hidden])


def main():
    rng = np.random.default_rng(4)
    points, labels = spirals(rng)
    start, direction = rng.normal(size=(2, 4, HIDDEN))
    both = value_and_grad(loss)
    slope = both(start, points, labels)[1]
    np.testing.assert_allclose(slope, by_hand(start, points, labels), rtol=1e-9, atol=1e-12)
    ahead, behind = (loss(start + s * direction, points, labels) for s in (1e-5, -1e-5))
    miss = abs((slope * direction).sum() / (ahead - behind) * 2e-5 - 1.0)
    assert miss < 1e-6, miss

    train(start, points, labels, 0.1, 0.95, 1)  # compiles
    begin = time.perf_counter()
    w, history = train(start, points, labels, 0.1, 0.95, STEPS)
    seconds = time.perf_counter() - begin
    unseen, truth = spirals(np.random.default_rng(5))
    share = np.mean([logit(w, *p) * label > 0.0 for p, label in zip(unseen, truth, strict=True)])
    assert history[-1] < 0.05 and share > 0.97, (history[-1], share)
    calls = {"loss": loss, "value and gradient": both, "gradient by hand, NumPy": by_hand}
    data = start, points, labels
    times = [min(timeit.repeat(lambda f=f: f(*data), number=50)) / 50 for f in calls.values()]
    table = Table("", "microseconds", "ratio", title=f"{POINTS} points, {w.size} weights")
    for name, spent in zip([*calls, "step of training"], [*times, seconds / STEPS], strict=True):
        table.add_row(name, f"{spent * 1e6:.1f}", f"{spent / times[0]:.1f}")
    Console().print(table)
    print(f"loss {history[0]:.3f} to {history[-1]:.5f}; of unseen points {share:.1%} are right")
    print(f"gradient against differences: {miss:.1e}")

    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3.5), dpi=80)
    grid = np.linspace(-3.4, 3.4, 121)
    field = np.tanh([[logit(w, x, y) for x in grid] for y in grid])
    left.contourf(grid, grid, field, levels=[-1.01, 0.0, 1.01], colors=["#cfe3f5", "#fbd9d3"])
    left.contour(grid, grid, field, levels=[0.0], colors="black", linewidths=1)
    left.scatter(*points.T, c=labels, cmap="coolwarm", s=8)
    left.set(aspect="equal", title="points and decision boundary")
    right.loglog(np.arange(1, STEPS + 1), history)
    right.set(xlabel="step", title="loss")
    figure.tight_layout()
    figure.savefig(Path(__file__).with_suffix(".png"))


if __name__ == "__main__":
    main()
