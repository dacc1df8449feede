//! May a module be metered at all, if nobody trusts its author?
//!
//! An allow-list: instructions, types, calls, names, sections and attributes of which it is known
//! that they become code that is metered, or library code that is known (`library`). What is not on
//! the list is objected to, whatever it does, with its place and what to do. Four questions, a file
//! each: what is outside of the functions and what things are called (`names`), whom calls call
//! (`calls`), what instructions do and with values of what size (`values`), and which intrinsics
//! compute only (`intrinsics`). Whether a program means the same on every machine is a list of its
//! own (`portable`).
//!
//! Input: a snapshot of all of the program, linked to one module, and the
//! table of the library. Output: objections in the order of the module; none
//! means that no word of the module leads out of metering.
//!
//! Limit: what a pointer leads to at run time is not known. A program that writes through a wild
//! pointer can overwrite its own return addresses, and a function pointer that was read from memory
//! may hold any number. Against the first use of that, a write to the counter, there is the sandbox
//! (a hidden page). Against code reuse there is nothing but the sandbox's walls. Cost: linear.

mod calls;
mod court;
mod intrinsics;
mod names;
mod portable;
mod rule;
mod sizes;
mod values;

use std::collections::BTreeSet;

use opcost_index::IdMap;
use opcost_ir::{Linkage, Module, print_module};
use opcost_key::Hasher128;
use serde::{Deserialize, Serialize};

use crate::library::Library;
use court::Court;
use opcost_library::{FuelClass, fuel_class};
use sizes::Sizes;

pub use portable::{Fingerprint, Portability, admit_portable};
pub use rule::{Objection, Rule};

/// What is to be said of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Admission {
    /// Functions that would be metered.
    pub functions: usize,
    /// Over all that the module says but its places, in hexadecimal digits. Not made to withstand
    /// anyone who wants two modules of one hash.
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
        sizes: Sizes::new(module),
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
    let is_other = |name: &&String| matches!(fuel_class(name), Some(FuelClass::Differs));
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
    bare.checksums = IdMap::new();
    bare.producers.clear();
    bare.places = IdMap::new();
    bare.globals.values_mut().for_each(|global| global.place = None);
    for function in bare.functions.values_mut() {
        function.place = None;
        function.instructions.values_mut().for_each(|instruction| instruction.place = None);
    }
    Hasher128::new().text(&print_module(&bare)).finish().to_string()
}
