; leading comment with "quotes" and 'c'
source_filename = "comments.ll" ; trailing
define i32 @f(i32 %x) { ; after brace
; between
  %y = add i32 %x, 1 ; preds = %entry
  ; %z = broken
  ret i32 %y ; done
}
; last
