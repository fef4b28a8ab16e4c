"""Derivatives of norms and of LAPACK's solvers.

`gesv` solves A X = B in place. With S = A^-* dX: dB = S and dA = -S X*. It leaves the factors in `a`; what becomes of
these only the rule of `gesvlu` says, as that of `getrf` does (`lu_kernels`).
"""

from __future__ import annotations

from collections.abc import Callable

from enzyme.engine.derivatives.linear_algebra import PLAIN, Emitter, Matrix, matrix
from enzyme.engine.derivatives.linear_calls import KINDS, RESULT, Fetch, LinearCall, Rule, Shadow
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.values import Value


def _always(call: LinearCall) -> bool:
    return True


def _is_square(call: LinearCall) -> bool:
    return call["m"] is call["n"] or call["m"] == call["n"]


# Norm -----------------------------------------------------------------------------------------------


def _norm_needed(call: LinearCall, shadowed: Callable[[str], bool]) -> list[str]:
    return ["x"] if shadowed("x") else []


def _length(b: Builder, call: LinearCall, fetch: Fetch) -> Value:
    """What the derivative divides by: the norm r, or 1/2 for its square, whose derivative is 2 x instead of x / r."""
    return b.const(KINDS[call.kind], 0.5) if call.routine.name == "sumsq" else fetch(RESULT)


def _norm_tangent(b: Builder, call: LinearCall, fetch: Fetch, shadow: Shadow) -> Value | None:
    d_x = shadow("x")
    if d_x is None:
        return None
    length = _length(b, call, fetch)
    arguments = [fetch("n"), length, fetch("x"), fetch("incx"), d_x, fetch("incx")]
    return Emitter(b, call.kind).call("nrm2_tangent", arguments, KINDS[call.kind])


def _norm_adjoint(
    b: Builder, call: LinearCall, fetch: Fetch, shadow: Shadow, d: Value | None
) -> None:
    d_x = shadow("x")
    if d_x is None or d is None:
        return
    x = matrix(call, "x", fetch)
    arguments = [fetch("n"), d, _length(b, call, fetch), x.pointer, x.ld, d_x, fetch("incx")]
    Emitter(b, call.kind).call("nrm2_adjoint", arguments)


# Solution of equations ------------------------------------------------------------------------------


def _solve_needed(call: LinearCall, shadowed: Callable[[str], bool]) -> list[str]:
    if shadowed("a") and shadowed("b"):
        return ["a", "ipiv", "b"]
    factors = shadowed("b") or (shadowed("a") and not call.routine.unread)
    return ["a", "ipiv"] if factors else []


def _on_factors(e: Emitter, kernel: str, lu: Matrix, pivots: Value, x: Matrix) -> None:
    e.call(kernel, [lu.rows, x.columns, lu.pointer, lu.ld, pivots, x.pointer, x.ld])


def _solve_tangent(b: Builder, call: LinearCall, fetch: Fetch, shadow: Shadow) -> None:
    e = Emitter(b, call.kind)
    d_a, d_b = shadow("a"), shadow("b")
    factor = matrix(call, "a", fetch, d_a) if d_a is not None else None
    if d_b is not None:
        target, solution = matrix(call, "b", fetch, d_b), matrix(call, "b", fetch)
        if factor is not None:
            e.product(target, e.number(-1.0), factor, solution, fetch("n"))
        _on_factors(e, "lusolve", matrix(call, "a", fetch), fetch("ipiv"), target)
    if factor is not None:
        _through_factors(e, call, fetch, factor, "getrf_tangent")


def _solve_adjoint(
    b: Builder, call: LinearCall, fetch: Fetch, shadow: Shadow, d: Value | None
) -> None:
    e = Emitter(b, call.kind)
    d_a, d_b = shadow("a"), shadow("b")
    if d_b is not None:
        target = matrix(call, "b", fetch, d_b)
        _on_factors(e, "lusolvec", matrix(call, "a", fetch), fetch("ipiv"), target)
    if d_a is not None:
        factor = matrix(call, "a", fetch, d_a)
        _through_factors(e, call, fetch, factor, "getrf_adjoint")
        if d_b is not None:
            solution = matrix(call, "b", fetch).under(PLAIN.star)
            e.product(factor, e.number(-1.0), target, solution, fetch("nrhs"))


def _through_factors(
    e: Emitter, call: LinearCall, fetch: Fetch, factor: Matrix, kernel: str
) -> None:
    """The derivative of the factors, or nothing where nobody reads them."""
    if "a" in call.routine.unread:
        e.scale(factor, e.number(0.0))
    else:
        _on_factors(e, kernel, matrix(call, "a", fetch), fetch("ipiv"), factor)


# Factors and inverse --------------------------------------------------------------------------------


def _factor_needed(call: LinearCall, shadowed: Callable[[str], bool]) -> list[str]:
    return ["a", "ipiv"] if shadowed("a") else []


def _tangent_by(kernel: str) -> Callable[[Builder, LinearCall, Fetch, Shadow], None]:
    def tangent(b: Builder, call: LinearCall, fetch: Fetch, shadow: Shadow) -> None:
        d_a = shadow("a")
        if d_a is not None:
            target = matrix(call, "a", fetch, d_a)
            e = Emitter(b, call.kind)
            _on_factors(e, kernel, matrix(call, "a", fetch), fetch("ipiv"), target)

    return tangent


def _adjoint_by(
    kernel: str,
) -> Callable[[Builder, LinearCall, Fetch, Shadow, Value | None], None]:
    tangent = _tangent_by(kernel)

    def adjoint(
        b: Builder, call: LinearCall, fetch: Fetch, shadow: Shadow, d: Value | None
    ) -> None:
        tangent(b, call, fetch, shadow)

    return adjoint


NORM = Rule(_always, _norm_needed, _norm_tangent, _norm_adjoint)
SOLUTION = Rule(_always, _solve_needed, _solve_tangent, _solve_adjoint)
FACTORS = Rule(
    _is_square, _factor_needed, _tangent_by("getrf_tangent"), _adjoint_by("getrf_adjoint")
)
INVERSE = Rule(
    _always,
    _factor_needed,
    _tangent_by("getri_tangent"),
    _adjoint_by("getri_adjoint"),
    early=True,
)
