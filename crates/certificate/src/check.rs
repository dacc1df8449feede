//! Does each claim follow in one step from claims about earlier moments?
//!
//! The checker is made of a module and a certificate and then asked claim by
//! claim ([`Checker::check`]): what follows is told by a solver, from what the
//! instructions say and what is claimed of their operands. It takes nothing from
//! the analysis that made the claims. Since every claim is about a moment and
//! rests on earlier ones only, claims that all hold in one step hold in every
//! execution: the first one to be broken would have had nothing to rest on.
//!
//! What is not shown is not believed: a claim of which the solver has not heard
//! enough in time counts as not proven.
//! Cost: one or a few questions a claim, each of some milliseconds.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use opcost_index::IdMap;
use opcost_ir::{CalleeRef, ConstantValue, Function, GlobalId, Layout, Module, Opcode, Type, TypeId, Value};
use opcost_key::{FunctionId, InstructionId};

use crate::claims::{Certificate, FunctionClaims, ValueName};
use crate::origins::AllOrigins;
use crate::question::{Depth, Question};
use crate::range::Claim;
use crate::shape::Shape;
use crate::solver::{Answer, Effort, Solver, SolverError};
use crate::undefined::Undefined;

/// A claim of a certificate, by its place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClaimId {
    /// `functions[f].values[n]`
    Value(usize, usize),
    /// `functions[f].returned`
    Returned(usize),
    /// `functions[f].differences[n]`
    Difference(usize, usize),
    /// `functions[f].turns[n]`
    Turns(usize, usize),
    /// `functions[f].sums[n]`
    Sum(usize, usize),
    /// `functions[f].given[n]`: never asked.
    Given(usize, usize),
    /// `contents[n]`
    Contents(usize),
}

/// What became of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It follows.
    Holds,
    /// It does not; where, and, if a solver says so, by which values.
    Fails {
        /// What was not shown, in words.
        what: String,
        /// Terms with values that break it, as far as is known of them.
        example: Vec<(String, String)>,
    },
}

/// Why a certificate cannot be checked at all.
#[derive(Debug, thiserror::Error)]
pub enum Misfit {
    /// It is of another version.
    #[error("it says {0}, not {format}: write it again with this version", format = crate::claims::FORMAT)]
    Version(String),
    /// It is of another module.
    #[error(
        "it is of another module (its hash is {certificate}, the module's {module}): \
             give the module that it was made of, or write it again"
    )]
    Module {
        /// What it says.
        certificate: String,
        /// What the module has.
        module: String,
    },
    /// It names what is not there.
    #[error("{0}: it was not made of this module, or edited")]
    Unknown(String),
}

/// A module and what is claimed of it.
pub struct Checker<'c> {
    pub(crate) module: &'c Module,
    pub(crate) layout: &'c Layout,
    pub(crate) origins: AllOrigins<'c>,
    pub(crate) shapes: IdMap<FunctionId, Shape>,
    /// What is claimed; may be made weaker between questions.
    pub certificate: Certificate,
    undefined: Undefined,
    /// Functions by place in the certificate.
    pub(crate) functions: Vec<FunctionId>,
    places: HashMap<FunctionId, usize>,
    by_value: HashMap<(usize, ValueName), Vec<ClaimId>>,
    data_names: HashMap<GlobalId, Value>,
    solver: std::cell::RefCell<Solver>,
    failure: std::cell::RefCell<Option<SolverError>>,
}

/// What is tried one after the other, with milliseconds: most claims need little.
const TRIES: [(Depth, Effort, u32); 4] = [
    (Depth { steps: 2, values: 16 }, Effort::Quick, 200),
    (Depth { steps: 2, values: 16 }, Effort::Thorough, 500),
    (Depth { steps: 8, values: 60 }, Effort::Thorough, 700),
    (Depth { steps: 24, values: 200 }, Effort::Thorough, 1500),
];

