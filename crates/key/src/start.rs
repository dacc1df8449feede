//! Where does a program begin?
//!
//! C's `main`, and what compilers of Fortran call the main program: told once, so
//! that no two rooms have other sets of them.

/// Names of the function where a program begins, the likeliest first: C's, and
/// those of Fortran compilers (flang, old flang and gfortran, others).
pub const PROGRAM_STARTS: [&str; 4] = ["main", "_QQmain", "MAIN__", "MAIN_"];

/// Whether a program may begin in a function of this linkage name.
pub fn is_program_start(name: &str) -> bool {
    PROGRAM_STARTS.contains(&name)
}
