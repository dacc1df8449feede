//! Does a program pay for how much its instructions do?
//!
//! What `fuel/1` charges by length and size is the same for `count` and for
//! `fuel`, and stops a program before the work; what takes the place of
//! library functions does what they do.

use std::path::PathBuf;

use crate::fuel::{PAYING, metered, run, spend};
use crate::harness::{Bench, corpus};

fn write(bench: &Bench, text: &str) -> [PathBuf; 1] {
    bench.write("a.c", text);
    [bench.path("a.c")]
}

#[test]
fn the_library_that_pays_does_what_the_c_library_does() {
    let source = corpus().join("../metered/library.c");
    let bench = Bench::new();
    bench.tool("clang-22", &["-O1", "-w", "-o", "plain", source.to_str().expect("UTF-8")]);
    let plain = bench.tool("./plain", &[]).stdout;
    assert!(plain.len() > 300, "it prints");
    for flags in [&["--anchor", "source"], &["--anchor", "optimized"], &["--codegen", "0"]] {
        let out = bench.path("out").to_str().expect("UTF-8").to_owned();
        let all: Vec<&str> = flags.iter().copied().chain(["--stdout", &out]).collect();
        let spent = spend(&bench, &all, std::slice::from_ref(&source), &[]);
        assert_eq!(spent.verdict(), "finished", "{}", spent.1);
        assert!(bench.read("out") == plain, "{flags:?}: another output");
        let counting: Vec<&str> = flags.iter().copied().chain(PAYING).collect();
        let counted = bench.count(&counting, std::slice::from_ref(&source), &[]);
        assert_eq!(spent.amount(), counted.counts().total(), "{flags:?}");
    }
}

/// Twice the length costs one more for each 16 bytes, five where much is copied or filled, and nothing else.
#[test]
fn lengths_cost_one_for_sixteen_bytes() {
    let bench = Bench::new();
    for (name, units, text) in [
        ("memcpy", 5, "static char a[1 << 20], b[1 << 20]; memcpy(a, b, n); sink = a;"),
        ("memset", 5, "static char a[1 << 20]; memset(a, 1, n); sink = a;"),
        ("calloc", 5, "sink = calloc(n / 8, 8);"),
        ("alloca", 1, "char a[n]; a[0] = 1; sink = a; take(a);"),
        ("memcmp", 1, "static char a[1 << 20], b[1 << 20]; sink = (void *)(long)memcmp(a, b, n);"),
    ] {
        let text = format!(
            "#include <stdlib.h>\n#include <string.h>\nvoid *volatile sink;\n\
             __attribute__((noinline)) void take(char *p) {{ sink = p; }}\n\
             int main(int c, char **v) {{ size_t n = atol(v[1]); {text} return 0; }}\n"
        );
        let source = write(&bench, &text);
        let program = [metered(&bench, &["--audit"], &source)];
        let cost = |bytes: u64| {
            let spent = run(&bench, &[], &program, &[bytes.to_string()]);
            assert_eq!(spent.verdict(), "finished", "{name}: {}", spent.1);
            spent.amount()
        };
        assert_eq!(cost(400_000) - cost(200_000), units * 200_000 / 16, "{name}");
        assert_eq!(cost(2000) - cost(1000), 2000 / 16 - 1000 / 16, "{name}");
        let counted = bench.count(&PAYING, &source, &["200000".to_owned()]);
        assert_eq!(cost(200_000), counted.counts().total(), "{name}");
    }
}

/// Each would run for minutes, or for ever, between two of its instructions.
#[test]
fn long_work_is_stopped_before_it_is_done() {
    let bench = Bench::new();
    for (name, text) in [
        ("memcpy", "char *a = malloc(1 << 28); for (;;) { memcpy(a, a + (1 << 27), 1 << 27); sink = a; }"),
        ("memset", "char *a = malloc(1 << 28); size_t n = 1 << 28; for (;;) { memset(a, 1, n); sink = a; }"),
        ("strlen", "char *a = malloc(1 << 26); memset(a, 1, 1 << 26); for (;;) sink = a + strlen(a);"),
        (
            "strcmp",
            "char *a = calloc(1 << 26, 1); memset(a, 1, (1 << 26) - 1); for (;;) sink = a + strcmp(a, a);",
        ),
        ("printf", "char b[9]; for (;;) sink = b + snprintf(b, 9, \"%999999999d\", 1);"),
        ("realloc", "char *a = 0; for (size_t n = 1;; n += 4096) sink = a = realloc(a, n);"),
        ("alloca", "for (;;) { char a[c * 1000000]; take(a); }"),
    ] {
        let text = format!(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nvoid *volatile sink;\n\
             __attribute__((noinline)) void take(char *p) {{ sink = p; }}\n\
             int main(int c, char **v) {{ {text} }}\n"
        );
        let source = write(&bench, &text);
        let spent = spend(&bench, &["--limit", "40M", "--cflag", "-fno-finite-loops"], &source, &[]);
        assert_eq!(spent.verdict(), "used-up", "{name}: {}", spent.1);
    }
}

#[test]
fn wide_numbers_weigh_as_many_words() {
    let bench = Bench::new();
    let module = |width: u32, operation: &str| {
        format!(
            "target triple = \"x86_64-pc-linux-gnu\"\n@x = global i{width} 7\n@y = global i{width} 9\n\
             define i32 @main() {{\n  %a = load i{width}, ptr @x\n  %b = load i{width}, ptr @y\n  \
             %c = {operation} i{width} %a, %b\n  store i{width} %c, ptr @x\n  ret i32 0\n}}\n"
        )
    };
    for (width, operation, cost) in [
        (64, "mul", 5),
        (128, "add", 4 * 2 + 1),
        (128, "mul", 3 * 2 + 4 + 1),
        (256, "mul", 3 * 4 + 16 + 1),
        (256, "udiv", 3 * 4 + 256 * 4 + 1),
    ] {
        bench.write("a.ll", module(width, operation));
        let source = [bench.path("a.ll")];
        let spent = spend(&bench, &[], &source, &[]);
        assert_eq!(
            (spent.verdict(), spent.amount()),
            ("finished", cost),
            "{operation} i{width}: {}",
            spent.1
        );
        assert_eq!(bench.count(&PAYING, &source, &[]).counts().total(), cost, "{operation} i{width}");
    }
}
