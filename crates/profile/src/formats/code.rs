//! Which machine code stands for what? The table beside a program's code.
//!
//! Where it is emitted (`crates/llvm/shim/code.cpp`) each module writes a table
//! into a section that is not loaded, and the linker puts them behind each other,
//! addresses made those of the file. [`read_code`] reads a row of them:
//!
//! ```text
//! "OPCCODE2" | hash of the map 16 | rows u64 | functions u64 | functions
//! function: address u64 | bytes u32 | rows u32 | rows
//! row: offset u32 | instruction + 1 u32 | block + 1 u32 | group + 1 u32
//!      | machine instructions u16 | throughput u16 | latency u16 | factor u16
//!      | begins a machine block u16
//! ```
//!
//! Instructions and blocks are numbered through the module; 0 is none. Functions
//! that the linker dropped have address 0 or 1 and are left out.
//! Cost: linear. A table that is cut off or makes no sense is an error, not a
//! table of less.

use opcost_key::Hash128;
use thiserror::Error;

/// The section's name.
pub const CODE_SECTION: &str = ".debug_opcost_code";
const MAGIC: &[u8; 8] = b"OPCCODE2";
/// What all versions begin with.
const ANY_MAGIC: &[u8] = b"OPCCODE";
const ROW: usize = 26;

/// Why a table could not be read.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("the table of machine code is damaged at byte {offset} ({what}): build the program again")]
pub struct CodeError {
    /// From the start of the section.
    pub offset: usize,
    /// What is wrong there.
    pub what: &'static str,
}

/// The code of one module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleCode {
    /// The hash of its map.
    pub map: Hash128,
    /// Functions that have code, in the order of the module.
    pub functions: Vec<FunctionCode>,
}

/// The code of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionCode {
    /// Address of its first byte, as the file numbers them.
    pub address: u64,
    /// How many bytes it has.
    pub bytes: u32,
    /// Each to the next one, in order of their offsets; the first has offset 0.
    pub rows: Vec<CodeRow>,
}

/// Code that is executed for one instruction of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeRow {
    /// From the start of the function, in bytes.
    pub offset: u32,
    /// The instruction of the module that it was made of.
    pub instruction: Option<u32>,
    /// The block of the module in which it is executed.
    pub block: Option<u32>,
    /// Machine instructions.
    pub instructions: u16,
    /// Sixteenths of cycles that they take when nothing waits for another.
    pub throughput: u16,
    /// Cycles that they take when each waits for the one before.
    pub latency: u16,
    /// Where copies of a block are distinguished: which of the function's groups of code of one
    /// copy it belongs to.
    pub group: Option<u32>,
    /// Of how many executions of the block one of this code is. It is more than 1 in loops that
    /// were unrolled or vectorised since the instructions were numbered; not 0.
    pub factor: u16,
    /// Whether control may come from elsewhere: a machine block begins.
    pub begins_block: bool,
}

/// Reads all tables of a section.
///
/// # Errors
/// It is cut off, or its offsets do not go up.
pub fn read_code(data: &[u8]) -> Result<Vec<ModuleCode>, CodeError> {
    let mut reader = Reader { data, at: 0 };
    let mut modules = Vec::new();
    while reader.find_table() {
        modules.push(reader.module()?);
    }
    Ok(modules)
}

