//! Where can a pointer point, and who else can write there?
//!
//! Every pointer has *origins*: objects that its value may be made of, with the
//! offsets at which it may be (a first one and a distance), or it may be made of
//! something that is not followed. The address of an object goes on through
//! arithmetic, phis, selects and calls of functions that are seen; whatever else
//! is done with it (it is stored, turned into a number, given to code that may
//! keep or write it) makes the object *open*: then nothing is said of what lies
//! in it. A pointer of unknown origin does not lead into an object that is not
//! open, since its address went nowhere else.
//!
//! No alias rules of languages are used. Cost: rounds over the pointers of the
//! module until nothing is news; offsets fall to a distance, then distances
//! divide, so rounds end.

use std::collections::{BTreeMap, HashMap};

use opcost_index::{IdMap, define_id};
use opcost_ir::{
    CalleeRef, ConstantValue, Flags, Function, GlobalId, GlobalKind, Layout, Linkage, Module, Opcode,
    ScalarValue, Type, TypeId, Value,
};
use opcost_key::{FunctionId, InstructionId};

use crate::claims::ClaimedWorld;
use crate::shape::word;

define_id!(
    /// An object: data, or what is allocated at a place.
    pub struct ObjectId, "object"
);

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Object {
    /// Data of the module.
    Data(GlobalId),
    /// A local.
    Local(FunctionId, InstructionId),
    /// What a call allocates that nobody else has (`noalias`).
    Fresh(FunctionId, InstructionId),
}

/// Offsets `first + k · step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) first: i128,
    /// 0: only `first`.
    pub(crate) step: u128,
}

/// What a pointer may be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origins {
    /// Objects, and where in them.
    pub(crate) known: BTreeMap<ObjectId, Places>,
    /// It may be something else.
    pub(crate) is_unknown: bool,
}

/// Where all pointers of a module can point.
#[derive(Debug)]
pub(crate) struct AllOrigins<'a> {
    module: &'a Module,
    layout: &'a Layout,
    pub(crate) objects: IdMap<ObjectId, Object>,
    ids: HashMap<Object, ObjectId>,
    of: HashMap<(FunctionId, Value), Origins>,
    returned: HashMap<FunctionId, Origins>,
    /// Objects that others may write to.
    open: IdMap<ObjectId, bool>,
    /// Functions all of whose calls are seen.
    pub(crate) is_called_here_only: IdMap<FunctionId, bool>,
    pub(crate) world: ClaimedWorld,
}

impl Places {
    fn exact(first: i128) -> Places {
        Places { first, step: 0 }
    }

    /// Both.
    fn join(self, other: Places) -> Places {
        let apart = self.first.abs_diff(other.first);
        let step = divisor(divisor(self.step, other.step), apart);
        Places { first: self.first.min(other.first), step }.reduced()
    }

    fn moved(self, by: i128, step: u128) -> Places {
        Places { first: self.first + by, step: divisor(self.step, step) }.reduced()
    }

    /// The first one is the rest, so that equal places are equal words.
    fn reduced(self) -> Places {
        match i128::try_from(self.step) {
            Ok(step) if step > 0 => Places { first: self.first.rem_euclid(step), step: self.step },
            _ => self,
        }
    }

    /// Whether no place of one touches one of the other, of these sizes.
    pub(crate) fn is_apart(self, size: u64, other: Places, other_size: u64) -> bool {
        let step = divisor(self.step, other.step);
        let ahead = other.first - self.first;
        match i128::try_from(step) {
            Ok(0) => ahead >= i128::from(size) || -ahead >= i128::from(other_size),
            Ok(step) => {
                let inside = ahead.rem_euclid(step);
                inside >= i128::from(size) && inside + i128::from(other_size) <= step
            }
            Err(_) => false,
        }
    }

