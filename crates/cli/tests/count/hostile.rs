//! The programs of `corpus/hostile`, one test each.

use std::collections::BTreeSet;

use crate::harness::{check, corpus};

macro_rules! programs {
    ($($test:ident = $file:literal;)*) => {
        $(#[test]
        fn $test() {
            check($file);
        })*

        /// Every program of the folder is a test.
        #[test]
        fn no_program_is_forgotten() {
            let listed: BTreeSet<String> = [$($file),*].into_iter().map(str::to_owned).collect();
            let files = std::fs::read_dir(corpus()).expect("corpus/hostile").map(|entry| entry.expect("an entry"));
            let present = files
                .filter(|entry| entry.path().is_file())
                .map(|entry| entry.file_name().into_string().expect("UTF-8"))
                .filter(|name| !name.ends_with(".md"));
            assert_eq!(listed, present.collect::<BTreeSet<String>>());
        }
    };
}

programs! {
    aborts = "abort.c";
    abort_handled = "abort_handled.c";
    assembly = "assembly.c";
    assembly_goto = "assembly_goto.c";
    asserts = "assert.c";
    assert_handled = "assert_handled.c";
    attributes = "attributes.ll";
    block_size = "block_size.ll";
    comdat = "comdat.cpp";
    constructors = "constructors.cpp";
    coroutine = "coroutine.cpp";
    cxx_dynamic = "cxx_dynamic.cpp";
    duff = "duff.c";
    exec_self = "exec_self.c";
    exit_foreign = "exit_foreign.c";
    exit_immediate = "exit_immediate.c";
    exit_in_handler = "exit_in_handler.c";
    exit_nested = "exit_nested.c";
    exit_quick = "exit_quick.c";
    flow_strange = "flow_strange.ll";
    loop_two_edges = "loop_two_edges.ll";
    loop_two_exits = "loop_two_exits.ll";
    forks = "fork.c";
    fork_exec = "fork_exec.c";
    fork_exit = "fork_exit.c";
    fork_jump = "fork_jump.c";
    fork_killed = "fork_killed.c";
    goto_computed = "goto_computed.c";
    goto_hundred = "goto_hundred.c";
    jump_builtin = "jump_builtin.c";
    jump_deep = "jump_deep.c";
    jump_foreign = "jump_foreign.c";
    jump_hot_loop = "jump_hot_loop.c";
    jump_nested = "jump_nested.c";
    jump_own = "jump_own.c";
    jump_qsort = "jump_qsort.c";
    jump_register_loop = "jump_register_loop.c";
    jump_segv = "jump_segv.c";
    jump_signal = "jump_signal.c";
    jump_twice = "jump_twice.c";
    killed = "killed.c";
    killed_bounds = "killed_bounds.ll";
    noreturn_middle = "noreturn_middle.ll";
    recursion = "recursion.c";
    returns = "return.c";
    segfault = "segfault.c";
    signal_handler = "signal_handler.c";
    signal_storm = "signal_storm.c";
    stack = "stack.c";
    switch_inline = "switch_inline.c";
    switch_module = "switch_module.c";
    switch_naked = "switch_naked.c";
    switch_noreturn = "switch_noreturn.c";
    switch_object = "switch_object.c";
    switch_parallel = "switch_parallel.ll";
    switch_pointer = "switch_pointer.c";
    tail_must = "tail_must.c";
    tail_plain = "tail_plain.c";
    threads = "threads.c";
    threads_c11 = "threads_c11.c";
    threads_cancel = "threads_cancel.c";
    threads_exit = "threads_exit.c";
    threads_running = "threads_running.c";
    threads_shared = "threads_shared.cpp";
    threads_std = "threads_std.cpp";
    throw_cleanups = "throw_cleanups.cpp";
    throw_construct = "throw_construct.cpp";
    throw_lying = "throw_lying.cpp";
    throw_noexcept = "throw_noexcept.cpp";
    throw_through_c = "throw_through_c.cpp";
    throw_uncaught = "throw_uncaught.cpp";
    traps = "trap.c";
    unreachable = "unreachable.c";
    vforks = "vfork.c";
}
