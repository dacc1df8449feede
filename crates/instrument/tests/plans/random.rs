//! Random programs as text: blocks, switches, invokes, jumps, counted loops, calls
//! of each kind.

use std::fmt::Write;

/// Decisions, taken from bytes; zeros when they run out.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn below(&mut self, bound: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % bound
    }
}

const HEAD: &str =
    "declare @any\ndeclare @calm\ndeclare @sure\ndeclare @die\ndeclare @setjmp\ndeclare @memcpy\n";

/// A module of up to three functions.
pub(crate) fn module(bytes: &[u8]) -> String {
    let mut choices = Choices(bytes.iter());
    let mut out = HEAD.to_owned();
    let functions = 1 + choices.below(3);
    for position in 0..functions {
        let linkage = ["", "", "internal ", "weak "][choices.below(4)];
        writeln!(out, "define {linkage}void @f{position}(i32 %x) {{").expect("writing to a string");
        function(&mut choices, functions, &mut out);
        out.push_str("}\n");
    }
    out
}

/// Blocks `b0` to `bn`; `p0`, `p1` are landing pads, reached by `invoke` only.
fn function(choices: &mut Choices<'_>, functions: usize, out: &mut String) {
    let blocks = 2 + choices.below(6);
    for block in 0..blocks {
        writeln!(out, "b{block}:").expect("writing to a string");
        body(choices, functions, out);
        terminator(choices, functions, blocks, block, out);
    }
    for pad in 0..2 {
        write!(out, "p{pad}:\n  %e{pad} = landingpad ptr cleanup\n").expect("writing to a string");
        body(choices, functions, out);
        let line = match choices.below(3) {
            0 => format!("resume %e{pad}"),
            1 => "ret void".to_owned(),
            _ => format!("br label %b{}", target(choices, blocks)),
        };
        writeln!(out, "  {line}").expect("writing to a string");
    }
}

fn target(choices: &mut Choices<'_>, blocks: usize) -> usize {
    1 + choices.below(blocks - 1)
}

fn body(choices: &mut Choices<'_>, functions: usize, out: &mut String) {
    for _ in 0..choices.below(3) {
        let line = match choices.below(9) {
            8 => measured(""),
            0..=3 => "fence".to_owned(),
            4 => "call void @calm() nounwind".to_owned(),
            5 => "call void @setjmp() nounwind returns_twice".to_owned(),
            _ => call(choices, functions, ""),
        };
        writeln!(out, "  {line}").expect("writing to a string");
    }
}

/// A call whose length only the running program knows.
fn measured(tail: &str) -> String {
    format!("{tail}call void @memcpy(ptr null, ptr null, i32 %x) nounwind willreturn")
}

fn call(choices: &mut Choices<'_>, functions: usize, tail: &str) -> String {
    match choices.below(7) {
        6 => measured(tail),
        0 => format!("{tail}call void @any()"),
        1 => format!("{tail}call void @sure() nounwind willreturn"),
        2 => format!("{tail}call void ptr null()"),
        3 => format!("{tail}call void @calm() nounwind"),
        _ => format!("{tail}call void @f{}(i32 0)", choices.below(functions)),
    }
}

/// A loop that counts to a bound: one block, arms that cost the same or not, or
/// another such loop inside. It comes behind block `at` and has blocks of its own.
fn counted(choices: &mut Choices<'_>, blocks: usize, at: usize) -> String {
    let bound = ["%x", "5", "3", "700"][choices.below(4)];
    let inside = match choices.below(4) {
        0 => "fence".to_owned(),
        1 => format!("br %x, label %m{at}, label %l{at}\nm{at}:\n  br label %l{at}\nl{at}:"),
        2 => format!(
            "br %x, label %m{at}, label %o{at}\nm{at}:\n  br label %l{at}\no{at}:\n  br label %l{at}\nl{at}:"
        ),
        _ => format!(
            "br label %m{at}\nm{at}:\n  %j{at} = phi i32 [ 4, %h{at} ], [ %k{at}, %m{at} ]\n  \
             %k{at} = add i32 %j{at}, -2\n  %u{at} = icmp ne i32 %k{at}, 0\n  \
             br %u{at}, label %m{at}, label %l{at}\nl{at}:"
        ),
    };
    let latch = if inside == "fence" { 'h' } else { 'l' };
    format!(
        "br label %h{at}\nh{at}:\n  %i{at} = phi i32 [ 0, %b{at} ], [ %n{at}, %{latch}{at} ]\n  {inside}\n  \
         %n{at} = add i32 %i{at}, 1\n  %t{at} = icmp eq i32 %n{at}, {bound}\n  \
         br %t{at}, label %b{}, label %h{at}",
        target(choices, blocks)
    )
}

