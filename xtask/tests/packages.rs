//! Can every room be published, and is each package whole?
//!
//! `cargo package` makes the package of every room, as `cargo publish` would upload it. The
//! manifests must have what crates.io shows, and versions wherever a room needs another. Then each
//! package is unpacked and its product code and build scripts are read: whatever they include
//! must lie in the package, for a user has nothing else of the repository.
//!
//! Cost: seconds; nothing is compiled and no registry is queried. Limits: paths that a build script
//! computes are not followed, and what cargo itself says of a package while it compiles is not
//! seen: `cargo publish --dry-run --workspace` compiles each package alone, in ten minutes
//! (CONTRIBUTING.md).

mod sources;

use std::path::{Component, Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use sources::{modules_below, root};
use syn::visit::Visit;

/// Members of the workspace that are for this repository alone.
const PRIVATE: [&str; 3] = ["judge", "opcost-testkit", "xtask"];

fn cargo(words: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(words).current_dir(root()).output().expect("cargo runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {}: {errors}", words.join(" "));
    String::from_utf8(output.stdout).expect("cargo prints UTF-8")
}

fn members() -> Vec<Value> {
    let text = cargo(&["metadata", "--format-version", "1", "--no-deps", "--offline"]);
    let metadata: Value = serde_json::from_str(&text).expect("cargo prints JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

fn name_of(package: &Value) -> &str {
    package["name"].as_str().expect("a name")
}

#[test]
fn every_room_but_the_testkit_can_be_published() {
    let packages = members();
    let is_private = |package: &&Value| package["publish"].as_array().is_some_and(Vec::is_empty);
    let mut private: Vec<&str> = packages.iter().filter(is_private).map(name_of).collect();
    private.sort_unstable();
    assert_eq!(private, PRIVATE, "who says `publish = false`");
}

#[test]
fn manifests_have_what_a_registry_shows_and_needs() {
    for package in members().iter().filter(|package| !PRIVATE.contains(&name_of(package))) {
        let faults = faults_of_manifest(package);
        assert!(faults.is_empty(), "{}: {}", name_of(package), faults.join("; "));
    }
}

/// What is missing in a manifest.
fn faults_of_manifest(package: &Value) -> Vec<String> {
    let fields = ["license", "description", "repository", "readme"];
    let missing = fields.into_iter().filter(|field| package[*field].is_null());
    let mut faults: Vec<String> = missing.map(|field| format!("it has no {field}")).collect();
    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        let (name, is_of_tests) = (name_of(dependency), dependency["kind"] == "dev");
        let has_version = dependency["req"] != "*";
        if !dependency["path"].is_null() && has_version == is_of_tests {
            faults.push(match is_of_tests {
                // With a version, rooms whose tests use each other could not be published one by one.
                true => format!("{name} is used by tests and must have no version, only a path"),
                false => format!("{name} has a path and no version"),
            });
        }
    }
    faults
}

#[test]
fn a_manifest_without_versions_has_faults() {
    let dependency = |kind: Option<&str>, req: &str| serde_json::json!({ "name": "opcost-ir", "kind": kind, "req": req, "path": "/ir" });
    let package = |dependency: Value| serde_json::json!({ "license": "MIT", "description": "", "repository": "", "readme": "", "dependencies": [dependency] });
    assert_eq!(faults_of_manifest(&package(dependency(None, "^0.1.0"))), [""; 0]);
    assert_eq!(faults_of_manifest(&package(dependency(Some("dev"), "*"))), [""; 0]);
    assert_eq!(faults_of_manifest(&package(dependency(None, "*"))).len(), 1);
    assert_eq!(faults_of_manifest(&package(dependency(Some("build"), "*"))).len(), 1);
    assert_eq!(faults_of_manifest(&package(dependency(Some("dev"), "^0.1.0"))).len(), 1);
    assert_eq!(faults_of_manifest(&serde_json::json!({ "license": "MIT" })).len(), 3);
}

#[test]
fn packages_read_nothing_outside_of_themselves() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("published");
    let _ = std::fs::remove_dir_all(&folder);
    let target = folder.to_str().expect("a path in UTF-8");
    let mut words = vec!["package", "--workspace", "--no-verify", "--allow-dirty", "--offline", "--quiet"];
    words.extend(PRIVATE.iter().flat_map(|name| ["--exclude", name]));
    cargo(&[&words[..], &["--target-dir", target]].concat());
    let packages = unpacked(&folder.join("package"));
    assert_eq!(packages.len() + PRIVATE.len(), members().len(), "{packages:?}");
    for package in &packages {
        for file in ["LICENSE-MIT", "LICENSE-APACHE", "README.md"] {
            assert!(package.join(file).is_file(), "{} has no {file}", package.display());
        }
        let faults = reads_outside(package);
        assert!(faults.is_empty(), "{}:\n{}", package.display(), faults.join("\n"));
    }
    std::fs::remove_dir_all(&folder).expect("the packages can be removed");
}

/// The folders of the packages that cargo made.
fn unpacked(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder of packages");
    let paths = entries.map(|entry| entry.expect("a package").path());
    let archives: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "crate")).collect();
    for archive in &archives {
        let status = Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(folder).status();
        assert!(status.expect("tar runs").success(), "{}", archive.display());
    }
    archives.iter().map(|archive| archive.with_extension("")).collect()
}

