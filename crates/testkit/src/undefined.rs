//! Which words can each value of a program with `undef` be? All of them, tried.
//!
//! Random functions without branches and without promises of instructions, over
//! words of three and six bits, with `undef` among the operands, `freeze`, and
//! calls of functions that may be given or return what is undefined. By LLVM's
//! language reference `undef` is any word, another one at each use, and so is what
//! is computed from it: a value is a set of words, of which each use takes one. A
//! `freeze` chooses one for all its uses; each choice is tried, with all inputs.
//! What is undefined by a promise (`noundef`) ends a run.
//!
//! Input: a seed. Output: the text of a module and, of each function and
//! instruction, the words. The same text for a seed, always. Cost: inputs times
//! choices times pairs of words for each operation.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::random::Random;

/// Bits of the one kind of words and of the other.
const NARROW: u32 = 3;
const WIDE: u32 = 6;

/// A set of words of at most six bits.
type Words = u64;

/// Words by name of function and number of instruction.
pub type PossibleWords = BTreeMap<(&'static str, usize), Vec<u128>>;

/// A function with undefined operands.
#[derive(Clone, Debug)]
pub struct UndefinedCase {
    /// The module, `run` its last function.
    pub text: String,
    values: Vec<UndefinedStep>,
}

/// A step and the bits of what it gives.
#[derive(Clone, Debug)]
struct UndefinedStep {
    width: u32,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Binary(&'static str, Operand, Operand),
    Extended(&'static str, Operand),
    Truncated(Operand),
    Frozen(Operand),
    /// Whether one is less than another decides which of both.
    Least(Operand, Operand, usize),
    Called(&'static str, Operand),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operand {
    /// The only parameter, a narrow one.
    Parameter,
    Result(usize),
    Word(u32),
    Undefined,
}

/// Of narrow words: the square of what it is given, and the same where a promise is made. Also
/// something that is undefined in its low bits.
const FUNCTIONS: &str = "define internal i3 @squared(i3 %v) {
entry:
  %r = mul i3 %v, %v
  ret i3 %r
}
define internal i3 @promised(i3 noundef %v) {
entry:
  %r = mul i3 %v, %v
  ret i3 %r
}
define internal i3 @partly(i3 %v) {
entry:
  %u = and i3 undef, 3
  %r = xor i3 %u, %v
  ret i3 %r
}
";

const OPERATIONS: [&str; 6] = ["add", "sub", "mul", "and", "or", "xor"];

/// How many values a program freezes at most.
const MOST_CHOICES: usize = 2;

/// The program of a seed.
pub fn random_undefined(seed: u64) -> UndefinedCase {
    let mut random = Random::new(seed ^ 0x0dd1);
    let mut values: Vec<UndefinedStep> = Vec::new();
    let count = 6 + random.below(6) as usize;
    while values.len() < count {
        let choices = values.iter().filter(|step| matches!(step.what, What::Frozen(_))).count();
        let width = if random.one_in(3) { WIDE } else { NARROW };
        let one = operand(&mut random, &values, width);
        let other = operand(&mut random, &values, width);
        let what = match random.below(12) {
            0..=3 => What::Binary("mul", one, one),
            4 | 5 => What::Binary(chosen(&mut random, &OPERATIONS), one, other),
            6 if width == WIDE => {
                let narrow = operand(&mut random, &values, NARROW);
                What::Extended(chosen(&mut random, &["zext", "sext"]), narrow)
            }
            6 => What::Truncated(operand(&mut random, &values, WIDE)),
            7 if choices < MOST_CHOICES => What::Frozen(one),
            // It is the next instruction but one: the comparison comes before it.
            8 => What::Least(one, other, values.len()),
            9..=11 if width == NARROW => {
                What::Called(chosen(&mut random, &["squared", "promised", "partly"]), one)
            }
            _ => continue,
        };
        values.push(UndefinedStep { width, what });
    }
    UndefinedCase { text: text(&values), values }
}

fn chosen(random: &mut Random, words: &[&'static str]) -> &'static str {
    let word: &&'static str = random.of(words);
    word
}

fn operand(random: &mut Random, values: &[UndefinedStep], width: u32) -> Operand {
    let fit: Vec<usize> = (0..values.len()).filter(|&at| values[at].width == width).collect();
    match random.below(8) {
        0 => Operand::Undefined,
        1 => Operand::Word(random.below(1 << width) as u32),
        2 if width == NARROW => Operand::Parameter,
        _ if fit.is_empty() && width == NARROW => Operand::Parameter,
        _ if fit.is_empty() => Operand::Undefined,
        _ => Operand::Result(*random.of(&fit)),
    }
}

fn name(operand: Operand) -> String {
    match operand {
        Operand::Parameter => "%x".into(),
        Operand::Result(at) => format!("%v{at}"),
        Operand::Word(word) => word.to_string(),
        Operand::Undefined => "undef".into(),
    }
}

fn text(values: &[UndefinedStep]) -> String {
    let mut out = format!("{FUNCTIONS}define i{NARROW} @run(i{NARROW} %x) {{\nentry:\n");
    for (at, step) in values.iter().enumerate() {
        let ty = format!("i{}", step.width);
        let line = match step.what {
            What::Binary(operation, one, two) => {
                format!("%v{at} = {operation} {ty} {}, {}", name(one), name(two))
            }
            What::Extended(how, from) => format!("%v{at} = {how} {ty} i{NARROW} {}", name(from)),
            What::Truncated(from) => format!("%v{at} = trunc {ty} i{WIDE} {}", name(from)),
            What::Frozen(from) => format!("%v{at} = freeze {ty} {}", name(from)),
            What::Least(one, two, number) => format!(
                "%c{number} = icmp ult {ty} {0}, {1}\n  %v{at} = select {ty} i1 %c{number}, {ty} {0}, {ty} {1}",
                name(one),
                name(two)
            ),
            What::Called(callee, from) => {
                format!("%v{at} = call i{NARROW} @{callee}(i{NARROW} {})", name(from))
            }
        };
        writeln!(out, "  {line}").expect("writing to a string");
    }
    out.push_str("  ret i3 0\n}\n");
    out
}

impl UndefinedCase {
    /// The words that each instruction can be, over all inputs and choices.
    pub fn words(&self) -> PossibleWords {
        let mut all = BTreeMap::new();
        for input in 0..1 << NARROW {
            let mut run = Run { input, values: &self.values, sets: Vec::new(), all: &mut all };
            run.step(0);
        }
        all.into_iter().map(|(at, set)| (at, members(set).collect())).collect()
    }
}

/// One input, while all choices are tried.
struct Run<'r> {
    input: u32,
    values: &'r [UndefinedStep],
    sets: Vec<Words>,
    all: &'r mut BTreeMap<(&'static str, usize), Words>,
}

impl Run<'_> {
    fn step(&mut self, at: usize) {
        let Some(UndefinedStep { width, what }) = self.values.get(at).cloned() else { return };
        // A comparison is an instruction, too.
        let comparisons = |step: &&UndefinedStep| matches!(step.what, What::Least(..));
        let number = at + self.values[..at].iter().filter(comparisons).count();
        let set = match what {
            What::Binary(operation, one, two) => {
                each_pair(self.of(one, width), self.of(two, width), |a, b| binary(operation, a, b, width))
            }
            What::Extended(how, from) => each(self.of(from, NARROW), |word| match how {
                "sext" if word & 4 != 0 => word | 0x38,
                _ => word,
            }),
            What::Truncated(from) => each(self.of(from, WIDE), |word| word & 7),
            What::Frozen(from) => {
                for word in members(self.of(from, width)) {
                    self.note("run", number, only(word));
                    self.sets.push(only(word));
                    self.step(at + 1);
                    self.sets.truncate(at);
                }
                return;
            }
            What::Least(one, two, _) => {
                let (one, two) = (self.of(one, width), self.of(two, width));
                let compared = each_pair(one, two, |a, b| u128::from(a < b));
                self.note("run", number, compared);
                let chosen = |bit: u32, set: Words| if compared >> bit & 1 == 1 { set } else { 0 };
                let set = chosen(1, one) | chosen(0, two);
                self.note("run", number + 1, set);
                self.sets.push(set);
                self.step(at + 1);
                return self.sets.truncate(at);
            }
            What::Called(callee, from) => {
                let given = self.of(from, NARROW);
                let is_one = members(given).count() == 1;
                match callee {
                    "promised" if !is_one => return,
                    "partly" => {
                        let low = each_pair(full(NARROW), only(3), |a, b| a & b);
                        self.note(callee, 0, low);
                        let set = each_pair(low, given, |a, b| a ^ b);
                        self.note(callee, 1, set);
                        set
                    }
                    _ => {
                        let set = each_pair(given, given, |a, b| (a * b) & 7);
                        self.note(callee, 0, set);
                        set
                    }
                }
            }
        };
        self.note("run", number, set);
        self.sets.push(set);
        self.step(at + 1);
        self.sets.truncate(at);
    }

    fn of(&self, operand: Operand, width: u32) -> Words {
        match operand {
            Operand::Parameter => only(self.input.into()),
            Operand::Result(at) => self.sets[at],
            Operand::Word(word) => only(word.into()),
            Operand::Undefined => full(width),
        }
    }

    fn note(&mut self, function: &'static str, number: usize, set: Words) {
        let all = self.all.entry((function, number)).or_default();
        *all |= set;
    }
}

fn binary(operation: &str, a: u128, b: u128, width: u32) -> u128 {
    let word = match operation {
        "add" => a + b,
        "sub" => a.wrapping_sub(b),
        "mul" => a * b,
        "and" => a & b,
        "or" => a | b,
        _ => a ^ b,
    };
    word & ((1 << width) - 1)
}

fn only(word: u128) -> Words {
    1 << word
}

fn full(width: u32) -> Words {
    u64::MAX >> (64 - (1 << width))
}

fn members(set: Words) -> impl Iterator<Item = u128> {
    (0..1u128 << WIDE).filter(move |&word| set >> word & 1 == 1)
}

fn each(set: Words, make: impl Fn(u128) -> u128) -> Words {
    members(set).fold(0, |all, word| all | only(make(word)))
}

fn each_pair(one: Words, two: Words, make: impl Fn(u128, u128) -> u128) -> Words {
    members(one).fold(0, |all, a| all | each(two, |b| make(a, b)))
}

#[cfg(test)]
mod tests {
    use super::{NARROW, Operand, UndefinedCase, UndefinedStep, What, random_undefined, text};
    use opcost_ir::parse_module;

    fn words(values: Vec<What>) -> Vec<Vec<u128>> {
        let values: Vec<UndefinedStep> =
            values.into_iter().map(|what| UndefinedStep { width: NARROW, what }).collect();
        let case = UndefinedCase { text: text(&values), values };
        let run = case.words().into_iter().filter(|((function, _), _)| *function == "run");
        run.map(|(_, words)| words).collect()
    }

    #[test]
    fn each_use_of_undef_is_another_word_and_a_frozen_one_is_one() {
        let squares = vec![0, 1, 4];
        let of = |operand| What::Binary("mul", operand, operand);
        assert_eq!(words(vec![of(Operand::Parameter)]), std::slice::from_ref(&squares));
        assert_eq!(words(vec![of(Operand::Undefined)])[0].len(), 8);
        let copied = What::Binary("add", Operand::Undefined, Operand::Word(0));
        assert_eq!(words(vec![copied, of(Operand::Result(0))])[1].len(), 8);
        assert_eq!(words(vec![What::Frozen(Operand::Undefined), of(Operand::Result(0))])[1], squares);
        // A word twice undefined in one bit: 1·0 is there, too.
        let bit = What::Binary("and", Operand::Undefined, Operand::Word(1));
        let with_two = What::Binary("or", Operand::Result(0), Operand::Word(2));
        assert_eq!(words(vec![bit, with_two, of(Operand::Result(1))])[2], [1, 4, 6]);
    }

    #[test]
    fn every_text_is_a_module() {
        for seed in 0..200 {
            let case = random_undefined(seed);
            parse_module(&case.text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", case.text));
        }
    }
}
