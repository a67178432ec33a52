//! Tables and arrays.

use crate::folder::{Folder, golden};
use proptest::prelude::*;
use rafnet_signal::table::npy::{Array, NpyReader, NpyWriter, Values};
use rafnet_signal::table::{Table, read_header, write_csv};

fn refusal(text: &str, inputs: &[&str], outputs: &[&str]) -> String {
    Table::from_text(text.as_bytes(), inputs, outputs)
        .unwrap_err()
        .to_string()
}

#[test]
fn columns_are_chosen_by_name_or_the_last_is_the_output() {
    let text = "a,b,c\n1,2,3\n4,5,6\n";
    let table = Table::from_text(text.as_bytes(), &["c", "a"], &["b"]).unwrap();
    assert_eq!(
        (table.inputs, table.outputs),
        (vec![3.0, 1.0, 6.0, 4.0], vec![2.0, 5.0])
    );
    let table = Table::from_text(text.as_bytes(), &[], &[]).unwrap();
    assert_eq!(
        (table.input_names, table.output_names),
        (vec!["a".to_owned(), "b".to_owned()], vec!["c".to_owned()])
    );
    let table = Table::from_text(text.as_bytes(), &[], &["a"]).unwrap();
    assert_eq!((table.inputs, table.n_rows), (vec![2.0, 3.0, 5.0, 6.0], 2));
}

#[test]
fn every_mistake_is_named_with_its_place() {
    assert_eq!(
        refusal("x,u\n1,2\n3,four\n", &["x"], &["u"]),
        "line 3, column 2 (`u`): found `four`, expected a finite number such as -1.5e3; correct the cell or choose other columns"
    );
    assert!(refusal("x,u\n\n1,\n", &["x"], &["u"]).starts_with("line 3, column 2 (`u`): found ``"));
    assert!(refusal("x,u\n1,nan\n", &["x"], &["u"]).contains("found `nan`"));
    assert!(refusal("x;u\n1;2,5\n", &["x"], &["u"]).contains("found `2,5`"));
    assert_eq!(
        refusal("x,u\n1,2,3\n", &["x"], &["u"]),
        "line 2 has 3 cells, the header has 2; add or remove cells, or put text that holds a separator in double quotes"
    );
    assert_eq!(
        refusal(
            "temperature,pressure\n1,2\n",
            &["temprature"],
            &["pressure"]
        ),
        "there is no column `temprature`; did you mean `temperature`? the columns are temperature, pressure"
    );
    assert_eq!(
        refusal("x,u\n1,2\n", &["q"], &["u"]),
        "there is no column `q`; did you mean `x`? the columns are x, u"
    );
    assert_eq!(
        refusal("x,u,x\n1,2,3\n", &["x"], &["u"]),
        "the header has the column `x` twice (columns 1 and 3); rename one of them"
    );
    assert_eq!(
        refusal("x,\"u\n1,2\n", &["x"], &["u"]),
        "the double quote opened on line 1 is never closed; correct the table or export it again"
    );
    assert_eq!(
        refusal("x,u\n", &["x"], &["u"]),
        "the table has a header and no rows, expected one or more rows of numbers below the header"
    );
    assert_eq!(
        refusal("u\n1\n", &[], &[]),
        "the table has 1 columns, all of them outputs, expected one or more input columns beside the outputs"
    );
    assert_eq!(
        refusal("", &[], &[]),
        "the file is empty; a CSV table with a header was expected, copy or export it again"
    );
    let error = Table::from_text(&b"x,u\n1,\xff\n"[..], &[], &[])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("line 2 is not UTF-8 text (byte 3)"),
        "{error}"
    );
}

