@text = private constant [6 x i8] c"%lld\0A\00"
declare i32 @printf(ptr, ...)
declare i32 @atoi(ptr)
define i32 @main(i32 %argc, ptr %argv) {
  %p = getelementptr ptr, ptr %argv, i64 1
  %word = load ptr, ptr %p
  %n = call i32 @atoi(ptr %word)
  %n3 = trunc i32 %n to i3
  %r3 = call i3 @three(i3 %n3)
  %n33 = sext i32 %n to i33
  %r33 = call i33 @i33(i33 %n33)
  %n65 = sext i32 %n to i65
  %m65 = mul i65 %n65, 18446744073709551557
  %r65 = call i65 @i65(i65 %m65)
  %n128 = sext i32 %n to i128
  %r128 = call i128 @i128(i128 %n128, i128 %n128)
  %high = lshr i128 %r128, 3
  %n129 = sext i32 %n to i129
  %r129 = call i64 @i129(i129 %n129)
  %n1024 = sext i32 %n to i1024
  %r1024 = call i1024 @i1024(i1024 %n1024)
  %a = zext i3 %r3 to i64
  %b = zext i33 %r33 to i64
  %c = trunc i65 %r65 to i64
  %d = trunc i128 %high to i64
  %e = trunc i1024 %r1024 to i64
  call i32 (ptr, ...) @printf(ptr @text, i64 %a)
  call i32 (ptr, ...) @printf(ptr @text, i64 %b)
  call i32 (ptr, ...) @printf(ptr @text, i64 %c)
  call i32 (ptr, ...) @printf(ptr @text, i64 %d)
  call i32 (ptr, ...) @printf(ptr @text, i64 %e)
  call i32 (ptr, ...) @printf(ptr @text, i64 %r129)
  ret i32 0
}
