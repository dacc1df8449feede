//! `opcost bits --html`: the source with the heat of bits that are declared and not
//! needed, as a page for a browser: one file that loads nothing.
//!
//! Functions are a table that sorts by any column; then each file, the lines warmer
//! the more bits of what they compute are wasted, beside them the widths of these
//! values; stretches that compute no integer are folded. Cost: a row for each line.

use std::collections::{BTreeMap, BTreeSet};

use crate::bits::text::{BitsReport, by_line, described_values, of_all, of_one, of_values};
use crate::kit::html::{
    Column, PageParts, TABLES, filter_box, listing, listing_header, number_cell, page, share_cell, sheet,
    sorted_header,
};
use crate::kit::numbers::{counted, grouped, percent, share};
use crate::kit::source::{SourceText, Sources};
use maud::{Markup, html};
use opcost_answer::bits::BitsValue;
use opcost_answer::names::{shown_name, tidy_path};

/// Lines around one with integers.
const CONTEXT: u32 = 3;
/// Source files that are open at first.
const OPEN_FILES: usize = 1;
/// Widths next to a line; the others are shown when it is opened.
const MOST_TOLD: usize = 6;

const FUNCTIONS: [Column; 6] = [
    Column { name: "not needed", is_number: true },
    Column { name: "share", is_number: true },
    Column { name: "needed", is_number: true },
    Column { name: "declared", is_number: true },
    Column { name: "integers", is_number: true },
    Column { name: "function", is_number: false },
];

/// The page.
pub fn bits_page(report: &BitsReport<'_>, sources: &mut Sources) -> String {
    page(&PageParts {
        title: &format!("opcost bits {}", report.about),
        command: "opcost",
        about: facts(report),
        content: html! { (functions(report)) (source(report, sources)) },
        script: TABLES,
    })
}

fn facts(report: &BitsReport<'_>) -> Markup {
    let total = of_all(&report.answers.functions);
    html! {
        p.total {
            data id="total" value=(total.needed) { (grouped(total.needed)) } " "
            small { "of " (grouped(total.declared)) " bits are needed (" (percent(total.share())) ")" }
        }
        p.facts {
            (grouped(total.values)) " integers · " (grouped(total.slice))
            " of those bits are not always the same · " (report.answers.world) " world"
        }
        @for assumption in &report.answers.assumes {
            p.note { "assuming " (assumption) }
        }
        (filter_box())
    }
}

fn functions(report: &BitsReport<'_>) -> Markup {
    let mut order: Vec<_> = report.answers.functions.iter().collect();
    order.retain(|function| !function.values.is_empty());
    order.sort_by_key(|function| std::cmp::Reverse(of_one(function).waste()));
    let [waste, share, needed, declared, integers, _] = FUNCTIONS.map(|column| column.name);
    let table = html! {
        table.list id="functions" {
            caption.quiet { "Functions and the bits of their integers" }
            (sorted_header(&FUNCTIONS))
            "\n" tbody {
                @for function in order {
                    @let bits = of_one(function);
                    @let part = 1.0 - bits.share();
                    tr {
                        (number_cell(waste, bits.waste(), &grouped(bits.waste())))
                        (share_cell(share, format!("{part:.4}"), part, &percent(part)))
                        (number_cell(needed, bits.needed, &grouped(bits.needed)))
                        (number_cell(declared, bits.declared, &grouped(bits.declared)))
                        (number_cell(integers, bits.values, &grouped(bits.values)))
                        td.name { (shown_name(&function.name)) }
                    }
                    "\n"
                }
            }
        }
    };
    html! { h2 { "Functions" } (sheet("sheet tall", "functions", &table)) }
}

/// The values of the lines of one file.
type Own<'a> = BTreeMap<u32, Vec<&'a BitsValue>>;

