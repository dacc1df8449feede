//! Does the cell say what was done wherever other code may look?
//!
//! With a limit K and D work done, the true value is K - D. The cell and every
//! value that was made from it differ from it by a constant at each point:
//!
//! ```text
//! value = K - D + offset
//! ```
//!
//! Doing an instruction of weight w adds w to every offset. At the entry of a function, after a
//! call that may look and at a landing pad the cell's offset is zero, since anyone who ran before
//! left it so; this function must leave it so too. Between functions that hand over what is left,
//! the hand takes the place of the cell. Where ways meet, offsets must be the same, or the value is
//! unknown there and of no use. A question is right if it compares with the offset; it may count as
//! done already what comes straight after it.
//!
//! A forward data-flow analysis over the blocks, to the fixed point.

use std::collections::BTreeMap;

use opcost_index::{Id, IdMap, IdSet, reverse_postorder};
use opcost_ir::{Flow, Linkage, Opcode, Predicate, Value};
use opcost_key::{BlockId, InstructionId};

use super::input::Fault;
use super::lengths::is_length_of;
use super::module::{Before, next_of_program};
use super::prepaid::is_cost_of_loop;

/// What was found in a function.
#[derive(Clone, Debug, Default)]
pub(super) struct AuditFacts {
    /// The branches that ask, with the work after each that it counts as done.
    pub(super) questions: BTreeMap<InstructionId, u64>,
    /// Calls whose `ret` is done before the callee runs, with that `ret`.
    pub(super) jumps: BTreeMap<InstructionId, InstructionId>,
    /// Blocks whose end control can come to.
    pub(super) passed: IdSet<BlockId>,
    /// Calls after which nothing is done.
    pub(super) last: IdSet<InstructionId>,
}

/// What is known at a point: offsets; what is absent is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct State {
    cell: Option<i64>,
    hand: Option<i64>,
    values: BTreeMap<InstructionId, i64>,
    /// What was measured and charged last, and whether it was asked for.
    measured: Option<Measured>,
    /// The branch of the last question, with nothing of the program's since.
    question: Option<InstructionId>,
}

/// An instruction whose length was charged, or that leads into a loop whose iterations were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Measured {
    at: InstructionId,
    is_asked: bool,
}

impl State {
    /// What other code leaves: a true cell.
    fn settled() -> State {
        State { cell: Some(0), ..State::default() }
    }

    /// What comes in a hand.
    fn handed() -> State {
        State { hand: Some(0), ..State::default() }
    }

    /// Of the hand, or of the cell.
    fn balance(&self, in_hand: bool) -> Option<i64> {
        if in_hand { self.hand } else { self.cell }
    }

    fn done(&mut self, weight: i64) {
        self.cell = self.cell.map(|offset| offset + weight);
        self.hand = self.hand.map(|offset| offset + weight);
        self.values.values_mut().for_each(|offset| *offset += weight);
    }

    fn meet(&mut self, other: &State) {
        if self.cell != other.cell {
            self.cell = None;
        }
        if self.hand != other.hand {
            self.hand = None;
        }
        self.values.retain(|value, offset| other.values.get(value) == Some(offset));
        self.measured = self.measured.filter(|measured| other.measured == Some(*measured));
        self.question = self.question.filter(|question| other.question == Some(*question));
    }
}

/// Checks one function.
pub(super) fn check(before: &Before<'_>, objections: &mut Vec<Fault>) -> AuditFacts {
    let function = before.function;
    let is_metered = function.instructions.ids().any(|at| before.is_metering(at));
    let is_empty = function.instructions.ids().all(|at| before.weight(at) == 0);
    let is_elsewhere = function.linkage == Linkage::Elsewhere;
    if function.blocks.is_empty() || function.is_naked || is_elsewhere || (!is_metered && is_empty) {
        return AuditFacts::default();
    }
    let order = reverse_postorder(function, BlockId::new(0));
    let mut walk = Walk {
        before,
        ends: IdMap::filled(function.blocks.len(), None),
        facts: AuditFacts::default(),
        objections: Vec::new(),
    };
    loop {
        let ends = walk.ends.clone();
        walk.facts = AuditFacts::default();
        walk.objections.clear();
        for &block in &order {
            if let Some(state) = walk.entering(block) {
                walk.ends[block] = walk.block(block, state);
            }
        }
        if walk.ends == ends {
            break;
        }
    }
    objections.append(&mut walk.objections);
    walk.facts.passed = walk.ends.iter().filter(|(_, end)| end.is_some()).map(|(block, _)| block).collect();
    walk.facts
}

struct Walk<'a> {
    before: &'a Before<'a>,
    /// What is known at the end of each block that was reached.
    ends: IdMap<BlockId, Option<State>>,
    facts: AuditFacts,
    objections: Vec<Fault>,
}

