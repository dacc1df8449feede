//! Which page of the guide describes a verb?
//!
//! The pages lie in `guide/src/verbs`; links of `crates/cli/pages` take them into the package,
//! so that a man page has the text of the guide. Between two marks a page has the options of its
//! verb, which are written from the command line as clap reads it.
//! `OPCOST_WRITE_GUIDE=1 cargo test -p opcost-cli pages` writes them, and without that variable the
//! test fails if a page is not up to date.

/// The page of a verb, in Markdown.
pub(crate) fn page_of(verb: &str) -> Option<&'static str> {
    PAGES.iter().find(|(names, _)| names.contains(&verb)).map(|(_, text)| *text)
}

/// Verbs, and the page that describes them.
const PAGES: &[(&[&str], &str)] = &[
    (&["bits"], include_str!("../../../pages/bits.md")),
    (&["cache"], include_str!("../../../pages/cache.md")),
    (&["cargo"], include_str!("../../../pages/cargo.md")),
    (&["cc", "c++", "flang"], include_str!("../../../pages/cc.md")),
    (&["check"], include_str!("../../../pages/check.md")),
    (&["count"], include_str!("../../../pages/count.md")),
    (&["diff"], include_str!("../../../pages/diff.md")),
    (&["doctor"], include_str!("../../../pages/doctor.md")),
    (&["explain"], include_str!("../../../pages/explain.md")),
    (&["export"], include_str!("../../../pages/export.md")),
    (&["fuel"], include_str!("../../../pages/fuel.md")),
    (&["hdl"], include_str!("../../../pages/hdl.md")),
    (&["life"], include_str!("../../../pages/life.md")),
    (&["loops"], include_str!("../../../pages/loops.md")),
    (&["merge"], include_str!("../../../pages/merge.md")),
    (&["overlap"], include_str!("../../../pages/overlap.md")),
    (&["completions", "man", "schema"], include_str!("../../../pages/papers.md")),
    (&["predict"], include_str!("../../../pages/predict.md")),
    (&["repair"], include_str!("../../../pages/repair.md")),
    (&["report"], include_str!("../../../pages/report.md")),
    (&["run"], include_str!("../../../pages/run.md")),
    (&["sample"], include_str!("../../../pages/sample.md")),
    (&["slice"], include_str!("../../../pages/slice.md")),
    (&["tune"], include_str!("../../../pages/tune.md")),
    (&["timing"], include_str!("../../../pages/timing.md")),
    (&["values"], include_str!("../../../pages/values.md")),
];

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::path::Path;

    use clap::{Arg, Command, CommandFactory};

    use super::{PAGES, page_of};
    use crate::arguments::Arguments;

    const BEGIN: &str = "<!-- options -->\n";
    const END: &str = "<!-- /options -->";

    /// The command line of a verb, in Markdown.
    fn options_of(command: &mut Command) -> String {
        let usage = command.render_usage().to_string();
        let usage = usage.trim_start_matches("Usage: ");
        let mut text = format!("{BEGIN}```text\n{usage}\n```\n\n");
        let shown = command.get_arguments().filter(|one| !one.is_hide_set() && one.get_id() != "help");
        let (places, options): (Vec<&Arg>, Vec<&Arg>) = shown.partition(|one| one.is_positional());
        for one in places.into_iter().chain(options) {
            let _ = writeln!(text, "- **`{}`**: {}", name_of(one), meaning_of(one));
        }
        text + END
    }

    /// `-o, --output <FILE>`
    fn name_of(one: &Arg) -> String {
        let short = one.get_short().map(|letter| format!("-{letter}"));
        let long = one.get_long().map(|word| format!("--{word}"));
        let names: Vec<String> = short.into_iter().chain(long).collect();
        let takes_value = one.get_num_args().is_some_and(|count| count.takes_values());
        let values = one.get_value_names().filter(|_| takes_value || one.is_positional()).unwrap_or_default();
        let values: Vec<String> = values.iter().map(|name| format!("<{name}>")).collect();
        [names.join(", "), values.join(" ")].join(" ").trim().to_owned()
    }

    fn meaning_of(one: &Arg) -> String {
        let help = one.get_long_help().or(one.get_help()).map(ToString::to_string).unwrap_or_default();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut text = format!("{}.", help.trim_end_matches('.'));
        let takes_value = one.get_num_args().is_some_and(|count| count.takes_values());
        let values: Vec<String> = one
            .get_possible_values()
            .iter()
            .filter(|value| takes_value && !value.is_hide_set())
            .map(|value| match value.get_help() {
                Some(help) => format!("`{}` ({})", value.get_name(), help.to_string().trim_end_matches('.')),
                None => format!("`{}`", value.get_name()),
            })
            .collect();
        if !values.is_empty() {
            let _ = write!(text, " Values: {}.", values.join(", "));
        }
        let defaults: Vec<_> = one.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        if takes_value && !defaults.is_empty() {
            let _ = write!(text, " Default: `{}`.", defaults.join(" "));
        }
        text
    }

    #[test]
    fn pages_have_the_options_of_their_verbs() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("pages");
        let mut all = Arguments::command();
        all.build();
        let mut old = Vec::new();
        for (verbs, page) in PAGES.iter().filter(|(_, page)| page.contains(BEGIN)) {
            let command = all.find_subcommand_mut(verbs[0]).expect("a page is of a verb");
            let (before, rest) = page.split_once(BEGIN).expect("it begins");
            let (_, after) = rest.split_once(END).expect("it ends");
            let made = format!("{before}{}{after}", options_of(command));
            if made != *page {
                old.push(verbs[0]);
                if std::env::var_os("OPCOST_WRITE_GUIDE").is_some() {
                    std::fs::write(folder.join(format!("{}.md", verbs[0])), made).expect("written");
                }
            }
        }
        assert!(
            old.is_empty() || std::env::var_os("OPCOST_WRITE_GUIDE").is_some(),
            "old pages of the guide: {old:?}; OPCOST_WRITE_GUIDE=1 cargo test -p opcost-cli pages"
        );
    }

    #[test]
    fn every_verb_has_a_page_with_what_readers_look_for() {
        for command in Arguments::command().get_subcommands() {
            let name = command.get_name();
            let page = page_of(name).unwrap_or_else(|| panic!("guide/src/verbs has no page of {name}"));
            let is_for_packagers = ["completions", "man", "schema"].contains(&name);
            let mut parts = vec!["## Example\n", "## Exit status\n"];
            if !is_for_packagers {
                parts.extend([BEGIN, END, "## JSON\n", "## Traps\n"]);
            }
            for part in parts {
                assert!(page.contains(part), "the page of {name} has no {}", part.trim());
            }
        }
    }
}
