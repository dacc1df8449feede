//! What does a run tell?
//!
//! All that happened in it, in order, with memory as it was at the end. It is
//! made by `machine`; whoever judges an analysis reads it.

use opcost_index::IdMap;
use opcost_ir::Value;
use opcost_key::{FunctionId, InstructionId};

use crate::memory::Memory;
use crate::outcome::{Activation, Ended, FrameId, ObservedFrame, ObservedLoad, ObservedWriter};

/// What a run observed.
#[derive(Clone, Debug)]
pub struct InterpretedRun {
    /// How it ended.
    pub ended: Ended,
    /// Instructions executed, phis and calls among them.
    pub steps: u64,
    /// Each time a loop was entered, in order.
    pub activations: Vec<Activation>,
    /// Each load, in order, if asked for.
    pub loads: Vec<ObservedLoad>,
    /// Each call of a defined function, in order; the first is the run's own.
    pub frames: IdMap<FrameId, ObservedFrame>,
    /// Memory at the end.
    pub memory: Memory,
    /// Each number that a result or parameter had, once, in the order in which they first had it,
    /// if asked for. Integers are by their bits, others by those of a `double`; of pointers it is
    /// the offset.
    pub values: Vec<(FunctionId, Value, u128)>,
}

impl InterpretedRun {
    /// What wrote, as seen from one call of a function. It is the instruction of that very call, be
    /// it a store or a call in which the write happened. `None` if it happened before that call
    /// began. Cost: depth of calls.
    pub fn writer_in(&self, frame: FrameId, writer: ObservedWriter) -> Option<InstructionId> {
        let ObservedWriter::Instruction(write) = writer else { return None };
        let (mut inner, mut instruction) = (write.frame, write.at.instruction);
        while inner > frame {
            (inner, instruction) = self.frames[inner].caller?;
        }
        (inner == frame).then_some(instruction)
    }

    /// Activations of one loop, in order.
    pub fn activations_of(&self, shape: usize) -> impl Iterator<Item = &Activation> {
        self.activations.iter().filter(move |activation| activation.shape == shape)
    }
}
