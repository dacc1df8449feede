//! Do paths stay true through threads, fork, exceptions and jumps?
//!
//! The referee is naive and knows a ledger's paths, blocks and edges only: it
//! walks every path and counts what it comes by. A block starts as often as
//! paths come into it, and a function ends as often as its paths do, but for
//! frames that were left on their way (their paths are not finished) and frames
//! that a child of `fork` inherited (their paths began in the parent). Where
//! there are neither, equality is to the digit. Blocks, edges, calls and lines
//! must be those of a run without paths.

use std::collections::{BTreeMap, BTreeSet};

use opcost_profile::formats::opc::load_ledger;
use opcost_profile::{Column, Fact, Ledger, Subject, Way};

use crate::harness::Bench;

/// Facts of one function.
#[derive(Default)]
struct Function {
    blocks: BTreeMap<u32, i128>,
    edges: BTreeMap<u32, Edge>,
    /// Edges along each path, and how often it was taken.
    paths: Vec<(Vec<u32>, i128)>,
}

struct Edge {
    way: Way,
    to: Option<u32>,
    count: i128,
    inherited: i128,
}

fn functions(ledger: &Ledger) -> BTreeMap<String, Function> {
    let mut all: BTreeMap<String, Function> = BTreeMap::new();
    for fact in ledger.facts() {
        let Some(named) = fact.subject.function() else { continue };
        let function = all.entry(named.name.clone()).or_default();
        let value = i128::from(fact.value.expect("the run is exact"));
        match (&fact.subject, fact.column) {
            (Subject::Block { block, .. }, Column::Count) => _ = function.blocks.insert(*block, value),
            (Subject::Path { edges, .. }, Column::Count) => function.paths.push((edges.to_vec(), value)),
            (Subject::Edge { edge, edge_kind: way, to, .. }, column) => {
                let new = Edge { way: *way, to: *to, count: 0, inherited: 0 };
                let edge = function.edges.entry(*edge).or_insert(new);
                match column {
                    Column::Count => edge.count = value,
                    Column::Inherited => edge.inherited = value,
                    _ => {}
                }
            }
            _ => {}
        }
    }
    all
}

/// What the referee found of a function.
#[derive(Debug, PartialEq)]
struct Verdict {
    /// Frames that were left on their way, and frames that were inherited.
    left: i128,
    inherited: i128,
    /// Paths that were taken, each once.
    paths: usize,
}

impl Function {
    /// Walks all paths; panics where they do not add up.
    fn check(&self, name: &str) -> Verdict {
        let mut along: BTreeMap<u32, i128> = BTreeMap::new();
        let mut into: BTreeMap<u32, i128> = BTreeMap::new();
        let mut finished = 0;
        for (edges, count) in &self.paths {
            assert!(*count > 0, "{name}: a path that was not taken");
            for edge in edges {
                *along.entry(*edge).or_default() += count;
                let edge = &self.edges[edge];
                if let (Some(to), Way::Enter | Way::Branch) = (edge.to, edge.way) {
                    *into.entry(to).or_default() += count;
                }
            }
            let last = edges.last().unwrap_or_else(|| panic!("{name}: a path of nothing"));
            if self.edges[last].to.is_none() {
                finished += count;
            }
        }
        let unfinished =
            self.edges.iter().filter(|(id, edge)| edge.way == Way::Left && !along.contains_key(id));
        let (left, inherited) =
            unfinished.fold((0, 0), |sum, (_, edge)| (sum.0 + edge.count, sum.1 + edge.inherited));
        let entered: i128 =
            self.edges.values().filter(|edge| edge.way == Way::Enter).map(|edge| edge.count).sum();
        assert_eq!(entered - finished, left - inherited, "{name}: frames and ends of paths");
        for (block, count) in &self.blocks {
            let missing = count - into.get(block).copied().unwrap_or(0);
            assert!((-inherited..=left).contains(&missing), "{name}: {missing} missing at block {block}");
        }
        for (id, edge) in self.edges.iter().filter(|(_, edge)| edge.way != Way::Left) {
            let missing = edge.count - edge.inherited - along.get(id).copied().unwrap_or(0);
            assert!((-inherited..=left).contains(&missing), "{name}: {missing} missing at edge {id}");
        }
        Verdict { left, inherited, paths: self.paths.len() }
    }
}

