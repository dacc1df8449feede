//! Are the schemas in the repository those of the structs, and does real
//! output fit them?

use std::path::Path;

use opcost_testkit::command::holds_to_schema;

use crate::workplace::workplace;

/// The file of a schema; some have a second version.
fn schema_path(name: &str) -> String {
    let version = if ["certificate", "bits", "explain-width"].contains(&name) { 2 } else { 1 };
    format!("schemas/opcost.{name}-{version}.json")
}

fn schema(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(schema_path(name));
    std::fs::read_to_string(path).unwrap()
}

/// Requires that a document says this name and holds to its schema.
#[track_caller]
pub(crate) fn validate(name: &str, document: &serde_json::Value) {
    let said = document["schema"].as_str().unwrap_or_default();
    assert!(schema_path(name).ends_with(&format!("{}.json", said.replace('/', "-"))), "{name}: {said}");
    holds_to_schema(document);
}

/// The documents; each has a schema in the repository.
const NAMES: [&str; 16] = [
    "answers",
    "bits-check",
    "certificate",
    "count",
    "fuel",
    "fuel-check",
    "life",
    "list",
    "loops",
    "explain",
    "explain-width",
    "bits",
    "values",
    "diff",
    "check",
    "error",
];

#[test]
fn schemas_are_those_of_the_structs() {
    let place = workplace();
    for name in NAMES {
        let made = place.opcost(&["schema", name]).expect(0).stdout;
        assert!(
            made == schema(name),
            "{path} is old: opcost schema {name} > {path}",
            path = schema_path(name)
        );
    }
    place.opcost(&["schema", "nothing"]).expect(2).expect_stderr(&NAMES);
}

#[test]
fn real_documents_fit_their_schemas() {
    let place = workplace();
    place.opcost(&["count", "a.c", "--json", "a.json", "--ledger", "a.opc", "--", "10"]).expect(0);
    validate("count", &place.json("a.json"));
    place.opcost(&["report", "a.opc", "--list", "edges", "--json", "l.json"]).expect(0);
    validate("list", &place.json("l.json"));
    place
        .opcost(&[
            "count",
            "a.c",
            "--json",
            "b.json",
            "--ledger",
            "b.opc",
            "--budget",
            "9",
            "--baseline",
            "a.opc",
        ])
        .expect(3);
    let over = place.json("b.json");
    validate("count", &over);
    assert_eq!(over["verdict"]["result"], "over");
    assert_eq!(over["verdict"]["grew"][0]["name"], "work");
    place.opcost(&["fuel", "a.c", "--limit", "9", "--json", "f.json"]).expect(3);
    validate("fuel", &place.json("f.json"));
    place.opcost(&["fuel", "a.c", "--sandbox", "--limit", "1M", "--json", "s.json"]).expect(0);
    validate("fuel", &place.json("s.json"));
    place.write("fork.c", "int fork(void);\nint main(void) { return fork(); }\n");
    place.opcost(&["fuel", "fork.c", "--sandbox", "--json", "j.json"]).expect(3);
    validate("fuel", &place.json("j.json"));
    place.opcost(&["fuel", "--check", "a.c", "--json", "k.json"]).expect(0);
    validate("fuel-check", &place.json("k.json"));
    place.opcost(&["report", "a.opc", "--json", "r.json"]).expect(0);
    validate("count", &place.json("r.json"));
    place.opcost(&["diff", "a.opc", "b.opc", "--json", "d.json"]).expect(0);
    validate("diff", &place.json("d.json"));
    place.write("opcost.toml", "[run.a]\ninputs = [\"a.c\"]\nlimit = 5\nfunctions.work = \"1k\"\n");
    place.opcost(&["check", "--json", "c.json"]).expect(3);
    validate("check", &place.json("c.json"));
    place.opcost(&["report", "no.opc", "--json", "e.json"]).expect(1);
    validate("error", &place.json("e.json"));
}

#[test]
fn a_failure_replaces_an_old_document() {
    let place = workplace();
    place.write("broken.c", "int main( {\n");
    place.opcost(&["count", "a.c", "--json", "a.json"]).expect(0);
    place.opcost(&["count", "broken.c", "--json", "a.json"]).expect(1);
    let document = place.json("a.json");
    assert_eq!(
        (document["schema"].as_str(), document["error"]["status"].as_u64()),
        (Some("opcost.error/1"), Some(1))
    );
    let said = place.opcost(&["count", "none.c", "--json", "-"]).expect(1);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&said.stdout).unwrap()["schema"], "opcost.error/1");
}

#[test]
fn packagers_get_completions_and_pages() {
    let place = workplace();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(place.opcost(&["completions", shell]).expect(0).stdout.contains("annotate"), "{shell}");
    }
    assert!(place.opcost(&["man"]).expect(0).stdout.starts_with(".ie"));
    assert!(place.opcost(&["man", "count"]).expect(0).stdout.contains(".TH opcost-count 1"));
    for verb in ["count", "fuel", "c++", "schema"] {
        let page = place.opcost(&["man", verb]).expect(0).stdout;
        for part in [".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH OPTIONS", ".SH \"EXIT STATUS\""] {
            assert!(page.contains(part), "{verb}: {part}");
        }
    }
    place.opcost(&["man", "nothing"]).expect(2).expect_stderr(&["no verb"]);
    assert!(place.opcost(&["schema", "count"]).expect(0).stdout.contains("opcost.count/1"));
    place.opcost(&["schema", "nothing"]).expect(2).expect_stderr(&["possible values", "explain-width"]);
    let (all, page) = (place.opcost(&["--help"]).expect(0).stdout, place.opcost(&["man"]).expect(0).stdout);
    for verb in ["completions", "man", "schema"] {
        assert!(
            all.contains(&format!("\n  {verb} ")) && page.contains(&format!("opcost\\-{verb}(1)")),
            "{verb}"
        );
    }
    for verb in ["count", "report", "merge", "diff", "check"] {
        let help = place.opcost(&[verb, "--help"]).expect(0).stdout;
        assert!(help.contains("Example") && help.contains(&format!("opcost {verb}")), "{verb}");
    }
}
