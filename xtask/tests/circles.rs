//! Does a module import itself through others?
//!
//! A room is divided into files by question, and then imports go one way inside of it too. Where
//! a file was cut by length, its halves need each other. Here the modules of each room are
//! read (`syn`), their paths are followed through re-exports to the module that defines
//! the name, and every module that can be reached from itself is one in a circle.
//! `circles.txt` lists those that there are; the list only gets shorter.
//!
//! Limits: what macros make is not seen; a glob import is one of the module that it names.
//! Code of tests is left out. Cost: one pass over all sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::Visit;

/// `a::b` of a room, by its parts; the root is empty.
type Module = Vec<String>;

/// The modules of one room.
#[derive(Default)]
struct Room {
    /// Of each module the paths that its code names, as they stand there.
    named: BTreeMap<Module, BTreeSet<Vec<String>>>,
    /// Of each module the names that it hands on, and the path of each.
    handed: BTreeMap<Module, BTreeMap<String, Vec<String>>>,
    /// Modules whose names one hands on all together.
    all_of: BTreeMap<Module, Vec<Vec<String>>>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root").to_owned()
}

/// Whether an item is there in tests only.
fn is_of_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|one| {
        one.path().is_ident("cfg")
            && matches!(&one.meta, syn::Meta::List(list) if list.tokens.to_string().contains("test"))
    })
}

impl Room {
    fn of(source: &Path) -> Room {
        let mut room = Room::default();
        for start in
            ["lib.rs", "main.rs"].map(|name| source.join(name)).into_iter().filter(|path| path.exists())
        {
            room.file(&start, source, Vec::new());
        }
        room
    }

    /// Reads a file and the files of its modules, which lie in `folder`.
    fn file(&mut self, path: &Path, folder: &Path, module: Module) {
        let text =
            std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        self.named.entry(module.clone()).or_default();
        self.items(&file.items, folder, &module);
    }

    fn items(&mut self, items: &[syn::Item], folder: &Path, module: &Module) {
        let mut paths = Paths::default();
        for item in items {
            match item {
                syn::Item::Mod(inner) if !is_of_tests(&inner.attrs) => self.inner(inner, folder, module),
                syn::Item::Use(import) if !is_of_tests(&import.attrs) => self.import(import, module),
                syn::Item::Mod(_) | syn::Item::Use(_) => {}
                syn::Item::Fn(one) if is_of_tests(&one.attrs) => {}
                syn::Item::Impl(one) if is_of_tests(&one.attrs) => {}
                other => paths.visit_item(other),
            }
        }
        self.named.entry(module.clone()).or_default().extend(paths.0);
    }

    fn inner(&mut self, inner: &syn::ItemMod, folder: &Path, module: &Module) {
        let name = inner.ident.to_string();
        let (below, child) = (folder.join(&name), [&module[..], std::slice::from_ref(&name)].concat());
        if let Some((_, items)) = &inner.content {
            return self.items(items, &below, &child);
        }
        let named =
            inner.attrs.iter().find(|one| one.path().is_ident("path")).and_then(|one| match &one.meta {
                syn::Meta::NameValue(pair) => match &pair.value {
                    syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => {
                        Some(folder.join(text.value()))
                    }
                    _ => None,
                },
                _ => None,
            });
        let candidates = [named, Some(folder.join(format!("{name}.rs"))), Some(below.join("mod.rs"))];
        if let Some(path) = candidates.into_iter().flatten().find(|path| path.exists()) {
            self.file(&path, &below, child);
        }
    }

    fn import(&mut self, import: &syn::ItemUse, module: &Module) {
        let is_handed_on = !matches!(import.vis, syn::Visibility::Inherited);
        let mut leaves = Vec::new();
        leaves_of(&import.tree, Vec::new(), &mut leaves);
        for (path, name) in leaves {
            match (is_handed_on, name) {
                (true, Some(name)) => _ = self.handed.entry(module.clone()).or_default().insert(name, path),
                (true, None) => self.all_of.entry(module.clone()).or_default().push(path),
                (false, _) => _ = self.named.entry(module.clone()).or_default().insert(path),
            }
        }
    }

    /// The module that defines what a path names, seen from `from`; none if it is of another room.
    fn defines(&self, from: &Module, path: &[String], depth: usize) -> Option<Module> {
        let (mut at, mut rest) = (from.clone(), path);
        match path.first()?.as_str() {
            "crate" => (at, rest) = (Vec::new(), &path[1..]),
            "self" => rest = &path[1..],
            "super" => {
                while let Some("super") = rest.first().map(String::as_str) {
                    at.pop()?;
                    rest = &rest[1..];
                }
            }
            first => {
                let is_here = self.named.contains_key(&[&from[..], &[first.to_owned()]].concat());
                let is_handed = self.handed.get(from).is_some_and(|names| names.contains_key(first));
                if !is_here && !is_handed {
                    return None;
                }
            }
        }
        while let Some(next) = rest.first() {
            let child = [&at[..], std::slice::from_ref(next)].concat();
            if self.named.contains_key(&child) {
                (at, rest) = (child, &rest[1..]);
                continue;
            }
            if depth > 8 {
                return Some(at);
            }
            if let Some(path) = self.handed.get(&at).and_then(|names| names.get(next)) {
                return self.defines(&at, path, depth + 1).or(Some(at));
            }
            // Handed on with all others of a module: of the first that may define it.
            let all = self.all_of.get(&at).into_iter().flatten();
            let all: Vec<Module> = all.filter_map(|path| self.defines(&at, path, depth + 1)).collect();
            return Some(match all.as_slice() {
                [only] => only.clone(),
                _ => at,
            });
        }
        Some(at)
    }

