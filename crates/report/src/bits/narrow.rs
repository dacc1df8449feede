//! What a rewriting did, as text and as a document.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::kit::numbers::{counted, grouped, verb};
use crate::kit::save::document;
use opcost_answer::bits::{NarrowAnswers, Narrowed};

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
    /// What became narrower.
    #[serde(flatten)]
    narrowed: &'a Narrowed,
}

impl<'a> BitsNarrowJson<'a> {
    /// The document as text.
    pub fn text(answers: &'a NarrowAnswers, output: &Path) -> String {
        document(&BitsNarrowJson {
            schema: "opcost.bits-narrow/1",
            world: if answers.is_closed { "closed" } else { "open" },
            output: output.display().to_string(),
            is_certified: answers.certified.is_some(),
            narrowed: &answers.narrowed,
        })
    }
}

/// What is printed.
pub fn print_bits_narrow(answers: &NarrowAnswers, about: &str, output: &Path) -> String {
    let Narrowed { values, declared, computed, comparisons, left, assumes } = &answers.narrowed;
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
    lines.extend(left.iter().map(|one| format!("left as they are: {} {}", one.count, one.what)));
    lines.extend(assumes.iter().map(|fact| format!("taken for granted: {fact}")));
    lines.push(format!("written: {}", output.display()));
    lines.push(format!("next: clang-22 {} -o program", output.display()));
    lines.join("\n") + "\n"
}