impl<'c> Checker<'c> {
    /// Whether the certificate fits the module, and what is to be asked.
    ///
    /// # Errors
    /// It is of another version or module, or names what is not there.
    pub fn new(
        module: &'c Module,
        layout: &'c Layout,
        certificate: Certificate,
        solver: Solver,
    ) -> Result<Checker<'c>, Misfit> {
        if certificate.schema != crate::claims::FORMAT {
            return Err(Misfit::Version(certificate.schema));
        }
        let hash = crate::fingerprint(module).to_string();
        if certificate.module != hash {
            return Err(Misfit::Module { certificate: certificate.module, module: hash });
        }
        let origins = AllOrigins::of(module, layout, certificate.world);
        let shapes: IdMap<FunctionId, Shape> = module.functions.values().map(Shape::of).collect();
        let undefined = Undefined::of(module, &origins);
        let mut checker = Checker {
            module,
            layout,
            origins,
            shapes,
            certificate,
            undefined,
            functions: Vec::new(),
            places: HashMap::new(),
            by_value: HashMap::new(),
            data_names: data_names(module),
            solver: std::cell::RefCell::new(solver),
            failure: std::cell::RefCell::new(None),
        };
        checker.find_functions()?;
        checker.find_values()?;
        Ok(checker)
    }

    fn find_functions(&mut self) -> Result<(), Misfit> {
        let by_name: HashMap<&str, FunctionId> =
            self.module.functions.iter().map(|(id, function)| (&*function.name, id)).collect();
        for (place, claims) in self.certificate.functions.iter().enumerate() {
            let id = *by_name
                .get(&*claims.name)
                .ok_or_else(|| Misfit::Unknown(format!("no function is called {}", claims.name)))?;
            if self.places.insert(id, place).is_some() {
                return Err(Misfit::Unknown(format!("{} is there twice", claims.name)));
            }
            self.functions.push(id);
        }
        Ok(())
    }

    fn find_values(&mut self) -> Result<(), Misfit> {
        for (place, claims) in self.certificate.functions.iter().enumerate() {
            let function = self.functions[place];
            let fits = |value: ValueName, range: Option<&Claim>| self.fits(function, value, range);
            let each = claims.values.iter().map(|claim| (claim.value, Some(&claim.range)));
            let differences = claims.differences.iter().map(|claim| (claim.value, Some(&claim.range)));
            let bases = claims.differences.iter().map(|claim| (claim.base, None));
            let sums = claims.sums.iter().map(|claim| (claim.value, Some(&claim.start)));
            let sum_bases = claims.sums.iter().filter_map(|claim| Some((claim.base?, None)));
            let counters = claims.turns.iter().map(|claim| (claim.counter, Some(&claim.range)));
            let given = claims.given.iter().map(|claim| (claim.value, Some(&claim.range)));
            let all = each
                .chain(differences)
                .chain(bases)
                .chain(sums)
                .chain(sum_bases)
                .chain(counters)
                .chain(given);
            for (value, range) in all {
                if !fits(value, range) {
                    let name = &claims.name;
                    return Err(Misfit::Unknown(format!("{name}:{value} has no such range")));
                }
            }
        }
        for (place, claims) in self.certificate.functions.iter().enumerate() {
            for (at, claim) in claims.values.iter().enumerate() {
                self.by_value.entry((place, claim.value)).or_default().push(ClaimId::Value(place, at));
            }
            for (at, claim) in claims.differences.iter().enumerate() {
                self.by_value.entry((place, claim.value)).or_default().push(ClaimId::Difference(place, at));
            }
            for (at, claim) in claims.sums.iter().enumerate() {
                self.by_value.entry((place, claim.value)).or_default().push(ClaimId::Sum(place, at));
            }
            for (at, claim) in claims.given.iter().enumerate() {
                self.by_value.entry((place, claim.value)).or_default().push(ClaimId::Given(place, at));
            }
        }
        for claim in &self.certificate.contents {
            if self.origins.named(&claim.object).is_none() || !claim.range.is_well_formed() {
                return Err(Misfit::Unknown(format!("nothing is called {}", claim.object)));
            }
        }
        Ok(())
    }

    fn fits(&self, function: FunctionId, value: ValueName, range: Option<&Claim>) -> bool {
        let body = &self.module.functions[function];
        let is_there = match value {
            ValueName::Argument(position) => position < body.parameters,
            ValueName::Result(at) => (at as usize) < body.instructions.len(),
        };
        let width = || match self.type_of(function, value.value()).map(|ty| &self.module.types[ty]) {
            Some(Type::Integer(width)) => *width,
            Some(Type::Pointer(_)) => 64,
            _ => 0,
        };
        is_there && range.is_none_or(|range| range.is_well_formed() && range.width == width())
    }

    /// All claims that are to be shown.
    pub fn all(&self) -> Vec<ClaimId> {
        let mut all = Vec::new();
        for (place, claims) in self.certificate.functions.iter().enumerate() {
            all.extend((0..claims.values.len()).map(|at| ClaimId::Value(place, at)));
            all.extend(claims.returned.iter().map(|_| ClaimId::Returned(place)));
            all.extend((0..claims.differences.len()).map(|at| ClaimId::Difference(place, at)));
            all.extend((0..claims.turns.len()).map(|at| ClaimId::Turns(place, at)));
            all.extend((0..claims.sums.len()).map(|at| ClaimId::Sum(place, at)));
        }
        all.extend((0..self.certificate.contents.len()).map(ClaimId::Contents));
        all
    }

    /// Whether a claim follows, and from which others.
    ///
    /// # Errors
    /// The solver failed.
    pub fn check(&self, claim: ClaimId) -> Result<(Verdict, BTreeSet<ClaimId>), SolverError> {
        let mut used = BTreeSet::new();
        let verdict = match claim {
            ClaimId::Value(place, at) => self.check_value(place, at, &mut used),
            ClaimId::Returned(place) => self.check_returned(place, &mut used),
            ClaimId::Difference(place, at) => self.check_difference(place, at, &mut used),
            ClaimId::Turns(place, at) => self.check_turns(place, at, &mut used),
            ClaimId::Sum(place, at) => self.check_sum(place, at, &mut used),
            ClaimId::Contents(at) => self.check_contents(at, &mut used),
            ClaimId::Given(..) => Verdict::Holds,
        };
        match self.failure.borrow_mut().take() {
            Some(failure) => Err(failure),
            None => Ok((verdict, used)),
        }
    }

    /// How many questions the solver was asked.
    pub fn asked(&self) -> u64 {
        self.solver.borrow().asked
    }

    /// Of what is claimed of a function.
    pub(crate) fn claims(&self, place: usize) -> &FunctionClaims {
        &self.certificate.functions[place]
    }

    pub(crate) fn place(&self, function: FunctionId) -> Option<usize> {
        self.places.get(&function).copied()
    }

    /// Ranges that are claimed of a value.
    pub(crate) fn claims_of(&self, function: FunctionId, value: ValueName) -> Vec<(ClaimId, Claim)> {
        let Some(place) = self.place(function) else { return Vec::new() };
        let ids = self.by_value.get(&(place, value)).map_or(&[][..], Vec::as_slice);
        let claims = &self.certificate.functions[place];
        let range = |&id: &ClaimId| match id {
            ClaimId::Value(_, at) => Some((id, claims.values[at].range.clone())),
            ClaimId::Sum(_, at) if claims.sums[at].base.is_none() => Some((id, claims.sums[at].result())),
            ClaimId::Given(_, at) => Some((id, claims.given[at].range.clone())),
            _ => None,
        };
        ids.iter().filter_map(range).collect()
    }

    /// Distances that are claimed of a value, and whether only if both are words.
    pub(crate) fn differences_of(
        &self,
        function: FunctionId,
        value: ValueName,
    ) -> Vec<(ClaimId, ValueName, Claim, bool)> {
        let Some(place) = self.place(function) else { return Vec::new() };
        let ids = self.by_value.get(&(place, value)).map_or(&[][..], Vec::as_slice);
        let claims = &self.certificate.functions[place];
        let range = |&id: &ClaimId| match id {
            ClaimId::Difference(_, at) => {
                let claim = &claims.differences[at];
                Some((id, claim.base, claim.range.clone(), claim.if_both))
            }
            ClaimId::Sum(_, at) => Some((id, claims.sums[at].base?, claims.sums[at].result(), false)),
            _ => None,
        };
        ids.iter().filter_map(range).collect()
    }

    /// Whether `goal` follows from what is assumed: what `ask` writes down at
    /// each depth is a question together with the goal.
    pub(crate) fn follows(
        &self,
        function: FunctionId,
        what: &str,
        used: &mut BTreeSet<ClaimId>,
        ask: impl Fn(&mut Question<'_, 'c>) -> Option<String>,
    ) -> Verdict {
        let (mut last, mut example) = (None, Vec::new());
        let mut is_answered = false;
        for (depth, effort, milliseconds) in TRIES {
            let mut question = Question::new(self, function, depth);
            let Some(goal) = ask(&mut question) else {
                return Verdict::Fails { what: format!("{what}: it is not followed"), example: Vec::new() };
            };
            question.finish();
            used.extend(question.used.iter().copied());
            // What was answered is not asked again.
            if is_answered && last.as_ref() == Some(&question.text) {
                continue;
            }
            let text = format!("{}(assert (not {goal}))", question.text);
            let terms = mentioned(&question.text);
            last = Some(question.text);
            let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
            match self.solver.borrow_mut().ask(&text, &terms, effort, milliseconds) {
                Ok(Answer::Contradiction) => return Verdict::Holds,
                Ok(Answer::Possible(values)) => (example, is_answered) = (values, true),
                Ok(Answer::Unknown) => is_answered = false,
                Err(failure) => {
                    *self.failure.borrow_mut() = Some(failure);
                    break;
                }
            }
        }
        Verdict::Fails { what: what.to_owned(), example }
    }

    pub(crate) fn type_of(&self, function: FunctionId, value: Value) -> Option<TypeId> {
        let body = &self.module.functions[function];
        match value {
            Value::Instruction(at) => Some(body.instructions[at].ty),
            Value::Argument(position) => match &self.module.types[body.ty] {
                Type::Function(_, parameters, _) => parameters.get(position as usize).copied(),
                _ => None,
            },
            Value::Constant(id) => Some(self.module.constants[id].ty),
            _ => None,
        }
    }

    pub(crate) fn is_pointer(&self, function: FunctionId, value: Value) -> bool {
        self.type_of(function, value).is_some_and(|ty| matches!(self.module.types[ty], Type::Pointer(_)))
    }

    pub(crate) fn may_be_undefined(&self, function: FunctionId, value: Value) -> bool {
        self.undefined.contains(function, value)
    }

    /// What a pointer was before it was moved. A phi all of whose values are
    /// moved from one other is moved from that: it dominates the phi, and so it
    /// is the same one all the time.
    pub(crate) fn root(&self, function: FunctionId, pointer: Value) -> Value {
        let body = &self.module.functions[function];
        let unmoved = |mut at: Value| {
            while let Value::Instruction(id) = at
                && matches!(body.instructions[id].opcode, Opcode::GetElementPtr | Opcode::BitCast)
            {
                at = body.operands_of(id)[0];
            }
            at
        };
        let mut at = unmoved(pointer);
        while let Value::Instruction(phi) = at
            && body.instructions[phi].opcode == Opcode::Phi
        {
            let each = body.operands_of(phi).iter().step_by(2).map(|&value| unmoved(value));
            let others: HashSet<Value> = each.filter(|&value| value != at).collect();
            let dominates = |other: Value| match other {
                Value::Instruction(other) => {
                    let shape = &self.shapes[function];
                    shape.dominates(shape.block_of[other], shape.block_of[phi])
                }
                _ => true,
            };
            match others.into_iter().collect::<Vec<_>>()[..] {
                [only] if dominates(only) => at = only,
                _ => break,
            }
        }
        at
    }

    /// The constant that stands for all addresses in data; none of data of which
    /// every thread has its own.
    pub(crate) fn data_name(&self, global: GlobalId) -> Option<Value> {
        (!self.module.globals[global].is_thread_local)
            .then(|| self.data_names.get(&global).copied())
            .flatten()
    }

    pub(crate) fn intrinsic_name(&self, function: FunctionId, at: InstructionId) -> Option<&'c str> {
        let call = self.module.functions[function].call(at)?;
        self.module.intrinsic_name(call.callee)
    }

    /// Calls of a function, with the functions that they stand in.
    pub(crate) fn calls_of(&self, wanted: FunctionId) -> Vec<(FunctionId, InstructionId)> {
        let mut all = Vec::new();
        for (id, function) in self.module.functions.iter() {
            let calls = function.calls.iter().filter(|(_, call)| call.callee == CalleeRef::Function(wanted));
            all.extend(calls.map(|&(at, _)| (id, at)));
        }
        all
    }
}

