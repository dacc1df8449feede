//! What a program did with its fuel: a sentence, and `opcost.fuel/1`.

use opcost_answer::run::Finish;
use opcost_instrument::{Admission, Fingerprint};
use opcost_runtime::wasi::{TRAP, TRAPS};
use schemars::JsonSchema;
use serde::Serialize;
use syscalls::Sysno;

use opcost_runtime::fuel::{FaultBalance, Stop};

use crate::fuel::check::{ObjectionJson, objections};
use crate::fuel::portable::{PortableJson, short_hash};
use crate::kit::numbers::{grouped, noun};
use crate::kit::style::{BAD, DIM, GOOD, paint};
use opcost_answer::fuel::{Ending, Engine, FuelAnswers, LONGEST_OUTPUT, Landlock, Walls};
use opcost_answer::names::{demangle, shown_name, tidy_path};

/// `SIGSYS`, when the program's runtime could not say more.
const FORBIDDEN_SIGNAL: i32 = 31;

/// What a system call is called.
fn call_name(number: u32) -> String {
    Sysno::new(number as usize).map_or_else(|| format!("number {number}"), |call| call.name().to_owned())
}

/// How a metered run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FuelVerdict {
    /// It ended by itself, within its limit.
    Finished,
    /// It used more than its limit.
    UsedUp,
    /// Its stack was full.
    Stack,
    /// A signal ended it.
    Crashed,
    /// It computed and did not end in its time; in the sandbox.
    Time,
    /// It waited and did not end in its time; in the sandbox.
    Blocked,
    /// It had no more memory; in the sandbox.
    Memory,
    /// It is not allowed, or did what is not allowed; in the sandbox.
    Rejected,
    /// The user ended the run by a signal: nothing is said of the program.
    Interrupted,
}

/// A metered run, ready to be shown.
#[derive(Clone, Copy)]
pub struct FuelReport<'a> {
    /// What it used, and what it promised.
    pub answers: &'a FuelAnswers,
    /// Its functions, when it was built just now.
    pub functions: Option<&'a [Fingerprint]>,
}

