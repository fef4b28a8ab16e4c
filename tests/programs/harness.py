"""Law-abiding derivatives of whole programs: what every program in this folder must satisfy.

A program is a map J from its active inputs (floats, arrays of floats) to its outputs (the returned
floats and the final content of every duplicated array).  Shadows of arrays are seeds on entry and
adjoints of the initial content on exit, so one rule covers inputs, outputs and in-place updates.

Checked for random v and w: ⟨Jv, w⟩ = ⟨v, Jᵀw⟩ between forward and reverse mode; Jv against finite
differences of the plain primal; the same primal results and side effects as the plain primal; the
same answer from a second call; split mode like combined mode; and no memory kept or freed twice.  Widths above one
have a law of their own, see `batches`.  Not checked here: errors.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from enzyme import (
    Active,
    Const,
    Duplicated,
    ForwardWithPrimal,
    Reverse,
    ReverseSplitWithPrimal,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
    typeof,
)
from tests.programs.cases import Case, Random
from tests.programs.memory import assert_alive, live_memory
from tests.programs.values import (
    activity,
    arrays,
    cast,
    is_float,
    leaves,
    moved,
    own,
    perturbed,
    plain,
    result_seed,
    twin,
    vector,
)

Positions = frozenset[int]
# Gives, for the position of an argument and its annotation, the annotation that is used.
Change = Callable[[int, Any], Any]


def unchanged(position: int, annotation: Any) -> Any:
    """The annotation that the value asks for."""
    return annotation


# --- the three ways to a derivative --------------------------------------------------------------


@dataclass
class Outcome:
    """What one call gave, and the state it left.

    `parts` holds for each argument what the derivative is: its adjoint, the final content of its shadow, None;
    `returned` is the (tangent of the) result as far as it is not in there.  The primal counts as a derivative.
    """

    parts: tuple[Any, ...] = field(repr=False)
    result: Any
    args: tuple[Any, ...] = field(repr=False)
    returned: Any = field(default=(), repr=False)
    values: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.values = self.without(frozenset())

    def without(self, positions: Positions) -> np.ndarray:
        """All numbers of the derivative but those of some arguments."""
        kept = (part for k, part in enumerate(self.parts) if k not in positions)
        return vector((self.returned, *kept))


def with_constants(positions: Positions) -> Change:
    """Some arguments are constant."""
    return lambda k, a: Const(a.val) if k in positions else a


def annotations(args: Any, shadows: Any, active: Callable[..., Any], change: Change) -> list[Any]:
    """How arguments are handed over; `active` makes the annotation of those that hold no array."""
    annotate: dict[str, Callable[..., Any]] = {
        "const": lambda a, s: Const(plain((a,))[0]),
        "active": active,
        "duplicated": Duplicated,
    }
    return [change(k, annotate[activity(a)](a, s)) for k, (a, s) in enumerate(zip(args, shadows))]


def adjoint_annotations(args: Any, shadows: Any, change: Change = unchanged) -> list[Any]:
    """How arguments are handed to reverse mode."""
    return annotations(args, shadows, lambda a, s: Active(a), change)


def content(args: Any, shadows: Any) -> tuple[Any, ...]:
    """The shadows that are memory, None for other arguments."""
    return tuple(s if activity(a) == "duplicated" else None for a, s in zip(args, shadows))


def activity_of(result: Any) -> Any:
    return Active if is_float(result) else Const


_given: ContextVar[Callable[[Any], Any]] = ContextVar("given", default=lambda mode: mode)


@contextmanager
def modes_given_by(change: Callable[[Any], Any]) -> Iterator[None]:
    """Inside the block all laws are checked in changed modes: `given` is `change`."""
    token = _given.set(change)
    try:
        yield
    finally:
        _given.reset(token)


def given(mode: Any) -> Any:
    """What is to be used in place of a mode."""
    return _given.get()(mode)


def run_primal(function: Any, args: tuple[Any, ...]) -> Outcome:
    args = twin(args)
    result = function(*plain(args))
    return Outcome(content(args, args), result, args, own(result, args))


def run_forward(
    function: Any,
    args: tuple[Any, ...],
    tangents: tuple[Any, ...],
    *,
    mode: Any = ForwardWithPrimal,
    change: Change = unchanged,
) -> Outcome:
    args, tangents = twin(args), twin(tangents)
    annotated = annotations(args, tangents, Duplicated, change)
    constant = tuple(
        a.val for a, x in zip(annotated, args) if isinstance(a, Const) and activity(x) != "const"
    )
    found = autodiff(given(mode), function, *annotated)
    shadow, result = (found[:-1], found[-1]) if mode.return_primal else (found, None)
    returned = own(tuple(shadow), (tangents, constant))
    return Outcome(content(args, tangents), result, args, returned)


def run_reverse(
    function: Any,
    args: tuple[Any, ...],
    seeds: tuple[Any, ...],
    result: Any,
    *,
    mode: Any = ReverseWithPrimal,
    change: Change = unchanged,
) -> Outcome:
    """Adjoints of all inputs; the seed of a returned float is 1, of anything else returned 0."""
    args, seeds = twin(args), twin(seeds)
    annotated = adjoint_annotations(args, seeds, change)
    adjoints, *value = autodiff(given(mode), function, activity_of(result), *annotated)
    return Outcome(adjoints_of(args, seeds, adjoints), value[0] if value else None, args)


def reverse_mode_for(function: Any, result: Any) -> Any:
    """With the primal for one half of the functions, without for the other, where there are results.

    What nobody asks for is not computed, so that the code is another.  ALL_REVERSE in the environment chooses for all.
    """
    if not is_float(result):
        return ReverseWithPrimal
    chosen = os.environ.get("ALL_REVERSE")
    if chosen is not None:
        return Reverse if chosen == "plain" else ReverseWithPrimal
    code = getattr(function, "py_func", function).__code__
    return Reverse if zlib.crc32(code.co_code) % 2 else ReverseWithPrimal


def run_split(
    function: Any,
    args: tuple[Any, ...],
    seeds: tuple[Any, ...],
    result: Any,
    *,
    mode: Any = ReverseSplitWithPrimal,
    change: Change = unchanged,
) -> Outcome:
    """As `run_reverse`, in two calls; what may change between them is changed."""
    args, seeds = twin(args), twin(seeds)
    annotated = adjoint_annotations(args, seeds, change)
    types = [type(a)[typeof(a.val)] for a in annotated]
    returned = activity_of(result)
    forward, reverse = autodiff_thunk(given(mode), Const[typeof(function)], returned, *types)
    tape, value, _ = forward(Const(function), *annotated)
    after, value = twin(args), twin(value)
    spoil(annotated)
    seed = (1.0,) if returned is Active else ()
    (adjoints,) = reverse(Const(function), *annotated, *seed, tape)
    return Outcome(adjoints_of(args, seeds, adjoints), value, after)


def spoil(annotated: list[Any]) -> None:
    """Overwrite the arrays that reverse mode may not read again."""
    for a in annotated:
        if not isinstance(a, Const) and isinstance(a.val, np.ndarray) and a.val.flags.writeable:
            a.val.fill(np.nan)


def adjoints_of(args: Any, seeds: Any, adjoints: Any) -> tuple[Any, ...]:
    """For each argument the content of its shadow, or the adjoint that was returned."""
    return tuple(s if activity(a) == "duplicated" else d for a, s, d in zip(args, seeds, adjoints))


def difference_quotient(function: Any, args: Any, tangents: Any, step: float) -> np.ndarray:
    """Fourth-order central difference of the outputs along the tangents."""

    def at(amount: float) -> np.ndarray:
        return run_primal(function, moved(args, tangents, amount)).values

    return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)


# --- the law -------------------------------------------------------------------------------------


def assert_close(what: str, got: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    """Equal up to `tolerance` times the largest number expected, or one."""
    scale = np.abs(expected).max(initial=1.0)
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance * scale, err_msg=what)


def assert_same_state(what: str, got: Outcome, expected: Outcome, single: bool) -> None:
    rtol, atol = (2e-5, 1e-5) if single else (1e-12, 1e-13)
    for g, e in zip(
        leaves((got.result, *plain(got.args))), leaves((expected.result, *plain(expected.args)))
    ):
        if isinstance(e, np.ndarray) or is_float(e):
            np.testing.assert_allclose(g, e, rtol, atol, err_msg=f"{what}: primal changed")
        else:
            assert g == e, f"{what}: primal changed: {g!r} instead of {e!r}"


class NotFiniteError(AssertionError):
    """A derivative of a finite result is infinite or NaN."""

    def __init__(self, mode: str, values: np.ndarray) -> None:
        super().__init__(f"{mode} mode is not finite: {values}")
        self.values = values

    @property
    def overflows(self) -> bool:
        """Are the numbers that are finite so large that the others may be too large?"""
        return bool(np.abs(self.values[np.isfinite(self.values)]).max(initial=0.0) > 1e200)


def assert_adjoint(
    function: Any,
    args: tuple[Any, ...],
    rng: Random,
    quotient: Callable[[tuple[Any, ...]], np.ndarray | None],
    *,
    dot_tolerance: float,
    fd_tolerance: float,
    single: bool,
    plain: Any = None,
) -> None:
    """The law for one function at one point.

    `quotient(tangents)` gives finite differences, or None where they mean nothing; `plain` computes
    the same as `function`.

    Raises
    ------
    NotFiniteError
        If a derivative is not finite.
    """
    tangents = perturbed(args, rng.standard_normal)
    seeds = perturbed(args, rng.standard_normal)
    primal = run_primal(plain or function, args)
    assert np.isfinite(primal.values).all(), "the program itself gives no finite result"

    reverse_mode = reverse_mode_for(function, primal.result)

    def reversed_() -> Outcome:
        found = run_reverse(function, args, seeds, primal.result, mode=reverse_mode)
        if not reverse_mode.return_primal:
            found.result = primal.result
        return found

    reverse = reversed_()
    assert_same_state("reverse", reverse, primal, single)
    forward = run_forward(function, args, tangents)
    assert_same_state("forward", forward, primal, single)
    for mode, found in (("reverse", reverse), ("forward", forward)):
        if not np.isfinite(found.values).all():
            raise NotFiniteError(mode, found.values)

    expected = quotient(tangents)
    if expected is not None:
        what = "forward mode against finite differences"
        assert_close(what, forward.values, expected, fd_tolerance)

    w = vector((result_seed(own(primal.result, primal.args)), *arrays(seeds)))
    v = vector(tuple(t for t in tangents if activity(t) != "const"))
    left, right = forward.values * w, reverse.values * v
    bound = np.abs(left).sum() + np.abs(right).sum()
    assert abs(left.sum() - right.sum()) <= dot_tolerance * bound, (
        f"reverse against forward: <Jv, w> = {left.sum()!r}, <v, J'w> = {right.sum()!r}"
    )

    split = run_split(function, args, seeds, primal.result)
    assert_same_state("split", split, primal, single)
    what = "split against combined reverse mode"
    assert_close(what, split.values, reverse.values, 1e-5 if single else 1e-11)
    del split

    alive = live_memory()
    run_split(function, args, seeds, primal.result)
    assert_alive(alive, "split")
    again = reversed_()
    np.testing.assert_array_equal(again.values, reverse.values, err_msg="second call differs")
    assert_same_state("second reverse", again, primal, single)
    del again
    assert_alive(alive, "reverse")
    run_forward(function, args, tangents)
    assert_alive(alive, "forward")


def check(case: Case) -> None:
    """The whole law for one case."""
    args, rng = case.inputs()
    witness = case.plain
    wide = cast(args, np.float64) if case.single else args

    def quotient(tangents: tuple[Any, ...]) -> np.ndarray:
        found = difference_quotient(witness, wide, tangents, case.fd_step)
        assert np.isfinite(found).all(), "the inputs are too close to the edge of the domain"
        return found

    assert_adjoint(
        case.function,
        args,
        rng,
        quotient,
        dot_tolerance=1e-5 if case.single else case.dot_tolerance,
        fd_tolerance=2e-3 if case.single else case.fd_tolerance,
        single=case.single,
        plain=witness,
    )
