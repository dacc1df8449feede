//! The whole question: from the memory model of a program to what stays of it.

use opcost_analysis::memory::MemoryModel;
use opcost_index::{Id, IdMap, IdSet};
use opcost_ir::{EventMarks, Removal};
use opcost_key::FunctionId;
use rustc_hash::FxHashMap;

use crate::closure::Closure;
use crate::constants::ConstantLoop;
use crate::counted::CountedBlock;
use crate::edits::removal;
use crate::library::Fate;
use crate::marks::{LoopNumber, MarkedLoop, loops_of};
use crate::options::{Level, SliceOptions};
use crate::reason::{Because, How};
use crate::refused::{self, SliceRefusal};
use crate::roots::FunctionRoots;
use crate::site::SliceSite;

/// What stays of a program.
#[derive(Clone, Debug)]
pub struct Slice {
    /// The loops of the functions that are run, by function and from the outside in.
    pub loops: IdMap<LoopNumber, MarkedLoop>,
    /// Which of them have no events.
    pub waived: IdSet<LoopNumber>,
    /// Why each instruction stays; none of what goes. Functions that nothing runs have an
    /// empty list.
    pub because: IdMap<FunctionId, IdMap<opcost_key::InstructionId, Option<Because>>>,
    /// What is to be changed.
    pub removal: Removal,
    /// Those that iterate equally often each time, at the level at which they may go.
    pub constants: FxHashMap<LoopNumber, ConstantLoop>,
    /// The events that the program and the slice report, at the same spots in both.
    pub events: EventMarks,
    /// The events of all loops that are not waived, as the program alone can report them. Loops that need none
    /// in the slice have some here.
    pub all_events: EventMarks,
    /// Calls that print and go.
    pub printing: Vec<SliceSite>,
    /// Blocks that run as often as in the program.
    pub counted: Vec<CountedBlock>,
    /// Calls that stay and may change files, or what else others see.
    pub changes: Vec<SliceSite>,
}

impl Slice {
    /// Slices a program.
    ///
    /// # Errors
    /// The program cannot be sliced.
    pub fn of(memory: &MemoryModel<'_>, options: &SliceOptions) -> Result<Slice, SliceRefusal> {
        refused::check(memory)?;
        let mut closure = Closure::new(memory);
        closure.calls_follow = options.level == Level::Needed || options.criterion.is_some();
        let level = if closure.calls_follow { Level::Needed } else { options.level };
        let has_all = options.waived.is_empty() && options.unmarked.is_empty();
        if options.any_status && has_all && options.criterion.is_none() {
            closure.forget_status();
        }
        let mut loops: IdMap<LoopNumber, MarkedLoop> = IdMap::new();
        for (id, function) in memory.module.functions.iter() {
            if !memory.calls.is_reachable(id) {
                continue;
            }
            let found = loops_of(id, function, loops.len());
            if let Some(block) = found.unmarkable {
                return Err(SliceRefusal::Control {
                    at: SliceSite { function: id, instruction: function.terminator_of(block) },
                    what: "it enters a loop by a way on which nothing can be put".to_owned(),
                });
            }
            found.loops.into_iter().for_each(|one| _ = loops.push(one));
            let of = FunctionRoots { function: id, reached: &found.reached, irreducible: &found.irreducible };
            closure.add_roots(&of, level);
            let has_status = !(options.any_status && memory.roots.main == Some(id));
            if has_status && (memory.roots.is_root(id) || memory.calls.is_called_by_others(id)) {
                closure.need_returned(id, Because::root(How::Status));
            }
        }
        let waived = with_inner(&loops, &options.waived);
        let mut constants = FxHashMap::default();
        if let Some(criterion) = &options.criterion {
            closure.add_criterion(criterion);
        } else {
            if options.level == Level::Needed {
                constants = closure.constant_loops(&loops);
                constants.retain(|&number, _| !waived.contains(number) && !options.unmarked.contains(number));
                // Entries that are so many for each of the loop around it: of a loop that has no events these are none.
                for (number, one) in loops.iter() {
                    let is_lost = one.parent.is_some_and(|parent| options.unmarked.contains(parent));
                    if let Some(constant) = constants.get_mut(&number).filter(|_| is_lost) {
                        constant.entries = None;
                    }
                }
            }
            let is_marked = |number| !waived.contains(number) && !options.unmarked.contains(number);
            let marked = loops.iter().filter(|&(number, _)| is_marked(number));
            marked.for_each(|(number, one)| closure.add_loop(number, one, constants.get(&number).copied()));
        }
        closure.need_outside_data();
        if options.counts_blocks {
            closure.need_entries();
        }
        closure.run();
        let all_marks =
            loops.iter().filter(|&(number, _)| options.criterion.is_none() && !waived.contains(number));
        let all_events =
            EventMarks { marks: all_marks.flat_map(|(number, one)| one.events(number)).collect() };
        let mut events = all_events.clone();
        events.marks.retain(|&(.., event)| {
            let is_unmarked = options.unmarked.contains(LoopNumber::new(event as usize / 2));
            !is_unmarked && is_reported(event, &constants)
        });
        Ok(Slice {
            removal: if options.level == Level::Nothing { Removal::default() } else { removal(&closure) },
            constants,
            events,
            all_events,
            printing: printing(&closure),
            counted: closure.counted_blocks(),
            changes: closure.changes(),
            because: closure
                .functions
                .values()
                .map(|stays| if stays.control.is_some() { stays.because.clone() } else { IdMap::new() })
                .collect(),
            loops,
            waived,
        })
    }

