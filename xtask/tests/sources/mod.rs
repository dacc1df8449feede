//! The product code of all rooms, read by module; and lists that only get shorter.
//!
//! Checks of the layout ask different questions of the same sources. Here a room is read (`syn`)
//! from `lib.rs`, `main.rs` and the programs of `bin` along their `mod` lines. Each module comes
//! with its own items. Modules inside of it are modules of their own, and what is there in tests
//! only is left out. What stands against a rule today is written in a list beside the check. A
//! list is compared with what is true: a new line is an error, and so is one that is true no more.
//!
//! Input: the sources below `crates/*/src` and `xtask/src`. Output: modules; a text that says
//! what to do. Limits: what macros make is not seen. Cost: one pass over all sources.

#![allow(dead_code, reason = "each check uses a part of it")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root").to_owned()
}

/// One module of a room.
pub(crate) struct Module {
    /// `a::b` by its parts; the root is empty.
    pub(crate) path: Vec<String>,
    /// The file that it stands in.
    pub(crate) file: PathBuf,
    /// Its own items: no modules, and nothing of tests.
    pub(crate) items: Vec<syn::Item>,
}

/// Whether something is there in tests only.
pub(crate) fn is_of_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|one| {
        let syn::Meta::List(list) = &one.meta else { return false };
        let text = list.tokens.to_string();
        let has = |word: &str| text.split(|letter: char| !letter.is_alphanumeric()).any(|one| one == word);
        one.path().is_ident("cfg") && has("test") && !has("not")
    })
}

/// The names of all rooms, sorted; `xtask` is the last.
pub(crate) fn rooms() -> Vec<String> {
    let crates = std::fs::read_dir(root().join("crates")).expect("the folder of rooms can be read");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.expect("a room").file_name().to_string_lossy().into_owned()
    };
    let mut rooms: Vec<String> = crates.map(name).collect();
    rooms.sort();
    rooms.push("xtask".to_owned());
    rooms
}

/// The modules of a room, by its name.
pub(crate) fn modules_of(room: &str) -> Vec<Module> {
    let folder = if room == "xtask" { root().join(room) } else { root().join("crates").join(room) };
    modules_below(&folder.join("src"))
}

/// The modules of a room whose `lib.rs` or `main.rs` lies in this folder. A program of `bin` is a
/// module `bin::NAME`.
pub(crate) fn modules_below(source: &Path) -> Vec<Module> {
    let mut modules = Vec::new();
    for start in ["lib.rs", "main.rs"].map(|name| source.join(name)).into_iter().filter(|path| path.exists())
    {
        read_file(&start, source, Vec::new(), &mut modules);
    }
    let programs = std::fs::read_dir(source.join("bin")).into_iter().flatten();
    let mut programs: Vec<PathBuf> = programs.map(|entry| entry.expect("a program").path()).collect();
    programs.sort();
    for program in programs {
        let name = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        read_file(&program, &source.join("bin"), vec!["bin".to_owned(), name], &mut modules);
    }
    modules
}

/// Reads a file and the files of its modules, which lie in `folder`.
fn read_file(path: &Path, folder: &Path, module: Vec<String>, modules: &mut Vec<Module>) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    read_items(
        file.items,
        Module { path: module, file: path.to_owned(), items: Vec::new() },
        folder,
        modules,
    );
}

fn read_items(items: Vec<syn::Item>, mut module: Module, folder: &Path, modules: &mut Vec<Module>) {
    for item in items.into_iter().filter(|item| !is_of_tests(attributes_of(item))) {
        let syn::Item::Mod(inner) = item else {
            module.items.push(item);
            continue;
        };
        let name = inner.ident.to_string();
        let (below, path) = (folder.join(&name), [&module.path[..], std::slice::from_ref(&name)].concat());
        let candidates =
            [named_path(&inner, folder), Some(folder.join(format!("{name}.rs"))), Some(below.join("mod.rs"))];
        if let Some((_, items)) = inner.content {
            let inner = Module { path, file: module.file.clone(), items: Vec::new() };
            read_items(items, inner, &below, modules);
        } else if let Some(file) = candidates.into_iter().flatten().find(|path| path.exists()) {
            read_file(&file, &below, path, modules);
        }
    }
    modules.push(module);
}

/// The file that `#[path]` names.
fn named_path(module: &syn::ItemMod, folder: &Path) -> Option<PathBuf> {
    let attribute = module.attrs.iter().find(|one| one.path().is_ident("path"))?;
    match &attribute.meta {
        syn::Meta::NameValue(syn::MetaNameValue {
            value: syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }),
            ..
        }) => Some(folder.join(text.value())),
        _ => None,
    }
}

