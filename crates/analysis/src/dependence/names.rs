//! What is it called? Names of values, objects and places, for people.
//!
//! The source's names where debug information has them, else those of the IR
//! (`%n`, `@table`; unnamed values by the numbers that `llvm-dis` prints).
//! A byte of data is named by its member and index: `grid_points(2)` of a
//! Fortran COMMON block, `sizes[3]` and `point.1` of C. Cost: numbers of a
//! function are made once.

use rustc_hash::FxHashMap as HashMap;
use std::cell::RefCell;
use std::rc::Rc;

use opcost_ir::{CalleeRef, FunctionText, GlobalId, Layout, Module, Opcode, Type, TypeId, Value};
use opcost_key::{FunctionId, InstructionId};

use super::explanation::{Elements, UnknownReason};
use super::memory::{Cell, MemoryQueries, Object};

/// Names of a module's things.
pub(super) struct Names<'a> {
    pub(super) module: &'a Module,
    memory: &'a dyn MemoryQueries,
    layout: Layout,
    numbers: RefCell<HashMap<FunctionId, Rc<FunctionText<'a>>>>,
}

impl<'a> Names<'a> {
    pub(super) fn new(module: &'a Module, memory: &'a dyn MemoryQueries) -> Self {
        Names { module, memory, layout: Layout::of(module), numbers: RefCell::default() }
    }

    /// Whether `argv[1]` is what it was when the program began.
    pub(super) fn arguments_stay(&self) -> bool {
        self.memory.arguments_stay()
    }

    /// A value of a function.
    pub(super) fn value(&self, function: FunctionId, value: Value) -> String {
        let code = &self.module.functions[function];
        match value {
            Value::Function(id) => return format!("@{}", self.module.functions[id].name),
            Value::Declaration(id) => return format!("@{}", self.module.declarations[id].name),
            Value::Constant(id) => return self.module.constants[id].text.to_string(),
            _ => {}
        }
        if let Some(name) = code.source_names.get(&value) {
            return name.to_string();
        }
        if let Some(name) = code.names.get(&value) {
            return format!("%{name}");
        }
        let mut numbers = self.numbers.borrow_mut();
        let numbers =
            numbers.entry(function).or_insert_with(|| Rc::new(FunctionText::new(self.module, code)));
        match value {
            Value::Instruction(id) => {
                let line = numbers.instruction(id);
                line.split_once(" = ").map_or(line.clone(), |(name, _)| name.to_owned())
            }
            Value::Block(id) => numbers.block(id),
            // Parameters are numbered first.
            Value::Argument(position) => {
                let is_unnamed = |&before: &u32| !code.names.contains_key(&Value::Argument(before));
                format!("%{}", (0..position).filter(is_unnamed).count())
            }
            _ => String::new(),
        }
    }

    /// A function as the source calls it.
    pub(super) fn function(&self, function: FunctionId) -> String {
        let code = &self.module.functions[function];
        code.source_name.as_deref().unwrap_or(&code.name).to_owned()
    }

    /// Where an instruction is written: `line 72`, else `%3 in @main`.
    pub(super) fn place(&self, function: FunctionId, at: InstructionId) -> String {
        let code = &self.module.functions[function];
        let place = code.instructions[at].place.map(|place| &self.module.places[place]);
        match place {
            Some(place) if place.line > 0 => format!("line {}", place.line),
            _ if self.module.types[code.instructions[at].ty] != Type::Void => {
                format!("{} in @{}", self.value(function, Value::Instruction(at)), code.name)
            }
            _ => format!("instruction {} in @{}", opcost_index::Id::index(at), code.name),
        }
    }

    /// The function that a call calls.
    pub(super) fn callee(&self, function: FunctionId, call: InstructionId) -> String {
        let code = &self.module.functions[function];
        let callee = code.call(call).map(|call| call.callee);
        match callee {
            Some(CalleeRef::Function(id)) => self.function(id),
            Some(CalleeRef::Declaration(id)) => self.module.declarations[id].name.clone(),
            Some(CalleeRef::Assembly) => "assembly".to_owned(),
            _ => "a function through a pointer".to_owned(),
        }
    }

    /// An object as a whole.
    pub(super) fn object(&self, object: Object) -> String {
        match object {
            Object::Global(id) => self.global(id),
            Object::Local(function, at) => self.value(function, Value::Instruction(at)),
            Object::Fresh(function, at) => {
                format!("the memory of {} at {}", self.callee(function, at), self.place(function, at))
            }
            Object::Copy(function, position) => self.value(function, Value::Argument(position)),
            Object::Outside => "memory of others".to_owned(),
        }
    }

    fn global(&self, id: GlobalId) -> String {
        let global = &self.module.globals[id];
        match &global.source_name {
            Some(name) => name.to_string(),
            None => format!("@{}", global.name),
        }
    }

