//! What may each pointer point to, given who gets it from whom?
//!
//! Inclusion-based (Andersen, 1994): a node represents a pointer, an edge for "also points to what
//! that one points to, so many bytes on"; loads and stores add edges to the cells of the objects
//! that their address is found to point to. A cell is a word of an object, or every so many words
//! of it. New targets travel once along each edge (difference propagation). What keeps it near
//! linear: a node has at most [`MOST_TARGETS`] targets, an object at most [`MOST_CELLS`] cells and
//! a node eight exact offsets in one object; where there are more targets, all of them escape and
//! the pointer is unknown, which is unification with the outside; more offsets become one
//! congruence.
//!
//! *Unknown* means: the outside, and every object that escaped. What unknown
//! addresses are given escapes; what escaped objects hold escapes and is
//! unknown.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use opcost_index::{Id, define_id};
use opcost_ir::{Layout, Module};
use opcost_key::FunctionId;

use super::objects::{ObjectId, ObjectKind, Objects, has_array};
use super::offsets::{Move, Offsets};

define_id!(
    /// A pointer, or a cell that may hold one.
    pub struct Node, "node"
);

/// The most objects that one pointer is followed to.
pub(super) const MOST_TARGETS: usize = 64;
/// The most exact offsets in one object that one pointer is followed to.
const MOST_OFFSETS: usize = 8;
/// The most cells that are distinguished in one object.
const MOST_CELLS: usize = 64;
/// The most words that one access is split into.
const MOST_WORDS: i64 = 16;

/// Where a pointer may point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AddressTarget {
    /// The object.
    pub object: ObjectId,
    /// Where in it.
    pub offsets: Offsets,
}

/// What is done with the memory that a pointer points to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Use {
    /// So many bytes from so many on are read into a node.
    Load { into: Node, at: i64, size: u64 },
    /// A node is written there.
    Store { from: Node, at: i64, size: u64 },
    /// It is called by this site.
    Called { site: u32 },
}

/// What a node may point to.
#[derive(Clone, Debug, Default)]
pub(super) struct Set {
    pub(super) targets: Vec<AddressTarget>,
    pub(super) is_unknown: bool,
    fresh: Vec<AddressTarget>,
    became_unknown: bool,
    is_queued: bool,
    is_full: bool,
}

impl Set {
    /// Adds what no target holds yet; what was added, or what it became part of.
    fn insert(&mut self, target: AddressTarget) -> AddressTarget {
        let own = |known: &AddressTarget| known.object == target.object;
        let of_object = || self.targets.iter().filter(|known| own(known)).map(|known| known.offsets);
        let strided = of_object().find(|offsets| offsets.as_exact().is_none());
        let exact = of_object().filter(|offsets| offsets.as_exact().is_some()).count();
        let offsets = match (target.offsets.as_exact(), strided) {
            (Some(_), _) if exact < MOST_OFFSETS => target.offsets,
            // Exact ones stay beside a stride unless there are too many.
            (Some(_), _) => of_object().fold(target.offsets, Offsets::join),
            // What grows once may grow in every turn of a loop.
            (None, Some(strided)) => strided.join(target.offsets).without_end(),
            (None, None) => target.offsets,
        };
        let added = AddressTarget { object: target.object, offsets };
        self.targets.retain(|known| !own(known) || !offsets.contain(known.offsets));
        self.targets.push(added);
        added
    }
}

#[derive(Clone, Copy)]
struct Cell {
    words: Offsets,
    written: Node,
    read: Node,
}

/// Nodes, edges and cells.
pub(super) struct Graph<'a> {
    pub(super) module: &'a Module,
    pub(super) layout: &'a Layout,
    pub(super) objects: Objects,
    pub(super) sets: Vec<Set>,
    copies: Vec<Vec<(Node, Move)>>,
    uses: Vec<Vec<Use>>,
    cells: HashMap<(ObjectId, Offsets), u32>,
    cells_of: HashMap<ObjectId, Vec<u32>>,
    all_cells: Vec<Cell>,
    /// Edges that were added on the way, so that none is added twice.
    added: HashSet<(Node, Node)>,
    queue: Vec<Node>,
    escaping: Vec<ObjectId>,
    /// Bytes of a pointer.
    word: i64,
    /// Functions that a site was found to call, to be looked at.
    pub(super) found: Vec<(u32, Option<ObjectId>)>,
    /// Defined functions whose code escaped, to be looked at.
    pub(super) escaped_functions: Vec<FunctionId>,
}

/// What reaches this node escapes.
pub(super) const ESCAPE: usize = 0;
/// This node is unknown.
pub(super) const UNKNOWN: usize = 1;

