//! Does a write write to this place?
//!
//! A store is compared by its address's form first: the same form is a known number of bytes away.
//! Otherwise it is apart if its type tag says so, if one of both is reached through a `noalias`
//! parameter that the function does not keep and the other is not, or by the objects that both may
//! point to. A call is compared by the footprints of what it calls. Whatever promise of the source
//! language an answer rests on is reported (`Reasons`).
//!
//! Input: the writes of a function, a place. Output: a `AccessVerdict` for each pair.
//! Cost: constant for a store; for a call, the spans of its footprints; once for
//! all writes of a class.

use opcost_index::IdMap;
use opcost_ir::{Opcode, TagId, TypeId, Value};
use opcost_key::InstructionId;

use super::addresses::{AddressTarget, Apart, Offsets, Reach, Where, gcd};
use super::calls::Caller;
use super::forms::{Address, Forms, Root};
use super::summaries::Summary;
use super::writes::{Class, ClassId, MemoryWrite, Stored, Writes};

/// A place in memory that loads of one type read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CellPlace {
    /// Where it is.
    pub address: Address,
    /// What is read there.
    pub ty: TypeId,
    /// Under which type tag.
    pub tag: Option<TagId>,
    /// What its pointer may point to.
    pub reach: Where,
}
/// What a write does to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessVerdict {
    /// Nothing, for these reasons.
    No(Reasons),
    /// Stores its value there, and nothing else.
    Exactly,
    /// Something, perhaps.
    Perhaps,
}

/// All promises of the source language that answers about memory rest on, in words.
pub const MEMORY_WORDS: [&str; 3] =
    ["no alias by type", "no alias through noalias parameters", "indices stay inside their array"];

/// Promises of the source language that "no" rests on, as a set of bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reasons(pub(crate) u8);

impl Reasons {
    pub(crate) const NONE: Reasons = Reasons(0);
    const TYPE: Reasons = Reasons(1);
    const NOALIAS: Reasons = Reasons(2);
    const INDEX: Reasons = Reasons(4);

    pub(crate) fn and(self, other: Reasons) -> Reasons {
        Reasons(self.0 | other.0)
    }

    /// The reasons in words.
    pub(crate) fn words(self) -> &'static [&'static str] {
        const TYPE: &str = MEMORY_WORDS[0];
        const NOALIAS: &str = MEMORY_WORDS[1];
        const INDEX: &str = MEMORY_WORDS[2];
        const ALL: [&[&str]; 8] = [
            &[],
            &[TYPE],
            &[NOALIAS],
            &[TYPE, NOALIAS],
            &[INDEX],
            &[TYPE, INDEX],
            &[NOALIAS, INDEX],
            &[TYPE, NOALIAS, INDEX],
        ];
        ALL[usize::from(self.0 & 7)]
    }
}

/// A place that all writes are asked about, and what was found on the way.
pub(crate) struct Asked<'p> {
    place: &'p CellPlace,
    size: u64,
    reach: Reach<'p>,
    root: Root,
    /// The parameter through which alone it is reached.
    parameter: Option<u32>,
    found: &'p mut Found,
}

/// What was found of the place at hand. Room that is used again: what bears
/// another stamp is of another place.
#[derive(Default)]
pub(crate) struct Found {
    stamp: u32,
    by_class: IdMap<ClassId, (u32, AccessVerdict)>,
    /// By tag of a store: whether they may overlap by type.
    by_tag: IdMap<TagId, (u32, bool)>,
}

impl Found {
    /// Room for these writes.
    pub(crate) fn of(writes: &Writes<'_>) -> Found {
        let by_class = IdMap::filled(writes.classes.len(), (0, AccessVerdict::Perhaps));
        let by_tag = IdMap::filled(writes.memory.module.tags.len(), (0, true));
        Found { stamp: 0, by_class, by_tag }
    }
}

