//! Which sentences does a text in Markdown have?
//!
//! Output: pieces that end sentences by themselves (paragraphs, list items, headings, cells of
//! tables), each with its line; their sentences; and the words of a sentence, in small letters.
//! A paragraph may have several lines. Code within a line is one word.

/// Marks between which a page is made from other texts.
const MADE: &[(&str, &str)] =
    &[("<!-- options -->", "<!-- /options -->"), ("<!-- fields -->", "<!-- /fields -->")];

/// The pieces of a text, each with its line from 1.
pub(crate) fn texts(text: &str) -> Vec<(usize, String)> {
    let mut pieces: Vec<(usize, String)> = Vec::new();
    let mut until: Option<&str> = None;
    let mut is_open = false;
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if let Some(end) = until {
            if trimmed.starts_with(end) {
                until = None;
            }
            continue;
        }
        if let Some((_, end)) = MADE.iter().find(|(begin, _)| trimmed == *begin) {
            until = Some(end);
            is_open = false;
        } else if trimmed.starts_with("```") {
            until = Some("```");
            is_open = false;
        } else if trimmed.is_empty() || trimmed.starts_with("<!--") {
            is_open = false;
        } else if trimmed.starts_with('|') {
            let cells = trimmed.trim_matches('|').split('|');
            pieces.extend(cells.map(|cell| (at + 1, cell.trim().to_owned())));
            is_open = false;
        } else if let Some(item) = item(trimmed) {
            pieces.push((at + 1, item.to_owned()));
            is_open = !trimmed.starts_with('#');
        } else if let Some((_, last)) = pieces.last_mut().filter(|_| is_open) {
            last.push(' ');
            last.push_str(trimmed);
        } else {
            pieces.push((at + 1, trimmed.to_owned()));
            is_open = true;
        }
    }
    pieces
}

/// What a list item or heading says.
fn item(line: &str) -> Option<&str> {
    let number = line.split_once(". ").filter(|(number, _)| number.parse::<u32>().is_ok());
    line.strip_prefix("- ")
        .or_else(|| line.strip_prefix("* "))
        .or_else(|| number.map(|(_, rest)| rest))
        .or_else(|| line.starts_with('#').then(|| line.trim_start_matches('#').trim()))
}

/// The sentences of a piece.
pub(crate) fn sentences(text: &str) -> Vec<String> {
    let text = plain(text);
    let mut sentences = vec![String::new()];
    for word in text.split_whitespace() {
        let last = sentences.last_mut().expect("begun");
        if !last.is_empty() {
            last.push(' ');
        }
        last.push_str(word);
        let bare = word.trim_end_matches(['"', '\'', ')', '*', '_', '”', '“']);
        if bare.ends_with(['.', '!', '?']) && !is_abbreviation(bare) {
            sentences.push(String::new());
        }
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

fn is_abbreviation(word: &str) -> bool {
    ["e.g.", "i.e.", "vs.", "etc."].contains(&word)
}

/// Without code, links and marks.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for (at, part) in text.split('`').enumerate() {
        plain.push_str(if at % 2 == 0 { part } else { "CODE" });
    }
    while let Some(begin) = plain.find("](") {
        let length = plain[begin..].find(')').map_or(plain.len() - begin, |end| end + 1);
        plain.replace_range(begin..begin + length, "]");
    }
    plain.replace("**", "").replace(['[', ']'], "")
}

/// The words of a sentence in small letters; marks between them are none.
pub(crate) fn words(sentence: &str) -> Vec<String> {
    let bare = |word: &str| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    sentence.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect()
}

#[test]
fn pieces_end_sentences() {
    let text = "# A head\n\nOne line\ngoes on. Another?\n- an item\n  of two lines\n\n| a b | `c d e` |\n|---|---|\n\n\
                ```text\nnot this\n```\n1. first [a link](x.md#y), 1.5 times\n\n<!-- options -->\nnor this\n<!-- /options -->\nend";
    let all: Vec<String> = texts(text).iter().flat_map(|(_, piece)| sentences(piece)).collect();
    let expected = [
        "A head",
        "One line goes on.",
        "Another?",
        "an item of two lines",
        "a b",
        "CODE",
        "---",
        "---",
        "first a link, 1.5 times",
        "end",
    ];
    assert_eq!(all, expected);
    assert_eq!(words("Nothing is told, `x`: (1.5) — ×2."), ["nothing", "is", "told", "x", "1.5", "2"]);
}
