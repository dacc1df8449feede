//! `cargo opcost tune --bin NAME -- ARGS`: a crate's program, placed by what it does.
//!
//! The program is built with counters, as `cargo opcost count` does it, and does its training. It is then built again,
//! its code in the order of the counts ([`opcost::tune`]).

use opcost::tune::{PlacedRust, finish_rust, given_ledger, rust_tuning, train_rust};
use opcost_answer::{Failure, Status};
use opcost_key::Placement;
use opcost_toolchain::build::{RustPurpose, Rustc, TunedRust, cargo_tuned_linker};

use super::cargo_line::{CargoLine, USAGE};
use crate::arguments::{TuneArguments, Verb};
use crate::verbs::selection::{CodeFlag, refuse_idle};
use crate::verbs::show::save_failure_json;
use crate::verbs::tune::{finish, judge_words, judging, refuse_flags, wish};
use crate::verbs::tune_shown::TuneShown;

/// Carries out the verb.
pub(crate) fn run(mut line: CargoLine) -> Result<Status, Failure> {
    line.take_ledger();
    let arguments = match line.parsed("tune") {
        Some(Verb::Tune(arguments)) => arguments,
        Some(_) => return Err(Failure::Usage(USAGE.to_owned())),
        None => return Ok(Status::Usage),
    };
    let result = carry_out(&line, &arguments);
    save_failure_json(&result, arguments.json.as_deref());
    result
}

impl CargoLine {
    /// `--profile` names a profile of cargo, and a ledger if it has what cargo allows in no name.
    fn take_ledger(&mut self) {
        let is_cargos = |name: &String| {
            name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_'))
        };
        if let Some(ledger) = self.project.profile.take_if(|name| !is_cargos(name)) {
            self.verb.extend(["--profile".into(), ledger.into()]);
        }
    }
}

fn carry_out(line: &CargoLine, arguments: &TuneArguments) -> Result<Status, Failure> {
    let idle = [CodeFlag::Cost, CodeFlag::Time];
    refuse_idle(&arguments.compile, &idle, "a program is tuned by how often everything runs")?;
    refuse_flags(arguments, "say it to cargo (RUSTFLAGS, .cargo/config.toml)")?;
    let target = line.project.target_folder()?;
    let options = arguments.compile.options();
    let wish = wish(arguments, &[], &options);
    let ledger = match given_ledger(&wish)? {
        Some(ledger) => ledger,
        None => {
            let placement = Placement::Chords;
            let program = line.project.build(&options, RustPurpose::Count { placement })?;
            // Where it stays: the linker that reads it may run again.
            let folder = target.join("training");
            opcost_interrupt::make_folders(&folder).map_err(Failure::file("make", &folder))?;
            train_rust(&wish, &program, &folder)?
        }
    };
    let tuning = rust_tuning(ledger.clone(), usize::from(arguments.links), &target)?;
    let program = line.project.linked_by(|rustc, flags, folder| {
        cargo_tuned_linker(&options, rustc, flags, folder, tuning.clone())
    })?;
    let made = TunedRust::read(&tuning)?;
    let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let about = format!("{name} · {} -Clto=fat", Rustc::find()?.version);
    let again = format!("cargo opcost tune --simulate --bin {name}");
    let words = judge_words(arguments);
    let judging = judging(arguments, &[], words.as_deref());
    let placed = PlacedRust { program: &program, made, ledger: &ledger };
    let tuned = finish_rust(placed, &wish, &judging, &arguments.output)?;
    finish(arguments, &TuneShown { tuned: &tuned, about, again })
}
