//! An ONNX file taken apart again, without any package: every name is known before it is read, every tensor has its size.

use rafnet::model::{Model, Precision};
use std::collections::HashSet;

/// A field of a Protocol Buffers message.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message, in order.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    let varint = |bytes: &mut &[u8]| {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (first, rest) = bytes.split_first().expect("a whole number");
            *bytes = rest;
            value |= u64::from(first & 0x7f) << shift;
            if first & 0x80 == 0 {
                return value;
            }
        }
        panic!("a number of more than 64 bits");
    };
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = match key & 7 {
            0 => Field::Number(varint(&mut bytes)),
            2 => {
                let length = usize::try_from(varint(&mut bytes)).expect("a length");
                let (value, rest) = bytes.split_at(length);
                bytes = rest;
                Field::Bytes(value)
            }
            kind => panic!("a field of kind {kind}"),
        };
        found.push((key >> 3, value));
    }
    found
}

/// All values of a field that holds bytes.
fn all(message: &[u8], number: u64) -> Vec<&[u8]> {
    let bytes = |(n, field)| match field {
        Field::Bytes(value) if n == number => Some(value),
        _ => None,
    };
    fields(message).into_iter().filter_map(bytes).collect()
}

fn one(message: &[u8], number: u64) -> &[u8] {
    let [value] = all(message, number)[..] else {
        panic!("field {number} is not there exactly once");
    };
    value
}

/// All values of a field that holds numbers.
fn numbers(message: &[u8], number: u64) -> Vec<u64> {
    let numbers = |(n, field)| match field {
        Field::Number(value) if n == number => Some(value),
        _ => None,
    };
    fields(message).into_iter().filter_map(numbers).collect()
}

fn name(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// The name, the code of the numbers and the columns of an input or output whose number of rows is free.
fn table(value: &[u8]) -> (String, u64, u64) {
    let tensor = one(one(value, 2), 1);
    let shape = all(one(tensor, 2), 1);
    assert_eq!(shape.len(), 2);
    assert_eq!(one(shape[0], 2), b"n");
    (
        name(one(value, 1)),
        numbers(tensor, 1)[0],
        numbers(shape[1], 1)[0],
    )
}

/// The graph of a file fits the model; gives the number of its nodes.
pub(crate) fn check(file: &[u8], model: &Model) -> usize {
    let (kind, size) = match model.parts().precision {
        Precision::F32 => (1, 4),
        Precision::F64 => (11, 8),
    };
    assert_eq!(numbers(file, 1), [7]);
    assert_eq!(numbers(one(file, 8), 2), [13]);
    let graph = one(file, 7);
    let (d, outputs) = (model.dimension() as u64, model.n_outputs() as u64);
    assert_eq!(table(one(graph, 11)), ("points".into(), kind, d));
    assert_eq!(table(one(graph, 12)), ("values".into(), kind, outputs));
    let mut known = HashSet::from(["points".to_owned()]);
    for tensor in all(graph, 5) {
        let wide = if numbers(tensor, 2) == [kind] {
            size
        } else {
            8
        };
        let length: u64 = numbers(tensor, 1).iter().product();
        assert_eq!(one(tensor, 9).len() as u64, length * wide);
        assert!(known.insert(name(one(tensor, 8))), "a name twice");
    }
    for block in model.parts().network.layout().named() {
        let dense = [".weight", ".bias"]
            .iter()
            .any(|end| block.name.ends_with(end));
        assert!(!dense || known.contains(&block.name), "no {}", block.name);
    }
    let nodes = all(graph, 1);
    for node in &nodes {
        for input in all(node, 1).into_iter().map(name) {
            assert!(known.contains(&input), "{input} is read before it is there");
        }
        assert!(known.insert(name(one(node, 2))), "a name twice");
    }
    assert!(known.contains("values"));
    nodes.len()
}
