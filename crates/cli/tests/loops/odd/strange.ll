define i32 @undefined(i32 %a) {
  %u = add i32 undef, %a
  %v = and i32 undef, 15
  %w = freeze i32 poison
  %x = and i32 %w, 3
  %y = add i32 %x, %v
  %z = xor i32 poison, %y
  %s = add i32 %y, %u
  ret i32 %s
}
define i32 @frozen(i1 %c, i32 %a) {
entry:
  %b = and i32 %a, 7
  br i1 %c, label %then, label %join
then:
  br label %join
join:
  %p = phi i32 [ undef, %entry ], [ %b, %then ]
  %f = freeze i32 %p
  %g = and i32 %f, 12
  ret i32 %g
}
define i32 @spaces(ptr addrspace(1) %p, ptr addrspace(3) %q) {
  %a = load i8, ptr addrspace(1) %p
  %z = zext i8 %a to i32
  %c = addrspacecast ptr addrspace(3) %q to ptr
  store i32 %z, ptr %c
  %i = ptrtoint ptr addrspace(1) %p to i64
  ret i32 %z
}
define i32 @assembly(i32 %a) {
  %r = call i32 asm sideeffect "mov $1, $0", "=r,r,~{memory}"(i32 %a)
  %m = and i32 %r, 1
  ret i32 %m
}
declare i32 @may_throw(i32)
declare i32 @__gxx_personality_v0(...)
define i32 @invokes(i32 %a) personality ptr @__gxx_personality_v0 {
  %b = and i32 %a, 3
  %r = invoke i32 @may_throw(i32 %b) to label %fine unwind label %bad
fine:
  %m = and i32 %r, 7
  ret i32 %m
bad:
  %l = landingpad { ptr, i32 } cleanup
  %s = extractvalue { ptr, i32 } %l, 1
  ret i32 %s
}
define i32 @goes(i32 %a) {
  %r = callbr i32 asm "", "=r,r,!i"(i32 %a) to label %next [label %other]
next:
  %m = and i32 %r, 5
  ret i32 %m
other:
  ret i32 %a
}
define i32 @jumps(i32 %a, i1 %c) {
entry:
  %t = select i1 %c, ptr blockaddress(@jumps, %x), ptr blockaddress(@jumps, %y)
  indirectbr ptr %t, [label %x, label %y]
x:
  %p = phi i32 [ 3, %entry ]
  ret i32 %p
y:
  %q = and i32 %a, 1
  ret i32 %q
}
define internal i32 @callee(i32 %a) {
  %b = and i32 %a, 31
  ret i32 %b
}
define i32 @tail(i32 %a) {
  %m = and i32 %a, 255
  %r = musttail call i32 @callee(i32 %m)
  ret i32 %r
}
define i32 @lost(i32 %a) {
  %r = and i32 %a, 3
  ret i32 %r
nobody:
  %x = add i32 %x, 1
  br label %comes
comes:
  %y = phi i32 [ %x, %nobody ], [ %y, %comes ]
  br label %comes
}
define void @forever() {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %j = add i32 %i, 3
  br label %loop
}
define void @empty() {
  ret void
}
define i32 @never() {
  unreachable
}
define i32 @twice(i32 %a) {
entry:
  switch i32 %a, label %other [
    i32 1, label %join
    i32 5, label %join
    i32 9, label %join ]
other:
  br label %join
join:
  %p = phi i32 [ %a, %entry ], [ %a, %entry ], [ %a, %entry ], [ 2, %other ]
  ret i32 %p
}
