//! Builds and runs a program in several ways and holds the results together.

use std::ops::Deref;
use std::path::PathBuf;

use opcost_testkit::command::{ProgramOutput, Workplace};

use crate::directives::Directives;
use crate::json::Counts;

/// The folder of the hostile programs.
pub(crate) fn corpus() -> PathBuf {
    opcost_testkit::command::corpus("hostile").into()
}

/// What one run of opcost gave.
pub(crate) struct Counted {
    pub(crate) output: ProgramOutput,
    /// `None` when it failed.
    pub(crate) counts: Option<Counts>,
}

impl Counted {
    pub(crate) fn said(&self) -> &str {
        &self.output.stderr
    }

    pub(crate) fn counts(&self) -> &Counts {
        self.counts.as_ref().unwrap_or_else(|| panic!("no counts: {}", self.said()))
    }
}

/// `opcost count`, in a folder of its own.
pub(crate) struct Bench(Workplace);

impl Deref for Bench {
    type Target = Workplace;

    fn deref(&self) -> &Workplace {
        &self.0
    }
}

impl Bench {
    pub(crate) fn new() -> Bench {
        Bench(Workplace::new(env!("CARGO_BIN_EXE_opcost")))
    }

    /// Counts with these flags and inputs.
    pub(crate) fn count(&self, flags: &[&str], inputs: &[PathBuf], arguments: &[String]) -> Counted {
        let json = self.path("counts.json");
        let _ = std::fs::remove_file(&json);
        let mut all: Vec<&str> = vec!["count", "--json", "counts.json"];
        all.extend(flags);
        all.extend(inputs.iter().map(|input| input.to_str().expect("UTF-8")));
        all.push("--");
        all.extend(arguments.iter().map(String::as_str));
        let output = self.opcost(&all);
        let read = std::fs::read(&json).ok();
        let document = read.map(|text| Counts(serde_json::from_slice(&text).expect("JSON")));
        Counted { output, counts: document.filter(|document| document.0.get("error").is_none()) }
    }
}

/// Checks one program of the corpus in every way that it asks for.
pub(crate) fn check(name: &str) {
    let directives = Directives::read(&corpus().join(name));
    assert!(directives.expectations() > 0, "{name} expects nothing");
    Case { name, directives, bench: Bench::new() }.check();
}

struct Case<'a> {
    name: &'a str,
    directives: Directives,
    bench: Bench,
}

