"""What every generated program must satisfy; a failure names the program."""

from __future__ import annotations

import zlib
from contextlib import nullcontext
from typing import Any

import numpy as np

from enzyme import set_strong_zero
from enzyme.backend.passes import compiling_with
from enzyme.errors import EnzymeError, EnzymeInternalError
from tests.effort import options_for
from tests.fuzz.program import Program
from tests.programs import batches, harness, nested, partial, tapes, variants
from tests.programs.cases import Case
from tests.programs.values import moved, perturbed

# One program in so many is differentiated in batches too, which takes as long as all the rest, another one with
# constants, another one in a mode that should change nothing, another one is differentiated twice, and of another one
# several tapes are out.
MORE_IN = 7
# One in so many runs by itself after its derivatives; numba compiles it for that.
ALONE_IN = 28


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
    """Numba runs the program with other results than Python, or Python not at all: there is no right derivative."""


def _check_numba(function: Any, plain: Any, args: tuple[Any, ...], rough: bool) -> None:
    """Numba drops stores into arrays of instances where a comprehension makes it look for dead code."""
    try:
        mine = harness.run_primal(function, args).values
    except Exception as error:
        raise NumbaDiffersError("numba does not compile or run the program") from error
    if rough:
        return
    its = harness.run_primal(plain, args).values
    if mine.shape != its.shape or not np.allclose(mine, its, rtol=1e-9, atol=1e-9, equal_nan=True):
        raise NumbaDiffersError("the compiled program gives other numbers than Python")


def check(program: Program) -> None:
    """The law of `harness` for a generated program.

    Raises
    ------
    NumbaDiffersError
        For a program that numba itself gets wrong.
    """
    function, plain = program.compiled(), program.interpreted()
    args = program.arguments()
    try:
        _check(program, function, plain, args)
    except NumbaDiffersError:
        raise
    except Exception as error:
        # Python and numba round to single precision in other places, and a branch may hang on it.
        if program.rough and "primal changed" in str(error):
            return _check(program, function, function, args)
        _check_numba(function, plain, args, program.rough)
        raise


def _check(program: Program, function: Any, plain: Any, args: tuple[Any, ...]) -> None:
    with compiling_with(options_for(program.source)):
        _check_law(program, function, plain, args)


def _check_law(program: Program, function: Any, plain: Any, args: tuple[Any, ...]) -> None:
    if program.special:
        try:
            primal = harness.run_primal(plain, args)
        except (ArithmeticError, ValueError):  # numba computes something where Python raises
            raise NumbaDiffersError("Python does not compute this") from None
        except AssertionError:  # the program's own, at numbers that it does not want
            return _check_raised(function, args)
        if not np.isfinite(primal.values).all():
            return _check_primal(program, function, primal, args)

    def quotient(tangents: Any) -> np.ndarray | None:
        # In single precision a difference quotient is noise, and at special values there may be kinks.
        blind = program.rough or program.special
        return None if blind else smooth_quotient(plain, args, tangents)

    # What is promised of infinite arguments is promised with strong zeros alone.
    infinite = program.special == "infinite"
    with harness.modes_given_by(set_strong_zero) if infinite else nullcontext():
        try:
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
        except harness.NotFiniteError as error:
            # Slopes of what is nearly infinite may be larger than any number, and differences of such are NaN.
            if not infinite or not error.overflows:
                raise
            return
        _check_more(program, function, plain, args)


def _check_more(program: Program, function: Any, plain: Any, args: tuple[Any, ...]) -> None:
    """One of the other laws, chosen by the program's text."""
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
    elif which == 3 and program.seed % (ALONE_IN // MORE_IN) == 0:
        after, before = harness.run_primal(function, args), harness.run_primal(plain, args)
        harness.assert_same_state("plain", after, before, program.rough)
    elif which == 4 and not program.rough:
        _check_second_order(program, function, args, rng)
    elif which == 5:
        tapes.assert_apart(function, args, rng, tolerance, plain=plain)


def _check_primal(
    program: Program, function: Any, primal: harness.Outcome, args: tuple[Any, ...]
) -> None:
    """Derivatives of what is not finite mean little, but the program must compute what it always does."""
    shadows = perturbed(args, np.ones)
    for got in (
        harness.run_reverse(function, args, shadows, primal.result),
        harness.run_forward(function, args, shadows),
        harness.run_split(function, args, shadows, primal.result),
    ):
        harness.assert_same_state("not finite", got, primal, program.rough)


def _check_raised(function: Any, args: tuple[Any, ...]) -> None:
    """What the program raises its derivatives raise too."""
    shadows = perturbed(args, np.ones)
    for run in (
        lambda: harness.run_reverse(function, args, shadows, None),
        lambda: harness.run_forward(function, args, shadows),
        lambda: harness.run_split(function, args, shadows, None),
    ):
        try:
            run()
        except AssertionError:
            continue
        raise ArithmeticError("a derivative does not raise what the program raises")


def _check_second_order(
    program: Program, function: Any, args: tuple[Any, ...], rng: np.random.Generator
) -> None:
    """The law for one of the program's derivatives as a program, if it is not refused."""
    case = Case("random", function, lambda rng: program.arguments(), python=False)
    derived = nested.derivative_of(case, bool(program.seed % 2))
    given, _ = derived.inputs()

    def quotient(tangents: Any) -> np.ndarray | None:
        return None if program.special else smooth_quotient(derived.function, given, tangents)

    try:
        harness.assert_adjoint(
            derived.function,
            given,
            rng,
            quotient,
            dot_tolerance=1e-10,
            fd_tolerance=1e-4,
            single=False,
        )
    except EnzymeInternalError:
        raise
    except harness.NotFiniteError:
        # Slopes of what overflows are infinite, and a second derivative has them as factors on both sides.
        if program.special != "infinite":
            raise
    except EnzymeError:
        return  # some constructs have no second derivative, and say so
