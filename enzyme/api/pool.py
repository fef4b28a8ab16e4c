"""The memory that derivatives keep from one call to the next."""

from __future__ import annotations

import ctypes
import operator
from typing import Any

from enzyme.frontend import arena


def pool_bytes() -> int:
    """How many bytes derivatives have given back that the process keeps for the next ones.

    What a derivative needs for a short time (what its reverse pass remembers, shadows, arrays that the function
    makes) is not given back to the operating system at the end of the call. Results, tapes and all else that
    is in use are not counted.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import Active, Const, Reverse, autodiff
    >>> from enzyme.api import empty_pool, pool_bytes
    >>> def product(x, n):
    ...     y = np.full(n, x)
    ...     return np.prod(y)
    >>> autodiff(Reverse, product, Active, Active(1.0), Const(100_000))
    ((100000.0, None),)
    >>> kept = pool_bytes()  # the array, its shadow and what else there was
    >>> empty_pool() == kept
    True
    """
    return int(_function("enzyme_pool_bytes", ctypes.c_int64)())


def empty_pool() -> int:
    """Give what `pool_bytes` counts back to the operating system; how many bytes that were.

    Needed by hand when other parts of a program are short of memory: a derivative that gets no memory does so itself,
    and what no derivative has used for ten to twenty seconds is given back at the end of the next one.

    Examples
    --------
    >>> from enzyme.api import empty_pool, pool_bytes
    >>> empty_pool() >= 0
    True
    >>> pool_bytes()
    0
    """
    freed = int(_function("enzyme_empty_pool", ctypes.c_int64)())
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # the GNU C library's
    if trim is not None:
        trim(ctypes.c_size_t(0))
    return freed


def bound_pool(nbytes: int) -> None:
    """Let the process keep at most about `nbytes` for later derivatives; without a call, an eighth of the memory.

    The memory is that of the machine, or what the container or the process may have, if that is less. With 0 all is
    given back at the end of each call.

    Raises
    ------
    TypeError
        If `nbytes` is no integer.
    ValueError
        If it is negative, or no computer has so much.

    Examples
    --------
    >>> from enzyme.api import bound_pool
    >>> bound_pool(1 << 30)
    """
    nbytes = operator.index(nbytes)
    if not 0 <= nbytes < 1 << 62:
        raise ValueError(f"the pool cannot be bound to {nbytes} bytes")
    _function("enzyme_bound_pool", None, ctypes.c_int64)(nbytes)


def _function(name: str, result: Any, *parameters: Any) -> Any:
    return arena.register().function(name, result, *parameters)
