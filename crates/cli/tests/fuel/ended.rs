//! Is what was spent told after any end?
//!
//! The referee is the same program with every segment charged at its own start,
//! and a segment ends at whatever a program can end at. Its code is not optimised,
//! so its cell is true at any instruction that faults. Programs are made at random: loops that keep what is left in a register,
//! calls that hand it on, recursion; each ends itself in many ways at an iteration
//! of its own, so that no clock decides.

use crate::bench::{Answer, Bench};

use End::{Exact, LowerBound};

/// How the number of a way to end is known.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// It is that of the referee, and nothing says "at least".
    Exact,
    /// It is a lower bound, and this is said.
    LowerBound,
}

/// Ways to end: what the program does, what is said of it, and of its number.
const WAYS: [(&str, &str, End); 18] = [
    ("sink = (unsigned)(5 / zero);", "signal 8", Exact),
    ("sink = x % (unsigned)zero;", "signal 8", Exact),
    ("*nowhere = 1;", "signal 11", Exact),
    ("sink += *nowhere;", "signal 11", Exact),
    ("*nowhere += x;", "signal 11", Exact),
    ("*nowhere ^= 5;", "signal 11", Exact),
    ("if (*nowhere == 5) x++;", "signal 11", Exact),
    ("x += nowhere[x % 64]; sink = x;", "signal 11", Exact),
    ("sink = x / (unsigned)*nowhere;", "signal 11", Exact),
    ("memcpy(room, (char *)nowhere, 16);", "signal 11", Exact),
    // The same trap at two places may become one.
    ("__builtin_trap();", "signal 4", LowerBound),
    ("memcpy((char *)nowhere, room, (size_t)count);", "signal 11", LowerBound),
    ("sink = (unsigned)strlen((char *)nowhere);", "signal 11", LowerBound),
    ("x = leaf((unsigned *)nowhere, x);", "signal 11", LowerBound),
    ("abort();", "signal 6", LowerBound),
    ("raise(SIGKILL);", "signal 9", LowerBound),
    ("raise(SIGTERM);", "signal 15", LowerBound),
    ("raise(SIGXCPU);", "signal 24", LowerBound),
];

/// More than any straight code of these programs.
const STRAIGHT: u64 = 200;

struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

fn statements(chance: &mut Chance, depth: u32, calls: u64) -> String {
    let mut text = String::new();
    for _ in 0..=chance.below(3) {
        let (a, b) = (chance.below(1 << 20) | 1, chance.below(50) + 2);
        text += &match chance.below(6) {
            0 => format!("x = x * {a}u + {b}; room[x % 64] ^= (char)x;\n"),
            1 if depth < 3 => format!(
                "for (unsigned i = 0; i < {b} + x % 7; i++) {{ x ^= x >> 5; {} }}\n",
                statements(chance, depth + 1, calls)
            ),
            2 if depth < 3 => format!(
                "do {{ x = x * 5 + {a}u; {} }} while (x >> 28);\n",
                statements(chance, depth + 1, calls)
            ),
            3 if calls > 0 => format!("x += part{}(x ^ {a}u);\n", chance.below(calls)),
            4 => "if (x & 4) x = deep(x % 9, x);\n".to_owned(),
            _ => format!("if (x % {b} == 1) {{ x += {a}u; TURN }}\n"),
        };
    }
    text + "TURN\n"
}

