//! From counts to what the user asked to see: which functions are listed, and
//! where each output goes. `count` and `report` share it, so that terminal,
//! JSON, page and ledger are made of one [`CountAnswers`].

use std::path::{Path, PathBuf};

use opcost_profile::Ledger;
use opcost_recover::{FunctionListing, ProgramSummary};

use crate::arguments::{MineWord, ShowArguments};
use opcost::life::machine_code;
use opcost::list::{fill_blocks, list_of};
use opcost_answer::Failure;
use opcost_answer::count::CountAnswers;
use opcost_answer::list::ListKind;
use opcost_answer::names::select_functions;
use opcost_report::count::builds::BuildDetail;
use opcost_report::count::json::CountJson;
use opcost_report::count::list::print_list;
use opcost_report::count::page::html_page;
use opcost_report::count::terminal::TableLayout;
use opcost_report::count::terminal::print_count;
use opcost_report::kit::save::{Stream, document, save_failure, save_json, save_text};
use opcost_report::kit::source::Sources;
use opcost_report::kit::style::screen_width;
use opcost_report::schema::error_json;

/// Functions that `--annotate` shows, and that a page lists when there is no source.
const ANNOTATED: usize = 5;
const ON_A_PAGE: usize = 20;
/// Functions whose hottest lines the short report shows.
const WITH_LINES: usize = 3;

/// What is shown, and where it goes.
pub(crate) struct Show<'a> {
    pub(crate) arguments: &'a ShowArguments,
    pub(crate) output: Option<&'a Path>,
    /// Where the report goes without a file.
    pub(crate) stream: Stream,
    /// What the page is called: the command.
    pub(crate) title: String,
    /// The counts as facts, if machine code is wanted with them.
    pub(crate) ledger: Option<&'a Ledger>,
    /// The program or ledger, next to which sources may be; and which of the two it is.
    pub(crate) origin: (PathBuf, &'static str),
}

impl Show<'_> {
    /// Fills in the listings, by `list`, and writes all outputs. Names that `--function` does not
    /// find are reported afterwards: a run is not thrown away for a misspelling.
    pub(crate) fn write(
        &self,
        report: &mut CountAnswers,
        list: impl FnOnce(&ProgramSummary, &[usize]) -> Vec<FunctionListing>,
    ) -> Result<Vec<String>, Failure> {
        if let Some(kind) = self.arguments.list {
            self.list(kind.into())?;
            return Ok(Vec::new());
        }
        let (wanted, unknown) = self.selected(report);
        report.listings = list(&report.summary, &wanted);
        if let (true, Some(ledger)) = (self.arguments.ir, self.ledger) {
            fill_blocks(ledger, &self.origin.0, report)?;
        }
        let mut sources = Sources::of(Some(&self.origin.0), self.origin.1);
        let page = match &self.arguments.html {
            Some(path) => save_text(Some(path), &html_page(report, &mut sources, &self.title), self.stream),
            None => Ok(()),
        };
        let is_mine = self.arguments.mine == MineWord::Always;
        let chosen = self.arguments.annotate || self.arguments.asm || self.arguments.ir || is_mine;
        let annotate = chosen || !self.arguments.function.is_empty();
        if annotate && self.arguments.function.is_empty() {
            report.listings.truncate(ANNOTATED);
        }
        if let (true, Some(ledger)) = (self.arguments.asm, self.ledger) {
            let total = |listing: &FunctionListing| &report.summary.functions[listing.function];
            let functions: Vec<_> = report.listings.iter().map(total).collect();
            let machine = machine_code(ledger, &self.origin.0, &functions);
            let positions = report.listings.iter().map(|listing| listing.function);
            report.machine = positions.zip(machine).collect();
        }
        let layout = TableLayout {
            top: self.arguments.top,
            annotate,
            ir: self.arguments.ir,
            mine: self.arguments.mine.into(),
            chosen: !self.arguments.function.is_empty(),
            builds: if self.arguments.full { BuildDetail::Full } else { BuildDetail::Short },
            width: screen_width(),
        };
        // What cannot be written keeps nothing else from being written.
        let text = save_text(self.output, &print_count(report, &mut sources, layout), self.stream);
        let document = match &self.arguments.json {
            Some(path) => save_json(path, &document(&CountJson::new(report))),
            None => Ok(()),
        };
        text.and(page).and(document)?;
        Ok(unknown)
    }

    /// Writes a list in place of the report.
    fn list(&self, kind: ListKind) -> Result<(), Failure> {
        let ledger = self.ledger.expect("a list is made of a ledger, so one was made");
        let list = list_of(ledger, kind, self.arguments.sort.into(), &self.origin.0)?;
        let mut sources = Sources::of(Some(&self.origin.0), self.origin.1);
        let text = print_list(&list, &mut sources, self.arguments.top, screen_width());
        save_text(self.output, &text, self.stream)?;
        match &self.arguments.json {
            Some(path) => save_json(path, &document(&list)),
            None => Ok(()),
        }
    }

    /// Positions of the functions to list, and what is wrong with names.
    fn selected(&self, report: &CountAnswers) -> (Vec<usize>, Vec<String>) {
        if self.arguments.function.is_empty() {
            let number = match self.arguments {
                ShowArguments { html: Some(_), .. } => ON_A_PAGE,
                ShowArguments { annotate: true, .. }
                | ShowArguments { asm: true, .. }
                | ShowArguments { ir: true, .. }
                | ShowArguments { mine: MineWord::Always, .. } => ANNOTATED,
                _ => WITH_LINES,
            };
            let hottest = report.by_cost();
            let position = |total: &&opcost_recover::FunctionTotal| {
                report.summary.functions.iter().position(|other| std::ptr::eq(other, *total))
            };
            return (hottest.iter().take(number).filter_map(position).collect(), Vec::new());
        }
        select_functions(&report.summary, &self.arguments.function)
    }
}

/// Leaves word of a failure where a document was asked for, so that nobody
/// takes an older one for the answer.
pub(crate) fn save_failure_json<T>(result: &Result<T, Failure>, json: Option<&Path>) {
    if let (Err(error), Some(path)) = (result, json) {
        // The failure itself is told on stderr; a second one adds nothing.
        let _ = save_failure(path, &error_json(error));
    }
}
