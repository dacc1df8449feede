//! How much faster is one program than another, by rounds in which both ran?
//!
//! Each round gives a ratio of times. The gain is the median of these. Its interval has the median of all
//! possible rounds with 95 % confidence, whatever their distribution: the ratio at position `k` from either end,
//! where the chance that fewer than `k` of `n` fair coins fall on one side is at most 2.5 %. With fewer than six
//! rounds there is no such interval.

use opcost_answer::tune::Gain;

/// The chance on either side of the interval.
const TAIL: f64 = 0.025;

/// The gain of `after` over `before`: seconds of the same rounds. None where there are too few rounds.
pub fn gain(before: &[f64], after: &[f64]) -> Option<Gain> {
    let both = before.iter().zip(after).filter(|(_, after)| **after > 0.0);
    let mut ratios: Vec<f64> = both.map(|(before, after)| before / after - 1.0).collect();
    ratios.sort_by(f64::total_cmp);
    let count = ratios.len();
    let from_end = trimmed(count)?;
    let median = f64::midpoint(ratios[(count - 1) / 2], ratios[count / 2]);
    Some(Gain { median, low: ratios[from_end], high: ratios[count - 1 - from_end] })
}

/// How many ratios are beyond the interval on each side.
fn trimmed(count: usize) -> Option<usize> {
    // Of the chances of 0, 1, … heads among `count` coins, as many as fit into the tail.
    let mut chance = 0.5f64.powi(i32::try_from(count).ok()?);
    let mut sum = chance;
    if sum > TAIL {
        return None;
    }
    let mut heads = 0;
    loop {
        chance *= (count - heads) as f64 / (heads + 1) as f64;
        if sum + chance > TAIL {
            return Some(heads);
        }
        sum += chance;
        heads += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_sign_test() {
        // Tables of the sign test: of 6 values none is trimmed, of 11 one, of 21 five.
        assert_eq!([5, 6, 11, 21].map(trimmed), [None, Some(0), Some(1), Some(5)]);
    }

    #[test]
    fn a_program_that_takes_half_is_twice_as_fast() {
        let before: Vec<f64> = (1..=7).map(f64::from).collect();
        let after: Vec<f64> = before.iter().map(|seconds| seconds / 2.0).collect();
        let gain = gain(&before, &after).expect("enough rounds");
        assert!((gain.median - 1.0).abs() < 1e-12 && gain.low <= gain.median && gain.median <= gain.high);
        assert_eq!(super::gain(&before[..3], &after[..3]), None);
    }
}