struct Reader<'a> {
    data: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    /// Whether another table follows; zeros between them are alignment.
    fn find_table(&mut self) -> bool {
        self.at += self.data[self.at..].iter().take_while(|&&byte| byte == 0).count();
        self.at < self.data.len()
    }

    fn fails<T>(&self, what: &'static str) -> Result<T, CodeError> {
        Err(CodeError { offset: self.at, what })
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], CodeError> {
        match self.data[self.at..].first_chunk::<N>() {
            Some(&bytes) => {
                self.at += N;
                Ok(bytes)
            }
            None => self.fails("cut off"),
        }
    }

    fn word(&mut self) -> Result<u32, CodeError> {
        self.take().map(u32::from_le_bytes)
    }

    fn long(&mut self) -> Result<u64, CodeError> {
        self.take().map(u64::from_le_bytes)
    }

    fn module(&mut self) -> Result<ModuleCode, CodeError> {
        let magic = self.take()?;
        if magic != *MAGIC {
            self.at -= MAGIC.len();
            return self.fails(match magic.starts_with(ANY_MAGIC) {
                true => "it is of another version of opcost",
                false => "no table begins here",
            });
        }
        let map = Hash128(u128::from_le_bytes(self.take()?));
        let (rows, count) = (self.long()?, self.long()?);
        let (mut functions, mut seen) = (Vec::new(), 0u64);
        for _ in 0..count {
            let function = self.function()?;
            seen += function.rows.len() as u64;
            if function.address > 1 {
                functions.push(function);
            }
        }
        if seen != rows {
            return self.fails("another number of rows than promised");
        }
        Ok(ModuleCode { map, functions })
    }

    fn function(&mut self) -> Result<FunctionCode, CodeError> {
        let (address, bytes, count) = (self.long()?, self.word()?, self.word()? as usize);
        if self.data.len() - self.at < count.saturating_mul(ROW) {
            return self.fails("cut off");
        }
        let mut rows: Vec<CodeRow> = Vec::with_capacity(count);
        for _ in 0..count {
            let row = self.row()?;
            let last = rows.last().map_or(0, |last| last.offset);
            if row.offset < last || row.offset > bytes || rows.is_empty() && row.offset != 0 {
                return self.fails("offsets do not go up");
            }
            rows.push(row);
        }
        match rows.is_empty() {
            true => self.fails("a function without code"),
            false => Ok(FunctionCode { address, bytes, rows }),
        }
    }

    fn row(&mut self) -> Result<CodeRow, CodeError> {
        let (offset, instruction, block, group) = (self.word()?, self.word()?, self.word()?, self.word()?);
        let mut short = || self.take().map(u16::from_le_bytes);
        let (instructions, throughput, latency, factor, begins) =
            (short()?, short()?, short()?, short()?, short()?);
        if factor == 0 {
            return self.fails("code that stands for nothing");
        }
        Ok(CodeRow {
            offset,
            instruction: instruction.checked_sub(1),
            block: block.checked_sub(1),
            instructions,
            throughput,
            latency,
            group: group.checked_sub(1),
            factor,
            begins_block: begins != 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(offset: u32, instruction: Option<u32>, block: Option<u32>, begins_block: bool) -> CodeRow {
        let (group, factor) = (block, 1 + offset as u16);
        let (instructions, throughput, latency) = (2, 9, 4);
        CodeRow { offset, instruction, block, instructions, throughput, latency, group, factor, begins_block }
    }

    fn bytes(module: &ModuleCode) -> Vec<u8> {
        let rows: usize = module.functions.iter().map(|function| function.rows.len()).sum();
        let mut out = MAGIC.to_vec();
        out.extend(module.map.0.to_le_bytes());
        out.extend((rows as u64).to_le_bytes());
        out.extend((module.functions.len() as u64).to_le_bytes());
        for function in &module.functions {
            out.extend(function.address.to_le_bytes());
            out.extend(function.bytes.to_le_bytes());
            out.extend((function.rows.len() as u32).to_le_bytes());
            for row in &function.rows {
                let number = |number: Option<u32>| number.map_or(0, |number| number + 1).to_le_bytes();
                out.extend(row.offset.to_le_bytes());
                out.extend(number(row.instruction));
                out.extend(number(row.block));
                out.extend(number(row.group));
                let begins = row.begins_block.into();
                for short in [row.instructions, row.throughput, row.latency, row.factor, begins] {
                    out.extend(short.to_le_bytes());
                }
            }
        }
        out
    }

    fn module() -> ModuleCode {
        let rows =
            vec![row(0, None, Some(0), true), row(4, Some(7), Some(0), false), row(9, Some(3), None, true)];
        let functions = vec![
            FunctionCode { address: 0x1000, bytes: 16, rows: rows.clone() },
            FunctionCode { address: 0x2000, bytes: 9, rows },
        ];
        ModuleCode { map: Hash128(42), functions }
    }

    #[test]
    fn tables_behind_each_other_come_back() {
        let (one, other) = (module(), ModuleCode { map: Hash128(7), ..module() });
        let data = [bytes(&one), vec![0; 5], bytes(&other), vec![0; 3]].concat();
        assert_eq!(read_code(&data), Ok(vec![one, other]));
        assert_eq!(read_code(&[]), Ok(vec![]));
    }

    #[test]
    fn what_the_linker_dropped_is_left_out() {
        let mut dropped = module();
        dropped.functions[0].address = 0;
        let read = read_code(&bytes(&dropped)).expect("a table");
        assert_eq!(read[0].functions, module().functions[1..]);
    }

    #[test]
    fn damage_is_an_error_with_its_place() {
        let whole = bytes(&module());
        for length in 1..whole.len() {
            assert!(read_code(&whole[..length]).is_err(), "{length}");
        }
        let mut other = whole.clone();
        other[0] = b'X';
        assert_eq!(read_code(&other), Err(CodeError { offset: 0, what: "no table begins here" }));
        other.splice(..8, *b"OPCCODE1");
        assert_eq!(read_code(&other).expect_err("old").what, "it is of another version of opcost");
        let mut none = whole.clone();
        // The first row's factor.
        none[40 + 16 + 22..][..2].fill(0);
        assert_eq!(read_code(&none).expect_err("a factor").what, "code that stands for nothing");
        let mut back = whole.clone();
        // The second row's offset, behind head, function and one row.
        back[40 + 16 + ROW] = 200;
        let error = read_code(&back).expect_err("an offset behind the end");
        assert_eq!(error.what, "offsets do not go up");
        let mut rows = whole;
        rows[24] += 1;
        assert_eq!(read_code(&rows).expect_err("rows").what, "another number of rows than promised");
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_a_table_or_an_error(flips in proptest::collection::vec((0usize..256, 0u8..=255), 1..8)) {
            let mut data = bytes(&module());
            for (at, byte) in flips {
                let length = data.len();
                data[at % length] = byte;
            }
            let _ = read_code(&data);
        }
    }
}
