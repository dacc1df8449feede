//! Does every loop go round as often as it was told?
//!
//! Random loops are analysed once and run with many inputs; 8-bit parameters are
//! tried out. Every exact claim must be what each complete activation did, every
//! bound must not be below it, partial activations must not be above. No loop is
//! entered that was told not to be, and each that was told to be is. A claim is
//! left out where a condition that it lists does not hold, and only there: a run
//! that uses poison ends, so that a broken promise excuses nothing before.
//!
//! `PROPTEST_CASES=5000 cargo test -p opcost-analysis --test evolution` goes on
//! for longer.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::cells::LocalCells;
use opcost_analysis::evolution::{
    Entered, Form, FunctionEvolution, Source, TripAnswer, TripAssumption, TripCount,
};
use opcost_analysis::expression::{FormulaId, Formulas, NoNumber, Symbol, Test};
use opcost_graph::dominators::Dominators;
use opcost_graph::loops::LoopForest;
use opcost_index::Id;
use opcost_ir::{Layout, Module, Value};
use opcost_key::{BlockId, FunctionId};
use opcost_testkit::{
    Activation, Case, Ended, InterpretedRun, Interpreter, LoopEnd, LoopShape, Scalar, all_inputs,
    function_named, random_loops,
};

/// Claims about the loops of a case.
struct Claims {
    table: Formulas,
    counts: Vec<TripCount>,
    shapes: Vec<LoopShape>,
    /// Values that formulas speak of.
    watched: Vec<Value>,
    /// Loop number → position among the shapes.
    headers_exit: Vec<bool>,
}

fn claims(module: &Module, id: FunctionId) -> Claims {
    let function = &module.functions[id];
    let dominators = Dominators::compute(function, BlockId::new(0));
    let forest = LoopForest::compute(function, &dominators);
    let layout = Layout::of(module);
    let cells = LocalCells::new(module, function);
    let source =
        Source { module, function, dominators: &dominators, forest: &forest, layout: &layout, cells: &cells };
    let mut table = Formulas::new();
    let solved = FunctionEvolution::compute(source, &mut table);
    let counts: Vec<TripCount> = solved.trip_counts().map(|(_, count)| count.clone()).collect();
    let mut watched = BTreeSet::new();
    for formula in counts.iter().flat_map(formulas) {
        for &symbol in table.symbols_in(formula) {
            if let Symbol::Result(at) | Symbol::AtEntry(at) = table.symbol_of(symbol) {
                watched.insert(*at);
            }
        }
    }
    let watched: Vec<Value> = watched.into_iter().map(Value::Instruction).collect();
    let shape = |natural: &opcost_graph::loops::Loop<BlockId>| LoopShape {
        function: id,
        header: natural.header,
        members: natural.members.clone(),
        watched: watched.clone(),
    };
    let headers_exit =
        forest.loops.values().map(|l| l.exits.iter().any(|exit| exit.from == l.header)).collect();
    Claims { shapes: forest.loops.values().map(shape).collect(), table, counts, watched, headers_exit }
}

/// All formulas of a claim.
fn formulas(count: &TripCount) -> Vec<FormulaId> {
    let mut all: Vec<FormulaId> =
        [&count.back_edges, &count.body_iterations].into_iter().filter_map(TripAnswer::formula).collect();
    all.extend(count.entered.formulas());
    all.extend(count.total.iter().flat_map(|total| [total.back_edges, total.body_iterations]));
    all.extend(count.assumptions.iter().filter_map(|assumption| match assumption {
        TripAssumption::Condition(test, _) => Some(test.of),
        _ => None,
    }));
    all
}

/// A number as the analysis reads it: integers with sign, truth values without.
fn number(value: &Scalar) -> Option<i128> {
    match value {
        Scalar::Integer { bits, width: 1 } => Some(*bits as i128),
        other => other.signed(),
    }
}

impl Claims {
    /// What a symbol is in an activation.
    fn binding<'a>(
        &'a self,
        input: &'a [Scalar],
        activation: &'a Activation,
    ) -> impl Fn(&Symbol) -> Option<i128> + 'a {
        move |symbol| match symbol {
            Symbol::Argument(position) => number(input.get(*position as usize)?),
            Symbol::Result(id) | Symbol::AtEntry(id) => {
                let position = self.watched.binary_search_by_key(&id, |value| match value {
                    Value::Instruction(id) => id,
                    _ => unreachable!("only results are watched"),
                });
                number(activation.watched.first()?.get(position.ok()?)?.as_ref()?)
            }
            Symbol::Turn(id) => {
                let turn = activation.outer_back_edges.iter().find(|&&(shape, _)| shape == id.index());
                turn.map(|&(_, turn)| i128::from(turn))
            }
            _ => None,
        }
    }

    /// When the loop is entered, for what is known by these symbols.
    fn entered(&self, count: &TripCount, binding: &dyn Fn(&Symbol) -> Option<i128>) -> Entered {
        count.entered.decided(&mut |test: Test| self.table.evaluate_test(test, binding).map_err(|_| test))
    }

    /// Whether what the claim assumes holds in this activation.
    fn assumes_rightly(&self, count: &TripCount, input: &[Scalar], activation: &Activation) -> bool {
        count.assumptions.iter().all(|assumption| match assumption {
            TripAssumption::Condition(test, _) => {
                self.table.evaluate_test(*test, &self.binding(input, activation)) == Ok(true)
            }
            TripAssumption::NotLeftBy(edge) => {
                activation.end != (LoopEnd::Exit { from: edge.from, to: edge.to }) && activation.is_complete()
            }
            _ => true,
        })
    }
}

