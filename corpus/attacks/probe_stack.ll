; An attribute that makes every frame call a function.
; Rejected: attribute, probe-stack
define i32 @main(i32 %n, ptr %v) "probe-stack"="work" {
  ret i32 0
}
