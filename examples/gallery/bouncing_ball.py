"""A throw that reaches its target by way of a wall and two bounces: gradients through contacts.

    python examples/gallery/bouncing_ball.py

A ball flies freely between contacts, and the time of each contact is the root of a quadratic or linear equation. The
floor returns a part of the vertical speed and keeps a part of the horizontal one; a wall returns a part of the
horizontal one. The velocity of the throw is sought for which the top of the arc behind the second bounce is at the
target. Which contact comes first changes during the search. The height of the top and the path without a wall give the
velocity in closed form, with which the result is compared.
"""

from __future__ import annotations

import timeit
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from numba import njit
from rich.console import Console
from rich.table import Table
from scipy.optimize import minimize

from enzyme import value_and_grad

G, HEIGHT, WALL = 9.81, 1.5, 3.0
BOUNCE, GRIP, BACK = 0.8, 0.9, 0.8  # what contacts leave: floor up, floor along, wall
TARGET = np.array([0.5, 0.9])


@njit
def throw(velocity, log):
    """Flies to the top behind the second bounce; `log` gets time, x, y, vx, vy after each contact."""
    x, y, vx, vy = 0.0, HEIGHT, velocity[0], velocity[1]
    time, bounces, rows, flying = 0.0, 0, 0, True
    while flying:
        log[rows] = time, x, y, vx, vy
        rows += 1
        to_wall = (WALL - x) / vx if vx > 0.0 else np.inf
        t = (vy + np.sqrt(vy * vy + 2.0 * G * y)) / G if bounces < 2 else vy / G
        wall = to_wall < t
        t = min(t, to_wall)
        time += t
        x += vx * t
        y += vy * t - 0.5 * G * t * t
        vy -= G * t
        if wall:
            x, vx = WALL, -BACK * vx
        elif bounces < 2:
            y, vx, vy = 0.0, GRIP * vx, -BOUNCE * vy
            bounces += 1
        else:
            flying = False
    log[rows] = time, x, y, vx, vy
    return rows + 1


@njit
def miss(velocity):
    """Squared distance of the top from the target."""
    log = np.empty((6, 5))
    x, y = log[throw(velocity, log) - 1, 1:3] - TARGET
    return x * x + y * y


def closed_form():
    """The upward throw: the height of the top gives vy, the path without a wall gives vx."""
    speed = np.sqrt(2.0 * G * TARGET[1]) / BOUNCE**2  # downward, at the first bounce
    vy = np.sqrt(speed**2 - 2.0 * G * HEIGHT)
    times = np.array([vy + speed, 2.0 * BOUNCE * speed, BOUNCE**2 * speed]) / G
    return np.array([(WALL + (WALL - TARGET[0]) / BACK) / (times @ [1.0, GRIP, GRIP**2]), vy])


def main():
    both, start = value_and_grad(miss), np.array([5.0, 1.0])
    ends = [[miss(start + h) for h in s * np.eye(2)] for s in (1e-6, -1e-6)]
    worst = np.abs(both(start)[1] / np.subtract(*ends) * 2e-6 - 1.0).max()
    assert worst < 1e-6, worst

    options = {"gtol": 1e-10, "return_all": True}
    found = minimize(both, start, jac=True, method="BFGS", options=options)
    exact = closed_form()
    np.testing.assert_allclose(found.x, exact, rtol=1e-7)
    times = [min(timeit.repeat(lambda f=f: f(start), number=1000)) * 1e3 for f in (miss, both)]
    table = Table("", "vx", "vy", "distance", title="A throw with three contacts")
    for name, v in {"start": start, "found": found.x, "closed form": exact}.items():
        table.add_row(name, f"{v[0]:.8f}", f"{v[1]:.8f}", f"{np.sqrt(miss(v)):.1e}")
    Console().print(table)
    spent = "a throw takes {:.2f} us, called from Python, with its gradient {:.2f} us"
    print(spent.format(*times))
    print(f"gradient against differences: {worst:.1e}; {found.nfev} throws")

    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3.5), dpi=80)
    for v, style in ((start, "0.6"), (found.allvecs[3], "tab:orange"), (found.x, "tab:red")):
        log = np.empty((6, 5))
        log = log[: throw(v, log)]
        for (t, x, y, vx, vy), end in zip(log, log[1:, 0], strict=False):
            s = np.linspace(0.0, end - t, 40)
            left.plot(x + vx * s, y + vy * s - 0.5 * G * s * s, color=style, linewidth=1.2)
    left.plot(*TARGET, "k*", markersize=9)
    left.plot([-2.5, WALL, WALL], [0.0, 0.0, 2.5], color="black")
    left.set(title="first throw, a later one, the last", xlabel="x", ylabel="y")
    a, b = np.linspace(1.0, 6.0, 120), np.linspace(-0.5, 5.0, 120)
    distances = np.sqrt([[miss(np.array([x, y])) for x in a] for y in b])
    right.contour(a, b, distances, levels=12, linewidths=0.8)
    right.plot(*np.transpose(found.allvecs), ".-", color="tab:red", linewidth=1)
    right.set(xlabel="vx", ylabel="vy", title="distance, and the search")
    figure.tight_layout()
    figure.savefig(Path(__file__).with_suffix(".png"))


if __name__ == "__main__":
    main()
