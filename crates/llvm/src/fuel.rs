//! Carries out a metering on the module its snapshot was taken of.
//!
//! As in `apply`, all handles are looked up before the first edit. Registers
//! are cells of the frame until the end, when LLVM's own promotion turns them
//! into values.

use llvm_sys::prelude::LLVMValueRef;
use opcost_index::{Id, IdMap};
use opcost_ir::{BalanceLocation, Charged, FuelEdit, Metering, SiteId, Trips};
use opcost_key::FunctionId;

use crate::ffi;
use crate::session::{FunctionHandles, LlvmError, Maker, Session};
use crate::spots::{Spots, arguments};

/// What was done to keep a program off its counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guarded {
    /// Instructions that write to memory.
    pub stores: u32,
    /// Those that are asked first; the others plainly write elsewhere.
    pub guarded: u32,
}

impl Session {
    /// Carries out a metering.
    ///
    /// # Errors
    /// A name with a zero byte; or the edited module does not verify, which is
    /// a defect of ours.
    pub fn meter(&mut self, metering: &Metering) -> Result<(), LlvmError> {
        // SAFETY: the module is alive, here and below.
        let cell = unsafe {
            let hidden =
                if self.is_hardened { ffi::opcost_hidden_cell(self.module) } else { std::ptr::null_mut() };
            if hidden.is_null() { ffi::opcost_fuel_cell(self.module) } else { hidden }
        };
        let sites = self.sites(metering)?;
        let mut hands = Hands::default();
        for edits in metering.edits.chunk_by(|a, b| a.0 == b.0) {
            let id = edits[0].0;
            if let Some(hand) = FunctionMeter::new(self, id, cell, &sites, metering.ends_at_limit).run(edits)
            {
                hands.functions.push(self.functions[id].function);
                hands.hands.push(hand);
                hands.is_passed.push(metering.hand_functions.contains(id));
            }
        }
        // SAFETY: three lists of one length, of functions of the live module.
        // Handles of handed functions and their calls are not used again.
        unsafe {
            let (functions, count) = (hands.functions.as_ptr(), hands.functions.len());
            let (hands, is_handed) = (hands.hands.as_ptr(), hands.is_passed.as_ptr());
            ffi::opcost_hand_over(self.module, functions, hands, is_handed, count);
        }
        self.functions = IdMap::new();
        if cfg!(debug_assertions) || self.maker == Maker::Anyone {
            self.verify()?;
        }
        Ok(())
    }

    /// Meters the module as one that nobody trusts. Its counter is where it cannot find it, where
    /// the machine has a place for that. Its frames do not step over the end of the stack, and what
    /// must not be reached ends the program. Call it before `meter`.
    pub fn harden(&mut self) {
        self.is_hardened = true;
        // SAFETY: the module is alive.
        unsafe {
            ffi::opcost_probe_stacks(self.module);
            ffi::opcost_trap_unreachable(self.module);
        }
    }

    /// Keeps the metered program's own stores off its counter, and the counter twice. Call it last,
    /// after `meter`: nothing of it is weighed.
    ///
    /// # Errors
    /// The module does not verify any more, which is a defect of ours.
    pub fn guard_counter(&mut self) -> Result<Guarded, LlvmError> {
        let (mut stores, mut guarded) = (0, 0);
        // SAFETY: the module is alive, both numbers can be written to.
        unsafe { ffi::opcost_guard_counter(self.module, &mut stores, &mut guarded) };
        self.verify()?;
        Ok(Guarded { stores, guarded })
    }

    fn sites(&self, metering: &Metering) -> Result<IdMap<SiteId, LLVMValueRef>, LlvmError> {
        let mut sites = IdMap::new();
        for site in metering.sites.values() {
            let text =
                |text: &str| std::ffi::CString::new(text).map_err(|_| LlvmError::Path(text.to_owned()));
            let (function, file) = (text(&site.function)?, text(&site.file)?);
            // SAFETY: both texts are terminated and copied.
            sites.push(unsafe {
                ffi::opcost_fuel_site(self.module, function.as_ptr(), file.as_ptr(), site.line)
            });
        }
        Ok(sites)
    }
}

/// Functions that use a hand.
#[derive(Default)]
struct Hands {
    functions: Vec<LLVMValueRef>,
    hands: Vec<LLVMValueRef>,
    is_passed: Vec<bool>,
}

/// As `tell.h` writes it.
fn how_charged(charged: Charged) -> u32 {
    match charged {
        Charged::WithCallee => 0,
        Charged::InPlace => 1,
        Charged::Ahead => 2,
    }
}

