//! What was asked of which code, and which ledger is made of the answers?
//!
//! Nothing was counted, so there are no modules with maps, and the cost model is called `none`.
//! Which code the answers are about stands there by name and hash, so that only what is about
//! one code is merged. Cost: the rows.

use opcost_key::{Charge, CostFacts, Hash128, Hasher128};
use opcost_profile::{About, AnswerRow, CodeFacts, Ledger, LineTexts};

/// What was asked of which code, and where it ran.
#[derive(Clone, Debug, Default)]
pub struct AnswersAbout {
    /// The code that answers are about.
    pub code: Vec<CodeFacts>,
    /// What the user ran.
    pub command: Vec<String>,
    /// The machine on which it ran, if it did and that is known.
    pub machine: Option<String>,
    /// How many runs were looked at; 0 of code alone.
    pub runs: u64,
}

impl AnswersAbout {
    /// Of code that did not run, by the hash that its answers carry.
    pub fn of_code(name: &str, hash: &str, command: Vec<String>) -> AnswersAbout {
        AnswersAbout { code: code(name, hash).into_iter().collect(), command, ..AnswersAbout::default() }
    }
}

/// A ledger of answers alone: nothing was counted, so it has no modules with maps, and its cost
/// model is called `none`.
pub fn ledger(of: AnswersAbout, rows: impl IntoIterator<Item = AnswerRow>) -> Ledger {
    const NONE: &str = "none";
    let hash = Hasher128::new().text(NONE).finish();
    let about = About {
        modules: Vec::new(),
        code: of.code,
        cost: CostFacts { name: NONE.to_owned(), hash, charge: Charge::Instruction },
        machines: of.machine.into_iter().collect(),
        commands: vec![of.command],
        runs: of.runs,
        texts: LineTexts::default(),
    };
    let mut ledger = Ledger::new(about, []).expect("without facts no sum is too large");
    ledger.answers.extend(rows);
    ledger
}

/// Code by its name and the digits of its hash; none of no hash.
pub(super) fn code(name: &str, digits: &str) -> Option<CodeFacts> {
    let hash = u128::from_str_radix(digits, 16).ok()?;
    Some(CodeFacts { name: name.to_owned(), hash: Hash128(hash) })
}
