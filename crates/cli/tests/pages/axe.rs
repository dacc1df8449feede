//! Does axe-core find nothing to object to, in the light and in the dark?
//!
//! axe-core (MPL-2.0, Deque) comes out of a pinned package of Python that carries it, so that the
//! test loads nothing; its hash is checked. The protocol of the browser runs it in the page as it
//! is, policy included. All of its rules are asked that are on by default.

use std::path::Path;

use crate::kinds::each;
use crate::workplace;

/// SHA-256 of `axe.min.js` 4.12.1.
const AXE: &str = "84494fec757e4710dc751c8d7a636e457f4532f08f85c86dc9070133fbff53bc";

const FIND: &str = "import hashlib, importlib.util, pathlib, sys\n\
                    spec = importlib.util.find_spec('axe_playwright_python')\n\
                    if not spec: sys.exit('axe-core is missing')\n\
                    path = pathlib.Path(spec.submodule_search_locations[0]) / 'axe.min.js'\n\
                    print(hashlib.sha256(path.read_bytes()).hexdigest(), path)\n";

/// Asks, and lists each rule that is broken with the elements that break it.
const ASK: &str = r#"axe.run(document, { resultTypes: ["violations"] }).then(answer => {
  if (answer.passes.length < 10) throw new Error("hardly a rule applied");
  return answer.violations.map(rule => rule.id + ": " + rule.help + "\n" +
    rule.nodes.slice(0, 4).map(node => "  " + node.html.slice(0, 200) + "\n  " + node.failureSummary).join("\n")).join("\n");
})"#;

/// The script of axe-core.
fn axe_core() -> String {
    let place = workplace();
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/venv/bin/python");
    let venv = || venv.exists().then(|| venv.display().to_string());
    let python = std::env::var("OPCOST_PYTHON").ok().or_else(venv).unwrap_or_else(|| "python3".into());
    let output = place.program(&python).args(["-c", FIND]).output().expect("a python3 on the path");
    assert!(
        output.status.success(),
        "{}\nthis test needs axe-core: ./x test installs it, or\n  target/venv/bin/pip install --no-deps \
         axe-playwright-python==0.1.8",
        String::from_utf8_lossy(&output.stderr)
    );
    let line = String::from_utf8(output.stdout).expect("UTF-8");
    let (hash, path) = line.trim_end().split_once(' ').expect("a hash and a path");
    assert_eq!(hash, AXE, "{path} is another axe-core than the pinned one");
    std::fs::read_to_string(path).expect("a script")
}

#[test]
fn axe_core_finds_nothing() {
    let script = axe_core();
    each(|name, page| {
        page.inject(&script);
        for scheme in ["light", "dark"] {
            page.prefer(scheme);
            for width in [1600, 360] {
                page.resize(width);
                assert_eq!(page.outcome(ASK), "", "{name}, {scheme}, {width} pixels");
            }
        }
    });
}

/// The judge is awake: a page without a name and without contrast is objected to.
#[test]
fn axe_core_finds_what_is_wrong() {
    let place = workplace();
    place.write(
        "bad.html",
        "<!doctype html><html><body><main><h1>a</h1><p style=\"color:#999;background:#aaa\">words without contrast are hard to read</p>\
         <input></main></body></html>",
    );
    let mut page = opcost_testkit::command::BrowserPage::open(&place.path("bad.html"));
    page.inject(&axe_core());
    let rules =
        page.outcome("axe.run(document).then(answer => answer.violations.map(rule => rule.id).join())");
    let rules = rules.as_str().expect("a text");
    for rule in ["color-contrast", "document-title", "html-has-lang", "label"] {
        assert!(rules.contains(rule), "{rules}");
    }
}
