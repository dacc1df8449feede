//! What does a load read? The rules, each one after the other for what those before it left
//! (`deep_solve` of the document).
//!
//! Memory analysis knows the bytes, an element of an array, a pointer that each
//! caller passes another of, or several places. Of bytes it lists what every
//! definition that reaches the load put there; of an element whose index is not
//! known, all that is ever written to such elements, and the index.

use opcost_index::Id;
use opcost_ir::{ConstantValue, GlobalKind, Linkage, Opcode, ScalarValue, Type, TypeId, Value};
use opcost_key::{FunctionId, InstructionId};

use super::asked::{Asked, ContextInstruction, Definition, Origin, Point, Writing, is_opaque};
use super::contexts::ContextId;
use super::expander::Expander;
use super::explanation::{Argument, Elements, LinkCertainty, UnknownReason, What};
use super::memory::{Cell, MemoryQueries, Object};
use super::placed::{IndexedWay, Placed};
use super::question::{Expansion, Question};
use super::rule_set::RuleSet;
use super::search::Ask;

/// What answers about COMMON blocks rest on.
const COMMON: &str = "common data is zero at the start";
/// How many lanes that are put into a vector are followed.
const MOST_PARTS: u32 = 64;
/// What answers about arrays rest on.
const INDICES: &str = "indices stay inside their arrays";
/// What answers about memory rest on where types distinguish writes.
pub(super) const TYPES: &str = "no alias by type";

impl<M: MemoryQueries> Expander<'_, '_, M> {
    /// Whatever the first rule finds that finds all; else what was found last.
    pub(super) fn load(&mut self, spot: ContextInstruction) -> Expansion {
        let code = self.search.shared.function(spot.function);
        if is_opaque(code.instructions[spot.id].flags) {
            return Expansion::unknown(UnknownReason::Volatile);
        }
        let mut last = None;
        for &rule in self.rules {
            let found = match rule {
                RuleSet::UseOnly => self.by_uses(spot),
                RuleSet::MemoryAnalysis => Some(self.by_memory(spot)),
                RuleSet::Profile => self.by_profile(spot),
                RuleSet::Full => Some(self.by_address(spot)),
            };
            let Some(found) = found else { continue };
            if found.is_solved() {
                return found;
            }
            last.get_or_insert(found);
        }
        last.unwrap_or_else(|| Expansion::unknown(UnknownReason::Memory(spot.function, spot.id)))
    }

    /// Full dependence: on the address, as if memory were no matter.
    fn by_address(&mut self, spot: ContextInstruction) -> Expansion {
        let code = self.search.shared.function(spot.function);
        let links = code.operands_of(spot.id).iter().take(1).map(|&value| {
            let question = Question::Value(spot.function, value, spot.context);
            (question, Argument::Address, LinkCertainty::Definite)
        });
        let at = Some((spot.function, spot.id));
        Expansion::of(What::Operation, at, links.collect())
    }

    /// The cell that a load reads, since it was last changed.
    pub(super) fn cell_of(&mut self, spot: ContextInstruction) -> Option<Question> {
        let shared = self.search.shared;
        let code = shared.function(spot.function);
        let ty = code.instructions[spot.id].ty;
        if is_opaque(code.instructions[spot.id].flags) {
            return None;
        }
        let size = shared.layout.size(ty)?;
        let address = *code.operands_of(spot.id).first()?;
        let Placed::At { object, offset, is_own } = self.search.place(spot.function, address, spot.context)
        else {
            return None;
        };
        let asked =
            Asked { cell: Cell { object, offset, size }, is_own, tag: code.instructions[spot.id].tag };
        Some(self.since_change(spot, asked, ty))
    }

