//! What formulas are there? A table that has each only once.
//!
//! Hash-consing (Ershov, "On programming of arithmetic operations", 1958): a node is looked up
//! before it is made, so equal formulas have equal ids, and a formula that is used a hundred times
//! is kept once. Each node has the interval it is in, the symbols in it, its depth and its size as
//! a tree. The functions that make nodes are spread over the files of this folder; only
//! [`Formulas::intern`] adds one. Cost: one lookup a node.

use rustc_hash::FxHashMap as HashMap;
use std::rc::Rc;

use opcost_index::IdMap;

use super::FormulaInterval;
use super::node_ranges::range_of;
use super::nodes::{DEEPEST, FormulaId, FormulaNode, LARGEST, Symbol, SymbolId, children};

/// What is kept with each node.
#[derive(Clone, Debug)]
struct Entry {
    node: FormulaNode,
    range: FormulaInterval,
    /// Ascending.
    symbols: Rc<[SymbolId]>,
    depth: u16,
    size: u32,
}

/// A table of formulas.
#[derive(Clone, Debug)]
pub struct Formulas {
    entries: IdMap<FormulaId, Entry>,
    known: HashMap<FormulaNode, FormulaId>,
    symbols: IdMap<SymbolId, (Symbol, FormulaInterval)>,
    known_symbols: HashMap<Symbol, SymbolId>,
}

impl Default for Formulas {
    fn default() -> Self {
        Self::new()
    }
}

impl Formulas {
    /// An empty table.
    pub fn new() -> Self {
        let mut table = Self {
            entries: IdMap::new(),
            known: HashMap::default(),
            symbols: IdMap::new(),
            known_symbols: HashMap::default(),
        };
        let (node, range) = (FormulaNode::TooBig, FormulaInterval::ALL);
        table.push(Entry { node, range, symbols: Rc::new([]), depth: 0, size: 1 });
        table
    }

    /// The formula that was given up.
    pub fn too_big(&self) -> FormulaId {
        opcost_index::Id::new(0)
    }

    /// A number.
    pub fn constant(&mut self, value: i128) -> FormulaId {
        // The ends of the range mean "open" in intervals.
        if value == i128::MIN || value == i128::MAX {
            return self.too_big();
        }
        self.intern(FormulaNode::Constant(value))
    }

    /// A symbol that is in `range`. A symbol that is asked for again must be asked for with the
    /// same range; with another it is given up.
    pub fn symbol(&mut self, symbol: Symbol, range: FormulaInterval) -> FormulaId {
        let id = match self.known_symbols.get(&symbol) {
            Some(&id) if self.symbols[id].1 == range => id,
            Some(_) => return self.too_big(),
            None => {
                let id = self.symbols.push((symbol.clone(), range));
                self.known_symbols.insert(symbol, id);
                id
            }
        };
        self.intern(FormulaNode::Symbol(id))
    }

    /// The id of a symbol that was made before.
    pub fn find(&self, symbol: &Symbol) -> Option<SymbolId> {
        self.known_symbols.get(symbol).copied()
    }

