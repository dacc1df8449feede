//! Values that were computed above the condition that tells of them.

use super::says;

/// Twice a byte, in a field of 256 elements, is a byte.
#[test]
fn a_doubled_byte_is_a_byte() {
    let text = "define i32 @f(i8 %byte, i32 %turns) {
entry:
  %start = zext i32 %byte
  br label %loop
loop:
  %x = phi i32 [ %start, %entry ], [ %chosen, %loop ]
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %doubled = shl i32 %x, 1
  %top = and i32 %x, 128
  %is_small = icmp eq i32 %top, 0
  %reduced = xor i32 %doubled, 283
  %chosen = select i32 %is_small, %doubled, %reduced
  %next = add nuw nsw i32 %i, 1
  %done = icmp eq i32 %next, %turns
  br i1 %done, label %exit, label %loop
exit:
  ret i32 %x
}
";
    says(
        text,
        &[
            ("x", "[0, 255] 8"),
            ("doubled", "[0, 510] 9"),
            ("reduced", "[1, 511] 9"),
            ("chosen", "[0, 255] 8"),
        ],
    );
    // One bit further up the byte is left, and nothing is known.
    let wrong = text.replace("283", "27");
    says(&wrong, &[("x", "[-2147483648, 2147483647] 32")]);
}

#[test]
fn a_phi_takes_what_was_computed_above() {
    let text = "define i32 @f(i32 %a, i32 %b) {
entry:
  %left = sub i32 %a, %b
  %right = sub i32 %left, 3
  %is_small = icmp ult i32 %a, 10
  br i1 %is_small, label %asked, label %join
asked:
  %is_one = icmp eq i32 %b, 1
  br i1 %is_one, label %there, label %join
there:
  br label %join
join:
  %taken = phi i32 [ %right, %there ], [ 0, %asked ], [ 0, %entry ]
  ret i32 %taken
}
";
    says(text, &[("right", "[-2147483648, 2147483647] 32"), ("taken", "[-4, 5] 4")]);
}

/// A value from the turn before is not computed again from what is known of this
/// turn's sources.
#[test]
fn a_turn_before_is_another_value() {
    let text = "define i32 @f(ptr %p) {
entry:
  br label %loop
loop:
  %last = phi i32 [ 0, %entry ], [ %more, %loop ]
  %x = load i32, %p
  %more = and i32 %x, 1023
  %is_small = icmp ult i32 %x, 4
  %chosen = select i32 %is_small, %last, 0
  %here = select i32 %is_small, %more, 0
  br i1 %is_small, label %loop, label %exit
exit:
  ret i32 %chosen
}
";
    says(text, &[("chosen", "[0, 3] 2"), ("here", "[0, 3] 2"), ("more", "[0, 1023] 10")]);
    let always = text
        .replace("br i1 %is_small, label %loop, label %exit", "br label %loop")
        .replace("exit:\n  ret i32 %chosen\n", "");
    says(&always, &[("chosen", "[0, 1023] 10"), ("here", "[0, 3] 2")]);
}

/// Who chooses by what is undefined has compared another word than the one that is
/// chosen, and nothing undefined was done; who branches on it has done so.
#[test]
fn an_arm_of_what_is_undefined_is_any_word() {
    let text = |of: &str| {
        format!(
            "define i32 @f(i32 %n) {{
entry:
  %x = and i32 {of}, 15
  %few = icmp ult i32 %x, 10
  %r = select i32 i1 %few, i32 %x, i32 3
  ret i32 %r
}}
"
        )
    };
    says(&text("%n"), &[("r", "[0, 9] 4")]);
    says(&text("undef"), &[("r", "[0, 15] 4")]);
    let frozen = text("%once").replace("entry:", "entry:\n  %once = freeze i32 undef");
    says(&frozen, &[("r", "[0, 9] 4")]);
    let branch = text("undef").replace(
        "%r = select i32 i1 %few, i32 %x, i32 3",
        "br i1 %few, label %yes, label %no\nno:\n  ret i32 3\nyes:\n  %r = add i32 %x, 0",
    );
    says(&branch, &[("r", "[0, 9] 4")]);
}