impl Case<'_> {
    fn check(&self) {
        let inputs = self.inputs();
        if let Some(text) = &self.directives.refused {
            let anchor = self.directives.anchors[0].clone();
            return self.check_refusal(&self.count(&anchor, "chords", "2", &[], &inputs), text);
        }
        for (anchor, text) in &self.directives.refused_at {
            self.check_refusal(&self.count(anchor, "chords", "2", &[], &inputs), text);
        }
        let plain = self.plain(&inputs);
        for anchor in &self.directives.anchors {
            let [low, high] = &self.directives.levels[..] else { panic!("two levels") };
            // The second has its counters where the first did little.
            let ways = [
                ("chords", low, "--ledger"),
                ("chords", high, "--placement-from"),
                ("every-segment", high, ""),
            ];
            let counted = ways.map(|(placement, level, run)| {
                let has_run = run == "--ledger" || (!run.is_empty() && self.bench.path("run.opc").exists());
                let further = if has_run { &[run, "run.opc"][..] } else { &[] };
                let counted = self.count(anchor, placement, level, further, &inputs);
                self.check_one(&format!("{anchor}, {placement}, level {level}"), anchor, &counted, &plain);
                counted
            });
            if self.directives.fails.is_none() {
                self.check_agreement(anchor, &counted);
            }
        }
    }

    /// Sources and objects that plain clang makes of others.
    fn inputs(&self) -> Vec<PathBuf> {
        let mut inputs = self.directives.sources.clone();
        for (position, source) in self.directives.objects.iter().enumerate() {
            let object = self.bench.path(&format!("plain{position}.o"));
            let [source, target] = [source, &object].map(|path| path.to_str().expect("UTF-8"));
            self.bench.tool("clang-22", &["-O2", "-c", "-o", target, source]);
            inputs.push(object);
        }
        inputs
    }

    fn is_cxx(&self) -> bool {
        self.directives
            .sources
            .iter()
            .any(|path| path.extension().is_some_and(|extension| extension == "cpp"))
    }

    /// The program without opcost.
    fn plain(&self, inputs: &[PathBuf]) -> ProgramOutput {
        let mut arguments = vec!["-O2", "-o", "plain"];
        let flags = &self.directives.flags;
        arguments.extend(flags.iter().skip_while(|flag| *flag != "--cflag").skip(1).map(String::as_str));
        let inputs: Vec<String> = inputs.iter().map(|input| input.display().to_string()).collect();
        if self.is_cxx() {
            // C files go through the C compiler, as opcost does it.
            let mut objects = Vec::new();
            for (position, input) in inputs.iter().enumerate() {
                let object = format!("input{position}.o");
                let tool = if input.ends_with(".cpp") { "clang++-22" } else { "clang-22" };
                if input.ends_with(".o") {
                    objects.push(input.clone());
                    continue;
                }
                let mut compile = arguments.clone();
                compile[2] = &object;
                compile.extend(["-c", input]);
                self.bench.tool(tool, &compile);
                objects.push(object);
            }
            arguments.extend(objects.iter().map(String::as_str));
            self.bench.tool("clang++-22", &arguments);
        } else {
            arguments.push("-Wno-override-module");
            arguments.extend(inputs.iter().map(String::as_str));
            self.bench.tool("clang-22", &arguments);
        }
        ProgramOutput::of(self.bench.program(self.bench.path("plain")).args(&self.directives.arguments))
    }

    fn count(
        &self,
        anchor: &str,
        placement: &str,
        level: &str,
        further: &[&str],
        inputs: &[PathBuf],
    ) -> Counted {
        let mut flags = vec!["--placement", placement, "--codegen", level];
        flags.extend(further);
        if anchor != "file" {
            flags.extend(["--anchor", anchor]);
        }
        flags.extend(self.directives.flags.iter().map(String::as_str));
        self.bench.count(&flags, inputs, &self.directives.arguments)
    }

    fn check_refusal(&self, counted: &Counted, text: &str) {
        let said = counted.said();
        assert!(counted.counts.is_none(), "{}: not refused: {said}", self.name);
        assert_eq!(counted.output.status, 1, "{}: {said}", self.name);
        assert!(said.contains(text), "{}: does not say '{text}': {said}", self.name);
    }

    fn check_one(&self, way: &str, anchor: &str, counted: &Counted, plain: &ProgramOutput) {
        let at = format!("{} ({way})", self.name);
        if let Some(text) = &self.directives.fails {
            return self.check_refusal(counted, text);
        }
        let counts = counted.counts();
        assert_eq!(counted.output.stdout, plain.stdout, "{at}: another output");
        let end =
            (counts.0["program_status"]["exit"].as_i64(), counts.0["program_status"]["signal"].as_i64());
        let wanted = match self.directives.signal {
            Some(signal) => (None, Some(signal)),
            None => (Some(self.directives.status.unwrap_or(0)), None),
        };
        let plain_end =
            (plain.signal.is_none().then_some(i64::from(plain.status)), plain.signal.map(i64::from));
        assert_eq!(plain_end, wanted, "{at}: the end of the plain program");
        assert_eq!(end, wanted, "{at}: the end of the program: {}", counted.said());
        match &self.directives.lower_bound {
            Some(_) if self.directives.segments_exact && way.contains("every-segment") => {
                assert!(counts.is_exact(), "{at}: not exact: {:?}", counts.reasons());
            }
            None if self.has_open_returns(counts) => {}
            None => assert!(counts.is_exact(), "{at}: not exact: {:?}", counts.reasons()),
            Some(text) => {
                assert_eq!(counts.quality(), "lower bound", "{at}");
                let reasons = counts.reasons();
                assert!(reasons.iter().any(|reason| reason.contains(text)), "{at}: {reasons:?}");
            }
        }
        self.check_values(&at, anchor, counts);
    }

    /// Whether the only doubt is about returns after jumps, and the program is one of those that have it.
    fn has_open_returns(&self, counts: &Counts) -> bool {
        let of_jumps = |reason: &str| {
            reason.starts_with("at most ") || reason.contains("where a tail call may have taken others away")
        };
        self.directives.returns_open
            && !counts.is_exact()
            && counts.reasons().iter().all(|reason| of_jumps(reason))
    }

    /// Hand values. Where the result is a lower bound, counts may be lower.
    fn check_values(&self, at: &str, anchor: &str, counts: &Counts) {
        let directives = &self.directives;
        let is_lower = directives.lower_bound.is_some() || self.has_open_returns(counts);
        let compare = |what: String, found: u64, wanted: u64| {
            if is_lower {
                assert!(found <= wanted, "{at}: {what}: {found}, more than {wanted}");
            } else {
                assert_eq!(found, wanted, "{at}: {what}");
            }
        };
        if let Some(processes) = directives.processes {
            assert_eq!(crate::json::number(&counts.0["processes"]), processes, "{at}: processes");
        }
        if anchor == "optimized" && directives.anchors[0] != "optimized" {
            return;
        }
        for (name, calls) in &directives.calls {
            compare(format!("calls of {name}"), counts.calls(name), *calls);
        }
        for (function, position, count) in &directives.blocks {
            compare(format!("block {position} of {function}"), counts.block(function, *position), *count);
        }
        if let Some(total) = directives.total {
            assert_eq!(counts.total(), total, "{at}: total");
        }
        let file = self.name;
        for (line, instructions) in &directives.lines {
            if anchor == "source" {
                compare(format!("line {line}"), counts.line(file, *line), *instructions);
            }
        }
        if let Some(total) = directives.between
            && anchor != "optimized"
        {
            let lower = counts.total();
            assert!(lower <= total, "{at}: at least {lower}, but it was {total}");
            if let Some(missing) = counts.most_missing() {
                assert!(total <= lower + missing, "{at}: at most {}, but it was {total}", lower + missing);
            }
        }
    }

    /// Placements and levels of code generation give the same counts.
    fn check_agreement(&self, anchor: &str, counted: &[Counted; 3]) {
        let [low, high, every] = counted.each_ref().map(Counted::counts);
        let at = format!("{} ({anchor})", self.name);
        if self.directives.lower_bound.is_some() || self.directives.totals_differ {
            return;
        }
        if [low, high, every].into_iter().any(|counts| self.has_open_returns(counts)) {
            return;
        }
        assert_eq!(low.total(), high.total(), "{at}: code generation changes the total");
        assert_eq!(low.functions(), high.functions(), "{at}: code generation changes functions");
        assert_eq!(low.blocks(), high.blocks(), "{at}: code generation changes blocks");
        assert_eq!(high.functions(), every.functions(), "{at}: placements disagree on functions");
        assert_eq!(high.blocks(), every.blocks(), "{at}: placements disagree on blocks");
        assert_eq!(high.total(), every.total(), "{at}: placements disagree on the total");
    }
}