/// Runs a source with paths and without, at several anchors and levels, and
/// judges every function; what is found of each, at the anchor `source`.
fn judged(file: &str, text: &str, functions_with_paths: &[&str]) -> BTreeMap<String, Verdict> {
    let bench = Bench::new();
    bench.write(file, text);
    let ledger = |flags: &[&str]| {
        let all = [&["count", "--ledger", "run.opc"], flags, &[file]].concat();
        let output = bench.opcost(&all);
        let said = &output.stderr;
        assert_eq!(output.status, 0, "{flags:?}: {said}");
        assert!(said.contains("· exact"), "{flags:?}: {said}");
        (load_ledger(&bench.path("run.opc")).expect("a ledger"), output.stdout)
    };
    let mut found = BTreeMap::new();
    for flags in
        [["-O0", "--anchor", "source", "--codegen", "0"], ["-O2", "--anchor", "optimized", "--codegen", "2"]]
    {
        let (normal, printed) = ledger(&flags);
        let (with_paths, printed_too) = ledger(&[&flags[..], &["--paths"]].concat());
        assert_eq!(printed, printed_too, "{flags:?}");
        let is_path = |fact: &&Fact| matches!(fact.subject, Subject::Path { .. });
        let rest: Vec<&Fact> = with_paths.facts().iter().filter(|fact| !is_path(fact)).collect();
        assert_eq!(rest, normal.facts().iter().collect::<Vec<_>>(), "{flags:?}");
        let counted: BTreeMap<String, Function> =
            functions(&with_paths).into_iter().filter(|(_, function)| !function.paths.is_empty()).collect();
        let verdicts: BTreeMap<String, Verdict> =
            counted.iter().map(|(name, function)| (name.clone(), function.check(name))).collect();
        if flags[0] == "-O0" {
            found = verdicts;
        }
    }
    let missing: BTreeSet<&str> =
        functions_with_paths.iter().copied().filter(|name| !found.contains_key(*name)).collect();
    assert!(missing.is_empty(), "no paths of {missing:?}");
    found
}

/// Work with several ways through, alike in C and C++.
const CHOOSE: &str = r#"
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __cplusplus
#include <stdexcept>
extern "C" {
#endif
volatile unsigned char ways[8] = {1, 0, 1, 1, 0, 0, 1, 0};
__attribute__((noinline)) long choose(unsigned i) {
    long result = i;
    if (ways[i % 8]) result += 3; else result -= 5;
    if (ways[(i / 3) % 8]) result *= 7; else result ^= 9;
    for (unsigned k = 0; k < i % 4; k++) if (ways[(i + k) % 8]) result += k;
    return result;
}
/* More paths than are counted: they are cut, also behind calls. */
__attribute__((noinline)) long wide(unsigned i) {
    long sum = 0;
#define WAY(n) if (i >> n & 1) sum += choose(i + n); else sum -= n;
    WAY(0) WAY(1) WAY(2) WAY(3) WAY(4) WAY(5) WAY(6) WAY(7) WAY(8) WAY(9) WAY(10) WAY(11)
    return sum;
}
#ifdef __cplusplus
}
#endif
"#;

/// Two ways through three blocks, of which one leaves the frame once.
fn small(ways: [i128; 2], left: i128) -> Function {
    let edge = |way, to, count| Edge { way, to, count, inherited: 0 };
    let edges = [
        edge(Way::Enter, Some(0), 9),
        edge(Way::Branch, Some(1), 4),
        edge(Way::Branch, Some(2), 5),
        edge(Way::Return, None, 4),
        edge(Way::Return, None, 5 - left),
        edge(Way::Left, None, left),
    ];
    let paths = vec![(vec![0, 1, 3], ways[0]), (vec![0, 2, 4], ways[1])];
    Function { blocks: [(0, 9), (1, 4), (2, 5)].into(), edges: (0..).zip(edges).collect(), paths }
}

#[test]
fn the_referee_believes_no_wrong_path() {
    assert_eq!(small([4, 5], 0).check("f"), Verdict { left: 0, inherited: 0, paths: 2 });
    assert_eq!(small([4, 4], 1).check("f"), Verdict { left: 1, inherited: 0, paths: 2 });
    for (ways, left) in [([5, 4], 0), ([4, 4], 0), ([4, 6], 0), ([4, 5], 1), ([2, 6], 1)] {
        let wrong = std::panic::catch_unwind(|| small(ways, left).check("f"));
        assert!(wrong.is_err(), "{ways:?} {left}");
    }
}

