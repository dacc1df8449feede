//! Does what users install work on a machine that has nothing else?
//!
//! `cargo xtask dist` packs the program of this build once, in the quick mode of `xz`. The tarball
//! is unpacked here. The Debian package is installed by `dpkg` on a bare machine (`bare`): the
//! packages of this machine that it depends on, and those that every Debian has. There is no LLVM
//! development package and no other compiler. What the package does there is compared, to the
//! letter, with what the tarball does here. The first hours of the guide are run on bare machines, too.
//!
//! `OPCOST_PACKAGES` names a folder of `cargo xtask dist` to be tried in place of a new one, as
//! before a release. Cost: half a minute, 0.6 GB below `target/tmp`.

mod bare;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use bare::Bare;
use object::Object;
use opcost_testkit::command::{ProgramOutput, Workplace};
use opcost_testkit::guide::{GuidePage, compare, script_of};

/// The largest archive that we hand out, in bytes.
const LARGEST: u64 = 35_000_000;

/// The folder with both archives.
fn packages() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        if let Some(folder) = std::env::var_os("OPCOST_PACKAGES") {
            return std::path::absolute(folder).expect("the folder of OPCOST_PACKAGES");
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages");
        let mut xtask = Command::new(env!("CARGO"));
        xtask.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).args(["xtask", "dist"]);
        xtask.args(["--level", "0", "--opcost", env!("CARGO_BIN_EXE_opcost"), "--out"]).arg(&folder);
        ProgramOutput::of(&mut xtask).expect(0);
        folder
    })
}

/// The archive of this version and of this kind.
fn archive(kind: &str) -> PathBuf {
    let name = match kind {
        ".deb" => concat!("opcost_", env!("CARGO_PKG_VERSION"), "_amd64.deb"),
        _ => concat!("opcost-", env!("CARGO_PKG_VERSION"), "-x86_64-unknown-linux-gnu.tar.xz"),
    };
    packages().join(name)
}

/// A folder with the tarball unpacked, and the folder of its programs.
fn unpacked() -> (Workplace, String) {
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    place.tool("tar", &["-xJf", archive(".tar.xz").to_str().expect("a path in UTF-8")]);
    let folder = place.at(&format!("opcost-{}-x86_64-unknown-linux-gnu/bin", env!("CARGO_PKG_VERSION")));
    (place, folder)
}

/// Paths of the files in the tarball, below its one folder.
fn files_of_tarball() -> Vec<String> {
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    let listed = place.tool("tar", &["-tJf", archive(".tar.xz").to_str().expect("a path in UTF-8")]);
    let paths = listed.stdout.lines().filter(|path| !path.ends_with('/'));
    paths.map(|path| path.split_once('/').expect("all lie in a folder").1.to_owned()).collect()
}

/// Paths of the files in the Debian package, below `/usr`.
fn files_of_deb() -> Vec<String> {
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    let listed = place.tool("dpkg-deb", &["--contents", archive(".deb").to_str().expect("a path in UTF-8")]);
    let paths = listed.stdout.lines().filter_map(|line| line.split_whitespace().last());
    let files = paths.filter(|path| !path.ends_with('/'));
    files.map(|path| path.strip_prefix("./usr/").expect("all lie below /usr").to_owned()).collect()
}

#[test]
fn archives_are_small_and_have_their_checksums() {
    for kind in [".tar.xz", ".deb"] {
        let size = archive(kind).metadata().expect("an archive").len();
        assert!((1_000_000..=LARGEST).contains(&size), "{kind}: {size} bytes");
    }
    let mut check = Command::new("sha256sum");
    let said = ProgramOutput::of(check.args(["--check", "--strict", "SHA256SUMS"]).current_dir(packages()))
        .expect(0);
    assert_eq!(said.stdout.lines().filter(|line| line.ends_with(": OK")).count(), 2, "{}", said.stdout);
}

