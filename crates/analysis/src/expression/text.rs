//! How does it read? As C would say it, with as few brackets as C needs.
//!
//! `floor`, `ceil`, `min`, `max`, `bit_length` are functions; a quotient that C would round alike
//! is written with `/`. A wrap is a cast: `(u32)(n - 1)`. Anyone who asks gives the names of
//! symbols. Parts that several formulas share, or one needs more than once, can be named first:
//! `t1 = …`. What is deeper than the limit is `…`. Cost: the length of the text, which the limit
//! bounds.

mod division;

use rustc_hash::FxHashMap as HashMap;
use std::fmt::Write;

use super::Domain;
use super::formulas::Formulas;
use super::nodes::{self, FormulaId, FormulaNode, Relation, Symbol, SymbolId, Test};

/// How much is written.
#[derive(Clone, Copy, Debug)]
pub struct TextLimits {
    /// How deep parts are written out.
    pub depth: u16,
    /// How many bytes a text may have, about.
    pub length: usize,
}

impl Default for TextLimits {
    fn default() -> Self {
        Self { depth: 24, length: 2000 }
    }
}

/// Texts of several formulas, and of the parts that they share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    /// Names and texts; each uses only names before it.
    pub definitions: Vec<(String, String)>,
    /// One for each formula.
    pub texts: Vec<String>,
}

/// Names of symbols.
type Names<'a> = &'a dyn Fn(&Symbol) -> String;

/// How tightly parts hold together, as in C.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Choice,
    Mask,
    Comparison,
    Shift,
    Sum,
    Product,
    Unary,
    Whole,
}

/// Parts smaller than this are written again rather than named.
const WORTH_A_NAME: u32 = 5;

impl Formulas {
    /// A formula as text.
    pub fn text(&self, formula: FormulaId, names: Names<'_>) -> String {
        self.text_within(formula, names, TextLimits::default())
    }

    /// A formula as text, as much of it as is wanted.
    pub fn text_within(&self, formula: FormulaId, names: Names<'_>, limits: TextLimits) -> String {
        Writer { table: self, names, given: &HashMap::default(), limits }.whole(formula)
    }

    /// A statement as text: `n <= 5`.
    pub fn test_text(&self, test: Test, names: Names<'_>) -> String {
        self.test_text_within(test, names, TextLimits::default())
    }

    /// A statement as text, as much of it as is wanted.
    pub fn test_text_within(&self, test: Test, names: Names<'_>, limits: TextLimits) -> String {
        let mut out = String::new();
        Writer { table: self, names, given: &HashMap::default(), limits }.test(test, 0, &mut out);
        out
    }

    /// Formulas as texts, parts that occur more than once named first.
    pub fn shared_text(&self, formulas: &[FormulaId], names: Names<'_>, limits: TextLimits) -> Shared {
        let mut shared = Shared::default();
        let mut given: HashMap<FormulaId, String> = HashMap::default();
        for part in self.repeated_parts(formulas) {
            let text = Writer { table: self, names, given: &given, limits }.whole(part);
            let name = format!("t{}", shared.definitions.len() + 1);
            given.insert(part, name.clone());
            shared.definitions.push((name, text));
        }
        let writer = Writer { table: self, names, given: &given, limits };
        shared.texts = formulas.iter().map(|&formula| writer.whole(formula)).collect();
        shared
    }

    /// Parts worth a name, each after the parts in it.
    fn repeated_parts(&self, formulas: &[FormulaId]) -> Vec<FormulaId> {
        let mut uses: HashMap<FormulaId, u32> = HashMap::default();
        let mut work = formulas.to_vec();
        while let Some(id) = work.pop() {
            let times = uses.entry(id).or_insert(0);
            *times += 1;
            if *times == 1 {
                work.extend(nodes::children(self.node(id)));
            }
        }
        let mut repeated: Vec<FormulaId> = uses
            .into_iter()
            .filter(|&(id, times)| times > 1 && self.size(id) >= WORTH_A_NAME)
            .map(|(id, _)| id)
            .collect();
        // Parts are made before what they are parts of.
        repeated.sort();
        repeated
    }
}

impl Relation {
    /// The sign between two sides whose difference compares so with zero.
    pub fn sign(self) -> &'static str {
        match self {
            Relation::Negative => "<",
            Relation::NotNegative => ">=",
            Relation::Zero => "==",
            Relation::NotZero => "!=",
        }
    }
}

struct Writer<'a> {
    table: &'a Formulas,
    names: Names<'a>,
    given: &'a HashMap<FormulaId, String>,
    limits: TextLimits,
}

