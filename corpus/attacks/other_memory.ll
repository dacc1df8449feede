; The processor's own way to the runtime's memory.
; Rejected: address-space
define i32 @main(i32 %n, ptr %v) {
  store i64 1000000000, ptr addrspace(256) null
  ret i32 0
}
