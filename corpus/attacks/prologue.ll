; Bytes that run before the first instruction.
; Rejected: attribute, prologue
define i32 @main(i32 %n, ptr %v) prologue <{ i8, i8 }> <{ i8 -21, i8 -2 }> {
  ret i32 0
}
