//! Writing what was counted into `opcost.toml` as the new limits.
//!
//! Comments, order and layout stay (toml_edit). A run whose numbers and build
//! are as recorded is not touched, its reason neither, so that a second
//! update changes nothing. The date is left to the version control that the
//! file is in. What functions did is kept in `recorded`, and is no limit. A limit of a function that
//! somebody wrote becomes what the function did.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value, value};

use opcost_answer::check::{RecordedBuild, RecordedCheck};

use super::config::{ConfigFile, SELF_COST};
use opcost_answer::Failure;
use opcost_answer::check::{CheckedFunction, CheckedRun};
use opcost_answer::numbers::grouped;

/// The text of the file with new limits.
pub fn updated(file: &ConfigFile, runs: &[CheckedRun], reason: &str) -> Result<String, Failure> {
    let wrong = |what: String| Failure::Usage(format!("{}: {what}", file.path.display()));
    let mut document: DocumentMut = file.text.parse().map_err(|error| wrong(format!("{error}")))?;
    for run in runs {
        let table = document
            .get_mut("run")
            .and_then(|runs| runs.get_mut(&run.name))
            .and_then(Item::as_table_like_mut)
            .ok_or_else(|| wrong(format!("run.{} is no table", run.name)))?;
        update_run(table, run, reason);
    }
    Ok(document.to_string())
}

fn update_run(table: &mut dyn TableLike, run: &CheckedRun, reason: &str) {
    let Some(counted) = &run.counted else { return };
    let mut changed = set(table, "limit", counted.total);
    if run.has_recorded_functions {
        changed |= remove_recorded(table);
    }
    if let Some(functions) = table.get_mut("functions").and_then(Item::as_table_like_mut) {
        // Functions that are not in the program any more; the check has said so.
        let kept = |key: &str| run.functions.iter().any(|function| function.listed_name == key);
        let gone: Vec<String> =
            functions.iter().map(|(key, _)| key.to_owned()).filter(|key| !kept(key)).collect();
        for key in gone {
            functions.remove(&key);
            changed = true;
        }
        for function in run.functions.iter().filter(|function| function.limit.is_some()) {
            changed |= accept(functions, function);
        }
    }
    let now = RecordedCheck { reason: reason.to_owned(), ..counted.build.clone() };
    let before = run.recorded.as_ref();
    let same_build =
        before.is_some_and(|before| RecordedCheck { reason: now.reason.clone(), ..before.clone() } == now);
    if changed || !same_build {
        record(table, &now);
    }
}

/// Makes what a function did its limit, under the name that it has now.
fn accept(functions: &mut dyn TableLike, function: &CheckedFunction) -> bool {
    let name = function.name_now();
    let mut changed = false;
    if name != Some(&*function.listed_name) {
        let entry = functions.remove(&function.listed_name);
        changed = true;
        if let (Some(name), Some(entry)) = (name, entry) {
            functions.insert(name, entry);
        }
    }
    let Some(name) = name else { return changed };
    let entry = functions.get_mut(name).and_then(Item::as_table_like_mut);
    changed
        | match entry {
            Some(entry) => set(entry, "limit", function.instructions),
            None => set(functions, name, function.instructions),
        }
}

/// Takes out the numbers that an earlier version wrote as limits of functions.
fn remove_recorded(table: &mut dyn TableLike) -> bool {
    let Some(functions) = table.get_mut("functions").and_then(Item::as_table_mut) else { return false };
    functions.retain(|_, entry| !entry.is_integer());
    if functions.is_empty() {
        table.remove("functions");
    } else {
        functions.decor_mut().set_prefix("\n");
    }
    true
}

/// Sets a limit; says whether it was another.
fn set(table: &mut dyn TableLike, key: &str, count: u128) -> bool {
    let digits = grouped(count).replace(',', "_");
    let Ok(mut new) = digits.parse::<Value>() else { return false };
    match table.get_mut(key) {
        Some(Item::Value(old)) => {
            if old.as_integer().is_some_and(|old| u128::try_from(old) == Ok(count)) {
                return false;
            }
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        _ => drop(table.insert(key, value(new))),
    }
    true
}

fn record(table: &mut dyn TableLike, now: &RecordedCheck) {
    if table.get("recorded").is_none() {
        table.insert("recorded", Item::Table(Table::new()));
    }
    let Some(recorded) = table.get_mut("recorded").and_then(Item::as_table_like_mut) else { return };
    let flags: Array = now.flags.iter().map(String::as_str).collect();
    for (key, new) in [
        ("compiler", Value::from(now.compiler.as_str())),
        ("flags", Value::from(flags)),
        ("target", Value::from(now.target.as_str())),
        ("cost_model", Value::from(now.cost_model.as_str())),
        ("reason", Value::from(now.reason.as_str())),
    ] {
        match recorded.get_mut(key) {
            Some(Item::Value(old)) => {
                let decor = old.decor().clone();
                *old = new;
                *old.decor_mut() = decor;
            }
            _ => drop(recorded.insert(key, value(new))),
        }
    }
    if let Some(instructions) = now.instructions {
        set(recorded, "instructions", instructions.into());
    }
    recorded.remove(FUNCTIONS);
    if !now.functions.is_empty() {
        recorded.insert(FUNCTIONS, Item::Table(functions(now)));
    }
    if now.builds.is_empty() {
        recorded.remove(BUILDS);
    } else {
        recorded.insert(BUILDS, Item::ArrayOfTables(now.builds.iter().map(build).collect()));
    }
}

/// What functions did.
const FUNCTIONS: &str = "functions";

fn functions(now: &RecordedCheck) -> Table {
    let mut table = Table::new();
    table.decor_mut().set_prefix(format!(
        "\n{SELF_COST}\n# These are no limits; those are in a table functions of the run.\n"
    ));
    for (name, function) in &now.functions {
        let mut entry = InlineTable::new();
        set(&mut entry, "instructions", function.instructions.into());
        if let Some(body) = &function.body {
            entry.insert("body", body.as_str().into());
        }
        table.insert(name, value(entry));
    }
    table
}

/// Modules by the ways that they were built in.
const BUILDS: &str = "builds";

fn build(build: &RecordedBuild) -> Table {
    let list = |words: &[String]| Value::from(words.iter().map(String::as_str).collect::<Array>());
    let mut table = Table::new();
    table.insert("modules", value(list(&build.modules)));
    table.insert("compiler", value(build.compiler.as_str()));
    table.insert("flags", value(list(&build.flags)));
    table
}
