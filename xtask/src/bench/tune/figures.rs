//! What does the document of `opcost tune` say, as figures of a table?

use super::simulated::Simulated;
use serde_json::Value;

/// The steps of a document.
pub(super) fn all_steps(document: &Value) -> &[Value] {
    document["transforms"].as_array().map_or(&[], Vec::as_slice)
}

/// The simulated figures on a side of a gain.
pub(super) fn side(gain: &Value, side: &str) -> Option<Simulated> {
    let figure = |name: &str| gain[name][side].as_u64();
    Some(Simulated {
        instructions: figure("instructions")?,
        instruction_misses: figure("instruction_misses")?,
        mispredicted: figure("mispredicted")?,
    })
}

/// A gain in time, with its interval.
pub(super) fn time_gain(gain: &Value) -> String {
    match (gain["median"].as_f64(), gain["low"].as_f64(), gain["high"].as_f64()) {
        (Some(median), Some(low), Some(high)) => {
            format!("{:+.1} % ({:+.1} to {:+.1})", median * 100.0, low * 100.0, high * 100.0)
        }
        _ => String::new(),
    }
}

/// Millions.
pub(super) fn millions(number: u64) -> f64 {
    number as f64 / 1e6
}

/// A change in per cent.
pub(super) fn change(before: u64, after: u64) -> String {
    format!("{:+.1} %", (after as f64 / before as f64 - 1.0) * 100.0)
}
