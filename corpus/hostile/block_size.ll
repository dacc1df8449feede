; The three blocks of "Der Fluch des Nichtdeterminismus", in today's IR: they weigh 4, 10 and 1.
; flags --cost block-size/1
; expect work calls=1
; expect block work 1 count=21
; expect block work 2 count=20
; expect block work 3 count=17
; expect total=437
; Entry 4, head 21 * 4, body 20 * 10, taken 17 * 1, other 3 * 2, next 20 * 4, tail 1, main 5, at 20 * 2
target triple = "x86_64-unknown-linux-gnu"
%"struct.player_state::Soldier" = type { i64, i64, i64, [6 x i64] }
%"struct.player_state::State" = type { i64, [20 x %"struct.player_state::Soldier"] }
@state = global %"struct.player_state::State" zeroinitializer
define ptr @at(ptr %array, i64 %index) noinline {
  %place = getelementptr [20 x %"struct.player_state::Soldier"], ptr %array, i64 0, i64 %index
  ret ptr %place
}
define void @work(ptr %0) {
entry:
  %cell = alloca i32
  %slot = alloca ptr
  store i32 0, ptr %cell
  br label %head
head:
  %a = load i32, ptr %cell
  %b = sext i32 %a to i64
  %c = icmp slt i64 %b, 20
  br i1 %c, label %body, label %tail
body:
  %d = getelementptr inbounds %"struct.player_state::State", ptr %0, i32 0, i32 1
  %e = load i32, ptr %cell
  %f = sext i32 %e to i64
  %g = call ptr @at(ptr %d, i64 %f)
  store ptr %g, ptr %slot
  %h = load ptr, ptr %slot
  %i = getelementptr inbounds %"struct.player_state::Soldier", ptr %h, i32 0, i32 2
  %j = load i64, ptr %i
  %k = icmp eq i64 %j, 0
  br i1 %k, label %taken, label %other
taken:
  br label %next
other:
  store i64 0, ptr %i
  br label %next
next:
  %l = load i32, ptr %cell
  %m = add i32 %l, 1
  store i32 %m, ptr %cell
  br label %head
tail:
  ret void
}
define i32 @main() {
  store i64 7, ptr getelementptr (i8, ptr @state, i64 24)
  store i64 7, ptr getelementptr (i8, ptr @state, i64 96)
  store i64 7, ptr getelementptr (i8, ptr @state, i64 168)
  call void @work(ptr @state)
  ret i32 0
}
