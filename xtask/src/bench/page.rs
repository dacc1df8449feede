//! The page: facts, three tables, what the gate says, what is missing.
//!
//! Computes nothing but the ratios it prints. The builds are the lines and
//! the programs the columns of each table, as a reader compares builds.

use super::building::{Building, ROUNDS};
use super::columns::Column;
use super::figures::{Cell, Figure, Row, geometric_mean, ratios, time_ratios};
use super::machine::Facts;
use super::question::Question;
use crate::failure::{Failure, Result};
use std::fmt::Write;

/// What was measured.
pub(crate) struct Figures<'a> {
    pub(crate) question: Question,
    pub(crate) rows: &'a [Row],
    pub(crate) columns: &'a [Column],
    pub(crate) building: &'a [Building],
}

/// The whole page as Markdown.
pub(crate) fn write(figures: &Figures, rounds: usize, facts: &Facts) -> Result<String> {
    compose(figures, rounds, facts).map_err(|error| Failure::new(format!("cannot write the page: {error}")))
}

fn compose(figures: &Figures, rounds: usize, facts: &Facts) -> std::result::Result<String, std::fmt::Error> {
    let Figures { question, rows, columns, building } = *figures;
    let mut page = String::new();
    introduction(&mut page, question, rows, columns, facts)?;
    let seconds: fn(f64) -> String = |value| format!("{value:.3}");
    writeln!(page, "\n## User CPU time, median of the ratios in each of {rounds} interleaved rounds\n")?;
    let in_rounds = |column| time_ratios(rows, column);
    let time = Quantity { figure: Cell::time, ratios: &in_rounds, unit: "seconds", shown: seconds };
    table(&mut page, rows, columns, &time)?;
    writeln!(page, "\nDistance between the quartiles, largest of any cell: {}.", worst_spread(rows))?;
    writeln!(page, "\n## User CPU time, fastest round\n")?;
    let of = |figure: Figure| move |column| ratios(rows, column, figure);
    let fastest =
        Quantity { figure: Cell::fastest, ratios: &of(Cell::fastest), unit: "seconds", shown: seconds };
    table(&mut page, rows, columns, &fastest)?;
    writeln!(page, "\n## Machine instructions under callgrind, libraries and loader included\n")?;
    let millions: fn(f64) -> String = |value| format!("{:.1}", value / 1e6);
    let count =
        Quantity { figure: instructions, ratios: &of(instructions), unit: "millions", shown: millions };
    table(&mut page, rows, columns, &count)?;
    writeln!(page, "\n## Text section, less that of an empty program built the same way\n")?;
    let kibibytes: fn(f64) -> String = |value| format!("{:.1}", value / 1024.0);
    let size = Quantity { figure: text, ratios: &of(text), unit: "KiB", shown: kibibytes };
    table(&mut page, rows, columns, &size)?;
    writeln!(page, "\n## The gate\n")?;
    match question {
        Question::Count => gate(&mut page, rows, columns)?,
        Question::Fuel => fuel_gate(&mut page, rows, columns)?,
    }
    builds(&mut page, building)?;
    missing(&mut page, rows, columns)?;
    Ok(page)
}

/// What must be known to read the tables: machine, builds, programs.
fn introduction(
    page: &mut String,
    question: Question,
    rows: &[Row],
    columns: &[Column],
    facts: &Facts,
) -> std::fmt::Result {
    match question {
        Question::Count => writeln!(page, "# What counting costs the counted program\n")?,
        Question::Fuel => writeln!(page, "# What fuel costs the metered program\n")?,
    }
    writeln!(
        page,
        "Written by `cargo xtask bench {}`; the next run replaces it. Ratios are to the plain build;",
        question.word()
    )?;
    writeln!(page, "`plain again` is the same file once more, so its distance from 1 is the noise.\n")?;
    writeln!(page, "| | |\n|---|---|")?;
    for (name, value) in facts {
        writeln!(page, "| {name} | {} |", one_line(value))?;
    }
    writeln!(page, "\n| build | command |\n|---|---|")?;
    for column in columns {
        writeln!(page, "| {} | `{}` |", column.title(), column.recipe())?;
    }
    writeln!(page, "\n| program | what | arguments | under callgrind |\n|---|---|---|---|")?;
    for Row { program, .. } in rows {
        let (long, small) = (words(&program.long), words(&program.small));
        writeln!(page, "| {} | {} | {long} | {small} |", program.name, program.about)?;
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "counts and sizes are far below 2^53")]
fn instructions(cell: &Cell) -> Option<f64> {
    cell.instructions.map(|count| count as f64)
}

