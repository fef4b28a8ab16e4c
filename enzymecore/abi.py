"""How a derivative is linked into its caller. An ABI never changes what is computed."""

from __future__ import annotations

__all__ = ["ABI", "FFIABI", "DefaultABI", "InlineABI", "NonGenABI"]


class ABI:
    """Base class of the ways to link a derivative; the class itself is the setting.

    Examples
    --------
    >>> from enzymecore import Reverse, InlineABI, set_abi
    >>> set_abi(Reverse, InlineABI).abi.__name__
    'InlineABI'
    """

    __slots__ = ()


class FFIABI(ABI):
    """Call the derivative through a foreign function pointer. The default.

    Examples
    --------
    >>> from enzymecore import Reverse
    >>> Reverse.abi is FFIABI
    True
    """

    __slots__ = ()


class InlineABI(ABI):
    """Link the code of the derivative into its caller.

    Examples
    --------
    >>> issubclass(InlineABI, ABI)
    True
    """

    __slots__ = ()


class NonGenABI(ABI):
    """Call the derivative without generating code for its caller.

    Examples
    --------
    >>> issubclass(NonGenABI, ABI)
    True
    """

    __slots__ = ()


DefaultABI = FFIABI
