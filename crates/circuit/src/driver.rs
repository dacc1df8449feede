//! What does the C function itself do? A program that calls it at random and writes it down.
//!
//! The program includes the source, so that it sees what is static. It calls the function with
//! numbers and memories at random, ends of types and of contracts among them, and writes what the
//! testbench reads: what went in, and what came out. It is compiled with the sanitizers of addresses
//! and of undefined behaviour. Inputs with which the function does what no program may do end it, and
//! then nothing is compared.

use std::fmt::Write;

use crate::called::{CalledByWords, Passed, constant};
use crate::kernel::all_bits;
use crate::verilog::{Design, MemoryPort, ScalarPort};

/// Numbers that a parameter may be, with both ends.
pub type Pieces = Vec<(i128, i128)>;

/// The function that is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverFunction {
    /// The file that defines it.
    pub source: String,
    /// Its name there.
    pub function: String,
    /// Whether the file is C++.
    pub is_cpp: bool,
    /// How it is called if its parameters are no plain numbers and pointers.
    pub by_words: Option<CalledByWords>,
}

/// What callers give to a circuit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DriverInputs {
    /// Numbers of each scalar of the design, in order; of none all of its type.
    pub scalars: Vec<Pieces>,
    /// Elements of each memory, in order, in the same manner.
    pub elements: Vec<Pieces>,
    /// Bits of each scalar that may be one.
    pub allowed: Vec<u128>,
    /// Members of scalars that are words of structs.
    pub members: Vec<DriverMember>,
    /// Of each memory the elements that are 0 or 1.
    pub booleans: Vec<Vec<DriverBooleans>>,
}

/// A member of a word, and what it may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverMember {
    /// The position of the scalar in the design.
    pub scalar: usize,
    /// The lowest bit.
    pub offset: u32,
    /// How many bits.
    pub bits: u32,
    /// Numbers that it may be.
    pub pieces: Pieces,
}

/// Elements that are 0 or 1: the first, and each so many further on; that one alone where it is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DriverBooleans {
    /// The first.
    pub first: u64,
    /// From one to the next.
    pub stride: u64,
}

