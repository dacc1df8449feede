//! What may be in an object? All that is ever written there.
//!
//! Of an object that is contained (all writes to it are seen) the contents at
//! some offsets are what it held at first and all that is stored to these
//! offsets, if each such store meets exactly one such place or none; fills with
//! a constant byte and copies of constant data count too. Of a local that is
//! perhaps read before it is written ([`written_first`](super::written_first)),
//! what it held at first is undefined.
//!
//! Contents are asked by the offsets that the address analysis gives, so that fields and the
//! columns of arrays of structs are distinguished. Cost: for each question the writes of its
//! object, [`MOST_WRITES`] in all.

use opcost_ir::{ConstantValue, Value};
use opcost_key::{FunctionId, InstructionId};
use rustc_hash::FxHashSet;

use super::collect::Collector;
use super::content_requests::Question;
use super::external_facts::is_zeroed;
use super::facts::EdgeFact;
use super::range::{Kind, Range, kind_of};
use super::variables::{Definition, Limit, VariableId};
use crate::memory::addresses::{Offsets, gcd};
use crate::memory::{ObjectId, ObjectKind, Writer, Written};
use crate::ranges::word::mask;
use crate::ranges::{Congruence, FloatRange, Interval, KnownBits, ValueRange};

/// How many writes all questions look at.
const MOST_WRITES: usize = 20_000_000;

impl Collector<'_> {
    /// All that is ever stored there; none if others may write there.
    pub(super) fn contents_of(&mut self, question: Question, kind: Kind) -> Option<VariableId> {
        if let Some(&known) = self.requests.known.get(&question) {
            return known;
        }
        let made = self.is_contained(question.object).then(|| self.variables.reserve(kind));
        if let Some(made) = made {
            self.requests.open.push((question, made));
            self.note(EdgeFact::ObjectContained(question.object));
        }
        self.requests.known.insert(question, made);
        made
    }

    fn is_contained(&self, object: ObjectId) -> bool {
        let program = self.program;
        let is_own = match program.addresses.objects().kind(object) {
            ObjectKind::Global(global) => {
                let data = &program.module.globals[global];
                let is_named_once = !self.has_second_names_of_data;
                is_named_once && !data.is_declared && !program.roots.reached_from_outside.contains(global)
            }
            ObjectKind::Alloca(..) | ObjectKind::Fresh(..) => true,
            _ => false,
        };
        is_own && !self.writers.is_open(program, object)
    }

    /// What all contents are, when all stores have been met.
    pub(super) fn define_contents(&mut self) {
        while let Some((question, variable)) = self.requests.open.pop() {
            let parts = self.initial(question).and_then(|initial| self.written(question, initial));
            let definition = match parts {
                Ok(parts) => Definition::Join(parts.into()),
                Err(limit) => Definition::Full(limit),
            };
            self.variables.define(variable, definition);
        }
    }

    /// What is there before anything is stored.
    fn initial(&mut self, question: Question) -> Result<Vec<VariableId>, Limit> {
        let Question { object, offsets, ty } = question;
        let program = self.program;
        let kind = kind_of(program.module, ty).ok_or(Limit::Memory)?;
        match program.addresses.objects().kind(object) {
            ObjectKind::Global(global) => {
                let table =
                    self.tables.of(program.module, program.layout, global, ty).ok_or(Limit::Memory)?;
                let reached = offset_range(offsets);
                let reached =
                    self.variables.add(Kind::Integer(64), Definition::Constant(Range::Integer(reached)));
                Ok(vec![self.variables.add(kind, Definition::Table(table, reached))])
            }
            ObjectKind::Fresh(function, at) if is_zeroed(program, function, at) => match kind {
                Kind::Integer(width) => Ok(vec![self.variables.word(width, 0)]),
                Kind::Float(_) => Ok(vec![self.zero_float(kind)]),
            },
            ObjectKind::Alloca(function, at) if self.is_written_first(object, function, at) => Ok(Vec::new()),
            _ if self.options.memory_is_written_first => {
                self.note(EdgeFact::WrittenFirst(object));
                Ok(Vec::new())
            }
            _ => Err(Limit::Undefined),
        }
    }

    /// Whether what a local held at first is never read.
    fn is_written_first(&mut self, object: ObjectId, function: FunctionId, at: InstructionId) -> bool {
        if let Some(&known) = self.requests.is_first.get(&object) {
            return known;
        }
        let is_first = self.first.holds(function, at);
        self.requests.is_first.insert(object, is_first);
        is_first
    }

    fn zero_float(&mut self, kind: Kind) -> VariableId {
        let range = match kind {
            Kind::Float(format) => Range::Float(FloatRange::constant(format, 0.0)),
            Kind::Integer(_) => Range::full(kind),
        };
        self.variables.add(kind, Definition::Constant(range))
    }

    /// All that is written there.
    fn written(&mut self, question: Question, mut parts: Vec<VariableId>) -> Result<Vec<VariableId>, Limit> {
        let Question { object, offsets, ty } = question;
        let program = self.program;
        let size = program.layout.size(ty).ok_or(Limit::Memory)?;
        let writers: Vec<Writer> =
            self.writers.of(program, object, offsets, size).map(|(writer, _)| *writer).collect();
        self.requests.answered += writers.len();
        if self.requests.answered > MOST_WRITES {
            return Err(Limit::Memory);
        }
        let mut seen: FxHashSet<VariableId> = parts.iter().copied().collect();
        for writer in writers {
            let part = self.one_write(question, size, &writer).ok_or(Limit::Memory)?;
            if seen.insert(part) {
                parts.push(part);
            }
        }
        Ok(parts)
    }

    /// What one write puts there; none if that is not followed.
    fn one_write(&mut self, question: Question, size: u64, writer: &Writer) -> Option<VariableId> {
        let Question { object, offsets, ty } = question;
        let program = self.program;
        let module = program.module;
        let site = writer.at;
        let body = &module.functions[site.function];
        match writer.what {
            Written::Value(_, stored) if module.types[stored] == module.types[ty] => {
                let places = writer.places(program, object)?;
                let fits = places.iter().all(|&other| is_same_or_apart(offsets, other, size));
                let variable = self.stored.get(&(site.function, site.call)).copied();
                variable.filter(|_| fits)
            }
            Written::Argument(0) => {
                let name = module.intrinsic_name(body.call(site.call)?.callee)?;
                if !name.starts_with("llvm.memset.") {
                    return None;
                }
                let places = writer.places(program, object)?;
                if !places.iter().all(|&to| is_whole(offsets, size, to, writer.length())) {
                    return None;
                }
                let value = *body.operands_of(site.call).get(1)?;
                let Value::Constant(id) = value else { return None };
                let ConstantValue::Integer(byte) = module.constants[id].value else { return None };
                let width = match kind_of(module, ty)? {
                    Kind::Integer(width) => width,
                    kind => return (byte == 0).then(|| self.zero_float(kind)),
                };
                let word = (0..16).fold(0u128, |word, _| word << 8 | byte & 0xff);
                Some(self.variables.word(width, word & mask(width)))
            }
            Written::Copy { from, .. } => self.copied(question, writer, from),
            _ => None,
        }
    }

    /// What comes of constant data that is copied to here.
    fn copied(&mut self, question: Question, writer: &Writer, from: u32) -> Option<VariableId> {
        let Question { object, offsets, ty } = question;
        let program = self.program;
        let site = writer.at;
        let body = &program.module.functions[site.function];
        let source = *body.arguments_of(site.call).get(from as usize)?;
        let targets = program.addresses.targets(site.function, source);
        let [target] = &targets.known[..] else { return None };
        let ObjectKind::Global(global) = program.addresses.objects().kind(target.object) else { return None };
        let data = &program.module.globals[global];
        let is_final = program.is_final_data(global);
        if targets.is_unknown || !data.is_constant || !is_final {
            return None;
        }
        let [to] = writer.places(program, object)?[..] else { return None };
        let size = program.layout.size(ty)?;
        if !is_whole(offsets, size, to, writer.length()) {
            return None;
        }
        let shift = target.offsets.as_exact()?.checked_sub(to.as_exact()?)?;
        let table = self.tables.of(program.module, program.layout, global, ty)?;
        let kind = kind_of(program.module, ty)?;
        let (first, _, step) = offsets.parts();
        let moved = match step {
            0 => Offsets::exact(first.checked_add(shift)?),
            _ => Offsets::every(first.checked_add(shift)?, step),
        };
        let reached = Definition::Constant(Range::Integer(offset_range(moved)));
        let reached = self.variables.add(Kind::Integer(64), reached);
        Some(self.variables.add(kind, Definition::Table(table, reached)))
    }
}

