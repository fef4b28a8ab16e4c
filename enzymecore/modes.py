"""Differentiation modes: immutable values that say what is wanted, compared by their settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace

from enzymecore.abi import ABI, FFIABI
from enzymecore.errors import BatchSizeError, ModeError
from enzymecore.record import record

__all__ = [
    "Forward",
    "ForwardMode",
    "ForwardWithPrimal",
    "Mode",
    "Reverse",
    "ReverseHolomorphic",
    "ReverseHolomorphicWithPrimal",
    "ReverseMode",
    "ReverseModeSplit",
    "ReverseSplitModified",
    "ReverseSplitNoPrimal",
    "ReverseSplitWidth",
    "ReverseSplitWithPrimal",
    "ReverseWithPrimal",
]


@record(kw_only=True)
class Mode:
    """Base class of the modes, with the settings that all of them have.

    Parameters
    ----------
    return_primal
        Whether the primal's result is returned too.
    abi
        How the derivative is linked into its caller.
    err_if_func_written
        Whether it is an error that a function object passed as ``Const(f)`` is written to; one that is passed without
        annotation never may be.
    err_if_const_written
        Whether it is an error that active data is kept in memory of a ``Const`` argument.
    runtime_activity
        Whether a shadow that is its own primal means "constant", tested when the code runs.
    strong_zero
        Whether a zero derivative stays zero in every product with inf or nan.
    safe_zero
        Whether it does where the program's own arithmetic makes the inf or nan: behind divisions,
        roots, logarithms, powers and the like. On by default; see `clear_strong_zero`.
    vector_math
        Whether loops may compute exponentials, sines and the like for several numbers at once, with errors of up
        to 1.5 units in the last place. Without it every one of them is computed by the C library. On by default.
    fast_adjoints
        Whether products and sums of adjoints may be contracted and sums of them reordered. On by default.
    check_nan
        Whether the first NaN among tangents or adjoints is an error that names its line; see `set_check_nan`.

    Examples
    --------
    >>> isinstance(Forward, Mode), isinstance(Reverse, Mode)
    (True, True)
    """

    return_primal: bool = False
    abi: type[ABI] = FFIABI
    err_if_func_written: bool = False
    err_if_const_written: bool = True
    runtime_activity: bool = False
    strong_zero: bool = False
    safe_zero: bool = True
    vector_math: bool = True
    fast_adjoints: bool = True
    check_nan: bool = False

    def __post_init__(self) -> None:
        if type(self) is Mode:
            raise ModeError(
                "Mode is abstract", todo="use ForwardMode, ReverseMode or ReverseModeSplit"
            )
        if not (isinstance(self.abi, type) and issubclass(self.abi, ABI)):
            raise ModeError(f"abi must be a subclass of ABI, not {self.abi!r}")

    def __repr__(self) -> str:
        shown = []
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                text = value.__name__ if isinstance(value, type) else repr(value)
                shown.append(f"{field.name}={text}")
        return f"{type(self).__name__}({', '.join(shown)})"


@record(kw_only=True)
class ForwardMode(Mode):
    """Forward mode: tangents of the arguments in, tangents of the result out.

    Examples
    --------
    >>> ForwardMode() == Forward
    True
    >>> ForwardMode(strong_zero=True)
    ForwardMode(strong_zero=True)
    """


@record(kw_only=True)
class ReverseMode(Mode):
    """Reverse mode, primal and adjoints in one call.

    Parameters
    ----------
    holomorphic
        Whether the derivative of a complex result is d/dz of a holomorphic function, (f_x - i f_y) / 2. With respect
        to real arguments it is refused where it is not real. Of a real result it is u_x + i u_y, as without this.

    Examples
    --------
    >>> ReverseMode(return_primal=True) == ReverseWithPrimal
    True
    """

    holomorphic: bool = False


@record(kw_only=True)
class ReverseModeSplit(Mode):
    """Reverse mode in two calls with a tape between them.

    Parameters
    ----------
    holomorphic
        As in `ReverseMode`; kept so that `Combined` can give it back.
    return_shadow
        Whether the augmented forward call hands out the shadow of the result.
    width
        Number of shadows; 0 takes it from the arguments.
    modified_between
        For the function and each argument, whether the caller may change its memory between the two
        calls; True decides that automatically.
    shadow_init
        Internal: the shadow of the result starts at one instead of zero.

    Raises
    ------
    BatchSizeError
        If the width is negative.
    ModeError
        If `modified_between` is neither a bool nor a tuple of bools.

    Examples
    --------
    >>> ReverseModeSplit(width=2)
    ReverseModeSplit(width=2)
    """

    holomorphic: bool = False
    return_shadow: bool = True
    width: int = 0
    modified_between: bool | tuple[bool, ...] = True
    shadow_init: bool = False

    def __post_init__(self) -> None:
        Mode.__post_init__(self)
        if isinstance(self.width, bool) or not isinstance(self.width, int):
            raise ModeError(f"width must be an int, not {self.width!r}")
        if self.width < 0:
            raise BatchSizeError(
                f"width must not be negative, but is {self.width}",
                todo="use 0 to take it from the arguments",
            )
        flags = self.modified_between
        if isinstance(flags, bool):
            return
        if not (isinstance(flags, tuple) and all(isinstance(flag, bool) for flag in flags)):
            raise ModeError(
                f"modified_between must be True or a tuple of bools, not {flags!r}",
                todo="give one bool for the function and one for each argument",
            )


Forward = ForwardMode()
ForwardWithPrimal = ForwardMode(return_primal=True)
Reverse = ReverseMode()
ReverseWithPrimal = ReverseMode(return_primal=True)
ReverseHolomorphic = ReverseMode(holomorphic=True)
ReverseHolomorphicWithPrimal = ReverseMode(holomorphic=True, return_primal=True)
ReverseSplitNoPrimal = ReverseModeSplit()
ReverseSplitWithPrimal = ReverseModeSplit(return_primal=True)


def _need_split(mode: object, function: str) -> ReverseModeSplit:
    """Return `mode` if it is a split mode."""
    if isinstance(mode, ReverseModeSplit):
        return mode
    todo = "make one with Split(mode)" if isinstance(mode, ReverseMode) else ""
    raise ModeError(
        f"{function} needs a split reverse mode as first argument, not {mode!r}",
        todo=todo or "use ReverseSplitNoPrimal or ReverseSplitWithPrimal",
    )


def ReverseSplitModified(
    mode: ReverseModeSplit, modified: Sequence[bool] | bool
) -> ReverseModeSplit:
    """Return the split mode with `modified_between` replaced: a bool for the function and one for each argument, or
    True for all.

    Raises
    ------
    ModeError
        If `mode` is not a split mode, or `modified` does not consist of bools.

    Examples
    --------
    >>> ReverseSplitModified(ReverseSplitWithPrimal, (False, True)).modified_between
    (False, True)
    """
    split = _need_split(mode, "ReverseSplitModified")
    flags = tuple(modified) if isinstance(modified, Iterable) else modified
    if flags is not True and not isinstance(flags, tuple):
        raise ModeError(
            f"ReverseSplitModified needs True or a tuple of bools as second argument, not {modified!r:.60}",
            todo="give one bool for the function and one for each argument",
        )
    return replace(split, modified_between=flags)


def ReverseSplitWidth(mode: ReverseModeSplit, width: int) -> ReverseModeSplit:
    """Return the split mode with `width` replaced.

    Raises
    ------
    ModeError
        If `mode` is not a split mode.
    BatchSizeError
        If the width is negative.

    Examples
    --------
    >>> ReverseSplitWidth(ReverseSplitNoPrimal, 4).width
    4
    """
    return replace(_need_split(mode, "ReverseSplitWidth"), width=width)
