//! From modules and a ledger to a program whose code is arranged by what was counted.
//!
//! The worker generates the code of each module ([`ArrangeJob`]). The linker puts functions in the order that it is
//! given. Between them can be gaps of random length: how code lies in a cache is then another accident in each
//! of several programs, and no gain is that of one accident.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::{Object as _, ObjectSymbol as _, SymbolKind};
use opcost_answer::Failure;
use opcost_answer::names::{relative, tidy};
use opcost_answer::tune::ArrangedModule;
use opcost_job::profile::{ArrangeJob, ExportModule};

use super::link::Linked;
use super::state::Build;
use crate::input::{Input, Language};
use crate::running::run_tool;

/// The longest gap between two functions, in bytes.
const LONGEST_GAP: u64 = 512;
/// Gaps are multiples of this, as functions begin at such addresses.
const GAP_STEP: u64 = 16;
/// Functions that have a gap before them, from the first.
const MOST_GAPS: usize = 2000;

/// How the code of a module is generated.
#[derive(Clone, Copy, Debug)]
pub struct Arranging<'a> {
    /// What was counted; without it code is generated as it would be.
    pub ledger: Option<&'a Path>,
    /// Whether branches get weights of the ledger.
    pub weighs: bool,
    /// Whether machine blocks are put in order.
    pub orders: bool,
}

/// Code that is generated, ready to be linked.
#[derive(Clone, Debug, Default)]
pub struct ArrangedCode {
    /// Object files, in the order of inputs.
    pub objects: Vec<PathBuf>,
    /// What was done in each module that was compiled here.
    pub modules: Vec<ArrangedModule>,
}

/// How the linker puts functions.
#[derive(Clone, Copy, Debug)]
pub struct FunctionOrder<'a> {
    /// Linkage names; functions that are not named follow.
    pub names: &'a [String],
    /// Chooses the gaps between functions; none for no gaps.
    pub gaps: Option<u64>,
}

impl Build {
    /// The name that a module has in ledgers.
    ///
    /// # Errors
    /// There is no working folder.
    pub fn module_name(&self, input: &Input) -> Result<String, Failure> {
        let root = std::env::current_dir().map_err(Failure::file("find", "."))?;
        Ok(relative(&tidy(&root.join(&input.path)), &root))
    }

    /// Generates the code of all inputs.
    ///
    /// # Errors
    /// A source does not compile, or is of Rust.
    pub fn arranged_code(&self, inputs: &[Input], how: Arranging<'_>) -> Result<ArrangedCode, Failure> {
        let mut code = ArrangedCode::default();
        for (position, input) in inputs.iter().enumerate() {
            if input.language == Language::Object {
                code.objects.push(input.path.clone());
                continue;
            }
            let output = self.path(format!("{position}.arranged.o"));
            let name = self.module_name(input)?;
            let job = ArrangeJob {
                ledger: how.ledger.map(Path::to_owned),
                module: ExportModule {
                    name: name.clone(),
                    anchor: self.anchor(input),
                    bitcode: self.bitcode(input, position)?,
                },
                code: self.code_options(input),
                cost: self.cost.clone(),
                root: std::env::current_dir().map_err(Failure::file("find", "."))?,
                weighs: how.weighs,
                orders: how.orders,
                output: output.clone(),
            };
            code.modules.push(self.jobs.request(job, &self.path("arrange.job"), &name)?);
            code.objects.push(output);
        }
        Ok(code)
    }

    /// Links code with its functions in an order.
    ///
    /// # Errors
    /// The linker fails.
    pub fn arranged_program(
        &self,
        inputs: &[Input],
        code: &ArrangedCode,
        order: FunctionOrder<'_>,
        output: &Path,
    ) -> Result<(), Failure> {
        let target = self.target_flags();
        let making = Making { clang: &self.tools.clang, target: &target, folder: self.folder.path() };
        let ordering = making.ordering(order)?;
        let objects = [&code.objects[..], ordering.gaps.as_slice()].concat();
        let linked = self.with_linker_flags(&ordering.flags)?;
        linked.link(inputs, &objects, output, Linked::Program)
    }

