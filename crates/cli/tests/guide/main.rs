//! Do the commands of the guide print what the guide shows?
//!
//! Each page of `guide/src` is one session of a shell in a folder of its own: the blocks fenced as
//! `console` are read (`page`), their commands run in order (`session`), and what each prints is
//! compared with the lines below it. `<!-- files: NAME -->` on a page copies `guide/examples/NAME`
//! into that folder first, as the reader is told to do.
//!
//! Words behind `console` say how a block is compared: `lines=8` shows that many lines of each
//! output and `…` for the rest; `varies` compares without digits and bars; `elsewhere` runs nothing,
//! and a comment in front of the block, `<!-- not run: … -->`, says why. A command that ends with a
//! status other than 0 is followed by `echo $?`, or the page fails.
//!
//! `OPCOST_WRITE_GUIDE=1 cargo test -p opcost-cli --test guide` writes what was printed into the
//! pages, where it is not what they show. `OPCOST_PAGES=judge` runs only pages whose path has this
//! word. Cost: about two minutes on two cores, most of it in compilers and samplers.

mod page;
mod session;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use page::Page;

fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guide")
}

/// All pages, sorted by path.
fn pages() -> Vec<Page> {
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
    paths.iter().map(|path| Page::read(path, &source)).collect()
}

#[test]
fn every_block_says_what_it_is() {
    let faults: Vec<String> = pages().iter().flat_map(Page::faults).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_command_prints_what_its_page_shows() {
    let only = std::env::var("OPCOST_PAGES").unwrap_or_default();
    let wanted = pages().into_iter().filter(|page| page.has_commands() && page.name.contains(&only));
    let queue: Mutex<Vec<Page>> = Mutex::new(wanted.collect());
    let faults: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let Some(mut page) = queue.lock().expect("no worker panics here").pop() else { break };
                    let objections = session::run(&mut page, &guide().join("examples"));
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
