; A coroutine that is not split.
; Rejected: coroutine, bot
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
define void @bot() presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  ret void
}
define i32 @main(i32 %n, ptr %v) {
  ret i32 0
}
