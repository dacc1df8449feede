//! What is there to point to? The objects of a module.
//!
//! An object represents all memory that one place of the code brings about: a global, an alloca,
//! the results of one call of `malloc`, the copy that a `byval` parameter is; and for a function's
//! code. [`ObjectId`] 0 is the outside: all memory that the module does not know. Numbers are
//! arithmetic for globals and functions, so that no list is searched. Cost: constant.

use opcost_index::{Id, IdMap, define_id};
use opcost_ir::{ConstantValue, DeclarationId, GlobalId, Layout, Module, Opcode, Type, TypeId, Value};
use opcost_key::{FunctionId, InstructionId};
use rustc_hash::FxHashMap as HashMap;

use super::offsets::ArraySpan;

define_id!(
    /// An object of a module.
    pub struct ObjectId, "object"
);

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// Memory of others.
    Outside,
    /// Data.
    Global(GlobalId),
    /// The code of a function.
    Function(FunctionId),
    /// The code of a function that is elsewhere.
    Declaration(DeclarationId),
    /// A local variable.
    Alloca(FunctionId, InstructionId),
    /// What a call gives that allocates.
    Fresh(FunctionId, InstructionId),
    /// The copy that is passed in a `byval` parameter.
    Copy(FunctionId, u32),
}

/// All objects of a module.
#[derive(Clone, Debug)]
pub struct Objects {
    kinds: IdMap<ObjectId, ObjectKind>,
    sizes: IdMap<ObjectId, Option<u64>>,
    /// Reached by code that is not seen.
    pub(super) escaped: IdMap<ObjectId, bool>,
    by_site: HashMap<(FunctionId, InstructionId), ObjectId>,
    copies: HashMap<(FunctionId, u32), ObjectId>,
    globals: usize,
    functions: usize,
}

impl Objects {
    /// Memory of others.
    pub const OUTSIDE: usize = 0;

    /// The objects that have names.
    pub(super) fn of(module: &Module, layout: &Layout) -> Objects {
        let mut objects = Objects {
            kinds: IdMap::new(),
            sizes: IdMap::new(),
            escaped: IdMap::new(),
            by_site: HashMap::default(),
            copies: HashMap::default(),
            globals: module.globals.len(),
            functions: module.functions.len(),
        };
        objects.push(ObjectKind::Outside, None);
        for (id, global) in module.globals.iter() {
            // What others define may be larger than it is declared.
            let size = layout.size(global.ty).filter(|_| !global.is_declared);
            objects.push(ObjectKind::Global(id), size);
        }
        module.functions.ids().for_each(|id| _ = objects.push(ObjectKind::Function(id), None));
        module.declarations.ids().for_each(|id| _ = objects.push(ObjectKind::Declaration(id), None));
        objects
    }

    fn push(&mut self, kind: ObjectKind, size: Option<u64>) -> ObjectId {
        self.sizes.push(size);
        self.escaped.push(kind == ObjectKind::Outside);
        self.kinds.push(kind)
    }

    /// The outside.
    pub fn outside() -> ObjectId {
        ObjectId::new(Self::OUTSIDE)
    }

    /// The object that data is.
    pub fn of_global(&self, global: GlobalId) -> ObjectId {
        ObjectId::new(1 + global.index())
    }

    /// The code of a function.
    pub fn of_function(&self, function: FunctionId) -> ObjectId {
        ObjectId::new(1 + self.globals + function.index())
    }

    /// The code of a function that is elsewhere.
    pub fn of_declaration(&self, declaration: DeclarationId) -> ObjectId {
        ObjectId::new(1 + self.globals + self.functions + declaration.index())
    }

    /// The object that an alloca or an allocating call makes, if it was met.
    pub fn of_site(&self, function: FunctionId, instruction: InstructionId) -> Option<ObjectId> {
        self.by_site.get(&(function, instruction)).copied()
    }

