"""The clock: interleaved timings in one process, medians of ratios.

Primal, gradient and the adjoint written by hand take turns, so that a change of the machine's
frequency or a busy neighbour hits all of them; a ratio is formed per turn and the median is
reported.
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

from benchmarks.adjoints import ADJOINTS
from benchmarks.programs import Program, square

# A sample shorter than this is repeated until it is not: the clock and the call both have noise.
SAMPLE_SECONDS = 5e-3

# A gradient further than this from a finite difference is wrong, however fast.
TOLERANCE = 1e-4

# Two gradients of one program differ by rounding only.
ROUNDING = 1e-9


@dataclass(slots=True)
class Result:
    """What was measured for one program; times in seconds."""

    name: str
    primal: float
    gradient: float | None = None
    ratio: float | None = None
    hand_written: float | None = None
    against_hand_written: float | None = None
    hand_written_check: float | None = None
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


def adjoint_call(adjoint: Callable[..., float], inputs: tuple) -> tuple[Callable[[], Any], list]:
    """The same for an adjoint written by hand, which takes each shadow behind its array."""
    arguments: list = []
    shadows = []
    for x in inputs:
        arguments.append(x)
        if is_active(x):
            shadows.append(np.zeros_like(x))
            arguments.append(shadows[-1])

    def call():
        for shadow in shadows:
            shadow.fill(0.0)
        return adjoint(*arguments)

    return call, shadows


def is_active(x: Any) -> bool:
    """Floating-point arrays are differentiated, the rest is constant."""
    return isinstance(x, np.ndarray) and x.dtype.kind in "fc"


def annotate(inputs: tuple, const: Callable, duplicated: Callable) -> list:
    return [duplicated(x, np.zeros_like(x)) if is_active(x) else const(x) for x in inputs]


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
    active = [x for x in inputs if is_active(x)]
    # All components positive: where the partials have one sign, nothing cancels.
    directions = [rng.uniform(size=x.shape) for x in active]

    def along(t):
        moved = iter([x + t * d for x, d in zip(active, directions, strict=True)])
        ids = {id(x) for x in active}
        return program.function(*[next(moved) if id(x) in ids else x for x in inputs])

    expected = (along(h) - along(-h)) / (2.0 * h)
    found = sum(float(np.vdot(s, d)) for s, d in zip(shadows, directions, strict=True))
    return abs(found - expected) / max(abs(expected), 1e-300)


def difference(found: list, expected: list) -> float:
    """The largest difference in any array, relative to its largest number."""
    pairs = zip(found, expected, strict=True)
    # `np.max`, because Python's may lose a NaN.
    return float(np.max([abs(f - e).max() / max(abs(e).max(), 1e-300) for f, e in pairs]))


def in_one_line(error: Exception) -> str:
    text = str(error)
    return f"{type(error).__name__}: {text.splitlines()[0] if text else ''}"


def keep_freed_memory() -> None:
    """Make the C library keep the memory of large arrays for the next call.

    Until it has seen a larger one freed, it returns each large block to the system.  So the number
    of page faults would depend on which programs ran before, except in the derivative, whose
    memory is in a pool.
    """
    np.empty(2**22 - 2**10)  # freed at once; 32 MiB is the most that counts


def measure(program: Program, repeat: int, with_jax: bool) -> Result:
    """Measure one program; a gradient that cannot be made is reported and does not end the run."""
    keep_freed_memory()
    inputs = program.make_inputs()

    def primal():
        return program.function(*inputs)

    primal()
    result = Result(program.name, primal=0.0)
    calls = {"primal": primal}
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
        calls["gradient"] = gradient
        if program.name in ADJOINTS:
            by_hand, expected = adjoint_call(ADJOINTS[program.name], inputs)
            by_hand()
            result.hand_written_check = difference(shadows, expected)
            if not result.hand_written_check < ROUNDING:
                off = f"{result.hand_written_check:.1e}"
                raise ArithmeticError(f"off by {off} from the adjoint written by hand")
            calls["hand_written"] = by_hand
    except Exception as error:
        result.error = in_one_line(error)
    if with_jax:
        from benchmarks.jax_programs import FUNCTIONS, jax_gradient

        if program.name in FUNCTIONS:
            calls["jax_gradient"] = jax_gradient(program.name, inputs)
    samples = dict(zip(calls, interleaved(list(calls.values()), repeat), strict=True))
    for name, seconds in samples.items():
        setattr(result, name, median(seconds))
    if "gradient" in calls:
        result.ratio = median_ratio(samples["gradient"], samples["primal"])
    if "hand_written" in calls:
        result.against_hand_written = median_ratio(samples["gradient"], samples["hand_written"])
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
