//! Does counted code read the program that it is part of?
//!
//! Counters change a program: its size, its addresses, its tables. Code that reads them does other work
//! in a counted program than in the one without counters, so its number is exact for neither. It gets
//! at them by functions of the C library and the unwinder, which are known by name: backtraces, names
//! of addresses, the list of loaded images. Or it opens its own file.
//!
//! Limit: that it opens its own file is taken from the text `/proc/self/exe` in a program that opens
//! files and does not follow that link by itself. A path that is put together is not noticed, nor is
//! one of Rust, whose library has this text in every program.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use opcost_answer::run::READS_ITSELF;
use opcost_key::{Callee, Hash128};
use opcost_library::{SystemEffect, system_effects};
use opcost_recover::ModuleCounts;

use crate::image::Image;

/// How Linux calls the file of a process.
const OWN_FILE: &[u8] = b"/proc/self/exe";

/// What was counted in one image.
pub(crate) struct CountedImage<'a> {
    /// Its file.
    pub(crate) path: &'a Path,
    /// Counts by module, with the hash of the module's map.
    pub(crate) modules: &'a [(Hash128, ModuleCounts)],
}

/// Why the counts are of this build alone, if they are.
pub(crate) fn reads_itself(
    programs: &[CountedImage<'_>],
    images: &BTreeMap<PathBuf, Image>,
) -> Option<String> {
    let mut called: BTreeSet<&str> = BTreeSet::new();
    let mut opens = false;
    for program in programs {
        let path = program.path;
        let image = &images[path];
        let used = called_of(program, image);
        let has =
            |does: fn(&SystemEffect) -> bool| used.iter().any(|name| system_effects(name).iter().any(does));
        let is_rusts = image.maps.iter().any(|(_, map)| map.build.compiler.starts_with("rustc"));
        opens |= !is_rusts && has(opens_file) && !has(follows_link) && names_own_file(path);
        called.extend(used.into_iter().filter(|name| system_effects(name).iter().any(inspects_code)));
    }
    if called.is_empty() && !opens {
        return None;
    }
    let mut list = called.into_iter().collect::<Vec<_>>().join(", ");
    if opens {
        list += if list.is_empty() { "/proc/self/exe" } else { ", /proc/self/exe" };
    }
    Some(format!("{READS_ITSELF}, which counters change: it uses {list}"))
}

fn opens_file(effect: &SystemEffect) -> bool {
    matches!(effect, SystemEffect::OpensByMode(_) | SystemEffect::OpensByFlags(_))
}

fn follows_link(effect: &SystemEffect) -> bool {
    matches!(effect, SystemEffect::FollowsLink)
}

fn inspects_code(effect: &SystemEffect) -> bool {
    matches!(effect, SystemEffect::InspectsCode)
}

/// Functions with one of these effects that a program called.
fn called_of<'a>(program: &CountedImage<'_>, image: &'a Image) -> BTreeSet<&'a str> {
    let mut called = BTreeSet::new();
    for (hash, counts) in program.modules {
        let Some((_, map)) = image.maps.iter().find(|(other, _)| other == hash) else { continue };
        // What fuel compiles in itself reads the same frames in every build.
        let own = |name: &str| name.starts_with("opc_");
        for (id, function) in map.functions.iter().filter(|(_, function)| !own(&function.name)) {
            for call in &function.calls {
                let Callee::Declared(name) = &call.callee else { continue };
                let does = |effect| opens_file(effect) || follows_link(effect) || inspects_code(effect);
                let is_known = system_effects(name).iter().any(does);
                if is_known && counts.functions[id].instruction(function, call.instruction) > 0 {
                    called.insert(name.as_str());
                }
            }
        }
    }
    called
}

fn names_own_file(path: &Path) -> bool {
    let bytes = std::fs::read(path).unwrap_or_default();
    bytes.windows(OWN_FILE.len()).any(|window| window == OWN_FILE)
}
