//! Is what the checker accepts true, and does it reject what is false?
//!
//! Random loops and branches are certified; the certificate must hold as a
//! whole, and each value of each run must be as claimed, that is judged by an
//! interpreter that shares nothing with either. Then claims are changed so that
//! a value that was seen breaks them (the run is the witness): no certificate
//! with such a claim may be accepted, whatever else is changed with it.
//!
//! `PROPTEST_CASES=1000 cargo test -p opcost-bits --test certificates` goes on for
//! longer.

mod attack;
mod mutants;
mod odd;
mod relations;
mod squares;
mod turned;
mod worked;

use std::collections::BTreeMap;

use opcost_analysis::memory::{MemoryModel, World};
use opcost_analysis::propagation::{Backwards, Propagation, RangeOptions};
use opcost_bits::certified::certify;
use opcost_bits::outside_facts::outside_facts;
use opcost_certificate::{
    Certificate, Checker, ClaimedWorld, Misfit, SatSolver, SolverError, ValueName, Verdicts,
};
use opcost_ir::{Layout, Module, Type, Value, parse_module};
use opcost_key::FunctionId;
use opcost_library::Effects;
use opcost_testkit::{
    Ended, Interpreter, Memory, Random, Reply, Scalar, all_inputs, function_named, nothing_known,
    random_branches, random_loops, with_accesses,
};

/// Values that each parameter and result had.
pub(crate) type Seen = BTreeMap<(FunctionId, ValueName), Vec<u128>>;

/// What a certificate is made of, and what happened in runs.
pub(crate) struct Subject {
    pub(crate) module: Module,
    pub(crate) seen: Seen,
    pub(crate) world: World,
    /// Whether only runs count that do nothing undefined.
    pub(crate) hindsight: bool,
    pub(crate) what: String,
}

pub(crate) fn number_from(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// What claims of one step tell.
const STEPS: RangeOptions = RangeOptions {
    memory_is_written_first: false,
    backwards: Backwards::No,
    assume_no_overflow: false,
    stepwise: true,
};

/// The same with what is known by following turns.
const COUNTED: RangeOptions = RangeOptions { stepwise: false, ..STEPS };

/// The certificate of a module.
pub(crate) fn certificate_of(module: &Module, world: World) -> Certificate {
    let (layout, effects) = (Layout::of(module), Effects::built_in());
    let program = MemoryModel::of(module, &layout, &effects, world);
    let [counted, steps] = [COUNTED, STEPS].map(|options| Propagation::compute_with(&program, options));
    certify(&program, &[&counted, &steps], false).expect("z3 is installed").certificate
}

/// The same of executions that do nothing undefined, later neither.
pub(crate) fn certificate_with_hindsight(module: &Module, world: World) -> Certificate {
    let (layout, effects) = (Layout::of(module), Effects::built_in());
    let program = MemoryModel::of(module, &layout, &effects, world);
    let options =
        [COUNTED, STEPS].map(|options| RangeOptions { backwards: Backwards::WithinObjects, ..options });
    let all = [options[0], options[1], STEPS].map(|options| Propagation::compute_with(&program, options));
    certify(&program, &all.each_ref(), true).expect("z3 is installed").certificate
}

impl Subject {
    /// The world that its certificate is of.
    pub(crate) fn claimed_world(&self) -> ClaimedWorld {
        match self.world {
            World::Open => ClaimedWorld::Open,
            World::Closed => ClaimedWorld::Closed,
        }
    }

    /// Its certificate.
    pub(crate) fn certificate(&self) -> Certificate {
        match self.hindsight {
            false => certificate_of(&self.module, self.world),
            true => certificate_with_hindsight(&self.module, self.world),
        }
    }
}

/// What the checker says, with what is known of the module from elsewhere.
pub(crate) fn checked(
    module: &Module,
    certificate: Certificate,
    world: World,
) -> Result<Result<Verdicts, SolverError>, Misfit> {
    let (layout, effects) = (Layout::of(module), Effects::built_in());
    let program = MemoryModel::of(module, &layout, &effects, world);
    let told = outside_facts(&program, &certificate);
    let solver = SatSolver::start().expect("z3 is installed");
    let checker = Checker::new(module, &layout, certificate, told, solver)?;
    Ok(checker.check_all())
}

/// Whether the checker accepts all of it; the claims that changed come first.
pub(crate) fn is_accepted(module: &Module, certificate: &Certificate) -> bool {
    let world = match certificate.world {
        ClaimedWorld::Open => World::Open,
        ClaimedWorld::Closed => World::Closed,
    };
    match checked(module, certificate.clone(), world) {
        Ok(verdicts) => verdicts.expect("z3 answers").failed.is_empty(),
        // It names what is not there, or has too much: refused.
        Err(Misfit::Unknown(_) | Misfit::Given(_) | Misfit::Many(_)) => false,
        Err(misfit) => panic!("it is of this module: {misfit}"),
    }
}

fn is_integer(module: &Module, function: FunctionId, value: Value) -> bool {
    let body = &module.functions[function];
    let ty = match value {
        Value::Instruction(at) => body.instructions[at].ty,
        Value::Argument(position) => match &module.types[body.ty] {
            Type::Function(_, parameters, _) => parameters[position as usize],
            _ => return false,
        },
        _ => return false,
    };
    matches!(module.types[ty], Type::Integer(1..=64))
}

/// What is run, and how.
struct Running<'a> {
    module: &'a Module,
    name: &'a str,
    steps: u64,
    hindsight: bool,
}

