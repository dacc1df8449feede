//! Do the C side and the Rust side mean the same bytes?

use std::{env, fs};

use opcost_profile::opcraw::layout;

#[test]
fn the_c_header_is_generated_from_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/c/layout.h");
    let expected = layout::c_header();
    if env::var_os("OPCOST_BLESS").is_some() {
        fs::write(path, &expected).expect("layout.h is written");
    }
    assert_eq!(fs::read_to_string(path).expect("layout.h"), expected, "run with OPCOST_BLESS=1");
}

#[test]
fn the_c_header_of_values_is_generated_too() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/c/values_layout.h");
    let expected = opcost_profile::opcval::layout::c_header();
    if env::var_os("OPCOST_BLESS").is_some() {
        fs::write(path, &expected).expect("values_layout.h is written");
    }
    assert_eq!(fs::read_to_string(path).expect("values_layout.h"), expected, "run with OPCOST_BLESS=1");
}
