; Two frames on the way of an exception: one that had no personality, one that
; had C++'s, which goes through the thunk that the instrumenter makes.
target triple = "x86_64-unknown-linux-gnu"

declare i32 @opc_personality(...)
declare i32 @__gxx_personality_v0(i32, i32, i64, ptr, ptr)
declare i32 @opc_personality_result(i32, i32, ptr)

define hidden i32 @thunk(i32 %version, i32 %actions, i64 %class, ptr %exception, ptr %context) uwtable {
  %result = call i32 @__gxx_personality_v0(i32 %version, i32 %actions, i64 %class, ptr %exception, ptr %context)
  %same = call i32 @opc_personality_result(i32 %result, i32 %actions, ptr %context)
  ret i32 %same
}

define void @inner(ptr %act) noinline uwtable personality ptr @opc_personality {
  call void %act()
  call void asm sideeffect "", ""()
  ret void
}

define void @through(ptr %act) noinline uwtable personality ptr @thunk {
  call void @inner(ptr %act)
  call void asm sideeffect "", ""()
  ret void
}
