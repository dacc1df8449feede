//! What may things be called, and what is looked at?

use std::collections::BTreeSet;

/// Words that a name must not be.
const RESERVED: &[&str] = &[
    "always",
    "and",
    "assign",
    "automatic",
    "begin",
    "bit",
    "buf",
    "bufif0",
    "bufif1",
    "byte",
    "case",
    "casex",
    "casez",
    "cell",
    "clk",
    "cmos",
    "config",
    "const",
    "context",
    "deassign",
    "default",
    "defparam",
    "design",
    "disable",
    "do",
    "done",
    "edge",
    "else",
    "end",
    "endcase",
    "endconfig",
    "endfunction",
    "endgenerate",
    "endmodule",
    "endprimitive",
    "endspecify",
    "endtable",
    "endtask",
    "enum",
    "event",
    "final",
    "for",
    "force",
    "forever",
    "fork",
    "function",
    "generate",
    "genvar",
    "global",
    "highz0",
    "highz1",
    "if",
    "ifnone",
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
    "join",
    "large",
    "liblist",
    "library",
    "localparam",
    "logic",
    "longint",
    "macromodule",
    "matches",
    "medium",
    "module",
    "nand",
    "negedge",
    "new",
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
    "pull0",
    "pull1",
    "pulldown",
    "pullup",
    "pure",
    "rand",
    "rcmos",
    "real",
    "realtime",
    "ref",
    "reg",
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
    "scalared",
    "sequence",
    "shortint",
    "shortreal",
    "showcancelled",
    "signed",
    "small",
    "specify",
    "specparam",
    "start",
    "state",
    "static",
    "string",
    "strong0",
    "strong1",
    "struct",
    "super",
    "supply0",
    "supply1",
    "table",
    "tagged",
    "task",
    "this",
    "time",
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
    "unsigned",
    "unused",
    "use",
    "var",
    "vectored",
    "virtual",
    "void",
    "wait",
    "wand",
    "weak0",
    "weak1",
    "while",
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

    /// Nothing else gets this name.
    pub(super) fn reserve(&mut self, name: String) {
        self.taken.insert(name);
    }

    /// A name like the wanted one that nothing has.
    pub(super) fn fresh(&mut self, wanted: &str) -> String {
        let plain = plain(wanted);
        let mut name = plain.clone();
        let mut next = 2;
        while self.taken.contains(&name) {
            name = format!(
                "{plain}{}{next}",
                if plain.ends_with(|last: char| last.is_ascii_digit()) { "x" } else { "" }
            );
            next += 1;
        }
        self.taken.insert(name.clone());
        name
    }

    /// The name of the module itself.
    pub(super) fn module_name(&mut self, wanted: &str) -> String {
        let plain = plain(wanted);
        if RESERVED.contains(&&*plain) { format!("{plain}_kernel") } else { plain }
    }
}

/// Letters, digits and underscores, and no underscore before a capital.
fn plain(wanted: &str) -> String {
    let mut name: String = wanted
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '_' })
        .collect();
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name.insert(0, 'v');
    }
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
pub(super) fn wire_names(name: &str, reads: u32) -> impl Iterator<Item = String> {
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
    Number { bits: u32, value: u64 },
    /// A wire; above its bits it repeats the sign or has zeros, up to the declared ones.
    Net { name: String, bits: u32, signed: bool, declared: u32 },
}
