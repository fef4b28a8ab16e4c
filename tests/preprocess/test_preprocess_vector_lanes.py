"""Vectors of integers and of addresses, as vectorisers write them for records: bits of floats between other things."""

from __future__ import annotations

import numpy as np
import pytest

from enzyme import Active, BatchDuplicated, Duplicated, Forward, Reverse
from enzyme.llvm import autodiff, load

HEAD = """
declare <2 x i64> @llvm.masked.load.v2i64.p0(ptr, i32, <2 x i1>, <2 x i64>)
declare void @llvm.masked.scatter.v2i64.v2p0(<2 x i64>, <2 x ptr>, i32, <2 x i1>)
declare void @llvm.masked.scatter.v2f32.v2p0(<2 x float>, <2 x ptr>, i32, <2 x i1>)
declare <2 x double> @llvm.masked.gather.v2f64.v2p0(<2 x ptr>, i32, <2 x i1>, <2 x double>)
"""

# Two records {float, i32} at %q are made of x[0] and x[1] with counts 3 and 5, and moved to %r, exchanged.
FILL = {
    "interleaved": """
  %bits = bitcast <2 x float> %s to <2 x i32>
  %both = shufflevector <2 x i32> %bits, <2 x i32> <i32 3, i32 5>, <4 x i32> <i32 0, i32 2, i32 1, i32 3>
  store <4 x i32> %both, ptr %q, align 16""",
    "packed": """
  %s0 = extractelement <2 x float> %s, i32 0
  %s1 = extractelement <2 x float> %s, i32 1
  %i0 = bitcast float %s0 to i32
  %i1 = bitcast float %s1 to i32
  %w0 = zext i32 %i0 to i64
  %w1 = zext i32 %i1 to i64
  %p0 = or i64 %w0, 12884901888
  %c = shl i64 5, 32
  %p1 = or disjoint i64 %w1, %c
  %k0 = getelementptr i8, ptr %q, i64 4
  store i64 %w0, ptr %q
  store i32 3, ptr %k0
  %q8 = getelementptr i8, ptr %q, i64 8
  store i64 %w1, ptr %q8
  %k1 = getelementptr i8, ptr %q, i64 12
  store i32 5, ptr %k1""",
    "scattered": """
  %places = getelementptr { float, i32 }, ptr %q, <2 x i64> <i64 0, i64 1>
  call void @llvm.masked.scatter.v2f32.v2p0(<2 x float> %s, <2 x ptr> %places, i32 4, <2 x i1> splat (i1 true))
  %k0 = getelementptr i8, ptr %q, i64 4
  store i32 3, ptr %k0
  %k1 = getelementptr i8, ptr %q, i64 12
  store i32 5, ptr %k1""",
}
MOVE = {
    "shuffled": """
  %v = load <2 x i64>, ptr %q, align 16
  %t = shufflevector <2 x i64> %v, <2 x i64> poison, <2 x i32> <i32 1, i32 0>
  store <2 x i64> %t, ptr %r, align 16""",
    "scattered": """
  %v = call <2 x i64> @llvm.masked.load.v2i64.p0(ptr %q, i32 8, <2 x i1> splat (i1 true), <2 x i64> poison)
  %to = getelementptr { float, i32 }, ptr %r, <2 x i64> <i64 1, i64 0>
  call void @llvm.masked.scatter.v2i64.v2p0(<2 x i64> %v, <2 x ptr> %to, i32 8, <2 x i1> splat (i1 true))""",
    "one by one": """
  %from1 = getelementptr i8, ptr %q, i64 8
  %to1 = getelementptr i8, ptr %r, i64 8
  %a = load i64, ptr %q, align 8
  %b = load i64, ptr %from1, align 8
  store i64 %b, ptr %r, align 8
  store i64 %a, ptr %to1, align 8""",
    "chosen": """
  %from1 = getelementptr i8, ptr %q, i64 8
  %to1 = getelementptr i8, ptr %r, i64 8
  %a = load i64, ptr %q, align 8
  %b = load i64, ptr %from1, align 8
  %less = fcmp olt double %x0, 100.0
  %first = select i1 %less, i64 %b, i64 %a
  %second = select i1 %less, i64 %a, i64 %b
  store i64 %first, ptr %r, align 8
  store i64 %second, ptr %to1, align 8""",
    "in a loop": """
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %last = phi i64 [ 4611686018427387904, %entry ], [ %now, %loop ]
  %at = getelementptr i64, ptr %q, i64 %i
  %now = load i64, ptr %at, align 8
  %left = sub i64 1, %i
  %to = getelementptr i64, ptr %r, i64 %left
  store i64 %now, ptr %to, align 8
  store i64 %last, ptr %q, align 8
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 2
  br i1 %more, label %loop, label %exit
exit:""",
}
READ = {
    "shuffled": """
  %all = load <4 x i32>, ptr %r, align 16
  %f = shufflevector <4 x i32> %all, <4 x i32> poison, <2 x i32> <i32 0, i32 2>
  %n = shufflevector <4 x i32> %all, <4 x i32> poison, <2 x i32> <i32 1, i32 3>
  %y = bitcast <2 x i32> %f to <2 x float>
  %m = sitofp <2 x i32> %n to <2 x float>""",
    "of floats": """
  %all = load <4 x float>, ptr %r, align 16
  %y = shufflevector <4 x float> %all, <4 x float> poison, <2 x i32> <i32 0, i32 2>
  %nf = shufflevector <4 x float> %all, <4 x float> poison, <2 x i32> <i32 1, i32 3>
  %n = bitcast <2 x float> %nf to <2 x i32>
  %m = sitofp <2 x i32> %n to <2 x float>""",
}
PROGRAM = """
define double @f(ptr %x) {
entry:
  %q = alloca [2 x { float, i32 }], align 16
  %r = alloca [2 x { float, i32 }], align 16
  %in = getelementptr double, ptr %x, <2 x i64> <i64 0, i64 1>
  %all.x = icmp ne <2 x ptr> %in, zeroinitializer
  %xs = call <2 x double> @llvm.masked.gather.v2f64.v2p0(<2 x ptr> %in, i32 8, <2 x i1> %all.x, <2 x double> poison)
  %x0 = extractelement <2 x double> %xs, i32 0
  %x1 = extractelement <2 x double> %xs, i32 1
  %s = fptrunc <2 x double> %xs to <2 x float>
FILLMOVEREAD
  %ym = fmul <2 x float> %y, %m
  %wide = fpext <2 x float> %ym to <2 x double>
  %u = fmul <2 x double> %wide, <double 1.0, double 10.0>
  %u0 = extractelement <2 x double> %u, i32 0
  %u1 = extractelement <2 x double> %u, i32 1
  %u0x = fmul double %u0, %x0
  %sum = fadd double %u0x, %u1
  ret double %sum
}
"""


@pytest.mark.parametrize("read", READ)
@pytest.mark.parametrize("move", MOVE)
@pytest.mark.parametrize("fill", FILL)
def test_records_are_seen_through(fill, move, read):
    body = (
        PROGRAM.replace("FILL", FILL[fill]).replace("MOVE", MOVE[move]).replace("READ", READ[read])
    )
    f = load(HEAD + body).f
    x, dx = np.array([2.0, 3.0]), np.zeros(2)
    # 5 x1 x0 + 30 x0
    assert f(x) == 5 * 3 * 2 + 30 * 2
    slope = np.array([5 * 3 + 30, 5 * 2.0])
    autodiff(Reverse, f, Active, Duplicated(x, dx))
    np.testing.assert_array_equal(dx, slope)
    tangents = [autodiff(Forward, f, Duplicated(x, v))[0] for v in np.eye(2)]
    np.testing.assert_array_equal(tangents, slope)
    lanes = np.zeros(2), np.zeros(2)
    autodiff(Reverse, f, Active, BatchDuplicated(x, lanes))
    np.testing.assert_array_equal(lanes, [slope, slope])
