//! How do facts become the cells of a row group?
//!
//! Column by column, as [`TABLE`] says. Cost: one pass over the facts for each column.

use parquet::data_type::{BoolType, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedRowGroupWriter;

use super::columns::{Cells, TABLE};
use crate::Fact;

/// Writes all columns of these facts.
pub(super) fn write(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    facts: &[Fact],
) -> Result<(), ParquetError> {
    for (_, _, cells) in &TABLE {
        match cells {
            Cells::Text(get) => {
                column::<ByteArrayType>(
                    group,
                    facts.iter().map(|fact| get(fact).map(|text| (*text).into())),
                )?;
            }
            Cells::Flag(get) => column::<BoolType>(group, facts.iter().map(get))?,
            // Parquet keeps unsigned numbers in signed cells of the same bits.
            Cells::Small(get) => {
                column::<Int32Type>(group, facts.iter().map(|fact| get(fact).map(u32::cast_signed)))?;
            }
            Cells::Count(get) => {
                column::<Int64Type>(group, facts.iter().map(|fact| get(fact).map(u64::cast_signed)))?;
            }
        }
    }
    Ok(())
}

fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    cells: impl Iterator<Item = Option<T::T>>,
) -> Result<(), ParquetError> {
    let mut values = Vec::new();
    let present: Vec<i16> = cells
        .map(|cell| {
            let present = i16::from(cell.is_some());
            values.extend(cell);
            present
        })
        .collect();
    let mut writer = group.next_column()?.ok_or_else(|| ParquetError::General("too many columns".into()))?;
    writer.typed::<T>().write_batch(&values, Some(&present), None)?;
    writer.close()
}
