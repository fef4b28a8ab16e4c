"""The clock: interleaved timings in one process; the shortest sample of each counts.

Primal, gradient, the adjoint written by hand and JAX take turns, so that a change of the machine's
frequency hits all of them.  Seconds are those of the processor, and of the samples of one call the
shortest is taken: what a busy machine adds is not the program's.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from benchmarks import jax_side, kept
from benchmarks.families import FAMILY_OF
from benchmarks.fast import fast
from benchmarks.program import Program
from benchmarks.small import square

# A sample shorter than this is repeated until it is not: the clock and the call both have noise.
SAMPLE_SECONDS = 5e-3

# A gradient further than this from finite differences is wrong, however fast.
TOLERANCE = 1e-4
DIRECTIONS = 3
STEPS = (1e-6, 1e-5, 1e-7, 1e-4, 1e-8)

# Two gradients of one program differ by rounding only.
ROUNDING = 1e-9


@dataclass(slots=True)
class Result:
    """What was measured for one program; times in seconds."""

    name: str
    family: str
    primal: float
    gradient: float | None = None
    ratio: float | None = None
    hand_written: float | None = None
    against_hand_written: float | None = None
    hand_written_check: float | None = None
    jax_gradient: float | None = None
    jax_against: float | None = None
    fast_gradient: float | None = None
    fast_jax_against: float | None = None
    jax_check: float | None = None
    first_gradient: float | None = None
    jax_first_gradient: float | None = None
    stages: dict[str, float] = field(default_factory=dict)
    cache: str | None = None
    kept_bytes: int | None = None
    active_bytes: int = 0
    check: float | None = None
    error: str = ""
    jax_error: str = ""


def gradient_call(program: Program, inputs: tuple) -> tuple[Callable[[], Any], list]:
    """Return a call of `autodiff` on the inputs, and the shadows that it fills."""
    from enzyme import Active, Const, Duplicated, Reverse, autodiff

    annotations = annotate(program, inputs, Const, Duplicated)
    shadows = [a.dval for a in annotations if isinstance(a, Duplicated)]

    def call():
        for shadow in shadows:
            shadow.fill(0.0)
        return autodiff(Reverse, program.function, Active, *annotations)

    return call, shadows


def adjoint_call(program: Program, inputs: tuple) -> tuple[Callable[[], Any], list]:
    """The same for the adjoint written by hand, which takes each shadow behind its array."""
    arguments: list = []
    shadows = []
    active = program.active(inputs)
    for i, x in enumerate(inputs):
        arguments.append(x)
        if i in active:
            shadows.append(np.zeros_like(x))
            arguments.append(shadows[-1])
    adjoint = program.adjoint
    assert adjoint is not None

    def call():
        for shadow in shadows:
            shadow.fill(0.0)
        return adjoint(*arguments)

    return call, shadows


def annotate(program: Program, inputs: tuple, const: Callable, duplicated: Callable) -> list:
    active = program.active(inputs)
    return [
        duplicated(x, np.zeros_like(x)) if i in active else const(x) for i, x in enumerate(inputs)
    ]


def stage_times(program: Program, inputs: tuple) -> tuple[dict[str, float], str | None]:
    """Seconds per stage of the first gradient, and what each loop caches, as the compiler reports them.

    Everything that depends on the form of that report is here.
    """
    from enzyme import Active, Const, Duplicated, Reverse
    from enzyme.api.combined import derivative
    from enzyme.api.reflection import stage_seconds

    annotations = annotate(program, inputs, Const, Duplicated)
    compiled = derivative(Reverse, program.function, (Active, *annotations)).program
    return stage_seconds(compiled), compiled.made.cache_report


def seconds_per_call(call: Callable[[], Any], calls: int) -> float:
    start = process_time()
    for _ in range(calls):
        call()
    return (process_time() - start) / calls


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


def disagreement(program: Program, inputs: tuple, shadows: list) -> float:
    """Relative difference of the gradient and central differences: the largest of some directions.

    A fast wrong gradient is worth nothing: the benchmark checks what it times.  Of several steps the one that
    agrees best counts.  A long step may cross the kink of some element, as there are with sorting or tables, and a
    short one drowns in rounding; a gradient that is wrong agrees with none.
    """
    rng = np.random.default_rng(0)
    active = program.active(inputs)
    length = float(np.sqrt(sum(np.vdot(s, s).real for s in shadows)))
    worst = 0.0
    for turn in range(DIRECTIONS):
        # At first all components are positive: where the partials have one sign, nothing cancels.
        low = -0.4 if turn else 0.0
        directions = {i: rng.uniform(low, 1.0, inputs[i].shape) for i in active}
        found = sum(float(np.vdot(s, d)) for s, d in zip(shadows, directions.values(), strict=True))
        best = np.inf
        for h in STEPS:
            expected = (
                along(program, inputs, directions, h) - along(program, inputs, directions, -h)
            ) / (2.0 * h)
            scale = max(abs(expected), 1e-3 * length, 1e-300)
            off = abs(found - expected) / scale
            best = off if off < best else best
            if best < 1e-2 * TOLERANCE:
                break
        worst = max(worst, best)
    return worst


def along(program: Program, inputs: tuple, directions: dict[int, np.ndarray], t: float) -> float:
    moved = [x + t * directions[i] if i in directions else x for i, x in enumerate(inputs)]
    return program.function(*moved)


def difference(found: list, expected: list) -> float:
    """The largest difference in any array, relative to its largest number.

    An array that is nearly zero beside the others counts as a part of the whole: it is their rounding.
    """
    # `np.max`, because Python's may lose a NaN.
    whole = max(float(abs(e).max()) for e in expected)
    scales = [max(float(abs(e).max()), 1e-6 * whole, 1e-300) for e in expected]
    parts = zip(found, expected, scales, strict=True)
    return float(np.max([abs(f - e).max() / scale for f, e, scale in parts]))


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
    result = Result(program.name, FAMILY_OF[program.name], primal=0.0)
    result.active_bytes = sum(inputs[i].nbytes for i in program.active(inputs))
    calls = {"primal": primal}
    try:
        # First, while nothing of this derivative is compiled.
        start = process_time()
        gradient, shadows = gradient_call(program, inputs)
        gradient()
        result.first_gradient = process_time() - start
        result.check = disagreement(program, inputs, shadows)
        if not result.check < TOLERANCE:
            raise ArithmeticError(f"off by {result.check:.1e} from finite differences")
        result.kept_bytes = kept.asked_for_by(gradient)
        result.stages, result.cache = stage_times(program, inputs)
        calls["gradient"] = gradient
        if program.adjoint is not None:
            by_hand, expected = adjoint_call(program, inputs)
            by_hand()
            result.hand_written_check = difference(shadows, expected)
            if not result.hand_written_check < ROUNDING:
                off = f"{result.hand_written_check:.1e}"
                raise ArithmeticError(f"off by {off} from the adjoint written by hand")
            calls["hand_written"] = by_hand
    except Exception as error:
        result.error = in_one_line(error)
    if with_jax and not result.error:
        try:
            call = jax_call(program, inputs, shadows, result)
            if call is not None:
                calls["jax_gradient"] = call
                calls["fast_gradient"] = fast_call(program, inputs, shadows)
        except Exception as error:
            result.jax_error = in_one_line(error)
    samples = dict(zip(calls, interleaved(list(calls.values()), repeat), strict=True))
    best = {name: min(seconds) for name, seconds in samples.items()}
    for name, seconds in best.items():
        setattr(result, name, seconds)
    if "gradient" in best:
        result.ratio = best["gradient"] / best["primal"]
    if "hand_written" in best:
        result.against_hand_written = best["gradient"] / best["hand_written"]
    if "jax_gradient" in best:
        result.jax_against = best["jax_gradient"] / best["gradient"]
        result.fast_jax_against = best["jax_gradient"] / best["fast_gradient"]
    return result


def jax_call(
    program: Program, inputs: tuple, shadows: list, result: Result
) -> Callable[[], Any] | None:
    """A call of JAX's gradient, which was compared with ours; None where there is no version for JAX."""
    if not jax_side.has(program):
        return None
    start = process_time()
    call = jax_side.gradient_call(program, inputs)
    found = [np.asarray(part) for part in call()]
    result.jax_first_gradient = process_time() - start
    result.jax_check = difference(found, shadows)
    if not result.jax_check < TOLERANCE:
        raise ArithmeticError(f"JAX's gradient is off by {result.jax_check:.1e} from ours")
    return call


def fast_call(program: Program, inputs: tuple, shadows: list) -> Callable[[], Any]:
    """A call of the gradient with `fastmath=True`, which was compared with the one without."""
    call, found = gradient_call(fast(program), inputs)
    call()
    off = difference(found, shadows)
    if not off < TOLERANCE:
        raise ArithmeticError(f"with fastmath, the gradient is off by {off:.1e}")
    return call


def on_one_core() -> None:
    """Let the process run on one processor: threads that libraries start all the same then cost what they cost."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


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
