//! `opcost bits --html`: the source with the heat of bits that are declared and not
//! needed, as a page for a browser: one file that loads nothing.
//!
//! Functions are a table that sorts by any column; then each file, the lines warmer
//! the more bits of what they compute are wasted, beside them the widths of these
//! values; stretches that compute no integer are folded. Cost: a row for each line.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::bits::text::{BitsReport, by_line, of_all, of_one, of_values, told};
use crate::kit::html::{escaped, foot, head};
use crate::kit::numbers::{counted, grouped, percent, share};
use crate::kit::source::{SourceText, Sources};
use opcost_answer::bits::BitsValue;
use opcost_answer::names::{shown_name, tidy_path};

/// Widths stand beside the code, on as many lines as they need.
const STYLE: &str = "body{max-width:112rem}.code td.beside{white-space:normal;min-width:22rem}";
/// Lines around one with integers.
const CONTEXT: u32 = 3;
/// Source files that are open at first.
const OPEN_FILES: usize = 1;
/// Widths beside a line; the others are told when it is pointed at.
const MOST_TOLD: usize = 6;

/// The page.
pub fn bits_page(report: &BitsReport<'_>, sources: &mut Sources) -> String {
    let mut out = head(&format!("opcost bits {}", report.about), STYLE);
    facts(&mut out, report);
    functions(&mut out, report);
    source(&mut out, report, sources);
    out + &foot()
}

fn facts(out: &mut String, report: &BitsReport<'_>) {
    let total = of_all(&report.answers.functions);
    let _ = write!(
        out,
        "<p class=\"total\"><data id=\"total\" value=\"{0}\">{1}</data> <small>of {2} bits are needed ({3})</small></p>\n\
         <p class=\"facts\">{4} integers · {5} of those bits are not always the same · {6} world</p>\n",
        total.needed,
        grouped(total.needed),
        grouped(total.declared),
        percent(total.share()),
        grouped(total.values),
        grouped(total.slice),
        escaped(&report.answers.world),
    );
    for assumption in &report.answers.assumes {
        let _ = writeln!(out, "<p class=\"note\">assuming {}</p>", escaped(assumption));
    }
}

fn functions(out: &mut String, report: &BitsReport<'_>) {
    out.push_str(
        "<h2>Functions</h2>\n<div class=\"sheet tall\"><table class=\"list\" id=\"functions\">\n<thead><tr>\
         <th class=\"num\" aria-sort=\"descending\"><button>not needed</button></th>\
         <th class=\"num\"><button>share</button></th><th class=\"num\"><button>needed</button></th>\
         <th class=\"num\"><button>declared</button></th><th class=\"num\"><button>integers</button></th>\
         <th><button>function</button></th></tr></thead>\n<tbody>\n",
    );
    let mut order: Vec<_> = report.answers.functions.iter().collect();
    order.retain(|function| !function.values.is_empty());
    order.sort_by_key(|function| std::cmp::Reverse(of_one(function).waste()));
    for function in order {
        let bits = of_one(function);
        let part = 1.0 - bits.share();
        let number = |number: u64| format!("<td class=\"num\" data-v=\"{number}\">{}</td>", grouped(number));
        let _ = writeln!(
            out,
            "<tr>{}<td class=\"num share\" style=\"--s:{part:.4}\" data-v=\"{part:.4}\">{}</td>{}{}{}\
             <td class=\"name\">{}</td></tr>",
            number(bits.waste()),
            percent(part),
            number(bits.needed),
            number(bits.declared),
            number(bits.values),
            escaped(&shown_name(&function.name)),
        );
    }
    out.push_str("</tbody>\n</table></div>\n");
}

/// The values of the lines of one file.
type Own<'a> = BTreeMap<u32, Vec<&'a BitsValue>>;

fn source(out: &mut String, report: &BitsReport<'_>, sources: &mut Sources) {
    let lines = by_line(&report.answers.functions);
    let hottest = lines.values().map(|values| of_values(values).waste()).max().unwrap_or(0);
    let mut files: BTreeMap<&str, Own<'_>> = BTreeMap::new();
    for ((file, line), values) in lines {
        files.entry(file).or_default().insert(line, values);
    }
    if files.is_empty() {
        out.push_str("<p class=\"note\">no integer has a place in a source: compile with -g</p>\n");
        return;
    }
    out.push_str("<h2>Source</h2>\n");
    let waste = |own: &Own<'_>| own.values().map(|values| of_values(values).waste()).sum::<u64>();
    let mut order: Vec<(&str, Own<'_>)> = files.into_iter().collect();
    order.sort_by_key(|(file, own)| (std::cmp::Reverse(waste(own)), *file));
    for (position, (file, own)) in order.iter().enumerate() {
        let (text, why) = match sources.file(file) {
            SourceText::Lines(text) => (Some(text.as_slice()), String::new()),
            SourceText::Unusable(why) => (None, format!(" · the file {why}")),
        };
        let open = if position < OPEN_FILES { " open" } else { "" };
        let _ = writeln!(
            out,
            "<details{open}><summary>{}<span>{} bits not needed{}</span></summary><div class=\"sheet\">\
             <table class=\"code\">",
            escaped(&tidy_path(file)),
            grouped(waste(own)),
            escaped(&why)
        );
        rows(out, own, text, hottest);
        out.push_str("</table></div></details>\n");
    }
}

fn rows(out: &mut String, own: &Own<'_>, text: Option<&[String]>, hottest: u64) {
    let mut next = 1;
    for line in shown(own, text) {
        if line > next {
            let _ = writeln!(
                out,
                "<tr class=\"fold\"><td colspan=\"4\">{} without integers</td></tr>",
                counted(line - next, "line")
            );
        }
        let words = text.and_then(|text| text.get(line as usize - 1)).map_or("", String::as_str);
        row(out, line, own.get(&line).map_or(&[], Vec::as_slice), words, hottest);
        next = line + 1;
    }
}

/// The lines that are not folded.
fn shown(own: &Own<'_>, text: Option<&[String]>) -> BTreeSet<u32> {
    let Some(text) = text else { return own.keys().copied().collect() };
    let last = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let around = |line: &u32| line.saturating_sub(CONTEXT).max(1)..=line.saturating_add(CONTEXT);
    own.keys().flat_map(around).filter(|&line| line <= last).collect()
}

fn row(out: &mut String, number: u32, values: &[&BitsValue], words: &str, hottest: u64) {
    let bits = of_values(values);
    let (class, sum) = match values {
        [] => (String::new(), String::new()),
        _ => {
            // The square root shows that anything is wasted at all.
            let heat = share(bits.waste().into(), hottest.into()).sqrt();
            let sum = format!("{} of {}", grouped(bits.needed), grouped(bits.declared));
            (format!(" class=\"ran\" style=\"--h:{heat:.3}\""), sum)
        }
    };
    let parts = told(values);
    let few = match parts.len() {
        0..=MOST_TOLD => parts.join(", "),
        many => format!("{}, … {} more", parts[..MOST_TOLD].join(", "), many - MOST_TOLD),
    };
    let all = if parts.len() > MOST_TOLD {
        format!(" title=\"{}\"", escaped(&parts.join(", ")))
    } else {
        String::new()
    };
    let _ = writeln!(
        out,
        "<tr{class}><td class=\"num\">{number}</td><td class=\"num\">{sum}</td><td><code>{}</code></td>\
         <td class=\"beside\"{all}><small>{}</small></td></tr>",
        escaped(words.trim_end()),
        escaped(&few)
    );
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
            "data-v=\"33\">33</td>",
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
