//! What may things be called, and what is looked at?

use std::collections::BTreeSet;

/// Words of Verilog and SystemVerilog (IEEE 1800-2023, annex B), and names of ours.
const RESERVED: &[&str] = &[
    "accept_on",
    "alias",
    "always",
    "always_comb",
    "always_ff",
    "always_latch",
    "and",
    "assert",
    "assign",
    "assume",
    "automatic",
    "before",
    "begin",
    "bind",
    "bins",
    "binsof",
    "bit",
    "break",
    "buf",
    "bufif0",
    "bufif1",
    "byte",
    "case",
    "casex",
    "casez",
    "cell",
    "chandle",
    "checker",
    "class",
    "clk",
    "clocking",
    "cmos",
    "config",
    "const",
    "constraint",
    "context",
    "continue",
    "cover",
    "covergroup",
    "coverpoint",
    "cross",
    "deassign",
    "default",
    "defparam",
    "design",
    "disable",
    "dist",
    "do",
    "done",
    "edge",
    "else",
    "end",
    "endcase",
    "endchecker",
    "endclass",
    "endclocking",
    "endconfig",
    "endfunction",
    "endgenerate",
    "endgroup",
    "endinterface",
    "endmodule",
    "endpackage",
    "endprimitive",
    "endprogram",
    "endproperty",
    "endsequence",
    "endspecify",
    "endtable",
    "endtask",
    "enum",
    "event",
    "eventually",
    "expect",
    "export",
    "extends",
    "extern",
    "final",
    "first_match",
    "for",
    "force",
    "foreach",
    "forever",
    "fork",
    "forkjoin",
    "function",
    "generate",
    "genvar",
    "global",
    "highz0",
    "highz1",
    "if",
    "iff",
    "ifnone",
    "ignore_bins",
    "illegal_bins",
    "implements",
    "implies",
    "import",
    "incdir",
    "include",
    "initial",
    "inout",
    "input",
    "inside",
    "instance",
    "int",
    "integer",
    "interconnect",
    "interface",
    "intersect",
    "join",
    "join_any",
    "join_none",
    "large",
    "let",
    "liblist",
    "library",
    "local",
    "localparam",
    "logic",
    "longint",
    "macromodule",
    "matches",
    "medium",
    "modport",
    "module",
    "nand",
    "negedge",
    "nettype",
    "new",
    "nexttime",
    "nmos",
    "nor",
    "noshowcancelled",
    "not",
    "notif0",
    "notif1",
    "null",
    "or",
    "output",
    "package",
    "packed",
    "parameter",
    "pmos",
    "posedge",
    "primitive",
    "priority",
    "program",
    "property",
    "protected",
    "pull0",
    "pull1",
    "pulldown",
    "pullup",
    "pulsestyle_ondetect",
    "pulsestyle_onevent",
    "pure",
    "rand",
    "randc",
    "randcase",
    "randsequence",
    "rcmos",
    "real",
    "realtime",
    "ref",
    "reg",
    "reject_on",
    "release",
    "repeat",
    "restrict",
    "result",
    "return",
    "rnmos",
    "rpmos",
    "rst",
    "rtran",
    "rtranif0",
    "rtranif1",
    "rules",
    "s_always",
    "s_eventually",
    "s_nexttime",
    "s_until",
    "s_until_with",
    "scalared",
    "sequence",
    "shortint",
    "shortreal",
    "showcancelled",
    "signed",
    "small",
    "soft",
    "solve",
    "specify",
    "specparam",
    "start",
    "state",
    "static",
    "string",
    "strong",
    "strong0",
    "strong1",
    "struct",
    "super",
    "supply0",
    "supply1",
    "sync_accept_on",
    "sync_reject_on",
    "table",
    "tagged",
    "task",
    "this",
    "throughout",
    "time",
    "timeprecision",
    "timeunit",
    "tran",
    "tranif0",
    "tranif1",
    "tri",
    "tri0",
    "tri1",
    "triand",
    "trior",
    "trireg",
    "type",
    "typedef",
    "union",
    "unique",
    "unique0",
    "unsigned",
    "until",
    "until_with",
    "untyped",
    "unused",
    "use",
    "uwire",
    "var",
    "vectored",
    "virtual",
    "void",
    "wait",
    "wait_order",
    "wand",
    "weak",
    "weak0",
    "weak1",
    "while",
    "wildcard",
    "wire",
    "with",
    "within",
    "wor",
    "xnor",
    "xor",
];

/// Names of a module, each given once.
pub(super) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    pub(super) fn new() -> Names {
        Names { taken: RESERVED.iter().map(|&word| word.to_owned()).collect() }
    }

    /// A name like the wanted one that nothing has.
    pub(super) fn fresh(&mut self, wanted: &str) -> String {
        self.fresh_with(wanted, |_| Vec::new())
    }

    /// The same, of a memory with so many ways to read: nothing has the names of its wires either.
    pub(super) fn fresh_memory(&mut self, wanted: &str, reads: u32) -> String {
        self.fresh_with(wanted, |name| wire_names(name, reads).collect())
    }

    fn fresh_with(&mut self, wanted: &str, ends: impl Fn(&str) -> Vec<String>) -> String {
        let plain = plain(wanted);
        let between = if plain.ends_with(|last: char| last.is_ascii_digit()) { "x" } else { "" };
        let all = (2..).map(|next| format!("{plain}{between}{next}"));
        let is_free = |name: &String| !self.taken.contains(name);
        let mut names = std::iter::once(plain.clone()).chain(all);
        let found = names.find(|name| is_free(name) && ends(name).iter().all(is_free));
        let name = found.expect("there is no end of numbers");
        self.taken.extend(ends(&name));
        self.taken.insert(name.clone());
        name
    }

    /// The name of the module itself. It is apart from the names inside.
    pub(super) fn module_name(&mut self, wanted: &str) -> String {
        let plain = spelt(wanted);
        if RESERVED.contains(&&*plain) { format!("{plain}_kernel") } else { plain }
    }
}

/// Letters, digits and underscores.
fn spelt(wanted: &str) -> String {
    let mut name: String = wanted
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '_' })
        .collect();
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name.insert(0, 'v');
    }
    name
}

/// The same, and no underscore before a capital.
fn plain(wanted: &str) -> String {
    let name = spelt(wanted);
    // Names of ours have an underscore and a capital.
    let mut free = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && free.ends_with('_') {
            free.push('u');
        }
        free.push(letter);
    }
    free
}

/// Names that begin with the name of a memory.
fn wire_names(name: &str, reads: u32) -> impl Iterator<Item = String> {
    let name = name.to_owned();
    let shared =
        ["address", "write_address", "write_data", "write_enable"].map(|end| format!("{name}_{end}"));
    let of_reads = (0..reads.min(64))
        .flat_map(move |read| ["address", "enable", "data"].map(|end| format!("{name}_read{read}_{end}")));
    shared.into_iter().chain(of_reads)
}

/// Bits to look at.
#[derive(Clone, Debug)]
pub(super) enum View {
    /// A number of so many bits.
    Number { bits: u32, value: u128 },
    /// A wire; above its bits it repeats the sign or has zeros, up to the declared ones.
    Net { name: String, bits: u32, signed: bool, declared: u32 },
}
