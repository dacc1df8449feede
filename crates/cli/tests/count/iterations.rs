//! Is a loop that counts its iterations itself counted as by a counter in each segment?
//!
//! Random loops in LLVM's text form: widths, steps and starts that wrap, tests of each kind on the variable
//! before and after its step, early exits, loops in loops. Each is counted with chords and with a counter in
//! each segment, at two levels of code generation.

use std::fmt::Write;

use crate::harness::Bench;

/// Splitmix64.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn one<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[(self.next() % all.len() as u64) as usize]
    }
}

const WIDTHS: [u32; 6] = [5, 8, 16, 24, 32, 64];
const TESTS: [&str; 10] = ["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"];

/// A function of a start, a bound and a limit that every loop has besides, so that it ends.
fn function(dice: &mut Dice, number: usize) -> (String, u32) {
    let width = *dice.one(&WIDTHS);
    let ty = format!("i{width}");
    let step = *dice.one(&[1_i64, 1, 1, -1, -1, 2, -4, 8, 3, 64]) % (1 << (width - 1).min(20));
    let step = if step == 0 { 1 } else { step };
    let start = match dice.next() % 3 {
        0 => "%start".to_owned(),
        1 => "0".to_owned(),
        _ => (dice.next() % 9).to_string(),
    };
    let [test, early] = [0, 1].map(|_| *dice.one(&TESTS));
    let [tested, asked] = [0, 1].map(|_| *dice.one(&["%i", "%next"]));
    let (yes, no) = *dice.one(&[("head", "done"), ("done", "head")]);
    let bound = *dice.one(&["%bound", "%bound", "7"]);
    let is_inner = dice.next().is_multiple_of(2);
    let ask = |block: &str, name: &str, value: &str, then: &str, other: &str| {
        // The limit counts down in memory, where it is no variable of the loop.
        format!(
            "{block}:\n  %left.{name} = load i64, ptr @left\n  %less.{name} = add i64 %left.{name}, -1\n  \
             store i64 %less.{name}, ptr @left\n  %stop.{name} = icmp eq i64 %less.{name}, 0\n  \
             br i1 %stop.{name}, label %stopped, label %go.{name}\ngo.{name}:\n{value}  \
             br i1 %c.{name}, label %{then}, label %{other}\n"
        )
    };
    let first = format!(
        "  %next = add {ty} %i, {step}\n  %c.early = icmp {early} {ty} {asked}, {}\n",
        dice.next() % 11
    );
    let after = if is_inner { "inner" } else { "latch" };
    let mut text = format!(
        "define i64 @f{number}({ty} %start, {ty} %bound, i64 %limit) {{\nentry:\n  br label %head\n\
         head:\n  %i = phi {ty} [ {start}, %entry ], [ %next, %go.latch ]\n  br label %body\n"
    );
    text +=
        &ask("body", "early", &first, if dice.next().is_multiple_of(3) { "done" } else { "latch" }, after);
    if is_inner {
        text +=
            "inner:\n  %j = phi i64 [ %limit, %go.early ], [ %j.next, %go.inner ]\n  br label %inner.body\n";
        let value = "  %j.next = add i64 %j, 1\n  %odd = and i64 %j, 3\n  %c.inner = icmp ne i64 %odd, 2\n";
        text += &ask("inner.body", "inner", value, "inner", "latch");
    }
    text += &ask("latch", "latch", &format!("  %c.latch = icmp {test} {ty} {tested}, {bound}\n"), yes, no);
    text += "done:\n  ret i64 1\nstopped:\n  ret i64 2\n}\n";
    (text, width)
}