/// A program that ends in the way that its first argument says, at the turn that its second says.
fn program(chance: &mut Chance) -> String {
    let ways = WAYS.iter().enumerate().map(|(way, (words, ..))| format!("case {way}: {words} break; "));
    let mut text = format!(
        "#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         static volatile int zero; static volatile unsigned sink; static volatile unsigned *volatile nowhere;\n\
         static char room[64]; static long count = 64, turns; static int way;\n\
         #define TURN if (--turns == 0) {{ switch (way) {{ {} }} }}\n\
         static __attribute__((noinline)) unsigned leaf(unsigned *p, unsigned x)\n\
         {{ x = x * 3 + 1; p[0] = x; return x ^ 7; }}\n\
         static __attribute__((noinline)) unsigned deep(unsigned n, unsigned x) {{\n\
         TURN if (n == 0) return x; return deep(n - 1, x * 3 + n) + 1; }}\n",
        ways.collect::<String>()
    );
    for part in 0..3 {
        let body = statements(chance, 0, part);
        text += &format!(
            "static __attribute__((noinline)) unsigned part{part}(unsigned x) {{ {body} return x; }}\n"
        );
    }
    text + "int main(int argc, char **argv) { way = atoi(argv[1]); turns = atol(argv[2]); unsigned x = 1, y = 2;\n            sink = leaf(&y, x);\n\
            for (;;) { x += part2(x) + part1(x + 1) + 1; sink = x; } }\n"
}

fn spent(answer: &Answer) -> u64 {
    answer.json["spent"].as_u64().unwrap_or_else(|| panic!("{}", answer.said()))
}

#[test]
fn whatever_ends_it_all_but_straight_code_is_told() {
    let mut chance = Chance(25);
    for number in 0..3 {
        let bench = Bench::new();
        bench.write("a.c", program(&mut chance));
        let builds = [("metered", &["--audit"][..]), ("referee", &["--by-segment", "--codegen", "0"])];
        for (output, flags) in builds {
            bench.build(&[&["--cflag=-w", "--emit", "exe", "-o", output], flags, &["a.c"]].concat());
        }
        for (way, (words, signal, end)) in WAYS.iter().enumerate() {
            let turns = (1 + chance.below(3000)).to_string();
            let run = |program: &str| bench.fuel(&[program, "--", &way.to_string(), &turns]);
            let (told, truth) = (run("metered"), run("referee"));
            let at = format!("program {number}, {words} at turn {turns}: {}{}", told.said(), truth.said());
            assert_eq!(told.json["verdict"], "crashed", "{at}");
            let is_at_least = told.json["at_least"] == true;
            assert!(told.stderr.contains(signal), "{at}");
            assert_eq!(told.stderr.contains("charged at least"), is_at_least, "{at}");
            assert!(*end == LowerBound || !is_at_least, "{at}");
            let (told, truth) = (spent(&told), spent(&truth));
            assert!(told == truth || is_at_least, "{told} of {truth}: {at}");
            assert!(told <= truth && truth - told <= STRAIGHT, "{told} of {truth}: {at}");
        }
    }
}

/// As it was found: it burns its turns in a register and divides by zero.
const TRAP: &str = "#include <stdlib.h>\n#include <stdio.h>\nvolatile int zero; volatile unsigned sink;\n\
    int main(int c, char **v) { int n = c > 1 ? atoi(v[1]) : 1000; unsigned x = 1;\n\
    for (int i = 0; i < n; i++) { x = x * 1664525u + 1013904223u; if (x >> 31) x ^= i; }\n\
    sink = x; int q = 5 / zero; printf(\"%d\\n\", q); return 0; }\n";

#[test]
fn what_was_burned_before_a_trap_is_told() {
    for flags in
        [&["--limit", "100M"][..], &["--limit", "100M", "--sandbox"], &["--unchecked"], &["--harden"]]
    {
        let bench = Bench::new();
        bench.write("trap.c", TRAP);
        let answer = bench.fuel(&[flags, &["trap.c", "--", "1000000"]].concat());
        assert_eq!(answer.json["verdict"], "crashed", "{}", answer.said());
        assert!((6_000_000..7_000_000).contains(&spent(&answer)), "{}", answer.said());
    }
}

#[test]
fn a_program_that_computes_is_out_of_time_and_its_work_is_told() {
    let bench = Bench::new();
    bench.write("a.c", "int main(void) { volatile unsigned long x = 1; for (;;) x = x * 3; }");
    let answer = bench.fuel(&["--limit", "100G", "--sandbox", "--seconds", "1", "a.c"]);
    let at = answer.said();
    assert_eq!((answer.status, &answer.json["verdict"]), (3, &"time".into()), "{at}");
    assert_eq!(answer.json["at_least"], true, "{at}");
    // However slow the machine is: it did something.
    assert!(spent(&answer) > 10_000, "{at}");
    bench.write("a.c", "#include <unistd.h>\nint main(void) { for (;;) sleep(1); }");
    let answer = bench.fuel(&["--limit", "100G", "--sandbox", "--seconds", "1", "a.c"]);
    assert_eq!(answer.json["verdict"], "blocked", "{}", answer.said());
}

