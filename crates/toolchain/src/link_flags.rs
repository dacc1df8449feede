//! Which flags mean something to the linker, which give names of the program to others, and which bring
//! a start file that changes how numbers are computed?

/// The first flag that gives the program's names to code outside of it. Such a flag renames or
/// exports them, or gives the linker a script that may.
pub(crate) fn opens_names(flags: &[String]) -> Option<&str> {
    const OPTIONS: [&str; 14] = [
        "defsym",
        "wrap",
        "version-script",
        "dynamic-list",
        "export-dynamic",
        "undefined",
        "require-defined",
        "script",
        "default-script",
        "init",
        "fini",
        "entry",
        "just-symbols",
        "relocatable",
    ];
    const SHORT: [&str; 8] = ["-E", "-T", "-dT", "-e", "-u", "-R", "-r", "@"];
    let opens = |option: &str| {
        let long = option.strip_prefix("--").or(option.strip_prefix('-'));
        long.is_some_and(|long| OPTIONS.iter().any(|name| long.starts_with(name)))
            || SHORT.iter().any(|short| option.starts_with(short)) && !option.starts_with("-rpath")
    };
    let is_handed_on = |at: usize| at > 0 && flags[at - 1] == "-Xlinker";
    let is_one = |(at, flag): &(usize, &String)| match flag.strip_prefix("-Wl,") {
        Some(options) => options.split(',').any(opens),
        None if is_handed_on(*at) => opens(flag),
        None => matches!(&***flag, "-rdynamic" | "-shared" | "-r") || flag.starts_with("-T"),
    };
    flags.iter().enumerate().find(is_one).map(|(_, flag)| flag.as_str())
}

/// Whether clang links the start file that makes numbers next to zero 0 (clang 22:
/// `isFastMathRuntimeAvailable`). The last flag decides.
pub(crate) fn flushes_subnormals(flags: &[String]) -> bool {
    let last = |of: fn(&str) -> Option<bool>| flags.iter().rev().find_map(|flag| of(flag));
    let is_fast = last(|flag| match flag {
        "-ffast-math" | "-funsafe-math-optimizations" => Some(true),
        "-fno-fast-math" | "-fno-unsafe-math-optimizations" => Some(false),
        _ => flag.strip_prefix("-ffp-model=").map(|model| matches!(model, "fast" | "aggressive")),
    });
    let is_ordered = last(|flag| match flag {
        "-mdaz-ftz" => Some(true),
        "-mno-daz-ftz" => Some(false),
        _ => None,
    });
    is_ordered.unwrap_or_else(|| is_fast == Some(true) || flags.iter().any(|flag| flag == "-Ofast"))
}

/// Flags that mean nothing where a source is compiled: clang warns of them.
pub(crate) fn is_linkers(flag: &str) -> bool {
    ["-l", "-L", "-Wl,"].iter().any(|prefix| flag.starts_with(prefix))
        || matches!(flag, "-rdynamic" | "-no-pie")
}

/// Flags that mean something to the linking compiler: it finds libraries by them, those that the
/// compiler's own instrumentation calls, and start files. One of these sets how numbers with a point are computed.
pub(crate) fn reaches_linker(flag: &str) -> bool {
    const PREFIXES: [&str; 21] = [
        "-l",
        "-L",
        "-Wl,",
        "-fsanitize",
        "-static",
        "-shared-lib",
        "-m",
        "--target",
        "--sysroot",
        "-fuse-ld",
        "-stdlib",
        "-rtlib",
        "-unwindlib",
        "-nostdlib",
        "-fopenmp",
        "-fprofile",
        "-fcs-profile",
        "-fcreate-profile",
        "-fxray-instrument",
        "-fmemory-profile",
        "-ffp-model",
    ];
    // Compiled code reads these; the linking compiler would take them for files of its own.
    // The word after `-mllvm` belongs to it, and is none of the linker's.
    let reads = ["-fprofile-use", "-fprofile-instr-use", "-fprofile-sample-use", "-fopenmp-simd", "-mllvm"];
    PREFIXES.iter().any(|prefix| flag.starts_with(prefix))
        && !reads.iter().any(|prefix| flag.starts_with(prefix))
        || matches!(
            flag,
            "-pthread"
                | "-no-pie"
                | "-pie"
                | "-nodefaultlibs"
                | "-nostartfiles"
                | "-nolibc"
                | "-rdynamic"
                | "--coverage"
                | "-coverage"
                | "-pg"
                | "-Ofast"
                | "-ffast-math"
                | "-fno-fast-math"
                | "-funsafe-math-optimizations"
                | "-fno-unsafe-math-optimizations"
        )
}

#[cfg(test)]
mod tests {
    use super::reaches_linker;

    #[test]
    fn instrumentation_brings_its_library() {
        for flag in [
            "--coverage",
            "-ffast-math",
            "-stdlib=libc++",
            "-fprofile-generate",
            "-fprofile-instr-generate=x",
            "-fxray-instrument",
            "-pg",
        ] {
            assert!(reaches_linker(flag), "{flag}");
        }
        for flag in ["-fprofile-use=x", "-mllvm", "-O2", "-fcoverage-mapping", "-DNDEBUG"] {
            assert!(!reaches_linker(flag), "{flag}");
        }
    }
}