#[test]
fn threads_that_end_as_they_like() {
    let main = r#"
void *leaves(void *n) { if (ways[(long)n % 8]) pthread_exit(n); return 0; }
__attribute__((noinline)) void *inner(void *n) { void *got = leaves(n); choose((long)n); return got; }
void *thread(void *n) {
    long sum = 0;
    for (unsigned i = 0; i < 3000 + (unsigned)(long)n; i++) sum += choose(i) + wide(i);
    inner(n);
    return (void *)sum;
}
int main(void) {
    pthread_t threads[8];
    for (long k = 0; k < 8; k++) pthread_create(&threads[k], 0, thread, (void *)k);
    for (int k = 0; k < 8; k++) pthread_join(threads[k], 0);
    puts("done");
    return 0;
}"#;
    let found = judged(
        "threads.c",
        &(CHOOSE.to_owned() + main),
        &["choose", "wide", "leaves", "inner", "thread", "main"],
    );
    for name in ["choose", "wide", "main"] {
        assert_eq!((found[name].left, found[name].inherited), (0, 0), "{name}");
    }
    // Four of eight threads end in `leaves`; both frames above are left, its own path ends there.
    for (name, left) in [("leaves", 0), ("inner", 4), ("thread", 4)] {
        assert_eq!((found[name].left, found[name].inherited), (left, 0), "{name}");
    }
}

#[test]
fn a_fork_in_the_middle_of_a_path() {
    let main = r#"
__attribute__((noinline)) int forker(unsigned i) {
    int status = 0, mine = i & 1;
    if (i % 3 == 0) mine += 8;
    pid_t child = fork();
    if (child == 0) { choose(i); if (mine & 1) _exit(3); return -1; }
    waitpid(child, &status, 0);
    return WEXITSTATUS(status) + mine;
}
int main(void) {
    long sum = 0;
    for (unsigned i = 0; i < 7; i++) {
        int got = forker(i);
        if (got < 0) { choose(i); wide(i); return 0; }
        sum += got;
    }
    printf("%ld\n", sum);
    return 0;
}"#;
    let found = judged("fork.c", &(CHOOSE.to_owned() + main), &["choose", "wide", "forker", "main"]);
    for (name, left, inherited) in [("choose", 0, 0), ("wide", 0, 0), ("forker", 0, 7)] {
        assert_eq!((found[name].left, found[name].inherited), (left, inherited), "{name}");
    }
    // Children that `_exit` leave the frame of `main` that they inherited.
    assert_eq!(found["main"].inherited - found["main"].left, 4, "{:?}", found["main"]);
}

#[test]
fn exceptions_that_land_and_pass_by() {
    let main = r#"
volatile long sink;
struct Tidy { ~Tidy() { sink = sink + 1; } };
extern "C" {
__attribute__((noinline)) long thrower(unsigned i) {
    if (i % 5 == 3) throw std::runtime_error("x");
    if (i % 7 == 2) throw 5;
    return choose(i);
}
__attribute__((noinline)) long through(unsigned i) {
    long sum = i & 1 ? 1 : 0;
    sum += thrower(i);
    if (i & 2) sum += 2;
    return sum + thrower(i + 1);
}
__attribute__((noinline)) long tidies(unsigned i) { Tidy tidy; if (i & 4) sink = sink + 2; return through(i); }
__attribute__((noinline)) long catcher(unsigned i) {
    long sum = 0;
    try { sum += tidies(i); }
    catch (std::runtime_error &) { sum += 1; if (i & 4) sum += 5; }
    catch (int) { sum += 2; }
    return sum;
}
__attribute__((noinline)) long wide_through(unsigned i) {
    long sum = 0;
#define PASS(n) if (i >> n & 1) sum += thrower(i + n); else sum -= n;
    PASS(0) PASS(1) PASS(2) PASS(3) PASS(4) PASS(5) PASS(6) PASS(7) PASS(8) PASS(9) PASS(10) PASS(11)
    return sum;
}
void *thread(void *n) {
    long sum = 0;
    for (unsigned i = 0; i < 2000 + (unsigned)(long)n; i++) {
        sum += catcher(i);
        try { sum += wide_through(i); } catch (...) { sum += 3; }
    }
    return (void *)sum;
}
}
int main() {
    pthread_t threads[3];
    for (long k = 0; k < 3; k++) pthread_create(&threads[k], 0, thread, (void *)k);
    for (int k = 0; k < 3; k++) pthread_join(threads[k], 0);
    puts("done");
}"#;
    let names = ["choose", "thrower", "through", "tidies", "catcher", "wide_through", "thread", "main"];
    let found = judged("throw.cpp", &(CHOOSE.to_owned() + main), &names);
    for name in ["choose", "thrower", "tidies", "catcher", "thread", "main"] {
        assert_eq!((found[name].left, found[name].inherited), (0, 0), "{name}");
    }
    // As many as the arithmetic says: the first or the second call throws.
    let throws = |i: u32| i % 5 == 3 || i % 7 == 2;
    let passed = (0..3).map(|k| (0..2000 + k).filter(|&i| throws(i) || throws(i + 1)).count() as i128).sum();
    assert_eq!(found["through"].left, passed);
    let passes = |i: u32| (0..12).any(|n| i >> n & 1 == 1 && throws(i + n));
    let passed = (0..3).map(|k| (0..2000 + k).filter(|&i| passes(i)).count() as i128).sum();
    assert_eq!(found["wide_through"].left, passed);
}

