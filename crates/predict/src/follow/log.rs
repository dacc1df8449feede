//! What happened while a program was followed?
//!
//! Events, in order: a block ran, a loop was counted, a function was entered or called. What turned
//! out not to be decidable is taken back by cutting the list. Each has a path: how often it is taken,
//! by what is believed and by other probabilities, and how that is known. Counts are sums over events.
//! Cost: the events, kept while something may be taken back.

use std::rc::Rc;

use num_traits::{One, Zero};
use opcost_graph::loops::LoopId;
use opcost_index::{Id, IdMap};
use opcost_ir::Module;
use opcost_key::{BlockId, FunctionId};

use super::summary::Summary;
use crate::contexts::{Context, Contexts};
use crate::entries::{Entries, class_of_loop};
use crate::evaluate::LoopGrade;
use crate::fraction::{Fraction, whole};
use crate::model::FunctionModel;
use crate::prediction::{BlockPrediction, Class};

/// Events that are kept before they are summed up.
const MOST_EVENTS: usize = 1 << 14;

/// Digits of a weight that are kept. A loop that is iterated while its exits are guessed adds some each time.
const MOST_DIGITS: u64 = 2048;

/// How often something happens.
#[derive(Clone, Debug)]
pub(super) struct Weight {
    pub(super) own: Fraction,
    /// With other probabilities; the same if no guess is in it.
    other: Fraction,
    /// Whether digits were left out: then the two say no more whether a guess is in it.
    is_rounded: bool,
}

impl Weight {
    pub(super) fn one() -> Weight {
        Weight { own: Fraction::one(), other: Fraction::one(), is_rounded: false }
    }

    pub(super) fn zero() -> Weight {
        Weight { own: Fraction::zero(), other: Fraction::zero(), is_rounded: false }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.own.is_zero() && self.other.is_zero()
    }

    /// Whether no guess is in it.
    pub(super) fn is_exact(&self) -> bool {
        !self.is_rounded && self.own == self.other
    }

    fn is_one(&self) -> bool {
        self.is_exact() && self.own.is_one()
    }

    fn shortened(self) -> Weight {
        if self.own.digits().max(self.other.digits()) <= MOST_DIGITS {
            return self;
        }
        if self.own == self.other && self.own.is_whole() {
            return self;
        }
        Weight { own: self.own.guessed(), other: self.other.guessed(), is_rounded: true }
    }

    pub(super) fn times(&self, own: &Fraction, other: &Fraction) -> Weight {
        let is_rounded = self.is_rounded;
        Weight { own: &self.own * own, other: &self.other * other, is_rounded }.shortened()
    }

    pub(super) fn plus(&self, more: &Weight) -> Weight {
        let is_rounded = self.is_rounded || more.is_rounded;
        Weight { own: &self.own + &more.own, other: &self.other + &more.other, is_rounded }.shortened()
    }
}

/// How often, and how that is known.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) weight: Rc<Weight>,
    pub(super) class: Class,
    pub(super) reason: Option<Rc<str>>,
}

impl Path {
    pub(super) fn raise(&mut self, class: Class, reason: Option<String>) {
        if class > self.class {
            (self.class, self.reason) = (class, reason.map(Into::into));
        }
    }

    /// As entries of a function.
    pub(super) fn entries(&self) -> Entries {
        Entries {
            times: self.weight.own.clone(),
            class: self.class,
            reason: self.reason.as_deref().map(str::to_owned),
            is_exact: self.weight.is_exact() && self.class < Class::Run,
        }
    }
}

/// Something that happened.
pub(super) enum Event {
    /// A block ran.
    Block { function: FunctionId, block: BlockId, path: Path },
    /// A function was entered and followed.
    Entry { function: FunctionId, path: Path },
    /// A loop was counted.
    Loop { function: FunctionId, summary: Rc<Summary>, path: Path },
    /// A function was entered that is not followed.
    Call(EnteredCall),
    /// How a loop that was iterated is known.
    Iterated { function: FunctionId, id: LoopId, grade: LoopGrade },
    /// A symbol that would have decided something.
    Missing { function: FunctionId, position: usize },
}

/// A call that was not followed.
#[derive(Clone, Debug)]
pub(crate) struct EnteredCall {
    pub(crate) callee: FunctionId,
    pub(crate) context: Context,
    pub(crate) entries: Entries,
}

/// What was followed.
#[derive(Default)]
pub(crate) struct Followed {
    pub(crate) functions: IdMap<FunctionId, Option<FollowedFunction>>,
    pub(crate) calls: Vec<EnteredCall>,
    /// Functions and positions of their symbols.
    pub(crate) missing: Vec<(FunctionId, usize)>,
}

/// What was counted of one function.
pub(crate) struct FollowedFunction {
    pub(crate) entries: Entries,
    blocks: IdMap<BlockId, Tally>,
    pub(crate) grades: IdMap<LoopId, Option<LoopGrade>>,
}

#[derive(Clone, Debug)]
struct Tally {
    /// Executions that were certain, one each.
    ones: u64,
    weight: Weight,
    class: Class,
    reason: Option<Rc<str>>,
}

impl Tally {
    fn none() -> Tally {
        Tally { ones: 0, weight: Weight::zero(), class: Class::StaticBlock, reason: None }
    }

    fn raise(&mut self, class: Class, reason: Option<&Rc<str>>) {
        if class > self.class {
            (self.class, self.reason) = (class, reason.cloned());
        }
    }
}

impl FollowedFunction {
    fn new(model: &FunctionModel) -> FollowedFunction {
        FollowedFunction {
            entries: Entries {
                times: Fraction::zero(),
                class: Class::StaticBlock,
                reason: None,
                is_exact: true,
            },
            blocks: IdMap::filled(model.edges.len(), Tally::none()),
            grades: IdMap::filled(model.loops.len(), None),
        }
    }

