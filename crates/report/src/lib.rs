//! What the user sees and keeps, from plain data; nothing is computed here but shares. Sums come
//! from `recover`, so all outputs of a run agree.
//!
//! ```text
//! CountAnswers ─count▶ text, a page, opcost.count/1      Diff  ─ledger::diff▶ text, opcost.diff/1
//! CheckReport ─check▶ text, markdown, opcost.check/1    Life  ─life▶ text, a page, opcost.life/1
//! ```
//!
//! One folder a kind of answer; [`kit`] holds what they share. `kit::save` writes them, whole or
//! not at all; [`schema`] describes the documents.

pub mod answers;
pub mod bits;
pub mod check;
pub mod count;
pub mod fuel;
pub mod hdl;
pub mod kit;
pub mod ledger;
pub mod life;
pub mod live;
pub mod loops;
pub mod predict;
pub mod schema;
pub mod slice;
pub mod timing;
pub mod tune;
pub mod values;