    /// Whether all places of `other` are among these.
    pub(crate) fn holds(self, other: Places) -> bool {
        let apart = self.first.abs_diff(other.first);
        match self.step {
            0 => other.step == 0 && apart == 0,
            step => apart.is_multiple_of(step) && other.step.is_multiple_of(step),
        }
    }

    /// Whether any two of them, of one size, are the same or do not touch.
    pub(crate) fn is_same_or_apart(self, other: Places, size: u64) -> bool {
        let step = divisor(divisor(self.step, other.step), self.first.abs_diff(other.first));
        step == 0 || step >= u128::from(size)
    }
}

fn divisor(mut one: u128, mut two: u128) -> u128 {
    while two != 0 {
        (one, two) = (two, one % two);
    }
    one
}

impl Origins {
    fn unknown() -> Origins {
        Origins { known: BTreeMap::new(), is_unknown: true }
    }

    fn only(object: ObjectId, places: Places) -> Origins {
        Origins { known: BTreeMap::from([(object, places)]), is_unknown: false }
    }

    /// Adds others; whether that is news.
    fn add(&mut self, other: &Origins) -> bool {
        let before = self.clone();
        self.is_unknown |= other.is_unknown;
        for (&object, &places) in &other.known {
            let all = self.known.get(&object).map_or(places, |known| known.join(places));
            self.known.insert(object, all);
        }
        *self != before
    }

    /// The one object that it points into.
    pub(crate) fn single(&self) -> Option<(ObjectId, Places)> {
        let only = (self.known.len() == 1 && !self.is_unknown).then(|| self.known.iter().next());
        only.flatten().map(|(&object, &places)| (object, places))
    }
}

