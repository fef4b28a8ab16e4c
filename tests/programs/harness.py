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

import gc
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba.core.runtime import _nrt_python, rtsys

from enzyme import (
    Active,
    Const,
    Duplicated,
    ForwardWithPrimal,
    ReverseSplitWithPrimal,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
    typeof,
)

_nrt_python.memsys_enable_stats()

Random = np.random.Generator


@dataclass(frozen=True)
class Held:
    """A differentiable value that the program gets as a constant."""

    value: Any


@dataclass(frozen=True)
class Case:
    """One program with one kind of inputs."""

    name: str
    function: Any
    make: Callable[[Random], tuple[Any, ...]]
    single: bool = False
    dot_tolerance: float = 1e-12
    fd_tolerance: float = 1e-6
    fd_step: float = 1e-3

    def inputs(self) -> tuple[tuple[Any, ...], Random]:
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        args = self.make(rng)
        return (_cast(args, np.float32) if self.single else args), rng


CASES: dict[str, Case] = {}


def program(*makes: Callable[[Random], tuple[Any, ...]], single: bool = False, **options: Any):
    """Register a jitted function with functions that make inputs; `single` adds float32 forms."""

    def register(function: Any) -> Any:
        base = f"{function.__module__.rsplit('.', 1)[-1].removeprefix('programs_')}"
        for index, make in enumerate(makes):
            name = f"{base}.{function.__name__}" + (f".{index}" if len(makes) > 1 else "")
            for is_single in (False, True)[: 1 + single]:
                case = Case(name + ".f32" * is_single, function, make, is_single, **options)
                assert case.name not in CASES, case.name
                CASES[case.name] = case
        return function

    return register


# --- values: floats, arrays, tuples of them ------------------------------------------------------


def is_float(x: Any) -> bool:
    return isinstance(x, float | np.floating)


def is_float_array(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.dtype.kind == "f"


def _leaves(x: Any) -> list[Any]:
    return [leaf for part in x for leaf in _leaves(part)] if isinstance(x, tuple) else [x]


def activity(x: Any) -> str:
    """`active`, `duplicated` or `const`, from the value alone."""
    leaves = _leaves(x)
    if leaves and any(map(is_float_array, leaves)):
        return "duplicated"
    return "active" if any(map(is_float, leaves)) else "const"


def rebuild(x: Any, parts: list[Any]) -> Any:
    """A tuple or named tuple of the kind of `x`."""
    return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)


def transform(x: Any, leaf: Callable[[Any], Any], memo: dict[int, Any] | None = None) -> Any:
    """`x` with `leaf` applied to every leaf; the same array gives the same result.

    Not a closure that calls itself: that is a cycle, which would keep arrays alive.
    """
    memo = {} if memo is None else memo
    if isinstance(x, Held):
        return Held(transform(x.value, leaf, memo))
    if isinstance(x, tuple):
        return rebuild(x, [transform(part, leaf, memo) for part in x])
    if not isinstance(x, np.ndarray):
        return leaf(x)
    if id(x) not in memo:
        memo[id(x)] = leaf(x)
    return memo[id(x)]


