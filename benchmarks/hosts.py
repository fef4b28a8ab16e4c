"""What a gradient costs when a host asks for it, over the same gradient asked of us, of each host that is installed.

    python -m benchmarks hosts

A scalar function of eight numbers, forward and backward pass. The ways of a host take turns in one process: ours, the
host's with our function in it, and its *floor*, with the least that the host itself can be given in its place. Medians
of many samples; `least` is the difference of the least samples, which a busy neighbour moves less.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, perf_counter_ns

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.report import NONE, WIDTH, keep

SAMPLE = 2e6  # nanoseconds
COUNT = 8


def sum_of_squares(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i]
    return total


@dataclass(slots=True)
class Host:
    """The ways of one host, and how many microseconds it may cost over ours."""

    name: str
    limit: float
    ours: Callable[[], object]
    hosted: Callable[[], object]
    floor: Callable[[], object] | None


@dataclass(slots=True)
class Measured:
    """Microseconds: medians, and the differences of medians and of least samples to ours and to the floor."""

    name: str
    limit: float
    ours: float
    hosted: float
    floor: float | None
    over: float
    least: float
    over_floor: float | None


def torch_host() -> Host:
    import torch

    from enzyme import value_and_grad
    from enzyme.interop.torch import function

    class Empty(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.new_empty(())

        @staticmethod
        def backward(ctx, seed):
            (x,) = ctx.saved_tensors
            return torch.empty_like(x)

    x = torch.linspace(0.1, 1.0, COUNT, dtype=torch.float64, requires_grad=True)
    plain, slope, call = (
        x.detach().numpy(),
        value_and_grad(sum_of_squares),
        function(sum_of_squares),
    )

    def hosted():
        x.grad = None
        call(x).backward()

    def floor():
        x.grad = None
        Empty.apply(x).backward()

    return Host("PyTorch, value and backward", 20.0, lambda: slope(plain), hosted, floor)


def jax_host() -> Host:
    import jax
    import jax.numpy as jnp

    from enzyme import value_and_grad
    from enzyme.interop.jax import function

    jax.config.update("jax_enable_x64", True)
    x = jnp.linspace(0.1, 1.0, COUNT)
    plain, slope = np.asarray(x), value_and_grad(sum_of_squares)
    run = jax.jit(jax.value_and_grad(function(sum_of_squares)))
    own = jax.jit(jax.value_and_grad(lambda x: (x * x).sum()))
    return Host(
        "JAX, jitted value and gradient",
        10.0,
        lambda: slope(plain),
        lambda: run(x)[1].block_until_ready(),
        lambda: own(x)[1].block_until_ready(),
    )


def scipy_host() -> Host:
    from enzyme import value_and_grad
    from enzyme.interop.scipy import objective

    x, slope = np.linspace(0.1, 1.0, COUNT), value_and_grad(sum_of_squares)
    fun = objective(sum_of_squares)["fun"]
    return Host("SciPy, an objective", 3.0, lambda: slope(x), lambda: fun(x), None)


def pytensor_host() -> Host:
    import numba
    import pytensor
    import pytensor.tensor as pt

    from enzyme import value_and_grad
    from enzyme.interop.pytensor import function

    slope = value_and_grad(sum_of_squares)

    @numba.njit
    def ours(x):
        return slope(x)

    def compiled(of):
        x = pt.dvector("x")
        value = of(x)
        made = pytensor.function(
            [pytensor.In(x, borrow=True)], [value, pt.grad(value, x)], mode="NUMBA"
        )
        made.trust_input = True
        return made.vm.jit_fn if hasattr(made.vm, "jit_fn") else made

    x = np.linspace(0.1, 1.0, COUNT)
    run, own = compiled(function(sum_of_squares)), compiled(lambda x: (x * x).sum())
    return Host("PyTensor, numba mode", 1.0, lambda: ours(x), lambda: run(x), lambda: own(x))


HOSTS = {"torch": torch_host, "jax": jax_host, "scipy": scipy_host, "pytensor": pytensor_host}


def measured(host: Host, seconds: float) -> Measured:
    """Samples of all ways in turns."""
    ways = [host.ours, host.hosted, *([host.floor] if host.floor else [])]
    counts = []
    for way in ways:
        for _ in range(20):
            way()
        start = perf_counter_ns()
        for _ in range(20):
            way()
        counts.append(max(5, int(SAMPLE * 20 / (perf_counter_ns() - start))))
    samples: list[list[float]] = [[] for _ in ways]
    end = perf_counter() + seconds
    while perf_counter() < end:
        for way, count, found in zip(ways, counts, samples, strict=True):
            start = perf_counter_ns()
            for _ in range(count):
                way()
            found.append((perf_counter_ns() - start) / count / 1e3)
    ours, hosted, *floor = map(median, samples)
    least = min(samples[1]) - min(samples[0])
    return Measured(
        host.name,
        host.limit,
        ours,
        hosted,
        floor[0] if floor else None,
        hosted - ours,
        least,
        hosted - floor[0] if floor else None,
    )


HEADS = ("host", "ours", "hosted", "floor", "over ours", "least", "over the floor", "limit")


def table(results: list[Measured]) -> Table:
    shown = Table(title="A gradient from a host, in microseconds")
    for k, head in enumerate(HEADS):
        shown.add_column(head, justify="right" if k else "left")
    for r in results:
        numbers = (r.ours, r.hosted, r.floor, r.over, r.least, r.over_floor, r.limit)
        shown.add_row(r.name, *(NONE if x is None else f"{x:.1f}" for x in numbers))
    return shown


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks hosts", description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0, help="how long each host takes")
    parser.add_argument("--hosts", nargs="+", choices=list(HOSTS), default=list(HOSTS))
    folder = Path(__file__).parent / "results"
    parser.add_argument("--out", type=Path, default=folder, help=f"folder (default: {folder})")
    options = parser.parse_args(arguments)
    installed = [name for name in options.hosts if importlib.util.find_spec(name) is not None]
    results = [measured(HOSTS[name](), options.seconds) for name in installed]
    shown = table(results)
    Console(width=None if sys.stdout.isatty() else WIDTH).print(shown)
    keep(options.out, "hosts", shown, [], {"results": [asdict(r) for r in results]})
    return int(any(r.least > r.limit for r in results))
