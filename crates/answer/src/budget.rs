//! How is a number of instructions written: `2.5G`, `300k`, `1,234`?

use thiserror::Error;

/// Why a word is no number of instructions.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BudgetError {
    /// It is none.
    #[error("'{0}' is no number of instructions; write 1234, 300k, 40M or 2.5G")]
    NoNumber(String),
    /// It has parts of an instruction.
    #[error("'{0}' is not a whole number of instructions")]
    NotWhole(String),
    /// A comma can be read in two ways.
    #[error("the comma of '{0}' can be read in two ways; write a point (2.5G), or all digits (2500000000)")]
    Comma(String),
}

/// Whether commas are between groups of three digits only.
fn is_grouped(number: &str) -> bool {
    let mut groups = number.split(',');
    groups.next().is_some_and(|first| (1..=3).contains(&first.len())) && groups.all(|group| group.len() == 3)
}

/// `2.5G` and the like. Powers of ten, as clocks are sold.
///
/// # Errors
/// It is no whole number of instructions.
pub fn parse_budget(text: &str) -> Result<u128, BudgetError> {
    let wrong = || BudgetError::NoNumber(text.to_owned());
    let (number, scale) = match text.char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&text[..at], 1_000),
        Some((at, 'M' | 'm')) => (&text[..at], 1_000_000),
        Some((at, 'G' | 'g')) => (&text[..at], 1_000_000_000),
        Some((at, 'T' | 't')) => (&text[..at], 1_000_000_000_000),
        _ => (text, 1),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    // Reports write commas between groups of three; a comma before a fraction is another language's.
    if text.contains(',') && (scale > 1 || !is_grouped(whole) || fraction.contains(',')) {
        return Err(BudgetError::Comma(text.to_owned()));
    }
    let digits: String = whole.chars().filter(|sign| !matches!(sign, '_' | ',')).collect();
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if digits.is_empty() || !is_digits(&digits) || !is_digits(fraction) || number.ends_with('.') {
        return Err(wrong());
    }
    let mut value = digits.parse::<u128>().map_err(|_| wrong())?.checked_mul(scale).ok_or_else(wrong)?;
    let mut place = scale;
    for digit in fraction.bytes() {
        if place % 10 != 0 {
            return Err(BudgetError::NotWhole(text.to_owned()));
        }
        place /= 10;
        value += u128::from(digit - b'0') * place;
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::parse_budget;

    #[test]
    fn budgets_are_exact() {
        assert_eq!(parse_budget("2.5G"), Ok(2_500_000_000));
        assert_eq!(parse_budget("300k"), Ok(300_000));
        assert_eq!(parse_budget("1,234"), Ok(1234));
        assert_eq!(parse_budget("12,345,678"), Ok(12_345_678));
        assert_eq!(parse_budget("2_500_000_000"), Ok(2_500_000_000));
        // 2.5 G in half of the world.
        for text in ["2,5G", "2,500G", "2,5", "1234,567", "1,23", ",123", "1.2,3G", "1,234.5k"] {
            assert_eq!(parse_budget(text), Err(super::BudgetError::Comma(text.to_owned())));
        }
        assert!(parse_budget("2.5_0G").is_err());
        assert!(parse_budget("_").is_err());
        assert_eq!(parse_budget("0"), Ok(0));
        assert!(parse_budget("2.5").is_err());
        assert!(parse_budget("1.2345k").is_err());
        assert!(parse_budget("-3").is_err());
        assert!(parse_budget("G").is_err());
        assert!(parse_budget("").is_err());
        assert!(parse_budget("1e9").is_err());
    }
}
