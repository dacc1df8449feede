//! What all reports share: styles, numbers, names, sources, progress, pages, and where text goes.

pub mod files;
pub mod html;
pub mod layout;
pub mod legend;
pub mod names;
pub mod numbers;
pub mod progress;
pub mod save;
pub mod source;
pub mod style;