fn source(report: &BitsReport<'_>, sources: &mut Sources) -> Markup {
    let lines = by_line(&report.answers.functions);
    let hottest = lines.values().map(|values| of_values(values).waste()).max().unwrap_or(0);
    let mut files: BTreeMap<&str, Own<'_>> = BTreeMap::new();
    for ((file, line), values) in lines {
        files.entry(file).or_default().insert(line, values);
    }
    if files.is_empty() {
        return html! { p.note { "no integer has a place in a source: compile with -g" } };
    }
    let waste = |own: &Own<'_>| own.values().map(|values| of_values(values).waste()).sum::<u64>();
    let mut order: Vec<(&str, Own<'_>)> = files.into_iter().collect();
    order.sort_by_key(|(file, own)| (std::cmp::Reverse(waste(own)), *file));
    html! {
        h2 { "Source" }
        @for (position, (file, own)) in order.iter().enumerate() {
            @let (text, why) = match sources.file(file) {
                SourceText::Lines(text) => (Some(text.as_slice()), String::new()),
                SourceText::Unusable(why) => (None, format!(" · the file {why}")),
            };
            @let word = format!("{} not needed{why}", counted(waste(own), "bit"));
            @let table = rows(own, text, hottest);
            @let path = tidy_path(file);
            (listing(position < OPEN_FILES, &path, &path, &word, &table))
        }
    }
}

fn rows(own: &Own<'_>, text: Option<&[String]>, hottest: u64) -> Markup {
    let mut next = 1;
    let mut rows = Vec::new();
    for line in shown(own, text) {
        if line > next {
            let folded = counted(line - next, "line");
            rows.push(html! { tr.fold { td colspan="4" { (folded) " without integers" } } "\n" });
        }
        let words = text.and_then(|text| text.get(line as usize - 1)).map_or("", String::as_str);
        rows.push(row(line, own.get(&line).map_or(&[], Vec::as_slice), words, hottest));
        next = line + 1;
    }
    html! {
        table.code {
            (listing_header("Lines and the bits of their integers", &["line", "needed bits", "source", "widths"]))
            tbody { @for row in rows { (row) } }
        }
    }
}

/// The lines that are not folded.
fn shown(own: &Own<'_>, text: Option<&[String]>) -> BTreeSet<u32> {
    let Some(text) = text else { return own.keys().copied().collect() };
    let last = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let around = |line: &u32| line.saturating_sub(CONTEXT).max(1)..=line.saturating_add(CONTEXT);
    own.keys().flat_map(around).filter(|&line| line <= last).collect()
}

fn row(number: u32, values: &[&BitsValue], words: &str, hottest: u64) -> Markup {
    let bits = of_values(values);
    // The square root shows that anything is wasted at all.
    let heat = share(bits.waste().into(), hottest.into()).sqrt();
    let heat = (!values.is_empty()).then(|| format!("--h:{heat:.3}"));
    let parts = described_values(values);
    html! {
        tr.ran[heat.is_some()] style=[heat] {
            td.num { (number) }
            td.num { @if !values.is_empty() { (grouped(bits.needed)) " of " (grouped(bits.declared)) } }
            td { code { (words.trim_end()) } }
            td.beside { small {
                @if parts.len() > MOST_TOLD {
                    details {
                        summary { (parts[..MOST_TOLD].join(", ")) ", … " (parts.len() - MOST_TOLD) " more" }
                        (parts[MOST_TOLD..].join(", "))
                    }
                } @else {
                    (parts.join(", "))
                }
            } }
        }
        "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use opcost_answer::bits::{BitsAnswers, BitsFunction};
    use opcost_answer::names::NameBook;

    #[test]
    fn waste_is_warm_and_everything_is_escaped() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.c");
        std::fs::write(&path, "int x;\n\n\n\n\n\n\n\nif (a < b && c)\n  y = a[i];\n").expect("written");
        let value = |line: u32, name: &str, width: u32| BitsValue {
            name: name.to_owned(),
            file: Some(path.to_string_lossy().into_owned()),
            line: Some(line),
            opcode: "add".to_owned(),
            declared: 32,
            width,
            ..BitsValue::unknown("@f:i0".parse().expect("a key"))
        };
        let values = vec![value(9, "a<b>", 32), value(10, "y", 7), value(10, "i", 24)];
        let function = BitsFunction {
            key: "@f".parse().expect("a key"),
            name: "f".to_owned(),
            declared: 96,
            needed_type: 63,
            needed_slice: 60,
            values,
            floats: Vec::new(),
        };
        let answers =
            BitsAnswers { world: "open".to_owned(), functions: vec![function], ..BitsAnswers::default() };
        let report = BitsReport {
            answers: &answers,
            about: "a.c at -O2".to_owned(),
            with_values: false,
            annotate: false,
            observed: false,
            most: 12,
            next: Vec::new(),
            names: NameBook::default(),
        };
        let page = bits_page(&report, &mut Sources::of(None, "program"));
        for words in [
            "<data id=\"total\" value=\"63\">63</data> <small>of 96 bits are needed",
            "data-v=\"33\" data-of=\"not needed\">33</td>",
            "<tr class=\"fold\"><td colspan=\"4\">5 lines without integers",
            // The hottest line is as warm as can be, what wastes nothing is cold.
            "<tr class=\"ran\" style=\"--h:0.000\"><td class=\"num\">9</td><td class=\"num\">32 of 32</td>\
             <td><code>if (a &lt; b &amp;&amp; c)</code></td><td class=\"beside\"><small>a&lt;b&gt; 32→u32</small></td></tr>",
            "<tr class=\"ran\" style=\"--h:1.000\"><td class=\"num\">10</td><td class=\"num\">31 of 64</td>",
            "y 32→u7, i 32→u24",
        ] {
            assert!(page.contains(words), "{words}\n{page}");
        }
        assert!(!page.contains("src=") && !page.contains("http://") && !page.contains("@import"), "{page}");
    }
}
