//! Which writes can a read see? Reaching definitions, asked backwards.
//!
//! From the read back through the blocks, past what does not touch the cell. A write that certainly
//! covers it ends the way; one that may is noted and the way goes on past it. At a call of a
//! function that may write the cell the way goes on at that function's returns, at a function's
//! entry in front of the call that led there, or of every call if that is not known. So the
//! document's three answers of memory dependence are one traversal: found here (`Def`), perhaps
//! (`Clobber`), not in this block or function (`NonLocal`, `NonFuncLocal`). Order means nothing for
//! cells that threads or signal handlers write, after `setjmp`, and on the way of an exception:
//! there every write counts.
//!
//! Cost: blocks traversed, bounded; nothing is traversed twice under one context.

use rustc_hash::FxHashSet as HashSet;
use std::rc::Rc;

use opcost_index::{Graph, Id};
use opcost_ir::{Opcode, TagId};
use opcost_key::{BlockId, FunctionId, InstructionId};

use super::asked::{Asked, Definition, MOST_LINKS, Origin, Point};
use super::calls::{returns_of, unwind_target};
use super::contexts::ContextId;
use super::memory::{Cell, MemoryQueries, Object, Passing, WriteCoverage};
use super::placed::Placed;
use super::search::{Ask, Event, History, Search};

/// A cell with more writes than this is not followed to each of them.
const MOST_WRITES: usize = 256;

/// What a write does to the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hit {
    No,
    Perhaps,
    Whole,
}

/// The most steps of one traversal.
const LONGEST: u32 = 2048;

/// A point on the way.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Here {
    point: Point,
    /// It is in the activation that asks.
    is_home: bool,
}

/// Where a traversal back through a block begins.
struct Start {
    block: BlockId,
    /// From before this instruction; none: from its end.
    below: Option<InstructionId>,
}

struct Walk {
    asked: Asked,
    history: Rc<History>,
    found: Vec<Definition>,
    /// The same, to be looked up.
    known: HashSet<Definition>,
    visited: HashSet<Here>,
    work: Vec<Here>,
    has_all: bool,
    steps: u32,
}

impl Walk {
    fn find(&mut self, origin: Origin, context: ContextId, is_possible: bool) {
        let found = Definition { origin, context, is_possible };
        if self.known.insert(found) {
            self.found.push(found);
        }
    }

    fn go(&mut self, point: Point, is_home: bool) {
        let here = Here { point, is_home };
        if self.visited.insert(here) {
            self.work.push(here);
        }
    }

    /// Order in time says nothing: everything that is ever written.
    fn find_all(&mut self) {
        if std::mem::replace(&mut self.has_all, true) {
            return;
        }
        let history = self.history.clone();
        if history.writes.len() > MOST_WRITES {
            return self.find(Origin::Lost, ContextId::empty(), true);
        }
        for write in history.writes.iter() {
            self.find(Origin::Write(write.function, write.instruction), ContextId::empty(), true);
        }
    }

    fn find_initial(&mut self, is_possible: bool) {
        if matches!(self.asked.cell.object, Object::Global(_)) {
            self.find(Origin::Initial, ContextId::empty(), is_possible);
        }
    }
}

