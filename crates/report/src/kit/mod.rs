//! What all reports share: styles, numbers, names, sources, progress, pages, and where text goes.

pub mod files;
pub mod html;
pub mod layout;
pub mod legend;
pub mod numbers;
pub mod progress;
pub mod roff;
pub mod save;
pub mod source;
pub mod style;
