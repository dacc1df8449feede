//! Random data of odd widths: does the run contradict what loops, predict, slice and bits say?
//!
//! Each function of a module loads a cell of 1 to 63 bits (a global, a field, an element), computes
//! with it, and loops as often as the result says. `main` stores into some cells before the calls.
//! Nothing is ever poison. One run counts all loops, and every claim is held against it.
//! `boolean_global` is the program that this search grew from: one bit that is set was −1 to one
//! analysis and 1 to another.

use opcost_testkit::Random;

use super::{Source, document};

const WIDTHS: [u32; 15] = [1, 1, 1, 2, 3, 5, 7, 9, 12, 17, 24, 31, 33, 48, 63];
const PREDICATES: [&str; 10] = ["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"];
const PLAIN: [&str; 6] = ["add", "sub", "mul", "and", "or", "xor"];
const EXTEND: [&str; 2] = ["zext", "sext"];
const FUNCTIONS: usize = 120;

/// The body of a function while it is written, and the value that was computed last.
struct Body {
    text: String,
    count: usize,
    value: String,
    width: u32,
}

impl Body {
    fn value(&mut self, width: u32, what: &str) -> String {
        self.count += 1;
        self.value = format!("%v{}", self.count);
        self.width = width;
        self.text += &format!("  {} = {what}\n", self.value);
        self.value.clone()
    }

    /// The value in so many bits.
    fn cast(&mut self, random: &mut Random, width: u32) -> String {
        let (from, value) = (self.width, self.value.clone());
        match from.cmp(&width) {
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Less => {
                let extend = random.of(&EXTEND);
                self.value(width, &format!("{extend} i{from} {value} to i{width}"))
            }
            std::cmp::Ordering::Greater => self.value(width, &format!("trunc i{from} {value} to i{width}")),
        }
    }

    /// A comparison with a number.
    fn compared(&mut self, random: &mut Random) -> String {
        let (width, value) = (self.width, self.value.clone());
        let (predicate, number) = (random.of(&PREDICATES), number(random, width));
        self.value(1, &format!("icmp {predicate} i{width} {value}, {number}"))
    }

    /// One operation more; `again` is the address of the cell and its width.
    fn step(&mut self, random: &mut Random, address: &str, cell: u32) {
        let (width, value) = (self.width, self.value.clone());
        let (plain, constant) = (random.of(&PLAIN), number(random, width));
        match random.below(9) {
            0 | 1 => {
                let width = *random.of(&WIDTHS);
                self.cast(random, width);
            }
            2 | 3 => {
                self.value(width, &format!("{plain} i{width} {value}, {constant}"));
            }
            4 => {
                let (shift, by) = (random.of(&["shl", "lshr", "ashr"]), random.below(width.into()));
                self.value(width, &format!("{shift} i{width} {value}, {}", literal(by, width)));
            }
            5 => {
                let divide =
                    random.of(if width > 2 { &["udiv", "urem", "sdiv", "srem"] } else { &["udiv", "urem"] });
                let by = literal(if width > 2 { 3 } else { 1 }, width);
                self.value(width, &format!("{divide} i{width} {value}, {by}"));
            }
            6 => {
                self.compared(random);
            }
            7 => {
                let test = self.compared(random);
                self.value(width, &format!("select i1 {test}, i{width} {value}, i{width} {constant}"));
            }
            _ => {
                self.value(cell, &format!("load i{cell}, ptr {address}"));
                let other = self.cast(random, width);
                self.value(width, &format!("{plain} i{width} {value}, {other}"));
            }
        }
    }

    /// How often the loop iterates, as a line that ends the block before its head.
    fn bound(&mut self, random: &mut Random) {
        let [a, b, c] = [(); 3].map(|()| random.below(9));
        match random.below(3) {
            0 => {
                let value = self.cast(random, 32);
                let bound = self.value(32, &format!("and i32 {value}, 15"));
                self.text += &format!("  br label %head\nhead:\n  %n = phi i32 [ {bound}, %0 ]\n");
            }
            1 => {
                let test = self.compared(random);
                let bound = self.value(32, &format!("select i1 {test}, i32 {a}, i32 {b}"));
                self.text += &format!("  br label %head\nhead:\n  %n = phi i32 [ {bound}, %0 ]\n");
            }
            _ => {
                let (width, value) = (self.width, self.value.clone());
                let case = number(random, width);
                self.text += &format!(
                    "  switch i{width} {value}, label %B [ i{width} {case}, label %A ]\nA:\n  br label %head\n\
                     B:\n  br label %head\nhead:\n  %n = phi i32 [ {a}, %A ], [ {c}, %B ]\n"
                );
            }
        }
    }
}

