"""Linear systems whose matrix is known by its products alone: conjugate gradients, and their derivatives.

With ``A(p) x = b`` the tangent is ``dx = A^-1 (db - dA x)``, and as `A` is symmetric the adjoint takes one solution
more: ``l = A^-1 dx``, which is added to that of `b`, and ``-l^T A(p) x`` is differentiated along `p`.  Nothing of the
iterations is kept.  M. R. Hestenes, E. Stiefel, "Methods of conjugate gradients for solving linear systems", 1952.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def, no-any-return, no-untyped-call"

from __future__ import annotations

import inspect
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.extending import overload

from enzyme.api.combined import autodiff
from enzyme.api.values import jitted
from enzyme.errors import ActivityError
from enzyme.ruled.linear import lane_suffixes
from enzyme.typed.where import placed
from enzyme_rules import AugmentedReturn, augmented_primal, forward, linear, reverse
from enzymecore import Active, Const, Duplicated, DuplicatedNoNeed, Forward, Reverse

__all__ = ["conjugate_gradients"]

# What is given may compute in its argument.
_SOLVE = """
def product(x{p}):
    return given(x.copy(){p})

def solve(b{p}):
    check(b{p})
    x = np.zeros_like(b)
    r = b.copy()
    z = prepared(r{p})
    d = z.copy()
    rho = np.sum(r * z)
    least = max(tol, 4.0 * np.finfo(r.dtype).eps) * np.sqrt(np.sum(r * r))
    for _ in range(10 * b.size + 10 if maxiter < 0 else maxiter):
        if np.sqrt(np.sum(r * r)) <= least:
            return x
        q = product(d{p})
        curvature = np.sum(d * q)
        if not curvature > 0.0:
            raise ArithmeticError("conjugate_gradients: the matrix is not positive definite")
        step = rho / curvature
        x += step * d
        r -= step * q
        z = prepared(r{p})
        before, rho = rho, np.sum(r * z)
        d = z + (rho / before) * d
    if np.sqrt(np.sum(r * r)) <= least:
        return x
    raise ArithmeticError("conjugate_gradients does not converge")

def prepared(r{p}):
    return {prepared}

def against(l, x{p}):
    return np.sum(l * product(x{p}))

def solve_forward(config, func, RT, b{p}):
    x = solve(b.val{values})
    if config.needs_shadow:
        shadow = tangents(config, x, b{p})
        if config.needs_primal:
            return linear.both(config, x, shadow)
        return shadow
    if config.needs_primal:
        return x
    return None

def solve_augmented(config, func, RT, b{p}):
    x = solve(b.val{values})
    primal = x if config.needs_primal else None
    if config.needs_shadow:
        shadow = linear.zeros(config, x)
        return AugmentedReturn(primal, shadow, (x.copy(), shadow, ({kept})))
    return AugmentedReturn(primal, None, None)

def solve_reverse(config, func, dret, tape, b{p}):
    return adjoints(config, tape, b{p})

def tangents(config, x, b{p}): pass

def adjoints(config, tape, b{p}): pass

