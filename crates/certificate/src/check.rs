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
use opcost_ir::{GlobalId, Layout, Module, Type, TypeId, Value};
use opcost_key::FunctionId;

use crate::claims::Certificate;
use crate::given::Told;
use crate::known::data_names;
use crate::names::ValueName;
use crate::origins::{AllOrigins, ObjectId};
use crate::range::Claim;
use crate::shape::Shape;
use crate::solver::{Solver, SolverError};
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
    /// `functions[f].given[n]`: asked only whether the code contradicts it.
    Given(usize, usize),
    /// `contents[n]`
    Contents(usize),
}

/// Distances, turns and sums of a function: at most so many for each of its values;
/// contents: for each load.
const MOST_OF_EACH: usize = 16;

/// Steps of the solver that questions without an answer may take in all: some minutes,
/// and a tenth of a second for each instruction.
fn steps_of(module: &Module) -> u64 {
    let instructions: usize = module.functions.values().map(|function| function.instructions.len()).sum();
    200_000_000 + 200_000 * instructions as u64
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
             give the module that it was made of, made with the same flags, or write it again"
    )]
    Module {
        /// What it says.
        certificate: String,
        /// What the module has.
        module: String,
    },
    /// It names what is not there.
    #[error("{0}: it was not made of this module, or edited; write it again")]
    Unknown(String),
    /// It takes something as given that nobody gives.
    #[error(
        "{0}, and nobody says so: only parameters by a contract and results of library functions by the table of \
             effects can be given; write it again"
    )]
    Given(String),
    /// It has more claims than the module has what they could be about.
    #[error("{0}: a certificate of this module has no so many; write it again")]
    Many(String),
}

/// A module and what is claimed of it.
pub struct Checker<'c> {
    pub(crate) module: &'c Module,
    pub(crate) layout: &'c Layout,
    pub(crate) origins: AllOrigins<'c>,
    pub(crate) shapes: IdMap<FunctionId, Shape>,
    /// What is claimed; may be made weaker between questions.
    pub certificate: Certificate,
    /// How long a question may take, as a factor: who makes a certificate is less
    /// patient than who checks it, so that what was shown once is shown again.
    pub patience: u32,
    pub(crate) undefined: Undefined,
    pub(crate) told: Told,
    /// Steps of the solver that questions without an answer may still take.
    pub(crate) left: std::cell::Cell<u64>,
    /// Claims of contents by object.
    pub(crate) by_object: HashMap<ObjectId, Vec<usize>>,
    /// Functions by place in the certificate.
    pub(crate) functions: Vec<FunctionId>,
    pub(crate) places: HashMap<FunctionId, usize>,
    pub(crate) by_value: HashMap<(usize, ValueName), Vec<ClaimId>>,
    pub(crate) data_names: HashMap<GlobalId, Value>,
    pub(crate) solver: std::cell::RefCell<Solver>,
    pub(crate) failure: std::cell::RefCell<Option<SolverError>>,
}

impl<'c> Checker<'c> {
    /// Whether the certificate fits the module, and what is to be asked. `told` is what
    /// is known besides the module; a certificate cannot say it by itself.
    ///
    /// # Errors
    /// It is of another version or module, or names what is not there.
    pub fn new(
        module: &'c Module,
        layout: &'c Layout,
        certificate: Certificate,
        told: Told,
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
        let undefined = Undefined::of(module, &origins, certificate.one_word);
        let mut checker = Checker {
            module,
            layout,
            origins,
            shapes,
            certificate,
            patience: 2,
            undefined,
            told,
            left: std::cell::Cell::new(steps_of(module)),
            by_object: HashMap::new(),
            functions: Vec::new(),
            places: HashMap::new(),
            by_value: HashMap::new(),
            data_names: data_names(module),
            solver: std::cell::RefCell::new(solver),
            failure: std::cell::RefCell::new(None),
        };
        checker.find_functions()?;
        checker.find_sizes()?;
        checker.find_values()?;
        checker.find_contents()?;
        checker.find_given()?;
        Ok(checker)
    }

    fn find_functions(&mut self) -> Result<(), Misfit> {
        let mut by_name: HashMap<&str, Option<FunctionId>> = HashMap::new();
        for (id, function) in self.module.functions.iter() {
            // Of two of one name nobody knows which is meant.
            by_name.entry(&function.name).and_modify(|known| *known = None).or_insert(Some(id));
        }
        for (place, claims) in self.certificate.functions.iter().enumerate() {
            let id = *by_name
                .get(&*claims.name)
                .ok_or_else(|| Misfit::Unknown(format!("no function is called {}", claims.name)))?
                .as_ref()
                .ok_or_else(|| Misfit::Unknown(format!("several functions are called {}", claims.name)))?;
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
            let each = claims.values.iter().map(|claim| (claim.value, &claim.range));
            let differences = claims.differences.iter().map(|claim| (claim.value, &claim.range));
            // A distance is a word of both.
            let bases = claims.differences.iter().map(|claim| (claim.base, &claim.range));
            let sums = claims.sums.iter().map(|claim| (claim.value, &claim.start));
            let sum_bases = claims.sums.iter().filter_map(|claim| Some((claim.base?, &claim.start)));
            let counters = claims.turns.iter().map(|claim| (claim.counter, &claim.range));
            let given = claims.given.iter().map(|claim| (claim.value, &claim.range));
            let all = each
                .chain(differences)
                .chain(bases)
                .chain(sums)
                .chain(sum_bases)
                .chain(counters)
                .chain(given);
            for (value, range) in all {
                if !self.fits(function, value, range) {
                    let name = &claims.name;
                    return Err(Misfit::Unknown(format!("{name}:{value} has no such range")));
                }
            }
            if claims.returned.as_ref().is_some_and(|range| !self.returns(function, range)) {
                return Err(Misfit::Unknown(format!("{} returns no such range", claims.name)));
            }
            let values = claims.values.iter().map(|claim| claim.value).enumerate();
            let values = values.map(|(at, value)| (value, ClaimId::Value(place, at)));
            let differences = claims.differences.iter().map(|claim| claim.value).enumerate();
            let differences = differences.map(|(at, value)| (value, ClaimId::Difference(place, at)));
            let sums = claims.sums.iter().map(|claim| claim.value).enumerate();
            let sums = sums.map(|(at, value)| (value, ClaimId::Sum(place, at)));
            let given = claims.given.iter().map(|claim| claim.value).enumerate();
            let given = given.map(|(at, value)| (value, ClaimId::Given(place, at)));
            for (value, id) in values.chain(differences).chain(sums).chain(given) {
                self.by_value.entry((place, value)).or_default().push(id);
            }
        }
        Ok(())
    }