impl<'a> Graph<'a> {
    pub(super) fn new(module: &'a Module, layout: &'a Layout) -> Self {
        let mut graph = Graph {
            module,
            layout,
            objects: Objects::of(module, layout),
            sets: Vec::new(),
            copies: Vec::new(),
            uses: Vec::new(),
            cells: HashMap::default(),
            cells_of: HashMap::default(),
            all_cells: Vec::new(),
            added: HashSet::default(),
            queue: Vec::new(),
            escaping: Vec::new(),
            word: i64::from(layout.pointer_bits(0).max(8) / 8),
            found: Vec::new(),
            escaped_functions: Vec::new(),
        };
        graph.node();
        let unknown = graph.node();
        graph.set_unknown(unknown);
        graph
    }

    /// Bytes of a pointer.
    pub(super) fn word(&self) -> u64 {
        self.word.unsigned_abs()
    }

    /// A new node that points nowhere.
    pub(super) fn node(&mut self) -> Node {
        self.sets.push(Set::default());
        self.copies.push(Vec::new());
        self.uses.push(Vec::new());
        Node::new(self.sets.len() - 1)
    }

    pub(super) fn escape_node(&self) -> Node {
        Node::new(ESCAPE)
    }

    pub(super) fn unknown_node(&self) -> Node {
        Node::new(UNKNOWN)
    }

    /// The node points there too.
    pub(super) fn add(&mut self, node: Node, target: AddressTarget) {
        if node.index() == ESCAPE {
            return self.escape(target.object);
        }
        if target.object == Objects::outside() {
            return self.set_unknown(node);
        }
        let set = &mut self.sets[node.index()];
        if set.is_full {
            return self.escape(target.object);
        }
        // Unknown is every object that escaped already.
        let is_told = set.is_unknown && self.objects.escaped[target.object];
        if is_told && self.objects.is_memory(target.object) {
            return;
        }
        let mut own = set.targets.iter().filter(|known| known.object == target.object);
        if own.any(|known| known.offsets.contain(target.offsets)) {
            return;
        }
        let added = set.insert(target);
        set.fresh.push(added);
        let is_too_many = set.targets.len() > MOST_TARGETS;
        self.enqueue(node);
        if is_too_many {
            self.give_up(node);
        }
    }

    /// Too many targets: all escape, those to come too.
    fn give_up(&mut self, node: Node) {
        self.sets[node.index()].is_full = true;
        for target in self.sets[node.index()].targets.clone() {
            self.escape(target.object);
        }
        self.set_unknown(node);
    }

    pub(super) fn set_unknown(&mut self, node: Node) {
        let set = &mut self.sets[node.index()];
        if node.index() != ESCAPE && !set.is_unknown {
            (set.is_unknown, set.became_unknown) = (true, true);
            self.enqueue(node);
        }
    }

    fn enqueue(&mut self, node: Node) {
        let set = &mut self.sets[node.index()];
        if !set.is_queued {
            set.is_queued = true;
            self.queue.push(node);
        }
    }

    /// `to` points to what `from` points to, moved.
    pub(super) fn copy(&mut self, from: Node, to: Node, by: Move) {
        if from == to && by == Move::By(0) {
            return;
        }
        self.copies[from.index()].push((to, by));
        self.send(from, to, by);
    }

    fn copy_once(&mut self, from: Node, to: Node) {
        if from != to && self.added.insert((from, to)) {
            self.copy(from, to, Move::By(0));
        }
    }

    /// Sends everything along a new edge.
    fn send(&mut self, from: Node, to: Node, by: Move) {
        let set = &self.sets[from.index()];
        let (targets, is_unknown) = (set.targets.clone(), set.is_unknown);
        self.deliver(&targets, is_unknown, to, by);
    }

    fn deliver(&mut self, targets: &[AddressTarget], is_unknown: bool, to: Node, by: Move) {
        if is_unknown {
            self.set_unknown(to);
        }
        for &AddressTarget { object, offsets } in targets {
            let offsets = match by {
                Move::By(0) => offsets,
                _ => offsets.moved(by, |offset, span| {
                    let declared = self.objects.declared_type(self.module, object);
                    has_array(self.module, self.layout, declared, offset, span)
                }),
            };
            self.add(to, AddressTarget { object, offsets });
        }
    }

    /// Something is done with the memory that the node points to.
    pub(super) fn use_node(&mut self, node: Node, done: Use) {
        self.uses[node.index()].push(done);
        for target in self.sets[node.index()].targets.clone() {
            self.apply(target, done);
        }
        if self.sets[node.index()].is_unknown {
            self.apply_unknown(done);
        }
    }

