//! What does memory hold at a point of the evaluation?
//!
//! Instances of objects: the data of the module, locals of activations, what was allocated. Each has
//! cells that were written with something, and a rest that is what it began with. A write that goes
//! nobody knows where makes unknown all that the addresses of the module say it may touch. Two
//! memories join to what holds of both.
//!
//! Copies are cheap: instances are shared until one changes. Cost: the cells that are touched.
//! Limits: a cell is read as it was written, with the same type; at most [`MOST_CELLS`] in an
//! instance and [`MOST_HOLES`] unknown parts of its rest, then all of it is unknown.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use opcost_analysis::memory::addresses::Offsets;
use opcost_analysis::memory::summaries::Span;
use opcost_analysis::memory::{Apart, MemoryModel, ObjectId, ObjectKind, Targets};
use opcost_index::{Id, IdMap};
use opcost_ir::{GlobalId, GlobalKind, ScalarValue, TypeId};
use rustc_hash::FxHashMap as HashMap;

use super::content::{Byte, CommandText, Content, InstanceId};

/// Cells of one instance.
const MOST_CELLS: usize = 1 << 14;
/// Parts of its rest that are unknown.
const MOST_HOLES: usize = 16;
/// No cell takes more bytes.
const WIDEST: u64 = 16;

/// All instances.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    instances: HashMap<InstanceId, Rc<Instance>>,
    /// Code that is not seen may write to what escaped, at any time.
    is_wild: bool,
}

/// One instance.
#[derive(Clone, Debug, PartialEq)]
struct Instance {
    object: Option<ObjectId>,
    size: Option<u64>,
    /// By offset; they do not overlap.
    cells: BTreeMap<u64, Cell>,
    rest: Rest,
    /// Parts of the rest that are unknown.
    holes: Vec<Span>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    size: u64,
    ty: TypeId,
    content: Content,
}

/// What bytes hold that nothing was written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// What the module says of data.
    Initial,
    Zero,
    Unknown,
}

impl Instance {
    fn new(object: Option<ObjectId>, size: Option<u64>, rest: Rest) -> Instance {
        Instance { object, size, cells: BTreeMap::new(), rest, holes: Vec::new() }
    }

    /// Offsets of cells that overlap these bytes.
    fn overlapping(&self, offset: u64, size: u64) -> Vec<u64> {
        let before = self.cells.range(offset.saturating_sub(WIDEST)..offset.saturating_add(size));
        before.filter(|&(&start, cell)| start + cell.size > offset).map(|(&start, _)| start).collect()
    }

    fn forget(&mut self) {
        self.cells.clear();
        self.holes.clear();
        self.rest = Rest::Unknown;
    }

    fn add_hole(&mut self, span: Span) {
        if self.rest == Rest::Unknown {
            return;
        }
        let holds = |hole: &Span| hole.offsets.contain(span.offsets) && hole.size >= span.size;
        if self.holes.iter().any(holds) {
            return;
        }
        self.holes.push(span);
        if self.holes.len() > MOST_HOLES {
            self.rest = Rest::Unknown;
            self.holes.clear();
        }
    }

    /// Nobody knows what is written to these bytes, or whether.
    fn blur(&mut self, span: Span) {
        self.cells.retain(|&start, cell| is_disjoint(span, start, cell.size));
        self.add_hole(span);
    }

    fn write(&mut self, offset: u64, cell: Cell) {
        for start in self.overlapping(offset, cell.size) {
            let old = self.cells.remove(&start);
            let is_whole = old.is_some_and(|old| start >= offset && start + old.size <= offset + cell.size);
            if let (false, Some(old)) = (is_whole, old) {
                self.add_hole(Span { offsets: Offsets::exact(start as i64), size: old.size });
            }
        }
        self.cells.insert(offset, cell);
        if self.cells.len() > MOST_CELLS {
            self.forget();
        }
    }

    /// What holds of both.
    fn join(&mut self, other: &Instance) {
        let mut unlike: Vec<Span> = Vec::new();
        let starts: Vec<u64> = self.cells.keys().chain(other.cells.keys()).copied().collect();
        for start in starts {
            let (own, theirs) = (self.cells.get(&start), other.cells.get(&start));
            match (own, theirs) {
                (Some(own), Some(theirs)) if own.size == theirs.size && own.ty == theirs.ty => {
                    let content = own.content.join(theirs.content);
                    let joined = Cell { content, ..*own };
                    self.cells.insert(start, joined);
                }
                _ => {
                    let size = own.into_iter().chain(theirs).map(|cell| cell.size).max().unwrap_or(0);
                    unlike.push(Span { offsets: Offsets::exact(start as i64), size });
                }
            }
        }
        if self.rest != other.rest {
            self.rest = Rest::Unknown;
            self.holes.clear();
        }
        other.holes.iter().for_each(|&hole| self.add_hole(hole));
        unlike.into_iter().for_each(|span| self.blur(span));
    }
}