/// Whether two places are the same or do not touch, whichever of their offsets they have.
pub(crate) fn is_same_or_apart(one: Offsets, two: Offsets, size: u64) -> bool {
    let ((first, _, step), (other, _, other_step)) = (one.parts(), two.parts());
    let distance = gcd(gcd(step, other_step), first.abs_diff(other));
    distance == 0 || distance >= size
}

/// Whether `length` bytes from a place on hold all of a cell or nothing of it.
fn is_whole(cells: Offsets, size: u64, to: Offsets, length: u64) -> bool {
    let Some(start) = to.as_exact() else { return size == 1 };
    let (first, _, step) = cells.parts();
    let cuts = |at: i128| {
        let ahead = at - i128::from(first);
        let inside = if step == 0 { ahead } else { ahead.rem_euclid(i128::from(step)) };
        (1..i128::from(size)).contains(&inside)
    };
    let end = i128::from(start) + i128::from(length);
    !cuts(i128::from(start)) && length != u64::MAX && !cuts(end) || size == 1
}

/// The offsets as a range of words of 64 bits.
fn offset_range(offsets: Offsets) -> ValueRange {
    let (first, _, step) = offsets.parts();
    match (step, u128::try_from(first)) {
        (0, _) => ValueRange::constant(64, first as u64 as u128),
        (_, Ok(first)) => ValueRange::new(
            Interval::full(64),
            KnownBits::unknown(64),
            Congruence::new(64, u128::from(step), first),
        ),
        _ => ValueRange::full(64),
    }
}
