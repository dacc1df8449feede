; Rejected: main: uses llvm.x86.sse41.ptestz
declare i32 @llvm.x86.sse41.ptestz(<2 x i64>, <2 x i64>)
@x = global <2 x i64> zeroinitializer
define i32 @main() {
  %1 = load volatile <2 x i64>, ptr @x
  %2 = call i32 @llvm.x86.sse41.ptestz(<2 x i64> %1, <2 x i64> %1)
  ret i32 %2
}
