declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, i32, <4 x i1>, <4 x i32>)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare i64 @llvm.vscale.i64()
define i32 @fixed(<4 x i32> %v, ptr %p, <4 x i1> %m) {
  %s = add <4 x i32> %v, <i32 1, i32 2, i32 3, i32 4>
  %a = and <4 x i32> %s, <i32 7, i32 7, i32 7, i32 7>
  %l = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, i32 4, <4 x i1> %m, <4 x i32> zeroinitializer)
  %x = mul <4 x i32> %a, %l
  %e = extractelement <4 x i32> %a, i32 2
  %r = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %x)
  %n = and i32 %e, 15
  %z = add i32 %n, %r
  ret i32 %z
}
define <vscale x 4 x i32> @scalable(<vscale x 4 x i32> %a, i32 %k) {
  %v = call i64 @llvm.vscale.i64()
  %n = and i64 %v, 3
  %i = insertelement <vscale x 4 x i32> %a, i32 %k, i64 %n
  %s = add <vscale x 4 x i32> %i, %a
  %e = extractelement <vscale x 4 x i32> %s, i32 0
  %r = insertelement <vscale x 4 x i32> %s, i32 %e, i64 0
  ret <vscale x 4 x i32> %r
}
