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
    /// It is run here, and what the document shows below it must come.
    Here {
        /// Where, below the folder of the test.
        folder: &'static str,
        /// What makes the files that the reader is supposed to have.
        before: &'static str,
        /// The exit status.
        status: i32,
        /// Whether digits and bars vary.
        masked: bool,
    },
    /// Another test runs it, or it is too long for a test: which, or why.
    Elsewhere,
}

const fn runs(command: &'static str) -> Tried {
    ends(command, "", 0)
}

const fn ends(command: &'static str, before: &'static str, status: i32) -> Tried {
    Tried { command, expected: Expected::Here { folder: "", before, status, masked: false } }
}

const fn within(folder: &'static str, command: &'static str) -> Tried {
    Tried { command, expected: Expected::Here { folder, before: "", status: 0, masked: false } }
}

const fn varies(command: &'static str, before: &'static str) -> Tried {
    Tried { command, expected: Expected::Here { folder: "", before, status: 0, masked: true } }
}

/// `_why` names the test, or says why there is none.
const fn elsewhere(command: &'static str, _why: &'static str) -> Tried {
    Tried { command, expected: Expected::Elsewhere }
}

/// What readers are supposed to have.
pub(crate) const FILES: &[(&str, &str)] = &[
    (
        "bot.cpp",
        "#include <iostream>\nint main() {\n  long sum = 0, one;\n  while (std::cin >> one) sum += one * one;\n  \
         std::cout << sum << '\\n';\n}\n",
    ),
    ("map.txt", "1 2 3\n4 5 6\n"),
    ("a.c", "int main(void) { return 0; }\n"),
    (
        "prog.c",
        "#include <stdlib.h>\nint main(int count, char **words) {\n  unsigned sum = 0;\n  \
         for (int i = 0; i < 40000000 * count; i++) sum = sum * 31 + i;\n  \
         return sum == 1 ? atoi(words[0]) : 0;\n}\n",
    ),
    (
        "prog.f90",
        "program prog\n  integer :: i, n, s\n  read *, n\n  s = 0\n  do i = 1, n\n    s = s + i * i\n  end do\n  \
         print *, s\nend program\n",
    ),
    ("prog.rs", "fn main() {\n    println!(\"{}\", (1..100u64).map(|n| n * n).sum::<u64>());\n}\n"),
    ("configure", "#!/bin/sh\nprintf 'prog: prog.c\\n\\t%s -O2 -o prog prog.c\\n' \"$CC\" > Makefile\n"),
    ("opcost.toml", "[run.first]\ninputs = [\"a.c\"]\nlimit = 10\n"),
];

const MORE_FUEL: &str = "clang++-22 -O2 -emit-llvm -c bot.cpp -o bot.bc";

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
    elsewhere(
        "sudo apt-get install ./target/dist/opcost_0.1.0_amd64.deb",
        "package, with dpkg on a bare machine",
    ),
    elsewhere(
        "tar -xJf target/dist/opcost-0.1.0-x86_64-unknown-linux-gnu.tar.xz -C ~/.local --strip-components=1",
        "package unpacks it and runs ten commands",
    ),
    elsewhere("cargo install --locked --path crates/cli", "a release build; by hand before a release"),
    elsewhere(
        "podman build -t opcost . && podman run --rm -v \"$PWD:/work\" opcost count a.c",
        "its steps by hand on a bare machine, before a release",
    ),
    runs("opcost count bot.cpp < map.txt"),
    runs("opcost count --annotate --html report.html bot.cpp"),
    runs("opcost count --json - a.c | jq .total"),
    runs("opcost count --emit exe -o prog.counted prog.c"),
    runs("opcost count --budget 2.5G bot.cpp; echo $?"),
    ends("CC=\"opcost cc\" ./configure && make && opcost count ./prog -- ARGS", "chmod +x configure", 0),
    elsewhere("cargo opcost count --bin rg -- PATTERN FILE", "builds: a crate with a dependency"),
    runs("opcost count --ledger before.opc ./prog"),
    ends("opcost diff before.opc after.opc", "opcost count --ledger after.opc ./prog -- ARGS", 0),
    runs("opcost fuel --limit 5M bot.cpp -- ARGS"),
    runs("opcost loops prog.f90"),
    runs("opcost count --deterministic --repeat 3 bot.cpp"),
    runs("opcost check"),
    runs("opcost doctor"),
    runs("opcost fuel --limit 5M corpus/kernel/kn.c -- 4; echo $?"),
    ends("opcost fuel --check bot.bc", MORE_FUEL, 0),
    runs("opcost fuel --limit 5M --sandbox bot.cpp"),
    runs("opcost fuel --audit bot.cpp"),
    runs("opcost fuel --machine wasm32-wasi prog.c"),
    runs("opcost fuel --unchecked bot.cpp"),
    runs("opcost fuel --emit shared bot.cpp -o bot.so"),
    runs("opcost fuel --header > opcost_host.h"),
    runs(
        "for m in x86_64-linux aarch64-linux riscv64-linux x86_64-windows; do opcost fuel --portable --machine $m \
         corpus/portable/bot.cpp <<< \"12 9 5\" >/dev/null; done",
    ),
    runs("opcost life corpus/life/foo.c:3:14"),
    runs("cd corpus/loops/fortran; opcost loops -O1 adi.f common/*.f"),
    within("corpus/loops/fortran", "opcost explain -O1 adi.f:111 common/*.f"),
    runs("cd corpus/bits; opcost bits --function main -O1 adpcm.c"),
    varies("opcost sample --ledger sampled.opc corpus/kernel/kn.c -- 60", ""),
    runs("opcost count --ledger counted.opc corpus/kernel/kn.c -- 60"),
    varies("opcost overlap sampled.opc counted.opc", ""),
    runs("cd corpus/loops/fortran; opcost values --verify -O1 rng.f common/*.f"),
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
