//! Certificates: which ranges a checker believes, and whether one holds.

use opcost_analysis::memory::{MemoryModel, World};
use opcost_analysis::propagation::RangeOptions;
use opcost_bits::certified::{NoCertificate, certify as find};
use opcost_bits::told::told;
use opcost_certificate::{Certificate, Checker, ClaimedWorld, SatSolver, SolverVerdict};
use opcost_ir::Module;

use opcost_answer::bits::{Assumptions, CertifiedAnswer};
use opcost_answer::certificate::{CheckAnswers, CheckFailure};
use opcost_answer::contract::PortContract;

use super::assumed::options;
use super::contracts::ranges_under;
use crate::error::WorkError;

/// A certificate of all ranges.
///
/// # Errors
/// There is no solver, or a contract contradicts the code.
pub(crate) fn certify(
    program: &MemoryModel<'_>,
    assumptions: Assumptions,
    contracts: &[PortContract],
) -> Result<CertifiedAnswer, WorkError> {
    let ranges_of = |options| ranges_under(program, options, contracts).map(|under| under.ranges);
    let (backwards, forwards) = (options(assumptions, true), options(assumptions, false));
    // What rests on a count of turns is often what claims of several values keep together.
    let counted = ranges_of(backwards)?;
    let stepwise = ranges_of(RangeOptions { stepwise: true, ..backwards })?;
    let forwards = ranges_of(RangeOptions { stepwise: true, ..forwards })?;
    let found = find(program, &[&counted, &stepwise, &forwards], true).map_err(|error| match error {
        NoCertificate::Solver(error) => WorkError::Refused(error.to_string()),
        NoCertificate::Misfit(error) => WorkError::Refused(format!("an error of opcost: {error}")),
    })?;
    let opcost_bits::certified::Certified { certificate, weakened, claims, questions } = found;
    Ok(CertifiedAnswer { certificate, claims, questions, weakened: weakened.len() })
}

/// Whether a certificate holds.
///
/// # Errors
/// It is no certificate, or of another module or world; there is no solver.
pub(crate) fn answer(program: &MemoryModel<'_>, name: &str, text: &str) -> Result<CheckAnswers, WorkError> {
    let certificate = Certificate::read(text.as_bytes()).map_err(|error| {
        WorkError::Refused(format!(
            "{name} is no certificate ({error}); opcost bits --certificate writes one"
        ))
    })?;
    // What holds whoever calls holds in the whole program, too; not the other way.
    if certificate.world == ClaimedWorld::Closed && program.roots.world != World::Closed {
        return Err(WorkError::Refused(format!(
            "the certificate {name} is of a whole program, and anyone may call this one: check it with --closed and \
             all files of the program, or write it again"
        )));
    }
    let is_edited = certificate.sealing().to_string() != certificate.seal;
    let assumes = assumed(program.module, &certificate);
    let solver = SatSolver::start()?;
    let told = told(program, &certificate);
    let checker = Checker::new(program.module, program.layout, certificate, told, solver);
    let checker = checker
        .map_err(|misfit| WorkError::Refused(format!("the certificate {name} does not fit: {misfit}")))?;
    let verdicts = checker.check_all()?;
    let failed = verdicts.failed.iter().filter_map(|(&claim, verdict)| match verdict {
        SolverVerdict::Holds => None,
        SolverVerdict::Fails { what, example } => Some(CheckFailure {
            claim: checker.describe(claim),
            what: what.clone(),
            example: example.clone(),
        }),
        SolverVerdict::Refused { what } => {
            Some(CheckFailure { claim: checker.describe(claim), what: what.clone(), example: Vec::new() })
        }
    });
    Ok(CheckAnswers {
        claims: verdicts.claims,
        questions: verdicts.questions,
        failed: failed.collect(),
        assumes,
        is_edited,
    })
}

/// All that nobody proves.
pub(crate) fn assumed(module: &Module, certificate: &Certificate) -> Vec<String> {
    let mut all = certificate.assumes.clone();
    if certificate.hindsight {
        all.push("executions do nothing undefined, later neither".to_owned());
    }
    if certificate.one_word {
        all.push(
            "what is loaded or given is one word at all its uses, also where nothing was written".to_owned(),
        );
    }
    let believed = Assumptions {
        assume_inbounds: certificate.in_bounds,
        assume_no_overflow: certificate.no_overflow,
        assume_written_first: certificate.written_first,
    };
    all.extend(believed.words().map(str::to_owned));
    for claims in &certificate.functions {
        let given = claims.given.iter();
        all.extend(given.map(|given| {
            let by = certificate.given_by(module, &claims.name, given);
            format!("{}:{} is {} ({by})", claims.name, given.value, given.range)
        }));
    }
    let unwritten = certificate.contents.iter().filter(|claim| claim.written_first);
    all.extend(unwritten.map(|claim| format!("nothing is read of {} before it is written", claim.object)));
    all.sort();
    all.dedup();
    all
}
