//! What a rewriting did, as text and as a document.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::kit::numbers::{counted, grouped, verb};
use crate::kit::save::document;
use opcost_answer::bits::NarrowAnswers;

/// The document of `opcost bits --narrow`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.bits-narrow/1")]
pub struct BitsNarrowJson<'a> {
    /// Always `opcost.bits-narrow/1`.
    #[schemars(extend("const" = "opcost.bits-narrow/1"))]
    schema: &'static str,
    /// `open` or `closed`: in the second it holds for the program as a whole only.
    world: &'static str,
    /// Where the bitcode went.
    output: String,
    /// Whether it was rewritten only by ranges that a checker follows.
    is_certified: bool,
    /// Results that are computed in fewer bits.
    values: u64,
    /// Bits of their types.
    declared: u64,
    /// Bits that they are computed in.
    computed: u64,
    /// Comparisons of fewer bits.
    comparisons: u64,
    /// What is left as it is.
    left: Vec<LeftJson<'a>>,
    /// What it rests on besides the code.
    assumes: &'a [String],
}

/// What is left as it is, though it is wider than it need be.
#[derive(Serialize, JsonSchema)]
struct LeftJson<'a> {
    count: u64,
    what: &'a str,
}

impl<'a> BitsNarrowJson<'a> {
    /// The document as text.
    pub fn text(answers: &'a NarrowAnswers, output: &Path) -> String {
        document(&BitsNarrowJson {
            schema: "opcost.bits-narrow/1",
            world: if answers.is_closed { "closed" } else { "open" },
            output: output.display().to_string(),
            is_certified: answers.certified.is_some(),
            values: answers.values,
            declared: answers.declared,
            computed: answers.computed,
            comparisons: answers.comparisons,
            left: answers.left.iter().map(|(count, what)| LeftJson { count: *count, what }).collect(),
            assumes: &answers.assumes,
        })
    }
}

/// What is printed.
pub fn print_bits_narrow(answers: &NarrowAnswers, about: &str, output: &Path) -> String {
    let NarrowAnswers { values, declared, computed, comparisons, .. } = answers;
    let world = if answers.is_closed { "the program is whole" } else { "anyone may call it" };
    let mut lines = vec![
        format!("{about}: {world}"),
        format!(
            "{} {} computed in fewer bits: {} -> {}",
            counted(values, "value"),
            verb(values, "is", "are"),
            grouped(*declared),
            counted(computed, "bit")
        ),
        format!("{} {} of fewer bits", counted(comparisons, "comparison"), verb(comparisons, "is", "are")),
    ];
    lines.extend(answers.left.iter().map(|(count, what)| format!("left as they are: {count} {what}")));
    lines.extend(answers.assumes.iter().map(|fact| format!("taken for granted: {fact}")));
    lines.push(format!("written: {}", output.display()));
    lines.push(format!("next: clang-22 {} -o program", output.display()));
    lines.join("\n") + "\n"
}
