//! What does a loop do: counted by formulas, or iterated?
//!
//! A loop whose counts are exact, with all that it calls, is counted: no iteration is evaluated. What
//! it writes is forgotten then, and so are its values. So a short one that stores integers, or whose
//! numbers are used after it, is iterated all the same. A loop that formulas do not count is iterated
//! as long as its exits are decided; if one is not, or if it takes too long, that never happened, and
//! it is counted with guesses. Cost: for one that is counted its formulas, once for each set of
//! numbers; for one that is iterated its instructions.

use std::rc::Rc;

use num_traits::Zero;
use opcost_analysis::expression::Symbol;
use opcost_graph::loops::LoopId;
use opcost_index::Id;
use opcost_ir::{Opcode, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};
use rustc_hash::FxHashMap as HashMap;

use super::compute::Contents;
use super::content::{Byte, Content, InstanceId};
use super::facts::{holds_at, phis};
use super::follower::{Follower, TooMuch};
use super::frame::{Arrival, Departure, Frame, add_departure};
use super::log::{EnteredCall, Event, Weight};
use super::memory::Memory;
use super::summary::{Summary, SummaryKey};
use super::writes::target;
use crate::contexts::{Caller, Context};
use crate::entries::Entries;
use crate::evaluate::{Evaluator, LoopGrade};
use crate::fraction::{Fraction, to_f64};
use crate::model::{CellBase, CellSlot};
use crate::prediction::Class;

/// Units that a loop's evaluator looks at one iteration at a time.
const BUDGET: u64 = 20_000;
/// Instructions of a loop that is iterated though its counts are known.
const CHEAP: f64 = 20_000.0;
/// How often a loop is iterated in vain.
const MOST_FAILURES: u32 = 4;
/// Instructions that may be lost in vain, and do not count.
const SMALL_LOSS: i64 = 400;

/// A loop before it is decided what becomes of it.
struct Counted {
    summary: Rc<Summary>,
    /// Memory after it.
    memory: Memory,
    calls: Vec<CallWithin>,
    is_closed: bool,
}

/// A call in a loop, with what it is entered with.
struct CallWithin {
    position: usize,
    contexts: Vec<(Context, Fraction)>,
}

impl Follower<'_, '_> {
    pub(super) fn run_loop(
        &mut self,
        frame: &mut Frame,
        id: LoopId,
        arrival: Arrival,
    ) -> Result<Vec<Departure>, TooMuch> {
        if self.steps <= self.floor && self.log.is_open() {
            return Err(TooMuch);
        }
        self.steps -= 10;
        let function = &self.model.module.functions[frame.id];
        let header = frame.modelled.model.forest.loops[id].header;
        for (at, &content) in function.instructions_of(header).zip(&arrival.contents) {
            frame.entries.insert(at, content);
        }
        let counted = self.counted(frame, id, &arrival);
        let facts = frame.facts.clone();
        let is_short = counted.summary.is_exact && counted.summary.cost <= CHEAP;
        let is_wanted = !counted.is_closed || facts.loops[id].has_effects && is_short;
        let failures = self.failures.get(&(frame.id, id)).copied().unwrap_or(0);
        if is_wanted && failures < MOST_FAILURES && self.steps > self.floor {
            let allowance = if counted.is_closed { 4 * CHEAP as i64 } else { self.steps / 2 };
            let before = self.steps;
            if let Some(departures) = self.iterate(frame, id, arrival.clone(), allowance) {
                return Ok(departures);
            }
            if before - self.steps > SMALL_LOSS {
                *self.failures.entry((frame.id, id)).or_default() += 1;
            }
        }
        Ok(self.apply(frame, id, &arrival, counted))
    }

    /// All iterations, one by one; none if an exit is not decided, or if it takes too long.
    fn iterate(
        &mut self,
        frame: &mut Frame,
        id: LoopId,
        arrival: Arrival,
        allowance: i64,
    ) -> Option<Vec<Departure>> {
        let (mark, path) = (self.log.open(), frame.path.clone());
        let floor = self.floor;
        self.floor = floor.max(self.steps - allowance);
        let trips = frame.modelled.model.loops[id].back_edges.exact();
        let is_constant =
            trips.is_some_and(|trips| frame.modelled.model.formulas.as_constant(trips).is_some());
        frame.path.raise(if is_constant { Class::Constant } else { Class::Formula }, None);
        let departures = self.iterations(frame, id, arrival).unwrap_or(None);
        frame.path = path;
        frame.iterations[id] = None;
        self.floor = floor;
        self.log.close(mark, departures.is_some());
        if departures.is_some() {
            let grade = if is_constant { LoopGrade::Constant } else { LoopGrade::Formula };
            self.note(Event::Iterated { function: frame.id, id, grade });
        }
        departures
    }

