//! How does an answer read? As an expression in the manner of C.
//!
//! The rules are those of llvm-pred: parentheses by precedence, `*` for memory that is
//! read, `[i]` for the indices of an address, `i64(x)` for a cast, `?:` for a select, `{…}||{…}`
//! for alternatives without duplicates, and `Δ#n` for an expression inside of itself: `n` counts
//! the `||` from there outwards to the one that is referred to. `Δ||X` is `X`, as long as nothing
//! is done to the value in between. Constants are folded (`n-2-1` reads `n-3`), possible links
//! marked `?`. A term that occurs more than once is named (`t1`), and so is one that must be
//! referred to from outside of its own text.
//!
//! Two reads of memory are one term only where they are one node, that is, of
//! the same version. Recursion goes as deep as the answer, which is bounded.

mod operations;
mod writer;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::fmt;

use opcost_index::IdSet;

use super::evaluate::Number;
use super::explanation::{Argument, ExplanationId, Link, LinkCertainty, What};
use super::memory::{Cell, Object};
use super::resolution::{Express, Resolution};
use writer::{Binding, Printed, Terms, Writer};

/// An expression and the terms that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// The expression.
    pub text: String,
    /// Terms by name, each before those that it needs.
    pub terms: Vec<(String, String)>,
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        for (position, (name, text)) in self.terms.iter().enumerate() {
            write!(f, "{}{name} = {text}", if position == 0 { " where " } else { ", " })?;
        }
        Ok(())
    }
}

impl Resolution<'_, '_> {
    /// The whole answer as an expression.
    pub fn expression(&self) -> Expression {
        let mut named = self.shared_terms();
        loop {
            let mut writer = Writer::new(self, &named);
            let text = writer.whole(self.root());
            let mut terms: Vec<(String, String)> = Vec::new();
            let mut position = 0;
            while let Some(&id) = writer.order.get(position) {
                let name = writer.names[&id].clone();
                terms.push((name, writer.whole(id)));
                position += 1;
            }
            let missing: Vec<ExplanationId> = writer.missing.into_iter().collect();
            if missing.is_empty() {
                return Expression { text, terms };
            }
            named.extend(missing);
        }
    }

    /// Nodes that more than one other needs and that are worth a name.
    fn shared_terms(&self) -> HashSet<ExplanationId> {
        let mut users: HashMap<ExplanationId, u32> = HashMap::default();
        for id in self.reached(true) {
            if self.facts.named[id] || self.number_at(id).is_some() || self.only_end(id) != id {
                continue;
            }
            for link in &self.nodes[id].links {
                *users.entry(self.only_end(link.to)).or_default() += 1;
            }
        }
        let is_worth = |id: &ExplanationId| {
            let node = &self.nodes[*id];
            let is_long = node.links.len() > 1 || node.links.iter().any(|link| self.size_of(link.to) > 1);
            let is_term =
                matches!(node.what, What::Operation | What::Library(_) | What::Choice | What::Cell(_));
            is_long && is_term && self.number_at(*id).is_none() && !self.facts.named[*id]
        };
        users.into_iter().filter(|&(id, count)| count > 1 && is_worth(&id)).map(|(id, _)| id).collect()
    }

    /// 1 of what is one word.
    fn size_of(&self, id: ExplanationId) -> usize {
        let id = self.only_end(id);
        if self.facts.named[id] || self.number_at(id).is_some() { 1 } else { 1 + self.nodes[id].links.len() }
    }
}

/// Expressions are cut off below this depth.
const DEEPEST: u32 = 200;

impl Express for Resolution<'_, '_> {
    fn expression_at(&self, id: ExplanationId) -> String {
        let nothing = HashSet::default();
        Writer::new(self, &nothing).whole(id)
    }

    fn expression_in(&self, id: ExplanationId, named: ExplanationId, name: &str) -> String {
        let terms = HashSet::from_iter([self.only_end(named)]);
        let mut writer = Writer::new(self, &terms);
        writer.names.insert(self.only_end(named), name.to_owned());
        let id = self.only_end(id);
        writer.used(id).text
    }
}

