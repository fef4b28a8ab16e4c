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
    ConfigWidth,
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
    tape_type,
    width,
)
from enzyme_rules.easy import CONSTANT, easy_rule
from enzyme_rules.queries import (
    has_easy_rule_from_sig,
    has_frule_from_sig,
    has_rrule_from_sig,
    is_inactive_from_sig,
    is_inactive_noinl_from_sig,
)
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
from enzyme_rules.returns import (
    AugmentedReturn,
    AugmentedReturnFlexShadow,
    augmented_rule_return_type,
    forward_rule_return_type,
)

forward_rule = forward
augmented_primal_rule = augmented_primal
reverse_rule = reverse

__all__ = [
    "CONSTANT",
    "AugmentedReturn",
    "AugmentedReturnFlexShadow",
    "Config",
    "ConfigWidth",
    "FwdConfig",
    "FwdConfigWidth",
    "RevConfig",
    "RevConfigWidth",
    "augmented_primal",
    "augmented_primal_rule",
    "augmented_rule_return_type",
    "easy_rule",
    "forward",
    "forward_rule",
    "forward_rule_return_type",
    "has_easy_rule_from_sig",
    "has_frule_from_sig",
    "has_rrule_from_sig",
    "inactive",
    "inactive_arg",
    "inactive_kwarg",
    "inactive_noinl",
    "inactive_type",
    "is_inactive_from_sig",
    "is_inactive_noinl_from_sig",
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
    "tape_type",
    "width",
]
