//! How often did the instructions run that are followed?
//!
//! A ledger says which module it counted, how that was compiled and at which
//! anchor its instructions have their identity. The module is compiled and
//! instrumented again in the same way; the hash of its map must be the ledger's,
//! or the numbers would be those of another program. Then life and ledger number
//! the same instructions, and each step has the count of its own. A ledger of
//! optimised code (`opcost count`'s default) knows nothing of what the optimiser
//! did before; count with `--anchor source` to have its passes in the story.
//!
//! Cost: the module is compiled twice more. Limits: inputs that were a program
//! when they were counted are found by the path of their source, so this is run
//! where the program was built; of several modules, the costliest instruction is
//! looked for in the one that has the block that ran most.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use opcost_answer::life::Life;
use opcost_key::{ModuleMap, Placement};
use opcost_profile::{Column, Ledger, ModuleFacts, Subject};
use opcost_recover::{FunctionTotal, MachineLine, NoMachineCode, SourceLine, count_instructions, module_of};

use opcost_answer::Failure;
use opcost_answer::life::MachineInstruction;
use opcost_answer::names::{relative, shown_name, tidy, tidy_path};
use opcost_answer::numbers::counted;
use opcost_job::module::ThreadMode;
use opcost_toolchain::build::{Build, Purpose};
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::options::CompileOptions;

use crate::ledgers;
use crate::recompiled::compile_as;

/// A module and its counts.
pub(super) struct Counted {
    /// Its source or bitcode.
    pub(super) input: PathBuf,
    /// How it was compiled.
    pub(super) compile: CompileOptions,
    ledger: PathBuf,
    map: ModuleMap,
    /// Of each instruction, in program order.
    counts: Vec<Option<u64>>,
}

/// The costliest instruction.
pub(super) struct Hottest {
    /// Its number, from 1.
    pub(super) number: u32,
    /// Which it is, in words.
    pub(super) words: String,
}

impl Counted {
    /// Reads a ledger, and compiles the module that it counted again.
    ///
    /// # Errors
    /// The ledger cannot be read or is of another build; the module does not compile.
    pub(super) fn read(
        path: &Path,
        input: Option<&Path>,
        options: &CompileOptions,
    ) -> Result<Counted, Failure> {
        let ledger = ledgers::counts(path, None)?;
        let told = |what: String| Failure::Counters(format!("{}: {what}", path.display()));
        let root = std::env::current_dir().map_err(Failure::file("find", "."))?;
        let name = match input {
            Some(input) => relative(&tidy(&root.join(input)), &root),
            None => hottest_module(&ledger).ok_or_else(|| told("nothing in it ran".to_owned()))?,
        };
        let facts = module_of(&ledger, &name)
            .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
        fits(facts, path, options)?;
        Counted::of(&ledger, path, &name)
    }

    /// The same of a module of a ledger that was read, or made just now; `origin`
    /// is what messages call it.
    pub(super) fn of(ledger: &Ledger, origin: &Path, name: &str) -> Result<Counted, Failure> {
        let told = |what: String| Failure::Counters(format!("{}: {what}", origin.display()));
        let facts = module_of(ledger, name).map_err(|error| told(error.to_string()))?;
        let compile = compile_as(facts, &ledger.about.cost.name);
        let input = Input::classify(Path::new(&facts.module))?;
        if !matches!(input.language, Language::C | Language::Cxx | Language::Bitcode) {
            return Err(Failure::Usage(format!(
                "{name} is neither C or C++ nor .bc or .ll: it cannot be followed"
            )));
        }
        let placement = facts.build.placement.unwrap_or(Placement::Chords);
        let counted_map = |threads| Build::counted(&compile, placement, threads)?.counted_map(&input);
        let (mut hash, mut map) = counted_map(ThreadMode::IfStarted)?;
        if hash != facts.map {
            // Another module may start threads; then all have counters for each.
            let again = counted_map(ThreadMode::Always)?;
            if again.0 == facts.map {
                (hash, map) = again;
            }
        }
        let counts = count_instructions(&map, hash, ledger).map_err(|error| told(error.to_string()))?;
        Ok(Counted { input: input.path, compile, ledger: origin.to_owned(), map, counts })
    }