/// A loop that is left only where its variable meets a bound some steps from the start.
fn bounded(dice: &mut Dice, number: usize) -> (String, u32) {
    let width = *dice.one(&WIDTHS);
    let is_address = width == 64 && dice.next().is_multiple_of(2);
    let ty = if is_address { "ptr".to_owned() } else { format!("i{width}") };
    let step = *dice.one(&[1_i64, 1, -1, 2, -4, 8]);
    let steps = (1 + dice.next() % 50) as i64 * step;
    let (start, end) = match dice.next() % 3 {
        0 if !is_address && width > 16 => (number.to_string(), (number as i64 + steps).to_string()),
        _ => ("%from".to_owned(), "%end".to_owned()),
    };
    let add = |name: &str, from: &str, by: i64| match is_address {
        true => format!("  %{name} = getelementptr i8, ptr {from}, i64 {by}\n"),
        false => format!("  %{name} = add {ty} {from}, {by}\n"),
    };
    let from = match is_address {
        true => "  %from = inttoptr i64 %start to ptr\n".to_owned(),
        false => add("from", "%start", 0),
    };
    let tested = *dice.one(&["%i", "%next"]);
    let (left, right) = if dice.next().is_multiple_of(2) { (tested, &*end) } else { (&*end, tested) };
    let (test, yes, no) = *dice.one(&[("ne", "head", "done"), ("eq", "done", "head")]);
    let odd = if dice.next().is_multiple_of(2) { "odd" } else { "latch" };
    let text = format!(
        "define i64 @f{number}(i{width} %start, i{width} %bound, i64 %limit) {{\nentry:\n{from}{}  br label %head\n\
         head:\n  %i = phi {ty} [ {start}, %entry ], [ %next, %latch ]\n  %seen = load i64, ptr @left\n  \
         %more = mul i64 %seen, 5\n  store i64 %more, ptr @left\n  %c = trunc i64 %more to i1\n  \
         br i1 %c, label %{odd}, label %latch\nodd:\n  store i64 %limit, ptr @left\n  br label %latch\n\
         latch:\n{}  %t = icmp {test} {ty} {left}, {right}\n  br i1 %t, label %{yes}, label %{no}\n\
         done:\n  ret i64 1\n}}\n",
        add("end", "%from", steps),
        add("next", "%i", step)
    );
    (text, width)
}

fn program(seed: u64) -> String {
    let mut dice = Dice(seed);
    let mut functions = String::from(
        "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n\
         target triple = \"x86_64-pc-linux-gnu\"\n@left = global i64 0\n",
    );
    let mut main = String::from("define i32 @main() {\n");
    for number in 0..24_usize {
        let make = if number.is_multiple_of(2) { function } else { bounded };
        let (text, width) = make(&mut dice, number);
        functions += &text;
        for call in 0..6 {
            let limit = *dice.one(&[3, 40, 700]);
            let small = |dice: &mut Dice| (dice.next() % 40) as i64 - 20;
            let [start, bound] = [0, 1].map(|_| small(&mut dice)).map(|at| at.clamp(-15, 15));
            let _ = writeln!(
                main,
                "  store i64 {limit}, ptr @left\n  %r{number}.{call} = call i64 @f{number}(i{width} {start}, \
                 i{width} {bound}, i64 {limit})"
            );
        }
    }
    functions + &main + "  ret i32 0\n}\n"
}

#[test]
fn random_loops_are_counted_as_in_each_segment() {
    for seed in 0..4 {
        let bench = Bench::new();
        bench.write("loops.ll", program(seed));
        let count = |placement: &str, level: &str| {
            let flags = ["--no-cache", "--placement", placement, "--codegen", level];
            let mut document = bench.count(&flags, &[bench.path("loops.ll")], &[]).counts().0.clone();
            document["blocks"].take();
            (document["total"].take(), document["lines"].take(), document["functions"].take())
        };
        let truth = count("every-segment", "0");
        assert!(truth.0.as_u64() > Some(1_000), "{}", truth.0);
        for (placement, level) in [("chords", "0"), ("chords", "3"), ("paths", "2")] {
            assert!(truth == count(placement, level), "seed {seed}, {placement}, {level}");
        }
    }
}
