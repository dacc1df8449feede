//! May a module be metered at all, if nobody trusts whoever wrote it?
//!
//! An allow-list: instructions, types, calls, names, sections and attributes
//! of which it is known that they become code that is metered, or library code
//! that is known (`library`). What is not on the list is objected to, whatever it
//! does, with its place and what to do. Four questions, a file each: what
//! stands beside the functions and what things are called (`names`), whom calls
//! call (`calls`), what instructions do and with values of what size (`values`), and
//! which intrinsics compute only (`intrinsics`). Whether a program means the same
//! on every machine is a list of its own (`portable`).
//!
//! Input: a snapshot of all of the program, linked to one module, and the
//! table of the library. Output: objections in the order of the module; none
//! means that no word of the module leads out of metering.
//!
//! Limit: what a pointer leads to at run time is not known. A program that
//! writes through a wild pointer can overwrite its own return addresses, and a
//! function pointer that was read from memory may hold any number. Against the first
//! use of that, a write to the counter, stands the sandbox (a hidden page);
//! against code reuse stands nothing but the sandbox's walls. Cost: linear.

mod calls;
mod intrinsics;
mod names;
mod portable;
mod values;

use std::collections::{BTreeSet, HashSet};

use opcost_index::IdMap;
use opcost_ir::{DeclarationId, Function, Linkage, Module, print_module};
use opcost_key::{Hasher128, InstructionId, PlaceId};
use serde::{Deserialize, Serialize};

use crate::fuel::library::{Known, Library, known};
pub use portable::{Fingerprint, Portability, admit_portable};

/// Integers wider than this are worked on by loops that LLVM makes.
pub(crate) const WIDEST_INTEGER: u32 = 128;
/// Bits of the widest vector: eight registers of the widest machine.
pub(crate) const WIDEST_VECTOR: u64 = 4096;
/// Parts of a value that is loaded, stored or passed as one.
pub(crate) const MOST_PARTS: u64 = 64;
/// Bytes that a call may copy as its arguments.
pub(crate) const LARGEST_COPY: u64 = 4096;
/// Bytes of one variable of a frame: the usual stack.
pub(crate) const LARGEST_FRAME: u64 = 8 << 20;
/// The priority with which the fuel's own constructor runs.
pub(crate) const OWN_PRIORITY: u32 = 101;

/// What kind of thing is objected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Assembly in a function.
    InlineAssembly,
    /// Assembly beside the functions.
    ModuleAssembly,
    /// A function that is chosen when the program is loaded.
    Ifunc,
    /// A constructor that runs before the fuel is there, or is no function.
    Constructor,
    /// A name that the runtime or the C library owns.
    ReservedName,
    /// A function of which nothing is known, or nothing good.
    OutsideFunction,
    /// Data of which nothing is known.
    OutsideData,
    /// A call of something that is no function.
    NoFunction,
    /// An address inside a function, or one made by arithmetic.
    CodeAddress,
    /// The address of a block that does more than being branched to.
    BlockAddress,
    /// A function without frame, of assembly only.
    Naked,
    /// A coroutine that is not split.
    Coroutine,
    /// A section that is run, or that is unknown.
    Section,
    /// An attribute that makes code, or that is unknown.
    Attribute,
    /// Metadata that speaks to the linker, or is unknown.
    Metadata,
    /// An intrinsic that does more than to compute, or is unknown.
    Intrinsic,
    /// An instruction that cannot be metered.
    Instruction,
    /// A value so large that one instruction is much work.
    Size,
    /// Memory of another kind.
    AddressSpace,
    /// Machine code, which cannot be looked at.
    MachineCode,
    /// Something that machines do in their own ways, when one number is wanted.
    NotPortable,
}

/// Something that speaks against metering a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Objection {
    /// Its kind.
    pub rule: Rule,
    /// Linkage name of the function it stands in.
    pub function: Option<String>,
    /// Source file.
    pub file: Option<String>,
    /// Line in it.
    pub line: Option<u32>,
    /// What stands there and why it cannot be, in one line.
    pub reason: String,
    /// What to do.
    pub remedy: String,
}

