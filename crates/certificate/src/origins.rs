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
    Outside, Type, TypeId, Value,
};
use opcost_key::{FunctionId, InstructionId};

use crate::claims::ClaimedWorld;
use crate::names::ObjectName;
use crate::offsets::{even_bits, steps};
use crate::places::{Places, divisor};

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

/// What a pointer may be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ValueOrigins {
    /// Objects, and where in them.
    pub(crate) targets: BTreeMap<ObjectId, Places>,
    /// It may be something else.
    pub(crate) is_unknown: bool,
}

/// Where all pointers of a module can point.
#[derive(Debug)]
pub(crate) struct AllOrigins<'a> {
    pub(crate) module: &'a Module,
    layout: &'a Layout,
    pub(crate) objects: IdMap<ObjectId, Object>,
    pub(crate) ids: HashMap<Object, ObjectId>,
    /// By name; none where several have it.
    by_name: HashMap<ObjectName, Option<ObjectId>>,
    of: HashMap<(FunctionId, Value), ValueOrigins>,
    returned: HashMap<FunctionId, ValueOrigins>,
    /// Objects that others may write to.
    pub(crate) open: IdMap<ObjectId, bool>,
    /// Functions all of whose calls are seen.
    pub(crate) is_called_here_only: IdMap<FunctionId, bool>,
    pub(crate) world: ClaimedWorld,
    /// What code outside of the module reaches by name, in either world.
    pub(crate) outside: Outside,
}

impl ValueOrigins {
    fn unknown() -> ValueOrigins {
        ValueOrigins { targets: BTreeMap::new(), is_unknown: true }
    }

    pub(crate) fn only(object: ObjectId, places: Places) -> ValueOrigins {
        ValueOrigins { targets: BTreeMap::from([(object, places)]), is_unknown: false }
    }

    /// Adds others; whether that is news.
    fn add(&mut self, other: &ValueOrigins) -> bool {
        let before = self.clone();
        self.is_unknown |= other.is_unknown;
        for (&object, &places) in &other.targets {
            let all = self.targets.get(&object).map_or(places, |known| known.join(places));
            self.targets.insert(object, all);
        }
        *self != before
    }

