//! A machine with nothing on it, made of this one's own packages.
//!
//! Its root is a folder. In it are the files of Debian's essential packages, of those that the
//! tested package depends on, and of all that these depend on in turn. `dpkg` knows exactly
//! these, so it refuses what needs more. Commands run in it by `chroot`, in a mount namespace of
//! their own, with an environment of three variables. Nothing is downloaded, and nothing of this
//! machine is seen but `/proc` and `/dev`.
//!
//! Limits: scripts of maintainers are not run for the copied packages, so what they make is
//! missing (`/etc/alternatives`, users). Needs root, or the right to become root in a namespace.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use opcost_testkit::command::ProgramOutput;

/// Folders that no command reads.
const UNREAD: [&str; 4] = ["/usr/share/doc/", "/usr/share/info/", "/usr/share/locale/", "/usr/share/man/"];

/// The machine; it goes away with its folder.
pub(crate) struct Bare {
    root: tempfile::TempDir,
}

impl Bare {
    /// A machine on which this package was installed.
    pub(crate) fn with(package: &Path) -> Bare {
        Bare::with_more(package, &[])
    }

    /// A machine on which this package was installed, and others that it does not need.
    pub(crate) fn with_more(package: &Path, more: &[String]) -> Bare {
        let depends = [depends_of(package), more.join(", ")].join(", ");
        let bare = Bare::made(package, &Installed::here(), &depends, &[]);
        bare.install().expect(0);
        bare
    }

    /// A machine that lacks some packages, with the package ready to be installed.
    pub(crate) fn without(package: &Path, lacking: &[&str]) -> Bare {
        Bare::made(package, &Installed::here(), &depends_of(package), lacking)
    }

    fn made(package: &Path, installed: &Installed, depends: &str, lacking: &[&str]) -> Bare {
        let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
        let bare = Bare { root };
        let mut names = installed.needed_by(depends);
        names.retain(|name| !lacking.contains(&name.as_str()));
        bare.copy_files(&names);
        bare.write_etc();
        bare.write_database(&names, installed);
        std::fs::copy(package, bare.root.path().join("opcost.deb")).expect("the package");
        bare
    }

    /// Installs the package that lies ready.
    pub(crate) fn install(&self) -> ProgramOutput {
        self.shell("dpkg --install /opcost.deb")
    }

    /// Writes a file to the folder in which commands start.
    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.root.path().join("work").join(name), text).expect("a file");
    }

    /// The path here of an absolute path there.
    pub(crate) fn path(&self, there: &str) -> PathBuf {
        self.root.path().join(there.trim_start_matches('/'))
    }

    /// Copies a Rust toolchain of this machine there, without its documentation, as rustup would
    /// install it.
    pub(crate) fn install_rust(&self) {
        let sysroot = ProgramOutput::of(Command::new("rustc").args(["--print", "sysroot"])).expect(0).stdout;
        let copy = "mkdir -p \"$2\" && tar -C \"$1\" --exclude=./share -cf - . | tar -C \"$2\" -xf - && \
                    cd \"$2/bin\" && for name in *; do ln -s \"/opt/rust/bin/$name\" \"$3\"; done";
        let mut shell = Command::new("sh");
        shell
            .args(["-ec", copy, "sh", sysroot.trim()])
            .arg(self.path("/opt/rust"))
            .arg(self.path("/usr/bin"));
        ProgramOutput::of(&mut shell).expect(0);
    }

    /// Runs a line of the shell there.
    pub(crate) fn shell(&self, line: &str) -> ProgramOutput {
        // Root may mount in a namespace of its own; anyone else needs to become root in one first.
        let own = if rustix::process::geteuid().is_root() { "-m" } else { "-rm" };
        let enter = "mount --rbind /proc \"$1/proc\" && mount --rbind /dev \"$1/dev\" && \
                     exec chroot \"$1\" /usr/bin/env -i HOME=/root LC_ALL=C COLUMNS=100 \
                     PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c \"cd /work; $2\"";
        let mut unshare = Command::new("unshare");
        unshare.args([own, "sh", "-c", enter, "sh"]).arg(self.root.path()).arg(line);
        ProgramOutput::of(unshare.stdin(Stdio::null()))
    }

    /// Copies the files of packages, with their links and modes.
    fn copy_files(&self, names: &BTreeSet<String>) {
        let root = self.root.path();
        for folder in ["bin", "sbin", "lib", "lib32", "lib64"] {
            std::fs::create_dir_all(root.join("usr").join(folder)).expect("a folder");
            std::os::unix::fs::symlink(format!("usr/{folder}"), root.join(folder)).expect("a link");
        }
        let listed =
            ProgramOutput::of(Command::new("dpkg-query").arg("--listfiles").args(names)).expect(0).stdout;
        let is_read = |line: &&str| line.starts_with('/') && !UNREAD.iter().any(|one| line.starts_with(one));
        let paths: BTreeSet<&str> = listed.lines().filter(is_read).collect();
        // Files that were left out when their package was installed are listed all the same.
        let paths = paths.into_iter().filter(|path| Path::new(path).symlink_metadata().is_ok());
        let list: String = paths.map(|path| format!("{path}\n")).collect();
        std::fs::write(root.join("files"), list).expect("the list");
        let copy = "tar -C / --no-recursion --absolute-names -T \"$1/files\" -cf - | \
                    tar -C \"$1\" --keep-directory-symlink -xf -";
        let mut shell = Command::new("sh");
        ProgramOutput::of(shell.args(["-ec", copy, "sh"]).arg(root)).expect(0);
    }

    /// What the scripts of essential packages would have made.
    fn write_etc(&self) {
        let root = self.root.path();
        for folder in ["dev", "etc", "proc", "root", "tmp", "var/lib/dpkg/triggers", "work"] {
            std::fs::create_dir_all(root.join(folder)).expect("a folder");
        }
        std::fs::write(root.join("etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n").expect("written");
        std::fs::write(root.join("etc/group"), "root:x:0:\n").expect("written");
    }

    /// What `dpkg` knows of the machine.
    fn write_database(&self, names: &BTreeSet<String>, installed: &Installed) {
        let folder = self.root.path().join("var/lib/dpkg");
        for inner in ["info", "updates"] {
            std::fs::create_dir_all(folder.join(inner)).expect("a folder");
        }
        let paragraphs: Vec<&str> =
            names.iter().map(|name| installed.paragraphs[name].text.as_str()).collect();
        std::fs::write(folder.join("status"), paragraphs.join("\n\n") + "\n").expect("written");
        std::fs::write(folder.join("available"), "").expect("written");
        std::fs::copy("/var/lib/dpkg/info/format", folder.join("info/format")).expect("the format");
        for name in names {
            let lists = [name.clone(), format!("{name}:amd64")].map(|name| format!("{name}.list"));
            for list in lists {
                let from = Path::new("/var/lib/dpkg/info").join(&list);
                if from.exists() {
                    std::fs::copy(from, folder.join("info").join(list)).expect("a list of files");
                }
            }
        }
    }
}