    /// The cell that a load reads, right after an instruction.
    pub(super) fn cell_behind(
        &mut self,
        function: FunctionId,
        load: InstructionId,
        at: InstructionId,
    ) -> Option<Question> {
        let code = self.search.shared.function(function);
        let next = InstructionId::new(at.index() + 1);
        let range = &code.blocks[code.block_of(at)].instructions;
        if !range.contains(&(next.index() as u32)) {
            return None;
        }
        let spot = ContextInstruction { function, id: load, context: ContextId::empty() };
        match self.cell_of(spot)? {
            Question::Cell(_, asked, ty, trusts_types) => {
                let point = Point { function, before: Some(next), context: spot.context };
                Some(Question::Cell(point, asked, ty, trusts_types))
            }
            _ => None,
        }
    }

    /// What a cell holds, asked where it was last changed.
    fn since_change(&mut self, spot: ContextInstruction, asked: Asked, ty: TypeId) -> Question {
        let trusted = std::mem::take(&mut self.search.trusts_types);
        let point = self.search.earliest(spot.point(), asked);
        let trusts_types = std::mem::replace(&mut self.search.trusts_types, trusted);
        Question::Cell(point, asked, ty, trusts_types)
    }

    /// What was written to the bytes that are read.
    fn by_memory(&mut self, spot: ContextInstruction) -> Expansion {
        let shared = self.search.shared;
        let code = shared.function(spot.function);
        let ty = code.instructions[spot.id].ty;
        let (Some(&address), Some(size)) = (code.operands_of(spot.id).first(), shared.layout.size(ty)) else {
            return Expansion::unknown(UnknownReason::Address(spot.function, spot.id));
        };
        match self.search.place(spot.function, address, spot.context) {
            Placed::At { object, offset, is_own } => {
                let tag = code.instructions[spot.id].tag;
                self.cell(spot.point(), Asked { cell: Cell { object, offset, size }, is_own, tag }, ty)
            }
            Placed::Elements { object, way } => self.element(spot, object, &way, ty),
            Placed::Parameter { function, .. } => {
                self.by_callers(spot, function).unwrap_or_else(|| self.several(spot, address, ty))
            }
            Placed::Foreign => {
                let question = Question::Value(spot.function, address, spot.context);
                let links = vec![(question, Argument::Address, LinkCertainty::Outside)];
                Expansion::of(What::Foreign, Some((spot.function, spot.id)), links)
            }
            Placed::Null => Expansion::leaf(What::Undefined),
            Placed::Several => self.several(spot, address, ty),
        }
    }

    /// The same load under each call of the outermost function that is known:
    /// each call passes a pointer of its own.
    fn by_callers(&mut self, spot: ContextInstruction, outermost: FunctionId) -> Option<Expansion> {
        let shared = self.search.shared;
        let callers = &shared.calls.callers[outermost];
        if shared.calls.recursive.contains(outermost) || callers.sites.is_empty() {
            return None;
        }
        let mut links = Vec::new();
        for site in &callers.sites {
            let context = self.under(spot.context, site.function, site.call)?;
            let question = Question::Value(spot.function, Value::Instruction(spot.id), context);
            let certainty = if site.is_possible { LinkCertainty::Possible } else { LinkCertainty::Definite };
            links.push((question, Argument::Passed(site.function, site.call), certainty));
        }
        if callers.from_outside || callers.is_start || callers.by_itself {
            let reason = UnknownReason::Callers(outermost);
            links.push((
                Question::Leaf(What::Unknown(reason), None),
                Argument::Content,
                LinkCertainty::Outside,
            ));
        }
        Some(Expansion::of(What::Choice, Some((spot.function, spot.id)), links))
    }

    /// The context with one more call below the outermost.
    fn under(&self, context: ContextId, function: FunctionId, call: InstructionId) -> Option<ContextId> {
        let mut frames = Vec::new();
        let mut contexts = self.search.shared.contexts.borrow_mut();
        let mut at = context;
        while let Some(frame) = contexts.top(at) {
            frames.push(frame);
            at = frame.parent;
        }
        let mut made = contexts.enter(ContextId::empty(), function, call);
        for frame in frames.into_iter().rev() {
            made = contexts.enter(made, frame.function, frame.call);
        }
        (made != ContextId::empty()).then_some(made)
    }

