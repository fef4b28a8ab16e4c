"""What goes with Fourier transforms: halves of an axis that change places, and the frequencies of a spectrum."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def, no-untyped-call, untyped-decorator"

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.core import types
from numba.extending import overload

from enzyme.frontend.transforms import original
from enzyme.ruled.array_rules import with_rules
from enzyme.ruled.transforms.axes import in_c_order
from enzyme.ruled.transforms.plans import listed


def shift(module: str, name: str, function: Any) -> Any:
    """``fftshift`` or ``ifftshift``, whose adjoint is the other."""
    backwards = name.startswith("i")

    def push(kept, dx):
        (axes,) = kept
        if backwards:
            return np.fft.ifftshift(in_c_order(dx), axes)
        return np.fft.fftshift(in_c_order(dx), axes)

    def pull(kept, dy):
        (axes,) = kept
        if backwards:
            return (np.fft.fftshift(in_c_order(dy), axes),)
        return (np.fft.ifftshift(in_c_order(dy), axes),)

    def factor(result, x, axes):
        found = listed(axes)
        return (np.arange(x.ndim) if len(found) == 0 else found,)

    push.__name__, pull.__name__ = f"push_{name}", f"pull_{name}"
    factor.__name__ = f"factor_{name}"
    scope: dict[str, Any] = {"theirs": original(function, "x axes", {})}
    scope["__name__"] = f"{__name__}.{module.replace('.', '_')}"
    exec(f"def {name}(x, axes):\n    return theirs(x, axes)", scope)
    ruled = with_rules(
        f"{module.replace('numpy', 'np')}.{name}",
        scope[name],
        ("x",),
        ("axes",),
        factor=factor,
        push=push,
        pull=pull,
    )

    def shifted(x, axes=None):
        return ruled(in_c_order(x), axes)

    return njit(shifted)


def frequencies(name: str) -> Any:
    """``fftfreq`` or ``rfftfreq``, of which the distance of the samples may have a derivative."""
    half = name.startswith("r")

    def found(n, d=1.0, device=None, xp=None):
        if n == 0:
            raise ZeroDivisionError("division by zero")
        step = 1.0 / (n * d)
        count = n // 2 + 1 if half else n
        made = np.empty(count, _dtype_of(step))
        middle = count if half else (n - 1) // 2 + 1
        for k in range(count):
            made[k] = (k if k < middle else k - n) * step
        return made

    return njit(found)


def _dtype_of(x: Any) -> Any:
    """In compiled code: the type of a number."""
    raise NotImplementedError


@overload(_dtype_of)
def _dtype(x):
    dtype = np.complex128 if isinstance(x, types.Complex) else np.float64
    return lambda x: dtype
