; Parallel edges: several cases of one switch lead to one block, a branch has both its ways to one block.
; expect pick calls=8
; expect block pick 0 count=8
; expect block pick 1 count=5
; expect block pick 2 count=2
; expect block pick 3 count=8
; expect block pick 4 count=8
; expect total=102
; Main: 1 + 8 * 5 + 1 = 42; pick: 8 * 1 + 5 * 2 + 2 * 1 + 8 * 3 + 8 * 2 = 60 (a phi is free)
target triple = "x86_64-unknown-linux-gnu"
define i32 @pick(i32 %n) noinline {
entry:
  switch i32 %n, label %other [ i32 0, label %shared
                                i32 1, label %shared
                                i32 2, label %shared
                                i32 5, label %shared
                                i32 6, label %end
                                i32 7, label %shared ]
shared:
  %a = add i32 %n, 1
  br label %end
other:
  br label %end
end:
  %v = phi i32 [ %a, %shared ], [ 7, %other ], [ 9, %entry ]
  %odd = and i32 %v, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %both, label %both
both:
  %twice = shl i32 %v, 1
  ret i32 %twice
}
define i32 @main() {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %got = call i32 @pick(i32 %i)
  %more = add i32 %sum, %got
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, 8
  br i1 %done, label %out, label %loop
out:
  ret i32 0
}
