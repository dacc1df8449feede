//! Which weights are meant by `--cost`?
//!
//! A name (`unit/1`, `block-size/1`) or a file:
//!
//! ```toml
//! name = "my/1"          # name/version
//! default = 1            # of what is not named; 1 when left out
//!
//! [weights]
//! fdiv = 20              # an opcode of LLVM
//! "mul.i64" = 3          # an opcode on a type, as LLVM writes it
//! "llvm.memcpy" = 12     # an intrinsic, whatever its suffix
//!
//! [calls]
//! sin = 20               # a call of a function that is not the program's,
//!                        # and what becomes one (llvm.sin.f64)
//! ```
//!
//! `based-on = "fuel/1"` takes over what that model charges by size, by length
//! and for calls of library functions; what the file says of one of these wins.
//!
//! The file is read once, before anything is compiled; the table travels to
//! each module's process. Two files of one name and different weights have
//! different hashes, and the hash stands behind the name in every report.

use std::collections::BTreeMap;
use std::path::Path;

use opcost_instrument::{CostModel, CostTable};
use opcost_ir::Opcode;
use serde::Deserialize;
use toml::Spanned;

use opcost_answer::Failure;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CostFile {
    name: Spanned<String>,
    #[serde(rename = "based-on")]
    based_on: Option<Spanned<String>>,
    default: Option<Spanned<i64>>,
    #[serde(default)]
    weights: BTreeMap<Spanned<String>, Spanned<i64>>,
    #[serde(default)]
    calls: BTreeMap<Spanned<String>, Spanned<i64>>,
}

/// What `opcost count` takes when no model is named.
pub const COUNTED: &str = "unit/1";

/// A model by which fuel is paid.
///
/// # Errors
/// By a user's table an endless loop or recursion could cost nothing.
pub fn fuel_model(given: &str) -> Result<CostModel, Failure> {
    let model = cost_model(given)?;
    let CostModel::Table(table) = &model else { return Ok(model) };
    // Every cycle of blocks has a branch, every cycle of functions a call.
    let on_cycles = ["br", "switch", "indirectbr", "callbr", "invoke", "call"];
    let is_free = |opcode: &&&str| table.opcodes.get(**opcode).copied().unwrap_or(table.default) == 0;
    // An `invoke` of a free function is a branch for nothing; `longjmp` goes back.
    let free_call = || table.calls.iter().find(|(_, weight)| **weight == 0).map(|(name, _)| name.as_str());
    // The one intrinsic that everybody may `invoke`.
    let free_intrinsic = || table.intrinsics.get_key_value(DO_NOTHING).filter(|(_, weight)| **weight == 0);
    let free = on_cycles.iter().find(is_free).copied().or_else(free_call);
    match free.or_else(|| free_intrinsic().map(|(name, _)| name.as_str())) {
        None => Ok(model),
        Some(name) => Err(Failure::Usage(format!(
            "cost model {}: {name} weighs 0, and an endless loop could run for free; give it a weight",
            table.name
        ))),
    }
}

const DO_NOTHING: &str = "llvm.donothing";

/// A model for modules that are compiled each by itself.
pub fn lone_cost_model(given: &str) -> Result<CostModel, Failure> {
    match cost_model(given)? {
        CostModel::Table(table) if table.with_library => Err(Failure::Usage(format!(
            "cost model {} compiles functions of the C library with the program. Only `opcost count` and \
             `opcost fuel` do so, for C, C++, Fortran and bitcode; take unit/1 here",
            table.name
        ))),
        model => Ok(model),
    }
}

/// The model of a name or file.
pub fn cost_model(given: &str) -> Result<CostModel, Failure> {
    if let Some(model) = CostModel::from_name(given) {
        return Ok(model);
    }
    if !given.ends_with(".toml") {
        return Err(Failure::Usage(format!(
            "no cost model '{given}'; there are unit/1, fuel/1 and block-size/1, or give a .toml file"
        )));
    }
    let path = Path::new(given);
    let text = std::fs::read_to_string(path).map_err(Failure::file("read", path))?;
    let table = read(&text).map_err(|error| {
        let line = text[..error.at.min(text.len())].matches('\n').count() + 1;
        Failure::Usage(format!("{given}:{line}: {error}"))
    })?;
    Ok(CostModel::Table(table))
}

