//! Plans for metering: how a module spends fuel, and where it is stopped.
//!
//! One counter of fuel is counted down; a function keeps it in a register and settles with the cell
//! in memory around calls that may look at it. Work is paid for on the chords of a spanning tree
//! (Ball, "Efficiently counting program events with support for on-line queries", 1994: one
//! counter, a potential on the tree, amounts on the chords); a check is on every cycle of blocks
//! and of calls, and wherever more than a set amount of work could be done without one.
//!
//! The order of questions: what cannot live on one counter (`refusals`), which calls look at the
//! cell (`fuel_access`) and which take it from hand to hand (`handed`), whose cost its callers pay
//! (`folded`), which loops are paid for where they are entered (`prepaid`), what the stretches of
//! work between them are (`stretches`), on which calls it must be asked (`recursion`) and which
//! cycles of blocks (`required`) but those whose work is bounded (`rounds`), where else the checks
//! are and how much work passes between two (`checks`, `lengths`), where the work is paid for
//! (`payment`).
//!
//! Whether a module keeps to its fuel at all is another question (`allowed`).
//!
//! Input: a snapshot and a cost model. Output: edits, and the bound. Limit: what
//! runs outside the module's IR costs what the model charges for its call.

mod allowed;
mod around;
mod checks;
mod folded;
pub(crate) mod fuel_access;
mod handed;
mod lengths;
mod payment;
mod prepaid;
mod recursion;
mod refusals;
mod required;
mod rounds;
mod segments;
mod site;
mod stretch;
mod stretches;

use opcost_index::{Id, IdMap, IdSet};
use opcost_ir::{
    BalanceLocation, EditPoint, FuelEdit, Linkage, Metering, Module, Opcode, SiteId, StraightId, Trips,
};
use opcost_key::FunctionId;
use opcost_library::{ControlEffect, control_effect};

use crate::bodies::is_counted;
use crate::cost::CostModel;
use crate::leaving::Leaving;
use crate::refusal::{PlanError, refuse_uncountable};
pub use allowed::{Admission, Fingerprint, Objection, Portability, Rule, admit, admit_portable};
pub use fuel_access::OwnInCalls;

use around::{Around, Folded};
use folded::cost_of_any_way;
use handed::handed;
use lengths::{Checked, Checks};
use payment::Payment;
use recursion::Recursion;
use site::Sites;
use stretch::{End, Reached, StretchId, Stretches};

/// The most work of a function that its callers pay for in one sum.
const MOST_FOLDED: u64 = 1000;

/// What is wanted.
#[derive(Clone, Debug)]
pub struct FuelRequest {
    /// Weights.
    pub cost: CostModel,
    /// The most work that should pass between two checks; none: it is counted
    /// what is spent, and nothing stops the program.
    pub overshoot: Option<u64>,
    /// The module is all of the program: no other calls its functions, but
    /// through pointers, or under a name that libraries know (`malloc`).
    pub is_whole: bool,
    /// The program runs with one limit and ends where that is used up: no host goes on with it.
    /// Then a loop may be paid for whole before it begins, however long it is. Otherwise one call
    /// of a plug-in could pay for it, and another do it.
    pub ends_at_limit: bool,
    /// Whether every segment is charged at its own start, as the referee of all
    /// other ways: without checks.
    pub by_segment: bool,
    /// How anyone who ends the program between two settlements knows what is left.
    pub fault_balance: FaultBalanceRule,
}

/// How it is known what is left of a program that is ended while a register has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultBalanceRule {
    /// The cell is settled at every check: within one allowance. For machines and
    /// products where nobody can look registers up.
    AtChecks,
    /// Code generation says where it is at each instruction, which costs no code.
    ByRegisters,
    /// Both: for a host, which bills.
    Both,
}

impl FuelRequest {
    /// The most work without a check in each direction in a function that other
    /// code can call, unless one stretch of it is longer.
    pub fn outside(&self) -> u64 {
        lengths::outside_overshoot(self.overshoot.unwrap_or(0))
    }
}

