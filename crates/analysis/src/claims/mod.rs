//! What can be said of every loop of a program, in words?
//!
//! Joins what recurrences tell of a loop (`evolution`) with what decides the
//! values that its formulas name: where a name is one number, the number takes
//! its place; where it is an input, the claim says which. Input: a module, what
//! library functions do, the world. Output: one [`LoopClaim`] for each natural
//! loop and each irreducible region, functions in module order, outer loops
//! before inner ones; tables of formulas are dropped function by function, so
//! that memory is that of the largest. Cost: that of the parts.
//!
//! | question | file |
//! |---|---|
//! | what is it called, and is it an input? | `names` |
//! | when is a loop entered, and what if it is not? | `entry` |
//! | how does a claim read? | `words` |

mod entry;
mod names;
mod unrolled;
mod vectors;
pub mod words;

use std::cell::RefCell;
use std::collections::BTreeSet;

use opcost_index::Id;
use opcost_ir::{Function, FunctionText, Module};
use opcost_key::{BlockId, FunctionId, PlaceId};

use crate::dependence::binding::ModuleMemory;
use crate::dependence::{Limits, Quality, Resolution, Resolver, Use};
use crate::evolution::{Assumption, FunctionEvolution, Part, Source, TripCount};
use crate::expression::{Domain, Facts, FormulaId, Formulas, Interval, NoNumber, Symbol, SymbolId};
use crate::memory::{Memory, MemoryVersions, Writers};
use opcost_graph::dominators::Dominators;
use opcost_graph::loops::{LoopForest, LoopId};

pub use entry::{EntryClaim, EntryKind};
pub use unrolled::Unrolled;
pub use vectors::Vectorised;

use names::{Decide, Decided, Wanted};
pub use names::{Named, Names};

/// An expression of so many letters can stand for a name.
const SHORT: usize = 32;

/// A name is worth less than an answer that was asked for.
const LIMITS: Limits = Limits { depth: 48, nodes: 128, steps: 1 << 12 };

/// How much is known of a loop's turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A number.
    Constant,
    /// Exact, over named inputs only.
    Inputs,
    /// Exact, over other values of the program, too.
    Formula,
    /// No more than this.
    Bound,
    /// Nothing.
    Unknown,
}

/// What is said of one loop: counts are those of one activation that leaves by
/// one of the loop's own exits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopClaim {
    /// The function.
    pub function: FunctionId,
    /// The header; of an irreducible region its first block.
    pub header: BlockId,
    /// Its label in the text of the module.
    pub label: String,
    /// Where it is written.
    pub place: Option<PlaceId>,
    /// 1 for an outermost loop.
    pub depth: u32,
    /// The header of the loop around it.
    pub parent: Option<BlockId>,
    /// How it is built, in words.
    pub form: String,
    /// When it is entered: the counts are those of a loop that is.
    pub entered: EntryClaim,
    /// How much is known.
    pub kind: Kind,
    /// Back edges as text, if they are exact.
    pub back_edges: Option<String>,
    /// Iterations of the body as text, if they are exact.
    pub body_iterations: Option<String>,
    /// Iterations of the body over all turns of the loops around it.
    pub total: Option<String>,
    /// The body runs no more often than this.
    pub bound: Option<String>,
    /// The named inputs in it: name and what is known of it.
    pub inputs: Vec<Named>,
    /// What it rests on.
    pub assumes: Vec<String>,
    /// Why it is not exact.
    pub reason: Option<String>,
    /// A vector body: the loop of the source that it is a part of.
    pub vectorised: Option<Vectorised>,
    /// An unrolled body: the loop of the source that it is a part of.
    pub unrolled: Option<Unrolled>,
    /// It does what the vector body or unrolled body with this header leaves.
    pub remainder_of: Option<BlockId>,
    /// What of it is a number, so that a run can be held against it.
    pub numbers: Numbers,
}

impl LoopClaim {
    /// A loop at the top of its function of which nothing is known but its form.
    fn unknown(
        function: FunctionId,
        header: BlockId,
        label: String,
        form: String,
        reason: Option<String>,
    ) -> LoopClaim {
        LoopClaim {
            function,
            header,
            label,
            place: None,
            depth: 1,
            parent: None,
            form,
            entered: EntryClaim::unknown(),
            kind: Kind::Unknown,
            back_edges: None,
            body_iterations: None,
            total: None,
            bound: None,
            inputs: Vec::new(),
            assumes: Vec::new(),
            reason,
            vectorised: None,
            unrolled: None,
            remainder_of: None,
            numbers: Numbers::default(),
        }
    }

