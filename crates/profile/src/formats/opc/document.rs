//! What do the columns of a ledger mean to whoever reads it with another program?
//!
//! The tables of `guide/src/formats/ledger.md`, made of the lists that writer and reader follow; a test
//! holds the page to them.

use std::fmt::Write as _;

use super::columns::{Cells, KINDS, TABLE};
use crate::{AnswerColumn, Assumed, Certainty, Column, Form, Origin, Unit, Way, World};

/// The tables, as Markdown.
pub fn ledger_tables() -> String {
    let mut text = String::new();
    table(
        &mut text,
        "Columns",
        ["column", "type", "meaning"],
        TABLE.iter().map(|column| {
            let kind = match column.cells {
                Cells::Text(_) => "text",
                Cells::Flag(_) => "boolean",
                Cells::Small(_) => "32 bits, unsigned",
                Cells::Count(_) => "64 bits, unsigned",
                Cells::Decimal(_) => "decimal of 38 digits",
                Cells::Decimals(_) => "list of decimals of 38 digits",
                Cells::Assumptions(_) => "list of `what`, `key`, `words`",
            };
            [format!("`{}`", column.name), kind.to_owned(), column.meaning.to_owned()]
        }),
    );
    let kinds = KINDS.iter().map(|(kind, words)| [format!("`{kind}`"), (*words).to_owned()]);
    table(&mut text, "Kinds of rows", ["kind", "about"], kinds);
    let columns = Column::ALL
        .iter()
        .map(|column| [format!("`{column}`"), column.unit().to_string(), column.meaning().to_owned()]);
    table(&mut text, "Questions (`column`)", ["column", "unit", "meaning"], columns);
    let columns = AnswerColumn::ALL
        .iter()
        .map(|column| [format!("`{column}`"), column.unit().to_string(), column.meaning().to_owned()]);
    table(&mut text, "Questions whose answers are no counts", ["column", "unit", "meaning"], columns);
    words(&mut text, "Forms of answers", Form::ALL.iter().map(|word| (word.word(), word.meaning())));
    words(&mut text, "Qualities of answers", Certainty::ALL.iter().map(|word| (word.word(), word.meaning())));
    words(&mut text, "Assumptions", Assumed::ALL.iter().map(|word| (word.word(), word.meaning())));
    words(&mut text, "Units", Unit::ALL.iter().map(|word| (word.word(), word.meaning())));
    words(&mut text, "Origins", Origin::ALL.iter().map(|word| (word.word(), word.meaning())));
    words(&mut text, "Worlds", World::ALL.iter().map(|word| (word.word(), word.meaning())));
    words(&mut text, "Kinds of edges (`way`)", Way::ALL.iter().map(|word| (word.word(), word.meaning())));
    text
}

fn words<'a>(text: &mut String, title: &str, rows: impl Iterator<Item = (&'a str, &'a str)>) {
    table(
        text,
        title,
        ["word", "meaning"],
        rows.map(|(word, meaning)| [format!("`{word}`"), meaning.to_owned()]),
    );
}

fn table<const N: usize>(
    text: &mut String,
    title: &str,
    head: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) {
    let _ = write!(text, "## {title}\n\n| {} |\n|{}\n", head.join(" | "), "---|".repeat(N));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::ledger_tables;
    use crate::example::sample;
    use crate::formats::opc::columns::{KINDS, Row, kind, rows};

    /// `OPCOST_WRITE_DOCS=1` writes the tables into the page.
    #[test]
    fn the_page_has_the_tables() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guide/src/formats/ledger.md");
        let page = std::fs::read_to_string(&path).expect("the page of the ledger");
        let (words, _) = page.split_once("## Columns").expect("the tables begin with Columns");
        let made = words.to_owned() + ledger_tables().trim_end() + "\n";
        if std::env::var_os("OPCOST_WRITE_DOCS").is_some() {
            std::fs::write(&path, &made).expect("written");
        }
        assert!(
            page == made,
            "guide/src/formats/ledger.md is old: OPCOST_WRITE_DOCS=1 cargo test -p opcost-profile"
        );
    }

    #[test]
    fn every_kind_of_row_is_told() {
        let sample = sample();
        let answers = crate::answers::example::sample_rows();
        let rows = rows(&sample).into_iter().chain(answers.iter().map(Row::Answer));
        for kind in rows.map(kind) {
            assert!(KINDS.iter().any(|(told, _)| *told == kind), "{kind}");
        }
    }
}
