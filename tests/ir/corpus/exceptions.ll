@ti = external constant ptr
declare i32 @__gxx_personality_v0(...)
declare fastcc i32 @may(i32)
define i32 @f(i32 %n) personality ptr @__gxx_personality_v0 {
entry:
  %r = invoke fastcc noundef i32 @may(i32 noundef %n) #0
          to label %normal unwind label %lpad, !prof !0
normal:
  ret i32 %r
lpad:
  %l = landingpad { ptr, i32 }
          cleanup
          catch ptr @ti
          catch ptr null
          filter [1 x ptr] [ptr @ti]
  %x = extractvalue { ptr, i32 } %l, 1
  %c = icmp eq i32 %x, 0
  br i1 %c, label %rethrow, label %other
rethrow:
  resume { ptr, i32 } %l
other:
  invoke void @noreturn() to label %dead unwind label %lpad2
dead:
  unreachable
lpad2:
  %m = landingpad { ptr, i32 } filter [0 x ptr] zeroinitializer
  ret i32 0
}
declare void @noreturn() noreturn
attributes #0 = { noinline }
!0 = !{!"branch_weights", i32 10, i32 1}