#[test]
fn a_full_stack_has_its_depth_in_the_number() {
    let bench = Bench::new();
    let deep = "#include <stdio.h>\nstatic __attribute__((noinline)) int deep(int n)\n\
        { volatile char c[300]; c[n % 300] = 1; return deep(n + 1) + c[3]; }\n\
        int main(void) { printf(\"%d\\n\", deep(1)); }";
    bench.write("a.c", deep);
    let (told, truth) = (bench.fuel(&["a.c"]), bench.fuel(&["--by-segment", "a.c"]));
    assert_eq!(told.json["verdict"], "stack", "{}", told.said());
    // Frames of both need not be of one size.
    let (told, truth) = (spent(&told), spent(&truth));
    assert!(told > truth / 2 && told < truth * 2, "{told} of {truth}");
}

/// Such a loop is charged where it is entered, and told as charged.
#[test]
fn a_loop_that_is_paid_for_ahead_is_charged_whole() {
    let bench = Bench::new();
    bench.write(
        "a.c",
        "#include <stdlib.h>\nint room[64]; int main(int c, char **v) { long n = atol(v[1]);\n\
         volatile int *p = (volatile int *)room; for (long i = 0; i < n; i++) p[i] = 1; return 0; }",
    );
    let answer = bench.fuel(&["a.c", "--", "1000000000"]);
    assert_eq!(answer.json["verdict"], "crashed", "{}", answer.said());
    assert!(spent(&answer) > 1_000_000_000, "{}", answer.said());
    assert!(answer.stderr.contains("paid for ahead is charged whole"), "{}", answer.said());
}

/// A number that ended well says nothing of "at least".
#[test]
fn an_end_of_its_own_is_exact() {
    let bench = Bench::new();
    bench.write(
        "a.c",
        "#include <stdlib.h>\nint main(void) { for (volatile int i = 0; i < 99; i++); exit(3); }",
    );
    for flags in [&[][..], &["--limit", "50"]] {
        let answer = bench.fuel(&[flags, &["a.c"]].concat());
        assert_eq!(answer.json["at_least"], false, "{}", answer.said());
    }
}

/// Where a budget ends in code without a line, what ran right before has one, and name and line are of one frame.
#[test]
fn a_stop_in_code_without_a_line_is_told_with_the_last_line() {
    let place = opcost_testkit::command::Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    place.write("lines.c", LINES);
    for (limit, level) in [("1k", "-O0"), ("9k", "-O0"), ("4k", "-O1"), ("7k", "-O2")] {
        let said = place.opcost(&["fuel", level, "--limit", limit, "lines.c"]);
        assert_eq!(said.status, 3, "{}", said.stderr);
        let told = said.stderr.lines().find(|line| line.starts_with("used up")).expect("a line");
        let (_, place) = told.split_once(", in ").expect("a place");
        let (function, rest) = place.split_once(", lines.c:").unwrap_or_else(|| panic!("no line: {told}"));
        let line: u32 = rest.split_whitespace().next().and_then(|word| word.parse().ok()).expect("a number");
        let lines = if function == "step" { 2..=6 } else { 50..=54 };
        assert!(lines.contains(&line), "{told}");
    }
}

/// The loop in `step` has line 0, as what a compiler merges has.
const LINES: &str = "unsigned long sum;
static __attribute__((noinline)) void step(unsigned long i) {
  sum += i;
#line 0
  for (unsigned long k = 0; k < 10; k++) sum = sum * 31 ^ k * i;
#line 5
}
#line 50
int main(void) {
  for (unsigned long i = 0; i < 1000; i++)
    step(i);
  return sum == 5;
}
";