/// What is to be said of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Admission {
    /// Functions that would be metered.
    pub functions: usize,
    /// Over all that the module says but its places, in hexadecimal digits. Not
    /// made to withstand whoever wants two modules of one hash.
    pub hash: String,
    /// Over the table of the library and what was added to it.
    pub library: String,
    /// Outside functions that give something else in every run.
    pub differs: Vec<String>,
    /// What speaks against it.
    pub objections: Vec<Objection>,
}

/// Looks at a whole module.
pub fn admit(module: &Module, library: &Library) -> Admission {
    let mut court = Court {
        module,
        library,
        uses: calls::first_uses(module),
        sizes: values::Sizes::new(module),
        code: values::names_of_code(module),
        objections: Vec::new(),
    };
    court.beside_functions();
    court.outside();
    for function in module.functions.values().filter(|function| function.linkage != Linkage::Elsewhere) {
        court.function_as_such(function);
        court.body(function);
        court.calls(function);
    }
    let is_other = |name: &&String| matches!(known(name), Some(Known::Differs));
    let declared = module.declarations.values().map(|declaration| &declaration.name);
    let differs: BTreeSet<String> = declared.filter(is_other).cloned().collect();
    let own = module.functions.values().filter(|function| function.linkage != Linkage::Elsewhere);
    Admission {
        functions: own.count(),
        hash: hash(module),
        library: library.hash().to_string(),
        differs: differs.into_iter().collect(),
        objections: court.objections,
    }
}

/// Over the text of the module without places and what hangs on them.
fn hash(module: &Module) -> String {
    let mut bare = module.clone();
    bare.source_name.clear();
    bare.files = IdMap::new();
    bare.places = IdMap::new();
    bare.globals.values_mut().for_each(|global| global.place = None);
    for function in bare.functions.values_mut() {
        function.place = None;
        function.instructions.values_mut().for_each(|instruction| instruction.place = None);
    }
    Hasher128::new().text(&print_module(&bare)).finish().to_string()
}

/// Where objections are collected.
struct Court<'a> {
    module: &'a Module,
    library: &'a Library,
    /// Where each declaration is used first.
    uses: IdMap<DeclarationId, Option<Use>>,
    sizes: values::Sizes,
    /// Names of functions, here and elsewhere.
    code: HashSet<&'a str>,
    objections: Vec<Objection>,
}

/// Where something is used.
#[derive(Clone, Copy)]
struct Use {
    function: opcost_key::FunctionId,
    instruction: InstructionId,
}

impl Court<'_> {
    /// At an instruction, or at the function as a whole.
    fn object(
        &mut self,
        rule: Rule,
        function: &Function,
        instruction: Option<InstructionId>,
        reason: String,
        remedy: &str,
    ) {
        let place = instruction.and_then(|id| function.instructions[id].place);
        // Line 0 is code that no line has.
        let place = place.filter(|place| self.module.places[*place].line > 0).or(function.place);
        let inlined = place.and_then(|place| self.module.places[place].inlined_function.clone());
        self.push(rule, Some(inlined.unwrap_or_else(|| function.name.clone())), place, reason, remedy);
    }

    fn push(
        &mut self,
        rule: Rule,
        function: Option<String>,
        place: Option<PlaceId>,
        reason: String,
        remedy: &str,
    ) {
        let place = place.map(|place| &self.module.places[place]);
        let source = Some(&self.module.source_name).filter(|name| !name.is_empty());
        let objection = Objection {
            rule,
            function,
            file: place.map(|place| &self.module.files[place.file]).or(source).cloned(),
            line: place.map(|place| place.line),
            reason,
            remedy: remedy.to_owned(),
        };
        if !self.objections.contains(&objection) {
            self.objections.push(objection);
        }
    }
}
