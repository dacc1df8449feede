//! Is a page read, sorted and filtered with keys alone?

use opcost_testkit::command::BrowserPage;

use crate::kinds::{is_quiet, programs};
use crate::workplace;

/// Texts that are shown, of what a selector names.
fn shown(page: &mut BrowserPage, selector: &str) -> Vec<String> {
    let expression = format!(
        "[...document.querySelectorAll('{selector}')].filter(o => o.checkVisibility()).map(o => o.textContent)"
    );
    serde_json::from_value(page.value(&expression)).expect("texts")
}

#[test]
fn the_filter_narrows_tables_and_listings() {
    let place = workplace();
    programs(&place);
    place.opcost(&["count", "--html", "a.html", "names.cpp"]).expect(0);
    let path = place.path("a.html");
    let mut page = BrowserPage::open(&path);
    let (names, files) = ("#functions .name", "main > details > summary bdi");
    let (all_names, all_files) = (shown(&mut page, names), shown(&mut page, files));
    assert!(all_names.len() > 3 && all_files.len() > 1, "{all_names:?} {all_files:?}");

    page.press("/");
    assert_eq!(page.value("document.activeElement.id"), "filter");
    for letter in ["M", "a", "I", "n"] {
        page.press(letter);
    }
    let mut some = all_names.clone();
    let places = "[...document.querySelectorAll('#functions .place')].map(o => o.textContent)";
    let places: Vec<String> = serde_json::from_value(page.value(places)).expect("texts");
    let mut position = 0;
    some.retain(|name| {
        position += 1;
        format!("{name} {}", places[position - 1]).to_lowercase().contains("main")
    });
    assert!(!some.is_empty() && some.len() < all_names.len(), "{some:?}");
    assert_eq!(shown(&mut page, names), some);
    let hits = page.value("document.getElementById('hits').textContent");
    assert!(
        hits.as_str().is_some_and(|words| words.contains(" of ") && words.ends_with("listings")),
        "{hits}"
    );

    page.press("Escape");
    assert_eq!(shown(&mut page, names), all_names);
    assert_eq!(shown(&mut page, files), all_files);
    assert_eq!(page.value("document.getElementById('hits').textContent"), "");

    // A link into a listing that is filtered away brings it back.
    page.press("/");
    for letter in ["z", "q", "z", "q"] {
        page.press(letter);
    }
    assert_eq!(shown(&mut page, files), [""; 0]);
    page.value("location.hash = document.querySelector('#functions a').hash");
    page.outcome("new Promise(next => setTimeout(next, 0, 0))");
    assert_eq!(page.value("document.querySelector(':target').checkVisibility()"), true);
    is_quiet(&page, &path);
}

#[test]
fn the_first_key_skips_to_the_content_and_what_has_the_focus_is_seen() {
    let place = workplace();
    programs(&place);
    place.opcost(&["count", "--html", "a.html", "names.cpp"]).expect(0);
    let path = place.path("a.html");
    let mut page = BrowserPage::open(&path);
    page.press("Tab");
    assert_eq!(page.value("document.activeElement.textContent"), "Skip to the content");
    assert_eq!(page.value("document.activeElement.getBoundingClientRect().left >= 0"), true, "it is seen");
    page.press("Enter");
    assert_eq!(page.value("document.activeElement.id"), "content");

    // From there all that can be used is reached, and shows that it has the focus.
    let mut reached = Vec::new();
    for _ in 0..12 {
        page.press("Tab");
        let outline = page.value("getComputedStyle(document.activeElement).outlineStyle");
        assert_eq!(outline, "solid", "{}", page.value("document.activeElement.outerHTML.slice(0, 200)"));
        reached.push(page.value("document.activeElement.localName"));
    }
    for name in ["div", "button", "a"] {
        assert!(reached.iter().any(|one| one == name), "{name}: {reached:?}");
    }
    // A heading sorts by the Enter key.
    page.value("document.querySelectorAll('#functions th button')[2].focus()");
    page.press("Enter");
    assert_eq!(page.value("document.querySelectorAll('#functions th')[2].ariaSort"), "descending");
    is_quiet(&page, &path);
}