    fn iterations(
        &mut self,
        frame: &mut Frame,
        id: LoopId,
        mut arrival: Arrival,
    ) -> Result<Option<Vec<Departure>>, TooMuch> {
        let mut exits: Vec<Departure> = Vec::new();
        for iteration in 0_i128.. {
            if self.steps <= self.floor {
                return Err(TooMuch);
            }
            frame.iterations[id] = Some(iteration);
            let leaving = self.region(frame, Some(id), arrival)?;
            let leaves = leaving.exits.iter().any(|one| !one.arrival.weight.own.is_zero());
            let model = self.model;
            leaving.exits.into_iter().for_each(|one| add_departure(model, &mut exits, one));
            match leaving.back {
                Some(back) if !back.weight.own.is_zero() => {
                    if leaves {
                        return Ok(None);
                    }
                    arrival = back;
                }
                _ => break,
            }
        }
        Ok(Some(exits))
    }

    fn counted(&mut self, frame: &Frame, id: LoopId, arrival: &Arrival) -> Counted {
        let facts = frame.facts.clone();
        let own = &facts.loops[id];
        let numbers: Vec<Option<i128>> =
            own.symbols.iter().map(|symbol| self.number_before(frame, symbol, id, arrival)).collect();
        let by_symbol: HashMap<Symbol, i128> = own
            .symbols
            .iter()
            .zip(&numbers)
            .filter(|(symbol, _)| !matches!(symbol, Symbol::Turn(_)))
            .filter_map(|(symbol, number)| Some((symbol.clone(), (*number)?)))
            .collect();
        let modelled = frame.modelled.clone();
        let mut evaluator =
            Evaluator::new(&modelled.model, &modelled.dependence, &by_symbol, BUDGET, self.belief);
        evaluator.iterations = frame.iterations.clone();
        let key = SummaryKey { function: frame.id, id, numbers };
        let summary = match self.summaries.get(&key) {
            Some(summary) => summary.clone(),
            None => {
                self.steps -= 100;
                let summary = Rc::new(self.summary(frame, id, &mut evaluator));
                self.summaries.insert(key, summary.clone());
                summary
            }
        };
        let mut memory = arrival.memory.clone();
        own.writes.iter().for_each(|&write| self.writes.blur(&mut memory, write));
        let mut calls = Vec::new();
        let mut is_closed = summary.is_exact;
        for &position in &own.calls {
            let call = &modelled.model.calls[position];
            if self.contexts.models[call.callee].is_none() {
                is_closed = false;
                continue;
            }
            self.steps -= 20;
            let given = self.given_within(frame, id, position, &memory);
            let caller = Caller { id: frame.id, model: &modelled.model, chain: &frame.chain };
            let contexts = self.contexts.of_call(&caller, call, &mut evaluator, &given);
            is_closed = is_closed && contexts.iter().all(|(context, _)| self.is_closed(call.callee, context));
            calls.push(CallWithin { position, contexts });
        }
        Counted { summary, memory, calls, is_closed }
    }

    /// What goes to a callee in a loop: nothing that the loop computes.
    fn given_within(
        &self,
        frame: &Frame,
        id: LoopId,
        position: usize,
        memory: &Memory,
    ) -> crate::contexts::Given {
        let call = &frame.modelled.model.calls[position];
        let function = &self.model.module.functions[frame.id];
        let mut given = self.given(frame, call.at, call.callee, memory);
        let varies = |argument: u32| match function.arguments_of(call.at).get(argument as usize) {
            Some(&Value::Instruction(at)) => {
                frame.modelled.model.forest.contains(id, function.block_of(at))
                    || !holds_at(&frame.facts, function.block_of(at), call.block)
            }
            _ => false,
        };
        given.arguments.retain(|&argument, _| !varies(argument));
        given.cells.retain(|slot, _| match slot.base {
            CellBase::Global(_) => true,
            CellBase::Argument(argument) => !varies(argument),
        });
        given
    }

