; Attributes that promise no memory is touched, on functions that are counted.
; expect pure calls=13
; expect recurse calls=127
; expect block pure 1 count=47
; expect block recurse 1 count=63
; expect total=912
; by hand, pure 13 x (1 + 1) + 47 x 3 (7 + 5 + 5 + 10 x 3 rounds); recurse 127 x (2 + 1) + 63 x 5; main 7 + 10 x 4 + 2
target triple = "x86_64-unknown-linux-gnu"
define i32 @pure(i32 %n) noinline nounwind willreturn memory(none) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %j = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %out
out:
  ret i32 %j
}
define i32 @recurse(i32 %n) noinline nounwind willreturn memory(none) {
entry:
  %stop = icmp slt i32 %n, 1
  br i1 %stop, label %out, label %deeper
deeper:
  %m = sub i32 %n, 1
  %a = call i32 @recurse(i32 %m) nounwind willreturn memory(none)
  %b = call i32 @recurse(i32 %m) nounwind willreturn memory(none)
  %c = add i32 %a, %b
  br label %out
out:
  %r = phi i32 [ 1, %entry ], [ %c, %deeper ]
  ret i32 %r
}
define i32 @main() {
entry:
  %dead = call i32 @pure(i32 7) nounwind willreturn memory(none)
  %one = call i32 @pure(i32 5) nounwind willreturn memory(none)
  %two = call i32 @pure(i32 5) nounwind willreturn memory(none)
  %d = sub i32 %one, %two
  %x = call i32 @recurse(i32 6) nounwind willreturn memory(none)
  %e = sub i32 %x, 64
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %same = call i32 @pure(i32 3) nounwind willreturn memory(none)
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, 10
  br i1 %more, label %loop, label %out
out:
  %f = add i32 %d, %e
  ret i32 %f
}
