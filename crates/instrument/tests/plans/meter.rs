//! Does a metered module pay exactly for what it does, and is it asked often
//! enough?
//!
//! Runs a module at random with the metering's edits in place and keeps the
//! truth beside them: how much work was done. It knows nothing of stretches,
//! potentials or call graphs. Held at every turn:
//!
//! - whenever other code may look (a function begins or ends, an exception, a
//!   jump, the end), the cell says what was done, to the instruction; where
//!   functions pass it from hand to hand, the hand says so, and behind other
//!   calls a hand holds nonsense;
//! - whenever it is asked, the register with its advance says so too, or counts
//!   as done what is then done before anybody can look;
//! - no more work passes between two questions than was promised;
//! - a register is never used before it was read, nor behind a second return
//!   of `setjmp` without being read anew.

use std::collections::HashMap;

use opcost_index::{Id, IdMap};
use opcost_instrument::{CostModel, CostTable, FuelRequest, Metered, meter};
use opcost_ir::{
    BalanceLocation, Call, CalleeRef, Charged, EditPoint, FuelEdit, Function, Linkage, Module, Opcode,
    StraightId, TailKind, print_module,
};
use opcost_key::{BlockId, FunctionId, InstructionId};

use crate::dice::{Dice, Outcome, TooLong};
use crate::turns::{Counted, Turns};
use crate::values::Values;

/// Walks through every function of the module. Whether any walk came to an end.
pub(crate) fn walks_pay(module: &Module, overshoot: Option<u64>, is_whole: bool, seed: u64) -> bool {
    let cost = CostModel::Table(CostTable::fuel());
    let request = FuelRequest {
        cost,
        overshoot,
        is_whole,
        ends_at_limit: true,
        by_segment: false,
        fault_balance: opcost_instrument::FaultBalanceRule::ByRegisters,
    };
    let Ok(metered) = meter(module, &request) else { return true };
    let mut has_ended = false;
    for (id, function) in module.functions.iter() {
        if function.linkage == Linkage::Elsewhere || function.is_naked || function.blocks.is_empty() {
            continue;
        }
        if metered.folded.contains(id) {
            // Nobody outside calls it, and its callers are walked through.
            has_ended = true;
            continue;
        }
        let mut walk = Walk::new(module, &metered, &request, seed);
        let ended = (0..3).try_for_each(|_| {
            if (is_whole || function.linkage == Linkage::Local) && !function.is_address_taken {
                // Nobody outside can call it as often as he likes.
                walk.asked = walk.done;
            }
            walk.begin(id)
        });
        has_ended |= ended.is_ok();
    }
    has_ended
}

const DEEPEST: usize = 40;

/// What a hand holds that nobody gave anything.
const NONSENSE: i64 = 1 << 50;

/// The edits of one function, by where they stand.
#[derive(Clone, Default)]
struct Edits {
    before: HashMap<InstructionId, Vec<FuelEdit>>,
    on_edge: HashMap<(BlockId, u32), Vec<FuelEdit>>,
    returns_here: Vec<BlockId>,
    /// How far into its straight code an instruction is said to be, when it is
    /// charged in its place.
    reached: HashMap<InstructionId, (StraightId, i64)>,
}

struct Walk<'a> {
    module: &'a Module,
    metered: &'a Metered,
    cost: &'a CostModel,
    is_whole: bool,
    edits: IdMap<FunctionId, Edits>,
    counted: IdMap<FunctionId, Counted>,
    dice: Dice,
    depth: usize,
    frames: u64,
    /// Running functions that their callers have paid for.
    folded: u32,
    /// Work done: the truth.
    done: i64,
    /// The cell, on a limit of 0.
    cell: i64,
    /// What is passed from hand to hand.
    hand: i64,
    /// Work done when it was last asked, as the question had it.
    asked: i64,
}

struct Frame {
    function: FunctionId,
    number: u64,
    register: Option<i64>,
    /// Whose length was charged last, and how much: work that is done next, and
    /// not before it was asked.
    measured: Option<(InstructionId, i64)>,
    /// What the last note says was left where straight code began.
    told: Option<(StraightId, i64)>,
    /// Counted loops that it is in.
    turns: Turns,
    /// What is known of values.
    values: Values,
}