#[expect(clippy::cast_precision_loss, reason = "counts and sizes are far below 2^53")]
fn text(cell: &Cell) -> Option<f64> {
    cell.text.map(|bytes| bytes as f64)
}

/// What a table is of.
struct Quantity<'q> {
    figure: Figure,
    /// Of each column, by its position, what the programs take by what they take plain.
    ratios: &'q dyn Fn(usize) -> Vec<Option<f64>>,
    unit: &'static str,
    /// How a figure is written in this unit.
    shown: fn(f64) -> String,
}

fn table(page: &mut String, rows: &[Row], columns: &[Column], quantity: &Quantity) -> std::fmt::Result {
    let Quantity { figure, ratios, unit, shown: absolute } = *quantity;
    let names: Vec<&str> = rows.iter().map(|row| row.program.name.as_str()).collect();
    writeln!(page, "| | {} | geometric mean |", names.join(" | "))?;
    writeln!(page, "|---|{}---:|", "---:|".repeat(rows.len()))?;
    let plain: Vec<String> = rows.iter().map(|row| shown(figure(&row.cells[0]), absolute)).collect();
    writeln!(page, "| plain, {unit} | {} | |", plain.join(" | "))?;
    for (position, column) in columns.iter().enumerate().skip(1) {
        let values = ratios(position);
        if *column == Column::PlainAgain && values.iter().all(|value| value.is_none_or(|value| value == 1.0))
        {
            continue;
        }
        let cells: Vec<String> = values.iter().map(|value| shown(*value, ratio)).collect();
        writeln!(
            page,
            "| {} | {} | {} |",
            column.title(),
            cells.join(" | "),
            shown(geometric_mean(&values), ratio)
        )?;
    }
    Ok(())
}

fn ratio(value: f64) -> String {
    format!("{value:.3}×")
}

fn shown(value: Option<f64>, form: fn(f64) -> String) -> String {
    value.map_or_else(|| "none".to_owned(), form)
}

fn worst_spread(rows: &[Row]) -> String {
    let spreads = rows.iter().flat_map(|row| &row.cells).filter_map(Cell::spread);
    match spreads.max_by(f64::total_cmp) {
        Some(spread) => format!("{:.1} % of the median", spread * 100.0),
        None => "none measured".to_owned(),
    }
}

/// opcost against `-fprofile-generate`, in time and in instructions, and its
/// text against plain.
fn gate(page: &mut String, rows: &[Row], columns: &[Column]) -> std::fmt::Result {
    let mean = |column: Column, figure: Figure| {
        let position = columns.iter().position(|other| *other == column)?;
        geometric_mean(&ratios(rows, position, figure))
    };
    let rival = Column::ProfileGenerate;
    let time = |column: Column| {
        let position = columns.iter().position(|other| *other == column)?;
        geometric_mean(&time_ratios(rows, position))
    };
    verdict(page, "user time", time(Column::Opcost), time(rival), rival.title())?;
    verdict(
        page,
        "instructions",
        mean(Column::Opcost, instructions),
        mean(rival, instructions),
        rival.title(),
    )?;
    verdict(page, "text", mean(Column::Opcost, text), Some(1.35), "the limit")
}

/// Fuel against what was aimed at, and against wasmtime's on the programs that
/// run there.
fn fuel_gate(page: &mut String, rows: &[Row], columns: &[Column]) -> std::fmt::Result {
    let of = |column: Column, figure: Figure| {
        let position = columns.iter().position(|other| *other == column)?;
        Some(ratios(rows, position, figure))
    };
    let mean = |figure| of(Column::Fuel, figure).and_then(|values| geometric_mean(&values));
    let columns_of =
        [(Column::Fuel, "with the limit", 1.10, 1.20), (Column::FuelUnchecked, "count only", 1.05, 1.12)];
    for (column, what, limit, worst) in columns_of {
        let Some(position) = columns.iter().position(|other| *other == column) else { continue };
        let times = time_ratios(rows, position);
        verdict(page, &format!("user time, {what}"), geometric_mean(&times), Some(limit), "the limit")?;
        let slowest = times.into_iter().flatten().max_by(f64::total_cmp);
        verdict(page, &format!("user time, {what}, worst program"), slowest, Some(worst), "the limit")?;
    }
    verdict(page, "instructions", mean(instructions), Some(1.10), "the limit")?;
    verdict(page, "text", mean(text), Some(1.25), "the limit")?;
    for (position, row) in rows.iter().enumerate() {
        let (fuel, without) = (of(Column::WasmFuel, Cell::time), of(Column::Wasm, Cell::time));
        let pair = fuel.and_then(|fuel| fuel[position]).zip(without.and_then(|without| without[position]));
        if let Some((fuel, without)) = pair {
            let name = &row.program.name;
            writeln!(page, "- wasmtime's fuel on {name}, to wasmtime without: {}", ratio(fuel / without))?;
        }
    }
    Ok(())
}

