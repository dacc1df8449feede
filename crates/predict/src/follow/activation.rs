//! What does an activation do, block by block?
//!
//! Its blocks run in the order of their region, each with what arrives there: how often, memory, and
//! what phis hold. Several arrivals are joined. A value has one content in an iteration, since it is
//! made once; so both sides of a branch that is not decided can use one frame. A branch whose operand
//! is not known may still be decided by the condition that claims have of it. Cost: the instructions.

use std::rc::Rc;

use num_traits::Zero;
use opcost_analysis::evolution::Entered;
use opcost_analysis::expression::{NoNumber, Symbol};
use opcost_analysis::memory::addresses::Offsets;
use opcost_analysis::memory::summaries::Span;
use opcost_graph::loops::LoopId;
use opcost_index::IdMap;
use opcost_ir::{Flags, Function, Opcode, Type, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};
use rustc_hash::FxHashMap as HashMap;

use super::compute::{Computing, Contents};
use super::content::Content;
use super::facts::{holds_at, phis};
use super::follower::{Follower, Made, TooMuch};
use super::frame::{Arrival, CallEnd, Departure, Frame, Leaving, Start, View, add_departure};
use super::log::Event;
use super::memory::{Memory, Rest};
use crate::fraction::{Fraction, whole};
use crate::model::EdgeModel;
use crate::region::Unit;

