"""What is computed of three numbers `a`, `b` and `c`, and its derivatives at one point with many digits."""

from __future__ import annotations

import functools
import textwrap
from typing import Any

import mpmath
import numpy as np

# Analytic, so that holomorphic mode has a derivative too.
BODIES = {
    "expression": """
        r = a * b + np.sin(c) * a / (1.0 + b * b)
    """,
    "loop": """
        r = 0.5 * c
        for k in range(4):
            r = r * a + b / (k + 1.0)
            r = r * r * 0.25 + c
    """,
    "branch": """
        if a.real > 1.0:
            r = a * np.exp(b * c)
        else:
            r = b - c
        if c.real < 0.0:
            r = r * c
    """,
    "workspace": """
        w = np.zeros_like(np.array([a, b, c]))
        w[0] = a
        w[1] = b * w[0]
        w[0] *= c + w[1]
        w[2] += w[0] * w[1] - w[2]
        r = w[0] + w[2]
    """,
}

POINT = {float: (1.3, 0.7, -0.4), complex: (1.3 + 0.2j, 0.7 - 0.5j, -0.4 + 0.3j)}
DIRECTION = {float: (0.5, -1.25, 0.75), complex: (0.5 - 0.1j, -1.25 + 0.4j, 0.75 + 0.9j)}


def kernel_source(body: str) -> str:
    """`kernel(a, b, c)` as Python source."""
    lines = textwrap.indent(textwrap.dedent(BODIES[body]).strip(), "    ")
    return f"def kernel(a, b, c):\n{lines}\n    return r\n"


class _Digits:
    """As much of numpy as bodies use, with many digits."""

    sin, exp = staticmethod(mpmath.sin), staticmethod(mpmath.exp)

    @staticmethod
    def array(values: list[Any]) -> list[Any]:
        return values

    @staticmethod
    def zeros_like(values: list[Any]) -> list[Any]:
        return [mpmath.mpf(0)] * len(values)


@functools.cache
def derivatives(body: str, dtype: Any) -> tuple[Any, np.ndarray, np.ndarray]:
    """Value, gradient and Hessian at the point."""
    scope: dict[str, Any] = {"np": _Digits}
    exec(kernel_source(body), scope)
    kernel, point = scope["kernel"], POINT[dtype]
    with mpmath.workdps(40):
        value = dtype(kernel(*map(mpmath.mpmathify, point)))
        units = np.eye(3, dtype=int).tolist()
        gradient = [dtype(mpmath.diff(kernel, point, tuple(u))) for u in units]
        hessian = [
            [dtype(mpmath.diff(kernel, point, tuple(np.add(u, w).tolist()))) for w in units]
            for u in units
        ]
    return value, np.array(gradient), np.array(hessian)
