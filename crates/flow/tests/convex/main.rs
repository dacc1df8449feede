//! The repair of counts: closed forms, referees that share nothing with the
//! solver, and problems that are badly scaled, degenerate or impossible.

mod closed_forms;
mod cuts;
mod degenerate;
mod general;
mod program;
mod programs;
mod referees;
mod rounding;
mod series;
