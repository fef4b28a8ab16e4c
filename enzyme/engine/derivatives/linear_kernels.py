"""Small loops that derivatives of linear algebra call beside the library's own routines, as IR text.

For each kind K, on column-major memory, T its numbers and P their real parts:

    enzyme_axpy_K(conj, n, alpha, x, y)                  y += alpha x
    enzyme_ger_K(conju, conjv, m, n, alpha, u, v, a, lda)   a += alpha u v^T
    enzyme_scale_K(m, n, beta, a, lda)                   a *= beta, where a beta of zero clears
    enzyme_conj_K(m, n, a, lda)                          a = conj(a)
    enzyme_symmetric_K(n, a, lda)                        a += a^T, for real kinds
    enzyme_nrm2_tangent_K, enzyme_nrm2_adjoint_K         of the Euclidean norm r
    enzyme_keep_K(arena, m, n, a, lda)                   a copy without gaps, in the arena; null: no memory

A flag `conj` asks for the conjugate of the vector that it belongs to.
"""

from __future__ import annotations

import re

from enzyme.engine.derivatives.linear_calls import KINDS, is_complex

_SHARED = """
declare ptr @enzyme_allocate(ptr, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"""

_REAL = """
define internal T @enzyme_times_K(T %a, i1 %conj, T %b) alwaysinline {
  %p = fmul T %a, %b
  ret T %p
}

define internal i1 @enzyme_is_zero_K(T %a) alwaysinline {
  %z = fcmp oeq T %a, 0.0
  ret i1 %z
}

define void @enzyme_axpy_K(i1 %conj, i64 %n, T %alpha, ptr noalias %x, ptr noalias %y) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %xi = getelementptr T, ptr %x, i64 %i
  %yi = getelementptr T, ptr %y, i64 %i
  %xv = load T, ptr %xi
  %yv = load T, ptr %yi
  %p = fmul contract T %alpha, %xv
  %s = fadd contract T %yv, %p
  store T %s, ptr %yi
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

define internal void @enzyme_multiply_K(i64 %n, T %beta, ptr %y) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %yi = getelementptr T, ptr %y, i64 %i
  %yv = load T, ptr %yi
  %s = fmul T %beta, %yv
  store T %s, ptr %yi
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""

_COMPLEX = """
define internal T @enzyme_times_K(T %a, i1 %conj, T %b) alwaysinline {
  %sign = select i1 %conj, P -1.0, P 1.0
  %ar = extractvalue T %a, 0
  %ai = extractvalue T %a, 1
  %br = extractvalue T %b, 0
  %bc = extractvalue T %b, 1
  %bi = fmul P %sign, %bc
  %rr = fmul P %ar, %br
  %ii = fmul P %ai, %bi
  %ri = fmul P %ar, %bi
  %ir = fmul P %ai, %br
  %re = fsub P %rr, %ii
  %im = fadd P %ri, %ir
  %p0 = insertvalue T undef, P %re, 0
  %p1 = insertvalue T %p0, P %im, 1
  ret T %p1
}

define internal i1 @enzyme_is_zero_K(T %a) alwaysinline {
  %re = extractvalue T %a, 0
  %im = extractvalue T %a, 1
  %r0 = fcmp oeq P %re, 0.0
  %i0 = fcmp oeq P %im, 0.0
  %z = and i1 %r0, %i0
  ret i1 %z
}

define void @enzyme_axpy_K(i1 %conj, i64 %n, T %alpha, ptr noalias %x, ptr noalias %y) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %xi = getelementptr T, ptr %x, i64 %i
  %yi = getelementptr T, ptr %y, i64 %i
  %xv = load T, ptr %xi
  %p = call T @enzyme_times_K(T %alpha, i1 %conj, T %xv)
  %yim = getelementptr P, ptr %yi, i64 1
  %yr = load P, ptr %yi
  %yc = load P, ptr %yim
  %pr = extractvalue T %p, 0
  %pi = extractvalue T %p, 1
  %sr = fadd P %yr, %pr
  %si = fadd P %yc, %pi
  store P %sr, ptr %yi
  store P %si, ptr %yim
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

define internal void @enzyme_multiply_K(i64 %n, T %beta, ptr %y) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %yi = getelementptr T, ptr %y, i64 %i
  %yv = load T, ptr %yi
  %p = call T @enzyme_times_K(T %beta, i1 false, T %yv)
  store T %p, ptr %yi
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

define internal void @enzyme_negate_K(i64 %n, ptr %y) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %yi = getelementptr T, ptr %y, i64 %i, i32 1
  %yv = load P, ptr %yi
  %s = fneg P %yv
  store P %s, ptr %yi
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""

