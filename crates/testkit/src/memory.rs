//! What does memory hold, and who put it there?
//!
//! Memory is objects: data of the module, allocas, what was allocated. Every
//! byte knows its content and its last writer. A pointer that is stored keeps
//! its object as long as all its bytes stay together; read as a number it is an
//! address, which every object has. Objects lie apart, so one past the end of
//! one is never the start of another. Bytes that nobody wrote are not kept, so
//! a large array costs what is used of it.

use opcost_index::{Id, IdMap};
use opcost_ir::GlobalId;

use crate::outcome::{ObservedWriter, Trap};
use crate::scalar::{ObjectId, Pointer, Scalar};

/// Objects begin at multiples of this, and at least so many bytes apart.
const SPACING: u64 = 64;
/// The most bytes that are kept, of all objects together.
const MOST_BYTES: u64 = 1 << 21;
/// The most objects.
const MOST_OBJECTS: usize = 1 << 16;

/// What one byte is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Content {
    Bits(u8),
    /// The byte at this position, from the lowest, of a pointer.
    Piece(Pointer, u8),
    Poison,
    Undefined,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Byte {
    pub(crate) content: Content,
    pub(crate) writer: ObservedWriter,
}

#[derive(Clone, Debug)]
struct Object {
    base: u64,
    size: u64,
    /// Those that were written, from the start on.
    bytes: Vec<Byte>,
    /// What the others hold.
    filler: Content,
    is_alive: bool,
    is_constant: bool,
}

/// All memory of a run.
#[derive(Clone, Debug)]
pub struct Memory {
    objects: IdMap<ObjectId, Object>,
    next_base: u64,
    stored_bytes: u64,
    pub(crate) pointer_bytes: u8,
    /// Who writes now.
    pub(crate) writer: ObservedWriter,
}

impl Memory {
    /// Nothing but null.
    pub(crate) fn new(pointer_bits: u32) -> Memory {
        let mut memory = Memory {
            objects: IdMap::new(),
            next_base: 0,
            stored_bytes: 0,
            pointer_bytes: pointer_bits.div_ceil(8) as u8,
            writer: ObservedWriter::Initial,
        };
        memory.add(0, Content::Undefined);
        memory.next_base = 0x1_0000;
        memory
    }

    pub(crate) fn add(&mut self, size: u64, filler: Content) -> ObjectId {
        let base = self.next_base;
        self.next_base = base.saturating_add(size).saturating_add(2 * SPACING) & !(SPACING - 1);
        let bytes = Vec::new();
        self.objects.push(Object { base, size, bytes, filler, is_alive: true, is_constant: false })
    }

    /// New memory of so many bytes that nobody wrote; `None` if there is no
    /// more room.
    pub fn allocate(&mut self, size: u64) -> Option<Pointer> {
        let end = 1u64 << (8 * u32::from(self.pointer_bytes) - 1).min(63);
        let has_room = self.objects.len() < MOST_OBJECTS
            && size < end
            && self.next_base.checked_add(size).is_some_and(|next| next < end);
        has_room.then(|| Pointer { object: self.add(size, Content::Undefined), offset: 0 })
    }

    /// The start of the data that a global is.
    pub fn global(&self, global: GlobalId) -> Pointer {
        Pointer { object: ObjectId::new(1 + global.index()), offset: 0 }
    }

    /// The number that a pointer is.
    pub fn address(&self, pointer: Pointer) -> u64 {
        self.objects[pointer.object].base.wrapping_add(pointer.offset as u64)
    }

    /// The pointer that a number is: into the object that is there, or at its end; else so far from
    /// null. Cost: a binary search.
    pub fn pointer_at(&self, address: u64) -> Pointer {
        let behind = self.objects.as_slice().partition_point(|object| object.base <= address);
        let object = ObjectId::new(behind - 1);
        let offset = address - self.objects[object].base;
        if offset <= self.objects[object].size {
            return Pointer { object, offset: offset as i64 };
        }
        Pointer { object: ObjectId::new(0), offset: address as i64 }
    }

    /// Bytes of the object that a pointer was made of.
    pub fn size(&self, object: ObjectId) -> u64 {
        self.objects[object].size
    }

    pub(crate) fn end(&mut self, object: ObjectId) {
        self.objects[object].is_alive = false;
    }

    pub(crate) fn is_alive(&self, object: ObjectId) -> bool {
        self.objects[object].is_alive
    }

    pub(crate) fn make_constant(&mut self, object: ObjectId) {
        self.objects[object].is_constant = true;
    }