/// Offsets and sizes of the cells that hold a text.
fn pieces(text: CommandText) -> impl Iterator<Item = (u64, u64)> {
    (0..text.length).step_by(WIDEST as usize).map(move |offset| (offset, WIDEST.min(text.length - offset)))
}

/// Whether a write to these bytes never touches a cell.
fn is_disjoint(span: Span, start: u64, size: u64) -> bool {
    let Ok(start) = i64::try_from(start) else { return false };
    span.offsets.apart(span.size, Offsets::exact(start), size) == Some(Apart::Always)
}

/// All bytes.
const ALL: Span = Span { offsets: Offsets::ANY, size: u64::MAX };

impl Memory {
    /// A new instance of an object.
    pub(super) fn add(&mut self, id: InstanceId, object: Option<ObjectId>, rest: Rest) {
        self.instances.insert(id, Rc::new(Instance::new(object, None, rest)));
    }

    pub(super) fn set_size(&mut self, id: InstanceId, size: u64) {
        if let Some(instance) = self.instances.get_mut(&id) {
            Rc::make_mut(instance).size = Some(size);
        }
    }

    pub(super) fn remove(&mut self, id: InstanceId) {
        self.instances.remove(&id);
    }

    /// What copying and joining costs.
    pub(super) fn len(&self) -> usize {
        self.instances.len()
    }

    fn instance_mut(&mut self, model: &MemoryModel<'_>, id: InstanceId) -> Option<&mut Instance> {
        let instance = match self.instances.entry(id) {
            Entry::Occupied(of_before) => of_before.into_mut(),
            Entry::Vacant(free) => free.insert(Rc::new(of_global(model, id)?)),
        };
        Some(Rc::make_mut(instance))
    }

    /// Whether others may write there at any time.
    fn is_shared(&self, model: &MemoryModel<'_>, instance: &Instance) -> bool {
        let escapes = |object: ObjectId| model.addresses.objects().is_escaped(object);
        self.is_wild && instance.object.is_none_or(escapes)
    }

    /// The object of the module that an instance is of.
    pub(super) fn object(&self, model: &MemoryModel<'_>, id: InstanceId) -> Option<ObjectId> {
        match self.instances.get(&id) {
            Some(instance) => instance.object,
            None => of_global(model, id)?.object,
        }
    }

    /// What a load reads.
    pub(super) fn load(&self, model: &MemoryModel<'_>, at: Byte, ty: TypeId) -> Content {
        let (Some(size), Ok(offset)) = (model.layout.size(ty), u64::try_from(at.offset)) else {
            return Content::Unknown;
        };
        let initial;
        let instance = match self.instances.get(&at.instance) {
            Some(instance) => &**instance,
            None => match of_global(model, at.instance) {
                Some(own) => {
                    initial = own;
                    &initial
                }
                None => return Content::Unknown,
            },
        };
        let is_inside =
            instance.size.is_none_or(|all| offset.checked_add(size).is_some_and(|end| end <= all));
        if !is_inside || self.is_shared(model, instance) {
            return Content::Unknown;
        }
        match instance.overlapping(offset, size)[..] {
            [] => {}
            [start] => {
                let cell = instance.cells[&start];
                let is_it = start == offset && cell.size == size && cell.ty == ty;
                return if is_it { cell.content } else { Content::Unknown };
            }
            _ => return Content::Unknown,
        }
        if instance.holes.iter().any(|&hole| !is_disjoint(hole, offset, size)) {
            return Content::Unknown;
        }
        match instance.rest {
            Rest::Unknown => Content::Unknown,
            Rest::Zero => Content::zero(&model.module.types[ty]),
            Rest::Initial => initial_content(model, GlobalId::new(at.instance.index()), offset, ty),
        }
    }

