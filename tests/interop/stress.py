"""Backward passes from many threads at once: right, with memory that stays, and with exceptions that pass through.

    python -m tests.interop.stress --hosts torch jax --threads 8 --count 10000

In each thread two calls of a hundred raise. Half of the passes are for a number, half for an array. Memory is what the
process has before and after, behind a tenth of the passes, which fill pools.
"""

from __future__ import annotations

import argparse
import importlib.util
import threading
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

SLACK = 32 << 20  # bytes: pools of allocators, one for each thread


def number(a, x):
    if a < 0.0:
        raise ValueError("a negative factor")
    total = 0.0
    for i in range(len(x)):
        total += np.sin(a * x[i]) * x[i]
    return total


def array(a, x):
    if a < 0.0:
        raise ValueError("a negative factor")
    y = np.empty_like(x)
    s = a
    for i in range(len(x)):
        s = np.sin(s * x[i]) + 0.5 * s
        y[i] = s
    return y


X = np.linspace(0.1, 1.0, 64)
Pass = Callable[[float], Any]


def of_torch() -> list[Pass]:
    import torch

    from enzyme.interop.torch import function

    torch.set_num_threads(1)

    def one(f: Any) -> Pass:
        call = function(f)

        def run(a: float) -> Any:
            x = torch.tensor(X, requires_grad=True)
            call(a, x).sum().backward()
            return x.grad.numpy()

        return run

    return [one(number), one(array)]


def of_jax() -> list[Pass]:
    import jax
    import jax.numpy as jnp

    from enzyme.interop.jax import function

    jax.config.update("jax_enable_x64", True)
    x = jnp.asarray(X)
    calls = function(number), function(array, jax.ShapeDtypeStruct(X.shape, X.dtype))

    def one(call: Any) -> Pass:
        slope = jax.jit(jax.grad(lambda a, x: call(a, x).sum(), 1))
        return lambda a: np.asarray(slope(a, x))

    return [one(call) for call in calls]


def of_tensorflow() -> list[Pass]:
    import tensorflow as tf

    from enzyme.interop.tensorflow import function

    x = tf.constant(X)

    def one(f: Any) -> Pass:
        call = function(f)

        def run(a: float) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(call(a, x))
            return tape.gradient(y, x).numpy()

        return run

    return [one(number), one(array)]


def of_pytensor() -> list[Pass]:
    import pytensor
    import pytensor.tensor as pt

    from enzyme.interop.pytensor import function

    def one(f: Any) -> Pass:
        a, x = pt.dscalar("a"), pt.dvector("x")
        slope = pt.grad(function(f)(a, x).sum(), x)
        made = pytensor.function([a, x], slope, mode="NUMBA")
        idle: list[
            Any
        ] = []  # functions of PyTensor keep their inputs: each thread has one of its own

        def run(a: float) -> Any:
            call = idle.pop() if idle else made.copy()
            try:
                return call(a, X)
            finally:
                idle.append(call)

        run(0.5)
        return run

    return [one(number), one(array)]


HOSTS = {"torch": of_torch, "jax": of_jax, "tensorflow": of_tensorflow, "pytensor": of_pytensor}


def resident() -> int:
    """The bytes of memory that the process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def stressed(host: str, threads: int, count: int) -> tuple[str, bool]:
    """A line about a host, and whether all went well."""
    passes = HOSTS[host]()
    factors = [0.3 + 0.1 * k for k in range(threads)]
    expected = [[one(a) for one in passes] for a in factors]
    wrong: list[str] = []

    def work(k: int, times: int) -> None:
        for n in range(times):
            one = n % 2
            if n % 100 < 98:
                if not np.array_equal(passes[one](factors[k]), expected[k][one]):
                    wrong.append("another gradient")
                continue
            try:
                passes[one](-factors[k])
            except Exception as error:
                if "a negative factor" not in str(error):
                    wrong.append(f"{type(error).__name__}: {error}")
            else:
                wrong.append("no exception")

    def together(times: int) -> int:
        made = [threading.Thread(target=work, args=(k, times)) for k in range(threads)]
        for thread in made:
            thread.start()
        for thread in made:
            thread.join()
        return resident()

    before, start = together(max(200, count // 10)), perf_counter()
    after, seconds = together(count), perf_counter() - start
    grown = after - before
    flat = grown < SLACK
    said = f"{host}: {threads} threads of {count} passes in {seconds:.0f} s, {before >> 20} MiB before,"
    said += f" {grown / 2**20:+.1f}"
    return f"{said}, {len(wrong)} wrong {wrong[:1] or ''}", flat and not wrong


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.interop.stress", description=__doc__)
    parser.add_argument("--hosts", nargs="+", choices=list(HOSTS), default=list(HOSTS))
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--count", type=int, default=10_000)
    options = parser.parse_args()
    good = True
    for host in options.hosts:
        if importlib.util.find_spec(host) is not None:
            line, fine = stressed(host, options.threads, options.count)
            print(line, flush=True)
            good = good and fine
    return int(not good)


if __name__ == "__main__":
    raise SystemExit(main())
