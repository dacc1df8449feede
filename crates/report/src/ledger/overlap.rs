//! `opcost overlap`: measures of agreement as a document and as text.

use opcost_profile::overlap::{Overlap, Refused};
use schemars::JsonSchema;
use serde::Serialize;

use crate::kit::numbers::{bar, counted, percent};
use opcost_answer::names::{demangle, shown_name};

/// Functions that are named in text.
const NAMED: usize = 12;

/// The document of `opcost overlap`. Shares are between 0 and 1.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "opcost.overlap/1")]
pub struct OverlapJson<'a> {
    /// `opcost.overlap/1`.
    schema: &'static str,
    /// The measures.
    #[serde(flatten)]
    measures: &'a Overlap,
    /// Functions that both have by name, but with other code: not compared. Those that weigh most first.
    refused: Vec<RefusedJson>,
}

/// A function with other code in one ledger than in the other.
#[derive(Debug, Serialize, JsonSchema)]
struct RefusedJson {
    /// As its language writes it.
    name: String,
    /// As the linker knows it.
    linkage_name: String,
    /// The module, when the name is local to it (`static`).
    module: Option<String>,
    /// Share of the estimate's executions of blocks that are in such code.
    estimate: f64,
    /// Share of the truth's.
    truth: f64,
}

impl<'a> OverlapJson<'a> {
    /// Of the measures.
    pub fn new(all: &'a Overlap) -> Self {
        OverlapJson {
            schema: "opcost.overlap/1",
            measures: all,
            refused: all.refused.iter().map(RefusedJson::new).collect(),
        }
    }
}

impl RefusedJson {
    fn new(refused: &Refused) -> Self {
        RefusedJson {
            name: demangle(&refused.name),
            linkage_name: refused.name.clone(),
            module: refused.module.clone(),
            estimate: refused.estimate,
            truth: refused.truth,
        }
    }
}

/// A line with a bar for each measure.
pub fn print_overlap(all: &Overlap) -> String {
    let rows = [
        ("blocks inside functions", Some(all.in_function_block)),
        ("blocks over the program", Some(all.program_block)),
        ("totals of functions", Some(all.function_total)),
        ("calls of functions", all.entry),
        ("weight of the hottest 90 %", Some(all.hot90_weight)),
    ];
    let mut text = String::new();
    for (name, share) in rows {
        let shown = share.map_or_else(|| "–  ".to_owned(), |share| format!("{:.1} %", 100.0 * share));
        let row =
            format!("{name:<28} {shown:>8}  {}", share.map_or_else(String::new, |share| bar(share, 20)));
        text += row.trim_end();
        text += "\n";
    }
    if let Some(scale) = all.scale {
        text += &format!("all counts together          {scale:>6.2} ×\n");
    }
    let percent =
        |share: Option<f64>| share.map_or_else(|| "–".to_owned(), |share| format!("{:.2} %", 100.0 * share));
    text += &format!(
        "left frames by calls {}, blocks that do not add up {}, {} compared\n",
        percent(all.leak),
        percent(all.residual),
        counted(all.blocks, "block")
    );
    text + &print_refused(&all.refused)
}

/// Functions of other code, with the share of each ledger that is in them.
pub fn print_refused(refused: &[Refused]) -> String {
    if refused.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "refused: {} {} other code in one than in the other (share of the first, of the second)\n",
        refused.len(),
        if refused.len() == 1 { "function has" } else { "functions have" }
    );
    for one in refused.iter().take(NAMED) {
        let module = one.module.as_ref().map_or_else(String::new, |module| format!("  ({module})"));
        let (estimate, truth) = (percent(one.estimate), percent(one.truth));
        text += &format!("{estimate:>7} {truth:>7}  {}{module}\n", shown_name(&one.name));
    }
    if refused.len() > NAMED {
        text += &format!("                 and {} more (--json FILE has all)\n", refused.len() - NAMED);
    }
    text
}
