//! Does a longjmp note exactly the frames from it to its setjmp, and the call
//! that the target stood in?

use opcost_profile::opcraw::{RawFile, RawFlags};

use crate::support::{Program, counts, frames};

fn jump(way: &str, left: &[(&str, i64)]) -> RawFile {
    let program = Program::c("jumps.c");
    let (output, file) = program.count(&[way]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(program.left(&file), frames(left));
    file
}

#[test]
fn every_frame_of_a_deep_recursion_is_left_once() {
    let file = jump("deep", &[("catches", 1), ("deep", 100_001)]);
    assert_eq!(counts(&file)[1], 100_001);
    assert_eq!(file.flags, RawFlags::default());
}

#[test]
fn many_shallow_jumps_add_up() {
    assert_eq!(jump("often", &[("catches", 1000), ("deep", 2000)]).flags, RawFlags::default());
}

#[test]
fn a_jump_out_of_abort_is_no_end() {
    let file = jump("abort", &[("aborts", 1), ("handles", 1), ("jump_out", 1)]);
    assert_eq!(file.flags, RawFlags::default());
}

#[test]
fn a_jump_out_of_a_handler_on_another_stack_is_told() {
    let file = jump("raise", &[("handles", 1), ("raises", 1), ("jump_out", 1)]);
    assert_eq!(file.flags, RawFlags::default());
}

#[test]
fn a_frame_interrupted_at_any_instruction_is_flagged() {
    assert_eq!(jump("fault", &[("handles", 1), ("jump_out", 1)]).flags, RawFlags::ASYNCHRONOUS_FRAME);
}
