//! What is known at a point of a function? Assumptions for a solver.
//!
//! A [`Question`] is about one moment at a point: every value that dominates the
//! point is the one that was computed last, so what was computed from it, too,
//! still is what the code says (if one of them had been computed anew, the other
//! would have been). Assumed are
//! - what was decided on every way to the point,
//! - what operations compute, as deep as [`Depth`] says,
//! - the claims of all values that are looked at, of earlier moments,
//! - what flags promise.
//!
//! **Poison** is no word. A value that is asked about is not poison; then what it
//! is computed from is none, of a `select` only the arm that is chosen. A branch
//! was not decided on poison. Claims and promises are assumed under that
//! condition (the *guard*); what an operation computes is assumed always, since
//! poison may be taken for what would have been computed.
//!
//! **Undefined** values may differ from use to use. A value that may be made of
//! one is looked at as one word only once; at each other use it is any word of
//! its claim. (A condition that was branched on holds for each choice; a distance
//! from one is meant from some word that it may be.)
//!
//! Cost: at most [`Depth::values`] operations.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write;

use opcost_ir::{ConstantValue, Function, Type, TypeId, Value};
use opcost_key::{BlockId, FunctionId};

use crate::checker::Checker;
use crate::later::Later;
use crate::names::ValueName;
use crate::origins::Object;
use crate::range::{RangeClaim, bits};
use crate::relation::related;
use crate::shape::{Decision, decision};
use crate::terms::{Base, Operand};
use crate::value_facts::DifferenceOf;
use crate::verdict::ClaimId;

/// How far is looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Depth {
    /// Operations in a row.
    pub(crate) steps: u32,
    /// Operations at all.
    pub(crate) values: u32,
}

/// Assumptions at a point.
pub(crate) struct Question<'q, 'c> {
    pub(crate) checker: &'q Checker<'c>,
    pub(crate) id: FunctionId,
    pub(crate) function: &'c Function,
    /// Declarations and assertions.
    pub(crate) text: String,
    declared: HashMap<Value, Option<Operand>>,
    visited: HashSet<(Value, String)>,
    pub(crate) expanded: HashSet<Value>,
    undefined_visited: HashSet<Value>,
    pub(crate) depth: Depth,
    pub(crate) left: u32,
    fresh: u32,
    /// While what was decided is looked at.
    is_condition: bool,
    /// Distances from what was not looked at yet.
    pending: Vec<AssumedRelation>,
    /// Under which conditions values are no poison.
    guards: HashMap<Value, Vec<String>>,
    /// Of what is later than the moment in question nothing is claimed.
    pub(crate) later: Option<Later>,
    /// Whether products or quotients of many bits are computed.
    pub(crate) has_wide: bool,
    /// The claims that were assumed.
    pub(crate) used: BTreeSet<ClaimId>,
}

/// A value that is so far from another, or so much with so many times the other.
struct AssumedRelation {
    id: ClaimId,
    base: Value,
    range: RangeClaim,
    if_both: bool,
    times: i64,
    guard: String,
    operand: Operand,
}

/// Always.
pub(crate) const ALWAYS: &str = "true";

impl<'q, 'c> Question<'q, 'c> {
    /// Nothing assumed so far.
    pub(crate) fn new(checker: &'q Checker<'c>, id: FunctionId, depth: Depth) -> Self {
        Question {
            checker,
            id,
            function: &checker.module.functions[id],
            text: String::new(),
            declared: HashMap::new(),
            visited: HashSet::new(),
            expanded: HashSet::new(),
            undefined_visited: HashSet::new(),
            depth,
            left: depth.values,
            fresh: 0,
            is_condition: false,
            pending: Vec::new(),
            guards: HashMap::new(),
            later: None,
            has_wide: false,
            used: BTreeSet::new(),
        }
    }

    /// What was decided on every way to a block.
    pub(crate) fn at_block(&mut self, block: BlockId) {
        let decisions = self.checker.shapes[self.id].decisions(self.checker.module, self.function, block);
        decisions.iter().for_each(|decision| self.decided(decision));
    }

    /// At the end of a block, going on to another.
    pub(crate) fn on_edge(&mut self, from: BlockId, to: BlockId) {
        self.at_block(from);
        if let Some(decision) = decision(self.checker.module, self.function, from, to) {
            self.decided(&decision);
        }
    }