fn attributes_of(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(one) => &one.attrs,
        syn::Item::Enum(one) => &one.attrs,
        syn::Item::Fn(one) => &one.attrs,
        syn::Item::ForeignMod(one) => &one.attrs,
        syn::Item::Impl(one) => &one.attrs,
        syn::Item::Macro(one) => &one.attrs,
        syn::Item::Mod(one) => &one.attrs,
        syn::Item::Static(one) => &one.attrs,
        syn::Item::Struct(one) => &one.attrs,
        syn::Item::Trait(one) => &one.attrs,
        syn::Item::Type(one) => &one.attrs,
        syn::Item::Union(one) => &one.attrs,
        syn::Item::Use(one) => &one.attrs,
        _ => &[],
    }
}

/// Fails if the list in `xtask/tests` is not what was found, and says what to do.
///
/// Each line that was found comes with where it is and what to do there. With
/// `OPCOST_LISTS=write` the list is written as it is found: for lines that are gone, and for
/// things that moved. A list that grows by it needs a reason in its commit.
pub(crate) fn hold_list(name: &str, found: &BTreeMap<String, String>) {
    let list = List::read(name);
    if List::is_to_be_written() {
        return list.write(found.keys().cloned());
    }
    let mut objections = list.disorder();
    for (line, advice) in found.iter().filter(|(line, _)| !list.lines.contains(line)) {
        objections.push(format!("new: {line}\n     {advice}"));
    }
    for line in list.lines.iter().filter(|line| !found.contains_key(*line)) {
        objections.push(format!("gone: {line}\n     Good. Take this line out of xtask/tests/{name}."));
    }
    list.judge(&objections);
}

/// The same of counts: a line ends in a number, which may only fall.
pub(crate) fn hold_counts(name: &str, found: &BTreeMap<String, (usize, String)>) {
    let list = List::read(name);
    if List::is_to_be_written() {
        return list.write(found.iter().map(|(line, (count, _))| format!("{line} {count}")));
    }
    let mut objections = list.disorder();
    let mut listed = BTreeMap::new();
    for line in &list.lines {
        match line.rsplit_once(' ').map(|(line, count)| (line, count.parse::<usize>())) {
            Some((line, Ok(count))) => _ = listed.insert(line, count),
            _ => objections.push(format!("xtask/tests/{name}: `{line}` does not end in a number")),
        }
    }
    for (line, (count, advice)) in found {
        let known = listed.get(line.as_str()).copied().unwrap_or(0);
        if *count > known {
            objections.push(format!("more: {line} {count}, where {known} were\n     {advice}"));
        }
    }
    for (line, known) in listed {
        let count = found.get(line).map_or(0, |(count, _)| *count);
        if count < known {
            let what =
                if count == 0 { "Take this line out of".to_owned() } else { format!("Write {count} in") };
            objections.push(format!(
                "fewer: {line} {count}, where {known} were\n     Good. {what} xtask/tests/{name}."
            ));
        }
    }
    list.judge(&objections);
}

/// A list beside the checks.
struct List {
    name: String,
    /// What it says of itself.
    head: Vec<String>,
    lines: Vec<String>,
}

impl List {
    fn path(name: &str) -> PathBuf {
        root().join("xtask/tests").join(name)
    }

    fn read(name: &str) -> Self {
        let text = std::fs::read_to_string(Self::path(name))
            .unwrap_or_else(|error| panic!("xtask/tests/{name}: {error}"));
        let (head, lines) = text.lines().map(str::to_owned).partition(|line| line.starts_with('#'));
        Self { name: name.to_owned(), head, lines }
    }

    fn is_to_be_written() -> bool {
        std::env::var_os("OPCOST_LISTS").is_some_and(|value| value == "write")
    }

    fn write(&self, lines: impl Iterator<Item = String>) {
        let all: Vec<String> = self.head.iter().cloned().chain(lines).collect();
        std::fs::write(Self::path(&self.name), all.join("\n") + "\n").expect("the list can be written");
    }

    /// Lines that are twice, or not in order: two people who take lines out should not meet.
    fn disorder(&self) -> Vec<String> {
        let is_in_order = self.lines.windows(2).all(|two| two[0] < two[1]);
        let objection = format!("xtask/tests/{} is not sorted, or has a line twice. Sort it.", self.name);
        if is_in_order { Vec::new() } else { vec![objection] }
    }

    fn judge(&self, objections: &[String]) {
        let check = self.name.trim_end_matches(".txt");
        assert!(
            objections.is_empty(),
            "xtask/tests/{} is not what the sources say; it may only get shorter.\n\
             Where things only moved or went: OPCOST_LISTS=write cargo test -p xtask --test {check}\n\n{}\n",
            self.name,
            objections.join("\n")
        );
    }
}
