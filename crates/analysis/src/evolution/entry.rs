//! When is a loop entered? The condition, as a tree of statements.
//!
//! What cannot be determined is a part like any other: a conjunction fails where one known part
//! does. Each part is there once. Cost: the parts.

use crate::expression::{FormulaId, Test};

/// When a loop is entered, once its function, or the iteration around it, begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entered {
    /// Whatever the symbols are.
    Always,
    /// By no way.
    Never,
    /// Where the statement holds.
    If(Test),
    /// Where all hold.
    All(Vec<Entered>),
    /// Where one holds.
    Any(Vec<Entered>),
    /// That cannot be determined.
    Unknown,
}

impl Entered {
    /// All of two.
    pub fn and(self, other: Entered) -> Entered {
        match (self, other) {
            (Entered::Never, _) | (_, Entered::Never) => Entered::Never,
            (Entered::Always, one) | (one, Entered::Always) => one,
            (one, other) => Entered::All(joined(one, other, |one| match one {
                Entered::All(parts) => Ok(parts),
                one => Err(one),
            })),
        }
        .or_the_only()
    }

    /// One of two.
    pub fn or(self, other: Entered) -> Entered {
        match (self, other) {
            (Entered::Always, _) | (_, Entered::Always) => Entered::Always,
            (Entered::Never, one) | (one, Entered::Never) => one,
            (one, other) => Entered::Any(joined(one, other, |one| match one {
                Entered::Any(parts) => Ok(parts),
                one => Err(one),
            })),
        }
        .or_the_only()
    }

    fn or_the_only(self) -> Entered {
        match self {
            Entered::All(mut parts) | Entered::Any(mut parts) if parts.len() == 1 => parts.remove(0),
            one => one,
        }
    }

    /// The same with each statement put through `decide`: true, false, or a
    /// statement again.
    pub fn decided(&self, decide: &mut dyn FnMut(Test) -> Result<bool, Test>) -> Entered {
        match self {
            Entered::If(test) => match decide(*test) {
                Ok(true) => Entered::Always,
                Ok(false) => Entered::Never,
                Err(test) => Entered::If(test),
            },
            Entered::All(parts) => {
                parts.iter().fold(Entered::Always, |all, part| all.and(part.decided(decide)))
            }
            Entered::Any(parts) => {
                parts.iter().fold(Entered::Never, |any, part| any.or(part.decided(decide)))
            }
            one => one.clone(),
        }
    }

    /// What certainly must hold: the condition without what is unknown, and
    /// whether nothing was.
    pub fn necessary(&self) -> (Entered, bool) {
        match self {
            Entered::Unknown => (Entered::Always, false),
            Entered::All(parts) => parts.iter().fold((Entered::Always, true), |(all, is_whole), part| {
                let (part, is_known) = part.necessary();
                (all.and(part), is_whole && is_known)
            }),
            Entered::Any(parts) => parts.iter().fold((Entered::Never, true), |(any, is_whole), part| {
                let (part, is_known) = part.necessary();
                (any.or(part), is_whole && is_known)
            }),
            one => (one.clone(), true),
        }
    }

    /// All formulas in it.
    pub fn formulas(&self) -> Vec<FormulaId> {
        match self {
            Entered::If(test) => vec![test.of],
            Entered::All(parts) | Entered::Any(parts) => parts.iter().flat_map(Entered::formulas).collect(),
            Entered::Always | Entered::Never | Entered::Unknown => Vec::new(),
        }
    }
}

/// The parts of two, each once, those of the same kind opened.
fn joined(
    one: Entered,
    other: Entered,
    open: impl Fn(Entered) -> Result<Vec<Entered>, Entered>,
) -> Vec<Entered> {
    let mut all: Vec<Entered> = Vec::new();
    for side in [one, other] {
        for part in open(side).unwrap_or_else(|one| vec![one]) {
            if !all.contains(&part) {
                all.push(part);
            }
        }
    }
    all
}
