"""One program in many branches, and the law of its derivatives: <J u, w> = <u, J' w>, with differences as a witness."""

from __future__ import annotations

import linecache

import numpy as np
from numba import njit

from enzyme import Active, Const, Duplicated, ForwardWithPrimal, Reverse, autodiff


def filled(text, place, inside):
    """A text with lines where it says the name of a place, so far to the right."""
    lines = []
    for line in text.split("\n"):
        if place in line:
            indent = line[: len(line) - len(line.lstrip())]
            lines += [indent + more for more in inside.split("\n")]
        else:
            lines.append(line)
    return "\n".join(lines)


def branches(label, bodies, arguments):
    """A jitted function of a number and the arguments: the number says which body is run; each leaves a number `s`."""
    lines = [f"def group(which, {', '.join(arguments)}):", "    s = 0.0"]
    for k, body in enumerate(bodies):
        lines += [f"    if which == {k}:", *(f"        {line}" for line in body.split("\n"))]
    text = "\n".join([*lines, "    return s"]) + "\n"
    file = f"<{label}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope = {"np": np}
    exec(compile(text, file, "exec"), scope)
    return njit(scope["group"])


def directions(primals):
    """A direction for each argument, and no two alike."""
    return [
        np.cos(np.arange(x.size) + 3.0 * j).reshape(x.shape).astype(x.dtype)
        for j, x in enumerate(primals)
    ]


def assert_law(f, which, primals, name):
    """Values are numba's, both modes agree, and so do differences in double precision."""
    double = all(x.dtype == np.float64 for x in primals)
    tolerance = 1e-12 if double else 3e-4

    def copies(arrays):
        return [x.copy(order="K") for x in arrays]

    expected, us = f(which, *copies(primals)), directions(primals)
    given = [Duplicated(x, u) for x, u in zip(copies(primals), copies(us), strict=True)]
    slope, value = autodiff(ForwardWithPrimal, f, Const(which), *given)
    np.testing.assert_allclose(value, expected, rtol=tolerance, err_msg=name)
    shadows = [np.zeros_like(x) for x in primals]
    given = [Duplicated(x, s) for x, s in zip(copies(primals), shadows, strict=True)]
    autodiff(Reverse, f, Active, Const(which), *given)
    parts = [np.vdot(u, s) for u, s in zip(us, shadows, strict=True)]
    scale = max(1e-3, *(np.abs(u * s).sum() for u, s in zip(us, shadows, strict=True)))
    np.testing.assert_allclose(sum(parts), slope, tolerance, tolerance * scale, err_msg=name)
    if double:
        step = 1e-6
        up, down = (
            f(which, *(x + sign * step * u for x, u in zip(primals, us, strict=True)))
            for sign in (1.0, -1.0)
        )
        np.testing.assert_allclose(
            slope, (up - down) / (2 * step), 1e-6, 1e-7 * max(1.0, scale), err_msg=name
        )
