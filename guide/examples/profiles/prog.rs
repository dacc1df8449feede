//! Sums the squares of the odd numbers below a million.

fn main() {
    let sum: u64 = (0..1_000_000u64).filter(|number| number % 2 == 1).map(|number| number * number).sum();
    println!("{sum}");
}