    fn summary(&self, frame: &Frame, id: LoopId, evaluator: &mut Evaluator<'_>) -> Summary {
        let modelled = &frame.modelled;
        let function = &self.model.module.functions[frame.id];
        let counts = evaluator.activation_of(id);
        let members = modelled.dependence.members(Some(id)).to_vec();
        let grades = counts.grades.values().flatten();
        let is_exact = grades.into_iter().all(|grade| *grade <= LoopGrade::Formula)
            && counts.own.counts == counts.other.counts
            && counts.own.exits == counts.other.exits;
        let instructions = members.iter().map(|&block| function.instructions_of(block).len() as f64);
        let cost = instructions.zip(&counts.own.counts).map(|(length, count)| length * to_f64(count)).sum();
        Summary { id, members, counts, is_exact, cost }
    }

    /// Whether all counts of a function and of what it calls are exact in a context.
    fn is_closed(&mut self, id: FunctionId, context: &Context) -> bool {
        let key = (id, context.clone());
        if let Some(&answer) = self.closed.get(&key) {
            return answer;
        }
        let answer = self.is_closed_now(id, context);
        self.closed.insert(key, answer);
        answer
    }

    fn is_closed_now(&mut self, id: FunctionId, context: &Context) -> bool {
        let Some(modelled) = self.contexts.models[id].clone() else { return false };
        let model = &modelled.model;
        if self.contexts.cycle[id] || !self.model.is_final_body(id) || !model.forest.irreducible.is_empty() {
            return false;
        }
        self.steps -= 200;
        let numbers = self.contexts.numbers(id, context);
        let mut evaluator = Evaluator::new(model, &modelled.dependence, &numbers, BUDGET, self.belief);
        let counts = evaluator.counts();
        let is_exact = counts.decided.values().all(|&one| one)
            && counts.grades.values().flatten().all(|grade| *grade <= LoopGrade::Formula);
        if !is_exact {
            return false;
        }
        let given = self.contexts.passed_on(id, context);
        let caller = Caller { id, model, chain: &context.chain };
        for call in model.calls.iter().filter(|call| !counts.blocks[call.block].is_zero()) {
            let contexts = self.contexts.of_call(&caller, call, &mut evaluator, &given);
            if !contexts.iter().all(|(context, _)| self.is_closed(call.callee, context)) {
                return false;
            }
        }
        true
    }

    /// Counts a loop and goes on after it.
    fn apply(
        &mut self,
        frame: &mut Frame,
        id: LoopId,
        arrival: &Arrival,
        counted: Counted,
    ) -> Vec<Departure> {
        let Counted { summary, memory, calls, .. } = counted;
        let modelled = frame.modelled.clone();
        let model = &modelled.model;
        let entry = frame.path(&arrival.weight);
        for &position in &summary.counts.missing {
            self.note(Event::Missing { function: frame.id, position });
        }
        for CallWithin { position, contexts } in calls {
            let call = &model.calls[position];
            let Some(index) = super::log::position(&summary.members, call.block) else { continue };
            let counts = [&summary.counts.own.counts[index], &summary.counts.other.counts[index]];
            let weight = arrival.weight.times(counts[0], counts[1]);
            let path = summary.path_of(model, call.block, &entry);
            if weight.is_zero() {
                continue;
            }
            for (context, share) in contexts {
                let entries = Entries {
                    times: &weight.own * share,
                    class: path.class,
                    reason: path.reason.as_deref().map(str::to_owned),
                    is_exact: weight.is_exact() && path.class < Class::Run,
                };
                self.note(Event::Call(EnteredCall { callee: call.callee, context, entries }));
            }
        }
        self.note(Event::Loop { function: frame.id, summary: summary.clone(), path: entry });
        let function = &self.model.module.functions[frame.id];
        let members = &model.forest.loops[id].members;
        for at in members.iter().flat_map(|&block| function.instructions_of(block)) {
            frame.results[at] = Content::Unknown;
        }
        let mut departures: Vec<Departure> = Vec::new();
        let mut leave = |edge, weight: Weight| {
            if weight.is_zero() {
                return;
            }
            let view = self.view(frame);
            let contents = phis(function, edge).into_iter().map(|value| view.content(value)).collect();
            let arrival = Arrival { weight: Rc::new(weight), memory: memory.clone(), contents };
            add_departure(self.model, &mut departures, Departure { edge, arrival });
        };
        let none = Fraction::zero();
        for (edge, share) in &summary.counts.own.exits {
            leave(*edge, arrival.weight.times(share, &none));
        }
        for (edge, share) in &summary.counts.other.exits {
            leave(*edge, arrival.weight.times(&none, share));
        }
        departures
    }

