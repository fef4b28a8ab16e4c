"""Every exception class of the compiler; those of annotations and modes come from `enzymecore`.

A class says what kind of thing went wrong; the message is built from parts (`where`, `what`, `why`,
`todo`). Exceptions of the user's program are never wrapped: they surface as the primal raises them.

Two times are told apart. A problem that is certain when the derivative is made is raised then, by a
subclass of `CompilationException`; a problem that lies on a path which may never be taken is raised
when that path runs.
"""

from __future__ import annotations

from typing import Any

from enzymecore.errors import (
    ActivityError,
    BatchSizeError,
    EnzymeError,
    ImmutableZeroError,
    Location,
    ModeError,
    ShadowLayoutError,
    ShadowTypeError,
)

__all__ = [
    "ActivityError",
    "AugmentedRuleReturnError",
    "BatchSizeError",
    "CompilationException",
    "CustomRuleError",
    "EnzymeConstStorageError",
    "EnzymeError",
    "EnzymeInternalError",
    "EnzymeMutabilityException",
    "EnzymeNaNError",
    "EnzymeNoDerivativeError",
    "EnzymeNonScalarReturnException",
    "EnzymeRuntimeActivityError",
    "EnzymeRuntimeException",
    "ForwardRuleReturnError",
    "IRParseError",
    "IRVerifyError",
    "IllegalTypeAnalysisException",
    "ImmutableZeroError",
    "Location",
    "MixedReturnException",
    "ModeError",
    "NoApplicableRuleError",
    "NonConstantKeywordArgException",
    "NonInferredActiveReturn",
    "OutOfBoundsError",
    "ReverseRuleReturnError",
    "ShadowLayoutError",
    "ShadowTypeError",
    "ThunkCallError",
    "UnsupportedNumbaError",
]


class CompilationException(EnzymeError):
    """Parent of the errors that are raised while a derivative is made.

    Examples
    --------
    >>> issubclass(NonInferredActiveReturn, CompilationException)
    True
    """


# --- raised when generated code runs ---------------------------------------------------------


class EnzymeRuntimeException(EnzymeError, RuntimeError):
    """A generic failure in generated code, as an operation that is not supported.

    Attributes
    ----------
    function
        Name of the function in which it happened.

    Examples
    --------
    >>> EnzymeRuntimeException("the tape could not be allocated", function="loss").function
    'loss'
    """

    function: str = ""


class NoApplicableRuleError(EnzymeRuntimeException, TypeError):
    """A function has derivative rules, but none accepts the activities of a call.

    Attributes
    ----------
    function
        Name of the function.
    activities
        The activities wanted, return first.
    available
        Signatures of the rules that exist.

    Examples
    --------
    >>> error = NoApplicableRuleError("no rule", function="g", available=("forward(Const, x)",))
    >>> error.available
    ('forward(Const, x)',)
    """

    activities: tuple[Any, ...] = ()
    available: tuple[str, ...] = ()

    def __init__(
        self, message: str = "", details: tuple[Any, ...] | None = None, **parts: Any
    ) -> None:
        """`details`: function, activities and rules, for code that raises with constants only."""
        if details is not None:
            parts |= dict(zip(("function", "activities", "available"), details, strict=True))
        super().__init__(message, **parts)


class EnzymeRuntimeActivityError(EnzymeError, RuntimeError):
    """Constant memory is stored into, or returned as, differentiable data.

    Attributes
    ----------
    function
        Name of the function.
    value
        The variable that is constant.
    sink
        Where it is stored or returned.

    Examples
    --------
    >>> EnzymeRuntimeActivityError("constant in active data", value="b").value
    'b'
    """

    function: str = ""
    value: str = ""
    sink: str = ""


class EnzymeConstStorageError(EnzymeError, ValueError):
    """Active data is kept in memory of a ``Const`` argument and read back from there.

    Attributes
    ----------
    argument
        Name of the constant argument.
    store
        Location of the store.

    Examples
    --------
    >>> EnzymeConstStorageError("active data in constant memory", argument="tmp").argument
    'tmp'
    """

    argument: str = ""
    store: Location | str | None = None