_REAL += """
define internal P @enzyme_real_K(T %a) alwaysinline {
  ret P %a
}

define internal T @enzyme_number_K(P %a) alwaysinline {
  ret T %a
}

define internal T @enzyme_minus_K(T %a) alwaysinline {
  %m = fneg T %a
  ret T %m
}

define internal T @enzyme_conjugate_K(T %a) alwaysinline {
  ret T %a
}

define internal T @enzyme_sum_K(T %a, T %b) alwaysinline {
  %s = fadd T %a, %b
  ret T %s
}

define internal T @enzyme_inverse_K(T %a) alwaysinline {
  %zero = fcmp oeq T %a, 0.0
  %by = select i1 %zero, T 1.0, T %a
  %q = fdiv T 1.0, %by
  ret T %q
}

define internal T @enzyme_over_K(T %a, T %b) alwaysinline {
  %zero = fcmp oeq T %b, 0.0
  %by = select i1 %zero, T 1.0, T %b
  %q = fdiv T %a, %by
  ret T %q
}
"""
_COMPLEX += """
define internal T @enzyme_pair_K(P %re, P %im) alwaysinline {
  %p0 = insertvalue T undef, P %re, 0
  %p1 = insertvalue T %p0, P %im, 1
  ret T %p1
}

define internal P @enzyme_real_K(T %a) alwaysinline {
  %re = extractvalue T %a, 0
  ret P %re
}

define internal T @enzyme_number_K(P %a) alwaysinline {
  %p = call T @enzyme_pair_K(P %a, P 0.0)
  ret T %p
}

define internal T @enzyme_minus_K(T %a) alwaysinline {
  %re = extractvalue T %a, 0
  %im = extractvalue T %a, 1
  %mr = fneg P %re
  %mi = fneg P %im
  %m = call T @enzyme_pair_K(P %mr, P %mi)
  ret T %m
}

define internal T @enzyme_conjugate_K(T %a) alwaysinline {
  %re = extractvalue T %a, 0
  %im = extractvalue T %a, 1
  %mi = fneg P %im
  %m = call T @enzyme_pair_K(P %re, P %mi)
  ret T %m
}

define internal T @enzyme_sum_K(T %a, T %b) alwaysinline {
  %ar = extractvalue T %a, 0
  %ai = extractvalue T %a, 1
  %br = extractvalue T %b, 0
  %bi = extractvalue T %b, 1
  %re = fadd P %ar, %br
  %im = fadd P %ai, %bi
  %s = call T @enzyme_pair_K(P %re, P %im)
  ret T %s
}

define internal T @enzyme_inverse_K(T %a) alwaysinline {
  %zero = call i1 @enzyme_is_zero_K(T %a)
  %own = extractvalue T %a, 0
  %re = select i1 %zero, P 1.0, P %own
  %im = extractvalue T %a, 1
  %r2 = fmul P %re, %re
  %i2 = fmul P %im, %im
  %size = fadd P %r2, %i2
  %minus = fneg P %im
  %qr = fdiv P %re, %size
  %qi = fdiv P %minus, %size
  %q = call T @enzyme_pair_K(P %qr, P %qi)
  ret T %q
}

define internal T @enzyme_over_K(T %a, T %b) alwaysinline {
  %inverse = call T @enzyme_inverse_K(T %b)
  %q = call T @enzyme_times_K(T %a, i1 false, T %inverse)
  ret T %q
}
"""

# Sum of conj(x) y, in any order.
_REAL += """
define internal T @enzyme_accumulate_K(T %a, T %b) alwaysinline {
  %s = fadd reassoc contract T %a, %b
  ret T %s
}
"""
_COMPLEX += """
define internal T @enzyme_accumulate_K(T %a, T %b) alwaysinline {
  %ar = extractvalue T %a, 0
  %ai = extractvalue T %a, 1
  %br = extractvalue T %b, 0
  %bi = extractvalue T %b, 1
  %re = fadd reassoc P %ar, %br
  %im = fadd reassoc P %ai, %bi
  %s = call T @enzyme_pair_K(P %re, P %im)
  ret T %s
}
"""
_STARRED = """
define internal T @enzyme_starred_K(i64 %n, ptr %x, ptr %y) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %total = phi T [ zeroinitializer, %entry ], [ %sum, %loop ]
  %xi = getelementptr T, ptr %x, i64 %i
  %yi = getelementptr T, ptr %y, i64 %i
  %xv = load T, ptr %xi
  %yv = load T, ptr %yi
  %p = call T @enzyme_times_K(T %yv, i1 true, T %xv)
  %sum = call T @enzyme_accumulate_K(T %total, T %p)
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  %result = phi T [ zeroinitializer, %entry ], [ %sum, %loop ]
  ret T %result
}
"""

