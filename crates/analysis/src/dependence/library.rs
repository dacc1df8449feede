//! What do functions give and write that are elsewhere?
//!
//! The effect table describes it; what it names as input is a named input, a leaf of the answer,
//! with links to what it comes from (the stream, the unit, the name of the variable). What only
//! looks at its arguments is an operation on them and on the memory that they point to. A function
//! that no table knows gives an input of its own at each call; what it may write is a blocker with
//! its name.

use opcost_ir::{CalleeRef, Type, TypeId, Value};
use opcost_key::{FunctionId, InstructionId};

use super::asked::{Asked, ContextInstruction, Point, Writing};
use super::expander::Expander;
use super::explanation::{Argument, LinkCertainty, OutsideInput, UnknownReason, What};
use super::library_hits::writes;
use super::memory::{Cell, MemoryQueries, Object};
use super::placed::Placed;
use super::question::{Expansion, Question};
use super::search::Ask;
use opcost_library::effect::{Effect, Origin, ResultKind, Statement, Touching};

impl<M: MemoryQueries> Expander<'_, '_, M> {
    /// What a call of a function that is elsewhere gives.
    pub(super) fn library_result(&mut self, spot: ContextInstruction) -> Expansion {
        let shared = self.search.shared;
        let at = Some((spot.function, spot.id));
        let code = shared.function(spot.function);
        let Some(call) = code.call(spot.id) else { return self.not_followed(spot) };
        let CalleeRef::Declaration(declaration) = call.callee else { return self.not_followed(spot) };
        let name = &shared.module.declarations[declaration].name;
        let read = OutsideInput::Read { function: spot.function, call: spot.id, argument: None };
        let Some(effect) = shared.memory.effect(spot.function, spot.id) else {
            return Expansion::of(What::Input(read), at, Vec::new());
        };
        let arguments = code.arguments_of(spot.id);
        let source = |position: u32| {
            let value = *arguments.get(position as usize)?;
            let question = Question::Value(spot.function, value, spot.context);
            Some((question, Argument::Source, LinkCertainty::Outside))
        };
        match effect.result {
            ResultKind::Pure => self.pure(spot, name, &effect, arguments),
            ResultKind::Fresh { .. } => {
                Expansion::leaf(What::Address(Object::Fresh(spot.function, spot.id), 0))
            }
            ResultKind::Parameter(position) => match arguments.get(position as usize) {
                Some(&value) => {
                    let question = Question::Value(spot.function, value, spot.context);
                    let links = vec![(question, Argument::Argument(position), LinkCertainty::Definite)];
                    Expansion::of(What::Choice, at, links)
                }
                None => self.not_followed(spot),
            },
            ResultKind::Environment(position) | ResultKind::InputFrom(Origin::Parameter(position)) => {
                let links = source(position).into_iter().collect();
                Expansion::of(What::Input(read), at, links)
            }
            ResultKind::Moved(position) | ResultKind::Inside(position) => {
                let links = (0..).zip(arguments).map(|(at, &value)| {
                    let question = Question::Value(spot.function, value, spot.context);
                    (question, Argument::Argument(at), LinkCertainty::Definite)
                });
                let links = links.collect();
                let _ = position;
                Expansion::of(What::Library(name.as_str().into()), at, links)
            }
            ResultKind::Input | ResultKind::InputFrom(_) | ResultKind::Outside => {
                // The cookie of a statement: its unit.
                let unit = match effect.statement {
                    Some(Statement::Unit(position) | Statement::Open(position)) => source(position),
                    _ => None,
                };
                Expansion::of(What::Input(read), at, unit.into_iter().collect())
            }
        }
    }

    fn not_followed(&self, spot: ContextInstruction) -> Expansion {
        Expansion::unknown(UnknownReason::Call(spot.function, spot.id))
    }

    /// An operation on the arguments, and on the memory that is read through them.
    fn pure(
        &mut self,
        spot: ContextInstruction,
        name: &str,
        effect: &Effect,
        arguments: &[Value],
    ) -> Expansion {
        let point = Point { function: spot.function, before: Some(spot.id), context: spot.context };
        let mut links = Vec::new();
        for (position, &value) in (0..).zip(arguments) {
            if matches!(value, Value::Block(_)) {
                continue;
            }
            let is_read = effect.touches_of(position).any(|touched| touched.how == Touching::Reads);
            let placed =
                if is_read { self.search.place(spot.function, value, spot.context) } else { Placed::Null };
            match placed {
                Placed::At { object: object @ (Object::Local(..) | Object::Fresh(..)), .. }
                | Placed::Elements { object: object @ (Object::Local(..) | Object::Fresh(..)), .. } => {
                    links.push(self.text_in(point, object, position));
                }
                _ => {
                    let question = Question::Value(spot.function, value, spot.context);
                    links.push((question, Argument::Argument(position), LinkCertainty::Definite));
                }
            }
        }
        let at = Some((spot.function, spot.id));
        Expansion::of(What::Library(name.into()), at, links)
    }

    /// What is in a buffer: all of it, as bytes.
    fn text_in(
        &mut self,
        point: Point,
        object: Object,
        position: u32,
    ) -> (Question, Argument, LinkCertainty) {
        let shared = self.search.shared;
        let size = shared.memory.size(object).unwrap_or(u64::MAX >> 1);
        let bytes = shared.module.types.iter().find(|(_, ty)| **ty == Type::Integer(8)).map(|(id, _)| id);
        let question = match bytes {
            Some(ty) => Question::Cell(point, Asked::any(Cell { object, offset: 0, size }), ty, false),
            None => Question::Leaf(What::Unknown(UnknownReason::Unseen(object)), None),
        };
        (question, Argument::Argument(position), LinkCertainty::Definite)
    }

