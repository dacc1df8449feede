//! Prints the most frequent words of the text on standard input.

mod words;

use std::io::Read;

fn main() {
    let count = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(5);
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("the input is text");
    for (word, times) in words::most_frequent(&text, count) {
        println!("{times:5} {word}");
    }
}
