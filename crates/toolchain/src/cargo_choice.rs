//! Which program does a line of `cargo opcost` mean?
//!
//! `cargo rustc`, which builds it, wants one target by its name. `cargo run` needs none where there is only one
//! program, and neither does this: `cargo metadata` lists packages and targets, and the choice is made as `cargo run`
//! makes it. The packages are the one in this folder, those that `-p` names, or the members of a workspace that has no
//! package of its own. A name finds its package among all members. `default-run` decides among several.
//!
//! Input: cargo's options, and what `cargo metadata --no-deps` says. Output: `-p PACKAGE` and the target, or what there
//! is in place of what was asked for. Cost: one start of cargo. Limit: a package that is no member is left to cargo.

use std::ffi::OsString;
use std::path::Path;

use opcost_answer::Failure;
use serde_json::Value;

/// What cargo can build and is no program to be run.
const OTHERS: [(&str, &str, &str); 4] = [
    ("--bench", "bench", "benches"),
    ("--test", "test", "tests"),
    ("--benches", "bench", "benches"),
    ("--tests", "test", "tests"),
];

/// Options that choose more than one target, or none that runs.
const MANY: [&str; 7] =
    ["--bins", "--examples", "--lib", "--all-targets", "--workspace", "--all", "--exclude"];

/// A program that can be built.
#[derive(Clone, Copy)]
struct Target<'a> {
    package: &'a str,
    /// `bin` or `example`.
    kind: &'a str,
    name: &'a str,
}

impl Target<'_> {
    fn words(&self) -> [OsString; 2] {
        [format!("--{}", self.kind).into(), self.name.into()]
    }
}

/// Cargo's options with the package and the target named; `manifest` is the one that cargo finds.
///
/// # Errors
/// There is no such program, or several have that name.
pub fn chosen(
    given: &[OsString],
    metadata: &Value,
    manifest: Option<&Path>,
) -> Result<Vec<OsString>, Failure> {
    let (asked, mut rest) = Selection::take(given);
    let members = list(&metadata["packages"]);
    let packages = match &asked.package {
        Some(spec) => members.iter().filter(|one| is_selected(spec, one)).collect(),
        None => here(metadata, manifest, members),
    };
    if packages.is_empty() {
        // Cargo says what is wrong with it.
        return Ok(given.to_vec());
    }
    let target = match &asked.target {
        Some((kind, name)) => named(kind, name, &packages, &asked, members)?,
        None => only(&packages, members)?,
    };
    // A package that was named in another way is named so again.
    rest.extend(["-p".into(), asked.package.unwrap_or_else(|| target.package.to_owned()).into()]);
    rest.extend(target.words());
    Ok(rest)
}

/// What the line asks for, taken out of cargo's options.
struct Selection {
    package: Option<String>,
    /// Its kind (`bin`, `example`) and name.
    target: Option<(&'static str, String)>,
}

impl Selection {
    fn take(given: &[OsString]) -> (Selection, Vec<OsString>) {
        let (mut asked, mut rest) = (Selection { package: None, target: None }, Vec::new());
        let mut words = given.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().map(|value| value.to_string_lossy().into_owned());
            match word.to_str() {
                Some("-p" | "--package") => asked.package = value(),
                Some("--bin") => asked.target = value().map(|name| ("bin", name)),
                Some("--example") => asked.target = value().map(|name| ("example", name)),
                _ => rest.push(word.clone()),
            }
        }
        (asked, rest)
    }
}

/// The packages that cargo means where none is named.
fn here<'a>(metadata: &Value, manifest: Option<&Path>, members: &'a [Value]) -> Vec<&'a Value> {
    let is_it = |one: &&Value| {
        manifest.is_some_and(|path| one["manifest_path"].as_str().map(Path::new) == Some(path))
    };
    let root = metadata["workspace_root"].as_str().map(|root| Path::new(root).join("Cargo.toml"));
    if manifest != root.as_deref()
        && let Some(own) = members.iter().find(is_it)
    {
        return vec![own];
    }
    let default = list(&metadata["workspace_default_members"]);
    members.iter().filter(|one| default.is_empty() || default.contains(&one["id"])).collect()
}

/// Whether `-p` means this member: by its name, with its version, or as cargo writes it in full.
fn is_selected(spec: &str, package: &Value) -> bool {
    let name = text(&package["name"]);
    let id = text(&package["id"]);
    let with_version = |mark: &str| format!("{name}{mark}{}", text(&package["version"]));
    spec == name || spec == id || spec == with_version("@") || spec == with_version(":")
}

/// The programs of one kind in some packages.
fn programs<'a>(packages: &[&'a Value], kind: &'a str) -> Vec<Target<'a>> {
    let of = |package: &'a Value| {
        let targets = list(&package["targets"]).iter();
        targets
            .filter(move |one| list(&one["kind"]).iter().any(|given| given == kind))
            .map(move |one| Target { package: text(&package["name"]), kind, name: text(&one["name"]) })
    };
    packages.iter().flat_map(|package| of(package)).collect()
}

