//! One formula in place of a symbol; simpler where more is known.
//!
//! A formula is made again from the bottom up by the functions that make
//! nodes, so that what a replacement makes simple becomes simple. Each part is
//! made once. Under [`Facts`] wraps that cannot happen, alternatives that
//! cannot win and tests that are decided go. Cost: the parts of the formula;
//! depth is bounded by [`DEEPEST`](super::DEEPEST).

use super::facts::Facts;
use super::formulas::Formulas;
use super::nodes::{FormulaId, FormulaNode, SymbolId, Test};
use super::{Domain, Rounding};
use rustc_hash::FxHashMap as HashMap;

/// What replaces a symbol.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replacements {
    /// By symbol.
    pub(crate) symbols: HashMap<SymbolId, FormulaId>,
    /// Where the symbol is alone inside a wrap into this domain: the wrapped value as such, if it
    /// is known better than by wrapping.
    pub(crate) wrapped: HashMap<(SymbolId, Domain), FormulaId>,
}

impl Formulas {
    /// `of` with `by` in place of `symbol`.
    pub fn replace(&mut self, of: FormulaId, symbol: SymbolId, by: FormulaId) -> FormulaId {
        let replacements =
            Replacements { symbols: HashMap::from_iter([(symbol, by)]), wrapped: HashMap::default() };
        self.replace_all(of, &replacements)
    }

    /// `of` with all replacements made at once.
    pub(crate) fn replace_all(&mut self, of: FormulaId, by: &Replacements) -> FormulaId {
        if by.symbols.is_empty() {
            return of;
        }
        Rewriter { table: self, replacements: by, facts: None, holds: None, done: HashMap::default() }
            .rewrite(of)
    }

    /// `of` as it is where the facts hold.
    pub fn assuming(&mut self, of: FormulaId, facts: &Facts) -> FormulaId {
        if facts.is_empty() {
            return of;
        }
        let none = Replacements::default();
        let (facts, done) = (Some(facts), HashMap::default());
        Rewriter { table: self, replacements: &none, facts, holds: None, done }.rewrite(of)
    }

    /// `of` as it is where a test holds: choices by that very test are made.
    pub fn where_holds(&mut self, of: FormulaId, test: Test) -> FormulaId {
        let none = Replacements::default();
        let (facts, done) = (None, HashMap::default());
        Rewriter { table: self, replacements: &none, facts, holds: Some(test), done }.rewrite(of)
    }

    /// Whether a test holds where the facts do; none if they do not decide it.
    pub fn decide(&mut self, test: Test, facts: &Facts) -> Option<bool> {
        let range = facts.range(self, test.of);
        test.relation.decide(range)
    }
}

struct Rewriter<'a> {
    table: &'a mut Formulas,
    replacements: &'a Replacements,
    facts: Option<&'a Facts>,
    holds: Option<Test>,
    done: HashMap<FormulaId, FormulaId>,
}

