"""The functions that users call; `enzyme` exports them."""

from enzyme.api.combined import autodiff, autodiff_deferred
from enzyme.api.explanation import Explanation, explain
from enzyme.api.gradients import WithValue, gradient, gradient_inplace, jacobian
from enzyme.api.introspection import ignore_derivatives, within_autodiff
from enzyme.api.pool import bound_pool, empty_pool, pool_bytes
from enzyme.api.reflection import compile_report, enzyme_code_llvm, enzyme_code_native
from enzyme.api.settings import runtime_activity, set_runtime_activity
from enzyme.api.thunks import autodiff_deferred_thunk, autodiff_thunk, tape_type
from enzyme.disk.switch import cache
from enzyme.frontend.printing import print_after, print_as_asked
from enzyme.support.progress import log, log_as_asked

print_as_asked()
log_as_asked()

__all__ = [
    "Explanation",
    "WithValue",
    "autodiff",
    "autodiff_deferred",
    "autodiff_deferred_thunk",
    "autodiff_thunk",
    "bound_pool",
    "cache",
    "compile_report",
    "empty_pool",
    "enzyme_code_llvm",
    "enzyme_code_native",
    "explain",
    "gradient",
    "gradient_inplace",
    "ignore_derivatives",
    "jacobian",
    "log",
    "pool_bytes",
    "print_after",
    "runtime_activity",
    "set_runtime_activity",
    "tape_type",
    "within_autodiff",
]