/// Each place at which a package reads what is not in it.
fn reads_outside(package: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    for module in modules_below(&package.join("src")) {
        let mut reader = Reader { package, file: &module.file, is_script: false, faults: &mut faults };
        module.items.iter().for_each(|item| reader.visit_item(item));
    }
    for file in files_below(package) {
        let below = file.strip_prefix(package).expect("it lies in the package");
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        if below == Path::new("build.rs") || (below.starts_with("build") && text.contains("fn ")) {
            let script = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            Reader { package, file: &file, is_script: true, faults: &mut faults }.visit_file(&script);
        } else if file.extension().is_none_or(|extension| extension != "rs") {
            let quoted = text.lines().filter_map(|line| line.trim_start().strip_prefix("#include \""));
            for path in quoted.filter_map(|rest| rest.split('"').next()).filter(|path| path.contains("..")) {
                check_path(package, &file, path, &mut faults);
            }
        }
    }
    faults
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the folder can be read") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files
}

fn check_path(package: &Path, file: &Path, path: &str, faults: &mut Vec<String>) {
    let mut resolved = file.parent().expect("a file lies in a folder").to_owned();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => drop(resolved.pop()),
            part => resolved.push(part),
        }
    }
    if !resolved.starts_with(package) || !resolved.is_file() {
        faults.push(format!("{}: {path} is not in the package", file.display()));
    }
}

/// Reads product code or a build script.
struct Reader<'r> {
    package: &'r Path,
    file: &'r Path,
    /// A build script runs in its package, and may name that folder.
    is_script: bool,
    faults: &'r mut Vec<String>,
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        // The path of a module is one of those that `include!` could have.
        for attribute in module.attrs.iter().filter(|one| one.path().is_ident("path")) {
            let Ok(syn::MetaNameValue { value, .. }) = attribute.meta.require_name_value() else { continue };
            if let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(path), .. }) = value {
                check_path(self.package, self.file, &path.value(), self.faults);
            }
        }
        module.content.iter().flat_map(|(_, items)| items).for_each(|item| self.visit_item(item));
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_macro(&mut self, one: &'ast syn::Macro) {
        let name = one.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        let text = one.tokens.to_string();
        if ["include", "include_str", "include_bytes"].contains(&&*name) {
            match one.parse_body::<syn::LitStr>() {
                Ok(path) => check_path(self.package, self.file, &path.value(), self.faults),
                Err(_) if text.contains("\"OUT_DIR\"") => {}
                Err(_) => self.faults.push(format!("{}: {name}!({text})", self.file.display())),
            }
        } else if self.is_script {
            let literals = text.split('"').skip(1).step_by(2);
            literals.for_each(|literal| self.check_literal(literal));
        } else if text.contains("\"CARGO_MANIFEST_DIR\"") {
            self.faults.push(format!("{}: product code names its package's folder", self.file.display()));
        }
    }

    fn visit_lit_str(&mut self, literal: &'ast syn::LitStr) {
        if self.is_script {
            self.check_literal(&literal.value());
        }
    }
}

impl Reader<'_> {
    fn check_literal(&mut self, literal: &str) {
        if literal.split(['/', '=']).any(|part| part == "..") {
            self.faults.push(format!("{}: the build script names {literal}", self.file.display()));
        }
    }
}

/// What a package may not do, each in a package of its own.
#[test]
fn reading_outside_is_noticed() {
    let cases: [(&str, &str, bool); 9] = [
        ("src/lib.rs", "const A: &str = include_str!(\"in.txt\");", false),
        ("src/lib.rs", "const A: &str = include_str!(concat!(env!(\"OUT_DIR\"), \"/made.txt\"));", false),
        ("src/lib.rs", "#[cfg(test)] mod tests { const A: &str = include_str!(\"../../a\"); }", false),
        ("src/lib.rs", "const A: &str = include_str!(\"../../llvm/hooks.txt\");", true),
        ("src/lib.rs", "const A: &str = include_str!(\"absent.txt\");", true),
        ("src/lib.rs", "fn a() { open(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/in.txt\")); }", true),
        ("build.rs", "fn main() { println!(\"cargo:rerun-if-changed=../llvm/hooks.txt\"); }", true),
        ("build.rs", "fn main() { read(\"../llvm/hooks.txt\"); }", true),
        ("src/a.c", "  #include \"../../llvm/a.h\"", true),
    ];
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reading");
    for (file, text, is_fault) in cases {
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("src")).expect("a folder");
        std::fs::write(folder.join("src/in.txt"), "").expect("a file");
        std::fs::write(folder.join(file), text).expect("a file");
        assert_eq!(!reads_outside(&folder).is_empty(), is_fault, "{text}: {:?}", reads_outside(&folder));
    }
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
}
