; A pointer that is chosen from constant and active memory: a branch between two loads.
; arguments: i64:1 [1.5 2] const[0.5 3]
; returns: double
define double @f(i64 %n, ptr %x, ptr %y) {
entry:
  %c = icmp sgt i64 %n, 0
  %p = select i1 %c, ptr %x, ptr %y
  %v = load double, ptr %p
  %r = fmul double %v, %v
  ret double %r
}
