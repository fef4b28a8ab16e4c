"""A loop over two arrays as LLVM text."""

from __future__ import annotations

LOOP = """
define void @f(ptr noalias %a, ptr noalias %c, i64 %n) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %from = getelementptr double, ptr %a, i64 %i
  %to = getelementptr double, ptr %c, i64 %i
  BODY
  %next = add i64 %i, STEP
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %body
exit:
  ret void
}
"""


def loop_over(*body: str, step: int = 1) -> str:
    """The loop with these instructions, between `%from` and `%to`."""
    return LOOP.replace("BODY", "\n  ".join(body)).replace("STEP", str(step))
