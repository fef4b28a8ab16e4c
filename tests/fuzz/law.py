"""What every generated program must satisfy; a failure names the program."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from tests.fuzz.program import Program
from tests.programs import batches, harness, partial, variants
from tests.programs.values import moved

# One program in so many is differentiated in batches too, which takes as long as all the rest, another one with
# constants, another one in a mode that should change nothing, and another one runs by itself after its derivatives.
MORE_IN = 5


def smooth_quotient(function: Any, args: tuple[Any, ...], tangents: Any) -> np.ndarray | None:
    """Finite differences along the tangents; None near a kink or a jump of the program."""
    step = 1e-4

    def at(amount: float) -> np.ndarray:
        return harness.run_primal(function, moved(args, tangents, amount)).values

    here = at(0.0)
    ahead, behind = at(step), at(-step)
    one_sided = np.abs(ahead + behind - 2.0 * here).max(initial=0.0) / step
    far = (at(2 * step) - at(-2 * step)) / (4 * step)
    near = (ahead - behind) / (2 * step)
    scale = max(1.0, np.abs(near).max(initial=0.0))
    if one_sided > 1e-2 * scale or np.abs(near - far).max(initial=0.0) > 1e-5 * scale:
        return None
    return (4 * near - far) / 3


class NumbaDiffersError(Exception):
    """Numba runs the program with other results than Python: there is no right derivative."""


def _check_numba(function: Any, plain: Any, args: tuple[Any, ...]) -> None:
    """Numba drops stores into arrays of instances where a comprehension makes it look for dead code."""
    mine, its = harness.run_primal(function, args).values, harness.run_primal(plain, args).values
    if mine.shape != its.shape or not np.allclose(mine, its, rtol=1e-9, atol=1e-9, equal_nan=True):
        raise NumbaDiffersError("the compiled program gives other numbers than Python")


def check(program: Program) -> None:
    """The law of `harness` for a generated program.

    Raises
    ------
    NumbaDiffersError
        For a program that numba itself gets wrong.
    """
    function = program.compiled()
    plain = function if program.rough else program.interpreted()
    args = program.arguments()
    try:
        _check(program, function, plain, args)
    except Exception:
        if plain is not function:
            _check_numba(function, plain, args)
        raise


def _check(program: Program, function: Any, plain: Any, args: tuple[Any, ...]) -> None:
    def quotient(tangents: Any) -> np.ndarray | None:
        # In single precision a difference quotient is noise.
        return None if program.rough else smooth_quotient(plain, args, tangents)

    harness.assert_adjoint(
        function,
        args,
        np.random.default_rng(program.seed),
        quotient,
        dot_tolerance=1e-4 if program.rough else 1e-11,
        fd_tolerance=1e-5,
        single=program.rough,
        plain=plain,
    )
    which = zlib.crc32(program.source.encode()) % MORE_IN
    rng = np.random.default_rng(program.seed)
    tolerance = 1e-4 if program.rough else 1e-11
    if which == 0:
        width = 2 + program.seed % 3
        batches.assert_adjoint(
            function, args, rng, width, tolerance=tolerance, single=program.rough, plain=plain
        )
    elif which == 1:
        partial.assert_same(function, args, rng, tolerance, plain=plain)
    elif which == 2:
        mode = list(variants.MODES)[program.seed % len(variants.MODES)]
        variants.assert_same(function, args, rng, tolerance, mode, plain=plain)
    elif which == 3:
        after, before = harness.run_primal(function, args), harness.run_primal(plain, args)
        harness.assert_same_state("plain", after, before, program.rough)
