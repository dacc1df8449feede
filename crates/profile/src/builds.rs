//! In which ways were the modules of a program built?
//!
//! A program may hold modules of several compilers, and of several sets of flags. Modules that were built
//! in one way are a group. Two programs were built alike if each module of both was built in one way, and
//! the others in ways that both have: then their counts compare.
//!
//! Input: modules with facts about their builds. Output: [`BuildGroup`]s, in the order of their first
//! modules. Cost: modules * groups.

use std::collections::{BTreeMap, BTreeSet};

use opcost_key::{Anchor, BuildFacts};

use crate::ModuleFacts;

/// Modules that were built in one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildGroup {
    /// The modules, in the order of the program.
    pub modules: Vec<String>,
    /// State of the modules at which instructions got their identity.
    pub anchor: Anchor,
    /// Compiler, flags, target.
    pub build: BuildFacts,
}

impl BuildGroup {
    /// The groups of a program's modules.
    pub fn of<'a>(modules: impl IntoIterator<Item = &'a ModuleFacts>) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        for ModuleFacts { module, anchor, build, .. } in modules {
            let is_one_way = |group: &&mut Self| group.anchor == *anchor && is_alike(&group.build, build);
            match groups.iter_mut().find(is_one_way) {
                Some(group) => group.modules.push(module.clone()),
                None => {
                    groups.push(Self { modules: vec![module.clone()], anchor: *anchor, build: build.clone() })
                }
            }
        }
        groups
    }
}

fn is_alike(one: &BuildFacts, other: &BuildFacts) -> bool {
    one.compiler == other.compiler && one.flags == other.flags && one.target == other.target
}

/// Modules that are named, at most, in addition to what they were built with.
const NAMED: usize = 3;

/// What each module was built with, in words: its compiler, say.
pub type BuildValues<'a> = BTreeMap<&'a str, String>;

/// A value of each module of these groups.
pub fn build_values(groups: &[BuildGroup], value: impl Fn(&BuildGroup) -> String) -> BuildValues<'_> {
    let values = groups.iter().map(|group| (&group.modules, value(group)));
    values.flat_map(|(modules, value)| modules.iter().map(move |module| (&**module, value.clone()))).collect()
}

/// A value of two programs that were not built alike, in words: before, and after.
pub fn unlike_builds(before: &BuildValues<'_>, after: &BuildValues<'_>) -> Option<[String; 2]> {
    let is_moved = before.iter().any(|(module, value)| after.get(module).is_some_and(|now| now != value));
    let all = |values: &BuildValues<'_>| values.values().cloned().collect::<BTreeSet<_>>();
    (is_moved || all(before) != all(after)).then(|| [before, after].map(in_words))
}

/// `clang 22.1.8`; of several `clang 22.1.8 (a.c, b.c) and flang 22.1.8 (c.f90)`.
fn in_words(values: &BuildValues<'_>) -> String {
    let mut modules: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (module, value) in values {
        modules.entry(value).or_default().push(module);
    }
    if let (Some((&only, _)), 1) = (modules.first_key_value(), modules.len()) {
        return only.to_owned();
    }
    let groups = modules.into_iter().map(|(value, modules)| format!("{value} ({})", some_of(&modules)));
    groups.collect::<Vec<_>>().join(" and ")
}

fn some_of(modules: &[&str]) -> String {
    let named = modules[..modules.len().min(NAMED)].join(", ");
    match modules.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use opcost_key::{Anchor, BuildFacts, Hash128};

    use super::{BuildGroup, build_values, unlike_builds};
    use crate::ModuleFacts;

    fn groups(modules: &[(&str, &str, &str)]) -> Vec<BuildGroup> {
        let facts = modules.iter().map(|&(module, compiler, flag)| ModuleFacts {
            module: module.into(),
            map: Hash128(1),
            anchor: Anchor::Optimized,
            build: BuildFacts { compiler: compiler.into(), flags: vec![flag.into()], ..Default::default() },
        });
        BuildGroup::of(&facts.collect::<Vec<_>>())
    }

    fn flags(before: &[BuildGroup], after: &[BuildGroup]) -> Option<[String; 2]> {
        let value = |group: &BuildGroup| group.build.flags.join(" ");
        unlike_builds(&build_values(before, value), &build_values(after, value))
    }

    #[test]
    fn modules_of_one_way_are_a_group() {
        let groups = groups(&[("a.c", "clang", "-O2"), ("c.f90", "flang", "-O2"), ("b.c", "clang", "-O2")]);
        let modules: Vec<_> = groups.iter().map(|group| group.modules.join(" ")).collect();
        assert_eq!(modules, ["a.c b.c", "c.f90"]);
    }

    #[test]
    fn a_module_that_changes_its_group_is_noticed() {
        let [one, other] = [("-O2", "-O3"), ("-O3", "-O2")]
            .map(|(a, b)| groups(&[("a.c", "clang", a), ("b.c", "clang", b)]));
        assert_eq!(flags(&one, &one), None);
        let words = flags(&one, &other).expect("both changed");
        assert_eq!(words, ["-O2 (a.c) and -O3 (b.c)", "-O2 (b.c) and -O3 (a.c)"]);
    }

    #[test]
    fn a_new_module_of_a_way_that_there_was_is_alike() {
        let before = groups(&[("a.c", "clang", "-O2"), ("b.c", "clang", "-O3")]);
        let after = groups(&[("a.c", "clang", "-O2"), ("b.c", "clang", "-O3"), ("src/c.c", "clang", "-O3")]);
        assert_eq!(flags(&before, &after), None);
        let after = groups(&[("a.c", "clang", "-O2"), ("b.c", "clang", "-O3"), ("c.c", "clang", "-O1")]);
        assert!(flags(&before, &after).is_some_and(|words| words[1].contains("-O1 (c.c)")));
        // Nor does it matter what a module is called, if all are built in one way.
        assert_eq!(flags(&groups(&[("a.c", "clang", "-O2")]), &groups(&[("b.c", "clang", "-O2")])), None);
    }

    #[test]
    fn many_modules_are_counted() {
        let many: Vec<String> = (0..7).map(|at| format!("{at}.c")).collect();
        let mut modules: Vec<(&str, &str, &str)> =
            many.iter().map(|name| (&**name, "clang", "-O2")).collect();
        modules.push(("x.c", "clang", "-O0"));
        let words = flags(&groups(&modules), &groups(&[("0.c", "clang", "-O1")])).expect("unlike");
        assert_eq!(words, ["-O0 (x.c) and -O2 (0.c, 1.c, 2.c and 4 more)", "-O1"]);
    }
}
