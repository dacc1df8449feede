//! What is known of the functions of the run-time libraries?
//!
//! One [`LibraryFunction`] a name, from tables of text: what it does to control (`control.txt`), to memory and with input
//! (`effects.txt`), outside of the program (`system.txt`), what it is to a metered program (`fuel.txt`), how its work is
//! charged and timed (`charges.txt`, `lengths.txt`, `timed.txt`), and which names libraries and code generation may know at all (`names.txt`). Rooms ask of a name, and no room has a list
//! of names of its own: `xtask/tests/limits.rs` finds such lists, and `limits.txt` beside it has those that are left.
//!
//! The tables were read of glibc 2.36, musl 1.2.5, libstdc++ 12, libgomp 12 and LLVM 22. `tests/agreement.rs` holds
//! them against each other, and against what those libraries export.
//!
//! Input: a name as the linker has it. Output: finished values. Cost: a look-up; each table is read once. Limit: what a
//! program defines itself under such a name is its own, so callers ask of declarations only.

mod charges;
mod control;
pub mod effect;
mod effects;
mod effects_parse;
mod fuel;
mod function;
mod lengths;
mod names;
mod states;
mod system;
mod table;
mod timed;

pub use charges::{CallCharge, charge, weights};
pub use control::{ControlEffect, control_effect, starts_threads};
pub use effect::Effect;
pub use effects::Effects;
pub use effects_parse::EffectError;
pub use fuel::{FUEL_TABLE, FuelClass, fuel_class};
pub use function::{LibraryFunction, names};
pub use lengths::{WorkedLength, worked_lengths};
pub use names::{
    as_linked, is_generated, is_in_every_image, is_name_of_libraries, is_uncalled, replaces_library,
};
pub use states::LibraryStates;
pub use system::{SystemEffect, system_effects};
pub use table::unversioned;
pub use timed::timed_as;
