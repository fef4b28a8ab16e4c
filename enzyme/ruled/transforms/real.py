"""Adjoints of cosine and sine transforms: transforms of the other type, with the items at an end scaled.

With the unscaled matrices of SciPy, ``C1 = K D`` and K symmetric, where D is 1 at both ends and 2 between; ``C2`` and
``C3`` are each other's transposes but for the first item, ``S2`` and ``S3`` but for the last; ``C4``, ``S1`` and ``S4``
are symmetric. What is orthogonal has factors of the root of two at these ends.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def"

from __future__ import annotations

import math

import scipy.fft

from enzyme.ruled.apart import inlined
from enzyme.ruled.transforms.axes import blocks, in_c_order, resized
from enzyme.ruled.transforms.plans import (
    NORM,
    ORTHOGONAL,
    TYPE,
    alone,
    axes_of,
    axis_of,
    count_of,
    lengths_of,
    norm_named,
)

_ROOT = math.sqrt(2.0)


@inlined
def _scaled_ends(x, axis, first, last):
    made = x.copy()
    seen = blocks(made, axis)
    end = seen.shape[1] - 1
    for i in range(seen.shape[0]):
        for k in range(seen.shape[2]):
            seen[i, 0, k] *= first
            seen[i, end, k] *= last
    return made


@inlined
def _factors(kind, orthogonal, cosine):
    """Of the seed and of the result: at the first item and at the last."""
    if kind == 1 and cosine:
        root = _ROOT if orthogonal else 1.0
        return 2.0 / root, 2.0 / root, root / 2.0, root / 2.0
    root = _ROOT if orthogonal else 2.0
    if kind == 2:
        return (root, 1.0, 1.0, 1.0) if cosine else (1.0, root, 1.0, 1.0)
    if kind == 3:
        root = _ROOT / 2.0 if orthogonal else 0.5
        return (1.0, 1.0, root, 1.0) if cosine else (1.0, 1.0, 1.0, root)
    return 1.0, 1.0, 1.0, 1.0


@inlined
def _of_one_axis(x, kind, axis, norm, cosine):
    axes = alone(axis)
    if cosine:
        return scipy.fft.dctn(x, kind, axes=axes, norm=norm_named(norm), orthogonalize=False)
    return scipy.fft.dstn(x, kind, axes=axes, norm=norm_named(norm), orthogonalize=False)


@inlined
def _adjoint(seed, plan, cosine):
    kind, orthogonal = plan[TYPE], plan[ORTHOGONAL] == 1
    other = 5 - kind if kind == 2 or kind == 3 else kind
    a, b, c, d = _factors(kind, orthogonal, cosine)
    for k in range(count_of(plan)):
        axis, before, _ = axis_of(plan, k)
        made = _of_one_axis(_scaled_ends(seed, axis, a, b), other, axis, plan[NORM], cosine)
        seed = resized(_scaled_ends(made, axis, c, d), axis, before)
    return seed


@inlined
def _pushed(x, plan, cosine):
    orthogonal = plan[ORTHOGONAL] == 1
    if cosine:
        return scipy.fft.dctn(
            x,
            plan[TYPE],
            lengths_of(plan),
            axes_of(plan),
            norm_named(plan[NORM]),
            orthogonalize=orthogonal,
        )
    return scipy.fft.dstn(
        x,
        plan[TYPE],
        lengths_of(plan),
        axes_of(plan),
        norm_named(plan[NORM]),
        orthogonalize=orthogonal,
    )


def _push_cosine(kept, dx):
    return _pushed(in_c_order(dx), kept[0], True)


def _pull_cosine(kept, dy):
    return (_adjoint(in_c_order(dy), kept[0], True),)


def _push_sine(kept, dx):
    return _pushed(in_c_order(dx), kept[0], False)


def _pull_sine(kept, dy):
    return (_adjoint(in_c_order(dy), kept[0], False),)


KINDS = {"dct": (_push_cosine, _pull_cosine), "dst": (_push_sine, _pull_sine)}
