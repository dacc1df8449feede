//! The library that a portable program brings along.
//!
//! All of C's library that a portable program may use, and what C++'s containers
//! need, compiled once as bitcode and linked into the program before anything is
//! weighed: the same instructions are paid for on every machine. Below it stand
//! the world's functions ([`WORLD`]), which are compiled for the machine and
//! are not metered.

mod headers;
mod sysroot;

pub use headers::{CXX_HEADERS, HEADERS, TEMPLATES};
pub use sysroot::{CxxLibrary, NoCxxLibrary, cxx_library, sysroot};

use crate::library;

/// All files of the bitcode, by name.
pub const SOURCES: &[(&str, &str)] = &[
    ("portable.c", include_str!("c/portable/portable.c")),
    ("portable.h", include_str!("c/portable/portable.h")),
    ("base.h", include_str!("c/portable/base.h")),
    ("memory.c", include_str!("c/portable/memory.c")),
    ("stream.c", include_str!("c/portable/stream.c")),
    ("decimal.c", include_str!("c/portable/decimal.c")),
    ("print.c", include_str!("c/portable/print.c")),
    ("scan.c", include_str!("c/portable/scan.c")),
    ("character.c", include_str!("c/portable/character.c")),
    ("wide.c", include_str!("c/portable/wide.c")),
    ("math.c", include_str!("c/portable/math.c")),
    ("complex.c", include_str!("c/portable/complex.c")),
    ("ending.c", include_str!("c/portable/ending.c")),
    ("cxx.c", include_str!("c/portable/cxx.c")),
    ("library.h", include_str!("c/library/library.h")),
    ("text.c", include_str!("c/library/text.c")),
    ("sort.c", include_str!("c/library/sort.c")),
    ("containers.c", include_str!("c/library/containers.c")),
];

/// The file to compile.
pub const UNIT: &str = "portable.c";

/// How clang must compile it, besides what all portable code is compiled with.
/// Builtins are off, or a loop of `memset` would become a call of it.
pub const FLAGS: &[&str] =
    &["-O2", "-c", "-emit-llvm", "-fno-builtin", "-gline-tables-only", "-fno-math-errno", "-std=gnu11"];

/// How all portable code is compiled: for the reference machine, whatever the
/// machine at hand. A `long double` is a double; locals begin as zero; no
/// function of the library says what went wrong but by its result.
pub const SHAPE: &[&str] = &[
    "--target=x86_64-unknown-linux-gnu",
    "-fPIC",
    "-mlong-double-64",
    "-ffp-contract=off",
    "-ftrivial-auto-var-init=zero",
    "-fno-stack-protector",
    "-U_FORTIFY_SOURCE",
    "-fno-math-errno",
];

/// The same, for C++ only: no exceptions and no type information, since both need
/// tables of the machine's.
pub const SHAPE_CXX: &[&str] =
    &["-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-fno-asynchronous-unwind-tables"];

/// What the program asks of the machine: one file, compiled for it.
pub const WORLD: (&str, &str) = ("world.c", include_str!("c/portable/world.c"));
/// How a program of Windows gets its fuel.
pub const FUEL_WINDOWS: (&str, &str) = ("fuel_windows.c", include_str!("c/fuel_windows.c"));
/// The world's functions.
pub const WORLD_FUNCTIONS: &[&str] = &[
    "opc_world_get",
    "opc_world_put",
    "opc_world_flush",
    "opc_world_grow",
    "opc_world_exit",
    "opc_world_abort",
];
/// The function by which the world starts the program.
pub const START: &str = "opc_portable_start";

/// The start of the names of [`FUNCTIONS`] and [`VARIADIC`] in the library.
pub const PREFIX: &str = library::PREFIX;

/// Functions with variable arguments, which the library takes as slots.
pub const VARIADIC: &[&str] = &[
    "printf",
    "fprintf",
    "sprintf",
    "snprintf",
    "scanf",
    "fscanf",
    "sscanf",
    "__isoc99_scanf",
    "__isoc99_fscanf",
    "__isoc99_sscanf",
    "_ZSt24__throw_out_of_range_fmtPKcz",
];