    /// As many claims as the module has something to claim of, and no more.
    fn find_sizes(&self) -> Result<(), Misfit> {
        let more = |what: &str, of: &str| Err(Misfit::Many(format!("it has too many {what} of {of}")));
        for (claims, &id) in self.certificate.functions.iter().zip(&self.functions) {
            let function = &self.module.functions[id];
            let values = function.instructions.len() + function.parameters as usize;
            let lists = [claims.differences.len(), claims.turns.len(), claims.sums.len()];
            if lists.iter().any(|&length| length > MOST_OF_EACH * values) {
                return more("claims", &claims.name);
            }
            let own = claims.values.iter().map(|claim| claim.value).collect::<HashSet<_>>();
            let given = claims.given.iter().map(|claim| claim.value).collect::<HashSet<_>>();
            if own.len() < claims.values.len() || given.len() < claims.given.len() {
                let twice = format!("a value of {} has two ranges", claims.name);
                return Err(Misfit::Unknown(twice));
            }
        }
        let is_load = |at: &opcost_ir::Instruction| at.opcode == opcost_ir::Opcode::Load;
        let loads = self.module.functions.values().map(|function| {
            function.instructions.values().filter(|instruction| is_load(instruction)).count()
        });
        match self.certificate.contents.len() > MOST_OF_EACH * (loads.sum::<usize>() + 1) {
            true => more("claims", "what lies in objects"),
            false => Ok(()),
        }
    }

    fn find_contents(&mut self) -> Result<(), Misfit> {
        for (at, claim) in self.certificate.contents.iter().enumerate() {
            let Some(object) = self.origins.named(&claim.object) else {
                return Err(Misfit::Unknown(format!(
                    "nothing is called {}, or several things are",
                    claim.object
                )));
            };
            // Places of no bytes would be touched by nothing that is written.
            let is_whole = claim.size.checked_mul(8).is_some_and(|bits| bits >= claim.range.width.into());
            if !claim.range.is_well_formed() || !is_whole {
                return Err(Misfit::Unknown(format!("{} has no such contents", claim.object)));
            }
            self.by_object.entry(object).or_default().push(at);
        }
        Ok(())
    }

    fn fits(&self, function: FunctionId, value: ValueName, range: &Claim) -> bool {
        let body = &self.module.functions[function];
        let is_there = match value {
            ValueName::Argument(position) => position < body.parameters,
            ValueName::Result(at) => (at as usize) < body.instructions.len(),
        };
        is_there && range.is_well_formed() && range.width == self.word_width_of(function, value.value())
    }

    /// Bits of the words of a value; 0 of what has none.
    pub(crate) fn word_width_of(&self, function: FunctionId, value: Value) -> u32 {
        self.type_of(function, value).map_or(0, |ty| self.word_width(ty))
    }

    fn returns(&self, function: FunctionId, range: &Claim) -> bool {
        let width = match self.module.types[self.module.functions[function].ty] {
            Type::Function(result, ..) => self.word_width(result),
            _ => 0,
        };
        range.is_well_formed() && range.width == width
    }

    /// Bits of the words of a type; 0 of what has none.
    fn word_width(&self, ty: TypeId) -> u32 {
        match self.module.types[ty] {
            Type::Integer(width) => width,
            Type::Pointer(_) => 64,
            _ => 0,
        }
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
            ClaimId::Given(place, at) => self.check_given(place, at),
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
    pub fn check_all(&self) -> Result<Verdicts, SolverError> {
        let mut all = self.all();
        let given = self.certificate.functions.iter().enumerate();
        let given = given.flat_map(|(place, claims)| (0..claims.given.len()).map(move |at| (place, at)));
        let claims = all.len();
        all.extend(given.map(|(place, at)| ClaimId::Given(place, at)));
        let mut verdicts = Verdicts { claims, ..Verdicts::default() };
        for &claim in &all {
            let (verdict, _) = self.check(claim)?;
            if verdict != Verdict::Holds {
                verdicts.failed.insert(claim, verdict);
            }
        }
        verdicts.questions = self.asked();
        Ok(verdicts)
    }
}

/// A set of values, by function.
pub(crate) type Values = HashSet<(FunctionId, Value)>;
