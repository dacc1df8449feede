//! Do frames that an exception leaves get noted, by both personalities?

use opcost_profile::opcraw::RawFlags;

use crate::support::{build, frames};

#[test]
fn a_throw_notes_the_frames_it_passes() {
    let program = build("clang++-22", &["throws.cpp", "through.ll"], &["-Wno-override-module"]);
    let (output, file) = program.count(&[]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "cleaned\n7\n".repeat(5));
    assert_eq!(program.left(&file), frames(&[("inner", 5), ("through", 5)]));
    assert_eq!(file.flags, RawFlags::default());
}

#[test]
fn pthread_exit_notes_the_frames_it_passes() {
    let program = build("clang++-22", &["throws.cpp", "through.ll"], &["-Wno-override-module"]);
    let (output, file) = program.count(&["thread"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(program.left(&file), frames(&[("inner", 1), ("through", 1)]));
}
