; The same assertions in the form in which they were made: blocks, phis, and
; counters in memory, as they stand before any pass. Every function answers
; how often its body ran, and main compares. A mark stands at the header.

target triple = "x86_64-pc-linux-gnu"

@counter = internal global i32 0
@text = private constant [12 x i8] c"assertions\0A\00"

declare i32 @printf(ptr, ...)

; The exit's block is the latch, it compares the next one with "equal".
define i32 @next_equal() noinline {
entry:
  br label %loop
loop:                                             ; expect: body=5 back=4 quality=exact
  %i1 = phi i32 [ 0, %entry ], [ %i2, %loop ]
  %i2 = add nsw i32 %i1, 1
  %done = icmp eq i32 %i2, 5
  br i1 %done, label %exit, label %loop
exit:
  ret i32 %i2
}

; It compares the counter itself: one turn more.
define i32 @induction_equal() noinline {
entry:
  br label %loop
loop:                                             ; expect: body=6 back=5 quality=exact
  %i1 = phi i32 [ 0, %entry ], [ %i2, %loop ]
  %i2 = add nsw i32 %i1, 1
  %done = icmp eq i32 %i1, 5
  br i1 %done, label %exit, label %loop
exit:
  ret i32 %i2
}

; "Greater" leaves one step behind.
define i32 @next_greater() noinline {
entry:
  br label %loop
loop:                                             ; expect: body=6 back=5 quality=exact
  %i1 = phi i32 [ 0, %entry ], [ %i2, %loop ]
  %i2 = add nsw i32 %i1, 1
  %done = icmp sgt i32 %i2, 5
  br i1 %done, label %exit, label %loop
exit:
  ret i32 %i2
}

; The compared value stands second.
define i32 @swapped(i32 %n) noinline {
entry:
  br label %loop
loop:                                             ; expect: body=max(n,1) quality=exact
  %i1 = phi i32 [ 0, %entry ], [ %i2, %loop ]
  %i2 = add nsw i32 %i1, 1
  %more = icmp sgt i32 %n, %i2
  br i1 %more, label %loop, label %exit
exit:
  ret i32 %i2
}

; A phi outside of the header with equal arms is its value.
define i32 @equal_arms(i32 %n, i1 %which) noinline {
entry:
  br label %loop
loop:                                             ; expect: body=max(n+1,1) quality=exact
  %i1 = phi i32 [ 0, %entry ], [ %i2, %latch ]
  br i1 %which, label %costly, label %cheap
costly:
  br label %latch
cheap:
  br label %latch
latch:
  %alias = phi i32 [ %i1, %costly ], [ %i1, %cheap ]
  %i2 = add nsw i32 %i1, 1
  %done = icmp sge i32 %alias, %n
  br i1 %done, label %exit, label %loop
exit:
  ret i32 %i2
}

; The next one is a phi, both of whose ways add the same.
define i32 @both_add(i32 %n, i1 %which) noinline {
entry:
  br label %loop
loop:                                             ; expect: body=max(n,1) quality=exact
  %i1 = phi i32 [ 0, %entry ], [ %next, %latch ]
  br i1 %which, label %costly, label %cheap
costly:
  %a = add nsw i32 %i1, 1
  br label %latch
cheap:
  %b = add nsw i32 %i1, 1
  br label %latch
latch:
  %next = phi i32 [ %a, %costly ], [ %b, %cheap ]
  %done = icmp sge i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret i32 %next
}

; Several ways in, all of which bring the same start.
define i32 @ways_in(i1 %which) noinline {
entry:
  br i1 %which, label %left, label %right
left:
  br label %loop
right:
  br label %loop
loop:                                             ; expect: body=7 quality=exact
  %i1 = phi i32 [ 3, %left ], [ 3, %right ], [ %i2, %loop ]
  %i2 = add nsw i32 %i1, 1
  %done = icmp eq i32 %i2, 10
  br i1 %done, label %exit, label %loop
exit:
  %turns = sub i32 %i2, 3
  ret i32 %turns
}

