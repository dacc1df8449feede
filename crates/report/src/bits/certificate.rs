//! Whether a certificate holds, as text.

use crate::kit::numbers::{counted, verb};

use opcost_answer::certificate::{CheckAnswers, NotGiven};

/// Claims that are shown of those that fail.
const MOST_SHOWN: usize = 20;

/// What is printed.
pub fn print_bits_check(answers: &CheckAnswers) -> String {
    let CheckAnswers { claims, questions, failed, assumes, not_given, is_edited, .. } = answers;
    let mut text = String::new();
    let mut say = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    match failed.len() {
        0 if !not_given.is_empty() => {
            say("does not hold: it takes as given what --check was not given".to_owned());
        }
        0 => say(format!(
            "holds: each of {} follows ({} to z3)",
            counted(*claims, "claim"),
            counted(*questions, "question")
        )),
        count => say(format!(
            "does not hold: {count} of {} {} not follow",
            counted(*claims, "claim"),
            verb(count, "does", "do")
        )),
    }
    for NotGiven { what, flag } in not_given {
        say(match flag {
            Some(flag) => format!("  {what}: if that is so, add {flag}"),
            None => format!("  {what}: nobody says so; write the certificate again"),
        });
    }
    if *is_edited {
        // Where something was not given, or nothing had to be asked, nothing was checked.
        let is_checked = not_given.is_empty() && *questions > 0;
        let now = if is_checked { "; what it says now is what was checked" } else { "" };
        say(format!("it was changed since it was written{now}"));
    }
    for failure in failed.iter().take(MOST_SHOWN) {
        say(format!("  {}", failure.claim));
        say(format!("    not shown: {}", failure.what));
        if !failure.example.is_empty() {
            let values: Vec<String> =
                failure.example.iter().map(|(name, value)| format!("{name} = {}", number(value))).collect();
            say(format!("    for example {}", values.join(", ")));
        }
    }
    if failed.len() > MOST_SHOWN {
        say(format!("  and {} more", failed.len() - MOST_SHOWN));
    }
    for given in assumes.iter().filter(|_| not_given.is_empty()) {
        say(format!("taken as given: {given}"));
    }
    text
}

/// A word as a solver writes it, in decimal.
fn number(word: &str) -> String {
    let digits = word.strip_prefix("#x").map(|digits| (digits, 16));
    let digits = digits.or_else(|| word.strip_prefix("#b").map(|digits| (digits, 2)));
    let parsed = digits.and_then(|(digits, base)| u128::from_str_radix(digits, base).ok());
    parsed.map_or_else(|| word.to_owned(), |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn words_of_the_solver_read_as_numbers() {
        assert_eq!([number("#x0f"), number("#b101"), number("?")], ["15", "5", "?"]);
    }
}
