; A call that never returns in the middle of a block, and one behind which unreachable code goes on.
; status 5
; expect leave calls=1
; expect block main 1 count=4
; expect total=26
; Main: 3, then 4 * 4, then 1; leave: 2 of 3; step: 4 * 1
target triple = "x86_64-unknown-linux-gnu"
declare void @exit(i32) noreturn
define void @leave(i32 %n) {
  %status = add i32 %n, 1
  call void @exit(i32 %status) noreturn
  %never = add i32 %n, 2
  ret void
}
define void @step() noinline {
  ret void
}
define i32 @main() {
entry:
  %cell = alloca i32
  store i32 0, ptr %cell
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  call void @step()
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, 4
  br i1 %more, label %loop, label %out
out:
  call void @leave(i32 %j)
  %behind = add i32 %j, 1
  store i32 %behind, ptr %cell
  br label %far
far:
  ret i32 0
}
