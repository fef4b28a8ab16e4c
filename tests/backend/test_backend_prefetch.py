"""Streams through a cache are fetched ahead, and nothing else is."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numba import njit, typeof

from enzyme import Active, Const, Duplicated, Reverse, autodiff, enzyme_code_llvm
from enzyme.backend.passes import parse
from enzyme.backend.prefetch import AHEAD_BYTES, add_prefetches
from tests.backend.loop_text import loop_over

pytestmark = pytest.mark.optimised

SCOPES = """
!0 = distinct !{!0, !"f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal"}
!3 = !{!1}
!4 = !{!2}
"""


def prefetches(text):
    return re.findall(
        r"(%prefetch\.\d+) = getelementptr i8, ptr (\S+), i64 (-?\d+)\n"
        r" +call void @llvm\.prefetch\.p0\(ptr \1, i32 (\d), i32 3, i32 1\)",
        text,
    )


def canonical(access):
    x = "%x = load <4 x double>, ptr %from, align 8, !alias.scope !4, !noalias !3"
    return str(parse(loop_over(x, access, step=4) + SCOPES))


def test_a_cache_that_is_written_is_fetched_upwards():
    text = canonical("store <4 x double> %x, ptr %to, align 8, !alias.scope !3, !noalias !4")
    made = add_prefetches(text)
    assert prefetches(made) == [("%prefetch.0", "%to", str(AHEAD_BYTES), "1")]
    parse(made)


def test_a_cache_that_is_read_is_fetched_downwards():
    text = canonical("%y = load <4 x double>, ptr %to, align 8, !alias.scope !3, !noalias !4")
    made = add_prefetches(text)
    assert prefetches(made) == [("%prefetch.0", "%to", str(-AHEAD_BYTES), "0")]
    parse(made)


def test_other_memory_and_scalar_loops_are_left_alone():
    for access in (
        "store <4 x double> %x, ptr %to, align 8, !alias.scope !4, !noalias !3",
        "store double 0.0, ptr %to, align 8, !alias.scope !3, !noalias !4",
        "store <4 x double> %x, ptr %to, align 8",
    ):
        text = canonical(access)
        assert add_prefetches(text) is text


@njit
def waves(u, steps):
    u = u.copy()
    for _ in range(steps):
        for i in range(u.shape[0]):
            u[i] = 1.5 * u[i] * u[i] - u[i]
    return u.sum()


def test_a_derivative_streams_through_its_cache_with_prefetches():
    """The values are checked too: an address beyond both ends of the cache is only a hint."""
    u = np.linspace(-0.5, 0.5, 1003)
    du = np.zeros_like(u)
    autodiff(Reverse, waves, Active, Duplicated(u, du), Const(5))
    expected, value = np.ones_like(u), u.copy()
    for _ in range(5):
        expected *= 3.0 * value - 1.0
        value = 1.5 * value * value - value
    np.testing.assert_allclose(du, expected, rtol=1e-12, atol=1e-13)
    text = enzyme_code_llvm(waves, Active, (Duplicated[typeof(u)], Const[typeof(5)]))
    kinds = {kind for *_, kind in prefetches(text)}
    assert kinds == {"0", "1"}
