//! What is all that is known of one function?
//!
//! Input: a name as the linker has it. Output: [`LibraryFunction`], from all tables. Cost: a look-up in each.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::{CallCharge, ControlEffect, Effect, Effects, FuelClass, SystemEffect, WorkedLength};
use crate::{
    charge, control_effect, fuel_class, is_generated, is_name_of_libraries, system_effects, worked_lengths,
};
use crate::{charges, control, fuel, system};

/// All that the tables have of a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LibraryFunction {
    /// What it does to control, if it does more than return.
    pub control: Option<ControlEffect>,
    /// What it does to memory and with input, if that is known.
    pub effect: Option<&'static Effect>,
    /// What it does outside of the program, as far as it is known.
    pub system: &'static [SystemEffect],
    /// What it is to a metered program, if that is known.
    pub fuel: Option<FuelClass>,
    /// How its work is charged, if by more than its call.
    pub charge: Option<CallCharge>,
    /// How many bytes it works on, if arguments say so.
    pub length: Option<&'static WorkedLength>,
    /// Whether libraries may call it by its name.
    pub is_linked: bool,
    /// Whether code generation may make a call of it.
    pub is_generated: bool,
}

static EFFECTS: LazyLock<Effects> = LazyLock::new(Effects::built_in);

impl LibraryFunction {
    /// Of this name.
    pub fn of(name: &str) -> LibraryFunction {
        LibraryFunction {
            control: control_effect(name),
            effect: EFFECTS.of(name),
            system: system_effects(name),
            fuel: fuel_class(name),
            charge: charge(name),
            length: worked_lengths().get(name),
            is_linked: is_name_of_libraries(name),
            is_generated: is_generated(name),
        }
    }
}

/// All whole names of the tables of what functions do, sorted.
pub fn names() -> BTreeSet<&'static str> {
    EFFECTS
        .names()
        .chain(control::names())
        .chain(fuel::names())
        .chain(charges::names())
        .chain(system::names())
        .collect()
}
