//! One page of each kind that opcost makes.

use std::path::Path;

use opcost_testkit::command::{BrowserPage, Workplace, corpus};

use crate::workplace;

/// A kind of page, and what makes it.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// How the command ends.
    status: i32,
    arguments: Vec<String>,
}

/// The pages of all kinds, open one after another.
pub(crate) fn each(mut judge: impl FnMut(&str, &mut BrowserPage)) {
    let place = workplace();
    programs(&place);
    for kind in kinds() {
        let file = format!("{}.html", kind.name);
        let mut arguments: Vec<&str> = kind.arguments.iter().map(String::as_str).collect();
        arguments.splice(1..1, ["--html", &file]);
        place.opcost(&arguments).expect(kind.status);
        let path = place.path(&file);
        let mut page = BrowserPage::open(&path);
        page.value("for (const one of document.querySelectorAll('details')) one.open = true");
        judge(kind.name, &mut page);
        is_quiet(&page, &path);
    }
}

/// Nothing was loaded but the page, and the browser had nothing to complain of.
pub(crate) fn is_quiet(page: &BrowserPage, path: &Path) {
    assert_eq!(page.requests, [format!("file://{}", path.display())], "only the page itself is loaded");
    assert_eq!(page.complaints, [""; 0]);
}

fn kinds() -> Vec<Kind> {
    let kind = |name, arguments: &[&str]| Kind {
        name,
        status: 0,
        arguments: arguments.iter().map(|&word| word.to_owned()).collect(),
    };
    vec![
        kind("count", &["count", "names.cpp"]),
        // Its notes are warnings.
        Kind { status: 4, ..kind("failed", &["count", "failed.c"]) },
        kind("texts", &["count", "names.bc"]),
        kind("report", &["report", "names.opc"]),
        kind("bits", &["bits", "bits.c"]),
        kind("lines", &["bits", "names.bc"]),
        kind("life", &["life", &format!("{}:4", corpus("life/loop.c"))]),
        kind("one", &["life", &format!("{}:3:14", corpus("life/foo.c"))]),
        kind("stage", &["life", "--stage", "mc", "names.cpp:9"]),
    ]
}

/// Programs whose names and lines are as long as they come, with all marks that pages know.
pub(crate) fn programs(place: &Workplace) {
    let long = "a_name_that_is_as_long_as_names_of_generated_code_are_and_has_no_place_to_break_it_at";
    let sum = (0..40).map(|number| format!("value * {number}")).collect::<Vec<_>>().join(" + ");
    place.write(
        "names.cpp",
        format!(
            "#include <cstdio>\n#include <map>\n#include <string>\n\
             template <class Key, class Value> struct {long} {{\n  std::map<Key, Value> all;\n\
             __attribute__((noinline)) void put(Key key, Value value) {{ all[key] = value; }}\n}};\n\
             __attribute__((noinline)) long {long}2(volatile long value) {{\n  return {sum};\n}}\n\
             int main() {{\n  {long}<std::string, std::map<std::string, long>> deep;\n\
             for (long i = 0; i < 300000; i++) {long}2(i);\n\
             for (int i = 0; i < 9; i++) deep.put(std::to_string(i), {{{{\"<&>\", i}}}});\n\
             std::printf(\"%zu\\n\", deep.all.size());\n  return 0;\n}}\n"
        ),
    );
    place.write(
        "failed.c",
        "int main(void) {\n  for (volatile int i = 0; i < 9; i++)\n    ;\n  return 3;\n}\n",
    );
    let many = (0..12).map(|number| format!("(long)(a[{number}] & {})", 2 << number)).collect::<Vec<_>>();
    place.write(
        "bits.c",
        format!(
            "long {long}(const unsigned char *a, int n) {{\n  long s = n & 7;\n  s += {};\n  return s;\n}}\n",
            many.join(" ^ ")
        ),
    );
    place.tool("clang-22", &["-O1", "-c", "-emit-llvm", "names.cpp", "-o", "names.bc"]);
    place.opcost(&["count", "names.cpp", "--ledger", "names.opc"]).expect(0);
}
