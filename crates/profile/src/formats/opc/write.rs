//! How do rows become the cells of a row group?
//!
//! Column by column, as the table says. A list is written as Parquet (and Dremel before it)
//! does: each element with the level that it repeats at, and how much of it is there.
//! Cost: one pass over the rows for each column.

use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, FixedLenByteArray, FixedLenByteArrayType, Int32Type,
    Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedRowGroupWriter;

use super::columns::{Cells, Row, TableColumn};
use crate::Assumption;

type Group<'a> = SerializedRowGroupWriter<'a, Vec<u8>>;
type Wrote = Result<(), ParquetError>;
/// One part of an assumption, if it has it.
type Part = fn(&Assumption) -> Option<ByteArray>;

/// Writes all columns of these rows.
pub(super) fn write(group: &mut Group<'_>, columns: &[&TableColumn], rows: &[Row<'_>]) -> Wrote {
    for column in columns {
        let rows = rows.iter().copied();
        match &column.cells {
            Cells::Text(get) => {
                cells::<ByteArrayType>(group, rows.map(|row| get(row).map(|text| (*text).into())))?;
            }
            Cells::Flag(get) => cells::<BoolType>(group, rows.map(get))?,
            // Parquet keeps unsigned numbers in signed cells of the same bits.
            Cells::Small(get) => cells::<Int32Type>(group, rows.map(|row| get(row).map(u32::cast_signed)))?,
            Cells::Count(get) => cells::<Int64Type>(group, rows.map(|row| get(row).map(u64::cast_signed)))?,
            Cells::Decimal(get) => {
                cells::<FixedLenByteArrayType>(group, rows.map(|row| get(row).map(decimal)))?;
            }
            Cells::Decimals(get) => {
                let all =
                    |numbers: Vec<i128>| numbers.into_iter().map(|number| Some(decimal(number))).collect();
                lists::<FixedLenByteArrayType>(group, Element::Needed, rows.map(|row| get(row).map(all)))?;
            }
            Cells::Assumptions(get) => {
                let parts: [(Element, Part); 3] = [
                    (Element::Needed, |one| Some(one.what().word().into())),
                    (Element::Optional, |one| Some(one.key()?.to_string().as_str().into())),
                    (Element::Optional, |one| Some(one.words()?.as_str().into())),
                ];
                for (element, part) in parts {
                    let all = |row| get(row).map(|all| all.iter().map(part).collect());
                    lists::<ByteArrayType>(group, element, rows.clone().map(all))?;
                }
            }
        }
    }
    Ok(())
}

/// The bytes of a number, the greatest first.
fn decimal(number: i128) -> FixedLenByteArray {
    number.to_be_bytes().to_vec().into()
}

fn cells<T: DataType>(group: &mut Group<'_>, cells: impl Iterator<Item = Option<T::T>>) -> Wrote {
    let mut values = Vec::new();
    let present: Vec<i16> = cells
        .map(|cell| {
            let present = i16::from(cell.is_some());
            values.extend(cell);
            present
        })
        .collect();
    close::<T>(group, &values, &present, None)
}

/// Whether each element of a list has a value here.
#[derive(Clone, Copy)]
enum Element {
    Needed,
    Optional,
}

/// Lists of cells; one that is `None` is null.
fn lists<T: DataType>(
    group: &mut Group<'_>,
    element: Element,
    lists: impl Iterator<Item = Option<Vec<Option<T::T>>>>,
) -> Wrote {
    let (mut values, mut present, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    for list in lists {
        let is_null = list.is_none();
        let list = list.unwrap_or_default();
        if list.is_empty() {
            present.push(i16::from(!is_null));
            repeated.push(0);
        }
        for (position, value) in list.into_iter().enumerate() {
            let is_there = matches!(element, Element::Optional) && value.is_some();
            present.push(2 + i16::from(is_there));
            repeated.push(i16::from(position > 0));
            values.extend(value);
        }
    }
    close::<T>(group, &values, &present, Some(&repeated))
}

fn close<T: DataType>(
    group: &mut Group<'_>,
    values: &[T::T],
    present: &[i16],
    repeated: Option<&[i16]>,
) -> Wrote {
    let mut writer = group.next_column()?.ok_or_else(|| ParquetError::General("too many columns".into()))?;
    writer.typed::<T>().write_batch(values, Some(present), repeated)?;
    writer.close()
}