enum Next {
    At(InstructionId),
    Done(Outcome),
}

impl<'a> Walk<'a> {
    fn new(module: &'a Module, metered: &'a Metered, request: &'a FuelRequest, seed: u64) -> Self {
        let mut edits = IdMap::filled(module.functions.len(), Edits::default());
        for (id, edit) in &metered.metering.edits {
            let function = &module.functions[*id];
            let place = &mut edits[*id];
            match edit.spot() {
                None => match edit {
                    FuelEdit::ReturnHere { block } => place.returns_here.push(*block),
                    FuelEdit::Reach { charged: Charged::Ahead, .. } => {}
                    FuelEdit::Reach { instruction, straight, done, .. } => {
                        place.reached.insert(*instruction, (*straight, *done));
                    }
                    _ => unreachable!("it has no spot"),
                },
                Some(EditPoint::Edge(block, slot)) => {
                    place.on_edge.entry((block, slot)).or_default().push(*edit);
                }
                Some(EditPoint::Before(at)) => place.before.entry(at).or_default().push(*edit),
                Some(EditPoint::Start(block)) => {
                    place.before.entry(start_of(function, block)).or_default().push(*edit);
                }
            }
        }
        let dice = Dice::new(seed);
        Walk {
            module,
            metered,
            cost: &request.cost,
            is_whole: request.is_whole,
            edits,
            counted: module.functions.values().map(|function| Counted::find(module, function)).collect(),
            dice,
            depth: 0,
            frames: 0,
            folded: 0,
            done: 0,
            cell: 0,
            hand: 0,
            asked: 0,
        }
    }

    fn fail(&self, what: &str) -> ! {
        let metering = &self.metered.metering;
        panic!("{what}\n{:#?}\n{}", metering.edits, print_module(self.module));
    }

    /// Other code may look at the cell now.
    fn is_settled(&self, when: &str) {
        if self.folded > 0 {
            self.fail(&format!("{when}: it may look at what its callers have paid for"));
        }
        self.has_kept_up();
        if self.cell != -self.done {
            self.fail(&format!("{when}: {} done, the cell says {}", self.done, -self.cell));
        }
    }

    /// What a question counted as done is done.
    fn has_kept_up(&self) {
        if self.folded == 0 && self.asked > self.done {
            self.fail(&format!("{} done, but {} was asked about", self.done, self.asked));
        }
    }

    /// As [`Walk::is_settled`], for what goes from hand to hand.
    fn is_given(&self, when: &str) {
        self.has_kept_up();
        if self.hand != -self.done {
            self.fail(&format!("{when}: {} done, the hand says {}", self.done, -self.hand));
        }
    }

    /// As a caller would that has no edits.
    fn begin(&mut self, id: FunctionId) -> Result<(), TooLong> {
        self.hand = self.cell;
        let outcome = self.run(id)?;
        if outcome == Outcome::Returned && self.metered.metering.hand_functions.contains(id) {
            self.cell = self.hand;
        }
        Ok(())
    }

