//! Building and loading plug-ins for tests.

use std::path::PathBuf;

use opcost_host::{EndKind, Instance, InstanceOptions, Rejected, Turn, Verdict};

use opcost_testkit::command::ProgramOutput;

use crate::support::Bench;

/// What bots and tests share: a number for the bot, and its answer.
pub(crate) type Shared = [i64; 2];

/// `opcost fuel --emit shared` of one source.
pub(crate) fn try_build(bench: &Bench, name: &str, text: &str, flags: &[&str]) -> ProgramOutput {
    bench.write(name, text);
    let output = plugin_of(name);
    let mut arguments = vec!["fuel", "--emit", "shared", "-o", &output];
    arguments.extend(flags);
    arguments.push(name);
    bench.opcost(&arguments)
}

fn plugin_of(name: &str) -> String {
    format!("{}.so", name.split('.').next().expect("a name"))
}

/// Builds a plug-in, which must succeed.
pub(crate) fn build(bench: &Bench, name: &str, text: &str) -> PathBuf {
    let said = try_build(bench, name, text, &[]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    bench.path(&plugin_of(name))
}

/// Loads with options.
pub(crate) fn try_load(path: &PathBuf, options: &InstanceOptions) -> Result<Instance<Shared>, Rejected> {
    // SAFETY: the bots of these tests keep to `Shared`; those that crash write
    // to addresses that are nobody's.
    unsafe { Instance::load(path, options, [0; 2]) }
}

/// Loads a plug-in, which must succeed.
pub(crate) fn load(path: &PathBuf) -> Instance<Shared> {
    try_load(path, &InstanceOptions::default()).unwrap_or_else(|rejected| panic!("{rejected}"))
}

/// Runs one function of a fresh instance.
pub(crate) fn once(path: &PathBuf, function: &str, number: i64, turn: Turn) -> (Instance<Shared>, Verdict) {
    let mut bot = load(path);
    let verdict = run(&mut bot, function, number, turn);
    (bot, verdict)
}

/// Begins a turn with a number for the bot.
pub(crate) fn run(bot: &mut Instance<Shared>, function: &str, number: i64, turn: Turn) -> Verdict {
    let function = bot.find(function).unwrap_or_else(|| panic!("no {function}"));
    bot.shared_mut()[0] = number;
    bot.run(function, turn)
}

/// A turn that must finish: what it spent.
pub(crate) fn cost(bot: &mut Instance<Shared>, function: &str, number: i64) -> u64 {
    let verdict = run(bot, function, number, Turn::of(1 << 40));
    assert_eq!(verdict.kind, EndKind::Finished, "{verdict:?}");
    verdict.spent
}