    fn apply(&mut self, target: AddressTarget, done: Use) {
        match done {
            Use::Called { site } => self.found.push((site, Some(target.object))),
            _ if !self.objects.is_memory(target.object) => {}
            Use::Load { into, at, size } => {
                for words in self.words(target, at, size) {
                    let cell = self.cell(target.object, words);
                    self.copy_once(cell.read, into);
                }
            }
            Use::Store { from, at, size } => {
                for words in self.words(target, at, size) {
                    let cell = self.cell(target.object, words);
                    self.copy_once(from, cell.written);
                }
            }
        }
    }

    fn apply_unknown(&mut self, done: Use) {
        match done {
            Use::Load { into, .. } => self.set_unknown(into),
            Use::Store { from, .. } => self.copy_once(from, self.escape_node()),
            Use::Called { site } => self.found.push((site, None)),
        }
    }

    /// The words that an access touches.
    fn words(&self, target: AddressTarget, at: i64, size: u64) -> Vec<Offsets> {
        // No pointer fits into what is smaller than one.
        if self.objects.size(target.object).is_some_and(|size| size < self.word()) {
            return Vec::new();
        }
        let (first, _, step) = target.offsets.parts();
        let Some(first) = first.checked_add(at) else { return vec![Offsets::ANY] };
        let last = i64::try_from(size.max(1)).ok().and_then(|size| first.checked_add(size - 1));
        let Some(last) = last else { return vec![Offsets::ANY] };
        let (low, high) = (first.div_euclid(self.word), last.div_euclid(self.word));
        let is_aligned = step.is_multiple_of(self.word());
        if high - low >= MOST_WORDS || !is_aligned {
            return vec![Offsets::ANY];
        }
        let every = |word| match step {
            0 => Offsets::exact(word),
            _ => Offsets::every(word, step / self.word()),
        };
        (low..=high).map(every).collect()
    }

    /// The cell of these words, linked with those that share a word with it.
    fn cell(&mut self, object: ObjectId, words: Offsets) -> Cell {
        let count = self.cells_of.get(&object).map_or(0, Vec::len);
        let words = if count < MOST_CELLS { words } else { Offsets::ANY };
        if let Some(&known) = self.cells.get(&(object, words)) {
            return self.all_cells[known as usize];
        }
        let cell = Cell { words, written: self.node(), read: self.node() };
        let id = self.all_cells.len() as u32;
        self.all_cells.push(cell);
        self.cells.insert((object, words), id);
        let others = self.cells_of.entry(object).or_default();
        others.push(id);
        for other in others.clone() {
            let other = self.all_cells[other as usize];
            if other.words.apart(1, words, 1) != Some(super::offsets::Apart::Always) {
                self.copy_once(cell.written, other.read);
                self.copy_once(other.written, cell.read);
            }
        }
        if self.objects.is_escaped(object) {
            self.set_unknown(cell.written);
        }
        cell
    }

    /// What is in cells.
    pub(super) fn stored_targets(&self) -> impl Iterator<Item = AddressTarget> {
        let written = self.all_cells.iter().map(|cell| cell.written.index());
        written.flat_map(|node| self.sets[node].targets.iter().copied())
    }

    /// Code that is not seen may reach the object from now on.
    pub(super) fn escape(&mut self, object: ObjectId) {
        if !std::mem::replace(&mut self.objects.escaped[object], true) {
            self.escaping.push(object);
        }
    }

    fn settle_escape(&mut self, object: ObjectId) {
        match self.objects.kind(object) {
            ObjectKind::Function(function) => self.escaped_functions.push(function),
            ObjectKind::Declaration(_) | ObjectKind::Outside => {}
            _ => {
                let all = self.cell(object, Offsets::ANY);
                self.copy_once(all.read, self.escape_node());
                for cell in self.cells_of[&object].clone() {
                    self.set_unknown(self.all_cells[cell as usize].written);
                }
            }
        }
    }

    /// One step; false when nothing is left to do.
    pub(super) fn step(&mut self) -> bool {
        if let Some(object) = self.escaping.pop() {
            self.settle_escape(object);
            return true;
        }
        let Some(node) = self.queue.pop() else { return false };
        let at = node.index();
        self.sets[at].is_queued = false;
        let fresh = std::mem::take(&mut self.sets[at].fresh);
        let became_unknown = std::mem::take(&mut self.sets[at].became_unknown);
        for position in 0..self.copies[at].len() {
            let (to, by) = self.copies[at][position];
            self.deliver(&fresh, became_unknown, to, by);
        }
        for position in 0..self.uses[at].len() {
            let done = self.uses[at][position];
            fresh.iter().for_each(|&target| self.apply(target, done));
            if became_unknown {
                self.apply_unknown(done);
            }
        }
        true
    }
}
