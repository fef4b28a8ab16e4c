"""`test_msg`: a condition with a message, reported with its operands."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from enzyme_testutils.report import DerivativeTestError

# What might say something else when it is asked a second time.
_NOT_AGAIN = (ast.Call, ast.Await, ast.NamedExpr, ast.Yield, ast.YieldFrom)


class _Unset:
    """Stands for a condition that is not given."""


def test_msg(msg: str, condition: Any = _Unset) -> Any:
    """Check a condition; a failure shows its source, the message, and the values in it.

    Parameters
    ----------
    msg
        Said after "Problem:"; nothing is said if it is empty.
    condition
        A truth value, or a function without arguments that returns one; an exception that it
        raises is reported in the same way.  Without it, the result is a context manager that
        does the same for the assertions in its block.

    Raises
    ------
    DerivativeTestError
        If the condition does not hold or cannot be evaluated.

    Examples
    --------
    >>> test_msg("sizes differ", len("ab") == 2)
    >>> with test_msg("sizes differ"):
    ...     assert len("ab") == 2
    >>> size = 3
    >>> test_msg("sizes differ", lambda: size == 2)
    Traceback (most recent call last):
        ...
    enzyme_testutils.report.DerivativeTestError: the condition does not hold...
    Problem: sizes differ
      size: 3
    """
    __tracebackhide__ = True
    if condition is _Unset:
        return _block(msg)
    frame = inspect.currentframe()
    caller = frame.f_back if frame is not None else None
    delayed = callable(condition)
    try:
        holds = bool(condition() if delayed else condition)
    except Exception as error:
        raise _failure("the condition cannot be evaluated", msg, caller, delayed, error) from error
    if not holds:
        raise _failure("the condition does not hold", msg, caller, delayed)
    return None


# Imported into test modules, it must not be taken for a test.
test_msg.__test__ = False  # type: ignore[attr-defined]


@contextmanager
def _block(msg: str) -> Iterator[None]:
    __tracebackhide__ = True
    try:
        yield
    except AssertionError as error:
        raise DerivativeTestError("\n".join([*_problem(msg), str(error)])) from error
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        raise DerivativeTestError("\n".join(["the block raised", *_problem(msg), text])) from error


def _problem(msg: str) -> list[str]:
    return [f"Problem: {msg}"] if msg else []


def _failure(
    what: str,
    msg: str,
    caller: FrameType | None,
    delayed: bool,
    error: Exception | None = None,
) -> DerivativeTestError:
    expression = _expression(caller) if caller is not None else None
    source = f": {ast.unparse(expression)}" if expression is not None else ""
    lines = [what + source, *_problem(msg)]
    if error is not None:
        lines.append(f"  {type(error).__name__}: {error}")
    elif expression is not None and caller is not None:
        shown = _operands(expression, caller, delayed)
        lines += [f"  {name}: {value!r}" for name, value in shown]
    return DerivativeTestError("\n".join(lines))


def _expression(caller: FrameType) -> ast.expr | None:
    """The condition as the caller wrote it, if its source can be read."""
    place = inspect.getframeinfo(caller).positions
    if place is None or place.lineno is None or place.end_lineno is None:
        return None
    numbers = range(place.lineno, place.end_lineno + 1)
    text = "".join(linecache.getline(caller.f_code.co_filename, n) for n in numbers)
    if not text:
        return None
    lines = text.encode().splitlines()
    lines[-1] = lines[-1][: place.end_col_offset]
    lines[0] = lines[0][place.col_offset or 0 :]
    try:
        call = ast.parse(b"\n".join(lines).decode(), mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(call, ast.Call):
        return None
    words = {word.arg: word.value for word in call.keywords}
    found = call.args[1] if len(call.args) > 1 else words.get("condition")
    return found.body if isinstance(found, ast.Lambda) else found


def _operands(expression: ast.expr, caller: FrameType, delayed: bool) -> Iterator[tuple[str, Any]]:
    """The sides of a comparison where nothing is called, else the values of the names in them."""
    space = {**caller.f_globals, **caller.f_locals}
    sides = [expression]
    if delayed and isinstance(expression, ast.Compare):
        sides = [expression.left, *expression.comparators]
    shown: dict[str, Any] = {}
    for side in sides:
        parts: list[ast.expr] = [side]
        if not delayed or any(isinstance(node, _NOT_AGAIN) for node in ast.walk(side)):
            parts = [node for node in ast.walk(side) if isinstance(node, ast.Name)]
        for part in parts:
            try:
                shown.setdefault(ast.unparse(part), eval(ast.unparse(part), space))
            except Exception:  # a name that only the function itself knows
                continue
    for text, value in shown.items():
        if not (callable(value) or inspect.ismodule(value) or text == repr(value)):
            yield text, value
