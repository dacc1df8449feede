//! Ledgers come back as they were written, DuckDB reads the same sums, and
//! cut, damaged, forged and random bytes are told apart.

use std::path::Path;
use std::process::Command;

use proptest::prelude::*;

use super::{OpcError, columns, find_digits, load_ledger, read_ledger, save_ledger, seal, write_ledger};
use crate::example::{fact, facts_of, function, ledger, line, sample};
use crate::{Column, Ledger, Subject, Way};

#[test]
fn a_ledger_comes_back_and_equal_ledgers_are_equal_bytes() {
    let sample = sample();
    let bytes = write_ledger(&sample);
    assert_eq!(read_ledger(&bytes).unwrap(), sample);
    assert_eq!(write_ledger(&sample.clone()), bytes);
    let empty = ledger(Vec::new());
    assert_eq!(read_ledger(&write_ledger(&empty)).unwrap(), empty);
}

/// Of modules that were linked.
#[test]
fn a_home_comes_back() {
    let mut step = (*function("local", 1, 1)).clone();
    step.home = Some("\"my file.c\"@step".parse().unwrap());
    let ledger = ledger(facts_of(&step.into(), 1, 10, &[1]));
    assert_eq!(read_ledger(&write_ledger(&ledger)).unwrap(), ledger);
}

#[test]
fn a_file_comes_back() {
    let path = std::env::temp_dir().join(format!("opcost-opc-{}.opc", std::process::id()));
    save_ledger(&path, &sample()).unwrap();
    assert_eq!(load_ledger(&path).unwrap(), sample());
    std::fs::remove_file(&path).unwrap();
    let error = load_ledger(&path).unwrap_err();
    assert!(error.to_string().contains("cannot read"), "{error}");
}

#[test]
fn every_way_to_be_cut_off_is_told() {
    let bytes = write_ledger(&sample());
    for length in 0..bytes.len() {
        let error = read_ledger(&bytes[..length]).unwrap_err();
        assert!(matches!(error, OpcError::CutOff { length: told } if told == length), "{length}: {error}");
    }
}

#[test]
fn every_damaged_byte_is_told() {
    let bytes = write_ledger(&ledger(vec![line(1, 2)]));
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x11;
        assert!(read_ledger(&damaged).is_err(), "byte {place}");
    }
    let mut damaged = bytes;
    damaged[40] ^= 1;
    assert!(matches!(read_ledger(&damaged), Err(OpcError::Damaged)));
}

/// `bytes` with a word of equal length in place of another, and a right hash.
fn forged(bytes: &[u8], word: &str, other: &str) -> Vec<u8> {
    assert_eq!(word.len(), other.len());
    let mut forged = bytes.to_vec();
    let digits = find_digits(&forged).unwrap();
    forged[digits..digits + 32].fill(b'0');
    let place = forged.windows(word.len()).position(|window| window == word.as_bytes()).expect(word);
    forged[place..place + word.len()].copy_from_slice(other.as_bytes());
    seal(forged)
}

#[test]
fn other_files_and_other_schemas_are_told_apart() {
    let told = |bytes: &[u8]| read_ledger(bytes).unwrap_err().to_string();
    assert!(told(b"\x7fELF and more").contains("not an opcost ledger"));
    assert!(told(b"PAR1xxxxxxxxxPAR1").contains("without a hash of opcost"));
    let bytes = write_ledger(&sample());
    let later = told(&forged(&bytes, "opcost.ledger/3", "opcost.ledger/4"));
    assert!(later.contains("schema opcost.ledger/4, this opcost reads opcost.ledger/3"), "{later}");
    let nameless = told(&forged(&bytes, "opcost.schema", "opcast.schema"));
    assert!(nameless.contains("without a schema of opcost"), "{nameless}");
}

#[test]
fn nonsense_behind_a_right_hash_is_told() {
    let bytes = write_ledger(&sample());
    let told = |word, other| read_ledger(&forged(&bytes, word, other)).unwrap_err().to_string();
    assert!(told("from_block", "from_clock").contains("columns are not those"));
    assert!(told("opcost.runs", "opcost.ruins"[..11].into()).contains("has no opcost.runs"));
    assert!(told("lower bound", "upper bound").contains("'upper bound' is no quality"));
    assert!(told("repaired", "repainted"[..8].into()).contains("is no origin"));
    assert!(told("executions", "executiona").contains("is no unit"));
    assert!(told("\"charge\":\"I", "\"charge\":\"X").contains("opcost.cost is not right"));
    assert!(told("\"hash\":\"ff", "\"hash\":\"+f").contains("is no hash"));
}

