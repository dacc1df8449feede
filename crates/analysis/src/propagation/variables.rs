//! What is a range computed from? The variables of a module and their definitions.
//!
//! A [`Variable`] represents an integer, a floating point number, or the offset of a pointer from
//! the start of its object. Its [`Definition`] is one step from other variables; what depends on it
//! itself goes round through a `Join`. The definitions together with the ranges are what a checker
//! needs: each range must hold what one step makes of the ranges of its sources. Cost: constant.

use opcost_index::{IdMap, define_id};
use opcost_ir::{Flags, Predicate};
use rustc_hash::FxHashMap;

use super::range::{Kind, Range};
use super::tables::TableId;
use crate::ranges::{FloatStep, RangeStep, Sign, ValueRange};

define_id!(
    /// A variable of a module.
    pub struct VariableId, "r"
);

/// Why nothing is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Limit {
    /// A parameter of a function that others call.
    Parameter,
    /// The result of a call of code that is not seen.
    Call,
    /// Memory that others may write, or that is accessed in ways not followed.
    Memory,
    /// A volatile or atomic access.
    Volatile,
    /// Inline assembly.
    Assembly,
    /// `undef`, or memory that perhaps was never written.
    Undefined,
    /// A `freeze` of what may be poison.
    Frozen,
    /// An address as a number, or numbers compared that are addresses.
    Address,
    /// A part of a vector or aggregate.
    Part,
    /// An operation that is not followed.
    Operation,
}

/// What a range is computed from.
#[derive(Clone, Debug, PartialEq)]
pub enum Definition {
    /// Anything, for this reason.
    Full(Limit),
    /// This, whatever else is known.
    Constant(Range),
    /// An operation on integers.
    Step(RangeStep, Box<[VariableId]>),
    /// An operation on floating point numbers.
    FloatStep(FloatStep, Box<[VariableId]>),
    /// `fcmp`.
    FloatCompare(Predicate, VariableId, VariableId),
    /// `sitofp`, `uitofp`; whether the integer is promised not to be negative.
    ToFloat(Sign, VariableId, bool),
    /// `fptosi`, `fptoui`; whether it saturates.
    ToInteger(Sign, VariableId, bool),
    /// `fpext`, `fptrunc`.
    ToFormat(VariableId),
    /// One of them; none if there are none.
    Join(Box<[VariableId]>),
    /// All of them at once.
    Meet(Box<[VariableId]>),
    /// The source where `source predicate other` holds.
    Refined {
        /// What is refined.
        source: VariableId,
        /// How it compares.
        predicate: Predicate,
        /// To what.
        other: VariableId,
        /// Flags of the comparison.
        flags: Flags,
    },
    /// The source where it is none of these words, ascending.
    Except(VariableId, Box<[u128]>),
    /// What gives `result` when it is masked with `mask`.
    Unmasked {
        /// The mask.
        mask: VariableId,
        /// What is left.
        result: VariableId,
    },
    /// What gives `result` when it is shifted right by `by`, which is below the width.
    Unshifted {
        /// How far.
        by: u32,
        /// Whether the sign comes in.
        sign: Sign,
        /// What is left.
        result: VariableId,
    },
    /// The sum, wrapped, of at most `trips` numbers, each of `delta`.
    Times {
        /// One of them.
        delta: VariableId,
        /// How many at most.
        trips: VariableId,
    },
    /// `(Σ d_k · C(h, k)) / under`, wrapped, k from 1, h at most `trips`: a polynomial of the
    /// iteration that is 0 in the first one.
    Polynomial {
        /// The differences at 0, from the first on.
        differences: Box<[i128]>,
        /// What all of it is divided by, without rest.
        under: i128,
        /// The last iteration.
        trips: VariableId,
    },
    /// How often at most a loop goes back whose head has the values of `counter`, which grow by
    /// `delta` in each iteration. `counter` is taken before anything that itself rests on this
    /// number.
    Trips {
        /// What is at the head.
        counter: VariableId,
        /// By how much it grows.
        delta: VariableId,
    },
    /// What is in a table at an offset.
    Table(TableId, VariableId),
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// What it is.
    pub kind: Kind,
    /// What it is computed from.
    pub definition: Definition,
}

/// All variables of a module.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    all: IdMap<VariableId, Variable>,
    constants: FxHashMap<(u32, u128), VariableId>,
    fulls: FxHashMap<(Kind, Limit), VariableId>,
}

