//! Are all outputs of a run made of the same numbers?

use crate::workplace::{headline, workplace};

#[test]
fn terminal_json_ledger_and_page_agree() {
    let place = workplace();
    let outputs = ["--json", "a.json", "--html", "a.html", "--ledger", "a.opc", "-o", "a.txt"];
    let said = place.opcost(&[&["count", "a.c"], &outputs[..], &["--", "5000"]].concat()).expect(0);
    assert_eq!(said.stderr, "", "the report went to -o");
    let json = place.json("a.json");
    let total = u128::from(json["total"].as_u64().unwrap());
    assert!(total > 5000);

    assert_eq!(headline(&place.read("a.txt")), total);
    let page = place.read("a.html");
    assert!(page.contains(&format!("<data id=\"total\" value=\"{total}\">")));
    let from_ledger = place.opcost(&["report", "a.opc", "--json", "b.json"]).expect(0);
    assert_eq!(headline(&from_ledger.stdout), total);
    let again = place.json("b.json");
    assert_eq!(json, again);

    let sum = |list: &str| -> u64 {
        json[list].as_array().unwrap().iter().map(|entry| entry["instructions"].as_u64().unwrap()).sum()
    };
    assert_eq!(u128::from(sum("functions")), total);
    assert_eq!(u128::from(sum("lines")), total, "every instruction of this program has a line");
    for function in json["functions"].as_array().unwrap() {
        let cell = format!("data-v=\"{}\"", function["instructions"]);
        assert!(page.contains(&cell), "{cell} is not on the page");
    }
    assert_eq!(json["external_calls"].as_array().unwrap().len(), 2, "{}", json["external_calls"]);
}

/// Word for word, but for what the program itself wrote and the commands to try next: calls by name and
/// through pointers, counts of lines, processes, how the program ended and why it is not exact, for
/// programs of every end.
#[test]
fn a_ledger_tells_what_the_run_told() {
    let place = workplace();
    let hostile = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/hostile");
    let names = [
        "abort.c",
        "exit_nested.c",
        "fork.c",
        "jump_qsort.c",
        "killed.c",
        "recursion.c",
        "throw_cleanups.cpp",
    ];
    for name in names {
        let source = hostile.join(name);
        let source = source.to_str().expect("UTF-8");
        let outputs = ["--json", "a.json", "--ledger", "a.opc", "-o", "a.txt", "--deterministic"];
        place.opcost(&[&["count", source][..], &outputs].concat());
        let report = place.opcost(&["report", "a.opc", "--json", "b.json"]).expect(0).stdout;
        assert_eq!(place.json("a.json"), place.json("b.json"), "{name}");
        let told = place.read("a.txt");
        let is_next = |line: &&str| line.starts_with("next: ") || line.starts_with("      opcost ");
        let told: Vec<&str> = told.lines().filter(|line| !is_next(line)).collect();
        assert_eq!(told, report.lines().collect::<Vec<_>>(), "{name}");
    }
    // Of two runs together all of it adds up.
    place.opcost(&["count", "a.c", "--ledger", "1.opc", "--json", "1.json"]).expect(0);
    place.opcost(&["merge", "1.opc", "1.opc", "-o", "2.opc"]).expect(0);
    place.opcost(&["report", "2.opc", "--json", "2.json"]).expect(0);
    let (one, two) = (place.json("1.json"), place.json("2.json"));
    for number in ["/external_calls/0/calls", "/lines/0/count", "/lines/0/instructions"] {
        let of = |json: &serde_json::Value| json.pointer(number).and_then(|one| one.as_u64()).expect(number);
        assert_eq!(of(&two), 2 * of(&one), "{number}");
    }
    assert_eq!(two["program_status"]["exit"], 0, "{two:#}");
}

/// A function that is inlined twice: its lines are executed as often as both copies together.
#[test]
fn copies_of_a_line_add_up() {
    let place = workplace();
    let text = "static volatile unsigned sink;
static unsigned weigh(const char *s) {
  unsigned h = 1;
  while (*s)
    h = h * 31 + (unsigned char)*s++;
  return h;
}
int main(int argc, char **argv) {
  const char *volatile text = \"weigh me\";
  for (int i = 0; i < 100; i++)
    sink = weigh(text + i % 2);
  for (int i = 0; i < 50; i++)
    sink = weigh(text + i % 3);
}
";
    place.write("twice.c", text);
    // 50 times 8 and 7; 17 times 8 and 7, 16 times 6.
    let letters = 50 * 15 + 17 * 15 + 16 * 6;
    for level in ["-O0", "-O1", "-O2"] {
        place.opcost(&["count", level, "twice.c", "--json", "a.json"]).expect(0);
        let lines = place.json("a.json")["lines"].as_array().expect("lines").clone();
        let line = lines.iter().find(|line| line["line"] == 5).expect("the loop's line");
        assert_eq!(line["count"], letters, "{level}");
    }
}

/// Files of the schema before are read; they say nothing of calls.
#[test]
fn a_ledger_of_the_schema_before_is_read() {
    let place = workplace();
    place.write("old.opc", include_bytes!("schema-2.opc"));
    let said = place.opcost(&["report", "old.opc", "--json", "old.json"]).expect(0);
    assert_eq!(headline(&said.stdout), 37);
    let json = place.json("old.json");
    assert!(json["external_calls"].is_null() && json["program_status"]["exit"].is_null(), "{json:#}");
}