    /// What a call of a function that is elsewhere wrote into a cell.
    pub(super) fn written_by_call(&mut self, writing: Writing) -> Question {
        let Writing { function, at: call, cell, ty, .. } = writing;
        let shared = self.search.shared;
        let unknown = Question::Leaf(What::Unknown(UnknownReason::Call(function, call)), Some(ty));
        let Some(effect) = shared.memory.effect(function, call) else { return unknown };
        if effect.does_anything || effect.reaches_others {
            return unknown;
        }
        let arguments = shared.function(function).arguments_of(call);
        for (position, &argument) in (0..).zip(arguments) {
            let Some(offset) = self.offset_of(writing.point(), argument, &cell) else { continue };
            if let Some(question) = self.written_through(&effect, writing, position, offset) {
                return question;
            }
        }
        unknown
    }

    /// Where a pointer points in the object of a cell; none if not there.
    fn offset_of(&mut self, point: Point, pointer: Value, cell: &Cell) -> Option<Option<i64>> {
        match self.search.place(point.function, pointer, point.context) {
            Placed::At { object, offset, .. } => (object == cell.object).then_some(Some(offset)),
            Placed::Elements { object, .. } => (object == cell.object).then_some(None),
            Placed::Null => None,
            _ => {
                let points_to = self.search.shared.memory.points_to(point.function, pointer);
                let mut own = points_to.targets.iter().filter(|target| target.object == cell.object);
                let first = own.next()?;
                Some(if own.next().is_some() { None } else { first.offset })
            }
        }
    }

    /// What a call wrote through a parameter that points so far into the object.
    fn written_through(
        &mut self,
        effect: &Effect,
        writing: Writing,
        position: u32,
        offset: Option<i64>,
    ) -> Option<Question> {
        let Writing { function, at: call, context, cell, ty } = writing;
        if let Some(copied) = effect.copies.iter().find(|copied| copied.to == position) {
            let arguments = self.search.shared.function(function).arguments_of(call);
            let source = *arguments.get(copied.from as usize)?;
            return self.copied(writing, source, cell.offset.checked_sub(offset?)?);
        }
        let touched = effect.touches_of(position).find(|touched| writes(touched))?;
        match touched.how {
            Touching::Input(_) => {
                let read = OutsideInput::Read { function, call, argument: Some(position) };
                Some(Question::Read(read, context, ty))
            }
            Touching::Zeroes => Some(Question::Leaf(self.zero(ty), Some(ty))),
            Touching::Writes => self.filled(writing),
            _ => None,
        }
    }

    /// A cell of what was copied.
    fn copied(&mut self, writing: Writing, source: Value, way: i64) -> Option<Question> {
        let Writing { function, context, cell, ty, .. } = writing;
        match self.search.place(function, source, context) {
            Placed::At { object, offset, .. } => {
                let from = Cell { object, offset: offset.checked_add(way)?, size: cell.size };
                Some(Question::Cell(writing.point(), Asked::any(from), ty, false))
            }
            _ => None,
        }
    }

    /// What a `memset` leaves in each cell.
    fn filled(&mut self, writing: Writing) -> Option<Question> {
        let Writing { function, at: call, context, ty, .. } = writing;
        let shared = self.search.shared;
        let code = shared.function(function);
        let name = shared.module.callee_name(code.call(call)?.callee)?;
        if !name.contains("memset") {
            return None;
        }
        let byte = self.search.number(function, *code.arguments_of(call).get(1)?, context)? as u8;
        let bits = match shared.module.types[ty] {
            Type::Integer(bits @ 8..=128) if bits.is_multiple_of(8) => bits,
            _ if byte == 0 => return Some(Question::Leaf(self.zero(ty), Some(ty))),
            _ => return None,
        };
        let value = (0..bits / 8).fold(0u128, |value, _| value << 8 | u128::from(byte));
        Some(Question::Leaf(What::Integer { value, bits }, Some(ty)))
    }

    /// What a new object holds.
    pub(super) fn newborn(&self, function: FunctionId, at: InstructionId, ty: TypeId) -> What {
        match self.search.shared.memory.effect(function, at).map(|effect| effect.result) {
            Some(ResultKind::Fresh { zeroed: true }) => self.zero(ty),
            Some(ResultKind::Moved(_)) => What::Unknown(UnknownReason::Call(function, at)),
            _ => What::Undefined,
        }
    }

    /// The input that a call reads: with the source, where the table names it.
    pub(super) fn read(&mut self, input: OutsideInput, context: super::contexts::ContextId) -> Expansion {
        let what = What::Input(input);
        let OutsideInput::Read { function, call, argument } = input else { return Expansion::leaf(what) };
        let shared = self.search.shared;
        let at = Some((function, call));
        let effect = shared.memory.effect(function, call);
        let origin = effect.and_then(|effect| {
            let touched = effect.touches_of(argument?).find(|touched| writes(touched))?;
            match touched.how {
                Touching::Input(Origin::Parameter(position)) => Some(position),
                _ => None,
            }
        });
        let value =
            origin.and_then(|position| shared.function(function).arguments_of(call).get(position as usize));
        let links = value.map(|&value| {
            (Question::Value(function, value, context), Argument::Source, LinkCertainty::Outside)
        });
        Expansion::of(what, at, links.into_iter().collect())
    }
}
