//! Does a rewritten program do what it did, whatever it is given?
//!
//! libFuzzer looks for inputs by which a program goes other ways than before.
//! Each program of the corpus is there twice, as it is and narrowed in the open
//! world, where anyone may call `main` again; the numbers that it draws are the
//! bytes of the input, both read the same, and their checksums and verdicts must
//! be the same. That this finds faults is shown by a program narrowed under a
//! contract that its caller breaks.

use opcost_testkit::command::{ProgramOutput, Workplace, corpus};

use super::{Source, opcost, workplace};

/// Inputs for each program.
const RUNS: &str = "-runs=100";

/// In place of `bits.h`: numbers from the input.
const HEADER: &str = "#define BITS_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
uint32_t fuzz_number(void);
void fuzz_note(uint32_t);
static __attribute__((unused)) void bits_begin(int count, char **words, uint64_t seed) {}
static __attribute__((unused)) uint32_t bits_draw(void) { return fuzz_number(); }
static __attribute__((unused)) int bits_between(int low, int high) {
  return (int)(low + (int64_t)(fuzz_number() % ((uint64_t)((int64_t)high - low) + 1)));
}
static __attribute__((unused)) void bits_note(uint32_t value) { fuzz_note(value); }
static __attribute__((unused)) int bits_finish(const char *name, int is_right) { return !is_right; }
";

/// Runs both and compares. Behind the end of the input numbers go on somehow.
const DRIVER: &str = "#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static const uint8_t *at;
static size_t left;
static uint32_t checksum, behind;
uint32_t fuzz_number(void) {
  if (left < 4) return behind = behind * 1664525 + 1013904223, behind >> 8;
  uint32_t number = at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24;
  at += 4, left -= 4;
  return number;
}
void fuzz_note(uint32_t value) { checksum = (checksum ^ value) * 16777619u; }
int whole_main(int, char **);
int narrow_main(int, char **);
static uint64_t of(int (*program)(int, char **), const uint8_t *data, size_t size) {
  char name[] = \"fuzz\", *words[] = {name, 0};
  at = data, left = size, checksum = 2166136261u, behind = size;
  uint32_t verdict = program(1, words);
  return (uint64_t)verdict << 32 | checksum;
}
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (of(whole_main, data, size) != of(narrow_main, data, size)) fprintf(stderr, \"they differ\\n\"), abort();
  return 0;
}
";

struct Bench {
    place: Workplace,
}

impl Bench {
    fn new() -> Bench {
        let bench = Bench { place: workplace() };
        bench.place.write("fuzz.h", HEADER);
        bench.place.write("driver.c", DRIVER);
        let driver = [&*bench.at("driver.c"), "-o", &bench.at("driver.o")].map(str::to_owned);
        bench.clang(&["-c", "-O1", "-fsanitize=fuzzer-no-link"], &driver);
        bench
    }

    fn at(&self, name: &str) -> String {
        self.place.at(name)
    }

    /// Bitcode of a source that draws from the input.
    fn front(&self, source: &str) -> String {
        let bitcode = self.at("program.bc");
        let flags = ["-c", "-emit-llvm", "-O1", "-g", "-w", "-include"];
        self.clang(&flags, &[self.at("fuzz.h"), source.to_owned(), "-o".to_owned(), bitcode.clone()]);
        bitcode
    }

    /// The same in as few bits as are proven to do; the rewriting's words.
    fn narrow(&self, bitcode: &str, flags: &[&str]) -> String {
        let to = self.at("narrow.bc");
        let all = ["bits", "--narrow", "--world", "open", "-o", &to, bitcode];
        let output = opcost(&[&all, flags].concat()).expect(0);
        output.stdout
    }