impl Writes<'_> {
    /// A question about `size` bytes at a place; none if nothing writes there.
    pub(crate) fn ask<'p>(
        &'p self,
        place: &'p CellPlace,
        size: u64,
        forms: &Forms<'_>,
        found: &'p mut Found,
    ) -> Option<Asked<'p>> {
        let reach = self.memory.addresses.reach(&place.reach);
        let is_constant = |target: &AddressTarget| self.memory.is_constant(target.object);
        if !reach.is_unknown && reach.known.iter().all(is_constant) {
            return None;
        }
        found.stamp += 1;
        let root = forms.form(place.address.form).root;
        let parameter = self.parameter_kept_apart(root);
        Some(Asked { place, size, reach, root, parameter, found })
    }

    /// What a write does to the place.
    pub(crate) fn verdict(
        &self,
        write: &MemoryWrite,
        asked: &mut Asked<'_>,
        forms: &Forms<'_>,
    ) -> AccessVerdict {
        let (stamp, known) = asked.found.by_class[write.class];
        if stamp == asked.found.stamp {
            return known;
        }
        let verdict = match &self.classes[write.class] {
            Class::Store(stored) => self.store(stored, asked, forms),
            // What was done between both returns of a setjmp is behind it too.
            Class::Call { twice: true, .. } => AccessVerdict::Perhaps,
            // It matters what this one is given.
            Class::Call { own, called, .. } if asked.parameter.is_some() => {
                return self.called(write.at, own, called, asked);
            }
            Class::Call { own, called, .. } => self.called(write.at, own, called, asked),
        };
        asked.found.by_class[write.class] = (asked.found.stamp, verdict);
        verdict
    }

    fn store(&self, stored: &Stored, asked: &mut Asked<'_>, forms: &Forms<'_>) -> AccessVerdict {
        let (place, size) = (asked.place, asked.size);
        let is_same_kind = stored.ty == Some(place.ty) && stored.is_plain;
        if stored.address.form == place.address.form {
            let distance = stored.address.offset.wrapping_sub(place.address.offset);
            return match distance {
                0 if is_same_kind => AccessVerdict::Exactly,
                _ if is_apart(distance, stored.size, size) => AccessVerdict::No(Reasons::NONE),
                _ => AccessVerdict::Perhaps,
            };
        }
        if self.are_strides_apart(stored, asked, forms) {
            return AccessVerdict::No(Reasons::NONE);
        }
        let addresses = &self.memory.addresses;
        let there = Where::Answer(stored.targets);
        let (there, here) = (addresses.reach(&there), asked.reach);
        let apart = addresses.apart(there, stored.size, here, size);
        if apart == Some(Apart::Always) {
            return AccessVerdict::No(Reasons::NONE);
        }
        if !self.may_overlap_by_type(stored.tag, asked) {
            return AccessVerdict::No(Reasons::TYPE);
        }
        if self.are_kept_apart(forms.form(stored.address.form).root, asked) {
            return AccessVerdict::No(Reasons::NOALIAS);
        }
        if apart == Some(Apart::ByIndex) {
            return AccessVerdict::No(Reasons::INDEX);
        }
        match there.single() {
            Some((object, offset))
                if here.single() == Some((object, offset))
                    && is_same_kind
                    && self.memory.is_single(object) =>
            {
                AccessVerdict::Exactly
            }
            _ => AccessVerdict::Perhaps,
        }
    }

    fn may_overlap_by_type(&self, tag: Option<TagId>, asked: &mut Asked<'_>) -> bool {
        let Some((stored, read)) = tag.zip(asked.place.tag) else { return true };
        let stamp = asked.found.stamp;
        let known = &mut asked.found.by_tag[stored];
        if known.0 != stamp {
            *known = (stamp, self.memory.module.may_overlap_by_type(stored, read));
        }
        known.1
    }

    /// Whether addresses from one root are apart whatever their indices are.
    fn are_strides_apart(&self, stored: &Stored, asked: &Asked<'_>, forms: &Forms<'_>) -> bool {
        let (place, size) = (asked.place, asked.size);
        let left = forms.form(stored.address.form);
        if left.root != asked.root {
            return false;
        }
        let right = forms.form(place.address.form);
        let step = |form: &super::forms::Form| form.terms.iter().fold(0, |step, term| gcd(step, term.scale));
        let from = |offset: i64, step: u64| match step {
            0 => Offsets::exact(offset),
            _ => Offsets::every(offset, step),
        };
        // Modulo the width of an address only powers of two are kept.
        let power = |step: u64| if step == 0 { 0 } else { 1 << step.trailing_zeros() };
        let one = from(stored.address.offset, power(step(left)));
        let other = from(place.address.offset, power(step(right)));
        one.apart(stored.size, other, size) == Some(Apart::Always)
    }

    /// Whether one is reached through a parameter that nothing else leads to.
    fn are_kept_apart(&self, stored: Root, asked: &Asked<'_>) -> bool {
        (asked.parameter.is_some() && !self.may_be_based(stored, asked.root))
            || (self.parameter_kept_apart(stored).is_some() && !self.may_be_based(asked.root, stored))
    }

    fn parameter_kept_apart(&self, root: Root) -> Option<u32> {
        match root {
            Root::Value(Value::Argument(position)) => {
                self.kept_apart.get(position as usize).is_some_and(|&is| is).then_some(position)
            }
            _ => None,
        }
    }

    /// Whether an address with this root may be made from a parameter of which
    /// no copy is kept.
    fn may_be_based(&self, root: Root, parameter: Root) -> bool {
        let body = &self.memory.module.functions[self.function];
        match root {
            Root::Object(_) | Root::Held(..) => false,
            Root::Value(Value::Instruction(at)) => !matches!(
                body.instructions[at].opcode,
                Opcode::Alloca | Opcode::Load | Opcode::Call | Opcode::Invoke
            ),
            Root::Value(Value::Argument(_)) => root == parameter,
            Root::Value(_) => false,
        }
    }

    fn called(
        &self,
        at: InstructionId,
        own: &Summary,
        called: &[Caller],
        asked: &Asked<'_>,
    ) -> AccessVerdict {
        let Asked { reach, size, parameter, .. } = *asked;
        let is_passed = |position| self.passed.contains(&(position, at));
        let objects = self.memory.addresses.objects();
        let parts = std::iter::once(&own.writes)
            .chain(called.iter().map(|&callee| &self.memory.summaries.of(callee).writes));
        let mut reasons = Reasons::NONE;
        for footprint in parts {
            reasons = match footprint.apart(objects, reach, size) {
                Some(Apart::Always) => reasons,
                Some(Apart::ByIndex) => reasons.and(Reasons::INDEX),
                None if parameter.is_some_and(|position| !is_passed(position)) => {
                    reasons.and(Reasons::NOALIAS)
                }
                None => return AccessVerdict::Perhaps,
            };
        }
        AccessVerdict::No(reasons)
    }
}

/// Whether `size` bytes at so many bytes from `other` bytes do not touch them.
fn is_apart(distance: i64, size: u64, other: u64) -> bool {
    let (distance, size, other) = (i128::from(distance), i128::from(size), i128::from(other));
    distance >= other || distance + size <= 0
}
