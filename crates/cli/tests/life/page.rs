//! Does the page show the story to whoever opens it?

use std::path::{Path, PathBuf};

use opcost_testkit::command::{BrowserPage, Workplace, corpus};

use crate::workplace;

struct Made {
    place: Workplace,
    path: PathBuf,
}

fn page_of(arguments: &[&str]) -> Made {
    page_in(workplace(), arguments)
}

/// The same of a file that lies in a folder.
fn page_in(place: Workplace, arguments: &[&str]) -> Made {
    place.opcost(&[&["life", "--html", "life.html"], arguments].concat()).expect(0);
    Made { path: place.path("life.html"), place }
}

fn is_quiet(page: &BrowserPage, path: &Path) {
    assert_eq!(
        page.requests,
        [format!("file://{}", path.display())],
        "nothing but the page itself is loaded"
    );
    assert_eq!(page.complaints, [""; 0]);
}

#[test]
fn the_page_opens_without_a_request_and_without_a_complaint() {
    let made = page_of(&[&format!("{}:4", corpus("life/loop.c"))]);
    let mut page = BrowserPage::open(&made.path);
    let columns = page.value("[...document.querySelectorAll('section h2')].map(h => h.textContent).join()");
    assert_eq!(columns, "ast,ir,dag,mir,mc,bytes");
    let lefts = page.value(
        "[...document.querySelectorAll('section')].every((s, i, all) => \
         !i || s.getBoundingClientRect().left >= all[i - 1].getBoundingClientRect().right)",
    );
    assert_eq!(lefts, true, "stages stand side by side");
    assert!(page.value("document.querySelectorAll('.card.became mark').length").as_u64() > Some(5));
    assert!(page.value("document.querySelectorAll('svg.dag .on').length").as_u64() > Some(5));
    is_quiet(&page, &made.path);
}

/// One instruction alone is followed at once; its line goes through all stages.
#[test]
fn the_line_of_an_instruction_goes_through_the_columns() {
    let made = page_of(&[&format!("{}:3:14", corpus("life/foo.c"))]);
    let mut page = BrowserPage::open(&made.path);
    let reach = "(() => { const on = [...document.querySelectorAll('section')].filter(s => s.querySelector('.card.on')); \
                 const ends = [...document.querySelectorAll('#lines path')].map(p => p.getBoundingClientRect().right); \
                 return on.length === 6 && Math.max(...ends) >= on[5].getBoundingClientRect().left - 1; })()";
    assert_eq!(page.value(reach), true);
    page.press("Escape");
    assert_eq!(page.value("document.querySelectorAll('#lines path, .card.on').length"), 0);
    page.value("document.querySelector('.of-mir .card').click()");
    assert_eq!(page.value(reach), true, "a click on any card of it draws it again");
    is_quiet(&page, &made.path);
}

#[test]
fn the_keyboard_searches_and_unfolds() {
    let made = page_of(&[&format!("{}:3:14", corpus("life/foo.c"))]);
    let mut page = BrowserPage::open(&made.path);
    page.press("/");
    for letter in ["i", "d", "i", "v"] {
        page.press(letter);
    }
    assert_eq!(page.value("document.getElementById('search').value"), "idiv");
    let count = page.value("document.getElementById('hits').textContent");
    assert_eq!(count, "4 found", "in the graph, twice as a machine instruction, at the encoder");
    page.press("Enter");
    page.press("Enter");
    assert_eq!(page.value("document.getElementById('hits').textContent"), "2 of 4");
    let found = page.value("document.querySelector('.card.found code').textContent");
    assert!(found.as_str().is_some_and(|text| text.starts_with("IDIV32r %2")), "{found}");
    page.press("Escape");
    assert_eq!(page.value("document.activeElement.matches('.card.found')"), true);

    let shown = "document.querySelector('.of-mir .card.found').innerText";
    assert_eq!(page.value(shown), "IDIV32r %2");
    page.press("n");
    let all = page.value(shown);
    assert!(all.as_str().is_some_and(|text| text.contains("implicit-def") && text.contains("$eax")), "{all}");
    is_quiet(&page, &made.path);
}

#[test]
fn the_page_is_light_or_dark_as_its_reader_is() {
    let made = page_of(&[&format!("{}:3:14", corpus("life/foo.c"))]);
    let mut page = BrowserPage::open(&made.path);
    // How bright text and ground are, of the page, of a card and of a graph's node.
    let bright = "(() => { const of = c => { const [r, g, b] = c.match(/[0-9.]+/g).map(Number); \
                  return 0.299 * r + 0.587 * g + 0.114 * b; }; const style = s => getComputedStyle(document.querySelector(s)); \
                  return [of(style('body').backgroundColor), of(style('body').color), of(style('.card').backgroundColor), \
                  of(style('.dag text').fill), of(style('.dag .box').fill)]; })()";
    for (scheme, is_dark) in [("light", false), ("dark", true)] {
        page.prefer(scheme);
        let found: Vec<f64> = serde_json::from_value(page.value(bright)).expect("numbers");
        let [ground, text, card, ink, node] = found[..] else { panic!("{found:?}") };
        assert_eq!(ground < 128.0, is_dark, "{scheme}: {found:?}");
        assert!((text - ground).abs() > 150.0 && (text - card).abs() > 150.0, "{scheme}: {found:?}");
        assert!((ink - node).abs() > 150.0, "{scheme}: {found:?}");
    }
    is_quiet(&page, &made.path);
}

/// What stands in a program must not be taken for the page's own.
#[test]
fn the_policy_is_closed_and_names_the_script_by_its_hash() {
    let place = workplace();
    place.write("<img src=x>.c", "int f(int a) {\n  return a * 3;\n}\n");
    let made = page_in(place, &["<img src=x>.c:2"]);
    let program = "import base64,hashlib,re,sys\n\
                   page=open(sys.argv[1]).read()\n\
                   script=re.search('<script>(.*?)</script>',page,re.S).group(1)\n\
                   print(base64.b64encode(hashlib.sha256(script.encode()).digest()).decode())";
    let said = made.place.tool("python3", &["-c", program, "life.html"]);
    let hash = said.stdout.trim();
    let page = made.place.read("life.html");
    assert!(page.contains(&format!("'sha256-{hash}'")), "put {hash} into crates/report/src/life/page.rs");
    assert!(page.contains("default-src 'none'") && page.contains("&lt;img src=x&gt;"));
    for reference in ["https://", " src=\"", "url(", "@import", "<link", "<img", "<iframe"] {
        assert!(!page.contains(reference), "the page holds {reference}");
    }
    assert_eq!(page.matches("<script>").count(), 1, "only our own script");
}

/// The names of a template's instances hold brackets.
#[test]
fn a_template_is_followed_in_all_its_instances() {
    let place = workplace();
    let text = "template <class T> T twice(T value) {\n  return value * value;\n}\n\
                int whole(int value) { return twice(value); }\n\
                double broken(double value) { return twice(value); }\n";
    place.write("sum.cpp", text);
    let made = page_in(place, &["sum.cpp:2:16"]);
    let mut page = BrowserPage::open(&made.path);
    let chips = page
        .value("[...document.querySelectorAll('#chips button')].map(b => b.textContent.trim()).join('|')");
    let chips = chips.as_str().expect("a text");
    assert!(chips.contains("mul nsw i32") && chips.contains("fmul double"), "{chips}");
    let names = page.value("[...document.querySelectorAll('.of-mir h3')].map(h => h.textContent).join('|')");
    let names = names.as_str().expect("a text");
    assert!(names.contains("whole(int)") && names.contains("broken(double)"), "{names}");
    is_quiet(&page, &made.path);
}
