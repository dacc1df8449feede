//! One file per verb; `load`, `measure` and `show` are what several share.
pub(crate) mod cargo;
pub(crate) mod cc;
pub(crate) mod check;
pub(crate) mod count;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod fuel;
pub(crate) mod life;
pub(crate) mod life_code;
mod life_ledger;
mod load;
mod measure;
pub(crate) mod merge;
pub(crate) mod module;
pub(crate) mod papers;
pub(crate) mod report;
pub(crate) mod sandbox;
mod show;
