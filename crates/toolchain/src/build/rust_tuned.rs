//! A Rust program with its code in the order of a ledger's counts, made where rustc links.
//!
//! rustc leaves one merged module, as it does for a counted program ([`super::rust`]). Its code is generated twice by
//! the worker: as it would be, and in order. Each is linked several times with other gaps between its functions, so
//! that both can be compared, and the one in order once more without gaps: that is the program. What was done, and
//! where the programs are, stands in a file beside them.
//!
//! Input: rustc's command line for its linker. Output: programs. Cost: two code generations of all crates, and a link
//! for each program. Limits: native objects are linked as they are.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use opcost_answer::Failure;
use opcost_answer::tune::ArrangedModule;
use opcost_job::module::ModuleJob;
use opcost_job::profile::{ArrangeJob, ExportModule};
use opcost_key::Anchor;
use serde::{Deserialize, Serialize};

use super::arrange::{FunctionOrder, Making, functions_of};
use crate::order::function_order;
use crate::running::status_of;

/// The file that says what was made.
const MADE: &str = "tuned.json";

/// How a Rust program is put in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RustTuning {
    /// The counts.
    pub ledger: PathBuf,
    /// The hash of that file, since cargo links again when the request is another one.
    pub hash: String,
    /// How many times each program is linked with gaps.
    pub links: usize,
    /// Where these are written.
    pub folder: PathBuf,
}

/// What was made of a Rust program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TunedRust {
    /// What placement did.
    pub module: ArrangedModule,
    /// The program as it comes, with gaps.
    pub plain: Vec<PathBuf>,
    /// The program in order, with gaps.
    pub placed: Vec<PathBuf>,
}

impl TunedRust {
    /// What the last link left.
    ///
    /// # Errors
    /// There was none.
    pub fn read(tuning: &RustTuning) -> Result<TunedRust, Failure> {
        let path = tuning.folder.join(MADE);
        let text = std::fs::read(&path).map_err(Failure::file("read", &path))?;
        serde_json::from_slice(&text)
            .map_err(|error| Failure::Usage(format!("{} is no answer of opcost: {error}", path.display())))
    }
}

/// One code of the module, and the words of its link.
struct Linking<'a> {
    making: Making<'a>,
    /// The linker's words, with the object in place and without the output.
    words: Vec<OsString>,
    functions: Vec<String>,
}

impl Linking<'_> {
    fn link(&self, order: FunctionOrder<'_>, output: &Path) -> Result<u8, Failure> {
        let ordering = self.making.ordering(order)?;
        let mut command = Command::new(self.making.clang);
        command.arg("-Wl,--build-id=sha1").args(&self.words).args(&ordering.gaps).args(&ordering.flags);
        command.arg("-o").arg(output);
        status_of(&mut command, self.making.clang)
    }

    /// Links it with gaps, once for each name; the first status that is not 0.
    fn link_with_gaps(&self, outputs: &[PathBuf]) -> Result<u8, Failure> {
        for (seed, output) in (0..).zip(outputs) {
            let status = self.link(FunctionOrder { names: &self.functions, gaps: Some(seed) }, output)?;
            if status != 0 {
                return Ok(status);
            }
        }
        Ok(0)
    }
}

/// Links what rustc asks for. `module` is the merged one, and `words` makes the linker's words with an object in its
/// place.
pub(super) fn link_tuned(
    tuning: &RustTuning,
    module: &ModuleJob,
    making: Making<'_>,
    words: impl Fn(PathBuf) -> Result<Vec<OsString>, Failure>,
) -> Result<u8, Failure> {
    let generated = |name: &str, ledger: Option<PathBuf>| {
        let output = making.folder.join(name);
        let is_placed = ledger.is_some();
        let job = ArrangeJob {
            ledger,
            module: ExportModule {
                name: module.module.clone(),
                anchor: Anchor::Optimized,
                bitcode: module.bitcode.clone(),
            },
            code: module.code,
            cost: module.cost.clone(),
            root: module.root.clone(),
            weighs: is_placed,
            orders: is_placed,
            output: output.clone(),
        };
        let arranged = opcost_job::run_job(job, &output.with_extension("job"), &module.module)?;
        Ok::<_, Failure>((arranged, output))
    };
    let linking = |object: PathBuf, functions: Vec<String>| {
        let (output, words) = without_output(words(object)?);
        Ok::<_, Failure>((Linking { making, words, functions }, output))
    };
    opcost_interrupt::make_folders(&tuning.folder).map_err(Failure::file("make", &tuning.folder))?;
    let outputs = |kind: &str| -> Vec<PathBuf> {
        (0..tuning.links).map(|seed| tuning.folder.join(format!("{kind}.{seed}"))).collect()
    };
    let (_, object) = generated("plain.o", None)?;
    let functions = functions_of(std::slice::from_ref(&object))?;
    let plain = outputs("plain");
    let (as_it_comes, _) = linking(object, functions)?;
    let status = as_it_comes.link_with_gaps(&plain)?;
    if status != 0 {
        return Ok(status);
    }
    let (arranged, object) = generated("placed.o", Some(tuning.ledger.clone()))?;
    let functions = in_order(&arranged, &object)?;
    let placed = outputs("placed");
    let (in_order, output) = linking(object, functions)?;
    let status = in_order.link_with_gaps(&placed)?;
    if status != 0 {
        return Ok(status);
    }
    let made = TunedRust { module: arranged, plain, placed };
    let path = tuning.folder.join(MADE);
    let text = serde_json::to_vec(&made).expect("an answer is plain data");
    std::fs::write(&path, text).map_err(Failure::file("write", &path))?;
    let names = &in_order.functions[..];
    in_order.link(FunctionOrder { names, gaps: None }, Path::new(&output.unwrap_or_else(|| "a.out".into())))
}

/// All functions of an object: those that ran in the order of their calls, the others as they are.
fn in_order(arranged: &ArrangedModule, object: &PathBuf) -> Result<Vec<String>, Failure> {
    let hot = function_order([arranged]);
    let rest: Vec<String> = {
        let named: std::collections::BTreeSet<&String> = hot.iter().collect();
        functions_of(std::slice::from_ref(object))?.into_iter().filter(|name| !named.contains(name)).collect()
    };
    Ok([hot, rest].concat())
}

/// The output that a linker's words name, and the other words.
fn without_output(words: Vec<OsString>) -> (Option<OsString>, Vec<OsString>) {
    let mut output = None;
    let mut rest = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        if word == "-o" {
            output = words.next();
        } else {
            rest.push(word);
        }
    }
    (output, rest)
}
