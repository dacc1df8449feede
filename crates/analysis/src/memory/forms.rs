//! Which addresses are the same, and how far apart are they?
//!
//! An address is a root, index values times their strides, and a number of
//! bytes. Two addresses with the same root and the same terms (one *form*) are
//! a known number of bytes apart whenever root and terms are the same dynamic
//! values; so the form is the name of a place, which changes its meaning where
//! one of its values is defined anew. Arithmetic is modulo the pointer's width,
//! as the machine's, and no flag is believed; an index is looked through only
//! where it is as wide as an address.
//!
//! A value that is loaded may be a name as well: of two loads of one memory
//! version the second is the first, and what a store has put there is what a
//! load gets. `Forms::replace` brings in what an earlier round found out
//! about loads, so that pointers and indices that live in memory (as at -O0)
//! are followed one load deeper each round.
//!
//! Input: a function. Output: forms by number. Cost: constant for each address.

use opcost_index::{Id, IdMap, define_id};
use opcost_ir::{Opcode, Type, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};
use rustc_hash::FxHashMap;

use super::addresses::ObjectId;
use super::addresses::displacement::{PointerMove, steps_of};
use super::contents::address;
use super::whole::MemoryModel;

define_id!(
    /// Root and terms of an address.
    pub struct FormId, "form"
);
define_id!(
    /// A place in memory that loads of one type read.
    pub struct PlaceId, "place"
);

/// What an address starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// An object that is one piece of memory: data.
    Object(ObjectId),
    /// A value of the function.
    Value(Value),
    /// What a place holds from a point on.
    Held(PlaceId, Point),
}

/// Where a version of a place begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Point {
    /// At the function's entry.
    Entry,
    /// At the head of a block.
    Head(BlockId),
    /// After an instruction.
    Behind(InstructionId),
}

/// An index and what one of it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Term {
    /// The index.
    pub index: Root,
    /// How it is widened to an address's width.
    pub widening: Widening,
    /// Bytes, modulo the width of an address.
    pub scale: u64,
}

/// How an index becomes as wide as an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Widening {
    /// It is.
    None,
    /// With its sign (`sext`, and every narrow index of a `getelementptr`).
    Signed,
    /// With zeros (`zext`).
    Unsigned,
}

/// Root and terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// What it starts from.
    pub root: Root,
    /// Different indices.
    pub terms: Box<[Term]>,
}

/// An address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// Root and terms.
    pub form: FormId,
    /// Bytes from there, modulo the width of an address.
    pub offset: i64,
}

/// How many instructions an address is followed through.
const DEEPEST: u32 = 32;
/// The most indices of an address.
const MOST_TERMS: usize = 4;

/// The forms of a function's addresses.
pub(crate) struct Forms<'a> {
    memory: &'a MemoryModel<'a>,
    function: FunctionId,
    forms: IdMap<FormId, Form>,
    numbers: FxHashMap<Form, FormId>,
    /// What a load is known to give, from an earlier round.
    held: FxHashMap<InstructionId, Root>,
}

impl<'a> Forms<'a> {
    pub(crate) fn new(memory: &'a MemoryModel<'a>, function: FunctionId) -> Self {
        let (forms, numbers, held) = (IdMap::new(), FxHashMap::default(), FxHashMap::default());
        Self { memory, function, forms, numbers, held }
    }

    /// Loads that give what another value is; whether that is news.
    pub(crate) fn replace(&mut self, held: FxHashMap<InstructionId, Root>) -> bool {
        let is_new = self.held != held;
        self.held = held;
        is_new
    }

    pub(crate) fn form(&self, id: FormId) -> &Form {
        &self.forms[id]
    }

    pub(crate) fn intern(&mut self, form: Form) -> FormId {
        if let Some(&known) = self.numbers.get(&form) {
            return known;
        }
        let id = self.forms.push(form.clone());
        self.numbers.insert(form, id);
        id
    }

    /// The address that a pointer is.
    pub(crate) fn address(&mut self, pointer: Value) -> Address {
        let mut sum = Sum { terms: Vec::new(), offset: 0 };
        let mut at = pointer;
        for _ in 0..DEEPEST {
            match self.base(at, &mut sum) {
                Some(base) => at = base,
                None => break,
            }
        }
        let root = self.root(at, &mut sum.offset);
        let terms = sum.terms.into_iter().filter(|term| term.scale != 0).collect();
        Address { form: self.intern(Form { root, terms }), offset: sum.offset }
    }

    /// What the pointer is so many bytes from, where that can be said.
    fn base(&self, pointer: Value, sum: &mut Sum) -> Option<Value> {
        let Root::Value(Value::Instruction(at)) = self.known(pointer) else {
            return match self.known(pointer) {
                Root::Value(other) if other != pointer => Some(other),
                _ => None,
            };
        };
        let module = self.memory.module;
        let function = &module.functions[self.function];
        let operands = function.operands_of(at);
        match function.instructions[at].opcode {
            Opcode::GetElementPtr => {
                let mut ahead = sum.clone();
                for step in steps_of(module, self.memory.layout, function, at)? {
                    match step {
                        PointerMove::Bytes(bytes) => ahead.offset = ahead.offset.wrapping_add(bytes),
                        PointerMove::Index { index, stride, .. } => self.index(index, stride, &mut ahead),
                    }
                }
                ahead.terms.retain(|term| term.scale != 0);
                if ahead.terms.len() > MOST_TERMS {
                    return None;
                }
                *sum = ahead;
                Some(operands[0])
            }
            Opcode::BitCast => Some(operands[0]),
            _ => (Value::Instruction(at) != pointer).then_some(Value::Instruction(at)),
        }
    }