    /// The same loop with no count of its own, and why.
    fn uncounted(self, reason: Option<String>) -> LoopClaim {
        let LoopClaim { function, header, label, place, depth, parent, form, entered, .. } = self;
        let LoopClaim { vectorised, unrolled, remainder_of, .. } = self;
        let unknown = LoopClaim::unknown(function, header, label, form, reason);
        LoopClaim { place, depth, parent, entered, vectorised, unrolled, remainder_of, ..unknown }
    }
}

/// Back edges as numbers, where the program alone decides them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Taken in one activation, exactly.
    pub exact: Option<i128>,
    /// No more than these are taken.
    pub bound: Option<i128>,
    /// Taken in all activations of one of the outermost loop around it.
    pub total: Option<i128>,
}

/// Numbers for names, as a user gives them.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// Name and number.
    pub given: Vec<(String, i128)>,
    /// Data that is read holds what it holds when the read fails, unless it is given.
    pub defaults: bool,
}

/// Claims about all loops, and the names that occur in them.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    /// Functions in module order, outer loops before inner ones.
    pub loops: Vec<LoopClaim>,
    /// Every name that a formula has, sorted.
    pub names: Vec<String>,
    /// Positions of bindings whose numbers nothing of the name can hold.
    pub too_wide: BTreeSet<usize>,
}

impl Claims {
    /// All claims about a program, its formulas evaluated where names are bound.
    pub fn compute(program: &Memory<'_>, bindings: &Bindings) -> Claims {
        Claims::of_functions(program, bindings, |_| true)
    }

    /// The claims about the loops of some functions of it.
    pub fn of_functions(
        program: &Memory<'_>,
        bindings: &Bindings,
        is_wanted: impl Fn(FunctionId) -> bool,
    ) -> Claims {
        let mut claims = Claims::default();
        let writers = Writers::compute(program);
        let memory = ModuleMemory::new(program, &writers);
        let resolver = Resolver::new(program.module, &memory).with_limits(LIMITS);
        let inputs: RefCell<BTreeSet<String>> = RefCell::default();
        let decide = |wanted| {
            let answer = match wanted {
                Wanted::Value(function, value) => {
                    Some(resolver.resolve(&Use { function, value, calls: &[] }))
                }
                Wanted::Behind(function, load, at) => resolver.resolve_behind(function, load, at),
            };
            let Some(answer) = answer else { return Decided::Open };
            let decided = decided(&answer, bindings);
            if !matches!(decided, Decided::Open) {
                inputs.borrow_mut().extend(answer.integer_inputs());
            }
            decided
        };
        let mut held = BTreeSet::new();
        for id in program.module.functions.ids().filter(|&id| is_wanted(id)) {
            if !program.module.functions[id].blocks.is_empty() {
                claims.add_function((program, &decide), id, bindings, &mut held);
            }
        }
        claims.too_wide.retain(|position| !held.contains(position));
        claims.names.extend(inputs.take());
        claims.names.sort();
        claims.names.dedup();
        claims
    }

    fn add_function(
        &mut self,
        (program, decide): (&Memory<'_>, Decide<'_>),
        id: FunctionId,
        bindings: &Bindings,
        held: &mut BTreeSet<usize>,
    ) {
        let function = &program.module.functions[id];
        let dominators = Dominators::compute(function, BlockId::new(0));
        let forest = LoopForest::compute(function, &dominators);
        if forest.loops.is_empty() && forest.irreducible.is_empty() {
            return;
        }
        let text = FunctionText::new(program.module, function);
        if !forest.loops.is_empty() {
            let versions = MemoryVersions::compute(program, id, &dominators);
            let mut formulas = Formulas::new();
            let source = Source {
                module: program.module,
                function,
                dominators: &dominators,
                forest: &forest,
                layout: program.layout,
                cells: &versions,
            };
            let mut evolution = FunctionEvolution::compute(source, &mut formulas);
            let names = Names::new((program, decide), id, &forest, &versions, &text);
            let mut teller = Teller {
                program,
                id,
                forest: &forest,
                text: &text,
                names,
                formulas,
                bindings,
                held: BTreeSet::new(),
                too_wide: BTreeSet::new(),
            };
            let pairs = unrolled::pairs(program.module, function, &forest);
            for natural in forest.loops.ids() {
                let trips = evolution.trip_count(natural).clone();
                let facts = teller.around(natural, &evolution);
                let mut claim = teller.claim(natural, &trips, &facts);
                claim.vectorised = teller.vectorised(&trips, &evolution, &facts);
                if let Some(pair) = pairs.iter().find(|pair| pair.body == natural) {
                    claim.unrolled = Some(teller.unrolled(pair, &evolution, &facts));
                }
                if let Some(pair) = pairs.iter().find(|pair| pair.remainder == natural) {
                    claim.remainder_of = Some(forest.loops[pair.body].header);
                }
                let broken = teller.broken_promise(natural, &trips, &mut evolution);
                self.loops.push(teller.as_entered(claim, &trips, broken));
            }
            self.names.extend(teller.names.used());
            held.extend(teller.held);
            self.too_wide.extend(teller.too_wide);
        }
        for part in &forest.irreducible {
            self.loops.push(irreducible(program.module, id, &forest, &text, part));
        }
    }
}

