define void @f(i1 %k) {
define: br label %ret
ret: br label %add
add: br label %0
0: br label %-1
-1: br label %e
e: br label %1
1: br i1 %k, label %c, label %x
c: ret void
x: ret void
}
