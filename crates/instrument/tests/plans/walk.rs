//! What would a planned program count, and what did it really do?
//!
//! Runs functions of a module at random, calls and all, and keeps two books.
//! The first is the truth: every instruction that started, every way taken.
//! The second is what the plan's edits count: counters, registers that are
//! unset until cleared, frames noted as left at call sites. It knows nothing
//! of segments or spanning trees. Calls of other modules may return, throw,
//! `longjmp` or end the program, as far as their marks allow.

use std::collections::{BTreeMap, HashMap};

use opcost_index::{Id, IdMap};
use opcost_ir::{Call, CalleeRef, Edit, Function, Linkage, Module, Opcode, Plan, RegisterId, TailKind};
use opcost_key::{BlockId, CallSiteId, FunctionId, InstructionId};

use crate::dice::{Dice, Outcome, TooLong};
use crate::edits::FunctionEdits;

/// A way from or to an instruction, however segments are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Way {
    Enter,
    Branch(BlockId, u32),
    Fall(InstructionId),
    Return(BlockId),
    Left(InstructionId),
    Again(InstructionId),
}

/// What happened in one function.
#[derive(Clone, Default)]
pub(crate) struct Truth {
    pub(crate) instructions: BTreeMap<InstructionId, u64>,
    pub(crate) ways: BTreeMap<Way, i64>,
    /// Units that instructions worked on.
    pub(crate) lengths: BTreeMap<InstructionId, u64>,
}

/// Both books.
pub(crate) struct Books {
    pub(crate) truth: IdMap<FunctionId, Truth>,
    pub(crate) counters: Vec<u64>,
    pub(crate) left: BTreeMap<CallSiteId, i64>,
}

const DEEPEST: usize = 40;

/// A program as it runs.
pub(crate) struct Walk<'a> {
    module: &'a Module,
    edits: IdMap<FunctionId, FunctionEdits<'a>>,
    sites: HashMap<(FunctionId, InstructionId), CallSiteId>,
    dice: Dice,
    depth: usize,
    frames: u64,
    pub(crate) books: Books,
}

/// One activation of a function.
struct Frame {
    function: FunctionId,
    number: u64,
    registers: HashMap<RegisterId, u64>,
    /// Of each induction variable how many steps it made since its loop was entered.
    steps: HashMap<InstructionId, u64>,
    /// The number of the path so far.
    path: Option<i64>,
    /// What was added for the length of an instruction that runs next.
    measured: Option<(InstructionId, u64)>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(module: &'a Module, plan: &'a Plan, seed: u64) -> Self {
        let mut edits = IdMap::filled(module.functions.len(), FunctionEdits::default());
        for (function, edit) in &plan.edits {
            edits[*function].add(&module.functions[*function], edit);
        }
        let sites = plan.call_sites.iter().map(|&(function, call, site)| ((function, call), site)).collect();
        let books = Books {
            truth: IdMap::filled(module.functions.len(), Truth::default()),
            counters: vec![0; plan.counter_count as usize],
            left: BTreeMap::new(),
        };
        Walk { module, edits, sites, dice: Dice::new(seed), depth: 0, frames: 0, books }
    }

    /// Calls the function once, from outside.
    pub(crate) fn start(&mut self, function: FunctionId) -> Result<(), TooLong> {
        self.dice.targets.clear();
        self.run(function).map(|_| ())
    }

    fn took(&mut self, function: FunctionId, way: Way) {
        *self.books.truth[function].ways.entry(way).or_default() += 1;
    }

    fn started(&mut self, function: FunctionId, instruction: InstructionId) {
        *self.books.truth[function].instructions.entry(instruction).or_default() += 1;
    }

