; SIGKILL four frames deep: by hand 17 instructions started, and the interval holds that.
; signal 9
; quality lower bound: could have run
; expect f calls=4
; expect between total=17
; Main 1, f 4 * 2 for the comparison, 3 * 2 for the way down, 2 at the bottom; nothing returns.
target triple = "x86_64-unknown-linux-gnu"
declare i32 @getpid()
declare i32 @kill(i32, i32)
define void @f(i32 %n) {
  %bottom = icmp eq i32 %n, 0
  br i1 %bottom, label %die, label %go
go:
  %less = sub i32 %n, 1
  call void @f(i32 %less)
  ret void
die:
  %own = call i32 @getpid()
  %status = call i32 @kill(i32 %own, i32 9)
  ret void
}
define i32 @main() {
  call void @f(i32 3)
  ret i32 0
}
