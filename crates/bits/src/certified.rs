//! Which of the claims does the checker believe?
//!
//! All are asked; one that does not follow is made weaker (first what is known
//! besides the arc is dropped, then the arc), and all that rested on it are asked
//! again, until each one that is left follows from the others that are left
//! (Flanagan and Leino, "Houdini, an Annotation Assistant for ESC/Java", 2001).
//! What comes out is a certificate that the same checker accepts as a whole. A claim
//! that the checker refuses whatever it says (control returns a second time, anyone
//! may write there) is dropped at once, and so is one that failed too often.
//!
//! Several analyses may be asked: ranges that turns of loops or accesses afterwards
//! demand are tried first; where the checker does not see why, those without them.
//! Input: ranges of a module. Output: [`Certified`]. Cost: some questions to a
//! solver for each claim; each is made weaker a bounded number of times.

use std::collections::{BTreeSet, HashMap, VecDeque};

use opcost_analysis::memory::MemoryModel;
use opcost_analysis::propagation::Propagation;
use opcost_certificate::{
    Certificate, Checker, ClaimId, FunctionClaims, Misfit, RangeClaim, SatSolver, SolverError, SolverVerdict,
    Word,
};

pub use crate::claimed::claim;
use crate::claimed::claimed;
use crate::outside_facts::outside_facts;

/// A claim that failed so often is dropped. The steps of weakening are fewer.
const MOST_FAILURES: u32 = 12;

/// Why there is no certificate.
#[derive(Debug)]
pub enum NoCertificate {
    /// The solver failed.
    Solver(SolverError),
    /// What was claimed does not fit the module: an error of ours.
    Misfit(Misfit),
}

/// A certificate that holds, and what was too much.
#[derive(Clone, Debug)]
pub struct Certified {
    /// What holds, sealed.
    pub certificate: Certificate,
    /// Claims that were made weaker, in words, with why.
    pub weakened: Vec<(String, String)>,
    /// How many claims hold.
    pub claims: usize,
    /// How many questions the solver was asked.
    pub questions: u64,
}

/// Finds it; `all` are ranges of the same values, each said to hold more often, or
/// to be followed more easily, than those before. `hindsight`: those of some hold
/// only in executions that do nothing undefined later.
///
/// # Errors
/// There is no solver.
pub fn certify(
    program: &MemoryModel<'_>,
    all: &[&Propagation],
    hindsight: bool,
) -> Result<Certified, NoCertificate> {
    let solver = SatSolver::start().map_err(NoCertificate::Solver)?;
    let mut levels = all.iter().map(|ranges| claimed(program, ranges));
    let mut all = levels.next().expect("there are ranges");
    all.hindsight = hindsight;
    let mut weaker = Weaker::new();
    for level in levels {
        add_weaker(&mut all, level, &mut weaker);
    }
    let told = outside_facts(program, &all);
    let mut checker =
        Checker::new(program.module, program.layout, all, told, solver).map_err(NoCertificate::Misfit)?;
    checker.patience = 1;
    let mut work: VecDeque<ClaimId> = checker.all().into();
    let mut waiting: BTreeSet<ClaimId> = work.iter().copied().collect();
    let mut rests_on_it: HashMap<ClaimId, BTreeSet<ClaimId>> = HashMap::new();
    let mut weakened = Vec::new();
    let mut failures: HashMap<ClaimId, u32> = HashMap::new();
    while let Some(claim) = work.pop_front() {
        waiting.remove(&claim);
        if is_trivial(&checker.certificate, claim) {
            continue;
        }
        let (verdict, used) = checker.check(claim).map_err(NoCertificate::Solver)?;
        for other in used {
            rests_on_it.entry(other).or_default().insert(claim);
        }
        let failed = failures.entry(claim).or_default();
        *failed += 1;
        let (what, is_over) = match verdict {
            SolverVerdict::Holds => continue,
            SolverVerdict::Fails { what, .. } => (what, *failed >= MOST_FAILURES),
            SolverVerdict::Refused { what } => (what, true),
        };
        weakened.push((checker.describe(claim), what));
        let less = weaker.get_mut(&claim).and_then(VecDeque::pop_front);
        weaken(&mut checker.certificate, claim, |range| match (is_over, less) {
            (true, _) => RangeClaim::anything(range.width),
            (false, Some(less)) => less,
            (false, None) => weaker_range(range),
        });
        let others = rests_on_it.remove(&claim).unwrap_or_default();
        for next in others.into_iter().chain([claim]) {
            if waiting.insert(next) {
                work.push_back(next);
            }
        }
    }
    let questions = checker.query_count();
    let mut certificate = checker.certificate;
    drop_empty(&mut certificate);
    let claims = count(&certificate);
    Ok(Certified { certificate: certificate.sealed(), weakened, claims, questions })
}

/// Leaves out what says nothing any more.
fn drop_empty(certificate: &mut Certificate) {
    for claims in &mut certificate.functions {
        claims.values.retain(|claim| !claim.range.is_anything());
        claims.differences.retain(|claim| !claim.range.is_anything());
        claims.turns.retain(|claim| claim.most != u64::MAX);
        claims.sums.retain(|claim| claim.turns != u64::MAX);
        if claims.returned.as_ref().is_some_and(RangeClaim::is_anything) {
            claims.returned = None;
        }
    }
    certificate.contents.retain(|claim| !claim.range.is_anything());
}

