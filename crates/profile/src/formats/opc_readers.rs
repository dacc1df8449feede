//! What do DuckDB, polars and pandas read in a ledger? The same as we wrote, by names alone.
//!
//! They come as Python packages, in the versions that `./x` pins (`target/venv`).

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::tests::with_answers;
use super::{columns, save_ledger};
use crate::example::sample;
use crate::{Ledger, Quality, Subject};

#[test]
fn the_python_wheel_of_duckdb_reads_equal_sums() {
    let sample = sample();
    let path = scratch("duckdb");
    save_ledger(&path, &sample).unwrap();
    let query = "import duckdb, sys\n\
        rows = duckdb.sql(f\"select kind, \\\"column\\\", sum(value), count(*), max(typeof(value)) \
        from read_parquet('{sys.argv[1]}') group by all order by all\").fetchall()\n\
        print('\\n'.join(' '.join(map(str, row)) for row in rows))\n\
        print(duckdb.sql(f\"select value from parquet_kv_metadata('{sys.argv[1]}') \
        where key = 'opcost.schema'\").fetchall()[0][0].decode())";
    let said = told(query, &path);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(said, expected_sums(&sample));
}

/// Each query of the page runs, on a ledger of every kind of row.
#[test]
fn the_queries_of_the_page_run() {
    let folder = std::env::temp_dir().join(format!("opcost-queries-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    save_ledger(&folder.join("run.opc"), &with_answers()).unwrap();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guide/src/formats/ledger.md");
    let text = std::fs::read_to_string(page).unwrap();
    let queries: String = text.split("```sql").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let script = "import duckdb, sys\n\
        queries = [query for query in sys.argv[1].split(';') if 'select' in query]\n\
        print(len(queries), *(query for query in queries if not duckdb.sql(query).fetchall()))";
    let run = Command::new(python()).args(["-c", script, &queries]).current_dir(&folder).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(output(&run).trim(), "17", "each finds something");
}

/// What each of them is asked for: the cost of each function, and each answer with all that is
/// typed in it.
const LINES: &str = "
def line(row):
    rests = [' '.join(str(one[part]) for part in ('what', 'key', 'words')) for one in row['assumptions']]
    members = None if row['members'] is None else [int(one) for one in row['members']]
    whole = [None if row[end] is None else int(row[end]) for end in ('value', 'least', 'greatest')]
    return [row[name] for name in ('kind', 'function', 'key', 'column', 'unit', 'form', 'answer', 'quality')] \
        + whole + [members, rests]
def tell(costs, rows):
    for function, value in sorted(costs):
        print(function, int(value))
    for row in sorted('|'.join(map(str, line(row))) for row in rows):
        print(row)
";

const DUCKDB: &str = "
import duckdb, sys
table = duckdb.sql(f\"select * from read_parquet('{sys.argv[1]}')\")
costs = table.filter(\"kind = 'function' and \\\"column\\\" = 'instructions'\").select('\"function\", value').fetchall()
found = table.filter('key is not null')
tell(costs, [dict(zip(found.columns, row)) for row in found.fetchall()])
";

const POLARS: &str = "
import polars, sys
table = polars.read_parquet(sys.argv[1])
is_cost = (polars.col('kind') == 'function') & (polars.col('column') == 'instructions')
costs = table.filter(is_cost).select('function', 'value').rows()
tell(costs, table.filter(polars.col('key').is_not_null()).to_dicts())
";

const PANDAS: &str = "
import pandas, sys
table = pandas.read_parquet(sys.argv[1], dtype_backend='pyarrow')
costs = table[(table['kind'] == 'function') & (table['column'] == 'instructions')]
costs = list(costs[['function', 'value']].itertuples(index=False, name=None))
found = table[table['key'].notna()]
def cell(one):
    is_list = hasattr(one, '__len__') and not isinstance(one, str)
    return list(one) if is_list else None if pandas.isna(one) else one
tell(costs, [{name: cell(row[name]) for name in table.columns} for _, row in found.iterrows()])
";

#[test]
fn duckdb_polars_and_pandas_read_names_numbers_and_assumptions() {
    let ledger = with_answers();
    let path = scratch("readers");
    save_ledger(&path, &ledger).unwrap();
    for reader in [DUCKDB, POLARS, PANDAS] {
        assert_eq!(told(&format!("{LINES}{reader}"), &path), expected_lines(&ledger), "{reader}");
    }
    std::fs::remove_file(&path).unwrap();
}

/// As Python prints it.
fn expected_lines(ledger: &Ledger) -> String {
    let mut costs: Vec<(String, u64)> = Vec::new();
    for fact in ledger.facts() {
        if let (Subject::Function { function, .. }, crate::Column::Instructions) =
            (&fact.subject, fact.column)
        {
            assert!(!matches!(fact.quality, Quality::Unknown(_)));
            costs.push((function.name.clone(), fact.value.unwrap()));
        }
    }
    costs.sort();
    let none = |text: Option<String>| text.unwrap_or_else(|| "None".to_owned());
    let mut lines: Vec<String> = Vec::new();
    for row in ledger.answers.iter() {
        let cell = |name: &str| {
            let column = columns::TABLE.iter().find(|column| column.name == name).expect("a column");
            let row = columns::Row::Answer(row);
            match column.cells {
                columns::Cells::Text(get) => none(get(row).map(String::from)),
                columns::Cells::Count(get) => none(get(row).map(|count| count.to_string())),
                columns::Cells::Decimal(get) => none(get(row).map(|number| number.to_string())),
                columns::Cells::Decimals(get) => none(get(row).map(|all| format!("{all:?}"))),
                columns::Cells::Assumptions(get) => {
                    let all = get(row).expect("answers have them").iter().map(|one| {
                        let key = none(one.key().map(ToString::to_string));
                        format!("'{} {key} {}'", one.what(), none(one.words()))
                    });
                    format!("[{}]", all.collect::<Vec<_>>().join(", "))
                }
                columns::Cells::Flag(_) | columns::Cells::Small(_) => unreachable!("none is asked for"),
            }
        };
        let names =
            ["kind", "function", "key", "column", "unit", "form", "answer", "quality", "value", "least"];
        let cells: Vec<String> =
            names.into_iter().chain(["greatest", "members", "assumptions"]).map(cell).collect();
        lines.push(cells.join("|"));
    }
    lines.sort();
    let mut text = String::new();
    costs.iter().for_each(|(function, cost)| writeln!(text, "{function} {cost}").expect("text"));
    lines.iter().for_each(|line| writeln!(text, "{line}").expect("text"));
    text
}

fn scratch(what: &str) -> PathBuf {
    std::env::temp_dir().join(format!("opcost-{what}-{}.opc", std::process::id()))
}

/// What a script says of a ledger.
fn told(script: &str, path: &Path) -> String {
    output(&Command::new(python()).args(["-c", script]).arg(path).output().expect("a python3 on the path"))
}

fn output(run: &Output) -> String {
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(
        !said.contains("No module named") && !said.contains("Unable to find a usable engine"),
        "{said}\nthis test needs Python packages; run\n  python3 -m venv target/venv && target/venv/bin/pip \
         install duckdb==2.0.0 polars==2.1.0 pandas==3.1.1 pyarrow==26.0.1\nor set OPCOST_PYTHON to an \
         interpreter that has them"
    );
    assert!(run.status.success(), "{said}");
    String::from_utf8_lossy(&run.stdout).into_owned()
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
        let kind = columns::kind(columns::Row::Fact(fact, None));
        let sum: &mut (u128, u64) = sums.entry((kind, fact.column.word())).or_default();
        *sum = (sum.0 + u128::from(fact.value.unwrap_or(0)), sum.1 + 1);
    }
    let rows =
        sums.iter().map(|((kind, column), (sum, count))| format!("{kind} {column} {sum} {count} UBIGINT\n"));
    rows.collect::<String>() + "opcost.ledger/3\n"
}
