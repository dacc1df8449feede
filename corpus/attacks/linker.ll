; Metadata that makes the linker bring more code.
; Rejected: metadata, llvm.dependent-libraries
!llvm.dependent-libraries = !{!0}
!0 = !{!"work"}
define i32 @main(i32 %n, ptr %v) {
  ret i32 0
}