/// The first constant that is an address in each global.
fn data_names(module: &Module) -> HashMap<GlobalId, Value> {
    let mut names = HashMap::new();
    for (id, constant) in module.constants.iter() {
        if let ConstantValue::Global { global, .. } = constant.value {
            names.entry(global).or_insert(Value::Constant(id));
        }
    }
    names
}

/// Names of values in a question, not too many.
fn mentioned(text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| line.strip_prefix("(declare-const "));
    let names = names.filter_map(|line| line.split(' ').next());
    names.filter(|name| name.starts_with('i') || name.starts_with('a')).take(6).map(str::to_owned).collect()
}

/// The arguments of a call.
pub(crate) fn arguments(function: &Function, at: InstructionId) -> &[Value] {
    let operands = function.operands_of(at);
    let is_invoke = function.instructions[at].opcode == Opcode::Invoke;
    // Behind them stand the callee and, of an invoke, two blocks.
    let behind = if is_invoke { 3 } else { 1 };
    &operands[..operands.len().saturating_sub(behind)]
}

/// The verdicts on all claims of a certificate.
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    /// Claims that do not follow, with why.
    pub failed: BTreeMap<ClaimId, Verdict>,
    /// How many were asked.
    pub claims: usize,
    /// How many questions the solver answered.
    pub questions: u64,
}

