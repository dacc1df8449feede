; One instruction that multiplies 8192 bits.
; Rejected: size, 8192 bits
define i32 @main(i32 %n, ptr %v) {
  %a = zext i32 %n to i8192
  %b = mul i8192 %a, %a
  %c = mul i8192 %b, %b
  %d = trunc i8192 %c to i32
  ret i32 %d
}
