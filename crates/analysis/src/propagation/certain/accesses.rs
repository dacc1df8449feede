//! What does an access demand of its pointer, and a pointer of its indices?
//!
//! An access is within the largest of the objects that its pointer may lead to: data that nobody
//! can replace, locals, and what is allocated with a constant size, if nothing ever moves or
//! resizes what is allocated. The offset is the base's and what the indices add, each of which is
//! what the others leave. Cost: the square of the indices.

use opcost_ir::{Flags, Opcode, TypeId, Value};
use opcost_key::InstructionId;

use super::walk::Walk;
use crate::memory::ObjectKind;
use crate::memory::addresses::displacement::{self, steps_of};
use crate::propagation::options::Backwards;
use crate::ranges::back;
use crate::ranges::word::mask;
use crate::ranges::{Interval, Operation, RangeStep, ValueRange};

/// The longest chain of `getelementptr`s whose indices are bounded.
const DEEPEST: usize = 8;

impl Walk<'_> {
    /// An access is in one of the objects that it may go to.
    pub(super) fn access(&mut self, at: InstructionId, pointer: Value, ty: Option<TypeId>) {
        if self.options.backwards == Backwards::WithinArrays {
            self.inner(pointer);
        }
        let (Some(known), Some(range)) = (self.known(pointer), self.inside(pointer, ty)) else { return };
        if range.type_width() != known.type_width() {
            return;
        }
        if !known.is_empty() && known.meet(&range).is_empty() {
            self.all.outside.push((self.id, at));
        }
        self.need(pointer, &range);
    }

    /// Offsets of an access in the largest of the objects.
    fn inside(&self, pointer: Value, ty: Option<TypeId>) -> Option<ValueRange> {
        let program = self.program;
        let size = program.layout.size(ty?)?;
        let width = match self.known(pointer) {
            Some(range) => range.type_width(),
            None => return None,
        };
        let targets = program.addresses.targets(self.id, pointer);
        if targets.is_unknown || targets.known.is_empty() {
            return None;
        }
        let objects = program.addresses.objects();
        let sizes = targets.known.iter().map(|target| {
            let is_whole = match objects.kind(target.object) {
                ObjectKind::Global(global) => {
                    let data = &program.module.globals[global];
                    program.is_final_data(global) && !data.is_declared
                }
                ObjectKind::Alloca(..) => true,
                ObjectKind::Fresh(..) => self.allocates_once,
                _ => false,
            };
            objects.size(target.object).filter(|_| is_whole)
        });
        let sizes: Option<Vec<u64>> = sizes.collect();
        let most = sizes?.into_iter().max()?;
        Some(match most.checked_sub(size) {
            Some(last) => ValueRange::from(Interval::new(width, 0, u128::from(last))),
            None => ValueRange::empty(width),
        })
    }

    /// Indices stay inside the arrays that they run through: taken as given.
    fn inner(&mut self, pointer: Value) {
        let mut next = pointer;
        for _ in 0..DEEPEST {
            let Value::Instruction(at) = next else { return };
            if self.function.instructions[at].opcode != Opcode::GetElementPtr {
                return;
            }
            let program = self.program;
            for one in steps_of(program.module, program.layout, self.function, at).unwrap_or_default() {
                if let displacement::PointerMove::Index { index, length: Some(length @ 1..), .. } = one
                    && let Some(known) = self.known(index)
                    && let width @ 1..=127 = known.type_width()
                    && u128::from(length) <= 1 << (width - 1)
                {
                    self.need(index, &ValueRange::from(Interval::new(width, 0, u128::from(length - 1))));
                }
            }
            next = self.function.operands_of(at)[0];
        }
    }

    /// What base and indices of a `getelementptr` must be.
    pub(super) fn element(&mut self, at: InstructionId, own: &ValueRange) {
        let program = self.program;
        let width = own.type_width();
        let base = self.function.operands_of(at)[0];
        let Some(steps) = steps_of(program.module, program.layout, self.function, at) else { return };
        let Some(from) = self.known(base).filter(|from| from.type_width() == width) else { return };
        let is_kept = self.function.instructions[at].flags.has(Flags::NSW);
        let flags = if is_kept { Flags::NSW } else { Flags::NONE };
        let times = RangeStep { operation: Operation::Mul, flags, width };
        let word = |bytes: i128| ValueRange::constant(width, bytes as u128 & mask(width));
        // Each part, and of an index itself and what one of it is worth.
        let mut parts = vec![from];
        let mut indices: Vec<(usize, Value, ValueRange, ValueRange)> = Vec::new();
        for one in steps {
            match one {
                displacement::PointerMove::Bytes(bytes) => parts.push(word(bytes.into())),
                displacement::PointerMove::Index { index, stride, .. } => {
                    let Some(known) = self.known(index) else { return };
                    let wide = match resized(known.type_width(), width) {
                        Some(step) => ValueRange::transfer(&step, &[known]),
                        None => known,
                    };
                    let stride = word(stride.into());
                    let part = ValueRange::transfer(&times, &[wide.clone(), stride.clone()]);
                    indices.push((parts.len(), index, wide, stride));
                    parts.push(part);
                }
            }
        }
        let rest = |without: usize| {
            let others = parts.iter().enumerate().filter(|&(at, _)| at != without);
            others.fold(own.clone(), |rest, (_, part)| {
                ValueRange::transfer(&RangeStep::new(Operation::Sub, width), &[rest, part.clone()])
            })
        };
        let first = rest(0);
        let found: Vec<(Value, ValueRange)> = indices
            .iter()
            .map(|(at, index, wide, stride)| (*index, back::operand(&times, &[wide, stride], 0, &rest(*at))))
            .collect();
        self.need(base, &first);
        for (index, wide) in found {
            let Some(known) = self.known(index) else { continue };
            match resized(known.type_width(), width) {
                Some(step) => self.need(index, &back::operand(&step, &[&known], 0, &wide)),
                None => self.need(index, &wide),
            }
        }
    }
}

/// How an index becomes as wide as an offset.
fn resized(from: u32, to: u32) -> Option<RangeStep> {
    match from.cmp(&to) {
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Less => Some(RangeStep::new(Operation::SExt, to)),
        std::cmp::Ordering::Greater => Some(RangeStep::new(Operation::Trunc, to)),
    }
}
