//! Do operators and loops have circuits that clang makes intrinsics of?
//!
//! clang turns loops into `memset`, `memcpy`, `memmove` and `strlen`, and operators into `bswap`,
//! `ctpop`, `ctlz`, `cttz`, `bitreverse`, saturating sums and three-way comparisons. The sources
//! hold operators, arrays and loops, so there is a circuit, and it is simulated against C. Names of
//! ports are legal in SystemVerilog, differ, and the module is called what the function is called.

use super::{made, workplace};

fn cases(name: &str) -> String {
    format!("{}/../../corpus/cases/{name}.c", env!("CARGO_MANIFEST_DIR"))
}

/// Each function of a source has a circuit that is never wrong, in each level.
fn all_made(source: &str, functions: &[&str], flags: &[&str]) {
    for function in functions {
        for level in ["-O1", "-O2"] {
            let place = workplace();
            made(&place, &cases(source), &[&["--top", function, level], flags].concat());
        }
    }
}

#[test]
fn loops_that_clang_makes_calls_of_are_loops_again() {
    let loops = ["copyloop", "zeroloop", "scratch", "zlocal", "copyext", "fill", "rev", "par", "pop"];
    all_made("loops_refused", &loops, &[]);
    all_made("idioms_refused", &["copyr", "taps"], &[]);
    all_made("idioms", &["shl2", "stru", "len", "fillb", "fill32", "vla"], &[]);
    all_made("hist", &["hist"], &["--assume", "hist.n=0..64"]);
    all_made("fir", &["fir"], &["--assume", "fir.n=0..20"]);
}

#[test]
fn integer_intrinsics_have_circuits() {
    let swaps = ["bs64", "bs16", "br64", "br8", "br24", "rot", "rotr"];
    let counts = ["lz64", "tz64", "lz16", "pc64", "pc8", "c64", "cu8"];
    all_made("idioms", &[&swaps[..], &counts[..], &["sa64", "ss64", "sa16", "ss8"]].concat(), &[]);
    let operators = ["addo", "be32", "cmp3", "ilog", "ispow2", "parity", "popswar", "rev32", "revb", "sgn"];
    all_made("idioms_refused", &operators, &[]);
    all_made("loops_refused", &["bswap", "ctzt", "lz", "popc", "ovf"], &[]);
    let over = ["add", "addsmall", "sub", "subu", "mul", "mulwide", "mulu", "muluwide", "muls", "low"];
    all_made("overflows", &over, &[]);
}

#[test]
fn names_are_legal_and_differ() {
    let place = workplace();
    made(&place, &cases("name_clash1"), &["--top", "xr"]);
    let place = workplace();
    made(&place, &cases("sv_words"), &["--top", "k1", "--assume", "k1.dist=-1000..1000"]);
    place.tool("iverilog", &["-g2012", "-o", "k1.vvp", "out/k1.v"]);
    // No read of b is left: C may read it all the same.
    let place = workplace();
    made(&place, &cases("null_param1"), &["--top", "z1"]);
    let place = workplace();
    place.write("shift.c", "int Byte_Sub(int A_B) { return A_B >> 1; }\n");
    made(&place, "shift.c", &["--top", "Byte_Sub"]);
    assert!(place.read("out/Byte_Sub.v").contains("module Byte_Sub"), "the function's own name");
}