/// What an answer of the resolver means for a formula.
fn decided(answer: &Resolution<'_, '_>, bindings: &Bindings) -> Decided {
    if answer.quality() == Quality::Unknown {
        return Decided::Open;
    }
    if let Some(number) = answer.as_constant() {
        return Decided::Number(number);
    }
    if !bindings.given.is_empty() || bindings.defaults {
        let given = |name: &str| Some(bindings.given.iter().find(|(given, _)| given == name)?.1);
        if let Some(number) = answer.number_given(&given, bindings.defaults) {
            return Decided::Number(number);
        }
    }
    if !answer.is_closed() {
        return Decided::Open;
    }
    let (inputs, expression) = (answer.inputs(), answer.expression());
    if let [input] = &inputs[..] {
        let (called, about) = input.split_once(": ").unwrap_or((input, ""));
        if expression.terms.is_empty() && expression.text == called {
            return Decided::Input { called: Some(called.to_owned()), about: about.to_owned() };
        }
    }
    let is_short = expression.terms.is_empty() && expression.text.len() <= SHORT;
    let about = format!("{expression} (of {})", inputs.join("; "));
    Decided::Input { called: is_short.then_some(expression.text), about }
}

/// Tells of the loops of one function.
struct Teller<'a> {
    program: &'a Memory<'a>,
    id: FunctionId,
    forest: &'a LoopForest<BlockId>,
    text: &'a FunctionText<'a>,
    names: Names<'a>,
    formulas: Formulas,
    bindings: &'a Bindings,
    /// Positions of bindings whose numbers their names can hold.
    held: BTreeSet<usize>,
    /// Of those that one cannot.
    too_wide: BTreeSet<usize>,
}

