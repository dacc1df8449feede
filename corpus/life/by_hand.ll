; Nodes that selection treats itself: a freeze, values whose range is known, a cast of a vector that
; is none of the machine's business, a read of a register, assembly.
source_filename = "by_hand.c"

define i32 @frozen(ptr %from, i32 %b) !dbg !4 {
  %a = load i32, ptr %from, align 4, !dbg !7
  %c = freeze i32 %a, !dbg !8
  %d = sdiv i32 %b, %c, !dbg !9
  %e = sub i32 %c, %d, !dbg !9
  %f = mul i32 %e, %c, !dbg !9
  ret i32 %f, !dbg !9
}

define i32 @ranged(ptr %from) !dbg !14 {
  %v = call zeroext i16 @known(ptr %from), !dbg !17
  %w = zext i16 %v to i32, !dbg !17
  %x = call signext i16 @other(ptr %from), !dbg !17
  %y = sext i16 %x to i32, !dbg !17
  %z = xor i32 %w, %y, !dbg !17
  ret i32 %z, !dbg !17
}

define <4 x i32> @cast(<2 x i64> %a, <2 x i64> %c) !dbg !24 {
  %s = add <2 x i64> %a, %c, !dbg !27
  %v = bitcast <2 x i64> %s to <4 x i32>, !dbg !27
  %w = add <4 x i32> %v, <i32 3, i32 5, i32 7, i32 9>, !dbg !27
  ret <4 x i32> %w, !dbg !27
}

define i64 @other_ways(ptr %to) !dbg !34 {
  %p = call i64 @llvm.read_register.i64(metadata !40), !dbg !37
  %q = call i64 asm sideeffect "nop", "=r"(), !dbg !37
  call void (...) @llvm.fake.use(i64 %q), !dbg !37
  %u = insertelement <2 x i64> poison, i64 %p, i64 0, !dbg !37
  store <2 x i64> %u, ptr %to, align 16, !dbg !37
  %r = add i64 %p, %q, !dbg !37
  ret i64 %r, !dbg !37
}

declare zeroext i16 @known(ptr)
declare signext i16 @other(ptr)
declare i64 @llvm.read_register.i64(metadata)
declare void @llvm.fake.use(...)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "by_hand.c", directory: "/tmp")
!2 = !{i32 2, !"Dwarf Version", i32 4}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "frozen", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocation(line: 2, scope: !4)
!8 = !DILocation(line: 3, scope: !4)
!9 = !DILocation(line: 4, scope: !4)
!14 = distinct !DISubprogram(name: "ranged", file: !1, line: 6, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!17 = !DILocation(line: 7, scope: !14)
!24 = distinct !DISubprogram(name: "cast", file: !1, line: 9, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!27 = !DILocation(line: 10, scope: !24)
!34 = distinct !DISubprogram(name: "other_ways", file: !1, line: 12, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!37 = !DILocation(line: 13, scope: !34)
!40 = !{!"rsp"}