/// What came of the claims.
#[derive(Default, Debug)]
struct Tally {
    loops: u32,
    unread: u64,
    exact: u32,
    exact_without_conditions: u32,
    bound: u32,
    unknown: u32,
    totals: u32,
    checked: u64,
    unbound: u64,
    conditional: u64,
    /// Activations that were told to be, and loops that were told not to be entered.
    entries: u64,
    not_entered: u64,
    reasons: BTreeMap<String, u32>,
}

impl Tally {
    fn note(&mut self, count: &TripCount) {
        self.loops += 1;
        self.totals += u32::from(count.total.is_some());
        match &count.back_edges {
            TripAnswer::Exact(_) => {
                self.exact += 1;
                let is_plain = |one: &TripAssumption| !matches!(one, TripAssumption::Condition(..));
                self.exact_without_conditions += u32::from(count.assumptions.iter().all(is_plain));
            }
            TripAnswer::Bound(_) => self.bound += 1,
            TripAnswer::Unknown(reason) => {
                self.unknown += 1;
                let word = format!("{reason:?}");
                let word = word.split(['(', ' ', '{']).next().unwrap_or_default().to_owned();
                *self.reasons.entry(word).or_default() += 1;
            }
        }
    }
}

struct Referee<'a> {
    case: &'a Case,
    claims: &'a Claims,
    input: &'a [Scalar],
    run: &'a InterpretedRun,
    tally: &'a mut Tally,
}