; The counter is loaded: stored once before and once within, by two loops.
define i32 @in_memory(i32 %n, i32 %m) noinline {
entry:
  %i = alloca i32
  %turns = alloca i32
  store i32 0, ptr %turns
  store i32 0, ptr %i
  br label %first
first:                                            ; expect: body=max(n,0) quality=exact
  %x = load i32, ptr %i
  %more = icmp slt i32 %x, %n
  br i1 %more, label %first.body, label %between
first.body:
  %t = load i32, ptr %turns
  %t1 = add nsw i32 %t, 1
  store i32 %t1, ptr %turns
  %y = load i32, ptr %i
  %y1 = add nsw i32 %y, 1
  store i32 %y1, ptr %i
  br label %first
between:
  store i32 0, ptr %i
  br label %second
second:                                           ; expect: body=max((m+2)/3,0) quality=exact assume=nsw
  %z = load i32, ptr %i
  %again = icmp slt i32 %z, %m
  br i1 %again, label %second.body, label %exit
second.body:
  %s = load i32, ptr %turns
  %s1 = add nsw i32 %s, 1
  store i32 %s1, ptr %turns
  %w = load i32, ptr %i
  %w1 = add nsw i32 %w, 3
  store i32 %w1, ptr %i
  br label %second
exit:
  %all = load i32, ptr %turns
  ret i32 %all
}

; The same with a global that no one else can name.
define i32 @in_a_global(i32 %n) noinline {
entry:
  store i32 0, ptr @counter
  br label %loop
loop:                                             ; expect: body=max(n,0) quality=exact
  %x = load i32, ptr @counter
  %more = icmp slt i32 %x, %n
  br i1 %more, label %body, label %exit
body:
  %y = load i32, ptr @counter
  %y1 = add nsw i32 %y, 1
  store i32 %y1, ptr @counter
  br label %loop
exit:
  %all = load i32, ptr @counter
  ret i32 %all
}

; Two stores within: the method does not say which is the step. It is both.
define i32 @two_stores(i32 %n) noinline {
entry:
  %i = alloca i32
  store i32 0, ptr %i
  br label %loop
loop:                                             ; expect: body=max((n+2)/3,0) quality=exact assume=nsw
  %turns = phi i32 [ 0, %entry ], [ %turns1, %body ]
  %x = load i32, ptr %i
  %more = icmp slt i32 %x, %n
  br i1 %more, label %body, label %exit
body:
  %turns1 = add nsw i32 %turns, 1
  %y = load i32, ptr %i
  %y1 = add nsw i32 %y, 1
  store i32 %y1, ptr %i
  %z = load i32, ptr %i
  %z2 = add nsw i32 %z, 2
  store i32 %z2, ptr %i
  br label %loop
exit:
  ret i32 %turns
}

; The step is a subtraction, and the constant stands first.
define i32 @subtracted(i32 %n) noinline {
entry:
  br label %loop
loop:                                             ; expect: body=max((n+1)/2,1) quality=exact assume=nsw
  %turns = phi i32 [ 0, %entry ], [ %turns1, %loop ]
  %i1 = phi i32 [ %n, %entry ], [ %i2, %loop ]
  %turns1 = add i32 %turns, 1
  %i2 = add nsw i32 -2, %i1
  %done = icmp sle i32 %i2, 0
  br i1 %done, label %exit, label %loop
exit:
  ret i32 %turns1
}

; Start and end of different widths.
define i32 @widths(i16 %from, i32 %to) noinline {
entry:
  %start = sext i16 %from to i32
  %empty = icmp sge i32 %start, %to
  br i1 %empty, label %none, label %loop
loop:                                             ; expect: body=to-from quality=exact where=to>from
  %i1 = phi i32 [ %start, %entry ], [ %i2, %loop ]
  %i2 = add nsw i32 %i1, 1
  %done = icmp eq i32 %i2, %to
  br i1 %done, label %exit, label %loop
exit:
  %turns = sub i32 %i2, %start
  ret i32 %turns
none:
  ret i32 0
}

