"""A network learns to throw against the wind: it is trained through a simulator in plain loops, in PyTorch and in JAX.

    python examples/throw.py [--host torch|jax] [--steps 400]

The network gets the wind and how far the target is, and says how to throw; a loop with the drag of the air flies
the stone until it falls below the ground, and finds where. In PyTorch the simulator is one call in the network's
graph; in JAX the whole training is one `lax.scan`, with that call inside. The frameworks' own formulation flies all
stones together for as many steps as the longest flight needs, and masks those that have landed: in JAX a scan, for
its `while_loop` has no reverse mode. The program checks that both have the same loss and gradient, trains, and prints
the time of a step each way. Needs `pip install '.[torch]'` or `'.[jax]'`.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np
from numba import njit

THROWS, STEP, DRAG, LONGEST = 16, 0.02, 0.05, 220
SHAPES = [(2, 16), (16,), (16, 2), (2,)]


@njit
def landing(angle, speed, wind):
    """How far a stone flies, by the midpoint rule, to where its path cuts the ground."""
    x, y, u, v = 0.0, 0.0, speed * math.cos(angle), speed * math.sin(angle)
    while True:
        a, b = acceleration(u, v, wind)
        p, q = u + 0.5 * STEP * a, v + 0.5 * STEP * b
        a, b = acceleration(p, q, wind)
        if y + STEP * q < 0.0:
            return x + y / -q * p
        x, y, u, v = x + STEP * p, y + STEP * q, u + STEP * a, v + STEP * b


@njit
def acceleration(u, v, wind):
    drag = DRAG * math.sqrt((u - wind) ** 2 + v * v)
    return -drag * (u - wind), -9.81 - drag * v


@njit
def landings(angles, speeds, winds):
    found = np.empty(len(angles))
    for k in range(len(angles)):
        found[k] = landing(angles[k], speeds[k], winds[k])
    return found


def masked_step(xp, state, wind):
    """The same for all stones at once, in a framework's operations; `flies` is true before the ground."""
    x, y, u, v, flies = state

    def pull(u, v):
        drag = DRAG * xp.sqrt((u - wind) ** 2 + v * v)
        return -drag * (u - wind), -9.81 - drag * v

    a, b = pull(u, v)
    p, q = u + 0.5 * STEP * a, v + 0.5 * STEP * b
    a, b = pull(p, q)
    lands = y + STEP * q < 0.0
    h = xp.where(lands, y / xp.where(lands, -q, 1.0), STEP)
    moved = x + h * p, y + h * q, u + h * a, v + h * b
    kept = [xp.where(flies, new, old) for new, old in zip(moved, state)]
    return (*kept, flies & ~lands)


def network(xp, weights, tasks):
    """Angles and speeds for distances and winds."""
    w, b, out, c = weights
    angle, speed = (xp.tanh(tasks / 10.0 @ w + b) @ out + c).T
    return 0.8 + 0.5 * xp.tanh(angle), 14.0 + 6.0 * xp.tanh(speed)


def some_tasks(rng, *counts):
    """Distances, and winds."""
    return rng.uniform([8.0, -3.0], [16.0, 3.0], (*counts, 2))


def in_torch(steps, rng):
    import torch

    from enzyme.interop.torch import function

    torch.set_num_threads(1)  # all is small

    def masked(angle, speed, wind):
        zero = torch.zeros_like(angle)
        state = zero, zero, speed * torch.cos(angle), speed * torch.sin(angle), zero == 0.0
        for _ in range(LONGEST):
            state = masked_step(torch, state, wind)
        return state[0]

    weights = [torch.tensor(0.3 * rng.normal(size=n), requires_grad=True) for n in SHAPES]
    simulators = {"simulator": function(landings), "own": masked}

    def loss(name, tasks):
        angle, speed = network(torch, weights, tasks)
        return ((simulators[name](angle, speed, tasks[:, 1]) - tasks[:, 0]) ** 2).mean()

    def gradient(name, tasks):
        value = loss(name, tasks)
        return [value, *torch.autograd.grad(value, weights)]

    tasks = torch.tensor(some_tasks(rng, steps, THROWS))
    for ours, theirs in zip(gradient("simulator", tasks[0]), gradient("own", tasks[0])):
        torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-11)
    optimiser = torch.optim.Adam(weights, 0.02)

    def step(name, tasks):
        optimiser.zero_grad()
        loss(name, tasks).backward()
        optimiser.step()

    own = quickest(step, [("own", some) for some in tasks[:3]])
    simulator = quickest(step, [("simulator", some) for some in tasks])
    return simulator, own, loss("simulator", tasks[-1]).item()


