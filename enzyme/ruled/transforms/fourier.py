"""Adjoints of Fourier transforms: the conjugate transform with the other norm, at the price of one transform.

A transform along several axes is one along each. Half a spectrum stands for a whole one, so of a real signal the items
between the first and the middle count twice, or half, on the way back.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def"

from __future__ import annotations

import numpy as np

from enzyme.ruled.apart import inlined
from enzyme.ruled.transforms.axes import in_c_order, resized, scaled_between
from enzyme.ruled.transforms.plans import (
    NORM,
    alone,
    axes_of,
    axis_of,
    count_of,
    lengths_of,
    norm_named,
    other_norm,
)


@inlined
def _along(axis, length):
    return alone(length), alone(axis)


@inlined
def _paired(length):
    """Which items of half a spectrum stand for two."""
    return 1, (length + 1) // 2


@inlined
def forth(x, plan):
    """The transform of complex or real numbers."""
    return np.fft.fftn(x, lengths_of(plan), axes_of(plan), norm_named(plan[NORM]))


@inlined
def back(x, plan):
    """The transform back."""
    return np.fft.ifftn(x, lengths_of(plan), axes_of(plan), norm_named(plan[NORM]))


@inlined
def half(x, plan):
    """Half of the spectrum of real numbers."""
    return np.fft.rfftn(x, lengths_of(plan), axes_of(plan), norm_named(plan[NORM]))


@inlined
def whole(x, plan):
    """Real numbers from half of their spectrum."""
    return np.fft.irfftn(x, lengths_of(plan), axes_of(plan), norm_named(plan[NORM]))


@inlined
def _forth_adjoint(seed, plan, count):
    """The first axes alone."""
    for k in range(count):
        axis, before, length = axis_of(plan, k)
        lengths, axes = _along(axis, length)
        seed = resized(
            np.fft.ifftn(seed, lengths, axes, norm_named(other_norm(plan[NORM]))), axis, before
        )
    return seed


@inlined
def _back_adjoint(seed, plan, count):
    for k in range(count):
        axis, before, length = axis_of(plan, k)
        lengths, axes = _along(axis, length)
        seed = resized(
            np.fft.fftn(seed, lengths, axes, norm_named(other_norm(plan[NORM]))), axis, before
        )
    return seed


@inlined
def forth_adjoint(seed, plan):
    """Of `forth`."""
    return _forth_adjoint(seed, plan, count_of(plan))


@inlined
def back_adjoint(seed, plan):
    """Of `back`."""
    return _back_adjoint(seed, plan, count_of(plan))


@inlined
def half_adjoint(seed, plan):
    """Of `half`: real numbers."""
    last = count_of(plan) - 1
    seed = _forth_adjoint(seed, plan, last)
    axis, before, length = axis_of(plan, last)
    first, end = _paired(length)
    lengths, axes = _along(axis, length)
    halved = scaled_between(seed, axis, first, end, 0.5)
    found = np.fft.irfftn(halved, lengths, axes, norm_named(other_norm(plan[NORM])))
    return resized(found, axis, before)


@inlined
def whole_adjoint(seed, plan):
    """Of `whole`: half a spectrum."""
    last = count_of(plan) - 1
    axis, before, length = axis_of(plan, last)
    first, end = _paired(length)
    lengths, axes = _along(axis, length)
    found = np.fft.rfftn(seed, lengths, axes, norm_named(other_norm(plan[NORM])))
    found = resized(scaled_between(found, axis, first, end, 2.0), axis, before)
    return _back_adjoint(found, plan, last)


def _push_forth(kept, dx):
    return forth(in_c_order(dx), kept[0])


def _pull_forth(kept, dy):
    return (forth_adjoint(in_c_order(dy), kept[0]),)


def _push_back(kept, dx):
    return back(in_c_order(dx), kept[0])


def _pull_back(kept, dy):
    return (back_adjoint(in_c_order(dy), kept[0]),)


def _push_half(kept, dx):
    return half(in_c_order(dx), kept[0])


def _pull_half(kept, dy):
    return (half_adjoint(in_c_order(dy), kept[0]),)


def _push_whole(kept, dx):
    return whole(in_c_order(dx), kept[0])


def _pull_whole(kept, dy):
    return (whole_adjoint(in_c_order(dy), kept[0]),)


# Hermitian transforms are these with the conjugate spectrum and the other norm, which their plans have.


def _push_hermitian(kept, dx):
    return whole(np.conj(in_c_order(dx)), kept[0])


def _pull_hermitian(kept, dy):
    return (np.conj(whole_adjoint(in_c_order(dy), kept[0])),)


def _push_to_hermitian(kept, dx):
    return np.conj(half(in_c_order(dx), kept[0]))


def _pull_to_hermitian(kept, dy):
    return (half_adjoint(np.conj(in_c_order(dy)), kept[0]),)


# Kinds: tangent, adjoint, on which side half a spectrum is, whether the norm is the other.
KINDS = {
    "fft": (_push_forth, _pull_forth, 0, False),
    "ifft": (_push_back, _pull_back, 0, False),
    "rfft": (_push_half, _pull_half, 1, False),
    "irfft": (_push_whole, _pull_whole, -1, False),
    "hfft": (_push_hermitian, _pull_hermitian, -1, True),
    "ihfft": (_push_to_hermitian, _pull_to_hermitian, 1, True),
}