# Norms: d r = Re(conj(x / r) dx), zero for the norm zero; `inc` are strides. Each x is divided by r first, since d / r
# or x dx may overflow where the product does not; 1 / r may too, so below 2^-100 both are scaled up by 2^100.
_NORM = """
define internal P @enzyme_norm_scale_K(P %r) alwaysinline {
  %small = fcmp olt P %r, 0x39B0000000000000
  %up = select i1 %small, P 0x4630000000000000, P 1.0
  ret P %up
}

define internal P @enzyme_over_norm_K(P %r, P %up) alwaysinline {
  %r.up = fmul P %r, %up
  %zero = fcmp oeq P %r, 0.0
  %q = fdiv P 1.0, %r.up
  %s = select i1 %zero, P 0.0, P %q
  ret P %s
}

define internal T @enzyme_unit_K(T %x, P %up, P %inverse) alwaysinline {
  %scale = call T @enzyme_number_K(P %up)
  %factor = call T @enzyme_number_K(P %inverse)
  %x.up = call T @enzyme_times_K(T %scale, i1 false, T %x)
  %u = call T @enzyme_times_K(T %factor, i1 false, T %x.up)
  ret T %u
}

define P @enzyme_nrm2_tangent_K(i64 %n, P %r, ptr %x, i64 %incx, ptr %dx, i64 %incd) {
entry:
  %up = call P @enzyme_norm_scale_K(P %r)
  %inverse = call P @enzyme_over_norm_K(P %r, P %up)
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %total = phi P [ 0.0, %entry ], [ %sum, %loop ]
  %ix = mul i64 %i, %incx
  %id = mul i64 %i, %incd
  %xi = getelementptr T, ptr %x, i64 %ix
  %di = getelementptr T, ptr %dx, i64 %id
  %xv = load T, ptr %xi
  %dv = load T, ptr %di
  %u = call T @enzyme_unit_K(T %xv, P %up, P %inverse)
  %p = call T @enzyme_times_K(T %dv, i1 true, T %u)
  %re = call P @enzyme_real_K(T %p)
  %sum = fadd P %total, %re
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  %result = phi P [ 0.0, %entry ], [ %sum, %loop ]
  ret P %result
}

define void @enzyme_nrm2_adjoint_K(i64 %n, P %d, P %r, ptr %x, i64 %incx, ptr %dx, i64 %incd) {
entry:
  %item = alloca T
  %up = call P @enzyme_norm_scale_K(P %r)
  %inverse = call P @enzyme_over_norm_K(P %r, P %up)
  %zero = fcmp oeq P %r, 0.0
  %seed = select i1 %zero, P 0.0, P %d
  %factor = call T @enzyme_number_K(P %seed)
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %ix = mul i64 %i, %incx
  %id = mul i64 %i, %incd
  %xi = getelementptr T, ptr %x, i64 %ix
  %di = getelementptr T, ptr %dx, i64 %id
  %xv = load T, ptr %xi
  %u = call T @enzyme_unit_K(T %xv, P %up, P %inverse)
  store T %u, ptr %item
  call void @enzyme_axpy_K(i1 false, i64 1, T %factor, ptr %item, ptr %di)
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""

# Column by column: `BODY` handles the column of length %m at %at, number %j.
_COLUMNS = """
entry:
  %size.at = getelementptr T, ptr null, i64 1
  %size = ptrtoint ptr %size.at to i64
  SETUP
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %done
loop:
  %j = phi i64 [ 0, %start ], [ %next, %loop ]
  %skip = mul i64 %j, %lda
  %at = getelementptr T, ptr %a, i64 %skip
  BODY
  %next = add nuw nsw i64 %j, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  RESULT
}
"""


def _columns(head: str, body: str, setup: str = "", result: str = "ret void") -> str:
    start = "start" if "start:" in setup else "entry"
    text = _COLUMNS.replace("%start", f"%{start}")
    return head + text.replace("SETUP", setup).replace("BODY", body).replace("RESULT", result)


# Columns that lie behind one another are cleared as one.
_CLEAR = """
declare i64 @llvm.smax.i64(i64, i64)

