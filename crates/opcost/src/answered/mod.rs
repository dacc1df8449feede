//! Answers as rows of a ledger: what of code and of values is known, by key.
//!
//! The verbs `loops`, `bits` and `values` say what they say in three formats of their own. Here
//! each of them becomes [`AnswerRow`](opcost_profile::AnswerRow)s: what it is about, which question, the answer and how sure
//! it is, what that rests on, as data. [`ledger`] makes a ledger of them that other rows with the
//! same keys can be held against. Nothing is computed: a text that is cut, or that is no formula,
//! becomes an answer that nobody knows, with the reason.
//!
//! ```
//! use opcost::answered::{AnswersAbout, ledger, loops};
//! use opcost::{Code, CompileOptions};
//! use opcost_profile::AnswerColumn;
//! # fn main() -> Result<(), opcost::Failure> {
//! # let folder = std::env::temp_dir().join(format!("opcost-doc-answered-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let source = folder.join("sum.c");
//! # std::fs::write(&source, "int sum(const int *a, int n) {\n    int s = 0;\n    for (int i = 0; i < n; i++) s += a[i];\n    return s;\n}\n").unwrap();
//! let options = CompileOptions { level: "1".to_owned(), ..CompileOptions::default() };
//! let told = Code::load([&source], &options)?.loops(None, &[])?;
//! let about = AnswersAbout::of_code("sum.c", &told.code, vec!["opcost".into(), "loops".into(), "sum.c".into()]);
//! let ledger = ledger(about, loops::rows(&told, &[]));
//! let first = ledger.answers.iter().find(|row| row.column == AnswerColumn::Iterations).unwrap();
//! assert_eq!(first.state.answer().unwrap().to_string(), "n");
//! opcost::ledgers::save(&folder.join("answers.opc"), &ledger)?;
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(()) }
//! ```
//!
//! | from | rows |
//! |---|---|
//! | what `opcost loops` tells | [`loops`] |
//! | what `opcost bits` tells, of a run too | [`bits`] |
//! | what `opcost values` recorded | [`values`] |
//!
//! Cost: the rows. Limits: what has no key has no row: what `loops` tells of a loop of the source
//! that the optimiser split, findings of `bits`.

mod about;
pub mod bits;
pub mod loops;
mod subject;
pub mod values;

pub use about::{AnswersAbout, ledger};
