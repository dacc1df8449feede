; Rejected: main: works on x86_fp80
@x = global x86_fp80 0xK3FFF8000000000000000
define i32 @main() {
  %1 = load volatile x86_fp80, ptr @x
  %2 = fptosi x86_fp80 %1 to i32
  ret i32 %2
}
