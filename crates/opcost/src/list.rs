//! Which facts does a ledger hold of one kind of thing?
//!
//! Functions, lines, blocks, edges and paths stand in the ledger itself.
//! Instructions follow from it with the map that the program carries, which
//! must be of the same build. A path is shown as the blocks along it: `… 3`
//! begins where an earlier one was cut, `3 …` is cut before block 3.

use std::collections::BTreeMap;
use std::path::Path;

use opcost_key::{FunctionMap, ModuleMap, PathsMap};
use opcost_profile::{Column, Fact, FunctionFacts, Ledger, Subject, Way};
use opcost_recover::{SourceLine, count_instructions, list_blocks, summarize_ledger};

use opcost_answer::Failure;
use opcost_answer::count::CountAnswers;
use opcost_answer::list::{List, ListDocumentName, ListKind, ListRow, ListSort};
use opcost_answer::numbers::counted;
use opcost_run::image::Image;

/// Makes the list. `program` is where instructions and what is said of paths
/// that are not counted come from.
///
/// # Errors
/// Instructions are wanted, and the program cannot be read or is of another build.
pub fn list_of(ledger: &Ledger, kind: ListKind, sort: ListSort, program: &Path) -> Result<List, Failure> {
    let mut notes = Vec::new();
    let rows = match kind {
        ListKind::Functions => by_subject(ledger, |subject| matches!(subject, Subject::Function { .. })),
        ListKind::Lines => {
            let mut rows = by_subject(ledger, |subject| matches!(subject, Subject::Line(_)));
            mark_lines(ledger, &mut rows);
            rows.extend(without_line(ledger, &rows));
            rows
        }
        ListKind::Blocks => facts(ledger, |fact| matches!(fact.subject, Subject::Block { .. })),
        ListKind::Edges => facts(ledger, |fact| matches!(fact.subject, Subject::Edge { .. })),
        ListKind::Paths => {
            if let Ok(image) = Image::read(program) {
                notes = not_counted(image.maps.iter().map(|(_, map)| map));
            }
            paths(ledger)
        }
        ListKind::Instructions => instructions(ledger, program)?,
    };
    if rows.is_empty() && kind == ListKind::Paths {
        notes.push("no paths were counted: count the program with --paths".to_owned());
    }
    Ok(List { schema: ListDocumentName, kind, sort, rows, notes }.sorted())
}

/// Whether counts of lines are of the lines themselves.
fn mark_lines(ledger: &Ledger, rows: &mut [ListRow]) {
    let lines: BTreeMap<SourceLine, bool> =
        summarize_ledger(ledger).lines.into_iter().map(|line| (line.at, line.is_of_line)).collect();
    for row in rows {
        row.count_is_executions = row.location().and_then(|line| lines.get(&line).copied());
    }
}

/// What is on no line, so that the rows sum to the program's cost; none where all is.
fn without_line(ledger: &Ledger, rows: &[ListRow]) -> Option<ListRow> {
    let total = ledger
        .facts()
        .iter()
        .find(|fact| fact.subject == Subject::Program && fact.column == Column::Instructions)?;
    let on_lines: u64 = rows.iter().filter_map(|row| row.instructions).fold(0, u64::saturating_add);
    let rest = total.value?.checked_sub(on_lines).filter(|rest| *rest > 0)?;
    let row = row(total).at(None);
    Some(ListRow { what: "no line".to_owned(), count: None, instructions: Some(rest), ..row })
}

fn row(fact: &Fact) -> ListRow {
    let function = fact.subject.function();
    let row = ListRow {
        function: function.map(|function| function.name.clone()),
        module: function.map(|function| function.module.clone()),
        quality: fact.quality.to_string(),
        ..ListRow::default()
    };
    let place = fact.subject.place();
    row.at(place.map(|place| SourceLine { file: place.file.to_string(), line: place.line }))
}

