; Loops that are entered by two edges from one block, with a start that is never set. No branch depends on it.
; expect f calls=2
; expect g calls=2
; expect h calls=2
; expect block h 1 count=23
; expect block h 2 count=21
; expect total=492
; each call goes round ten or eleven times: 3 + 4 instructions; phis weigh nothing
target triple = "x86_64-unknown-linux-gnu"
@n = global i32 10
define i32 @f(i32 %x, i1 %c) noinline {
entry:
  %s = select i1 %c, i64 7, i64 undef
  switch i32 %x, label %out [ i32 1, label %h
                              i32 2, label %h ]
h:
  %i = phi i64 [ %s, %entry ], [ %s, %entry ], [ %next, %b ]
  %l = load volatile i32, ptr @n
  %cc = icmp eq i32 %l, 0
  br i1 %cc, label %out, label %b
b:
  %next = add i64 %i, 1
  %l2 = sub i32 %l, 1
  store volatile i32 %l2, ptr @n
  br label %h
out:
  ret i32 0
}
define i32 @g(i32 %x) noinline {
entry:
  %u = alloca i64
  %s = load i64, ptr %u
  switch i32 %x, label %out [ i32 1, label %h
                              i32 2, label %h ]
h:
  %i = phi i64 [ %s, %entry ], [ %s, %entry ], [ %next, %b ]
  %l = load volatile i32, ptr @n
  %cc = icmp eq i32 %l, 0
  br i1 %cc, label %out, label %b
b:
  %next = add i64 %i, 1
  %l2 = sub i32 %l, 1
  store volatile i32 %l2, ptr @n
  br label %h
out:
  ret i32 0
}
define i32 @h(i32 %x) noinline {
entry:
  %s = add i64 undef, 1
  switch i32 %x, label %out [ i32 1, label %h
                              i32 2, label %h ]
h:
  %i = phi i64 [ %s, %entry ], [ %s, %entry ], [ %next, %b ]
  %l = load volatile i32, ptr @n
  %cc = icmp eq i32 %l, 0
  br i1 %cc, label %out, label %b
b:
  %next = add i64 %i, 1
  %l2 = sub i32 %l, 1
  store volatile i32 %l2, ptr @n
  br label %h
out:
  ret i32 0
}
define i32 @main(i32 %c, ptr %v) {
  store i32 10, ptr @n
  call i32 @f(i32 1, i1 false)
  store i32 11, ptr @n
  call i32 @f(i32 2, i1 false)
  store i32 10, ptr @n
  call i32 @g(i32 1)
  store i32 11, ptr @n
  call i32 @g(i32 2)
  store i32 10, ptr @n
  call i32 @h(i32 1)
  store i32 11, ptr @n
  call i32 @h(i32 2)
  ret i32 0
}