class EnzymeNaNError(EnzymeError, FloatingPointError):
    """A derivative is NaN; raised only where derivatives are looked at (`set_check_nan`).

    Examples
    --------
    >>> issubclass(EnzymeNaNError, FloatingPointError)
    True
    """


class EnzymeMutabilityException(EnzymeError, TypeError):
    """A function object that was passed without annotation is written to.

    Attributes
    ----------
    function
        Name of the function object.
    store
        Location of the store.

    Examples
    --------
    >>> issubclass(EnzymeMutabilityException, TypeError)
    True
    """

    function: str = ""
    store: Location | str | None = None


class EnzymeNoDerivativeError(EnzymeError, NotImplementedError):
    """No derivative is known for an instruction or an external function.

    Attributes
    ----------
    symbol
        Name of the function or instruction.

    Examples
    --------
    >>> EnzymeNoDerivativeError("no derivative", symbol="zeta").symbol
    'zeta'
    """

    symbol: str = ""


class EnzymeNonScalarReturnException(EnzymeError, ValueError):
    """`gradient` in reverse mode of a function whose result is not a float.

    Attributes
    ----------
    return_type
        The type the function returns.

    Examples
    --------
    >>> EnzymeNonScalarReturnException("use jacobian", return_type="array").return_type
    'array'
    """

    return_type: Any = None


# --- raised while a derivative is made -------------------------------------------------------


class IllegalTypeAnalysisException(CompilationException, TypeError):
    """The same bytes are used as two types, as an integer 0 in a branch of a float expression.

    Attributes
    ----------
    deductions
        The two types and where each was deduced.

    Examples
    --------
    >>> IllegalTypeAnalysisException("clash", deductions=("int at 3", "float at 4")).deductions
    ('int at 3', 'float at 4')
    """

    deductions: tuple[Any, ...] = ()


class EnzymeInternalError(CompilationException, RuntimeError):
    """An invariant of the engine is broken: a defect of the engine, not of the program.

    Examples
    --------
    >>> issubclass(EnzymeInternalError, CompilationException)
    True
    """


class UnsupportedNumbaError(EnzymeInternalError):
    """The numba that is installed differs from the one that this release was written for.

    Examples
    --------
    >>> raise UnsupportedNumbaError(what="numba's typed list has no items at offset 48")
    Traceback (most recent call last):
        ...
    enzyme.errors.UnsupportedNumbaError: numba's typed list has no items at offset 48
    """


class NonInferredActiveReturn(CompilationException, TypeError):
    """The declared return type is not the inferred one.

    Attributes
    ----------
    declared, inferred
        The two types.

    Examples
    --------
    >>> NonInferredActiveReturn("types differ", declared="float64", inferred="float32").inferred
    'float32'
    """

    declared: Any = None
    inferred: Any = None


class MixedReturnException(CompilationException, TypeError):
    """A function with a rule returns floats together with memory, in reverse mode.

    Attributes
    ----------
    return_type
        The type the function returns.

    Examples
    --------
    >>> MixedReturnException("mixed", return_type="(float64, array)").return_type
    '(float64, array)'
    """

    return_type: Any = None


# --- custom rules ----------------------------------------------------------------------------


class CustomRuleError(CompilationException, TypeError):
    """A rule does not return what its configuration asks for.

    Attributes
    ----------
    config
        The configuration of the call.
    expected, found
        The types.
    hint
        The probable mistake.

    Examples
    --------
    >>> CustomRuleError("wrong type", expected="float64", found="float32").expected
    'float64'
    """

    config: Any = None
    expected: Any = None
    found: Any = None
    hint: str = ""


class ForwardRuleReturnError(CustomRuleError):
    """A forward rule returns a wrong type.

    Examples
    --------
    >>> issubclass(ForwardRuleReturnError, CustomRuleError)
    True
    """


class AugmentedRuleReturnError(CustomRuleError):
    """An augmented primal rule returns a wrong type.

    Examples
    --------
    >>> issubclass(AugmentedRuleReturnError, CustomRuleError)
    True
    """


