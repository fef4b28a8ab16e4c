"""What a rule is told about the call that it differentiates."""

from __future__ import annotations

from typing import Any

from enzymecore import TupleType, TypeDescriptor, typeof
from enzymecore.record import record

__all__ = [
    "Config",
    "ConfigWidth",
    "FwdConfig",
    "FwdConfigWidth",
    "RevConfig",
    "RevConfigWidth",
    "needs_primal",
    "needs_shadow",
    "overwritten",
    "primal_type",
    "runtime_activity",
    "shadow_type",
    "strong_zero",
    "tape_type",
    "width",
]


@record
class FwdConfig:
    """The configuration of a call in forward mode.

    Attributes
    ----------
    needs_primal, needs_shadow
        Which of the result and its tangent the rule must return.
    width
        Number of tangents.
    runtime_activity, strong_zero
        The flags of the mode. Runtime activity tells constants apart before a rule is compiled for the rest, so
        rules see it as False.

    Examples
    --------
    >>> FwdConfig(needs_primal=True, needs_shadow=False).width
    1
    """

    needs_primal: bool
    needs_shadow: bool
    width: int = 1
    runtime_activity: bool = False
    strong_zero: bool = False


@record
class RevConfig:
    """The configuration of a call in reverse mode, for both of its rules.

    Attributes
    ----------
    needs_primal, needs_shadow
        Which of the result and its shadow the augmented primal must return. No shadow is asked for where the
        return activity is ``Active`` or ``Const``.
    width
        Number of shadows.
    overwritten
        For the function (position 0) and every positional argument: may the content of its memory change between
        the two passes?
    runtime_activity, strong_zero
        The flags of the mode.

    Examples
    --------
    >>> RevConfig(True, False, 1, (False, True)).overwritten[1]
    True
    """

    needs_primal: bool
    needs_shadow: bool
    width: int = 1
    overwritten: tuple[bool, ...] = ()
    runtime_activity: bool = False
    strong_zero: bool = False


Config = RevConfig


@record
class _WidthPattern:
    """Matches the configurations of one class and one width."""

    cls: type
    width: int

    def matches(self, config: Any) -> bool:
        return isinstance(config, self.cls) and width(config) == self.width


class FwdConfigWidth:
    """``FwdConfigWidth[n]``: as the annotation of a rule's `config`, restricts the rule to width `n`.

    Examples
    --------
    >>> FwdConfigWidth[2].matches(FwdConfig(True, True, 2))
    True
    """

    def __class_getitem__(cls, n: int) -> _WidthPattern:
        return _WidthPattern(FwdConfig, n)


class RevConfigWidth:
    """``RevConfigWidth[n]``: as the annotation of a rule's `config`, restricts the rule to width `n`.

    Examples
    --------
    >>> RevConfigWidth[1].matches(RevConfig(True, False, 2))
    False
    """

    def __class_getitem__(cls, n: int) -> _WidthPattern:
        return _WidthPattern(RevConfig, n)


ConfigWidth = RevConfigWidth


def typeof_member(x: Any) -> Any:
    """The type of a member of an augmented return; a type stands for itself."""
    if x is None or x is type(None):
        return type(None)
    return x if isinstance(x, type | TypeDescriptor) else typeof(x)


def tape_type(augmented: Any) -> Any:
    """Type of the tape of an `AugmentedReturn`.

    Examples
    --------
    >>> from enzyme_rules import AugmentedReturn
    >>> tape_type(AugmentedReturn(None, None, 1.0))
    float64
    """
    return typeof_member(augmented.tape)


def needs_primal(config: Any) -> bool:
    """Must the rule return the primal result?

    Examples
    --------
    >>> needs_primal(FwdConfig(True, False))
    True
    """
    return config.needs_primal  # type: ignore[no-any-return]


def needs_shadow(config: Any) -> bool:
    """Must the rule return the shadow of the result?

    Examples
    --------
    >>> needs_shadow(FwdConfig(True, False))
    False
    """
    return config.needs_shadow  # type: ignore[no-any-return]


def width(config: Any) -> int:
    """Number of shadows of everything.

    Examples
    --------
    >>> width(RevConfig(True, False, 3))
    3
    """
    return config.width  # type: ignore[no-any-return]


def overwritten(config: Any) -> tuple[bool, ...]:
    """For the function and every positional argument: may its memory change between the passes?

    Examples
    --------
    >>> overwritten(RevConfig(True, False, 1, (False, True)))
    (False, True)
    """
    return config.overwritten  # type: ignore[no-any-return]


def runtime_activity(config: Any) -> bool:
    """Is runtime activity on?

    Examples
    --------
    >>> runtime_activity(FwdConfig(True, False))
    False
    """
    return config.runtime_activity  # type: ignore[no-any-return]


def strong_zero(config: Any) -> bool:
    """Are zero adjoints to win over infinite partials?

    Examples
    --------
    >>> strong_zero(FwdConfig(True, False))
    False
    """
    return config.strong_zero  # type: ignore[no-any-return]


def primal_type(config: Any, return_activity: Any = None) -> Any:
    """Type of the primal that the rule must return, ``type(None)`` where none is asked for.

    Of an `AugmentedReturn` alone, the type of its primal.

    Examples
    --------
    >>> from enzymecore import Active
    >>> primal_type(RevConfig(True, False), Active[float])
    float64
    """
    if return_activity is None:
        return typeof_member(config.primal)
    return return_activity.eltype if config.needs_primal else type(None)


def shadow_type(config: Any, return_activity: Any = None) -> Any:
    """Type of the shadow that the rule must return: one, a tuple of them for a batch, or ``type(None)``.

    Of an `AugmentedReturn` alone, the type of its shadow.

    Examples
    --------
    >>> from enzymecore import Duplicated
    >>> shadow_type(FwdConfig(True, True), Duplicated[float])
    float64
    """
    if return_activity is None:
        return typeof_member(config.shadow)
    if not config.needs_shadow:
        return type(None)
    one = return_activity.eltype
    return one if config.width == 1 else TupleType((one,) * config.width)
