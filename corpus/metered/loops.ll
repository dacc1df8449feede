; Counters that no front end writes: they step over their bound, go round the end
; of their width, are tested before their step, or start where they end.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@text = private constant [6 x i8] c"%llu\0A\00"
declare i32 @printf(ptr, ...)
declare i32 @atoi(ptr)

; From 6 by 8 to what is left of the argument times 8 and 6: 2^29 turns for 0.
define internal i32 @eights(i32 %n) noinline optnone {
entry:
  %shifted = shl i32 %n, 3
  %bound = add i32 %shifted, 6
  br label %round
round:
  %i = phi i32 [ 6, %entry ], [ %next, %round ]
  %sum = phi i32 [ 0, %entry ], [ %more, %round ]
  %more = xor i32 %sum, %i
  %next = add i32 %i, 8
  %ends = icmp eq i32 %next, %bound
  br i1 %ends, label %done, label %round
done:
  ret i32 %more
}

; Tested before its step, down, with the bound on the left.
define internal i16 @down(i16 %from, i16 %to) noinline optnone {
entry:
  br label %round
round:
  %i = phi i16 [ %from, %entry ], [ %next, %tail ]
  br label %tail
tail:
  %next = add i16 %i, -1
  %goes = icmp ne i16 %to, %i
  br i1 %goes, label %round, label %done
done:
  ret i16 %next
}

; An address by four bytes.
define internal i64 @addresses(i64 %n) noinline optnone {
entry:
  %bytes = shl i64 %n, 2
  %start = getelementptr i8, ptr @text, i64 %n
  %end = getelementptr i8, ptr %start, i64 %bytes
  br label %round
round:
  %p = phi ptr [ %start, %entry ], [ %next, %round ]
  %next = getelementptr i8, ptr %p, i64 4
  %ends = icmp eq ptr %next, %end
  br i1 %ends, label %done, label %round
done:
  %back = ptrtoint ptr %next to i64
  %from = ptrtoint ptr %start to i64
  %way = sub i64 %back, %from
  ret i64 %way
}

; Numbers that stand here: the outer loop costs one number too.
define internal i8 @both() noinline optnone {
entry:
  br label %outer
outer:
  %i = phi i8 [ 200, %entry ], [ %i.next, %latch ]
  br label %inner
inner:
  %j = phi i8 [ 3, %outer ], [ %j.next, %inner ]
  %j.next = add i8 %j, -1
  %again = icmp ne i8 %j.next, 0
  br i1 %again, label %inner, label %latch
latch:
  %i.next = add i8 %i, 2
  %over = icmp eq i8 %i.next, 10
  br i1 %over, label %done, label %outer
done:
  ret i8 %i.next
}

define i32 @main(i32 %count, ptr %arguments) noinline optnone {
  %slot = getelementptr ptr, ptr %arguments, i64 1
  %text = load ptr, ptr %slot
  %n = call i32 @atoi(ptr %text)
  %a = call i32 @eights(i32 %n)
  %short = trunc i32 %n to i16
  %b = call i16 @down(i16 %short, i16 5)
  %long = zext i32 %n to i64
  %c = call i64 @addresses(i64 %long)
  %d = call i8 @both()
  %b64 = zext i16 %b to i64
  %a64 = zext i32 %a to i64
  %d64 = zext i8 %d to i64
  %x = add i64 %a64, %b64
  %y = add i64 %x, %c
  %z = add i64 %y, %d64
  %_ = call i32 (ptr, ...) @printf(ptr @text, i64 %z)
  ret i32 0
}
