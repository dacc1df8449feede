//! Counting words.

use std::collections::BTreeMap;

/// The words of a text that occur most often, with how often; ties go by the alphabet.
// It keeps its name in the program, so that it can have a limit of its own.
#[inline(never)]
pub fn most_frequent(text: &str, count: usize) -> Vec<(&str, usize)> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for word in text.split_whitespace() {
        *times.entry(word).or_default() += 1;
    }
    let mut words: Vec<(&str, usize)> = times.into_iter().collect();
    words.sort_by_key(|(word, times)| (std::cmp::Reverse(*times), *word));
    words.truncate(count);
    words
}
