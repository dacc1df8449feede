//! One module, watched on its way to machine code, in a child process.
//!
//! ```text
//! source ─clang, no passes▶ bitcode ─optimise, generate, watched▶ object + events ▶ Life
//!                                   ─the same, nobody watches───▶ object ┐
//! source ─clang -O2 -c──────────────────────────────────────────▶ object ┴ compared
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;

use opcost_key::Anchor;
use opcost_life::code::mark;
use opcost_life::encoding::Divider;
use opcost_life::graph::NODES;
use opcost_life::{
    Coverage, Life, RecordedFunction, SelfCheck, StageLife, StageName, Step, Wanted, ast, graphs, listings,
    tell, tell_code, ways,
};
use opcost_llvm::{Emission, LifeRequest as Recorded, Machine, Maker, ObjectCode, Position, Session, Syntax};
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use super::compile::run_tool;
use super::life_asked::find;
use super::life_machine::record_code;
use super::module::run_own;
use super::{Build, Input, Language};
use crate::error::CliError;

/// Back ends that are part of opcost.
const MACHINES: [&str; 4] = ["x86_64", "aarch64", "riscv64", "wasm32"];

/// What is asked of a life.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LifeQuestion {
    /// In words.
    pub(crate) words: String,
    pub(crate) meant: Meant,
    /// The stage that is wanted in full.
    pub(crate) stage: Option<StageName>,
    /// Whether graphs are wanted, to be drawn.
    pub(crate) graphs: bool,
}

/// Which instructions are meant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Meant {
    /// By a place or a name.
    Wanted(Wanted),
    /// The one of this number, from 1 in program order.
    Number(u32),
}

/// What the child is asked to do.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LifeRequest {
    pub(super) bitcode: PathBuf,
    /// Where the answer is written, as JSON.
    pub(super) output: PathBuf,
    /// What is asked of a life; else the code of functions is wanted.
    question: Option<LifeQuestion>,
    /// The functions whose code is wanted.
    pub(super) functions: Vec<String>,
    /// The optimiser's level, of what comes from a front end.
    pub(super) optimise: Option<u8>,
    /// Code generation's.
    level: u8,
    /// What the user's own compiler makes of the source.
    compiled: Option<PathBuf>,
    function_sections: bool,
    data_sections: bool,
    position_independent: bool,
}