impl<'a> Follower<'_, 'a> {
    /// Follows one activation; none if it never returns.
    pub(super) fn activation(&mut self, start: Start, memory: Memory) -> Result<Option<Arrival>, TooMuch> {
        let Some(modelled) = self.contexts.models[start.id].clone() else { return Ok(None) };
        let facts = self.facts(start.id);
        self.note(Event::Entry { function: start.id, path: start.path.clone() });
        let instructions = self.model.module.functions[start.id].instructions.len();
        let arrival = Arrival { weight: start.path.weight.clone(), memory, contents: Vec::new() };
        let mut frame = Frame {
            id: start.id,
            iterations: IdMap::filled(modelled.model.loops.len(), None),
            modelled,
            facts,
            arguments: start.arguments,
            results: IdMap::filled(instructions, Content::Unknown),
            chain: start.chain,
            path: start.path,
            entries: HashMap::default(),
            locals: Vec::new(),
            returned: None,
        };
        self.region(&mut frame, None, arrival)?;
        let Frame { returned, locals, .. } = frame;
        Ok(returned.map(|mut returned| {
            locals.iter().for_each(|&local| returned.memory.remove(local));
            returned
        }))
    }

    pub(super) fn view<'v>(&self, frame: &'v Frame) -> View<'v>
    where
        'a: 'v,
    {
        let model = self.model;
        let function = &model.module.functions[frame.id];
        let is_rounded_to_nearest = self.is_rounded_to_nearest;
        View { computing: Computing { model, function, is_rounded_to_nearest }, frame }
    }

    /// One flow through a region.
    pub(super) fn region(
        &mut self,
        frame: &mut Frame,
        scope: Option<LoopId>,
        entry: Arrival,
    ) -> Result<Leaving, TooMuch> {
        let modelled = frame.modelled.clone();
        let model = self.model;
        let (forest, region) = (&modelled.model.forest, modelled.model.regions.region(scope));
        let mut pending: Vec<Option<Arrival>> = region.units.iter().map(|_| None).collect();
        if let Some(first) = pending.first_mut() {
            *first = Some(entry);
        }
        let mut leaving = Leaving::default();
        for (position, &unit) in region.units.iter().enumerate() {
            let Some(arrival) = pending[position].take() else { continue };
            let departures = match unit {
                Unit::Block(block) => self.block(frame, block, arrival)?,
                Unit::Loop(id) => self.run_loop(frame, id, arrival)?,
            };
            for Departure { edge, arrival } in departures {
                let slot = match scope {
                    Some(id) if forest.loops[id].header == edge.to => &mut leaving.back,
                    Some(id) if !forest.contains(id, edge.to) => {
                        add_departure(model, &mut leaving.exits, Departure { edge, arrival });
                        continue;
                    }
                    _ => match region.position.get(&edge.to) {
                        Some(&next) => &mut pending[next],
                        None => continue,
                    },
                };
                *slot = Some(match slot.take() {
                    Some(before) => before.join(model, arrival),
                    None => arrival,
                });
            }
        }
        Ok(leaving)
    }

    fn block(
        &mut self,
        frame: &mut Frame,
        block: BlockId,
        mut arrival: Arrival,
    ) -> Result<Vec<Departure>, TooMuch> {
        self.note(Event::Block { function: frame.id, block, path: frame.path(&arrival.weight) });
        self.log.settle(self.contexts);
        let function: &'a Function = &self.model.module.functions[frame.id];
        let mut contents = std::mem::take(&mut arrival.contents).into_iter();
        for at in function.instructions_of(block) {
            self.steps -= 1;
            let opcode = function.instructions[at].opcode;
            let content = match opcode {
                Opcode::Phi => contents.next().unwrap_or(Content::Unknown),
                Opcode::Load => self.load(frame, at, &arrival.memory),
                Opcode::Store => {
                    self.store(frame, at, &mut arrival.memory);
                    continue;
                }
                Opcode::Alloca => self.alloca(frame, at, &mut arrival.memory),
                Opcode::Fence | Opcode::AtomicRMW | Opcode::AtomicCmpXchg | Opcode::VAArg => {
                    self.blur(frame.id, at, &mut arrival.memory);
                    Content::Unknown
                }
                _ if opcode.is_terminator() => break,
                _ if opcode.is_call() => match self.call(frame, at, &mut arrival)? {
                    CallEnd::Returns(content) => content,
                    CallEnd::Never => return Ok(Vec::new()),
                },
                // Code generation makes a call of the program's own function of it.
                _ if self.model.externals.calls_by_name(function, at) => {
                    self.blur(frame.id, at, &mut arrival.memory);
                    Content::Unknown
                }
                _ => {
                    let view = self.view(frame);
                    view.computing.result(at, &view)
                }
            };
            frame.results[at] = content;
        }
        Ok(self.leave(frame, block, arrival))
    }

    /// Forgets what an instruction may write.
    pub(super) fn blur(&mut self, id: FunctionId, at: InstructionId, memory: &mut Memory) {
        for write in self.writes.of(id, at) {
            self.writes.blur(memory, write);
        }
    }

    fn alloca(&mut self, frame: &mut Frame, at: InstructionId, memory: &mut Memory) -> Content {
        let id = self.instance(memory, Made { function: frame.id, at }, Rest::Unknown);
        frame.locals.push(id);
        let function = &self.model.module.functions[frame.id];
        let stride = function.instructions[at].second_type.and_then(|ty| self.model.layout.stride(ty));
        let view = self.view(frame);
        let count = match function.operands_of(at) {
            [] => Some(1),
            [count, ..] => view.content(*count).word().and_then(|word| u64::try_from(word).ok()),
        };
        if let Some(size) = stride.zip(count).and_then(|(stride, count)| stride.checked_mul(count)) {
            memory.set_size(id, size);
        }
        Content::Byte(super::content::Byte { instance: id, offset: 0 })
    }

    fn load(&mut self, frame: &Frame, at: InstructionId, memory: &Memory) -> Content {
        let function = &self.model.module.functions[frame.id];
        let instruction = &function.instructions[at];
        if instruction.flags.has(Flags::VOLATILE) || instruction.flags.has(Flags::ATOMIC) {
            return Content::Unknown;
        }
        let pointer = self.view(frame).content(function.operands_of(at)[0]);
        let content = match pointer {
            Content::Byte(byte) => memory.load(self.model, byte, instruction.ty),
            _ => Content::Unknown,
        };
        match content {
            Content::Unknown if frame.facts.deciding.contains(at) && !frame.chain.is_empty() => {
                self.resolved(frame, at)
            }
            content => content,
        }
    }

    /// The number that a value is as it is resolved backwards.
    pub(super) fn resolved(&mut self, frame: &Frame, at: InstructionId) -> Content {
        let module = self.model.module;
        let ty = &module.types[module.functions[frame.id].instructions[at].ty];
        let &Type::Integer(bits @ 2..=64) = ty else { return Content::Unknown };
        match self.contexts.number_where_called(frame.id, Value::Instruction(at), &frame.chain) {
            Some(number) => Content::Word(number as u128 & (u128::MAX >> (128 - bits))),
            None => Content::Unknown,
        }
    }

    fn store(&mut self, frame: &Frame, at: InstructionId, memory: &mut Memory) {
        let model = self.model;
        let function = &model.module.functions[frame.id];
        let instruction = &function.instructions[at];
        let &[value, address] = function.operands_of(at) else { return };
        let view = self.view(frame);
        let is_plain = !instruction.flags.has(Flags::VOLATILE) && !instruction.flags.has(Flags::ATOMIC);
        let content = if is_plain { view.content(value) } else { Content::Unknown };
        match (view.content(address), instruction.second_type) {
            (Content::Byte(byte), Some(ty)) => memory.store(model, byte, ty, content),
            (Content::Within(instance), Some(ty)) => {
                let size = model.layout.size(ty).unwrap_or(u64::MAX);
                let object = memory.object(model, instance);
                let targets = model.addresses.targets(frame.id, address);
                let own: Vec<Offsets> = targets
                    .known
                    .iter()
                    .filter(|target| Some(target.object) == object)
                    .map(|target| target.offsets.without_end())
                    .collect();
                let all = if own.is_empty() || targets.is_unknown { vec![Offsets::ANY] } else { own };
                all.into_iter().for_each(|offsets| memory.blur(model, instance, Span { offsets, size }));
            }
            _ => self.blur(frame.id, at, memory),
        }
    }

    /// Where control goes at the end of a block.
    fn leave(&mut self, frame: &mut Frame, block: BlockId, arrival: Arrival) -> Vec<Departure> {
        let function: &'a Function = &self.model.module.functions[frame.id];
        let terminator = function.terminator_of(block);
        let operands = function.operands_of(terminator);
        let opcode = function.instructions[terminator].opcode;
        if opcode == Opcode::Ret {
            let view = self.view(frame);
            let contents = operands.iter().map(|&value| view.content(value)).collect();
            let arrival = Arrival { contents, ..arrival };
            frame.returned = Some(match frame.returned.take() {
                Some(before) => before.join(self.model, arrival),
                None => arrival,
            });
            return Vec::new();
        }
        let modelled = frame.modelled.clone();
        let edges = &modelled.model.edges[block];
        let condition = operands.first().map(|&value| self.view(frame).content(value));
        let taken = match (opcode, condition) {
            _ if edges.len() == 1 => Some(0),
            (Opcode::Br, Some(Content::Word(word))) => Some(usize::from(word == 0)),
            (Opcode::Switch, Some(Content::Word(word))) => {
                let view = self.view(frame);
                let cases = operands[2..].chunks_exact(2).map(|case| view.content(case[0]));
                let mut cases = cases.enumerate();
                Some(cases.find(|(_, case)| case.word() == Some(word)).map_or(0, |(slot, _)| slot + 1))
            }
            _ => None,
        };
        let shares = match taken {
            Some(slot) => {
                let share = |one: usize| if one == slot { whole(1) } else { whole(0) };
                (0..edges.len()).map(|one| [share(one), share(one)]).collect()
            }
            None => self.shares(frame, block, edges),
        };
        let mut departures: Vec<Departure> = Vec::new();
        for (edge, [own, other]) in edges.iter().zip(shares) {
            let weight = match (own == whole(1), other == whole(1)) {
                (true, true) => arrival.weight.clone(),
                _ => Rc::new(arrival.weight.times(&own, &other)),
            };
            if weight.is_zero() {
                continue;
            }
            let view = self.view(frame);
            let contents = phis(function, edge.edge).into_iter().map(|value| view.content(value)).collect();
            let same = departures.iter_mut().find(|one| one.edge.to == edge.edge.to);
            if let Some(Departure { arrival, .. }) = same {
                let contents: Vec<Content> = contents;
                arrival.weight = Rc::new(arrival.weight.plus(&weight));
                for (own, more) in arrival.contents.iter_mut().zip(contents) {
                    *own = own.join(more);
                }
                continue;
            }
            self.steps -= (arrival.memory.len() / 8) as i64;
            let memory = arrival.memory.clone();
            departures.push(Departure { edge: edge.edge, arrival: Arrival { weight, memory, contents } });
        }
        departures
    }

    /// The shares of edges of a branch whose operand is not known, by what is believed and by other
    /// probabilities.
    fn shares(&mut self, frame: &Frame, block: BlockId, edges: &[EdgeModel]) -> Vec<[Fraction; 2]> {
        let decided: Vec<Option<bool>> =
            edges.iter().map(|edge| self.decided(frame, block, &edge.taken)).collect();
        if let Some(taken) = decided.iter().position(|one| *one == Some(true)) {
            let share = |slot: usize| if slot == taken { whole(1) } else { whole(0) };
            return (0..edges.len()).map(|slot| [share(slot), share(slot)]).collect();
        }
        let left = || edges.iter().zip(&decided).filter(|(_, one)| one.is_none()).map(|(edge, _)| edge);
        let own: Fraction = left().map(|edge| &edge.prior).sum();
        let other: Fraction = left().map(|edge| &edge.other).sum();
        let equal = whole(left().count().max(1)).recip();
        let part = |share: &Fraction, total: &Fraction| {
            if total.is_zero() { equal.clone() } else { share / total }
        };
        let share = |(edge, one): (&EdgeModel, &Option<bool>)| match one {
            Some(_) => [whole(0), whole(0)],
            None => [part(&edge.prior, &own), part(&edge.other, &other)],
        };
        edges.iter().zip(&decided).map(share).collect()
    }

    /// Whether an edge is taken, by the condition that claims have of it.
    fn decided(&mut self, frame: &Frame, block: BlockId, taken: &Entered) -> Option<bool> {
        let formulas = &frame.modelled.model.formulas;
        let mut missing: Vec<Symbol> = Vec::new();
        let answer = match taken {
            Entered::Always | Entered::Never | Entered::Unknown => taken.clone(),
            _ => taken.decided(&mut |test| {
                let number = formulas.evaluate(test.of, &|symbol| self.number_at(frame, symbol, block));
                match number {
                    Ok(number) => Ok(test.relation.holds(number)),
                    Err(NoNumber::Unbound(symbol)) => {
                        missing.push(symbol);
                        Err(test)
                    }
                    Err(_) => Err(test),
                }
            }),
        };
        let answer = match answer {
            Entered::Always => Some(true),
            Entered::Never => Some(false),
            _ => None,
        };
        if answer.is_none() {
            let symbols = &frame.modelled.model.symbols;
            for (&position, open) in symbols.iter().filter(|(_, open)| missing.contains(&open.symbol)) {
                if open.is_input {
                    self.note(Event::Missing { function: frame.id, position });
                }
            }
        }
        answer
    }

    /// The number that a symbol is at the end of a block.
    pub(super) fn number_at(&self, frame: &Frame, symbol: &Symbol, block: BlockId) -> Option<i128> {
        let function = &self.model.module.functions[frame.id];
        match symbol {
            Symbol::Turn(id) => frame.iterations[*id],
            Symbol::AtEntry(phi) => self.number(frame, Value::Instruction(*phi), frame.entries.get(phi)?),
            Symbol::Argument(_) | Symbol::Result(_) | Symbol::Cell(_) => {
                let is_made = |value: &Value| match *value {
                    Value::Instruction(at) => holds_at(&frame.facts, function.block_of(at), block),
                    _ => true,
                };
                let mut made = self.values_of(frame, symbol).into_iter().filter(is_made);
                made.find_map(|value| self.number(frame, value, &self.view(frame).content(value)))
            }
            _ => None,
        }
    }

    /// The values of the code that a symbol is: all of them are the same.
    pub(super) fn values_of(&self, frame: &Frame, symbol: &Symbol) -> Vec<Value> {
        match symbol {
            Symbol::Argument(position) => vec![Value::Argument(*position)],
            Symbol::Result(at) => vec![Value::Instruction(*at)],
            _ => {
                let model = &frame.modelled.model;
                let open = model.position_of(symbol).map(|position| &model.symbols[&position]);
                open.map_or(Vec::new(), |open| open.values.clone())
            }
        }
    }

    /// A content as formulas mean it.
    pub(super) fn number(&self, frame: &Frame, value: Value, content: &Content) -> Option<i128> {
        let module = self.model.module;
        let ty = module.type_of(&module.functions[frame.id], value)?;
        content.number(&module.types[ty])
    }
}
