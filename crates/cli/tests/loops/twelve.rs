//! The twelve hardest cases of widths, each with a program that has it.
//!
//! | column | says |
//! |---|---|
//! | program | a file of `corpus/bits` |
//! | values | line and name of a mark there, and how many bits are told of it, whoever calls |
//! | open, closed | bits that all integers of the kernels need at -O2, by who may call |
//!
//! All of it is exact, so that a change in either direction is seen: a smaller
//! number is to be explained and written down here, a larger one is a step back.
//! Kernels are what is not `main`, and neither drives, draws nor verifies.
//! What the published table says of LLVM on the same kernels is held, too.

use std::fmt::Write;

use opcost_testkit::command::corpus;
use serde_json::Value;

use super::bits_marks::widths;
use super::document;

/// A value by its mark, and its bits.
type Marked = (usize, &'static str, u64);

struct Case {
    number: u32,
    what: &'static str,
    program: &'static str,
    values: &'static [Marked],
    open: u64,
    closed: u64,
}

const CASES: &[Case] = &[
    Case {
        number: 1,
        what: "sums of sums of a counter, up to 100 or a bound that a branch keeps there",
        program: "loops.c",
        values: &[(11, "s", 13), (12, "q", 18), (22, "s", 13), (23, "q", 18)],
        open: 1339,
        closed: 239,
    },
    Case {
        number: 2,
        what: "powers of three, left at the twelfth; forty of them come round",
        program: "hard/01_geometric.c",
        values: &[(9, "g", 20), (18, "g", 32)],
        open: 1109,
        closed: 68,
    },
    Case {
        number: 3,
        what: "tables of a decoder, indices out of tables",
        program: "huffman.c",
        values: &[(61, "held", 24), (112, "value", 9), (119, "place", 6)],
        open: 4721,
        closed: 4406,
    },
    Case {
        number: 3,
        what: "sums of products of a transform",
        program: "idct.c",
        values: &[(22, "x0", 12), (31, "sum", 24), (73, "to[0]", 9)],
        open: 555,
        closed: 555,
    },
    Case {
        number: 4,
        what: "tables by an index that is held in its range, clamps across calls",
        program: "adpcm.c",
        values: &[(32, "index", 7), (58, "predicted", 16), (61, "step", 15)],
        open: 1354,
        closed: 1099,
    },
    Case {
        number: 5,
        what: "arrays of int that hold bytes, written in several functions",
        program: "aes.c",
        values: &[(99, "word", 6), (104, "a", 8), (106, "constant", 8)],
        open: 4677,
        closed: 4638,
    },
    Case {
        number: 6,
        what: "bytes within a word, in sums that wrap",
        program: "blowfish.c",
        values: &[(135, "a", 8), (138, "d", 8), (146, "r", 32)],
        open: 6127,
        closed: 6062,
    },
    Case {
        number: 7,
        what: "fields of a double in integers, shifts that vary",
        program: "softdouble.c",
        values: &[(14, "exponent", 11), (19, "fraction", 52), (54, "kept", 54)],
        open: 13294,
        closed: 12866,
    },
    Case {
        number: 8,
        what: "a buffer of bits that is shifted in and out",
        program: "motion.c",
        values: &[(39, "bits", 10), (69, "value", 5), (80, "range", 13)],
        open: 3438,
        closed: 3013,
    },
    Case {
        number: 9,
        what: "rotations and sums that wrap: nearly all bits are needed",
        program: "sha256.c",
        values: &[(36, "low", 32), (49, "e", 32), (53, "a", 32), (88, "shift", 5)],
        open: 3469,
        closed: 3423,
    },
    Case {
        number: 10,
        what: "an interpreter: fields are narrow, its registers hold anything",
        program: "mips.c",
        values: &[(18, "left", 32), (64, "place", 6), (83, "operation", 6), (87, "a", 32)],
        open: 2209,
        closed: 2143,
    },
    Case {
        number: 11,
        what: "differences that are held between a bound and its negative",
        program: "deblock.c",
        values: &[(41, "change", 9), (61, "sum", 11), (83, "alpha", 8), (92, "reach", 5)],
        open: 2180,
        closed: 1567,
    },
    Case {
        number: 12,
        what: "promotions, differences of truth values, shifts, the least number",
        program: "hard/02_promotions.c",
        values: &[
            (8, "sum", 9),
            (19, "difference", 2),
            (40, "high", 32),
            (48, "result", 9),
            (73, "size", 16),
        ],
        open: 762,
        closed: 0,
    },
    Case {
        number: 12,
        what: "the control: LLVM has all of it",
        program: "jacobi.c",
        values: &[(14, "sum", 10), (14, "mean", 8)],
        open: 524,
        closed: 524,
    },
];

/// Bits that the integers of the kernels need.
fn total(program: &str, world: &str) -> u64 {
    let path = corpus(&format!("bits/{program}"));
    let document = document("bits", &["-O2", "--world", world, &path]);
    let drives = |name: &str| ["main", "drive_", "bits_", "plain_"].iter().any(|word| name.starts_with(word));
    let functions = document["functions"].as_array().expect("functions");
    let kernels = functions.iter().filter(|one| !drives(one["name"].as_str().expect("a name")));
    let needed = |one: &Value| one["needed_type"].as_u64().expect("a number");
    kernels.map(needed).sum()
}

#[test]
fn the_twelve_hardest_cases_are_told_exactly() {
    let numbers: Vec<u32> = CASES.iter().map(|case| case.number).collect();
    assert!((1..=12).all(|number| numbers.contains(&number)), "{numbers:?}");
    let mut other = String::new();
    for Case { number, what, program, values, open, closed } in CASES {
        let told = widths(program, "open");
        for &(line, name, bits) in *values {
            let is = told.get(&(line, name.to_owned())).copied();
            if is != Some(bits) {
                let _ = writeln!(
                    other,
                    "{number}, {what}: {program}:{line} {name} has {is:?} bits and not {bits}"
                );
            }
        }
        let is = (total(program, "open"), total(program, "closed"));
        if is != (*open, *closed) {
            let _ = writeln!(
                other,
                "{number}, {what}: {program} needs {} bits open and {} closed, not {open} and {closed}",
                is.0, is.1
            );
        }
    }
    assert!(other.is_empty(), "not as the table says:\n{other}");
}

/// A row of the published table, by the heading that it stands under: columns by name.
fn published(heading: &str, program: &str, column: &str) -> u64 {
    let path = format!("{}/../../benchmarks/bits.md", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the published table");
    let mut lines = text.lines().skip_while(|line| *line != heading);
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let names = cells(lines.find(|line| line.starts_with("| program")).expect("a table"));
    let row = cells(lines.find(|line| line.starts_with(&format!("| {program} |"))).expect("a row"));
    let at = names.iter().position(|name| name == column).expect("a column");
    row[at].parse().expect("a number")
}

/// Blowfish is where interior bits may be lost, jacobi where there is no gain.
#[test]
fn what_llvm_knows_of_the_hardest_is_known_and_the_control_gains_nothing() {
    for world in ["Open", "Closed"] {
        let heading = format!("## {world} world: what is known");
        for program in ["blowfish", "sha256", "mips"] {
            let of = |column| published(&heading, program, column);
            assert!(of("ours") <= of("Fwd"), "{heading}: {program}");
        }
        let of = |column| published(&heading, "jacobi", column);
        assert_eq!((of("ours"), of("ours")), (of("Fwd"), of("type")), "{heading}: jacobi");
    }
}
