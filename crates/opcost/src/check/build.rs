//! With what were limits recorded, and is the program still built so?
//!
//! Compiler, flags, target and cost model. Of a program that is built in several ways each module has its
//! own compiler and flags, and they compare module by module. A file of an earlier version tells those of
//! one module only; then these are held against the first one.

use std::collections::BTreeMap;

use opcost_answer::check::{RecordedBuild, RecordedCheck};
use opcost_answer::count::CountFacts;
use opcost_profile::{BuildGroup, BuildValues, build_values, unlike_builds};

/// What is recorded of this build.
pub(super) fn recorded(facts: &CountFacts) -> RecordedCheck {
    let group = |group: &BuildGroup| RecordedBuild {
        modules: group.modules.clone(),
        compiler: group.build.compiler.clone(),
        flags: group.build.flags.clone(),
    };
    RecordedCheck {
        compiler: facts.first(|group| group.build.compiler.clone()),
        flags: facts.first(|group| group.build.flags.clone()),
        target: facts.first(|group| group.build.target.clone()),
        cost_model: facts.cost_model.clone(),
        reason: String::new(),
        instructions: None,
        functions: BTreeMap::new(),
        builds: if facts.groups.len() > 1 { facts.groups.iter().map(group).collect() } else { Vec::new() },
    }
}

/// What differs from what the limits were recorded with.
pub(super) fn unlike(before: &RecordedCheck, facts: &CountFacts) -> Vec<String> {
    let now = recorded(facts);
    let own = |was: &str, is: &str| (was != is).then(|| [was.to_owned(), is.to_owned()]);
    let builds = |was: fn(&RecordedBuild) -> String, is: fn(&BuildGroup) -> String| {
        unlike_builds(&values(&before.builds, was), &build_values(&facts.groups, is))
    };
    let [compiler, flags] = if before.builds.is_empty() {
        [own(&before.compiler, &now.compiler), own(&before.flags.join(" "), &now.flags.join(" "))]
    } else {
        [
            builds(|was| was.compiler.clone(), |is| is.build.compiler.clone()),
            builds(|was| was.flags.join(" "), |is| is.build.flags.join(" ")),
        ]
    };
    let all = [
        ("compiler", compiler),
        ("flags", flags),
        ("target", own(&before.target, &now.target)),
        ("cost model", own(&before.cost_model, &now.cost_model)),
    ];
    let differing = all.into_iter().filter_map(|(what, both)| Some((what, both?)));
    differing.map(|(what, [was, is])| format!("{what}: recorded '{was}', now '{is}'")).collect()
}

/// What each module was recorded with.
fn values(builds: &[RecordedBuild], value: impl Fn(&RecordedBuild) -> String) -> BuildValues<'_> {
    let values = builds.iter().map(|build| (&build.modules, value(build)));
    values.flat_map(|(modules, value)| modules.iter().map(move |module| (&**module, value.clone()))).collect()
}
