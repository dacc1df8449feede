//! One source of a build whose code is put in order by a ledger.
//!
//! The front end does its job, and makes bitcode in place of an object. The worker lays the ledger's counts on that
//! and writes the object, its machine blocks in order ([`ArrangeJob`]). A module that was counted where clang's profile
//! passes read is compiled twice: once to there, of which a profile is made, and once with that profile. Its blocks
//! are placed by the weights that the optimiser left.
//!
//! What does not fit is left as it is: a module without a function that fits is compiled by the compiler itself, and so
//! is one whose code is shaped by flags that are not in bitcode. Each object says what was done to it
//! ([`super::note`]).
//!
//! Limits: a source that comes by standard input is left as it is, and so are objects that are not ELF with 64 bits.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use opcost_answer::Failure;
use opcost_answer::tune::{ArrangedModule, LeftFunction, Transform};
use opcost_instrument::CostModel;
use opcost_job::profile::{ArrangeJob, ExportFormat, ExportJob, ExportModule};
use opcost_key::Anchor;
use opcost_profile::Ledger;
use opcost_profile::formats::opc::{OpcError, load_ledger};

use super::call::Drive;
use super::jobs::{ModuleNames, code_options, deliver, is_profiled, module_names};
use super::note::Note;
use super::own_flags::{TuneWords, above};
use super::settings::setting;
use crate::cost::{COUNTED, lone_cost_model};
use crate::plan::{DriverJob, Role};
use crate::running::status_of;

/// Flags of a front end, by their beginnings, that shape its code or its files and are not in bitcode.
const NOT_IN_BITCODE: &[&str] = &[
    "-flto",
    "-fembed-bitcode",
    "-split-dwarf",
    "-mllvm",
    "-fbasic-block-sections",
    "-fsplit-machine-functions",
    "-stack-usage-file",
    "-fxray",
    "-femulated-tls",
    "-fpass-plugin",
    "-fprofile-instr",
    "-fprofile-sample",
];

/// A build that is put in order.
pub(crate) struct Tuning {
    /// The ledger as the user named it, for messages.
    pub(crate) shown: PathBuf,
    /// Where it is.
    ledger: PathBuf,
    /// The modules that were counted, each with the state at which it was.
    modules: Vec<(String, Anchor)>,
    /// Where to write what was done to each function.
    pub(crate) explain: Option<PathBuf>,
    cost: CostModel,
}

impl Tuning {
    fn read(words: &TuneWords) -> Result<Tuning, Failure> {
        let working = std::env::current_dir().map_err(Failure::file("find", "."))?;
        let path = above(&words.ledger, &working);
        let ledger = read_ledger(&path)?;
        let modules =
            ledger.about.modules.iter().map(|module| (module.module.clone(), module.anchor)).collect();
        Ok(Tuning {
            shown: words.ledger.clone(),
            ledger: path,
            modules,
            explain: words.explain.clone(),
            cost: lone_cost_model(setting("OPCOST_COST").as_deref().unwrap_or(COUNTED))?,
        })
    }

    /// Where a module was counted; one that was not fits nowhere.
    fn anchor(&self, module: &str) -> Anchor {
        self.modules.iter().find(|(name, _)| name == module).map_or(Anchor::Optimized, |&(_, anchor)| anchor)
    }
}

fn read_ledger(path: &Path) -> Result<Ledger, Failure> {
    let shown = path.display();
    if path.extension().is_some_and(|extension| extension == "opcraw") {
        return Err(Failure::Usage(format!(
            "{shown} has raw counters; make a ledger of them: opcost report {shown} --ledger run.opc"
        )));
    }
    let ledger = load_ledger(path).map_err(|error| match error {
        OpcError::Unreadable { path, source } => Failure::file("read", path)(source),
        OpcError::NotALedger { .. } => Failure::Usage(format!(
            "--opcost-tune: {shown} is not an opcost ledger; one is made by: opcost count --ledger run.opc PROGRAM"
        )),
        other => Failure::Counters(format!("{shown}: {other}")),
    })?;
    match ledger.has_counts() {
        true => Ok(ledger),
        false => Err(Failure::Usage(format!(
            "--opcost-tune: {shown} holds answers and no counts; a ledger of counts is made by: opcost count --ledger \
             run.opc PROGRAM"
        ))),
    }
}

