//! Does each process count its own work, and each program its own file?

use opcost_profile::opcraw::{EndState, RawFlags};

use crate::support::{Program, counts, frames};

#[test]
fn a_child_of_fork_starts_from_a_baseline() {
    let program = Program::c("processes.c");
    assert!(program.run(&["fork"]).status.success());
    let files = program.files();
    let [parent, child] = &files[..] else { panic!("{files:?}") };
    assert_eq!(counts(parent)[..4], [1, 110, 1, 0]);
    assert_eq!(counts(child)[..4], [0, 3, 0, 0]);
    assert!(child.is_forked && !parent.is_forked);
    assert_eq!(child.process.parent_pid, parent.process.pid);
    // Entered in the parent, returned in the child: entries = returns + left.
    assert_eq!(program.left(child), frames(&[("forks", -1), ("main", -1)]));
    assert_eq!(program.left(parent), frames(&[]));
    assert_eq!((parent.end, child.end), (EndState::Exit, EndState::Exit));
    assert_eq!(parent.flags, RawFlags::default());
}

#[test]
fn exec_ends_one_file_and_begins_another() {
    let program = Program::c("processes.c");
    assert!(program.run(&["exec"]).status.success());
    let files = program.files();
    let [before, after] = &files[..] else { panic!("{files:?}") };
    assert_eq!(before.process.pid, after.process.pid);
    assert_eq!(before.process.process_start_ns, after.process.process_start_ns);
    assert_ne!(before.process.sequence, after.process.sequence);
    assert_eq!((before.end, after.end), (EndState::Exec, EndState::Exit));
    assert_eq!(program.left(before), frames(&[("execs", 1), ("main", 1)]));
    assert_eq!((counts(before)[3], counts(after)[1]), (1, 7));
}

#[test]
fn an_exec_that_fails_takes_its_notes_back() {
    let program = Program::c("processes.c");
    let (output, file) = program.count(&["exec-fails"]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "exec: No such file or directory\n");
    assert_eq!(counts(&file)[3..5], [1, 1]);
    assert_eq!(program.left(&file), frames(&[]));
    assert_eq!(file.end, EndState::Exit);
}

#[test]
fn vfork_with_exec_is_a_fork_with_exec() {
    let program = Program::c("processes.c");
    assert!(program.run(&["vfork"]).status.success());
    let files = program.files();
    let [parent, child, after] = &files[..] else { panic!("{files:?}") };
    assert_eq!((counts(parent)[2], counts(child)[3], counts(after)[1]), (1, 1, 7));
    // The child's frames: two inherited (-1), two replaced (+1); vforks returned.
    assert_eq!(program.left(child), frames(&[("execs", 1), ("main", 0), ("vforks", -1)]));
    assert_eq!(child.end, EndState::Exec);
}
