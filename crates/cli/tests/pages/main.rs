//! Can everyone read the pages: with any window, in the light and in the dark, with keys alone?
//!
//! One page of each kind is made by the very `opcost`, from programs with long names, long lines and
//! all that a page may say, and opened in Chromium. `whole` measures that nothing is cut off, `axe`
//! asks axe-core, `keys` reads and filters without a mouse. None of it may load anything.

mod axe;
mod keys;
mod kinds;
mod whole;

use opcost_testkit::command::Workplace;

fn workplace() -> Workplace {
    Workplace::new(env!("CARGO_BIN_EXE_opcost"))
}