    /// Each place that memory knows for the pointer.
    fn several(&mut self, spot: ContextInstruction, address: Value, ty: TypeId) -> Expansion {
        let shared = self.search.shared;
        let points_to = shared.memory.points_to(spot.function, address);
        let size = shared.layout.size(ty).unwrap_or(0);
        let unknown = UnknownReason::Address(spot.function, spot.id);
        if points_to.targets.is_empty() {
            return Expansion::unknown(unknown);
        }
        let mut links = Vec::new();
        for target in &points_to.targets {
            let question = match (target.object, target.offset) {
                (Object::Outside, _) | (_, None) => Question::Leaf(What::Unknown(unknown), None),
                (object, Some(offset)) => {
                    let tag = shared.function(spot.function).instructions[spot.id].tag;
                    let asked = Asked { tag, ..Asked::any(Cell { object, offset, size }) };
                    self.since_change(spot, asked, ty)
                }
            };
            links.push((question, Argument::Content, LinkCertainty::Possible));
        }
        if !points_to.is_complete {
            let question = Question::Leaf(What::Unknown(unknown), None);
            links.push((question, Argument::Content, LinkCertainty::Outside));
        }
        Expansion::of(What::Choice, Some((spot.function, spot.id)), links)
    }

    /// An element whose index is not known: the index, and all that is ever
    /// written to such elements.
    fn element(
        &mut self,
        spot: ContextInstruction,
        object: Object,
        way: &IndexedWay,
        ty: TypeId,
    ) -> Expansion {
        let shared = self.search.shared;
        let unknown = || Expansion::unknown(UnknownReason::Address(spot.function, spot.id));
        let code = shared.function(spot.function);
        let (Some(size), Some(&pointer)) = (shared.layout.size(ty), code.operands_of(spot.id).first()) else {
            return unknown();
        };
        let whole = shared.memory.size(object).unwrap_or(i64::MAX as u64);
        let stride = way.indices.first().map_or(size, |index| index.stride);
        let history = shared.history_of(shared.memory.element_writers(spot.function, pointer, object, size));
        if history.is_too_many {
            return Expansion::unknown(UnknownReason::Large);
        }
        if history.trusts_indices {
            self.assume(INDICES);
        }
        let indices = (0..).zip(&way.indices).map(|(position, index)| {
            let question = Question::Value(index.function, index.value, index.context);
            (question, Argument::Index(position), LinkCertainty::Definite)
        });
        let mut links: Vec<_> = indices.collect();
        for write in &history.writes {
            let origin = Origin::Write(write.function, write.instruction);
            let found = Definition { origin, context: ContextId::empty(), is_possible: true };
            links.push(self.written(&found, Cell { object, offset: way.bytes, size }, ty, true));
            links.extend(self.stored_at(write.function, write.instruction));
        }
        if !history.is_complete {
            let question = Question::Leaf(What::Unknown(UnknownReason::Unseen(object)), None);
            links.push((question, Argument::Content, LinkCertainty::Outside));
        }
        let elements = Elements { object, offset: way.bytes, stride, size };
        let all = Cell { object, offset: 0, size: whole };
        let since = self.search.earliest_by(&history, spot.point(), Asked::any(all));
        Expansion::of(What::Element(elements), since.before.map(|at| (since.function, at)), links)
    }

    /// The index at which a store to an element stores.
    fn stored_at(
        &mut self,
        function: FunctionId,
        store: InstructionId,
    ) -> Option<(Question, Argument, LinkCertainty)> {
        let code = self.search.shared.function(function);
        if code.instructions[store].opcode != Opcode::Store {
            return None;
        }
        let address = *code.operands_of(store).get(1)?;
        match self.search.place(function, address, ContextId::empty()) {
            Placed::Elements { way, .. } => {
                let index = way.indices.last()?;
                let question = Question::Value(index.function, index.value, index.context);
                Some((question, Argument::StoredAt(function, store), LinkCertainty::Definite))
            }
            _ => None,
        }
    }

