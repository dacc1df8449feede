//! Is nothing cut off, in a narrow window and in a wide one?
//!
//! Every text has to lie within the window and within its cell, and no element may be wider inside
//! than outside: nobody has to scroll to the right. The drawn graphs of `life` alone may be wider; they
//! lie in a frame that scrolls and that the keyboard reaches.

use crate::kinds::each;

/// Lists what is cut off.
const CUT_OFF: &str = r#"(() => {
  const cut = [], root = document.documentElement, exempt = ".quiet, .skip, .row, script, style, #lines";
  const say = (one, words) => cut.push(`${words}: ${one.outerHTML.slice(0, 160)}`);
  if (root.scrollWidth > root.clientWidth) cut.push(`the document is ${root.scrollWidth} wide`);
  for (const one of document.body.querySelectorAll("*")) {
    if (one.closest(exempt)) continue;
    if (one.clientWidth && one.scrollWidth > one.clientWidth + 1) say(one, `${one.scrollWidth} in ${one.clientWidth}`);
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  while (texts.nextNode()) {
    const text = texts.currentNode, own = text.parentElement;
    if (own.closest(exempt) || !text.data.trim() || !own.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const cell = own.closest("td, th, .card, button") ?? document.body, frame = cell.getBoundingClientRect();
    for (const box of range.getClientRects()) {
      seen++;
      if (box.left < 0 || box.right > innerWidth + 1) say(own, "outside of the window");
      if (box.left < frame.left - 1 || box.right > frame.right + 1) say(own, "outside of its cell");
    }
  }
  if (seen < 20) cut.push(`only ${seen} texts are shown`);
  for (const row of document.querySelectorAll(".row")) if (row.tabIndex !== 0) say(row, "out of reach");
  return cut.slice(0, 9).join("\n");
})()"#;

#[test]
fn nothing_is_cut_off_at_any_width() {
    each(|name, page| {
        for width in [2000, 1280, 1000, 600, 360] {
            page.resize(width);
            assert_eq!(page.value(CUT_OFF), "", "{name} at {width} pixels");
        }
        // Wide again: what was laid out for a narrow window leaves nothing behind.
        page.resize(2000);
        assert_eq!(page.value(CUT_OFF), "", "{name} at 2000 pixels once more");
    });
}

/// The right column of `bits` and the bytes of `life` are seen without scrolling.
#[test]
fn the_last_column_is_in_sight() {
    each(|name, page| {
        let last = match name {
            "bits" => ".code tr.ran td.beside",
            "life" => ".of-bytes .card",
            _ => return,
        };
        for width in [2000, 360] {
            page.resize(width);
            let right = format!(
                "[...document.querySelectorAll('{last}')].map(one => one.getBoundingClientRect()) \
                 .filter(box => box.width > 60 && box.left >= 0 && box.right <= innerWidth).length"
            );
            let all = format!("document.querySelectorAll('{last}').length");
            assert_eq!(page.value(&right), page.value(&all), "{name} at {width}");
            assert!(page.value(&all).as_u64() > Some(0), "{name}");
        }
    });
}