fn observed(
    Running { module, name, steps, hindsight }: Running<'_>,
    inputs: &[Vec<Scalar>],
    mut externals: impl FnMut() -> Box<dyn FnMut(&mut Memory, &str, &[Scalar]) -> Reply>,
) -> Seen {
    let function = function_named(module, name).expect("the function to be run");
    let interpreter = Interpreter::new(module).with_values().with_step_limit(steps);
    let mut seen = Seen::new();
    for input in inputs {
        let run = interpreter.run(function, input, &mut externals());
        if hindsight && !matches!(run.ended, Ended::Returned(_)) {
            continue;
        }
        for (function, value, bits) in run.values {
            if let (Some(name), true) = (ValueName::of(value), is_integer(module, function, value)) {
                seen.entry((function, name)).or_default().push(bits);
            }
        }
    }
    for words in seen.values_mut() {
        words.sort_unstable();
        words.dedup();
    }
    seen
}

/// A random loop, with what surrounds it; none of a text that is no program.
pub(crate) fn loop_subject(seed: u64, world: World) -> Option<Subject> {
    let case = random_loops(seed);
    let name = if world == World::Closed { "main" } else { case.function };
    let text = if world == World::Closed { case.text.replace("@run", "@main") } else { case.text.clone() };
    let module = parse_module(&text).ok()?;
    let inputs = all_inputs(&case.parameters, if case.parameters == [8] { 256 } else { 48 });
    let running = Running { module: &module, name, steps: 4000, hindsight: false };
    let seen = observed(running, &inputs, || Box::new(case.externals()));
    let what = format!("seed {seed}, {world:?}\n{text}");
    Some(Subject { module, seen, world, hindsight: false, what })
}

/// Random branches.
pub(crate) fn branch_subject(seed: u64) -> Subject {
    branches(seed, random_branches(seed), false)
}

/// Random branches with accesses: what undefined runs did does not count.
pub(crate) fn access_subject(seed: u64) -> Subject {
    branches(seed, with_accesses(&random_branches(seed), &mut Random::new(seed)), true)
}

fn branches(seed: u64, text: String, hindsight: bool) -> Subject {
    let module = parse_module(&text).expect("a program");
    let inputs = all_inputs(&[8, 8], 512);
    let running = Running { module: &module, name: "run", steps: 600, hindsight };
    let seen = observed(running, &inputs, || Box::new(nothing_known));
    Subject { module, seen, world: World::Open, hindsight, what: format!("branches {seed}\n{text}") }
}

/// Whether all that was seen is as claimed; the first that is not.
pub(crate) fn first_broken(subject: &Subject, certificate: &Certificate) -> Option<String> {
    for claims in &certificate.functions {
        let function = function_named(&subject.module, &claims.name).expect("it is of this module");
        for claim in &claims.values {
            let words = subject.seen.get(&(function, claim.value)).map_or(&[][..], Vec::as_slice);
            if let Some(word) = words.iter().find(|&&word| !claim.range.contains(word)) {
                return Some(format!("{}:{} is {word}, not {}", claims.name, claim.value, claim.range));
            }
        }
    }
    None
}

#[test]
fn what_is_certified_holds_in_every_run() {
    let cases = number_from("PROPTEST_CASES", 40);
    let (mut claims, mut judged) = (0, 0);
    for seed in 0..cases {
        let loops = [World::Open, World::Closed].map(|world| loop_subject(seed, world));
        let branches = [branch_subject(seed), access_subject(seed)];
        for subject in loops.into_iter().flatten().chain(branches) {
            let certificate = subject.certificate();
            assert_eq!(first_broken(&subject, &certificate), None, "{}", subject.what);
            assert!(is_accepted(&subject.module, &certificate), "{}", subject.what);
            assert_eq!(certificate.sealing().to_string(), certificate.seal);
            claims += certificate.functions.iter().map(|claims| claims.values.len()).sum::<usize>();
            judged += subject.seen.values().map(Vec::len).sum::<usize>();
        }
    }
    println!("{claims} claims, {judged} values");
    assert!(claims as u64 > 20 * cases && judged as u64 > 500 * cases, "{claims} claims, {judged} values");
}

/// Another number each time.
pub(crate) fn random(seed: u64) -> Random {
    Random::new(seed ^ 0x00ce_4711)
}