    fn grade(&mut self, id: LoopId, grade: LoopGrade) {
        self.grades[id] = Some(self.grades[id].map_or(grade, |before| before.max(grade)));
    }

    /// Blocks with what is predicted of them.
    pub(crate) fn predicted(&self) -> impl Iterator<Item = (BlockId, BlockPrediction)> {
        self.blocks.iter().map(|(block, tally)| {
            let is_exact = tally.weight.is_exact() && tally.class < Class::Run;
            let own = if is_exact { tally.weight.own.clone() } else { tally.weight.own.guessed() };
            let least = own + whole(tally.ones);
            let one = BlockPrediction {
                executions: (tally.class != Class::Open).then(|| least.clone()),
                least,
                class: tally.class,
                is_exact,
                formula: None,
                reason: tally.reason.as_deref().map(str::to_owned),
            };
            (block, one)
        })
    }
}

/// The list of events, and the sums of those that stay.
pub(super) struct Log {
    events: Vec<Event>,
    /// Marks to which events may be taken back.
    open: u32,
    sums: Followed,
}

/// Where the list was at some time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

impl Log {
    pub(super) fn new(module: &Module) -> Log {
        let functions = module.functions.ids().map(|_| None).collect();
        Log { events: Vec::new(), open: 0, sums: Followed { functions, ..Followed::default() } }
    }

    pub(super) fn add(&mut self, event: Event) {
        self.events.push(event);
    }

    /// From here on events may be taken back, until [`Log::close`].
    pub(super) fn open(&mut self) -> Mark {
        self.open += 1;
        Mark(self.events.len())
    }

    /// What happened since the mark stays, or never did.
    pub(super) fn close(&mut self, mark: Mark, stays: bool) {
        self.open -= 1;
        if !stays {
            self.events.truncate(mark.0);
        }
    }

    /// Whether events may be taken back.
    pub(super) fn is_open(&self) -> bool {
        self.open > 0
    }

    /// Sums up what can no longer be taken back, if it is much.
    pub(super) fn settle(&mut self, contexts: &Contexts<'_>) {
        if self.open == 0 && self.events.len() > MOST_EVENTS {
            self.sum_up(contexts);
        }
    }

    pub(super) fn finish(mut self, contexts: &Contexts<'_>) -> Followed {
        self.sum_up(contexts);
        self.sums
    }

    fn sum_up(&mut self, contexts: &Contexts<'_>) {
        for event in std::mem::take(&mut self.events) {
            match event {
                Event::Block { function, block, path } => {
                    self.of(function, contexts, |own, _| own.add(block, &path));
                }
                Event::Entry { function, path } => self.of(function, contexts, |own, _| {
                    let Entries { times, class, reason, is_exact } = path.entries();
                    own.entries.times += times;
                    own.entries.is_exact &= is_exact;
                    if class > own.entries.class {
                        (own.entries.class, own.entries.reason) = (class, reason);
                    }
                }),
                Event::Loop { function, summary, path } => {
                    self.of(function, contexts, |own, model| own.add_loop(model, &summary, &path));
                }
                Event::Call(call) => self.sums.calls.push(call),
                Event::Iterated { function, id, grade } => {
                    self.of(function, contexts, |own, _| own.grade(id, grade));
                }
                Event::Missing { function, position } => self.sums.missing.push((function, position)),
            }
        }
        self.sums.missing.sort_unstable();
        self.sums.missing.dedup();
    }

    fn of(
        &mut self,
        function: FunctionId,
        contexts: &Contexts<'_>,
        work: impl FnOnce(&mut FollowedFunction, &FunctionModel),
    ) {
        let Some(modelled) = &contexts.models[function] else { return };
        let own = self.sums.functions[function].get_or_insert_with(|| FollowedFunction::new(&modelled.model));
        work(own, &modelled.model);
    }
}

impl FollowedFunction {
    fn add(&mut self, block: BlockId, path: &Path) {
        let tally = &mut self.blocks[block];
        if path.weight.is_one() {
            tally.ones += 1;
        } else {
            tally.weight = tally.weight.plus(&path.weight);
        }
        tally.raise(path.class, path.reason.as_ref());
    }

    fn add_loop(&mut self, model: &FunctionModel, summary: &Summary, path: &Path) {
        for (id, grade) in summary.counts.grades.iter() {
            if let Some(grade) = *grade {
                self.grade(id, grade);
            }
        }
        let counts = summary.counts.own.counts.iter().zip(&summary.counts.other.counts);
        for (&block, (own, other)) in summary.members.iter().zip(counts) {
            let path = summary.path_of(model, block, path);
            let tally = &mut self.blocks[block];
            tally.weight = tally.weight.plus(&path.weight.times(own, other));
            tally.raise(path.class, path.reason.as_ref());
        }
    }
}

impl Summary {
    /// How a block in the loop is known, where the loop is entered on a path. Its weight is that of the entry.
    pub(super) fn path_of(&self, model: &FunctionModel, block: BlockId, entry: &Path) -> Path {
        let mut path = entry.clone();
        let around = model.forest.chain(model.forest.innermost[block]);
        // From the inside out, up to the loop that is counted.
        for id in around {
            let (class, reason) = class_of_loop(model, id, self.counts.grades[id]);
            path.raise(class, reason);
            if id == self.id {
                break;
            }
        }
        path
    }
}

/// The position of a block in a list that is sorted by nothing.
pub(super) fn position(members: &[BlockId], block: BlockId) -> Option<usize> {
    members.iter().position(|one| one.index() == block.index())
}