    /// The machine instructions of functions, each with the line and the count of
    /// the instruction that it comes from.
    pub(super) fn machine_code(&self, functions: Vec<String>) -> Result<Vec<(String, MachineLine)>, Failure> {
        let build = Build::new(&self.compile, Purpose::Life)?;
        let code = build.code_of_functions(&Input::classify(&self.input)?, functions)?;
        let instructions: Vec<_> =
            self.map.functions.values().flat_map(|function| function.instructions.values()).collect();
        let line = |one: &MachineInstruction| {
            let at = (one.key as usize).checked_sub(1)?;
            let (file, line) = self.map.file_and_line(instructions.get(at)?.place?)?;
            Some(SourceLine { file: file.to_owned(), line })
        };
        let told = code.into_iter().map(|one| {
            let count =
                (one.key as usize).checked_sub(1).and_then(|at| self.counts.get(at).copied().flatten());
            (one.function.clone(), MachineLine { at: line(&one), offset: one.offset, text: one.text, count })
        });
        Ok(told.collect())
    }

    /// The instruction that cost most: its weight by its count. Several may cost the same (all of a
    /// block do, where each weighs 1). Then it is the one that keeps a processor longest, and of
    /// these the first on the line that cost most.
    pub(super) fn hottest(&self) -> Result<Hottest, Failure> {
        let mut costs: Vec<(u128, usize, usize)> = Vec::new();
        let mut lines: HashMap<(&str, u32), u128> = HashMap::new();
        let instructions = self.map.functions.values().enumerate().flat_map(|(function, known)| {
            known.instructions.values().map(move |instruction| (function, instruction))
        });
        let all: Vec<_> = instructions.collect();
        let line = |at: usize| all[at].1.place.and_then(|place| self.map.file_and_line(place));
        for (at, (function, instruction)) in all.iter().enumerate() {
            let cost = u128::from(instruction.weight) * u128::from(self.counts[at].unwrap_or(0));
            costs.push((cost, *function, at));
            if let Some(line) = line(at) {
                *lines.entry(line).or_default() += cost;
            }
        }
        let of_line = |at: usize| line(at).and_then(|line| lines.get(&line)).copied().unwrap_or(0);
        let best = costs.iter().max_by_key(|(cost, _, at)| {
            (*cost, slowness(&all[*at].1.text), of_line(*at), std::cmp::Reverse(*at))
        });
        let Some(&(cost, function, at)) = best.filter(|best| best.0 > 0) else {
            return Err(Failure::Counters(format!("{}: nothing in it ran", self.ledger.display())));
        };
        let place = line(at).map_or(String::new(), |(file, line)| format!("{}:{line}, ", tidy_path(file)));
        let ties = costs.iter().filter(|other| other.0 == cost).count() - 1;
        let others = if ties == 0 { String::new() } else { format!(", as {} did", counted(ties, "other")) };
        let name = self.map.functions.values().nth(function).map_or("", |known| known.name.as_str());
        Ok(Hottest {
            number: u32::try_from(at + 1).expect("numbers are 32 bits wide"),
            words: format!(
                "{place}the costliest of {}: in {} it ran {}{others}",
                self.ledger.display(),
                shown_name(name),
                counted(self.counts[at].unwrap_or(0), "time")
            ),
        })
    }

    /// Says of all instructions that a life speaks of how often they ran.
    pub(super) fn fill(&self, life: &mut Life) {
        let steps = life.stages.iter().flat_map(|stage| &stage.steps).map(|step| step.key);
        let keys: Vec<u32> = steps.chain(life.locations.iter().map(|place| place.key)).collect();
        for key in keys {
            let count = (key as usize).checked_sub(1).and_then(|at| self.counts.get(at).copied().flatten());
            life.ran.extend(count.map(|count| (key, count)));
        }
    }

