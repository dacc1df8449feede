//! Does the runtime keep its promises? One folder of small C programs that do
//! by hand what instrumented code does, one module per question.

mod disk;
mod ends;
mod images;
mod jumps;
mod layout;
mod portable;
mod processes;
mod support;
mod threads;
mod throws;