    /// An object in which only `main` is seen, by another name.
    fn object(&self, bitcode: &str, main: &str) -> String {
        let object = self.at(&format!("{main}.o"));
        let flags = ["-c", "-O1", "-w", "-fsanitize=fuzzer-no-link"];
        self.clang(&flags, &[bitcode.to_owned(), "-o".to_owned(), object.clone()]);
        let renamed = format!("main={main}");
        let flags = ["--keep-global-symbol=main", "--redefine-sym", &renamed, &object];
        self.place.tool("llvm-objcopy-22", &flags);
        object
    }

    /// What libFuzzer says of both.
    fn fuzz(&self, whole: &str, narrow: &str, runs: &str) -> ProgramOutput {
        let (whole, narrow) = (self.object(whole, "whole_main"), self.object(narrow, "narrow_main"));
        let program = self.at("both");
        let inputs = [self.at("driver.o"), whole, narrow, "-lm".to_owned(), "-o".to_owned(), program.clone()];
        self.clang(&["-fsanitize=fuzzer"], &inputs);
        let artifacts = format!("-artifact_prefix={}/", self.at(""));
        let flags = [runs, "-seed=1", "-max_len=4096", "-len_control=0", &artifacts];
        ProgramOutput::of(self.place.program(program).args(flags))
    }

    fn clang(&self, flags: &[&str], more: &[String]) {
        let all: Vec<&str> = flags.iter().copied().chain(more.iter().map(String::as_str)).collect();
        self.place.tool("clang-22", &all);
    }
}

/// How many inputs were worth keeping, since they went other ways.
fn kept(words: &str) -> u64 {
    let done = words.lines().rfind(|line| line.contains("DONE")).unwrap_or_else(|| panic!("{words}"));
    let corpus = done.split("corp: ").nth(1).expect("its corpus");
    corpus.split('/').next().and_then(|number| number.parse().ok()).expect("a number")
}

#[test]
fn programs_do_what_they_did_on_inputs_that_go_other_ways() {
    let files = std::fs::read_dir(corpus("bits")).expect("corpus");
    let mut programs: Vec<_> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    programs.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    programs.sort();
    assert!(programs.len() >= 15, "{programs:?}");
    let bench = Bench::new();
    let mut found = 0;
    for path in programs.iter().map(|path| path.to_string_lossy()) {
        let whole = bench.front(&path);
        let words = bench.narrow(&whole, &[]);
        let output = bench.fuzz(&whole, &bench.at("narrow.bc"), RUNS);
        let told = &output.stderr;
        assert!(output.status == 0 && !told.contains("they differ"), "{path}: {words}{told}");
        println!("{path}: {} inputs kept", kept(told));
        found += kept(told);
    }
    assert!(found > 3 * programs.len() as u64, "coverage guides: {found}");
}

/// The caller breaks the contract only where two conditions hold.
#[test]
fn a_program_that_was_narrowed_too_much_is_found() {
    const PROGRAM: &str = "#include \"bits.h\"
__attribute__((noinline)) unsigned scaled(unsigned n) { return n * 3 / 7; }
int main(int count, char **words) {
  bits_begin(count, words, 1);
  unsigned kind = bits_draw() % 256, n = bits_draw();
  if (kind == 77 || kind == 201) n &= 0xffffff;
  else n %= 100;
  bits_note(scaled(n));
  return bits_finish(\"scaled\", 1);
}
";
    let source = Source::new("scaled.c", PROGRAM);
    std::fs::copy(corpus("bits/bits.h"), source.place.path("bits.h")).expect("copied");
    let bench = Bench::new();
    let whole = bench.front(&source.path);
    for (contract, is_kept) in [("scaled.n=0..0xffffff", true), ("scaled.n=0..99", false)] {
        let words = bench.narrow(&whole, &["--assume", contract]);
        let output = bench.fuzz(&whole, &bench.at("narrow.bc"), "-runs=200000");
        let told = &output.stderr;
        assert_eq!(output.status == 0, is_kept, "{contract}: {words}{told}");
        assert_eq!(told.contains("they differ"), !is_kept, "{told}");
    }
}