/// What became of a module.
enum Made {
    /// Its code is in order, and written.
    Arranged(ArrangedModule),
    /// It is to be compiled by the compiler itself.
    Left {
        /// Why all of it is.
        why: Option<String>,
        /// What does not fit.
        arranged: ArrangedModule,
        /// Whether the compiler's warnings were shown.
        has_warned: bool,
    },
    /// The compiler says no.
    Failed(u8),
}

impl Made {
    /// The whole module is left as it is, and nothing was compiled.
    fn whole(why: impl Into<String>) -> Made {
        Made::Left { why: Some(why.into()), arranged: ArrangedModule::default(), has_warned: false }
    }
}

impl Drive {
    /// Does what the command line asks for, with code in order.
    pub(crate) fn tuned(&self, words: &TuneWords) -> Result<u8, Failure> {
        let Some(plan) = self.planned(self.words.with(&[]))? else { return self.pass_on() };
        let links = plan.jobs.iter().any(|job| job.role == Role::Link && !job.has("-r"));
        if !links && !plan.jobs.iter().any(|job| job.role == Role::Object) {
            return self.pass_on();
        }
        self.carry_out(&plan, Some(&Tuning::read(words)?))
    }

    /// Compiles one source.
    pub(crate) fn tuned_object(
        &self,
        tuning: &Tuning,
        job: &DriverJob,
        number: usize,
    ) -> Result<u8, Failure> {
        let object = self.folder.path().join(format!("job-{number}.o"));
        let names = module_names(job)?;
        let note = match self.arranged(tuning, job, &names, &object)? {
            Made::Failed(status) => return Ok(status),
            Made::Arranged(arranged) => Note { module: names.module, left: None, arranged },
            Made::Left { why, arranged, has_warned } => {
                let mut plain = job.with_behind("-o", object.as_os_str());
                if has_warned {
                    plain.arguments.insert(1, OsString::from("-w"));
                }
                let first = plain.arguments.remove(0);
                let rest = self.shortened(plain.arguments, "plain")?;
                let status = status_of(Command::new(&plain.program).arg(first).args(rest), &plain.program)?;
                if status != 0 {
                    return Ok(status);
                }
                Note { module: names.module, left: why, arranged }
            }
        };
        let bytes = std::fs::read(&object).map_err(Failure::file("read", &object))?;
        if let Some(with) = note.added_to(&bytes) {
            std::fs::write(&object, with).map_err(Failure::file("write", &object))?;
        }
        deliver(&object, job)
    }

    fn arranged(
        &self,
        tuning: &Tuning,
        job: &DriverJob,
        names: &ModuleNames,
        object: &Path,
    ) -> Result<Made, Failure> {
        let is_unfit = |word: &&OsString| {
            word.to_str().is_some_and(|word| NOT_IN_BITCODE.iter().any(|flag| word.starts_with(flag)))
        };
        if let Some(flag) = job.arguments.iter().find(is_unfit) {
            let flag = flag.to_string_lossy();
            return Ok(Made::whole(format!("its code is shaped by {flag}, which opcost cannot do")));
        }
        if job.arguments.last().is_some_and(|source| source == "-") {
            return Ok(Made::whole("its source came by standard input"));
        }
        match tuning.anchor(&names.module) {
            Anchor::Optimized => self.placed(tuning, job, names, object),
            Anchor::Pgo if is_profiled(job) => self.profiled(tuning, job, names, object),
            Anchor::Pgo => Ok(Made::whole(
                "it was counted where an optimiser reads a profile, and nothing reads one here (-O0, bitcode)",
            )),
            other => {
                Ok(Made::whole(format!("it was counted at the anchor {other}; count at optimized or pgo")))
            }
        }
    }

