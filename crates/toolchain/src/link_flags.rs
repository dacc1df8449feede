//! Which flags mean something to the linker, and which give names of the program to others?

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

/// Flags that mean nothing where a source is compiled: clang warns of them.
pub(crate) fn is_linkers(flag: &str) -> bool {
    ["-l", "-L", "-Wl,"].iter().any(|prefix| flag.starts_with(prefix))
        || matches!(flag, "-rdynamic" | "-no-pie")
}

/// Flags that mean something to the linking compiler: it finds libraries by them, those that the
/// compiler's own instrumentation calls, and start files. One of these sets how numbers with a point are computed.
pub(crate) fn reaches_linker(flag: &str) -> bool {
    const PREFIXES: [&str; 20] = [
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