    /// The number that a symbol is right before a loop, and stays in it.
    fn number_before(&self, frame: &Frame, symbol: &Symbol, id: LoopId, arrival: &Arrival) -> Option<i128> {
        let function = &self.model.module.functions[frame.id];
        let model = &frame.modelled.model;
        let header = model.forest.loops[id].header;
        let is_before =
            |block: BlockId| !model.forest.contains(id, block) && holds_at(&frame.facts, block, header);
        match symbol {
            Symbol::Turn(around) => {
                let is_inside = model.forest.chain(Some(*around)).any(|one| one == id);
                if is_inside { None } else { frame.iterations[*around] }
            }
            Symbol::AtEntry(phi) => {
                let block = function.block_of(*phi);
                let is_inner = block != header && model.forest.contains(id, block);
                let content = if is_inner { None } else { frame.entries.get(phi) };
                self.number(frame, Value::Instruction(*phi), content?)
            }
            Symbol::Argument(_) | Symbol::Result(_) | Symbol::Cell(_) => {
                let values = self.values_of(frame, symbol);
                let is_made = |value: &&Value| match **value {
                    Value::Instruction(at) => is_before(function.block_of(at)),
                    _ => true,
                };
                let known = |&value| self.number(frame, value, &self.view(frame).content(value));
                let before = values.iter().filter(is_made).find_map(known);
                // What the loop reads and leaves alone is what was there before it.
                let is_read = |at: &InstructionId| model.forest.contains(id, function.block_of(*at));
                let loads = values.iter().filter_map(|value| match *value {
                    Value::Instruction(at) if matches!(symbol, Symbol::Cell(_)) => Some(at),
                    _ => None,
                });
                before.or_else(|| {
                    { loads }.filter(is_read).find_map(|at| self.number_in_memory(frame, at, id, arrival))
                })
            }
            _ => None,
        }
    }

    /// What a load in a loop reads that the loop leaves alone.
    fn number_in_memory(
        &self,
        frame: &Frame,
        load: InstructionId,
        id: LoopId,
        arrival: &Arrival,
    ) -> Option<i128> {
        let function = &self.model.module.functions[frame.id];
        let model = &frame.modelled.model;
        let instruction = &function.instructions[load];
        if instruction.opcode != Opcode::Load {
            return None;
        }
        let open = model.symbols.values().find(|open| open.values.contains(&Value::Instruction(load)));
        let byte = match open.and_then(|open| open.slot) {
            Some(CellSlot { base: CellBase::Global(global), offset, .. }) => {
                Byte { instance: InstanceId::new(global.index()), offset }
            }
            Some(CellSlot { base: CellBase::Argument(position), offset, .. }) => {
                match frame.arguments.get(position as usize) {
                    Some(Content::Byte(base)) => Byte { offset: base.offset.checked_add(offset)?, ..*base },
                    _ => return None,
                }
            }
            None => {
                let address = function.operands_of(load)[0];
                let header = model.forest.loops[id].header;
                if let Value::Instruction(at) = address {
                    let block = function.block_of(at);
                    if model.forest.contains(id, block) || !holds_at(&frame.facts, block, header) {
                        return None;
                    }
                }
                match self.view(frame).content(address) {
                    Content::Byte(byte) => byte,
                    _ => return None,
                }
            }
        };
        let size = self.model.layout.size(instruction.ty)?;
        let object = arrival.memory.object(self.model, byte.instance)?;
        let there = target(object, byte.offset);
        if !frame.facts.loops[id].writes.iter().all(|&write| self.writes.misses(write, there, size)) {
            return None;
        }
        let content = arrival.memory.load(self.model, byte, instruction.ty);
        self.number(frame, Value::Instruction(load), &content)
    }
}
