//! Are all reasons possible, whatever the program, the level and the machine?
//!
//! All instructions of many modules are followed at once, in this process. Each reason is held against what it is
//! told of: how a node was selected against a table of what the machines can do (`possible.rs`); what the target wanted
//! against the node itself; why an instruction of IR went against its kind. And things are held against themselves:
//! an instruction of IR has one operation for life, and a node that is the machine's does not become another's.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;

use opcost_answer::life::{Change, StageName, Step};
use opcost_life::{stages_of, story};
use opcost_llvm::{Emission, LifeEvent, LifeRequest, Maker, Position, Session, Stage};

use super::corpus;
use super::possible::is_possible;

const BY_TABLE: &str = "by the table of patterns";
const BY_HAND: &str = "without the table of patterns";
/// Operations that LLVM selects on every machine before it asks the table of patterns.
const NEVER_BY_TABLE: &[&str] = &[
    "freeze",
    "undef",
    "poison",
    "AssertSext",
    "AssertZext",
    "AssertAlign",
    "AssertNoFPClass",
    "inlineasm",
    "inlineasm_br",
    "READ_REGISTER",
    "WRITE_REGISTER",
    "fake_use",
    "reloc_none",
    "arith_fence",
    "membarrier",
    "stackmap",
    "patchpoint",
    "JUMP_TABLE_DEBUG_INFO",
];
/// Operations that stay what they are: nothing is told of them.
const STAY: &[&str] = &[
    "CopyToReg",
    "CopyFromReg",
    "TokenFactor",
    "EntryToken",
    "EH_LABEL",
    "ANNOTATION_LABEL",
    "lifetime.start",
    "lifetime.end",
    "PseudoProbe",
];
const TERMINATORS: [&str; 8] =
    ["br", "switch", "ret", "unreachable", "indirectbr", "resume", "invoke", "callbr"];

/// What was judged, and what cannot be.
#[derive(Default)]
struct Verdict {
    reasons: usize,
    impossible: BTreeMap<String, usize>,
    unknown: BTreeMap<String, usize>,
    /// The module at hand.
    of: String,
}

impl Verdict {
    fn wrong(&mut self, words: String) {
        *self.impossible.entry(format!("{}: {words}", self.of)).or_default() += 1;
    }

    fn step(&mut self, stage: StageName, step: &Step) {
        let Some(because) = &step.because else { return };
        self.reasons += 1;
        match stage {
            StageName::Dag => self.of_graph(step, because),
            StageName::Ir => self.of_ir(step, because),
            _ => self.wrong(format!("{stage:?} {}: {because}", step.opcode)),
        }
    }

    fn of_graph(&mut self, step: &Step, because: &str) {
        let selected = because.split_once(": ").filter(|(_, how)| how.contains("the table of patterns"));
        if let Some((operation, how)) = selected {
            let by_hand = NEVER_BY_TABLE.contains(&operation);
            if STAY.contains(&operation) || (by_hand && !how.starts_with(BY_HAND)) {
                self.wrong(format!("{operation}: {how}"));
            }
            let is_replaced =
                how.ends_with(" took its place") || how.ends_with(", and nothing is left of it");
            if step.change == Change::Went {
                if operation != step.opcode || !is_replaced {
                    self.wrong(format!("{because}, told of {} that went", step.opcode));
                }
                return;
            }
            if how != BY_TABLE && how != BY_HAND {
                self.wrong(format!("{because}, told of {} that is there", step.opcode));
            }
            match is_possible(operation, &step.opcode) {
                Some(true) => {}
                Some(false) => self.wrong(format!("{operation} selected as {}", step.opcode)),
                None => *self.unknown.entry(format!("{operation} {}", step.opcode)).or_default() += 1,
            }
            return;
        }
        if because.starts_with("folded into ") {
            let is_machine =
                because.chars().nth("folded into ".len()).is_some_and(|letter| letter.is_ascii_uppercase());
            if step.change != Change::Went || !is_machine {
                self.wrong(format!("{} {:?}: {because}", step.opcode, step.change));
            }
            return;
        }
        let is_wish = ["Promote", "Expand", "LibCall", "Custom"].iter().any(|word| because.ends_with(word));
        if !is_wish || because.split(' ').next() != Some(&step.opcode) || step.change != Change::Went {
            self.wrong(format!("{because}, told of {} {:?}", step.opcode, step.change));
        }
    }

    fn of_ir(&mut self, step: &Step, because: &str) {
        let opcode = step.opcode.as_str();
        if because.starts_with("moved from") {
            return;
        }
        if step.change != Change::Went {
            self.wrong(format!("{opcode} is there, and {because}"));
        }
        let is_branch = TERMINATORS.contains(&opcode);
        let has_effects = is_branch || matches!(opcode, "store" | "fence" | "atomicrmw" | "cmpxchg");
        let other = because.split_once('\'').map(|(_, text)| opcode_of(text));
        let is_wrong = match because {
            "deleted: nothing uses it" | "deleted: nothing needs it" | "replaced by what is gone, too" => {
                has_effects
            }
            "inlined" => !matches!(opcode, "call" | "invoke"),
            "deleted: what it jumped to is joined to its block" => opcode != "br",
            _ if because.starts_with("folded into") || because.starts_with("it is ") => has_effects,
            _ if because.starts_with("merged with") || because.starts_with("replaced by") => match other {
                // These are both.
                Some("call" | "invoke") if opcode == "invoke" => false,
                Some("invoke" | "callbr") if !is_branch => false,
                Some(other) => is_branch != TERMINATORS.contains(&other),
                None => true,
            },
            _ => !because.starts_with("deleted"),
        };
        if is_wrong {
            self.wrong(format!("{opcode}: {because}"));
        }
    }
}