/// A plan, and what it promises.
#[derive(Clone, Debug)]
pub struct Metered {
    /// What to change.
    pub metering: Metering,
    /// The most work that is done beyond the limit before a check sees it; none without checks. It
    /// holds when the other modules of the program keep to the same request.
    pub overshoot: Option<u64>,
    /// Functions whose work their callers pay for.
    pub folded: IdSet<FunctionId>,
}

/// Plans the metering of a whole module.
///
/// # Errors
/// The module has something that cannot be metered rightly; the place is named.
pub fn meter(module: &Module, request: &FuelRequest) -> Result<Metered, PlanError> {
    for function in module.functions.values() {
        refuse_uncountable(module, function)?;
    }
    refusals::refuse(module)?;
    let whole = request.is_whole.then(|| enclosed(module));
    let module = whole.as_ref().unwrap_or(module);
    if request.by_segment {
        let metering = segments::charge_each(module, &request.cost);
        return Ok(Metered { metering, overshoot: None, folded: IdSet::new() });
    }
    let leaving = Leaving::compute(module);
    let recursion = Recursion::compute(module, &leaving, OwnInCalls::of(module, request.is_whole));
    let mut checks = request.overshoot.map(|overshoot| Checks::new(module, &recursion, overshoot));
    let ours = handed(module, &leaving);
    let handed = if has_hands(module) { ours.clone() } else { IdSet::new() };
    let mut metering =
        Metering { hand_functions: handed, ends_at_limit: request.ends_at_limit, ..Metering::default() };
    let mut folded: Folded = IdMap::filled(module.functions.len(), None);
    let is_left_early = takes_signals(module);
    let are_trips_charged = request.ends_at_limit && !is_left_early;
    let most_known = request.overshoot.map_or(Trips::MOST, |overshoot| overshoot / 16);
    let most_known = if is_left_early { 0 } else { most_known };
    for &id in recursion.callees_first() {
        if !is_counted(&module.functions[id]) || module.functions[id].blocks.is_empty() {
            continue;
        }
        let around = Around {
            leaving: &leaving,
            handed: &metering.hand_functions,
            folded: &folded,
            cost: &request.cost,
            most_known,
            own_in_calls: recursion.own_in_calls,
            are_trips_charged,
        };
        let stretches = Stretches::compute(module, id, &around);
        if ours.contains(id) && !recursion.is_asked_at_entry(id) {
            let most = request.overshoot.map_or(MOST_FOLDED, |overshoot| MOST_FOLDED.min(overshoot / 16));
            folded[id] = cost_of_any_way(&module.functions[id], &stretches, most);
            if folded[id].is_some() {
                metering.hand_functions.remove(id);
                checks.iter_mut().for_each(|checks| checks.fold(id));
                continue;
            }
        }
        let checked = checks.as_mut().map(|checks| checks.insert_checks(id, &stretches)).unwrap_or_default();
        let payment = Payment::choose(module, id, &stretches, &checked);
        let told = request.fault_balance;
        let sites = Sites::of(module, id);
        let writer =
            Writer { module, id, stretches: &stretches, metering: &mut metering, fault_balance: told, sites };
        writer.write(&payment, &checked);
    }
    // Callees come first above; the list goes by function.
    metering.edits.sort_by_key(|(function, _)| *function);
    let folded = folded.iter().filter(|(_, cost)| cost.is_some()).map(|(id, _)| id).collect();
    Ok(Metered { metering, overshoot: checks.map(|checks| checks.overshoot()), folded })
}

/// Whether the target has a register for what is left. A hand is passed as a pointer, which must
/// hold all of its 64 bits, and WebAssembly puts it into memory.
fn has_hands(module: &Module) -> bool {
    !module.triple.starts_with("wasm32")
}

/// Whether a signal's handler may leave a loop in its middle (by `siglongjmp`),
/// so that not all of it is done which was paid for.
fn takes_signals(module: &Module) -> bool {
    let handles = |name: &str| control_effect(name) == Some(ControlEffect::HandlesSignals);
    module.declarations.values().any(|declaration| handles(&declaration.name))
}

