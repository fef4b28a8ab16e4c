declare i32 @__CxxFrameHandler3(...)
declare void @may()
define void @f(ptr %p) personality ptr @__CxxFrameHandler3 {
entry:
  invoke void @may() to label %exit unwind label %dispatch
dispatch:
  %cs = catchswitch within none [label %handler, label %handler2] unwind label %cleanup
handler:
  %cp = catchpad within %cs [ptr null, i32 64, ptr %p]
  call void @may() [ "funclet"(token %cp) ]
  catchret from %cp to label %exit
handler2:
  %cp2 = catchpad within %cs []
  invoke void @may() [ "funclet"(token %cp2) ] to label %exit2 unwind label %again
exit2:
  unreachable
again:
  %cs2 = catchswitch within %cp2 [label %inner] unwind to caller
inner:
  %cp3 = catchpad within %cs2 [ptr null]
  unreachable
cleanup:
  %cl = cleanuppad within none []
  cleanupret from %cl unwind to caller
exit:
  ret void
}
define void @g() personality ptr @__CxxFrameHandler3 {
  invoke void @may() to label %exit unwind label %pad
pad:
  %1 = cleanuppad within none [i32 1]
  cleanupret from %1 unwind label %pad2
pad2:
  %2 = cleanuppad within none []
  cleanupret from %2 unwind to caller
exit:
  ret void
}
