//! Are counts of many threads exact, without atomic operations?

use opcost_profile::opcraw::RawFlags;

use crate::support::{Program, build, counts};

#[test]
fn slabs_add_up_and_are_reused() {
    let (output, file) = Program::c("threads.c").count(&[]);
    assert!(output.status.success(), "{output:?}");
    // Two rounds of eight threads, one more count each as the thread ends.
    assert_eq!(counts(&file)[0], 16 * 1_000_001 + 3);
    assert_eq!(file.flags, RawFlags::THREADS_SEEN);
    assert!((1..=16).contains(&file.slab_count), "{}", file.slab_count);
}

#[test]
fn a_thread_that_forks_counts_in_the_childs_file() {
    let program = Program::c("threads.c");
    assert!(program.run(&["fork"]).status.success());
    let files = program.files();
    let [parent, child] = &files[..] else { panic!("{files:?}") };
    assert_eq!((counts(parent)[0], counts(child)[0]), (6, 2));
}

#[test]
fn threads_on_shared_counters_are_told() {
    let program = build("clang-22", &["threads.c"], &["-DSHARED"]);
    let (output, file) = program.count(&[]);
    assert!(output.status.success(), "{output:?}");
    assert!(file.flags.contains(RawFlags::THREADS_SHARED), "{:?}", file.flags);
}
