"""`low_level`: functions of floats as code that SciPy calls without the interpreter."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import types

from enzyme.api.values import closure, jitted
from enzyme.functional.c_addresses import kept_cfunc


def low_level(f: Callable[..., Any], count: int | None = None) -> Any:
    """A `scipy.LowLevelCallable` of a function of floats, derivatives included, for `quad`, `dblquad` and the like.

    Parameters
    ----------
    f
        A function that numba compiles, or what `grad` returns for one; it takes floats and returns a float.
    count
        How many arguments it takes; found by its signature if left out.

    Notes
    -----
    There is nobody to whom a callback could complain: where `f` raises, and where SciPy passes fewer or more numbers
    than it takes, it returns nan.

    Examples
    --------
    >>> import math
    >>> from scipy.integrate import quad
    >>> from enzyme import grad
    >>> from enzyme.interop.scipy import low_level
    >>> slope = low_level(grad(lambda x, a: math.exp(-a * x * x), argnums=1))
    >>> round(quad(slope, 0.0, 1.0, args=(2.0,))[0], 10)
    -0.1157021809
    """
    from scipy import LowLevelCallable

    function = getattr(f, "__wrapped__", f)
    given = inspect.signature(getattr(function, "py_func", function)).parameters.values()
    defaults = [p.default for p in given if p.default is not p.empty]
    count = len(given) if count is None else count
    required = count - len(defaults)
    values = [f"x[{k}]" for k in range(required)]
    values += [
        f"(x[{k}] if n > {k} else {float(default)!r})"
        for k, default in enumerate(defaults, required)
    ]
    body = f"""if n < {required} or n > {count}:
            return np.nan
        try:
            return f({", ".join(values)})
        except Exception:
            return np.nan"""
    call = closure(jitted(f, count), "n, x", body, "callback", np=np)
    signature = types.float64(types.intc, types.CPointer(types.float64))
    made = kept_cfunc(call, signature, call, "double f(int n, double *x)")
    return LowLevelCallable(made.ctypes)