    /// Forgets what an object holds.
    pub(crate) fn forget(&mut self, object: ObjectId) {
        let object = &mut self.objects[object];
        self.stored_bytes -= object.bytes.len() as u64;
        object.bytes.clear();
        object.filler = Content::Undefined;
    }

    /// Whether so many bytes may be accessed here.
    fn check(&self, at: Pointer, size: u64) -> Result<(), Fault> {
        let object = &self.objects[at.object];
        let fault = match () {
            () if at.object.index() == 0 => Trap::NullAccess,
            () if !object.is_alive => Trap::DeadObject,
            () if at.offset < 0
                || (at.offset as u64).checked_add(size).is_none_or(|end| end > object.size) =>
            {
                Trap::OutOfBounds
            }
            () => return Ok(()),
        };
        Err(Fault::Trap(fault))
    }

    pub(crate) fn read(&self, at: Pointer, size: u64) -> Result<Vec<Byte>, Fault> {
        self.check(at, size)?;
        if size > MOST_BYTES {
            return Err(Fault::NoRoom);
        }
        let object = &self.objects[at.object];
        let untouched = Byte { content: object.filler, writer: ObservedWriter::Initial };
        let start = at.offset as usize;
        Ok((start..start + size as usize)
            .map(|at| object.bytes.get(at).copied().unwrap_or(untouched))
            .collect())
    }

    pub(crate) fn write(
        &mut self,
        at: Pointer,
        contents: impl ExactSizeIterator<Item = Content>,
    ) -> Result<(), Fault> {
        self.check(at, contents.len() as u64)?;
        let (writer, object) = (self.writer, &mut self.objects[at.object]);
        if object.is_constant {
            return Err(Fault::Trap(Trap::ConstantWritten));
        }
        let (start, end) = (at.offset as usize, at.offset as usize + contents.len());
        if end > object.bytes.len() {
            self.stored_bytes += (end - object.bytes.len()) as u64;
            if self.stored_bytes > MOST_BYTES {
                return Err(Fault::NoRoom);
            }
            object.bytes.resize(end, Byte { content: object.filler, writer: ObservedWriter::Initial });
        }
        for (byte, content) in object.bytes[start..end].iter_mut().zip(contents) {
            *byte = Byte { content, writer };
        }
        Ok(())
    }

    /// Reads an integer, as functions outside the module may; `None` if it may
    /// not be read there or is none.
    pub fn load_integer(&self, at: Pointer, width: u32) -> Option<u128> {
        let bytes = self.read(at, u64::from(width.div_ceil(8))).ok()?;
        self.join_integer(&bytes, width).bits()
    }

    /// Writes an integer, as functions outside the module may; whether it may
    /// be written there.
    pub fn store_integer(&mut self, at: Pointer, width: u32, bits: u128) -> bool {
        let contents = split_integer(bits & crate::scalar::mask(width), width.div_ceil(8));
        self.write(at, contents.into_iter()).is_ok()
    }

    /// The integer that bytes are together.
    pub(crate) fn join_integer(&self, bytes: &[Byte], width: u32) -> Scalar {
        let mut bits = 0u128;
        let mut is_defined = true;
        for (position, byte) in bytes.iter().enumerate() {
            let byte = match byte.content {
                Content::Bits(bits) => bits,
                Content::Piece(pointer, position) => (self.address(pointer) >> (8 * position)) as u8,
                Content::Poison => return Scalar::Poison,
                Content::Undefined => {
                    is_defined = false;
                    0
                }
            };
            bits |= u128::from(byte) << (8 * position);
        }
        if is_defined { Scalar::integer(width, bits) } else { Scalar::Undefined }
    }

    /// The pointer that bytes are together.
    pub(crate) fn join_pointer(&self, bytes: &[Byte]) -> Scalar {
        if let Some(Byte { content: Content::Piece(pointer, 0), .. }) = bytes.first() {
            let is_whole = bytes
                .iter()
                .enumerate()
                .all(|(position, byte)| byte.content == Content::Piece(*pointer, position as u8));
            if is_whole {
                return Scalar::Pointer(*pointer);
            }
        }
        match self.join_integer(bytes, 8 * u32::from(self.pointer_bytes)) {
            Scalar::Integer { bits, .. } => Scalar::Pointer(self.pointer_at(bits as u64)),
            other => other,
        }
    }
}

/// Why memory cannot be accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Trap(Trap),
    NoRoom,
}

/// The bytes of an integer, lowest first.
pub(crate) fn split_integer(bits: u128, count: u32) -> Vec<Content> {
    (0..count).map(|position| Content::Bits((bits >> (8 * position)) as u8)).collect()
}
