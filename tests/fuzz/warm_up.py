"""Programs that make numba compile what many programs share, once per process.

`long_run` runs every program in a fork, which inherits what was compiled before.
"""

from __future__ import annotations

import contextlib
import gc
from typing import Any

import hypothesis
import numpy as np

from enzyme import Active, Const, Duplicated, Reverse, autodiff
from enzyme.backend.passes import POST_QUICK, compiling_with
from tests.effort import hurry_numba
from tests.fuzz import drawing, generator, law
from tests.fuzz.helpers import HEAD, HELPERS
from tests.fuzz.program import Program

# New objects between two collections: a program is forgotten before they are many.
GARBAGE = 50_000

BODIES = [
    """\
    np.random.seed(3)
    w = np.zeros(len(x), x.dtype)
    w *= 0.5
    w[1:3] = y[1, 1]
    w[1:] = x[:-1] * 0.9
    w[:] = np.sin(x * a)
    y[1] = x[:4] * 0.5
    w = w + x.copy() + y.copy()[0, 0]
    damp(w, a)
    damp(x, a)
    both(w, x)
    pour(w, x)
    pour(x, y[0])
    s = descend(w, 0, a * 1.0) + descend(x, 0, a * 1.0) + largest(w) + guarded(a) + scaled(a, b)
    s += scaled(a) + apply(mix, a, b) + ping(a * 1.0, n) + squash(a, b) + pair(a, b)[0]
    for p in halves(a * 1.0, n):
        s += p * TABLE[0, 1] * WEIGHTS[2] * np.random.random()
    return weigh(w) + weigh(x) + s + w.sum() * math.exp(a) * math.sqrt(1.0 + b * b) + fresh(w, a)[0]
""",
    """\
    w = x.copy()
    s = x.var() + x.mean() + x.prod() + x.min() + w.max() + w.var() + w.prod() + w.mean() + w.min()
    z = np.zeros(5, np.complex128)
    z[1] = complex(a, b) * (1.0 + 0.5j)
    s += (z[1] * z[2]).imag + abs(z[1]) ** 2 + (1.0 / (1.5j + z[1])).real
    s += np.array([a, b, 9.0]).std() * math.isnan(np.full(5, np.nan)[0])
    s += np.interp(a, np.array([-1.0, 0.1, 2.0]), x[:3].astype(np.float64))
    w[w > 0.3] = 0.5
    x[x > 0.3] = 0.5
    x[np.array([1, 2])] = 0.5
    s += np.roll(x, 1)[0] + np.where(x > a, x, w)[0] + np.clip(w, -0.4, 0.6)[1]
    s += np.concatenate((x[:2], w[2:]))[0] + np.linspace(a, b, 5)[1] + np.diff(w)[0]
    s += np.cumsum(w)[1] + np.cumprod(w)[1] + np.outer(x, w)[1, 0] + np.convolve(x, w[:3])[0]
    s += squash(x, w)[0] + squash(x, 0.2)[0] + np.flip(x)[0] + np.full(5, a)[1]
    y[:, 1] = a
    return s + x[np.argmax(x)] + x[np.argmin(w)]
""",
    """\
    w = np.sort(x)
    w = w[np.argsort(w)]
    pour(w, np.sum(y, axis=0))
    pour(w, np.sum(y, axis=1))
    pour(w, np.append(x, w))
    pour(w, np.repeat(x, 2))
    pour(w, np.diag(y[:3, :3]))
    pour(w, np.stack((x, w))[:, 2])
    w[0] = np.nansum(x) + np.trace(y[:, 1:])
    return w[np.searchsorted(w, a) % 5] + y.ravel()[1] + y.T[1, 2] + np.zeros(12).reshape(3, 4)[1, 1]
""",
    """\
    w = x.copy()
    q = Point(a * 1.0, b * 1.0)
    r = [a * 1.0, b * 1.0]
    r.reverse()
    r.extend(r[:1])
    l = List()
    l.append(a * 1.0)
    l.reverse()
    l.extend(l[:1])
    l[0] = 0.5 * l[-1]
    m = listed(x, a)
    s = norm(q) + total(r) + total(l) + pile(r, a) + pile(l, a) + m.pop() + listed(w, a)[0]
    o = maybe(a * 1.0, b * 1.0)
    if o is not None:
        s += o
    k = [w.copy(), w[::-1].copy()]
    k.append(k[-1].copy())
    for e in l:
        s += e * k[0][1]
    rec = np.zeros(3, ENTRY)
    fill(rec, a)
    box = Box(a * 1.0)
    box.push(b * 1.0)
    box.c *= 0.5
    r.insert(0, b)
    l.insert(0, b)
    s += r[::-1].pop(0) + l[::-1].pop(0) + sum(r) + sum(l) + r[1:][0] + l[1:][0]
    return s + rec.a.sum() + rec[1].b[1] + box.read(a * 1.0) + box.w[1]
""",
    """\
    d = Dict.empty(types.int64, types.float64)
    d[1] = a * 1.0
    f = {0: b * 1.0, n + 1: a * 1.0}
    s = f.get(1, b * 1.0) + spread(counted(x), a) + spread(counted(x.copy()), a)
    for k, e in d.items():
        s += e * k
    for e in f.values():
        s += e if 1 in d else 0.1
    label = "up" if a > b else "down"
    if label == "up":
        s += 1.0
    return s + spread(f, a)
""",
    """\
    w = x.copy()
    stir(w, a * 1.0)
    return bent(a * 1.0, b * 1.0) + spun(w, b * 1.0)[1]
""",
    """\
    g = {"up": a * 1.0, "down": b * 1.0}
    return g["up"]
""",
]


def programs() -> list[Program]:
    """One for each text above."""
    head = "@njit\ndef program(x, y, a, b, n):\n"
    return [
        Program("\n".join([HEAD, *HELPERS.values(), head + body]), False, "C", 0) for body in BODIES
    ]


def annotated(arguments: tuple[Any, ...]) -> list[Any]:
    """The arguments of a program for reverse mode."""
    return [
        Duplicated(v, np.zeros_like(v))
        if isinstance(v, np.ndarray)
        else (Const(v) if isinstance(v, int) else Active(v))
        for v in arguments
    ]


def warm_up(count: int = 0) -> None:
    """Compile and differentiate them, and `count` random programs.

    What they give, refusals included, does not matter. The garbage collector never looks again at what there is then.
    """
    hurry_numba()
    _compile(count)
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE)


def _compile(count: int) -> None:
    for program in programs():
        with contextlib.suppress(Exception), compiling_with(POST_QUICK):
            autodiff(Reverse, program.compiled(), Active, *annotated(program.arguments()))
    if not count:
        return

    @hypothesis.seed(0)
    @drawing.settings(count, phases=[hypothesis.Phase.generate])
    @hypothesis.given(generator.programs())
    def use(program: Program) -> None:
        with contextlib.suppress(Exception):
            law.check(program)

    use()