    fn root(&self, value: Value, offset: &mut i64) -> Root {
        match address(self.memory.module, value) {
            Some((global, bytes)) => {
                *offset = offset.wrapping_add(bytes);
                Root::Object(self.memory.addresses.objects().of_global(global))
            }
            None => self.known(value),
        }
    }

    /// The value, or what it is known to be.
    fn known(&self, value: Value) -> Root {
        let mut known = Root::Value(value);
        for _ in 0..DEEPEST {
            let Root::Value(Value::Instruction(at)) = known else { break };
            match self.held.get(&at) {
                Some(&held) => known = held,
                None => break,
            }
        }
        known
    }

    /// Adds an index times a stride.
    fn index(&self, index: Value, stride: u64, sum: &mut Sum) {
        let module = self.memory.module;
        let function = &module.functions[self.function];
        let mut work = vec![(index, stride)];
        for _ in 0..DEEPEST {
            let Some((value, scale)) = work.pop() else { return };
            let known = self.known(value);
            let value = match known {
                Root::Value(known) => known,
                _ => value,
            };
            if let Some(number) = self.number(value) {
                let bytes = (number as u64).wrapping_mul(scale);
                sum.offset = sum.offset.wrapping_add(bytes as i64);
                continue;
            }
            let Root::Value(Value::Instruction(at)) = known else {
                sum.add(known, self.widening(value), scale);
                continue;
            };
            let operands = function.operands_of(at);
            let is_wide = self.widening(Value::Instruction(at)) == Widening::None;
            match function.instructions[at].opcode {
                Opcode::Add if is_wide => work.extend([(operands[0], scale), (operands[1], scale)]),
                Opcode::Sub if is_wide => {
                    work.extend([(operands[0], scale), (operands[1], scale.wrapping_neg())]);
                }
                Opcode::Mul if is_wide && self.number(operands[1]).is_some() => {
                    let by = self.number(operands[1]).unwrap_or(0) as u64;
                    work.push((operands[0], scale.wrapping_mul(by)));
                }
                Opcode::Shl
                    if is_wide && self.number(operands[1]).is_some_and(|by| (0..64).contains(&by)) =>
                {
                    let by = self.number(operands[1]).unwrap_or(0) as u32;
                    work.push((operands[0], scale.wrapping_shl(by)));
                }
                Opcode::SExt if is_wide => sum.add(self.known(operands[0]), Widening::Signed, scale),
                Opcode::ZExt if is_wide => sum.add(self.known(operands[0]), Widening::Unsigned, scale),
                _ => sum.add(known, self.widening(value), scale),
            }
        }
        work.into_iter().for_each(|(value, scale)| sum.add(self.known(value), self.widening(value), scale));
    }

    fn widening(&self, value: Value) -> Widening {
        let bits = self.bits(value);
        if bits == Some(self.memory.layout.index_bits(0)) { Widening::None } else { Widening::Signed }
    }

    fn bits(&self, value: Value) -> Option<u32> {
        let module = self.memory.module;
        let function = &module.functions[self.function];
        let ty = match value {
            Value::Instruction(at) => function.instructions[at].ty,
            Value::Argument(position) => match &module.types[function.ty] {
                Type::Function(_, parameters, _) => *parameters.get(position as usize)?,
                _ => return None,
            },
            Value::Constant(id) => module.constants[id].ty,
            _ => return None,
        };
        match module.types[ty] {
            Type::Integer(bits) => Some(bits),
            _ => None,
        }
    }

    /// A constant with its sign, as wide as an address at most.
    fn number(&self, value: Value) -> Option<i64> {
        let Value::Constant(id) = value else { return None };
        let opcost_ir::ConstantValue::Integer(bits) = self.memory.module.constants[id].value else {
            return None;
        };
        let unused = 64_u32.checked_sub(self.bits(value)?)?;
        Some(((bits as u64) << unused) as i64 >> unused)
    }

    /// Values whose definition gives the form another meaning.
    pub(crate) fn renewals(&self, id: FormId) -> Vec<Point> {
        let form = &self.forms[id];
        let function = &self.memory.module.functions[self.function];
        let roots = std::iter::once(form.root).chain(form.terms.iter().map(|term| term.index));
        let points = roots.filter_map(|root| match root {
            Root::Value(Value::Instruction(at)) => match function.instructions[at].opcode {
                Opcode::Phi => Some(Point::Head(function.block_of(at))),
                _ => Some(Point::Behind(at)),
            },
            Root::Held(_, Point::Entry) | Root::Value(_) | Root::Object(_) => None,
            Root::Held(_, point) => Some(point),
        });
        points.collect()
    }
}

/// Terms and bytes while they are added up.
#[derive(Clone)]
struct Sum {
    terms: Vec<Term>,
    offset: i64,
}

impl Sum {
    fn add(&mut self, index: Root, widening: Widening, scale: u64) {
        match self.terms.iter_mut().find(|term| term.index == index && term.widening == widening) {
            Some(term) => term.scale = term.scale.wrapping_add(scale),
            None => {
                self.terms.push(Term { index, widening, scale });
                // Equal sums have equal forms, in whatever order they are written.
                self.terms.sort_by_key(|term| (order(term.index), term.widening as u8));
            }
        }
    }
}

fn order(root: Root) -> (u8, usize, usize) {
    match root {
        Root::Object(object) => (0, object.index(), 0),
        Root::Value(Value::Argument(position)) => (1, position as usize, 0),
        Root::Value(Value::Instruction(at)) => (2, at.index(), 0),
        Root::Value(_) => (3, 0, 0),
        Root::Held(place, Point::Entry) => (4, place.index(), 0),
        Root::Held(place, Point::Head(block)) => (5, place.index(), block.index()),
        Root::Held(place, Point::Behind(at)) => (6, place.index(), at.index()),
    }
}
