//! What is told of a loop from its counts?
//!
//! Formulas with numbers in place of the names that are known or given, simpler where
//! the turns of the loops around it are known; then as text. So too the condition
//! under which the loop is entered. Input: the counts of
//! `evolution`, names. Output: a [`LoopClaim`]. Cost: the nodes of the formulas.

use std::collections::BTreeSet;

use opcost_answer::loops::{AnswerKind, EntryAnswer, EntryKind, LoopAnswer, LoopFormulas, LoopNumbers};
use opcost_graph::loops::LoopId;

use crate::bindings::Bindings;
use crate::claim::{LoopClaim, number_of, source_line};
use crate::names::{Decide, Named, Names, Scope};
use crate::words;
use opcost_analysis::evolution::{Entered, FunctionEvolution, SplitPart, TripAssumption, TripCount};
use opcost_analysis::expression::{
    Domain, Facts, FormulaId, FormulaInterval, Formulas, NoNumber, Symbol, SymbolId, Test,
};

/// Describes the loops of one function.
pub(super) struct LoopDescriber<'a> {
    pub(super) scope: Scope<'a>,
    pub(super) names: Names<'a>,
    pub(super) formulas: Formulas,
    pub(super) bindings: &'a Bindings,
    /// Positions of bindings whose numbers their names can hold.
    pub(super) held: BTreeSet<usize>,
    /// Of those that one cannot.
    pub(super) too_wide: BTreeSet<usize>,
}

impl<'a> LoopDescriber<'a> {
    pub(super) fn new(
        scope: Scope<'a>,
        decide: Decide<'a>,
        formulas: Formulas,
        bindings: &'a Bindings,
    ) -> LoopDescriber<'a> {
        let names = Names::new(scope, decide);
        LoopDescriber { scope, names, formulas, bindings, held: BTreeSet::new(), too_wide: BTreeSet::new() }
    }
}

