//! Are the answers of all verbs on the corpus what they were?
//!
//! Each verb is asked of programs of the corpus for JSON; `answers.txt` holds a hash of each document and the exit
//! status. A change of the code that is to change no answer changes no line. One that does changes
//! lines, which the commit explains: `OPCOST_WRITE_ANSWERS=1 cargo test -p opcost-cli --test answers` writes them anew.
//!
//! The hashes hold for one release of clang, which stands in the first line. With another one answers are other
//! answers, and the test says so and fails: write the list anew there.
//!
//! Documents lie in the folder `tmp/answers` of the build behind a run, to be compared with those of another build.
//! Cost: about 125 short runs. What is no answer is left out of a document: how long the recorder of lives took.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use opcost_key::Hasher128;
use opcost_testkit::command::{ProgramOutput, Workplace};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// One question: its name, and the words behind `opcost`.
struct Question {
    name: String,
    words: Vec<String>,
}

fn question(verb: &str, source: &str, words: &[&str]) -> Question {
    let file = Path::new(source).file_name().expect("a file").to_string_lossy().into_owned();
    let words = words.iter().map(|word| if *word == "FILE" { source } else { word }.to_owned());
    Question { name: format!("{verb} {file}"), words: words.collect() }
}

/// Sources of a folder of the corpus, by name.
fn sources(folder: &str, ending: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join("corpus").join(folder)).expect("a folder of the corpus");
    let names = entries.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(ending)).collect();
    names.sort();
    names.into_iter().map(|name| format!("corpus/{folder}/{name}")).collect()
}

/// The last function that a source of C defines at the start of a line.
fn last_function(source: &str) -> String {
    let text = std::fs::read_to_string(root().join(source)).expect("a source");
    let mut names = text.lines().filter_map(|line| {
        let head = line.split_once('(')?.0;
        let is_head = head.chars().all(|letter| letter.is_ascii_alphanumeric() || "_ *".contains(letter));
        let name = head.rsplit([' ', '*']).next().unwrap_or_default();
        let is_defined = line.contains('{') && !line.starts_with([' ', '#', '/']);
        (is_head && is_defined && !name.is_empty()).then(|| name.to_owned())
    });
    names.next_back().unwrap_or_else(|| panic!("{source} defines no function"))
}

fn questions() -> Vec<Question> {
    let mut all = Vec::new();
    let loops = sources("loops/c", ".c")
        .into_iter()
        .chain(sources("loops/fortran", ".f"))
        .chain(sources("loops/fortran", ".f90"));
    for source in loops {
        all.push(question("loops", &source, &["loops", "--json", "-", "FILE"]));
        all.push(question(
            "loops-open",
            &source,
            &["loops", "-O1", "--world", "open", "--json", "-", "FILE"],
        ));
    }
    for source in sources("bits", ".c") {
        all.push(question("bits", &source, &["bits", "-O1", "--json", "-", "FILE"]));
    }
    let run = [
        "corpus/hostile/abort.c",
        "corpus/hostile/exit_nested.c",
        "corpus/hostile/jump_qsort.c",
        "corpus/hostile/recursion.c",
        "corpus/exceptions/ledger.cpp",
        "corpus/fortran/heat.f90",
        "corpus/kernel/kn.c",
    ];
    for source in run {
        let fixed = ["--deterministic", "--json", "-", "FILE", "--", "3"];
        all.push(question("count", source, &[&["count"], &fixed[..]].concat()));
        all.push(question("paths", source, &[&["count", "--paths", "--list", "paths"], &fixed[..]].concat()));
        all.push(question("fuel", source, &[&["fuel"], &fixed[..]].concat()));
        all.push(question("values", source, &[&["values", "--trip-counts"], &fixed[1..]].concat()));
        all.push(question("verify", source, &[&["values", "--verify"], &fixed[1..]].concat()));
    }
    for source in sources("life", ".c") {
        let function = last_function(&source);
        all.push(question("life", &source, &["life", "--function", &function, "--json", "-", "FILE"]));
        all.push(question("explain", &source, &["explain", "--function", &function, "--json", "-", "FILE"]));
    }
    for source in sources("metered", ".c").into_iter().chain(sources("metered", ".cpp")) {
        all.push(question("check", &source, &["fuel", "--check", "--json", "-", "FILE"]));
        all.push(question("portable", &source, &["fuel", "--portable", "--json", "-", "FILE"]));
    }
    all.push(question("width", "corpus/bits/adpcm.c", &["explain", "--width", "--json", "-", "FILE:60"]));
    all.last_mut().expect("it is there").words[4] = "corpus/bits/adpcm.c:60".to_owned();
    all.push(question("bytes", "four bytes", &["life", "--bytes", "48 89 e5 c3", "--json", "-"]));
    all
}

/// The document without what is no answer.
fn answer(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("\"milliseconds\"")).fold(
        String::new(),
        |mut all, line| {
            all.push_str(line);
            all.push('\n');
            all
        },
    )
}

/// `clang 22.1.8`
fn compiler(place: &Workplace) -> String {
    let text = place.tool("clang-22", &["--version"]).stdout;
    let version = text.split_whitespace().find(|word| word.starts_with("22.")).unwrap_or("22");
    let end = version.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(version.len());
    format!("clang {}", &version[..end])
}

#[test]
fn answers_are_what_they_were() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("answers");
    std::fs::create_dir_all(&folder).expect("a folder");
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    let rest = Mutex::new(questions());
    let found = Mutex::new(BTreeMap::new());
    let work = || {
        while let Some(question) = { rest.lock().expect("whole").pop() } {
            let words: Vec<&str> = question.words.iter().map(String::as_str).collect();
            let said = ProgramOutput::of(place.command(&words).current_dir(root()));
            let document = answer(&said.stdout);
            let file = folder.join(question.name.replace([' ', '/'], "-") + ".json");
            std::fs::write(file, &document).expect("written");
            let status = said.status;
            let hash = Hasher128::new().text(&document).finish();
            let before =
                found.lock().expect("whole").insert(question.name.clone(), format!("{status} {hash}"));
            assert_eq!(before, None, "{} stands for two questions", question.name);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let mut text = format!("{}\n", compiler(&place));
    for (name, answer) in found.into_inner().expect("whole") {
        text.push_str(&format!("{name}: {answer}\n"));
    }
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/answers/answers.txt");
    if std::env::var_os("OPCOST_WRITE_ANSWERS").is_some() {
        std::fs::write(&list, text).expect("written");
        return;
    }
    let kept = std::fs::read_to_string(&list).expect("answers.txt");
    let (kept, now): (Vec<&str>, Vec<&str>) = (kept.lines().collect(), text.lines().collect());
    assert_eq!(kept[0], now[0], "answers.txt was written with another clang: write it anew, and compare");
    let changed: Vec<&&str> = now.iter().filter(|line| !kept.contains(line)).collect();
    let gone: Vec<&&str> = kept.iter().filter(|line| !now.contains(line)).collect();
    assert!(
        changed.is_empty() && gone.is_empty(),
        "answers changed. If they should, write the list anew (OPCOST_WRITE_ANSWERS=1) and say in the commit why; \
         the documents lie in {}.\nnow: {changed:#?}\nbefore: {gone:#?}",
        folder.display()
    );
}
