//! The bytes of an ONNX file: Protocol Buffers messages, as few of them as a network needs.
//!
//! A message is a row of fields; a field is a key (its number and how its value is written), then the value: a number in groups
//! of seven bits, the lowest first, or a length and that many bytes. The field numbers are those of ONNX's `onnx.proto3`.

/// Numbers of a tensor, by their code in ONNX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Element {
    F32 = 1,
    I64 = 7,
    Bool = 9,
    F64 = 11,
}

/// A message while it is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Message(Vec<u8>);

impl Message {
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn varint(&mut self, mut value: u64) {
        while value > 0x7f {
            self.0.push(0x80 | (value & 0x7f) as u8);
            value >>= 7;
        }
        self.0.push((value & 0x7f) as u8);
    }

    fn number(mut self, field: u64, value: u64) -> Self {
        self.varint(field << 3);
        self.varint(value);
        self
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    fn texts<'a>(self, field: u64, texts: impl IntoIterator<Item = &'a str>) -> Self {
        texts.into_iter().fold(self, |m, text| m.text(field, text))
    }

    fn messages<'a>(self, field: u64, all: impl IntoIterator<Item = &'a Message>) -> Self {
        all.into_iter().fold(self, |m, one| m.bytes(field, &one.0))
    }
}

/// AttributeProto: a whole number.
pub(super) fn attribute(name: &str, value: u64) -> Message {
    let whole = 2;
    Message::default()
        .text(1, name)
        .number(3, value)
        .number(20, whole)
}

/// NodeProto.
pub(super) fn node<'a>(
    operator: &str,
    inputs: impl IntoIterator<Item = &'a str>,
    output: &str,
    attributes: &[Message],
) -> Message {
    Message::default()
        .texts(1, inputs)
        .text(2, output)
        .text(4, operator)
        .messages(5, attributes)
}

/// TensorProto, its numbers as little-endian bytes.
pub(super) fn tensor(name: &str, element: Element, shape: &[usize], data: &[u8]) -> Message {
    let dims = shape.iter();
    dims.fold(Message::default(), |m, &size| m.number(1, size as u64))
        .number(2, element as u64)
        .text(8, name)
        .bytes(9, data)
}

/// ValueInfoProto: a table of n rows, n free.
pub(super) fn table(name: &str, element: Element, columns: usize) -> Message {
    let rows = Message::default().text(2, "n");
    let columns = Message::default().number(1, columns as u64);
    let shape = Message::default().messages(1, [&rows, &columns]);
    let of_tensor = Message::default()
        .number(1, element as u64)
        .messages(2, [&shape]);
    let kind = Message::default().messages(1, [&of_tensor]);
    Message::default().text(1, name).messages(2, [&kind])
}

/// GraphProto.
pub(super) fn graph(
    name: &str,
    nodes: &[Message],
    tensors: &[Message],
    input: &Message,
    output: &Message,
) -> Message {
    Message::default()
        .messages(1, nodes)
        .text(2, name)
        .messages(5, tensors)
        .messages(11, [input])
        .messages(12, [output])
}

/// ModelProto. Version 7 of the format and 13 of the operators: the oldest that have all that is used here.
pub(super) fn model(graph: &Message, notes: &[(&str, String)]) -> Message {
    let note = |(key, value): &(&str, String)| Message::default().text(1, key).text(2, value);
    let notes: Vec<Message> = notes.iter().map(note).collect();
    let operators = Message::default()
        .text(1, "")
        .number(2, super::OPERATORS.into());
    Message::default()
        .number(1, 7)
        .text(2, "rafnet")
        .text(3, env!("CARGO_PKG_VERSION"))
        .messages(7, [graph])
        .messages(8, [&operators])
        .messages(14, &notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the encoding's own documentation: 150 as field 1, and `testing` as field 2.
    #[test]
    fn fields_are_written_as_documented() {
        let number = Message::default().number(1, 150).into_bytes();
        assert_eq!(number, [0x08, 0x96, 0x01]);
        let text = Message::default().text(2, "testing").into_bytes();
        assert_eq!(text, *b"\x12\x07testing");
    }

    #[test]
    fn keys_above_fifteen_take_two_bytes() {
        assert_eq!(
            Message::default().number(20, 2).into_bytes(),
            [0xa0, 0x01, 0x02]
        );
    }
}
