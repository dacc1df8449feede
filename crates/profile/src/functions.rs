//! What did the program and its functions do, in all?
//!
//! A ledger is a table of facts. Most callers want its total and its functions, so both are here by name,
//! each with its quality. Facts of one function are next to each other, and so are its lines; finding
//! the lines costs log facts. Limits: a ledger of schema 2 has no lines of functions.

use std::fmt;
use std::sync::Arc;

use crate::{Column, FunctionFacts, Ledger, Quality, SourcePlace, Subject};

/// What the whole program did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerTotal {
    /// Its instructions, in units of the cost model; none if that is not known.
    pub instructions: Option<u64>,
    /// How sure the number is.
    pub quality: Quality,
}

impl LedgerTotal {
    /// The number, if it is exact.
    pub fn exact(&self) -> Option<u64> {
        self.instructions.filter(|_| self.quality == Quality::Exact)
    }
}

impl fmt::Display for LedgerTotal {
    /// `7054 instructions, exact`, or `unknown` with the reason.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.instructions {
            Some(1) => write!(f, "1 instruction, {}", self.quality),
            Some(instructions) => write!(f, "{instructions} instructions, {}", self.quality),
            None => self.quality.fmt(f),
        }
    }
}

/// One function of a ledger.
#[derive(Clone, Debug)]
pub struct LedgerFunction<'a> {
    ledger: &'a Ledger,
    facts: &'a Arc<FunctionFacts>,
    /// Where it is written, as debug information says.
    pub location: Option<&'a SourcePlace>,
    /// How often it was called; none where samples do not say it.
    pub calls: Option<u64>,
    /// What it did by itself, without its callees, in units of the cost model.
    pub instructions: Option<u64>,
    /// How sure both numbers are: as the less sure one.
    pub quality: Quality,
}

/// One line of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerLine<'a> {
    /// The line; code that is inlined here is on its own lines.
    pub location: &'a SourcePlace,
    /// What its instructions in this function cost.
    pub instructions: Option<u64>,
    /// How sure the number is.
    pub quality: &'a Quality,
}

impl<'a> LedgerFunction<'a> {
    /// Its linkage name, as it is in the object file: `_Z6searchR5Boardi`.
    pub fn name(&self) -> &'a str {
        &self.facts.name
    }

    /// The module that holds it.
    pub fn module(&self) -> &'a str {
        &self.facts.module
    }

    /// Its lines that have code, by file and number.
    pub fn lines(&self) -> impl Iterator<Item = LedgerLine<'a>> + use<'a> {
        let first = SourcePlace { file: "".into(), line: 0 };
        let first = Subject::FunctionLine { function: Arc::clone(self.facts), place: first };
        let facts = self.ledger.facts();
        let start = facts.partition_point(|fact| fact.subject < first);
        let function = self.facts;
        facts[start..]
            .iter()
            .map_while(move |fact| match &fact.subject {
                Subject::FunctionLine { function: own, place } if own == function => Some((fact, place)),
                _ => None,
            })
            .filter(|(fact, _)| fact.column == Column::Instructions)
            .map(|(fact, place)| LedgerLine {
                location: place,
                instructions: fact.value,
                quality: &fact.quality,
            })
    }
}

impl Ledger {
    /// What the whole program did, with how sure that is.
    ///
    /// ```
    /// # fn print(ledger: &opcost_profile::Ledger) {
    /// println!("{}", ledger.total());
    /// if let Some(instructions) = ledger.total().exact() {
    ///     assert!(instructions < 2_500_000_000);
    /// }
    /// # }
    /// ```
    pub fn total(&self) -> LedgerTotal {
        let is_total =
            |subject: &Subject, column| *subject == Subject::Program && column == Column::Instructions;
        let fact = self.facts().iter().find(|fact| is_total(&fact.subject, fact.column));
        let nothing = || LedgerTotal {
            instructions: None,
            quality: Quality::Unknown("nothing was counted".to_owned()),
        };
        fact.map_or_else(nothing, |fact| LedgerTotal {
            instructions: fact.value,
            quality: fact.quality.clone(),
        })
    }

    /// The functions, by name and module: what each did by itself, how often it was called, and its lines.
    ///
    /// ```
    /// # fn print(ledger: &opcost_profile::Ledger) {
    /// for function in ledger.functions() {
    ///     println!("{} did {:?} in {:?} calls", function.name(), function.instructions, function.calls);
    ///     for line in function.lines() {
    ///         println!("  {}:{} did {:?}", line.location.file, line.location.line, line.instructions);
    ///     }
    /// }
    /// # }
    /// ```
    pub fn functions(&self) -> impl Iterator<Item = LedgerFunction<'_>> {
        let mut facts = self.facts().iter().peekable();
        std::iter::from_fn(move || {
            loop {
                let fact = facts.next()?;
                let Subject::Function { function, place } = &fact.subject else { continue };
                let mut found = LedgerFunction {
                    ledger: self,
                    facts: function,
                    location: place.as_ref(),
                    calls: None,
                    instructions: None,
                    quality: fact.quality.clone(),
                };
                found.take(fact.column, fact.value);
                while let Some(other) = facts.next_if(|other| other.subject == fact.subject) {
                    found.take(other.column, other.value);
                    found.quality = found.quality.and(other.quality.clone());
                }
                return Some(found);
            }
        })
    }
}

impl LedgerFunction<'_> {
    fn take(&mut self, column: Column, value: Option<u64>) {
        match column {
            Column::Calls => self.calls = value,
            Column::Instructions => self.instructions = value,
            _ => {}
        }
    }
}
