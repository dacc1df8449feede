; One instruction that adds 4096 numbers.
; Rejected: size, 4096 bits
@data = internal global <4096 x i32> zeroinitializer
define i32 @main(i32 %n, ptr %v) {
  %a = load <4096 x i32>, ptr @data
  %b = add <4096 x i32> %a, %a
  store <4096 x i32> %b, ptr @data
  ret i32 0
}
