//! Counting words.

/// The words of a text that occur most often, with how often; ties go by the alphabet.
// It keeps its name in the program, so that it can have a limit of its own.
#[inline(never)]
pub fn most_frequent(text: &str, count: usize) -> Vec<(&str, usize)> {
    let mut words: Vec<(&str, usize)> = Vec::new();
    for word in text.split_whitespace() {
        match words.iter_mut().find(|(other, _)| *other == word) {
            Some((_, times)) => *times += 1,
            None => words.push((word, 1)),
        }
    }
    words.sort_by_key(|(word, times)| (std::cmp::Reverse(*times), *word));
    words.truncate(count);
    words
}
