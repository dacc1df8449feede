//! Which names may libraries, start files or code generation know?
//!
//! Names of a table (`names.txt`, which says how it was read), and those that the implementation reserves (`__x`, `_X`).
//! Limit: a name that only a library of the user's knows is not among them.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::table::{NameTable, lines};
use crate::{FuelClass, fuel_class};

/// The name as the linker sees it.
pub fn as_linked(name: &str) -> &str {
    name.strip_prefix('\u{1}').unwrap_or(name)
}

/// Whether libraries, start files or code generation may know a name.
pub fn is_name_of_libraries(name: &str) -> bool {
    let name = as_linked(name);
    if let Some(rest) = name.strip_prefix("_Z") {
        return is_known_in_cxx(rest);
    }
    TABLE.library.of(name).is_some() || TABLE.generated.of(name).is_some() || is_reserved(name)
}

/// Whether the program begins with it, or a compiler puts it into modules: nobody else calls it.
pub fn is_uncalled(name: &str) -> bool {
    TABLE.uncalled.of(as_linked(name)).is_some()
}

/// Whether a program's own function of this name, which others see, may run in any call of a library function, or in
/// what becomes one. Of the names of C++ these are the operators that a program may own, and what functions call that
/// metered programs need not look at. Other names of C++ are called in calls of that library alone.
pub fn replaces_library(name: &str) -> bool {
    let name = as_linked(name);
    if name.starts_with("_Z") {
        return is_generated(name) || fuel_class(name).is_some_and(FuelClass::is_understood);
    }
    is_name_of_libraries(name) && !is_uncalled(name)
}

/// Whether code generation or the optimiser may make a call of a name.
pub fn is_generated(name: &str) -> bool {
    let name = as_linked(name);
    let is_operator = ["_Znw", "_Zna", "_Zdl", "_Zda"].iter().any(|operator| name.starts_with(operator));
    is_operator || TABLE.generated.of(name).is_some()
}

/// Whether the C library, the compiler or rustc put a function of this name into every image.
pub fn is_in_every_image(name: &str) -> bool {
    TABLE.image.of(name).is_some()
}

/// Names of the implementation, but for those that compilers make of the source's.
fn is_reserved(name: &str) -> bool {
    let mangled = |start: &str, next: fn(char) -> bool| {
        name.strip_prefix(start).and_then(|rest| rest.chars().next()).is_some_and(next)
    };
    // Rust, Fortran, D.
    let is_made = mangled("_R", |c| matches!(c, 'N' | 'I' | 'C' | 'M' | 'X' | 'Y'))
        || mangled("_Q", |c| matches!(c, 'Q' | 'M' | 'P' | 'F' | 'E' | 'C' | 'B'))
        || mangled("_D", |c| c.is_ascii_digit());
    let mut chars = name.chars();
    let starts = (chars.next(), chars.next());
    matches!(starts, (Some('_'), Some(c)) if c == '_' || c.is_ascii_uppercase()) && !is_made
}

/// Of a name after `_Z`: operators that a program may own, and what the library instantiates.
fn is_known_in_cxx(name: &str) -> bool {
    // Functions for transactions have the names of others.
    let name = name.strip_prefix("GTt").unwrap_or(name);
    if ["nw", "na", "dl", "da"].iter().any(|operator| name.starts_with(operator)) {
        return true;
    }
    let name = behind_thunk(name).unwrap_or(name);
    if is_vector_function(name) || is_type_of_language(name) {
        return true;
    }
    let thing = ["TV", "TI", "TS", "TT", "TC", "GV", "GR"]
        .iter()
        .find_map(|kind| name.strip_prefix(kind))
        .unwrap_or(name);
    let thing = thing.strip_prefix('N').unwrap_or(thing).trim_start_matches(['K', 'V', 'R', 'O']);
    // Entities by length: `St12basic_stringIc…` begins with `St12basic_string`.
    (2..=thing.len().min(MOST_ENTITY))
        .filter(|&length| thing.is_char_boundary(length))
        .any(|length| TABLE.entities.contains(&thing[..length]))
}

/// What a thunk leads to (`Thn16_`, `Tv0_n24_`).
fn behind_thunk(name: &str) -> Option<&str> {
    let is_offset = |c: char| c == 'n' || c == '_' || c.is_ascii_digit();
    let rest = name.strip_prefix("Th").or_else(|| name.strip_prefix("Tv"))?;
    Some(rest.trim_start_matches(is_offset))
}

