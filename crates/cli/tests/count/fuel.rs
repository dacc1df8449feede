//! Is what a program spends what it is counted to do, and is it stopped?
//!
//! Every hostile program that ends on one thread in one process spends what
//! `opcost count` says, to the instruction. The limits and endless programs
//! have cases of their own.

use std::path::PathBuf;

use serde_json::Value;

use crate::directives::Directives;
use crate::harness::{Bench, corpus};
use crate::json::number;

/// What `opcost fuel` said of one run.
pub(crate) struct Spent(Value, pub(crate) String);

impl Spent {
    pub(crate) fn amount(&self) -> u64 {
        number(&self.0["spent"])
    }

    pub(crate) fn verdict(&self) -> &str {
        self.0["verdict"].as_str().unwrap_or_else(|| panic!("no verdict: {}", self.1))
    }
}

/// What makes `opcost count` weigh as `opcost fuel` does.
pub(crate) const PAYING: [&str; 2] = ["--cost", "fuel/1"];

pub(crate) fn spend(bench: &Bench, flags: &[&str], inputs: &[PathBuf], arguments: &[String]) -> Spent {
    let all: Vec<&str> = ["--audit"].iter().chain(flags).copied().collect();
    run(bench, &all, inputs, arguments)
}

/// Builds a metered program once, for several runs by [`run`].
pub(crate) fn metered(bench: &Bench, flags: &[&str], inputs: &[PathBuf]) -> PathBuf {
    let mut all = vec!["fuel", "--emit", "exe", "-o", "metered"];
    all.extend(flags);
    all.extend(inputs.iter().map(|input| input.to_str().expect("UTF-8")));
    bench.opcost(&all).expect(0);
    bench.path("metered")
}

/// As [`spend`], of what may be a program that is metered already.
pub(crate) fn run(bench: &Bench, flags: &[&str], inputs: &[PathBuf], arguments: &[String]) -> Spent {
    let _ = std::fs::remove_file(bench.path("fuel.json"));
    let mut all: Vec<&str> = vec!["fuel", "--json", "fuel.json"];
    all.extend(flags);
    all.extend(inputs.iter().map(|input| input.to_str().expect("UTF-8")));
    all.push("--");
    all.extend(arguments.iter().map(String::as_str));
    let said = bench.opcost(&all);
    assert!(bench.path("fuel.json").exists(), "no JSON: {}", said.all());
    Spent(bench.json("fuel.json"), said.stderr)
}

/// LLVM takes ten seconds to place the blocks of this one once it is metered, unless it optimises
/// nothing; `goto_hundred.c` is of its kind.
const SLOW: &str = "goto_computed.c";

/// Programs that a signal ends in the middle of a stretch.
const KILLED: &[&str] = &["killed", "segfault", "trap"];

#[test]
fn hostile_programs_spend_what_they_are_counted_to_do() {
    let mut compared = 0;
    for entry in std::fs::read_dir(corpus()).expect("corpus/hostile") {
        let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
        if !corpus().join(&name).is_file() || KILLED.iter().any(|word| name.contains(word)) {
            continue;
        }
        let directives = Directives::read(&corpus().join(&name));
        let is_plain = directives.refused.is_none()
            && directives.lower_bound.is_none()
            && directives.fails.is_none()
            && directives.objects.is_empty();
        if !is_plain {
            continue;
        }
        let bench = Bench::new();
        for anchor in directives.anchors.iter().filter(|anchor| *anchor != "file") {
            let flags = ["--anchor", anchor];
            compared += check_same(&name, &bench, &flags, &directives);
        }
        if directives.anchors.iter().any(|anchor| anchor == "file") {
            compared += check_same(&name, &bench, &[], &directives);
        }
    }
    assert!(compared > 80, "{compared} comparisons");
}