    /// The one object that it points into.
    pub(crate) fn single(&self) -> Option<(ObjectId, Places)> {
        let only = (self.targets.len() == 1 && !self.is_unknown).then(|| self.targets.iter().next());
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
            by_name: HashMap::new(),
            of: HashMap::new(),
            returned: HashMap::new(),
            open: IdMap::new(),
            is_called_here_only: IdMap::filled(module.functions.len(), false),
            world,
            outside: Outside::of(module),
        };
        all.find_callers();
        all.find_objects();
        while all.run_pass() {}
        all.find_open();
        all
    }

    pub(crate) fn is_closed(&self) -> bool {
        let begins =
            self.module.functions.values().any(|function| opcost_key::is_program_start(&function.name));
        self.world == ClaimedWorld::Closed && begins && !self.module.has_module_assembly
    }

    fn find_callers(&mut self) {
        let has_second_names = self.module.globals.values().any(|global| global.kind != GlobalKind::Variable);
        let started = |id: FunctionId| {
            self.module.initializers.iter().any(|entry| entry.function == Some(Value::Function(id)))
        };
        for (id, function) in self.module.functions.iter() {
            let is_hidden = function.linkage == Linkage::Local && !self.module.has_module_assembly;
            let is_main = opcost_key::is_program_start(&function.name);
            self.is_called_here_only[id] = (is_hidden || self.is_closed())
                && !is_main
                && !self.outside.functions.contains(id)
                && !started(id)
                && !function.is_address_taken
                && !has_second_names
                && !function.blocks.is_empty();
        }
    }

    /// Whether the body that is here is what runs.
    pub(crate) fn is_final(&self, id: FunctionId) -> bool {
        let function = &self.module.functions[id];
        let is_whole = self.is_closed() && !self.outside.functions.contains(id);
        let is_own = matches!(function.linkage, Linkage::Local | Linkage::Exact) || is_whole;
        is_own && !function.blocks.is_empty() && !function.is_naked && !function.is_coroutine
    }

    /// Whether what the module says of data is what is there, and no other definition.
    pub(crate) fn is_final_data(&self, id: GlobalId) -> bool {
        let is_whole = self.world == ClaimedWorld::Closed && !self.outside.globals.contains(id);
        self.module.globals[id].linkage != Linkage::Replaceable || is_whole
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
        let name = self.name(id);
        self.by_name.entry(name).and_modify(|known| *known = None).or_insert(Some(id));
        self.open.push(false);
    }

    fn allocates(&self, function: &Function, at: InstructionId) -> bool {
        match function.call(at).map(|call| call.callee) {
            Some(CalleeRef::Declaration(declared)) => self.module.declarations[declared].returns_noalias,
            _ => false,
        }
    }

    /// The object of this name in a certificate; none if several have it.
    pub(crate) fn named(&self, name: &ObjectName) -> Option<ObjectId> {
        self.by_name.get(name).copied().flatten()
    }

    /// Its name in a certificate.
    pub(crate) fn name(&self, id: ObjectId) -> ObjectName {
        match self.objects[id] {
            Object::Data(global) => ObjectName::data(&self.module.globals[global].name),
            Object::Local(function, at) | Object::Fresh(function, at) => {
                ObjectName::allocated(&self.module.functions[function].name, at)
            }
        }
    }

    /// Where a pointer can point.
    pub(crate) fn origins(&self, function: FunctionId, value: Value) -> ValueOrigins {
        match value {
            Value::Constant(id) => match self.module.constants[id].value {
                ConstantValue::Global { global, offset } => {
                    ValueOrigins::only(self.ids[&Object::Data(global)], Places::exact(offset.into()))
                }
                // In other address spaces memory may lie at 0.
                ConstantValue::Null
                    if !matches!(self.module.types[self.module.constants[id].ty], Type::Pointer(0)) =>
                {
                    ValueOrigins::unknown()
                }
                ConstantValue::Null | ConstantValue::Undef | ConstantValue::Poison => ValueOrigins::default(),
                _ => ValueOrigins::unknown(),
            },
            Value::Instruction(_) | Value::Argument(_) => {
                self.of.get(&(function, value)).cloned().unwrap_or_default()
            }
            _ => ValueOrigins::unknown(),
        }
    }

    /// Whether others may write to the object.
    pub(crate) fn is_open(&self, object: ObjectId) -> bool {
        self.open[object]
    }

    pub(crate) fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.module.types[ty], Type::Pointer(_))
    }

    /// Goes through all functions once; whether anything was news.
    fn run_pass(&mut self) -> bool {
        let mut is_news = false;
        for (id, function) in self.module.functions.iter() {
            let parameters = match &self.module.types[function.ty] {
                Type::Function(_, parameters, _) => parameters.clone(),
                _ => Vec::new(),
            };
            for (position, &ty) in (0..).zip(&parameters) {
                if self.is_pointer(ty) && !self.is_called_here_only[id] {
                    is_news |= self.put(id, Value::Argument(position), &ValueOrigins::unknown());
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

    fn put(&mut self, function: FunctionId, value: Value, origins: &ValueOrigins) -> bool {
        self.of.entry((function, value)).or_default().add(origins)
    }

    /// What an instruction makes.
    fn made(&self, id: FunctionId, function: &Function, at: InstructionId) -> ValueOrigins {
        let instruction = &function.instructions[at];
        let operands = function.operands_of(at);
        let join = |values: &mut dyn Iterator<Item = Value>| {
            values.fold(ValueOrigins::default(), |mut all, value| {
                all.add(&self.origins(id, value));
                all
            })
        };
        match instruction.opcode {
            Opcode::Alloca => ValueOrigins::only(self.ids[&Object::Local(id, at)], Places::exact(0)),
            Opcode::GetElementPtr => self.moved(id, function, at),
            Opcode::Phi => join(&mut operands.iter().copied().step_by(2)),
            Opcode::Select => join(&mut operands[1..].iter().copied()),
            Opcode::Freeze | Opcode::BitCast => self.origins(id, operands[0]),
            Opcode::Call | Opcode::Invoke => match function.call(at).map(|call| call.callee) {
                Some(CalleeRef::Function(callee)) if self.is_final(callee) => {
                    self.returned.get(&callee).cloned().unwrap_or_default()
                }
                Some(CalleeRef::Declaration(_)) if self.allocates(function, at) => {
                    ValueOrigins::only(self.ids[&Object::Fresh(id, at)], Places::exact(0))
                }
                _ => ValueOrigins::unknown(),
            },
            _ => ValueOrigins::unknown(),
        }
    }

    fn moved(&self, id: FunctionId, function: &Function, at: InstructionId) -> ValueOrigins {
        let mut origins = self.origins(id, function.operands_of(at)[0]);
        let is_promised = function.instructions[at].flags.has(Flags::NSW);
        match steps(self.module, self.layout, function, at) {
            Some((constant, variable)) => {
                let each = variable
                    .iter()
                    .map(|&(index, scale)| u128::from(scale) << even_bits(self.module, function, index, 6));
                let step = each.fold(0, divisor);
                // Without a promise the sum is one of 64 bits.
                let is_far = step != 0 || constant.unsigned_abs() > LARGEST_STEP;
                let step = if is_promised || !is_far { step } else { divisor(step, 1 << 64) };
                for places in origins.targets.values_mut() {
                    *places = places.moved(constant, step);
                }
            }
            None => origins.targets.values_mut().for_each(|places| *places = places.moved(0, 1)),
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
                true => ValueOrigins::unknown(),
                false => self.origins(id, value),
            };
            is_news |= self.put(callee, Value::Argument(position), &origins);
        }
        is_news
    }
}

/// A pointer may be moved by so many bytes without a promise. It is then taken not to have passed
/// around all addresses: a loop would have to iterate 2^48 times for that.
const LARGEST_STEP: u128 = 1 << 16;
