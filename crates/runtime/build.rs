//! Makes what portable programs need that is no text of ours: mathematics as bitcode,
//! and the C++ library's headers in an archive (`build/cxx_library.rs`).
//!
//! The crate `libm` is musl's library of elementary functions in Rust, without
//! anything of a machine's in it. rustc compiles it here, once; the program that is
//! built carries the bitcode and needs no rustc. Limit: on a machine other than the
//! reference machine the bitcode may differ, which the hash of the code then shows.
//! Two modules: `libm.bc`, under Rust's names, and `math.bc`, which gives C's
//! names to what portable programs may call.

#[path = "build/cxx_library.rs"]
mod cxx_library;
#[path = "src/digest.rs"]
mod digest;

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/math.rs");
    let out = PathBuf::from(variable("OUT_DIR"));
    cxx_library::pack(&out);
    let (folder, version) = libm();
    println!("cargo:rustc-env=OPCOST_LIBM=libm {version}");
    let source = folder.join("src/lib.rs");
    compile("libm", &source, &out, &["--crate-type=rlib", "--emit=llvm-bc,link"]);
    let library = format!("libm={}", out.join("liblibm.rlib").display());
    compile(
        "math",
        Path::new("src/math.rs"),
        &out,
        &["--crate-type=lib", "--emit=llvm-bc", "--extern", &library],
    );
}

fn compile(name: &str, source: &Path, out: &Path, flags: &[&str]) {
    let mut command = Command::new(variable("RUSTC"));
    command.args(["--edition=2021", "--crate-name", name, "--cap-lints=allow"]).arg(source);
    command.args(["-Copt-level=3", "-Cpanic=abort", "-Ccodegen-units=1", "-Cdebuginfo=0"]);
    command.arg("--out-dir").arg(out).args(flags);
    let status = command.status().unwrap_or_else(|error| panic!("cannot run rustc: {error}"));
    assert!(status.success(), "rustc failed on {}", source.display());
}

/// Where cargo keeps the source of the crate that Cargo.toml names, and its version.
fn libm() -> (PathBuf, String) {
    let packages = packages(&["--offline"]).or_else(|| packages(&[])).expect("cargo metadata lists packages");
    let mut found = packages.into_iter().filter(|package| package.name == "libm");
    let libm = found.next().expect("libm is a dependency");
    assert!(found.next().is_none(), "there are two versions of libm; Cargo.lock should have one");
    (libm.manifest.parent().expect("a manifest lies in a folder").to_owned(), libm.version)
}

struct Package {
    name: String,
    version: String,
    manifest: PathBuf,
}

fn packages(flags: &[&str]) -> Option<Vec<Package>> {
    let output = Command::new(variable("CARGO"))
        .args(["metadata", "--format-version=1", "--locked", "--filter-platform", &variable("TARGET")])
        .args(flags)
        .output()
        .ok()?;
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
    let package = |package: &serde_json::Value| {
        let text = |key: &str| package[key].as_str().map(str::to_owned);
        Some(Package {
            name: text("name")?,
            version: text("version")?,
            manifest: text("manifest_path")?.into(),
        })
    };
    document["packages"].as_array()?.iter().map(package).collect()
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}
