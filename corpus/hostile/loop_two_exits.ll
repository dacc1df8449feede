; A loop that is left by two edges straight into the next loop.
; expect f calls=2
; expect block f 1 count=201
; expect block f 2 count=133
; expect total=1411
; the first loop: 101 and 100 times, 5 instructions; the second one: 47 and 86 times, 3
target triple = "x86_64-unknown-linux-gnu"
@n = global i32 0
define i32 @f(i64 %s, i64 %lim) noinline {
entry:
  br label %a
a:
  %i = phi i64 [ 0, %entry ], [ %next, %a ]
  %next = add i64 %i, 1
  %v = load volatile i32, ptr @n
  %w = add i32 %v, 1
  store volatile i32 %w, ptr @n
  switch i32 %v, label %a [ i32 100, label %b
                            i32 200, label %b ]
b:
  %j = phi i64 [ %s, %a ], [ %s, %a ], [ %jn, %b ]
  %jn = add i64 %j, 1
  %t = icmp eq i64 %jn, %lim
  br i1 %t, label %out, label %b
out:
  ret i32 0
}
define i32 @main(i32 %c, ptr %v) {
  call i32 @f(i64 3, i64 50)
  call i32 @f(i64 4, i64 90)
  ret i32 0
}