#[test]
fn both_archives_have_every_file() {
    let (tarball, deb) = (files_of_tarball(), files_of_deb());
    let mut debian: Vec<String> =
        tarball.iter().map(|path| path.replace("zsh/site-functions", "zsh/vendor-completions")).collect();
    let mut deb_sorted = deb.clone();
    debian.sort();
    deb_sorted.sort();
    assert_eq!(debian, deb_sorted);
    let papers = ["LICENSE-MIT", "LICENSE-APACHE", "copyright", "THIRD-PARTY.gz", "changelog.gz"];
    let mut wanted: Vec<String> = papers.iter().map(|name| format!("share/doc/opcost/{name}")).collect();
    wanted.extend(["bin/opcost", "bin/cargo-opcost"].map(str::to_owned));
    wanted.extend(["share/bash-completion/completions/opcost".to_owned()]);
    wanted.extend(["share/fish/vendor_completions.d/opcost.fish".to_owned()]);
    wanted.extend(["share/zsh/vendor-completions/_opcost".to_owned()]);
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    for schema in std::fs::read_dir(schemas).expect("the folder of schemas") {
        let name = schema.expect("a schema").file_name();
        wanted.push(format!("share/opcost/schemas/{}", name.to_str().expect("a name in UTF-8")));
    }
    for verb in verbs() {
        wanted.push(format!("share/man/man1/opcost-{verb}.1.gz"));
    }
    wanted.push("share/man/man1/opcost.1.gz".to_owned());
    let missing: Vec<&String> = wanted.iter().filter(|path| !deb.contains(path)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// All verbs that the help shows.
fn verbs() -> Vec<String> {
    let help = Workplace::new(env!("CARGO_BIN_EXE_opcost")).opcost(&["--help"]).expect(0).stdout;
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    // What goes on from the line before stands further in.
    let rows = lines.take_while(|line| !line.is_empty()).filter_map(|line| line.strip_prefix("  "));
    let verbs = rows.filter_map(|row| row.split(' ').next()).filter(|verb| !["", "help"].contains(verb));
    let verbs: Vec<String> = verbs.map(str::to_owned).collect();
    assert!(verbs.len() > 20, "{help}");
    verbs
}

/// `cargo binstall` downloads what the manifest names.
#[test]
fn the_manifest_leads_installers_to_the_programs() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let text = std::fs::read_to_string(manifest).expect("the manifest");
    let manifest: toml::Table = text.parse().expect("TOML");
    let binstall = &manifest["package"]["metadata"]["binstall"];
    let filled = |field: &str, program: &str| {
        let template = binstall[field].as_str().expect("a template");
        let template = template.replace("{ version }", env!("CARGO_PKG_VERSION"));
        let template = template.replace("{ target }", "x86_64-unknown-linux-gnu");
        template.replace("{ repo }", env!("CARGO_PKG_REPOSITORY")).replace("{ bin }{ binary-ext }", program)
    };
    let tarball = archive(".tar.xz");
    let url = filled("pkg-url", "");
    assert_eq!(url.rsplit('/').next(), tarball.file_name().and_then(|name| name.to_str()), "{url}");
    assert!(url.starts_with("https://") && !url.contains('{'), "{url}");
    let (place, folder) = unpacked();
    for program in ["opcost", "cargo-opcost"] {
        let path = place.path(&filled("bin-dir", program));
        assert_eq!(path, Path::new(&folder).join(program));
        let bytes = std::fs::read(&path).expect("a program");
        let elf = object::File::parse(&*bytes).expect("an object file");
        assert!(elf.section_by_name(".text").is_some() && elf.section_by_name(".symtab").is_none());
    }
}

/// The file that commands get.
const SOURCE: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(int count, char **words) {\n  \
                      unsigned sum = 0, most = count > 1 ? atoi(words[1]) : 10;\n  \
                      for (unsigned i = 0; i < most; i++)\n    sum = sum * 31 + i;\n  \
                      printf(\"%u\\n\", sum);\n  return 0;\n}\n";

/// The same question in C++.
const CXX: &str = "#include <iostream>\nint main() {\n  long sum = 0, one;\n  \
                   while (std::cin >> one) sum += one * one;\n  std::cout << sum << '\\n';\n}\n";

/// The pages of the guide that lead through a first hour.
fn first_hours() -> Vec<GuidePage> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guide/src");
    let listed = std::fs::read_dir(source.join("hours")).expect("the folder of first hours");
    let paths = listed.map(|entry| entry.expect("an entry").path());
    let mut pages: Vec<GuidePage> = paths.map(|path| GuidePage::read(&path, &source)).collect();
    pages.sort_by(|one, other| one.name.cmp(&other.name));
    assert_eq!(pages.len(), 5);
    pages
}

/// Each page on a machine of its own: it has the package, and what the page says that one needs.
#[test]
fn first_hours_work_on_a_bare_machine() {
    let mut faults = Vec::new();
    for mut page in first_hours() {
        let packages: Vec<String> = page.needs.iter().filter(|name| *name != "rust").cloned().collect();
        let bare = Bare::with_more(&archive(".deb"), &packages);
        if page.needs.iter().any(|name| name == "rust") {
            bare.install_rust();
        }
        let home = bare.path("/home/you");
        let files = page.files.as_ref().expect("a first hour has files");
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guide/examples");
        std::fs::create_dir_all(home.parent().expect("/home")).expect("a folder");
        let copy = ProgramOutput::of(Command::new("cp").arg("-r").arg(examples.join(files)).arg(&home));
        copy.expect(0);
        std::fs::write(bare.path("/tmp/session.sh"), script_of(&page)).expect("the script");
        bare.shell(
            "cd /home/you; export HOME=/home/you LC_ALL=C.UTF-8; bash /tmp/session.sh > /tmp/log 2>&1",
        );
        let log = std::fs::read(bare.path("/tmp/log")).expect("what it printed");
        faults.extend(compare(&mut page, &String::from_utf8_lossy(&log), "/home/you"));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// One division, whose life is short.
const DIVISION: &str = "int foo(int a, int b) {\n  return a / b;\n}\n";

/// What a user types, how it ends, and what it prints among other lines.
const TEN: [(&str, i32, &str); 12] = [
    ("opcost --version", 0, concat!("opcost ", env!("CARGO_PKG_VERSION"))),
    ("opcost count a.c -- 100", 0, "367 instructions"),
    ("opcost count --emit exe -o a.counted a.c && opcost count ./a.counted -- 100", 0, "367 instructions"),
    ("echo 1 2 3 | opcost count bot.cpp", 0, " · exact"),
    ("opcost fuel --limit 1000 a.c -- 1000000", 3, "used up: 1,000, in main"),
    ("echo 1 2 3 | opcost fuel --portable bot.cpp", 0, "portable, code "),
    ("opcost loops a.c", 0, "2 loops: 2 by named inputs"),
    ("opcost explain a.c:5", 0, "what ends the loop"),
    ("opcost bits a.c", 0, "closed world"),
    ("opcost life foo.c:2", 0, "self-check: identical to clang's own object"),
    ("opcost values --trip-counts a.c -- 12", 0, "2 complete"),
    (
        "opcost count --ledger one.opc a.c -- 1 && opcost count --ledger two.opc a.c -- 2 && \
         opcost diff one.opc two.opc",
        0,
        "21 → 27 instructions",
    ),
];

#[test]
fn ten_commands_work_on_a_bare_machine_as_they_do_here() {
    let (place, folder) = unpacked();
    let bare = Bare::with(&archive(".deb"));
    for (name, text) in [("a.c", SOURCE), ("bot.cpp", CXX), ("foo.c", DIVISION)] {
        bare.write(name, text);
        place.write(name, text);
    }
    let absent = "command -v llvm-config-22 opt-22 gcc cc cargo rustc; ls -d /usr/lib/llvm-22/lib/libLLVM*.a";
    assert_eq!(bare.shell(absent).stdout, "", "the machine is not bare");
    let doctor = bare.shell("opcost doctor").expect(0);
    assert!(doctor.stdout.ends_with("all that counting needs is here\n"), "{}", doctor.stdout);
    let path = format!("{folder}:{}", std::env::var("PATH").expect("a PATH"));
    for (line, status, words) in TEN {
        let there = bare.shell(line).expect(status);
        assert!(there.all().contains(words), "{line}\n{}", there.all());
        let mut shell = place.program("sh");
        let here = ProgramOutput::of(shell.args(["-c", line]).env("PATH", &path).env("COLUMNS", "100"))
            .expect(status);
        assert_eq!((there.stdout, there.stderr), (here.stdout, here.stderr), "{line}");
    }
    let pages = "gzip -dc /usr/share/man/man1/opcost-count.1.gz /usr/share/man/man1/opcost.1.gz";
    assert!(bare.shell(pages).expect(0).stdout.contains(".TH opcost-count 1"));
    bare.shell("dpkg --remove opcost").expect(0);
    let left = bare.shell("command -v opcost; find /usr -name '*opcost*'");
    assert_eq!(left.stdout, "", "removing the package leaves files");
}

#[test]
fn a_machine_without_clang_refuses_the_package() {
    let bare = Bare::without(&archive(".deb"), &["clang-22"]);
    let said = bare.install();
    assert_ne!(said.status, 0, "{}", said.all());
    assert!(said.stderr.contains("opcost depends on clang-22"), "{}", said.stderr);
}
