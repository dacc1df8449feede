//! Do structs, wide numbers and odd pointers have circuits that compute what C computes?
//!
//! Structs by value are numbers in registers or copies on the stack. Numbers have up to 128 bits.
//! Memories have members of several sizes, pointers point into the middle, or lead to one of several
//! memories. Each kernel of `corpus/cases/hdl_*.c` is simulated against C at several levels; what has
//! no circuit is refused with what to write instead.

use super::{lint, made, workplace};

const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];
/// Where pointers are no locals in memory.
const OPTIMISED: [&str; 2] = ["-O1", "-O2"];

fn cases(name: &str) -> String {
    format!("{}/../../corpus/cases/{name}.c", env!("CARGO_MANIFEST_DIR"))
}

/// Each function has a circuit that is never wrong, in each level.
fn all_made(source: &str, functions: &[&str], levels: &[&str], flags: &[&str]) {
    for function in functions {
        for level in levels {
            let place = workplace();
            let own = ["--top", function, level, "--cflag=-fwrapv"];
            made(&place, &cases(source), &[&own[..], flags].concat());
            lint(&place, function);
        }
    }
}

/// A refusal with these words.
fn refused(source: &str, flags: &[&str], status: i32, words: &[&str]) {
    let place = workplace();
    let source = cases(source);
    let all = [&["hdl", "-o", "out", &source, "--cosimulate", "20", "-O1"], flags].concat();
    place.opcost(&all).expect(status).expect_stderr(words);
}

#[test]
fn structs_by_value_are_words_or_copies() {
    let words = ["f", "g", "cadd", "rr", "t3", "fb", "bf", "ll", "em", "un", "wv", "nn", "twice"];
    all_made("hdl_structs", &words, &LEVELS, &[]);
    all_made("hdl_structs", &["big", "sr", "many"], &LEVELS, &[]);
    refused(
        "hdl_structs",
        &["--top", "inc"],
        1,
        &["b, a struct that is passed by value, is changed", "copy"],
    );
}

/// Structs of 5, 9 and 11 bytes, of pointers, of other structs, complex numbers, and whatever else is passed oddly.
#[test]
fn odd_structs_are_handed_over() {
    let words = [
        "inc9", "rot11", "sum5", "usei", "flip", "wadd", "pick", "make", "bb", "sw", "nn", "one", "mixed",
        "regs", "useal", "swp", "cre", "r65", "gtb", "b20",
    ];
    all_made("hdl_odd_structs", &words, &["-O0", "-O2"], &[]);
    all_made("hdl_odd_structs", &["kk", "slice", "vla2", "vm", "find", "bub"], &["-O2"], &[]);
}

/// The head says which bits are which member, and the name is one at each level.
#[test]
fn words_of_structs_are_told() {
    for level in LEVELS {
        let place = workplace();
        made(&place, &cases("hdl_structs"), &["--top", "f", level]);
        let verilog = place.read("out/f.v");
        assert!(verilog.contains("p is a word of a struct: p.x is p[15:0], p.y is p[31:16]"), "{verilog}");
        assert!(verilog.contains("input [31:0] p"), "{verilog}");
    }
    for interface in ["stream", "axi"] {
        let place = workplace();
        made(&place, &cases("hdl_structs"), &["--top", "cadd", "--interface", interface]);
    }
    // A contract of a member keeps what is called within what C defines.
    let place = workplace();
    let text = "struct P { int x, y; };\nint f(struct P p) { return p.x * p.y; }\n";
    let source = place.write("product.c", text);
    let flags = ["--top", "f", "--assume", "f.p.x=-300..300", "--assume", "f.p.y=0..9000"];
    made(&place, &source, &flags);
    assert!(place.read("out/f.v").contains("contract f.p.x=-300..300 (--assume), of a member"));
    place
        .opcost(&["hdl", "--top", "f", "-o", "out", &source, "--cosimulate", "60"])
        .expect(2)
        .expect_stderr(&["overflow"]);
}

/// In C++ a struct may have constructors, and functions have other names for the linker.
#[test]
fn structs_of_cpp_are_handed_over() {
    let place = workplace();
    let text = "#include <cstdint>
namespace n {
struct Base { int16_t low; };
struct P : Base { bool on; uint8_t by; };
struct Empty {};
P turned(Empty, P p, const int16_t &add) { p.low = int16_t(p.on ? p.low + add : p.by); p.on = !p.on; return p; }
struct Kept { int v; Kept(int v) : v(v) {} Kept(const Kept &k) : v(k.v) {} };
int kept(Kept k) { return k.v ^ 5; }
}\n";
    place.write("turned.cpp", text);
    for top in ["n::turned", "n::kept"] {
        made(&place, "turned.cpp", &["--top", top]);
    }
}

#[test]
fn structs_of_a_run_are_compared() {
    let place = workplace();
    let text = "struct P { char c; short s; };
struct P f(struct P a, int n) { struct P r = {(char)(a.c + n), (short)(a.s ^ n)}; return r; }
int main(void) { int s = 0; for (int i = 0; i < 5; i++) { struct P a = {(char)i, 7}; s += f(a, i).s; } return s == 99; }\n";
    place.write("run.c", text);
    let all = ["hdl", "run.c", "--top", "f", "-o", "out", "--json", "-", "--replay"];
    let document = place.opcost(&all).expect(0).json();
    assert_eq!((&document["simulation"]["runs"], &document["simulation"]["wrong"]), (&5.into(), &0.into()));
    let wide =
        "unsigned __int128 f(unsigned __int128 a) { return a + 1; }\nint main(void) { return f(1) == 5; }\n";
    place.write("run.c", wide);
    place.opcost(&all).expect(2).expect_stderr(&["more than 64 bits", "--cosimulate"]);
}

