//! What does a branch say? Refined variables on the edges (e-SSA, on demand).
//!
//! Where an edge is the only way into a block (but for edges from blocks that it dominates), what
//! was asked there holds below: the condition is known, both sides of a comparison are refined, and
//! so is what they are a cast, a sum, a mask or a shift of, and casts of them that were made
//! before. The same at the edges that phis take their values from, in the arms of a `select`, and
//! after `llvm.assume`. Nothing crosses an iteration of a loop: every definition of what is refined
//! dominates the edge, which dominates the use, so since it was defined last the edge was passed
//! (and a phi's value is taken at its own edge).
//!
//! Sources: Bodik, Gupta, Sarkar, "ABCD" (2000), and the sigma functions of
//! Campos and others, "Speed and precision in range analysis" (2012).
//! Cost: constant for each edge; chains of at most [`DEEPEST`].

use opcost_ir::{Opcode, Predicate, Value};
use opcost_key::{BlockId, InstructionId};

use super::range::Kind;
use super::transfer::plain;
use super::variables::{Definition, VariableId};
use super::walker::Walker;
use crate::ranges::word::mask;
use crate::ranges::{Operation, RangeStep, Sign, ValueRange};

/// How many operations a refinement goes through.
const DEEPEST: u32 = 4;
/// Parts of a condition that are looked at.
const MOST_PARTS: usize = 8;
/// Casts of a value that are refined with it.
const MOST_CASTS: usize = 4;
/// Cases of a switch that are listed.
const MOST_CASES: usize = 32;

impl Walker<'_, '_> {
    /// What holds at the beginning of a block.
    pub(super) fn learn_at_entry(&mut self, block: BlockId, predecessors: &[BlockId]) {
        let mut ways = predecessors
            .iter()
            .copied()
            .filter(|&from| self.dominators.is_reachable(from) && !self.dominators.dominates(block, from));
        let Some(only) = ways.next() else { return };
        if ways.all(|other| other == only) {
            self.learn_edge(only, block);
        }
    }

    /// What holds where control goes from one block to another.
    pub(super) fn learn_edge(&mut self, from: BlockId, to: BlockId) {
        self.stand_behind(from);
        let terminator = self.function.terminator_of(from);
        let operands = self.function.operands_of(terminator);
        match (self.function.instructions[terminator].opcode, operands) {
            (Opcode::Br, &[condition, Value::Block(yes), Value::Block(no)]) if yes != no => {
                self.learn(condition, to == yes);
            }
            (Opcode::Switch, &[condition, Value::Block(otherwise), ref cases @ ..]) => {
                self.learn_case(condition, otherwise, cases, to);
            }
            _ => {}
        }
    }

    fn learn_case(&mut self, condition: Value, otherwise: BlockId, cases: &[Value], to: BlockId) {
        let Some((source, width)) = self.integer(condition) else { return };
        let words = |leads: &dyn Fn(BlockId) -> bool| -> Option<Vec<u128>> {
            let pairs = cases.chunks_exact(2);
            let wanted = pairs.filter(|pair| matches!(pair[1], Value::Block(target) if leads(target)));
            wanted.map(|pair| self.word(pair[0])).collect()
        };
        let refined = if to == otherwise {
            // A case that leads there, too, is not excluded.
            let Some(mut words) = words(&|target| target != to).filter(|words| words.len() <= MOST_CASES)
            else {
                return;
            };
            words.sort_unstable();
            Definition::Except(source, words.into())
        } else {
            let Some(words) = words(&|target| target == to) else { return };
            let these = self.fixed(ValueRange::of_values(width, &words));
            Definition::Meet([source, these].into())
        };
        let refined = self.add(Kind::Integer(width), refined);
        self.refine(condition, refined, DEEPEST, None);
    }

