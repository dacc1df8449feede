target triple = "x86_64-pc-linux-gnu"
; Poison is given to a function that discards it, and returned by another.
declare i32 @llvm.ctlz.i32(i32, i1)
define internal i32 @choose(i32 %x, i32 %zeros) noinline {
  %is_none = icmp eq i32 %x, 0
  %one = select i1 %is_none, i32 -1, i32 %zeros
  ret i32 %one
}
define internal i32 @zeros(i32 %x) noinline {
  %zeros = call i32 @llvm.ctlz.i32(i32 %x, i1 true)
  ret i32 %zeros
}
define i32 @main() {
entry:
  br label %turn
turn:
  %x = phi i32 [ 0, %entry ], [ %next, %turn ]
  %sum = phi i32 [ 0, %entry ], [ %more, %turn ]
  %zeros = call i32 @zeros(i32 %x)
  %one = call i32 @choose(i32 %x, i32 %zeros)
  %more = xor i32 %sum, %one
  %next = add i32 %x, 1
  %is_over = icmp eq i32 %next, 20
  br i1 %is_over, label %end, label %turn
end:
  %part = and i32 %more, 0
  ret i32 %part
}
