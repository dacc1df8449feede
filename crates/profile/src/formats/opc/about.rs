//! How do the facts about build, machine and runs lie in a ledger's metadata?
//!
//! As JSON, hashes in hexadecimal, one metadata entry per field of [`About`],
//! so that `parquet_kv_metadata` and its like show them to a person.

use opcost_key::{Anchor, BuildFacts, Charge, CostFacts, Hash128};
use serde::{Deserialize, Serialize};

use super::error::{OpcError, malformed};
use crate::{About, CodeFacts, LineTexts, ModuleFacts};

#[derive(Serialize, Deserialize)]
struct Module {
    module: String,
    map: String,
    anchor: Anchor,
    build: BuildFacts,
}

#[derive(Serialize, Deserialize)]
struct Cost {
    name: String,
    hash: String,
    charge: Charge,
}

#[derive(Serialize, Deserialize)]
struct Code {
    name: String,
    hash: String,
}

const CODE: &str = "opcost.code";
const MODULES: &str = "opcost.modules";
const COST: &str = "opcost.cost";
const MACHINES: &str = "opcost.machines";
const COMMANDS: &str = "opcost.commands";
const RUNS: &str = "opcost.runs";

/// The metadata entries; there is none of code where all of it was counted.
pub(super) fn entries(about: &About) -> Vec<(&'static str, String)> {
    let modules: Vec<Module> = about.modules.iter().map(Module::from).collect();
    let CostFacts { name, hash, charge } = about.cost.clone();
    let code = |one: &CodeFacts| Code { name: one.name.clone(), hash: one.hash.to_string() };
    let code: Vec<Code> = about.code.iter().map(code).collect();
    let code = (!code.is_empty()).then(|| (CODE, json(&code)));
    let counted = [
        (MODULES, json(&modules)),
        (COST, json(&Cost { name, hash: hash.to_string(), charge })),
        (MACHINES, json(&about.machines)),
        (COMMANDS, json(&about.commands)),
        (RUNS, json(&about.runs)),
    ];
    counted.into_iter().chain(code).collect()
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain values with text keys are JSON")
}

impl From<&ModuleFacts> for Module {
    fn from(facts: &ModuleFacts) -> Self {
        let ModuleFacts { module, map, anchor, build } = facts.clone();
        Self { module, map: map.to_string(), anchor, build }
    }
}

/// The entries back again.
pub(super) fn parse<'a>(entry: impl Fn(&str) -> Option<&'a str>) -> Result<About, OpcError> {
    let modules: Vec<Module> = field(&entry, MODULES)?;
    let cost: Cost = field(&entry, COST)?;
    let modules = modules.into_iter().map(|Module { module, map, anchor, build }| {
        Ok::<_, OpcError>(ModuleFacts { module, map: parse_hash(&map)?, anchor, build })
    });
    // Files of before have none.
    let code: Vec<Code> = if entry(CODE).is_some() { field(&entry, CODE)? } else { Vec::new() };
    let code = code.into_iter().map(|one| Ok(CodeFacts { name: one.name, hash: parse_hash(&one.hash)? }));
    Ok(About {
        code: code.collect::<Result<_, OpcError>>()?,
        modules: modules.collect::<Result<_, _>>()?,
        cost: CostFacts { name: cost.name, hash: parse_hash(&cost.hash)?, charge: cost.charge },
        machines: field(&entry, MACHINES)?,
        commands: field(&entry, COMMANDS)?,
        runs: field(&entry, RUNS)?,
        // They stand in the table, with their lines.
        texts: LineTexts::default(),
    })
}

fn field<'a, T: Deserialize<'a>>(entry: impl Fn(&str) -> Option<&'a str>, key: &str) -> Result<T, OpcError> {
    let text = entry(key).ok_or_else(|| malformed(format!("it has no {key}")))?;
    serde_json::from_str(text).map_err(|error| malformed(format!("its {key} is not right: {error}")))
}

/// A hash from its 32 hexadecimal digits.
pub(super) fn parse_hash(text: &str) -> Result<Hash128, OpcError> {
    let digits = text.len() == 32 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    let value = digits.then(|| u128::from_str_radix(text, 16).ok()).flatten();
    value.map(Hash128).ok_or_else(|| malformed(format!("'{text}' is no hash")))
}