#[test]
fn the_page_loads_nothing_and_escapes_everything() {
    let place = workplace();
    place.write(
        "b.c",
        "int main(void) { volatile int i = 0; for (; i < 9;) /* <script src=\"x\"> & 'y' */ i++; return 0; }\n",
    );
    place.opcost(&["count", "b.c", "--html", "b.html"]).expect(0);
    let page = place.read("b.html");
    for reference in
        ["http://", "https://", " src=\"", "url(", "@import", "<link", "<img", "<iframe", "href=\"/"]
    {
        assert!(!page.contains(reference), "the page holds {reference}");
    }
    assert!(page.contains("&lt;script src=&quot;x&quot;&gt; &amp; 'y'"));
    assert_eq!(page.matches("<script>").count(), 1, "only our own script");
    assert!(page.contains("default-src 'none'") && page.contains("prefers-color-scheme:dark"));
}

#[test]
fn the_policy_names_the_script_by_its_hash() {
    let place = workplace();
    place.opcost(&["count", "a.c", "--html", "a.html"]).expect(0);
    let program = "import base64,hashlib,re,sys\n\
                   page=open(sys.argv[1]).read()\n\
                   script=re.search('<script>(.*?)</script>',page,re.S).group(1)\n\
                   print(base64.b64encode(hashlib.sha256(script.encode()).digest()).decode())";
    let said = place.tool("python3", &["-c", program, "a.html"]);
    let hash = said.stdout.trim();
    assert!(
        place.read("a.html").contains(&format!("'sha256-{hash}'")),
        "put {hash} into crates/report/src/kit/html.rs"
    );
}

#[test]
fn two_runs_are_equal_files() {
    let place = workplace();
    for name in ["1", "2"] {
        let [json, ledger, page] = ["json", "opc", "html"].map(|kind| format!("{name}.{kind}"));
        place.opcost(&["count", "a.c", "--json", &json, "--ledger", &ledger, "--html", &page]).expect(0);
    }
    for kind in ["json", "opc", "html"] {
        let read = |name: &str| place.bytes(&format!("{name}.{kind}"));
        assert_eq!(read("1"), read("2"), "{kind}");
    }
}

#[test]
fn merged_ledgers_are_the_sum() {
    let place = workplace();
    place.opcost(&["count", "a.c", "--emit", "exe", "-o", "a"]).expect(0);
    place.opcost(&["count", "--ledger", "1.opc", "./a", "--", "10"]).expect(0);
    place.opcost(&["count", "--ledger", "2.opc", "./a", "--", "2000"]).expect(0);
    place.opcost(&["merge", "1.opc", "2.opc", "-o", "sum.opc"]).expect(0);
    let total = |name: &str| headline(&place.opcost(&["report", name]).expect(0).stdout);
    assert_eq!(total("sum.opc"), total("1.opc") + total("2.opc"));
    assert_eq!(headline(&place.opcost(&["report", "1.opc", "2.opc"]).expect(0).stdout), total("sum.opc"));
}

#[test]
fn raw_counters_and_ledgers_report_alike() {
    let place = workplace();
    place.opcost(&["count", "a.c", "--emit", "exe", "-o", "a"]).expect(0);
    let counted = place.opcost(&["count", "./a", "--", "77"]).expect(0);
    std::fs::create_dir(place.path("raw")).unwrap();
    let variable = opcost_runtime::DIRECTORY_VARIABLE;
    place.shell(&format!("{variable}=$PWD/raw ./a 77")).expect(0);
    let from_raw = place.shell("$OPCOST report raw/*.opcraw --ledger raw.opc --json raw.json").expect(0);
    assert_eq!(headline(&from_raw.stdout), headline(&counted.stderr));
    assert_eq!(headline(&place.opcost(&["report", "raw.opc"]).expect(0).stdout), headline(&counted.stderr));
    place.shell("mv a moved; $OPCOST report raw/*.opcraw").expect(1).expect_stderr(&["/a"]);
    let moved = place.shell("$OPCOST report --program moved raw/*.opcraw").expect(0);
    assert_eq!(headline(&moved.stdout), headline(&counted.stderr));
    place
        .shell("$OPCOST report --program moved raw/*.opcraw raw.opc")
        .expect(2)
        .expect_stderr(&["do not mix"]);
}

#[test]
fn a_ledger_of_samples_tells_what_the_run_told() {
    let place = workplace();
    let outputs = ["--ledger", "a.opc", "--json", "a.json", "a.c", "--", "300000000"];
    let told = place.opcost(&[&["sample"], &outputs[..]].concat()).expect(0).stderr;
    let report = place.opcost(&["report", "a.opc", "--json", "b.json"]).expect(0).stdout;
    let told: String =
        told.lines().filter(|line| !line.starts_with("next:")).map(|line| format!("{line}\n")).collect();
    assert!(told.ends_with(&report), "{told}\n---\n{report}");
    let (mut ran, read) = (place.json("a.json"), place.json("b.json"));
    // Threads and their samples are of the run, and no rows.
    let document = ran.as_object_mut().expect("a document");
    for of_the_run in ["samples_by_process", "threads"] {
        document.remove(of_the_run).expect("of the run");
    }
    for function in document["functions"].as_array_mut().expect("functions") {
        function.as_object_mut().expect("a function").remove("threads");
    }
    assert_eq!(ran, read);
}