    fn run(&mut self, id: FunctionId) -> Result<Outcome, TooLong> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(TooLong);
        }
        let is_handed = self.metered.metering.hand_functions.contains(id);
        let is_folded = self.metered.folded.contains(id);
        if is_folded {
            self.folded += 1;
        } else if is_handed {
            self.is_given("at an entry");
        } else {
            self.is_settled("at an entry");
            self.hand = NONSENSE;
        }
        self.frames += 1;
        let mut frame = Frame {
            function: id,
            number: self.frames,
            register: None,
            measured: None,
            told: None,
            turns: Turns::default(),
            values: Values::default(),
        };
        let mut at = InstructionId::new(0);
        let outcome = loop {
            match self.instruction(&mut frame, at)? {
                Next::At(next) => at = next,
                Next::Done(outcome) => break outcome,
            }
        };
        if is_folded {
            self.folded -= 1;
        } else if is_handed && outcome == Outcome::Returned {
            self.is_given("at the end of a function");
        } else {
            self.is_settled("at the end of a function");
            self.hand = NONSENSE;
        }
        self.depth -= 1;
        self.dice.targets.retain(|(number, _)| *number != frame.number);
        Ok(outcome)
    }

    fn instruction(&mut self, frame: &mut Frame, at: InstructionId) -> Result<Next, TooLong> {
        self.dice.step()?;
        let module = self.module;
        let function = &module.functions[frame.function];
        for edit in self.edits[frame.function].before.get(&at).cloned().unwrap_or_default() {
            self.apply(frame, &edit);
        }
        let is_measured = self.cost.length(module, function, at).is_some() || frame.turns.are_charged_at(at);
        if frame.measured.take().is_some() != is_measured {
            self.fail(&format!("the length of {at} of {} is charged elsewhere", function.name));
        }
        self.does(frame.function, at);
        self.is_told(frame, at);
        frame.values.does(module, function, at);
        if function.call(at).is_some() {
            return self.call(frame, at);
        }
        let block = function.block_of(at);
        if !function.instructions[at].opcode.is_terminator() {
            return Ok(Next::At(InstructionId::new(at.index() + 1)));
        }
        if function.blocks[block].successors.is_empty() {
            return Ok(Next::Done(match function.instructions[at].opcode {
                Opcode::Resume => Outcome::Threw,
                // Nothing that a program may do comes here.
                Opcode::Unreachable => return Err(TooLong),
                _ => Outcome::Returned,
            }));
        }
        let slot = frame.turns.branch(&self.counted[frame.function], function, block, &mut self.dice);
        let slot = frame.values.slot(function, block).unwrap_or(slot);
        // Inside a counted loop all of it may be paid for.
        if frame.turns.are_none() {
            self.has_kept_up();
        }
        Ok(Next::At(self.branch(frame, block, slot)))
    }

    fn does(&mut self, id: FunctionId, at: InstructionId) {
        let function = &self.module.functions[id];
        self.done += i64::from(self.cost.weight(self.module, function, at));
        self.passes(self.done, Some(at));
    }

    /// What the notes say of a program that ends at this instruction is the truth.
    fn is_told(&self, frame: &Frame, at: InstructionId) {
        let opcode = self.module.functions[frame.function].instructions[at].opcode;
        // Nothing ends at these, and notes stand behind the first ones of a block.
        if opcode.is_terminator() || matches!(opcode, Opcode::Phi | Opcode::LandingPad | Opcode::Alloca) {
            return;
        }
        let Some(&(straight, done)) = self.edits[frame.function].reached.get(&at) else { return };
        match frame.told {
            Some((there, left)) if there == straight && done - left == self.done => {}
            told => self.fail(&format!("at {at}: {} done, {done} of {straight}, told {told:?}", self.done)),
        }
    }

    /// So much work is within what was promised since the last question.
    fn passes(&self, work: i64, at: Option<InstructionId>) {
        let passed = work - self.asked;
        if let Some(promised) = self.metered.overshoot
            && passed > promised as i64
        {
            self.fail(&format!("at {at:?}: {passed} without a question, {promised} promised"));
        }
    }

    fn branch(&mut self, frame: &mut Frame, block: BlockId, slot: u32) -> InstructionId {
        for edit in self.edits[frame.function].on_edge.get(&(block, slot)).cloned().unwrap_or_default() {
            self.apply(frame, &edit);
        }
        let function = &self.module.functions[frame.function];
        let target = function.blocks[block].successors[slot as usize];
        frame.values.enter(self.module, function, block, target);
        InstructionId::new(function.blocks[target].instructions.start as usize)
    }

    fn apply(&mut self, frame: &mut Frame, edit: &FuelEdit) {
        if let FuelEdit::Load { advance, location: keeper, .. } = edit {
            let kept = if *keeper == BalanceLocation::Hand { self.hand } else { self.cell };
            frame.register = Some(kept - advance);
            return;
        }
        let Some(register) = &mut frame.register else {
            self.fail(&format!("{edit:?}: the register was not read"));
        };
        match edit {
            FuelEdit::Charge { amount, .. } => *register -= amount,
            FuelEdit::ChargeLength { instruction, .. } => {
                let units = self.dice.length() as i64;
                *register -= units;
                self.done += units;
                frame.measured = Some((*instruction, units));
            }
            FuelEdit::ChargeTrips { instruction, trips, cost } => {
                let counted = &self.counted[frame.function];
                let turns = frame.turns.charged(counted, *instruction, trips.counter, &mut self.dice);
                let amount = turns as i64 * i64::from(*cost);
                *register -= amount;
                frame.measured = Some((*instruction, amount));
            }
            FuelEdit::Store { advance, location: BalanceLocation::Cell, .. } => {
                self.cell = *register + advance
            }
            FuelEdit::Store { advance, location: BalanceLocation::Hand, .. } => {
                self.hand = *register + advance
            }
            FuelEdit::Check { advance, .. } => {
                let said = -(*register + advance);
                if said < self.done.max(self.asked) {
                    self.fail(&format!("{edit:?}: {} done, it says {said}", self.done));
                }
                let charged = frame.measured.map_or(0, |(_, units)| units);
                self.passes(said - charged, edit.before());
                self.asked = said;
            }
            FuelEdit::NoteBalance { advance, straight, .. } => {
                frame.told = Some((*straight, *register + advance))
            }
            FuelEdit::Load { .. } | FuelEdit::ReturnHere { .. } | FuelEdit::Reach { .. } => {
                unreachable!("handled before")
            }
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
            Outcome::Returned => Ok(Next::At(InstructionId::new(at.index() + 1))),
            Outcome::Jumped(number, setjmp) if number == frame.number => {
                // A register holds what it held at the first return, or anything.
                frame.register = None;
                Ok(Next::At(InstructionId::new(setjmp.index() + 1)))
            }
            outcome => Ok(Next::Done(outcome)),
        }
    }

    /// Whether the frame is gone while the callee runs: then nothing of the
    /// metering may stand between the call and its `ret`.
    fn is_jump(&self, id: FunctionId, function: &Function, at: InstructionId, call: &Call) -> bool {
        let next = InstructionId::new(at.index() + 1);
        let block = function.block_of(at);
        let is_returned = function.terminator_of(block) == next
            && (function.instructions[next].opcode == Opcode::Ret
                || self.edits[id].returns_here.contains(&block));
        let is_free = !self.edits[id].before.contains_key(&next);
        match call.tail {
            TailKind::MustTail if !is_free => self.fail("something stands behind a musttail call"),
            TailKind::MustTail => true,
            TailKind::Tail => is_returned && is_free,
            TailKind::None | TailKind::NoTail => false,
        }
    }

    /// The `ret` behind a jump is done with it.
    fn return_first(&mut self, frame: &Frame, function: &Function, at: InstructionId) {
        let block = function.block_of(at);
        let terminator = function.terminator_of(block);
        for position in at.index() + 1..=terminator.index() {
            self.does(frame.function, InstructionId::new(position));
        }
        if let [target] = function.blocks[block].successors[..] {
            function.instructions_of(target).for_each(|instruction| self.does(frame.function, instruction));
        }
    }

    fn callee(&mut self, call: &Call) -> Result<Outcome, TooLong> {
        let module = self.module;
        let is_metered = |id: FunctionId| {
            let function = &module.functions[id];
            let runs_as_written = match function.linkage {
                Linkage::Local | Linkage::Exact => true,
                Linkage::Replaceable => self.is_whole,
                Linkage::Elsewhere => false,
            };
            runs_as_written && !function.is_naked
        };
        match call.callee {
            CalleeRef::Function(id) if is_metered(id) => {
                let outcome = self.run(id)?;
                // An exception that may not come out ends the program.
                let is_stopped = outcome == Outcome::Threw && call.is_nounwind;
                Ok(if is_stopped { Outcome::Ended } else { outcome })
            }
            CalleeRef::Assembly => Ok(Outcome::Returned),
            _ => {
                self.hand = NONSENSE;
                let outcome = self.dice.elsewhere(module, call);
                if outcome != Outcome::Returned {
                    self.is_settled("at a call that does not return");
                }
                Ok(outcome)
            }
        }
    }
}

/// The instruction before which code at the start of a block stands: behind
/// phis and landing pad.
fn start_of(function: &Function, block: BlockId) -> InstructionId {
    let is_head = |opcode| matches!(opcode, Opcode::Phi | Opcode::LandingPad);
    function
        .instructions_of(block)
        .find(|&id| !is_head(function.instructions[id].opcode))
        .expect("a block has a terminator")
}