    /// A condition is known.
    pub(super) fn learn(&mut self, condition: Value, holds: bool) {
        let mut work = vec![(condition, holds)];
        for _ in 0..MOST_PARTS {
            let Some((value, holds)) = work.pop() else { break };
            let Value::Instruction(at) = value else {
                if matches!(value, Value::Argument(_)) {
                    let truth = self.all.variables.word(1, u128::from(holds));
                    self.set(value, truth);
                }
                continue;
            };
            let truth = self.all.variables.word(1, u128::from(holds));
            self.set(value, truth);
            let operands = self.function.operands_of(at);
            match (self.function.instructions[at].opcode, operands) {
                (Opcode::FCmp, _) if self.all.changes_rounding => {}
                (Opcode::ICmp | Opcode::FCmp, &[left, right]) => self.compare(at, left, right, holds),
                (Opcode::And, &[left, right]) if holds => work.extend([(left, true), (right, true)]),
                (Opcode::Or, &[left, right]) if !holds => work.extend([(left, false), (right, false)]),
                (Opcode::Xor, &[left, right]) if self.word(right) == Some(1) => work.push((left, !holds)),
                (Opcode::Select, &[test, then, otherwise]) => {
                    if holds && self.word(otherwise) == Some(0) {
                        work.extend([(test, true), (then, true)]);
                    } else if !holds && self.word(then) == Some(1) {
                        work.extend([(test, false), (otherwise, false)]);
                    }
                }
                (Opcode::Trunc, _) => self.go_down(at, truth, DEEPEST),
                _ => {}
            }
        }
    }

    fn compare(&mut self, at: InstructionId, left: Value, right: Value, holds: bool) {
        let instruction = &self.function.instructions[at];
        let Some(predicate) = instruction.predicate else { return };
        let predicate = if holds { predicate } else { opposite(predicate) };
        let flags = instruction.flags;
        let (Some(one), Some(two)) = (self.number(left), self.number(right)) else { return };
        let kind = self.all.variables.get(one).kind;
        for (value, source, other, predicate) in
            [(left, one, two, predicate), (right, two, one, turned(predicate))]
        {
            if matches!(value, Value::Constant(_)) || !self.is_worthwhile(value) {
                continue;
            }
            let refined = self.add(kind, Definition::Refined { source, predicate, other, flags });
            self.refine(value, refined, DEEPEST, None);
        }
    }

    /// Whether anybody else can use what is learnt of a value.
    fn is_worthwhile(&self, value: Value) -> bool {
        let leads_on = match value {
            Value::Instruction(at) => {
                use Opcode::*;
                let opcode = self.function.instructions[at].opcode;
                matches!(opcode, ZExt | SExt | Trunc | Add | Sub | Xor | And | LShr | AShr)
            }
            _ => false,
        };
        leads_on || self.uses.get(&value).is_some_and(|&uses| uses > 1)
    }

    /// Notes what is known of a value, and of what it is made of and what is made of it.
    fn refine(&mut self, value: Value, refined: VariableId, depth: u32, from: Option<InstructionId>) {
        self.set(value, refined);
        if depth == 0 {
            return;
        }
        if let Value::Instruction(at) = value {
            self.go_down(at, refined, depth - 1);
        }
        self.go_up(value, refined, from);
    }

    /// To the operand, from what is known of the result.
    fn go_down(&mut self, at: InstructionId, result: VariableId, depth: u32) {
        let instruction = &self.function.instructions[at];
        let operands = self.function.operands_of(at);
        let Kind::Integer(width) = self.all.variables.get(result).kind else { return };
        let Some(&value) = operands.iter().find(|operand| !matches!(operand, Value::Constant(_))) else {
            return;
        };
        let Some((source, source_width)) = self.integer(value) else { return };
        let step = |operation, list: [VariableId; 2]| Definition::Step(plain(operation, width), list.into());
        let other = match operands {
            &[one, two] => self.integer(if value == one { two } else { one }).map(|(variable, _)| variable),
            _ => None,
        };
        let fixed = other.and_then(|other| self.all.variables.as_word(other));
        let definition = match (instruction.opcode, other, fixed) {
            (Opcode::ZExt | Opcode::SExt, ..) => {
                Definition::Step(plain(Operation::Trunc, source_width), [result].into())
            }
            (Opcode::Trunc, ..) => {
                let wide = Kind::Integer(source_width);
                let low = Definition::Step(plain(Operation::ZExt, source_width), [result].into());
                let low = self.add(wide, low);
                let mask = self.all.variables.word(source_width, mask(width));
                Definition::Unmasked { mask, result: low }
            }
            (Opcode::Add, Some(other), Some(_)) => step(Operation::Sub, [result, other]),
            (Opcode::Xor, Some(other), Some(_)) => step(Operation::Xor, [result, other]),
            (Opcode::Sub, Some(other), Some(_)) if operands[0] == value => {
                step(Operation::Add, [result, other])
            }
            (Opcode::Sub, Some(other), Some(_)) => step(Operation::Sub, [other, result]),
            (Opcode::And, Some(mask), Some(_)) => Definition::Unmasked { mask, result },
            (opcode @ (Opcode::LShr | Opcode::AShr), _, Some(by))
                if operands[0] == value && by < width.into() =>
            {
                let sign = if opcode == Opcode::LShr { Sign::Unsigned } else { Sign::Signed };
                Definition::Unshifted { by: by as u32, sign, result }
            }
            _ => return,
        };
        let kind = Kind::Integer(source_width);
        let before = self.add(kind, definition);
        let refined = self.add(kind, Definition::Meet([source, before].into()));
        self.refine(value, refined, depth, Some(at));
    }