    fn decided(&mut self, decision: &Decision) {
        self.is_condition = true;
        let on = self.need(decision.on, ALWAYS, self.depth.steps);
        self.is_condition = false;
        let Some(on) = on else { return };
        let mut any = String::from("(or false");
        for &word in &decision.words {
            write!(any, " (= {} {})", on.term, bits(on.width, word)).expect("writing to a string");
        }
        any.push(')');
        match decision.is_other {
            true => self.assume(&format!("(not {any})")),
            false => self.assume(&any),
        }
    }

    /// Adds an assertion.
    pub(crate) fn assume(&mut self, condition: &str) {
        writeln!(self.text, "(assert {condition})").expect("writing to a string");
    }

    pub(crate) fn assume_if(&mut self, guard: &str, condition: &str) {
        match guard {
            ALWAYS => self.assume(condition),
            _ => self.assume(&format!("(=> {guard} {condition})")),
        }
    }

    /// The term of a value, with what is known of it; `guard` says when it is no
    /// poison. None of what is no integer nor pointer.
    pub(crate) fn value(&mut self, value: Value, guard: &str) -> Option<Operand> {
        self.need(value, guard, self.depth.steps)
    }

    /// The term of the result of an operation of which nothing is claimed yet.
    pub(crate) fn computed(&mut self, value: Value) -> Option<Operand> {
        let operand = self.declare(value)?;
        self.expand(value, &operand, ALWAYS, self.depth.steps);
        Some(operand)
    }

    /// The term of a value of which nothing is assumed by this.
    pub(crate) fn word(&mut self, value: Value) -> Option<Operand> {
        self.declare(value)
    }

    /// The same, of a constant, too; none of an undefined one.
    pub(crate) fn word_of(&mut self, value: Value) -> Option<Operand> {
        match value {
            Value::Constant(id) => match self.checker.module.constants[id].value {
                ConstantValue::Integer(_) => self.constant(id, value),
                _ => None,
            },
            _ => self.declare(value),
        }
    }

    /// When a value is known to be no poison.
    pub(crate) fn guard_of(&self, value: Value) -> String {
        let guards = self.guards.get(&value).map_or(&[][..], Vec::as_slice);
        format!("(or false {})", guards.join(" "))
    }

    pub(crate) fn need(&mut self, value: Value, guard: &str, steps: u32) -> Option<Operand> {
        if let Value::Constant(id) = value {
            return self.constant(id, value);
        }
        let operand = self.declare(value)?;
        let is_undefined = self.checker.may_be_undefined(self.id, value);
        if is_undefined && !self.is_condition && !self.undefined_visited.insert(value) {
            return Some(self.another(value, &operand, guard));
        }
        self.guards.entry(value).or_default().push(guard.to_owned());
        if self.visited.insert((value, guard.to_owned())) {
            self.claims(value, &operand, guard);
            if steps > 0 {
                self.expand(value, &operand, guard, steps - 1);
            }
        }
        Some(operand)
    }

    fn constant(&mut self, id: opcost_ir::ConstantId, value: Value) -> Option<Operand> {
        let constant = &self.checker.module.constants[id];
        let width = self.width(constant.ty)?;
        match constant.value {
            ConstantValue::Integer(word) => Some(Operand::number(bits(width, word), width)),
            ConstantValue::Global { offset, .. } => {
                let term = bits(width, offset as i128 as u128);
                Some(Operand { term, width, base: self.base(value) })
            }
            // Any word, another at each use.
            _ => Some(self.any(width)),
        }
    }

    fn any(&mut self, width: u32) -> Operand {
        self.fresh += 1;
        let term = format!("x{}", self.fresh);
        self.declare_term(&term, width);
        Operand::number(term, width)
    }

    /// The value at another use: any word that is claimed.
    fn another(&mut self, value: Value, like: &Operand, guard: &str) -> Operand {
        let other = Operand { base: like.base, ..self.any(like.width) };
        self.claims(value, &other, guard);
        other
    }

    fn declare_term(&mut self, term: &str, width: u32) {
        writeln!(self.text, "(declare-const {term} (_ BitVec {width}))").expect("writing to a string");
    }