/// Claims of all kinds; what is given is none.
fn count(certificate: &Certificate) -> usize {
    let of = |claims: &FunctionClaims| {
        let lists = [claims.values.len(), claims.differences.len(), claims.turns.len(), claims.sums.len()];
        lists.iter().sum::<usize>() + usize::from(claims.returned.is_some())
    };
    certificate.functions.iter().map(of).sum::<usize>() + certificate.contents.len()
}

/// What is claimed instead if a claim does not follow, in order.
type Weaker = HashMap<ClaimId, VecDeque<RangeClaim>>;

/// Adds what else is claimed to a certificate; of what both claim, this is what is
/// tried next.
fn add_weaker(all: &mut Certificate, less: Certificate, weaker: &mut Weaker) {
    let mut next = |claim: ClaimId, first: &RangeClaim, less: &RangeClaim| {
        let list = weaker.entry(claim).or_default();
        if list.back().unwrap_or(first) != less {
            list.push_back(less.clone());
        }
    };
    for (place, (claims, less)) in all.functions.iter_mut().zip(less.functions).enumerate() {
        let values: HashMap<_, _> = less.values.into_iter().map(|claim| (claim.value, claim.range)).collect();
        for (at, claim) in claims.values.iter().enumerate() {
            if let Some(range) = values.get(&claim.value) {
                next(ClaimId::Value(place, at), &claim.range, range);
            }
        }
        if let (Some(more), Some(less)) = (&claims.returned, less.returned) {
            next(ClaimId::Returned(place), more, &less);
        }
        add_new(&mut claims.turns, less.turns);
        add_new(&mut claims.sums, less.sums);
        add_new(&mut claims.differences, less.differences);
    }
    add_new(&mut all.contents, less.contents);
}

fn add_new<T: PartialEq>(all: &mut Vec<T>, more: Vec<T>) {
    let had = all.len();
    for one in more {
        if !all[..had].contains(&one) {
            all.push(one);
        }
    }
}

/// The range of a claim; none of one that is no range.
fn range_of(certificate: &mut Certificate, claim: ClaimId) -> Option<&mut RangeClaim> {
    match claim {
        ClaimId::Value(place, at) => Some(&mut certificate.functions[place].values[at].range),
        ClaimId::Returned(place) => certificate.functions[place].returned.as_mut(),
        ClaimId::Difference(place, at) => Some(&mut certificate.functions[place].differences[at].range),
        ClaimId::Contents(at) => Some(&mut certificate.contents[at].range),
        ClaimId::Turns(..) | ClaimId::Sum(..) | ClaimId::Given(..) => None,
    }
}

/// Whether a claim was made so weak that it says nothing. Then it need not be asked.
fn is_trivial(certificate: &Certificate, claim: ClaimId) -> bool {
    let of = |place: usize| &certificate.functions[place];
    match claim {
        ClaimId::Value(place, at) => of(place).values[at].range.is_anything(),
        ClaimId::Returned(place) => of(place).returned.as_ref().is_none_or(RangeClaim::is_anything),
        ClaimId::Difference(place, at) => of(place).differences[at].range.is_anything(),
        ClaimId::Turns(place, at) => of(place).turns[at].most == u64::MAX,
        ClaimId::Sum(place, at) => of(place).sums[at].turns == u64::MAX,
        ClaimId::Given(..) => true,
        ClaimId::Contents(at) => certificate.contents[at].range.is_anything(),
    }
}

/// Says less.
fn weaken(certificate: &mut Certificate, claim: ClaimId, less: impl FnOnce(&RangeClaim) -> RangeClaim) {
    match claim {
        ClaimId::Turns(place, at) => certificate.functions[place].turns[at].most = u64::MAX,
        ClaimId::Sum(place, at) => certificate.functions[place].sums[at].turns = u64::MAX,
        _ => {
            if let Some(range) = range_of(certificate, claim) {
                *range = less(range);
            }
        }
    }
}

/// The next weaker claim. First the few words and the rest are left out, and then the bits. Then
/// the range reaches up to the greatest number with sign, from its own start or from zero. The last
/// claim says nothing.
fn weaker_range(range: &RangeClaim) -> RangeClaim {
    let none = Word(0);
    let no_set = RangeClaim { set: None, modulus: none, rest: none, ..range.clone() };
    let no_bits = RangeClaim { zeros: none, ones: none, ..no_set.clone() };
    match () {
        () if no_set != *range => no_set,
        () if no_bits != *range => no_bits,
        () => open_above(range).unwrap_or_else(|| RangeClaim::anything(range.width)),
    }
}

/// From the same number on, or from zero on, to the greatest one with sign.
fn open_above(range: &RangeClaim) -> Option<RangeClaim> {
    let most = (1u128 << (range.width - 1)) - 1;
    let first = range.first.0;
    let last = first.checked_add(range.span.0).filter(|&last| last <= most)?;
    match last < most {
        true => Some(RangeClaim::arc(range.width, first, most - first)),
        false => (first > 0).then(|| RangeClaim::arc(range.width, 0, most)),
    }
}