fn verdict(
    page: &mut String,
    what: &str,
    own: Option<f64>,
    limit: Option<f64>,
    whose: &str,
) -> std::fmt::Result {
    match (own, limit) {
        (Some(own), Some(limit)) => {
            let word = if own <= limit { "holds" } else { "**does not hold**" };
            writeln!(page, "- {what}: opcost {}, {whose} {}: {word}", ratio(own), ratio(limit))
        }
        _ => writeln!(page, "- {what}: not judged, for a figure is missing"),
    }
}

/// What counting costs the build.
fn builds(page: &mut String, building: &[Building]) -> std::fmt::Result {
    if building.is_empty() {
        return Ok(());
    }
    writeln!(page, "\n## Building, user CPU seconds, median of {ROUNDS} builds each way\n")?;
    writeln!(
        page,
        "`between` is what opcost does between clang's halves: read, snapshot, plan, map, apply. The plain build has\n\
         `-gline-tables-only`, as opcost's has; all of opcost's includes compiling its runtime.\n"
    )?;
    writeln!(page, "| | plain | opcost | | between | peak memory |\n|---|---:|---:|---:|---:|---:|")?;
    for Building { program, plain, opcost, added, peak } in building {
        writeln!(
            page,
            "| {program} | {plain:.2} | {opcost:.2} | {} | {added:.2} | {peak:.0} MB |",
            ratio(opcost / plain)
        )?;
    }
    Ok(())
}

fn missing(page: &mut String, rows: &[Row], columns: &[Column]) -> std::fmt::Result {
    let mut reasons = Vec::new();
    for row in rows {
        for (cell, column) in row.cells.iter().zip(columns) {
            if !cell.trouble().is_empty() {
                reasons.push(format!(
                    "- {}, {}: {}",
                    column.title(),
                    row.program.name,
                    one_line(cell.trouble())
                ));
            }
        }
    }
    if reasons.is_empty() {
        return Ok(());
    }
    writeln!(page, "\n## Missing\n\n{}", reasons.join("\n"))
}

fn words(arguments: &[String]) -> String {
    format!("`{}`", arguments.join(" "))
}

/// Text that breaks neither a list nor a table.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Manifest;

    /// Two programs in three columns; the second column gives up on the
    /// second program.
    fn sample() -> Vec<Row> {
        let own = crate::root::repository().unwrap().join("corpus");
        let manifest = Manifest::read(&own.join("programs.toml")).unwrap();
        let row = |name: &str, times: [f64; 3]| {
            let entry = manifest.select(&[name]).unwrap()[0];
            let program = manifest.resolve(entry, &own, &own).unwrap();
            let cell = |seconds: f64| {
                let mut cell = Cell::failed(String::new());
                cell.seconds = vec![seconds];
                cell
            };
            Row { program, cells: times.map(cell).into() }
        };
        let mut rows = vec![row("kernel", [1.0, 1.5, 2.0]), row("threads", [2.0, 4.0, 2.0])];
        rows[1].cells[1].fail("not built: no | such\nthing".to_owned());
        rows
    }

    #[test]
    fn a_missing_figure_is_named_and_means_are_not_made_without_it() {
        let columns = [Column::Plain, Column::Opcost, Column::ProfileGenerate];
        let page = compose(
            &Figures { question: Question::Count, rows: &sample(), columns: &columns, building: &[] },
            1,
            &vec![("date", "today".to_owned())],
        )
        .unwrap();
        assert!(page.contains("| plain, seconds | 1.000 | 2.000 | |"), "{page}");
        assert!(page.contains("| opcost | 1.500× | none | none |"), "{page}");
        assert!(page.contains("| -fprofile-generate | 2.000× | 1.000× | 1.414× |"), "{page}");
        assert!(page.contains("- opcost, threads: not built: no \\| such thing"), "{page}");
        assert!(page.contains("- user time: not judged"), "{page}");
    }

    #[test]
    fn the_gate_compares_means() {
        let mut rows = sample();
        rows.truncate(1);
        let columns = [Column::Plain, Column::Opcost, Column::ProfileGenerate];
        let page = compose(
            &Figures { question: Question::Count, rows: &rows, columns: &columns, building: &[] },
            1,
            &Vec::new(),
        )
        .unwrap();
        assert!(page.contains("- user time: opcost 1.500×, -fprofile-generate 2.000×: holds"), "{page}");
    }
}
