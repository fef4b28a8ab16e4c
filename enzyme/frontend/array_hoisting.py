"""What an array expression computes of a row alone is computed once, and not for every row.

In ``(x - mean) / np.sqrt(variance + 1e-5)`` numba takes the root for each element of `x`. Here what depends on one
array with fewer axes than the result becomes an array of its own. Numbers are doubles throughout: in other types numba
may compute the parts of an expression in more precision than an array of them has.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, misc"

from __future__ import annotations

from typing import Any

from numba.core import ir, types

from enzyme.frontend.array_facts import Facts, is_cheap
from enzyme.frontend.numba_compat.programs import define


def hoisted(
    function: Facts, value: Any, scope: Any, loc: Any
) -> tuple[Any, list[Any], dict[str, str]]:
    """An array expression with variables in place of such parts, the assignments to these variables, and which array
    each is made of.
    """
    found: list[Any] = []
    rows: dict[str, str] = {}

    def without(expression: Any) -> Any:
        if not isinstance(expression, tuple):
            return expression
        ty = _of_a_row(function, expression, value.ty.ndim)
        if ty is not None and not is_cheap(expression):
            part = ir.Expr("arrayexpr", loc, expr=expression, ty=ty)
            var = scope.redefine("$row", loc)
            define(function.ir, var.name, part)
            function.add(var.name, ty, part)
            found.append(ir.Assign(part, var, loc))
            (rows[var.name],) = _arrays(function, expression)
            return var
        of, operands = expression
        return of, [without(operand) for operand in operands]

    made = without(value.expr)
    if not found:
        return value, [], rows
    whole = ir.Expr("arrayexpr", value.loc, expr=made, ty=value.ty)
    function.calls.setdefault(whole, None)
    reading = [_names(made), *(_names(one.value.expr) for one in found)]
    for name in _names(value.expr):
        function.readers[name] += sum(name in names for names in reading) - 1
    return whole, found, rows


def _of_a_row(function: Facts, expression: Any, ndim: int) -> Any:
    """The type of an expression of one array with fewer axes than `ndim`; None for any other."""
    arrays = _arrays(function, expression)
    if len(arrays) != 1:
        return None
    (name,) = arrays
    array = function.array(name)
    if array is None or array.dtype != types.float64 or array.ndim >= ndim:
        return None
    ty = _type(function, expression)
    return ty if type(ty) is types.Array and ty.dtype == types.float64 else None


def _arrays(function: Facts, expression: Any) -> set[str]:
    """What is read, but for numbers."""
    numbers = types.Integer | types.Float
    return {
        name for name in _names(expression) if not isinstance(function.types.get(name), numbers)
    }


def _names(expression: Any) -> set[str]:
    if isinstance(expression, tuple):
        return {name for operand in expression[1] for name in _names(operand)}
    return {expression.name} if isinstance(expression, ir.Var) else set()


def _type(function: Facts, expression: Any) -> Any:
    """The type that numba would give to a part of an expression; None if it has none."""
    if isinstance(expression, ir.Var):
        return function.types[expression.name]
    if not isinstance(expression, tuple):
        kinds = {float: types.float64, int: types.intp}
        return kinds.get(type(expression.value))
    args = tuple(_type(function, operand) for operand in expression[1])
    if None in args:
        return None
    found = function.typing.resolve_function_type(expression[0], args, {})
    return None if found is None else found.return_type