define internal void @enzyme_clear_K(i64 %m, i64 %n, ptr %a, i64 %lda) {
  %close = icmp eq i64 %m, %lda
  %some = call i64 @llvm.smax.i64(i64 %n, i64 0)
  %all = mul i64 %m, %some
  %rows = select i1 %close, i64 %all, i64 %m
  %columns = select i1 %close, i64 1, i64 %n
  call void @enzyme_clear_columns_K(i64 %rows, i64 %columns, ptr %a, i64 %lda)
  ret void
}
"""

_MATRICES = (
    _CLEAR
    + _columns(
        "\ndefine void @enzyme_ger_K(i1 %conju, i1 %conjv, i64 %m, i64 %n, T %alpha, ptr %u, ptr %v,"
        " ptr %a, i64 %lda) {",
        """%vj = getelementptr T, ptr %v, i64 %j
  %vv = load T, ptr %vj
  %s = call T @enzyme_times_K(T %alpha, i1 %conjv, T %vv)
  call void @enzyme_axpy_K(i1 %conju, i64 %m, T %s, ptr %u, ptr %at)""",
    )
    + _columns(
        "\ndefine internal void @enzyme_clear_columns_K(i64 %m, i64 %n, ptr %a, i64 %lda) {",
        """%bytes = mul i64 %m, %size
  call void @llvm.memset.p0.i64(ptr %at, i8 0, i64 %bytes, i1 false)""",
    )
    + _columns(
        "\ndefine void @enzyme_scale_K(i64 %m, i64 %n, T %beta, ptr %a, i64 %lda) {",
        "call void @enzyme_multiply_K(i64 %m, T %beta, ptr %at)",
        """%zero = call i1 @enzyme_is_zero_K(T %beta)
  br i1 %zero, label %clear, label %start
clear:
  call void @enzyme_clear_K(i64 %m, i64 %n, ptr %a, i64 %lda)
  ret void
start:""",
    )
    + _columns(
        "\ndefine ptr @enzyme_keep_K(ptr %arena, i64 %m, i64 %n, ptr %a, i64 %lda) {",
        """%to = mul i64 %j, %bytes
  %place = getelementptr i8, ptr %copy, i64 %to
  call void @llvm.memcpy.p0.p0.i64(ptr %place, ptr %at, i64 %bytes, i1 false)""",
        """%bytes = mul i64 %m, %size
  %total = mul i64 %bytes, %n
  %copy = call ptr @enzyme_allocate(ptr %arena, i64 %total)
  %none = icmp eq ptr %copy, null
  br i1 %none, label %done, label %start
start:""",
        "ret ptr %copy",
    )
)

_SYMMETRIC = _columns(
    """
define internal void @enzyme_symmetric_column_K(i64 %j, ptr %a, i64 %lda) {
entry:
  %skip = mul i64 %j, %lda
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %below = add i64 %skip, %i
  %along = mul i64 %i, %lda
  %across = add i64 %along, %j
  %one = getelementptr T, ptr %a, i64 %below
  %other = getelementptr T, ptr %a, i64 %across
  %x = load T, ptr %one
  %y = load T, ptr %other
  %s = fadd T %x, %y
  store T %s, ptr %one
  store T %s, ptr %other
  %next = add nuw nsw i64 %i, 1
  %more = icmp sle i64 %next, %j
  br i1 %more, label %loop, label %done
done:
  ret void
}

define void @enzyme_symmetric_K(i64 %n, ptr %a, i64 %lda) {""",
    "call void @enzyme_symmetric_column_K(i64 %j, ptr %a, i64 %lda)",
)
_CONJUGATE = _columns(
    "\ndefine void @enzyme_conj_K(i64 %m, i64 %n, ptr %a, i64 %lda) {",
    "call void @enzyme_negate_K(i64 %m, ptr %at)",
)


def kernels_text(kind: str) -> str:
    """All loops for one kind."""
    own = _COMPLEX + _CONJUGATE if is_complex(kind) else _REAL + _SYMMETRIC
    return _SHARED + for_kind(own + _STARRED + _NORM + _MATRICES, kind)


def for_kind(text: str, kind: str) -> str:
    """IR text where K is the kind, T its number type and P the type of a part of a number."""
    part = KINDS[kind].text
    number = f"{{ {part}, {part} }}" if is_complex(kind) else part
    words = {"K": kind, "T": number, "P": part}
    return _WORD.sub(lambda found: words[found[0]], text)


# A letter that stands alone, or behind the underscore of a symbol.
_WORD = re.compile(r"(?<=_)K(?=\()|(?<![\w.%@])[TP](?!\w)")
