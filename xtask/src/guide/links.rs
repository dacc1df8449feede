//! Does every link of the book lead somewhere?
//!
//! Input: a folder of HTML pages. Of each page the values of `href` and `src` are read, and the
//! names that a link may end in (`id`). A link to a file must lead to one that is there, and behind
//! `#` must stand a name of that page. Output: how many links were followed, or all that lead
//! nowhere. Limits: links to other hosts are not followed; the page for printing holds all others
//! once more, and the one for missing pages belongs to a server: both are left out. Cost: one pass over the pages.

use crate::failure::{Failure, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// What a page offers and where it leads.
struct Page {
    names: BTreeSet<String>,
    links: Vec<String>,
}

/// Follows all links of a book.
pub(crate) fn check(book: &Path) -> Result<usize> {
    let mut pages = BTreeMap::new();
    read_folder(book, book, &mut pages)?;
    let mut objections = Vec::new();
    let mut count = 0;
    for (path, page) in &pages {
        for link in page.links.iter().filter(|link| is_ours(link)) {
            count += 1;
            if let Some(objection) = objection(book, path, link, &pages) {
                objections.push(format!("{}: {link}: {objection}", path.display()));
            }
        }
    }
    if objections.is_empty() {
        return Ok(count);
    }
    Err(Failure::verdict(format!("links of the guide that lead nowhere:\n{}", objections.join("\n"))))
}

fn is_ours(link: &str) -> bool {
    let scheme = link.split_once(':').map_or("", |(scheme, _)| scheme);
    scheme.is_empty() || !scheme.bytes().all(|letter| letter.is_ascii_alphanumeric())
}

/// Why a link leads nowhere, if it does.
fn objection(book: &Path, from: &Path, link: &str, pages: &BTreeMap<PathBuf, Page>) -> Option<&'static str> {
    let (file, name) = link.split_once('#').unwrap_or((link, ""));
    let target = match file {
        "" => from.to_owned(),
        _ => resolved(&from.parent().unwrap_or(Path::new("")).join(file)),
    };
    let Some(page) = pages.get(&target) else {
        return (!book.join(&target).is_file()).then_some("there is no such file");
    };
    (!name.is_empty() && !page.names.contains(name)).then_some("the page has no such heading")
}

/// A path without `.` and `..`. One that leads out of the book is `..`, which is no file of it.
fn resolved(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => parts.push(name),
            Component::ParentDir if !parts.pop() => return PathBuf::from(".."),
            _ => {}
        }
    }
    parts
}

fn read_folder(book: &Path, folder: &Path, pages: &mut BTreeMap<PathBuf, Page>) -> Result<()> {
    let entries = std::fs::read_dir(folder).map_err(|error| Failure::at("read", folder, error))?;
    for entry in entries {
        let path = entry.map_err(|error| Failure::at("read", folder, error))?.path();
        if path.is_dir() {
            read_folder(book, &path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "html") {
            let text = std::fs::read_to_string(&path).map_err(|error| Failure::at("read", &path, error))?;
            let name = path.strip_prefix(book).unwrap_or(&path);
            if !["print.html", "404.html"].iter().any(|other| name == Path::new(other)) {
                pages.insert(name.to_owned(), Page::read(&text));
            }
        }
    }
    Ok(())
}

impl Page {
    fn read(text: &str) -> Page {
        let links = values(text, " href=\"").chain(values(text, " src=\""));
        Page { names: values(text, " id=\"").collect(), links: links.collect() }
    }
}

/// The values of an attribute.
fn values<'text>(text: &'text str, attribute: &'text str) -> impl Iterator<Item = String> + 'text {
    let parts = text.split(attribute).skip(1);
    parts.filter_map(|part| part.split('"').next()).map(|value| value.replace("&amp;", "&"))
}

#[cfg(test)]
mod tests {
    use super::check;

    /// A folder with pages, which goes away.
    struct Book(std::path::PathBuf);

    impl Book {
        fn new(name: &str, pages: &[(&str, &str)]) -> Book {
            let folder = std::env::temp_dir().join(format!("opcost-links-{name}-{}", std::process::id()));
            for (name, text) in pages {
                let path = folder.join(name);
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
                std::fs::write(path, text).expect("written");
            }
            Book(folder)
        }
    }

    impl Drop for Book {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn good_links_are_followed() {
        let book = Book::new(
            "good",
            &[
                (
                    "index.html",
                    r##"<a href="a/b.html#two">x</a> <a href="#top" id="top">y</a> <img src="p.svg">"##,
                ),
                (
                    "a/b.html",
                    r#"<h2 id="two">T</h2> <a href="../index.html">z</a> <a href="https://x.org/y">o</a>"#,
                ),
                ("p.svg", "<svg/>"),
            ],
        );
        assert_eq!(check(&book.0), Ok(4));
    }

    #[test]
    fn links_that_lead_nowhere_are_named() {
        let book = Book::new(
            "bad",
            &[
                (
                    "index.html",
                    r##"<a href="none.html">x</a> <a href="b.html#three">y</a> <img src="none.svg">"##,
                ),
                ("b.html", r##"<h2 id="two">T</h2> <a href="../../etc/passwd">z</a> <a href="#four">f</a>"##),
            ],
        );
        let failure = check(&book.0).expect_err("links lead nowhere");
        assert_eq!(failure.status(), 3);
        for part in
            ["none.html: there", "b.html#three: the page", "none.svg", "passwd: there", "#four: the page"]
        {
            assert!(failure.to_string().contains(part), "{part}: {failure}");
        }
    }
}