/// How many comparisons were made: none of a program that is refused.
fn check_same(name: &str, bench: &Bench, flags: &[&str], directives: &Directives) -> usize {
    let own: Vec<&str> = directives.flags.iter().map(String::as_str).collect();
    if own.iter().any(|flag| ["--placement", "--cost", "--threads"].contains(flag)) {
        return 0;
    }
    let all: Vec<&str> = flags.iter().copied().chain(own).collect();
    let counting: Vec<&str> = all.iter().copied().chain(PAYING).chain(["--ledger", "run.opc"]).collect();
    let counted = bench.count(&counting, &directives.sources, &directives.arguments);
    let levels: &[&str] = if name == SLOW { &["0"] } else { &["0", "3"] };
    for level in levels {
        // What is optimised pays where the run that was counted did little.
        let placed: &[&str] = if *level == "0" { &[] } else { &["--placement-from", "run.opc"] };
        let all: Vec<&str> =
            all.iter().copied().chain(["--codegen", level]).chain(placed.iter().copied()).collect();
        let spent = spend(bench, &all, &directives.sources, &directives.arguments);
        if spent.1.contains("one counter of fuel cannot serve that") {
            return 0;
        }
        // Of returns after jumps that an exception left, nobody knows how many there were; they are paid for
        // with the jump.
        let counts = counted.counts();
        let most = counts.total() + counts.most_missing().expect("a bound");
        let is_counted = (counts.total()..=most).contains(&spent.amount());
        assert!(is_counted, "{name} {all:?}: {} to {most}: {}", counts.total(), spent.1);
    }
    levels.len()
}

const ENDLESS: &[(&str, &str)] = &[
    ("empty", "int main(void) { for (;;); }"),
    ("volatile", "int main(void) { for (volatile int i = 0;; i++); }"),
    (
        "recursion",
        "__attribute__((noinline)) int f(int n) { return n < 0 ? 1 : f(n ^ 1) + f(n); }\nint main(void) { return f(1); }",
    ),
    (
        "mutual tails",
        "int g(int); __attribute__((noinline)) int f(int n) { __attribute__((musttail)) return g(n + 1); }\n\
      __attribute__((noinline)) int g(int n) { __attribute__((musttail)) return f(n - 1); }\nint main(void) { return f(0); }",
    ),
    (
        "irreducible",
        "int main(int c, char **v) { volatile int n = 0; if (c > 1) goto b; a: n++; b: n += 2; goto a; }",
    ),
    (
        "computed goto",
        "int main(void) { void *t[2]; volatile int n = 0; t[0] = &&a; t[1] = &&b; a: n++; goto *t[n & 1]; b: n++; goto *t[n & 1]; }",
    ),
    (
        "pointers",
        "int g(void); int (*volatile p)(void) = g;\n__attribute__((noinline)) int g(void) { return p(); }\nint main(void) { return g(); }",
    ),
    (
        "comparator",
        "#include <stdlib.h>\nint c(const void *a, const void *b) { for (;;); }\nint main(void) { int x[9] = {3, 1}; qsort(x, 9, 4, c); }",
    ),
];

#[test]
fn endless_programs_stop() {
    for (name, text) in ENDLESS {
        for (anchor, level) in [("source", "0"), ("source", "3"), ("optimized", "0"), ("optimized", "3")] {
            let bench = Bench::new();
            bench.write("a.c", text);
            let flags =
                ["--limit", "200k", "--anchor", anchor, "--codegen", level, "--cflag", "-fno-finite-loops"];
            let spent = spend(&bench, &flags, &[bench.path("a.c")], &[]);
            let at = format!("{name}, {anchor}, {level}: {}", spent.1);
            assert_eq!(spent.verdict(), "used-up", "{at}");
            let beyond = spent.amount().checked_sub(200_000).expect("the limit was reached");
            assert!(beyond > 0 && beyond <= number(&spent.0["overshoot"]), "{at}");
            assert_eq!(spent.0["stopped"]["file"].as_str(), Some("a.c"), "{at}");
        }
    }
}

