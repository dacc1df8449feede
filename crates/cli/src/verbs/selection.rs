//! Which functions does a user mean by names, and what is a program called? For
//! verbs that look at a program without running it.

use clap::ValueEnum;

use crate::arguments::{CompileArguments, DEFAULT_LEVEL, ProgramArguments};
use opcost_answer::Failure;
use opcost_answer::names::{is_named, near_functions, no_function};
use opcost_toolchain::input::{Input, Language};

/// Of code that was not run all names are at hand, so the likest is suggested, however unlike it is.
const ANY: f64 = 0.0;

/// Whether it is one of those that are wanted.
pub(crate) fn is_one_of(name: &str, wanted: &[String]) -> bool {
    wanted.iter().any(|wanted| is_named(name, wanted))
}

/// What is printed of the first wanted name that no function has: those that are near.
pub(crate) fn unknown<'a>(names: impl Iterator<Item = &'a str> + Clone, wanted: &[String]) -> Option<String> {
    let is_unknown = |wanted: &&String| !names.clone().any(|name| is_named(name, wanted));
    let wanted = wanted.iter().find(is_unknown)?;
    Some(no_function(wanted, &near_functions(names, wanted, ANY)))
}

/// The inputs, as a command names them.
pub(crate) fn paths(inputs: &[Input]) -> String {
    let names: Vec<String> = inputs.iter().map(|input| input.path.display().to_string()).collect();
    names.join(" ")
}

/// The inputs and, where something is compiled, the level.
pub(crate) fn about(inputs: &[Input], compile: &CompileArguments) -> String {
    let is_built = inputs.iter().any(|input| input.language != Language::Bitcode);
    let level = if is_built { format!(" at -O{}", compile.level) } else { String::new() };
    format!("{}{level}", paths(inputs))
}

/// The inputs with the flags that decide what is analysed, as a command names them.
pub(crate) fn again(inputs: &[Input], program: &ProgramArguments) -> String {
    let compile = &program.compile;
    let is_built = inputs.iter().any(|input| input.language != Language::Bitcode);
    let mut words = Vec::new();
    if is_built {
        words.extend((compile.level != DEFAULT_LEVEL).then(|| format!("-O{}", compile.level)));
        words.extend(compile.include.iter().map(|folder| format!("-I{folder}")));
        words.extend(compile.define.iter().map(|name| format!("-D{name}")));
        words.extend(compile.cflags.iter().map(|flag| format!("--cflag={flag}")));
    }
    words.extend(program.world.map(|world| {
        let name = world.to_possible_value().expect("no world is hidden");
        format!("--world {}", name.get_name())
    }));
    words.extend(program.effects.iter().map(|file| format!("--effects {}", file.display())));
    words.push(paths(inputs));
    words.join(" ")
}

/// A flag of [`CompileArguments`] that says something of machine code or of measuring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeFlag {
    Cost,
    Codegen,
    Time,
}

/// Refuses flags that would do nothing in a verb: `idle`, for the reason `why`.
///
/// # Errors
/// The first that was given all the same.
pub(crate) fn refuse_idle(compile: &CompileArguments, idle: &[CodeFlag], why: &str) -> Result<(), Failure> {
    let given = |flag: &CodeFlag| match flag {
        CodeFlag::Cost => compile.cost.is_some().then_some("--cost"),
        CodeFlag::Codegen => compile.codegen.is_some().then_some("--codegen"),
        CodeFlag::Time => compile.time.then_some("--time"),
    };
    match idle.iter().find_map(given) {
        Some(flag) => Err(Failure::Usage(format!("{flag} would do nothing here: {why}; leave it out"))),
        None => Ok(()),
    }
}

/// What an analysis has no use for.
pub(crate) const OF_RUNS: &[CodeFlag] = &[CodeFlag::Cost, CodeFlag::Codegen, CodeFlag::Time];

#[cfg(test)]
mod tests {
    use super::unknown;

    #[test]
    fn of_an_unknown_name_those_that_are_near_are_told() {
        let names = ["main", "solve_", "solve_", "residual"].into_iter();
        let wanted = |name: &str| [name.to_owned()];
        assert_eq!(unknown(names.clone(), &wanted("main")), None);
        let words = unknown(names, &wanted("solver")).expect("it is unknown");
        assert_eq!(words, "no function is called 'solver'; did you mean solve_, or residual, or main?");
        assert!(unknown([].into_iter(), &wanted("f")).is_some());
    }
}