    /// A store of a scalar.
    pub(super) fn store(&mut self, model: &MemoryModel<'_>, at: Byte, ty: TypeId, content: Content) {
        let size = model.layout.size(ty);
        let offset = u64::try_from(at.offset).ok();
        let Some(instance) = self.instance_mut(model, at.instance) else { return };
        match (size, offset) {
            (Some(size @ 1..=WIDEST), Some(offset)) => instance.write(offset, Cell { size, ty, content }),
            (Some(size), Some(_)) => instance.blur(Span { offsets: Offsets::exact(at.offset), size }),
            _ => instance.forget(),
        }
    }

    /// The text of a word of the command line is written to the start of an instance.
    pub(super) fn put_text(
        &mut self,
        model: &MemoryModel<'_>,
        to: InstanceId,
        text: CommandText,
        ty: TypeId,
    ) {
        if let Some(instance) = self.instance_mut(model, to) {
            for (offset, size) in pieces(text) {
                instance.write(offset, Cell { size, ty, content: Content::Text(text) });
            }
        }
    }

    /// The text of a word of the command line that an instance begins with, where all of it is still there.
    pub(super) fn text(&self, from: InstanceId) -> Option<CommandText> {
        let instance = self.instances.get(&from)?;
        let Content::Text(text) = instance.cells.get(&0)?.content else { return None };
        let is_there = |(offset, size)| {
            instance
                .cells
                .get(&offset)
                .is_some_and(|cell| cell.size == size && cell.content == Content::Text(text))
        };
        pieces(text).all(is_there).then_some(text)
    }

    /// Something is written somewhere into an instance.
    pub(super) fn blur(&mut self, model: &MemoryModel<'_>, id: InstanceId, span: Span) {
        if let Some(instance) = self.instance_mut(model, id) {
            instance.blur(span);
        }
    }

    /// Something is perhaps written where a pointer may point.
    pub(super) fn blur_targets(&mut self, model: &MemoryModel<'_>, targets: &Targets, size: u64) {
        for target in &targets.known {
            self.blur_object(model, target.object, Span { offsets: target.offsets.without_end(), size });
        }
        if targets.is_unknown {
            self.blur_escaped(model);
        }
    }

    /// Something is perhaps written into all instances of an object.
    pub(super) fn blur_object(&mut self, model: &MemoryModel<'_>, object: ObjectId, span: Span) {
        if model.is_constant(object) || !model.addresses.objects().is_memory(object) {
            return;
        }
        if let ObjectKind::Global(global) = model.addresses.objects().kind(object) {
            return self.blur(model, InstanceId::new(global.index()), span);
        }
        for instance in self.instances.values_mut().filter(|instance| instance.object == Some(object)) {
            Rc::make_mut(instance).blur(span);
        }
    }

    /// Something is perhaps written into all that code may reach that is not seen.
    pub(super) fn blur_escaped(&mut self, model: &MemoryModel<'_>) {
        let objects = model.addresses.objects();
        for global in model.module.globals.ids() {
            let object = objects.of_global(global);
            if objects.is_escaped(object) {
                self.blur_object(model, object, ALL);
            }
        }
        let globals = model.module.globals.len();
        let escapes = |id: &InstanceId, instance: &Instance| {
            id.index() >= globals && instance.object.is_none_or(|object| objects.is_escaped(object))
        };
        self.instances
            .iter_mut()
            .filter(|(id, instance)| escapes(id, instance))
            .for_each(|(_, instance)| Rc::make_mut(instance).forget());
    }

    /// Nothing is known any more.
    pub(super) fn forget(&mut self, model: &MemoryModel<'_>) {
        for global in model.module.globals.ids() {
            self.blur_object(model, model.addresses.objects().of_global(global), ALL);
        }
        self.instances.values_mut().for_each(|instance| Rc::make_mut(instance).forget());
        self.is_wild = true;
    }

    /// From now on, others may write to what escaped.
    pub(super) fn become_wild(&mut self, model: &MemoryModel<'_>) {
        self.blur_escaped(model);
        self.is_wild = true;
    }

    /// All of an instance becomes zeros.
    pub(super) fn fill(&mut self, model: &MemoryModel<'_>, id: InstanceId) {
        if let Some(instance) = self.instance_mut(model, id) {
            instance.forget();
            instance.rest = Rest::Zero;
        }
    }

    /// The bytes of an instance, if they are counted.
    pub(super) fn size(&self, model: &MemoryModel<'_>, id: InstanceId) -> Option<u64> {
        match self.instances.get(&id) {
            Some(instance) => instance.size,
            None => of_global(model, id)?.size,
        }
    }