    /// What a cell may hold.
    pub(super) fn cell(&mut self, point: Point, asked: Asked, ty: TypeId) -> Expansion {
        let cell = asked.cell;
        let found = self.search.definitions(point, asked);
        if found.trusts_types {
            self.assume(TYPES);
        }
        if self.search.shared.history(cell).trusts_indices {
            self.assume(INDICES);
        }
        let mut links = Vec::new();
        for definition in &found.list {
            let link = self.written(definition, cell, ty, false);
            if !links.contains(&link) {
                links.push(link);
            }
        }
        let at = point.before.map(|at| (point.function, at));
        Expansion::of(What::Cell(cell), at, links)
    }

    /// What one definition put into the cell.
    fn written(
        &mut self,
        definition: &Definition,
        cell: Cell,
        ty: TypeId,
        is_element: bool,
    ) -> (Question, Argument, LinkCertainty) {
        let certainty =
            if definition.is_possible { LinkCertainty::Possible } else { LinkCertainty::Definite };
        let leaf = |what| Question::Leaf(what, Some(ty));
        let writing = |function, at| Writing { function, at, context: definition.context, cell, ty };
        match definition.origin {
            Origin::Write(function, at) => {
                let argument = Argument::Written(function, at);
                let question = self.write(writing(function, at), is_element);
                (question, argument, certainty)
            }
            Origin::Initial => {
                let question = leaf(self.initial(cell, ty));
                (question, Argument::Initial, certainty)
            }
            Origin::Birth(function, at) => {
                let question = leaf(self.newborn(function, at, ty));
                (question, Argument::Written(function, at), certainty)
            }
            Origin::Passed(function, call) => {
                let question = self.passed_copy(writing(function, call));
                (question, Argument::Passed(function, call), certainty)
            }
            Origin::Unseen => (
                leaf(What::Unknown(UnknownReason::Unseen(cell.object))),
                Argument::Content,
                LinkCertainty::Outside,
            ),
            Origin::Callers(function) => {
                (leaf(What::Unknown(UnknownReason::Callers(function))), Argument::Content, certainty)
            }
            Origin::Lost => (leaf(What::Unknown(UnknownReason::Large)), Argument::Content, certainty),
        }
    }

    fn write(&mut self, writing: Writing, is_element: bool) -> Question {
        let Writing { function, at, context, cell, ty } = writing;
        let shared = self.search.shared;
        let code = shared.function(function);
        let instruction = &code.instructions[at];
        let unclear = Question::Leaf(What::Unknown(UnknownReason::Overwritten(function, at)), Some(ty));
        if instruction.opcode != Opcode::Store {
            return self.written_by_call(writing);
        }
        let (&[value, address], Some(stored)) = (code.operands_of(at), instruction.second_type) else {
            return unclear;
        };
        if is_opaque(instruction.flags) {
            return unclear;
        }
        if shared.layout.size(stored) != Some(cell.size)
            || matches!(shared.module.types[stored], Type::Vector { .. })
        {
            let place = self.search.place(function, address, context);
            let part = match place {
                Placed::At { object, offset, .. } if object == cell.object && !is_element => {
                    cell.offset.checked_sub(offset).and_then(|way| u64::try_from(way).ok())
                }
                _ => None,
            };
            let part = part.and_then(|way| self.part_of(writing, value, stored, way));
            return part.unwrap_or(unclear);
        }
        let is_exact = match self.search.place(function, address, context) {
            Placed::At { object, offset, .. } if !is_element => {
                object == cell.object && offset == cell.offset
            }
            _ => {
                self.assume("stores of the size of a cell write all of it or nothing");
                true
            }
        };
        match is_exact {
            _ if stored != ty && !self.same_kind(stored, ty) => unclear,
            true => Question::Value(function, value, context),
            false => unclear,
        }
    }