/// Functions of the C library besides [`library::TEXT_AND_SORT`]; those of C++ have their own names there.
pub const FUNCTIONS: &[&str] = &[
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "bcmp",
    "malloc",
    "free",
    "calloc",
    "realloc",
    "reallocarray",
    "putc",
    "putchar",
    "fputc",
    "fputs",
    "puts",
    "fwrite",
    "getc",
    "getchar",
    "fgetc",
    "ungetc",
    "fgets",
    "fread",
    "feof",
    "ferror",
    "clearerr",
    "setbuf",
    "setvbuf",
    "fflush",
    "strtol",
    "strtoul",
    "strtoll",
    "strtoull",
    "atoi",
    "atol",
    "atoll",
    "strtod",
    "strtof",
    "atof",
    "isupper",
    "islower",
    "isdigit",
    "isxdigit",
    "isspace",
    "isalpha",
    "isalnum",
    "isgraph",
    "isprint",
    "ispunct",
    "iscntrl",
    "isblank",
    "tolower",
    "toupper",
    "div",
    "ldiv",
    "lldiv",
    "wmemcpy",
    "wmemmove",
    "wmemset",
    "wmemcmp",
    "wmemchr",
    "wcslen",
    "atexit",
    "exit",
    "_exit",
    "_Exit",
    "abort",
    "rand",
    "srand",
    "fmin",
    "fmax",
    "fminf",
    "fmaxf",
    "fmod",
    "fmodf",
    "ldexp",
    "ldexpf",
    "__divdc3",
    "__divsc3",
    "__muldc3",
    "__mulsc3",
    "scalbn",
    "frexp",
    "frexpf",
    "modff",
    "modf",
    "lround",
    "lrint",
    "llround",
    "llrint",
    "lroundf",
    "lrintf",
    "llroundf",
    "llrintf",
    "sqrt",
    "sqrtf",
    "fabs",
    "fabsf",
    "floor",
    "floorf",
    "ceil",
    "ceilf",
    "trunc",
    "truncf",
    "round",
    "roundf",
    "rint",
    "rintf",
    "nearbyint",
    "nearbyintf",
    "copysign",
    "copysignf",
    "cabs",
    "cabsf",
    "carg",
    "cargf",
];

/// Elementary functions, in bitcode that the build made: C's names, and what they name. Linked
/// after the library, in this order.
pub const MATH: &[(&str, &[u8])] = &[
    ("math.bc", include_bytes!(concat!(env!("OUT_DIR"), "/math.bc"))),
    ("libm.bc", include_bytes!(concat!(env!("OUT_DIR"), "/libm.bc"))),
];

/// The functions of [`MATH`]. The front end must not work them out by the machine's own library.
pub const MATH_FUNCTIONS: &[&str] = &[
    "sin",
    "sinf",
    "cos",
    "cosf",
    "tan",
    "tanf",
    "asin",
    "asinf",
    "acos",
    "acosf",
    "atan",
    "atanf",
    "sinh",
    "sinhf",
    "cosh",
    "coshf",
    "tanh",
    "tanhf",
    "asinh",
    "asinhf",
    "acosh",
    "acoshf",
    "atanh",
    "atanhf",
    "exp",
    "expf",
    "exp2",
    "exp2f",
    "exp10",
    "exp10f",
    "expm1",
    "expm1f",
    "log",
    "logf",
    "log2",
    "log2f",
    "log10",
    "log10f",
    "log1p",
    "log1pf",
    "cbrt",
    "cbrtf",
    "tgamma",
    "tgammaf",
    "lgamma",
    "lgammaf",
    "erf",
    "erff",
    "erfc",
    "erfcf",
    "atan2",
    "atan2f",
    "pow",
    "powf",
    "hypot",
    "hypotf",
    "fdim",
    "fdimf",
    "nextafter",
    "nextafterf",
    "remainder",
    "remainderf",
    "fma",
    "fmaf",
    "sincos",
    "sincosf",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_is_defined_once() {
        for function in library::TEXT_AND_SORT.iter().chain(FUNCTIONS).chain(VARIADIC) {
            let plain = format!("LIBRARY({function})(");
            let lines =
                SOURCES.iter().filter(|(name, _)| name.ends_with(".c")).flat_map(|(_, text)| text.lines());
            let heads = lines.map(|line| line.split('{').next().unwrap_or(line));
            let definitions = heads.filter(|line| {
                let is_outside = line.starts_with(|first: char| first.is_ascii_alphabetic());
                let single = function.strip_suffix('f').unwrap_or(function);
                let by_macro = *line == format!("COMPARISON({function})")
                    || *line == format!("ONE({function})")
                    || (*line == format!("ONE({single})") && single != *function)
                    || (line.starts_with("OPC_COMPLEX(")
                        && line.split([',', '(', ' ']).any(|word| word == *function));
                let is_definition = line.find("LIBRARY(").is_some_and(|at| line[at..].starts_with(&plain))
                    && !line.ends_with(';');
                is_outside && (is_definition || by_macro)
            });
            assert_eq!(definitions.count(), 1, "{function}");
        }
    }

    #[test]
    fn mathematics_has_the_names_that_are_promised() {
        let source = include_str!("math.rs");
        for function in MATH_FUNCTIONS {
            assert_eq!(source.matches(&format!(" opc_libc_{function}(")).count(), 1, "{function}");
        }
        assert_eq!(source.matches(" opc_libc_").count(), MATH_FUNCTIONS.len());
    }

    #[test]
    fn the_world_defines_what_the_library_asks_for() {
        for function in WORLD_FUNCTIONS {
            assert!(WORLD.1.contains(&format!("{function}(")), "{function}");
        }
        let asked = SOURCES.iter().find(|(name, _)| *name == "portable.h").expect("the header").1;
        let count = asked.lines().filter(|line| line.starts_with("OPC_WORLD ")).count();
        assert_eq!(count, WORLD_FUNCTIONS.len());
    }
}
