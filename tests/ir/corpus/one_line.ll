define double @f(double %x) { %y = fmul double %x, %x  ret double %y } define i1 @g() { br label %a a: br label %b b: ret i1 false } ; end
