; Unreachable blocks (one that loops, one that branches into live code), self-loops, an irreducible loop.
; expect strange calls=3
; expect block strange 0 count=3
; expect block strange 1 count=21
; expect block strange 2 count=3
; expect block strange 3 count=14
; expect block strange 4 count=15
; expect block strange 5 count=0
; expect block strange 6 count=0
; expect block strange 7 count=3
; expect total=155
; strange(n) enters the irreducible pair at %a when n is even, at %b when odd; n is 0, 1, 2
target triple = "x86_64-unknown-linux-gnu"
define i32 @strange(i32 %n) noinline {
entry:
  br label %self
self:
  %i = phi i32 [ 0, %entry ], [ %j, %self ]
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, 7
  br i1 %more, label %self, label %choose
choose:
  %low = and i32 %n, 1
  %odd = icmp eq i32 %low, 1
  br i1 %odd, label %b, label %a
a:
  %x = phi i32 [ 0, %choose ], [ %y1, %b ], [ 5, %ghost ]
  %x1 = add i32 %x, 1
  br label %b
b:
  %y = phi i32 [ 0, %choose ], [ %x1, %a ]
  %y1 = add i32 %y, 1
  %again = icmp ult i32 %y1, 9
  br i1 %again, label %a, label %out
ghost:
  br i1 true, label %a, label %loop
loop:
  br label %loop
out:
  ret i32 %y1
}
define i32 @main() {
entry:
  %r = call i32 @strange(i32 0)
  %s = call i32 @strange(i32 1)
  %t = call i32 @strange(i32 2)
  ret i32 0
}