/// A loop whose counter starts at a number and is compared with one: at its top
/// or its end, with calls in it, left early or not, and sometimes endless.
fn bounded(choices: &mut Choices<'_>, functions: usize, blocks: usize, at: usize) -> String {
    let ty = ["i32", "i8"][choices.below(2)];
    let start = ["0", "5", "-7"][choices.below(3)];
    let step = ["1", "3", "-1", "0"][choices.below(4)];
    let bound = ["12", "3", "-2", "100"][choices.below(4)];
    let predicate = ["ne", "ult", "slt", "ule", "sgt", "ugt"][choices.below(6)];
    let inside = match choices.below(5) {
        0 => "fence".to_owned(),
        1 => call(choices, functions, ""),
        2 => "call void @calm() nounwind".to_owned(),
        3 => format!(
            "br label %q{at}\nq{at}:\n  %r{at} = phi i32 [ 0, %g{at} ], [ %s{at}, %q{at} ]\n  fence\n  \
             %s{at} = add i32 %r{at}, 1\n  %w{at} = icmp ult i32 %s{at}, 9\n  \
             br %w{at}, label %q{at}, label %v{at}\nv{at}:"
        ),
        _ => format!("br %x, label %q{at}, label %b{}\nq{at}:\n  fence", target(choices, blocks)),
    };
    let out = target(choices, blocks);
    let (top, test, end) = if choices.below(2) == 0 {
        ("i", format!("br %t{at}, label %g{at}, label %b{out}"), format!("br label %h{at}"))
    } else {
        ("n", format!("br label %g{at}"), format!("br %t{at}, label %h{at}, label %b{out}"))
    };
    let compared = format!("%t{at} = icmp {predicate} {ty} %{top}{at}, {bound}\n  ");
    let (before, behind) = if top == "i" { (compared.as_str(), "") } else { ("", compared.as_str()) };
    format!(
        "br label %h{at}\nh{at}:\n  %i{at} = phi {ty} [ {start}, %b{at} ], [ %n{at}, %l{at} ]\n  {before}{test}\n\
         g{at}:\n  {inside}\n  br %x, label %l{at}, label %m{at}\nm{at}:\n  fence\n  br label %l{at}\n\
         l{at}:\n  %n{at} = add {ty} %i{at}, {step}\n  {behind}{end}"
    )
}

fn terminator(choices: &mut Choices<'_>, functions: usize, blocks: usize, block: usize, out: &mut String) {
    let to = |choices: &mut Choices<'_>| format!("label %b{}", target(choices, blocks));
    let line = match choices.below(17) {
        12 | 13 => counted(choices, blocks, block),
        14..=16 => bounded(choices, functions, blocks, block),
        0 => "ret void".to_owned(),
        1 | 2 => format!("br {}", to(choices)),
        3..=5 => format!("br %x, {}, {}", to(choices), to(choices)),
        6 => {
            let targets: Vec<String> =
                (0..1 + choices.below(4)).map(|case| format!("{case}, {}", to(choices))).collect();
            format!("switch i32 %x, {}, {}", to(choices), targets.join(", "))
        }
        7 => {
            let targets: Vec<String> = (0..1 + choices.below(3)).map(|_| to(choices)).collect();
            format!("indirectbr ptr null, {}", targets.join(", "))
        }
        8 | 9 => {
            let callee = if choices.below(2) == 0 {
                "@any()".to_owned()
            } else {
                format!("@f{}(i32 1)", choices.below(functions))
            };
            format!("invoke void {callee} to {} unwind label %p{}", to(choices), choices.below(2))
        }
        10 => {
            let tail = ["tail ", "musttail "][choices.below(2)];
            let jump = call(choices, functions, tail);
            let end = if tail == "tail " && choices.below(3) == 0 {
                format!("br {}", to(choices))
            } else {
                "ret void".to_owned()
            };
            format!("{jump}\n  {end}")
        }
        _ => "call void @die() noreturn\n  unreachable".to_owned(),
    };
    writeln!(out, "  {line}").expect("writing to a string");
}