impl Build<'_> {
    /// The life of what is wanted of one input. `name_in_source` says how a
    /// source writes the function of a linkage name.
    ///
    /// # Errors
    /// It does not compile, nothing of the kind is there, or LLVM gives up.
    pub(crate) fn life(
        &self,
        input: &Input,
        question: LifeQuestion,
        name_in_source: fn(&str) -> String,
    ) -> Result<Life, CliError> {
        let is_source = input.language != Language::Bitcode;
        let compiled = is_source.then(|| self.compiled(input)).transpose()?;
        let request = LifeRequest { compiled, ..self.life_request(input, Some(question), Vec::new())? };
        run_own("__life", &self.path("life.request"), &input.path.display().to_string(), &request)?;
        let text = std::fs::read(&request.output).map_err(CliError::file("read", &request.output))?;
        let mut life: Life = serde_json::from_slice(&text).expect("the child writes it");
        if is_source {
            let steps = self.tree(input, &life, name_in_source)?;
            if !steps.is_empty() {
                life.stages.insert(0, StageLife { stage: StageName::Ast, steps });
            }
        }
        Ok(life)
    }

    /// What a child is asked: a life, or the code of functions.
    pub(super) fn life_request(
        &self,
        input: &Input,
        question: Option<LifeQuestion>,
        functions: Vec<String>,
    ) -> Result<LifeRequest, CliError> {
        let has_flag = |flag: &str| self.arguments.cflags.iter().any(|given| given == flag);
        let is_as_written = input.language != Language::Bitcode && self.anchor(input) == Anchor::Source;
        Ok(LifeRequest {
            bitcode: self.bitcode(input, 0)?,
            output: self.path("life.json"),
            question,
            functions,
            optimise: is_as_written.then(|| self.optimiser_level()),
            level: self.arguments.codegen.unwrap_or_else(|| self.level()),
            compiled: None,
            function_sections: has_flag("-ffunction-sections"),
            data_sections: has_flag("-fdata-sections"),
            position_independent: has_flag("-fPIC"),
        })
    }

    /// The nodes of Clang's tree that the chosen instructions come from.
    fn tree(
        &self,
        input: &Input,
        life: &Life,
        name_in_source: fn(&str) -> String,
    ) -> Result<Vec<Step>, CliError> {
        let source = std::fs::read(&input.path).map_err(CliError::file("read", &input.path))?;
        let source = String::from_utf8_lossy(&source);
        let functions: BTreeSet<&String> = life.places.iter().map(|place| &place.function).collect();
        let tool = self.compiler(input);
        let mut steps = Vec::new();
        for function in functions {
            let mut command = Command::new(tool);
            command.args(self.shaping_flags()).args(["-w", "-fsyntax-only", "-Xclang", "-ast-dump=json"]);
            // The filter looks for a part of the name as it is written.
            let name = name_in_source(function);
            command.arg("-Xclang").arg(format!("-ast-dump-filter={name}")).arg(&input.path);
            let output = command.output().map_err(CliError::file("start", tool))?;
            let json = String::from_utf8_lossy(&output.stdout);
            let nodes = ast::nodes(&json, &source, function).map_err(|error| CliError::Module {
                module: input.path.display().to_string(),
                message: format!("clang's tree of {function} cannot be read: {error}"),
            })?;
            steps.extend(ast::steps(&nodes, &life.places, function));
        }
        Ok(steps)
    }

    /// An object by the user's own compiler and flags.
    fn compiled(&self, input: &Input) -> Result<PathBuf, CliError> {
        let tool = self.compiler(input);
        let object = self.path("compiled.o");
        let mut command = Command::new(tool);
        command.args(self.shaping_flags()).args(["-w", "-c", "-o"]).arg(&object).arg(&input.path);
        run_tool(&mut command, tool, &input.path)?;
        Ok(object)
    }
}

impl LifeRequest {
    /// How code is generated.
    pub(super) fn emission(&self) -> Emission {
        Emission {
            level: self.level,
            position: if self.position_independent { Position::Independent } else { Position::AsModule },
            function_sections: self.function_sections,
            data_sections: self.data_sections,
        }
    }
}

/// Who made the module.
pub(super) fn maker(request: &LifeRequest) -> Maker {
    if request.optimise.is_some() { Maker::FrontEnd } else { Maker::Anyone }
}