def in_jax(steps, rng):
    import jax
    import jax.numpy as jnp

    from enzyme.interop.jax import function

    jax.config.update("jax_enable_x64", True)

    def masked(angle, speed, wind):
        zero = jnp.zeros_like(angle)
        state = zero, zero, speed * jnp.cos(angle), speed * jnp.sin(angle), zero == 0.0
        fly = lambda state, _: (masked_step(jnp, state, wind), None)  # noqa: E731
        return jax.lax.scan(fly, state, None, length=LONGEST)[0][0]

    simulators = {"simulator": function(landings, lambda angle, *_: angle), "own": masked}

    def loss(name, weights, tasks):
        angle, speed = network(jnp, weights, tasks)
        return ((simulators[name](angle, speed, tasks[:, 1]) - tasks[:, 0]) ** 2).mean()

    @jax.jit(static_argnums=0)
    def train(name, weights, tasks):
        """Adam, as the body of a scan."""

        def step(state, some):
            weights, means, squares, count = state
            slopes = jax.grad(lambda w: loss(name, w, some))(weights)
            means = jax.tree.map(lambda m, s: 0.9 * m + 0.1 * s, means, slopes)
            squares = jax.tree.map(lambda q, s: 0.999 * q + 0.001 * s * s, squares, slopes)
            rate = 0.02 * jnp.sqrt(1.0 - 0.999**count) / (1.0 - 0.9**count)
            move = lambda w, m, q: w - rate * m / (jnp.sqrt(q) + 1e-8)  # noqa: E731
            return (jax.tree.map(move, weights, means, squares), means, squares, count + 1), None

        nothing = jax.tree.map(jnp.zeros_like, weights)
        return jax.lax.scan(step, (weights, nothing, nothing, 1.0), tasks)[0][0]

    weights = [jnp.array(0.3 * rng.normal(size=n)) for n in SHAPES]
    tasks = jnp.array(some_tasks(rng, steps, THROWS))
    ours, theirs = (
        jax.value_and_grad(loss, 1)(name, weights, tasks[0]) for name in ("simulator", "own")
    )
    jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-11), ours, theirs)

    def run(name):
        return jax.block_until_ready(train(name, weights, tasks))

    own, simulator = (quickest(run, [(name,)] * 3) / steps for name in ("own", "simulator"))
    return simulator, own, loss("simulator", run("simulator"), tasks[-1]).item()


def quickest(run, calls):
    """Seconds of the quickest of several calls."""
    found = []
    for args in calls:
        begin = time.perf_counter()
        run(*args)
        found.append(time.perf_counter() - begin)
    return min(found)


HOSTS = {"torch": in_torch, "jax": in_jax}


def main(hosts=tuple(HOSTS), steps: int = 400) -> dict[str, tuple[float, float, float]]:
    results = {}
    for host in hosts:
        simulator, own, missed = HOSTS[host](steps, np.random.default_rng(0))
        print(
            f"{host}: a step takes {1e3 * simulator:.3f} ms through the simulator, {1e3 * own:.3f} ms in "
            f"operations of the framework, {own / simulator:.1f} times; misses by {math.sqrt(missed):.2f} m"
        )
        results[host] = simulator, own, missed
    return results


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--host", choices=HOSTS, action="append")
    parser.add_argument("--steps", type=int, default=400)
    given = parser.parse_args()
    main(given.host or tuple(HOSTS), given.steps)