impl Walk<'_> {
    fn entering(&self, block: BlockId) -> Option<State> {
        let function = self.before.function;
        if block.index() == 0 {
            let is_handed = self.before.is_handed(self.before.id);
            return Some(if is_handed { State::handed() } else { State::settled() });
        }
        let mut met: Option<State> = None;
        for (from, end) in self.ends.iter() {
            let Some(end) = end.as_ref().filter(|_| function.blocks[from].successors.contains(&block)) else {
                continue;
            };
            // Whoever throws has settled.
            let is_thrown = function.blocks[from].flow == Flow::Invoke
                && function.blocks[from].successors.last() == Some(&block);
            let mut arriving = if is_thrown { State::settled() } else { end.clone() };
            self.enter_phis(from, block, end, &mut arriving);
            match &mut met {
                None => met = Some(arriving),
                Some(met) => met.meet(&arriving),
            }
        }
        met
    }

    /// A phi of the metering is what comes in from where control comes.
    fn enter_phis(&self, from: BlockId, block: BlockId, end: &State, arriving: &mut State) {
        for at in self.before.function.instructions_of(block) {
            if self.before.function.instructions[at].opcode != Opcode::Phi {
                break;
            }
            arriving.values.remove(&at);
            let incoming = self.before.function.operands_of(at).chunks_exact(2);
            let ours = incoming.filter(|pair| pair[1] == Value::Block(from)).map(|pair| pair[0]).next();
            if let Some(Value::Instruction(value)) = ours
                && self.before.is_metering(at)
                && let Some(&offset) = end.values.get(&value)
            {
                arriving.values.insert(at, offset);
            }
        }
    }

    /// What is known at its end; nothing if control does not come there.
    fn block(&mut self, block: BlockId, mut state: State) -> Option<State> {
        for at in self.before.function.instructions_of(block) {
            if self.before.is_metering(at) {
                self.metering(at, &mut state);
            } else {
                self.program(at, &mut state);
                if self.facts.last.contains(at) {
                    return None;
                }
            }
        }
        Some(state)
    }

    fn object(&mut self, at: InstructionId, what: impl Into<String>) {
        let objection = self.before.object(at, what);
        self.objections.push(objection);
    }

    /// An instruction of the program's own.
    fn program(&mut self, at: InstructionId, state: &mut State) {
        let function = self.before.function;
        let opcode = function.instructions[at].opcode;
        if function.operands_of(at).iter().any(|&operand| self.before.is_cell(operand)) {
            self.object(at, "the program itself uses the cell of fuel");
        }
        state.question = None;
        let measured = state.measured.take();
        if self.before.is_measured(at) {
            match measured.filter(|measured| measured.at == at) {
                None => self.object(at, "its length, or its loop, is not charged before it"),
                Some(Measured { is_asked: false, .. }) if self.before.audit.promised.is_some() => {
                    self.object(at, "its length, or its loop, is not asked for");
                }
                Some(_) => {}
            }
        }
        state.done(self.before.weight(at));
        if let Some(call) = self.before.looking_call(at) {
            let behind = self.before.return_behind(at);
            let is_jump = |offset: i64| behind.is_some_and(|end| offset == -self.before.weight(end));
            let is_handed = self.before.is_handed_over(call);
            match state.balance(is_handed) {
                Some(0) => {}
                // The frame is gone: its `ret` is done with the call.
                Some(offset) if !is_handed && is_jump(offset) => {
                    self.facts.jumps.insert(at, behind.expect("a jump has one"));
                    return;
                }
                kept => self.object(at, format!("what is left is {} when it looks", off(kept))),
            }
            // What was read before it is old, or gone with a second return.
            *state = if is_handed { State::handed() } else { State::settled() };
            if call.is_noreturn && opcode != Opcode::Invoke {
                self.facts.last.insert(at);
            }
        }
        let is_given_back = opcode == Opcode::Ret && self.before.is_handed(self.before.id);
        let kept = state.balance(is_given_back);
        if matches!(opcode, Opcode::Ret | Opcode::Resume) && kept != Some(0) {
            self.object(at, format!("what is left is {} at the end", off(kept)));
        }
    }

    /// An instruction that was not there before.
    fn metering(&mut self, at: InstructionId, state: &mut State) {
        let function = self.before.function;
        let instruction = &function.instructions[at];
        let operands = function.operands_of(at);
        let known = |value: Value| match value {
            Value::Instruction(id) => state.values.get(&id).copied(),
            _ => None,
        };
        match (instruction.opcode, operands) {
            (Opcode::Load, &[from]) if self.before.is_cell(from) => set(state, at, state.cell),
            (Opcode::Store, &[value, to]) if self.before.is_cell(to) => state.cell = known(value),
            (Opcode::Load, &[from]) if self.before.is_hand(from) => set(state, at, state.hand),
            (Opcode::Store, &[value, to]) if self.before.is_hand(to) => state.hand = known(value),
            (Opcode::PtrToInt | Opcode::IntToPtr | Opcode::Freeze, &[value]) => set(state, at, known(value)),
            (Opcode::Add, &[value, amount]) if known(value).is_some() => {
                let sum =
                    known(value).zip(self.before.number(amount)).map(|(offset, amount)| offset + amount);
                set(state, at, sum);
            }
            (Opcode::Sub, &[value, _]) if known(value).is_some() => {
                self.charge_measured(at, known(value), state);
            }
            (Opcode::Br, &[condition, ..]) if operands.len() == 3 => self.question(at, condition, state),
            (Opcode::Call, _) if self.before.is_stop(at) => {
                let behind = self.certain_behind_stop(at, state);
                if !state.cell.is_some_and(|offset| offset <= 0 && -offset <= behind) {
                    self.object(at, format!("the cell is {} when the program is stopped", off(state.cell)));
                }
                *state = State { cell: state.cell, measured: state.measured, ..State::default() };
            }
            (Opcode::Call, _) if self.before.is_trap(at) => {}
            (Opcode::Unreachable, _) if self.before.audit.ends_at_limit && self.is_behind_stop(at) => {}
            (Opcode::Phi | Opcode::Br | Opcode::ICmp | Opcode::Alloca, _) => {}
            // How long something is.
            (Opcode::ZExt | Opcode::Trunc | Opcode::Mul | Opcode::LShr | Opcode::Add | Opcode::Sub, _) => {}
            (Opcode::And | Opcode::Select, _) => {}
            _ => self.object(at, "neither of the program nor of its metering"),
        }
    }

    /// Whether it is directly after a stop.
    fn is_behind_stop(&self, at: InstructionId) -> bool {
        at.index() > 0 && self.before.is_stop(InstructionId::new(at.index() - 1))
    }

    /// Charges what the next instruction of the program works on, or the iterations of the loop it
    /// leads into. From here on that is done, and nothing read before says so.
    fn charge_measured(&mut self, at: InstructionId, offset: Option<i64>, state: &mut State) {
        let function = self.before.function;
        let next = next_of_program(self.before, at);
        let Some(next) = next.filter(|&next| self.before.is_measured(next)) else {
            return self.object(at, "a length is charged that nothing has");
        };
        let charge = function.operands_of(at)[1];
        if !is_length_of(self.before, charge, next) && !is_cost_of_loop(self.before, charge, next) {
            self.object(at, "what is charged is not the length, or the loop's cost");
        }
        let measured = Some(Measured { at: next, is_asked: false });
        *state = State { cell: None, measured, ..State::default() };
        set(state, at, offset);
    }

    /// `br (value < offset), cold, on`
    fn question(&mut self, at: InstructionId, condition: Value, state: &mut State) {
        state.question = Some(at);
        let function = self.before.function;
        let asked = match condition {
            Value::Instruction(id) if self.before.is_metering(id) => Some(id),
            _ => None,
        };
        let parts = asked.and_then(|id| {
            let is_less = function.instructions[id].predicate == Some(Predicate::Slt);
            let &[Value::Instruction(value), bound] = function.operands_of(id) else { return None };
            let offset = state.values.get(&value).filter(|_| is_less)?;
            Some(self.before.number(bound)? - offset)
        });
        let leads_to_stop = function.blocks[function.block_of(at)]
            .successors
            .first()
            .is_some_and(|&cold| function.instructions_of(cold).any(|id| self.before.is_stop(id)));
        match parts {
            Some(early) if leads_to_stop && (0..=self.certain_behind(at, state)).contains(&early) => {
                self.facts.questions.insert(at, early as u64);
                state.measured.iter_mut().for_each(|measured| measured.is_asked = true);
            }
            Some(early) if leads_to_stop => self.object(at, format!("it is asked {early} early")),
            _ => self.object(at, "it asks for something else than the fuel left"),
        }
    }

    /// The same after a stop: where the program goes on, or would have without the question that
    /// led here.
    fn certain_behind_stop(&self, at: InstructionId, state: &State) -> i64 {
        let function = self.before.function;
        let block = function.block_of(at);
        let leads_here = |&question: &InstructionId| {
            function.blocks[function.block_of(question)].successors.first() == Some(&block)
        };
        match state.question.filter(leads_here) {
            Some(question) => self.certain_behind(question, state),
            None => 0,
        }
    }

    /// The work after a question that nothing can keep from being done before other code looks. It
    /// goes straight on to the end of the block or a looking call.
    fn certain_behind(&self, at: InstructionId, state: &State) -> i64 {
        let mut work = 0;
        let mut next = next_of_program(self.before, at);
        let is_charged = |at: InstructionId| {
            !self.before.is_measured(at) || state.measured.is_some_and(|measured| measured.at == at)
        };
        while let Some(at) = next.filter(|&at| is_charged(at)) {
            work += self.before.weight(at);
            // Where the frame is gone meanwhile, the `ret` is done with the call.
            if let Some(end) = self.before.looking_call(at).and_then(|_| self.before.return_behind(at)) {
                work += self.before.weight(end);
            }
            if self.before.looking_call(at).is_some()
                || self.before.function.instructions[at].opcode.is_terminator()
            {
                break;
            }
            next = next_of_program(self.before, at);
        }
        work
    }
}

fn set(state: &mut State, at: InstructionId, offset: Option<i64>) {
    match offset {
        Some(offset) => state.values.insert(at, offset),
        None => state.values.remove(&at),
    };
}

fn off(offset: Option<i64>) -> String {
    match offset {
        Some(offset) => format!("{offset} off"),
        None => "not settled".to_owned(),
    }
}
