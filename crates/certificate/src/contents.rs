//! Does an object hold only what is claimed of it, and what does a load read?
//!
//! Of an object into which nothing leads that is not followed
//! ([`origins`](crate::origins)) all writes are known: each must touch none of
//! the places of the claim, or exactly one and put there what is claimed. At
//! first data holds what the module says; what is allocated holds zeros if whoever
//! checks knows that, or nothing that may be read, if the claim says so and whoever
//! checks knows it, or the certificate is of programs of which that is believed.
//!
//! A load reads one place of each object that its address may lead into. Of
//! constant data the element counts that lies at the offset: those that break
//! the claim must be out of reach, which the solver is asked.
//! Cost: for each claim the writes of the module.

use std::collections::BTreeSet;
use std::fmt::Write;

use opcost_ir::{ConstantValue, Global, GlobalId, Opcode, ScalarValue, Value};
use opcost_key::{FunctionId, InstructionId};

use crate::checker::Checker;
use crate::claims::ContentsClaim;
use crate::goals::goal_of_value;
use crate::origins::{Object, ObjectId};
use crate::places::Places;
use crate::question::ALWAYS;
use crate::range::{RangeClaim, bits, mask};
use crate::relation::Goal;
use crate::shape::word;
use crate::steps::Word;
use crate::verdict::{ClaimId, SolverVerdict, fails, refused};

/// Elements of a table that are looked at.
const MOST_ELEMENTS: u64 = 1 << 16;
/// Runs of elements that a question excludes.
const MOST_RUNS: usize = 256;

/// What is claimed of an object, and which one it is.
#[derive(Clone, Copy)]
struct Target<'c> {
    object: ObjectId,
    claim: &'c ContentsClaim,
}

/// Places of an object that are filled together, with the length if it is known.
#[derive(Clone, Copy)]
struct Filled {
    places: Places,
    length: Option<u64>,
}

/// A load, and which places of an object it may read.
#[derive(Clone, Copy)]
struct Read {
    id: FunctionId,
    at: InstructionId,
    places: Places,
    size: u64,
}