class ReverseRuleReturnError(CustomRuleError):
    """A reverse rule returns a wrong type.

    Examples
    --------
    >>> issubclass(ReverseRuleReturnError, CustomRuleError)
    True
    """


class NonConstantKeywordArgException(CompilationException, ValueError):
    """An active value is passed by keyword to a function with a rule.

    Attributes
    ----------
    keyword
        Name of the keyword.

    Examples
    --------
    >>> NonConstantKeywordArgException("active keyword", keyword="scale").keyword
    'scale'
    """

    keyword: str = ""


# --- calls -----------------------------------------------------------------------------------


class ThunkCallError(EnzymeError, TypeError):
    """A thunk is called with arguments of a wrong number or type.

    Attributes
    ----------
    expected, found
        The types, one per position: function, arguments, seed of the active return, tape.

    Examples
    --------
    >>> ThunkCallError("wrong arguments", expected=("Active",), found=("Const",)).found
    ('Const',)
    """

    expected: tuple[Any, ...] = ()
    found: tuple[Any, ...] = ()


class OutOfBoundsError(IndexError):
    """An index is out of bounds, where bounds are checked (``@njit(boundscheck=True)``, ``NUMBA_BOUNDSCHECK=1``).

    Examples
    --------
    >>> OutOfBoundsError(4, 4, 1)
    OutOfBoundsError('index 4 is out of bounds for axis 1 with size 4')
    """

    def __init__(self, index: int | str, size: int = 0, axis: int = 0) -> None:
        text = f"index {index} is out of bounds for axis {axis} with size {size}"
        super().__init__(index if isinstance(index, str) else text)


# --- textual IR ------------------------------------------------------------------------------


class IRParseError(EnzymeError, ValueError):
    """Text is not IR, or has a construct that the parser does not know.

    Parameters
    ----------
    message
        What is wrong.
    line
        Line number in the text, the first is 1; 0 if unknown.
    text
        The line itself.
    column
        Column of the problem, the first is 1; 0 if unknown.
    **parts
        The parts of `EnzymeError`; `where` is made from line and text if it is not given.

    Examples
    --------
    >>> print(IRParseError("unknown instruction 'frob'", line=2, text="  frob i32 1", column=3))
    IR line 2:
      frob i32 1
      ^
    unknown instruction 'frob'
    """

    line: int
    text: str
    column: int

    def __init__(
        self, message: str = "", *, line: int = 0, text: str = "", column: int = 0, **parts: Any
    ) -> None:
        self.line = line
        self.text = text
        self.column = column
        if line > 0 and parts.get("where") is None:
            parts["where"] = _ir_excerpt(line, text, column)
        super().__init__(message, **parts)


_WIDEST = 120


def _window(text: str, column: int) -> tuple[str, int]:
    """What stands around a column of a long line, and the column in it."""
    if len(text) <= _WIDEST:
        return text, column
    start = max(0, min(column - _WIDEST // 2, len(text) - _WIDEST))
    cut = text[start : start + _WIDEST]
    if start + _WIDEST < len(text):
        cut = f"{cut[:-3]}..."
    if start:
        cut = f"...{cut[3:]}"
    return cut, max(0, column - start)


def _ir_excerpt(line: int, text: str, column: int) -> str:
    """Return the line of IR below its number, with a mark below the column."""
    shown = f"IR line {line}:"
    text, column = _window(text.rstrip(), column)
    if text:
        shown += f"\n{text}"
        if column > 0:
            padding = "".join("\t" if char == "\t" else " " for char in text[: column - 1])
            shown += f"\n{padding}^"
    return shown


class IRVerifyError(EnzymeError, ValueError):
    """IR breaks a rule: a use before its definition, a wrong type, a block without terminator.

    Attributes
    ----------
    function
        Name of the function.
    problems
        All rules broken, in program order.

    Examples
    --------
    >>> IRVerifyError("1 problem", function="f", problems=("%x has no definition",)).problems
    ('%x has no definition',)
    """

    function: str = ""
    problems: tuple[str, ...] = ()