    /// What a symbol represents.
    pub fn symbol_of(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id].0
    }

    /// The range that a symbol was made with.
    pub fn symbol_range(&self, id: SymbolId) -> FormulaInterval {
        self.symbols[id].1
    }

    /// What a formula is made of.
    pub fn node(&self, id: FormulaId) -> &FormulaNode {
        &self.entries[id].node
    }

    /// An interval that it is in, whatever the symbols are.
    pub fn range(&self, id: FormulaId) -> FormulaInterval {
        self.entries[id].range
    }

    /// Its symbols, ascending.
    pub fn symbols_in(&self, id: FormulaId) -> &[SymbolId] {
        &self.entries[id].symbols
    }

    /// Whether a symbol is in it.
    pub fn contains(&self, id: FormulaId, symbol: SymbolId) -> bool {
        self.entries[id].symbols.binary_search(&symbol).is_ok()
    }

    /// The number that it is, if it has no symbols.
    pub fn as_constant(&self, id: FormulaId) -> Option<i128> {
        match self.entries[id].node {
            FormulaNode::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The symbol that it is.
    pub fn as_symbol(&self, id: FormulaId) -> Option<SymbolId> {
        match self.entries[id].node {
            FormulaNode::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// Whether it was given up.
    pub fn is_too_big(&self, id: FormulaId) -> bool {
        id == self.too_big()
    }

    /// How deep it is; a constant or symbol is 0.
    pub fn depth(&self, id: FormulaId) -> u16 {
        self.entries[id].depth
    }

    /// How many nodes it has, written out as a tree.
    pub fn size(&self, id: FormulaId) -> u32 {
        self.entries[id].size
    }

    /// How many formulas there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none but the one that was given up.
    pub fn is_empty(&self) -> bool {
        self.entries.len() <= 1
    }

    /// Adds a node whose parts obey what [`FormulaNode`] says of it.
    pub(super) fn intern(&mut self, node: FormulaNode) -> FormulaId {
        if let Some(&known) = self.known.get(&node) {
            return known;
        }
        let mut symbols: Rc<[SymbolId]> = Rc::new([]);
        let (mut depth, mut size) = (0, 1_u32);
        for child in children(&node) {
            if self.is_too_big(child) {
                return child;
            }
            let entry = &self.entries[child];
            depth = depth.max(entry.depth + 1);
            size = size.saturating_add(entry.size);
            symbols = union(&symbols, &entry.symbols);
        }
        if depth > DEEPEST || size > LARGEST {
            return self.too_big();
        }
        match node {
            FormulaNode::Symbol(symbol) => symbols = Rc::new([symbol]),
            FormulaNode::Series { index, count, .. } => {
                let without: Vec<SymbolId> = symbols.iter().copied().filter(|&s| s != index).collect();
                symbols = union(&without.into(), &self.entries[count].symbols);
            }
            _ => {}
        }
        let range = self.range_of_node(&node);
        self.push(Entry { node, range, symbols, depth, size })
    }

    fn push(&mut self, entry: Entry) -> FormulaId {
        let node = entry.node.clone();
        let id = self.entries.push(entry);
        self.known.insert(node, id);
        id
    }

    fn range_of_node(&self, node: &FormulaNode) -> FormulaInterval {
        let whole = |id: FormulaId| self.entries[id].range;
        match node {
            FormulaNode::TooBig => FormulaInterval::ALL,
            FormulaNode::Constant(value) => FormulaInterval::exactly(*value),
            FormulaNode::Symbol(symbol) => self.symbols[*symbol].1,
            _ => range_of(node, &whole),
        }
    }
}

/// Both lists in one, ascending; one of them itself where it holds the other.
fn union(a: &Rc<[SymbolId]>, b: &Rc<[SymbolId]>) -> Rc<[SymbolId]> {
    let holds = |outer: &[SymbolId], inner: &[SymbolId]| inner.iter().all(|s| outer.binary_search(s).is_ok());
    if holds(a, b) {
        return a.clone();
    }
    if holds(b, a) {
        return b.clone();
    }
    let mut both: Vec<SymbolId> = a.iter().chain(b.iter()).copied().collect();
    both.sort();
    both.dedup();
    both.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_formulas_have_equal_ids() {
        let mut table = Formulas::new();
        let n = table.symbol(Symbol::Argument(0), FormulaInterval::signed(32));
        assert_eq!(n, table.symbol(Symbol::Argument(0), FormulaInterval::signed(32)));
        assert_ne!(n, table.symbol(Symbol::Argument(1), FormulaInterval::signed(32)));
        assert_eq!(table.constant(3), table.constant(3));
        assert_eq!(table.range(n), FormulaInterval::signed(32));
        let with_another_range = table.symbol(Symbol::Argument(0), FormulaInterval::NATURAL);
        assert!(table.is_too_big(with_another_range));
    }
}
