//! How are large numbers written, and what they count?

/// `2501813919` → `2,501,813,919`.
pub fn grouped(number: impl std::fmt::Display) -> String {
    let digits = number.to_string();
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |rest| ("-", rest));
    let mut out = String::with_capacity(digits.len() * 4 / 3 + 1);
    out.push_str(sign);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// How many of what: `1 instruction`, `2,047 instructions`.
pub fn counted(number: impl std::fmt::Display, one: &str) -> String {
    let text = grouped(number);
    let noun = noun(&text, one);
    format!("{text} {noun}")
}

/// A part of a list: `2 held`. What is 0 is no part of it.
pub fn part(number: u64, what: &str) -> Option<String> {
    (number > 0).then(|| format!("{} {what}", grouped(number)))
}

/// What follows a number of things whose singular is `one`.
pub fn noun(number: impl std::fmt::Display, one: &str) -> String {
    if number.to_string() == "1" { one.to_owned() } else { format!("{one}s") }
}

/// The verb that agrees with a number of things: `is` of one, `are` of others.
pub fn verb<'a>(number: impl std::fmt::Display, of_one: &'a str, of_others: &'a str) -> &'a str {
    if number.to_string() == "1" { of_one } else { of_others }
}

/// A part of a whole, between 0 and 1.
pub fn share(part: u128, whole: u128) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::{counted, grouped, noun, part, verb};

    #[test]
    fn one_is_no_plural() {
        assert_eq!(counted(1, "instruction"), "1 instruction");
        assert_eq!(counted(0, "instruction"), "0 instructions");
        assert_eq!(counted(1_000u64, "call"), "1,000 calls");
        assert_eq!(noun(1, "loop") + &noun(2, "loop"), "looploops");
        assert_eq!([verb(1, "is", "are"), verb(0, "is", "are"), verb(21, "is", "are")], ["is", "are", "are"]);
    }

    #[test]
    fn what_is_nothing_is_left_out_of_a_list() {
        let parts = [part(3, "held"), part(0, "wrong"), part(1_000, "not checked")];
        assert_eq!(parts.into_iter().flatten().collect::<Vec<_>>(), ["3 held", "1,000 not checked"]);
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(2_501_813_919u64), "2,501,813,919");
        assert_eq!(grouped(-1234), "-1,234");
    }
}