/// `%x = tail call i32 @f()` → `call`
fn opcode_of(text: &str) -> &str {
    let text =
        text.split_once(" = ").map_or(text, |(name, rest)| if name.starts_with('%') { rest } else { text });
    let mut words = text.split(' ').filter(|word| !matches!(*word, "tail" | "musttail" | "notail"));
    words.next().unwrap_or("").trim_end_matches('\'')
}

/// What stands for one thing must be able to be one thing.
fn things(events: &[LifeEvent], verdict: &mut Verdict) {
    let mut known: HashMap<u64, (Stage, &str)> = HashMap::new();
    for event in events {
        let LifeEvent::State { stage, items, gone, .. } = event else { continue };
        for item in items {
            let before = known.insert(item.node, (*stage, &item.operation));
            let Some((stage_before, operation)) = before else { continue };
            let is_machine = |word: &str| word.starts_with(|letter: char| letter.is_ascii_uppercase());
            let is_same = operation == item.operation;
            // Constrained operations lose their constraint.
            let is_plain = operation.trim_start_matches("strict_") == item.operation;
            let can_be = match stage {
                Stage::Ir => is_same,
                Stage::Dag => {
                    is_same || is_plain || is_machine(&item.operation) || item.operation.contains("::")
                }
                Stage::Machine => true,
            };
            if stage_before != *stage || !can_be {
                verdict.wrong(format!("{operation} became {} ({stage_before:?}, {stage:?})", item.operation));
            }
        }
        for node in gone {
            if known.remove(node).is_none() {
                verdict.wrong(format!("{node} went and was never there"));
            }
        }
    }
}

/// All instructions of a source on their way; nothing if it does not compile for that machine.
fn followed(source: &Path, target: &str, level: u8, folder: &Path) -> Option<Vec<LifeEvent>> {
    // Assembly in it is x86's.
    let has_assembly = std::fs::read_to_string(source).is_ok_and(|text| text.contains("asm"));
    if has_assembly && !target.starts_with("x86") {
        return None;
    }
    let is_cxx = source.extension().is_some_and(|kind| kind == "cpp");
    let bitcode = folder.join("a.bc");
    let output = Command::new(if is_cxx { "clang++-22" } else { "clang-22" })
        .args(["-w", "-c", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-fno-discard-value-names"])
        .args([format!("-O{level}"), format!("--target={target}")])
        .arg(if is_cxx { "-std=c++20" } else { "-std=gnu17" })
        .arg("-o")
        .args([&bitcode, source])
        .output()
        .expect("clang 22 starts");
    if !output.status.success() {
        return None;
    }
    let mut session = Session::read(&bitcode, Maker::FrontEnd).expect("bitcode");
    let module = session.snapshot();
    let count: usize = module.functions.values().map(|function| function.instructions.len()).sum();
    session.identify();
    let how = Emission {
        level,
        position: Position::AsModule,
        function_sections: false,
        data_sections: false,
        ..Emission::default()
    };
    let request = LifeRequest {
        numbers: (1..=u32::try_from(count).expect("few")).collect(),
        is_whole: false,
        optimise: Some(level),
    };
    let object = folder.join("a.o");
    Some(session.record(&object, how, Some(level), Some(&request)).expect("a recording"))
}

fn sources(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(corpus(folder)).expect("a folder of the corpus");
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    all.retain(|path| path.extension().is_some_and(|kind| kind == "c" || kind == "cpp"));
    all.sort();
    all
}

/// Of every program that lives are asked of, and of those that bits, loops and hostile programs are tested by.
#[test]
fn no_reason_is_impossible() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut verdict = Verdict::default();
    let mut modules = 0;
    for target in ["x86_64-linux-gnu", "aarch64-linux-gnu", "riscv64-linux-gnu"] {
        let folders =
            ["life", "bits", "bits/hard", "loops/c", "loops/hard", "hostile", "kernel", "exceptions"];
        let by_turns = folders.iter().flat_map(|folder| sources(folder).into_iter().enumerate());
        for (turn, source) in by_turns {
            let is_asked = source.starts_with(corpus("life"));
            // The others take turns.
            let levels = if is_asked { 0..=3 } else { (turn % 4) as u8..=(turn % 4) as u8 };
            for level in levels {
                let Some(events) = followed(&source, target, level, folder.path()) else { continue };
                modules += 1;
                verdict.of = format!("{} -O{level} {target}", source.display());
                things(&events, &mut verdict);
                for stage in stages_of(&events, &story::FunctionBytes::new()) {
                    for step in &stage.steps {
                        verdict.step(stage.stage, step);
                    }
                }
            }
        }
    }
    assert!(
        verdict.impossible.is_empty() && verdict.unknown.is_empty(),
        "of {} reasons in {modules} modules, impossible: {:#?}\nnot in the table: {:#?}",
        verdict.reasons,
        verdict.impossible,
        verdict.unknown
    );
    assert!(verdict.reasons > 10_000 && modules > 100, "{} reasons of {modules} modules", verdict.reasons);
}
