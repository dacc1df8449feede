//! LLVM's answers: what `xtask/oracle/bits.cpp` says of every integer.

use crate::command;
use crate::failure::{Failure, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::process::Command;

/// One value; the oracle's file says what the words mean.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Row {
    pub(super) function: String,
    pub(super) index: u32,
    /// How many of the numbers are of parameters.
    #[serde(default)]
    pub(super) parameters: u32,
    pub(super) opcode: String,
    #[serde(default)]
    pub(super) line: u32,
    /// Whether its function only drives or verifies kernels.
    pub(super) drives: bool,
    pub(super) width: u32,
    pub(super) lvi: u32,
    pub(super) scev: u32,
    /// By known bits.
    #[serde(rename = "known")]
    pub(super) known_bits: u32,
    pub(super) demanded: u32,
    pub(super) fwd: u32,
    #[serde(default)]
    pub(super) range: String,
    #[serde(rename = "type")]
    pub(super) narrow: u32,
    pub(super) all: u32,
}

/// What LLVM says of every value of the module.
pub(super) fn query(oracle: &Path, module: &Path) -> Result<Vec<Row>> {
    read(&command::output_of(Command::new(oracle).arg(module))?)
}

fn read(text: &str) -> Result<Vec<Row>> {
    let row = |line: &str| {
        serde_json::from_str(line).map_err(|error| Failure::new(format!("the oracle said `{line}`: {error}")))
    };
    text.lines().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::oracle;
    use crate::root::repository;
    use std::fs;

    /// What each column has to be of every value.
    const MODULE: &str = r#"
@table = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 9]

define i32 @masked(i32 %x, i8 %unused) {
  %low = and i32 %x, 7
  %tripled = mul nuw nsw i32 %low, 3
  %minus = sub nsw i32 0, %tripled
  %high = shl i32 %x, 8
  %byte = trunc i32 %high to i16
  %wide = zext i16 %byte to i32
  %sum = add i32 %wide, %minus
  ret i32 %sum
}

define i32 @counted(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add nuw nsw i32 %i, 1
  %again = icmp samesign ult i32 %next, 100
  br i1 %again, label %loop, label %end
end:
  %small = icmp ult i32 %n, 30
  br i1 %small, label %yes, label %no
yes:
  %half = lshr i32 %n, 1
  ret i32 %half
no:
  ret i32 %next
}
"#;

    #[test]
    fn columns_are_what_they_are_called() {
        let folder = repository().unwrap().join("target/bench/bits");
        fs::create_dir_all(&folder).unwrap();
        let program = oracle::build("bits", &folder).unwrap();
        let module = folder.join(format!("columns-{}.ll", std::process::id()));
        fs::write(&module, MODULE).unwrap();
        let rows = query(&program, &module).unwrap();
        fs::remove_file(&module).unwrap();
        let of = |function: &str, index: u32| {
            let row = rows.iter().find(|row| row.function == function && row.index == index).unwrap();
            ([row.width, row.lvi, row.scev, row.known_bits, row.demanded], [row.fwd, row.narrow, row.all])
        };
        // Of x the low eight bits are demanded, of what is not used none.
        assert_eq!(of("masked", 0), ([32, 32, 32, 32, 8], [32, 8, 8]));
        assert_eq!(of("masked", 1), ([8, 8, 8, 8, 0], [8, 0, 0]));
        assert_eq!(of("masked", 2), ([32, 3, 3, 3, 32], [3, 3, 3]));
        assert_eq!(of("masked", 3), ([32, 5, 5, 5, 32], [5, 5, 5]));
        // -21 to 0: six bits with the sign.
        assert_eq!(of("masked", 4).0[1], 6);
        assert_eq!(of("masked", 4).1[0], 6);
        // Bits 8 to 15 are there, the others of the 16 are zero and known.
        assert_eq!(of("masked", 7).1, [16, 16, 8]);
        // 0 to 99, by ScalarEvolution; 0 to 29 behind the branch, by LazyValueInfo.
        let (columns, joined) = of("counted", 2);
        assert_eq!((columns[2], joined[0]), (7, 7));
        assert_eq!(of("counted", 4).0, [1, 1, 1, 1, 1]);
        let (columns, joined) = of("counted", 8);
        assert_eq!((columns[1], joined[0]), (4, 4));
        assert_eq!(rows.iter().map(|row| row.function == "counted").filter(|is| *is).count(), 6);
    }

    #[test]
    fn lines_of_the_oracle_become_rows() {
        let line = r#"{"all":4,"demanded":32,"drives":true,"function":"main","fwd":5,"index":7,"known":8,"line":3,"lvi":9,"opcode":"add","scev":6,"type":5,"width":32}"#;
        let row = read(line).unwrap().remove(0);
        assert_eq!((row.narrow, row.all, row.line, row.drives), (5, 4, 3, true));
        assert!(read("{}").is_err());
    }
}