impl Checker<'_> {
    /// All claims, in order.
    ///
    /// # Errors
    /// The solver failed.
    pub fn check_all(&self, mut progress: impl FnMut(usize, usize)) -> Result<Verdicts, SolverError> {
        let all = self.all();
        let mut verdicts = Verdicts { claims: all.len(), ..Verdicts::default() };
        for (done, &claim) in all.iter().enumerate() {
            progress(done, all.len());
            let (verdict, _) = self.check(claim)?;
            if verdict != Verdict::Holds {
                verdicts.failed.insert(claim, verdict);
            }
        }
        verdicts.questions = self.asked();
        Ok(verdicts)
    }

    /// A claim in words: where it is, what it says.
    pub fn describe(&self, claim: ClaimId) -> String {
        let name = |place: usize| &self.certificate.functions[place].name;
        match claim {
            ClaimId::Value(place, at) => {
                let claim = &self.claims(place).values[at];
                format!("{}:{} is {}", name(place), claim.value, claim.range)
            }
            ClaimId::Returned(place) => match &self.claims(place).returned {
                Some(range) => format!("{} returns {range}", name(place)),
                None => format!("{} returns", name(place)),
            },
            ClaimId::Difference(place, at) => {
                let claim = &self.claims(place).differences[at];
                format!("{}:{} less {} is {}", name(place), claim.value, claim.base, claim.range)
            }
            ClaimId::Turns(place, at) => {
                let claim = &self.claims(place).turns[at];
                format!(
                    "{}: the loop at block {} goes back {} times at most",
                    name(place),
                    claim.head,
                    claim.most
                )
            }
            ClaimId::Sum(place, at) => {
                let claim = &self.claims(place).sums[at];
                let by = format!("{}..{}", claim.least, claim.greatest);
                format!("{}:{} changes by {by} in each of {} turns", name(place), claim.value, claim.turns)
            }
            ClaimId::Given(place, at) => {
                let claim = &self.claims(place).given[at];
                format!("{}:{} is {} ({})", name(place), claim.value, claim.range, claim.by)
            }
            ClaimId::Contents(at) => {
                let claim = &self.certificate.contents[at];
                format!(
                    "{} from byte {} on every {} holds {}",
                    claim.object, claim.first, claim.step, claim.range
                )
            }
        }
    }
}

/// A set of values, by function.
pub(crate) type Values = HashSet<(FunctionId, Value)>;
