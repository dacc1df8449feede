//! How is a page of the guide written as parts of a man page?
//!
//! Input: Markdown as the guide has it: headings, paragraphs of one line, lists of one line an item,
//! tables, fenced blocks, comments; in a line code, bold words and links. Output: lines of roff.
//! What stands above the first heading of the second level is the description. The part `Options` is
//! left out, because it is made of the command line. Of a table the first cell of each row
//! is a term, and the others are its description. Limits: no other Markdown is known, and links
//! lose their targets. Cost: one pass.

use std::fmt::Write;

/// The parts of a page: those in front of the options, and those after them.
pub fn parts_of(page: &str) -> (String, String) {
    let mut writer = Writer::default();
    let mut before = None;
    let mut is_options = false;
    for line in page.lines() {
        if !writer.is_fenced && line.starts_with("## ") {
            is_options = line == "## Options";
            if is_options {
                before = Some(std::mem::take(&mut writer.text));
                continue;
            }
        }
        if !is_options {
            writer.line(line);
        }
    }
    match before {
        Some(before) => (before, writer.text),
        None => (writer.text, String::new()),
    }
}

#[derive(Default)]
struct Writer {
    text: String,
    is_fenced: bool,
    /// Whether the line before was a row of a table.
    is_table: bool,
}

impl Writer {
    fn line(&mut self, line: &str) {
        let was_table = std::mem::replace(&mut self.is_table, false);
        if line.starts_with("```") {
            self.text += if self.is_fenced { ".fi\n.RE\n" } else { ".PP\n.RS 4\n.nf\n" };
            self.is_fenced = !self.is_fenced;
        } else if self.is_fenced {
            let _ = writeln!(self.text, "{}", no_request(&escaped(line)));
        } else if line.starts_with("# ") {
            self.text += ".SH DESCRIPTION\n";
        } else if let Some(heading) = line.strip_prefix("## ") {
            let _ = writeln!(self.text, ".SH \"{}\"", escaped(&heading.to_uppercase()));
        } else if let Some(item) = line.strip_prefix("- ") {
            let _ = writeln!(self.text, ".IP \\(bu 2\n{}", no_request(&inline(item)));
        } else if line.starts_with('|') {
            self.row(line, was_table);
        } else if !line.is_empty() && !line.starts_with("<!--") {
            let _ = writeln!(self.text, ".PP\n{}", no_request(&inline(line)));
        }
    }

    fn row(&mut self, line: &str, was_table: bool) {
        self.is_table = true;
        let is_rule = line.chars().all(|letter| matches!(letter, '|' | '-' | ':' | ' '));
        // The first row is the head.
        if !was_table || is_rule {
            return;
        }
        let cells: Vec<String> = line.trim_matches('|').split('|').map(|cell| inline(cell.trim())).collect();
        let (term, rest) = cells.split_first().expect("a row has a cell");
        let _ = writeln!(self.text, ".TP\n{}\n{}", no_request(term), no_request(&rest.join("; ")));
    }
}

/// A line whose code, bold words and links are what roff has for them.
fn inline(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(['`', '*', '[']) {
        let (plain, marked) = rest.split_at(at);
        text += &escaped(plain);
        let bold = marked.strip_prefix("**").and_then(|inner| inner.split_once("**"));
        let code = marked.strip_prefix('`').and_then(|inner| inner.split_once('`'));
        let link =
            marked.strip_prefix('[').and_then(|inner| inner.split_once("](")).and_then(|(name, behind)| {
                let (_, after) = behind.split_once(')')?;
                Some((name, after))
            });
        let (piece, after) = match (bold, code, link) {
            (Some((inner, after)), ..) => (inline(inner), after),
            (_, Some((inner, after)), _) => (format!("\\fB{}\\fR", escaped(inner)), after),
            (_, _, Some((name, after))) => (inline(name), after),
            _ => (escaped(&marked[..1]), &marked[1..]),
        };
        text += &piece;
        rest = after;
    }
    text + &escaped(rest)
}

/// Text without meaning for roff.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}

/// A line that is no request of roff.
fn no_request(line: &str) -> String {
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::parts_of;

    const PAGE: &str = "# opcost x\n\n`x` does [one thing](a.md#b), **well**.\n\n## Example\n\n<!-- files: y -->\n\
                        ```console\n$ x --a\n.5\n```\n\n## Options\n\n- **`--a`**: a\n\n## Exit status\n\n| status | \
                        meaning |\n|---|---|\n| 0 | fine |\n\n## Traps\n\n- 3 * 4 \\ is [open\n";

    #[test]
    fn parts_of_the_guide_are_parts_of_a_man_page() {
        let (before, after) = parts_of(PAGE);
        assert_eq!(
            before,
            ".SH DESCRIPTION\n.PP\n\\fBx\\fR does one thing, well.\n.SH \"EXAMPLE\"\n.PP\n.RS 4\n.nf\n$ x \\-\\-a\n\
             \\&.5\n.fi\n.RE\n"
        );
        assert_eq!(
            after,
            ".SH \"EXIT STATUS\"\n.TP\n0\nfine\n.SH \"TRAPS\"\n.IP \\(bu 2\n3 * 4 \\e is [open\n"
        );
    }

    #[test]
    fn a_page_without_options_is_one_part() {
        assert_eq!(parts_of("# a\n\nb.\n").1, "");
    }
}
