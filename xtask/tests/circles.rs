//! Does a module import itself through others?
//!
//! A room is divided into files by question, and then imports go one way inside of it too. Where
//! a file was cut by length, its halves need each other. Here the modules of each room are
//! read (`sources`), their paths are followed through re-exports to the module that defines
//! the name, and every module that can be reached from itself is one in a circle. So is every
//! folder of a room that can be reached from itself, by whatever files lie in it.
//! `circles.txt` lists those that there are; the list only gets shorter.
//!
//! Limits: what macros make is not seen; a glob import is one of the module that it names.
//! Code of tests is left out. Cost: one pass over all sources.

mod sources;

use std::collections::{BTreeMap, BTreeSet};

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

impl Room {
    fn of(modules: &[sources::Module]) -> Room {
        let mut room = Room::default();
        for module in modules {
            room.items(&module.items, &module.path);
        }
        room
    }

    fn items(&mut self, items: &[syn::Item], module: &Module) {
        let mut paths = Paths::default();
        for item in items {
            match item {
                syn::Item::Use(import) => self.import(import, module),
                other => paths.visit_item(other),
            }
        }
        self.named.entry(module.clone()).or_default().extend(paths.0);
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
        let imports = imports.into_iter().map(|(module, others)| (module.clone(), others)).collect();
        in_circles(&imports)
    }

    /// The same of folders: the first part of a path stands for all that lies below it.
    fn circles_of_folders(&self) -> BTreeSet<Module> {
        let mut folders: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        let folder = |module: &[String]| module[..module.len().min(1)].to_vec();
        for (module, others) in self.imports() {
            let (from, others) = (folder(module), others.iter().map(|other| folder(other)));
            let others: Vec<Module> = others.filter(|other| !other.is_empty() && *other != from).collect();
            // The root hands on what lies below it.
            if !from.is_empty() {
                folders.entry(from).or_default().extend(others);
            }
        }
        in_circles(&folders)
    }
}

/// What can be reached from itself.
fn in_circles(imports: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<Module> {
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
    imports.keys().filter(|module| is_in_one(module)).cloned().collect()
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

#[test]
fn no_module_is_new_in_a_circle() {
    let mut found = BTreeMap::new();
    for room in sources::rooms() {
        let read = Room::of(&sources::modules_of(&room));
        let line = |module: &Module| [std::slice::from_ref(&room), &module[..]].concat().join("::");
        for module in read.circles() {
            let line = line(&module);
            let advice = format!(
                "The module {line} imports itself through others. Move what both need into a module below both."
            );
            found.insert(line, advice);
        }
        for folder in read.circles_of_folders() {
            let line = format!("folder {}", line(&folder));
            let advice = format!(
                "The {line} imports itself through other folders of its room. Move what both need into a folder below both."
            );
            found.insert(line, advice);
        }
    }
    sources::hold_list("circles.txt", &found);
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
    let circles = Room::of(&sources::modules_below(&folder)).circles();
    let names: Vec<String> = circles.iter().map(|module| module.join("::")).collect();
    assert_eq!(names, ["c", "c::inner"]);
    write("f.rs", "pub fn f() { crate::d::d() }");
    let circles = Room::of(&sources::modules_below(&folder)).circles();
    std::fs::remove_dir_all(&folder).expect("removed");
    assert_eq!(circles.len(), 5, "{circles:?}");
}
