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
use opcost_ir::{Layout, Module, Type};
use opcost_key::FunctionId;

use crate::checker::Checker;
use crate::claims::Certificate;
use crate::misfit::Misfit;
use crate::names::ValueName;
use crate::origins::AllOrigins;
use crate::outside_facts::OutsideFacts;
use crate::range::RangeClaim;
use crate::shape::Shape;
use crate::solver::{SatSolver, SolverError};
use crate::undefined::Undefined;
use crate::value_facts::data_names;
use crate::verdict::{ClaimId, SolverVerdict};

/// Distances, iterations and sums of a function: at most so many for each of its values; contents:
/// for each load.
const MOST_OF_EACH: usize = 16;

/// Steps of the solver that questions without an answer may take in all: some minutes,
/// and a tenth of a second for each instruction.
fn steps_of(module: &Module) -> u64 {
    let instructions: usize = module.functions.values().map(|function| function.instructions.len()).sum();
    200_000_000 + 200_000 * instructions as u64
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
        told: OutsideFacts,
        solver: SatSolver,
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
            outside_facts: told,
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
            true => more("claims", "contents of objects"),
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

    fn fits(&self, function: FunctionId, value: ValueName, range: &RangeClaim) -> bool {
        let body = &self.module.functions[function];
        let is_there = match value {
            ValueName::Argument(position) => position < body.parameters,
            ValueName::Result(at) => (at as usize) < body.instructions.len(),
        };
        is_there && range.is_well_formed() && range.width == self.word_width_of(function, value.value())
    }

    fn returns(&self, function: FunctionId, range: &RangeClaim) -> bool {
        let width = match self.module.types[self.module.functions[function].ty] {
            Type::Function(result, ..) => self.word_width(result),
            _ => 0,
        };
        range.is_well_formed() && range.width == width
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
    pub fn check(&self, claim: ClaimId) -> Result<(SolverVerdict, BTreeSet<ClaimId>), SolverError> {
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
    pub fn query_count(&self) -> u64 {
        self.solver.borrow().query_count
    }
}

/// The verdicts on all claims of a certificate.
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    /// Claims that do not follow, with why.
    pub failed: BTreeMap<ClaimId, SolverVerdict>,
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
            if verdict != SolverVerdict::Holds {
                verdicts.failed.insert(claim, verdict);
            }
        }
        verdicts.questions = self.query_count();
        Ok(verdicts)
    }
}
