//! One module: from snapshot to edits and map.
//!
//! Functions are taken in module order and counters numbered in order of
//! segments or edges, so that the same module gives the same plan everywhere.

use std::collections::BTreeMap;

use opcost_graph::dominators::Dominators;
use opcost_graph::loops::LoopForest;
use opcost_index::{Id, IdMap, IdSet};
use opcost_ir::{CalleeRef, Edit, EditPoint, Function, Module, Plan};
use opcost_key::{
    BlockId, CallSiteId, CounterId, EdgeId, FunctionId, InstructionId, Meter, ModuleMap, PathsMap, Placement,
    SegmentId,
};

use crate::bodies::{Bodies, is_counted_in_runs};
use crate::expected::expected;
use crate::inductions::Finder;
use crate::leaving::{Leaving, is_doubtful};
use crate::map::{FunctionFacts, map_module};
use crate::paths::plan_paths;
use crate::placement::{Balance, Chords, Costs};
use crate::pointers::{TakenByCode, addresses_taken};
use crate::refusal::{PlanError, refuse_uncountable};
use crate::registers::{PlacedCounter, Registers};
use crate::request::{InstrumentRequest, WRAPPER_PREFIX};
use crate::skeleton::{Skeleton, Way};
use crate::spots::{Counting, Spots};
use crate::weights;

/// A plan and the map that goes with it.
#[derive(Clone, Debug)]
pub struct Instrumented {
    /// What to change.
    pub plan: Plan,
    /// What the counters will mean.
    pub map: ModuleMap,
}

/// Plans the counting of a whole module.
///
/// # Errors
/// The module has something that cannot be counted rightly; the place is named.
pub fn plan(module: &Module, request: &InstrumentRequest<'_>) -> Result<Instrumented, PlanError> {
    plan_of(module, request, is_counted_in_runs)
}

fn plan_of(
    module: &Module,
    request: &InstrumentRequest<'_>,
    is_wanted: fn(&Function) -> bool,
) -> Result<Instrumented, PlanError> {
    for function in module.functions.values() {
        refuse_uncountable(module, function)?;
    }
    let leaving = Leaving::compute(module);
    let mut planner = Planner {
        module,
        request,
        leaving: &leaving,
        is_planned: is_wanted,
        plan: Plan::default(),
        sites: IdMap::new(),
    };
    planner.plan.per_thread = request.per_thread;
    let mut facts: IdMap<FunctionId, FunctionFacts> = IdMap::new();
    for id in module.functions.ids() {
        facts.push(planner.function(id));
    }
    planner.rename();
    let Planner { plan, sites, .. } = planner;
    let map = map_module(module, request, &plan, facts, sites);
    Ok(Instrumented { plan, map })
}

/// The map of a module that stays as it is: nothing is counted in it, and it says what
/// its code alone lets expect.
///
/// # Errors
/// As [`plan`].
pub fn survey(
    module: &Module,
    request: &InstrumentRequest<'_>,
    bodies: Bodies,
) -> Result<ModuleMap, PlanError> {
    let is_wanted: fn(&Function) -> bool = match bodies {
        Bodies::Own => |function| Bodies::Own.has(function),
        Bodies::All => |function| Bodies::All.has(function),
    };
    let mut map = plan_of(module, request, is_wanted)?.map;
    map.build.placement = None;
    map.counter_count = 0;
    let taken = TakenByCode::of(module);
    let leaving = Leaving::compute(module);
    for (id, body) in module.functions.iter() {
        let function = &mut map.functions[id];
        function.segment_counters = None;
        function.paths = PathsMap::None;
        function.edges.values_mut().for_each(|edge| edge.meter = Meter::Derived);
        function.instructions.values_mut().for_each(|instruction| instruction.length = None);
        if is_wanted(body) {
            let skeleton = Skeleton::compute(module, id, &leaving);
            map.functions[id].expected = expected(module, &taken, id, &skeleton, &map.functions[id]);
        }
    }
    map.addresses_taken = addresses_taken(module, &taken);
    Ok(map)
}

