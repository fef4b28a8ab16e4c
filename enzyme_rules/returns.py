"""What an augmented primal returns."""

from __future__ import annotations

from types import NoneType
from typing import Any, NamedTuple

from enzyme_rules.config import FwdConfig, RevConfig, primal_type, shadow_type
from enzymecore import BatchDuplicated, Duplicated

__all__ = [
    "AugmentedReturn",
    "AugmentedReturnFlexShadow",
    "augmented_rule_return_type",
    "forward_rule_return_type",
]


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


def forward_rule_return_type(config: FwdConfig, return_activity: Any) -> Any:
    """What a forward rule must return: an annotation class, a type, or ``type(None)``.

    Examples
    --------
    >>> forward_rule_return_type(FwdConfig(True, True), Duplicated[float])
    Duplicated[float64]
    >>> forward_rule_return_type(FwdConfig(False, True, 2), BatchDuplicated[float, 2])
    (float64, float64)
    """
    if config.needs_primal and config.needs_shadow:
        of = return_activity.eltype
        return Duplicated[of] if config.width == 1 else BatchDuplicated[of, config.width]
    if config.needs_primal:
        return primal_type(config, return_activity)
    return shadow_type(config, return_activity)


def augmented_rule_return_type(
    config: RevConfig, return_activity: Any, tape: Any = NoneType
) -> AugmentedReturn:
    """The types of the members of what an augmented primal must return.

    Examples
    --------
    >>> from enzymecore import Active
    >>> augmented_rule_return_type(RevConfig(True, False), Active[float])
    AugmentedReturn(primal=float64, shadow=<class 'NoneType'>, tape=<class 'NoneType'>)
    """
    return AugmentedReturn(
        primal_type(config, return_activity), shadow_type(config, return_activity), tape
    )