impl<M: MemoryQueries> Search<'_, '_, M>
where
    Self: Ask,
{
    /// What a cell may hold at a point, by a traversal back from there.
    pub(super) fn all_definitions(
        &mut self,
        point: Point,
        asked: Asked,
        history: Rc<History>,
    ) -> Vec<Definition> {
        let is_shared = history.is_shared || self.shared.calls.by_itself.contains(point.function);
        let mut walk = Walk {
            asked,
            history,
            found: Vec::new(),
            known: HashSet::default(),
            visited: HashSet::default(),
            work: Vec::new(),
            has_all: false,
            steps: 0,
        };
        if is_shared && !asked.is_own {
            walk.find_all();
            walk.find_initial(true);
            if !walk.history.is_complete {
                walk.find(Origin::Unseen, ContextId::empty(), true);
            }
        } else {
            walk.go(point, asked.is_own);
        }
        while let Some(here) = walk.work.pop() {
            if !self.may_go_on(&mut walk) {
                break;
            }
            self.walk_function(&mut walk, here);
        }
        walk.found
    }

    /// Takes a step; where the traversal is too long or has found too much, what it found is
    /// nothing.
    fn may_go_on(&mut self, walk: &mut Walk) -> bool {
        walk.steps += 1;
        let goes_on = self.burn() && walk.steps <= LONGEST && walk.found.len() <= MOST_LINKS;
        if !goes_on {
            walk.found.clear();
            walk.work.clear();
            walk.find(Origin::Lost, ContextId::empty(), true);
        }
        goes_on
    }

    fn walk_function(&mut self, walk: &mut Walk, here: Here) {
        let Here { point, is_home } = here;
        let events = self.shared.events(&walk.history, walk.asked.cell, point.function);
        if events.is_empty() {
            return self.leave(walk, point, is_home);
        }
        let function = self.shared.function(point.function);
        let mut starts: Vec<(BlockId, Option<InstructionId>)> = match point.before {
            Some(at) => vec![(function.block_of(at), Some(at))],
            None => {
                let last = returns_of(self.shared.module, point.function).map(|(last, _)| last);
                last.map(|last| (function.block_of(last), None)).collect()
            }
        };
        let predecessors = self.shared.predecessors(point.function);
        let mut whole: HashSet<(BlockId, bool)> = HashSet::default();
        while let Some((block, below)) = starts.pop() {
            if !self.may_go_on(walk) {
                return;
            }
            if !self.walk_block(walk, &events, here, Start { block, below }) {
                continue;
            }
            if block.index() == 0 {
                self.leave(walk, point, is_home);
            }
            for before in predecessors.successors(block) {
                let last = function.terminator_of(before);
                let unwinds = unwind_target(self.shared.module, point.function, last) == Some(block);
                if !whole.insert((before, unwinds)) {
                    continue;
                }
                if unwinds
                    && events
                        .iter()
                        .any(|&(at, event)| at == last && matches!(event, Event::Call | Event::CallBack))
                {
                    walk.find_all();
                    starts.push((before, Some(last)));
                } else {
                    starts.push((before, None));
                }
            }
        }
    }

    /// Goes back through a block; whether its beginning is reached.
    fn walk_block(
        &mut self,
        walk: &mut Walk,
        events: &[(InstructionId, Event)],
        Here { point, is_home }: Here,
        Start { block, below }: Start,
    ) -> bool {
        let range = self.shared.function(point.function).blocks[block].instructions.clone();
        let end = below.map_or(range.end as usize, |below| below.index());
        let first = events.partition_point(|&(at, _)| at.index() < range.start as usize);
        let behind = events.partition_point(|&(at, _)| at.index() < end);
        for &(at, event) in events[first..behind].iter().rev() {
            match event {
                Event::Write(coverage) => {
                    let asked = Asked { is_own: walk.asked.is_own && is_home, ..walk.asked };
                    let hit = self.hit(asked, point, at, coverage);
                    if hit != Hit::No {
                        let origin = Origin::Write(point.function, at);
                        walk.find(origin, point.context, hit == Hit::Perhaps);
                    }
                    if hit == Hit::Whole {
                        return false;
                    }
                }
                Event::Call | Event::CallBack
                    if walk.asked.is_own
                        && is_home
                        && self.is_private(&walk.history.clone(), point.function) => {}
                Event::Call => {
                    if self.walk_into(walk, point, at) {
                        return false;
                    }
                }
                // Which of them, how often and in which order is not known.
                Event::CallBack | Event::Twice => walk.find_all(),
                Event::Birth => {
                    let is_this =
                        (walk.asked.is_own && is_home) || self.shared.is_single(walk.asked.cell.object);
                    if is_this || !walk.asked.is_own {
                        walk.find(Origin::Birth(point.function, at), point.context, !is_this);
                    }
                    if is_this {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Goes on at the returns of what is called; whether that is the only way.
    fn walk_into(&mut self, walk: &mut Walk, point: Point, call: InstructionId) -> bool {
        let Some(callees) = self.shared.calls.callees(point.function, call) else { return false };
        for &callee in &callees.functions {
            if walk.history.touched_by.contains(callee) {
                let context = self.shared.enter(point.context, point.function, call, callee);
                walk.go(Point { function: callee, before: None, context }, false);
            }
        }
        callees.is_direct && callees.functions.len() == 1
    }

    /// Goes on before the call that led here.
    fn leave(&mut self, walk: &mut Walk, point: Point, is_home: bool) {
        let top = self.shared.contexts.borrow().top(point.context);
        let callers = &self.shared.calls.callers[point.function];
        if matches!(walk.asked.cell.object, Object::Copy(home, _) if home == point.function) {
            match top {
                Some(frame) => walk.find(Origin::Passed(frame.function, frame.call), frame.parent, false),
                None => callers.sites.iter().for_each(|site| {
                    walk.find(Origin::Passed(site.function, site.call), ContextId::empty(), site.is_possible);
                }),
            }
            if top.is_none() && (callers.from_outside || callers.is_start || callers.by_itself) {
                walk.find(Origin::Callers(point.function), ContextId::empty(), true);
            }
            return;
        }
        if let Some(frame) = top {
            let before = Some(frame.call);
            walk.go(Point { function: frame.function, before, context: frame.parent }, false);
            let site = callers.sites.iter().find(|s| s.function == frame.function && s.call == frame.call);
            // It may have been called back before.
            if site.is_some_and(|site| site.passing != Passing::Arguments) {
                walk.go(Point { before: None, ..point }, false);
            }
            return;
        }
        if walk.asked.is_own && is_home {
            return;
        }
        let context = ContextId::empty();
        for site in &callers.sites {
            walk.go(Point { function: site.function, before: Some(site.call), context }, false);
            if site.passing != Passing::Arguments {
                walk.go(Point { function: point.function, before: None, context }, false);
            }
        }
        if callers.is_start || callers.is_constructor {
            self.start(walk, point.function);
        }
        if callers.from_outside || callers.by_itself {
            walk.find_all();
            walk.find_initial(true);
            if !walk.history.is_complete {
                walk.find(Origin::Unseen, context, true);
            }
        }
        let is_called =
            callers.is_start || callers.is_constructor || callers.from_outside || callers.by_itself;
        if callers.sites.is_empty() && !is_called {
            walk.find(Origin::Callers(point.function), context, true);
        }
    }

    /// What was there when the program began, or what a constructor left.
    fn start(&mut self, walk: &mut Walk, function: FunctionId) {
        walk.find_initial(false);
        let callers = &self.shared.calls.callers;
        let left = callers.iter().filter(|&(id, callers)| {
            callers.is_constructor && id != function && walk.history.touched_by.contains(id)
        });
        let left: Vec<FunctionId> = left.map(|(id, _)| id).collect();
        for constructor in left {
            walk.go(Point { function: constructor, before: None, context: ContextId::empty() }, false);
        }
    }

    /// Whether only the activation itself writes the cell, by its own name.
    pub(super) fn is_private(&mut self, history: &History, home: FunctionId) -> bool {
        history.writes.iter().all(|write| {
            write.function == home && {
                let code = self.shared.function(home);
                let is_store = code.instructions[write.instruction].opcode == Opcode::Store;
                let address = code.operands_of(write.instruction).get(1).copied();
                is_store
                    && address.is_some_and(|address| {
                        let placed = self.place(home, address, ContextId::empty());
                        matches!(placed, Placed::At { is_own: true, .. })
                    })
            }
        })
    }

    /// What a write does to the cell, under the calls that led there.
    pub(super) fn hit(
        &mut self,
        asked: Asked,
        point: Point,
        at: InstructionId,
        coverage: WriteCoverage,
    ) -> Hit {
        let cell = asked.cell;
        let is_strong = self.shared.is_single(cell.object);
        let by_memory = match coverage {
            WriteCoverage::Whole if is_strong => Hit::Whole,
            _ => Hit::Perhaps,
        };
        let code = self.shared.function(point.function);
        if code.instructions[at].opcode != Opcode::Store {
            return self.library_hit(point, at, &cell, is_strong).unwrap_or(by_memory);
        }
        let &[_, address] = code.operands_of(at) else { return by_memory };
        let size = code.instructions[at].second_type.and_then(|ty| self.shared.layout.size(ty));
        match self.place(point.function, address, point.context) {
            Placed::Null => Hit::No,
            Placed::At { object, .. } | Placed::Elements { object, .. } if object != cell.object => Hit::No,
            Placed::At { object, offset, is_own } => {
                let written = Cell { object, offset, size: size.unwrap_or(u64::MAX) };
                if !written.overlaps(&cell) {
                    return Hit::No;
                }
                let is_this = is_strong || (is_own && asked.is_own);
                if is_this && size.is_some() && written.covers(&cell) { Hit::Whole } else { Hit::Perhaps }
            }
            _ if self.is_other_type(asked, code.instructions[at].tag) => Hit::No,
            _ => by_memory,
        }
    }

    /// Whether a write of this type cannot touch what is read, by the rules of
    /// the source language; notes that this was trusted.
    fn is_other_type(&mut self, asked: Asked, written: Option<TagId>) -> bool {
        let (Some(read), Some(written)) = (asked.tag, written) else { return false };
        let is_other = !self.shared.module.may_overlap_by_type(read, written);
        self.trusts_types |= is_other;
        is_other
    }
}
