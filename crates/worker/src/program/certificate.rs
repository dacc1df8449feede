//! Certificates: which ranges a checker believes, and whether one holds.

use opcost_analysis::memory::{MEMORY_WORDS, MemoryModel, World};
use opcost_analysis::propagation::RangeOptions;
use opcost_bits::certified::{NoCertificate, certify as find};
use opcost_bits::outside_facts::outside_facts;
use opcost_certificate::{Certificate, Checker, ClaimedWorld, SatSolver, SolverVerdict};
use opcost_ir::Module;

use opcost_answer::bits::{Assumptions, CertifiedAnswer};
use opcost_answer::certificate::{CheckAnswers, CheckDocument, CheckFailure, NotGiven};
use opcost_answer::contract::PortContract;
use opcost_answer::terminal::one_line;
use opcost_job::program::CheckJob;

use super::assumed::options;
use super::contracts::ranges_under;
use super::promised::unpromised;
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

/// Whether a certificate holds. What it takes as given must have been given here, too: it may be
/// from anyone.
///
/// # Errors
/// It is no certificate, or of another module or world; there is no solver; a contract names nothing.
pub(crate) fn answer(program: &MemoryModel<'_>, job: &CheckJob) -> Result<CheckAnswers, WorkError> {
    let CheckJob { name, certificate: text, assumptions, contracts, .. } = job;
    let certificate = Certificate::read(text.as_bytes()).map_err(|error| {
        WorkError::Refused(format!(
            "{name} is no certificate ({}); opcost bits --certificate writes one",
            one_line(&error.to_string())
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
    let mut not_given = not_given(&certificate, *assumptions);
    not_given.extend(unpromised(program, &certificate, contracts)?);
    let solver = SatSolver::start()?;
    let told = outside_facts(program, &certificate);
    let checker = Checker::new(program.module, program.layout, certificate, told, solver);
    let checker = checker.map_err(|misfit| {
        let words = misfit.to_string();
        WorkError::Refused(format!("the certificate {name} does not fit: {}", one_line(&words)))
    })?;
    if !not_given.is_empty() {
        let claims = checker.all().len();
        return Ok(CheckAnswers { claims, assumes, not_given, is_edited, ..CheckAnswers::default() });
    }
    let verdicts = checker.check_all()?;
    let written = |text: &str| one_line(text).into_owned();
    let failed = verdicts.failed.iter().filter_map(|(&claim, verdict)| match verdict {
        SolverVerdict::Holds => None,
        SolverVerdict::Fails { what, example } => Some(CheckFailure {
            claim: written(&checker.describe(claim)),
            what: written(what),
            example: example.clone(),
        }),
        SolverVerdict::Refused { what } => Some(CheckFailure {
            claim: written(&checker.describe(claim)),
            what: written(what),
            example: Vec::new(),
        }),
    });
    let failed: Vec<CheckFailure> = failed.collect();
    Ok(CheckAnswers {
        schema: CheckDocument,
        holds: failed.is_empty() && not_given.is_empty(),
        claims: verdicts.claims,
        questions: verdicts.questions,
        failed,
        assumes,
        not_given,
        is_edited,
    })
}

/// What a certificate believes that was not asked for; its contracts aside.
fn not_given(certificate: &Certificate, given: Assumptions) -> Vec<NotGiven> {
    let more = believed(certificate).without(given);
    let flags = more.words().zip(more.flags());
    let flags = flags.map(|(what, flag)| NotGiven { what: what.to_owned(), flag: Some(flag.to_owned()) });
    let sentences = certificate.assumes.iter().filter(|words| !MEMORY_WORDS.contains(&&***words));
    let sentences = sentences.map(|words| NotGiven { what: one_line(words).into_owned(), flag: None });
    flags.chain(sentences).collect()
}

/// What a certificate believes besides the code.
fn believed(certificate: &Certificate) -> Assumptions {
    Assumptions {
        assume_inbounds: certificate.in_bounds,
        assume_no_overflow: certificate.no_overflow,
        assume_written_first: certificate.written_first,
    }
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
    all.extend(believed(certificate).words().map(str::to_owned));
    for claims in &certificate.functions {
        let given = claims.given.iter();
        all.extend(given.map(|given| {
            let by = certificate.given_by(module, &claims.name, given);
            format!("{}:{} is {} ({by})", claims.name, given.value, given.range)
        }));
    }
    let unwritten = certificate.contents.iter().filter(|claim| claim.written_first);
    all.extend(unwritten.map(|claim| format!("nothing is read of {} before it is written", claim.object)));
    let mut all: Vec<String> = all.iter().map(|text| one_line(text).into_owned()).collect();
    all.sort();
    all.dedup();
    all
}
