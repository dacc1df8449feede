//! What do the flags about inputs say, and the program's own words? Which files are given?

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::arguments::InputArguments;
use opcost_answer::Failure;
use opcost_job::program::InputValues;
use opcost_toolchain::input::Input;

/// How formulas name the number that a word of the command line holds. C programs read it in these ways, and
/// all of them agree on numbers of 32 bits.
const READERS: [&str; 8] = [
    "{}",
    "atoi({})",
    "atol({})",
    "atoll({})",
    "strtol({}, null, 10)",
    "strtoll({}, null, 10)",
    "strtoul({}, null, 10)",
    "strtoull({}, null, 10)",
];

/// Which line of which file an input names: `prog.c:3:14`
pub(crate) fn split(input: &str) -> (&str, Option<u32>, Option<u32>) {
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
    let Some((rest, last)) = input.rsplit_once(':') else { return (input, None, None) };
    let Some(last) = number(last) else { return (input, None, None) };
    match rest.rsplit_once(':').and_then(|(path, line)| Some((path, number(line)?))) {
        Some((path, line)) => (path, Some(line), Some(last)),
        None => (rest, Some(last), None),
    }
}

/// The files of a verb that runs a program.
pub(crate) fn inputs_of(verb: &str, paths: &[PathBuf]) -> Result<Vec<Input>, Failure> {
    refuse_words(verb, paths)?;
    Input::all(paths.iter().map(|path| &**path))
}

/// A word that is no file may be one of the program's, which follow `--`.
pub(crate) fn refuse_words(verb: &str, paths: &[PathBuf]) -> Result<(), Failure> {
    let is_source = |path: &PathBuf| path.extension().is_some() && !is_number(path);
    let first = paths.iter().skip(1).position(|path| !path.exists() && !is_source(path)).map(|at| at + 1);
    let Some((files, words)) = first.map(|at| paths.split_at(at)) else { return Ok(()) };
    let shown = |paths: &[PathBuf]| {
        let words = paths.iter().map(|path| quoted(&path.to_string_lossy()));
        words.collect::<Vec<_>>().join(" ")
    };
    Err(Failure::Usage(format!(
        "there is no file {}; if it is an argument of the program, it follows --: opcost {verb} {} -- {}",
        words[0].display(),
        shown(files),
        shown(words)
    )))
}

/// A word as a shell reads it.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=+,:@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// A program as a shell starts it.
pub(crate) fn shown(program: &Path) -> String {
    if program.components().count() == 1 {
        format!("./{}", program.display())
    } else {
        program.display().to_string()
    }
}

/// Whether a name is a number with a point.
fn is_number(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.parse::<f64>().is_ok())
}

/// The values of inputs, where the program gets these words.
pub(crate) fn values(flags: &InputArguments, words: &[OsString]) -> InputValues {
    InputValues {
        bindings: flags.bindings.clone(),
        arguments: numbers(words, flags.defaults),
        defaults: flags.defaults,
    }
}

/// The words of a command line that are whole numbers, by their names, and how many words there are.
pub(crate) fn numbers(words: &[OsString], defaults: bool) -> Vec<(String, i128)> {
    if words.is_empty() && !defaults {
        return Vec::new();
    }
    let number = |(position, word): (usize, &OsString)| {
        let word = word.to_str()?;
        let number: i32 = word.parse().ok()?;
        let named = format!("argv[{}]", position + 1);
        // A negative number has another value where it is read as an unsigned one.
        let readers = READERS.iter().filter(|reader| number >= 0 || !reader.starts_with("strtou"));
        let read = readers.map(|reader| (reader.replace("{}", &named), i128::from(number)));
        // A long word with zeros at its front need not fit where Fortran puts it.
        let fortran = (word == number.to_string())
            .then(|| (format!("_FortranAGetCommandArgument({})", position + 1), i128::from(number)));
        Some(read.chain(fortran).collect::<Vec<_>>())
    };
    let count = words.len() as i128;
    // As C counts them, and as Fortran's library does.
    let counts = [("argc".to_owned(), count + 1), ("_FortranAArgumentCount()".to_owned(), count)];
    words.iter().enumerate().filter_map(number).flatten().chain(counts).collect()
}