/// Loops whose bounds stand in the code, or seem to; none of them ends soon.
const BOUNDED: &[(&str, &str)] = &[
    (
        "nest",
        "for (int i = 0; i < 1000; i++) for (int j = 0; j < 1000; j++) for (int k = 0; k < 1000; k++) TURN",
    ),
    (
        "nest that is left early",
        "for (int i = 0; i < 1000; i++) for (int j = 0; j < 1000; j++) for (int k = 0; k < 1000; k++) \
         { if (sink == 7777) break; TURN }",
    ),
    (
        "calls",
        "for (int i = 0; i < 1000; i++) for (int j = 0; j < 1000; j++) for (int k = 0; k < 1000; k++) \
         { TURN if (sink & 2) work(); }",
    ),
    ("counter moved in the body", "for (unsigned i = 0; i < 1000; i++) { TURN if (sink < 99) i--; }"),
    ("bound stepped over", "for (unsigned i = 5; i != 4; i += 2) TURN"),
    ("counter that wraps", "for (unsigned char i = 0; i < 200; i += 100) { TURN }"),
    ("counter that wraps, of 32 bits", "for (unsigned i = 0; i < 0xfffffffeu; i += 7) TURN"),
    ("step of zero", "unsigned step = sink; for (unsigned i = 0; i < 100; i += step) TURN"),
    ("entered anew", "for (;;) for (int i = 0; i < 300; i++) TURN"),
];

fn bounded(body: &str) -> String {
    format!(
        "volatile unsigned sink;\n#define TURN {{ if (sink & 1) sink += 3; else sink *= sink; }}\n\
         __attribute__((noinline)) static void work(void) {{ if (sink & 4) sink = 1; }}\n\
         int main(void) {{ {body} return (work(), 0); }}\n"
    )
}

/// A loop goes unasked only as far as its turns are few, and nests multiply.
#[test]
fn bounded_loops_stop_within_what_is_promised() {
    for (name, body) in BOUNDED {
        for overshoot in [200_u64, 10_000, 1_000_000] {
            let bench = Bench::new();
            bench.write("a.c", bounded(body));
            let wanted = overshoot.to_string();
            let flags = ["--limit", "2M", "--overshoot", &wanted, "--cflag", "-fno-finite-loops"];
            let spent = spend(&bench, &flags, &[bench.path("a.c")], &[]);
            let at = format!("{name}, {overshoot}: {}", spent.1);
            // Two hundred times a hundred comes to nothing in eight bits.
            if *name == "counter that wraps" && spent.verdict() == "finished" {
                continue;
            }
            assert_eq!(spent.verdict(), "used-up", "{at}");
            let beyond = spent.amount().checked_sub(2_000_000).expect("the limit was reached");
            let promised = number(&spent.0["overshoot"]);
            assert!(beyond > 0 && beyond <= promised && promised <= overshoot, "{promised}: {at}");
        }
    }
}

/// Around the number of turns that are just too many to go unasked.
#[test]
fn loops_of_all_lengths_pass_with_what_they_cost_and_stop_with_one_less() {
    let mut beyond = std::collections::BTreeSet::new();
    for turns in [1, 2, 30, 300, 1_000, 2_000, 2_500, 3_000, 4_000, 20_000] {
        let bench = Bench::new();
        let body = format!("for (int i = 0; i < {turns}; i++) TURN");
        bench.write("a.c", bounded(&body));
        let source = [bench.path("a.c")];
        let program = [metered(&bench, &["--audit", "--overshoot", "100k"], &source)];
        let cost = run(&bench, &[], &program, &[]).amount();
        assert!(cost > turns * 5, "{turns}: {cost}");
        for (limit, verdict) in [(cost, "finished"), (cost - 1, "used-up"), (1, "used-up")] {
            let limit_text = limit.to_string();
            let spent = run(&bench, &["--limit", &limit_text], &program, &[]);
            assert_eq!(spent.verdict(), verdict, "{turns}, {limit}: {}", spent.1);
            let promised = number(&spent.0["overshoot"]);
            assert!(spent.amount() - limit.min(spent.amount()) <= promised && promised <= 100_000);
            if limit == 1 {
                beyond.insert(spent.amount());
            }
        }
    }
    // Some went on to their end, and some were stopped on the way.
    assert!(beyond.len() > 3, "{beyond:?}");
}

