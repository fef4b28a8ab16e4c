"""What users state as partials in easy rules, checked for numba: the form, and the type of each partial."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def, misc"

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.extending import overload

from enzyme.errors import CustomRuleError
from enzyme.ruled.linear import check_argument, check_result, dtype_of
from enzyme.ruled.operands import Call
from enzyme.support.generated import generated
from enzyme_rules import linear
from enzyme_rules.registry import Rule


def check_results(call: Call, rule: Rule) -> None:
    """Raise `CustomRuleError` if an easy rule states the partials of another number of results."""
    results = call.results
    if rule.easy is None or rule.easy.states(results):
        return
    title = f"{call.name}({', '.join(o.name for o in call.positional)})"
    rows = len(rule.easy.rows)
    given = f"{_number(rows, 'result')} in a tuple" if rule.easy.several else "a single result"
    raise _wrong_form(title, f"those of {given}", results, False)


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _wrong_form(title: str, found: str, results: int | None, together: bool) -> CustomRuleError:
    """`together`: one function returns all partials; else a tuple of functions is given."""
    name, _, names = title.removesuffix(")").rpartition("(")
    arguments = names.split(", ") if names else []

    def row(of: str) -> str:
        listed = ", ".join(f"{of}_by_{argument}" for argument in arguments)
        return f"({listed},)" if len(arguments) == 1 else f"({listed})"

    if results is None:
        form, returned = row(name.rpartition(".")[2]), "a single result, not a tuple"
    else:
        rows = [row(f"result_{k}") for k in range(results)]
        form = f"({', '.join(rows)}{',' if results == 1 else ''})"
        returned = f"a tuple of {_number(results, 'result')}"
    verb = "return" if together else "give"
    return CustomRuleError(
        what=f"the partials of {title} are {found}, where {form} is due",
        why=f"{name} returns {returned}, and takes {_number(len(arguments), 'argument')}",
        todo=f"{verb} one partial per argument{'' if results is None else ', in a tuple for each result'}",
        expected=form,
        found=found,
    )


def are_literals(*given: Any) -> bool:
    return all(isinstance(ty, types.Literal) for ty in given)


def _has_members(ty: Any, count: int) -> bool:
    return isinstance(ty, types.BaseTuple) and len(ty) == count


@overload(linear.rows)
def _rows(title, rows, count, results):
    if not are_literals(title, count, results):
        return None
    arguments, several = count.literal_value, results.literal_value
    if several < 0:
        if _has_members(rows, arguments):
            return lambda title, rows, count, results: (rows,)
        if arguments == 1 and not isinstance(rows, types.BaseTuple):
            return lambda title, rows, count, results: ((rows,),)
    elif _has_members(rows, several) and all(_has_members(row, arguments) for row in rows.types):
        return lambda title, rows, count, results: rows
    raise _wrong_form(
        title.literal_value, str(types.unliteral(rows)), None if several < 0 else several, True
    )


def _dimensions(ty: types.Type) -> int:
    return ty.ndim if isinstance(ty, types.Array) else 0  # type: ignore[no-any-return]


@overload(linear.partial)
def _partial(title, row, argument, partial, result, value):
    if isinstance(partial, types.NoneType):
        return lambda title, row, argument, partial, result, value: None
    if not are_literals(title, row, argument):
        return None
    check_result(result)
    check_argument(value)
    due = _dimensions(result) + _dimensions(value)
    both = isinstance(result, types.Array) and isinstance(value, types.Array)
    is_array = isinstance(partial, types.Array)
    given = isinstance(dtype_of(partial), types.Number | types.Boolean)
    # One number stands for all in an array of partials by a number, or of a number.
    if (
        not given
        or (is_array and (not due or partial.ndim != due))
        or (both and not is_array)
        or (isinstance(dtype_of(partial), types.Complex) and _are_real(result, value))
    ):
        raise _wrong_partial(title, row, argument, partial, result, value, due)
    if not isinstance(dtype_of(result), types.Float | types.Complex):  # what carries no derivative
        return lambda title, row, argument, partial, result, value: None
    if not is_array:
        return lambda title, row, argument, partial, result, value: partial
    what, _, why = _said(title, row, argument, result, value)
    message = f"{what} has another shape than is due: {why}"
    shapes = [
        f"{name}.shape"
        for name, ty in (("result", result), ("value", value))
        if isinstance(ty, types.Array)
    ]
    lines = [
        "def checked(title, row, argument, partial, result, value):",
        f"    if partial.shape != {' + '.join(shapes)}:",
        "        raise ValueError(message)",
        "    return partial",
    ]
    return generated("checked", lines, {"message": message})


def _are_real(*given: types.Type) -> bool:
    return not any(isinstance(dtype_of(ty), types.Complex) for ty in given)


def _said(title: Any, row: Any, argument: Any, result: Any, value: Any) -> tuple[str, str, str]:
    """What a partial is called, what it is of, and which shape is due."""
    names = title.literal_value.removesuffix(")").rpartition("(")[2].split(", ")
    name = names[argument.literal_value]
    of = "the result" if row.literal_value < 0 else f"result {row.literal_value}"
    return (
        f"the partial of {of} of {title.literal_value} by {name}",
        f"{of} is {types.unliteral(result)}, and {name} {types.unliteral(value)}",
        "a partial has the shape of the result followed by that of the argument",
    )


def _wrong_partial(
    title: Any, row: Any, argument: Any, partial: Any, result: Any, value: Any, due: int
) -> CustomRuleError:
    what, of, why = _said(title, row, argument, result, value)
    shape = "a number" if not due else f"an array of {_number(due, 'dimension')}"
    if isinstance(dtype_of(partial), types.Complex) and _are_real(result, value):
        shape = f"{shape} of real numbers" if due else "a real number"
    found = types.unliteral(partial)
    return CustomRuleError(
        what=f"{what} is {found}, where {shape} is due",
        why=f"{of}: {why}",
        todo=f"return {shape}, or None for a partial that is zero",
        expected=shape,
        found=found,
    )
