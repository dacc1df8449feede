@cells = internal global [16 x i32] zeroinitializer
define i32 @counted(i32 noundef %n) {
entry:
  %digit = and i32 %n, 7
  br label %loop
loop:
  %i = phi i8 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %sum, %loop ]
  %sum = add i32 %s, %digit
  %next = add i8 %i, 1
  %more = icmp ne i8 %next, 100
  br i1 %more, label %loop, label %end
end:
  ret i32 %sum
}
define i8 @quotient(i8 noundef %a, i8 noundef %b) {
  %d = or i8 %b, 1
  %q = udiv i8 %a, %d
  %r = lshr i8 %q, 1
  ret i8 %r
}
define void @put(i64 noundef %at, i32 noundef %word) {
  %m = and i64 %at, 15
  %cell = getelementptr [16 x i32], ptr @cells, i64 0, i64 %m
  %v = and i32 %word, 7
  store i32 %v, ptr %cell
  ret void
}
define i32 @get(i64 noundef %at) {
  %m = and i64 %at, 15
  %cell = getelementptr [16 x i32], ptr @cells, i64 0, i64 %m
  %v = load i32, ptr %cell
  %w = add i32 %v, 1
  ret i32 %w
}
define internal i32 @low(i32 %a) noinline {
  %b = and i32 %a, 31
  ret i32 %b
}
define i32 @twice(i32 noundef %a) {
  %x = call i32 @low(i32 %a)
  %y = add i32 %x, %x
  ret i32 %y
}