    /// What is so many bytes after the start of a value that was stored. It is a part of a
    /// constant, or what was put into a vector there.
    fn part_of(&self, writing: Writing, value: Value, stored: TypeId, way: u64) -> Option<Question> {
        let Writing { function, context, ty, .. } = writing;
        let shared = self.search.shared;
        let Type::Integer(bits) = shared.module.types[ty] else { return None };
        let code = shared.function(function);
        let mut value = value;
        for _ in 0..MOST_PARTS {
            let Value::Instruction(at) = value else { break };
            let &[whole, part, lane] = code.operands_of(at) else { return None };
            let (
                Opcode::InsertElement,
                Value::Constant(lane),
                &Type::Vector { element, scalable: false, .. },
            ) = (code.instructions[at].opcode, lane, &shared.module.types[stored])
            else {
                return None;
            };
            let ConstantValue::Integer(lane) = shared.module.constants[lane].value else { return None };
            let size = u128::from(shared.layout.size(element)?);
            if lane.checked_mul(size)? == u128::from(way) && self.same_kind(element, ty) {
                return Some(Question::Value(function, part, context));
            }
            let end = u128::from(way) + u128::from(shared.layout.size(ty)?);
            if lane * size < end && u128::from(way) < (lane + 1) * size {
                return None;
            }
            value = whole;
        }
        let Value::Constant(constant) = value else { return None };
        let value = shared.module.part_of_constant(constant, &shared.layout, way, bits)?;
        Some(Question::Leaf(What::Integer { value, bits }, Some(ty)))
    }

    /// What the caller's memory holds that is copied into a parameter.
    fn passed_copy(&mut self, writing: Writing) -> Question {
        let Writing { function, at: call, context, cell, ty } = writing;
        let shared = self.search.shared;
        let unknown = Question::Leaf(What::Unknown(UnknownReason::Call(function, call)), Some(ty));
        let Object::Copy(callee, position) = cell.object else { return unknown };
        let Some(pointer) = shared.passed(callee, position, function, call) else { return unknown };
        let point = writing.point();
        match self.search.place(function, pointer, context) {
            Placed::At { object, offset, is_own } => match offset.checked_add(cell.offset) {
                Some(offset) => {
                    let asked = Asked { cell: Cell { object, offset, size: cell.size }, is_own, tag: None };
                    Question::Cell(point, asked, ty, false)
                }
                None => unknown,
            },
            _ => unknown,
        }
    }

    /// Whether the bits of one type mean the same under the other.
    fn same_kind(&self, left: TypeId, right: TypeId) -> bool {
        let types = &self.search.shared.module.types;
        match (&types[left], &types[right]) {
            (Type::Integer(left), Type::Integer(right)) => left == right,
            (Type::Pointer(_), Type::Pointer(_)) => true,
            (left, right) => left == right,
        }
    }

    /// What data holds at the start.
    fn initial(&mut self, cell: Cell, ty: TypeId) -> What {
        let unknown = What::Unknown(UnknownReason::Unseen(cell.object));
        let Object::Global(global) = cell.object else { return What::Undefined };
        let shared = self.search.shared;
        let data = &shared.module.globals[global];
        let Some(contents) = &data.contents else {
            // COMMON: zero, unless another module fills it.
            let is_detailed = shared.module.globals.values().any(|other| other.contents.is_some());
            let is_data = data.kind == GlobalKind::Variable && data.linkage == Linkage::Exact;
            if is_detailed && is_data && !data.is_declared && shared.memory.is_program() {
                self.assume(COMMON);
                return self.zero(ty);
            }
            return unknown;
        };
        let Ok(offset) = u64::try_from(cell.offset) else { return unknown };
        match contents.at(offset) {
            Some((known, ScalarValue::Constant(value))) if self.same_kind(known, ty) => {
                self.constant_value(value, ty).unwrap_or(unknown)
            }
            Some((_, ScalarValue::Function(code))) => What::Code(code),
            Some(_) => unknown,
            None => {
                let is_free = |&(at, known, _): &(u64, TypeId, ScalarValue)| {
                    let end = at + self.search.shared.layout.size(known).unwrap_or(u64::MAX);
                    end <= offset || offset + cell.size <= at
                };
                let near = contents.scalars.partition_point(|&(at, ..)| at < offset + cell.size);
                let is_zero = contents.scalars[..near].last().is_none_or(is_free);
                if is_zero && contents.is_complete { self.zero(ty) } else { unknown }
            }
        }
    }
}
