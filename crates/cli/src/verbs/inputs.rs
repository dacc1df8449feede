//! What do the flags about inputs say, and the program's own words?

use std::ffi::OsString;

use crate::arguments::InputArguments;
use opcost_job::program::InputValues;

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