impl Definition {
    /// Calls `tell` with each variable that it is computed from.
    pub fn each_source(&self, mut tell: impl FnMut(VariableId)) {
        use Definition::*;
        match self {
            Full(_) | Constant(_) => {}
            Step(_, list) | FloatStep(_, list) | Join(list) | Meet(list) => {
                list.iter().for_each(|&source| tell(source));
            }
            FloatCompare(_, one, two) => [*one, *two].into_iter().for_each(tell),
            ToFloat(_, source, _)
            | ToInteger(_, source, _)
            | ToFormat(source)
            | Except(source, _)
            | Table(_, source) => tell(*source),
            Refined { source, other, .. } => [*source, *other].into_iter().for_each(tell),
            Unmasked { mask, result } => [*mask, *result].into_iter().for_each(tell),
            Unshifted { result, .. } => tell(*result),
            Polynomial { trips, .. } => tell(*trips),
            Times { delta, trips } => [*delta, *trips].into_iter().for_each(tell),
            Trips { counter, delta } => [*counter, *delta].into_iter().for_each(tell),
        }
    }
}

impl Definition {
    /// The same step from other variables.
    #[must_use]
    pub fn from_others(&self, mut other: impl FnMut(VariableId) -> VariableId) -> Definition {
        use Definition::*;
        let mut all = |list: &[VariableId]| list.iter().map(|&source| other(source)).collect();
        match self {
            Full(_) | Constant(_) => self.clone(),
            Step(step, list) => Step(*step, all(list)),
            FloatStep(step, list) => FloatStep(*step, all(list)),
            Join(list) => Join(all(list)),
            Meet(list) => Meet(all(list)),
            FloatCompare(predicate, one, two) => FloatCompare(*predicate, other(*one), other(*two)),
            ToFloat(sign, source, is_promised) => ToFloat(*sign, other(*source), *is_promised),
            ToInteger(sign, source, saturates) => ToInteger(*sign, other(*source), *saturates),
            ToFormat(source) => ToFormat(other(*source)),
            Except(source, words) => Except(other(*source), words.clone()),
            Table(table, source) => Table(*table, other(*source)),
            Refined { source, predicate, other: to, flags } => {
                Refined { source: other(*source), predicate: *predicate, other: other(*to), flags: *flags }
            }
            Unmasked { mask, result } => Unmasked { mask: other(*mask), result: other(*result) },
            Unshifted { by, sign, result } => Unshifted { by: *by, sign: *sign, result: other(*result) },
            Polynomial { differences, under, trips } => {
                Polynomial { differences: differences.clone(), under: *under, trips: other(*trips) }
            }
            Times { delta, trips } => Times { delta: other(*delta), trips: other(*trips) },
            Trips { counter, delta } => Trips { counter: other(*counter), delta: other(*delta) },
        }
    }
}

impl Variables {
    /// A new one.
    pub fn add(&mut self, kind: Kind, definition: Definition) -> VariableId {
        self.all.push(Variable { kind, definition })
    }

    /// One that is not reached until it is said what it is.
    pub fn reserve(&mut self, kind: Kind) -> VariableId {
        self.add(kind, Definition::Join(Box::default()))
    }

    /// Says what it is computed from.
    pub fn define(&mut self, id: VariableId, definition: Definition) {
        self.all[id].definition = definition;
    }

    /// The variable that is always this word.
    pub fn word(&mut self, width: u32, value: u128) -> VariableId {
        if let Some(&known) = self.constants.get(&(width, value)) {
            return known;
        }
        let range = Range::Integer(ValueRange::constant(width, value));
        let id = self.add(Kind::Integer(width), Definition::Constant(range));
        self.constants.insert((width, value), id);
        id
    }

    /// The variable of which nothing is known for this reason.
    pub fn full(&mut self, kind: Kind, limit: Limit) -> VariableId {
        if let Some(&known) = self.fulls.get(&(kind, limit)) {
            return known;
        }
        let id = self.add(kind, Definition::Full(limit));
        self.fulls.insert((kind, limit), id);
        id
    }

    /// What is in all of these; the one itself if it is alone.
    pub fn meet(&mut self, parts: &[VariableId]) -> VariableId {
        match parts {
            &[only] => only,
            _ => self.add(self.all[parts[0]].kind, Definition::Meet(parts.into())),
        }
    }

    /// The same variable with what this one says, too.
    pub fn also(&mut self, id: VariableId, more: &[VariableId]) {
        if more.is_empty() {
            return;
        }
        let Variable { kind, definition } = self.all[id].clone();
        let own = self.add(kind, definition);
        let parts = std::iter::once(own).chain(more.iter().copied()).collect();
        self.define(id, Definition::Meet(parts));
    }

    /// One of them.
    pub fn get(&self, id: VariableId) -> &Variable {
        &self.all[id]
    }

    /// The word that it always is, if its definition says so.
    pub fn as_word(&self, id: VariableId) -> Option<u128> {
        match &self.all[id].definition {
            Definition::Constant(Range::Integer(range)) => range.as_constant(),
            _ => None,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// All of them.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (VariableId, &Variable)> {
        self.all.iter()
    }
}
