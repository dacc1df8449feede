; A second name for the middle of a function.
; Rejected: code-address, inside
@inside = alias i8, getelementptr (i8, ptr @work, i64 5)
define i32 @work() {
  ret i32 0
}
define i32 @main(i32 %n, ptr %v) {
  %a = call i32 @inside()
  ret i32 %a
}
