//! Which of the user's own lines caused the work of a function?
//!
//! Code that was inlined from headers and crates is written where the user did not write it. Its
//! inline stack tells who wanted it: the work goes to the innermost line on the stack that stands
//! in a file of the user's own ([`crate::kit::files`]). Work without such a line, as in a template
//! that was not inlined into own code, stays out, and the listing says how much that is.
//!
//! How often a line ran is known of the line's own code only: a loop of a header that was inlined
//! there ran as often as it liked. So a line that has nothing but inlined code shows no number of
//! executions.
//!
//! Cost: log of lines for each line of each stack. Limit: a ledger has no inline stacks.

use std::collections::BTreeMap;

use opcost_recover::{FunctionListing, LineTotal, SourceLine};

/// Share from which on work is most of the work.
const MOST: f64 = 0.5;

/// When work is shown at the user's own lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mine {
    /// Of functions most of whose work was inlined into own lines from elsewhere.
    #[default]
    WhereMostIsElsewhere,
    /// Of all functions.
    Always,
    /// Of none.
    Never,
}

/// The listing with its work at own lines, where that is wanted and there is any; `total` is what
/// the function cost.
pub fn at_own_lines(
    listing: &FunctionListing,
    total: u128,
    when: Mine,
    is_own: impl Fn(&str) -> bool,
) -> Option<FunctionListing> {
    if when == Mine::Never || listing.stacks.is_empty() {
        return None;
    }
    let mut own: BTreeMap<&SourceLine, u128> = BTreeMap::new();
    for stack in &listing.stacks {
        if let Some(line) = stack.lines.iter().find(|line| is_own(&line.file)) {
            *own.entry(line).or_default() += stack.instructions;
        }
    }
    let is_most = |part: u128| part as f64 >= MOST * total as f64;
    let written: u128 =
        listing.lines.iter().filter(|line| is_own(&line.at.file)).map(|line| line.instructions).sum();
    let brought: u128 = own.values().sum();
    if own.is_empty() || (when == Mine::WhereMostIsElsewhere && (is_most(written) || !is_most(brought))) {
        return None;
    }
    // Own lines that nothing was inlined into, and that did not run, are shown as before.
    let mut lines: BTreeMap<&SourceLine, LineTotal> = BTreeMap::new();
    for line in listing.lines.iter().filter(|line| is_own(&line.at.file)) {
        lines.insert(&line.at, LineTotal { instructions: 0, ..line.clone() });
    }
    for (at, instructions) in own {
        let none = || LineTotal { at: at.clone(), instructions: 0, executions: None, is_of_line: false };
        lines.entry(at).or_insert_with(none).instructions = instructions;
    }
    Some(FunctionListing { lines: lines.into_values().collect(), ..listing.clone() })
}

#[cfg(test)]
mod tests {
    use opcost_recover::{FunctionListing, InlineStack, LineTotal, SourceLine};

    use super::{Mine, at_own_lines};

    fn at(file: &str, line: u32) -> SourceLine {
        SourceLine { file: file.to_owned(), line }
    }

    fn stack(lines: &[SourceLine], instructions: u128) -> InlineStack {
        InlineStack { lines: lines.to_vec(), instructions }
    }

    /// A function of a.cpp that costs 100. Of these 10 are its own, and 60 came through a header
    /// and its own header. 20 are of a header alone, and 10 of no line.
    fn example() -> FunctionListing {
        let total = |file: &str, line, instructions, executions| LineTotal {
            at: at(file, line),
            instructions,
            executions: Some(executions),
            is_of_line: true,
        };
        FunctionListing {
            function: 0,
            lines: vec![
                total("/usr/include/v.h", 7, 80, 40),
                total("a.cpp", 3, 10, 5),
                total("a.cpp", 4, 0, 0),
            ],
            without_line: 10,
            stacks: vec![
                stack(&[at("a.cpp", 3)], 10),
                stack(&[at("/usr/include/v.h", 7), at("/usr/include/w.h", 9), at("a.cpp", 3)], 25),
                stack(&[at("/usr/include/v.h", 7), at("mine.h", 2), at("a.cpp", 3)], 30),
                stack(&[at("/usr/include/v.h", 7), at("a.cpp", 8)], 5),
                stack(&[at("/usr/include/v.h", 7)], 20),
            ],
            blocks: Vec::new(),
        }
    }

    fn is_own(file: &str) -> bool {
        !file.starts_with('/')
    }

    #[test]
    fn work_goes_to_the_innermost_own_line_and_executions_stay() {
        let own = at_own_lines(&example(), 100, Mine::Always, is_own).expect("there are own lines");
        let lines: Vec<_> = own
            .lines
            .iter()
            .map(|line| (line.at.file.as_str(), line.at.line, line.instructions, line.executions))
            .collect();
        let expected = [
            ("a.cpp", 3, 35, Some(5)),
            ("a.cpp", 4, 0, Some(0)),
            ("a.cpp", 8, 5, None),
            ("mine.h", 2, 30, None),
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn without_being_asked_it_is_so_where_most_of_the_work_is_elsewhere() {
        let mine =
            |listing: &FunctionListing, total, when| at_own_lines(listing, total, when, is_own).is_some();
        let example = example();
        assert!(mine(&example, 100, Mine::WhereMostIsElsewhere));
        assert!(!mine(&example, 100, Mine::Never));
        assert!(!mine(&example, 15, Mine::WhereMostIsElsewhere), "most of it is written here");
        assert!(!mine(&example, 1000, Mine::WhereMostIsElsewhere), "most of it no own line wanted");
        let ledger = FunctionListing { stacks: Vec::new(), ..example };
        assert!(!mine(&ledger, 100, Mine::Always), "nobody knows the stacks");
    }
}