impl Referee<'_> {
    fn wrong(&self, activation: &Activation, what: &str, claimed: i128, seen: i128) -> ! {
        let count = &self.claims.counts[activation.shape];
        let function_text = |symbol: &Symbol| format!("{symbol:?}");
        let formula = formulas(count)[0];
        panic!(
            "seed {}: {} at {}: claimed {what} {claimed}, seen {seen}, input {:?}\n{:?}\n{:?}\n{}\n{}",
            self.case.seed,
            activation.shape,
            count.header,
            self.input,
            count,
            activation,
            self.claims.table.text(formula, &function_text),
            self.case.text
        );
    }

    fn look(&mut self) {
        let run = self.run;
        for (position, activation) in run.activations.iter().enumerate() {
            // Only of the first call: others have other arguments.
            if activation.frame.index() != 0 {
                continue;
            }
            let count = &self.claims.counts[activation.shape];
            let entered = self.claims.entered(count, &self.claims.binding(self.input, activation));
            if entered == Entered::Never {
                self.wrong(activation, "no entry", 0, 1);
            }
            self.tally.entries += u64::from(entered == Entered::Always);
            let Some(formula) = count.back_edges.formula() else { continue };
            if !self.claims.assumes_rightly(count, self.input, activation) {
                self.tally.conditional += 1;
                continue;
            }
            let promises = count.assumptions.iter().any(|one| matches!(one, TripAssumption::Promise(..)));
            let broke = matches!(run.ended, Ended::PoisonUsed { .. });
            if !activation.is_complete() && promises && broke {
                continue;
            }
            let number =
                |formula| self.claims.table.evaluate(formula, &self.claims.binding(self.input, activation));
            let seen = i128::from(activation.back_edges);
            match number(formula) {
                Ok(claimed) => {
                    let is_exact = count.back_edges.exact().is_some() && activation.is_complete();
                    let is_right = if is_exact { claimed == seen } else { claimed >= seen };
                    if !is_right {
                        self.wrong(activation, "back edges", claimed, seen);
                    }
                    self.tally.checked += 1;
                }
                Err(NoNumber::Unbound(_)) => self.tally.unbound += 1,
                Err(_) if activation.is_complete() => self.wrong(activation, "no number", -1, seen),
                Err(_) => {}
            }
            self.look_at_body(count, activation);
            self.look_at_total(count, activation, position);
        }
        self.look_at_missing();
    }

    /// A loop of the function that was not entered, though it was told that it is.
    fn look_at_missing(&mut self) {
        if !matches!(self.run.ended, Ended::Returned(_)) {
            return;
        }
        for (shape, count) in self.claims.counts.iter().enumerate() {
            let is_inner = (0..self.claims.shapes.len()).any(|outer| self.is_inside(shape, outer));
            let is_seen = self.run.activations.iter().any(|one| one.shape == shape && one.frame.index() == 0);
            if is_inner || is_seen {
                continue;
            }
            let binding = |symbol: &Symbol| match symbol {
                Symbol::Argument(position) => number(self.input.get(*position as usize)?),
                _ => None,
            };
            let entered = self.claims.entered(count, &binding);
            assert!(
                entered != Entered::Always,
                "seed {}: loop {shape} at {} is not entered with {:?}: {:?}\n{}",
                self.case.seed,
                count.header,
                self.input,
                count.entered,
                self.case.text
            );
            self.tally.not_entered += u64::from(entered == Entered::Never);
        }
    }

    fn look_at_body(&mut self, count: &TripCount, activation: &Activation) {
        let (TripAnswer::Exact(formula), LoopEnd::Exit { from, .. }) =
            (&count.body_iterations, activation.end)
        else {
            return;
        };
        let is_clear = count.form != Form::TopTested || self.claims.headers_exit[activation.shape];
        if !is_clear {
            return;
        }
        let left_at_top = count.form == Form::TopTested && from == count.header;
        let seen = i128::from(activation.header_executions) - i128::from(left_at_top);
        let claimed = self.claims.table.evaluate(*formula, &self.claims.binding(self.input, activation));
        if let Ok(claimed) = claimed
            && claimed != seen
        {
            self.wrong(activation, "bodies", claimed, seen);
        }
    }

    /// The sum over one activation of the outermost loop.
    fn look_at_total(&mut self, count: &TripCount, activation: &Activation, position: usize) {
        if activation.parent.is_some() || !activation.is_complete() {
            return;
        }
        let _ = count;
        let inside = |mut at: usize| loop {
            match self.run.activations[at].parent {
                Some(parent) => at = parent,
                None => return at == position,
            }
        };
        for (shape, inner) in self.claims.counts.iter().enumerate() {
            let Some(total) = inner.total else { continue };
            // What is assumed of exits is assumed of the whole nest.
            let is_left_otherwise = inner.assumptions.iter().any(|assumption| match assumption {
                TripAssumption::NotLeftBy(edge) => {
                    activation.end == (LoopEnd::Exit { from: edge.from, to: edge.to })
                }
                _ => false,
            });
            if is_left_otherwise {
                continue;
            }
            let all: Vec<&Activation> = (position..self.run.activations.len())
                .filter(|&at| self.run.activations[at].shape == shape && inside(at))
                .map(|at| &self.run.activations[at])
                .collect();
            let is_outermost = shape == activation.shape;
            if all.is_empty() && !is_outermost && !self.is_inside(shape, activation.shape) {
                continue;
            }
            if all
                .iter()
                .any(|one| !one.is_complete() || !self.claims.assumes_rightly(inner, self.input, one))
            {
                continue;
            }
            let seen: i128 = all.iter().map(|one| i128::from(one.back_edges)).sum();
            let claimed =
                self.claims.table.evaluate(total.back_edges, &self.claims.binding(self.input, activation));
            if let Ok(claimed) = claimed
                && claimed != seen
            {
                self.wrong(activation, &format!("total of {shape}"), claimed, seen);
            }
        }
    }

    fn is_inside(&self, inner: usize, outer: usize) -> bool {
        let shapes = &self.claims.shapes;
        inner != outer && shapes[outer].members.contains(&shapes[inner].header)
    }
}

fn judge(case: &Case, inputs: usize, steps: u64, tally: &mut Tally) {
    // A name that the grammar gives twice, seldom.
    let Ok(module) = case.module() else { return tally.unread += 1 };
    let id = function_named(&module, case.function).expect("the function to be run");
    let claims = claims(&module, id);
    claims.counts.iter().for_each(|count| tally.note(count));
    let interpreter = Interpreter::new(&module).with_loops(claims.shapes.clone()).with_step_limit(steps);
    for input in &all_inputs(&case.parameters, inputs) {
        let run = interpreter.run(id, input, &mut case.externals());
        Referee { case, claims: &claims, input, run: &run, tally }.look();
    }
}

fn number_from(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn random_loops_go_round_as_often_as_told() {
    let cases = number_from("PROPTEST_CASES", 250);
    let first = number_from("FIRST_SEED", 0);
    let inputs = number_from("INPUTS", 64) as usize;
    let mut tally = Tally::default();
    for seed in first..first + cases {
        let case = random_loops(seed);
        judge(&case, if case.parameters == [8] { 256 } else { inputs }, 6_000, &mut tally);
    }
    println!("{tally:#?}");
    assert!(tally.unread * 100 < cases, "texts are programs: {tally:?}");
    assert!(tally.checked > 20 * cases, "claims are checked: {tally:?}");
    // Many random loops have data-dependent exits, clobbered cells or odd
    // counters; of what is left the larger part must be exact.
    assert!(tally.exact * 100 > tally.loops * 30, "a fair share is exact: {tally:?}");
    assert!(tally.bound > 0 && tally.unknown > 0, "{tally:?}");
    assert!(tally.entries > 0 && tally.not_entered > 0, "{tally:?}");
}