impl FuelReport<'_> {
    /// What is to be said of the run.
    pub fn verdict(&self) -> FuelVerdict {
        let is_over = self.answers.limit.is_some_and(|limit| self.answers.spending.spent > limit);
        let ending = self.answers.spending.walls.as_ref().and_then(|walled| walled.ending);
        match self.answers.spending.finish {
            _ if self.offence().is_some() => FuelVerdict::Rejected,
            _ if self.answers.spending.page.stopped.is_some() || is_over => FuelVerdict::UsedUp,
            _ if self.answers.spending.interrupted.is_some() => FuelVerdict::Interrupted,
            _ if ending == Some(Ending::Time) => FuelVerdict::Time,
            _ if ending == Some(Ending::Clock) => FuelVerdict::Blocked,
            Finish::Killed(_) if self.answers.spending.page.is_memory_full => FuelVerdict::Memory,
            Finish::Killed(_) if self.answers.spending.page.is_stack_full => FuelVerdict::Stack,
            Finish::Exited(_) if self.answers.spending.page.is_stack_full => FuelVerdict::Stack,
            Finish::Exited(_) if self.answers.spending.page.crash.is_some() => FuelVerdict::Crashed,
            Finish::Killed(_) => FuelVerdict::Crashed,
            Finish::Exited(_) => FuelVerdict::Finished,
        }
    }

    /// Whether it may have spent more than is known.
    fn is_at_least(&self) -> bool {
        let page = &self.answers.spending.page;
        let is_own_end = matches!(self.answers.spending.finish, Finish::Exited(_))
            && page.crash.is_none()
            && !page.is_stack_full
            && page.tampered.is_none();
        page.stopped.is_none() && !is_own_end && !self.is_known_at_fault()
    }

    /// Whether a fault ended it, and all up to the instruction that faulted is known.
    fn is_known_at_fault(&self) -> bool {
        let has_faulted = matches!(self.verdict(), FuelVerdict::Crashed | FuelVerdict::Stack);
        has_faulted && self.answers.spending.page.fault_balance == FaultBalance::Exactly
    }

    /// Of a program that did not end by itself: what was charged, in words.
    fn charged(&self, of: &str) -> String {
        let at_least = if self.is_at_least() { "at least " } else { "" };
        let spent = self.answers.spending.spent;
        format!("charged {at_least}{}{of} {}", grouped(spent), noun(spent, "instruction"))
    }

    /// What it did that is not allowed within walls.
    fn offence(&self) -> Option<String> {
        let page = &self.answers.spending.page;
        if let Some(stop) = &page.tampered {
            return Some(format!("it writes to its counter{}", raw_place(stop)));
        }
        let has_ended = matches!(self.answers.spending.finish, Finish::Exited(_)) && page.stopped.is_none();
        // Whoever ends it may come between the two copies.
        if self.answers.guarded.is_some() && has_ended && !page.copies_agree {
            return Some("its counter was changed".to_owned());
        }
        let walled = self.answers.spending.walls.as_ref()?;
        if let Some(number) = self.answers.spending.page.forbidden_call {
            return Some(format!("it made the system call {}", call_name(number)));
        }
        match (walled.ending, self.answers.spending.finish) {
            (Some(Ending::Tampered), _) => Some("its counter went up".to_owned()),
            (Some(Ending::Output), _) => Some(format!("it printed more than {} MiB", LONGEST_OUTPUT >> 20)),
            (_, Finish::Killed(FORBIDDEN_SIGNAL)) => Some("it made a forbidden system call".to_owned()),
            _ => None,
        }
    }

    /// For the terminal.
    pub fn text(&self) -> String {
        let spent = grouped(self.answers.spending.spent);
        let limit = self.answers.limit.map(grouped).unwrap_or_default();
        let of = if limit.is_empty() { String::new() } else { format!(" of {limit}") };
        let first = match self.verdict() {
            FuelVerdict::Finished => {
                let noun = noun(self.answers.limit.unwrap_or(self.answers.spending.spent), "instruction");
                format!("{}: {spent}{of} {noun}", paint(GOOD, "finished"))
            }
            FuelVerdict::UsedUp => format!("{}: {limit}{}", paint(BAD, "used up"), self.place()),
            FuelVerdict::Stack => {
                format!("{}: its stack was full, {}", paint(BAD, "stack"), self.charged(&of))
            }
            FuelVerdict::Time | FuelVerdict::Blocked | FuelVerdict::Memory | FuelVerdict::Rejected => {
                let (word, why) = self.walled_end();
                format!("{}: {why}, {}", paint(BAD, word), self.charged(&of))
            }
            FuelVerdict::Interrupted => {
                format!("{}: {}, {}", paint(BAD, "interrupted"), self.interruption(), self.charged(&of))
            }
            FuelVerdict::Crashed => {
                let what = match (self.answers.spending.finish, self.answers.spending.page.crash) {
                    (_, Some(code)) if code & !0xffff == TRAP => trap(code).to_owned(),
                    (_, Some(code)) if code > 255 => format!("exception {code:#x}"),
                    (_, Some(signal)) => format!("signal {signal}"),
                    (Finish::Killed(signal), None) => format!("signal {signal}"),
                    (Finish::Exited(_), None) => unreachable!("a crash has a reason"),
                };
                format!("{}: {what}, {}", paint(BAD, "crashed"), self.charged(&of))
            }
        };
        let mut facts = vec![self.answers.cost_model.clone()];
        if self.verdict() == FuelVerdict::UsedUp {
            // A length or a loop is charged before it is asked for, and not begun.
            let is_begun = self.answers.overshoot.is_none_or(|overshoot| self.beyond() <= overshoot);
            facts.push(match is_begun {
                true => format!("seen {} later", grouped(self.beyond())),
                false => format!("its next instruction or loop would go {} beyond", grouped(self.beyond())),
            });
        }
        facts.push(match self.answers.overshoot {
            Some(overshoot) => format!("at most {} between two checks", grouped(overshoot)),
            None => "no checks, nothing stops it".to_owned(),
        });
        if self.is_at_least() {
            facts.push(match self.answers.spending.page.fault_balance {
                FaultBalance::LoopAhead => {
                    "it ended inside a loop, and what is paid for ahead is charged whole".to_owned()
                }
                FaultBalance::AtMost | FaultBalance::Exactly => {
                    "a loop that is paid for ahead is charged whole, even if it was ended inside".to_owned()
                }
            });
            if self.answers.spending.finish == Finish::Killed(9) {
                // It is asked every ten milliseconds; what it did since is not known.
                facts.push("killed, so its last 20 ms of work may be missing".to_owned());
            }
        } else if self.is_known_at_fault() {
            facts.push("up to the instruction that faulted, which counts".to_owned());
        }
        if let Some((stores, guarded)) = self.answers.guarded {
            let counts = (grouped(u64::from(guarded)), grouped(u64::from(stores)));
            facts.push(format!("hardened, {} of {} stores asked", counts.0, counts.1));
        }
        if let Some(code) = self.answers.code.as_deref() {
            let sysroot =
                self.answers.sysroot.as_deref().map(|hash| format!(", sysroot {}", short_hash(hash)));
            facts.push(format!("portable, code {}{}", short_hash(code), sysroot.unwrap_or_default()));
        }
        if let Some(engine) = self.answers.spending.engine {
            facts.push(format!("wasm32 in {}: its own IR, so its own number", engine.name()));
        }
        if self.answers.spending.is_deterministic {
            facts.push("deterministic world".to_owned());
        }
        let mut text = format!("{first}   {}\n", paint(DIM, facts.join(" · ")));
        if let Some(walled) = &self.answers.spending.walls {
            text.push_str(&paint(DIM, walls(walled, &self.answers.spending.page)));
            text.push('\n');
        }
        if self.answers.spending.page.forked {
            text.push_str("it started another process, whose work is not in this number\n");
        }
        text
    }

    /// Who ended the run.
    fn interruption(&self) -> String {
        format!("signal {} ended the run", self.answers.spending.interrupted.unwrap_or_default())
    }

    fn walled_end(&self) -> (&'static str, String) {
        let room = self.answers.spending.walls.as_ref().map(|walled| walled.room);
        match self.verdict() {
            verdict @ (FuelVerdict::Time | FuelVerdict::Blocked) => {
                let seconds = room.map_or(0.0, |room| room.time.as_secs_f64());
                let word = if verdict == FuelVerdict::Time { "time" } else { "blocked" };
                (word, format!("it did not end in {seconds} s"))
            }
            FuelVerdict::Memory => {
                let size = room.map_or(0, |room| room.memory >> 20);
                ("memory", format!("it had no more than {size} MiB"))
            }
            _ => ("rejected", self.offence().unwrap_or_default().replace(char::is_control, "?")),
        }
    }

    /// Instructions beyond the limit.
    fn beyond(&self) -> u64 {
        self.answers.spending.spent.saturating_sub(self.answers.limit.unwrap_or(u64::MAX))
    }

    /// `, in think(), bot.cpp:41`
    fn place(&self) -> String {
        // Whoever wrote the program chose its names: none may speak to the terminal.
        self.raw_place().replace(char::is_control, "?")
    }

    fn raw_place(&self) -> String {
        match &self.answers.spending.page.stopped {
            None => ", at its end".to_owned(),
            Some(stop) => raw_place(stop),
        }
    }
}