/// Subjects of a kind with their counts and costs.
fn by_subject(ledger: &Ledger, is_wanted: impl Fn(&Subject) -> bool) -> Vec<ListRow> {
    let mut rows: Vec<(&Subject, ListRow)> = Vec::new();
    for fact in ledger.facts().iter().filter(|fact| is_wanted(&fact.subject)) {
        if rows.last().is_none_or(|(subject, _)| **subject != fact.subject) {
            rows.push((&fact.subject, row(fact)));
        }
        let (_, last) = rows.last_mut().expect("it was just put there");
        match fact.column {
            Column::Calls => last.count = fact.known_calls(),
            Column::Count => last.count = fact.value,
            Column::Instructions => last.instructions = fact.value,
            _ => {}
        }
    }
    rows.into_iter().map(|(_, row)| row).collect()
}

fn facts(ledger: &Ledger, wanted: impl Fn(&Fact) -> bool) -> Vec<ListRow> {
    let rows = ledger.facts().iter().filter(|fact| wanted(fact)).map(|fact| {
        let mut row = row(fact);
        match &fact.subject {
            Subject::Block { block, .. } => row.what = format!("block {block}"),
            Subject::Edge { edge, edge_kind: way, from, to, slot, .. } => {
                let end = |block: Option<u32>| block.map_or("outside".to_owned(), |block| block.to_string());
                let slot = slot.map_or(String::new(), |slot| format!(" {slot}"));
                row.what = format!("edge {edge}: {} → {} ({way}{slot})", end(*from), end(*to));
            }
            _ => {}
        }
        match fact.column {
            Column::Instructions => row.instructions = fact.value,
            Column::Inherited => {
                row.count = fact.value;
                row.what += " inherited by a child";
            }
            Column::Samples => {
                row.count = fact.value;
                row.what += " samples";
            }
            Column::Cycles => {
                row.count = fact.value;
                row.what += " expected, in thousandths of cycles";
            }
            Column::Busy => {
                row.count = fact.value;
                row.what += " of these not waiting, in thousandths of cycles";
            }
            _ => row.count = fact.value,
        }
        row
    });
    rows.collect()
}

/// What a ledger has of each edge: way, source and target.
type Ends = (Way, Option<u32>, Option<u32>);

fn paths(ledger: &Ledger) -> Vec<ListRow> {
    let mut ends: BTreeMap<(&FunctionFacts, u32), Ends> = BTreeMap::new();
    let mut places: BTreeMap<(&FunctionFacts, u32), SourceLine> = BTreeMap::new();
    for fact in ledger.facts() {
        match &fact.subject {
            Subject::Edge { function, edge, edge_kind: way, from, to, .. } => {
                ends.insert((function, *edge), (*way, *from, *to));
            }
            Subject::Block { function, block, place: Some(place) } => {
                let line = SourceLine { file: place.file.to_string(), line: place.line };
                places.insert((function, *block), line);
            }
            _ => {}
        }
    }
    let mut rows = Vec::new();
    for fact in ledger.facts() {
        let Subject::Path { function, path, edges } = &fact.subject else { continue };
        let mut row = row(fact);
        row.count = fact.value;
        let along: Option<Vec<Ends>> =
            edges.iter().map(|edge| ends.get(&(&**function, *edge)).copied()).collect();
        row.what = match along {
            None => format!("path {path}: edges {}", texts(edges).join(" ")),
            Some(along) => {
                let (blocks, text) = blocks_along(&along);
                row.lines =
                    blocks.iter().filter_map(|block| places.get(&(&**function, *block)).cloned()).collect();
                row.lines.dedup();
                row.blocks = blocks;
                format!("path {path}: {text}")
            }
        };
        let first = row.lines.first().cloned();
        let row = row.at(first);
        rows.push(row);
    }
    rows
}

fn texts(numbers: &[u32]) -> Vec<String> {
    numbers.iter().map(u32::to_string).collect()
}