struct Planner<'a> {
    module: &'a Module,
    request: &'a InstrumentRequest<'a>,
    leaving: &'a Leaving,
    /// Whether a body is planned for.
    is_planned: fn(&Function) -> bool,
    plan: Plan,
    /// Which edge a frame leaves by at each call site.
    sites: IdMap<CallSiteId, (FunctionId, EdgeId)>,
}

impl Planner<'_> {
    fn function(&mut self, id: FunctionId) -> FunctionFacts {
        let function = &self.module.functions[id];
        let skeleton = if (self.is_planned)(function) {
            Skeleton::compute(self.module, id, self.leaving)
        } else {
            Skeleton { first_segments: IdMap::new(), segments: IdMap::new(), edges: IdMap::new() }
        };
        let mut facts = FunctionFacts {
            counters: IdMap::filled(skeleton.edges.len(), None),
            sites: vec![None; skeleton.edges.len()],
            segment_counters: None,
            paths: PathsMap::None,
            lengths: BTreeMap::new(),
            skeleton,
        };
        if facts.skeleton.segments.is_empty() {
            return facts;
        }
        self.preserve_frames(id);
        self.number_call_sites(id, &mut facts);
        let placement = match self.request.placement {
            _ if self.can_vanish(&facts.skeleton) => Placement::EverySegment,
            wanted => wanted,
        };
        if placement != self.request.placement && self.request.placement == Placement::Paths {
            facts.paths = PathsMap::Refused("assembly of its module may leave it in the middle".into());
        }
        match placement {
            Placement::EverySegment => self.count_every_segment(id, &mut facts),
            Placement::Chords | Placement::Paths => self.count_chords(id, &mut facts),
        }
        self.count_lengths(id, &mut facts);
        self.return_at_jumps(id);
        facts
    }

    /// Whether a frame of this function may be left without a note: what follows from
    /// frames is false there, so each segment gets a counter.
    fn can_vanish(&self, skeleton: &Skeleton) -> bool {
        self.leaving.frames_can_vanish()
            && skeleton.edges.values().any(|edge| matches!(edge.kind, Way::Left(_)))
    }

    /// Whether a call may lead to code of which nothing is known, and which may leave
    /// this frame for good without a note.
    fn has_doubtful_call(&self, function: &Function) -> bool {
        function.calls.iter().any(|(_, call)| {
            self.leaving.may_leave(self.module, call)
                && is_doubtful(self.module, call)
                && !matches!(call.callee, CalleeRef::Declaration(id)
                    if self.request.wrapped.contains(&self.module.declarations[id].name.as_str()))
        })
    }

    fn count_lengths(&mut self, id: FunctionId, facts: &mut FunctionFacts) {
        let function = &self.module.functions[id];
        for instruction in function.instructions.ids() {
            if let Some(length) = self.request.cost.length(self.module, function, instruction) {
                let counter = self.new_counter();
                facts.lengths.insert(instruction, counter);
                self.plan.edits.push((id, Edit::AddLength { instruction, length, counter }));
            }
        }
    }

    fn new_counter(&mut self) -> CounterId {
        let counter = CounterId::new(self.plan.counter_count as usize);
        self.plan.counter_count += 1;
        counter
    }

    /// Tail calls that may leave and are no jumps by our rule must not become
    /// jumps in code generation either.
    fn preserve_frames(&mut self, id: FunctionId) {
        let function = &self.module.functions[id];
        for block in function.blocks.ids() {
            for instruction in function.instructions_of(block) {
                let Some(call) = function.call(instruction) else { continue };
                if call.tail == opcost_ir::TailKind::Tail
                    && self.leaving.may_leave(self.module, call)
                    && !self.leaving.is_jump(id, function, block, instruction)
                {
                    self.plan.edits.push((id, Edit::PreserveFrame { call: instruction }));
                }
            }
        }
    }

    fn count_every_segment(&mut self, id: FunctionId, facts: &mut FunctionFacts) {
        let function = &self.module.functions[id];
        for segment in facts.skeleton.segments.values() {
            let counter = self.new_counter();
            facts.segment_counters.get_or_insert(counter);
            let starts_block =
                function.blocks[segment.block].instructions.start as usize == segment.first.index();
            let spot =
                if starts_block { EditPoint::Start(segment.block) } else { EditPoint::Before(segment.first) };
            self.plan.edits.push((id, Edit::Count { spot, counter }));
        }
        self.expect_jumps(id, &facts.skeleton);
        // Jumps are settled here too: one out of a frame that a signal
        // interrupted in the middle of a segment must be known.
        for edge in facts.skeleton.edges.values() {
            if let Way::Again(call) = edge.kind {
                let counter = self.new_counter();
                self.plan.edits.push((id, Edit::CountAgain { call, counter }));
            }
        }
    }

    fn count_chords(&mut self, id: FunctionId, facts: &mut FunctionFacts) {
        let function = &self.module.functions[id];
        let dominators = Dominators::compute(function, BlockId::new(0));
        let loops = LoopForest::compute(function, &dominators);
        let spots = Spots::new(function, &facts.skeleton);
        let weights = weights::estimate(function, &facts.skeleton, &loops);
        let balance = if self.has_doubtful_call(function) { Balance::Checked } else { Balance::Assumed };
        let leaving = blocks_left(&facts.skeleton);
        let registers = Registers { spots: &spots, loops: &loops, leaving: &leaving };
        let finder = Finder {
            module: self.module,
            function,
            dominators: &dominators,
            loops: &loops,
            registers: &registers,
        };
        let inductions = finder.cheaper(&weights);
        let costs = Costs { frequencies: &weights, inductions: &inductions };
        let chords = Chords::choose(&spots, self.leaving, id, &costs, balance);
        for edge in chords.counted.iter() {
            facts.counters[edge] = Some(self.new_counter());
        }
        let mut others = facts.counters.clone();
        for (&edge, (induction, _)) in &inductions {
            let edits = others[edge].take().into_iter().flat_map(|counter| induction.edits(counter));
            self.plan.edits.extend(edits.map(|edit| (id, edit)));
        }
        self.emit_counts(id, &chords, &others, &registers);
        if self.request.placement == Placement::Paths {
            facts.paths = self.count_paths(id, &facts.skeleton, &chords, &weights);
        }
        self.expect_jumps(id, &facts.skeleton);
        if facts.skeleton.edges.values().any(|edge| matches!(edge.kind, Way::Left(_))) {
            self.plan.watched.push(id);
        }
    }

    /// A counter for each path, in addition to those of the edges.
    fn count_paths(
        &mut self,
        id: FunctionId,
        skeleton: &Skeleton,
        chords: &Chords,
        weights: &IdMap<EdgeId, u64>,
    ) -> PathsMap {
        let function = &self.module.functions[id];
        // Such a block gets a `ret` of its own, and nothing before the old one happens.
        if function.blocks.ids().any(|block| self.leaving.jump_to_return(id, function, block).is_some()) {
            return PathsMap::Refused("a tail call in it stays a jump and shares a return".into());
        }
        let first = CounterId::new(self.plan.counter_count as usize);
        match plan_paths(skeleton, &chords.counting, weights, first) {
            Err(reason) => PathsMap::Refused(reason.to_string()),
            Ok(paths) => {
                self.plan.counter_count += paths.count;
                self.plan.edits.extend(paths.edits.into_iter().map(|edit| (id, edit)));
                PathsMap::Counted { first, count: paths.count, cut: paths.cut }
            }
        }
    }

    /// Every edge by which a frame can be left gets a call site.
    fn number_call_sites(&mut self, id: FunctionId, facts: &mut FunctionFacts) {
        for (edge, known) in facts.skeleton.edges.iter() {
            if let Way::Left(call) | Way::NoReturn(call) = known.kind {
                facts.sites[edge.index()] = Some(self.new_site(id, edge, call));
            }
        }
    }

    fn new_site(&mut self, id: FunctionId, edge: EdgeId, call: InstructionId) -> CallSiteId {
        let site = self.sites.push((id, edge));
        self.plan.call_sites.push((id, call, site));
        site
    }

    /// A call that stays a jump may keep its frame all the same (code generated
    /// without optimisation). Its site leads to the return edge, which is not
    /// metered by left frames, so that notes made there are known and dropped. By these sites it is
    /// known, too, which returns may not have happened when frames were left.
    fn expect_jumps(&mut self, id: FunctionId, skeleton: &Skeleton) {
        let function = &self.module.functions[id];
        for (edge, known) in skeleton.edges.iter() {
            let (Way::Return | Way::Branch { .. }, Some(from)) = (known.kind, known.from) else { continue };
            let SegmentEnd { block, before_last } = SegmentEnd::of(function, skeleton, from);
            if let Some(call) = before_last
                && self.leaving.is_jump(id, function, block, call)
                && function.call(call).is_some_and(|call| self.leaving.may_leave(self.module, call))
            {
                self.new_site(id, edge, call);
            }
        }
    }

    /// A jump whose `ret` is in another block gets a `ret` of its own. What was to be counted in
    /// that block is counted before the call.
    fn return_at_jumps(&mut self, id: FunctionId) {
        let function = &self.module.functions[id];
        let mut own = Vec::new();
        let mut returns = Vec::new();
        for block in function.blocks.ids() {
            let Some((call, target)) = self.leaving.jump_to_return(id, function, block) else { continue };
            let is_there = |spot: EditPoint| match spot {
                EditPoint::Start(at) => at == target,
                EditPoint::Before(instruction) => function.block_of(instruction) == target,
                EditPoint::Edge(..) => false,
            };
            let edits = self.plan.edits.iter().rev().take_while(|(of, _)| *of == id);
            own.extend(edits.filter_map(|(_, edit)| match edit {
                Edit::Count { spot, counter } if is_there(*spot) => {
                    Some((id, Edit::Count { spot: EditPoint::Before(call), counter: *counter }))
                }
                _ => None,
            }));
            returns.push((id, Edit::ReturnHere { block }));
        }
        self.plan.edits.append(&mut own);
        self.plan.edits.append(&mut returns);
    }

    fn emit_counts(
        &mut self,
        id: FunctionId,
        chords: &Chords,
        counters: &IdMap<EdgeId, Option<CounterId>>,
        registers: &Registers<'_>,
    ) {
        let mut placed = Vec::new();
        let mut by_target: BTreeMap<BlockId, Vec<(BlockId, CounterId)>> = BTreeMap::new();
        for edge in chords.counted.iter() {
            // Its loop counts it.
            let Some(counter) = counters[edge] else { continue };
            match chords.counting[edge] {
                Counting::At(spot) => placed.push(PlacedCounter { spot, counter }),
                Counting::Again(call) => self.plan.edits.push((id, Edit::CountAgain { call, counter })),
                Counting::ByPredecessor { target, source } => {
                    by_target.entry(target).or_default().push((source, counter));
                }
                Counting::LeftFrames => unreachable!("left frames are known and never chords"),
            }
        }
        let edits = registers.placement_edits(&placed);
        self.plan.edits.extend(edits.into_iter().map(|edit| (id, edit)));
        let by_predecessor = by_target.into_iter();
        self.plan.edits.extend(
            by_predecessor.map(|(target, sources)| (id, Edit::CountByPredecessor { target, sources })),
        );
    }

    fn rename(&mut self) {
        for (id, declaration) in self.module.declarations.iter() {
            if self.request.wrapped.contains(&declaration.name.as_str()) {
                self.plan.renames.push((id, format!("{WRAPPER_PREFIX}{}", declaration.name)));
            }
        }
    }
}

/// Blocks in which a frame can be left, or come back to a second time.
fn blocks_left(skeleton: &Skeleton) -> IdSet<BlockId> {
    let leaving = skeleton.edges.values().filter_map(|edge| match edge.kind {
        Way::Left(_) | Way::NoReturn(_) => edge.from,
        Way::Again(_) => edge.to,
        _ => None,
    });
    leaving.map(|segment| skeleton.segments[segment].block).collect()
}

struct SegmentEnd {
    block: BlockId,
    before_last: Option<InstructionId>,
}

impl SegmentEnd {
    fn of(function: &Function, skeleton: &Skeleton, segment: SegmentId) -> SegmentEnd {
        let block = skeleton.segments[segment].block;
        SegmentEnd { block, before_last: function.instructions_of(block).rev().nth(1) }
    }
}