/// The field `Depends` of a package file.
fn depends_of(package: &Path) -> String {
    ProgramOutput::of(Command::new("dpkg-deb").arg("--field").arg(package).arg("Depends")).expect(0).stdout
}

/// What is installed on this machine.
struct Installed {
    paragraphs: BTreeMap<String, Paragraph>,
    /// A name that packages provide → one of them.
    providers: BTreeMap<String, String>,
}

/// One package, as `dpkg` describes it.
struct Paragraph {
    text: String,
    fields: BTreeMap<String, String>,
}

impl Paragraph {
    fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }
}

impl Installed {
    fn here() -> Installed {
        let status =
            std::fs::read_to_string("/var/lib/dpkg/status").expect("dpkg's status; this test needs Debian");
        let mut installed = Installed { paragraphs: BTreeMap::new(), providers: BTreeMap::new() };
        for text in status.split("\n\n").map(str::trim).filter(|text| !text.is_empty()) {
            let lines = text.lines().filter(|line| !line.starts_with(' '));
            let pairs = lines.filter_map(|line| line.split_once(':'));
            let fields: BTreeMap<String, String> =
                pairs.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).collect();
            let paragraph = Paragraph { text: text.to_owned(), fields };
            let is_foreign = !["amd64", "all"].contains(&paragraph.field("Architecture"));
            if is_foreign || paragraph.field("Status") != "install ok installed" {
                continue;
            }
            let name = paragraph.field("Package").to_owned();
            for provided in names_in(paragraph.field("Provides")) {
                installed.providers.insert(provided[0].clone(), name.clone());
            }
            installed.paragraphs.insert(name, paragraph);
        }
        installed
    }

    /// The essential packages, and those that `depends` leads to.
    fn needed_by(&self, depends: &str) -> BTreeSet<String> {
        let is_essential = |name: &&String| self.paragraphs[*name].field("Essential") == "yes";
        let mut open: Vec<String> = self.paragraphs.keys().filter(is_essential).cloned().collect();
        open.extend(self.chosen(depends));
        let mut needed = BTreeSet::new();
        while let Some(name) = open.pop() {
            if needed.insert(name.clone()) {
                let paragraph = &self.paragraphs[&name];
                open.extend(self.chosen(paragraph.field("Depends")));
                open.extend(self.chosen(paragraph.field("Pre-Depends")));
            }
        }
        needed
    }

    /// Of each alternative in a field, the first package that is installed.
    fn chosen(&self, field: &str) -> Vec<String> {
        let alternatives = names_in(field);
        let choose = |names: &Vec<String>| {
            let own = names.iter().find(|name| self.paragraphs.contains_key(*name));
            let package = own.or_else(|| names.iter().find_map(|name| self.providers.get(name)));
            package.unwrap_or_else(|| panic!("none of {names:?} is installed here: ./x setup")).clone()
        };
        alternatives.iter().map(choose).collect()
    }
}

/// The names in a field such as `a (>= 1), b | c:any`.
fn names_in(field: &str) -> Vec<Vec<String>> {
    let name = |one: &str| one.split([' ', '(', ':']).find(|part| !part.is_empty()).map(str::to_owned);
    let groups = field.split(',').map(|group| group.split('|').filter_map(|one| name(one.trim())).collect());
    groups.filter(|names: &Vec<String>| !names.is_empty()).collect()
}