#[test]
fn the_python_wheel_of_duckdb_reads_equal_sums() {
    let sample = sample();
    let path = std::env::temp_dir().join(format!("opcost-duckdb-{}.opc", std::process::id()));
    save_ledger(&path, &sample).unwrap();
    let query = "import duckdb, sys\n\
        rows = duckdb.sql(f\"select kind, \\\"column\\\", sum(value), count(*), max(typeof(value)) \
        from read_parquet('{sys.argv[1]}') group by all order by all\").fetchall()\n\
        print('\\n'.join(' '.join(map(str, row)) for row in rows))\n\
        print(duckdb.sql(f\"select value from parquet_kv_metadata('{sys.argv[1]}') \
        where key = 'opcost.schema'\").fetchall()[0][0].decode())";
    let run = Command::new(python()).args(["-c", query]).arg(&path).output().expect("a python3 on the path");
    std::fs::remove_file(&path).unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(
        !said.contains("No module named 'duckdb'"),
        "this test needs DuckDB's Python wheel; run\n  python3 -m venv target/venv && target/venv/bin/pip \
         install duckdb==2.0.0\nor set OPCOST_PYTHON to an interpreter that has it"
    );
    assert!(run.status.success(), "{said}");
    assert_eq!(String::from_utf8_lossy(&run.stdout), expected_sums(&sample));
}

/// Each query of the page runs, on a ledger of every kind of row.
#[test]
fn the_queries_of_the_page_run() {
    let folder = std::env::temp_dir().join(format!("opcost-queries-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    save_ledger(&folder.join("run.opc"), &sample()).unwrap();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ledger.md");
    let text = std::fs::read_to_string(page).unwrap();
    let queries = text.split("```sql").nth(1).and_then(|rest| rest.split("```").next()).expect("queries");
    let script = "import duckdb, sys\n\
        queries = [query for query in sys.argv[1].split(';') if 'select' in query]\n\
        print(len(queries), all(len(duckdb.sql(query).fetchall()) > 0 for query in queries))";
    let run = Command::new(python()).args(["-c", script, queries]).current_dir(&folder).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(String::from_utf8_lossy(&run.stdout).trim(), "3 True");
}

/// The interpreter of the environment, of the workspace's `target/venv`, or any.
fn python() -> String {
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/venv/bin/python");
    let venv = || venv.exists().then(|| venv.display().to_string());
    std::env::var("OPCOST_PYTHON").ok().or_else(venv).unwrap_or_else(|| "python3".into())
}

fn expected_sums(ledger: &Ledger) -> String {
    let mut sums = std::collections::BTreeMap::new();
    for fact in ledger.facts() {
        let kind = columns::kind(&fact.subject);
        let sum: &mut (u128, u64) = sums.entry((kind, fact.column.word())).or_default();
        *sum = (sum.0 + u128::from(fact.value.unwrap_or(0)), sum.1 + 1);
    }
    let rows =
        sums.iter().map(|((kind, column), (sum, count))| format!("{kind} {column} {sum} {count} UBIGINT\n"));
    rows.collect::<String>() + "opcost.ledger/3\n"
}

#[test]
fn the_schema_has_one_column_per_cell() {
    assert_eq!(columns::schema().get_fields().len(), 22);
}

prop_compose! {
    fn some_facts()(edges in prop::collection::vec((0u32..40, any::<u64>(), any::<Option<u32>>(), 0..6u8), 0..60))
        -> Vec<crate::Fact> {
        let function = function("f", 1, 2);
        let ways = [Way::Enter, Way::Branch, Way::Fall, Way::Return, Way::Left, Way::Again];
        let mut edges = edges;
        edges.sort();
        edges.dedup_by_key(|edge| edge.0);
        edges.into_iter().map(|(edge, value, slot, way)| {
            let (way, from, to) = (ways[usize::from(way)], slot, Some(edge));
            fact(Subject::Edge { function: function.clone(), edge, way, from, to, slot }, Column::Count, value)
        }).collect()
    }
}

proptest! {
    #[test]
    fn any_ledger_comes_back(facts in some_facts()) {
        let ledger = ledger(facts);
        prop_assert_eq!(read_ledger(&write_ledger(&ledger)).unwrap(), ledger);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = write_ledger(&sample());
        for (place, value) in flips {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        bytes.truncate(cut.index(bytes.len() + 1));
        let _ = read_ledger(&bytes);
    }
}