def empty_twin(x: np.ndarray, dtype: Any = None) -> np.ndarray:
    """New memory with the shape and the strides (in items) of `x`, gaps and direction included."""
    dtype = np.dtype(dtype or x.dtype)
    strides = [s // x.itemsize for s in x.strides]
    reach = [(n - 1) * s for n, s in zip(x.shape, strides) if n > 0]
    low, high = sum(min(r, 0) for r in reach), sum(max(r, 0) for r in reach)
    base = np.zeros(high - low + 1, dtype)
    twin = np.lib.stride_tricks.as_strided(
        base[-low:], x.shape, [s * dtype.itemsize for s in strides]
    )
    return twin if x.flags.writeable else _read_only(twin)


def _read_only(x: np.ndarray) -> np.ndarray:
    x.flags.writeable = False
    return x


def twin(x: Any, dtype: Any = None) -> Any:
    """Deep copy with the same layout."""

    def leaf(value: Any) -> Any:
        if not isinstance(value, np.ndarray):
            return value
        made = empty_twin(value, dtype)
        made[...] = value
        return made

    return transform(x, leaf)


def _cast(args: Any, dtype: Any) -> Any:
    def leaf(value: Any) -> Any:
        if is_float(value):
            return dtype(value)
        return twin(value, dtype) if is_float_array(value) else value

    return transform(args, leaf)


def perturbed(x: Any, make: Callable[[tuple[int, ...]], Any]) -> Any:
    """The structure of `x` with every float drawn from `make(shape)`, the rest kept."""

    def leaf(value: Any) -> Any:
        if is_float(value):
            return type(value)(make(()))
        if is_float_array(value):
            made = empty_twin(value)
            made[...] = make(value.shape)
            return made
        return value

    return transform(x, leaf)


def vector(args: Any) -> np.ndarray:
    """All floats of `args` that take part in the derivative, arrays once each, as float64."""
    seen: set[int] = set()
    parts = [np.zeros(0)]
    for leaf in _leaves(args):
        if is_float(leaf):
            parts.append(np.array([leaf], np.float64))
        elif is_float_array(leaf) and id(leaf) not in seen:
            seen.add(id(leaf))
            parts.append(np.asarray(leaf, np.float64).ravel())
    return np.concatenate(parts)


def arrays(args: Any) -> tuple[Any, ...]:
    return tuple(a for a in args if activity(a) == "duplicated")


def plain(args: Any) -> tuple[Any, ...]:
    return tuple(a.value if isinstance(a, Held) else a for a in args)


# --- the three ways to a derivative --------------------------------------------------------------


@dataclass
class Outcome:
    """What one call gave: the outputs or adjoints as a vector, and the state it left."""

    values: np.ndarray
    result: Any
    args: tuple[Any, ...] = field(repr=False)


def own(result: Any, args: Any) -> Any:
    """`result` without the arrays that are arguments: their content is counted there."""
    given = [leaf for leaf in _leaves(args) if isinstance(leaf, np.ndarray)]

    def leaf(value: Any) -> Any:
        if isinstance(value, np.ndarray) and any(np.may_share_memory(value, g) for g in given):
            return None
        return value

    return transform(result, leaf)


def run_primal(function: Any, args: tuple[Any, ...]) -> Outcome:
    args = twin(args)
    result = function(*plain(args))
    return Outcome(vector((own(result, args), *arrays(args))), result, args)


def run_forward(function: Any, args: tuple[Any, ...], tangents: tuple[Any, ...]) -> Outcome:
    args, tangents = twin(args), twin(tangents)
    annotated = [
        Const(plain((a,))[0]) if activity(a) == "const" else Duplicated(a, t)
        for a, t in zip(args, tangents)
    ]
    *shadow, result = autodiff(ForwardWithPrimal, function, *annotated)
    return Outcome(vector((*own(tuple(shadow), tangents), *arrays(tangents))), result, args)


def run_reverse(function: Any, args: tuple[Any, ...], seeds: tuple[Any, ...], result: Any):
    """Adjoints of all inputs; the seed of a returned float is 1, of anything else returned 0."""
    args, seeds, annotated, returned = _annotated(args, seeds, result)
    adjoints, value = autodiff(ReverseWithPrimal, function, returned, *annotated)
    return _adjoints(args, seeds, adjoints, value)


def run_split(function: Any, args: tuple[Any, ...], seeds: tuple[Any, ...], result: Any):
    """As `run_reverse`, in two calls; what may change between them is changed."""
    args, seeds, annotated, returned = _annotated(args, seeds, result)
    types = [type(a)[typeof(a.val)] for a in annotated]
    forward, reverse = autodiff_thunk(
        ReverseSplitWithPrimal, Const[typeof(function)], returned, *types
    )
    tape, value, _ = forward(Const(function), *annotated)
    after, value = twin(args), twin(value)
    spoiled = [x for x in arrays(args) if isinstance(x, np.ndarray) and x.flags.writeable]
    for x in spoiled:
        x.fill(np.nan)
    seed = (1.0,) if returned is Active else ()
    (adjoints,) = reverse(Const(function), *annotated, *seed, tape)
    return _adjoints(after, seeds, adjoints, value)


def _annotated(args: tuple[Any, ...], seeds: tuple[Any, ...], result: Any) -> tuple[Any, ...]:
    """Copies of arguments and seeds, the annotations that hold them, and the return activity."""
    args, seeds = twin(args), twin(seeds)
    annotate = {
        "const": lambda a, s: Const(plain((a,))[0]),
        "active": lambda a, s: Active(a),
        "duplicated": Duplicated,
    }
    annotated = [annotate[activity(a)](a, s) for a, s in zip(args, seeds)]
    return args, seeds, annotated, Active if is_float(result) else Const


def _adjoints(args: Any, seeds: Any, adjoints: Any, value: Any) -> Outcome:
    found = [s if activity(a) == "duplicated" else d for a, s, d in zip(args, seeds, adjoints)]
    return Outcome(vector(tuple(found)), value, args)


def result_seed(result: Any) -> Any:
    return result * 0 + 1 if is_float(result) else perturbed(result, np.zeros)


def moved(args: Any, tangents: Any, amount: float, memo: dict[int, Any] | None = None) -> Any:
    """`args` a step along the tangents; arrays that are one array stay one."""
    memo = {} if memo is None else memo
    if isinstance(args, tuple):
        return rebuild(args, [moved(a, t, amount, memo) for a, t in zip(args, tangents)])
    if is_float(args):
        return args + amount * tangents
    if not is_float_array(args):
        return args
    if id(args) not in memo:
        memo[id(args)] = twin(args)
        memo[id(args)][...] = args + amount * tangents
    return memo[id(args)]


def difference_quotient(function: Any, args: Any, tangents: Any, step: float) -> np.ndarray:
    """Fourth-order central difference of the outputs along the tangents."""

    def at(amount: float) -> np.ndarray:
        return run_primal(function, moved(args, tangents, amount)).values

    return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)


