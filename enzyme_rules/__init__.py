"""Derivative rules for your own functions.

Register a derivative with `forward`, or with the pair `augmented_primal` and `reverse`, or state the partials once
with `easy_rule`; declare what has no derivative with `inactive`. Importing this package loads no compiler.

Examples
--------
>>> from enzyme import Active, Reverse, autodiff
>>> from enzyme_rules import easy_rule
>>> def square(x):
...     return x * x
>>> easy_rule(square, partials=lambda omega, x: (2.0 * x,))
>>> autodiff(Reverse, square, Active, Active(3.0))
((6.0,),)
"""

from enzyme_rules.config import (
    Config,
    FwdConfig,
    FwdConfigWidth,
    RevConfig,
    RevConfigWidth,
    needs_primal,
    needs_shadow,
    overwritten,
    primal_type,
    runtime_activity,
    shadow_type,
    strong_zero,
    width,
)
from enzyme_rules.easy import CONSTANT, easy_rule
from enzyme_rules.registry import (
    augmented_primal,
    forward,
    inactive,
    inactive_arg,
    inactive_kwarg,
    inactive_noinl,
    inactive_type,
    noalias,
    remove_rules,
    reverse,
    rules_of,
)
from enzyme_rules.returns import AugmentedReturn, AugmentedReturnFlexShadow

forward_rule = forward
augmented_primal_rule = augmented_primal
reverse_rule = reverse

__all__ = [
    "CONSTANT",
    "AugmentedReturn",
    "AugmentedReturnFlexShadow",
    "Config",
    "FwdConfig",
    "FwdConfigWidth",
    "RevConfig",
    "RevConfigWidth",
    "augmented_primal",
    "augmented_primal_rule",
    "easy_rule",
    "forward",
    "forward_rule",
    "inactive",
    "inactive_arg",
    "inactive_kwarg",
    "inactive_noinl",
    "inactive_type",
    "needs_primal",
    "needs_shadow",
    "noalias",
    "overwritten",
    "primal_type",
    "remove_rules",
    "reverse",
    "reverse_rule",
    "rules_of",
    "runtime_activity",
    "shadow_type",
    "strong_zero",
    "width",
]