    fn declare(&mut self, value: Value) -> Option<Operand> {
        if let Some(known) = self.declared.get(&value) {
            return known.clone();
        }
        let ty = self.checker.type_of(self.id, value);
        let made = ty.and_then(|ty| self.width(ty)).and_then(|width| {
            let name = ValueName::of(value)?;
            let base = self.checker.is_pointer(self.id, value).then(|| self.base(value)).flatten();
            Some(Operand { term: format!("{name}"), width, base })
        });
        if let Some(operand) = &made {
            self.declare_term(&operand.term.clone(), operand.width);
        }
        self.declared.insert(value, made.clone());
        made
    }

    fn width(&self, ty: TypeId) -> Option<u32> {
        match self.checker.module.types[ty] {
            Type::Integer(width @ 1..=128) => Some(width),
            Type::Pointer(0) => Some(64).filter(|_| self.checker.layout.index_bits(0) == 64),
            _ => None,
        }
    }

    /// From where on the bytes of a pointer are counted. That is the start of the object that it
    /// was made of, if it is one, or else anywhere.
    fn base(&self, pointer: Value) -> Option<Base> {
        let root = self.checker.root(self.id, pointer);
        let origins = self.checker.origins.origins(self.id, root);
        let Some((object, _)) = origins.single() else { return Some(Base { name: root, is_start: false }) };
        // Constants with other offsets are of the same object.
        let name = match (self.checker.origins.objects[object], root) {
            (Object::Data(global), _) => self.checker.data_name(global).unwrap_or(root),
            _ => root,
        };
        Some(Base { name, is_start: true })
    }

    /// What is claimed of the value.
    fn claims(&mut self, value: Value, operand: &Operand, guard: &str) {
        let Some(name) = ValueName::of(value) else { return };
        let shape = &self.checker.shapes[self.id];
        if self.later.as_ref().is_some_and(|later| later.contains(value, shape)) {
            return;
        }
        let is_pointer = self.checker.is_pointer(self.id, value);
        let claims = self.checker.claims_of(self.id, name);
        let is_counted = !is_pointer || operand.base.is_some_and(|base| base.is_start);
        for (id, range) in claims {
            if !range.is_anything() && range.width == operand.width && is_counted {
                self.assume_if(guard, &range.conditions(&operand.term));
                self.used.insert(id);
            }
        }
        for DifferenceOf { id, base, range, if_both, times } in self.checker.differences_of(self.id, name) {
            // Of what says nothing the rest was not shown either.
            if range.is_anything() {
                continue;
            }
            let (base, guard, operand) = (base.value(), guard.to_owned(), operand.clone());
            let is_declared = matches!(self.declared.get(&base), Some(Some(_)));
            let apart = AssumedRelation { id, base, range, if_both, times, guard, operand };
            match is_declared && !if_both {
                true => self.assume_relation(&apart),
                false => self.pending.push(apart),
            }
        }
    }

    /// What is claimed of how far values are from others that were looked at later.
    pub(crate) fn finish(&mut self) {
        for apart in std::mem::take(&mut self.pending) {
            // An undefined one is linked once, where it is looked at first.
            if !self.checker.may_be_undefined(self.id, apart.base) {
                self.assume_relation(&apart);
            }
        }
    }

    /// An undefined base is some word, which must be no other's too.
    fn assume_relation(
        &mut self,
        AssumedRelation { id, base, range, if_both, times, guard, operand }: &AssumedRelation,
    ) {
        let Some(Some(before)) = self.declared.get(base).cloned() else { return };
        let is_undefined = self.checker.may_be_undefined(self.id, *base);
        let is_taken = is_undefined && (self.is_condition || !self.undefined_visited.insert(*base));
        if before.base != operand.base || *times != -1 && before.base.is_some() || is_taken {
            return;
        }
        let apart = related(*times, operand, &before);
        if *if_both {
            let both = format!("(and {guard} {})", self.guard_of(*base));
            self.assume_if(&both, &range.conditions(&apart));
        } else {
            self.assume_if(guard, &range.conditions(&apart));
            self.guards.entry(*base).or_default().push(guard.clone());
        }
        self.used.insert(*id);
    }
}