    /// Bytes of an object, by the member that begins there.
    pub(super) fn cell(&self, cell: Cell) -> String {
        let Ok(offset) = u64::try_from(cell.offset) else {
            return format!("{}{}", self.object(cell.object), cell.offset);
        };
        if let Object::Global(id) = cell.object
            && let Some(name) = self.member(id, offset, cell.size)
        {
            return name;
        }
        let name = self.object(cell.object);
        let whole = self.type_of(cell.object);
        match whole {
            Some(ty) => name + &self.path(ty, offset, cell.size),
            None if offset == 0 => name,
            None if cell.size > 0 && offset.is_multiple_of(cell.size) => {
                format!("{name}[{}]", offset / cell.size)
            }
            None => format!("{name}+{offset}"),
        }
    }

    /// A member of shared data: `grid_points(1)`.
    fn member(&self, id: GlobalId, offset: u64, size: u64) -> Option<String> {
        let global = &self.module.globals[id];
        let behind = global.members.partition_point(|&(start, _)| start <= offset);
        let (start, name) = global.members.get(behind.checked_sub(1)?)?;
        let end = match global.members.get(behind) {
            Some(&(next, _)) => next,
            None => self.layout.size(global.ty).unwrap_or(*start),
        };
        let (room, inside) = (end.saturating_sub(*start), offset - start);
        if inside == 0 && room < size.saturating_mul(2) {
            return Some(name.to_string());
        }
        let is_element = size > 0 && inside.is_multiple_of(size);
        Some(if is_element { format!("{name}({})", inside / size + 1) } else { format!("{name}+{inside}") })
    }

    fn type_of(&self, object: Object) -> Option<TypeId> {
        match object {
            Object::Global(id) => Some(self.module.globals[id].ty),
            Object::Local(function, at) => {
                let instruction = &self.module.functions[function].instructions[at];
                debug_assert_eq!(instruction.opcode, Opcode::Alloca);
                instruction.second_type
            }
            _ => None,
        }
    }

    /// The way into a type: `[2]`, `.1`.
    fn path(&self, mut ty: TypeId, mut offset: u64, size: u64) -> String {
        let mut out = String::new();
        for _ in 0..64 {
            if offset == 0 && self.layout.size(ty).is_none_or(|whole| whole <= size) {
                return out;
            }
            match &self.module.types[ty] {
                Type::Array(_, element) => {
                    let Some(stride) = self.layout.stride(*element).filter(|&stride| stride > 0) else {
                        break;
                    };
                    if *element != ty && self.module.types[*element] == Type::Integer(8) && size > 1 {
                        break;
                    }
                    out.push_str(&format!("[{}]", offset / stride));
                    (ty, offset) = (*element, offset % stride);
                }
                Type::Struct { fields, .. } => {
                    let starts =
                        |&field: &usize| self.layout.field_offset(ty, field).is_some_and(|at| at <= offset);
                    let Some(field) = (0..fields.len()).take_while(starts).last() else { break };
                    out.push_str(&format!(".{field}"));
                    offset -= self.layout.field_offset(ty, field).unwrap_or(0);
                    ty = fields[field];
                }
                _ => break,
            }
        }
        match offset {
            0 if out.is_empty() => out,
            _ if size > 0 && offset.is_multiple_of(size) => format!("{out}[{}]", offset / size),
            _ => format!("{out}+{offset}"),
        }
    }

    /// The array that elements are of.
    pub(super) fn array(&self, elements: &Elements) -> String {
        let cell = Cell { object: elements.object, offset: elements.offset, size: elements.size };
        let name = self.cell(cell);
        // The first element's own index says nothing.
        let cut = name.strip_suffix("[0]").or_else(|| name.strip_suffix("(1)"));
        cut.map_or(name.clone(), str::to_owned)
    }

    /// A reason in words.
    pub(super) fn reason(&self, reason: UnknownReason) -> String {
        match reason {
            UnknownReason::Volatile => "volatile or atomic memory".to_owned(),
            UnknownReason::Call(function, at) => {
                format!("the call of {} at {}", self.callee(function, at), self.place(function, at))
            }
            UnknownReason::Overwritten(function, at) => {
                format!("the write at {} that covers it in part", self.place(function, at))
            }
            UnknownReason::Unseen(object) => {
                format!("{}, which code that is not seen may change", self.object(object))
            }
            UnknownReason::Address(function, at) => format!("the address at {}", self.place(function, at)),
            UnknownReason::Callers(function) => format!("the callers of {}", self.function(function)),
            UnknownReason::Instruction(function, at) => {
                let opcode = self.module.functions[function].instructions[at].opcode;
                format!("the {opcode} at {}", self.place(function, at))
            }
            UnknownReason::Memory(function, at) => format!("the memory read at {}", self.place(function, at)),
            UnknownReason::Deep => "deeper than looked".to_owned(),
            UnknownReason::Large => "more than looked at".to_owned(),
        }
    }

    /// A type as LLVM writes it.
    pub(super) fn ty(&self, ty: TypeId) -> String {
        match &self.module.types[ty] {
            Type::Integer(bits) => format!("i{bits}"),
            Type::Float(name) => (*name).to_owned(),
            Type::Pointer(_) => "ptr".to_owned(),
            _ => "value".to_owned(),
        }
    }

    /// Bits of a type.
    pub(super) fn bits(&self, ty: TypeId) -> Option<u32> {
        match self.module.types[ty] {
            Type::Integer(bits) => Some(bits),
            _ => None,
        }
    }
}