fn literal(number: u64, width: u32) -> String {
    match (width, number) {
        (1, 0) => "false".to_owned(),
        (1, _) => "true".to_owned(),
        _ => number.to_string(),
    }
}

fn number(random: &mut Random, width: u32) -> String {
    literal(random.below(1 << width), width)
}

const LOOP: &str = "  %e = icmp sgt i32 %n, 0
  br i1 %e, label %loop, label %end
loop:
  %i = phi i32 [ 0, %head ], [ %j, %loop ]
  store volatile i32 %i, ptr @sink
  %j = add nuw nsw i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}
";

/// A function with its cell, and what `main` does with both.
fn function(random: &mut Random, index: usize) -> (String, String) {
    let width = *random.of(&WIDTHS);
    let [first, stored] = [(); 2].map(|()| number(random, width));
    let cell = format!("@g{index}");
    let (data, address) = match random.below(3) {
        0 => (format!("i{width} {first}"), cell.clone()),
        1 => (
            format!("{{ i8, i{width}, i{width} }} {{ i8 3, i{width} {first}, i{width} {stored} }}"),
            format!("getelementptr inbounds ({{ i8, i{width}, i{width} }}, ptr {cell}, i32 0, i32 1)"),
        ),
        _ => (
            format!("[2 x i{width}] [i{width} {stored}, i{width} {first}]"),
            format!("getelementptr inbounds ([2 x i{width}], ptr {cell}, i32 0, i32 1)"),
        ),
    };
    let mut body = Body { text: String::new(), count: 0, value: String::new(), width };
    body.value(width, &format!("load i{width}, ptr {address}"));
    for _ in 0..random.below(4) {
        body.step(random, &address, width);
    }
    body.bound(random);
    let head =
        format!("{cell} = internal global {data}\ndefine internal void @f{index}() noinline nounwind {{\n");
    let mut calls = String::new();
    if !random.one_in(3) {
        calls += &format!("  store i{width} {stored}, ptr {address}\n");
    }
    for _ in 0..1 + random.below(2) {
        calls += &format!("  call void @f{index}()\n");
    }
    (head + &body.text + LOOP, calls)
}

fn module(seed: u64) -> String {
    let mut random = Random::new(seed);
    let (functions, calls): (Vec<String>, Vec<String>) =
        (0..FUNCTIONS).map(|index| function(&mut random, index)).unzip();
    format!(
        "target triple = \"x86_64-pc-linux-gnu\"\n@sink = global i32 0\n{}define i32 @main() {{\n{}  ret i32 0\n}}\n",
        functions.concat(),
        calls.concat()
    )
}

#[test]
fn no_run_contradicts_what_is_said_of_odd_widths() {
    for seed in 1..=3 {
        let source = Source::new("odd.ll", &module(seed));
        let held = source.place.opcost(&["values", "--verify", &source.path]);
        let held = held.expect(0).stderr;
        let claims: u32 = held
            .lines()
            .filter_map(|line| line.strip_prefix("claims: ")?.split(' ').next()?.parse::<u32>().ok())
            .sum();
        assert!(claims > 80, "seed {seed}: {held}");
        let ledger = source.place.at("run.opc");
        source.place.opcost(&["count", "--ledger", &ledger, &source.path]).expect(0);
        let predicted = document("predict", &["--defaults", "--against", &ledger, &source.path]);
        assert_eq!(predicted["against"]["within_1_percent"], 1.0, "seed {seed}: {}", predicted["against"]);
        source.place.opcost(&["slice", "--level", "4", "--verify", &source.path]).expect(0);
        source.place.opcost(&["bits", "--observe", &source.path]).expect(0);
        let certificate = source.place.at("c.json");
        source.place.opcost(&["bits", "--certificate", &certificate, &source.path]).expect(0);
        source.place.opcost(&["bits", "--check", &certificate, &source.path]).expect(0);
    }
}
