//! Antoniadis (2011): its worked examples, as far as forwards goes.

use super::says;

/// Figure 3.1, from adpcm: `index` is held between 0 and 88 by two branches, the
/// mask holds `outputbuffer`, `bufferstep` is a truth value.
#[test]
fn figure_3_1_adpcm() {
    let text = "global internal @indexTable type [16 x i32] constant = { 0: i32 -1, 4: i32 -1, 8: i32 -1, 12: i32 -1, 16: i32 2, 20: i32 4, 24: i32 6, 28: i32 8, 32: i32 -1, 36: i32 -1, 40: i32 -1, 44: i32 -1, 48: i32 2, 52: i32 4, 56: i32 6, 60: i32 8 }
declare i32 @input() 
declare void @output(i32)
define void @coder(i32 %len) {
entry:
  br label %loop
loop:
  %index = phi i32 [ 0, %entry ], [ %held, %next ]
  %bufferstep = phi i32 [ 1, %entry ], [ %flipped, %next ]
  %buffer = phi i32 [ 0, %entry ], [ %kept, %next ]
  %n = phi i32 [ %len, %entry ], [ %less, %next ]
  %delta = call i32 @input()
  %wide = sext i64 i32 %delta
  %at = getelementptr inbounds [16 x i32] ptr @indexTable, i64 0, i64 %wide
  %step = load i32, ptr %at
  %moved = add nsw i32 %index, %step
  %below = icmp slt i32 %moved, 0
  br i1 %below, label %under, label %over
under:
  br label %join
over:
  br label %join
join:
  %low = phi i32 [ 0, %under ], [ %moved, %over ]
  %above = icmp sgt i32 %low, 88
  %held = select i32 i1 %above, 88, %low
  %test = icmp ne i32 %bufferstep, 0
  br i1 %test, label %first, label %second
first:
  %shifted = shl i32 %delta, 4
  %outputbuffer = and i32 %shifted, 240
  br label %next
second:
  %half = and i32 %delta, 15
  %both = or i32 %half, %buffer
  call void @output(i32 %both)
  br label %next
next:
  %kept = phi i32 [ %outputbuffer, %first ], [ %buffer, %second ]
  %not = xor i1 %test, true
  %flipped = zext i32 i1 %not
  %less = add nsw i32 %n, -1
  %more = icmp sgt i32 %less, 0
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
";
    says(
        text,
        &[
            ("index", "[0, 88] 7"),
            ("step", "[-1, 8] 5"),
            ("moved", "[-1, 96] 8"),
            ("low", "[0, 96] 7"),
            ("held", "[0, 88] 7"),
            ("outputbuffer", "[0, 240] 8"),
            ("both", "[0, 255] 8"),
            ("bufferstep", "[0, 1] 1"),
            ("flipped", "[0, 1] 1"),
        ],
    );
}

/// Figure 4.8, forwards only: `a1 = a0 + 1`, of which one way is negated and one
/// is not; without the array that bounds `a3` nothing but the branch is known.
#[test]
fn figure_4_8_forwards() {
    let text = "declare i32 @input()
define i32 @f() {
entry:
  %a0 = call i32 @input()
  %a1 = add nsw i32 %a0, 1
  %negative = icmp slt i32 %a1, 0
  br i1 %negative, label %yes, label %no
yes:
  %a2 = add nsw i32 %a1, 0
  %a3 = and i32 %a1, 0
  br label %join
no:
  %c = add nsw i32 %a1, 0
  br label %join
join:
  %a4 = phi i32 [ %a3, %yes ], [ %c, %no ]
  ret i32 %a4
}
";
    says(
        text,
        &[
            ("a0", "[-2147483648, 2147483647] 32"),
            ("a1", "[-2147483647, 2147483647] 32"),
            ("a2", "[-2147483647, -1] 32"),
            ("a3", "[0, 0] 0"),
            ("a4", "[0, 2147483647] 31"),
        ],
    );
    // With what the array says put in by hand, as an assumption of its index.
    let bounded = text
        .replace("declare i32 @input()", "declare i32 @input()\ndeclare void @llvm.assume(i1)")
        .replace(
            "  %a1 = add nsw i32 %a0, 1\n",
            "  %i = add nsw i32 %a0, 2\n  %in = icmp ule i32 %i, 10\n  call void @llvm.assume(i1 %in)\n  %a1 = add nsw i32 %a0, 1\n",
        );
    says(
        &bounded,
        &[
            ("a1", "[-1, 9] 5"),
            ("a2", "[-1, -1] 0"),
            ("a3", "[0, 0] 0"),
            ("a4", "[0, 9] 4"),
            ("c", "[0, 9] 4"),
        ],
    );
}

/// Section 4.3: 5h + 1, 5h + 3, 5h + 6 and `t + 4·i3`, here with 20 turns.
#[test]
fn linear_sequences_of_section_4_3() {
    let text = "declare i1 @more(i32)
define void @f() {
entry:
  br label %loop
loop:
  %i1 = phi i32 [ 1, %entry ], [ %i3, %loop ]
  %i2 = add i32 %i1, 2
  %i3 = add i32 %i2, 3
  %four = mul i32 %i3, 4
  %l = add i32 %four, 7
  %go = icmp slt i32 %i1, 96
  br i1 %go, label %loop, label %exit
exit:
  ret void
}
";
    says(text, &[("i1", "[1, 96] 7"), ("i2", "[3, 98] 7"), ("i3", "[6, 101] 7"), ("l", "[31, 411] 9")]);
}