#[test]
fn jumps_out_of_many_frames() {
    let main = r#"
static __thread jmp_buf back;
volatile long sink;
__attribute__((noinline)) void jumper(unsigned i) { if (i % 3 == 1) longjmp(back, 1); sink = sink + choose(i); }
__attribute__((noinline)) void middle(unsigned i) {
    for (unsigned k = 0; k < i % 3; k++) sink = sink + k;
    if (i & 1) jumper(i); else jumper(i + 1);
    sink = sink + 2;
}
__attribute__((noinline)) void deep(unsigned i, unsigned levels) {
    if (levels) deep(i, levels - 1); else middle(i);
    sink = sink + levels;
}
__attribute__((noinline)) int landing(unsigned i) { if (setjmp(back)) return 1; deep(i, 9); return 0; }
void *thread(void *n) {
    long jumps = 0;
    for (unsigned i = 0; i < 900 + (unsigned)(long)n; i++) jumps += landing(i);
    return (void *)jumps;
}
__attribute__((noinline)) void leave(int code) { if (code) exit(0); sink = sink + 1; }
int main(int argc, char **argv) {
    pthread_t threads[3];
    for (long k = 0; k < 3; k++) pthread_create(&threads[k], 0, thread, (void *)k);
    for (int k = 0; k < 3; k++) pthread_join(threads[k], 0);
    puts("done");
    leave(0);
    leave(argc);
    return 1;
}"#;
    let names = ["choose", "jumper", "middle", "deep", "thread", "leave", "main"];
    let found = judged("jump.c", &(CHOOSE.to_owned() + main), &names);
    for name in ["choose", "jumper", "thread", "leave"] {
        assert_eq!((found[name].left, found[name].inherited), (0, 0), "{name}");
    }
    let jumps = |i: u32| (if i & 1 == 1 { i } else { i + 1 }) % 3 == 1;
    let jumped: i128 = (0..3).map(|k| (0..900 + k).filter(|&i| jumps(i)).count() as i128).sum();
    assert_eq!((found["middle"].left, found["deep"].left), (jumped, 10 * jumped));
    assert_eq!(found["main"].left, 1, "exit leaves main");
    assert!(!found.contains_key("landing"), "a second return of setjmp enters it in the middle");
}

/// An interpreter's loop has more edges than a usual function may have paths: nearly all of
/// them are cut, and its paths are counted all the same.
#[test]
fn a_loop_over_hundreds_of_cases() {
    let case = |at: usize| {
        format!("case {at}: if (a % {} == 1) a += {at}; else sink = a + {at}; break;\n", at % 97 + 2)
    };
    let cases: String = (0..600).map(case).collect();
    let main = r#"
int main(void) {
    unsigned short code[5000];
    for (unsigned i = 0; i < 5000; i++) code[i] = i * 37 % 610;
    return interpret(code, 5000) == 0;
}"#;
    let interpret = format!(
        "volatile long sink;
__attribute__((noinline)) long interpret(const unsigned short *code, int length) {{
    long a = 1;
    for (int i = 0; i < length; i++) switch (code[i]) {{
{cases}    default: a += 7;
    }}
    return a;
}}"
    );
    let found = judged("loop.c", &(interpret + main), &["interpret", "main"]);
    let verdict = &found["interpret"];
    assert_eq!((verdict.left, verdict.inherited), (0, 0));
    assert!(verdict.paths > 600, "a path at least for each case: {}", verdict.paths);
}
