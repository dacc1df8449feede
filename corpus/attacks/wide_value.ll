; One instruction that moves a million bytes, one by one.
; Rejected: size, parts
@data = internal global [1000000 x i8] zeroinitializer
define i32 @main(i32 %n, ptr %v) {
  %a = load [1000000 x i8], ptr @data
  store [1000000 x i8] %a, ptr @data
  ret i32 0
}
