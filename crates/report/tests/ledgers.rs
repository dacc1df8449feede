//! Reports of ledgers that lie in the repository: terminal, JSON and page, without a program, a compiler or LLVM.
//!
//! `OPCOST_BLESS=1 cargo test -p opcost-report` writes the expected documents anew.

use std::path::{Path, PathBuf};

use opcost_answer::count::CountAnswers;
use opcost_profile::formats::opc::load_ledger;
use opcost_recover::list_by_ledger;
use opcost_report::count::builds::BuildDetail;
use opcost_report::count::json::CountJson;
use opcost_report::count::ledger::report_of;
use opcost_report::count::mine::Mine;
use opcost_report::count::page::html_page;
use opcost_report::count::terminal::{TableLayout, print_count};
use opcost_report::kit::save::document;
use opcost_report::kit::source::Sources;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ledgers")
}

/// The report of a ledger, its hottest functions listed.
fn report(name: &str) -> CountAnswers {
    let ledger = load_ledger(&folder().join(name).with_extension("opc")).expect("a ledger");
    let mut report = report_of(&ledger);
    let hottest: Vec<usize> = (0..report.summary.functions.len().min(3)).collect();
    report.listings = list_by_ledger(&ledger, &report.summary, &hottest);
    report
}

/// Without styles, and without sources: they may lie elsewhere.
fn text(report: &CountAnswers) -> String {
    let layout = TableLayout {
        top: 10,
        annotate: false,
        ir: false,
        mine: Mine::default(),
        chosen: false,
        builds: BuildDetail::Short,
        width: 80,
    };
    let styled = print_count(report, &mut Sources::of(None, "ledger"), layout);
    let mut plain = String::new();
    let mut letters = styled.chars();
    while let Some(letter) = letters.next() {
        if letter == '\x1b' {
            letters.by_ref().find(|letter| *letter == 'm');
        } else {
            plain.push(letter);
        }
    }
    plain
}

fn hold(name: &str, made: &str) {
    let path = folder().join(name);
    if std::env::var_os("OPCOST_BLESS").is_some() {
        std::fs::write(&path, made).expect("written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(kept, made, "{name} is another; OPCOST_BLESS=1 writes it anew");
}

#[test]
fn terminal_and_json_are_what_they_were() {
    for name in ["recursion", "abort", "schema-2"] {
        let report = report(name);
        hold(&format!("{name}.txt"), &text(&report));
        hold(&format!("{name}.json"), &document(&CountJson::new(&report)));
    }
}

#[test]
fn a_page_has_every_function_and_loads_nothing() {
    for name in ["recursion", "abort", "schema-2"] {
        let report = report(name);
        let page = html_page(&report, &mut Sources::of(None, "ledger"), name);
        for function in &report.summary.functions {
            assert!(page.contains(&function.name), "{} is not on the page of {name}", function.name);
        }
        assert!(!page.contains("http://") && !page.contains("https://"), "{name} loads something");
    }
}

#[test]
fn lines_fit_eighty_columns() {
    for name in ["recursion", "abort", "schema-2"] {
        for line in text(&report(name)).lines() {
            assert!(line.chars().count() <= 80, "{name}: {line}");
        }
    }
}
