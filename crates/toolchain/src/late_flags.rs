//! Which flags of the compiler can opcost not keep?
//!
//! The compiler's flags reach clang's front end and its optimiser. Counters and fuel come after that, and
//! machine code last. Most flags that change code late are kept until then, as attributes of functions and
//! facts of the module; the linker gets those that bring a library ([`crate::link_flags`]). What cannot be
//! kept is refused by name before anything is compiled, with what to do. A product that lacks what was
//! asked for would be worse than none.
//!
//! Cost: none. Limit: bitcode does not say with which flags it was made.

use opcost_answer::Failure;

/// Whether a flag asks the driver what it would do or what it has. Jobs that it names are not done.
pub(crate) fn queries_driver(flag: &str) -> bool {
    const QUESTIONS: [&str; 6] = [
        "-###",
        "-fdriver-only",
        "-ccc-print-phases",
        "-ccc-print-bindings",
        "-print-supported-cpus",
        "-print-supported-extensions",
    ];
    QUESTIONS.iter().any(|question| flag == *question || flag.strip_prefix('-') == Some(question))
}

/// Refuses flags that compile nothing: there would be no program.
///
/// # Errors
/// There is one.
pub(crate) fn refuse_printing(flags: &[String]) -> Result<(), Failure> {
    const PRINTS: [&str; 8] =
        ["--version", "--help", "-E", "-M", "-MM", "-fsyntax-only", "-dumpmachine", "-dumpversion"];
    let prints = |flag: &&String| {
        let is_question = flag.starts_with("-print-") || flag.starts_with("--print-");
        is_question || queries_driver(flag) || PRINTS.contains(&flag.as_str())
    };
    match flags.iter().find(prints) {
        Some(flag) => Err(Failure::Usage(format!(
            "{flag} prints something and compiles nothing, so there is no program; give it to the compiler itself"
        ))),
        None => Ok(()),
    }
}

/// Refuses flags that no purpose can keep.
///
/// # Errors
/// There is one.
pub(crate) fn refuse_unkept(flags: &[String]) -> Result<(), Failure> {
    let embeds = |flag: &&String| flag.starts_with("-fembed-bitcode") && **flag != "-fembed-bitcode=off";
    match flags.iter().rfind(|flag| flag.starts_with("-fembed-bitcode")).filter(embeds) {
        Some(flag) => Err(Failure::Usage(format!(
            "{flag}: opcost embeds no bitcode in an object; compile without it, or save the bitcode by opcost count --emit bc"
        ))),
        None => Ok(()),
    }
}

/// Refuses flags that fuel cannot keep.
///
/// # Errors
/// There is one.
pub(crate) fn refuse_unmetered(flags: &[String]) -> Result<(), Failure> {
    let why = [
        ("safe-stack", "it moves frames to a second stack, which fuel does not check"),
        (
            "dataflow",
            "it calls other functions in place of those of the C library, and fuel has no charge for them",
        ),
    ];
    match why.into_iter().find(|(name, _)| sanitizes(flags, name)) {
        Some((name, why)) => Err(Failure::Usage(format!(
            "-fsanitize={name} cannot be metered: {why}; meter it without, or count it without a limit (opcost count)"
        ))),
        None => Ok(()),
    }
}

/// Whether a sanitizer is on at the end of these flags.
fn sanitizes(flags: &[String], name: &str) -> bool {
    let names = |list: &str| list.split(',').any(|one| one == name);
    let mut is_on = false;
    for flag in flags {
        if flag.strip_prefix("-fsanitize=").is_some_and(names) {
            is_on = true;
        }
        let off = |list: &str| names(list) || list.split(',').any(|one| one == "all");
        if flag.strip_prefix("-fno-sanitize=").is_some_and(off) {
            is_on = false;
        }
    }
    is_on
}

#[cfg(test)]
mod tests {
    use super::{refuse_unkept, refuse_unmetered};

    fn flags(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn the_last_word_counts() {
        for kept in ["-O2", "-fembed-bitcode -fembed-bitcode=off"] {
            assert!(refuse_unkept(&flags(kept)).is_ok(), "{kept}");
        }
        for refused in
            ["-fembed-bitcode", "-fembed-bitcode=all", "-fembed-bitcode=off -fembed-bitcode-marker"]
        {
            assert!(refuse_unkept(&flags(refused)).is_err(), "{refused}");
        }
        for kept in ["-fsanitize=address", "-fsanitize=safe-stack -fno-sanitize=all"] {
            assert!(refuse_unmetered(&flags(kept)).is_ok(), "{kept}");
        }
        for refused in ["-fsanitize=bounds,safe-stack", "-fsanitize=dataflow"] {
            assert!(refuse_unmetered(&flags(refused)).is_err(), "{refused}");
        }
    }
}