impl Teller<'_> {
    /// The turns that the loops around have, where that rests on nothing more
    /// than what is said of this one.
    fn around(&mut self, id: LoopId, evolution: &FunctionEvolution<'_>) -> Facts {
        let mut facts = Facts::new();
        let own = &evolution.trip_count(id).assumptions;
        let mut outer = self.forest.loops[id].parent;
        while let Some(around) = outer {
            let trips = evolution.trip_count(around);
            let mut assumed = trips.assumptions.iter();
            let is_sure = assumed.all(|given| own.contains(given) || self.is_given(given));
            if let (true, Some(most)) = (is_sure, trips.back_edges.exact()) {
                let most = self.settled(most, &Facts::new());
                let turn = self.formulas.symbol(Symbol::Turn(around), Interval::NATURAL);
                let left = self.formulas.subtract(most, turn);
                facts.add(&mut self.formulas, left);
            }
            outer = self.forest.loops[around].parent;
        }
        facts
    }

    /// Whether the numbers that are known or bound make an assumption true.
    fn is_given(&mut self, assumption: &Assumption) -> bool {
        let Assumption::Condition(test, _) = assumption else { return false };
        let of = self.settled(test.of, &Facts::new());
        self.formulas.as_constant(of).is_some_and(|number| test.relation.holds(number))
    }

    fn claim(&mut self, id: LoopId, trips: &TripCount, facts: &Facts) -> LoopClaim {
        let function = &self.program.module.functions[self.id];
        let natural = &self.forest.loops[id];
        let body = trips.body_iterations.exact().map(|formula| self.settled(formula, facts));
        let back = trips.back_edges.exact().map(|formula| self.settled(formula, facts));
        let bound = match body {
            Some(_) => None,
            None => trips.body_iterations.formula().map(|formula| self.settled(formula, facts)),
        };
        let kind = match (body.or(back), bound) {
            (Some(formula), _) => self.kind(formula),
            (None, Some(_)) => Kind::Bound,
            (None, None) => Kind::Unknown,
        };
        let total = trips.total.map(|total| self.settled(total.body_iterations, facts));
        let numbers = self.numbers(trips, facts);
        let said = [body, back, bound, total];
        let inputs = self.inputs(said.iter().flatten().copied());
        let [body, back, bound, total] = said.map(|formula| formula.map(|formula| self.text(formula)));
        LoopClaim {
            function: self.id,
            header: natural.header,
            label: self.text.block(natural.header),
            place: place(function, self.forest, id),
            depth: natural.depth,
            parent: natural.parent.map(|parent| self.forest.loops[parent].header),
            form: words::form(trips),
            entered: self.entry(&trips.entered),
            kind,
            total: total.filter(|total| natural.depth > 1 && Some(total) != body.as_ref()),
            back_edges: back,
            body_iterations: body,
            bound,
            inputs,
            assumes: {
                let open = trips.assumptions.iter().filter(|assumption| !self.is_given(assumption));
                let open: Vec<Assumption> = open.copied().collect();
                words::assumptions(&open, &self.formulas, &self.names)
            },
            reason: trips.reason().map(|reason| self.reason(&reason)),
            vectorised: None,
            unrolled: None,
            remainder_of: match trips.part {
                Some(Part::Remainder { of }) => Some(self.forest.loops[of].header),
                _ => None,
            },
            numbers,
        }
    }

    fn numbers(&mut self, trips: &TripCount, facts: &Facts) -> Numbers {
        let mut number = |formula: Option<FormulaId>| {
            let settled = self.settled(formula?, facts);
            self.formulas.as_constant(settled)
        };
        Numbers {
            exact: number(trips.back_edges.exact()),
            bound: number(trips.back_edges.formula()),
            total: number(trips.total.map(|total| total.back_edges)),
        }
    }

    /// The formula with numbers in place of names that are known or bound, where
    /// the facts hold.
    fn settled(&mut self, formula: FormulaId, facts: &Facts) -> FormulaId {
        let mut settled = formula;
        for symbol in self.formulas.symbols_in(formula).to_vec() {
            let named = self.names.of(self.formulas.symbol_of(symbol));
            if let Some(value) = self.given(&named.name, symbol).or(named.value) {
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
    fn given(&mut self, name: &str, symbol: SymbolId) -> Option<i128> {
        let position = self.bindings.given.iter().position(|(given, _)| given == name)?;
        let value = self.bindings.given[position].1;
        let Some(domain) = Domain::of(self.formulas.symbol_range(symbol)) else { return Some(value) };
        let halves = [true, false].map(|signed| Domain { signed, ..domain }.interval());
        let fits = halves.iter().any(|half| (half.low..=half.high).contains(&value));
        let known = if fits { &mut self.held } else { &mut self.too_wide };
        known.insert(position);
        fits.then(|| domain.reduce(value))
    }

    fn kind(&mut self, formula: FormulaId) -> Kind {
        if self.formulas.as_constant(formula).is_some() {
            return Kind::Constant;
        }
        let symbols = self.formulas.symbols_in(formula).to_vec();
        let is_input = |symbol| {
            let symbol = self.formulas.symbol_of(symbol);
            // The turn of a loop around is decided by that loop.
            matches!(symbol, Symbol::Turn(_) | Symbol::Index(_)) || self.names.of(symbol).is_input
        };
        if symbols.into_iter().all(is_input) { Kind::Inputs } else { Kind::Formula }
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

    fn text(&self, formula: FormulaId) -> String {
        self.formulas.text(formula, &|symbol| self.names.of(symbol).name)
    }
}

/// Where a loop is written: its first place in the order of the source among
/// what its header does; at the branch back where the header says nothing.
fn place(function: &Function, forest: &LoopForest<BlockId>, id: LoopId) -> Option<PlaceId> {
    let natural = &forest.loops[id];
    let latches = natural.back_edges.iter().map(|edge| edge.from);
    let terminators = latches.chain([natural.header]).map(|block| function.terminator_of(block));
    let said = |at| function.instructions[at].place;
    terminators.filter_map(said).next().or_else(|| function.instructions_of(natural.header).find_map(said))
}

fn irreducible(
    module: &Module,
    id: FunctionId,
    forest: &LoopForest<BlockId>,
    text: &FunctionText<'_>,
    part: &[BlockId],
) -> LoopClaim {
    let function = &module.functions[id];
    let header = part[0];
    let around = forest.innermost[header];
    let reason = format!(
        "a cycle of {} blocks that is entered at several: no block of it counts its turns",
        part.len()
    );
    LoopClaim {
        place: function.instructions_of(header).find_map(|at| function.instructions[at].place),
        depth: around.map_or(0, |around| forest.loops[around].depth) + 1,
        parent: around.map(|around| forest.loops[around].header),
        ..LoopClaim::unknown(id, header, text.block(header), "irreducible".to_owned(), Some(reason))
    }
}