/// What is wrong with a table, and where.
#[derive(Debug, thiserror::Error)]
#[error("{fault}")]
struct TableError {
    /// The byte of the text at which it begins, from 0.
    at: usize,
    fault: TableFault,
}

/// What can be wrong with a table.
#[derive(Debug, thiserror::Error)]
enum TableFault {
    /// It is no TOML, or has other fields than a table has; as the parser says.
    #[error("{0}")]
    Form(String),
    #[error("a table can be based on fuel/1, not on '{0}'")]
    Base(String),
    #[error("the name '{0}' is opcost's own; choose another")]
    OwnName(String),
    #[error("'{0}' is no name and version; write name = \"my/1\"")]
    Name(String),
    #[error("the weight {0} is not between 0 and {max}", max = u32::MAX)]
    Weight(i64),
    #[error("'{name}' is no opcode of LLVM; did you mean {near}?")]
    Opcode { name: String, near: &'static str },
    #[error("'{0}' is no type as LLVM writes it (i64, double, ptr, <4 x float>)")]
    Type(String),
}

impl TableFault {
    fn at(self, at: usize) -> TableError {
        TableError { at, fault: self }
    }
}

/// Reads a table; an error is reported with its place in the text.
fn read(text: &str) -> Result<CostTable, TableError> {
    let file: CostFile = toml::from_str(text).map_err(|error| {
        TableFault::Form(error.message().to_owned()).at(error.span().map_or(0, |span| span.start))
    })?;
    let base = match file.based_on.as_ref().map(|base| (base.get_ref().as_str(), base.span().start)) {
        None => CostTable { default: 1, ..CostTable::default() },
        Some(("fuel/1", _)) => CostTable::fuel(),
        Some((other, at)) => return Err(TableFault::Base(other.to_owned()).at(at)),
    };
    let mut table = CostTable { name: name_of(&file.name)?, ..base };
    if let Some(default) = &file.default {
        table.default = weight_of(default)?;
    }
    for (key, weight) in &file.weights {
        let weight = weight_of(weight)?;
        let name = key.get_ref();
        if name.starts_with("llvm.") {
            table.intrinsics.insert(name.trim_end_matches('.').to_owned(), weight);
        } else {
            check_opcode(name).map_err(|fault| fault.at(key.span().start))?;
            table.opcodes.insert(name.clone(), weight);
        }
    }
    for (key, weight) in &file.calls {
        table.calls.insert(key.get_ref().clone(), weight_of(weight)?);
    }
    Ok(table)
}

fn name_of(name: &Spanned<String>) -> Result<String, TableError> {
    let text = name.get_ref();
    let is_word = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    let fault = match text.split_once('/') {
        Some(("unit" | "block-size" | "fuel", _)) => TableFault::OwnName(text.clone()),
        Some((word, version)) if is_word(word) && version.parse::<u32>().is_ok() => return Ok(text.clone()),
        _ => TableFault::Name(text.clone()),
    };
    Err(fault.at(name.span().start))
}

fn weight_of(weight: &Spanned<i64>) -> Result<u32, TableError> {
    let number = *weight.get_ref();
    u32::try_from(number).map_err(|_| TableFault::Weight(number).at(weight.span().start))
}

/// Checks that a key names an opcode, and that its type looks like one.
fn check_opcode(key: &str) -> Result<(), TableFault> {
    let (opcode, ty) = key.split_once('.').map_or((key, None), |(opcode, ty)| (opcode, Some(ty)));
    if Opcode::from_name(opcode).is_none() {
        let near = Opcode::ALL.iter().map(|known| known.name());
        let near =
            near.max_by(|a, b| strsim::jaro_winkler(opcode, a).total_cmp(&strsim::jaro_winkler(opcode, b)));
        return Err(TableFault::Opcode { name: opcode.to_owned(), near: near.unwrap_or("add") });
    }
    match ty {
        None => Ok(()),
        Some(ty) if is_type(ty) => Ok(()),
        Some(ty) => Err(TableFault::Type(ty.to_owned())),
    }
}

/// A shallow look: a type misspelt would never match, in silence.
fn is_type(ty: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let named = ["void", "half", "bfloat", "float", "double", "x86_fp80", "fp128", "ppc_fp128", "ptr"];
    named.contains(&ty)
        || ty.strip_prefix('i').is_some_and(is_number)
        || (ty.starts_with('<') && ty.ends_with('>'))
        || (ty.starts_with('[') && ty.ends_with(']'))
        || (ty.starts_with('{') && ty.ends_with('}'))
        || ty.starts_with('%')
        || ty.starts_with("ptr addrspace(")
}

#[cfg(test)]
mod tests {
    use opcost_instrument::CostTable;

