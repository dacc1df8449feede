//! Which values can every value of a module have? The answer.
//!
//! Ranges by variable, which variable a value is, and what all of it rests on. An answer
//! can be asked again with one more thing given. Cost: a look-up, but where it is said.

use std::collections::{BTreeSet, HashSet, VecDeque};

use opcost_index::{Id, IdMap};
use opcost_ir::Value;
use opcost_key::FunctionId;

use super::collect::Values;
use super::contract::{Contract, Handed};
use super::facts::{Content, Distance, EdgeFact, Finding};
use super::range::Range;
use super::solve;
use super::tables::Tables;
use super::variables::{Definition, Limit, VariableId, Variables};

/// Ranges of all values of a module.
#[derive(Clone, Debug)]
pub struct Propagation {
    pub(super) variables: Variables,
    pub(super) ranges: IdMap<VariableId, Range>,
    pub(super) tables: Tables,
    pub(super) values: IdMap<FunctionId, Values>,
    pub(super) facts: BTreeSet<EdgeFact>,
    pub(super) distances: Vec<Distance>,
    pub(super) contents: Vec<Content>,
    pub(super) findings: Vec<Finding>,
    pub(super) contracts: Vec<Contract>,
    pub(super) handed: Vec<Handed>,
    /// What contracts say, in the order of the variables.
    pub(super) promised: Vec<VariableId>,
    /// Variables on cycles that took too long: they began as everything.
    pub given_up: usize,
}

/// How many variables the search for a reason looks at.
const MOST_REASONS: usize = 1000;

impl Propagation {
    /// What can never be without something undefined: accesses, then code.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The ranges if these variables were in these ranges, besides all that is known:
    /// an answer to "what if", which rests on it. Closed forms of loops are not
    /// looked for again. Cost: that of solving all variables.
    #[must_use]
    pub fn given(&self, more: &[(VariableId, Range)]) -> Propagation {
        let mut given = self.clone();
        for (variable, range) in more {
            let kind = given.variables.get(*variable).kind;
            let bound = given.variables.add(kind, Definition::Constant(range.clone()));
            given.variables.also(*variable, &[bound]);
        }
        let solve::Solved { ranges, given_up } = solve::solve(&given.variables, &given.tables);
        Propagation { ranges, given_up, ..given }
    }

    /// The variable of a result or parameter, where it is defined; none of what
    /// is no number, nor pointer.
    pub fn variable(&self, function: FunctionId, value: Value) -> Option<VariableId> {
        match value {
            Value::Instruction(id) => self.values[function].results.get(id.index()).copied()?,
            Value::Argument(position) => self.values[function].arguments.get(position as usize).copied()?,
            _ => None,
        }
    }

    /// The range of a result or parameter; of a pointer that of its offset.
    pub fn range(&self, function: FunctionId, value: Value) -> Option<&Range> {
        Some(&self.ranges[self.variable(function, value)?])
    }

    /// What a function returns.
    pub fn returned(&self, function: FunctionId) -> Option<&Range> {
        Some(&self.ranges[self.values[function].returned?])
    }

    /// The range of a variable.
    pub fn range_of(&self, variable: VariableId) -> &Range {
        &self.ranges[variable]
    }

    /// All variables and their definitions.
    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    /// What the ranges rest on.
    pub fn facts(&self) -> impl Iterator<Item = &EdgeFact> {
        self.facts.iter()
    }

    /// How far phis are from phis at heads of loops around them, as far as sums
    /// were looked for.
    pub fn distances(&self) -> &[Distance] {
        &self.distances
    }

    /// What is in objects all of whose writes are seen, as far as loads ask.
    pub fn contents(&self) -> &[Content] {
        &self.contents
    }

    /// Variables whose range does not hold one step of their definition: there
    /// is none. Cost: a step for each variable.
    pub fn not_closed(&self) -> Vec<VariableId> {
        solve::not_closed(&self.variables, &self.tables, &self.ranges)
    }

    /// What limits a range: the nearest sources of which nothing is known.
    pub fn why(&self, variable: VariableId) -> Vec<(VariableId, Limit)> {
        let (mut seen, mut found) = (HashSet::from([variable]), Vec::new());
        let mut work = VecDeque::from([variable]);
        while let Some(next) = work.pop_front().filter(|_| seen.len() < MOST_REASONS) {
            let definition = &self.variables.get(next).definition;
            if let Definition::Full(limit) = definition {
                found.push((next, *limit));
            }
            definition.each_source(|source| {
                if seen.insert(source) {
                    work.push_back(source);
                }
            });
        }
        found
    }

    /// What callers promise.
    pub fn contracts(&self) -> &[Contract] {
        &self.contracts
    }

    /// What calls that are seen give to ports under contract.
    pub fn handed(&self) -> &[Handed] {
        &self.handed
    }

    /// Whether it is what a contract says.
    pub fn is_promised(&self, variable: VariableId) -> bool {
        self.promised.binary_search_by_key(&variable.index(), |bound| bound.index()).is_ok()
    }
}