#[test]
fn numbers_have_up_to_128_bits() {
    let products =
        ["mulhi", "smulhi", "mul", "add", "ssub", "lt", "sh", "sar", "mulo", "pc", "stk", "tab", "sw"];
    all_made("hdl_wide", &products, &LEVELS, &[]);
    all_made("hdl_wide", &["bi", "b17", "s17", "b65", "b127", "b128", "b5"], &LEVELS, &[]);
    all_made("hdl_wide", &["loopsum", "st128", "bitmem"], &OPTIMISED, &[]);
    for kind in ["declared", "certified", "llvm"] {
        all_made("hdl_wide", &["mulhi", "sh", "b65"], &["-O2"], &["--widths", kind]);
    }
    all_made("hdl_wide", &["mul", "bi"], &["-O2"], &["--interface", "stream"]);
    all_made("hdl_wide", &["add"], &["-O2"], &["--assume", "add.a=-5..18446744073709551616,7"]);
    refused("hdl_wide", &["--top", "b200"], 1, &["256 bits", "at most 128 bits"]);
    refused("hdl_wide", &["--top", "mod"], 1, &["128 bits is divided", "127 bits"]);
    refused("hdl_wide", &["--top", "add", "--interface", "axi"], 2, &["more than 64 bits", "stream"]);
}

#[test]
fn elements_before_a_pointer_are_handed_over() {
    all_made("hdl_before", &["back"], &OPTIMISED, &["--before", "back.p=3"]);
    all_made("hdl_before", &["fir3"], &OPTIMISED, &["--before", "fir3.x=2"]);
    all_made("hdl_before", &["down"], &OPTIMISED, &["--before", "down.p=8"]);
    all_made("hdl_before", &["both"], &OPTIMISED, &["--before", "both.p=4", "--interface", "axi"]);
    refused("hdl_before", &["--top", "back"], 2, &["undefined", "--before"]);
    refused("hdl_before", &["--top", "back", "--before", "back.p=2"], 2, &["undefined"]);
    refused("hdl_before", &["--top", "back", "--before", "back.q=3"], 2, &["names no pointer"]);
    refused("hdl_before", &["--top", "back", "--before", "3"], 2, &["FUNCTION.POINTER=ELEMENTS"]);
}

#[test]
fn memories_have_members_of_several_sizes() {
    let all = ["sum", "upd", "pk", "od", "cp", "ini", "un", "walk", "uv", "bff", "flags"];
    all_made("hdl_mixed", &all, &OPTIMISED, &[]);
    all_made("hdl_mixed", &["loc", "acc"], &LEVELS, &[]);
    all_made("hdl_mixed", &["upd", "cp"], &["-O2"], &["--interface", "axi", "--no-pipelines"]);
    let place = workplace();
    made(&place, &cases("hdl_mixed"), &["--top", "sum", "--cflag=-fwrapv"]);
    let verilog = place.read("out/sum.v");
    assert!(verilog.contains("elements of 8 bits; wider numbers are several, low bits first"), "{verilog}");
    refused("hdl_mixed", &["--top", "sum", "--assume", "sum.s=0..5"], 2, &["several sizes", "mask"]);
}

#[test]
fn pointers_may_lead_to_several_memories() {
    let all = [
        "sel", "selst", "loop2", "swap", "pingpong", "mixw", "three", "same", "loc", "tabs", "viacall",
        "cond", "ss", "mv", "minmax", "copied",
    ];
    all_made("hdl_ways", &all, &OPTIMISED, &[]);
    all_made("hdl_ways", &["swap", "cond", "minmax"], &["-O2"], &["--no-pipelines", "--memory-ports", "1"]);
    refused("hdl_ways", &["--top", "nul"], 1, &["null", "parameter"]);
    refused("hdl_ways", &["--top", "cmpp"], 1, &["compared", "compare indices"]);
    let source = cases("hdl_ways");
    workplace()
        .opcost(&["hdl", "-o", "out", "-O0", &source, "--top", "sel"])
        .expect(1)
        .expect_stderr(&["-O1"]);
}

#[test]
fn other_names_are_told() {
    let place = workplace();
    let text = "int reg(int A_B, const int *Sub_Row, int at) { return A_B + Sub_Row[at & 3]; }\n";
    let source = place.write("names.c", text);
    made(&place, &source, &["--top", "reg", "--cflag=-fwrapv"]);
    let verilog = place.read("out/reg_kernel.v");
    for words in [
        "the function reg of the source is called reg_kernel here",
        "the parameter A_B of the source is called A_uB here",
        "the pointer Sub_Row of the source is called Sub_uRow here",
    ] {
        assert!(verilog.contains(words), "{verilog}");
    }
    assert!(!verilog.contains("the parameter at"), "{verilog}");
}
