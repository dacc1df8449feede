//! How was the program built, in a few lines?
//!
//! Where all modules were built in one way, the head of a report says so in its first line. Else a line
//! for each way names the modules, the compiler and its flags: the ways of most modules first, cut to the
//! width, and a count of what is left out. `--full` and JSON leave nothing out.

use std::cmp::Reverse;

use opcost_key::Anchor;
use opcost_profile::BuildGroup;
use schemars::JsonSchema;
use serde::Serialize;

use crate::kit::numbers::counted;
use crate::kit::style::{cut, width_of};
use opcost_answer::names::tidy_path;

/// How much is said of builds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BuildDetail {
    /// What fits.
    #[default]
    Short,
    /// Every module and every flag.
    Full,
}

/// Ways that a short head has lines for.
const WAYS: usize = 4;

/// The compiler and its flags. The anchor comes first, if it is not the default.
pub fn build_text(group: &BuildGroup) -> String {
    let flags = group.build.flags.join(" ");
    let text = match group.anchor {
        // Its front end had flags of its own, which nobody knows.
        Anchor::File => format!("bitcode of {}, codegen {flags}", group.build.compiler),
        Anchor::Optimized => format!("{} {flags}", group.build.compiler),
        anchor => format!("anchor {anchor}, {} {flags}", group.build.compiler),
    };
    text.trim_end().to_owned()
}

/// The way that all modules were built in, if there is just one, cut to this width.
pub fn only_build(groups: &[BuildGroup], width: usize, detail: BuildDetail) -> Option<String> {
    let [group] = groups else { return None };
    Some(match detail {
        BuildDetail::Short => cut(&build_text(group), width),
        BuildDetail::Full => build_text(group),
    })
}

/// A line for each way; none if there is just one.
pub fn build_lines(groups: &[BuildGroup], width: usize, detail: BuildDetail) -> Vec<String> {
    if groups.len() < 2 {
        return Vec::new();
    }
    let mut sorted: Vec<&BuildGroup> = groups.iter().collect();
    sorted.sort_by_key(|group| Reverse(group.modules.len()));
    if detail == BuildDetail::Full {
        let line = |group: &&BuildGroup| format!("{}: {}", names(group, usize::MAX), build_text(group));
        return sorted.iter().map(line).collect();
    }
    let shown = if sorted.len() > WAYS { WAYS - 1 } else { WAYS };
    let line = |group: &&BuildGroup| {
        let names = names(group, width / 2);
        let room = width.saturating_sub(width_of(&names) + 2);
        format!("{names}: {}", cut(&build_text(group), room))
    };
    let mut lines: Vec<String> = sorted.iter().take(shown).map(line).collect();
    if let Some(rest) = sorted.get(shown..).filter(|rest| !rest.is_empty()) {
        let modules: usize = rest.iter().map(|group| group.modules.len()).sum();
        let (modules, ways) = (counted(modules as u128, "module"), rest.len());
        lines.push(cut(&format!("{modules} in {ways} more ways (--full)"), width));
    }
    lines
}

/// The modules, as many as fit: `a.c, b.c and 12 more`.
fn names(group: &BuildGroup, width: usize) -> String {
    let names: Vec<String> = group.modules.iter().map(|module| tidy_path(module)).collect();
    let text = |shown: usize| match names.len() - shown {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..shown].join(", ")),
    };
    let fits = |shown: &usize| width_of(&text(*shown)) <= width;
    match (1..=names.len()).rev().find(fits) {
        Some(shown) => text(shown),
        None => counted(names.len() as u128, "module"),
    }
}

/// Modules that were built in one way.
#[derive(Serialize, JsonSchema)]
pub struct GroupJson {
    modules: Vec<String>,
    /// Compiler with its version; of bitcode that was given, the one that made it.
    compiler: String,
    /// Flags that shape the code, in order; of bitcode that was given, those of code generation.
    flags: Vec<String>,
    /// Target triple.
    target: String,
    /// The state of the modules at which instructions were counted.
    anchor: String,
}

