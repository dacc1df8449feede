//! Does the time grow with the program, and no faster?
//!
//! SQLite is made a module that shows nothing but a table of its functions, so
//! that several copies of it link into one; those are asked about one after the
//! other. Wanted: [`SQLITE_SECONDS`] for one copy, and for an instruction of
//! four copies [`GROWTH`] times the time of one of a single copy at most.
//! Cost: a minute and a half.

use crate::bench::setup;
use crate::bench::timed::{self, Taken};
use crate::command;
use crate::failure::{Failure, Result};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// CPU seconds that SQLite may take.
const SQLITE_SECONDS: f64 = 10.0;
/// How much longer an instruction may take in four copies.
const GROWTH: f64 = 1.25;
const LEVELS: [&str; 2] = ["-O0", "-O2"];
const COPIES: [usize; 3] = [1, 2, 4];

/// Functions that lead to nearly all others.
const ROOTS: &str = "sqlite3_open, sqlite3_exec, sqlite3_prepare_v2, sqlite3_step, sqlite3_column_text, \
    sqlite3_backup_init, sqlite3_blob_open, sqlite3_create_window_function, sqlite3_deserialize, sqlite3_serialize, \
    sqlite3_str_appendf, sqlite3_table_column_metadata, sqlite3_vtab_config, sqlite3_wal_hook";

/// So many copies of SQLite at a level.
pub(super) struct Large {
    level: &'static str,
    copies: usize,
    instructions: usize,
    taken: Taken,
}

/// Makes the modules and asks.
pub(super) fn query(opcost: &Path, folder: &Path) -> Result<Vec<Large>> {
    let place = folder.join("large");
    fs::create_dir_all(&place).map_err(|error| Failure::at("create", &place, error))?;
    let mut answers = Vec::new();
    for level in LEVELS {
        for copies in COPIES {
            eprintln!("bench: {copies} of SQLite {level}");
            let module = make(level, copies, &place)?;
            let text = command::output_of(Command::new("llvm-dis-22").args(["-o", "-"]).arg(&module))?;
            let mut ask = Command::new(opcost);
            let (_, taken) = timed::run(ask.arg("bits").arg(&module), &[], &place)?;
            answers.push(Large { level, copies, instructions: instructions(&text), taken });
        }
    }
    Ok(answers)
}

/// Lines of functions that are no labels and no records of the debugger.
fn instructions(text: &str) -> usize {
    let is_one = |line: &&str| {
        line.strip_prefix("  ")
            .is_some_and(|rest| rest.starts_with(|first: char| first == '%' || first.is_ascii_lowercase()))
    };
    text.lines().filter(is_one).count()
}

fn make(level: &str, copies: usize, place: &Path) -> Result<PathBuf> {
    let program = setup::program("sqlite")?;
    let amalgamation = setup::source(&program, "sqlite3.c")?;
    let mut parts = Vec::new();
    for copy in 0..copies {
        let (source, part) = (place.join(format!("{copy}.c")), place.join(format!("{copy}{level}.bc")));
        let text = format!(
            "#define SQLITE_API static\n#include \"{}\"\nvoid *roots{copy}[] = {{{ROOTS}}};\n",
            amalgamation.display()
        );
        fs::write(&source, text).map_err(|error| Failure::at("write", &source, error))?;
        let mut compiler = Command::new("clang-22");
        compiler.args([level, "-g", "-w", "-c", "-emit-llvm"]).args(&program.flags);
        command::output_of(compiler.arg(&source).arg("-o").arg(&part))?;
        parts.push(part);
    }
    let whole = place.join(format!("whole{level}.bc"));
    command::output_of(Command::new("llvm-link-22").args(&parts).arg("-o").arg(&whole))?;
    Ok(whole)
}

impl Large {
    fn microseconds(&self) -> f64 {
        self.taken.seconds * 1e6 / self.instructions.max(1) as f64
    }
}

/// What is wanted, what is, and whether it holds, for the page's first table.
pub(super) fn goals(large: &[Large]) -> Vec<(String, String, String, bool)> {
    let mut lines = Vec::new();
    for level in LEVELS {
        let find = |copies| large.iter().find(|one| (one.level, one.copies) == (level, copies));
        let (Some(one), Some(four)) = (find(1), find(4)) else { continue };
        let seconds = one.taken.seconds;
        lines.push((
            format!("SQLite {level}"),
            format!("at most {SQLITE_SECONDS:.0} s"),
            format!("{seconds:.1} s"),
            seconds <= SQLITE_SECONDS,
        ));
        let growth = four.microseconds() / one.microseconds();
        lines.push((
            format!("an instruction of four SQLites {level}, of one of one"),
            format!("at most {GROWTH} times"),
            format!("{growth:.2} times"),
            growth <= GROWTH,
        ));
    }
    lines
}

/// The table of them all.
pub(super) fn section(large: &[Large]) -> String {
    let mut text = String::new();
    if large.is_empty() {
        return text;
    }
    text += "\n## Large programs\n\nOf `opcost bits FILE.bc`, one run each: SQLite, and copies of it in one module.\n\n\
        | program | instructions | CPU seconds | microseconds an instruction | peak, millions of bytes |\n\
        |---|---:|---:|---:|---:|\n";
    for one in large {
        let _ = writeln!(
            text,
            "| {} × SQLite {} | {} | {:.1} | {:.1} | {:.0} |",
            one.copies,
            one.level,
            one.instructions,
            one.taken.seconds,
            one.microseconds(),
            one.taken.megabytes,
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_judged_for_each_instruction() {
        let taken = |seconds| Taken { seconds, megabytes: 400.0, ..Taken::default() };
        let large = |copies, instructions, seconds| Large {
            level: "-O0",
            copies,
            instructions,
            taken: taken(seconds),
        };
        let linear = [large(1, 1_000_000, 6.0), large(4, 4_000_000, 24.0)];
        assert!(goals(&linear).iter().all(|(.., holds)| *holds));
        let square = [large(1, 1_000_000, 6.0), large(4, 4_000_000, 96.0)];
        assert_eq!(goals(&square).iter().map(|(.., holds)| *holds).collect::<Vec<_>>(), [true, false]);
        assert!(section(&square).contains("| 4 × SQLite -O0 | 4000000 | 96.0 | 24.0 | 400 |"));
        assert!(section(&[]).is_empty());
    }

    #[test]
    fn instructions_are_lines_of_functions() {
        let text = "define i32 @f() {\n  %1 = add i32 1, 2\n    #dbg_value(i32 1)\nb:\n  ret i32 %1\n}\n";
        assert_eq!(instructions(text), 2);
    }
}
