"""The functions that users call; `enzyme` exports them."""

from enzyme.api.combined import autodiff
from enzyme.api.explanation import Explanation, explain
from enzyme.api.reflection import compile_report, enzyme_code_llvm, enzyme_code_native

__all__ = [
    "Explanation",
    "autodiff",
    "compile_report",
    "enzyme_code_llvm",
    "enzyme_code_native",
    "explain",
]
