"""Functions with deliberately wrong rules: a derivative shows by its value which rule it comes from."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from numba import njit

from enzyme import BatchDuplicated, Const, Duplicated, DuplicatedNoNeed
from enzyme_rules import AugmentedReturn, augmented_primal, forward, reverse


def squared_with_forward():
    """x * x: 10, 100, 1000 or 10000 more than its tangent."""

    @njit
    def f(x):
        return x * x

    @forward(f)
    def rule(config, func, RT, x):
        if config.width == 1:
            if config.needs_primal:
                return Duplicated(func.val(x.val), 100.0 + 2.0 * x.val * x.dval)
            return 10.0 + 2.0 * x.val * x.dval
        if config.needs_primal:
            d = (10000.0 + 2.0 * x.val * x.dval[0], 10000.0 + 2.0 * x.val * x.dval[1])
            return BatchDuplicated(func.val(x.val), d)
        return (1000.0 + 2.0 * x.val * x.dval[0], 1000.0 + 2.0 * x.val * x.dval[1])

    return f


def squared_with_reverse():
    """x * x: 10 or 100 more than its adjoint, depending on whether its primal is needed."""

    @njit
    def f(x):
        return x * x

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        primal = func.val(x.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, x.val)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        if config.needs_primal:
            return (10.0 + 2.0 * tape * dret.val,)
        return (100.0 + 2.0 * tape * dret.val,)

    return f


def squared_in_place():
    """x[0] *= x[0]: tangent * (2 x + 10); adjoint 100 + dx * x."""

    @njit
    def f(x):
        x[0] = x[0] * x[0]

    @forward(f)
    def tangent(config, func, RT, x):
        x.dval[0] = x.dval[0] * (2.0 * x.val[0] + 10.0)
        func.val(x.val)

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        tape = x.val[0]
        func.val(x.val)
        return AugmentedReturn(None, None, tape)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        x.dval[0] = 100.0 + x.dval[0] * tape
        return (None,)

    return f


def squared_in_box():
    """An array of one element with x * x: tangents and adjoints 1000 or 10 times as large."""

    @njit
    def f(x):
        box = np.empty(1)
        box[0] = x * x
        return box

    @forward(f)
    def tangent(config, func, RT: Duplicated, x):
        box = func.val(x.val)
        return Duplicated(box, np.full(1, 10.0 * 2.0 * x.val * x.dval))

    @forward(f)
    def tangent_alone(config, func, RT: DuplicatedNoNeed, x):
        d = np.full(1, 1000.0 * 2.0 * x.val * x.dval)
        return Duplicated(func.val(x.val), d) if config.needs_primal else d

    return f


def linear(factor=7.0):
    """factor * x * d in place of the right adjoint of x * x, by an overload for every width up to 3."""

    @njit
    def f(x):
        return x * x

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        primal = func.val(x.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        if config.width == 1:
            return (factor * x.val * dret.val,)
        if config.width == 2:
            return ((factor * x.val * dret[0].val, factor * x.val * dret[1].val),)
        return (
            (
                factor * x.val * dret[0].val,
                factor * x.val * dret[1].val,
                factor * x.val * dret[2].val,
            ),
        )

    return f


def consistent():
    """sin(x) * y + x with the right rules for all widths up to 3."""

    @njit
    def f(x, y):
        return np.sin(x) * y + x

    @forward(f)
    def tangent(config, func, RT, x, y):
        px, py, a, b, c = np.cos(x.val) * y.val + 1.0, np.sin(x.val), 0.0, 0.0, 0.0
        if config.width == 1:
            if not isinstance(x, Const):
                a += px * x.dval
            if not isinstance(y, Const):
                a += py * y.dval
            return Duplicated(func.val(x.val, y.val), a) if config.needs_primal else a
        if not isinstance(x, Const):
            a, b, c = px * x.dval[0], px * x.dval[1], px * x.dval[config.width - 1]
        if not isinstance(y, Const):
            a, b, c = a + py * y.dval[0], b + py * y.dval[1], c + py * y.dval[config.width - 1]
        d = (a, b) if config.width == 2 else (a, b, c)
        return BatchDuplicated(func.val(x.val, y.val), d) if config.needs_primal else d

    @augmented_primal(f)
    def augmented(config, func, RT, x, y):
        primal = func.val(x.val, y.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, (np.cos(x.val), np.sin(x.val)))

    @reverse(f)
    def adjoint(config, func, dret, tape, x, y):
        px, py = tape[0] * y.val + 1.0, tape[1]
        if config.width == 1:
            dx, dy = px * dret.val, py * dret.val
        elif config.width == 2:
            dx = (px * dret[0].val, px * dret[1].val)
            dy = (py * dret[0].val, py * dret[1].val)
        else:
            dx = (px * dret[0].val, px * dret[1].val, px * dret[2].val)
            dy = (py * dret[0].val, py * dret[1].val, py * dret[2].val)
        if isinstance(x, Const):
            return (None, dy)
        if isinstance(y, Const):
            return (dx, None)
        return (dx, dy)

    def plain(x, y):
        return np.sin(x) * y + x

    return SimpleNamespace(ruled=f, plain=plain)
