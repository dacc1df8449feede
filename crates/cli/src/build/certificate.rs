//! Certificates: which ranges a checker believes, and whether one holds.

use opcost_analysis::memory::{Memory, World};
use opcost_analysis::propagation::Options;
use opcost_bits::certified::{NoCertificate, certify as find};
use opcost_bits::told::told;
use opcost_certificate::{Certificate, Checker, ClaimedWorld, Solver, Verdict};
use opcost_ir::Module;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::analysis::Refusal;
use super::bits::{Assumptions, CertifiedAnswer};
use super::contracts::ranges_under;
use crate::arguments::PortContract;

/// What became of a certificate.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct CheckAnswers {
    /// Claims that were asked.
    pub(crate) claims: usize,
    /// What the solver was asked.
    pub(crate) questions: u64,
    /// Claims that do not follow.
    pub(crate) failed: Vec<CheckFailure>,
    /// What is taken as given.
    pub(crate) assumes: Vec<String>,
    /// Whether it was changed since it was written.
    pub(crate) is_edited: bool,
}

/// A claim that does not follow.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct CheckFailure {
    /// The claim in words.
    pub(crate) claim: String,
    /// What was not shown.
    pub(crate) what: String,
    /// Values by which it breaks, if the solver found some.
    pub(crate) example: Vec<(String, String)>,
}

/// In the child: a certificate of all ranges.
///
/// # Errors
/// There is no solver, or a contract contradicts the code.
pub(super) fn certify(
    program: &Memory<'_>,
    assumptions: Assumptions,
    contracts: &[PortContract],
) -> Result<CertifiedAnswer, Refusal> {
    let ranges_of = |options| ranges_under(program, options, contracts).map(|under| under.ranges);
    let (backwards, forwards) = (assumptions.options(true), assumptions.options(false));
    // What rests on a count of turns is often what claims of several values keep together.
    let counted = ranges_of(backwards)?;
    let stepwise = ranges_of(Options { without_unrolling: true, ..backwards })?;
    let forwards = ranges_of(Options { without_unrolling: true, ..forwards })?;
    let found = find(program, &[&counted, &stepwise, &forwards], true).map_err(|error| match error {
        NoCertificate::Solver(error) => error.to_string(),
        NoCertificate::Misfit(error) => format!("an error of opcost: {error}"),
    })?;
    let opcost_bits::certified::Certified { certificate, weakened, claims, questions } = found;
    Ok(CertifiedAnswer { certificate, claims, questions, weakened: weakened.len() })
}

/// In the child: whether a certificate holds.
///
/// # Errors
/// It is no certificate, or of another module or world; there is no solver.
pub(super) fn answer(program: &Memory<'_>, (name, text): (&str, &str)) -> Result<CheckAnswers, String> {
    let certificate = Certificate::read(text.as_bytes()).map_err(|error| {
        format!("{name} is no certificate ({error}); opcost bits --certificate writes one")
    })?;
    // What holds whoever calls holds in the whole program, too; not the other way.
    if certificate.world == ClaimedWorld::Closed && program.roots.world != World::Closed {
        return Err(format!(
            "the certificate {name} is of a whole program, and anyone may call this one: check it with --closed and \
             all files of the program, or write it again"
        ));
    }
    let is_edited = certificate.sealing().to_string() != certificate.seal;
    let assumes = assumed(program.module, &certificate);
    let solver = Solver::start().map_err(|error| error.to_string())?;
    let told = told(program, &certificate);
    let checker = Checker::new(program.module, program.layout, certificate, told, solver);
    let checker = checker.map_err(|misfit| format!("the certificate {name} does not fit: {misfit}"))?;
    let verdicts = checker.check_all().map_err(|error| error.to_string())?;
    let failed = verdicts.failed.iter().filter_map(|(&claim, verdict)| match verdict {
        Verdict::Holds => None,
        Verdict::Fails { what, example } => Some(CheckFailure {
            claim: checker.describe(claim),
            what: what.clone(),
            example: example.clone(),
        }),
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
pub(super) fn assumed(module: &Module, certificate: &Certificate) -> Vec<String> {
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
