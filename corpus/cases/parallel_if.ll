; What flang and clang make of `parallel if(…)`: threads by another function than `__kmpc_fork_call`.
target triple = "x86_64-pc-linux-gnu"

@text = private constant [23 x i8] c";unknown;unknown;0;0;;\00"
@location = private constant { i32, i32, i32, i32, ptr } { i32 0, i32 2, i32 0, i32 22, ptr @text }

declare void @__kmpc_fork_call_if(ptr, i32, ptr, i32, ptr)

define internal void @in_each(ptr %global, ptr %bound, ptr %sum) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %old = atomicrmw add ptr %sum, i32 %i monotonic
  %ends = icmp eq i32 %next, 1000
  br i1 %ends, label %out, label %loop
out:
  ret void
}

define i32 @main() {
entry:
  %sum = alloca i32
  store i32 0, ptr %sum
  call void @__kmpc_fork_call_if(ptr @location, i32 1, ptr @in_each, i32 1, ptr %sum)
  ret i32 0
}