    use super::{fuel_model, read};

    #[test]
    fn what_can_go_round_for_free_pays_no_fuel() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (text, name) in [
            ("[calls]\nlongjmp = 0\n", "longjmp"),
            ("[calls]\nfree = 0\n", "free"),
            ("[weights]\nbr = 0\n", "br"),
            ("[weights]\n\"llvm.donothing\" = 0\n", "llvm.donothing"),
        ] {
            let path = folder.path().join("my.toml");
            std::fs::write(&path, format!("name = \"my/1\"\nbased-on = \"fuel/1\"\n{text}"))
                .expect("written");
            let refused = fuel_model(path.to_str().expect("UTF-8")).expect_err("a free cycle").to_string();
            assert!(refused.contains(&format!("{name} weighs 0")), "{refused}");
        }
        fuel_model("fuel/1").expect("opcost's own");
    }

    #[test]
    fn a_table_is_read() {
        let text =
            "name = \"my/1\"\ndefault = 2\n[weights]\nfdiv = 20\n\"mul.i64\" = 3\n\"llvm.memcpy\" = 12\n";
        let table = read(text).expect("well-formed");
        assert_eq!((table.default, table.opcodes["fdiv"], table.opcodes["mul.i64"]), (2, 20, 3));
        assert_eq!(table.intrinsics["llvm.memcpy"], 12);
        let other = read(&text.replace("= 3", "= 4")).expect("well-formed");
        assert_ne!(table.hash(), other.hash());
    }

    #[test]
    fn a_table_can_go_on_from_another() {
        let text = "name = \"my/1\"\nbased-on = \"fuel/1\"\n[calls]\nsin = 20\n";
        let table = read(text).expect("well-formed");
        assert_eq!((table.calls["sin"], table.by_size, &table.lengths["calloc"]), (20, true, &vec![0, 1]));
        let own = CostTable::fuel();
        assert!(own.calls["sin"] != 20 && table.calls["cos"] == own.calls["cos"]);
        let lower = read(&text.replace("sin = 20", "pow = 1")).expect("well-formed");
        assert!(lower.calls["pow"] == 1 && own.calls["pow"] > 1 && lower.hash() != table.hash());
        let wrong = read(&text.replace("fuel/1", "unit/1")).expect_err("no base");
        assert_eq!((wrong.at, wrong.to_string().contains("not on 'unit/1'")), (25, true));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let told = |text: &str| {
            let wrong = read(text).expect_err("wrong");
            (wrong.at, wrong.to_string())
        };
        let (at, message) = told("name = \"my/1\"\n[weights]\nfdvi = 20\n");
        assert_eq!((at, message.as_str()), (24, "'fdvi' is no opcode of LLVM; did you mean fdiv?"));
        assert!(told("name = \"my/1\"\n[weights]\nadd = 4294967296\n").1.contains("4294967295"));
        assert!(told("name = \"my/1\"\n[weights]\nadd = -1\n").1.contains("not between"));
        assert!(told("name = \"my/1\"\n[weights]\n\"add.int\" = 1\n").1.contains("no type"));
        assert!(told("name = \"my\"\n").1.contains("version"));
        assert!(told("name = \"unit/2\"\n").1.contains("own"));
        assert!(told("name = \"my/1\"\nweight = 3\n").1.contains("weight"));
        assert!(told("name = \"my/1\"\ndefault = \"x\"\n").1.contains("i64"));
    }
}