impl GroupJson {
    /// A group, in full.
    pub fn new(group: &BuildGroup) -> GroupJson {
        GroupJson {
            modules: group.modules.clone(),
            compiler: group.build.compiler.clone(),
            flags: group.build.flags.clone(),
            target: group.build.target.clone(),
            anchor: group.anchor.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use opcost_key::{Anchor, BuildFacts};
    use opcost_profile::BuildGroup;

    use super::{BuildDetail, build_lines, only_build};
    use crate::kit::style::width_of;

    fn group(modules: &[&str], compiler: &str, flags: &str) -> BuildGroup {
        BuildGroup {
            modules: modules.iter().map(|&name| name.to_owned()).collect(),
            anchor: Anchor::Optimized,
            build: BuildFacts {
                compiler: compiler.into(),
                flags: flags.split(' ').map(str::to_owned).collect(),
                ..Default::default()
            },
        }
    }

    #[test]
    fn one_way_is_told_in_one_line() {
        let all = [group(&["a.c", "b.c"], "clang 22.1.8", "-O2 -g")];
        assert_eq!(only_build(&all, 40, BuildDetail::Short).as_deref(), Some("clang 22.1.8 -O2 -g"));
        assert_eq!(build_lines(&all, 80, BuildDetail::Short), [""; 0]);
        let short = only_build(&all, 15, BuildDetail::Short).expect("one way");
        assert!(width_of(&short) <= 15, "{short}");
        assert_eq!(only_build(&all, 15, BuildDetail::Full).as_deref(), Some("clang 22.1.8 -O2 -g"));
    }

    #[test]
    fn each_way_has_a_line() {
        let all =
            [group(&["c.f90"], "flang 22.1.8", "-O2"), group(&["a.c", "b.c"], "clang 22.1.8", "-O2 -g")];
        let lines = build_lines(&all, 80, BuildDetail::Short);
        assert_eq!(lines, ["a.c, b.c: clang 22.1.8 -O2 -g", "c.f90: flang 22.1.8 -O2"]);
        assert_eq!(only_build(&all, 80, BuildDetail::Short), None);
    }

    #[test]
    fn bitcode_does_not_claim_flags_of_its_front_end() {
        let given = BuildGroup { anchor: Anchor::File, ..group(&["a.ll"], "rustc 1.95.0", "-O2") };
        let text = only_build(&[given], 80, BuildDetail::Short);
        assert_eq!(text.as_deref(), Some("bitcode of rustc 1.95.0, codegen -O2"));
    }

    #[test]
    fn of_many_modules_those_that_fit_are_named() {
        let names: Vec<String> = (0..20).map(|at| format!("m{at}.c")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let all = [group(&names, "clang 22.1.8", "-O2"), group(&["other.c"], "clang 22.1.8", "-O3")];
        let lines = build_lines(&all, 60, BuildDetail::Short);
        assert_eq!(lines[0], "m0.c, m1.c, m2.c and 17 more: clang 22.1.8 -O2");
    }

    #[test]
    fn many_modules_and_many_ways_fit() {
        let names: Vec<String> = (0..40).map(|at| format!("source/of/a/long/path/module_{at}.c")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let flags = ["-DSOME_LONG_NAME=1"; 9].join(" ");
        let mut all = vec![group(&names, "clang 22.1.8", &flags)];
        all.extend(names.iter().map(|name| group(&[name], "clang 22.1.8", name)));
        let lines = build_lines(&all, 80, BuildDetail::Short);
        assert_eq!(lines.len(), 4);
        assert!(lines.iter().all(|line| width_of(line) <= 80), "{lines:?}");
        // No name fits into half of the width: their number stands there.
        assert!(
            lines[0].starts_with("40 modules: ") && lines[3] == "38 modules in 38 more ways (--full)",
            "{lines:?}"
        );
        let full = build_lines(&all, 80, BuildDetail::Full);
        assert!(full.len() == 41 && full[0].contains(names[39]) && full[0].ends_with(&flags), "{full:?}");
    }
}
