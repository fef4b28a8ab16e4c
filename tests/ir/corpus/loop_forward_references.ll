define double @sum(ptr %p, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %early ]
  %s = phi double [ 0.000000e+00, %entry ], [ %s.next, %early ]
  %go = icmp slt i64 %i, %n
  br i1 %go, label %body, label %exit
body:
  br label %late
early:
  %use = fadd double %x, 1.0
  %s.next = fadd double %s, %use
  %next = add nuw nsw i64 %i, 1
  br i1 %go, label %head, label %exit
late:
  %q = getelementptr inbounds double, ptr %p, i64 %i
  %x = load double, ptr %q, align 8
  br label %early
exit:
  %r = phi double [ %s, %head ], [ %s.next, %early ]
  ret double %r
}