    /// The loops of a program, as [`Slice::of`] numbers them.
    ///
    /// # Errors
    /// The program cannot be sliced.
    pub fn loops(memory: &MemoryModel<'_>) -> Result<IdMap<LoopNumber, MarkedLoop>, SliceRefusal> {
        refused::check(memory)?;
        let mut loops: IdMap<LoopNumber, MarkedLoop> = IdMap::new();
        for (id, function) in memory.module.functions.iter() {
            if memory.calls.is_reachable(id) {
                loops_of(id, function, loops.len()).loops.into_iter().for_each(|one| _ = loops.push(one));
            }
        }
        Ok(loops)
    }

    /// Why an instruction stays, from it to what is asked for; empty if it goes.
    pub fn chain(&self, from: SliceSite) -> Vec<(SliceSite, Because)> {
        let mut chain = Vec::new();
        let mut at = Some(from);
        while let Some(site) = at {
            let Some(Some(because)) = self.because[site.function].get(site.instruction).copied() else {
                break;
            };
            if chain.iter().any(|&(known, _)| known == site) {
                break;
            }
            chain.push((site, because));
            at = because.of;
        }
        chain
    }

    /// Instructions of the functions that are run, and how many of them stay.
    pub fn counts(&self) -> (usize, usize) {
        let all = self.because.values().flat_map(IdMap::values);
        all.fold((0, 0), |(all, stay), one| (all + 1, stay + usize::from(one.is_some())))
    }
}

/// Whether a run of the slice reports an event: entering is even, the header is odd.
fn is_reported(event: u32, constants: &FxHashMap<LoopNumber, ConstantLoop>) -> bool {
    let constant = constants.get(&LoopNumber::new(event as usize / 2));
    constant.is_none_or(|constant| event.is_multiple_of(2) && constant.entries.is_none())
}

/// The waived loops and those inside them.
fn with_inner(loops: &IdMap<LoopNumber, MarkedLoop>, waived: &IdSet<LoopNumber>) -> IdSet<LoopNumber> {
    let mut all = IdSet::new();
    for (number, one) in loops.iter() {
        // A loop comes after those around it.
        if waived.contains(number) || one.parent.is_some_and(|parent| all.contains(parent)) {
            all.insert(number);
        }
    }
    all
}

fn printing(closure: &Closure<'_>) -> Vec<SliceSite> {
    let prints = |site: SliceSite| match &closure.fates[&site] {
        Fate::Output => true,
        Fate::Printing(begins) => *begins == [site],
        _ => false,
    };
    closure.outside.iter().copied().filter(|&site| prints(site) && !closure.stays(site)).collect()
}
