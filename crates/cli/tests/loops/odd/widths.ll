define i1 @one(i1 %a, i1 %b) {
  %s = add i1 %a, %b
  %c = icmp slt i1 %s, 0
  %x = sdiv i1 %s, -1
  %r = xor i1 %c, %x
  ret i1 %r
}
define i3 @three(i3 %a) {
  %m = urem i3 %a, 3
  %t = sext i3 %m to i7
  %u = mul i7 %t, 5
  %v = trunc i7 %u to i3
  ret i3 %v
}
define i24 @i24(i24 %a, ptr %p) {
  store i24 %a, ptr %p
  %l = load i24, ptr %p
  %m = and i24 %l, 4095
  %x = mul i24 %m, %m
  ret i24 %x
}
define i33 @i33(i33 %a) {
  %m = and i33 %a, 65535
  %x = mul i33 %m, %m
  %y = add i33 %x, %x
  ret i33 %y
}
define i65 @i65(i65 %a) {
  %m = lshr i65 %a, 60
  %x = add i65 %m, 36893488147419103231
  %y = mul i65 %m, %m
  %z = sub i65 %y, %x
  ret i65 %z
}
define i128 @i128(i128 %a, i128 %b) {
  %m = and i128 %a, 18446744073709551615
  %n = and i128 %b, 255
  %p = mul i128 %m, %n
  %q = udiv i128 %p, 3
  switch i128 %n, label %d [
    i128 3, label %x
    i128 170141183460469231731687303715884105727, label %y ]
x:
  ret i128 %q
y:
  ret i128 %p
d:
  ret i128 %m
}
define i64 @i129(i129 %a) {
  %m = lshr i129 %a, 125
  %x = mul i129 %m, %m
  %y = trunc i129 %x to i64
  %f = icmp ult i129 %x, 256
  %g = select i1 %f, i64 %y, i64 7
  ret i64 %g
}
define i1024 @i1024(i1024 %a) {
  %m = lshr i1024 %a, 1000
  %x = mul i1024 %m, %m
  ret i1024 %x
}
define i32 @greatest(i8388608 %a) {
  %x = add i8388608 %a, 1
  %m = trunc i8388608 %x to i32
  %r = and i32 %m, 3
  ret i32 %r
}
define i32 @floats(half %h, bfloat %b, x86_fp80 %e, fp128 %q) {
  %a = fptosi half %h to i32
  %c = fptoui bfloat %b to i8
  %d = fptosi x86_fp80 %e to i64
  %f = fptoui fp128 %q to i128
  %z = zext i8 %c to i32
  %y = trunc i64 %d to i32
  %x = trunc i128 %f to i32
  %s = add i32 %z, %y
  %t = add i32 %s, %x
  %u = add i32 %t, %a
  ret i32 %u
}
