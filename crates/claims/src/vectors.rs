//! How often does the loop of the source run that the vectoriser split in two?
//!
//! A body that takes so many turns at once (`lanes`), and a remainder for what
//! is left. Where the vector body always runs, the source's turns are
//! `lanes · body + remainder`. Else the remainder begins at one of two places,
//! its own start or the end of the vector body, by a test of the trip count:
//! were the vector body passed by, the remainder would be the whole loop of the
//! source, so its formula on that side of the test is the answer. That holds by
//! what the vectoriser does, which its mark on both loops says.
//!
//! Input: both counts. Output: a formula; none where a count is not exact, the
//! remainder is a vector body again, or the side cannot be told. Cost: the
//! nodes of the remainder's formula.

use crate::claim::number_of;
use crate::describer::LoopDescriber;
use opcost_analysis::evolution::{Entered, FunctionEvolution, SplitPart, TripCount};
use opcost_analysis::expression::{Domain, Facts, FormulaId, FormulaNode, Formulas, Test};
use opcost_answer::loops::{EntryKind, VectorisedAnswer};

impl LoopDescriber<'_> {
    /// What a vector body is a part of.
    pub(super) fn vectorised(
        &mut self,
        trips: &TripCount,
        evolution: &FunctionEvolution,
        facts: &Facts,
    ) -> Option<VectorisedAnswer> {
        let Some(SplitPart::VectorBody { lanes: lanes @ 1.., remainder }) = trips.part else { return None };
        let rest = remainder.map(|remainder| evolution.trip_count(remainder));
        let source = self.source_iterations(lanes, trips, rest);
        let mut source = source.map(|source| self.settled(source, facts));
        // The source's loop is entered where one of its parts is.
        let entered = trips.entered.clone().or(rest.map_or(Entered::Never, |rest| rest.entered.clone()));
        let entered_if = self.entry(&entered);
        if entered_if.kind == EntryKind::Never {
            source = source.map(|_| self.formulas.constant(0));
        }
        Some(VectorisedAnswer {
            lanes,
            remainder: remainder.map(|remainder| number_of(self.scope.forest.loops[remainder].header)),
            source_iterations: source.map(|source| self.text(source)),
            entered_if,
        })
    }

    fn source_iterations(
        &mut self,
        lanes: u64,
        body: &TripCount,
        rest: Option<&TripCount>,
    ) -> Option<FormulaId> {
        let body = body.body_iterations.exact()?;
        let whole = self.formulas.scale(body, i128::from(lanes));
        let Some(rest) = rest else { return Some(whole) };
        if matches!(rest.part, Some(SplitPart::VectorBody { .. })) {
            return None;
        }
        let rest = rest.body_iterations.exact()?;
        let Some(test) = choice_in(&self.formulas, rest) else {
            return Some(self.formulas.add(whole, rest));
        };
        let sides = [test, test.inverse()].map(|holds| self.formulas.where_holds(rest, holds));
        let behind = sides.map(|side| is_behind(&self.formulas, side, lanes));
        match behind {
            [true, false] => Some(sides[1]),
            [false, true] => Some(sides[0]),
            _ => None,
        }
    }
}

/// The test of a choice in a formula.
fn choice_in(formulas: &Formulas, of: FormulaId) -> Option<Test> {
    let mut work = vec![of];
    while let Some(id) = work.pop() {
        match formulas.node(id) {
            FormulaNode::Select { test, .. } => return Some(*test),
            node => work.extend(parts_of(node)),
        }
    }
    None
}

/// Whether a formula begins where a body of so many lanes ends: it has what is
/// a multiple of them, or what they leave.
fn is_behind(formulas: &Formulas, of: FormulaId, lanes: u64) -> bool {
    let lanes = i128::from(lanes);
    let is_lanes = |id: FormulaId| formulas.as_constant(id).is_some_and(|by| by % lanes == 0 && by != 0);
    let mut work = vec![of];
    while let Some(id) = work.pop() {
        match formulas.node(id) {
            FormulaNode::Divide { by, .. } | FormulaNode::Modulo { by, .. } if is_lanes(*by) => return true,
            FormulaNode::Wrap { domain: Domain { bits: bits @ ..64, signed: false }, .. }
                if 1 << bits == lanes =>
            {
                return true;
            }
            node => work.extend(parts_of(node)),
        }
    }
    false
}

fn parts_of(node: &FormulaNode) -> Vec<FormulaId> {
    match node {
        FormulaNode::Sum { terms, .. } => terms.iter().map(|&(term, _)| term).collect(),
        FormulaNode::Product(list) | FormulaNode::Least(list) | FormulaNode::Greatest(list) => list.to_vec(),
        FormulaNode::Divide { of, by, .. } | FormulaNode::Modulo { of, by } => vec![*of, *by],
        FormulaNode::Wrap { of, .. } => vec![*of],
        _ => Vec::new(),
    }
}
