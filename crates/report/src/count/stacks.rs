//! Who called what is hot? A tree of calls by their samples.
//!
//! Each node is a function called by the one above it; its share is that of
//! all samples taken in it and below it. Nodes under a hundredth are left out,
//! and of what remains the first lines are shown.
//!
//! Input: stacks, outermost function first. Cost: linear in their frames.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::kit::numbers::{bar, counted, percent};
use opcost_answer::names::shown_name;
use opcost_answer::run::CallStack;

/// Share from which on a call is shown.
const SHOWN: f64 = 0.01;
/// Lines of the tree.
const LINES: usize = 30;
/// Deeper calls are not set in further.
const DEEPEST: usize = 24;

#[derive(Default)]
struct Node<'a> {
    samples: u64,
    /// Name → position among the nodes.
    called: BTreeMap<&'a str, usize>,
}

/// The tree as text.
pub fn print_stacks(stacks: &[CallStack]) -> String {
    let mut nodes = vec![Node::default()];
    for stack in stacks {
        let mut at = 0;
        nodes[at].samples += stack.samples;
        for name in &stack.frames {
            let new = nodes.len();
            at = *nodes[at].called.entry(name).or_insert(new);
            if at == new {
                nodes.push(Node::default());
            }
            nodes[at].samples += stack.samples;
        }
    }
    let all = nodes[0].samples;
    let mut out =
        format!("\ncalls, by {} with a stack (frames that keep a frame pointer)\n", counted(all, "sample"));
    let (mut lines, mut waiting) = (0, hottest_last(&nodes, 0, 0));
    while let Some((name, at, depth)) = waiting.pop() {
        let part = nodes[at].samples as f64 / all.max(1) as f64;
        if part < SHOWN {
            continue;
        }
        if lines == LINES {
            let _ = writeln!(out, "        …");
            break;
        }
        lines += 1;
        let shift = "  ".repeat(depth.min(DEEPEST));
        let _ = writeln!(out, "{:>7} {:<10} {shift}{}", percent(part), bar(part, 10), shown_name(name));
        waiting.extend(hottest_last(&nodes, at, depth + 1));
    }
    out
}

fn hottest_last<'a>(nodes: &[Node<'a>], at: usize, depth: usize) -> Vec<(&'a str, usize, usize)> {
    let mut called: Vec<_> = nodes[at].called.iter().map(|(name, node)| (*name, *node, depth)).collect();
    called.sort_by(|a, b| nodes[a.1].samples.cmp(&nodes[b.1].samples).then_with(|| b.0.cmp(a.0)));
    called
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(frames: &[&str], samples: u64) -> CallStack {
        CallStack { frames: frames.iter().map(|name| (*name).to_owned()).collect(), samples }
    }

    #[test]
    fn a_tree_has_the_sums_of_what_is_below() {
        let stacks = [
            stack(&["main", "sort", "compare"], 60),
            stack(&["main", "sort"], 20),
            stack(&["main", "hash"], 19),
            stack(&["main", "rare"], 0),
            stack(&["thread"], 1),
        ];
        let text = print_stacks(&stacks);
        let lines: Vec<Vec<&str>> =
            text.lines().skip(2).map(|line| line.split_whitespace().collect()).collect();
        let told: Vec<(&str, &str)> = lines.iter().map(|line| (line[0], line[line.len() - 1])).collect();
        assert_eq!(
            told,
            [("99.0", "main"), ("80.0", "sort"), ("60.0", "compare"), ("19.0", "hash"), ("1.0", "thread")],
            "{text}"
        );
    }

    #[test]
    fn a_hundred_thousand_calls_deep_is_no_trouble() {
        let deep = vec!["f"; 100_000];
        assert!(print_stacks(&[stack(&deep, 1)]).contains('…'));
    }
}
