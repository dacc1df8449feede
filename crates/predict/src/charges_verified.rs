//! Does a plan of charges hang together? The auditor of [`charges`](crate::charges).
//!
//! It knows nothing of how the plan was made. Each operand must be known where it is used: its block dominates
//! the spot, or it stands before it in the same block. Each formula must have all of its inputs noted between
//! the loop's `Enter` and its charge. Cells that are read are cells that something is kept in. Addresses that
//! are read again are known to the room that planned the reading. Cost: dominators of each function, the edits.

use std::collections::BTreeSet;

use opcost_graph::dominators::Dominators;
use opcost_index::Id;
use opcost_ir::{
    ChargeEdit, Charging, CheckInput, CheckStep, EditPoint, Function, Module, Opcode, PointId, RecordEdit,
    Value,
};
use opcost_key::{BlockId, FunctionId, InstructionId};

/// What is wrong with a plan: a defect of ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChargeDefect {
    /// An operand is not known where it is used.
    #[error("in {0} a value is used where it is not known")]
    Unknown(String),
    /// An input of a formula is not noted.
    #[error("in {0} a formula is evaluated before all of its inputs are noted")]
    NotNoted(String),
    /// A cell is read that nothing is kept in, or iterations of a loop that is never entered.
    #[error("in {0} a cell is read that nothing was put into")]
    EmptyCell(String),
}

/// Whether each operand is known where it is used, and each formula has its inputs.
///
/// # Errors
/// What is not so.
pub fn verify(module: &Module, charging: &Charging) -> Result<(), ChargeDefect> {
    for edits in charging.edits.chunk_by(|a, b| a.0 == b.0) {
        let function = &module.functions[edits[0].0];
        let dominators = Dominators::compute(function, BlockId::new(0));
        Verifier { function, dominators: &dominators, charging, edits }.run()?;
    }
    Ok(())
}

struct Verifier<'a> {
    function: &'a Function,
    dominators: &'a Dominators<BlockId>,
    charging: &'a Charging,
    edits: &'a [(FunctionId, ChargeEdit)],
}

impl Verifier<'_> {
    fn name(&self) -> String {
        self.function.name.to_string()
    }

    fn run(&self) -> Result<(), ChargeDefect> {
        let mut held = BTreeSet::new();
        let mut entered = BTreeSet::new();
        for (_, edit) in self.edits {
            match edit {
                ChargeEdit::Prepare(RecordEdit::Hold { cell, .. }) => {
                    held.insert(*cell);
                }
                ChargeEdit::Prepare(RecordEdit::Enter { point, .. }) => {
                    entered.insert(*point);
                }
                _ => {}
            }
        }
        let mut open: Option<(EditPoint, PointId)> = None;
        let mut noted: BTreeSet<u32> = BTreeSet::new();
        for (_, edit) in self.edits {
            match *edit {
                ChargeEdit::Prepare(RecordEdit::Enter { spot, point }) => {
                    open = Some((spot, point));
                    noted.clear();
                }
                ChargeEdit::Prepare(RecordEdit::Note { spot, point, position, input }) => {
                    if open != Some((spot, point)) {
                        return Err(ChargeDefect::NotNoted(self.name()));
                    }
                    noted.insert(position);
                    self.input(spot, input, &held, &entered)?;
                }
                ChargeEdit::Prepare(RecordEdit::Hold { spot, input: Some(input), .. }) => {
                    self.input(spot, input, &held, &entered)?;
                }
                ChargeEdit::Charge { site, point } => {
                    self.charge(point, open == Some((site, point)), &noted)?;
                }
                ChargeEdit::Prepare(_) => {}
            }
        }
        Ok(())
    }

    fn charge(&self, point: PointId, is_open: bool, noted: &BTreeSet<u32>) -> Result<(), ChargeDefect> {
        let Some(steps) = &self.charging.charges[point].back_edges else { return Ok(()) };
        let is_noted = |step: &CheckStep| match step {
            CheckStep::Input(position) => noted.contains(position),
            _ => true,
        };
        if is_open && steps.iter().all(is_noted) {
            return Ok(());
        }
        Err(ChargeDefect::NotNoted(self.name()))
    }

    fn input(
        &self,
        spot: EditPoint,
        input: CheckInput,
        held: &BTreeSet<u32>,
        entered: &BTreeSet<PointId>,
    ) -> Result<(), ChargeDefect> {
        let is_fine = match input {
            CheckInput::Value(value) | CheckInput::Loaded { address: value, .. } => {
                self.is_known(value, spot)
            }
            CheckInput::Held(cell) if !held.contains(&cell) => {
                return Err(ChargeDefect::EmptyCell(self.name()));
            }
            CheckInput::Iterations(around) if !entered.contains(&around) => {
                return Err(ChargeDefect::EmptyCell(self.name()));
            }
            CheckInput::Held(_)
            | CheckInput::Iterations(_)
            | CheckInput::Number(_)
            | CheckInput::Reread(_) => true,
        };
        if is_fine { Ok(()) } else { Err(ChargeDefect::Unknown(self.name())) }
    }

    fn is_known(&self, value: Value, spot: EditPoint) -> bool {
        let Value::Instruction(id) = value else { return matches!(value, Value::Argument(_)) };
        let own = self.function.block_of(id);
        let is_phi = matches!(self.function.instructions[id].opcode, Opcode::Phi | Opcode::LandingPad);
        let (block, is_before) = match spot {
            EditPoint::Start(block) => (block, is_phi),
            EditPoint::Before(at) => (self.function.block_of(at), id < at),
            // What an invoke gives is there on its normal edge.
            EditPoint::Edge(block, slot) => (block, self.is_on_edge(id, slot)),
        };
        if own == block { is_before } else { self.dominators.dominates(own, block) }
    }

    fn is_on_edge(&self, id: InstructionId, slot: u32) -> bool {
        !self.function.instructions[id].opcode.is_terminator() || slot == 0
    }
}
