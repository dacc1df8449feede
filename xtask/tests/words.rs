//! Are texts for people written in short sentences and plain words?
//!
//! A reader who knows compilers should not have to learn how opcost talks. A sentence has at most
//! 25 words. Words of this project's own manner stand in a table with the usual word.
//!
//! Input: Markdown (the guide, README and its like), what the command prints as help, descriptions
//! in JSON schemas, documentation of sources, and texts in sources that have four words or
//! more. Of Markdown blocks of code are left out and code within a line is one word; list items,
//! headings and cells of tables are sentences of their own. What a page of the guide has between
//! `<!-- options -->` or `<!-- fields -->` and its end is made from help and schemas, and is judged
//! there.
//!
//! What is not so yet stands in `words.txt`, a line `WHERE long COUNT` or `WHERE word COUNT` each.
//! Counts may only fall. The guide and the help have no line there. Limits: a sentence ends at `.`, `!` or `?`
//! in front of a blank; commas and colons do not end it. Cost: one pass over all sources.

#[path = "words/markdown.rs"]
mod markdown;
#[path = "words/rust.rs"]
mod rust;
mod sources;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The most words of a sentence.
const MOST: usize = 25;

/// Words, and what readers expect in their place.
const WORDS: &[(&[&str], &str)] = &[
    (&["behind"], "after; below"),
    (&["beside"], "next to; in addition to; with"),
    (&["clever", "cleverer", "cleverest"], "say what it does"),
    (&["dear", "dearer", "dearest"], "expensive; costly"),
    (&["foretell", "foretells", "foretold"], "predict"),
    (&["gone"], "removed; ended"),
    (&["hear", "hears", "heard"], "receive"),
    (&["lie", "lies", "lay"], "is (in)"),
    (&["meant"], "intended; selected"),
    (&["mend", "mends", "mended"], "fix; repair"),
    (&["stand", "stands", "stood"], "is; replaces (for: stands in for)"),
    (&["tell", "tells", "told"], "report; print; describe; distinguish (for: tell apart)"),
    (&["turn", "turns"], "iteration; call of a plug-in"),
    (&["walk", "walks", "walked"], "traverse"),
    (&["whoever"], "anyone who"),
];

/// One text, with the place where it begins.
struct Text {
    place: String,
    words: String,
}

/// What is wrong in texts of one kind: `WHERE long` and `WHERE word`, with places.
#[derive(Default)]
struct Faults(BTreeMap<String, Vec<String>>);

impl Faults {
    fn judge(&mut self, kind: &str, texts: &[Text]) {
        for text in texts {
            for sentence in markdown::sentences(&text.words) {
                let words = markdown::words(&sentence);
                if words.len() > MOST {
                    let fault = format!("{}: {} words: {sentence}", text.place, words.len());
                    self.0.entry(format!("{kind} long")).or_default().push(fault);
                }
                for (forms, instead) in WORDS {
                    for word in words.iter().filter(|word| forms.contains(&word.as_str())) {
                        let fault = format!("{}: '{word}' (better: {instead}): {sentence}", text.place);
                        self.0.entry(format!("{kind} word")).or_default().push(fault);
                    }
                }
            }
        }
    }

    /// Counts with advice, as lists hold them.
    fn counts(self) -> BTreeMap<String, (usize, String)> {
        let described = |(line, faults): (String, Vec<String>)| {
            let shown = faults.iter().rev().take(40).rev().cloned().collect::<Vec<_>>().join("\n       ");
            (
                line,
                (
                    faults.len(),
                    format!("Write short sentences and plain words. The last ones:\n       {shown}"),
                ),
            )
        };
        self.0.into_iter().map(described).collect()
    }
}

/// All files below a folder with this ending, sorted.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn markdown_of(path: &Path) -> Vec<Text> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let name = path.strip_prefix(sources::root()).unwrap_or(path).display().to_string();
    let texts = markdown::texts(&text).into_iter();
    texts.map(|(line, words)| Text { place: format!("{name}:{line}"), words }).collect()
}

/// Descriptions of a JSON schema.
fn descriptions(value: &serde_json::Value, path: &str, texts: &mut Vec<Text>) {
    match value {
        serde_json::Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str().filter(|_| name == "description") {
                    Some(words) => texts.push(Text { place: path.to_owned(), words: words.to_owned() }),
                    None => descriptions(value, &format!("{path}/{name}"), texts),
                }
            }
        }
        serde_json::Value::Array(items) => {
            items.iter().for_each(|item| descriptions(item, path, texts));
        }
        _ => {}
    }
}

#[test]
fn texts_have_short_sentences_and_plain_words() {
    let root = sources::root();
    let mut faults = Faults::default();
    for page in files(&root.join("guide/src"), "md") {
        faults.judge("guide", &markdown_of(&page));
    }
    for name in ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md"] {
        faults.judge(name, &markdown_of(&root.join(name)));
    }
    for path in files(&root.join("schemas"), "json") {
        let text = std::fs::read_to_string(&path).expect("a schema");
        let schema = serde_json::from_str(&text).expect("a schema is JSON");
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let mut texts = Vec::new();
        descriptions(&schema, &name, &mut texts);
        faults.judge(&format!("schemas/{name}"), &texts);
    }
    for room in sources::rooms() {
        let mut found = rust::Texts::default();
        for module in sources::modules_of(&room) {
            let is_help = room == "cli" && module.path.first().is_some_and(|name| name == "arguments");
            let mut of_module = rust::texts(&module);
            if is_help {
                faults.judge("help", &of_module.documentation);
                faults.judge("help", &of_module.messages);
            } else {
                found.documentation.append(&mut of_module.documentation);
                found.messages.append(&mut of_module.messages);
            }
        }
        faults.judge(&format!("documentation/{room}"), &found.documentation);
        faults.judge(&format!("messages/{room}"), &found.messages);
    }
    sources::hold_counts("words.txt", &faults.counts());
}
