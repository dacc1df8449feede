//! Do the machine instructions of a line stand beside its counts?

use crate::counted::Place;

/// What stands below a line of the source, up to the next.
fn below<'a>(report: &'a str, source: &str) -> Vec<&'a str> {
    let mut lines = report.lines().skip_while(|line| !line.contains(source));
    lines.next().unwrap_or_else(|| panic!("{source} is missing in\n{report}"));
    lines.take_while(|line| line.contains("│     ") && line.contains(" +0x")).collect()
}

#[test]
fn a_line_shows_the_machine_instructions_that_it_became() {
    let place = Place::counted(&[]);
    let output = place.opcost(&["count", "--annotate", "--asm", "hot.c"]);
    let report = &output.stderr;
    assert_eq!(output.status, 0, "{report}");
    let division = below(report, "sum ^= sum / 7;");
    assert!(division.iter().any(|line| line.contains("imul")), "a division by 7 is a product: {report}");
    assert!(division.iter().any(|line| line.contains("xorl")), "{report}");
    assert!(division.iter().all(|line| line.contains(" 1,000× ")), "{division:?}");
    assert!(report.contains("machine instructions (of the code that nobody counts in)"), "{report}");

    let output = place.opcost(&["report", "--asm", "--function", "main", "run.opc"]);
    let main = &output.stdout;
    let call = below(main, "return work(count * 1000) == 0;");
    assert!(call.iter().any(|line| line.ends_with("callq <work>")), "{main}");

    // The same of the ledger, whose lines have costs; the instructions have counts.
    let output = place.opcost(&["report", "--asm", "--function", "work", "run.opc"]);
    let again = &output.stdout;
    assert_eq!(below(again, "sum ^= sum / 7;"), division, "{again}");
}

/// The offsets and the bytes behind them are those of the object that clang makes.
#[test]
fn they_are_those_of_clangs_own_object() {
    let place = Place::counted(&[]);
    let report = place.opcost(&["report", "--asm", "--function", "work", "run.opc"]).stdout;
    let own = |line: &str| {
        let (_, rest) = line.split_once(" +0x")?;
        let (offset, text) = rest.split_once('│')?;
        Some((u64::from_str_radix(offset.trim(), 16).ok()?, text.trim().to_owned()))
    };
    let mut told: Vec<(u64, String)> = report.lines().filter_map(own).collect();
    told.sort();
    let made = place.shell("clang-22 -O2 -c hot.c -o hot.o && llvm-objdump-22 -d --no-show-raw-insn --no-print-imm-hex --disassemble-symbols=work hot.o");
    let text = made.expect(0).stdout;
    let theirs = |line: &str| {
        let (offset, text) = line.trim().split_once(':')?;
        let text = text.split(" #").next().unwrap_or(text);
        let words: Vec<&str> = text.split_whitespace().collect();
        Some((u64::from_str_radix(offset.trim(), 16).ok()?, words.join(" ")))
    };
    let theirs: Vec<(u64, String)> = text.lines().filter_map(theirs).collect();
    assert!(told.len() >= 8, "{report}");
    // Jumps, too, are written by place.
    assert!(told.iter().any(|(_, text)| text.starts_with('j') && text.contains(" <work+0x")), "{told:?}");
    for (offset, text) in told {
        let found = theirs.iter().find(|other| other.0 == offset);
        assert!(found.is_some_and(|found| found.1 == text), "{offset:#x} {text}: {theirs:?}");
    }
}

#[test]
fn without_the_source_it_says_why_there_is_none() {
    let place = Place::counted(&[]);
    place.write("hot.c", "int main(void) {\n  return 0;\n}\n");
    let output = place.opcost(&["report", "--annotate", "--asm", "run.opc"]);
    let report = &output.stdout;
    assert_eq!(output.status, 0, "{report}");
    assert!(report.contains("no machine code: run.opc: hot.c is not as it was counted"), "{report}");
}
