//! Functions of the C library that pay for what they do.
//!
//! A search for the end of a string, a sort, a format: how much they do is in
//! no argument. With a cost model that charges by length they are compiled
//! with the program, at the clang at hand, and calls of `strlen` lead to
//! [`name`]`("strlen")`. They leave the work to the C library in pieces whose
//! length is charged before.

/// All files, by name.
pub const SOURCES: &[(&str, &str)] = &[
    ("library.h", include_str!("c/library/library.h")),
    ("text.c", include_str!("c/library/text.c")),
    ("sort.c", include_str!("c/library/sort.c")),
    ("format.c", include_str!("c/library/format.c")),
    ("library.c", "#include \"text.c\"\n#include \"sort.c\"\n#include \"format.c\"\n"),
];

/// The file to compile.
pub const UNIT: &str = "library.c";

/// How clang must compile it, besides what names the machine. Builtins are
/// off, or a loop of `strlen` would become a call of it.
pub const FLAGS: &[&str] =
    &["-O2", "-c", "-emit-llvm", "-fno-builtin", "-fexceptions", "-fPIC", "-gline-tables-only", "-std=gnu11"];

/// Functions of text.c and sort.c; portable programs have them, too.
pub const TEXT_AND_SORT: &[&str] = &[
    "strlen",
    "strnlen",
    "memchr",
    "rawmemchr",
    "strncmp",
    "strcmp",
    "strcoll",
    "strncasecmp",
    "strcasecmp",
    "strchrnul",
    "strchr",
    "memrchr",
    "strrchr",
    "strstr",
    "strspn",
    "strcspn",
    "strpbrk",
    "strtok_r",
    "strtok",
    "stpcpy",
    "strcpy",
    "stpncpy",
    "strncpy",
    "strcat",
    "strncat",
    "strdup",
    "strndup",
    "qsort_r",
    "qsort",
    "bsearch",
];

/// Functions of format.c.
pub const FORMAT: &[&str] = &[
    "vprintf",
    "vfprintf",
    "vsprintf",
    "vsnprintf",
    "printf",
    "fprintf",
    "sprintf",
    "snprintf",
    "puts",
    "fputs",
    "atoi",
    "atol",
    "atoll",
    "atof",
    "strtol",
    "strtoul",
    "strtoll",
    "strtoull",
    "strtod",
    "strtof",
];

/// The start of every name.
pub const PREFIX: &str = "opc_libc_";

/// The name under which a function of the C library pays.
pub fn name(function: &str) -> String {
    format!("{PREFIX}{function}")
}

#[cfg(test)]
mod tests {
    use super::{FORMAT, SOURCES, TEXT_AND_SORT};

    #[test]
    fn every_function_is_defined_once() {
        for function in TEXT_AND_SORT.iter().chain(FORMAT) {
            let plain = format!("LIBRARY({function})(");
            let by_macro = [
                format!("OUTPUT({function},"),
                format!("OUTPUT_VARIADIC({function},"),
                format!("COMPARISON({function})"),
            ];
            let number = format!(", {function}, (const char *text");
            let lines =
                SOURCES.iter().filter(|(name, _)| name.ends_with(".c")).flat_map(|(_, text)| text.lines());
            let definitions = lines.filter(|line| {
                let is_definition = !line.starts_with(' ') && !line.starts_with('#');
                is_definition
                    // The first such word of a line is what it defines.
                    && (line.find("LIBRARY(").is_some_and(|at| line[at..].starts_with(&plain))
                        || by_macro.iter().any(|start| line.starts_with(start))
                        || (line.starts_with("NUMBER(") && line.contains(&number)))
            });
            assert_eq!(definitions.count(), 1, "{function}");
        }
    }
}
