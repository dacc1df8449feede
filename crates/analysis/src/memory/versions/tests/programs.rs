//! Small random programs that read and write memory in many ways.
//!
//! `@f` has an entry block that makes locals, and a few blocks that lead to one
//! another in any way. Each begins with a phi of pointers and one of indices,
//! and uses what the entry and it itself define.

use proptest::prelude::*;

/// One instruction: its kind and three choices.
pub(super) type Step = (u8, u8, u8, u8);

/// A program: blocks of instructions with two successors each, and a callee.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    blocks: Vec<(Vec<Step>, u8, u8)>,
    callee: Vec<Step>,
    has_slots: bool,
}

pub(super) fn plans() -> impl Strategy<Value = Plan> {
    let step = || (any::<u8>(), any::<u8>(), any::<u8>(), any::<u8>());
    let steps = |most| prop::collection::vec(step(), 0..most);
    let block = (prop::collection::vec(step(), 1..7), any::<u8>(), any::<u8>());
    (prop::collection::vec(block, 1..5), steps(6), any::<bool>())
        .prop_map(|(blocks, callee, has_slots)| Plan { blocks, callee, has_slots })
}

/// Names that a block may use, while it is written.
struct Names {
    pointers: Vec<String>,
    numbers: Vec<String>,
    indices: Vec<String>,
}

impl Names {
    fn entry() -> Names {
        let own = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Names {
            pointers: own(&["%a", "%slot", "@g", "@g+4", "@h+8", "%p", "%q"]),
            numbers: own(&["1", "2", "%n"]),
            indices: own(&["0", "1", "%i"]),
        }
    }

    fn of(names: &[String], choice: u8) -> &str {
        &names[usize::from(choice) % names.len()]
    }
}

fn line(step: Step, name: &str, names: &mut Names, may_call: bool) -> String {
    let (kind, a, b, c) = step;
    let pointer = |choice| Names::of(&names.pointers, choice).to_owned();
    let number = Names::of(&names.numbers, a).to_owned();
    let index = Names::of(&names.indices, b).to_owned();
    match kind % 11 {
        0 => {
            let line = format!("%{name} = load i32, {}", pointer(a));
            names.numbers.push(format!("%{name}"));
            line
        }
        1 => format!("store i32 {number}, {}", pointer(b)),
        3 => {
            let line = format!("%{name} = getelementptr i32, ptr {}, i64 {index}", pointer(a));
            names.pointers.push(format!("%{name}"));
            line
        }
        4 => {
            let line = format!("%{name} = add i64 {index}, {}", c % 2 + 1);
            names.indices.push(format!("%{name}"));
            line
        }
        5 => {
            let line = format!("%{name} = select ptr i1 %c, {}, {}", pointer(a), pointer(b));
            names.pointers.push(format!("%{name}"));
            line
        }
        6 => format!("store ptr {}, %slot", pointer(a)),
        7 => {
            let line = format!("%{name} = load ptr, %slot");
            names.pointers.push(format!("%{name}"));
            line
        }
        2 | 8 if may_call => {
            format!("call void @callee(ptr {}, ptr {}, i32 {number})", pointer(b), pointer(c))
        }
        2 | 8 | 9 => format!("store i8 3, {}", pointer(a)),
        _ => {
            let line = format!("%{name} = load i32, {}", pointer(c));
            names.numbers.push(format!("%{name}"));
            line
        }
    }
}

pub(super) fn text(plan: &Plan) -> String {
    let mut text =
        "global internal @g type [16 x i32] = { }\nglobal internal @h type [16 x i32] = { }\n".to_owned();
    text += "define internal void @callee(ptr %p, ptr %q, i32 %n) {\n";
    let mut names = Names::entry();
    names.pointers = ["%p", "%q", "@g", "@h+4"].map(str::to_owned).to_vec();
    names.indices.pop();
    for (position, &step) in plan.callee.iter().enumerate() {
        // No slot and no condition there.
        if ![5, 6, 7].contains(&(step.0 % 11)) {
            text += &format!("  {}\n", line(step, &format!("v{position}"), &mut names, false));
        }
    }
    text += "  ret void\n}\n";
    text += "define internal i32 @f(ptr %p, ptr %q, i64 %i, i32 %n, i1 %c) {\nentry:\n";
    text += "  %a = alloca [16 x i32], i32 1\n  %slot = alloca ptr, i32 1\n";
    text += if plan.has_slots { "  store ptr %a, %slot\n" } else { "  store ptr %p, %slot\n" };
    text += "  br label %b0\n";
    let count = plan.blocks.len();
    let successors = |position: usize| {
        let (_, left, right) = plan.blocks[position];
        // One more than there are: the way out.
        [usize::from(left) % (count + 1), usize::from(right) % (count + 1)]
    };
    for (position, (steps, choice, _)) in plan.blocks.iter().enumerate() {
        let mut names = Names::entry();
        text += &format!("b{position}:\n");
        text += &phis(position, *choice, count, &successors);
        names.pointers.push(format!("%at{position}"));
        names.indices.push(format!("%k{position}"));
        for (number, &step) in steps.iter().enumerate() {
            text += &format!("  {}\n", line(step, &format!("v{position}_{number}"), &mut names, true));
        }
        let [left, right] =
            successors(position).map(|to| if to == count { "out".to_owned() } else { format!("b{to}") });
        text += &format!("  br i1 %c, label %{left}, label %{right}\n");
    }
    text += "out:\n  ret i32 0\n}\n";
    text + "define i32 @main(i64 %i, i32 %n, i1 %c) {\n  %x = alloca [16 x i32], i32 1\n  %r = call i32 @f(ptr %x, ptr @g, i64 %i, i32 %n, i1 %c)\n  %s = call i32 @f(ptr @h, ptr @h, i64 %i, i32 %n, i1 %c)\n  ret i32 0\n}\n"
}

/// A pointer and an index, another from each predecessor.
fn phis(position: usize, choice: u8, count: usize, successors: &impl Fn(usize) -> [usize; 2]) -> String {
    let names = Names::entry();
    let mut before: Vec<String> = (0..count)
        .filter(|&from| successors(from).contains(&position))
        .map(|from| format!("b{from}"))
        .collect();
    if position == 0 {
        before.push("entry".to_owned());
    }
    if before.is_empty() {
        return format!("  %at{position} = getelementptr i8, ptr @g, i64 0\n  %k{position} = add i64 0, 0\n");
    }
    let pairs = |values: &[String]| {
        let pair = |(number, from): (usize, &String)| {
            let value = Names::of(values, choice.wrapping_add(number as u8 * 3));
            format!("[ {value}, %{from} ]")
        };
        before.iter().enumerate().map(pair).collect::<Vec<_>>().join(", ")
    };
    format!(
        "  %at{position} = phi ptr {}\n  %k{position} = phi i64 {}\n",
        pairs(&names.pointers),
        pairs(&names.indices)
    )
}