    /// To what was made of the value before.
    fn go_up(&mut self, value: Value, refined: VariableId, from: Option<InstructionId>) {
        let Some(casts) = self.casts.get(&value) else { return };
        let casts: Vec<InstructionId> = casts.iter().copied().take(MOST_CASTS).collect();
        for at in casts {
            // Only what is computed by now, and not what this was learnt from.
            if from == Some(at) || !self.is_defined(at) || !self.uses.contains_key(&Value::Instruction(at)) {
                continue;
            }
            let instruction = &self.function.instructions[at];
            let operands = self.function.operands_of(at);
            let Some((before, width)) = self.integer(Value::Instruction(at)) else { continue };
            let Some(step) = RangeStep::of_opcode(instruction.opcode, None, instruction.flags, width) else {
                continue;
            };
            let mut list = vec![refined];
            for &operand in &operands[1..] {
                list.extend(self.integer(operand).map(|(variable, _)| variable));
            }
            if list.len() != operands.len() {
                continue;
            }
            let again = self.add(Kind::Integer(width), Definition::Step(step, list.into()));
            let met = self.add(Kind::Integer(width), Definition::Meet([before, again].into()));
            self.set(Value::Instruction(at), met);
        }
    }

    /// The variable of an arm of a `select`, where its condition says so. A branch on an undefined
    /// value is undefined behaviour. A choice by one is not, and the arm is perhaps another word
    /// than the one that was compared.
    pub(super) fn arm(&mut self, condition: Value, holds: bool, value: Value) -> Option<VariableId> {
        let mark = self.mark();
        if self.all.is_one_word(self.id, condition) {
            self.learn(condition, holds);
        }
        let found = self.number(value).and_then(|_| self.again(value));
        self.forget(mark);
        found
    }
}

/// What holds where the predicate does not.
pub(super) fn opposite(predicate: Predicate) -> Predicate {
    use Predicate::*;
    match predicate {
        Eq => Ne,
        Ne => Eq,
        Ugt => Ule,
        Ule => Ugt,
        Uge => Ult,
        Ult => Uge,
        Sgt => Sle,
        Sle => Sgt,
        Sge => Slt,
        Slt => Sge,
        False => True,
        True => False,
        Oeq => Une,
        Une => Oeq,
        Ogt => FUle,
        FUle => Ogt,
        Oge => FUlt,
        FUlt => Oge,
        Olt => FUge,
        FUge => Olt,
        Ole => FUgt,
        FUgt => Ole,
        One => Ueq,
        Ueq => One,
        Ord => Uno,
        Uno => Ord,
    }
}

/// The same said of both sides exchanged.
pub(super) fn turned(predicate: Predicate) -> Predicate {
    use Predicate::*;
    match predicate {
        Ugt => Ult,
        Ult => Ugt,
        Uge => Ule,
        Ule => Uge,
        Sgt => Slt,
        Slt => Sgt,
        Sge => Sle,
        Sle => Sge,
        Ogt => Olt,
        Olt => Ogt,
        Oge => Ole,
        Ole => Oge,
        FUgt => FUlt,
        FUlt => FUgt,
        FUge => FUle,
        FUle => FUge,
        same => same,
    }
}
