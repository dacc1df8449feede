//! What must come out? Read from comments at the top of a program.
//!
//! ```text
//! // expect NAME calls=N          a function, by linkage name, name, or name without parameters
//! // expect block NAME K count=N  the K-th block of a function (.ll only: the IR is as written)
//! // expect total=N               the whole program (.ll only)
//! // expect between total=N       not exact, but the interval holds N
//! code; // N x K + M x L          this line's instructions: N times K of them, …
//! // quality lower bound: TEXT    not exact, and a reason says TEXT
//! // segments exact               … but exact with a counter for every segment
//! // fails: TEXT                  counted, but no counts: the message says TEXT
//! // refused: TEXT                not built: the message says TEXT
//! // refused at ANCHOR: TEXT      the same at one anchor, beside the others
//! // status N, // signal N        how the program ends (default: status 0)
//! // processes N                  how many processes counted
//! // args A…, // flags F…         of the program, of opcost
//! // with FILE, // object FILE    more sources; more sources that plain clang compiles
//! // anchors A…, // levels N…     instead of: source optimized; 0 3
//! // totals differ                runs need not agree
//! // returns open                 a lower bound by returns after jumps is right, too
//! ```
//!
//! Hand values hold at anchor `source` (unoptimised IR) and, for calls, at
//! `optimized` where the functions are kept apart by `noinline` and the file
//! says `// anchors optimized`.

use std::path::{Path, PathBuf};

#[derive(Debug, Default, Clone)]
pub(crate) struct Directives {
    pub(crate) calls: Vec<(String, u64)>,
    pub(crate) blocks: Vec<(String, u64, u64)>,
    pub(crate) total: Option<u64>,
    pub(crate) between: Option<u64>,
    /// Line, instructions.
    pub(crate) lines: Vec<(u64, u64)>,
    /// A reason for not being exact.
    pub(crate) lower_bound: Option<String>,
    pub(crate) segments_exact: bool,
    pub(crate) fails: Option<String>,
    pub(crate) refused: Option<String>,
    pub(crate) refused_at: Vec<(String, String)>,
    pub(crate) status: Option<i64>,
    pub(crate) signal: Option<i64>,
    pub(crate) processes: Option<u64>,
    pub(crate) arguments: Vec<String>,
    pub(crate) flags: Vec<String>,
    pub(crate) sources: Vec<PathBuf>,
    pub(crate) objects: Vec<PathBuf>,
    pub(crate) anchors: Vec<String>,
    pub(crate) levels: Vec<String>,
    pub(crate) totals_differ: bool,
    /// Where code generation makes jumps of calls, returns may be open: then the count is a lower bound.
    pub(crate) returns_open: bool,
}

impl Directives {
    /// Reads a program. Panics on a directive that it does not know: a
    /// mistyped expectation must not pass.
    pub(crate) fn read(path: &Path) -> Directives {
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let folder = path.parent().expect("a program lies in a folder");
        let is_ir = path.extension().is_some_and(|extension| extension == "ll");
        let comment = if is_ir { "; " } else { "// " };
        let mut read = Directives { sources: vec![path.to_owned()], ..Directives::default() };
        for (number, line) in text.lines().enumerate() {
            if let Some(directive) = line.strip_prefix(comment) {
                read.directive(directive, folder, line);
            } else if let Some((_, value)) = line.rsplit_once(comment) {
                read.line_value(number as u64 + 1, value);
            }
        }
        if read.anchors.is_empty() {
            read.anchors = if is_ir { words("file") } else { words("source optimized") };
        }
        if read.levels.is_empty() {
            read.levels = words("0 3");
        }
        read
    }

    fn directive(&mut self, directive: &str, folder: &Path, line: &str) {
        let (name, rest) = directive.split_once(' ').unwrap_or((directive, ""));
        match name {
            "expect" => self.expect(rest, line),
            "quality" => {
                self.lower_bound = Some(after(rest, "lower bound: ", line).to_owned());
            }
            "segments" => {
                assert_eq!(rest, "exact", "{line}");
                self.segments_exact = true;
            }
            "fails:" => self.fails = Some(rest.to_owned()),
            "refused:" => self.refused = Some(rest.to_owned()),
            "refused" => {
                let (anchor, text) = after(rest, "at ", line).split_once(": ").expect(line);
                self.refused_at.push((anchor.to_owned(), text.to_owned()));
            }
            "status" => self.status = Some(rest.parse().expect(line)),
            "signal" => self.signal = Some(rest.parse().expect(line)),
            "processes" => self.processes = Some(rest.parse().expect(line)),
            "args" => self.arguments = words(rest),
            "flags" => self.flags = words(rest),
            "with" => self.sources.push(folder.join(rest)),
            "object" => self.objects.push(folder.join(rest)),
            "anchors" => self.anchors = words(rest),
            "levels" => self.levels = words(rest),
            "totals" => {
                assert_eq!(rest, "differ", "{line}");
                self.totals_differ = true;
            }
            "returns" => {
                assert_eq!(rest, "open", "{line}");
                self.returns_open = true;
            }
            // Prose begins with a capital letter or is a program's own word.
            _ => assert!(
                !name.ends_with(':') && !directive.contains('=') || name.starts_with(char::is_uppercase),
                "{line}"
            ),
        }
    }

    fn expect(&mut self, rest: &str, line: &str) {
        let (what, value) = rest.rsplit_once('=').unwrap_or_else(|| panic!("{line}"));
        let value = value.parse().unwrap_or_else(|_| panic!("{line}"));
        let words: Vec<&str> = what.split(' ').collect();
        match words[..] {
            ["total"] => self.total = Some(value),
            ["between", "total"] => self.between = Some(value),
            ["block", function, position, "count"] => {
                self.blocks.push((function.to_owned(), position.parse().expect(line), value));
            }
            [.., "calls"] => self.calls.push((words[..words.len() - 1].join(" "), value)),
            _ => panic!("{line}"),
        }
    }

    /// `N x K + M x L`; anything else is an ordinary comment.
    fn line_value(&mut self, number: u64, value: &str) {
        let product = |term: &str| -> Option<u64> {
            let (times, instructions) = term.trim().split_once(" x ")?;
            Some(times.parse::<u64>().ok()? * instructions.parse::<u64>().ok()?)
        };
        if let Some(sum) = value.split('+').map(product).sum() {
            self.lines.push((number, sum));
        }
    }

    /// How many things are checked about counts.
    pub(crate) fn expectations(&self) -> usize {
        self.calls.len()
            + self.blocks.len()
            + self.lines.len()
            + usize::from(self.total.is_some())
            + usize::from(self.between.is_some())
            + usize::from(self.refused.is_some())
            + usize::from(self.fails.is_some())
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn after<'a>(text: &'a str, prefix: &str, line: &str) -> &'a str {
    text.strip_prefix(prefix).unwrap_or_else(|| panic!("{line}"))
}