impl<'a> AllOrigins<'a> {
    /// Of a module.
    pub(crate) fn of(module: &'a Module, layout: &'a Layout, world: ClaimedWorld) -> AllOrigins<'a> {
        let mut all = AllOrigins {
            module,
            layout,
            objects: IdMap::new(),
            ids: HashMap::new(),
            of: HashMap::new(),
            returned: HashMap::new(),
            open: IdMap::new(),
            is_called_here_only: IdMap::filled(module.functions.len(), false),
            world,
        };
        all.find_callers();
        all.find_objects();
        while all.round() {}
        all.find_open();
        all
    }

    fn is_closed(&self) -> bool {
        let begins = self.module.functions.values().any(|function| MAINS.contains(&&*function.name));
        self.world == ClaimedWorld::Closed && begins && !self.module.has_module_assembly
    }

    fn find_callers(&mut self) {
        let has_second_names = self.module.globals.values().any(|global| global.kind != GlobalKind::Variable);
        let started = |id: FunctionId| {
            self.module.initializers.iter().any(|entry| entry.function == Some(Value::Function(id)))
        };
        for (id, function) in self.module.functions.iter() {
            let is_hidden = function.linkage == Linkage::Local && !self.module.has_module_assembly;
            let is_main = MAINS.contains(&&*function.name);
            self.is_called_here_only[id] = (is_hidden || self.is_closed())
                && !is_main
                && !started(id)
                && !function.is_address_taken
                && !has_second_names
                && !function.blocks.is_empty();
        }
    }

    /// Whether the body that is here is what runs.
    pub(crate) fn is_final(&self, id: FunctionId) -> bool {
        let function = &self.module.functions[id];
        let is_own = matches!(function.linkage, Linkage::Local | Linkage::Exact) || self.is_closed();
        is_own && !function.blocks.is_empty() && !function.is_naked && !function.is_coroutine
    }

    fn find_objects(&mut self) {
        for id in self.module.globals.ids() {
            self.add_object(Object::Data(id));
        }
        for (id, function) in self.module.functions.iter() {
            for (at, instruction) in function.instructions.iter() {
                match instruction.opcode {
                    Opcode::Alloca => self.add_object(Object::Local(id, at)),
                    _ if self.allocates(function, at) => self.add_object(Object::Fresh(id, at)),
                    _ => {}
                }
            }
        }
    }

    fn add_object(&mut self, object: Object) {
        let id = self.objects.push(object);
        self.ids.insert(object, id);
        self.open.push(false);
    }

    fn allocates(&self, function: &Function, at: InstructionId) -> bool {
        match function.call(at).map(|call| call.callee) {
            Some(CalleeRef::Declaration(declared)) => self.module.declarations[declared].returns_noalias,
            _ => false,
        }
    }

    /// The object of this name in a certificate.
    pub(crate) fn named(&self, name: &str) -> Option<ObjectId> {
        self.objects.ids().find(|&id| self.name(id) == name)
    }

    /// Its name in a certificate.
    pub(crate) fn name(&self, id: ObjectId) -> String {
        match self.objects[id] {
            Object::Data(global) => self.module.globals[global].name.clone(),
            Object::Local(function, at) | Object::Fresh(function, at) => {
                format!("{}:{at}", self.module.functions[function].name)
            }
        }
    }

    /// Where a pointer can point.
    pub(crate) fn origins(&self, function: FunctionId, value: Value) -> Origins {
        match value {
            Value::Constant(id) => match self.module.constants[id].value {
                ConstantValue::Global { global, offset } => {
                    Origins::only(self.ids[&Object::Data(global)], Places::exact(offset.into()))
                }
                ConstantValue::Null | ConstantValue::Undef | ConstantValue::Poison => Origins::default(),
                _ => Origins::unknown(),
            },
            Value::Instruction(_) | Value::Argument(_) => {
                self.of.get(&(function, value)).cloned().unwrap_or_default()
            }
            _ => Origins::unknown(),
        }
    }

    /// Whether others may write to the object.
    pub(crate) fn is_open(&self, object: ObjectId) -> bool {
        self.open[object]
    }

    fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.module.types[ty], Type::Pointer(_))
    }

    /// Goes through all functions once; whether anything was news.
    fn round(&mut self) -> bool {
        let mut is_news = false;
        for (id, function) in self.module.functions.iter() {
            let parameters = match &self.module.types[function.ty] {
                Type::Function(_, parameters, _) => parameters.clone(),
                _ => Vec::new(),
            };
            for (position, &ty) in (0..).zip(&parameters) {
                if self.is_pointer(ty) && !self.is_called_here_only[id] {
                    is_news |= self.put(id, Value::Argument(position), &Origins::unknown());
                }
            }
            for (at, instruction) in function.instructions.iter() {
                if self.is_pointer(instruction.ty) {
                    let origins = self.made(id, function, at);
                    is_news |= self.put(id, Value::Instruction(at), &origins);
                }
                is_news |= self.hand_over(id, function, at);
            }
        }
        is_news
    }

    fn put(&mut self, function: FunctionId, value: Value, origins: &Origins) -> bool {
        self.of.entry((function, value)).or_default().add(origins)
    }

    /// What an instruction makes.
    fn made(&self, id: FunctionId, function: &Function, at: InstructionId) -> Origins {
        let instruction = &function.instructions[at];
        let operands = function.operands_of(at);
        let join = |values: &mut dyn Iterator<Item = Value>| {
            values.fold(Origins::default(), |mut all, value| {
                all.add(&self.origins(id, value));
                all
            })
        };
        match instruction.opcode {
            Opcode::Alloca => Origins::only(self.ids[&Object::Local(id, at)], Places::exact(0)),
            Opcode::GetElementPtr => self.moved(id, function, at),
            Opcode::Phi => join(&mut operands.iter().copied().step_by(2)),
            Opcode::Select => join(&mut operands[1..].iter().copied()),
            Opcode::Freeze | Opcode::BitCast => self.origins(id, operands[0]),
            Opcode::Call | Opcode::Invoke => match function.call(at).map(|call| call.callee) {
                Some(CalleeRef::Function(callee)) if self.is_final(callee) => {
                    self.returned.get(&callee).cloned().unwrap_or_default()
                }
                Some(CalleeRef::Declaration(_)) if self.allocates(function, at) => {
                    Origins::only(self.ids[&Object::Fresh(id, at)], Places::exact(0))
                }
                _ => Origins::unknown(),
            },
            _ => Origins::unknown(),
        }
    }

    fn moved(&self, id: FunctionId, function: &Function, at: InstructionId) -> Origins {
        let mut origins = self.origins(id, function.operands_of(at)[0]);
        let is_promised = function.instructions[at].flags.has(Flags::NSW);
        match steps(self.module, self.layout, function, at) {
            Some((constant, variable)) => {
                let each = variable
                    .iter()
                    .map(|&(index, scale)| u128::from(scale) << even_bits(self.module, function, index, 6));
                let step = each.fold(0, divisor);
                // Without a promise the sum is one of 64 bits.
                let step = if is_promised || step == 0 { step } else { divisor(step, 1 << 64) };
                for places in origins.known.values_mut() {
                    *places = places.moved(constant, step);
                }
            }
            None => origins.known.values_mut().for_each(|places| *places = places.moved(0, 1)),
        }
        origins
    }

    /// What a call gives and a function returns.
    fn hand_over(&mut self, id: FunctionId, function: &Function, at: InstructionId) -> bool {
        let instruction = &function.instructions[at];
        let operands = function.operands_of(at);
        if instruction.opcode == Opcode::Ret {
            let Some(&value) = operands.first() else { return false };
            let origins = self.origins(id, value);
            return self.returned.entry(id).or_default().add(&origins);
        }
        let Some(CalleeRef::Function(callee)) = function.call(at).map(|call| call.callee) else {
            return false;
        };
        let parameters = self.module.functions[callee].parameters;
        let mut is_news = false;
        for (position, &value) in (0..parameters).zip(operands) {
            let facts = self.module.functions[callee].parameter_facts.get(position as usize);
            let origins = match facts.is_some_and(|facts| facts.byval.is_some()) {
                true => Origins::unknown(),
                false => self.origins(id, value),
            };
            is_news |= self.put(callee, Value::Argument(position), &origins);
        }
        is_news
    }

    /// Opens all objects whose address goes where it is not followed.
    fn find_open(&mut self) {
        let mut opened: Vec<Origins> = Vec::new();
        for (id, function) in self.module.functions.iter() {
            for (at, instruction) in function.instructions.iter() {
                for &value in function.operands_of(at) {
                    let keeps = !matches!(
                        instruction.opcode,
                        Opcode::Load
                            | Opcode::GetElementPtr
                            | Opcode::Phi
                            | Opcode::Select
                            | Opcode::Freeze
                            | Opcode::BitCast
                            | Opcode::ICmp
                    );
                    if keeps && self.gets_away(id, function, at, value) {
                        opened.push(self.origins(id, value));
                    }
                }
            }
        }
        for id in self.module.globals.ids() {
            let global = &self.module.globals[id];
            let is_own = (global.linkage == Linkage::Local || self.is_closed())
                && !global.is_declared
                && !global.is_thread_local
                && !self.module.has_module_assembly
                && global.kind == GlobalKind::Variable;
            if !is_own || self.is_kept(id) {
                opened.push(Origins::only(self.ids[&Object::Data(id)], Places::exact(0)));
            }
            // Its address lies in data that may be read.
            for &(_, _, scalar) in global.contents.iter().flat_map(|contents| &contents.scalars) {
                if let ScalarValue::Constant(ConstantValue::Global { global, .. }) = scalar {
                    opened.push(Origins::only(self.ids[&Object::Data(global)], Places::exact(0)));
                }
            }
            let is_told = global.contents.as_ref().is_some_and(|contents| contents.is_complete);
            if !is_told && global.kind != GlobalKind::Variable {
                opened.push(Origins { known: self.all_data(), is_unknown: true });
            }
        }
        if self.has_untold_addresses() {
            opened.push(Origins { known: self.all_data(), is_unknown: true });
        }
        for object in opened.iter().flat_map(|origins| origins.known.keys()) {
            self.open[*object] = true;
        }
    }

    fn all_data(&self) -> BTreeMap<ObjectId, Places> {
        let data = self.objects.iter().filter(|(_, object)| matches!(object, Object::Data(_)));
        data.map(|(id, _)| (id, Places::exact(0))).collect()
    }

    /// A constant of code or data that is not told may hold any address of data.
    fn has_untold_addresses(&self) -> bool {
        let untold = |global: &opcost_ir::Global| {
            let contents = global.contents.as_ref();
            let has_other = contents.is_some_and(|contents| {
                !contents.is_complete
                    || contents.scalars.iter().any(|&(_, ty, scalar)| {
                        self.is_pointer(ty) && scalar == ScalarValue::Constant(ConstantValue::Other)
                    })
            });
            global.kind == GlobalKind::Variable && has_other
        };
        let is_address = |text: &str| text.contains('@');
        let others = self
            .module
            .constants
            .values()
            .any(|constant| matches!(constant.value, ConstantValue::Other) && is_address(&constant.text));
        others || self.module.globals.values().any(untold)
    }

    /// `llvm.used`: others know it by name.
    fn is_kept(&self, id: GlobalId) -> bool {
        let used = self.module.globals.values().find(|global| global.name == "llvm.used");
        used.is_some_and(|used| {
            match &used.contents {
            Some(contents) => contents.scalars.iter().any(|&(_, _, scalar)| {
                matches!(scalar, ScalarValue::Constant(ConstantValue::Global { global, .. }) if global == id)
            }),
            None => true,
        }
        })
    }

    /// Whether an instruction may keep the address, or write through it in a way
    /// that is not followed.
    fn gets_away(&self, id: FunctionId, function: &Function, at: InstructionId, value: Value) -> bool {
        let instruction = &function.instructions[at];
        let operands = function.operands_of(at);
        match instruction.opcode {
            // As an address only.
            Opcode::Store => operands[0] == value,
            Opcode::Ret => !self.is_called_here_only[id] || !self.is_pointer_value(function, value),
            Opcode::Call | Opcode::Invoke => self.call_keeps(function, at, value),
            _ => true,
        }
    }

    fn is_pointer_value(&self, function: &Function, value: Value) -> bool {
        match value {
            Value::Instruction(at) => self.is_pointer(function.instructions[at].ty),
            Value::Constant(id) => self.is_pointer(self.module.constants[id].ty),
            Value::Argument(position) => match &self.module.types[function.ty] {
                Type::Function(_, parameters, _) => {
                    parameters.get(position as usize).is_some_and(|&ty| self.is_pointer(ty))
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn call_keeps(&self, function: &Function, at: InstructionId, value: Value) -> bool {
        let Some(call) = function.call(at) else { return true };
        let positions = function.operands_of(at).iter().enumerate().filter(|&(_, &other)| other == value);
        let positions: Vec<usize> = positions.map(|(position, _)| position).collect();
        match call.callee {
            CalleeRef::Function(callee) => {
                let parameters = self.module.functions[callee].parameters as usize;
                !self.is_final(callee) || positions.iter().any(|&position| position >= parameters)
            }
            CalleeRef::Declaration(declared) => {
                let declaration = &self.module.declarations[declared];
                if is_harmless(&declaration.name) {
                    return false;
                }
                // It neither keeps it nor writes through it.
                positions.iter().any(|&position| match declaration.parameter_facts.get(position) {
                    Some(facts) => {
                        !facts.is_nocapture
                            || !(facts.is_readonly || facts.is_readnone || !call.memory.argument.writes)
                    }
                    None => true,
                })
            }
            CalleeRef::Indirect | CalleeRef::Assembly => true,
        }
    }
}

/// Names of the function where a program begins.
const MAINS: [&str; 4] = ["main", "_QQmain", "MAIN__", "MAIN_"];

/// Intrinsics whose writes are followed, or that do nothing.
fn is_harmless(name: &str) -> bool {
    ["llvm.memset.", "llvm.memcpy.", "llvm.memmove.", "llvm.lifetime.", "llvm.dbg.", "llvm.assume"]
        .iter()
        .any(|known| name.starts_with(known))
}

/// How a `getelementptr` moves: constant bytes, and values with the bytes of each.
pub(crate) fn steps(
    module: &Module,
    layout: &Layout,
    function: &Function,
    at: InstructionId,
) -> Option<(i128, Vec<(Value, u64)>)> {
    let operands = function.operands_of(at);
    let mut ty = function.instructions[at].second_type?;
    let (mut constant, mut variable) = (0i128, Vec::new());
    for (position, &index) in operands[1..].iter().enumerate() {
        let scale = if position == 0 {
            layout.stride(ty)?
        } else {
            match &module.types[ty] {
                Type::Array(_, element) => {
                    ty = *element;
                    layout.stride(ty)?
                }
                Type::Struct { fields, .. } => {
                    let field = usize::try_from(word(module, index)?).ok()?;
                    constant += i128::from(layout.field_offset(ty, field)?);
                    ty = *fields.get(field)?;
                    continue;
                }
                _ => return None,
            }
        };
        match index {
            Value::Constant(id) => {
                let Type::Integer(width) = module.types[module.constants[id].ty] else { return None };
                let number = (word(module, index)? << (128 - width)) as i128 >> (128 - width);
                constant += number * i128::from(scale);
            }
            _ => variable.push((index, scale)),
        }
    }
    Some((constant, variable))
}

/// How many low bits of an index are surely zero, at most 32: of `shl` and `mul`
/// by constants and sums of such, looked through so many operations.
fn even_bits(module: &Module, function: &Function, value: Value, depth: u32) -> u32 {
    let Value::Instruction(at) = value else {
        return word(module, value).map_or(0, |word| word.trailing_zeros().min(32));
    };
    let operands = function.operands_of(at);
    let of = |at: usize| match depth {
        0 => 0,
        _ => even_bits(module, function, operands[at], depth - 1),
    };
    let bits = match function.instructions[at].opcode {
        Opcode::Shl => {
            let by = word(module, operands[1]).and_then(|by| u32::try_from(by).ok());
            by.map_or(0, |by| of(0).saturating_add(by))
        }
        Opcode::Mul => of(0) + of(1),
        Opcode::Add | Opcode::Sub | Opcode::Or | Opcode::Xor => of(0).min(of(1)),
        Opcode::ZExt | Opcode::SExt | Opcode::Trunc => of(0),
        Opcode::Phi => (0..operands.len()).step_by(2).map(of).min().unwrap_or(0),
        _ => 0,
    };
    bits.min(32)
}

#[cfg(test)]
mod tests {
    use super::Places;

    fn every(first: i128, step: u128) -> Places {
        Places { first, step }
    }

    #[test]
    fn places_of_fields_do_not_touch_each_other() {
        let (x, y) = (every(0, 8), every(4, 8));
        assert!(x.is_apart(4, y, 4) && !x.is_apart(8, y, 4) && !x.is_apart(4, every(2, 0), 4));
        assert!(every(3, 0).is_apart(1, every(4, 0), 4) && !every(3, 0).is_apart(2, every(4, 0), 4));
        assert!(every(0, 4).holds(every(8, 0)) && every(0, 4).holds(every(4, 8)));
        assert!(!every(0, 4).holds(every(2, 0)) && !every(8, 0).holds(every(0, 4)));
        assert_eq!(every(4, 0).join(every(12, 0)), every(4, 8));
        assert!(x.is_same_or_apart(y, 4) && !x.is_same_or_apart(every(2, 8), 4));
    }
}