# --- the law -------------------------------------------------------------------------------------


def assert_same_state(what: str, got: Outcome, expected: Outcome, single: bool) -> None:
    rtol, atol = (2e-5, 1e-5) if single else (1e-12, 1e-13)
    for g, e in zip(
        _leaves((got.result, *plain(got.args))), _leaves((expected.result, *plain(expected.args)))
    ):
        if isinstance(e, np.ndarray) or is_float(e):
            np.testing.assert_allclose(g, e, rtol, atol, err_msg=f"{what}: primal changed")
        else:
            assert g == e, f"{what}: primal changed: {g!r} instead of {e!r}"


def live_memory() -> tuple[int, int]:
    """(blocks, array headers) of numba's run time that are alive; `memsys_enable_stats` first."""
    stats = rtsys.get_allocation_stats()
    return stats.alloc - stats.free, stats.mi_alloc - stats.mi_free


def assert_alive(expected: tuple[int, int], what: str) -> None:
    if live_memory() != expected:
        gc.collect()  # slow, hence only where something seems to be wrong
    assert live_memory() == expected, f"{what} mode leaks memory, or frees it twice"


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
    """
    tangents = perturbed(args, rng.standard_normal)
    seeds = perturbed(args, rng.standard_normal)
    primal = run_primal(plain or function, args)
    assert np.isfinite(primal.values).all(), "the program itself gives no finite result"

    reverse = run_reverse(function, args, seeds, primal.result)
    assert_same_state("reverse", reverse, primal, single)
    forward = run_forward(function, args, tangents)
    assert_same_state("forward", forward, primal, single)

    expected = quotient(tangents)
    if expected is not None:
        np.testing.assert_allclose(
            forward.values,
            expected,
            rtol=0,
            atol=fd_tolerance * max(1.0, np.abs(expected).max(initial=0.0)),
            err_msg="forward mode against finite differences",
        )

    w = vector((result_seed(own(primal.result, primal.args)), *arrays(seeds)))
    v = vector(tuple(t for t in tangents if activity(t) != "const"))
    left, right = forward.values * w, reverse.values * v
    bound = np.abs(left).sum() + np.abs(right).sum()
    assert abs(left.sum() - right.sum()) <= dot_tolerance * bound, (
        f"reverse against forward: <Jv, w> = {left.sum()!r}, <v, J'w> = {right.sum()!r}"
    )

    split = run_split(function, args, seeds, primal.result)
    assert_same_state("split", split, primal, single)
    scale = np.abs(reverse.values).max(initial=1.0)
    np.testing.assert_allclose(
        split.values,
        reverse.values,
        rtol=0,
        atol=(1e-5 if single else 1e-11) * scale,
        err_msg="split against combined reverse mode",
    )
    del split

    alive = live_memory()
    run_split(function, args, seeds, primal.result)
    assert_alive(alive, "split")
    again = run_reverse(function, args, seeds, primal.result)
    np.testing.assert_array_equal(again.values, reverse.values, err_msg="second call differs")
    assert_same_state("second reverse", again, primal, single)
    del again
    assert_alive(alive, "reverse")
    run_forward(function, args, tangents)
    assert_alive(alive, "forward")


def check(case: Case) -> None:
    """The whole law for one case."""
    args, rng = case.inputs()
    wide = _cast(args, np.float64) if case.single else args

    def quotient(tangents: tuple[Any, ...]) -> np.ndarray:
        found = difference_quotient(case.function, wide, tangents, case.fd_step)
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
    )
