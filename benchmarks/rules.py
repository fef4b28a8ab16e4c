"""What a rule costs beside its own work: loops of calls that do nothing, per call.

The plain call goes through a C function pointer, so that LLVM cannot remove it.
"""

from __future__ import annotations

from statistics import median

import numba

from benchmarks.measure import interleaved

CALLS = 1_000_000


@numba.cfunc("float64(float64)")
def _opaque(x):
    return x


_pointer = _opaque.ctypes


@numba.njit
def ruled(x):
    return x


@numba.njit
def taped(x):
    return x


def calls_of(f):
    """A loop of calls of `f`."""

    @numba.njit
    def loop(x, n):
        total = 0.0
        for i in range(n):
            total += f(x + i)
        return total

    return loop


def define_rules() -> None:
    """An empty rule, and one that hands over two numbers."""
    from enzyme_rules import AugmentedReturn, augmented_primal, reverse

    @augmented_primal(ruled)
    def _(config, func, RT, x):
        return AugmentedReturn(x.val if config.needs_primal else None, None, None)

    @reverse(ruled)
    def _(config, func, dret, tape, x):
        return (dret.val,)

    @augmented_primal(taped)
    def _(config, func, RT, x):
        return AugmentedReturn(x.val if config.needs_primal else None, None, (x.val, 1.0))

    @reverse(taped)
    def _(config, func, dret, tape, x):
        return (dret.val * tape[1],)


def seconds_per_call(repeat: int) -> dict[str, float]:
    """Seconds per iteration of the loops."""
    from enzyme import Active, Const, Reverse, autodiff

    define_rules()
    x, n = Active(1.0), Const(CALLS)
    plain, empty, with_tape = map(calls_of, (_pointer, ruled, taped))
    calls = {
        "plain call that is not inlined": lambda: plain(1.0, CALLS),
        "gradient, empty rule": lambda: autodiff(Reverse, empty, Active, x, n),
        "gradient, rule with a tape of two numbers": lambda: autodiff(
            Reverse, with_tape, Active, x, n
        ),
    }
    samples = interleaved(list(calls.values()), repeat)
    return {name: median(s) / CALLS for name, s in zip(calls, samples, strict=True)}
