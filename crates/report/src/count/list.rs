//! What does a ledger say of every function, line, block, edge, path or
//! instruction? One row each, sorted, as text.
//!
//! Rows are plain data, made of a ledger elsewhere. Text shows the
//! first rows with their share of the column and, where a source is at hand,
//! the line that they begin on.

use std::fmt::Write;

use crate::kit::numbers::{grouped, percent, share};
use crate::kit::source::Sources;
use crate::kit::style::{DIM, STRONG, cut, heat, padded, paint, printable, width_of};
use opcost_answer::list::{List, ListKind, ListRow};
use opcost_answer::names::{NameBook, are_names_full, tidy_path};

/// The first `top` rows as text.
pub fn print_list(list: &List, sources: &mut Sources, top: usize, width: usize) -> String {
    let mut out = String::new();
    let total: u128 = list.rows.iter().filter_map(|row| list.measure(row)).map(u128::from).sum();
    let unit = match list.kind {
        ListKind::Functions | ListKind::Lines => "instructions",
        _ => "times",
    };
    let head = format!("{} {}, {} {unit} in all", grouped(list.rows.len()), list.kind.word(), grouped(total));
    let _ = writeln!(out, "{}", paint(STRONG, head));
    let names = NameBook::of_names(list.rows.iter().filter_map(|row| row.function.as_deref()));
    for row in list.rows.iter().take(top) {
        let part = list.measure(row).map_or(0.0, |value| share(value.into(), total));
        let number = list.measure(row).map_or("unknown".to_owned(), grouped);
        let figures = format!("{number:>16} {:>7}", percent(part));
        let name = row.function.as_deref().map_or(String::new(), |name| names.name(name));
        let what =
            [name.as_str(), &row.what].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>();
        let room = width.saturating_sub(27);
        let text = printable(&what.join(" "));
        let text = if are_names_full() { text } else { cut(&text, room) };
        let _ = writeln!(out, "{}  {text}", paint(heat(part), figures));
        let _ = write!(out, "{}", place_line(row, sources, width));
    }
    if list.rows.len() > top {
        let _ = writeln!(out, "{:>16}", format!("… {} more (--top N)", grouped(list.rows.len() - top)));
    }
    for note in &list.notes {
        let _ = writeln!(out, "  {note}");
    }
    out
}

/// Where a row begins, and what is there; of a path its lines.
fn place_line(row: &ListRow, sources: &mut Sources, width: usize) -> String {
    if !row.lines.is_empty() {
        let mut text = String::new();
        let mut file = "";
        for line in &row.lines {
            let (name, number) = (tidy_path(&line.file), line.line);
            text += &if line.file == file { format!(" {number}") } else { format!(" {name}:{number}") };
            file = &line.file;
        }
        return format!("{:>26}{}\n", "", paint(DIM, cut(&text, width.saturating_sub(27))));
    }
    let Some(place) = row.location() else { return String::new() };
    let head = format!("{}:{}", tidy_path(&place.file), place.line);
    let source = sources.line(&place.file, place.line).map(|text| printable(&text).trim().to_owned());
    let room = width.saturating_sub(29 + width_of(&head));
    let source = source.map_or(String::new(), |text| cut(&text, room));
    let head = padded(&head, width_of(&head));
    format!("{:>26} {}\n", "", paint(DIM, format!("{head}  {source}").trim_end()))
}
