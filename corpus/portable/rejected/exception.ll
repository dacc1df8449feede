; Rejected: main: has exceptions
declare void @abort()
declare i32 @__gxx_personality_v0(...)
define void @f() {
  ret void
}
define i32 @main() personality ptr @__gxx_personality_v0 {
  invoke void @f() to label %fine unwind label %wrong
fine:
  ret i32 0
wrong:
  %1 = landingpad { ptr, i32 } cleanup
  ret i32 1
}