    /// This build with further flags for the linker.
    fn with_linker_flags(&self, flags: &[String]) -> Result<Build, Failure> {
        let mut options = self.options.clone();
        options.cflags.extend_from_slice(flags);
        Build::new(&options, self.purpose)
    }
}

/// With what, and where, things are made.
#[derive(Clone, Copy)]
pub(super) struct Making<'a> {
    /// The assembler.
    pub(super) clang: &'a Path,
    /// Flags that name the machine.
    pub(super) target: &'a [OsString],
    /// Where files go.
    pub(super) folder: &'a Path,
}

/// What puts functions in order when a program is linked.
pub(super) struct LinkOrdering {
    /// Flags for the driver.
    pub(super) flags: Vec<String>,
    /// An object whose functions are gaps.
    pub(super) gaps: Option<PathBuf>,
}

impl Making<'_> {
    /// What a link needs for this order.
    pub(super) fn ordering(&self, order: FunctionOrder<'_>) -> Result<LinkOrdering, Failure> {
        let mut lines = String::new();
        let mut object = None;
        match order.gaps {
            None => lines.extend(order.names.iter().flat_map(|name| [name, "\n"])),
            Some(seed) => {
                let gaps = random_gaps(seed, order.names.len().min(MOST_GAPS));
                for (position, name) in order.names.iter().enumerate() {
                    if position < gaps.len() {
                        let _ = writeln!(lines, "{}", gap_name(position));
                    }
                    let _ = writeln!(lines, "{name}");
                }
                object = Some(self.gap_object(&gaps)?);
            }
        }
        let list = self.folder.join("order.txt");
        std::fs::write(&list, lines).map_err(Failure::file("write", &list))?;
        let mut flags = vec![
            "-fuse-ld=lld".to_owned(),
            format!("-Wl,--symbol-ordering-file={}", list.display()),
            "-Wl,--no-warn-symbol-ordering".to_owned(),
        ];
        // A program with gaps is only measured. Valgrind of Debian 12 cannot read clang's debug information.
        flags.extend(order.gaps.map(|_| "-Wl,--strip-debug".to_owned()));
        Ok(LinkOrdering { flags, gaps: object })
    }

    /// An object whose functions are gaps.
    fn gap_object(&self, gaps: &[u64]) -> Result<PathBuf, Failure> {
        let mut text = String::new();
        for (position, bytes) in gaps.iter().enumerate() {
            let name = gap_name(position);
            let _ = writeln!(
                text,
                ".section .text.{name},\"ax\",@progbits\n.type {name},@function\n{name}:\n.fill {bytes}, 1, 0xcc\n\
                 .size {name}, {bytes}"
            );
        }
        text.push_str(".section .note.GNU-stack,\"\",@progbits\n");
        let (source, object) = (self.folder.join("gaps.s"), self.folder.join("gaps.o"));
        std::fs::write(&source, text).map_err(Failure::file("write", &source))?;
        let mut command = Command::new(self.clang);
        command.args(self.target).args(["-c", "-o"]).arg(&object).arg(&source);
        run_tool(&mut command, self.clang, &source)?;
        Ok(object)
    }
}

/// The functions of objects, in the order of their addresses.
///
/// # Errors
/// An object cannot be read.
pub fn functions_of(objects: &[PathBuf]) -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for path in objects {
        let bytes = std::fs::read(path).map_err(Failure::file("read", path))?;
        // Archives of the user's have an order of their own.
        let Ok(file) = object::File::parse(&*bytes) else { continue };
        let mut functions: Vec<(usize, u64, String)> = file
            .symbols()
            .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition())
            .filter_map(|symbol| {
                Some((symbol.section_index()?.0, symbol.address(), symbol.name().ok()?.to_owned()))
            })
            .collect();
        functions.sort();
        names.extend(functions.into_iter().map(|(_, _, name)| name));
    }
    Ok(names)
}

fn gap_name(position: usize) -> String {
    format!("opcost_gap_{position}")
}

/// Lengths of gaps by a generator of Steele, Lea and Flood (SplitMix64, 2014).
fn random_gaps(seed: u64, count: usize) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    (0..count).map(|_| next() % (LONGEST_GAP / GAP_STEP) * GAP_STEP).collect()
}