    /// Of each module those that it imports.
    fn imports(&self) -> BTreeMap<&Module, BTreeSet<Module>> {
        let of = |(module, paths): (_, &BTreeSet<Vec<String>>)| {
            let found = paths.iter().filter_map(|path| self.defines(module, path, 0));
            (module, found.filter(|other| other != module).collect())
        };
        self.named.iter().map(of).collect()
    }

    /// Modules that can be reached from themselves.
    fn circles(&self) -> BTreeSet<Module> {
        let imports = self.imports();
        let is_in_one = |start: &Module| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![start]);
            while let Some(module) = open.pop() {
                for next in imports.get(module).into_iter().flatten() {
                    if next == start {
                        return true;
                    }
                    if seen.insert(next) {
                        open.push(next);
                    }
                }
            }
            false
        };
        self.named.keys().filter(|module| is_in_one(module)).cloned().collect()
    }
}

/// The paths of an import, each with the name that it gets here; none of `*`.
fn leaves_of(tree: &syn::UseTree, mut path: Vec<String>, leaves: &mut Vec<(Vec<String>, Option<String>)>) {
    match tree {
        syn::UseTree::Path(one) => {
            path.push(one.ident.to_string());
            leaves_of(&one.tree, path, leaves);
        }
        syn::UseTree::Name(one) => {
            let name = one.ident.to_string();
            let own = path.last().cloned();
            if name != "self" {
                path.push(name.clone());
            }
            leaves.push((path, Some(if name == "self" { own.unwrap_or(name) } else { name })));
        }
        syn::UseTree::Rename(one) => {
            path.push(one.ident.to_string());
            leaves.push((path, Some(one.rename.to_string())));
        }
        syn::UseTree::Glob(_) => leaves.push((path, None)),
        syn::UseTree::Group(group) => {
            group.items.iter().for_each(|tree| leaves_of(tree, path.clone(), leaves));
        }
    }
}

/// Paths of more than one part that code names.
#[derive(Default)]
struct Paths(BTreeSet<Vec<String>>);

impl<'ast> Visit<'ast> for Paths {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 && path.leading_colon.is_none() {
            self.0.insert(path.segments.iter().map(|part| part.ident.to_string()).collect());
        }
        syn::visit::visit_path(self, path);
    }
}

/// All rooms, and `xtask`, with the modules of each that are in a circle.
fn found() -> BTreeSet<String> {
    let crates = std::fs::read_dir(root().join("crates")).expect("rooms");
    let mut rooms: Vec<PathBuf> = crates.map(|entry| entry.expect("a room").path()).collect();
    rooms.push(root().join("xtask"));
    rooms.sort();
    let mut all = BTreeSet::new();
    for room in rooms {
        let name = room.file_name().expect("a name").to_string_lossy().into_owned();
        for module in Room::of(&room.join("src")).circles() {
            all.insert([std::slice::from_ref(&name), &module[..]].concat().join("::"));
        }
    }
    all
}

#[test]
fn no_module_is_new_in_a_circle() {
    let found = found();
    let list = std::fs::read_to_string(root().join("xtask/tests/circles.txt")).expect("circles.txt");
    let listed: BTreeSet<String> =
        list.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
    let new: Vec<&String> = found.difference(&listed).collect();
    assert!(new.is_empty(), "these modules import themselves through others: {new:#?}");
    let gone: Vec<&String> = listed.difference(&found).collect();
    assert!(gone.is_empty(), "these are in no circle any more; take them out of circles.txt: {gone:#?}");
}

#[test]
fn circles_are_found_through_re_exports_and_paths() {
    let folder = std::env::temp_dir().join(format!("opcost-circles-{}", std::process::id()));
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    // A facade that only hands on is in no circle; who needs the facade's own things is.
    write(
        "lib.rs",
        "mod a; mod b; mod c; mod d; mod e; mod f;\npub use a::A; pub use b::B;\npub struct Own;",
    );
    write("a.rs", "use crate::B; pub struct A(B);");
    write("b.rs", "pub struct B;");
    write("c.rs", "mod inner; use inner::help; pub struct C; fn f() { help(); }");
    write("c/inner.rs", "use super::C; pub fn help() -> Option<C> { None }");
    write("d.rs", "pub fn d() { crate::e::e() }");
    write("e.rs", "pub fn e() { crate::f::f() }");
    write("f.rs", "pub fn f() {}\n#[cfg(test)] mod tests { use crate::d::d; }");
    let circles = Room::of(&folder).circles();
    let names: Vec<String> = circles.iter().map(|module| module.join("::")).collect();
    assert_eq!(names, ["c", "c::inner"]);
    write("f.rs", "pub fn f() { crate::d::d() }");
    let circles = Room::of(&folder).circles();
    std::fs::remove_dir_all(&folder).expect("removed");
    assert_eq!(circles.len(), 5, "{circles:?}");
}