    /// An instance becomes a copy of data that never changes.
    pub(super) fn copy_constant(&mut self, model: &MemoryModel<'_>, to: InstanceId, from: GlobalId) {
        let global = &model.module.globals[from];
        let object = model.addresses.objects().of_global(from);
        let Some(contents) = global.contents.as_ref().filter(|contents| contents.is_complete) else {
            return;
        };
        if !global.is_constant || !model.is_final_data(from) || !model.is_constant(object) {
            return;
        }
        let Some(instance) = self.instance_mut(model, to) else { return };
        instance.forget();
        instance.rest = Rest::Zero;
        for &(offset, ty, value) in &contents.scalars {
            let size = model.layout.size(ty).filter(|size| (1..=WIDEST).contains(size));
            match size {
                Some(size) => instance.write(offset, Cell { size, ty, content: scalar(model, value, ty) }),
                None => instance.forget(),
            }
        }
    }

    /// What holds of both.
    pub(super) fn join(mut self, model: &MemoryModel<'_>, other: &Memory) -> Memory {
        self.is_wild |= other.is_wild;
        let mut all: Vec<InstanceId> = self.instances.keys().chain(other.instances.keys()).copied().collect();
        all.sort_unstable();
        all.dedup();
        for id in all {
            let theirs = match other.instances.get(&id) {
                Some(theirs) => theirs.clone(),
                None => match of_global(model, id) {
                    Some(initial) => Rc::new(initial),
                    // Only one of both has it, so only one has pointers to it.
                    None => continue,
                },
            };
            match self.instances.get_mut(&id) {
                Some(own) if Rc::ptr_eq(own, &theirs) || *own == theirs => {}
                Some(own) => Rc::make_mut(own).join(&theirs),
                None => match of_global(model, id) {
                    Some(mut initial) => {
                        initial.join(&theirs);
                        self.instances.insert(id, Rc::new(initial));
                    }
                    None => _ = self.instances.insert(id, theirs),
                },
            }
        }
        self
    }
}

/// The data of the module as it begins; none of what is no data.
fn of_global(model: &MemoryModel<'_>, id: InstanceId) -> Option<Instance> {
    if id.index() >= model.module.globals.len() {
        return None;
    }
    let id = GlobalId::new(id.index());
    let global = &model.module.globals[id];
    let object = Some(model.addresses.objects().of_global(id));
    let is_own = global.kind == GlobalKind::Variable
        && !global.is_declared
        && !global.is_thread_local
        && model.is_final_data(id)
        && (global.is_constant
            || !model.roots.reached_from_outside.contains(id)
                && !model.externals.outside.globals.contains(id));
    // Without an object it is as if it were reached by everyone.
    let size = model.layout.size(global.ty);
    Some(match is_own {
        true => Instance::new(object, size, Rest::Initial),
        false => Instance { size: Some(0), ..Instance::new(object, size, Rest::Unknown) },
    })
}

fn scalar(model: &MemoryModel<'_>, value: ScalarValue, ty: TypeId) -> Content {
    match value {
        ScalarValue::Constant(value) => Content::of_constant(model.module, value, ty),
        ScalarValue::Function(opcost_ir::Value::Function(id)) => Content::Code(id),
        ScalarValue::Function(_) => Content::Unknown,
    }
}

/// What the module says of these bytes of data.
fn initial_content(model: &MemoryModel<'_>, global: GlobalId, offset: u64, ty: TypeId) -> Content {
    let Some(contents) = &model.module.globals[global].contents else { return Content::Unknown };
    let Some(size) = model.layout.size(ty) else { return Content::Unknown };
    let scalars = &contents.scalars;
    let next = scalars.partition_point(|&(start, ..)| start < offset);
    let reaches = |&(start, ty, _): &(u64, TypeId, ScalarValue)| {
        model.layout.size(ty).is_none_or(|size| start.saturating_add(size) > offset)
    };
    if next > 0 && reaches(&scalars[next - 1]) {
        return Content::Unknown;
    }
    match scalars.get(next) {
        Some(&(start, own, value)) if start == offset => {
            if own == ty {
                scalar(model, value, ty)
            } else {
                Content::Unknown
            }
        }
        Some(&(start, ..)) if start < offset.saturating_add(size) => Content::Unknown,
        None if !contents.is_complete => Content::Unknown,
        _ => Content::zero(&model.module.types[ty]),
    }
}

/// Contents of results, by instruction.
pub(super) type Results = IdMap<opcost_key::InstructionId, Content>;