    /// The same, made where it was not met yet.
    pub(super) fn made_by(&mut self, kind: ObjectKind, size: Option<u64>) -> ObjectId {
        let known = match kind {
            ObjectKind::Alloca(function, site) | ObjectKind::Fresh(function, site) => {
                self.by_site.get(&(function, site))
            }
            ObjectKind::Copy(function, parameter) => self.copies.get(&(function, parameter)),
            _ => None,
        };
        if let Some(&known) = known {
            return known;
        }
        let id = self.push(kind, size);
        match kind {
            ObjectKind::Copy(function, parameter) => _ = self.copies.insert((function, parameter), id),
            ObjectKind::Alloca(function, site) | ObjectKind::Fresh(function, site) => {
                self.by_site.insert((function, site), id);
            }
            _ => {}
        }
        id
    }

    /// What it is.
    pub fn kind(&self, id: ObjectId) -> ObjectKind {
        self.kinds[id]
    }

    /// Its bytes, if they are known.
    pub fn size(&self, id: ObjectId) -> Option<u64> {
        self.sizes[id]
    }

    /// Whether code that is not seen may reach it.
    pub fn is_escaped(&self, id: ObjectId) -> bool {
        self.escaped[id]
    }

    /// Whether it is memory, and not code.
    pub fn is_memory(&self, id: ObjectId) -> bool {
        !matches!(self.kinds[id], ObjectKind::Function(_) | ObjectKind::Declaration(_))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Never: there is always the outside.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The type that it was declared with.
    pub(super) fn declared_type(&self, module: &Module, id: ObjectId) -> Option<TypeId> {
        match self.kinds[id] {
            ObjectKind::Global(global) => Some(module.globals[global].ty),
            ObjectKind::Alloca(function, site) => {
                let function = &module.functions[function];
                is_one(module, function.operands_of(site).first().copied())
                    .then_some(function.instructions[site].second_type)?
            }
            _ => None,
        }
    }
}

/// Whether an alloca makes one of its type.
fn is_one(module: &Module, count: Option<Value>) -> bool {
    match count {
        None => true,
        Some(Value::Constant(id)) => module.constants[id].value == ConstantValue::Integer(1),
        Some(_) => false,
    }
}

/// Bytes that an alloca makes, if they are constant.
pub(super) fn alloca_size(
    module: &Module,
    layout: &Layout,
    function: FunctionId,
    site: InstructionId,
) -> Option<u64> {
    let function = &module.functions[function];
    let instruction = &function.instructions[site];
    debug_assert_eq!(instruction.opcode, Opcode::Alloca);
    let element = layout.stride(instruction.second_type?)?;
    match function.operands_of(site).first() {
        None => Some(element),
        Some(&Value::Constant(id)) => match module.constants[id].value {
            ConstantValue::Integer(count) => element.checked_mul(u64::try_from(count).ok()?),
            _ => None,
        },
        Some(_) => None,
    }
}

/// Whether such an array begins at this offset of an object of a declared type. Cost: depth of the type.
pub(super) fn has_array(
    module: &Module,
    layout: &Layout,
    declared: Option<TypeId>,
    offset: i64,
    span: &ArraySpan,
) -> bool {
    let (Some(mut ty), Ok(mut rest)) = (declared, u64::try_from(offset)) else {
        return false;
    };
    loop {
        match &module.types[ty] {
            Type::Array(length, element) => {
                let Some(stride) = layout.stride(*element).filter(|&stride| stride > 0) else {
                    return false;
                };
                if rest == 0 && *length == span.length && stride == span.stride {
                    return true;
                }
                if rest / stride >= *length {
                    return false;
                }
                (ty, rest) = (*element, rest % stride);
            }
            Type::Struct { fields, .. } => {
                let starts = |field: &usize| layout.field_offset(ty, *field).is_some_and(|at| at <= rest);
                let Some(field) = (0..fields.len()).take_while(starts).last() else { return false };
                rest -= layout.field_offset(ty, field).unwrap_or(0);
                ty = fields[field];
            }
            _ => return false,
        }
    }
}
