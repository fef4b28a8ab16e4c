"""Derivatives of what is defined by an equation, by the implicit function theorem and not through the iterations.

At a solution ``F(x, p) = 0`` the derivative is ``dx/dp = -(dF/dx)^-1 dF/dp``, whatever found `x`.  The partials come
from `autodiff` in compiled code, so they can be differentiated again.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def, no-any-return"

from __future__ import annotations

import inspect
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.extending import overload
from numba.np.numpy_support import as_dtype

from enzyme.api.combined import autodiff
from enzyme.api.values import jitted
from enzyme.errors import ActivityError
from enzyme.ruled.linear import lane_suffixes
from enzyme.typed.where import placed
from enzyme_rules import (
    CONSTANT,
    AugmentedReturn,
    augmented_primal,
    easy_rule,
    forward,
    linear,
    reverse,
)
from enzymecore import (
    Active,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    Reverse,
)

__all__ = ["fixed_point", "linear_solve", "root"]


def root(f: Any, solver: Any = None, *, tol: float = 1e-12, maxiter: int = 50) -> Any:
    """A function that solves ``f(x, *parameters) = 0`` for `x`, with the derivative of the solution.

    Parameters
    ----------
    f
        A function that numba can compile, of a float `x`, or of a vector and with a vector of the same length as
        result, and of parameters: floats and arrays. It may compute in `x`, which is a copy, but not in parameters.
    solver
        ``solver(x0, *parameters)``; left out, Newton's method with the exact Jacobian.
    tol
        Newton's method ends when the step is at most `tol`, relative to ``1 + |x|``.
    maxiter
        The most steps; one more raises `ArithmeticError`.

    Returns
    -------
    function
        ``solve(x0, *parameters)``, jitted. Its derivative with respect to `x0` is zero.

    Examples
    --------
    >>> from enzyme import Active, Const, Reverse, autodiff
    >>> import numpy as np
    >>> from enzyme import root
    >>> kepler = root(lambda E, e, M: E - e * np.sin(E) - M)
    >>> E = kepler(1.0, 0.5, 1.0)
    >>> (adjoints,) = autodiff(Reverse, kepler, Active, Const(1.0), Active(0.5), Active(1.0))
    >>> bool(abs(adjoints[2] - 1.0 / (1.0 - 0.5 * np.cos(E))) < 1e-14)
    True
    """
    return _implicit(jitted(f, 0), solver, tol, maxiter, "root")


def fixed_point(g: Any, solver: Any = None, *, tol: float = 1e-12, maxiter: int = 1000) -> Any:
    """A function that finds ``x = g(x, *parameters)``, with the derivative of the solution.

    Parameters are those of `root`. Without a solver, `g` is applied until `x` changes by at most `tol`, relative to
    ``1 + |x|``, and more than `maxiter` applications raise `ArithmeticError`.

    Examples
    --------
    >>> from enzyme import Active, Const, Reverse, autodiff
    >>> import numpy as np
    >>> from enzyme import fixed_point
    >>> heron = fixed_point(lambda x, a: 0.5 * (x + a / x))
    >>> (adjoints,) = autodiff(Reverse, heron, Active, Const(1.0), Active(2.0))
    >>> bool(abs(adjoints[1] - 0.5 / np.sqrt(2.0)) < 1e-12)
    True
    """
    return _implicit(jitted(g, 0), solver, tol, maxiter, "fixed_point")


def _implicit(f: Any, solver: Any, tol: float, maxiter: int, name: str) -> Any:
    count = len(inspect.signature(f.py_func).parameters) - 1
    p = "".join(f", p{k}" for k in range(count))
    scope: dict[str, Any] = {
        "f": f,
        "along": along,
        "divide": divide,
        "largest": _largest,
        "own": _own,
        "real": _real,
        "tol": tol,
        "maxiter": maxiter,
        "solver": None if solver is None else jitted(solver, 0),
        "message": f"{name} does not converge in {maxiter} steps",
    }

    def define(made: str, parameters: str, *body: str) -> Any:
        source = "\n    ".join([f"def {made}({parameters}):", *body])
        exec(compile(source, f"<enzyme.{name}>", "exec"), scope)
        scope[made] = numba.njit(scope[made])
        return scope[made]

    newton = name == "root"
    # The function may compute in its argument.
    value = f"real(f(own(x){p}))"
    define("residual", f"x{p}", f"return {value}" if newton else f"return x - {value}")
    all_real = [f"real({given})" for given in ("x0", *(f"p{k}" for k in range(count)))]
    define("slope", f"x{p}", f"return along(residual, 0, (x{p},))")
    if solver is not None:
        solve = define("solve", f"x0{p}", *all_real, f"return real(solver(x0{p}))")
    else:
        step = f"divide(slope(x{p}), residual(x{p}))" if newton else f"residual(x{p})"
        solve = define(
            "solve",
            f"x0{p}",
            *all_real,
            "x = own(x0)",
            "for _ in range(maxiter):",
            f"    step = {step}",
            "    x = x - step",
            "    if largest(step) <= tol * (1.0 + largest(x)):",
            "        return x",
            "raise ArithmeticError(message)",
        )
    partials = [
        define(
            f"partial_{k}",
            f"x, x0{p}",
            f"return -divide(slope(x{p}), along(residual, {k + 1}, (x{p},)))",
        )
        for k in range(count)
    ]
    solve.py_func.__name__ = solve.py_func.__qualname__ = f"{name}_of_{f.py_func.__name__}"
    easy_rule(solve, (CONSTANT, *(partial.py_func for partial in partials)))
    return solve


def along(function: Any, k: int, args: Any) -> Any:
    """In compiled code: the derivative of a function along argument `k`, of shape result, then argument."""
    raise NotImplementedError


@overload(along)
def _along(function, k, args):
    if not isinstance(k, types.IntegerLiteral):
        return None
    at = k.literal_value
    if not isinstance(args.types[at], types.Array | types.Number | types.Boolean):
        with placed():
            raise ActivityError(
                what=f"root and fixed_point of an equation with a parameter of type {args.types[at]}",
                why="the derivatives of a solution are known for parameters that are floats or arrays",
                todo="pass the parts as parameters of their own, or in an array",
            )
    vector = isinstance(args.types[0], types.Array)
    through_array = isinstance(args.types[at], types.Array)

    def given(annotation: str) -> str:
        return ", ".join(
            annotation if n == at else f"Const(args[{n}])" for n in range(len(args.types))
        )

    scope: dict[str, Any] = {
        "np": np,
        "autodiff": autodiff,
        "Active": Active,
        "Const": Const,
        "Duplicated": Duplicated,
        "DuplicatedNoNeed": DuplicatedNoNeed,
        "Forward": Forward,
        "Reverse": Reverse,
    }
    if not through_array:
        body = [
            f"one = type(args[{at}])(1.0)",
            f"return autodiff(Forward, function, DuplicatedNoNeed, {given(f'Duplicated(args[{at}], one)')})[0]",
        ]
    elif not vector:
        body = [
            f"d = np.zeros_like(args[{at}])",
            f"autodiff(Reverse, function, Active, {given(f'Duplicated(args[{at}], d)')})",
            "return d",
        ]
    else:
        body = [
            f"x = np.ascontiguousarray(args[{at}])",
            "d = np.zeros_like(x)",
            "found = np.empty((args[0].size, x.size))",
            "flat = d.reshape(-1)",
            "for column in range(x.size):",
            "    flat[column] = 1.0",
            f"    found[:, column] = autodiff(Forward, function, DuplicatedNoNeed, {given('Duplicated(x, d)')})[0]",
            "    flat[column] = 0.0",
            "return found.reshape((args[0].size, *x.shape))",
        ]
    exec("\n    ".join(["def derivative(function, k, args):", *body]), scope)
    return scope["derivative"]


def divide(a: Any, b: Any) -> Any:
    """In compiled code: the solution of ``a x = b``, for numbers, or for a matrix and an array of right-hand sides."""
    raise NotImplementedError


@overload(divide)
def _divide(a, b):
    if not isinstance(a, types.Array):
        return lambda a, b: b / a

    def solution(a, b):
        n = a.shape[0]
        matrix = a.copy()
        right = b.copy().reshape((n, b.size // n))
        for k in range(n):
            pivot = k
            for i in range(k + 1, n):
                if abs(matrix[i, k]) > abs(matrix[pivot, k]):
                    pivot = i
            if matrix[pivot, k] == 0.0:
                raise ArithmeticError("the Jacobian is singular")
            if pivot != k:
                for j in range(n):
                    matrix[k, j], matrix[pivot, j] = matrix[pivot, j], matrix[k, j]
                for j in range(right.shape[1]):
                    right[k, j], right[pivot, j] = right[pivot, j], right[k, j]
            for i in range(k + 1, n):
                factor = matrix[i, k] / matrix[k, k]
                for j in range(k, n):
                    matrix[i, j] -= factor * matrix[k, j]
                for j in range(right.shape[1]):
                    right[i, j] -= factor * right[k, j]
        for k in range(n - 1, -1, -1):
            for j in range(right.shape[1]):
                total = right[k, j]
                for i in range(k + 1, n):
                    total -= matrix[k, i] * right[i, j]
                right[k, j] = total / matrix[k, k]
        return right.reshape(b.shape)

    return solution


def _largest(x: Any) -> Any:
    raise NotImplementedError


@overload(_largest)
def _largest_of(x):
    if isinstance(x, types.Array):
        return lambda x: np.abs(x).max() if x.size else 0.0
    return lambda x: abs(x)


def _own(x: Any) -> Any:
    raise NotImplementedError


@overload(_own)
def _own_copy(x):
    if not isinstance(x, types.Array):
        return lambda x: float(x)
    with placed():
        if x.ndim != 1:
            raise ActivityError(
                what=f"root and fixed_point of an equation for an array of {x.ndim} axes",
                why="the Jacobian of an equation for a vector is a matrix, with which the derivative is solved for",
                todo="solve for x.ravel(), and reshape it in the equation",
            )
    return lambda x: x.copy()


def _real(x: Any) -> Any:
    raise NotImplementedError


@overload(_real)
def _real_alone(x):
    with placed():
        kind = x.dtype if isinstance(x, types.Array) else x
        if isinstance(kind, types.Complex):
            raise ActivityError(
                what=f"root and fixed_point of an equation with complex numbers: of type {x}",
                why="only holomorphic functions have the one slope that the derivative of a solution is made of",
                todo="write the equation for vectors of real and imaginary parts",
            )
        return lambda x: x


# --- linear systems -----------------------------------------------------------------------------


def linear_solve(solver: Any = None) -> Any:
    """A function ``solve(A, b)`` for ``A x = b``, whose derivative solves with the same solver.

    Parameters
    ----------
    solver
        ``solver(A, b)`` for a matrix in C order and a vector or matrix of the same dtype, the common one of what is
        given; left out, elimination with partial pivoting. It is also called with the adjoint of `A`.

    Returns
    -------
    function
        ``solve(A, b)``, jitted, for a matrix and a vector or matrix, each real or complex. Reverse mode costs one
        solution with the adjoint matrix: ``db += A^-H dx`` and ``dA -= A^-H dx x^H``, of which what is real gets the
        real part.

    Examples
    --------
    >>> from enzyme import Active, Const, Duplicated, Reverse, autodiff
    >>> import numpy as np
    >>> from enzyme import linear_solve
    >>> solve = linear_solve()
    >>> A, b, db = np.array([[2.0, 1.0], [0.0, 4.0]]), np.array([1.0, 2.0]), np.zeros(2)
    >>> autodiff(Reverse, lambda A, b: solve(A, b)[0], Active, Const(A), Duplicated(b, db))
    ((None, None),)
    >>> db
    array([ 0.5  , -0.125])
    """
    chosen = numba.njit(lambda A, b: divide(A, b)) if solver is None else jitted(solver, 0)

    @numba.njit
    def solve(A, b):
        return _solution(chosen, A, b)

    @forward(solve)
    def solve_forward(config, func, RT, A, b):
        x = _solution(chosen, A.val, b.val)
        if config.needs_shadow:
            shadow = _tangents(config, chosen, A, b, x)
            if config.needs_primal:
                return linear.both(config, x, shadow)
            return shadow
        if config.needs_primal:
            return x
        return None

    @augmented_primal(solve)
    def solve_augmented(config, func, RT, A, b):
        x = _solution(chosen, A.val, b.val)
        matrix = A.val.copy() if config.overwritten[1] else A.val
        primal = x if config.needs_primal else None
        if config.needs_shadow:
            shadow = linear.zeros(config, x)
            return AugmentedReturn(primal, shadow, (matrix, x.copy(), shadow))
        return AugmentedReturn(primal, None, None)

    @reverse(solve)
    def solve_reverse(config, func, dret, tape, A, b):
        if config.needs_shadow:
            matrix, x, shadow = tape
            _pull(config, chosen, np.conj(matrix.T), x, shadow, A, b)
        return (None, None)

    return solve


def _solution(solve: Any, A: Any, b: Any) -> Any:
    """In compiled code: what a solver finds for both in their common dtype."""
    raise NotImplementedError


@overload(_solution)
def _solution_in_common(solve, A, b):
    common = np.result_type(as_dtype(A.dtype), as_dtype(b.dtype), np.float32)

    # Solvers may eliminate in what they are given.
    source = """def solution(solve, A, b):
    matrix = np.empty(A.shape, common)
    matrix[:] = A
    right = np.empty(b.shape, common)
    right[:] = b
    return solve(matrix, right)"""
    scope: dict[str, Any] = {"np": np, "common": common.type}
    exec(source, scope)
    return scope["solution"]


def _in_dtype_of(shadow: types.Array, value: str, dtype: types.Type) -> str:
    """Source of a contribution to a shadow: the adjoint of something real is the real part."""
    real = isinstance(dtype, types.Complex) and not isinstance(shadow.dtype, types.Complex)
    return f"({value}).real" if real else value


def _tangents(config: Any, solve: Any, A: Any, b: Any, x: Any) -> Any:
    raise NotImplementedError


def _of_matrix(x: Any, statement: str) -> list[str]:
    """A statement for all elements of the matrix, and all columns of a solution `x` that is a matrix too."""
    loops = ["for i in range(len(x))", "for j in range(len(x))"]
    at = "{0}"
    if x.ndim == 2:
        loops.append("for c in range(x.shape[1])")
        at = "{0}, c"
    lines = ["    " * (k + 1) + loop + ":" for k, loop in enumerate(loops)]
    filled = statement.format(i=at.format("i"), j=at.format("j"))
    return [*lines, "    " * (len(loops) + 1) + filled]


@overload(_tangents)
def _tangents_of(config, solve, A, b, x):
    lines, made = ["def tangents(config, solve, A, b, x):"], []
    for k, lane in enumerate(lane_suffixes(config)):
        lines.append(f"    right{k} = np.zeros_like(x)")
        if b.cls is not Const:
            lines.append(f"    right{k} += b.dval{lane}")
        if A.cls is not Const:
            lines += _of_matrix(x, f"right{k}[{{i}}] -= A.dval{lane}[i, j] * x[{{j}}]")
        made.append(f"solution(solve, A.val, right{k})")
    lines.append(f"    return {made[0] if len(made) == 1 else '(' + ', '.join(made) + ')'}")
    scope: dict[str, Any] = {"np": np, "solution": _solution}
    exec("\n".join(lines), scope)
    return scope["tangents"]


def _pull(config: Any, solve: Any, transpose: Any, x: Any, shadow: Any, A: Any, b: Any) -> Any:
    raise NotImplementedError


@overload(_pull)
def _pull_of(config, solve, transpose, x, shadow, A, b):
    lines = ["def pull(config, solve, transpose, x, shadow, A, b):"]
    for lane in lane_suffixes(config):
        lines.append(f"    adjoint = solution(solve, transpose, shadow{lane}.copy())")
        if b.cls is not Const:
            found = _in_dtype_of(b.value, "adjoint", x.dtype)
            lines.append(f"    b.dval{lane}[:] += {found}.astype(kind)")
        if A.cls is not Const:
            found = _in_dtype_of(A.value, "adjoint[{i}] * np.conj(x[{j}])", x.dtype)
            lines += _of_matrix(x, f"A.dval{lane}[i, j] -= {found}")
        lines.append(f"    shadow{lane}[:] = 0.0")
    scope: dict[str, Any] = {"np": np, "solution": _solution, "kind": as_dtype(b.value.dtype).type}
    exec("\n".join(lines), scope)
    return scope["pull"]