/// Whether code generation may call it for a loop over vectors: `GV`, the machine's letter, then masks and a length.
fn is_vector_function(name: &str) -> bool {
    let mut rest = name.strip_prefix("GV").unwrap_or_default().chars();
    rest.next().is_some_and(|c| c.is_ascii_lowercase()) && matches!(rest.next(), Some('N' | 'M'))
}

/// Whether it describes a type of the language, or a pointer to one (`TIPKc`).
fn is_type_of_language(name: &str) -> bool {
    let Some(ty) = name.strip_prefix("TI").or_else(|| name.strip_prefix("TS")) else { return false };
    let ty = ty.trim_start_matches(['P', 'K']);
    let ty = ty.strip_prefix('D').unwrap_or(ty);
    ty.len() == 1 && ty.starts_with(|c: char| c.is_ascii_lowercase())
}

/// The longest entity in the table is shorter.
const MOST_ENTITY: usize = 64;

/// The table, read.
#[derive(Default)]
struct Parts {
    generated: NameTable<()>,
    library: NameTable<()>,
    image: NameTable<()>,
    uncalled: NameTable<()>,
    entities: HashSet<&'static str>,
}

static TABLE: LazyLock<Parts> = LazyLock::new(|| {
    let (mut parts, mut part) = (Parts::default(), "");
    for line in lines(include_str!("names.txt")) {
        if let Some(title) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            part = title;
            continue;
        }
        for word in line.split_whitespace() {
            match part {
                "generated" => _ = parts.generated.insert(word, ()),
                "library" => _ = parts.library.insert(word, ()),
                "uncalled" => _ = parts.uncalled.insert(word, ()),
                "image" => _ = parts.image.insert(word, ()),
                "std" => _ = parts.entities.insert(word),
                _ => panic!("names.txt has no part '{part}'"),
            }
        }
    }
    parts
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_its_parts() {
        assert!(TABLE.generated.len() > 1000 && TABLE.library.len() > 3000);
        assert!(TABLE.entities.len() > 200);
        assert!(TABLE.entities.iter().all(|entity| entity.len() <= MOST_ENTITY));
    }

    #[test]
    fn names_of_libraries_are_known_and_those_of_programs_are_not() {
        for name in
            ["memcpy", "malloc", "optind", "environ", "stdout", "signgam", "qsort", "xerbla_", "_init"]
        {
            assert!(is_name_of_libraries(name), "{name}");
        }
        for name in ["__udivti3", "\u{1}memset", "fmod", "bcmp", "_Znwm", "_ZdlPv", "_ZSt9terminatev"] {
            assert!(is_name_of_libraries(name), "{name}");
        }
        let of_cxx = "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4sizeEv";
        assert!(
            is_name_of_libraries(of_cxx)
                && is_name_of_libraries("__cyg_profile_func_enter")
                && is_name_of_libraries("PyInit_spam")
        );
        for name in [
            "main",
            "MAIN__",
            "_QQmain",
            "step",
            "work",
            "_Z4stepi",
            "_ZNSt6vectorIiSaIiEE9push_backERKi",
            "_QMmPstep",
            "step_",
        ] {
            assert!(!is_name_of_libraries(name), "{name}");
        }
        assert!(is_generated("memcpy") && is_generated("__addtf3") && !is_generated("optind"));
    }

    #[test]
    fn what_a_program_may_replace_is_asked_by_name() {
        // Whether fuel understands it or not, and however the linker marks it.
        for name in
            ["malloc", "\u{1}malloc", "exit", "qsort", "pthread_mutex_lock", "fork", "wmemset", "__mine"]
        {
            assert!(replaces_library(name), "{name}");
        }
        for name in
            ["memalign", "__cxa_throw", "_Unwind_Resume", "_Znwm", "_ZdlPv", "_ZSt17__throw_bad_allocv"]
        {
            assert!(replaces_library(name), "{name}");
        }
        // What starts a program, `/` and `!=` of its own types, instances of templates.
        for name in
            ["main", "_start", "__main_void", "__clang_call_terminate", "_Zdv1VS_", "_Zne1VS_", "step"]
        {
            assert!(!replaces_library(name), "{name}");
        }
        assert!(!replaces_library("_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4sizeEv"));
    }
}