impl Checker<'_> {
    pub(crate) fn check_contents(&self, at: usize, used: &mut BTreeSet<ClaimId>) -> SolverVerdict {
        let claim = &self.certificate.contents[at];
        let Some(object) = self.origins.named(&claim.object) else { return fails("there is no such object") };
        if claim.range.is_anything() {
            return SolverVerdict::Holds;
        }
        if self.origins.is_open(object) {
            return refused("others may write to it");
        }
        if let Some(verdict) = self.initial_breaks(object, claim) {
            return verdict;
        }
        let target = Target { object, claim };
        for (id, function) in self.module.functions.iter() {
            for (at, instruction) in function.instructions.iter() {
                let block = self.shapes[id].block_of[at];
                if !self.shapes[id].is_reached(block) {
                    continue;
                }
                let verdict = match instruction.opcode {
                    Opcode::Store => self.store_preserves(id, at, target, used),
                    Opcode::Call | Opcode::Invoke => self.fill_preserves(id, at, target),
                    _ => continue,
                };
                if verdict != SolverVerdict::Holds {
                    return verdict;
                }
            }
        }
        SolverVerdict::Holds
    }

    fn initial_breaks(&self, object: ObjectId, claim: &ContentsClaim) -> Option<SolverVerdict> {
        match self.origins.objects[object] {
            Object::Data(global) => {
                let data = &self.module.globals[global];
                let places = places_of(claim);
                match self.elements(data, places, claim.size, claim.range.width) {
                    Some(all)
                        if all
                            .iter()
                            .all(|&(_, word)| word.is_some_and(|word| claim.range.contains(word))) =>
                    {
                        None
                    }
                    _ => Some(fails("it holds something else at first")),
                }
            }
            Object::Fresh(id, at) if self.outside_facts.zeroed.contains(&(id, at)) => {
                (!claim.range.contains(0)).then(|| fails("it holds zeros at first"))
            }
            Object::Local(id, at) | Object::Fresh(id, at) => {
                let is_known =
                    self.certificate.written_first || self.outside_facts.written_first.contains(&(id, at));
                (!claim.written_first || !is_known).then(|| refused("it may be read before it is written"))
            }
        }
    }

    /// What data holds at these places; none where that is no such integer.
    fn elements(
        &self,
        data: &Global,
        places: Places,
        size: u64,
        width: u32,
    ) -> Option<Vec<(u64, Option<u128>)>> {
        let contents = data.contents.as_ref().filter(|contents| contents.is_complete)?;
        let end = self.layout.size(data.ty)?.checked_sub(size)?;
        let first = u64::try_from(places.first).ok()?;
        let step = u64::try_from(places.step).ok()?;
        let count = end.saturating_sub(first).checked_div(step).map_or(1, |steps| steps + 1);
        if count > MOST_ELEMENTS || size * 8 != u64::from(width).next_multiple_of(8) {
            return None;
        }
        let read = |offset: u64| {
            let before = contents.scalars.partition_point(|&(at, ..)| at < offset);
            let overlaps = before > 0 && {
                let (at, ty, _) = contents.scalars[before - 1];
                self.layout.size(ty).is_none_or(|size| at + size > offset)
            };
            if overlaps {
                return None;
            }
            match contents.scalars.get(before) {
                Some(&(at, ty, scalar)) if at == offset => match scalar {
                    ScalarValue::Constant(ConstantValue::Integer(word))
                        if self.layout.size(ty) == Some(size) =>
                    {
                        Some(word & mask(width))
                    }
                    _ => None,
                },
                Some(&(at, ..)) if at < offset + size => None,
                _ => Some(0),
            }
        };
        let all = (0..count).map(|at| first + at * step).filter(|&at| at <= end);
        Some(all.map(|at| (at, read(at))).collect())
    }

    fn store_preserves(
        &self,
        id: FunctionId,
        at: InstructionId,
        target: Target<'_>,
        used: &mut BTreeSet<ClaimId>,
    ) -> SolverVerdict {
        let Target { object, claim } = target;
        let operands = self.module.functions[id].operands_of(at);
        let (value, address) = (operands[0], operands[1]);
        let Some(&places) = self.origins.origins(id, address).targets.get(&object) else {
            return SolverVerdict::Holds;
        };
        let stored = self.type_of(id, value);
        let Some(size) = stored.and_then(|ty| self.layout.size(ty)) else {
            return refused("something without a size is stored there");
        };
        let wanted_places = places_of(claim);
        if wanted_places.is_disjoint(claim.size, places, size) {
            return SolverVerdict::Holds;
        }
        let is_same_type = stored.is_some_and(|ty| {
            matches!(self.module.types[ty], opcost_ir::Type::Integer(width) if width == claim.range.width)
        });
        if !is_same_type || size != claim.size || !wanted_places.is_same_or_disjoint(places, size) {
            return refused("something else is stored there, too");
        }
        if self.is_within(id, value, Goal::Range(&claim.range), used) {
            return SolverVerdict::Holds;
        }
        let name = &self.module.functions[id].name;
        if self.comes_again(id) {
            return fails(&format!("control may return a second time to where {name}:{at} stores"));
        }
        self.follows(id, &format!("what {name}:{at} stores"), used, |question| {
            question.at_block(self.shapes[id].block_of[at]);
            goal_of_value(question, value, Goal::Range(&claim.range))
        })
    }

    /// `memset` and `memcpy`; other calls that write make the object open.
    fn fill_preserves(&self, id: FunctionId, at: InstructionId, target: Target<'_>) -> SolverVerdict {
        let Target { object, claim } = target;
        let function = &self.module.functions[id];
        let name = self.intrinsic_name(id, at).unwrap_or("");
        let (sets, copies) = (
            name.starts_with("llvm.memset."),
            name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove."),
        );
        if !sets && !copies {
            return SolverVerdict::Holds;
        }
        let operands = function.operands_of(at);
        let Some(&to) = self.origins.origins(id, operands[0]).targets.get(&object) else {
            return SolverVerdict::Holds;
        };
        let length = word(self.module, operands[2]).and_then(|length| u64::try_from(length).ok());
        let wanted_places = places_of(claim);
        if to.step == 0 && length.is_some_and(|length| wanted_places.is_disjoint(claim.size, to, length)) {
            return SolverVerdict::Holds;
        }
        if claim.size > 1 && !(to.step == 0 && length.is_some_and(|length| is_whole(claim, to.first, length)))
        {
            return refused("a part of it is filled");
        }
        if sets {
            let byte = word(self.module, operands[1]).map(|byte| byte & 0xff);
            let filled =
                byte.map(|byte| (0..16).fold(0, |word, _| word << 8 | byte) & mask(claim.range.width));
            return match filled {
                Some(filled) if claim.range.contains(filled) => SolverVerdict::Holds,
                _ => fails("it is filled with something else"),
            };
        }
        let copied = self.copied(id, operands[1], Filled { places: to, length }, claim);
        if copied { SolverVerdict::Holds } else { fails("something else is copied to it") }
    }

    /// Whether what is copied is constant data that keeps the claim.
    fn copied(&self, id: FunctionId, from: Value, filled: Filled, claim: &ContentsClaim) -> bool {
        let Filled { places: to, length } = filled;
        let source = self.origins.origins(id, from).single();
        let Some((source, at)) = source.filter(|(_, at)| at.step == 0 && to.step == 0) else { return false };
        let (Object::Data(global), Some(length)) = (self.origins.objects[source], length) else {
            return false;
        };
        let data = &self.module.globals[global];
        let places = places_of(claim);
        let shifted = Places { first: places.first - to.first + at.first, step: places.step };
        let start = match i128::try_from(shifted.step) {
            Ok(0) | Err(_) => shifted,
            Ok(step) => Places { first: at.first + (shifted.first - at.first).rem_euclid(step), ..shifted },
        };
        let elements = self.elements(data, start, claim.size, claim.range.width);
        let end = at.first + i128::from(length);
        self.is_fixed(global)
            && elements.is_some_and(|all| {
                let mut inside = all.iter().filter(|&&(offset, _)| i128::from(offset) < end);
                inside.all(|&(_, word)| word.is_some_and(|word| claim.range.contains(word)))
            })
    }

    /// Whether data always is what the module says.
    fn is_fixed(&self, global: GlobalId) -> bool {
        self.module.globals[global].is_constant && self.origins.is_final_data(global)
    }

    pub(crate) fn load_follows(
        &self,
        id: FunctionId,
        at: InstructionId,
        wanted_of: Goal<'_>,
        used: &mut BTreeSet<ClaimId>,
    ) -> SolverVerdict {
        let Goal::Range(range) = wanted_of else { return refused("what is loaded is unrelated") };
        let address = self.module.functions[id].operands_of(at)[0];
        let origins = self.origins.origins(id, address);
        let size = self.layout.size(self.module.functions[id].instructions[at].ty);
        let Some(size) = size.filter(|_| !self.is_shared(id, at) && !origins.is_unknown) else {
            return refused("nobody knows what is loaded");
        };
        if self.is_pointer(id, Value::Instruction(at)) {
            return refused("it is an address from memory");
        }
        for (&object, &places) in &origins.targets {
            let read = Read { id, at, places, size };
            let verdict = match self.origins.objects[object] {
                Object::Data(global) if self.is_fixed(global) => {
                    self.table_preserves(read, global, range, used)
                }
                _ => self.cell_preserves(read, object, range, used),
            };
            if verdict != SolverVerdict::Holds {
                return verdict;
            }
        }
        SolverVerdict::Holds
    }

    fn cell_preserves(
        &self,
        read: Read,
        object: ObjectId,
        range: &RangeClaim,
        used: &mut BTreeSet<ClaimId>,
    ) -> SolverVerdict {
        let Read { id, at, places, size } = read;
        let name = self.origins.name(object);
        let all = self.by_object.get(&object).map_or(&[][..], Vec::as_slice);
        let claims = all.iter().map(|&at| (at, &self.certificate.contents[at])).filter(|(_, claim)| {
            let is_same = claim.size == size && claim.range.width == range.width;
            is_same && places_of(claim).holds(places)
        });
        let claims: Vec<_> = claims.collect();
        used.extend(claims.iter().map(|&(at, _)| ClaimId::Contents(at)));
        let known: Vec<&RangeClaim> = claims.iter().map(|(_, claim)| &claim.range).collect();
        self.words_imply(
            id,
            Word { claimed_ranges: &known, what: &format!("what {at} reads of {name}") },
            range,
            used,
        )
    }

    fn table_preserves(
        &self,
        read: Read,
        global: GlobalId,
        range: &RangeClaim,
        used: &mut BTreeSet<ClaimId>,
    ) -> SolverVerdict {
        let Read { id, at, places, size } = read;
        let data = &self.module.globals[global];
        let Some(elements) = self.elements(data, places, size, range.width) else {
            return fails("the contents of the table are not known");
        };
        let breaks = |word: Option<u128>| word.is_none_or(|word| !range.contains(word));
        let runs = runs(&elements, breaks);
        if runs.is_empty() {
            return SolverVerdict::Holds;
        }
        if runs.len() > MOST_RUNS {
            return fails("many elements of the table are something else");
        }
        let address = self.module.functions[id].operands_of(at)[0];
        let block = self.shapes[id].block_of[at];
        self.follows(id, &format!("the offsets that {at} reads of {}", data.name), used, |question| {
            question.at_block(block);
            let address = question.value(address, ALWAYS)?;
            if !address.base.is_some_and(|base| base.is_start) {
                return None;
            }
            let mut any = String::from("(or false");
            for &(first, last) in &runs {
                let offset = &address.term;
                let (first, span) = (bits(64, first.into()), bits(64, (last - first).into()));
                write!(any, " (bvule (bvsub {offset} {first}) {span})").expect("writing to a string");
            }
            Some(format!("(not {any}))"))
        })
    }
}

/// Offsets from one to the next that break something, as first and last.
fn runs(elements: &[(u64, Option<u128>)], breaks: impl Fn(Option<u128>) -> bool) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    let mut is_open = false;
    for &(offset, word) in elements {
        match (breaks(word), runs.last_mut().filter(|_| is_open)) {
            (true, Some(run)) => run.1 = offset,
            (true, None) => runs.push((offset, offset)),
            _ => {}
        }
        is_open = breaks(word);
    }
    runs
}

fn places_of(claim: &ContentsClaim) -> Places {
    Places { first: claim.first.into(), step: claim.step.into() }
}

/// Whether so many bytes from an offset on hold each place wholly or not at all.
fn is_whole(claim: &ContentsClaim, start: i128, length: u64) -> bool {
    let cuts = |at: i128| {
        let ahead = at - i128::from(claim.first);
        let inside = if claim.step == 0 { ahead } else { ahead.rem_euclid(claim.step.into()) };
        (1..i128::from(claim.size)).contains(&inside)
    };
    !cuts(start) && !cuts(start + i128::from(length))
}
