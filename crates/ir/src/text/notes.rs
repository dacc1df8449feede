//! What stands at the end of a line, behind `!`?
//!
//! `!at 3` the place, `!weights 9 1` of a branch, `!loop mustprogress` of a
//! latch, `!tag 2` of an access, `!name "total"` in the source, `!member 8 "b"`
//! of shared data. Each line takes some of them only.

use opcost_index::Id;
use opcost_key::PlaceId;

use super::cursor::{Cursor, Parsed};
use super::lex::{Token, write_quoted};
use crate::{LatchFacts, TagId};

/// What the notes of a line say.
#[derive(Default)]
pub(super) struct Notes {
    pub(super) place: Option<PlaceId>,
    pub(super) weights: Option<Vec<u32>>,
    pub(super) latch: LatchFacts,
    pub(super) tag: Option<TagId>,
    pub(super) name: Option<Box<str>>,
    pub(super) members: Vec<(u64, Box<str>)>,
}

/// Reads notes, of these kinds only.
pub(super) fn notes(cursor: &mut Cursor<'_>, possible: &[&str]) -> Parsed<Notes> {
    let mut notes = Notes::default();
    while let Some(Token::Note(note)) = cursor.peek() {
        if !possible.contains(&note.as_str()) {
            let possible: Vec<String> = possible.iter().map(|note| format!("'!{note}'")).collect();
            return cursor.expected(possible.join(" or "));
        }
        cursor.next();
        match note.as_str() {
            "at" => notes.place = Some(id(cursor, "the number of a place")?),
            "tag" => notes.tag = Some(id(cursor, "the number of a tag")?),
            "weights" => notes.weights = Some(weights(cursor)?),
            "loop" => notes.latch = latch(cursor),
            "name" => notes.name = Some(cursor.text("a name of the source")?.into()),
            _ => {
                let offset = cursor.number("an offset")?;
                notes.members.push((offset, cursor.text("a name of the source")?.into()));
            }
        }
    }
    Ok(notes)
}

fn id<I: Id>(cursor: &mut Cursor<'_>, what: &str) -> Parsed<I> {
    cursor.number::<u32>(what).map(|number| I::new(number as usize))
}

fn weights(cursor: &mut Cursor<'_>) -> Parsed<Vec<u32>> {
    let mut list = Vec::new();
    while matches!(cursor.peek(), Some(Token::Number(_))) {
        list.push(cursor.number("a weight")?);
    }
    Ok(list)
}

fn latch(cursor: &mut Cursor<'_>) -> LatchFacts {
    let mut latch = LatchFacts::default();
    loop {
        let fact = match cursor.peek_word() {
            Some("mustprogress") => &mut latch.must_progress,
            Some("vectorized") => &mut latch.is_vectorized,
            Some("unrolled") => &mut latch.is_unrolled,
            _ => return latch,
        };
        *fact = true;
        cursor.next();
    }
}

/// Writes what is said of a latch.
pub(super) fn write_latch(latch: LatchFacts, out: &mut String) {
    if latch == LatchFacts::default() {
        return;
    }
    out.push_str(" !loop");
    let words = [
        (latch.must_progress, " mustprogress"),
        (latch.is_vectorized, " vectorized"),
        (latch.is_unrolled, " unrolled"),
    ];
    words.iter().filter(|(is_set, _)| *is_set).for_each(|(_, word)| out.push_str(word));
}

/// Writes a name of the source.
pub(super) fn write_source_name(name: Option<&str>, out: &mut String) {
    if let Some(name) = name {
        out.push_str(" !name ");
        write_quoted(name, out);
    }
}