struct FunctionMeter<'a> {
    session: &'a Session,
    handles: &'a FunctionHandles,
    sites: &'a IdMap<SiteId, LLVMValueRef>,
    spots: Spots<'a>,
    cell: LLVMValueRef,
    register: LLVMValueRef,
    hand: Option<LLVMValueRef>,
    ends_at_limit: bool,
}

impl<'a> FunctionMeter<'a> {
    fn new(
        session: &'a Session,
        function: FunctionId,
        cell: LLVMValueRef,
        sites: &'a IdMap<SiteId, LLVMValueRef>,
        ends_at_limit: bool,
    ) -> Self {
        let handles = &session.functions[function];
        let spots = Spots::new(handles);
        // SAFETY: a live function.
        let register = unsafe {
            ffi::opcost_relax(handles.function);
            ffi::opcost_make_register(handles.function)
        };
        Self { session, handles, sites, spots, cell, register, hand: None, ends_at_limit }
    }

    /// Returns the function's hand, if it has one.
    fn run(mut self, edits: &[(FunctionId, FuelEdit)]) -> Option<LLVMValueRef> {
        for (_, edit) in edits {
            self.edit(edit);
        }
        // SAFETY: an alloca that we made in this function.
        unsafe { ffi::opcost_fuel_promote(self.handles.function, self.register) };
        self.hand
    }

    fn hand(&mut self) -> LLVMValueRef {
        // SAFETY: a live function.
        *self.hand.get_or_insert_with(|| unsafe { ffi::opcost_make_hand(self.handles.function) })
    }

    fn edit(&mut self, edit: &FuelEdit) {
        let before = edit.spot().map(|spot| self.spots.before(spot));
        let before = before.unwrap_or(std::ptr::null_mut());
        let (register, cell, module) = (self.register, self.cell, self.session.module);
        let hand = match edit {
            FuelEdit::Load { location: BalanceLocation::Hand, .. }
            | FuelEdit::Store { location: BalanceLocation::Hand, .. } => self.hand(),
            _ => std::ptr::null_mut(),
        };
        // SAFETY: handles of the live module; `before` is null for the one edit
        // that has no spot and takes none.
        unsafe {
            match *edit {
                FuelEdit::Load { location: BalanceLocation::Cell, advance, .. } => {
                    ffi::opcost_fuel_load(before, register, cell, advance);
                }
                FuelEdit::Load { location: BalanceLocation::Hand, advance, .. } => {
                    ffi::opcost_fuel_take(before, register, hand, advance);
                }
                FuelEdit::Store { location: BalanceLocation::Cell, advance, .. } => {
                    ffi::opcost_fuel_store(before, register, cell, advance);
                }
                FuelEdit::Store { location: BalanceLocation::Hand, advance, .. } => {
                    ffi::opcost_fuel_give(before, register, hand, advance);
                }
                FuelEdit::Charge { amount, .. } => ffi::opcost_fuel_charge(before, register, amount),
                FuelEdit::ChargeLength { length, .. } => {
                    let (first, second, is_moved) = arguments(length);
                    ffi::opcost_fuel_charge_length(before, register, first, second, is_moved);
                }
                FuelEdit::ChargeTrips { trips, cost, .. } => {
                    let [counter, test] = [trips.counter, trips.test].map(|at| self.handles.instructions[at]);
                    ffi::opcost_fuel_charge_trips(
                        before,
                        register,
                        ffi::RawTrips {
                            counter,
                            test,
                            bound: trips.bound,
                            is_next_tested: trips.is_next_tested,
                            step_bits: trips.step_bits,
                            is_down: trips.is_down,
                            is_divisible: trips.is_divisible,
                            most: Trips::MOST,
                            cost,
                        },
                    );
                }
                FuelEdit::Check { advance, site, .. } => {
                    let (site, ends) = (self.sites[site], self.ends_at_limit);
                    ffi::opcost_fuel_check(module, before, register, cell, advance, site, ends);
                }
                FuelEdit::NoteBalance { advance, straight, .. } => {
                    ffi::opcost_fuel_tell(before, register, advance, straight.index() as u32);
                }
                FuelEdit::Reach { instruction, straight, done, charged } => ffi::opcost_fuel_reach(
                    self.handles.instructions[instruction],
                    straight.index() as u32,
                    done,
                    how_charged(charged),
                ),
                FuelEdit::ReturnHere { block } => ffi::opcost_return_here(self.spots.terminators[block]),
            }
        }
    }
}
