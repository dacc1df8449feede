//! How is a page of opcost built, so that no text of a program becomes part of it?
//!
//! All pages have one style, one frame (a link that skips to the content, header, content) and one
//! policy. A page is one file that loads nothing: style and script lie in it. A content security
//! policy forbids everything else, and names the script by its hash (a test computes it).
//!
//! Markup is a type of its own (`maud::Markup`): a `String` that stands in it is escaped, and only
//! what was built as markup is not. `maud` checks templates when they are compiled. Limit: it leaves apostrophes, so attributes
//! stand in double quotes, as it writes them.

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The style of all pages and of the graphs in them.
const STYLE: &str = concat!(include_str!("page.css"), include_str!("graph.css"));

/// Sorts and filters tables, and opens what a link leads to.
pub const TABLES: Script =
    Script { text: include_str!("page.js"), hash: "Rn2aUYhbZ/7aLOFZ6WCWB07YR7sVDaTUCPBXKYCKPrk=" };

/// A script that a page may run.
pub struct Script {
    /// Its text.
    pub text: &'static str,
    /// Its SHA-256, as browsers write it.
    pub hash: &'static str,
}

/// What a page is made of.
pub struct PageParts<'a> {
    /// Its heading.
    pub title: &'a str,
    /// The command that made it.
    pub command: &'a str,
    /// What is below the heading: facts, and what the content is searched with.
    pub about: Markup,
    /// The content.
    pub content: Markup,
    /// Its only script.
    pub script: Script,
}

/// The page, whole.
pub fn page(parts: &PageParts<'_>) -> String {
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'; base-uri 'none'; \
         form-action 'none'",
        parts.script.hash
    );
    let markup = html! {
        (DOCTYPE) "\n"
        html lang="en" {
            "\n" head {
                "\n" meta charset="utf-8";
                "\n" meta http-equiv="Content-Security-Policy" content=(policy);
                "\n" meta name="viewport" content="width=device-width, initial-scale=1";
                "\n" title { (parts.title) " · " (parts.command) }
                "\n" style { (PreEscaped(STYLE)) }
            }
            "\n" body {
                "\n" a.skip href="#content" { "Skip to the content" }
                "\n" header { h1 { (parts.title) } (parts.about) }
                "\n" main id="content" tabindex="-1" { (parts.content) }
                "\n" script { (PreEscaped(parts.script.text)) }
            }
        }
        "\n"
    };
    markup.into_string()
}

/// The box that filters all tables and listings of a page.
pub fn filter_box() -> Markup {
    html! {
        p.bar {
            input type="search" id="filter" placeholder="filter" aria-label="show only functions and files with this text";
            span.keys { kbd { "/" } " filter " kbd { "Esc" } " show all" }
            span id="hits" role="status" {}
        }
    }
}

/// A part of the page that may be larger than its frame, so that it is reached and scrolled by keys.
pub fn sheet(class: &str, about: &str, content: &Markup) -> Markup {
    html! { div class=(class) role="group" tabindex="0" aria-label=(about) { (content) } }
}

/// A column of a table that sorts by each of them.
pub struct Column {
    /// What is at its head, and before each cell on narrow screens.
    pub name: &'static str,
    /// Whether it holds numbers.
    pub is_number: bool,
}

/// The head of such a table; it is sorted by its first column, the largest first.
pub fn sorted_header(columns: &[Column]) -> Markup {
    html! {
        thead { tr {
            @for (position, column) in columns.iter().enumerate() {
                th.num[column.is_number] scope="col" aria-sort=[(position == 0).then_some("descending")] {
                    button type="button" { (column.name) }
                }
            }
        } }
    }
}

/// A cell that sorts by its value.
pub fn number_cell(column: &str, value: impl std::fmt::Display, text: &str) -> Markup {
    html! { td.num data-v=(format!("{value}")) data-of=(column) { (text) } }
}

/// One that also shows the value as a share of the whole, from 0 to 1.
pub fn share_cell(column: &str, value: impl std::fmt::Display, part: f64, text: &str) -> Markup {
    html! {
        td.num.share style=(format!("--s:{part:.4}")) data-v=(format!("{value}")) data-of=(column) { (text) }
    }
}

/// What is shown before a listing is opened: what it is of, written short and in whole, and a word on it.
pub fn listing(is_open: bool, of: &str, whole: &str, word: &str, content: &Markup) -> Markup {
    html! {
        details open[is_open] {
            summary title=(whole) { bdi { (of) } span { (word) } }
            (sheet("sheet", of, content))
        }
        "\n"
    }
}

/// The head of a listing's table.
pub fn listing_header(about: &str, columns: &[&str]) -> Markup {
    html! {
        caption.quiet { (about) }
        thead.quiet { tr { @for column in columns { th scope="col" { (column) } } } }
    }
}

/// Text of a picture, in which nothing is taken for an element.
pub fn escaped(text: &str) -> String {
    html! { (text) }.into_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In text, in an attribute, in the title: what looks like markup is text.
    #[test]
    fn text_is_never_markup() {
        let hostile = "</title></style><script>alert(1)</script>\" onload=\"x&y";
        let parts = PageParts {
            title: hostile,
            command: "opcost",
            about: filter_box(),
            content: html! {
                (listing(true, hostile, hostile, hostile, &html! { (hostile) }))
                table { (listing_header(hostile, &[hostile])) tr { (number_cell(hostile, 1, hostile)) } }
            },
            script: TABLES,
        };
        let page = page(&parts);
        assert_eq!(page.matches("<script>").count(), 1, "only our own script");
        assert_eq!(page.matches("</title>").count(), 1);
        assert_eq!(page.matches("</style>").count(), 1);
        assert!(!page.contains("onload=\"") && page.contains("&quot; onload=&quot;x&amp;y"), "{page}");
    }
}
