//! Counts made of a processor's records of branches.
//!
//! Machines that keep such records are few, so the last branches are kept here by valgrind
//! in place of a processor: it names each instruction as it runs (`--tool=lackey`). Each
//! branch that is not followed by the instruction behind it was taken; of each so-and-so
//! many, the last sixteen become a sample of a `perf.data`. So all but the records is as of
//! a machine that has them, and exact counts of the same run are the truth.

use std::collections::BTreeMap;
use std::fs;

use object::{Object, ObjectSegment, SegmentFlags};
use opcost_testkit::perf_data::{USER, file_at, mapping, record, task, words};
use serde_json::Value;

use crate::sampled::{Place, fine, opcost};

const PROGRAM: &str = "
#include <stdlib.h>
static unsigned state = 1;
static unsigned next(void) { return state = state * 1664525u + 1013904223u; }
__attribute__((noinline)) static unsigned choose(unsigned x) {
  switch (x % 7) {
  case 0: return x * 3;
  case 1: return x ^ 77;
  case 2: return x / 11;
  case 3: for (unsigned i = 0; i < x % 19; i++) state ^= i * x; return state;
  default: return x >> 3;
  }
}
__attribute__((noinline)) static unsigned slow(unsigned x) {
  return x % 5 == 0 ? x / (x | 3) / (x % 9 + 1) : x % 3 == 0 ? x + 1 : x - 1;
}
static int compare(const void *a, const void *b) {
  unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
  return (x > y) - (x < y);
}
int main(void) {
  static unsigned numbers[2000];
  unsigned sum = 0;
  for (unsigned i = 0; i < 2000; i++) numbers[i] = next() >> 8;
  qsort(numbers, 2000, sizeof numbers[0], compare);
  for (unsigned i = 0; i < 2000; i++) {
    sum += choose(numbers[i]);
    if (i % 4) sum ^= slow(sum);
  }
  return sum == 42;
}
";

/// Where valgrind puts a program that may lie anywhere.
const BASE: u64 = 0x10_8000;
/// Branches that a sample holds, and taken ones from one sample to the next.
const DEPTH: usize = 16;
const DISTANCE: usize = 61;
/// Cycles a second, about.
const HERTZ: u64 = 2_500_000_000;

/// Address and bytes of each instruction in its order.
fn instructions(place: &Place, program: &str) -> Vec<(u64, u64)> {
    let trace = place.file("trace");
    let log = format!("--log-file={trace}");
    place.tool("valgrind", &["--tool=lackey", "--trace-mem=yes", &log, program]);
    let trace = fs::read_to_string(trace).expect("a trace");
    let numbers = |line: &str| {
        let (address, bytes) = line.strip_prefix("I  ")?.split_once(',')?;
        Some((u64::from_str_radix(address, 16).ok()?, bytes.parse().ok()?))
    };
    trace.lines().filter_map(numbers).collect()
}

/// The records that a processor would have kept: samples, with their branches newest first;
/// and how many branches were taken in all.
fn samples(instructions: &[(u64, u64)]) -> (Vec<u8>, usize) {
    let mut branches: Vec<(u64, u64)> = Vec::new();
    let (mut bytes, mut time) = (Vec::new(), 10);
    for pair in instructions.windows(2) {
        let ((from, length), (to, _)) = (pair[0], pair[1]);
        // An instruction that repeats itself is named again and is no branch.
        if to == from + length || to == from {
            continue;
        }
        branches.push((from, to));
        if branches.len().is_multiple_of(DISTANCE) && branches.len() >= DEPTH {
            let last = branches[branches.len() - DEPTH..].iter().rev();
            let mut body = vec![to, task(7), time, DEPTH as u64];
            body.extend(last.flat_map(|&(from, to)| [from, to, 0]));
            bytes.extend(record(9, USER, &words(&body)));
            time += 1;
        }
    }
    (bytes, branches.len())
}

/// Mappings of the program's executable segments, as valgrind has it.
fn mappings(program: &str) -> Vec<u8> {
    let bytes = fs::read(program).expect("the program");
    let image = object::File::parse(&*bytes).expect("a program");
    let is_code = |flags| matches!(flags, SegmentFlags::Elf { p_flags } if p_flags & 1 != 0);
    let code = image.segments().filter(|segment| is_code(segment.flags()));
    let mapped = code.map(|segment| {
        let (offset, length) = segment.file_range();
        let within = segment.address() % 4096;
        let start = BASE + segment.address() - within;
        mapping(7, start, (within + length).next_multiple_of(4096), offset - within, program)
    });
    mapped.collect::<Vec<_>>().concat()
}

#[test]
fn branches_tell_counts_without_time() {
    let place = Place::new();
    let source = place.source(PROGRAM);
    let (program, exact, perf, ledger) =
        (place.file("prog"), place.file("exact.opc"), place.file("perf.data"), place.file("run.opc"));
    fine(&["sample", "--emit", "exe", "-o", &program, &source]);
    fine(&["count", "--ledger", &exact, &source]);
    let instructions = instructions(&place, &program);
    let (samples, taken) = samples(&instructions);
    let records = [mappings(&program), samples].concat();
    // As many samples a second as if an instruction took a cycle; address, task, time, branches.
    let rate = HERTZ / (instructions.len() as u64 * DISTANCE as u64 / taken as u64);
    fs::write(&perf, file_at(rate, &[(0, &[])], 1 | 1 << 1 | 1 << 2 | 1 << 11, &records)).expect("a file");
    let raw = place.file("raw.opc");
    let told = fine(&["sample", "--perf", &perf, "--ledger", &ledger, "--raw", &raw, &program]).stderr;
    assert!(told.contains("runs between branches that the processor recorded, not of time"), "{told}");
    let agreement = |estimate: &str| -> BTreeMap<String, Value> {
        let output = fine(&["overlap", "--json", "-", estimate, &exact]);
        serde_json::from_value(output.json()).expect("measures")
    };
    let found = agreement(&ledger);
    let of = |measure: &str| found[measure].as_f64().expect("a number");
    // One run in four was recorded; what is left is chance.
    assert!(of("in_function_block") > 0.97 && of("program_block") > 0.96, "{found:?}");
    assert!(of("function_total") > 0.96 && of("entry") > 0.93 && of("residual") == 0.0, "{found:?}");
    // What was kept of them says the same later.
    let again = place.file("again.opc");
    fine(&["repair", &raw, &program, "-o", &again]);
    let later = agreement(&again)["program_block"].as_f64().expect("a number");
    assert!((later - of("program_block")).abs() < 0.005, "{later} {found:?}");
}

#[test]
fn a_machine_that_keeps_no_branches_is_named() {
    let place = Place::new();
    let source = place.source("int main(void) { return 0; }");
    // No clock has branches, on any machine.
    let output = opcost(&["sample", "--branches", "--event", "cpu-clock", &source]);
    let told = &output.stderr;
    assert_eq!(output.status, 1, "{told}");
    let is_refused = told.contains("records no branches with `cpu-clock`") && told.contains("--event cycles");
    assert!(is_refused || told.contains("does not let us sample"), "{told}");
}
