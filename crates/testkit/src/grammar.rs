//! What loops can there be? Random ones, to be analysed and run.
//!
//! A seed gives a module as text: data, some functions, and `run`, whose one to
//! three parameters of 8 or 16 bits decide everything, so that all inputs can be
//! tried. Loops come one behind the other and in each other, in every form that
//! [`Feature`] names and their mixtures; flags are set at random, so they may be
//! wrong and lead to poison; a loop may go on for ever. Values are in scope where
//! they dominate, so every text is a program. The same text for a seed, always.

mod body;
mod bounds;
mod counters;
mod feature;
mod loops;
mod odd;
mod slots;
mod text;

use std::collections::BTreeSet;

use opcost_index::Id;
use opcost_ir::{GlobalId, Module, ParseError, parse_module};

pub use feature::Feature;

use crate::externals::Reply;
use crate::memory::Memory;
use crate::random::Random;
use crate::scalar::{Pointer, Scalar};
use loops::write_loop;
use odd::write_odd;
use slots::{DATA, FUNCTIONS, WRITABLE, write_entry};
use text::{IntegerOperand, Scope, Text};

/// A random module.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it was made of.
    pub seed: u64,
    /// The module.
    pub text: String,
    /// The function to be run: `run`.
    pub function: &'static str,
    /// Bits of its parameters, all integers.
    pub parameters: Vec<u32>,
    /// What it has.
    pub features: BTreeSet<Feature>,
    /// Data that functions outside can see, with its width.
    exported: Vec<(GlobalId, u32)>,
}

impl Case {
    /// Reads the text.
    ///
    /// # Errors
    /// None of any seed; a test holds it to that.
    pub fn module(&self) -> Result<Module, ParseError> {
        parse_module(&self.text)
    }

    /// What the declared functions do, from the start of a run on. `pure8` and `pure16` compute;
    /// `unknown` halves exported data; `keep` remembers a pointer and `touch` writes there. `leave`
    /// throws at every fourth number, or ends the program.
    pub fn externals(&self) -> impl FnMut(&mut Memory, &str, &[Scalar]) -> Reply + use<> {
        let exported = self.exported.clone();
        let stops = self.seed.is_multiple_of(2);
        let mut kept: Option<Pointer> = None;
        move |memory, name, arguments| {
            let number = arguments.first().and_then(Scalar::bits);
            match (name, number) {
                ("pure8" | "pure16", None) => Reply::Value(Scalar::Poison),
                ("pure8", Some(bits)) => Reply::Value(Scalar::integer(8, bits * 5 + 3)),
                ("pure16", Some(bits)) => Reply::Value(Scalar::integer(16, bits * 5 + 3)),
                ("unknown", _) => {
                    exported.iter().for_each(|&(global, width)| halve(memory, memory.global(global), width));
                    Reply::Nothing
                }
                ("keep", _) => {
                    kept = arguments.first().and_then(Scalar::pointer);
                    Reply::Nothing
                }
                ("touch", _) => {
                    kept.into_iter().for_each(|pointer| halve(memory, pointer, 8));
                    Reply::Nothing
                }
                ("leave", Some(bits)) if bits % 4 == 1 => {
                    if stops {
                        Reply::Stop
                    } else {
                        Reply::Unwind
                    }
                }
                ("leave", _) => Reply::Nothing,
                _ => Reply::Unknown,
            }
        }
    }
}

/// Halves a number in memory, if there is one.
fn halve(memory: &mut Memory, at: Pointer, width: u32) {
    if let Some(bits) = memory.load_integer(at, width) {
        memory.store_integer(at, width, bits / 2);
    }
}

/// The case of a seed.
pub fn random_loops(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let shapes: &[&[u32]] = &[&[8], &[8, 8], &[8, 8], &[8, 8], &[16], &[16], &[8, 16], &[8, 8, 8]];
    let parameters = random.of(shapes).to_vec();
    let width = *random.of(&[8, 8, 8, 16]);
    let is_exported = random.one_in(2);
    let mut text = Text::new(random, width);
    let mut module = String::new();
    for data in DATA {
        let is_table = data.starts_with("@table");
        let line = data.replace(" =", if is_table && text.random.one_in(2) { " constant =" } else { " =" });
        module.push_str(&format!("global {}{line}\n", if is_exported { "" } else { "internal " }));
    }
    module.push_str(FUNCTIONS);
    module.push_str(&write_run(&mut text, &parameters));
    let globals = WRITABLE.iter().filter(|_| is_exported);
    Case {
        seed,
        text: module,
        function: "run",
        parameters,
        features: text.features,
        exported: globals.map(|&(position, width)| (GlobalId::new(position), width)).collect(),
    }
}

fn write_run(text: &mut Text, parameters: &[u32]) -> String {
    let mut scope = Scope::default();
    for (position, &width) in parameters.iter().enumerate() {
        scope.arguments.push(IntegerOperand::new(format!("%p{position}"), width));
    }
    scope.values = scope.arguments.clone();
    text.begin("entry");
    write_entry(text, &scope);
    if text.random.one_in(12) {
        write_recursion(text, &scope);
    }
    for _ in 0..1 + text.random.below(2) {
        if text.random.one_in(5) {
            write_odd(text, &mut scope);
        } else {
            write_loop(text, &mut scope, None, 0);
            text.has(Feature::UsedBehind);
        }
    }
    let result = scope.values.last().cloned().unwrap_or_else(|| IntegerOperand::new("0", text.width));
    text.line(format!("ret i{} {}", result.width, result.name));
    let list: Vec<String> =
        scope.arguments.iter().map(|argument| format!("i{} {}", argument.width, argument.name)).collect();
    let mut words = "";
    if text.random.one_in(8) {
        text.has(Feature::MustProgress);
        words = " mustprogress";
    }
    let body = text.lines.join("\n").replace("@run_again", &format!("i{} @run", result.width));
    format!("define i{} @run({}){words} {{\n{body}\n}}\n", result.width, list.join(", "))
}

/// Calls itself with half of the first argument, until that is zero.
fn write_recursion(text: &mut Text, scope: &Scope) {
    text.has(Feature::Recursion);
    let [again, on] = ["again", "on"].map(|hint| text.label(hint));
    let IntegerOperand { name, width } = scope.arguments[0].clone();
    let test = text.result("t", 1, format!("icmp ne i{width} {name}, 0")).name;
    text.branch(&test, &again, &on);
    text.begin(&again);
    let half = text.result("h", width, format!("lshr i{width} {name}, 1"));
    let mut list = vec![format!("i{width} {}", half.name)];
    list.extend(scope.arguments[1..].iter().map(|argument| format!("i{} {}", argument.width, argument.name)));
    text.result("r", width, format!("call @run_again({})", list.join(", ")));
    text.jump(&on);
    text.begin(&on);
}
