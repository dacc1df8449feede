//! `opcost overlap`: measures of agreement as a document and as text.

use opcost_profile::overlap::Overlap;
use schemars::JsonSchema;
use serde::Serialize;

use super::bar;

/// The document of `opcost overlap`. Shares lie between 0 and 1.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "opcost.overlap/1")]
pub(crate) struct OverlapJson {
    /// `opcost.overlap/1`.
    schema: &'static str,
    /// Shapes of functions, weighted by how often their blocks truly ran.
    in_function_block: f64,
    /// Blocks over the whole program.
    program_block: f64,
    /// Totals of functions.
    function_total: f64,
    /// Calls of functions; null if the estimate tells none (raw samples).
    entry: Option<f64>,
    /// Of the blocks that hold 90 % of the truth, the weight that lies among the estimate's such blocks.
    hot90_weight: f64,
    /// Of the estimate: frames that were left, by calls; null if it has no edges (raw samples).
    leak: Option<f64>,
    /// Of the estimate: what comes into blocks and does not go out; null if it has no edges.
    residual: Option<f64>,
    /// Blocks that both know.
    blocks: usize,
}

impl OverlapJson {
    /// Of the measures.
    pub(crate) fn new(all: &Overlap) -> Self {
        OverlapJson {
            schema: "opcost.overlap/1",
            in_function_block: all.in_function_block,
            program_block: all.program_block,
            function_total: all.function_total,
            entry: all.entry,
            hot90_weight: all.hot90_weight,
            leak: all.leak,
            residual: all.residual,
            blocks: all.blocks,
        }
    }
}

/// A line with a bar for each measure.
pub(crate) fn print_overlap(all: &Overlap) -> String {
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
    let percent =
        |share: Option<f64>| share.map_or_else(|| "–".to_owned(), |share| format!("{:.2} %", 100.0 * share));
    text += &format!(
        "left frames by calls {}, blocks that do not add up {}, {} blocks compared\n",
        percent(all.leak),
        percent(all.residual),
        all.blocks
    );
    text
}
