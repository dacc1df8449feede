//! Do the commands of the guide print what the guide shows?
//!
//! Each page of `guide/src` is one session of a shell in a folder of its own: the blocks fenced as
//! `console` are read, their commands run in order, and what each prints is compared with the lines
//! below it (`opcost_testkit::guide`). `<!-- files: NAME -->` on a page copies `guide/examples/NAME`
//! into that folder first, as the reader is asked to do. `<!-- needs: NAME, NAME -->` names packages
//! that its reader has installed; the tests of packages run the first hours on a bare machine that
//! has these only.
//!
//! Words behind `console` say how a block is compared: `lines=8` shows that many lines of each
//! output and `…` for the rest; `varies` compares without digits and bars; `elsewhere` runs nothing,
//! and a comment in front of the block, `<!-- not run: … -->`, says why. A command that ends with a
//! status other than 0 is followed by `echo $?`, or the page fails.
//!
//! `OPCOST_WRITE_GUIDE=1 cargo test -p opcost-cli --test guide` writes what was printed into the
//! pages, where it is not what they show. `OPCOST_PAGES=judge` runs only pages whose path has this
//! word. Cost: about two minutes on two cores, most of it in compilers and samplers.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;

use opcost_testkit::command::Workplace;
use opcost_testkit::guide::{GuidePage, compare, script_of};

fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guide")
}

/// All pages, sorted by path.
fn pages() -> Vec<GuidePage> {
    let source = guide().join("src");
    let mut folders = vec![source.clone()];
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the folder of pages can be read") {
            let path = entry.expect("an entry").path();
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(extension) if extension == "md" => paths.push(path),
                _ => {}
            }
        }
    }
    paths.sort();
    paths.iter().map(|path| GuidePage::read(path, &source)).collect()
}

#[test]
fn every_block_says_what_it_is() {
    let faults: Vec<String> = pages().iter().flat_map(GuidePage::faults).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_command_prints_what_its_page_shows() {
    let only = std::env::var("OPCOST_PAGES").unwrap_or_default();
    let wanted = pages().into_iter().filter(|page| page.has_commands() && page.name.contains(&only));
    let queue: Mutex<Vec<GuidePage>> = Mutex::new(wanted.collect());
    let faults: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let Some(mut page) = queue.lock().expect("no worker panics here").pop() else { break };
                    let objections = run(&mut page);
                    faults.lock().expect("no worker panics here").extend(objections);
                }
            });
        }
    });
    let faults = faults.into_inner().expect("no worker panics here");
    assert!(
        faults.is_empty(),
        "to write what is printed into the pages: OPCOST_WRITE_GUIDE=1 cargo test -p opcost-cli --test guide\n\n{}",
        faults.join("\n\n")
    );
}

/// Runs the commands of a page in a folder of their own; what is wrong.
fn run(page: &mut GuidePage) -> Vec<String> {
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    if let Some(files) = &page.files {
        let from = guide().join("examples").join(files);
        place.tool("cp", &["-r", &format!("{}/.", from.display()), "."]);
    }
    let opcost = Path::new(env!("CARGO_BIN_EXE_opcost"));
    let path = std::env::var("PATH").expect("a PATH");
    let path = format!("{}:{path}", opcost.parent().expect("its folder").display());
    // A file and no pipe: a program that goes on in the background does not hold it open.
    let logs = tempfile::tempdir().expect("a temporary folder");
    let log = std::fs::File::create(logs.path().join("log")).expect("a file");
    let mut command = place.program("bash");
    command.args(["-c", &script_of(page)]).env("PATH", path).env("COLUMNS", "100").env("LC_ALL", "C.UTF-8");
    // What cargo sets for tests is not in the environment of a reader.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CARGO")) {
        if name != "CARGO_HOME" {
            command.env_remove(name);
        }
    }
    command.stdout(log.try_clone().expect("a second handle")).stderr(log).stdin(Stdio::null());
    command.status().expect("bash starts");
    let bytes = std::fs::read(logs.path().join("log")).expect("the log");
    compare(page, &String::from_utf8_lossy(&bytes), &place.at(""))
}