    fn run(&mut self, id: FunctionId) -> Result<Outcome, TooLong> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(TooLong);
        }
        self.frames += 1;
        let mut frame = Frame {
            function: id,
            number: self.frames,
            registers: HashMap::new(),
            steps: HashMap::new(),
            path: None,
            measured: None,
        };
        self.took(id, Way::Enter);
        let mut at = InstructionId::new(0);
        let outcome = loop {
            match self.instruction(&mut frame, at)? {
                Next::At(next) => at = next,
                Next::Done(outcome) => break outcome,
            }
        };
        self.depth -= 1;
        self.dice.targets.retain(|(number, _)| *number != frame.number);
        Ok(outcome)
    }

    fn instruction(&mut self, frame: &mut Frame, at: InstructionId) -> Result<Next, TooLong> {
        self.dice.step()?;
        let module = self.module;
        let function = &module.functions[frame.function];
        for edit in self.edits[frame.function].before.get(&at).cloned().unwrap_or_default() {
            self.apply(frame, edit);
        }
        self.started(frame.function, at);
        if let Some((of, units)) = frame.measured.take() {
            assert_eq!(of, at, "the length of another instruction is added");
            *self.books.truth[frame.function].lengths.entry(at).or_default() += units;
        }
        if function.call(at).is_some() {
            return self.call(frame, at);
        }
        let block = function.block_of(at);
        if !function.instructions[at].opcode.is_terminator() {
            return Ok(Next::At(InstructionId::new(at.index() + 1)));
        }
        if function.blocks[block].successors.is_empty() {
            self.took(frame.function, Way::Return(block));
            let threw = function.instructions[at].opcode == Opcode::Resume;
            return Ok(Next::Done(if threw { Outcome::Threw } else { Outcome::Returned }));
        }
        let slot = self.dice.choose(function, block);
        Ok(Next::At(self.branch(frame, block, slot)))
    }

    fn branch(&mut self, frame: &mut Frame, block: BlockId, slot: u32) -> InstructionId {
        let module = self.module;
        let function = &module.functions[frame.function];
        let target = function.blocks[block].successors[slot as usize];
        let opcode = function.instructions[function.terminator_of(block)].opcode;
        let first = function.blocks[block].successors.iter().position(|&other| other == target);
        let known_slot = match opcode {
            // These have one edge to each target, whatever way it is taken.
            Opcode::IndirectBr | Opcode::CallBr => first.unwrap_or(0) as u32,
            _ => slot,
        };
        self.took(frame.function, Way::Branch(block, known_slot));
        let edits = &self.edits[frame.function];
        for (phi, (_, latch)) in edits.variables.iter().filter(|(_, (header, _))| *header == target) {
            let steps = frame.steps.entry(*phi).or_default();
            *steps = if *latch == block { *steps + 1 } else { 0 };
        }
        match edits.on_edge.get(&(block, slot)).cloned() {
            Some(on_edge) => on_edge.into_iter().for_each(|edit| self.apply(frame, edit)),
            None => {
                let sources = edits.by_predecessor.get(&target).cloned().unwrap_or_default();
                for (_, counter) in sources.into_iter().filter(|(source, _)| *source == block) {
                    self.books.counters[counter.index()] += 1;
                }
            }
        }
        InstructionId::new(function.blocks[target].instructions.start as usize)
    }

    fn apply(&mut self, frame: &mut Frame, edit: &Edit) {
        let name = &self.module.functions[frame.function].name;
        match edit {
            Edit::Count { counter, .. } => self.books.counters[counter.index()] += 1,
            Edit::Clear { register, .. } => {
                frame.registers.insert(*register, 0);
            }
            Edit::CountInRegister { register, .. } => match frame.registers.get_mut(register) {
                Some(count) => *count += 1,
                None => panic!("{register} of {name} counts before it is cleared"),
            },
            Edit::Flush { register, counter, .. } => match frame.registers.get(register) {
                Some(count) => self.books.counters[counter.index()] += count,
                None => panic!("{register} of {name} is flushed before it is cleared"),
            },
            Edit::CountIterations { phi, counter, .. } => match frame.steps.get(phi) {
                Some(steps) => self.books.counters[counter.index()] += steps,
                None => panic!("{phi} of {name} is read before its loop"),
            },
            Edit::BeginPath { value, .. } => frame.path = Some(*value),
            Edit::AddToPath { value, .. } => {
                *frame.path.as_mut().expect("a path begins before it goes on") += value;
            }
            Edit::CountPath { value, first, .. } => {
                let number = frame.path.expect("a path begins before it ends") + value;
                let number = usize::try_from(number).expect("at its end a number is not below zero");
                self.books.counters[first.index() + number] += 1;
            }
            Edit::AddLength { instruction, counter, .. } => {
                let units = self.dice.length();
                self.books.counters[counter.index()] += units;
                frame.measured = Some((*instruction, units));
            }
            _ => unreachable!("edits that stand at spots"),
        }
    }

    fn call(&mut self, frame: &mut Frame, at: InstructionId) -> Result<Next, TooLong> {
        let module = self.module;
        let function = &module.functions[frame.function];
        let Some(&call) = function.call(at) else { return Err(TooLong) };
        let block = function.block_of(at);
        if self.is_jump(frame.function, function, at, &call) {
            self.return_first(frame, function, at);
            self.dice.targets.retain(|(number, _)| *number != frame.number);
            return self.callee(&call).map(Next::Done);
        }
        if call.returns_twice {
            self.dice.targets.push((frame.number, at));
        }
        let is_invoke = function.instructions[at].opcode == Opcode::Invoke;
        match self.callee(&call)? {
            Outcome::Returned if is_invoke => Ok(Next::At(self.branch(frame, block, 0))),
            Outcome::Threw if is_invoke => Ok(Next::At(self.branch(frame, block, 1))),
            Outcome::Returned => {
                self.took(frame.function, Way::Fall(at));
                Ok(Next::At(InstructionId::new(at.index() + 1)))
            }
            outcome => {
                self.leave(frame.function, at);
                match outcome {
                    Outcome::Jumped(number, setjmp) if number == frame.number => {
                        Ok(Next::At(self.again(frame, setjmp)))
                    }
                    _ => Ok(Next::Done(outcome)),
                }
            }
        }
    }

    /// A frame is left at a call: the runtime finds its site by the address.
    fn leave(&mut self, function: FunctionId, at: InstructionId) {
        self.took(function, Way::Left(at));
        let name = &self.module.functions[function].name;
        let Some(&site) = self.sites.get(&(function, at)) else {
            panic!("a frame of {name} was left at {at}, which has no call site");
        };
        *self.books.left.entry(site).or_default() += 1;
    }

    fn again(&mut self, frame: &mut Frame, setjmp: InstructionId) -> InstructionId {
        // What a register held at the first return is not what it holds now.
        frame.registers.clear();
        frame.steps.clear();
        self.took(frame.function, Way::Again(setjmp));
        for counter in self.edits[frame.function].again.get(&setjmp).cloned().unwrap_or_default() {
            self.books.counters[counter.index()] += 1;
        }
        InstructionId::new(setjmp.index() + 1)
    }

    /// Whether the frame is gone while the callee runs.
    fn is_jump(&self, id: FunctionId, function: &Function, at: InstructionId, call: &Call) -> bool {
        let next = InstructionId::new(at.index() + 1);
        let block = function.block_of(at);
        let edits = &self.edits[id];
        let is_returned = function.terminator_of(block) == next
            && (function.instructions[next].opcode == Opcode::Ret || edits.returns_here.contains(&block));
        match call.tail {
            TailKind::MustTail => true,
            // What is counted between the two keeps them apart.
            TailKind::Tail => is_returned && !edits.kept.contains(&at) && !edits.before.contains_key(&next),
            TailKind::None | TailKind::NoTail => false,
        }
    }

    /// The `ret` behind a jump is charged with it.
    fn return_first(&mut self, frame: &mut Frame, function: &Function, at: InstructionId) {
        let block = function.block_of(at);
        let terminator = function.terminator_of(block);
        for instruction in at.index() + 1..=terminator.index() {
            let instruction = InstructionId::new(instruction);
            assert!(
                !self.edits[frame.function].before.contains_key(&instruction),
                "{instruction} is counted behind the jump {at}"
            );
            self.started(frame.function, instruction);
        }
        if let [target] = function.blocks[block].successors[..] {
            self.took(frame.function, Way::Branch(block, 0));
            let instructions = function.instructions_of(target);
            instructions.for_each(|instruction| self.started(frame.function, instruction));
            self.took(frame.function, Way::Return(target));
        } else {
            self.took(frame.function, Way::Return(block));
        }
    }

    fn callee(&mut self, call: &Call) -> Result<Outcome, TooLong> {
        let module = self.module;
        let runs_as_written = |linkage| matches!(linkage, Linkage::Local | Linkage::Exact);
        match call.callee {
            CalleeRef::Function(id)
                if runs_as_written(module.functions[id].linkage) && !module.functions[id].is_naked =>
            {
                let outcome = self.run(id)?;
                // An exception that may not come out ends the program.
                let is_stopped = outcome == Outcome::Threw && call.is_nounwind;
                Ok(if is_stopped { Outcome::Ended } else { outcome })
            }
            CalleeRef::Assembly => Ok(Outcome::Returned),
            _ => Ok(self.dice.elsewhere(module, call)),
        }
    }
}

enum Next {
    At(InstructionId),
    Done(Outcome),
}
