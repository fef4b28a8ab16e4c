"""Derivatives inside jitted code: `autodiff` and the rest as numba functions.

Importing this package tells numba the types of modes and annotations, how annotations are made, and how calls
of `autodiff` are compiled.  Both for code that runs and for code that is differentiated itself: there a
derivative is part of the program like any other function.
"""

from enzyme.compiled import calls, gradients, modes, subscripts, thunks, zeros
from enzyme.typed import annotations

__all__ = ["annotations", "calls", "gradients", "modes", "subscripts", "thunks", "zeros"]
