//! What does the message say of a command line that clap does not understand?
//!
//! clap says which word it is. It takes a flag of a compiler for an argument of the program, and says
//! of a number what Rust's parser says. Here such a flag gets its own advice: it follows
//! `--cflag`, in verbs that compile.
//!
//! Input: clap's error and the words of the command line. Output: an error, and its text.
//! Limit: compilers have more flags than are listed here; others keep clap's advice.

use std::ffi::OsString;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::arguments::Arguments;

/// How flags of compilers begin.
const COMPILER_FLAGS: [&str; 27] = [
    "-g",
    "-W",
    "-D",
    "-U",
    "-I",
    "-L",
    "-l",
    "-f",
    "-m",
    "-std=",
    "-static",
    "-shared",
    "-save-temps",
    "-stdlib=",
    "-pthread",
    "-pipe",
    "-pie",
    "-pg",
    "-pedantic",
    "-no-pie",
    "-nostdlib",
    "-nodefaultlibs",
    "-rdynamic",
    "-isystem",
    "-include",
    "-x",
    "-ansi",
];

/// The same error, with what to do about a flag of the compiler.
pub(crate) fn with_advice(mut error: clap::Error, line: &[OsString]) -> clap::Error {
    let Some(flag) = compiler_flag(&error, line) else { return error };
    let advice = if compiles(line) {
        format!("{flag} is a flag of the compiler: --cflag={flag}")
    } else {
        format!("{flag} is a flag of the compiler, and this verb compiles nothing; leave it out")
    };
    error.insert(ContextKind::InvalidArg, ContextValue::String(flag));
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice.into()]));
    error
}

/// The text, without words of Rust's parsers.
pub(crate) fn plain(text: &str) -> String {
    text.replace("invalid digit found in string", "it is no whole number")
        .replace("cannot parse integer from empty string", "it is no whole number")
        .replace("number too large to fit in target type", "it is too large a number")
        .replace("invalid float literal", "it is no number")
}

/// The word that is no flag of opcost, if compilers know it.
fn compiler_flag(error: &clap::Error, line: &[OsString]) -> Option<String> {
    let unknown = match error.get(ContextKind::InvalidArg)? {
        ContextValue::String(word) if error.kind() == ErrorKind::UnknownArgument => word,
        _ => return None,
    };
    // Of a word like -Wall clap names the first letter.
    let whole = line.iter().filter_map(|word| word.to_str()).find(|word| word.starts_with(unknown))?;
    COMPILER_FLAGS.iter().any(|begin| whole.starts_with(begin)).then(|| whole.to_owned())
}

/// Whether the verb of this line takes flags for the compiler.
fn compiles(line: &[OsString]) -> bool {
    let command = Arguments::command();
    let verb = line.iter().skip(1).find_map(|word| command.find_subcommand(word));
    verb.is_some_and(|verb| verb.get_arguments().any(|argument| argument.get_id() == "cflags"))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::CommandFactory;

    use super::{plain, with_advice};
    use crate::arguments::Arguments;

    fn words_of(line: &str) -> String {
        let line: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let error = Arguments::command().try_get_matches_from(&line).expect_err("it is not understood");
        plain(&with_advice(error, &line).to_string())
    }

    #[test]
    fn flags_of_the_compiler_get_advice() {
        for flag in ["-g", "-Wall", "-march=native", "-std=c11", "-static", "-fno-inline"] {
            for verb in ["count", "fuel", "sample", "loops", "explain", "values", "bits", "life", "repair"] {
                let text = words_of(&format!("opcost {verb} {flag} a.c"));
                assert!(text.contains(&format!("'{flag}'")), "{text}");
                assert!(text.contains(&format!("--cflag={flag}")) && !text.contains("as a value"), "{text}");
            }
            for verb in ["report", "diff", "merge", "overlap"] {
                let text = words_of(&format!("opcost {verb} {flag} a.opc"));
                assert!(text.contains("compiles nothing") && !text.contains("--cflag"), "{text}");
            }
        }
        assert!(!words_of("opcost count --nothing a.c").contains("of the compiler"));
    }

    #[test]
    fn numbers_are_told_in_plain_words() {
        assert!(words_of("opcost sample --pid abc").contains("it is no whole number"));
        let top = "opcost report a.opc --top";
        assert!(words_of(&format!("{top} 99999999999999999999")).contains("it is too large a number"));
    }
}
