//! How is a number read at a glance?

pub use opcost_answer::numbers::{counted, grouped, noun, part, share, verb};

/// `1204551` → `1.2 M`; below ten thousand all digits.
pub fn short(number: u128) -> String {
    if number < 10_000 {
        return grouped(number);
    }
    let mut scaled = number as f64;
    for unit in ["k", "M", "G", "T", "P", "E"] {
        scaled /= 1000.0;
        if scaled < 9.95 {
            return format!("{scaled:.1} {unit}");
        }
        if scaled < 999.5 {
            return format!("{scaled:.0} {unit}");
        }
    }
    grouped(number)
}

/// `0.6124` → `61.2 %`; what is not nothing never shows as nothing.
pub fn percent(share: f64) -> String {
    if share > 0.0 && share < 0.0005 { "<0.1 %".to_owned() } else { format!("{:.1} %", share * 100.0) }
}

/// A bar of at most `width` cells for a share between 0 and 1, in eighths.
pub fn bar(share: f64, width: usize) -> String {
    let eighths = (share.clamp(0.0, 1.0) * (width * 8) as f64).round() as usize;
    let mut out = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        out.push(['▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8 - 1]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{bar, percent, short};

    #[test]
    fn short_numbers_keep_two_digits_at_least() {
        assert_eq!(short(9_999), "9,999");
        assert_eq!(short(1_204_551), "1.2 M");
        assert_eq!(short(88_102), "88 k");
        assert_eq!(short(999_499), "999 k");
        assert_eq!(short(999_500), "1.0 M");
    }

    #[test]
    fn shares_never_vanish() {
        assert_eq!(percent(0.6124), "61.2 %");
        assert_eq!(percent(0.00001), "<0.1 %");
        assert_eq!(percent(0.0), "0.0 %");
    }

    #[test]
    fn bars_grow_in_eighths() {
        assert_eq!(bar(1.0, 4), "████");
        assert_eq!(bar(0.0, 4), "");
        assert_eq!(bar(0.5 / 4.0, 4), "▌");
    }
}