/// The module with names that nobody outside can know made local.
fn enclosed(module: &Module) -> Module {
    let mut enclosed = module.clone();
    for function in enclosed.functions.values_mut() {
        if function.linkage != Linkage::Elsewhere && !fuel_access::is_known_to_libraries(&function.name) {
            function.linkage = Linkage::Local;
        }
    }
    enclosed
}

/// Writes the edits of one function.
struct Writer<'a> {
    module: &'a Module,
    id: FunctionId,
    stretches: &'a Stretches,
    metering: &'a mut Metering,
    fault_balance: FaultBalanceRule,
    sites: Sites<'a>,
}

impl Writer<'_> {
    /// On one spot: first what belongs to its arrival, then the check, then
    /// what belongs to the way on.
    fn write(mut self, payment: &Payment, checked: &Checked) {
        // While the blocks that only return are still what they were.
        for block in self.stretches.returns_here(&self.module.functions[self.id]) {
            self.push(FuelEdit::ReturnHere { block });
        }
        for (spot, advance, keeper) in payment.loads() {
            self.push(FuelEdit::Load { location: keeper, spot, advance });
        }
        for &(spot, amount) in &payment.on_arrival {
            self.push(FuelEdit::Charge { spot, amount });
        }
        for stretch in self.stretches.list.values() {
            stretch.measured.into_iter().for_each(|charge| self.push(charge));
        }
        for stretch in checked.stretches.iter() {
            let advance = payment.at_check(self.stretches, checked, stretch);
            let site = self.site(stretch);
            let settled = payment.behind_head(self.stretches, stretch);
            self.check(self.stretches.start_of(stretch), advance, settled, site);
        }
        let told =
            if self.fault_balance == FaultBalanceRule::AtChecks { 0 } else { self.stretches.list.len() };
        for stretch in self.stretches.list.ids().take(told) {
            let (spot, advance) = (self.stretches.start_of(stretch), payment.at_start(stretch));
            self.push(FuelEdit::NoteBalance { spot, advance, straight: straight(stretch) });
        }
        for &(spot, amount) in &payment.on_leaving {
            self.push(FuelEdit::Charge { spot, amount });
        }
        let function = &self.module.functions[self.id];
        for block in checked.ends.iter() {
            let site = self.site(self.stretches.last_of(block, function));
            self.check(EditPoint::Before(function.terminator_of(block)), 0, 0, site);
        }
        for (spot, advance, keeper) in payment.stores(self.stretches) {
            self.push(FuelEdit::Store { location: keeper, spot, advance });
        }
        // Last: what stands before an instruction is not part of it.
        if self.fault_balance != FaultBalanceRule::AtChecks {
            self.reach();
        }
    }

    /// What is asked about may not be done yet; the cell gets what is.
    fn check(&mut self, spot: EditPoint, advance: i64, settled: i64, site: SiteId) {
        self.push(FuelEdit::Check { spot, advance, site });
        if self.fault_balance != FaultBalanceRule::ByRegisters {
            self.push(FuelEdit::Store { location: BalanceLocation::Cell, spot, advance: settled });
        }
    }

    fn push(&mut self, edit: FuelEdit) {
        self.metering.edits.push((self.id, edit));
    }

    /// How far each instruction is into its straight code.
    fn reach(&mut self) {
        for &Reached { instruction, stretch, done, charged } in &self.stretches.reached {
            // A branch that a `ret` takes the place of is gone by then.
            let is_jump = matches!(self.stretches.list[stretch].end, End::Jump(_));
            let function = &self.module.functions[self.id];
            if is_jump && function.instructions[instruction].opcode == Opcode::Br {
                continue;
            }
            let (straight, done) = (straight(stretch), done as i64);
            self.push(FuelEdit::Reach { instruction, straight, done, charged });
        }
    }

    /// The first place of the stretch, in words of the source.
    fn site(&mut self, stretch: StretchId) -> SiteId {
        let (first, last) = (self.stretches.list[stretch].first, self.stretches.list[stretch].last);
        self.metering.sites.push(self.sites.site(first, last))
    }
}

/// The name of a stretch outside of here.
fn straight(stretch: StretchId) -> StraightId {
    StraightId::new(stretch.index())
}
