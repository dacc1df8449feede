//! What is known of the truth of a life?
//!
//! Every comparison has an answer, or none and a reason. One list of them serves
//! the terminal and the page.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether watching changed anything, and whether the bytes are the same on every
/// way. A comparison that was not made is null, and `remarks` says why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SelfCheck {
    /// The recorded machine code is that of a build that nobody watched.
    pub text_identical: Option<bool>,
    /// It is that of the user's own compiler; null without a source.
    pub compiler_identical: Option<bool>,
    /// The chosen functions as assembly text, assembled, have the same bytes.
    #[serde(default)]
    pub assembler_identical: Option<bool>,
    /// A just-in-time compiler has the same bytes in memory, outside of relocated
    /// fields; null if the code is for another machine.
    #[serde(default)]
    pub jit_identical: Option<bool>,
    /// The bytes, disassembled, say what the encoder was given, and encode to
    /// themselves.
    #[serde(default)]
    pub disassembly_identical: Option<bool>,
    /// By the name of a comparison: the first difference, or why it was not made.
    #[serde(default)]
    pub remarks: BTreeMap<String, String>,
}

/// One comparison, to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownComparison<'a> {
    /// What the code is compared with: `clang's own object`.
    pub with: &'static str,
    /// The answer, if there is one.
    pub is_same: Option<bool>,
    /// The first difference, or why there is no answer.
    pub remark: Option<&'a str>,
}

impl SelfCheck {
    /// Whether nothing differs. The user's compiler is reported and not judged: flags that opcost
    /// does not know may cause a difference.
    pub fn is_good(&self) -> bool {
        let judged =
            [self.text_identical, self.assembler_identical, self.jit_identical, self.disassembly_identical];
        !judged.contains(&Some(false))
    }

    /// The comparisons that were made, and those that say why they were not.
    pub fn reported(&self) -> Vec<ShownComparison<'_>> {
        let all = [
            ("compiler_identical", "clang's own object", self.compiler_identical),
            ("text_identical", "a build that nobody watched", self.text_identical),
            ("assembler_identical", "the assembler's", self.assembler_identical),
            ("jit_identical", "the JIT's in memory", self.jit_identical),
            ("disassembly_identical", "what the disassembler reads", self.disassembly_identical),
        ];
        let told = all.into_iter().map(|(name, with, is_same)| {
            let remark = self.remarks.get(name).map(String::as_str);
            ShownComparison { with, is_same, remark }
        });
        told.filter(|told| told.is_same.is_some() || told.remark.is_some()).collect()
    }

    /// Notes what came of a comparison, by the name of its field.
    pub fn note(&mut self, name: &str, comparison: &Comparison) {
        let field = match name {
            "text_identical" => &mut self.text_identical,
            "assembler_identical" => &mut self.assembler_identical,
            "jit_identical" => &mut self.jit_identical,
            "disassembly_identical" => &mut self.disassembly_identical,
            _ => unreachable!("{name} is no comparison"),
        };
        *field = comparison.is_identical();
        self.remarks.extend(comparison.remark().map(|words| (name.to_owned(), words.to_owned())));
    }
}

/// What came of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// All the same.
    Identical,
    /// They differ; where first.
    Different(String),
    /// It cannot be made; why.
    NotMade(String),
}

impl Comparison {
    /// As the record has it.
    pub fn is_identical(&self) -> Option<bool> {
        match self {
            Comparison::Identical => Some(true),
            Comparison::Different(_) => Some(false),
            Comparison::NotMade(_) => None,
        }
    }

    /// The first difference, or why there is no answer.
    pub fn remark(&self) -> Option<&str> {
        match self {
            Comparison::Identical => None,
            Comparison::Different(words) | Comparison::NotMade(words) => Some(words),
        }
    }
}
