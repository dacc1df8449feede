//! Of which of clang's words is it known what they change?
//!
//! Words that write further files (`-MD`, `--coverage`, `-gsplit-dwarf`), print, load plug-ins or read
//! files that no rule for `make` names (`-fprofile-use=`) make a compilation one that is not kept. So it is
//! for every word that is not known here.
//!
//! Input: the words. Output: whether all are known. Cost: linear.

use std::ffi::{OsStr, OsString};

/// Known as they are.
const WHOLE: [&str; 12] = [
    "-c",
    "-emit-llvm",
    "-pthread",
    "-pedantic",
    "-pedantic-errors",
    "-ansi",
    "-w",
    "-nostdinc",
    "-nostdlibinc",
    "-nostdinc++",
    "--no-default-config",
    "-trigraphs",
];

/// Known, whatever follows in the same word.
const BEGUN: [&str; 14] = [
    "-O",
    "-D",
    "-U",
    "-I",
    "-std=",
    "-stdlib=",
    "--std=",
    "--target=",
    "--sysroot=",
    "-march=",
    "-mtune=",
    "-mcpu=",
    "-mabi=",
    "-ffile-prefix-map=",
];

/// Known together with the next word.
const PAIRS: [&str; 8] = ["-D", "-U", "-I", "-o", "-isystem", "-iquote", "-idirafter", "-include"];

/// Beginnings, after `-f` or `-fno-`, of what reads or writes other files, or prints.
const FAR: [&str; 29] = [
    "apinotes",
    "basic-block",
    "bolt",
    "build-session",
    "coverage",
    "crash",
    "cs-profile",
    "diagnostics",
    "dump",
    "embed",
    "implicit-modul",
    "instrument",
    "integrated",
    "lto",
    "module",
    "optimization-record",
    "pass",
    "plugin",
    "prebuilt",
    "proc-stat",
    "profile",
    "record",
    "sample-profile",
    "save",
    "stack-usage",
    "syntax-only",
    "test-coverage",
    "thinlto",
    "time",
];

/// Flags with a value after `=` that says how code is, and names no file.
const VALUES: [&str; 22] = [
    "cf-protection",
    "constexpr-depth",
    "constexpr-loop-limit",
    "constexpr-steps",
    "debug-compilation-dir",
    "debug-prefix-map",
    "denormal-fp-math",
    "excess-precision",
    "exceptions",
    "fp-contract",
    "fp-exception-behavior",
    "fp-model",
    "macro-prefix-map",
    "max-type-align",
    "openmp",
    "sanitize",
    "template-depth",
    "tls-model",
    "trivial-auto-var-init",
    "veclib",
    "visibility",
    "zero-call-used-regs",
];

/// Whether all words before the input are known.
pub(crate) fn are_known<'a>(words: impl Iterator<Item = &'a OsStr>) -> bool {
    let mut words = words;
    while let Some(word) = words.next() {
        let Some(word) = word.to_str() else { return false };
        let is_fine = match word {
            "-Xclang" => words.next().is_some_and(|word| word == "-disable-llvm-passes"),
            _ if PAIRS.contains(&word) => words.next().is_some(),
            _ => is_known(word),
        };
        if !is_fine {
            return false;
        }
    }
    true
}

/// Whether all words of a compiler in a whole build are known: inputs, rules for `make` and what is linked, too.
pub(crate) fn are_known_in_builds(words: &[OsString]) -> bool {
    let mut rest = Vec::new();
    let mut words = words.iter().map(OsString::as_os_str);
    while let Some(word) = words.next() {
        match word.to_str() {
            // Where Fortran's modules are.
            Some("-MF" | "-MT" | "-MQ" | "-J" | "-module-dir") => drop(words.next()),
            Some(text) if text.starts_with("-J") => {}
            Some("-MD" | "-MMD" | "-MP" | "-shared" | "-rdynamic") => {}
            Some(text) if PAIRS.contains(&text) => rest.extend([word].into_iter().chain(words.next())),
            Some(text) if text.starts_with("-l") || text.starts_with("-L") || text.starts_with("-Wl,") => {}
            Some(text) if !text.starts_with('-') => {}
            _ => rest.push(word),
        }
    }
    are_known(rest.into_iter())
}

fn is_known(word: &str) -> bool {
    // That is another processor on another machine, which may share the cache.
    if word.ends_with("=native") {
        return false;
    }
    if WHOLE.contains(&word) || BEGUN.iter().any(|begun| word.starts_with(begun)) {
        return true;
    }
    let Some(rest) = word.strip_prefix('-') else { return false };
    let (first, rest) = rest.split_at(rest.chars().next().map_or(0, char::len_utf8));
    match first {
        "f" => is_known_form(rest),
        // What is handed to other programs is not.
        "W" => !["a,", "l,", "p,"].iter().any(|other| rest.starts_with(other)),
        "m" => !rest.contains('=') && !rest.starts_with("llvm"),
        "g" => !["split", "modules", "record", "embed"].iter().any(|far| rest.contains(far)),
        _ => false,
    }
}

/// A flag that begins with `-f`.
fn is_known_form(rest: &str) -> bool {
    let rest = rest.strip_prefix("no-").unwrap_or(rest);
    if FAR.iter().any(|far| rest.starts_with(far)) {
        return false;
    }
    rest.split_once('=').is_none_or(|(name, _)| VALUES.contains(&name))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::are_known;

    fn are_words_known(line: &str) -> bool {
        are_known(line.split(' ').map(OsStr::new))
    }

    #[test]
    fn words_that_shape_code_are_known() {
        for line in [
            "-O2 -gline-tables-only -c -emit-llvm -o x.bc",
            "-O0 -g -std=c++20 -Wall -Wextra -Wno-unused -I inc -Iother -DX=1 -D Y -pthread",
            "-ffast-math -fno-builtin-sin -ffp-contract=off -march=x86-64-v3 -mavx2 -fsanitize=undefined",
            "-Xclang -disable-llvm-passes -isystem /x -include y.h -fvisibility=hidden -fPIC",
        ] {
            assert!(are_words_known(line), "{line}");
        }
    }

    #[test]
    fn words_with_other_files_are_not() {
        for word in [
            "-MD",
            "-MMD",
            "-MF",
            "--coverage",
            "-ftest-coverage",
            "-march=native",
            "-fprofile-use=x",
            "-fprofile-instr-generate",
            "-gsplit-dwarf",
            "-save-temps",
            "-ftime-trace",
            "-fplugin=x.so",
            "-fpass-plugin=x.so",
            "-fmodules",
            "-Wp,-MD,x",
            "-Wa,-adhln=x",
            "-v",
            "-###",
            "-H",
            "-E",
            "-S",
            "@file",
            "x.c",
            "-",
            "--config=x",
            "-fsave-optimization-record",
            "-fsanitize-ignorelist=x",
            "-fxray-attr-list=x",
            "-mllvm",
            "-load",
            "-fno-profile-use=x",
            "-B/x",
            "-x",
            "-include-pch",
            "-fdiagnostics-add-output=sarif:file=x",
            "-Xclang -load",
            "-Xclang",
            "-o",
            "-fstack-usage",
            "-fembed-bitcode",
            "-fmodule-file=x",
            "-fbolt=x",
        ] {
            assert!(!are_words_known(word), "{word}");
        }
    }
}