/// `2^60` calls without a loop or recursion in sight.
#[test]
fn sixty_functions_that_call_the_next_twice_stop_soon() {
    let mut text =
        String::from("volatile int sink;\n__attribute__((noinline)) static void f60(void) { sink++; }\n");
    for n in (0..60).rev() {
        let next = n + 1;
        text += &format!("__attribute__((noinline)) static void f{n}(void) {{ f{next}(); f{next}(); }}\n");
    }
    text += "int main(void) { f0(); }\n";
    let bench = Bench::new();
    bench.write("a.c", text);
    for (limit, overshoot) in [("2M", "1M"), ("2M", "1k"), ("100", "100k")] {
        let spent = spend(&bench, &["--limit", limit, "--overshoot", overshoot], &[bench.path("a.c")], &[]);
        let promised = number(&spent.0["overshoot"]);
        assert_eq!(spent.verdict(), "used-up", "{}", spent.1);
        let wanted: u64 = if overshoot == "1M" {
            1_000_000
        } else if overshoot == "1k" {
            1_000
        } else {
            100_000
        };
        assert!(promised <= wanted, "{promised} promised, {wanted} asked for");
        let limit: u64 = if limit == "2M" { 2_000_000 } else { 100 };
        assert!(spent.amount() - limit <= promised, "{} of {limit}, {promised} promised", spent.amount());
    }
}

#[test]
fn a_program_that_costs_n_passes_with_n_and_stops_with_one_less() {
    let bench = Bench::new();
    for source in ["recursion.c", "throw_cleanups.cpp", "jump_hot_loop.c", "exit_nested.c", "goto_hundred.c"]
    {
        let program = [metered(&bench, &["--audit"], &[corpus().join(source)])];
        let cost = run(&bench, &[], &program, &[]).amount();
        let [enough, less] = [cost, cost - 1].map(|limit| limit.to_string());
        let passed = run(&bench, &["--limit", &enough], &program, &[]);
        assert_eq!((passed.verdict(), passed.amount()), ("finished", cost), "{}", passed.1);
        let stopped = run(&bench, &["--limit", &less], &program, &[]);
        assert_eq!(stopped.verdict(), "used-up", "{source}: {}", stopped.1);
        assert!(stopped.amount() <= cost, "{}", stopped.1);
    }
}

/// A program of 257,000 instructions, with and without a limit that is just
/// enough.
#[test]
fn sqlite_spends_what_it_is_counted_to_do() {
    spends_what_it_is_counted_to_do("sqlite");
}

/// Most of whose loops have bounds that stand in the code.
#[test]
fn the_kernel_spends_what_it_is_counted_to_do() {
    spends_what_it_is_counted_to_do("kernel");
}

fn spends_what_it_is_counted_to_do(name: &str) {
    let program = crate::referee::real_program(name);
    let bench = Bench::new();
    let flags: Vec<String> = program.flags.iter().map(|flag| format!("--cflag={flag}")).collect();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let counting: Vec<&str> = flags.iter().copied().chain(PAYING).collect();
    let counted = bench.count(&counting, &program.sources, &program.small);
    let built = [metered(&bench, &flags, &program.sources)];
    let total = counted.counts().total();
    for (limit, verdict) in [(total, "finished"), (total - 1, "used-up"), (total / 2, "used-up")] {
        let limit = limit.to_string();
        let spent = spend(&bench, &["--limit", &limit], &built, &program.small);
        assert_eq!(spent.verdict(), verdict, "{}", spent.1);
        let beyond = spent.amount().saturating_sub(limit.parse().expect("a number"));
        assert!(beyond <= number(&spent.0["overshoot"]), "{}", spent.1);
        if verdict == "finished" {
            assert_eq!(spent.amount(), total);
        }
    }
}

