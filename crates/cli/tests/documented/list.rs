//! How is each command of the documents tried?

/// A command and its trial.
pub(crate) struct Tried {
    /// As it stands in the document, without its comment.
    pub(crate) command: &'static str,
    /// How it is tried.
    pub(crate) expected: Expected,
}

/// How a command is tried.
#[derive(Clone, Copy)]
pub(crate) enum Expected {
    /// It is run in this folder, below that of the test, and what the document shows below it must
    /// come.
    Here(&'static str),
    /// Another test runs it, or it is too long for a test: which, or why.
    Elsewhere,
}

const fn runs(command: &'static str) -> Tried {
    within("", command)
}

const fn within(folder: &'static str, command: &'static str) -> Tried {
    Tried { command, expected: Expected::Here(folder) }
}

/// `_why` names the test, or says why there is none.
const fn elsewhere(command: &'static str, _why: &'static str) -> Tried {
    Tried { command, expected: Expected::Elsewhere }
}

/// All commands, in the order in which they are tried.
pub(crate) const LIST: &[Tried] = &[
    // README.md
    elsewhere(
        "opcost count --annotate corpus/sqlite/driver.c sqlite3.c --cflag=-DSQLITE_THREADSAFE=0 \
         --cflag=-DSQLITE_OMIT_LOAD_EXTENSION -- 70000",
        "./x demo runs it",
    ),
    elsewhere("./x demo", "on a bare machine, before a release"),
    elsewhere("./x test", "it runs this test"),
    elsewhere("./x dist", "package, with the build at hand; ./x release before a release"),
    runs("opcost fuel --limit 5M corpus/kernel/kn.c -- 4; echo $?"),
    runs("cd corpus/loops/fortran; opcost loops -O1 adi.f common/*.f"),
    // CONTRIBUTING.md has ./x, too; crates/host/examples/game/README.md:
    within("crates/host/examples/game", "opcost fuel --header > opcost_host.h"),
    within(
        "crates/host/examples/game",
        "for bot in *.c planner.cpp greedy.cpp; do opcost fuel --emit shared \"$bot\" -o \"${bot%.*}.so\"; done",
    ),
    within("crates/host/examples/game", "c++ -o host host.cpp"),
    within(
        "crates/host/examples/game",
        "./host honest.so planner.so slow.so endless.so sleeping.so cheating.so deep.so greedy.so crashing.so",
    ),
];
