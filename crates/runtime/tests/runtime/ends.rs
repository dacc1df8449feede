//! Does every end of a program leave exact counts and the frames it left?

use std::os::unix::process::ExitStatusExt;
use std::sync::OnceLock;

use opcost_profile::opcraw::{EndState, RawFile, RawFlags};

use crate::support::{Program, build, counts, frames};

const ALL_LEFT: &[(&str, i64)] = &[("leaf", 1), ("main", 1), ("middle", 1)];

/// Runs one way to end; `status` is -signal or the exit status.
fn end(way: &str, status: i32, state: EndState, left: &[(&str, i64)]) -> RawFile {
    let program = Program::c("ends.c");
    let (output, file) = program.count(&[way]);
    let ended = output.status.code().unwrap_or_else(|| -output.status.signal().unwrap_or(0));
    assert_eq!(ended, status, "{output:?}");
    assert_eq!(file.end, state);
    assert_eq!(counts(&file)[..3], [1, 1, 1]);
    assert_eq!(counts(&file)[5], 1000);
    assert_eq!(program.left(&file), frames(left));
    assert_eq!(file.flags, RawFlags::default());
    file
}

#[test]
fn return_from_main_leaves_no_frame() {
    let file = end("return", 3, EndState::Exit, &[]);
    assert!(file.image.path.ends_with("/program"));
    assert_eq!(file.image.build_id.len(), 20);
    assert!(file.process.process_start_ns > 0 && file.process.program_start_ns > 0);
}

#[test]
fn sigkill_keeps_all_counts() {
    end("kill", -9, EndState::None, &[]);
}

#[test]
fn exit_notes_every_frame_once() {
    end("exit", 3, EndState::Exit, ALL_LEFT);
}

#[test]
fn exit_by_uncounted_code_is_noticed_by_the_destructor() {
    end("exit-uncounted", 3, EndState::Exit, ALL_LEFT);
}

#[test]
fn an_end_within_an_end_notes_only_the_deeper_frames() {
    let left = [ALL_LEFT, &[("at_exit_ends", 1)]].concat();
    let file = end("exit-in-exit", 5, EndState::ImmediateExit, &left);
    assert_eq!(counts(&file)[3], 1);
}

#[test]
fn immediate_exits_have_no_destructor_and_need_none() {
    end("_exit", 3, EndState::ImmediateExit, ALL_LEFT);
    end("quick_exit", 3, EndState::QuickExit, ALL_LEFT);
}

#[test]
fn abort_is_noted_once_though_it_is_seen_twice() {
    end("abort", -6, EndState::Abort, ALL_LEFT);
    let file = end("abort-handled", -6, EndState::Abort, ALL_LEFT);
    assert_eq!(counts(&file)[4], 1);
}

#[test]
fn assert_says_what_it_always_said_and_is_noted() {
    end("assert", -6, EndState::Abort, ALL_LEFT);
    let program = Program::c("ends.c");
    let counted = program.run(&["assert"]);
    let plain = program.command(&["assert"]).env_remove("OPCOST_RAW").output().expect("it starts");
    assert!(String::from_utf8_lossy(&plain.stderr).contains("Assertion `!\"reached\"' failed"));
    assert_eq!(counted, plain);
}

#[test]
fn without_the_variable_nothing_is_written() {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| Program::c("ends.c"));
    let output = program.command(&["exit"]).env_remove("OPCOST_RAW").output().expect("it starts");
    assert_eq!(output.status.code(), Some(3));
    assert!(program.files().is_empty());
}

#[test]
fn a_static_program_counts_too() {
    let program = build("clang-22", &["ends.c"], &["-static"]);
    let (_, file) = program.count(&["assert"]);
    assert_eq!((file.end, counts(&file)[5]), (EndState::Abort, 1000));
    assert_eq!(program.left(&file), frames(ALL_LEFT));
}