impl Terms for Writer<'_, '_, '_> {
    fn operand(&mut self, id: ExplanationId) -> Printed {
        let chain = std::mem::take(&mut self.chain);
        let printed = self.used(id);
        self.chain = chain;
        printed
    }

    fn linked(&mut self, link: &Link) -> Printed {
        let printed = self.operand(link.to);
        if link.certainty == LinkCertainty::Possible {
            return Printed {
                text: format!("{}?", printed.within(Binding::Atom)),
                binding: Binding::Postfix,
            };
        }
        printed
    }
}

impl Writer<'_, '_, '_> {
    /// A term or the root, in full.
    fn whole(&mut self, id: ExplanationId) -> String {
        (self.scopes, self.chain, self.depth) = (Vec::new(), Vec::new(), 0);
        self.aliases.clear();
        let id = self.answer.only_end(id);
        self.full(id).text
    }

    /// A node where it is used: its name, or all of it.
    fn used(&mut self, id: ExplanationId) -> Printed {
        let id = self.answer.only_end(id);
        if self.named.contains(&id) {
            return Printed::atom(self.name_of(id));
        }
        if self.depth >= DEEPEST {
            return Printed::atom("…");
        }
        self.depth += 1;
        let printed = self.full(id);
        self.depth -= 1;
        printed
    }

    fn full(&mut self, id: ExplanationId) -> Printed {
        let answer = self.answer;
        let node = &answer.nodes[id];
        if let Some(number) = answer.number_at(id) {
            return Printed::atom(number.by_convention().to_string());
        }
        if answer.facts.named[id] {
            return Printed::atom(answer.input_name(id));
        }
        match &node.what {
            What::Integer { value, bits } => match Number::of(*value, *bits) {
                Some(number) => Printed::atom(number.by_convention().to_string()),
                None => Printed::atom(value.to_string()),
            },
            What::Float(bits) => Printed::atom(format!("{:?}", f64::from_bits(*bits))),
            What::Null => Printed::atom("null"),
            What::Undefined => Printed::atom("undefined"),
            What::Text(text) => Printed::atom(&**text),
            What::Address(object, offset) => self.address(*object, *offset),
            What::Code(code) => Printed::atom(answer.names.value(opcost_index::Id::new(0), *code)),
            What::Operation => self.operation(node),
            What::Library(name) => {
                let arguments: Vec<String> =
                    node.links.iter().map(|link| self.linked(link).within(Binding::Choice)).collect();
                let arguments = arguments.join(", ");
                Printed { text: format!("{}({arguments})", short(name)), binding: Binding::Postfix }
            }
            What::Element(elements) => {
                let indices = node.links.iter().filter(|link| matches!(link.argument, Argument::Index(_)));
                let indices: Vec<String> =
                    indices.map(|link| format!("[{}]", self.operand(link.to).text)).collect();
                let text = answer.names.array(elements) + &indices.concat();
                Printed { text, binding: Binding::Postfix }
            }
            What::Foreign | What::Input(_) => Printed::atom(answer.input_name(id)),
            What::Again(target) => self.again(*target),
            What::Unknown(reason) => Printed::atom(format!("<{}>", answer.names.reason(*reason))),
            What::Choice | What::Parameter(..) | What::Returned(_) | What::Cell(_) | What::Loaded(_) => {
                self.alternatives(id)
            }
        }
    }

    fn address(&mut self, object: Object, offset: i64) -> Printed {
        let name = self.answer.names.cell(Cell { object, offset, size: 1 });
        let is_pointer = name.starts_with('@') || matches!(object, Object::Fresh(..));
        let is_local = name.starts_with('%');
        match is_pointer || is_local {
            true => Printed::atom(name),
            false => Printed { text: format!("&{name}"), binding: Binding::Unary },
        }
    }

    /// The alternative that is referred to, counted in `||`.
    fn again(&mut self, target: ExplanationId) -> Printed {
        let meant = self.aliases.get(&target).copied().unwrap_or(target);
        if let Some(position) = self.scopes.iter().rposition(|&scope| scope == meant) {
            return Printed::atom(format!("Δ#{}", self.scopes.len() - position));
        }
        let end = self.answer.only_end(target);
        match self.named.contains(&end) {
            true => Printed::atom(self.name_of(end)),
            false => {
                self.missing.insert(end);
                Printed::atom("Δ")
            }
        }
    }

    /// `1||{Δ#1+1}`
    fn alternatives(&mut self, id: ExplanationId) -> Printed {
        let answer = self.answer;
        let mut links: Vec<Link> = Vec::new();
        for link in &answer.nodes[id].links {
            let end = answer.only_end(link.to);
            let is_known = links.iter().any(|known| answer.only_end(known.to) == end);
            if !is_known && !self.is_mere_cycle(id, end) {
                links.push(*link);
            }
        }
        match links.as_slice() {
            [] if answer.nodes[id].links.is_empty() => return self.unresolved(id),
            [] => return Printed::atom("undefined"),
            [only] => {
                // All that leads around is dropped: it is the one right around.
                let around =
                    self.chain.last().map(|&around| self.aliases.get(&around).copied().unwrap_or(around));
                if let Some(around) = around {
                    self.aliases.insert(id, around);
                    return self.one(only);
                }
                if !self.contains_again(only.to, id) {
                    return self.one(only);
                }
            }
            _ => {}
        }
        self.scopes.push(id);
        self.chain.push(id);
        let mut texts: Vec<String> = Vec::new();
        links.sort_by_key(|link| self.contains_again(link.to, id));
        for link in &links {
            let text = self.one(link).within(Binding::Unary);
            if !texts.contains(&text) || text.contains('Δ') {
                texts.push(text);
            }
        }
        self.chain.pop();
        self.scopes.pop();
        if texts.len() == 1 && !texts[0].contains('Δ') {
            return Printed { text: texts.remove(0), binding: Binding::Postfix };
        }
        // Braces instead of parentheses around what is composed.
        let texts: Vec<String> = texts.into_iter().map(|text| braced(&text)).collect();
        Printed { text: texts.join("||"), binding: Binding::Alternatives }
    }

    fn unresolved(&self, id: ExplanationId) -> Printed {
        let node = &self.answer.nodes[id];
        match node.what {
            What::Cell(cell) => Printed::atom(format!("*{}", self.answer.names.cell(cell))),
            _ => Printed::atom("undefined"),
        }
    }

    fn one(&mut self, link: &Link) -> Printed {
        let printed = self.used(link.to);
        if link.certainty == LinkCertainty::Possible {
            return Printed {
                text: format!("{}?", printed.within(Binding::Unary)),
                binding: Binding::Postfix,
            };
        }
        printed
    }

    /// Whether an alternative only leads back to the alternatives around it.
    fn is_mere_cycle(&self, own: ExplanationId, end: ExplanationId) -> bool {
        match self.answer.nodes[end].what {
            What::Again(target) => target == own || self.chain.contains(&target),
            _ => end == own,
        }
    }

    /// Whether a node leads back to `target`.
    fn contains_again(&mut self, from: ExplanationId, target: ExplanationId) -> bool {
        let answer = self.answer;
        let leading = self.back_edge_sources.entry(target).or_insert_with(|| {
            let mut leading = IdSet::new();
            // Nodes come behind those that they link to.
            for &id in &answer.facts.order {
                let node = &answer.nodes[id];
                let is_meant = node.what == What::Again(target);
                if is_meant || node.links.iter().any(|link| leading.contains(link.to)) {
                    leading.insert(id);
                }
            }
            leading
        });
        leading.contains(from)
    }
}

/// Braces around what is composed; `(…)` becomes `{…}`.
fn braced(text: &str) -> String {
    let is_word = |text: &str| {
        text.chars().all(|c| c.is_alphanumeric() || "_.$%@#-".contains(c))
            && !text.chars().skip(1).any(|c| c == '-')
    };
    let is_whole = |text: &str, open: char, close: char| {
        let mut depth = 0i32;
        text.starts_with(open)
            && text.char_indices().all(|(at, c)| {
                depth += i32::from(c == open) - i32::from(c == close);
                depth > 0 || at + c.len_utf8() == text.len()
            })
    };
    match text {
        _ if text.is_empty() || is_word(text) || is_whole(text, '{', '}') || is_whole(text, '<', '>') => {
            text.to_owned()
        }
        _ if is_whole(text, '(', ')') => format!("{{{}}}", &text[1..text.len() - 1]),
        _ => format!("{{{text}}}"),
    }
}

/// `llvm.smax.i32` is `smax`.
fn short(name: &str) -> &str {
    name.strip_prefix("llvm.").map_or(name, |rest| rest.split_once('.').map_or(rest, |(first, _)| first))
}
