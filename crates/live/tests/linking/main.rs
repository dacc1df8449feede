//! Is what `opcost-live` links what the system's linkers link, and does it run?
//!
//! Referees: GNU ld gives the same bytes at the same addresses (`referee`), and a program into
//! whose file a version was written says the same as one that was linked with it from the start
//! (`running`). `attacks` damages objects and programs; nothing may panic.

mod attacks;
mod referee;
mod running;
mod tools;
