"""`gradient`, `gradient_inplace` and `jacobian` in compiled code.

Each call becomes source in terms of `autodiff`, written for its types.  Where Python returns a tuple with one entry
per component of an array, compiled code returns an array: the length of a tuple is part of its type.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype

from enzyme.api.combined import autodiff
from enzyme.api.gradients import (
    WithValue,
    gradient,
    gradient_inplace,
    jacobian,
    numbers_behind,
    takes,
)
from enzyme.compiled.calls import function_of
from enzyme.compiled.separate import values_of
from enzyme.compiled.zeros import generated, implements, members_of
from enzyme.contract.kinds import by_value, in_memory
from enzyme.errors import ActivityError, BatchSizeError, EnzymeNonScalarReturnException, ModeError
from enzyme.frontend.abi import is_differentiable, is_fixed
from enzyme.support.attached import Attached
from enzyme.typed.annotations import AnnotationType, ModeType, may_be_none
from enzyme.typed.where import placed
from enzymecore import (
    Active,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    ForwardMode,
    NoPrimal,
    Reverse,
    ReverseMode,
    make_zero,
)

_INTO = "__enzyme_into__"
_NAMES: dict[str, Any] = {
    "Active": Active,
    "Const": Const,
    "Duplicated": Duplicated,
    "DuplicatedNoNeed": DuplicatedNoNeed,
    "Forward": Forward,
    "Reverse": Reverse,
    "WithValue": WithValue,
    "autodiff": autodiff,
    "make_zero": make_zero,
    "np": np,
    "values_of": values_of,
}


def _mode_of(mode: Any, forward_too: bool, what: str) -> Any:
    found = mode.python_value if isinstance(mode, ModeType) else None
    if isinstance(found, ReverseMode):
        return found
    if forward_too and isinstance(found, ForwardMode):
        return found
    modes = "a forward or a combined reverse mode" if forward_too else "a combined reverse mode"
    raise ModeError(what=f"{what} takes {modes}, not {found or mode}", todo="use Reverse")


class _Argument:
    """Source for one argument of the function: its annotation, its shadow, its derivative."""

    def __init__(self, name: str, ty: types.Type, number: int) -> None:
        self.name, self.ty, self.number = name, ty, number
        self.is_const = isinstance(ty, AnnotationType)
        if self.is_const and ty.cls is not Const:
            raise ActivityError(
                what=f"an argument is annotated {ty.cls.__name__}",
                why="gradient and jacobian make the shadows themselves",
                todo="pass the plain value, or Const(x)",
            )
        if may_be_none(ty):
            raise ActivityError(
                what=f"an argument of type {ty}, which may be None",
                todo="make it a number before: write 0.0 in place of None",
            )
        self.inactive = self.is_const or is_fixed(ty) or not is_differentiable(ty)
        self.values = not self.inactive and by_value(ty)
        self.memory = not self.inactive and in_memory(ty)

    @property
    def constant(self) -> str:
        return self.name if self.is_const else f"Const({self.name})"

    def fresh_constant(self, scope: dict[str, Any]) -> str:
        """A constant annotation of a copy: the function runs several times, and may write."""
        if not self.is_const:
            return f"Const({_copied(self.ty, self.name, scope)})"
        return f"Const({_copied(self.ty.value, f'{self.name}.val', scope)})"

    @property
    def prepared(self) -> list[str]:
        return [f"    d{self.number} = make_zero({self.name})"] if self.memory else []

    @property
    def reverse_annotation(self) -> str:
        if self.values and self.memory:
            raise ActivityError(
                what=f"an argument of mixed activity in compiled code: {self.ty}",
                why="it holds floats by value and memory",
                todo="pass the floats and the arrays as arguments of their own",
            )
        if self.inactive:
            return self.constant
        return f"Duplicated({self.name}, d{self.number})" if self.memory else f"Active({self.name})"

    def derivative(self, scope: dict[str, Any]) -> str:
        if self.inactive:
            return "None"
        found = f"d{self.number}" if self.memory else f"r[0][{self.number}]"
        return _with_inactive(self.ty, found, self.name, scope)


def _copied(ty: types.Type, name: str, scope: dict[str, Any]) -> str:
    """Source of a value with memory of its own."""
    if isinstance(ty, types.Array):
        return f"{name}.copy()"
    if isinstance(ty, types.BaseTuple):
        parts = [_copied(part, f"{name}[{k}]", scope) for k, part in enumerate(ty.types)]
        return members_of(ty, parts, scope)
    return name


def _with_inactive(ty: types.Type, derivative: str, primal: str, scope: dict[str, Any]) -> str:
    """The derivative, with what holds no floats taken from the primal."""
    if is_fixed(ty) or not is_differentiable(ty):
        return primal
    if not isinstance(ty, types.BaseTuple):
        return derivative
    parts = [
        _with_inactive(part, f"{derivative}[{k}]", f"{primal}[{k}]", scope)
        for k, part in enumerate(ty.types)
    ]
    return members_of(ty, parts, scope)


def _numbers(f: Any, more: Sequence[Any], most: int) -> int:
    """How many of the arguments behind the first are numbers of directions or outputs, as in Python."""
    ints = [isinstance(ty, types.Integer) for ty in more]
    return numbers_behind(function_of(f), ints, most)


@implements(gradient)
def _gradient(mode: Any, f: Any, x: Any, *more: Any) -> Any:
    with placed():
        chosen = _mode_of(mode, True, "gradient")
        given = [ty for ty in more if not isinstance(ty, types.Omitted)]
        count = len(given) - _numbers(f, given, 1)
        arguments = [_Argument("x", x, 0)]
        arguments += [_Argument(f"more[{k}]", ty, 1 + k) for k, ty in enumerate(given[:count])]
        write = _forward if isinstance(chosen, ForwardMode) else _reverse
        scope = dict(_NAMES)
        numbers = [f"more[{k}]" for k in range(count, len(given))]
        lines = [
            "def gradient_of(mode, f, x, *more):",
            *(line for number in numbers for line in _positive(number, scope)),
            *write(chosen, arguments, scope),
        ]
        return generated("gradient_of", lines, scope)


def _positive(number: str, scope: dict[str, Any]) -> list[str]:
    """A chunk decides nothing here, but it must make sense."""
    scope["BatchSizeError"] = BatchSizeError
    return [
        f"    if {number} < 1:",
        "        raise BatchSizeError('the chunk must be a positive int')",
    ]


def _reverse(mode: ReverseMode, arguments: list[_Argument], scope: dict[str, Any]) -> list[str]:
    lines = []
    if any(a.memory for a in arguments):
        given = ", ".join(a.name for a in arguments)
        lines = [f"    values = values_of(mode, f, {given})"]
        for a in arguments:
            a.name = f"values[{a.number}]"
    annotated = ", ".join(a.reverse_annotation for a in arguments)
    found = [a.derivative(scope) for a in arguments]
    derivs = f"({', '.join(found)})" if len(found) > 1 else found[0]
    return [
        *lines,
        *(line for a in arguments for line in a.prepared),
        f"    r = autodiff(mode, f, Active, {annotated})",
        f"    return {f'WithValue({derivs}, r[1])' if mode.return_primal else derivs}",
    ]


def _forward(mode: ForwardMode, arguments: list[_Argument], scope: dict[str, Any]) -> list[str]:
    """Derivatives along the unit directions of each argument, the others held constant."""
    lines: list[str] = []
    found: list[str] = []
    scope["plain"] = NoPrimal(mode)
    constants = [a.fresh_constant(scope) for a in arguments]
    for k, a in enumerate(arguments):
        others = list(constants)
        if a.inactive:
            found.append("None")
        elif isinstance(a.ty, types.Float):
            others[k] = f"Duplicated({a.name}, one{k})"
            scope[f"one{k}"] = _one(a.ty)
            lines.append(f"    g{k} = autodiff(plain, f, DuplicatedNoNeed, {', '.join(others)})[0]")
            found.append(f"g{k}")
        elif isinstance(a.ty, types.Array) and not isinstance(a.ty.dtype, types.Record):
            lines += _along(a, k, others, scope)
            found.append(f"g{k}")
        else:
            raise ActivityError(
                what=f"the gradient in forward mode with respect to a value of type {a.ty}",
                todo="use reverse mode, or pass its parts as arguments of their own",
            )
    derivs = f"({', '.join(found)})" if len(found) > 1 else found[0]
    values = ", ".join(
        _copied(a.ty.value, f"{a.name}.val", scope) if a.is_const else _copied(a.ty, a.name, scope)
        for a in arguments
    )
    if mode.return_primal:
        derivs = f"WithValue({derivs}, f({values}))"
    return [*lines, f"    return {derivs}"]


def _one(ty: types.Float) -> Any:
    return np.float32(1) if ty == types.float32 else 1.0


def _along(a: _Argument, k: int, others: list[str], scope: dict[str, Any]) -> list[str]:
    """One array of derivatives, shape of the result first; a function that writes gets copies."""
    others = [*others]
    others[k] = "Duplicated(at, dx)"
    scope.setdefault("component_first", component_first)
    scope.setdefault("with_shape", with_shape)
    call = f"autodiff(plain, f, DuplicatedNoNeed, {', '.join(others)})[0]"
    return [
        f"    at = {a.name}.copy()",
        "    dx = np.zeros_like(at)",
        f"    first = {call}",
        f"    columns = component_first(first, {a.name})",
        f"    for k in range({a.name}.size):",
        f"        at = {a.name}.copy()",
        "        dx = np.zeros_like(at)",
        "        dx.flat[k] = 1",
        f"        columns[k] = {call}",
        f"    g{k} = with_shape(columns, first, {a.name})",
    ]


def component_first(result: Any, x: Any) -> Any:
    """Room for one result per component of `x`; compiled code only."""
    raise NotImplementedError


def with_shape(columns: Any, result: Any, x: Any) -> Any:
    """The results, one per component of `x`, with the axes of the result first; compiled code only."""
    raise NotImplementedError


@implements(component_first)
def _component_first(result: Any, x: Any) -> Any:
    if isinstance(result, types.Array):
        kind = as_dtype(result.dtype)
        return lambda result, x: np.empty((x.size, *result.shape), kind)
    if isinstance(result, types.Float | types.Complex):
        kind = as_dtype(result)
        return lambda result, x: np.empty(x.size, kind)
    raise ActivityError(
        what=f"derivatives of a result of type {result} along the components of an array",
        todo="return a number or an array of numbers",
    )


@implements(with_shape)
def _with_shape(columns: Any, result: Any, x: Any) -> Any:
    if isinstance(result, types.Array):

        def moved(columns, result, x):  # type: ignore[no-untyped-def]
            flat = np.ascontiguousarray(columns.reshape((x.size, result.size)).T)
            return flat.reshape(result.shape + x.shape)

        return moved
    return lambda columns, result, x: columns.reshape(x.shape)


@implements(gradient_inplace)
def _gradient_inplace(mode: Any, dx: Any, f: Any, x: Any) -> Any:
    with placed():
        chosen = _mode_of(mode, False, "gradient_inplace")
        scope = dict(_NAMES)
        lines = [
            "def gradient_into(mode, dx, f, x):",
            "    dx[...] = 0",
            "    r = autodiff(mode, f, Active, Duplicated(values_of(mode, f, x)[0], dx))",
            "    return WithValue(dx, r[1])" if chosen.return_primal else "    return dx",
        ]
        return generated("gradient_into", lines, scope)


@implements(jacobian)
def _jacobian(mode: Any, f: Any, x: Any, n_outs: Any = None, chunk: Any = None) -> Any:
    with placed():
        chosen = _mode_of(mode, True, "jacobian")
        if not isinstance(f, types.Dispatcher):
            raise ActivityError(what=f"the function must be a jitted one, not of type {f}")
        scope = dict(_NAMES)
        head = ["def jacobian_of(mode, f, x, n_outs=None, chunk=None):"]
        first, second = (isinstance(ty, types.Integer) for ty in (n_outs, chunk))
        _need_one_argument(f, n_outs, chunk)
        forward = isinstance(chosen, ForwardMode)
        if first and forward:  # the only number of forward mode is the chunk
            head += _positive("n_outs", scope)
        if second:
            head += _positive("chunk", scope)
        if first and not forward:
            head += ["    if n_outs < 0:", "        raise IndexError('n_outs is negative')"]
        argument = _Argument("x", x, 0)
        if argument.inactive or not isinstance(x, types.Array | types.Float):
            raise ActivityError(
                what=f"the Jacobian with respect to a value of type {x}",
                todo="differentiate with respect to a float or an array of floats",
            )
        if forward:
            return generated("jacobian_of", [*head, *_columns(chosen, argument, scope)], scope)
        return generated("jacobian_of", [*head, *_rows(chosen, f, x, n_outs, scope)], scope)


def _need_one_argument(f: Any, *more: Any) -> None:
    """What is given behind the first argument may be meant for the function, here or in Python."""
    given = [
        ty for ty in more if not isinstance(ty, types.NoneType | types.Omitted) and ty is not None
    ]
    numbers = all(isinstance(ty, types.Integer) for ty in given)
    if not takes(f.dispatcher, 1) or not numbers or (given and takes(f.dispatcher, 1 + len(given))):
        raise ActivityError(
            what="the Jacobian of a function of several arguments in compiled code",
            todo="write a function of one argument, or call jacobian from Python",
        )


def _columns(mode: ForwardMode, argument: _Argument, scope: dict[str, Any]) -> list[str]:
    scope["row_of"] = row_of
    *lines, last = _forward(mode, [argument], scope)
    result = "g0" if isinstance(argument.ty, types.Float) else "first"
    return [*lines, last.replace("g0", f"row_of(g0, {result})")]


def row_of(derivs: Any, result: Any) -> Any:
    """The Jacobian of a number is a matrix of one row; compiled code only."""
    raise NotImplementedError


@implements(row_of)
def _row_of(derivs: Any, result: Any) -> Any:
    if isinstance(result, types.Array):
        return lambda derivs, result: derivs
    if isinstance(derivs, types.Float):
        return lambda derivs, result: np.full(1, derivs)
    return lambda derivs, result: derivs.reshape((1, *derivs.shape))


def _rows(
    mode: ReverseMode, f: Any, x: types.Type, n_outs: Any, scope: dict[str, Any]
) -> list[str]:
    """A reverse pass for every output, of the function that writes its result into an argument."""
    scope["into"] = _into(f.dispatcher)
    scope["component_rows"] = component_rows
    all_of_it = n_outs is None or isinstance(n_outs, types.NoneType | types.Omitted)
    count = "out.size" if all_of_it else "n_outs"
    shape = "out.shape" if all_of_it else "(n_outs,)"
    is_array = isinstance(x, types.Array)
    at = "x.copy()" if is_array else "x"
    scope["plain"] = NoPrimal(mode)
    scope["kind"] = as_dtype(x.dtype if is_array else x)
    return [
        f"    value = f({at})",
        "    out = component_rows(value)",
        f"    if {count} != out.size:",
        "        raise IndexError('the function returns another number of elements than n_outs')",
        f"    rows = np.zeros({f'({count}, x.size)' if is_array else count}, kind)",
        f"    for k in range({count}):",
        f"        at = {at}",
        "        written = np.empty_like(out)",
        "        seed = np.zeros_like(out)",
        "        seed.flat[k] = 1",
        *(
            [
                "        dx = np.zeros_like(at)",
                "        autodiff(plain, into, Const, Duplicated(at, dx), Duplicated(written, seed))",
                "        rows[k] = dx.ravel()",
            ]
            if is_array
            else [
                "        r = autodiff(plain, into, Const, Active(at), Duplicated(written, seed))",
                "        rows[k] = r[0][0]",
            ]
        ),
        f"    found = rows.reshape({shape} + x.shape)"
        if is_array
        else f"    found = rows.reshape({shape})",
        "    return WithValue(found, value)" if mode.return_primal else "    return found",
    ]


def component_rows(value: Any) -> Any:
    """A result as an array, a number as one element; compiled code only."""
    raise NotImplementedError


@implements(component_rows)
def _component_rows(value: Any) -> Any:
    if isinstance(value, types.Array) and isinstance(value.dtype, types.Float):
        return lambda value: value
    if isinstance(value, types.Float):
        return lambda value: np.full(1, value)
    raise EnzymeNonScalarReturnException(
        what=f"the Jacobian of a function that returns {value}",
        todo="return a float or an array of floats",
    )


def _into(dispatcher: Any) -> Any:
    """The function that writes the result of another one into its last argument."""
    kept = dispatcher.__dict__.get(_INTO)
    if kept is None or not kept.belongs_to(dispatcher):
        scope: dict[str, Any] = {"f": dispatcher}
        made = generated("into", ["def into(x, out):", "    out[...] = f(x)"], scope)
        kept = dispatcher.__dict__[_INTO] = Attached(dispatcher, numba.njit(made))
    return kept.value
