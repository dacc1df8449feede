//! The part of a program that is replaced, in Rust with its library.
use std::collections::BTreeMap;
const V: i32 = VERSION;
unsafe extern "C" { fn helper(x: i32) -> i32; }
trait Shape { fn area(&self) -> i32; fn name(&self) -> String { format!("shape {V}") } }
struct Square(i32);
struct Oblong(i32, i32);
impl Shape for Square { fn area(&self) -> i32 { self.0 * self.0 } }
impl Shape for Oblong { fn area(&self) -> i32 { self.0 * self.1 + V } fn name(&self) -> String { "oblong".into() } }
#[inline(never)]
fn chosen(x: i32) -> &'static str {
    match x { 0 => "nought", 1 => "one", 2 => "a pair", 3 => "three", 4 => "four", 5 => "a handful", 6 => "six", _ => "many" }
}
#[inline(never)]
fn risky(x: i32) -> i32 { let v = vec![1, 2, 3, V]; if x == 5 { panic!("five {x}") } v[x as usize % 6] }
#[unsafe(no_mangle)]
extern "C" fn work(x: i32) -> i32 {
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square(x)), Box::new(Oblong(x, V))];
    let mut names = BTreeMap::new();
    for shape in &shapes { *names.entry(shape.name()).or_insert(0) += shape.area(); }
    let risk = std::panic::catch_unwind(|| risky(x)).unwrap_or(-V);
    let sum: i32 = names.iter().map(|(name, area)| name.len() as i32 * area).sum();
    let number: Result<i32, _> = format!("{}{x}", if x % 2 == 0 { "" } else { "q" }).parse::<i32>();
    println!("{} {:?} {:.3}", chosen(x), number.is_ok(), f64::from(x).sqrt() * f64::from(V));
    sum + risk + unsafe { helper(x) }
}
