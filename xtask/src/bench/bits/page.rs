//! The tables: what is declared, what LLVM knows and what was seen, for each
//! program and in total.

use super::Outcome;
use super::modules::World;
use super::observed::Seen;
use super::peer::Row;
use std::fmt::Write;

/// How many of the values that show too much are named.
const MOST_NAMED: usize = 10;

/// Sums over values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sums {
    values: u64,
    columns: [u64; 8],
}

impl Sums {
    fn add(&mut self, row: &Row) {
        self.values += 1;
        let columns = [row.width, row.lvi, row.scev, row.known, row.demanded, row.fwd, row.narrow, row.all];
        for (sum, column) in self.columns.iter_mut().zip(columns) {
            *sum += u64::from(column);
        }
    }

    fn join(&mut self, other: &Self) {
        self.values += other.values;
        for (sum, column) in self.columns.iter_mut().zip(other.columns) {
            *sum += column;
        }
    }
}

/// What was seen, beside the sums of the same values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct SeenSums {
    known: Sums,
    width: u64,
    varying: u64,
}

impl SeenSums {
    fn add(&mut self, row: &Row, seen: &Seen) {
        self.known.add(row);
        self.width += u64::from(seen.width());
        self.varying += u64::from(seen.varying());
    }

    fn join(&mut self, other: &Self) {
        self.known.join(&other.known);
        self.width += other.width;
        self.varying += other.varying;
    }
}

/// All tables.
pub(super) fn write(outcomes: &[Outcome], seeds: usize) -> String {
    let mut text = String::from(
        "# How many bits values need\n\nSums over all integers of at most 64 bits in kernels, in bits.\n",
    );
    for world in World::ALL {
        let of_world: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.world == world).collect();
        if of_world.is_empty() {
            continue;
        }
        let _ = write!(text, "\n## {} world: what LLVM knows\n\n", capital(world.word()));
        text += &known_table(&of_world);
        if seeds > 0 {
            let _ = write!(
                text,
                "\n## {} world: values that {seeds} runs computed\n\n{}",
                capital(world.word()),
                seen_table(&of_world)
            );
            text += &too_wide(&of_world);
        }
    }
    text
}

fn known_table(outcomes: &[&Outcome]) -> String {
    let mut text = String::from(
        "| program | values | declared | LVI | SCEV | known | demanded | Fwd | type | All | unused |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let (mut total, mut everything) = (Sums::default(), Sums::default());
    for outcome in outcomes {
        let mut sums = Sums::default();
        for (row, _) in &outcome.values {
            everything.add(row);
            if !row.drives {
                sums.add(row);
            }
        }
        total.join(&sums);
        known_line(&mut text, &outcome.title(), &sums);
    }
    known_line(&mut text, "**total**", &total);
    known_line(&mut text, "with all that drives them", &everything);
    text
}

fn known_line(text: &mut String, name: &str, sums: &Sums) {
    let [declared, columns @ ..] = sums.columns;
    let [.., all] = columns;
    let _ = write!(text, "| {name} | {} | {declared}", sums.values);
    for column in columns {
        let _ = write!(text, " | {column}");
    }
    let _ = writeln!(text, " | {} |", share(declared - all.min(declared), declared));
}

fn seen_table(outcomes: &[&Outcome]) -> String {
    let mut text = String::from(
        "| program | values | declared | Fwd | type | All | seen | varying | seen of Fwd |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    let mut total = SeenSums::default();
    for outcome in outcomes {
        let mut sums = SeenSums::default();
        for (row, seen) in &outcome.values {
            if let Some(seen) = seen.as_ref().filter(|_| !row.drives) {
                sums.add(row, seen);
            }
        }
        total.join(&sums);
        seen_line(&mut text, &outcome.title(), &sums);
    }
    seen_line(&mut text, "**total**", &total);
    text
}

fn seen_line(text: &mut String, name: &str, sums: &SeenSums) {
    let [declared, _, _, _, _, fwd, narrow, all] = sums.known.columns;
    let (values, seen) = (sums.known.values, sums.width);
    let _ = writeln!(
        text,
        "| {name} | {values} | {declared} | {fwd} | {narrow} | {all} | {seen} | {} | {} |",
        sums.varying,
        share(seen, fwd)
    );
}

/// Values of which a run shows more bits than LLVM allows.
fn too_wide(outcomes: &[&Outcome]) -> String {
    let mut places = Vec::new();
    for outcome in outcomes {
        for (row, seen) in &outcome.values {
            let Some(seen) = seen else { continue };
            if seen.width() > row.fwd {
                let (width, fwd) = (seen.width(), row.fwd);
                let (function, index, line) = (&row.function, row.index, row.line);
                places.push(format!(
                    "{} {function} {index} (line {line}, {}): {width} bits where LLVM says {fwd}",
                    outcome.title(),
                    row.opcode
                ));
            }
        }
    }
    if places.is_empty() {
        return "\nNo run shows more bits than LLVM allows.\n".to_owned();
    }
    let mut text = format!("\n{} values show more bits than LLVM allows:\n\n", places.len());
    for place in places.iter().take(MOST_NAMED) {
        let _ = writeln!(text, "- {place}");
    }
    text
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

/// In percent, with one decimal.
fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    let tenths = (part * 1000 + whole / 2) / whole;
    format!("{}.{} %", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(function: &str, fwd: u32) -> Row {
        Row {
            function: function.to_owned(),
            index: 4,
            opcode: "add".to_owned(),
            line: 9,
            drives: function == "main",
            width: 32,
            lvi: 20,
            scev: 18,
            known: 30,
            demanded: 16,
            fwd,
            narrow: 12,
            all: 8,
        }
    }

    #[test]
    fn kernels_are_summed_and_what_is_too_wide_is_named() {
        let seen = Seen { times: 1, any: 0x3fff, every: 0, low: 0, high: 0x3fff, least: 0, most: 0x3fff };
        let outcome = Outcome {
            set: "programs",
            name: "idct".to_owned(),
            world: World::Open,
            values: vec![
                (row("idct", 16), Some(seen)),
                (row("idct", 13), Some(seen)),
                (row("main", 32), None),
            ],
        };
        let text = write(&[outcome], 20);
        assert!(text.contains("| idct | 2 | 64 | 40 | 36 | 60 | 32 | 29 | 24 | 16 | 75.0 % |"), "{text}");
        assert!(text.contains("| with all that drives them | 3 | 96 |"), "{text}");
        assert!(text.contains("| idct | 2 | 64 | 29 | 24 | 16 | 28 | 28 | 96.6 % |"), "{text}");
        assert!(text.contains("1 values show more"), "{text}");
        assert!(text.contains("- idct idct 4 (line 9, add): 14 bits where LLVM says 13"), "{text}");
        assert!(!text.contains("Closed world"), "{text}");
        assert_eq!(share(0, 0), "–");
    }
}
