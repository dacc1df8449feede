//! Counted bitcode: machine code made of it later, optimised in between or
//! not, counts the same.

use crate::harness::{Bench, Counted, corpus};

fn emit(bench: &Bench, source: &str, output: &str) {
    let source = corpus().join(source);
    bench.opcost(&["count", "--emit", "bc", "-o", output, source.to_str().expect("UTF-8")]).expect(0);
}

fn assert_same(at: &str, found: &Counted, wanted: &Counted) {
    let (found, wanted) = (found.counts(), wanted.counts());
    assert!(found.is_exact(), "{at}: {:?}", found.reasons());
    assert_eq!(found.total(), wanted.total(), "{at}");
    assert_eq!(found.blocks(), wanted.blocks(), "{at}");
}

#[test]
fn counted_bitcode_counts_the_same_however_it_is_made_a_program() {
    for (source, compiler) in [
        ("attributes.ll", "cc"),
        ("jump_hot_loop.c", "cc"),
        ("exit_nested.c", "cc"),
        ("throw_cleanups.cpp", "c++"),
    ] {
        let bench = Bench::new();
        emit(&bench, source, "counted.bc");
        let direct = bench.count(&[], &[corpus().join(source)], &[]);
        let at_once = bench.count(&[], &[bench.path("counted.bc")], &[]);
        assert_same(source, &at_once, &direct);
        bench.tool("opt-22", &["-O2", "counted.bc", "-o", "optimized.bc"]);
        for level in ["0", "3"] {
            let optimized = bench.count(&["--codegen", level], &[bench.path("optimized.bc")], &[]);
            assert_same(&format!("{source}, behind opt -O2, level {level}"), &optimized, &direct);
        }
        bench.opcost(&[compiler, "-O2", "counted.bc", "-o", "program"]).expect(0);
        let driven = bench.count(&[], &[bench.path("program")], &[]);
        assert_same(&format!("{source}, by opcost {compiler}"), &driven, &direct);
    }
}

#[test]
fn what_counted_bitcode_cannot_be_is_said() {
    let bench = Bench::new();
    let refused = |arguments: &[&str], text: &str| {
        let output = bench.opcost(arguments);
        let said = &output.stderr;
        assert_eq!(output.status, 1, "{said}");
        assert!(said.contains(text), "{said}");
    };
    emit(&bench, "recursion.c", "counted.bc");
    refused(&["count", "--emit", "bc", "-o", "twice.bc", "counted.bc"], "counted already");
    refused(&["count", "--cost", "block-size", "counted.bc"], "was counted with cost model unit/1");
    let other = "target triple = \"x86_64-unknown-linux-gnu\"\ndefine void @other() {\n  ret void\n}\n";
    bench.write("other.ll", other);
    bench.opcost(&["count", "--emit", "bc", "-o", "other.bc", "other.ll"]).expect(0);
    bench.tool("llvm-link-22", &["counted.bc", "other.bc", "-o", "linked.bc"]);
    refused(&["count", "linked.bc"], "linked of 2 counted modules");
}

#[test]
fn the_anchor_is_bitcode_even_of_text() {
    let bench = Bench::new();
    let source = corpus().join("attributes.ll");
    bench
        .opcost(&["count", "--emit", "anchor", "-o", "anchor.bc", source.to_str().expect("UTF-8")])
        .expect(0);
    assert!(bench.bytes("anchor.bc").starts_with(b"BC\xc0\xde"));
}