impl Rewriter<'_> {
    fn rewrite(&mut self, id: FormulaId) -> FormulaId {
        let symbols = self.table.symbols_in(id);
        let is_touched = match (self.facts, self.holds) {
            (Some(_), _) | (_, Some(_)) => !symbols.is_empty(),
            (None, None) => symbols.iter().any(|symbol| self.replacements.symbols.contains_key(symbol)),
        };
        if !is_touched {
            return id;
        }
        if let Some(&done) = self.done.get(&id) {
            return done;
        }
        let node = self.table.node(id).clone();
        let made = self.make(id, node);
        let made = self.simplify(made);
        self.done.insert(id, made);
        made
    }

    fn make(&mut self, id: FormulaId, node: FormulaNode) -> FormulaId {
        match node {
            FormulaNode::TooBig | FormulaNode::Constant(_) => id,
            FormulaNode::Symbol(symbol) => self.replacements.symbols.get(&symbol).copied().unwrap_or(id),
            FormulaNode::Sum { constant, terms } => {
                let parts: Vec<_> =
                    terms.iter().map(|&(term, factor)| (self.rewrite(term), factor)).collect();
                self.table.combine(constant, &parts)
            }
            FormulaNode::Product(factors) => {
                let one = self.table.constant(1);
                factors.iter().fold(one, |product, &factor| {
                    let factor = self.rewrite(factor);
                    self.table.multiply(product, factor)
                })
            }
            FormulaNode::Divide { rounding, of, by } => {
                let (of, by) = (self.rewrite(of), self.rewrite(by));
                self.table.divide(rounding, of, by)
            }
            FormulaNode::Modulo { of, by } => {
                let (of, by) = (self.rewrite(of), self.rewrite(by));
                self.table.modulo(of, by)
            }
            FormulaNode::Least(list) => self.extreme(false, &list),
            FormulaNode::Greatest(list) => self.extreme(true, &list),
            FormulaNode::Power { base, exponent } => {
                let exponent = self.rewrite(exponent);
                self.table.power(base, exponent)
            }
            FormulaNode::Wrap { domain, of } => self.wrap(domain, of),
            FormulaNode::CeilLog { base, of } => {
                let of = self.rewrite(of);
                self.table.ceil_log(base, of)
            }
            FormulaNode::CeilRoot(of) => {
                let of = self.rewrite(of);
                self.table.ceil_root(of)
            }
            FormulaNode::Select { test, then, .. } if self.holds == Some(test) => self.rewrite(then),
            FormulaNode::Select { test, otherwise, .. } if self.holds == Some(test.inverse()) => {
                self.rewrite(otherwise)
            }
            FormulaNode::Select { test, then, otherwise } => {
                let test = Test { of: self.rewrite(test.of), ..test };
                let (then, otherwise) = (self.rewrite(then), self.rewrite(otherwise));
                self.table.select(test, then, otherwise)
            }
            FormulaNode::Series { index, count, of } => {
                let (count, of) = (self.rewrite(count), self.rewrite(of));
                if [count, of].iter().any(|&part| self.table.is_too_big(part)) {
                    return self.table.too_big();
                }
                self.table.series(index, count, of)
            }
        }
    }

    fn extreme(&mut self, greatest: bool, list: &[FormulaId]) -> FormulaId {
        let list: Vec<_> = list.iter().map(|&id| self.rewrite(id)).collect();
        self.table.choose(greatest, &list)
    }

    fn wrap(&mut self, domain: Domain, of: FormulaId) -> FormulaId {
        if let Some(symbol) = self.table.as_symbol(of)
            && let Some(&known) = self.replacements.wrapped.get(&(symbol, domain))
        {
            return known;
        }
        let of = self.rewrite(of);
        self.table.wrap(domain, of)
    }

    /// What the facts make of the node at the top.
    fn simplify(&mut self, id: FormulaId) -> FormulaId {
        let Some(facts) = self.facts else { return id };
        match self.table.node(id).clone() {
            FormulaNode::Wrap { domain, of } => {
                let range = facts.range(self.table, of);
                if domain.interval().holds(range) { of } else { id }
            }
            FormulaNode::Greatest(list) => self.drop_losers(true, &list, facts),
            FormulaNode::Least(list) => self.drop_losers(false, &list, facts),
            FormulaNode::Select { test, then, otherwise } => match self.table.decide(test, facts) {
                Some(true) => then,
                Some(false) => otherwise,
                None => id,
            },
            FormulaNode::Divide { rounding: Rounding::Truncate, of, by } => {
                let (value, divisor) = (facts.range(self.table, of), facts.range(self.table, by));
                if value.low >= 0 && divisor.low > 0 {
                    self.table.divide(Rounding::Floor, of, by)
                } else {
                    id
                }
            }
            _ => match facts.range(self.table, id).only() {
                Some(value) => self.table.constant(value),
                None => id,
            },
        }
    }

    /// An extreme without what is never it.
    fn drop_losers(&mut self, greatest: bool, list: &[FormulaId], facts: &Facts) -> FormulaId {
        let mut kept = list.to_vec();
        let mut position = 0;
        while position < kept.len() && kept.len() > 1 {
            let candidate = kept[position];
            let others: Vec<_> = kept.iter().copied().filter(|&other| other != candidate).collect();
            let is_beaten = others.iter().any(|&other| {
                let (above, below) = if greatest { (other, candidate) } else { (candidate, other) };
                let difference = self.table.subtract(above, below);
                facts.range(self.table, difference).low >= 0
            });
            if is_beaten {
                kept.remove(position);
            } else {
                position += 1;
            }
        }
        self.table.choose(greatest, &kept)
    }
}
