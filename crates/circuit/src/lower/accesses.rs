//! What do loads and stores become? Reads and writes of elements.
//!
//! A number of one element is one access. Where a memory has smaller elements, since others of its
//! accesses are smaller, a number is several of them, the lowest bits first. A struct is its numbers,
//! each by itself, so what lies between them is not touched.
//!
//! Input: an instruction, and sizes of elements where they are known. Output: nodes, and notes of
//! accesses for `settle`. Cost: nodes in the number of elements.

use opcost_ir::{Flags, TypeId};
use opcost_key::{BlockId, InstructionId};

use super::settle::MemoryAccess;
use super::structs::Field;
use super::{Frame, Lowered, Lowering};
use crate::kernel::{Action, KernelLocation, KernelOperand, MemoryId, MemoryKind};
use crate::refusal::CircuitRefusal;

/// Elements that are accessed one by one.
pub(crate) struct AccessSite {
    pub(crate) memory: MemoryId,
    /// Of the struct or number, in bytes.
    pub(crate) position: KernelOperand,
    /// Without this bit nothing is done.
    pub(crate) predicate: Option<KernelOperand>,
    pub(crate) location: Option<KernelLocation>,
}

impl<'m> Lowering<'m> {
    pub(super) fn load(
        &mut self,
        frame: &mut Frame<'m>,
        block: BlockId,
        at: InstructionId,
    ) -> Result<Lowered, CircuitRefusal> {
        let ty = frame.body.instructions[at].ty;
        let fields = self.accessed(frame, at, ty)?;
        let bits = self.integer_bits(ty, self.location_of(frame, at).as_ref())?;
        let sites = self.sites(frame, at, frame.body.operands_of(at)[0])?;
        let node = self.read_by(block, &sites, &fields, bits);
        let node = match node {
            KernelOperand::Node(node) => node,
            constant @ KernelOperand::Constant { .. } => self.node(block, Action::Copy, vec![constant], bits),
        };
        self.label(frame, at, node);
        Ok(Lowered { operand: KernelOperand::Node(node), memory: None })
    }

    pub(super) fn store(
        &mut self,
        frame: &mut Frame<'m>,
        block: BlockId,
        at: InstructionId,
    ) -> Result<(), CircuitRefusal> {
        let &[value, pointer] = frame.body.operands_of(at) else {
            return Err(self.no_operation(frame, at));
        };
        let Some(ty) = self.module.type_of(frame.body, value) else {
            return Err(self.no_operation(frame, at));
        };
        let fields = self.accessed(frame, at, ty)?;
        let sites = self.sites(frame, at, pointer)?;
        let value = self.value(frame, value, at)?.operand;
        for site in &sites {
            self.refuse_table(site)?;
            self.write_fields(block, site, &fields, value);
        }
        if let Some(&last) = self.blocks[block].nodes.last() {
            self.label(frame, at, last);
        }
        Ok(())
    }

    fn refuse_table(&self, site: &AccessSite) -> Result<(), CircuitRefusal> {
        let location = site.location.clone();
        match self.memories[site.memory].kind {
            MemoryKind::Table(_) => {
                Err(CircuitRefusal::new(location, "constant data is written", "make it a variable"))
            }
            _ => Ok(()),
        }
    }

    /// The numbers of what is accessed.
    fn accessed(
        &self,
        frame: &Frame<'m>,
        at: InstructionId,
        ty: TypeId,
    ) -> Result<Vec<Field>, CircuitRefusal> {
        let location = self.location_of(frame, at);
        let flags = frame.body.instructions[at].flags;
        if flags.has(Flags::VOLATILE) || flags.has(Flags::ATOMIC) {
            return Err(CircuitRefusal::new(
                location,
                "an access is volatile or atomic",
                "a circuit's memories are its own while it works; leave the word out",
            ));
        }
        self.integer_bits(ty, location.as_ref())?;
        self.fields(ty).ok_or_else(|| self.no_operation(frame, at))
    }

