//! The types of number an array may hold.

use super::FORMAT;
use super::header::Endian;
use crate::error::{Error, Result};

/// Numbers of one type.
///
/// ```
/// use rafnet_signal::table::npy::Values;
///
/// let values = Values::U16(vec![3, 4]);
/// assert_eq!((values.type_name(), values.to_f64()?), ("<u2", vec![3.0, 4.0]));
/// # Ok::<(), rafnet_signal::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Values {
    /// 32-bit floats.
    F32(Vec<f32>),
    /// 64-bit floats.
    F64(Vec<f64>),
    /// 8-bit signed integers.
    I8(Vec<i8>),
    /// 16-bit signed integers.
    I16(Vec<i16>),
    /// 32-bit signed integers.
    I32(Vec<i32>),
    /// 64-bit signed integers.
    I64(Vec<i64>),
    /// 8-bit unsigned integers; truth values are read as these.
    U8(Vec<u8>),
    /// 16-bit unsigned integers.
    U16(Vec<u16>),
    /// 32-bit unsigned integers.
    U32(Vec<u32>),
    /// 64-bit unsigned integers.
    U64(Vec<u64>),
}

/// A type of number that a file can hold.
pub trait Element: Copy + private::Sealed {
    /// NumPy's name for the type, with its byte order.
    const NAME: &'static str;

    /// Appends the number's bytes, little-endian.
    fn append_to(self, bytes: &mut Vec<u8>);
}

mod private {
    pub trait Sealed {}
}

/// Writes the same lines for each type: the element, and what `Values` does by type.
macro_rules! elements {
    ($($variant:ident $type:ty, $name:literal, $kind:literal;)*) => {
        $(
            impl private::Sealed for $type {}
            impl Element for $type {
                const NAME: &'static str = $name;
                fn append_to(self, bytes: &mut Vec<u8>) {
                    bytes.extend_from_slice(&self.to_le_bytes());
                }
            }
        )*

        impl Values {
            /// How many numbers there are.
            pub fn len(&self) -> usize {
                match self { $(Self::$variant(values) => values.len(),)* }
            }

            /// NumPy's name for the type, with its byte order.
            pub fn type_name(&self) -> &'static str {
                match self { $(Self::$variant(_) => <$type as Element>::NAME,)* }
            }

            pub(super) fn append_to(&self, bytes: &mut Vec<u8>) {
                match self { $(Self::$variant(values) => values.iter().for_each(|v| v.append_to(bytes)),)* }
            }

            pub(super) fn permute(&self, places: &[usize]) -> Self {
                match self { $(Self::$variant(values) => Self::$variant(places.iter().map(|&at| values[at]).collect()),)* }
            }

            pub(super) fn read(kind: char, size: usize, endian: Endian, bytes: &[u8]) -> Result<Self> {
                match (kind, size) {
                    $(($kind, n) if n == size_of::<$type>() => Ok(Self::$variant(
                        bytes.chunks_exact(n).map(|chunk| {
                            let mut raw = [0; size_of::<$type>()];
                            raw.copy_from_slice(chunk);
                            match endian {
                                Endian::Little => <$type>::from_le_bytes(raw),
                                Endian::Big => <$type>::from_be_bytes(raw),
                            }
                        }).collect(),
                    )),)*
                    ('b', 1) => Ok(Self::U8(bytes.to_vec())),
                    _ => Err(Error::Unsupported {
                        format: FORMAT,
                        feature: format!("values of type `{kind}{size}`"),
                        hint: "convert the array with .astype(numpy.float64)",
                    }),
                }
            }
        }
    };
}

elements! {
    F32 f32, "<f4", 'f';
    F64 f64, "<f8", 'f';
    I8 i8, "|i1", 'i';
    I16 i16, "<i2", 'i';
    I32 i32, "<i4", 'i';
    I64 i64, "<i8", 'i';
    U8 u8, "|u1", 'u';
    U16 u16, "<u2", 'u';
    U32 u32, "<u4", 'u';
    U64 u64, "<u8", 'u';
}

impl Values {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers as f64.
    ///
    /// # Errors
    /// If a 64-bit integer has no equal in f64.
    pub fn to_f64(&self) -> Result<Vec<f64>> {
        Ok(match self {
            Self::F32(values) => values.iter().map(|&v| v.into()).collect(),
            Self::F64(values) => values.clone(),
            Self::I8(values) => values.iter().map(|&v| v.into()).collect(),
            Self::I16(values) => values.iter().map(|&v| v.into()).collect(),
            Self::I32(values) => values.iter().map(|&v| v.into()).collect(),
            Self::U8(values) => values.iter().map(|&v| v.into()).collect(),
            Self::U16(values) => values.iter().map(|&v| v.into()).collect(),
            Self::U32(values) => values.iter().map(|&v| v.into()).collect(),
            Self::I64(values) => {
                return values
                    .iter()
                    .map(|&v| exact(i128::from(v), v as f64))
                    .collect();
            }
            Self::U64(values) => {
                return values
                    .iter()
                    .map(|&v| exact(i128::from(v), v as f64))
                    .collect();
            }
        })
    }
}

/// The f64, if it is the integer.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a 64-bit integer rounded to f64 is far inside the range of i128"
)]
fn exact(value: i128, rounded: f64) -> Result<f64> {
    if rounded as i128 == value {
        return Ok(rounded);
    }
    Err(Error::Range {
        what: "an integer of the array",
        found: value.to_string(),
        expected: "a number that f64 holds exactly; scale the array or store it as floats"
            .to_owned(),
    })
}
