//! What was recorded at each point, as the rows of an answer.
//!
//! A value that is known by the range of a bucket alone stands in the middle of it for the median. How a claim fared
//! is summed over activations: one that is wrong decides. Input: what the processes of a run recorded. Cost: the
//! values, sorted.

use opcost_answer::numbers::counted;
use opcost_answer::points::Meaning;
use opcost_answer::values::{ClaimKind, ClaimRow, ClaimVerdict, ValueRow, VerifyTotals};
use opcost_profile::opcval::layout::bucket_range;
use opcost_run::values::ObservedPoint;

/// In which order loops and values are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValueOrder {
    /// Those with the most iterations in total first.
    #[default]
    Iterations,
    /// Those entered most often first.
    Activations,
    /// Those with the greatest value first.
    Greatest,
    /// By file and line.
    Line,
}

/// One point as a row.
pub(super) fn row(point: ObservedPoint) -> ValueRow {
    let claim = claim_row(&point);
    let ObservedPoint { module, what, record, .. } = point;
    let is_float = what.kind == Meaning::Float;
    let is_exact = record.is_exact();
    let back_edges = if what.kind == Meaning::BackEdges { record.back_edges() } else { 0 };
    let rough: Vec<(i64, i64, u64)> = record
        .rough
        .iter()
        .map(|(&bucket, &count)| {
            let (least, most) = bucket_range(bucket, is_float);
            (least, most, count)
        })
        .collect();
    let values: Vec<(i64, u64)> = record.values.into_iter().collect();
    let range = record.range.map(|(least, most)| [least, middle(&values, &rough).clamp(least, most), most]);
    ValueRow {
        module,
        key: what.key,
        function: what.function,
        file: what.file,
        line: what.line,
        meaning: what.kind,
        text: what.text,
        parent: what.parent,
        depth: what.depth,
        entries: record.entries,
        complete: record.complete,
        left: (record.left.0, record.left.2),
        open: (record.open.len() as u64, record.open.iter().map(|open| open.iterations).max().unwrap_or(0)),
        inherited: record.inherited.0,
        back_edges,
        recorded: record.recorded,
        range,
        values,
        rough,
        runs: record.runs,
        stride: record.stride,
        is_exact,
        claim,
        whole: None,
    }
}

/// The median, as far as it is known: of a range its middle.
fn middle(values: &[(i64, u64)], rough: &[(i64, i64, u64)]) -> i64 {
    let ranges =
        rough.iter().map(|&(least, most, count)| ((i128::from(least) + i128::from(most)) / 2, count));
    let exact = values.iter().map(|&(value, count)| (i128::from(value), count));
    let mut all: Vec<(i128, u64)> = exact.chain(ranges).collect();
    all.sort_unstable();
    let total: u128 = all.iter().map(|(_, count)| u128::from(*count)).sum();
    let mut seen = 0;
    for (value, count) in all {
        seen += u128::from(count);
        if 2 * seen >= total {
            return value as i64;
        }
    }
    0
}

fn claim_row(point: &ObservedPoint) -> Option<ClaimRow> {
    let claim = point.what.claim.as_ref()?;
    let (checks, open) = (&point.record.checks, point.open_checks);
    let held = checks.complete.0 + checks.left.0 + open.counts.0;
    let wrong = checks.complete.1 + checks.left.1 + open.counts.1;
    let violated = checks.complete.2 + checks.left.2 + open.counts.2;
    let (unchecked, too_long) = (checks.unchecked + open.unchecked, checks.too_long + open.too_long);
    let is_whole = claim.unchecked.is_none() && held > 0 && unchecked + too_long == 0;
    let verdict = match () {
        () if wrong > 0 => ClaimVerdict::Wrong,
        () if violated > 0 => ClaimVerdict::AssumptionViolated,
        () if point.record.entries == 0 => ClaimVerdict::NotEntered,
        () if is_whole => ClaimVerdict::Held,
        () => ClaimVerdict::NotChecked,
    };
    let reason = claim.unchecked.clone().or_else(|| {
        (verdict == ClaimVerdict::NotChecked).then(|| match (unchecked, too_long) {
            (0, 0) => "no activation was recorded as a whole".to_owned(),
            (0, _) => format!("its sums were too long to hold in {}", counted(too_long, "activation")),
            (_, 0) => format!("a value that it needs was not known, or too large, in {}", counted(unchecked, "activation")),
            _ => format!(
                "a value that it needs was not known, or too large, in {}; its sums were too long to hold in {too_long}",
                counted(unchecked, "activation")
            ),
        })
    });
    Some(ClaimRow {
        kind: if claim.is_exact { ClaimKind::BackEdges } else { ClaimKind::Bound },
        text: claim.text.clone(),
        assumes: claim.assumes.clone(),
        verdict,
        held,
        failed: wrong + violated,
        unchecked,
        too_long,
        first_failure: checks.failed,
        reason,
    })
}

/// How all claims fared, in loops.
pub(super) fn totals(rows: &[ValueRow]) -> VerifyTotals {
    let mut totals = VerifyTotals::default();
    for row in rows.iter().filter(|row| row.is_loop()) {
        *match row.claim.as_ref().map(|claim| claim.verdict) {
            None => &mut totals.no_claim,
            Some(ClaimVerdict::Held) => &mut totals.held,
            Some(ClaimVerdict::NotEntered) => &mut totals.not_entered,
            Some(ClaimVerdict::Wrong) => &mut totals.wrong,
            Some(ClaimVerdict::AssumptionViolated) => &mut totals.assumption_violated,
            Some(ClaimVerdict::NotChecked) => &mut totals.not_checked,
        } += 1;
    }
    totals
}

/// Puts rows in an order.
pub(super) fn sort(rows: &mut [ValueRow], order: ValueOrder) {
    let most = |row: &ValueRow| row.range.map_or(i64::MIN, |range| range[2]);
    rows.sort_by(|a, b| {
        let by_place = || (&a.file, a.line, &a.function).cmp(&(&b.file, b.line, &b.function));
        let by_size = match order {
            ValueOrder::Iterations => b.back_edges.cmp(&a.back_edges),
            ValueOrder::Activations => b.entries.cmp(&a.entries),
            ValueOrder::Greatest => most(b).cmp(&most(a)),
            ValueOrder::Line => std::cmp::Ordering::Equal,
        };
        by_size.then_with(by_place)
    });
}

#[cfg(test)]
mod tests {
    use super::middle;

    #[test]
    fn the_median_is_a_value_that_was_there() {
        assert_eq!(middle(&[(1, 1), (5, 1), (9, 1)], &[]), 5);
        assert_eq!(middle(&[(1, 10), (9, 1)], &[]), 1);
        assert_eq!(middle(&[(1, 1)], &[(64, 127, 5)]), 95);
        assert_eq!(middle(&[], &[]), 0);
    }
}