/// As above, of a place.
fn raw_place(stop: &Stop) -> String {
    let function = shown_name(&stop.function);
    match (stop.file.is_empty(), stop.line) {
        (true, _) => format!(", in {function}"),
        (false, 0) => format!(", in {function}, {}", tidy_path(&stop.file)),
        (false, line) => format!(", in {function}, {}:{line}", tidy_path(&stop.file)),
    }
}

/// Why an engine of WebAssembly ended it.
fn trap(code: u32) -> &'static str {
    let reason = TRAPS.iter().enumerate().find(|(position, _)| code - TRAP == *position as u32 + 1);
    reason.map_or("its engine ended it", |(_, words)| words)
}

/// In which walls it ran, and what they lacked.
fn walls(walled: &Walls, page: &opcost_runtime::fuel::Page) -> String {
    let landlock = match walled.landlock {
        Landlock::Full => "landlock",
        Landlock::Partial => "a part of landlock (an older kernel)",
        Landlock::Missing => "no landlock (the kernel lacks it)",
    };
    let counter = if page.is_hidden { "counter hidden" } else { "counter in the program's own memory" };
    format!("sandbox: system calls filtered, {landlock}, {counter}")
}

/// Why a program was not even run.
pub fn rejection(admission: &Admission, answer: &str) -> String {
    let count = admission.objections.len();
    let word = if count == 1 { "objection" } else { "objections" };
    format!("{}{}: {count} {word}\n", objections(&admission.objections), paint(BAD, answer))
}

