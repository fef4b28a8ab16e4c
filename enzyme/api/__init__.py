"""The functions that users call; `enzyme` exports them."""

from enzyme.api.combined import autodiff
from enzyme.api.reflection import compile_report, enzyme_code_llvm, enzyme_code_native

__all__ = ["autodiff", "compile_report", "enzyme_code_llvm", "enzyme_code_native"]