; Without a flag the counter comes round: -1 is above everything, unsigned.
define i32 @no_flag(i8 %n) noinline {
entry:
  br label %loop
loop:                                             ; expect: body=(n+255)%256+1 quality=exact
  %turns = phi i32 [ 0, %entry ], [ %turns1, %loop ]
  %i1 = phi i8 [ 0, %entry ], [ %i2, %loop ]
  %turns1 = add i32 %turns, 1
  %i2 = add i8 %i1, 1
  %done = icmp eq i8 %i2, %n
  br i1 %done, label %exit, label %loop
exit:
  ret i32 %turns1
}

define i32 @wrong(i32 %found, i32 %wanted) noinline {
  %same = icmp eq i32 %found, %wanted
  %bad = zext i1 %same to i32
  %result = xor i32 %bad, 1
  ret i32 %result
}

define i32 @main() {
  %said = call i32 (ptr, ...) @printf(ptr @text)
  %f1 = call i32 @next_equal()
  %w1 = call i32 @wrong(i32 %f1, i32 5)
  %f2 = call i32 @induction_equal()
  %w2 = call i32 @wrong(i32 %f2, i32 6)
  %f3 = call i32 @next_greater()
  %w3 = call i32 @wrong(i32 %f3, i32 6)
  %f4 = call i32 @swapped(i32 9)
  %w4 = call i32 @wrong(i32 %f4, i32 9)
  %f5 = call i32 @swapped(i32 -4)
  %w5 = call i32 @wrong(i32 %f5, i32 1)
  %f6 = call i32 @equal_arms(i32 7, i1 true)
  %w6 = call i32 @wrong(i32 %f6, i32 8)
  %f7 = call i32 @both_add(i32 7, i1 false)
  %w7 = call i32 @wrong(i32 %f7, i32 7)
  %f8 = call i32 @ways_in(i1 true)
  %w8 = call i32 @wrong(i32 %f8, i32 7)
  %f9 = call i32 @in_memory(i32 4, i32 10)
  %w9 = call i32 @wrong(i32 %f9, i32 8)
  %f10 = call i32 @in_memory(i32 -4, i32 0)
  %w10 = call i32 @wrong(i32 %f10, i32 0)
  %f11 = call i32 @in_a_global(i32 11)
  %w11 = call i32 @wrong(i32 %f11, i32 11)
  %f12 = call i32 @two_stores(i32 10)
  %w12 = call i32 @wrong(i32 %f12, i32 4)
  %f13 = call i32 @subtracted(i32 9)
  %w13 = call i32 @wrong(i32 %f13, i32 5)
  %f14 = call i32 @subtracted(i32 -9)
  %w14 = call i32 @wrong(i32 %f14, i32 1)
  %f15 = call i32 @widths(i16 -3, i32 9)
  %w15 = call i32 @wrong(i32 %f15, i32 12)
  %f16 = call i32 @no_flag(i8 0)
  %w16 = call i32 @wrong(i32 %f16, i32 256)
  %f17 = call i32 @no_flag(i8 1)
  %w17 = call i32 @wrong(i32 %f17, i32 1)
  %f18 = call i32 @no_flag(i8 -1)
  %w18 = call i32 @wrong(i32 %f18, i32 255)
  %s1 = add i32 %w1, %w2
  %s2 = add i32 %s1, %w3
  %s3 = add i32 %s2, %w4
  %s4 = add i32 %s3, %w5
  %s5 = add i32 %s4, %w6
  %s6 = add i32 %s5, %w7
  %s7 = add i32 %s6, %w8
  %s8 = add i32 %s7, %w9
  %s9 = add i32 %s8, %w10
  %s10 = add i32 %s9, %w11
  %s11 = add i32 %s10, %w12
  %s12 = add i32 %s11, %w13
  %s13 = add i32 %s12, %w14
  %s14 = add i32 %s13, %w15
  %s15 = add i32 %s14, %w16
  %s16 = add i32 %s15, %w17
  %s17 = add i32 %s16, %w18
  %bad = icmp ne i32 %s17, 0
  %status = zext i1 %bad to i32
  ret i32 %status
}