/// In the child: records and writes the life, or the code.
pub(crate) fn record(request: &LifeRequest, name_in_source: fn(&str) -> String) -> Result<(), String> {
    let Some(question) = &request.question else { return record_code(request) };
    let read = || Session::read(&request.bitcode, maker(request)).map_err(|error| error.to_string());
    let how = request.emission();
    let mut session = read()?;
    let target = session.target();
    is_linked_in(&target)?;
    let module = session.snapshot();
    let chosen = find(&module, &question.meant, name_in_source)?;
    drop(module);
    session.identify();
    let object = request.output.with_extension("o");
    let recorded = Recorded {
        numbers: chosen.numbers.clone(),
        // The last stages are told from the object.
        is_whole: question.graphs
            || matches!(question.stage, Some(StageName::Ir | StageName::Dag | StageName::Mir)),
        optimise: request.optimise,
    };
    let before = cpu_milliseconds();
    let events =
        session.record(&object, how, request.optimise, Some(&recorded)).map_err(|error| error.to_string())?;
    let milliseconds = cpu_milliseconds() - before;

    let read_code = |path: &Path| ObjectCode::read(path).map_err(|error| error.to_string());
    let code = read_code(&object)?;
    let compiled = request.compiled.as_deref().map(read_code).transpose()?;
    let is_compilers = |code: &ObjectCode| compiled.as_ref().map(|own| sections(own) == sections(code));

    let mut unwatched = read()?;
    unwatched.strip_debug();
    if let Some(level) = request.optimise {
        unwatched.optimise(how, level).map_err(|error| error.to_string())?;
    }
    let optimised = request.output.with_extension("optimised.bc");
    unwatched.write(&optimised).map_err(|error| error.to_string())?;
    // What is the user's own compiler's was watched by nobody; only where it is
    // another, code generation without a look says whose fault that is.
    let mut self_check = if is_compilers(&code) == Some(true) {
        SelfCheck { text_identical: Some(true), compiler_identical: Some(true), ..SelfCheck::default() }
    } else {
        let plain = request.output.with_extension("plain.o");
        unwatched.record(&plain, how, None, None).map_err(|error| error.to_string())?;
        let ours = read_code(&plain)?;
        SelfCheck {
            text_identical: Some(sections(&code) == sections(&ours)),
            compiler_identical: is_compilers(&ours),
            ..SelfCheck::default()
        }
    };
    let functions = RecordedFunction::of(&events, &code);
    let machine = Machine::new(&target, &ways::features(&target, &code.features), Syntax::Usual)
        .map_err(|error| error.to_string())?;
    let original = ways::Original {
        functions: &functions,
        code: &code,
        triple: &target,
        machine: &machine,
        bitcode: &optimised,
        how,
    };
    ways::compare(original, &mut self_check);
    let is_code_whole = matches!(question.stage, Some(StageName::Mc | StageName::Bytes));
    let told = tell_code(&functions, &machine, &Divider::new(&machine, &target), is_code_whole);
    let mut stages = tell(&events, &bytes_of(&functions));
    mark(&mut stages, &told);
    let mut coverage = Coverage::of(&events);
    coverage.work.milliseconds = milliseconds;
    let life = Life {
        question: question.words.clone(),
        target,
        places: chosen.places,
        stages,
        code: told,
        graphs: if question.graphs { graphs(&events, NODES) } else { Vec::new() },
        ran: BTreeMap::new(),
        listings: question.stage.map(|stage| listings(&events, stage)).unwrap_or_default(),
        self_check,
        coverage,
    };
    let text = serde_json::to_vec(&life).expect("plain data");
    std::fs::write(&request.output, text).map_err(|error| error.to_string())
}

/// Of this process, user and system.
fn cpu_milliseconds() -> u64 {
    let spent = clock_gettime(ClockId::ProcessCPUTime);
    u64::try_from(spent.tv_sec * 1000 + spent.tv_nsec / 1_000_000).unwrap_or(0)
}

/// Whether LLVM's back end for a machine is part of opcost.
fn is_linked_in(target: &str) -> Result<(), String> {
    let machine = target.split('-').next().unwrap_or(target);
    // macOS's name of aarch64 is another.
    if machine.starts_with("arm64")
        || MACHINES.iter().any(|known| machine.starts_with(known))
        || (machine.starts_with('i') && machine.ends_with("86"))
    {
        return Ok(());
    }
    Err(format!(
        "opcost has no code generation for {target}; it has {}: give one with --target, as {}-linux-gnu",
        MACHINES.join(", "),
        MACHINES[0]
    ))
}

/// Code of an object, section by section.
fn sections(code: &ObjectCode) -> Vec<(&str, &[u8])> {
    code.sections.iter().map(|section| (&*section.name, &*section.bytes)).collect()
}

/// By the functions' names.
fn bytes_of(functions: &[RecordedFunction<'_>]) -> HashMap<String, Vec<u8>> {
    functions.iter().map(|function| (function.name.to_owned(), function.bytes().to_owned())).collect()
}
