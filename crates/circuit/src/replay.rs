//! What does a real run give the function, and what comes out? A source that writes down each of its calls.
//!
//! The source is linked to the program (`replay.c` says how it sees the calls). It writes what the testbench
//! reads: numbers, elements that pointers lead to, the result, and the elements afterwards. A call that no
//! circuit of this design takes is counted, and not written down.
//!
//! Input: a circuit, and what its parameters may be. Output: the source. Cost: linear in ports; at run time, all
//! elements of all memories for each call.

use std::fmt::Write;

use crate::driver::Pieces;
use crate::verilog::Design;

/// The source for a circuit of a function; `pieces` are of each scalar of the design, in order, and `lengths` the
/// elements of each memory.
pub fn replay(design: &Design, function: &str, lengths: &[u64], pieces: &[Pieces]) -> String {
    let mut text = String::new();
    let mut line = |words: &str| writeln!(text, "{words}").expect("writing to a string");
    line("#define _GNU_SOURCE");
    line("#include <stdint.h>");
    line("struct replay_piece { int is_signed; uint64_t low, high; };");
    line(
        "struct replay_scalar { const char *name; int parameter, declared, bits, is_signed, first, pieces; };",
    );
    line(
        "struct replay_memory { const unsigned char *data; int parameter, is_written; uint64_t size, length; };",
    );
    line(&format!("extern void replay_top(void) __asm__(\"{function}\");"));
    for (position, memory) in design.memories.iter().enumerate().filter(|(_, one)| one.parameter.is_none()) {
        let name = &memory.source_name;
        line(&format!("extern unsigned char replay_data{position}[] __asm__(\"{name}\");"));
    }
    line(&format!("#define REPLAY_SCALARS {}", design.scalars.len()));
    line(&format!("#define REPLAY_MEMORIES {}", design.memories.len()));
    line(&format!("#define REPLAY_RESULT {}", design.result.as_ref().map_or(0, |result| result.declared)));
    line(&format!("#define REPLAY_MASK {}ull", design.result_mask as u64));
    line(&format!("#define REPLAY_HAS_STATE {}", i32::from(design.has_state())));
    // Each table has one entry more, so that none is empty.
    line("static const struct replay_piece replay_pieces[] = {");
    for (low, high) in pieces.iter().flatten() {
        line(&format!("  {{{}, {}ull, {}ull}},", i32::from(*low < 0), *low as u64, *high as u64));
    }
    line("  {0, 0, 0}\n};");
    line("static const struct replay_scalar replay_scalars[] = {");
    let mut first = 0;
    for (scalar, pieces) in design.scalars.iter().zip(pieces) {
        line(&format!(
            "  {{\"{}\", {}, {}, {}, {}, {first}, {}}},",
            scalar.name,
            scalar.parameter,
            scalar.declared,
            scalar.bits,
            i32::from(scalar.signed),
            pieces.len()
        ));
        first += pieces.len();
    }
    line("  {0, 0, 0, 0, 0, 0, 0}\n};");
    line("static const struct replay_memory replay_memories[] = {");
    for (position, (memory, length)) in design.memories.iter().zip(lengths).enumerate() {
        let (data, parameter) = match memory.parameter {
            Some(parameter) => ("0".to_owned(), parameter.to_string()),
            None => (format!("replay_data{position}"), "-1".to_owned()),
        };
        line(&format!(
            "  {{{data}, {parameter}, {}, {}, {length}}},",
            i32::from(memory.is_written),
            memory.bits / 8
        ));
    }
    line("  {0, 0, 0, 0, 0}\n};");
    line("");
    text + include_str!("replay.c")
}