def check(b{p}): pass
"""


def conjugate_gradients(
    product: Any, preconditioner: Any = None, *, tol: float = 1e-12, maxiter: int | None = None
) -> Any:
    """A function that solves ``A x = b`` for a symmetric positive definite `A` of which only products are known.

    Parameters
    ----------
    product
        ``product(x, *parameters)``, which numba can compile: `A` times `x`, an array of `b`'s shape and dtype (float32
        or float64). Parameters are floats and arrays that `A` depends on. It may compute in `x`, which is a copy, but
        not in parameters.
    preconditioner
        ``preconditioner(r, *parameters)``: about ``A^-1 r``, symmetric and positive definite too. It changes how many
        steps are made, and no derivative.
    tol
        The method ends when the residual is at most `tol` times as long as `b`, or than rounding allows.
    maxiter
        The most steps, ``10 * b.size + 10`` if left out.

    Returns
    -------
    function
        ``solve(b, *parameters)``, jitted, of an array of any number of dimensions. Reverse mode costs one solution more
        and one derivative of `product`, of whatever size; second derivatives are those of the solution as well.

    Raises
    ------
    ArithmeticError
        By the function that is returned: `A` is not positive definite, or the method does not converge.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import Active, Duplicated, Reverse, autodiff, conjugate_gradients
    >>> def heat(u, k):  # implicit step of the heat equation
    ...     v = u.copy()
    ...     for i in range(1, u.size - 1):
    ...         v[i] += k * (2.0 * u[i] - u[i - 1] - u[i + 1])
    ...     v[0] += k * (u[0] - u[1])
    ...     v[-1] += k * (u[-1] - u[-2])
    ...     return v
    >>> step = conjugate_gradients(heat)
    >>> u, du = np.array([0.0, 1.0, 0.0, 0.0]), np.zeros(4)
    >>> last = lambda u, k: step(u, k)[3]
    >>> ((_, dk),) = autodiff(Reverse, last, Active, Duplicated(u, du), Active(0.5))
    >>> du.round(4)
    array([0.0179, 0.0536, 0.1964, 0.7321])
    >>> bool(abs(dk - (last(u, 0.5 + 1e-6) - last(u, 0.5 - 1e-6)) / 2e-6) < 1e-8)
    True
    """
    multiply = jitted(product, 0)
    count = len(inspect.signature(multiply.py_func).parameters) - 1
    names = [f"p{k}" for k in range(count)]
    p = "".join(f", {name}" for name in names)
    scope: dict[str, Any] = {
        "np": np,
        "given": multiply,
        "preconditioner": None if preconditioner is None else jitted(preconditioner, 0),
        "tol": float(tol),
        "maxiter": -1 if maxiter is None else int(maxiter),
        "linear": linear,
        "AugmentedReturn": AugmentedReturn,
        "autodiff": autodiff,
        **{c.__name__: c for c in (Active, Const, Duplicated, DuplicatedNoNeed)},
        "Forward": Forward,
        "Reverse": Reverse,
        "own": _own,
    }
    source = _SOLVE.format(
        p=p,
        values="".join(f", {name}.val" for name in names),
        kept="".join(
            f"own({name}.val) if config.overwritten[{k + 2}] else {name}.val, "
            for k, name in enumerate(names)
        ),
        prepared="r" if preconditioner is None else f"preconditioner(r.copy(){p})",
    )
    exec(compile(source, "<enzyme.conjugate_gradients>", "exec"), scope)
    scope["solve"].__name__ = scope["solve"].__qualname__ = (
        f"conjugate_gradients_of_{multiply.py_func.__name__}"
    )
    overload(scope["check"])(_written_for(f"b{p}", _check))
    overload(scope["tangents"])(_written_for(f"config, x, b{p}", _tangents, scope))
    overload(scope["adjoints"])(_written_for(f"config, tape, b{p}", _adjoints, scope))
    for name in ("product", "solve", "prepared", "against"):
        scope[name] = numba.njit(scope[name])
    solve = scope["solve"]
    forward(solve)(scope["solve_forward"])
    augmented_primal(solve)(scope["solve_augmented"])
    reverse(solve)(scope["solve_reverse"])
    return solve


def _written_for(parameters: str, write: Any, scope: dict[str, Any] | None = None) -> Any:
    """An overload with these parameters, of which `write` gives the lines for their types."""

    def chosen(*given: Any) -> Any:
        made: dict[str, Any] = dict(scope or {})
        exec("\n    ".join([f"def function({parameters}):", *write(*given)]), made)
        return made["function"]

    named: dict[str, Any] = {"chosen": chosen}
    exec(f"def typed({parameters}):\n    return chosen({parameters})", named)
    return named["typed"]


def _own(x: Any) -> Any:
    raise NotImplementedError


@overload(_own)
def _own_copy(x):
    return (lambda x: x.copy()) if isinstance(x, types.Array) else (lambda x: x)


def _check(b: Any, *parameters: Any) -> list[str]:
    with placed():
        if not isinstance(b, types.Array) or not isinstance(b.dtype, types.Float):
            raise ActivityError(
                what=f"conjugate_gradients of a right-hand side of type {b}",
                why="it works on arrays of floats",
                todo="pass an array of float64; of complex ones, real and imaginary parts in one array",
            )
        for ty in parameters:
            if not isinstance(types.unliteral(ty), types.Array | types.Number | types.Boolean):
                raise ActivityError(
                    what=f"conjugate_gradients with a parameter of type {ty}",
                    why="the derivatives of a solution are known for parameters that are floats or arrays",
                    todo="pass the parts as parameters of their own, or in an array",
                )
    return ["pass"]


def _tangents(config: Any, x: Any, b: Any, *parameters: Any) -> list[str]:
    lines, made = [], []
    values = "".join(f", p{k}.val" for k in range(len(parameters)))
    for n, lane in enumerate(lane_suffixes(config)):
        right = f"right{n}"
        lines.append(f"{right} = np.zeros_like(x)")
        if b.cls is not Const:
            lines.append(f"{right} += b.dval{lane}")
        if any(p.cls is not Const for p in parameters):
            given = ", ".join(
                f"Const(p{k}.val)" if p.cls is Const else f"Duplicated(p{k}.val, p{k}.dval{lane})"
                for k, p in enumerate(parameters)
            )
            lines.append(
                f"{right} -= autodiff(Forward, product, DuplicatedNoNeed, Const(x), {given})[0]"
            )
        made.append(f"solve({right}{values})")
    return [*lines, f"return {made[0] if len(made) == 1 else '(' + ', '.join(made) + ')'}"]


def _adjoints(config: Any, tape: Any, b: Any, *parameters: Any) -> list[str]:
    nothing = f"return (None,{' None,' * len(parameters)})"
    if not config.python_value.needs_shadow:
        return [nothing]
    count = len(parameters)
    lines = ["x, shadow, kept = tape"]
    values = "".join(f", kept[{k}]" for k in range(count))
    suffixes = lane_suffixes(config)
    for n, lane in enumerate(suffixes):
        lines.append(f"found{n} = solve(shadow{lane}{values})")
        if b.cls is not Const:
            lines.append(f"b.dval{lane}[:] += found{n}")
        if any(p.cls is not Const for p in parameters):
            given = ", ".join(_given(p, k, lane) for k, p in enumerate(parameters))
            lines.append(
                f"of{n} = autodiff(Reverse, against, Active, Const(-found{n}), Const(x), {given})[0]"
            )
        lines.append(f"shadow{lane}[:] = 0.0")
    results = ["None"]
    for k, p in enumerate(parameters):
        each = [f"of{n}[{k + 2}]" for n in range(len(suffixes))]
        lanes = each[0] if len(each) == 1 else f"({', '.join(each)})"
        results.append(lanes if p.cls is Active else "None")
    return [*lines, f"return ({', '.join(results)},)"]


def _given(parameter: Any, k: int, lane: str) -> str:
    if parameter.cls is Const:
        return f"Const(kept[{k}])"
    if parameter.cls is Active:
        return f"Active(kept[{k}])"
    return f"Duplicated(kept[{k}], p{k}.dval{lane})"
