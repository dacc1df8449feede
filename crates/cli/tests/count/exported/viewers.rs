//! Are viewers of profiles told all instructions?
//!
//! Referees: gzip and a decoder of a few lines for pprof, the report's total for folded
//! stacks.

use super::{count, fine, place, text};
use crate::harness::Bench;

/// Sums of the two values of a pprof profile's samples.
fn pprof_sums(bench: &Bench, file: &str) -> [u64; 2] {
    let unpacked = bench.program("gzip").args(["-dc", file]).output().expect("gzip starts");
    assert!(unpacked.status.success(), "{unpacked:?}");
    let plain = unpacked.stdout;
    let mut sums = [0; 2];
    each_field(&plain, |tag, sample| {
        if tag == 2 {
            each_field(sample, |tag, values| {
                if tag == 2 {
                    let (first, rest) = varint(values);
                    sums[0] += first;
                    sums[1] += varint(rest).0;
                }
            });
        }
    });
    sums
}

fn varint(data: &[u8]) -> (u64, &[u8]) {
    let length = data.iter().position(|byte| byte & 0x80 == 0).expect("an end") + 1;
    let value = data[..length].iter().rev().fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f));
    (value, &data[length..])
}

/// Fields of a message that are bytes.
fn each_field(mut data: &[u8], mut with: impl FnMut(u64, &[u8])) {
    while !data.is_empty() {
        let (key, rest) = varint(data);
        let (value, rest) = varint(rest);
        data = rest;
        if key & 7 == 2 {
            let (bytes, rest) = data.split_at(usize::try_from(value).expect("a length"));
            with(key >> 3, bytes);
            data = rest;
        }
    }
}

#[test]
fn viewers_are_told_all_instructions() {
    let bench = place();
    let counts = count(&bench, "optimized");
    let total = counts.total();
    fine(&bench, &["export", "--to", "collapsed", "run.opc", "-o", "a.folded"]);
    let folded = text(&bench, "a.folded");
    let lines = || folded.lines().map(|line| line.rsplit_once(' ').expect("a stack and a number"));
    let sum: u64 = lines().map(|(_, number)| number.parse::<u64>().expect("a number")).sum();
    assert_eq!(sum, total, "{folded}");
    assert!(
        lines().any(|(stack, _)| stack == "main;often") && lines().any(|(stack, _)| stack == "pick"),
        "{folded}"
    );
    fine(&bench, &["export", "--to", "pprof", "run.opc", "-o", "a.pb.gz"]);
    let [executions, instructions] = pprof_sums(&bench, "a.pb.gz");
    assert_eq!(instructions, total);
    assert!(executions >= instructions, "{executions}");
    // Equal ledgers are equal files.
    fine(&bench, &["export", "--to", "pprof", "run.opc", "-o", "b.pb.gz"]);
    let [a, b] = ["a.pb.gz", "b.pb.gz"].map(|name| bench.bytes(name));
    assert_eq!(a, b);
}
