//! What do the packages carry as names, texts and dependencies?
//!
//! Read from crates/cli/Cargo.toml, which `cargo deb` and `cargo binstall` read too, and from the
//! workspace that it inherits from. Limits: of an asset's path only the last part may have a `*`;
//! of the templates of `cargo binstall` only `version` and `target` are filled in.

use crate::failure::{Failure, Result};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// What opcost is built for.
pub(super) const TARGET: &str = "x86_64-unknown-linux-gnu";

/// What the packages say of themselves.
pub(super) struct Manifest {
    pub(super) root: PathBuf,
    pub(super) version: String,
    pub(super) repository: String,
    pub(super) description: String,
    pub(super) deb: Deb,
    /// Where `cargo binstall` looks for the tarball.
    url: String,
    /// Where in it a program is.
    bin: String,
}

/// `[package.metadata.deb]`, in the words of `cargo deb`.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Deb {
    pub(super) name: String,
    pub(super) maintainer: String,
    /// Empty: the package's version is that of opcost.
    pub(super) revision: String,
    pub(super) section: String,
    pub(super) priority: String,
    pub(super) extended_description: String,
    pub(super) depends: String,
    pub(super) suggests: String,
    pub(super) assets: Vec<[String; 3]>,
}

#[derive(Deserialize)]
struct Cli {
    package: Package,
}

#[derive(Deserialize)]
struct Package {
    description: String,
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Metadata {
    deb: Deb,
    binstall: Binstall,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Binstall {
    pkg_url: String,
    pkg_fmt: String,
    bin_dir: String,
}

#[derive(Deserialize)]
struct Root {
    workspace: Workspace,
}

#[derive(Deserialize)]
struct Workspace {
    package: Shared,
}

#[derive(Deserialize)]
struct Shared {
    version: String,
    repository: String,
}

impl Manifest {
    /// Reads both manifests of the repository.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let cli: Cli = parsed(&root.join("crates/cli/Cargo.toml"))?;
        let shared: Root = parsed(&root.join("Cargo.toml"))?;
        let Metadata { deb, binstall } = cli.package.metadata;
        if binstall.pkg_fmt != "txz" {
            return Err(Failure::new(format!("pkg-fmt is {}, but dist makes .tar.xz", binstall.pkg_fmt)));
        }
        let shared = shared.workspace.package;
        Ok(Self {
            root: root.to_owned(),
            version: shared.version,
            repository: shared.repository,
            description: cli.package.description,
            deb,
            url: binstall.pkg_url,
            bin: binstall.bin_dir,
        })
    }

    /// The name of the tarball: the last part of where `cargo binstall` looks for it.
    pub(super) fn tarball(&self) -> String {
        let url = self.filled(&self.url);
        url.rsplit('/').next().unwrap_or_default().to_owned()
    }

    /// The one folder in the tarball: the first part of where a program is.
    pub(super) fn folder(&self) -> String {
        let bin = self.filled(&self.bin);
        bin.split('/').next().unwrap_or_default().to_owned()
    }

    fn filled(&self, template: &str) -> String {
        template.replace("{ version }", &self.version).replace("{ target }", TARGET)
    }
}

fn parsed<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T> {
    let text = fs::read_to_string(path).map_err(|error| Failure::at("read", path, error))?;
    toml::from_str(&text).map_err(|error| Failure::at("understand", path, error))
}
