//! What does a function of a module really do with these arguments?
//!
//! An interpreter of the snapshot, by LLVM's language reference and as slow as
//! that: every instruction is executed, one at a time, poison is carried along,
//! every byte of memory knows who wrote it. It is the referee of analyses that
//! claim something of all runs, so it shares no code with them.
//!
//! Input: an [`Interpreter`] of a module, a function of it, arguments, and a
//! closure that stands for the functions that are only declared. Output: a
//! [`InterpretedRun`]. Cost: some hundred nanoseconds an instruction. Limits: no
//! vectors, no integers above 128 bits, no `x86_fp80`, one thread, 2 MiB of memory
//! that is written, 2,000 calls inside one another; what cannot be executed ends
//! the run and is named.

use opcost_key::FunctionId;

use crate::externals::ExternalCalls;
use crate::interpreter::Interpreter;
use crate::machine::InterpretedMachine;
use crate::memory::Memory;
use crate::run::InterpretedRun;
use crate::scalar::Scalar;

impl Interpreter<'_> {
    /// Runs a function.
    pub fn run(
        &self,
        function: FunctionId,
        arguments: &[Scalar],
        externals: &mut ExternalCalls<'_>,
    ) -> InterpretedRun {
        self.run_in(self.memory(), function, arguments, externals)
    }

    /// Runs a function in memory that was prepared. Arguments that are missing
    /// are undefined.
    pub fn run_in(
        &self,
        memory: Memory,
        function: FunctionId,
        arguments: &[Scalar],
        externals: &mut ExternalCalls<'_>,
    ) -> InterpretedRun {
        InterpretedMachine::new(self, memory, externals).run(function, arguments)
    }
}
