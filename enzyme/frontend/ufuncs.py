"""Functions made with `@vectorize` and `@guvectorize`, compiled for the target that differentiates.

Numba compiles the function of one element ahead, for the CPU, optimises it and links it into every caller.  Optimised
code is a poor start for a derivative, and in it are neither calls of functions with rules nor what our target
computes in its own way.  So where our target calls such a function it gets one that it compiled itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

from enzyme.frontend.numba_compat.programs import element_dispatcher, install_ufunc

_KERNEL = "__enzyme_kernel__"
# What numba compiles the functions of elements with, whatever the user asks for.
_ALWAYS: dict[str, Any] = {"error_model": "numpy"}
_KEPT = ("fastmath", "boundscheck")


def install(ufunc: Any, typing: Any, context: Any, taken_in: Callable[[Any], Any]) -> None:
    """Make calls of `ufunc` known to our target; `taken_in` gives its dispatcher for one of the CPU."""
    install_ufunc(ufunc, typing, context, lambda kernel: _for_target(kernel, taken_in))


def _for_target(kernel: Any, taken_in: Callable[[Any], Any]) -> Any:
    """Numba's class that emits the call for one element, with a function of our target."""

    class Kernel(kernel):  # type: ignore[misc]
        cres: Any

        def __init__(self, context: Any, builder: Any, outer_sig: Any) -> None:
            super().__init__(context, builder, outer_sig)
            mine = taken_in(_element_function(self.dufunc))
            signature = self.cres.signature
            mine.compile(signature)
            self.cres = mine.overloads[tuple(signature.args)]

        def generate(self, *args: Any) -> Any:
            self.context.add_linking_libs((self.cres.library,))
            return super().generate(*args)

    Kernel.__name__ = kernel.__name__
    return Kernel


def _element_function(ufunc: Any) -> Any:
    """The function of one element as a jitted function, one for each ufunc."""
    compiler = element_dispatcher(ufunc)
    made = compiler.__dict__.get(_KERNEL)
    if made is None:
        options = {k: v for k, v in compiler.targetoptions.items() if k in _KEPT}
        made = compiler.__dict__[_KERNEL] = njit(**options, **_ALWAYS)(compiler.py_func)
    return made