/// The blocks along a path, and how they are written.
fn blocks_along(along: &[Ends]) -> (Vec<u32>, String) {
    let mut blocks = Vec::new();
    let begins = along.first().and_then(|(_, from, _)| *from);
    blocks.extend(begins);
    let last = along.len().saturating_sub(1);
    for (at, (way, _, to)) in along.iter().enumerate() {
        // A call's return goes on in its block; a cut edge leads into the next path.
        if at < last && *way != Way::Fall {
            blocks.extend(*to);
        }
    }
    let mut text = texts(&blocks).join(" → ");
    if begins.is_some() {
        text = format!("… {text}");
    }
    match along.last() {
        Some((Way::Left, ..)) => text += " → left",
        Some((_, _, Some(to))) => text = format!("{text} → {to} …"),
        _ => {}
    }
    (blocks, text)
}

/// How many functions have no counted paths, by reason.
fn not_counted<'a>(maps: impl Iterator<Item = &'a ModuleMap>) -> Vec<String> {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut shortened = 0;
    for function in maps.flat_map(|map| map.functions.values()) {
        match &function.paths {
            PathsMap::Refused(reason) => reasons.entry(reason).or_default().push(&function.name),
            PathsMap::Counted { cut, .. } => shortened += usize::from(!cut.is_empty()),
            PathsMap::None => {}
        }
    }
    let mut notes = Vec::new();
    if shortened > 0 {
        notes.push(format!(
            "in {} paths are cut at edges (that lead back, or where there are too many)",
            counted(shortened, "function")
        ));
    }
    notes.extend(reasons.iter().map(|(reason, names)| {
        let more = if names.len() > 1 { ", …" } else { "" };
        format!("paths not counted in {} ({}{more}): {reason}", counted(names.len(), "function"), names[0])
    }));
    notes
}

/// Gives listings that have no blocks (those of a ledger) the ones of the
/// program's maps.
///
/// # Errors
/// The program cannot be read or is of another build.
pub fn fill_blocks(ledger: &Ledger, program: &Path, report: &mut CountAnswers) -> Result<(), Failure> {
    let image = image_of(program)?;
    for listing in report.listings.iter_mut().filter(|listing| listing.blocks.is_empty()) {
        let total = &report.summary.functions[listing.function];
        for (hash, map) in &image.maps {
            let is_it = |function: &&FunctionMap| {
                function.name == total.name
                    && total.module.as_ref().is_none_or(|module| *module == map.module)
            };
            let Some(id) = map.functions.ids().find(|&id| is_it(&&map.functions[id])) else { continue };
            let counts = count_instructions(map, *hash, ledger)
                .map_err(|error| Failure::Counters(error.to_string()))?;
            listing.blocks.extend(list_blocks(map, &counts, id));
        }
    }
    Ok(())
}

fn image_of(program: &Path) -> Result<Image, Failure> {
    Image::read(program).map_err(|error| {
        Failure::Usage(format!(
            "instructions are in the program and not in the ledger; name the program with --program ({error})"
        ))
    })
}

fn instructions(ledger: &Ledger, program: &Path) -> Result<Vec<ListRow>, Failure> {
    let image = image_of(program)?;
    let mut rows = Vec::new();
    for (hash, map) in image.maps.iter().filter(|(_, map)| !map.functions.is_empty()) {
        let counts =
            count_instructions(map, *hash, ledger).map_err(|error| Failure::Counters(error.to_string()))?;
        let all = map
            .functions
            .values()
            .flat_map(|function| function.instructions.values().map(move |one| (function, one)));
        for ((function, instruction), count) in all.zip(counts) {
            let place = instruction.place.and_then(|place| map.file_and_line(place));
            let row = ListRow {
                function: Some(function.name.clone()),
                module: Some(map.module.clone()),
                what: instruction.text.clone(),
                count,
                quality: if count.is_some() { "as the ledger" } else { "unknown(the ledger has none)" }
                    .to_owned(),
                ..ListRow::default()
            };
            rows.push(row.at(place.map(|(file, line)| SourceLine { file: file.to_owned(), line })));
        }
    }
    Ok(rows)
}
