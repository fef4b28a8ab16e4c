; Fields of a struct, by their offsets.
; arguments: [1.5 2 -1]
; returns: double
%point = type { double, double, double }
define double @f(ptr %x) {
entry:
  %py = getelementptr %point, ptr %x, i64 0, i32 1
  %pz = getelementptr %point, ptr %x, i64 0, i32 2
  %a = load double, ptr %x
  %b = load double, ptr %py
  %m = fmul double %a, %b
  store double %m, ptr %pz
  ret double %m
}
