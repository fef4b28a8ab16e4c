"""A function of a float and an array in one tuple, with right rules for every width."""

from __future__ import annotations

from types import SimpleNamespace

from numba import njit

from enzyme_rules import AugmentedReturn, augmented_primal, reverse


def energy():
    """x * sum(y * y) of (x, y)."""

    def plain(t):
        return t[0] * (t[1] * t[1]).sum()

    @njit
    def f(t):
        return t[0] * (t[1] * t[1]).sum()

    @augmented_primal(f)
    def augmented(config, func, RT, t):
        kept = t.val[1].copy() if config.overwritten[1] else None
        return AugmentedReturn(func.val(t.val) if config.needs_primal else None, None, kept)

    @njit
    def add(ref, x, y, d):
        dx, dy = ref[()]
        dy += 2.0 * x * y * d
        ref[()] = (dx + (y * y).sum() * d, dy)

    @reverse(f)
    def adjoint(config, func, dret, tape, t):
        y = tape if config.overwritten[1] else t.val[1]
        if config.width == 1:
            add(t.dval, t.val[0], y, dret.val)
        else:
            for lane in range(config.width):
                add(t.dval[lane], t.val[0], y, dret[lane].val)
        return (None,)

    return SimpleNamespace(ruled=f, plain=njit(plain))