    /// Where the counts come from, in words.
    pub(super) fn origin(&self) -> String {
        self.ledger.display().to_string()
    }
}

/// How long an instruction of this text keeps a processor, in classes.
fn slowness(text: &str) -> u8 {
    let bare = text.split_once(" = ").map_or(text, |(_, rest)| rest);
    match bare.split(' ').find(|word| !matches!(*word, "tail" | "musttail" | "notail")).unwrap_or("") {
        "sdiv" | "udiv" | "srem" | "urem" | "fdiv" | "frem" => 5,
        "call" | "invoke" | "callbr" => 4,
        "load" | "store" | "atomicrmw" | "cmpxchg" | "fence" => 3,
        "mul" | "fmul" | "fadd" | "fsub" => 2,
        "br" | "switch" | "phi" | "ret" | "unreachable" => 0,
        _ => 1,
    }
}

/// The module of the block that ran most.
fn hottest_module(ledger: &Ledger) -> Option<String> {
    let counts = ledger.facts().iter().filter_map(|fact| match &fact.subject {
        Subject::Block { function, .. } if fact.column == Column::Count => Some((fact.value?, function)),
        _ => None,
    });
    counts
        .filter(|(count, _)| *count > 0)
        .max_by_key(|(count, _)| *count)
        .map(|(_, function)| function.module.clone())
}

/// The machine code of functions that a ledger counted, in their order. `origin` is what messages call the ledger.
pub fn machine_code(
    ledger: &Ledger,
    origin: &Path,
    functions: &[&FunctionTotal],
) -> Vec<Result<Vec<MachineLine>, NoMachineCode>> {
    let mut modules: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut machine: Vec<Result<Vec<MachineLine>, NoMachineCode>> = Vec::new();
    for (at, total) in functions.iter().enumerate() {
        machine.push(Ok(Vec::new()));
        if let Some(module) = total.module.clone().or_else(|| module_of_function(ledger, &total.name)) {
            modules.entry(module).or_default().push(at);
        }
    }
    for (module, of_module) in modules {
        let names = of_module.iter().map(|&at| functions[at].name.clone()).collect();
        let counted = Counted::of(ledger, origin, &module);
        let code = counted.and_then(|counted| counted.machine_code(names));
        for at in of_module {
            let own = |code: &Vec<(String, MachineLine)>| {
                let own = code.iter().filter(|(function, _)| *function == functions[at].name);
                own.map(|(_, line)| line.clone()).collect()
            };
            machine[at] = code.as_ref().map(own).map_err(|error| NoMachineCode(error.to_string()));
        }
    }
    machine
}

fn module_of_function(ledger: &Ledger, name: &str) -> Option<String> {
    ledger.facts().iter().find_map(|fact| match &fact.subject {
        Subject::Function { function, .. } if function.name == name => Some(function.module.clone()),
        _ => None,
    })
}

/// Whether the flags that were given are none but those of the ledger.
fn fits(facts: &ModuleFacts, ledger: &Path, given: &CompileOptions) -> Result<(), Failure> {
    let level = facts.build.flags.iter().find_map(|flag| flag.strip_prefix("-O")).unwrap_or("2");
    let has_others = !given.cflags.is_empty() || !given.include.is_empty() || !given.define.is_empty();
    let is_other_level = given.level != "2" && given.level != level;
    let is_other_anchor = given.anchor.is_some_and(|anchor| anchor != facts.anchor);
    if !has_others && !is_other_level && !is_other_anchor {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "{} says how {} was compiled (anchor {}, {}); leave these flags, or count it again with them",
        ledger.display(),
        facts.module,
        facts.anchor,
        facts.build.flags.join(" ")
    )))
}
