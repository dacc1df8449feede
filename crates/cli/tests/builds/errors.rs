//! What goes wrong is told: whose fault, where, what next, and the status.

use opcost_testkit::command::ProgramOutput;

use crate::support::{ADD, Bench, MAIN};

const HELLO: (&str, &str) = ("hello.c", "int main(void) { return 0; }\n");

#[track_caller]
fn told(said: &ProgramOutput, status: i32, words: &[&str]) {
    assert_eq!(said.status, status, "{}", said.all());
    said.expect_stderr(words);
}

#[test]
fn inputs_that_are_no_modules() {
    let bench = Bench::new(&[HELLO, ("empty.bc", ""), ("empty.c", ""), ("garbage.bc", "this is no bitcode")]);
    bench.shell(
        "clang-22 -c -emit-llvm -O1 hello.c -o whole.bc; head -c 700 whole.bc > short.bc; mkdir folder",
    );
    bench.write("garbage", b"\x01\x02\x03");
    told(&bench.opcost(&["count", "missing.c"]), 1, &["cannot read missing.c: there is no such file"]);
    told(&bench.opcost(&["count", "folder"]), 2, &["folder is a folder"]);
    told(&bench.opcost(&["count", "garbage"]), 2, &["garbage is neither"]);
    told(&bench.opcost(&["count", "empty.bc"]), 2, &["empty.bc is empty"]);
    told(&bench.opcost(&["count", "garbage.bc"]), 1, &["garbage.bc"]);
    told(&bench.opcost(&["count", "short.bc"]), 1, &["short.bc"]);
    told(&bench.opcost(&["count", "empty.c"]), 1, &["no main in empty.c", "--emit obj"]);
    told(&bench.opcost(&["count", "whole.bc"]), 0, &["1 instruction "]);
}

#[test]
fn bitcode_of_a_newer_llvm() {
    let bench = Bench::new(&[HELLO]);
    bench.shell("clang-22 -c -emit-llvm -O1 hello.c -o whole.bc");
    // The identification block names producer and epoch. An attribute that
    // LLVM 22 does not know is what newer bitcode is made of, and text shows it.
    bench.write("newer.ll", b"define i32 @main() attribute_of_llvm_99 {\n  ret i32 0\n}\n");
    told(&bench.opcost(&["count", "newer.ll"]), 1, &["newer.ll"]);
    let mut bytes = std::fs::read(bench.path("whole.bc")).expect("bitcode");
    let epoch = epoch_byte(&bytes);
    bytes[epoch] ^= 0x40;
    bench.write("newer.bc", &bytes);
    told(&bench.opcost(&["count", "newer.bc"]), 1, &["newer.bc"]);
}

/// A byte in the identification block, which stands first in a module.
fn epoch_byte(bytes: &[u8]) -> usize {
    assert_eq!(&bytes[..4], b"BC\xc0\xde");
    // 4 bytes of magic, 8 of the block's head (id, width, length in words).
    let length = u32::from_le_bytes(bytes[8..12].try_into().expect("four bytes")) as usize * 4;
    12 + length - 4
}

#[test]
fn compilers_and_linkers_speak_for_themselves() {
    let bench = Bench::new(&[
        HELLO,
        ADD,
        MAIN,
        ("twin.c", "int add(int a, int b) { return a - b; }\n"),
        ("broken.c", "int f( {\n"),
    ]);
    told(&bench.opcost(&["count", "broken.c"]), 1, &["broken.c:1:", "error: ", "failed on broken.c"]);
    told(&bench.opcost(&["count", "main.c"]), 1, &["undefined reference to `add'"]);
    told(&bench.opcost(&["count", "main.c", "add.c", "twin.c"]), 1, &["multiple definition of `add'"]);
    told(
        &bench.opcost(&["cc", "main.c", "-o", "prog"]),
        1,
        &["undefined reference", "linker command failed"],
    );
    assert!(!bench.path("prog").exists());
}

#[test]
fn another_clang_or_none() {
    let bench = Bench::new(&[HELLO]);
    let fake = bench.0.write_program("clang-23", "#!/bin/sh\necho clang version 23.1.0\n");
    for verb in [&["count", "hello.c"][..], &["cc", "-c", "hello.c"]] {
        let run = |clang: &str| ProgramOutput::of(bench.command(verb).env("OPCOST_CLANG", clang));
        told(&run("/nonexistent"), 1, &["clang 22 was not found", "apt-get install clang-22"]);
        told(&run(&fake.to_string_lossy()), 1, &["23.1.0", "clang-22"]);
    }
    let doctor = ProgramOutput::of(bench.command(&["doctor", "--json"]).env("OPCOST_CLANG", "/nonexistent"));
    let json = doctor.expect(1).json();
    assert_eq!((&json["schema"], &json["fine"]), (&"opcost.doctor/1".into(), &false.into()));
}

#[test]
fn doctor_counts_a_program() {
    let bench = Bench::new(&[]);
    let said = bench.opcost(&["doctor"]);
    told(&said, 0, &[]);
    assert!(said.stdout.contains("built, run and counted: "), "{}", said.stdout);
}

/// Root writes everywhere, so the folder is one that cannot hold a file.
#[test]
fn nothing_half_written_where_nothing_can_be_written() {
    let bench = Bench::new(&[HELLO]);
    told(&bench.opcost(&["cc", "-c", "hello.c", "-o", "/proc/hello.o"]), 1, &["/proc"]);
    told(&bench.opcost(&["count", "--emit", "exe", "-o", "/proc/hello", "hello.c"]), 1, &["/proc"]);
    bench.write("kept.o", b"before");
    bench.write("broken.c", b"int f( {\n");
    told(&bench.opcost(&["cc", "-c", "broken.c", "-o", "kept.o"]), 1, &["error"]);
    let names: Vec<_> = std::fs::read_dir(bench.path("")).expect("the folder").collect();
    assert!(names.len() <= 3, "{names:?}");
}

/// A disk of 64 KiB, in a mount namespace of our own.
#[test]
fn a_full_disk_leaves_what_was_there() {
    let bench = Bench::new(&[HELLO]);
    // Root may mount in a namespace of its own; anyone else needs to become root in one first.
    let own = if rustix::process::geteuid().is_root() { "-m" } else { "-rm" };
    let can =
        ProgramOutput::of(bench.program("unshare").args([own, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]));
    assert_eq!(can.status, 0, "this test needs user namespaces or root: {}", can.stderr);
    let line = "mkdir small; mount -t tmpfs -o size=16k tmpfs small; echo before > small/out.o; \
                head -c 12000 /dev/zero > small/ballast; \
                $OPCOST cc -c hello.c -o small/out.o; echo status $?; cat small/out.o; ls -A small; \
                TMPDIR=$PWD/small $OPCOST cc -c hello.c -o here.o; echo status $?; ls here.o";
    let said = ProgramOutput::of(bench.program("unshare").args([own, "sh", "-c", line]));
    assert!(
        said.stdout.starts_with("status 1\nbefore\nballast\nout.o\nstatus 1\n"),
        "{}\n{}",
        said.stdout,
        said.stderr
    );
    assert!(said.stderr.contains("No space left") && !bench.path("here.o").exists(), "{}", said.stderr);
}
