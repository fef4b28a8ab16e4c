"""Functions that change one setting of a mode and leave the others, and their getters."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, TypeVar

from enzymecore.abi import ABI
from enzymecore.errors import ModeError
from enzymecore.modes import Mode, ReverseMode, ReverseModeSplit

__all__ = [
    "Combined",
    "NoPrimal",
    "Split",
    "WithPrimal",
    "clear_check_nan",
    "clear_err_if_const_written",
    "clear_err_if_func_written",
    "clear_fast_adjoints",
    "clear_runtime_activity",
    "clear_strong_zero",
    "clear_vector_math",
    "combined",
    "needs_primal",
    "no_primal",
    "runtime_activity",
    "set_abi",
    "set_check_nan",
    "set_err_if_const_written",
    "set_err_if_func_written",
    "set_fast_adjoints",
    "set_runtime_activity",
    "set_strong_zero",
    "set_vector_math",
    "split",
    "strong_zero",
    "with_primal",
]

M = TypeVar("M", bound=Mode)


def _set(mode: M, **settings: Any) -> M:
    """Return `mode` with settings replaced; refuse what is not a mode."""
    given: Any = mode
    if isinstance(given, Mode):
        return replace(mode, **settings)
    todo = "give a mode, as Forward or Reverse"
    if isinstance(given, type):
        todo = f"give an instance, as {given.__name__}()"
    raise ModeError(f"a mode is needed as first argument, not {given!r}", todo=todo)


def _flag(source: Any, name: str) -> bool:
    """Read a flag from a bool, a mode, a mode class or a rule configuration."""
    if isinstance(source, bool):
        return source
    if isinstance(source, type) and issubclass(source, Mode):
        return any(field.name == name and bool(field.default) for field in fields(source))
    value = getattr(source, name, None)
    if isinstance(value, bool):
        return value
    raise ModeError(f"{name} cannot be read from {source!r}: it is no mode and no configuration")


# --- errors about written memory -------------------------------------------------------------


def set_err_if_func_written(mode: M) -> M:
    """Make it an error that a function object is written to, also if it is passed as ``Const(f)``.

    Examples
    --------
    >>> from enzymecore import Reverse
    >>> set_err_if_func_written(Reverse)
    ReverseMode(err_if_func_written=True)
    """
    return _set(mode, err_if_func_written=True)


def clear_err_if_func_written(mode: M) -> M:
    """Allow again that a function object passed as ``Const(f)`` is written to; one without annotation never may be.

    Examples
    --------
    >>> from enzymecore import Reverse
    >>> clear_err_if_func_written(set_err_if_func_written(Reverse)) == Reverse
    True
    """
    return _set(mode, err_if_func_written=False)


def set_err_if_const_written(mode: M) -> M:
    """Make it an error that active data is kept in memory of a ``Const`` argument. The default.

    Examples
    --------
    >>> from enzymecore import Reverse
    >>> set_err_if_const_written(Reverse) == Reverse
    True
    """
    return _set(mode, err_if_const_written=True)


def clear_err_if_const_written(mode: M) -> M:
    """Count all data kept in memory of a ``Const`` argument as constant, silently.

    Examples
    --------
    >>> from enzymecore import Reverse
    >>> clear_err_if_const_written(Reverse)
    ReverseMode(err_if_const_written=False)
    """
    return _set(mode, err_if_const_written=False)


# --- runtime activity and strong zero --------------------------------------------------------


def set_runtime_activity(mode: M, source: Any = True) -> M:
    """Switch runtime activity on, set it, or copy it.

    Parameters
    ----------
    mode
        The mode to change.
    source
        A bool, or a mode or rule configuration whose setting is copied.

    Examples
    --------
    >>> from enzymecore import Forward, Reverse
    >>> set_runtime_activity(Forward)
    ForwardMode(runtime_activity=True)
    >>> set_runtime_activity(Forward, False) == Forward
    True
    >>> set_runtime_activity(Reverse, set_runtime_activity(Forward))
    ReverseMode(runtime_activity=True)
    """
    return _set(mode, runtime_activity=_flag(source, "runtime_activity"))


def clear_runtime_activity(mode: M) -> M:
    """Switch runtime activity off.

    Examples
    --------
    >>> from enzymecore import Forward
    >>> clear_runtime_activity(set_runtime_activity(Forward)) == Forward
    True
    """
    return _set(mode, runtime_activity=False)


def set_strong_zero(mode: M, source: Any = True) -> M:
    """Switch strong zero on, set it, or copy it: every product with a zero derivative is zero.

    Without it that holds where the program's own arithmetic makes an infinite factor out of finite arguments, which
    costs next to nothing. With it also for arguments that are infinite, and sums and products that overflow.

    Parameters
    ----------
    mode
        The mode to change.
    source
        A bool, or a mode or rule configuration whose setting is copied.

    Examples
    --------
    >>> from enzymecore import Forward, Reverse
    >>> set_strong_zero(Forward, True)
    ForwardMode(strong_zero=True)
    >>> set_strong_zero(Reverse, Forward) == Reverse
    True
    """
    return _set(mode, strong_zero=_flag(source, "strong_zero"))


def clear_strong_zero(mode: M) -> M:
    """Undo `set_strong_zero`; of a mode where it is not set, switch off what is on by default.

    Then zero times infinity is NaN, as in arithmetic, except for values that the program itself discards.

    Examples
    --------
    >>> from enzymecore import Reverse
    >>> clear_strong_zero(set_strong_zero(Reverse)) == Reverse
    True
    >>> clear_strong_zero(Reverse)
    ReverseMode(safe_zero=False)
    """
    given: Any = mode
    if isinstance(given, Mode) and not given.strong_zero:
        return _set(mode, safe_zero=False)
    return _set(mode, strong_zero=False)


# --- elementary functions --------------------------------------------------------------------


def set_vector_math(mode: M, source: Any = True) -> M:
    """Allow, or with False forbid, vector versions of elementary functions, or copy the setting. Allowed by default.

    Loops of derivatives then compute exponentials, sines and the like for several numbers at once, with errors of up
    to 1.5 units in the last place; numbers outside of such loops are computed by the C library. Results of a program
    may differ by as much from those of its primal.

    Parameters
    ----------
    mode
        The mode to change.
    source
        A bool, or a mode whose setting is copied.

    Examples
    --------
    >>> from enzymecore import Reverse
    >>> set_vector_math(Reverse) == Reverse
    True
    >>> set_vector_math(Reverse, False)
    ReverseMode(vector_math=False)
    """
    return _set(mode, vector_math=_flag(source, "vector_math"))


def clear_vector_math(mode: M) -> M:
    """Let the C library compute all elementary functions, number by number, as the primal does.

    Examples
    --------
    >>> from enzymecore import Reverse
    >>> clear_vector_math(Reverse)
    ReverseMode(vector_math=False)
    """
    return _set(mode, vector_math=False)


def set_fast_adjoints(mode: M, source: Any = True) -> M:
    """Allow, or with False forbid, that arithmetic on adjoints is reordered, or copy the setting. Allowed by default.

    Adjoints of reverse mode then use fused multiplications and additions, products with reciprocals in place of
    quotients, and sums in any order. The primal's own arithmetic stays as it is in any case.

    Parameters
    ----------
    mode
        The mode to change.
    source
        A bool, or a mode whose setting is copied.

    Examples
    --------
    >>> from enzymecore import Reverse
    >>> set_fast_adjoints(Reverse) == Reverse
    True
    >>> set_fast_adjoints(Reverse, False)
    ReverseMode(fast_adjoints=False)
    """
    return _set(mode, fast_adjoints=_flag(source, "fast_adjoints"))


def clear_fast_adjoints(mode: M) -> M:
    """Compute adjoints operation by operation, in the order of the reversed program.

    Examples
    --------
    >>> from enzymecore import Reverse
    >>> clear_fast_adjoints(Reverse)
    ReverseMode(fast_adjoints=False)
    """
    return _set(mode, fast_adjoints=False)


# --- debugging -------------------------------------------------------------------------------


def set_check_nan(mode: M, source: Any = True) -> M:
    """Let the first NaN among tangents or adjoints raise an error that names the line, or copy the setting.

    Every derivative of an operation is looked at as soon as it is there, and the function is compiled with line
    numbers, so this is for debugging. What the error is, is up to the compiler.

    Parameters
    ----------
    mode
        The mode to change.
    source
        A bool, or a mode whose setting is copied.

    Examples
    --------
    >>> from enzymecore import Forward, Reverse
    >>> set_check_nan(Reverse)
    ReverseMode(check_nan=True)
    >>> set_check_nan(Forward, set_check_nan(Reverse))
    ForwardMode(check_nan=True)
    """
    return _set(mode, check_nan=_flag(source, "check_nan"))


def clear_check_nan(mode: M) -> M:
    """Undo `set_check_nan`.

    Examples
    --------
    >>> from enzymecore import Reverse
    >>> clear_check_nan(set_check_nan(Reverse)) == Reverse
    True
    """
    return _set(mode, check_nan=False)


# --- ABI, primal, split ----------------------------------------------------------------------


def set_abi(mode: M, abi: type[ABI]) -> M:
    """Replace the ABI.

    Raises
    ------
    ModeError
        If `abi` is not a subclass of `ABI`.

    Examples
    --------
    >>> from enzymecore import Forward, InlineABI
    >>> set_abi(Forward, InlineABI)
    ForwardMode(abi=InlineABI)
    """
    return _set(mode, abi=abi)


def WithPrimal(mode: M) -> M:
    """Ask for the primal's result too.

    Examples
    --------
    >>> from enzymecore import Forward, ForwardWithPrimal
    >>> WithPrimal(Forward) == ForwardWithPrimal
    True
    """
    return _set(mode, return_primal=True)


def NoPrimal(mode: M) -> M:
    """Do not ask for the primal's result.

    Examples
    --------
    >>> from enzymecore import Reverse, ReverseWithPrimal
    >>> NoPrimal(ReverseWithPrimal) == Reverse
    True
    """
    return _set(mode, return_primal=False)


def _shared(mode: Mode, target: type[Mode]) -> dict[str, Any]:
    """Return the settings of `mode` that `target` has as well."""
    names = {field.name for field in fields(target)}
    return {field.name: getattr(mode, field.name) for field in fields(mode) if field.name in names}


def Split(
    mode: ReverseMode | ReverseModeSplit,
    return_shadow: bool = True,
    width: int = 0,
    modified_between: bool | tuple[bool, ...] = True,
    shadow_init: bool = False,
) -> ReverseModeSplit:
    """Return the split form of a reverse mode; a split mode is returned as it is.

    Raises
    ------
    ModeError
        If `mode` is not a reverse mode.

    Examples
    --------
    >>> from enzymecore import Reverse, ReverseSplitNoPrimal
    >>> Split(Reverse) == ReverseSplitNoPrimal
    True
    """
    if isinstance(mode, ReverseModeSplit):
        return mode
    if not isinstance(mode, ReverseMode):
        raise ModeError(f"only a reverse mode can be split, not {mode!r}")
    return ReverseModeSplit(
        **_shared(mode, ReverseModeSplit),
        return_shadow=return_shadow,
        width=width,
        modified_between=modified_between,
        shadow_init=shadow_init,
    )


def Combined(mode: ReverseMode | ReverseModeSplit) -> ReverseMode:
    """Return the combined form of a reverse mode; a combined mode is returned as it is.

    Raises
    ------
    ModeError
        If `mode` is not a reverse mode.

    Examples
    --------
    >>> from enzymecore import Reverse, Split
    >>> Combined(Split(Reverse)) == Reverse
    True
    """
    if isinstance(mode, ReverseMode):
        return mode
    if not isinstance(mode, ReverseModeSplit):
        raise ModeError(f"only a reverse mode can be combined, not {mode!r}")
    return ReverseMode(**_shared(mode, ReverseMode))


# --- getters ---------------------------------------------------------------------------------


def needs_primal(x: Any) -> bool:
    """Tell whether a mode, a mode class or a rule configuration asks for the primal's result.

    Examples
    --------
    >>> from enzymecore import Forward, ForwardWithPrimal
    >>> needs_primal(Forward), needs_primal(ForwardWithPrimal)
    (False, True)
    """
    is_mode = isinstance(x, Mode) or (isinstance(x, type) and issubclass(x, Mode))
    return _flag(x, "return_primal" if is_mode else "needs_primal")


def runtime_activity(x: Any) -> bool:
    """Tell whether a mode, a mode class or a rule configuration has runtime activity on.

    Examples
    --------
    >>> from enzymecore import Forward
    >>> runtime_activity(set_runtime_activity(Forward))
    True
    """
    return _flag(x, "runtime_activity")


def strong_zero(x: Any) -> bool:
    """Tell whether a mode, a mode class or a rule configuration has strong zero on.

    Examples
    --------
    >>> from enzymecore import Forward
    >>> strong_zero(set_strong_zero(Forward))
    True
    """
    return _flag(x, "strong_zero")


with_primal = WithPrimal
no_primal = NoPrimal
split = Split
combined = Combined
