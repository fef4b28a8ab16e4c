"""What an augmented primal returns."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["AugmentedReturn", "AugmentedReturnFlexShadow"]


class AugmentedReturn(NamedTuple):
    """Result of an augmented primal.

    Attributes
    ----------
    primal
        The result, if the configuration asks for it, else None.
    shadow
        Its shadow, filled with zeros, if the configuration asks for it (a tuple of shadows in a batch), else None.
    tape
        Anything; handed to the reverse rule of the same call.

    Examples
    --------
    >>> AugmentedReturn(2.0, None, (1.0, 3))
    AugmentedReturn(primal=2.0, shadow=None, tape=(1.0, 3))
    """

    primal: Any
    shadow: Any
    tape: Any


class AugmentedReturnFlexShadow(NamedTuple):
    """As `AugmentedReturn`, with a shadow whose type may differ in what numba knows of its layout.

    Examples
    --------
    >>> AugmentedReturnFlexShadow(None, None, None).tape is None
    True
    """

    primal: Any
    shadow: Any
    tape: Any
