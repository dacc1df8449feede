//! How is a profile told to `clang -fprofile-sample-use=`?
//!
//! In LLVM's text form: a function with its total and its entries, below it a line for
//! each place (lines below the function's first, discriminator) with how often it ran
//! and what it called, and functions inlined into it at their call's place:
//!
//! ```text
//! main:184:1
//!  2: 10
//!  3.1: 4 callee:4
//!  5: inlined:160
//!   1: 160
//! ```
//!
//! Several instructions of one place are one number, the largest, since the reader takes
//! the largest of a block's. Calls are added up by callee. Functions that never ran
//! are left out: the reader knows nothing of them then, as of any new function.
//!
//! Input: instructions with the places that they come from. Output: text in one order.
//! Cost: n log n. Limits: the format has 16 bits for lines below the first.

use std::collections::BTreeMap;
use std::fmt::Write;

/// A line of a function, as the reader names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DiscriminatedLine {
    /// Lines below the function's first, modulo 65,536.
    pub offset: u32,
    /// Keeps blocks on one line apart.
    pub discriminator: u32,
}

impl DiscriminatedLine {
    /// The place of a line of a function that begins at another.
    pub fn new(line: u32, first_line: u32, discriminator: u32) -> Self {
        DiscriminatedLine { offset: line.wrapping_sub(first_line) & 0xffff, discriminator }
    }
}

/// An instruction that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedCount {
    /// Functions from the one that holds it inwards, each with the place in it: of
    /// the call that was inlined, at last of the instruction. Never empty.
    pub frames: Vec<(String, DiscriminatedLine)>,
    /// How often it ran.
    pub count: u64,
    /// What it calls, if that is known.
    pub callee: Option<String>,
}

/// Function and, but for the first, the place of the call that it was inlined at.
type Path = Vec<(DiscriminatedLine, String)>;

/// How often a place ran, and what it called how often.
#[derive(Default)]
struct Ran {
    count: u64,
    callees: BTreeMap<String, u64>,
}

#[derive(Default)]
struct Body {
    lines: BTreeMap<DiscriminatedLine, Ran>,
    /// Of this one and all that was inlined into it.
    total: u64,
}

const OUTERMOST: DiscriminatedLine = DiscriminatedLine { offset: 0, discriminator: 0 };

/// The profile as text; `entries` says how often functions were called.
pub fn write_llvm_sample(instructions: &[PlacedCount], entries: &BTreeMap<String, u64>) -> String {
    let mut bodies: BTreeMap<Path, Body> = BTreeMap::new();
    for one in instructions {
        let mut path = Path::new();
        let mut at = OUTERMOST;
        for (function, place) in &one.frames {
            path.push((at, function.clone()));
            bodies.entry(path.clone()).or_default();
            at = *place;
        }
        let body = bodies.get_mut(&path).expect("made above");
        let ran = body.lines.entry(at).or_default();
        ran.count = ran.count.max(one.count);
        if let Some(callee) = one.callee.as_ref().filter(|_| one.count > 0) {
            let calls = ran.callees.entry(callee.clone()).or_default();
            *calls = calls.saturating_add(one.count);
        }
    }
    add_up(&mut bodies);
    let mut text = String::new();
    for (path, body) in &bodies {
        let outermost = &bodies[&path[..1]];
        if outermost.total > 0 {
            write_body(&mut text, path, body, entries);
        }
    }
    text
}

/// Totals, of inlined functions in all that they were inlined into.
fn add_up(bodies: &mut BTreeMap<Path, Body>) {
    let own: Vec<(Path, u64)> = bodies
        .iter()
        .map(|(path, body)| {
            (path.clone(), body.lines.values().fold(0, |sum: u64, ran| sum.saturating_add(ran.count)))
        })
        .collect();
    for (path, sum) in own {
        for length in 1..=path.len() {
            let body = bodies.get_mut(&path[..length]).expect("every start of a path is there");
            body.total = body.total.saturating_add(sum);
        }
    }
}

fn write_body(text: &mut String, path: &Path, body: &Body, entries: &BTreeMap<String, u64>) {
    let (at, function) = path.last().expect("a path has a function");
    let depth = path.len();
    // Writing to a string does not fail.
    let _ = match depth {
        1 => writeln!(text, "{function}:{}:{}", body.total, entries.get(function).unwrap_or(&0)),
        _ => writeln!(text, "{:depth$}{}: {function}:{}", "", place(*at), body.total, depth = depth - 1),
    };
    for (line, ran) in &body.lines {
        let _ = write!(text, "{:depth$}{}: {}", "", place(*line), ran.count);
        for (callee, calls) in &ran.callees {
            let _ = write!(text, " {callee}:{calls}");
        }
        text.push('\n');
    }
}

fn place(place: DiscriminatedLine) -> String {
    match place.discriminator {
        0 => place.offset.to_string(),
        discriminator => format!("{}.{discriminator}", place.offset),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{DiscriminatedLine, PlacedCount, write_llvm_sample};

    fn at(offset: u32, discriminator: u32) -> DiscriminatedLine {
        DiscriminatedLine { offset, discriminator }
    }

    fn ran(frames: &[(&str, DiscriminatedLine)], count: u64, callee: Option<&str>) -> PlacedCount {
        let frames = frames.iter().map(|(name, place)| ((*name).to_owned(), *place)).collect();
        PlacedCount { frames, count, callee: callee.map(str::to_owned) }
    }

    #[test]
    fn the_essays_example_is_written() {
        let instructions = [
            ran(&[("main", at(2, 0))], 7, None),
            ran(&[("main", at(2, 0))], 10, None),
            ran(&[("main", at(3, 1))], 4, Some("callee")),
            ran(&[("main", at(5, 0)), ("inlined", at(1, 0))], 160, None),
            ran(&[("main", at(6, 0)), ("never", at(1, 0))], 0, None),
            ran(&[("idle", at(1, 0))], 0, Some("callee")),
        ];
        let entries = BTreeMap::from([("main".to_owned(), 1)]);
        let text = write_llvm_sample(&instructions, &entries);
        let wanted = "main:174:1\n 2: 10\n 3.1: 4 callee:4\n 5: inlined:160\n  1: 160\n 6: never:0\n  1: 0\n";
        assert_eq!(text, wanted);
    }

    #[test]
    fn lines_above_the_first_wrap_as_the_reader_has_it() {
        assert_eq!(DiscriminatedLine::new(9, 10, 0).offset, 0xffff);
        assert_eq!(DiscriminatedLine::new(70_000, 10, 3), at(70_000 - 10 - 65_536, 3));
    }

    #[test]
    fn what_is_inlined_counts_in_all_around_it() {
        let deep = ran(&[("a", at(1, 0)), ("b", at(2, 0)), ("c", at(3, 0))], 5, None);
        let text = write_llvm_sample(&[deep], &BTreeMap::new());
        assert_eq!(text, "a:5:0\n 1: b:5\n  2: c:5\n   3: 5\n");
    }
}
