//! Are there two exact numbers for one program whose frames vanish?
//!
//! Random coroutines that switch stacks by assembly, some given up in the middle of a
//! call at any depth, with assembly in between that does nothing of the kind. The switch
//! stands beside the functions, in them, in another module or in an object that nobody
//! counts. A counter for each segment is right whatever becomes of frames: it says what
//! each other placement must say, or stay below as a lower bound with a reason.

use std::fmt::Write as _;

use opcost_testkit::Random;

use crate::harness::{Bench, corpus};

const PROGRAMS: u64 = 8;

/// Where the code that switches stacks stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Home {
    Beside,
    Naked,
    OtherModule,
    Object,
}

const HOMES: [Home; 4] = [Home::Beside, Home::Naked, Home::OtherModule, Home::Object];

/// Assembly that comes out where it should.
const PLAIN: [&str; 4] = [
    "__asm__ volatile(\"nop\" ::: \"memory\");",
    "{ int left = 3; __asm__ volatile(\"1: dec %0; jnz 1b\" : \"+r\"(left) :: \"cc\"); }",
    "__asm__ volatile(\"test %0, %0; jz 2f; nop; 2:\" :: \"r\"(n) : \"cc\");",
    "__asm__(\"\" : \"+r\"(n));",
];

/// Lines as a text of C.
fn quoted<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.map(|line| format!("{line:?} \"\\n\"\n")).collect()
}

/// A program in which `depth` functions call each other before the switch.
fn program(random: &mut Random, home: Home, switch: &str) -> String {
    let mut text = String::from("#include <stdio.h>\nstruct ctx { void *sp; };\n");
    match home {
        Home::Beside => {
            let lines = quoted(switch.lines());
            writeln!(text, "void sw(struct ctx *, struct ctx *);\n__asm__({lines});").expect("a string");
        }
        Home::Naked => {
            let code = switch.split_once("sw:").expect("a label").1;
            let lines = quoted(code.lines().filter(|line| !line.trim().starts_with('.')));
            let kind = "__attribute__((naked, noinline))";
            writeln!(text, "{kind} void sw(struct ctx *a, struct ctx *b) {{ __asm__({lines}); }}")
                .expect("a string");
        }
        Home::OtherModule | Home::Object => text.push_str("void sw(struct ctx *, struct ctx *);\n"),
    }
    text.push_str("static struct ctx main_, co; static volatile long w;\n");
    text.push_str("static char st[1 << 16] __attribute__((aligned(16)));\n");
    text.push_str("__attribute__((noinline)) static void f0(int n) { w += n; sw(&co, &main_); w++; }\n");
    let depth = 1 + random.below(4);
    for level in 1..=depth {
        let inner = level - 1;
        let turns = 1 + random.below(4);
        let plain = random.of(&PLAIN);
        let body = match random.below(3) {
            0 => format!("for (int i = 0; i < {turns}; i++) {{ w ^= i; f{inner}(n + i); {plain} }}"),
            1 => format!("if (n & 1) {{ {plain} f{inner}(n); }} else f{inner}(n + 1); w += 2;"),
            _ => format!("{plain} f{inner}(n); w++; f{inner}(n + {turns});"),
        };
        writeln!(text, "__attribute__((noinline)) static void f{level}(int n) {{ {body} w += n; }}")
            .expect("a string");
    }
    let (rounds, resumed) = (1 + random.below(9), 1 + random.below(3));
    writeln!(
        text,
        "static void entry(void) {{ for (int n = 0;; n++) f{depth}(n); }}\n\
         static void start(void) {{ void **sp = (void **)(st + sizeof st); *--sp = 0; *--sp = (void *)entry;\n\
           for (int i = 0; i < 6; i++) *--sp = 0; co.sp = sp; }}\n\
         int main(void) {{ for (int r = 0; r < {rounds}; r++) {{ start();\n\
           for (int k = 0; k < {resumed}; k++) sw(&main_, &co); }} printf(\"%ld\\n\", w); }}"
    )
    .expect("a string");
    text
}

#[test]
fn no_program_has_two_exact_numbers() {
    let switch = std::fs::read_to_string(corpus().join("parts/switch.s")).expect("the switch");
    let lines = quoted(switch.lines());
    let mut bounded = 0;
    for seed in 0..PROGRAMS {
        let mut random = Random::new(seed);
        let home = HOMES[seed as usize % HOMES.len()];
        let bench = Bench::new();
        let text = program(&mut random, home, &switch);
        bench.write("a.c", &text);
        bench.write("b.c", format!("__asm__({lines});\n"));
        bench.write("b.s", &switch);
        let mut inputs = vec![bench.path("a.c")];
        match home {
            Home::Beside | Home::Naked => {}
            Home::OtherModule => inputs.push(bench.path("b.c")),
            Home::Object => {
                bench.tool("clang-22", &["-c", "-o", "b.o", "b.s"]);
                inputs.push(bench.path("b.o"));
            }
        }
        let level = *random.of(&["-O1", "-O2"]);
        let count = |placement| bench.count(&[level, "--placement", placement], &inputs, &[]);
        let truth = count("every-segment");
        assert!(truth.counts().is_exact(), "{home:?} {:?}\n{text}", truth.counts().reasons());
        for placement in ["chords", "paths"] {
            let counted = count(placement);
            let counts = counted.counts();
            let said = format!("{placement} {home:?} {:?}\n{text}", counts.reasons());
            if counts.is_exact() {
                assert_eq!(counts.total(), truth.counts().total(), "{said}");
                assert_eq!(counts.functions(), truth.counts().functions(), "{said}");
            } else {
                assert!(counts.total() <= truth.counts().total() && !counts.reasons().is_empty(), "{said}");
                assert!(matches!(home, Home::OtherModule | Home::Object), "{said}");
                bounded += 1;
            }
        }
    }
    assert!(bounded > 0, "no program lost a frame: the search looks at nothing");
}