    /// Numbers of a memory, side by side.
    pub(super) fn read_fields(
        &mut self,
        block: BlockId,
        site: &AccessSite,
        fields: &[Field],
        bits: u32,
    ) -> KernelOperand {
        let mut all: Option<KernelOperand> = None;
        for &field in fields {
            let one = self.read(block, site, field);
            let one = match field.bits == bits {
                true => one,
                false => self.moved_up(block, one, field, bits),
            };
            all = Some(self.beside(block, all, one, bits));
        }
        all.unwrap_or(KernelOperand::Constant { bits, value: 0 })
    }

    /// Parts that are there already, and one more; each is where it belongs, and zero elsewhere.
    fn beside(
        &mut self,
        block: BlockId,
        parts: Option<KernelOperand>,
        part: KernelOperand,
        bits: u32,
    ) -> KernelOperand {
        match parts {
            None => part,
            Some(parts) => self.node(block, Action::Or, vec![parts, part], bits).into(),
        }
    }

    pub(super) fn write_fields(
        &mut self,
        block: BlockId,
        site: &AccessSite,
        fields: &[Field],
        value: KernelOperand,
    ) {
        for &field in fields {
            let part = match fields.len() {
                1 => value,
                _ => self.cut_out(block, value, field).into(),
            };
            self.write(block, site, field, part);
        }
    }

    /// Bits of the elements that a number of so many bits is read by, and how many there are.
    fn pieces_of(&mut self, site: &AccessSite, bits: u32) -> (u32, u32) {
        let whole = bits.next_multiple_of(8);
        // Of 48 bits three elements of 16.
        let natural = (1 << whole.trailing_zeros()).min(64);
        let element = self.elements.get(&site.memory).map_or(natural, |&known| known.min(natural));
        let count = whole / element;
        self.accesses.push(MemoryAccess {
            memory: site.memory,
            bits: element,
            is_part: count > 1,
            location: site.location.clone(),
        });
        (element, count)
    }

    fn read(&mut self, block: BlockId, site: &AccessSite, field: Field) -> KernelOperand {
        let (element, count) = self.pieces_of(site, field.bits);
        let whole = element * count;
        let mut all: Option<KernelOperand> = None;
        for piece in 0..count {
            let mut operands = vec![self.element_at(block, site, field.offset + piece * element)];
            operands.extend(site.predicate);
            let one = self.node(block, Action::Load(site.memory), operands, element).into();
            let part = Field { offset: piece * element, bits: element };
            let one = if count == 1 { one } else { self.moved_up(block, one, part, whole) };
            all = Some(self.beside(block, all, one, whole));
        }
        let all = all.expect("a number has an element");
        if field.bits == whole {
            return all;
        }
        self.node(block, Action::Truncate, vec![all], field.bits).into()
    }

    fn write(&mut self, block: BlockId, site: &AccessSite, field: Field, value: KernelOperand) {
        let (element, count) = self.pieces_of(site, field.bits);
        let whole = element * count;
        let value = match field.bits == whole {
            true => value,
            false => self.node(block, Action::Extend { signed: false }, vec![value], whole).into(),
        };
        for piece in 0..count {
            let position = self.element_at(block, site, field.offset + piece * element);
            let part = match count {
                1 => value,
                _ => self.cut_out(block, value, Field { offset: piece * element, bits: element }).into(),
            };
            let mut operands = vec![position, part];
            operands.extend(site.predicate);
            self.node(block, Action::Store(site.memory), operands, 0);
        }
    }

    /// A position so many bits after the site.
    fn element_at(&mut self, block: BlockId, site: &AccessSite, bits: u32) -> KernelOperand {
        if bits == 0 {
            return site.position;
        }
        let action = Action::Address { has_base: true, offset: i64::from(bits / 8), factors: Vec::new() };
        let node = self.node(block, action, vec![site.position], 64);
        self.positions.insert(node, site.memory);
        node.into()
    }
}