/// What a metered run used.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.fuel/1")]
pub struct FuelJson {
    /// Always `opcost.fuel/1`.
    #[schemars(extend("const" = "opcost.fuel/1"))]
    schema: &'static str,
    verdict: FuelVerdict,
    /// Instructions charged, also beyond the limit; at least these if `at_least`.
    ///
    /// What goes beyond limit and `overshoot` is the length of an instruction, or a
    /// whole loop, that was charged, asked for and not begun.
    spent: u64,
    /// Whether it may have been charged more. It did not end by itself, by its limit, or by a fault
    /// at an instruction that is known, so what was known last counts. A loop that is paid for
    /// before it begins is charged whole, so a program that was ended inside one did less.
    at_least: bool,
    /// Null without a limit.
    limit: Option<u64>,
    /// The most work between two checks, computed from the code; null when it
    /// was built without checks.
    overshoot: Option<u64>,
    cost_model: String,
    /// Where it was stopped; null if it was not, or at its end.
    stopped: Option<StopJson>,
    /// Whether it started another process, whose work is not in `spent`.
    forked: bool,
    /// Whether its world was held fixed (`--deterministic`).
    deterministic: bool,
    program_status: EndJson,
    /// Why it is rejected, out of time or memory, blocked, or interrupted.
    reason: Option<String>,
    /// What speaks against metering it at all; then it did not run.
    objections: Vec<ObjectionJson>,
    /// Null without one.
    sandbox: Option<SandboxJson>,
    /// When its stores are kept off its counter; null if they are not.
    hardened: Option<HardenedJson>,
    /// When it has one number on every machine.
    portable: Option<PortableJson>,
    /// What ran it, when it is WebAssembly: an IR of its own, with a number of its own.
    engine: Option<Engine>,
}

#[derive(Serialize, JsonSchema)]
struct HardenedJson {
    /// Instructions that write to memory.
    stores: u32,
    /// Those among them that are asked first.
    #[serde(rename = "asked")]
    checked: u32,
}

#[derive(Serialize, JsonSchema)]
struct SandboxJson {
    landlock: Landlock,
    /// Whether the program could not find its counter.
    counter_hidden: bool,
    /// Bytes it might have.
    memory: u64,
    /// Seconds it might take.
    seconds: f64,
    /// The system call that ended it.
    system_call: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct StopJson {
    /// As its language writes it.
    function: String,
    file: Option<String>,
    line: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
struct EndJson {
    /// Its exit status; null when a signal ended it.
    exit: Option<i32>,
    signal: Option<i32>,
}

impl FuelJson {
    /// Of a program that was run.
    pub fn new(report: &FuelReport<'_>) -> FuelJson {
        let page = &report.answers.spending.page;
        let stopped = page.stopped.as_ref().map(|stop| StopJson {
            function: demangle(&stop.function),
            file: (!stop.file.is_empty()).then(|| stop.file.clone()),
            line: (stop.line > 0).then_some(stop.line),
        });
        let (exit, signal) = match report.answers.spending.finish {
            Finish::Exited(status) => (Some(status), None),
            Finish::Killed(signal) => (None, Some(signal)),
        };
        FuelJson {
            schema: "opcost.fuel/1",
            verdict: report.verdict(),
            spent: report.answers.spending.spent,
            at_least: report.is_at_least(),
            limit: report.answers.limit,
            overshoot: report.answers.overshoot,
            cost_model: report.answers.cost_model.clone(),
            stopped,
            forked: page.forked,
            deterministic: report.answers.spending.is_deterministic,
            program_status: EndJson { exit, signal },
            reason: match report.verdict() {
                FuelVerdict::Time | FuelVerdict::Blocked | FuelVerdict::Memory | FuelVerdict::Rejected => {
                    Some(report.walled_end().1)
                }
                FuelVerdict::Interrupted => Some(report.interruption()),
                _ => None,
            },
            objections: Vec::new(),
            sandbox: report.answers.spending.walls.as_ref().map(|walled| SandboxJson {
                landlock: walled.landlock,
                counter_hidden: page.is_hidden,
                memory: walled.room.memory,
                seconds: walled.room.time.as_secs_f64(),
                system_call: page.forbidden_call.map(call_name),
            }),
            hardened: report.answers.guarded.map(|(stores, asked)| HardenedJson { stores, checked: asked }),
            portable: report.answers.code.as_deref().map(|code| {
                PortableJson::new(
                    code,
                    report.answers.sysroot.as_deref(),
                    report.functions.unwrap_or_default(),
                )
            }),
            engine: report.answers.spending.engine,
        }
    }

    /// Of a program that was not run.
    pub fn rejected(admission: &Admission, limit: Option<u64>, cost_model: String) -> FuelJson {
        FuelJson {
            schema: "opcost.fuel/1",
            verdict: FuelVerdict::Rejected,
            spent: 0,
            at_least: false,
            limit,
            overshoot: None,
            cost_model,
            stopped: None,
            forked: false,
            deterministic: false,
            program_status: EndJson { exit: None, signal: None },
            reason: Some("it may not be metered".to_owned()),
            objections: admission.objections.iter().map(ObjectionJson::new).collect(),
            sandbox: None,
            hardened: None,
            portable: None,
            engine: None,
        }
    }
}