impl Writer<'_> {
    fn whole(&self, id: FormulaId) -> String {
        let mut out = String::new();
        self.node(id, Level::Choice, 0, &mut out);
        out
    }

    /// Writes a part, in brackets if what is around holds tighter.
    fn part(&self, id: FormulaId, around: Level, depth: u16, out: &mut String) {
        match self.given.get(&id) {
            Some(name) => out.push_str(name),
            None => self.node(id, around, depth, out),
        }
    }

    fn node(&self, id: FormulaId, around: Level, depth: u16, out: &mut String) {
        if depth > self.limits.depth || out.len() > self.limits.length {
            out.push('…');
            return;
        }
        let level = self.level(id);
        let needs_brackets = level < around;
        if needs_brackets {
            out.push('(');
        }
        self.bare(id, depth + 1, out);
        if needs_brackets {
            out.push(')');
        }
    }

    fn level(&self, id: FormulaId) -> Level {
        match self.table.node(id) {
            FormulaNode::Constant(value) if *value < 0 => Level::Unary,
            FormulaNode::Sum { constant: 0, terms } if terms.len() == 1 => match terms[0].1 {
                _ if self.shift_in(terms[0].0).is_some() => Level::Shift,
                _ => Level::Product,
            },
            FormulaNode::Sum { .. } => Level::Sum,
            FormulaNode::Power { base: 2, .. } => Level::Shift,
            FormulaNode::Product(_) if self.shift_in(id).is_some() => Level::Shift,
            FormulaNode::Product(_) => Level::Product,
            FormulaNode::Divide { rounding, of, by } => self.quotient_level(*rounding, *of, *by),
            FormulaNode::Modulo { of, .. } if self.is_natural(*of) => Level::Product,
            FormulaNode::Wrap { domain, .. } => {
                if is_mask(*domain) {
                    Level::Mask
                } else {
                    Level::Unary
                }
            }
            FormulaNode::Select { .. } => Level::Choice,
            _ => Level::Whole,
        }
    }

    fn bare(&self, id: FormulaId, depth: u16, out: &mut String) {
        match self.table.node(id) {
            FormulaNode::TooBig => out.push('…'),
            FormulaNode::Constant(value) => push(out, value),
            FormulaNode::Symbol(symbol) => out.push_str(&(self.names)(self.table.symbol_of(*symbol))),
            FormulaNode::Sum { constant, terms } => self.sum(*constant, terms, depth, out),
            FormulaNode::Product(_) => self.term(id, 1, depth, out),
            FormulaNode::Divide { rounding, of, by } => self.quotient(*rounding, [*of, *by], depth, out),
            FormulaNode::Modulo { of, by } if self.is_natural(*of) => {
                self.part(*of, Level::Product, depth, out);
                out.push_str(" % ");
                self.part(*by, Level::Unary, depth, out);
            }
            FormulaNode::Modulo { of, by } => self.call("mod", &[*of, *by], depth, out),
            FormulaNode::Least(list) => self.call("min", list, depth, out),
            FormulaNode::Greatest(list) => self.call("max", list, depth, out),
            FormulaNode::Power { base: 2, exponent } => {
                out.push_str("1 << ");
                self.part(*exponent, Level::Sum, depth, out);
            }
            FormulaNode::Power { base, exponent } => {
                push(out, format_args!("pow({base}, "));
                self.part(*exponent, Level::Choice, depth, out);
                out.push(')');
            }
            FormulaNode::Wrap { domain, of } => self.wrap(*domain, *of, depth, out),
            FormulaNode::CeilLog { base, of } => self.logarithm(*base, *of, depth, out),
            FormulaNode::CeilRoot(of) => {
                out.push_str("ceil(");
                self.call("sqrt", &[*of], depth, out);
                out.push(')');
            }
            FormulaNode::Select { test, then, otherwise } => {
                self.test(*test, depth, out);
                out.push_str(" ? ");
                self.part(*then, Level::Mask, depth, out);
                out.push_str(" : ");
                self.part(*otherwise, Level::Choice, depth, out);
            }
            FormulaNode::Series { index, count, of } => self.series(*index, [*count, *of], depth, out),
        }
    }

    fn call(&self, name: &str, list: &[FormulaId], depth: u16, out: &mut String) {
        out.push_str(name);
        out.push('(');
        // Numbers first: `max(0, n)`.
        let (numbers, others): (Vec<FormulaId>, Vec<FormulaId>) =
            list.iter().partition(|&&id| name != "mod" && self.table.as_constant(id).is_some());
        for (position, id) in numbers.into_iter().chain(others).enumerate() {
            out.push_str(if position > 0 { ", " } else { "" });
            self.part(id, Level::Choice, depth, out);
        }
        out.push(')');
    }

    fn sum(&self, constant: i128, terms: &[(FormulaId, i128)], depth: u16, out: &mut String) {
        let all_fall = terms.iter().all(|&(_, factor)| factor < 0);
        let leads = all_fall && constant > 0;
        if leads {
            push(out, constant);
        }
        let mut terms = terms.to_vec();
        terms.sort_by_key(|&(term, factor)| (factor < 0, !self.has_turn(term), term));
        for (position, &(term, factor)) in terms.iter().enumerate() {
            let is_first = position == 0 && !leads;
            match (is_first, factor < 0) {
                (true, true) => out.push('-'),
                (true, false) => {}
                (false, true) => out.push_str(" - "),
                (false, false) => out.push_str(" + "),
            }
            let in_sum = terms.len() > 1 || constant != 0 || factor < 0;
            if in_sum && self.shift_in(term).is_some() {
                out.push('(');
                self.term(term, factor.saturating_abs(), depth, out);
                out.push(')');
            } else {
                self.term(term, factor.saturating_abs(), depth, out);
            }
        }
        match constant {
            1.. if !leads => push(out, format_args!(" + {constant}")),
            ..=-1 => push(out, format_args!(" - {}", constant.unsigned_abs())),
            _ => {}
        }
    }

    fn has_turn(&self, id: FormulaId) -> bool {
        let symbols = self.table.symbols_in(id).iter();
        symbols.clone().any(|&symbol| matches!(self.table.symbol_of(symbol), Symbol::Turn(_)))
    }

    /// `factor · term`
    fn term(&self, term: FormulaId, factor: i128, depth: u16, out: &mut String) {
        if let Some((exponent, rest)) = self.shift_in(term) {
            if factor != 1 || rest.is_empty() {
                push(out, factor);
                out.push_str(if rest.is_empty() { "" } else { "*" });
            }
            self.factors(&rest, depth, out);
            out.push_str(" << ");
            return self.part(exponent, Level::Sum, depth, out);
        }
        let factors = self.table.factors_of(term);
        if factor != 1 {
            push(out, format_args!("{factor}*"));
        }
        let around = if factor == 1 && factors.len() == 1 { Level::Product } else { Level::Unary };
        match factors[..] {
            [only] if only == term => self.part(term, around, depth, out),
            _ => self.factors(&factors, depth, out),
        }
    }

    fn factors(&self, factors: &[FormulaId], depth: u16, out: &mut String) {
        for (position, &factor) in factors.iter().enumerate() {
            out.push_str(if position > 0 { "*" } else { "" });
            self.part(factor, Level::Unary, depth, out);
        }
    }

    fn series(&self, index: SymbolId, [count, of]: [FormulaId; 2], depth: u16, out: &mut String) {
        let name = (self.names)(self.table.symbol_of(index));
        push(out, format_args!("sum({name} < "));
        self.part(count, Level::Sum, depth, out);
        out.push_str(": ");
        self.part(of, Level::Choice, depth, out);
        out.push(')');
    }

    /// Both sides of a comparison, each with positive factors.
    fn test(&self, test: Test, depth: u16, out: &mut String) {
        if let (Relation::Zero | Relation::NotZero, &FormulaNode::Modulo { of, by }) =
            (test.relation, self.table.node(test.of))
        {
            // Whichever way it is rounded, a remainder is zero or not.
            self.part(of, Level::Product, depth, out);
            out.push_str(" % ");
            self.part(by, Level::Unary, depth, out);
            return push(out, format_args!(" {} 0", test.relation.sign()));
        }
        let (over, under) = self.table.as_fraction(test.of);
        let (mut constant, terms) = self.table.terms_of(if under > 0 { over } else { test.of });
        let (left, right): (Vec<_>, Vec<_>) = terms.into_iter().partition(|&(_, factor)| factor > 0);
        let right: Vec<_> = right.into_iter().map(|(term, factor)| (term, factor.saturating_neg())).collect();
        let mut sign = test.relation.sign();
        if left.is_empty() {
            sign = match test.relation {
                Relation::Negative => ">",
                Relation::NotNegative => "<=",
                other => other.sign(),
            };
            self.side(0, &right, depth, out);
            push(out, format_args!(" {sign} {constant}"));
            return;
        }
        if constant == -1 {
            (sign, constant) = match test.relation {
                Relation::Negative => ("<=", 0),
                Relation::NotNegative => (">", 0),
                other => (other.sign(), constant),
            };
        }
        let on_left = if constant > 0 && !right.is_empty() { constant } else { 0 };
        self.side(on_left, &left, depth, out);
        push(out, format_args!(" {sign} "));
        self.side(on_left.saturating_sub(constant), &right, depth, out);
    }

    fn side(&self, constant: i128, terms: &[(FormulaId, i128)], depth: u16, out: &mut String) {
        match terms {
            [] => push(out, constant),
            &[(term, 1)] if constant == 0 => self.part(term, Level::Shift, depth, out),
            _ => self.sum(constant, terms, depth, out),
        }
    }
}

/// Whether it is written as `& mask`.
fn is_mask(domain: Domain) -> bool {
    !domain.signed && domain.bits < 16 && domain.bits != 8
}

fn push(out: &mut String, what: impl std::fmt::Display) {
    write!(out, "{what}").expect("writing to a string");
}

#[cfg(test)]
mod tests;