#[test]
fn a_file_is_named_in_its_error() {
    let folder = Folder::new();
    let path = folder.path("t.csv");
    std::fs::write(&path, "x,u\n1,x\n").unwrap();
    let error = Table::open(&path, &[], &[]).unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("`{}`: line 2", path.display())),
        "{error}"
    );
    assert!(
        Table::open(folder.path("none.csv"), &[], &[])
            .unwrap_err()
            .to_string()
            .starts_with("cannot read")
    );
    assert_eq!(read_header(&path).unwrap(), ["x", "u"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_written_table_comes_back_bit_for_bit(values in proptest::collection::vec(proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO, 1..40)) {
        let folder = Folder::new();
        let path = folder.path("t.csv");
        let rows: Vec<f64> = values.iter().flat_map(|&v| [v, -v]).collect();
        write_csv(&path, &["a \"b\", c", "u"], &rows).unwrap();
        let table = Table::open(&path, &["a \"b\", c"], &["u"]).unwrap();
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(&table.inputs), bits(&values));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[a-z0-9,;\"\n\r .\t-]{0,80}") {
        let _ = Table::from_text(text.as_bytes(), &[], &[]);
    }

    #[test]
    fn a_written_array_comes_back_bit_for_bit(shape in proptest::collection::vec(0usize..5, 0..4), seed in any::<i64>()) {
        let n: usize = shape.iter().product();
        let numbers: Vec<i64> = (1..).take(n).map(|k| seed.wrapping_mul(k)).collect();
        let array = Array::new(shape, Values::I64(numbers)).unwrap();
        prop_assert_eq!(Array::from_bytes(&array.to_bytes()).unwrap(), array);
    }
}

#[test]
fn arrays_written_by_numpy_are_read_exactly() {
    let base: Vec<f64> = (0..24).map(|k| f64::from(k * 3 - 7)).collect();
    for kind in [
        "f4", "f8", "i1", "i2", "i4", "i8", "f4_big", "f8_big", "i2_big", "i8_big", "fortran",
        "version2",
    ] {
        let array = Array::open(golden(&format!("array_{kind}.npy"))).unwrap();
        assert_eq!(
            (array.shape(), array.to_f64().unwrap()),
            (&[2, 3, 4][..], base.clone()),
            "{kind}"
        );
    }
    let base: Vec<f64> = (0..24).map(|k| f64::from(k * 3)).collect();
    for kind in ["u1", "u2", "u4", "u8", "u4_big"] {
        assert_eq!(
            Array::open(golden(&format!("array_{kind}.npy")))
                .unwrap()
                .to_f64()
                .unwrap(),
            base,
            "{kind}"
        );
    }
    let scalar = Array::open(golden("array_scalar.npy")).unwrap();
    assert_eq!(
        (scalar.shape(), scalar.to_f64().unwrap()),
        (&[][..], vec![2.5])
    );
    assert_eq!(
        Array::open(golden("array_empty.npy")).unwrap().shape(),
        [0, 3]
    );
    let truth = Array::open(golden("array_bool.npy"))
        .unwrap()
        .to_f64()
        .unwrap();
    assert!(
        truth
            .iter()
            .enumerate()
            .all(|(k, &v)| v == f64::from((k * 3 + 1) % 2 == 0))
    );
}

#[test]
fn our_arrays_have_the_bytes_that_numpy_writes() {
    for kind in [
        "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "scalar", "empty",
    ] {
        let path = golden(&format!("array_{kind}.npy"));
        assert_eq!(
            Array::open(&path).unwrap().to_bytes(),
            std::fs::read(&path).unwrap(),
            "{kind}"
        );
    }
}

#[test]
fn other_types_are_refused_with_a_hint() {
    let error = |name: &str| Array::open(golden(name)).unwrap_err().to_string();
    assert!(error("array_complex.npy").ends_with(
        "values of type `c16` is not supported; convert the array with .astype(numpy.float64)"
    ));
    assert!(error("array_fields.npy").contains("records of several fields"));
    let large = Array::new(vec![1], Values::I64(vec![i64::MAX])).unwrap();
    assert!(large.to_f64().is_err());
}

#[test]
fn a_streaming_writer_counts() {
    let folder = Folder::new();
    let path = folder.path("a.npy");
    let mut writer = NpyWriter::<f32>::create(&path, &[3]).unwrap();
    writer.write(&[1.0, 2.0]).unwrap();
    assert!(writer.write(&[3.0, 4.0]).is_err());
    assert!(writer.finish().is_err());
    assert_eq!(folder.names(), [""; 0]);
    let mut writer = NpyWriter::<f32>::create(&path, &[3]).unwrap();
    writer.write(&[1.0, 2.0, 3.0]).unwrap();
    writer.finish().unwrap();
    assert_eq!(
        Array::open(&path).unwrap(),
        Array::new(vec![3], Values::F32(vec![1.0, 2.0, 3.0])).unwrap()
    );
}

#[test]
fn arrays_are_read_by_rows_as_they_are_read_whole() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Folder::new();
    let path = folder.path("a.npy");
    let body: Vec<u8> = (0..24i16).flat_map(i16::to_be_bytes).collect();
    for order in ["False", "True"] {
        let text = format!("{{'descr': '>i2', 'fortran_order': {order}, 'shape': (4, 3, 2), }}");
        let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        bytes.extend(text.bytes());
        bytes.resize(127, b' ');
        bytes.push(b'\n');
        bytes.extend(&body);
        std::fs::write(&path, &bytes)?;
        let mut reader = NpyReader::open(&path)?;
        assert_eq!(reader.shape(), [4, 3, 2]);
        let parts = [
            reader.next_rows(3)?,
            reader.next_rows(3)?,
            reader.next_rows(3)?,
        ];
        assert_eq!(parts.each_ref().map(Vec::len), [18, 6, 0]);
        assert_eq!(
            parts.concat(),
            Array::from_bytes(&bytes)?.to_f64()?,
            "{order}"
        );
        std::fs::write(&path, &bytes[..bytes.len() - 1])?;
        let cut = NpyReader::open(&path).err().map(|error| error.to_string());
        assert!(cut.is_some_and(|said| said.contains("47 of 48 bytes of values are there")));
    }
    Ok(())
}