/// The program for a function of a source. Its arguments are a seed, and how many runs.
pub fn driver(design: &Design, called: &DriverFunction, lengths: &[u64], given: &DriverInputs) -> String {
    let mut text = String::new();
    let mut line = |words: &str| writeln!(text, "{words}").expect("writing to a string");
    line("#define main main_of_the_source");
    line(&format!("#include \"{}\"", called.source));
    line("#undef main");
    line("#include <stdint.h>");
    line("#include <stdio.h>");
    line("#include <stdlib.h>");
    line("#include <string.h>");
    line("static uint64_t driver_state;");
    line("static uint64_t driver_next(void) {");
    line(
        "  driver_state ^= driver_state << 13; driver_state ^= driver_state >> 7; driver_state ^= driver_state << 17;",
    );
    line("  return driver_state * 0x2545f4914f6cdd1dull;");
    line("}");
    line("static uint64_t driver_between(int64_t low, int64_t high) {");
    line("  uint64_t count = (uint64_t)high - (uint64_t)low + 1, kind = driver_next() >> 60;");
    line("  if (kind == 0) return (uint64_t)low;");
    line("  if (kind == 1) return (uint64_t)high;");
    line("  return (uint64_t)low + (count ? driver_next() % count : driver_next());");
    line("}");
    line("static void driver_fill(unsigned char *at, uint64_t bytes, uint64_t size) {");
    line("  uint64_t kind = driver_next() >> 61;");
    line("  for (uint64_t i = 0; i < bytes; i++) {");
    line("    unsigned char byte = (unsigned char)(driver_next() >> 40);");
    line("    if (kind == 0) byte = 0;");
    line("    if (kind == 1) byte = 0xff;");
    line("    if (kind == 2) byte = i % size == size - 1 ? 0x7f : 0xff;");
    line("    if (kind == 3) byte = i % size == size - 1 ? 0x80 : 0;");
    line("    at[i] = byte;");
    line("  }");
    line("}");
    line("static void driver_write(FILE *file, const unsigned char *at, uint64_t count, uint64_t size) {");
    line("  for (uint64_t i = 0; i < count; i++) {");
    line("    for (uint64_t byte = size; byte-- > 0;) fprintf(file, \"%02x\", at[i * size + byte]);");
    line("    fputc('\\n', file);");
    line("  }");
    line("}");
    line("static unsigned char driver_spare[1 << 20] __attribute__((aligned(64)));");
    line("static unsigned __int128 driver_wide(__int128 low, __int128 high) {");
    line("  unsigned __int128 count = (unsigned __int128)high - (unsigned __int128)low + 1;");
    line("  uint64_t kind = driver_next() >> 60, upper = driver_next();");
    line("  if (kind == 0) return (unsigned __int128)low;");
    line("  if (kind == 1) return (unsigned __int128)high;");
    line("  if (kind < 5) upper = kind == 2 ? 0 : kind == 3 ? ~0ull : upper >> (upper & 63);");
    line("  unsigned __int128 any = (unsigned __int128)upper << 64 | driver_next();");
    line("  return (unsigned __int128)low + (count ? any % count : any);");
    line("}");
    line("static void driver_number(FILE *file, unsigned __int128 number) {");
    line(
        "  fprintf(file, \"%016llx%016llx\\n\", (unsigned long long)(number >> 64), (unsigned long long)number);",
    );
    line("}");
    for declaration in called.by_words.iter().flat_map(|words| words.declarations(called.is_cpp)) {
        line(&declaration);
    }
    if called.is_cpp {
        // Pointers of any type, of which C++ makes none by itself.
        line(
            "struct driver_any { void *at; template <typename T> operator T *() const { return (T *)at; } };",
        );
    }
    if called.by_words.is_some() {
        // The types are others, and the words are the same.
        line("__attribute__((no_sanitize(\"function\")))");
    }
    line("int main(int argc, char **argv) {");
    line("  if (argc != 4) return 2;");
    line("  driver_state = strtoull(argv[2], 0, 0) * 2 + 88172645463325253ull;");
    line("  uint64_t runs = strtoull(argv[3], 0, 0);");
    line("  FILE *file = fopen(argv[1], \"w\");");
    line("  if (!file) return 2;");
    line("  fprintf(file, \"%llx\\n\", (unsigned long long)runs);");
    for (memory, length) in design.memories.iter().zip(lengths) {
        let bytes = length * u64::from(memory.bits / 8);
        let start = match memory.parameter {
            Some(_) => format!("(unsigned char *)malloc({bytes})"),
            None => format!("(unsigned char *)(void *)&{}", memory.source_name),
        };
        line(&format!("  unsigned char *{} = {start};", variable(memory)));
    }
    line("  for (uint64_t run = 0; run < runs; run++) {");
    for (position, (scalar, pieces)) in design.scalars.iter().zip(&given.scalars).enumerate() {
        let ty = if scalar.declared > 64 { "unsigned __int128" } else { "uint64_t" };
        let name = number(scalar);
        line(&format!("    {ty} {name} = {};", random(scalar.declared, pieces)));
        let all = all_bits(scalar.declared);
        if let Some(&allowed) = given.allowed.get(position).filter(|&&allowed| allowed & all != all) {
            line(&format!("    {name} &= {};", constant(allowed & all)));
        }
        for member in given.members.iter().filter(|member| member.scalar == position) {
            let own = all_bits(member.bits);
            let (rest, offset) = (constant(all & !(own << member.offset)), member.offset);
            let one = random(member.bits, &member.pieces);
            line(&format!(
                "    {name} = ({name} & {rest}) | ((({ty})({one}) & {}) << {offset});",
                constant(own)
            ));
        }
        match scalar.declared {
            65.. => line(&format!("    driver_number(file, {name} & {});", constant(all))),
            _ => line(&format!("    fprintf(file, \"%llx\\n\", (unsigned long long)({name} & {all}ull));")),
        }
    }
    for (place, ((memory, length), pieces)) in
        design.memories.iter().zip(lengths).zip(&given.elements).enumerate()
    {
        let size = u64::from(memory.bits / 8);
        line(&match &**pieces {
            [] => format!("    driver_fill({}, {}, {size});", variable(memory), length * size),
            pieces => format!(
                "    for (uint64_t i = 0; i < {length}; i++) {{ uint64_t one = {}; memcpy({} + i * {size}, &one, {size}); }}",
                random(memory.bits, pieces),
                variable(memory)
            ),
        });
        for booleans in given.booleans.get(place).into_iter().flatten() {
            let step = if booleans.stride == 0 { *length } else { booleans.stride };
            line(&format!(
                "    for (uint64_t i = {}; i < {length}; i += {step}) {}[i * {size}] &= 1;",
                booleans.first,
                variable(memory)
            ));
        }
        line(&format!("    fprintf(file, \"{length:x}\\n\");"));
        line(&format!("    driver_write(file, {}, {length}, {size});", variable(memory)));
    }
    let arguments = arguments(design, called);
    let call = format!("{}({})", called.function, arguments.join(", "));
    match (&design.result, &called.by_words) {
        (None, None) => line(&format!("    {call};")),
        (Some(_), None) => line(&format!("    uint64_t result = (uint64_t){call};")),
        (_, Some(words)) => words.call(&arguments).iter().for_each(|words| line(&format!("    {words}"))),
    }
    if let Some(result) = &design.result {
        let mask = all_bits(result.declared) & design.result_mask;
        line(&format!("    driver_number(file, (unsigned __int128)result & {});", constant(mask)));
    }
    for (memory, length) in design.memories.iter().zip(lengths) {
        let size = u64::from(memory.bits / 8);
        line(&format!("    driver_write(file, {}, {length}, {size});", variable(memory)));
    }
    line("  }");
    line("  return fclose(file) == 0 ? 0 : 2;");
    line("}");
    text
}