    /// Code in order by the counts of the optimised module.
    fn placed(
        &self,
        tuning: &Tuning,
        job: &DriverJob,
        names: &ModuleNames,
        object: &Path,
    ) -> Result<Made, Failure> {
        let bitcode = object.with_extension("bc");
        let status = self.front_end(job, &bitcode, &[])?;
        if status != 0 {
            return Ok(Made::Failed(status));
        }
        let request = self.request(tuning, job, names, object);
        let arranged = match arrange(request, object, &names.module)? {
            Answered::Arranged(arranged) => arranged,
            Answered::Refused(why) => {
                return Ok(Made::Left {
                    why: Some(why),
                    arranged: ArrangedModule::default(),
                    has_warned: true,
                });
            }
        };
        Ok(match arranged.fitting {
            0 => Made::Left { why: None, arranged, has_warned: true },
            _ => Made::Arranged(arranged),
        })
    }

    /// The optimiser works by a profile of the ledger, and code is in order by the weights that it left.
    fn profiled(
        &self,
        tuning: &Tuning,
        job: &DriverJob,
        names: &ModuleNames,
        object: &Path,
    ) -> Result<Made, Failure> {
        let early = object.with_extension("pgo.bc");
        // Warnings are shown when the module is compiled in full.
        let status = self.to_pgo(job, &early, &["-w"])?;
        if status != 0 {
            return Ok(Made::Failed(status));
        }
        let profile = object.with_extension("profdata");
        let request = ExportJob {
            format: ExportFormat::Profdata,
            ledger: tuning.ledger.clone(),
            modules: vec![ExportModule { name: names.module.clone(), anchor: Anchor::Pgo, bitcode: early }],
            is_part: true,
            cost: tuning.cost.clone(),
            root: names.root.clone(),
            output: profile.clone(),
        };
        let answers = opcost_job::run_job(request, &object.with_extension("export.job"), &names.module)?;
        let left = |(name, why)| LeftFunction { transform: Transform::Profile, name, why };
        let left: Vec<LeftFunction> = answers.refused.into_iter().map(left).collect();
        if answers.functions == 0 {
            let arranged = ArrangedModule { left, ..ArrangedModule::default() };
            return Ok(Made::Left { why: None, arranged, has_warned: false });
        }
        let by_profile = format!("-fprofile-instrument-use-path={}", profile.display());
        // Functions that did not run have no counts, and that is no defect of the profile.
        let flags = [
            &*by_profile,
            "-fprofile-instrument-use=llvm",
            "-Wno-profile-instr-unprofiled",
            "-Wno-profile-instr-missing",
        ];
        let status = self.front_end(job, &object.with_extension("bc"), &flags)?;
        if status != 0 {
            return Ok(Made::Failed(status));
        }
        let mut request = self.request(tuning, job, names, object);
        request.ledger = None;
        request.weighs = false;
        Ok(match arrange(request, object, &names.module)? {
            Answered::Arranged(arranged) => {
                Made::Arranged(ArrangedModule { fitting: answers.functions, left, ..arranged })
            }
            Answered::Refused(why) => {
                Made::Left { why: Some(why), arranged: ArrangedModule::default(), has_warned: true }
            }
        })
    }

    fn request(&self, tuning: &Tuning, job: &DriverJob, names: &ModuleNames, object: &Path) -> ArrangeJob {
        ArrangeJob {
            ledger: Some(tuning.ledger.clone()),
            module: ExportModule {
                name: names.module.clone(),
                anchor: Anchor::Optimized,
                bitcode: object.with_extension("bc"),
            },
            code: code_options(job),
            cost: tuning.cost.clone(),
            root: names.root.clone(),
            weighs: true,
            orders: true,
            output: object.to_owned(),
        }
    }
}

/// What the worker makes of a module.
enum Answered {
    Arranged(ArrangedModule),
    /// It refuses this module, for this reason.
    Refused(String),
}

fn arrange(request: ArrangeJob, object: &Path, module: &str) -> Result<Answered, Failure> {
    match opcost_job::run_job(request, &object.with_extension("job"), module) {
        Ok(arranged) => Ok(Answered::Arranged(arranged)),
        Err(Failure::Module { message, .. }) => Ok(Answered::Refused(message)),
        Err(other) => Err(other),
    }
}
