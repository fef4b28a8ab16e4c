"""The clock: interleaved timings in one process, medians of ratios.

Primal and gradient take turns, so that a change of the machine's frequency or a busy neighbour
hits both; a ratio is formed per turn and the median is reported.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.programs import Program, square

# A sample shorter than this is repeated until it is not: the clock and the call both have noise.
SAMPLE_SECONDS = 5e-3

# A gradient further than this from a finite difference is wrong, however fast.
TOLERANCE = 1e-4


@dataclass(slots=True)
class Result:
    """What was measured for one program; times in seconds."""

    name: str
    primal: float
    gradient: float | None = None
    ratio: float | None = None
    first_gradient: float | None = None
    stages: dict[str, float] = field(default_factory=dict)
    cache: str | None = None
    jax_gradient: float | None = None
    check: float | None = None
    error: str = ""


def gradient_call(program: Program, inputs: tuple) -> tuple[Callable[[], Any], list]:
    """Return a call of `autodiff` on the inputs, and the shadows that it fills."""
    from enzyme import Active, Const, Duplicated, Reverse, autodiff

    annotations = annotate(inputs, Const, Duplicated)
    shadows = [a.dval for a in annotations if isinstance(a, Duplicated)]

    def call():
        for shadow in shadows:
            shadow.fill(0.0)
        return autodiff(Reverse, program.function, Active, *annotations)

    return call, shadows


def annotate(inputs: tuple, const: Callable, duplicated: Callable) -> list:
    """Floating-point arrays are differentiated, the rest is constant."""
    return [
        duplicated(x, np.zeros_like(x))
        if isinstance(x, np.ndarray) and x.dtype.kind in "fc"
        else const(x)
        for x in inputs
    ]


def stage_times(program: Program, inputs: tuple) -> tuple[dict[str, float], str | None]:
    """Seconds per stage and what each loop caches, as the compiler reports them.

    Everything that depends on the form of that report is here.
    """
    import enzyme

    if not hasattr(enzyme, "compile_report"):
        return {}, None
    annotations = annotate(inputs, enzyme.Const, enzyme.Duplicated)
    report = enzyme.compile_report(program.function, enzyme.Reverse, enzyme.Active, *annotations)
    return dict(report["stages"]), report["cache"]


def seconds_per_call(call: Callable[[], Any], calls: int) -> float:
    start = perf_counter()
    for _ in range(calls):
        call()
    return (perf_counter() - start) / calls


def calls_per_sample(call: Callable[[], Any]) -> int:
    """Call once to warm up, once to see how long it takes."""
    call()
    return max(1, int(SAMPLE_SECONDS / max(seconds_per_call(call, 1), 1e-8)))


def interleaved(calls: list[Callable[[], Any]], repeat: int) -> list[list[float]]:
    """`repeat` samples of each call, taken in turn; one list of seconds per call."""
    numbers = [calls_per_sample(call) for call in calls]
    rounds = [
        [seconds_per_call(call, n) for call, n in zip(calls, numbers, strict=True)]
        for _ in range(repeat)
    ]
    return [list(samples) for samples in zip(*rounds, strict=True)]


def median_ratio(numerators: list[float], denominators: list[float]) -> float:
    return median(n / d for n, d in zip(numerators, denominators, strict=True))


def disagreement(program: Program, inputs: tuple, shadows: list, h: float = 1e-6) -> float:
    """Relative difference of the gradient and a central difference along a random direction.

    A fast wrong gradient is worth nothing: the benchmark checks what it times.
    """
    rng = np.random.default_rng(0)
    active = [x for x in inputs if isinstance(x, np.ndarray) and x.dtype.kind in "fc"]
    # All components positive: where the partials have one sign, nothing cancels.
    directions = [rng.uniform(size=x.shape) for x in active]

    def along(t):
        moved = iter([x + t * d for x, d in zip(active, directions, strict=True)])
        ids = {id(x) for x in active}
        return program.function(*[next(moved) if id(x) in ids else x for x in inputs])

    expected = (along(h) - along(-h)) / (2.0 * h)
    found = sum(float(np.vdot(s, d)) for s, d in zip(shadows, directions, strict=True))
    return abs(found - expected) / max(abs(expected), 1e-300)


def measure(program: Program, repeat: int, with_jax: bool) -> Result:
    """Measure one program; a gradient that cannot be made is reported and does not end the run."""
    inputs = program.make_inputs()

    def primal():
        return program.function(*inputs)

    primal()
    result = Result(program.name, primal=0.0)
    calls = [primal]
    try:
        # First, while nothing of this derivative is compiled.
        start = perf_counter()
        gradient, shadows = gradient_call(program, inputs)
        gradient()
        result.first_gradient = perf_counter() - start
        result.check = disagreement(program, inputs, shadows)
        if not result.check < TOLERANCE:
            raise ArithmeticError(f"off by {result.check:.1e} from finite differences")
        result.stages, result.cache = stage_times(program, inputs)
        calls.append(gradient)
    except Exception as error:
        result.error = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    if with_jax:
        from benchmarks.jax_programs import FUNCTIONS, jax_gradient

        with_jax = program.name in FUNCTIONS
        if with_jax:
            calls.append(jax_gradient(program.name, inputs))
    samples = interleaved(calls, repeat)
    result.primal = median(samples[0])
    if not result.error:
        result.gradient = median(samples[1])
        result.ratio = median_ratio(samples[1], samples[0])
    if with_jax:
        result.jax_gradient = median(samples[-1])
    return result


def scalar_calls(repeat: int) -> dict[str, float]:
    """Seconds of a plain call of a compiled function of one float, and of `autodiff` on it."""
    from enzyme import Active, Reverse, autodiff

    x = Active(2.0)
    calls = [
        lambda: square(2.0),
        lambda: autodiff(Reverse, square, Active, x),
        lambda: autodiff(Reverse, square, Active, Active(2.0)),
    ]
    samples = interleaved(calls, repeat)
    names = ("njit call", "autodiff call", "autodiff call, annotation made anew")
    return {name: median(s) for name, s in zip(names, samples, strict=True)}


def startup(processes: int = 3) -> dict[str, float]:
    """Medians of what `benchmarks.startup` prints, each in a process of its own."""
    runs = []
    for _ in range(processes):
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.startup"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        runs.append(json.loads(done.stdout))
    return {key: median(run[key] for run in runs) for key in runs[0]}
