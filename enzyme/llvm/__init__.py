"""Functions in LLVM IR, from whatever language, called and differentiated from Python. Numba is not needed.

Examples
--------
>>> from enzyme.llvm import autodiff, load
>>> from enzymecore import Active, Reverse
>>> module = load('''
... define double @square(double %x) {
...   %y = fmul double %x, %x
...   ret double %y
... }''')
>>> module.square(3.0)
9.0
>>> autodiff(Reverse, module.square, Active, Active(3.0))
((6.0,),)
"""

from __future__ import annotations

from enzyme.llvm.calls import autodiff
from enzyme.llvm.compilers import compile_c
from enzyme.llvm.modules import Function, Module, load

__all__ = ["Function", "Module", "autodiff", "compile_c", "load"]
