//! How is a function called by the words that the ABI passes for its structs and wide numbers?
//!
//! The driver knows no types of the source. A struct of at most 16 bytes is passed as the numbers in
//! its registers, so a call with these numbers is a call with the struct; each of its bits is tried.
//! A larger struct is a copy on the stack, and a struct of as many bytes is copied there alike. A large
//! result goes to a hidden pointer. The function is called by its name for the linker.
//!
//! Input: what is passed for each parameter. Output: declarations and expressions in C. Cost: linear.
//! Limit: the ABI is that of x86-64.

/// A function as the linker knows it, and what is passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalledByWords {
    /// Its name for the linker.
    pub symbol: String,
    /// What is passed for each parameter of LLVM.
    pub parameters: Vec<Passed>,
    /// What comes back.
    pub result: PassedResult,
}

/// What is passed for a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Passed {
    /// A number of so many bits. Whether it is extended with its sign, if that is so.
    Number {
        /// Bits of its type.
        bits: u32,
        /// Whether copies of the sign, or zeros, are above it.
        signed: bool,
    },
    /// A pointer.
    Pointer,
    /// A copy of so many bytes.
    Copy {
        /// Bytes.
        bytes: u64,
    },
}

/// What comes back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PassedResult {
    /// Nothing.
    Nothing,
    /// Numbers of so many bits at these bits of the result.
    Numbers(Vec<(u32, u32)>),
}

impl CalledByWords {
    /// Declarations that the call needs.
    pub(crate) fn declarations(&self, is_cpp: bool) -> Vec<String> {
        let mut all = Vec::new();
        for (position, passed) in self.parameters.iter().enumerate() {
            if let Passed::Copy { bytes } = passed {
                all.push(format!(
                    "struct driver_copy{position} {{ _Alignas(8) unsigned char bytes[{bytes}]; }};"
                ));
            }
        }
        if let PassedResult::Numbers(numbers) = &self.result
            && numbers.len() > 1
        {
            let fields: Vec<String> = numbers
                .iter()
                .enumerate()
                .map(|(field, &(_, bits))| format!("{} part{field};", word(bits, false)))
                .collect();
            all.push(format!("struct driver_result {{ {} }};", fields.join(" ")));
        }
        let of_one = |(position, passed): (usize, &Passed)| match passed {
            Passed::Number { bits, signed } => word(*bits, *signed).to_owned(),
            Passed::Pointer => "void *".to_owned(),
            Passed::Copy { .. } => format!("struct driver_copy{position}"),
        };
        let mut parameters: Vec<String> = self.parameters.iter().enumerate().map(of_one).collect();
        if parameters.is_empty() {
            parameters.push("void".to_owned());
        }
        let linkage = if is_cpp { "extern \"C\" " } else { "extern " };
        let (result, list) = (self.result_type(), parameters.join(", "));
        all.push(format!("{linkage}{result} driver_called({list}) __asm__(\"{}\");", self.symbol));
        // Nothing is known of it where it is called, so it is called as it is written here.
        all.push(format!("static {result} (*volatile driver_pointer)({list}) = driver_called;"));
        all.into_iter().map(|line| if is_cpp { line.replace("_Alignas", "alignas") } else { line }).collect()
    }

    fn result_type(&self) -> &'static str {
        match &self.result {
            PassedResult::Nothing => "void",
            PassedResult::Numbers(numbers) => match numbers[..] {
                [(_, bits)] => word(bits, false),
                _ => "struct driver_result",
            },
        }
    }

    /// What is passed for a number that is in a variable.
    pub(crate) fn number(&self, position: u32, variable: &str) -> String {
        let Some(Passed::Number { bits, signed }) = self.parameters.get(position as usize) else {
            return variable.to_owned();
        };
        match (*signed, *bits) {
            (true, bits @ 1..64) => {
                format!("({})((int64_t)({variable} << {}) >> {})", word(bits, true), 64 - bits, 64 - bits)
            }
            (_, bits) => format!("({}){variable}", word(bits, *signed)),
        }
    }

    /// Statements that call it with these arguments; the result is in `result` then.
    pub(crate) fn call(&self, arguments: &[String]) -> Vec<String> {
        let call = format!("driver_pointer({})", arguments.join(", "));
        match &self.result {
            PassedResult::Nothing => vec![format!("{call};")],
            PassedResult::Numbers(numbers) if numbers.len() == 1 => {
                vec![format!("unsigned __int128 result = {call};")]
            }
            PassedResult::Numbers(numbers) => {
                let mut all = vec![format!("struct driver_result parts = {call};")];
                let joined = numbers.iter().enumerate().map(|(field, &(offset, bits))| {
                    let part = format!("(unsigned __int128)parts.part{field}");
                    format!("((({part}) & {}) << {offset})", constant(ones(bits)))
                });
                let joined: Vec<String> = joined.collect();
                all.push(format!("unsigned __int128 result = {};", joined.join(" | ")));
                all
            }
        }
    }
}

/// The type in C that holds so many bits.
fn word(bits: u32, signed: bool) -> &'static str {
    match (bits, signed) {
        (..=8, true) => "int8_t",
        (..=8, false) => "uint8_t",
        (9..=16, true) => "int16_t",
        (9..=16, false) => "uint16_t",
        (17..=32, true) => "int32_t",
        (17..=32, false) => "uint32_t",
        (33..=64, true) => "int64_t",
        (33..=64, false) => "uint64_t",
        _ => "unsigned __int128",
    }
}

fn ones(bits: u32) -> u128 {
    crate::kernel::all_bits(bits)
}

/// A number of C with up to 128 bits.
pub(crate) fn constant(value: u128) -> String {
    match u64::try_from(value) {
        Ok(value) => format!("{value}ull"),
        Err(_) => {
            format!("((unsigned __int128){}ull << 64 | {}ull)", (value >> 64) as u64, value as u64)
        }
    }
}