impl LoopDescriber<'_> {
    /// The iterations that the loops around have, where that rests on nothing more than what is
    /// said of this one.
    pub(super) fn around(&mut self, id: LoopId, evolution: &FunctionEvolution<'_>) -> Facts {
        let mut facts = Facts::new();
        let own = &evolution.trip_count(id).assumptions;
        let mut outer = self.scope.forest.loops[id].parent;
        while let Some(around) = outer {
            let trips = evolution.trip_count(around);
            let mut assumed = trips.assumptions.iter();
            let is_sure = assumed.all(|given| own.contains(given) || self.is_given(given));
            if let (true, Some(most)) = (is_sure, trips.back_edges.exact()) {
                let most = self.settled(most, &Facts::new());
                let turn = self.formulas.symbol(Symbol::Turn(around), FormulaInterval::NATURAL);
                let left = self.formulas.subtract(most, turn);
                facts.add(&mut self.formulas, left);
            }
            outer = self.scope.forest.loops[around].parent;
        }
        facts
    }

    /// Whether the numbers that are known or bound make an assumption true.
    fn is_given(&mut self, assumption: &TripAssumption) -> bool {
        let TripAssumption::Condition(test, _) = assumption else { return false };
        let of = self.settled(test.of, &Facts::new());
        self.formulas.as_constant(of).is_some_and(|number| test.relation.holds(number))
    }

    pub(super) fn claim(&mut self, id: LoopId, trips: &TripCount, facts: &Facts) -> LoopClaim {
        let natural = &self.scope.forest.loops[id];
        let body = trips.body_iterations.exact().map(|formula| self.settled(formula, facts));
        let back = trips.back_edges.exact().map(|formula| self.settled(formula, facts));
        let bound = match body {
            Some(_) => None,
            None => trips.body_iterations.formula().map(|formula| self.settled(formula, facts)),
        };
        let kind = match (body.or(back), bound) {
            (Some(formula), _) => self.kind(formula),
            (None, Some(_)) => AnswerKind::Bound,
            (None, None) => AnswerKind::Unknown,
        };
        let total = trips.total.map(|total| self.settled(total.body_iterations, facts));
        let numbers = self.numbers(trips, facts);
        let said = [body, back, bound, total];
        let inputs = self.inputs(said.iter().flatten().copied());
        let kept = said.map(|formula| formula.map(|formula| self.quoted_text(formula)));
        let [body, back, bound, total] = said.map(|formula| formula.map(|formula| self.text(formula)));
        let total = total.filter(|total| natural.depth > 1 && Some(total) != body.as_ref());
        let open = trips.assumptions.iter().filter(|assumption| !self.is_given(assumption));
        let open: Vec<TripAssumption> = open.copied().collect();
        let (entered_if, kept_entered) = self.entry_twice(&trips.entered);
        let written = {
            let [body_iterations, back_edges, bound, all] = kept;
            let rests = words::rests(&open, &self.formulas, &self.names);
            let total = all.filter(|_| total.is_some());
            LoopFormulas { back_edges, body_iterations, total, bound, entered: kept_entered, rests }
        };
        let module = self.scope.program.module;
        let label = self.scope.text.block(natural.header);
        let mut claim = LoopClaim::unknown(module, self.scope.id, natural.header, label);
        let header_of = |id: LoopId| number_of(self.scope.forest.loops[id].header);
        let (file, line) = source_line(module, self.scope.location(id));
        claim.answer = LoopAnswer {
            file,
            line,
            depth: natural.depth,
            parent: natural.parent.map(header_of),
            form: words::form(trips),
            entered_if,
            kind,
            total,
            back_edges: back,
            body_iterations: body,
            bound,
            inputs: inputs.iter().map(words::input).collect(),
            assumes: words::assumptions(&open, &self.formulas, &self.names),
            reason: trips.reason().map(|reason| words::reason(&reason, &self.names, self.scope.text)),
            remainder_of: match trips.part {
                Some(SplitPart::Remainder { of }) => Some(header_of(of)),
                _ => None,
            },
            ..claim.answer
        };
        LoopClaim { numbers, written, ..claim }
    }

    fn numbers(&mut self, trips: &TripCount, facts: &Facts) -> LoopNumbers {
        let mut number = |formula: Option<FormulaId>| {
            let settled = self.settled(formula?, facts);
            self.formulas.as_constant(settled)
        };
        LoopNumbers {
            exact: number(trips.back_edges.exact()),
            bound: number(trips.back_edges.formula()),
            total: number(trips.total.map(|total| total.back_edges)),
        }
    }

    /// The formula with numbers in place of names that are known or bound, where
    /// the facts hold.
    pub(super) fn settled(&mut self, formula: FormulaId, facts: &Facts) -> FormulaId {
        let mut settled = formula;
        for symbol in self.formulas.symbols_in(formula).to_vec() {
            let named = self.names.of(self.formulas.symbol_of(symbol));
            if let Some(value) = self.given(&named, symbol).or(named.value) {
                let value = self.formulas.constant(value);
                settled = self.formulas.replace(settled, symbol, value);
            }
        }
        let simple = self.formulas.assuming(settled, facts);
        if !self.formulas.is_too_big(simple) {
            settled = simple;
        }
        // Sums without closed form are added up where all of them is known.
        match self.formulas.evaluate(settled, &|_| None) {
            Ok(number) => self.formulas.constant(number),
            Err(NoNumber::Unbound(_) | NoNumber::TooBig | NoNumber::DivisionByZero | NoNumber::TooLong) => {
                settled
            }
        }
    }

    /// The number that a user gave, as a symbol of its width is read; none that
    /// it cannot hold.
    fn given(&mut self, named: &Named, symbol: SymbolId) -> Option<i128> {
        let position = self.bindings.given.iter().position(|(given, _)| *given == named.name);
        let value = match position {
            Some(position) => self.bindings.given[position].1,
            None => self.bindings.word(named.word.as_ref()?)?,
        };
        let Some(domain) = Domain::of(self.formulas.symbol_range(symbol)) else { return Some(value) };
        let halves = [true, false].map(|signed| Domain { signed, ..domain }.interval());
        let fits = halves.iter().any(|half| (half.low..=half.high).contains(&value));
        let known = if fits { &mut self.held } else { &mut self.too_wide };
        known.extend(position);
        fits.then(|| domain.reduce(value))
    }

    fn kind(&mut self, formula: FormulaId) -> AnswerKind {
        if self.formulas.as_constant(formula).is_some() {
            return AnswerKind::Constant;
        }
        let symbols = self.formulas.symbols_in(formula).to_vec();
        let is_input = |symbol| {
            let symbol = self.formulas.symbol_of(symbol);
            // The turn of a loop around is decided by that loop.
            matches!(symbol, Symbol::Turn(_) | Symbol::Index(_)) || self.names.of(symbol).is_input
        };
        if symbols.into_iter().all(is_input) { AnswerKind::Inputs } else { AnswerKind::Formula }
    }

    fn inputs(&mut self, formulas: impl Iterator<Item = FormulaId>) -> Vec<Named> {
        let mut inputs: Vec<Named> = Vec::new();
        for formula in formulas {
            for &symbol in self.formulas.symbols_in(formula) {
                let named = self.names.of(self.formulas.symbol_of(symbol));
                if named.is_input && !inputs.contains(&named) {
                    inputs.push(named);
                }
            }
        }
        inputs
    }

    pub(super) fn text(&self, formula: FormulaId) -> String {
        self.formulas.text(formula, &|symbol| self.names.of(symbol).name)
    }

    /// A formula whose names are quoted.
    fn quoted_text(&self, formula: FormulaId) -> String {
        self.formulas.text_within(formula, &|symbol| words::quoted(&self.names, symbol), words::KEPT)
    }

    /// The condition with the numbers that are known or given put in.
    pub(super) fn entry(&mut self, entered: &Entered) -> EntryAnswer {
        self.entry_twice(entered).0
    }

    /// The same, and the condition with quoted names.
    fn entry_twice(&mut self, entered: &Entered) -> (EntryAnswer, Option<String>) {
        let settled = entered.decided(&mut |test| {
            let of = self.settled(test.of, &Facts::new());
            let test = Test { of, ..test };
            let range = self.formulas.range(of);
            test.relation.decide(range).ok_or(test)
        });
        let (necessary, is_whole) = settled.necessary();
        let kind = match (&necessary, is_whole) {
            (Entered::Never, _) => EntryKind::Never,
            (Entered::Always, true) => EntryKind::Always,
            (Entered::Always, false) => EntryKind::Unknown,
            (_, true) => EntryKind::If,
            (_, false) => EntryKind::OnlyIf,
        };
        let is_told = matches!(kind, EntryKind::If | EntryKind::OnlyIf);
        let told = |test| self.formulas.test_text(test, &|symbol| self.names.of(symbol).name);
        let quoted = |symbol: &Symbol| words::quoted(&self.names, symbol);
        let kept = |test| self.formulas.test_text_within(test, &quoted, words::KEPT);
        let text = |said: &dyn Fn(Test) -> String| is_told.then(|| condition_text(&necessary, said));
        (EntryAnswer { kind, condition: text(&told) }, text(&kept))
    }
}

/// The condition of tests that read as `said` has it.
fn condition_text(entered: &Entered, said: &dyn Fn(Test) -> String) -> String {
    let (parts, word) = match entered {
        Entered::If(test) => return said(*test),
        Entered::All(parts) => (parts, " && "),
        Entered::Any(parts) => (parts, " || "),
        Entered::Always | Entered::Unknown => return "true".to_owned(),
        Entered::Never => return "false".to_owned(),
    };
    let part = |part: &Entered| match part {
        Entered::All(_) | Entered::Any(_) => format!("({})", condition_text(part, said)),
        other => condition_text(other, said),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(word)
}
