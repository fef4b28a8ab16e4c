"""LLVM IR that holds ``__enzyme_*`` calls in, LLVM IR with derivatives in their place out.

`python -m enzyme opt` is the command. Numba is not needed, and never imported here.
"""
