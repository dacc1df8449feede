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

use object::{Object, ObjectSection, ObjectSymbol, SectionKind};
use opcost_key::Anchor;
use opcost_life::graph::NODES;
use opcost_life::{
    Coverage, Life, SelfCheck, StageLife, StageName, Step, Wanted, ast, graphs, listings, tell,
};
use opcost_llvm::{Emission, LifeEvent, LifeRequest as Recorded, Maker, Position, Session};
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
        is_whole: question.stage.is_some() || question.graphs,
        optimise: request.optimise,
    };
    let events =
        session.record(&object, how, request.optimise, Some(&recorded)).map_err(|error| error.to_string())?;

    let plain = request.output.with_extension("plain.o");
    let unwatched = read()?;
    unwatched.strip_debug();
    unwatched.record(&plain, how, request.optimise, None).map_err(|error| error.to_string())?;

    let code = code_of(&object)?;
    let compiled = request.compiled.as_deref().map(sections).transpose()?;
    let ours = sections(&plain)?;
    let self_check = SelfCheck {
        text_identical: sections(&object)? == ours,
        compiler_identical: compiled.map(|compiled| compiled == ours),
    };
    let life = Life {
        question: question.words.clone(),
        target,
        places: chosen.places,
        stages: tell(&events, &functions(&events, &code)),
        graphs: if question.graphs { graphs(&events, NODES) } else { Vec::new() },
        ran: BTreeMap::new(),
        listings: question.stage.map(|stage| listings(&events, stage)).unwrap_or_default(),
        self_check,
        coverage: Coverage::of(&events),
    };
    let text = serde_json::to_vec(&life).expect("plain data");
    std::fs::write(&request.output, text).map_err(|error| error.to_string())
}

/// Whether LLVM's back end for a machine is part of opcost.
fn is_linked_in(target: &str) -> Result<(), String> {
    let machine = target.split('-').next().unwrap_or(target);
    if MACHINES.iter().any(|known| machine.starts_with(known))
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
fn sections(path: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let data = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let file = object::File::parse(&*data).map_err(|error| error.to_string())?;
    let mut sections = Vec::new();
    for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
        let name = section.name().map_err(|error| error.to_string())?.to_owned();
        sections.push((name, section.data().map_err(|error| error.to_string())?.to_owned()));
    }
    Ok(sections)
}

/// Bytes from the start of each function to the end of its section.
fn code_of(path: &Path) -> Result<HashMap<String, Vec<u8>>, String> {
    let data = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let file = object::File::parse(&*data).map_err(|error| error.to_string())?;
    let mut code = HashMap::new();
    for symbol in file.symbols() {
        let Some(section) = symbol.section_index().and_then(|at| file.section_by_index(at).ok()) else {
            continue;
        };
        let (Ok(name), Ok(bytes)) = (symbol.name(), section.data()) else { continue };
        let start = (symbol.address() - section.address()) as usize;
        let end = start.saturating_add(symbol.size() as usize).min(bytes.len());
        if section.kind() == SectionKind::Text && !name.is_empty() && start < end {
            code.insert(name.to_owned(), bytes[start..end].to_owned());
        }
    }
    Ok(code)
}

/// Those that the events speak of.
fn functions(events: &[LifeEvent], code: &HashMap<String, Vec<u8>>) -> HashMap<String, Vec<u8>> {
    let spoken = events.iter().filter_map(|event| match event {
        LifeEvent::Bytes { function, item, .. } if item.is_chosen => Some(function),
        _ => None,
    });
    spoken.filter_map(|name| Some((name.clone(), code.get(name)?.clone()))).collect()
}