/// All modules are metered as one program: who calls whom is known then.
#[test]
fn programs_of_several_modules_spend_what_they_are_counted_to_do() {
    let bench = Bench::new();
    let main = "#include <stdio.h>\nint twice(int);\nint main(void) { int s = 0; for (int i = 0; i < 1000; i++) \
                s += twice(i); printf(\"%d\\n\", s); }\n";
    bench.write("main.c", main);
    std::fs::write(bench.path("twice.c"), "int twice(int n) { return n > 7 ? n * 2 : 1; }\n")
        .expect("written");
    let inputs = ["main.c", "twice.c"].map(|name| bench.path(name));
    let counted = bench.count(&PAYING, &inputs, &[]);
    assert_eq!(spend(&bench, &[], &inputs, &[]).amount(), counted.counts().total());
    bench.opcost(&["fuel", "--emit", "obj", "-o", "twice.o", "twice.c"]).expect(0);
    let joined = spend(&bench, &[], &[bench.path("main.c"), bench.path("twice.o")], &[]);
    assert_eq!(joined.amount(), counted.counts().total());
    let twice = bench.opcost(&["fuel", "main.c", "twice.c", "twice.c"]);
    let said = &twice.stderr;
    assert!(twice.status == 2 && said.contains("twice.c is named twice"), "{said}");
    std::fs::copy(bench.path("twice.c"), bench.path("again.c")).expect("copied");
    let twice = bench.opcost(&["fuel", "main.c", "twice.c", "again.c"]);
    let said = &twice.stderr;
    assert!(
        twice.status == 1 && said.contains("twice is defined more than once in main.c, twice.c, again.c"),
        "{said}"
    );
}

#[test]
fn what_one_counter_cannot_serve_is_refused_with_its_place() {
    for (source, text) in [
        ("threads.c", "starts threads (pthread_create)"),
        ("threads_std.cpp", "starts threads (_ZNSt6thread15_M_start_thread"),
        ("fork.c", "starts processes (fork)"),
        ("signal_handler.c", "handles signals ("),
        ("exec_self.c", "goes on as another program ("),
    ] {
        let bench = Bench::new();
        let output = bench.opcost(&["fuel", corpus().join(source).to_str().expect("UTF-8")]);
        let said = &output.stderr;
        assert!(output.status == 1 && said.contains(text), "{source}: {said}");
        assert!(said.contains(&format!("{source}:")), "{source}: {said}");
    }
}

#[test]
fn a_full_stack_and_a_crash_are_told_apart() {
    let deep = "__attribute__((noinline)) int f(int n) { volatile char c[500]; c[n & 63] = 1; return f(n + 1) + c[1]; }\n\
                int main(void) { return f(0); }\n";
    let wild = "int main(void) { int *volatile p = (int *)8; return *p; }\n";
    for (text, verdict) in [(deep, "stack"), (wild, "crashed")] {
        let bench = Bench::new();
        bench.write("a.c", text);
        let spent = spend(&bench, &["--limit", "100M"], &[bench.path("a.c")], &[]);
        assert_eq!(spent.verdict(), verdict, "{}", spent.1);
        assert_eq!(spent.0["program_status"]["signal"].as_i64(), Some(11));
    }
}

#[test]
fn without_checks_it_is_counted_and_nothing_stops_it() {
    let bench = Bench::new();
    let source = corpus().join("recursion.c");
    let text = source.to_str().expect("UTF-8");
    bench.opcost(&["fuel", "--unchecked", "--emit", "exe", "-o", "unchecked", text]).expect(0);
    let direct = spend(&bench, &[], &[source], &[]);
    let unchecked = spend(&bench, &[], &[bench.path("unchecked")], &[]);
    assert_eq!(unchecked.amount(), direct.amount());
    assert!(unchecked.0["overshoot"].is_null() && direct.0["overshoot"].is_u64());
    let limited = bench.opcost(&["fuel", "--limit", "5", "./unchecked"]);
    assert_eq!(limited.status, 2);
    assert!(limited.stderr.contains("nothing can stop it"));
}

#[test]
fn only_metered_programs_are_run() {
    let bench = Bench::new();
    let source = corpus().join("recursion.c");
    bench.tool("clang-22", &["-o", "plain", source.to_str().expect("UTF-8")]);
    let output = bench.opcost(&["fuel", "--limit", "5", "./plain"]);
    assert_eq!(output.status, 2);
    assert!(output.stderr.contains("is not metered"));
    bench.opcost(&["fuel", "--emit", "exe", "-o", "metered", source.to_str().expect("UTF-8")]).expect(0);
    let direct = spend(&bench, &[], &[source], &[]);
    assert_eq!(spend(&bench, &[], &[bench.path("metered")], &[]).amount(), direct.amount());
}