fn variable(memory: &MemoryPort) -> String {
    format!("driver_m_{}", memory.name)
}

fn number(scalar: &ScalarPort) -> String {
    format!("driver_p_{}", scalar.name)
}

/// A number of the pieces, or of the type.
fn random(bits: u32, pieces: &[(i128, i128)]) -> String {
    if bits > 64 {
        return wide(bits, pieces);
    }
    let text = |end: i128| format!("(int64_t){}ull", end as u64);
    match pieces {
        [] if bits == 64 => "driver_between(INT64_MIN, INT64_MAX)".to_owned(),
        [] => {
            let half = 1i128 << (bits - 1);
            format!("driver_between({}, {})", text(-half), text(half - 1))
        }
        [(low, high)] => format!("driver_between({}, {})", text(*low), text(*high)),
        [(low, high), rest @ ..] => {
            let one = format!("driver_between({}, {})", text(*low), text(*high));
            format!("driver_next() % {} == 0 ? {one} : {}", pieces.len(), random(bits, rest))
        }
    }
}

/// The same of more than 64 bits.
fn wide(bits: u32, pieces: &[(i128, i128)]) -> String {
    let text = |end: i128| format!("(__int128){}", constant(end as u128));
    let between = |low: i128, high: i128| format!("driver_wide({}, {})", text(low), text(high));
    match pieces {
        [] => between(i128::MIN >> (128 - bits), i128::MAX >> (128 - bits)),
        [(low, high)] => between(*low, *high),
        [(low, high), rest @ ..] => {
            format!("driver_next() % {} == 0 ? {} : {}", pieces.len(), between(*low, *high), wide(bits, rest))
        }
    }
}

/// Arguments of the call, by position. What the circuit does not use is a pointer: every number is a
/// port. C may read there all the same.
fn arguments(design: &Design, called: &DriverFunction) -> Vec<String> {
    let words = called.by_words.as_ref();
    let pointer = |to: &str| match called.is_cpp {
        true => format!("driver_any{{{to}}}"),
        false => format!("(void *){to}"),
    };
    let passed = |position: usize| words.and_then(|words| words.parameters.get(position));
    let mut all = vec![pointer("driver_spare"); design.parameters as usize];
    for (position, argument) in all.iter_mut().enumerate() {
        if let Some(Passed::Copy { .. }) = passed(position) {
            *argument = format!("*(struct driver_copy{position} *)driver_spare");
        }
    }
    for scalar in &design.scalars {
        let name = number(scalar);
        all[scalar.parameter as usize] =
            words.map_or_else(|| name.clone(), |words| words.number(scalar.parameter, &name));
    }
    for memory in &design.memories {
        let Some(position) = memory.parameter else { continue };
        all[position as usize] = match passed(position as usize) {
            Some(Passed::Copy { .. }) => format!("*(struct driver_copy{position} *){}", variable(memory)),
            _ => match memory.before * u64::from(memory.bits / 8) {
                0 => pointer(&variable(memory)),
                bytes => pointer(&format!("({} + {bytes})", variable(memory))),
            },
        };
    }
    all
}
