//! From a function to a circuit: which operation works in which cycle, how wide each wire is, and
//! the Verilog that says so.
//!
//! ```text
//! ir::Function ─lower▶ Kernel ─schedule▶ Schedule ─check▶
//!                      Kernel + claims ─widths▶ Wires
//!                      Kernel + Schedule + Wires ─write▶ Verilog, testbench
//! ```
//!
//! | question | file |
//! |---|---|
//! | what is a function as a circuit sees it? | `kernel.rs` |
//! | how does a function of a snapshot become one? | `lower/` |
//! | which accesses of a memory may meet? | `alias.rs` |
//! | which bits of a value must a wire carry? | `widths.rs` |
//! | how long does an operation take, and how many units are there? | `target.rs` |
//! | what must wait for what? | `waits.rs` |
//! | how does a loop of several blocks become one? | `merge.rs` |
//! | which accesses never work both? | `exclusive.rs` |
//! | in which cycle does each operation work? | `schedule.rs`, `modulo.rs`, `copies.rs`; as data `slots.rs` |
//! | how often can a loop begin an iteration at best? | `bound.rs` |
//! | is a schedule right? | `check.rs` |
//! | how is that written as Verilog? | `verilog/` |
//! | how is a circuit tried? | `testbench.rs`, `driver.rs`, `called.rs`, `replay.rs` |
//! | what must its callers keep? | `contract.rs` |
//! | which ports has it? | `ports.rs` |
//! | how is it placed with few pins? | `frame.rs` |
//! | how is it called with valid and ready? | `stream.rs` |
//! | how is it called by a processor, with memories of the system? | `axi.rs`, `axi_testbench.rs` |
//!
//! The schedule is made of declared widths alone, if the kernel has no others for delays. So circuits of one function that differ only in
//! widths take the same cycles, and what they differ in comes from the widths.
//!
//! Limits: integers of at most 128 bits, one clock, no floating point, no calls outside. What cannot
//! be a circuit is a [`CircuitRefusal`] that names its place and the way out.

mod alias;
mod axi;
mod axi_testbench;
mod bound;
mod called;
mod check;
mod contract;
mod copies;
mod driver;
mod exclusive;
mod frame;
mod kernel;
mod lower;
mod merge;
mod modulo;
mod ports;
mod refusal;
mod replay;
mod schedule;
mod slots;
mod stream;
mod target;
mod testbench;
mod verilog;
mod waits;
mod widths;

pub use axi::{axi, axi_header};
pub use axi_testbench::axi_testbench;
pub use called::{CalledByWords, Passed, PassedResult};
pub use check::{Violation, check};
pub use contract::contract;
pub use driver::{DriverBooleans, DriverFunction, DriverInputs, DriverMember, Pieces, driver};
pub use frame::frame;
pub use kernel::{
    Action, Kernel, KernelBlock, KernelLocation, KernelMemory, KernelNode, KernelOperand, MemoryCells,
    MemoryId, MemoryKind, NodeId, NodeOrigin, Terminator,
};
pub use lower::{LowerOptions, lower, lower_with};
pub use refusal::CircuitRefusal;
pub use replay::replay;
pub use schedule::schedule;
pub use slots::{BlockSchedule, IntervalLimit, Pipeline, Schedule, Slot, StateLoop, StateReason};
pub use stream::stream;
pub use target::{Resources, Target, Unit};
pub use testbench::{stream_testbench, testbench};
pub use verilog::{Design, DesignReport, InsideMemory, MemoryPort, OperatorUse, ScalarPort, design};
pub use widths::{Claim, Wire, Wires, declared, widths};