/// The program of this name; without `-p` in whichever package has it.
fn named<'a>(
    kind: &'static str,
    name: &str,
    packages: &[&'a Value],
    asked: &Selection,
    members: &'a [Value],
) -> Result<Target<'a>, Failure> {
    let all: Vec<&Value> = members.iter().collect();
    let scope = if asked.package.is_some() { packages } else { &all };
    for among in [packages, scope] {
        let fitting: Vec<Target> =
            programs(among, kind).into_iter().filter(|target| target.name == name).collect();
        match fitting.as_slice() {
            [] => {}
            [target] => return Ok(*target),
            several => {
                let places: Vec<String> = several.iter().map(|one| format!("-p {}", one.package)).collect();
                return Err(Failure::Usage(format!(
                    "several packages have the {} {name}: name one with {}",
                    plain(kind),
                    places.join(" or ")
                )));
            }
        }
    }
    let asked = format!("there is no {} {name} in {}", plain(kind), shown_packages(scope));
    Err(Failure::Usage(format!("{asked}; {}", what_there_is(scope))))
}

/// The only program, or the one that `default-run` names.
fn only<'a>(packages: &[&'a Value], members: &'a [Value]) -> Result<Target<'a>, Failure> {
    let programs = programs(packages, "bin");
    if let [program] = programs.as_slice() {
        return Ok(*program);
    }
    let is_default = |target: &&Target| {
        packages.iter().any(|one| one["name"] == target.package && one["default_run"] == target.name)
    };
    let mut defaults = programs.iter().filter(is_default);
    if let (Some(program), None) = (defaults.next(), defaults.next()) {
        return Ok(*program);
    }
    let what = if programs.is_empty() {
        format!("{} has no program of its own", shown_packages(packages))
    } else {
        format!("{} has {} programs, and one is built", shown_packages(packages), programs.len())
    };
    let is_any = ["bin", "example"].into_iter().any(|kind| !self::programs(packages, kind).is_empty());
    let all: Vec<&Value> = members.iter().collect();
    Err(Failure::Usage(format!("{what}; {}", what_there_is(if is_any { packages } else { &all }))))
}

/// Refuses what cargo knows and this does not build, in the words of the line.
///
/// # Errors
/// There is such a word.
pub fn refuse_others(words: &[OsString], metadata: impl FnOnce() -> Value) -> Result<(), Failure> {
    let is_given = |option: &str, word: &str| {
        word == option || word.strip_prefix(option).is_some_and(|rest| rest.starts_with('='))
    };
    for (at, word) in words.iter().enumerate() {
        let word = word.to_string_lossy();
        let value = || match word.split_once('=') {
            Some((_, value)) => Some(value.to_owned()),
            None => words.get(at + 1).map(|next| next.to_string_lossy().into_owned()),
        };
        if let Some((option, kind, plural)) = OTHERS.iter().find(|(option, ..)| is_given(option, &word)) {
            let name = value().filter(|name| !option.ends_with('s') && !name.starts_with('-'));
            return Err(Failure::Usage(other(kind, plural, name, &metadata())));
        }
        if MANY.iter().any(|option| is_given(option, &word)) {
            let metadata = metadata();
            let packages: Vec<&Value> = list(&metadata["packages"]).iter().collect();
            return Err(Failure::Usage(format!(
                "cargo opcost builds one program and runs it, so {word} has no meaning here; {}",
                what_there_is(&packages)
            )));
        }
        if is_given("--target", &word) {
            return Err(Failure::Usage(
                "the program is run here, so it is built for this machine: leave out --target".to_owned(),
            ));
        }
    }
    Ok(())
}

/// What is said of a bench or a test.
fn other(kind: &str, plural: &str, name: Option<String>, metadata: &Value) -> String {
    let packages: Vec<&Value> = list(&metadata["packages"]).iter().collect();
    let known = programs(&packages, kind);
    let first = match name {
        Some(name) if known.iter().any(|one| one.name == name) => {
            format!("{name} is a {kind}, and cargo opcost builds programs and examples only")
        }
        Some(name) => format!("there is no {kind} {name}, and {plural} are not built by cargo opcost"),
        None => format!("{plural} are not built by cargo opcost"),
    };
    format!(
        "{first}: make an example of its work (examples/NAME.rs, --example NAME); {}",
        what_there_is(&packages)
    )
}

/// The programs and examples that can be named, as options.
fn what_there_is(packages: &[&Value]) -> String {
    const SHOWN: usize = 12;
    let all: Vec<Target> = ["bin", "example"].into_iter().flat_map(|kind| programs(packages, kind)).collect();
    let is_one_package = packages.len() == 1;
    let mut words: Vec<String> = all.iter().take(SHOWN).map(|one| option(one, is_one_package)).collect();
    if all.len() > SHOWN {
        words.push(format!("{} more", all.len() - SHOWN));
    }
    if words.is_empty() {
        return "there are no programs and no examples: make one (src/main.rs, or examples/NAME.rs)"
            .to_owned();
    }
    format!("there is: {}", words.join(", "))
}

fn option(target: &Target, is_one_package: bool) -> String {
    let package = if is_one_package { String::new() } else { format!("-p {} ", target.package) };
    format!("{package}--{} {}", target.kind, target.name)
}

fn shown_packages(packages: &[&Value]) -> String {
    match packages {
        [one] => format!("the package {}", text(&one["name"])),
        _ => "this workspace".to_owned(),
    }
}

fn plain(kind: &str) -> &str {
    if kind == "bin" { "program" } else { kind }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
