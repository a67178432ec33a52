//! Signals that announce more than any memory holds.

use super::sizes::{Folder, model, refused};

/// 65,535 × 65,535 pixels in three channels, with as many bytes as they might take.
fn photograph() -> Vec<u8> {
    let table = [&b"\xff\xdb\0\x43\0"[..], &[1; 64]].concat();
    let frame = b"\xff\xc0\0\x11\x08\xff\xff\xff\xff\x03\x01\x11\0\x02\x11\0\x03\x11\0";
    let scan = b"\xff\xda\0\x0c\x03\x01\0\x02\0\x03\0\0\x3f\0";
    let parts = [
        b"\xff\xd8",
        &table[..],
        frame,
        scan,
        &vec![0; 900_000],
        b"\xff\xd9",
    ];
    parts.concat()
}

/// One frame of side × side pixels of which the first two are there.
fn animation(side: u16) -> Vec<u8> {
    let size = [side.to_le_bytes(), side.to_le_bytes()].concat();
    let screen = [b"GIF89a", &size[..], &[0; 3]].concat();
    let frame = [b"\x2c\0\0\0\0", &size[..], b"\x80\0\0\0\xff\xff\xff"].concat();
    [&screen[..], &frame, b"\x02\x02\x44\x01\0;"].concat()
}

/// A sound that announces so many bytes and has eight.
fn sound(announced: u32) -> Vec<u8> {
    let about = b"\x10\0\0\0\x01\0\x02\0\x44\xac\0\0\x10\xb1\x02\0\x04\0\x10\0";
    let data = [b"data", &announced.to_le_bytes()[..], &[0; 8]].concat();
    [b"RIFF\xff\xff\xff\xffWAVEfmt ", &about[..], &data].concat()
}

/// Signals that announce more than they have or than memory holds, files without an end, and a table of columns only.
#[test]
fn signals_beyond_memory_are_refused() {
    let folder = Folder::new("signals");
    folder.write("plane.safetensors", &model(2));
    folder.write("huge.jpg", &photograph());
    folder.write("huge.gif", &animation(u16::MAX));
    folder.write("large.gif", &animation(8000));
    folder.write("huge.wav", &sound(u32::MAX - 1));
    folder.write("wide.csv", &b"x,".repeat(20_000_000));
    for (name, start) in [
        ("endless.png", &b"\x89PNG\r\n\x1a\n"[..]),
        ("endless.jpg", b"\xff\xd8\xff"),
        ("endless.gif", b"GIF89a"),
        ("endless.mp4", b"\0\0\0\x18ftypisom"),
        ("endless.wav", b"RIFF\xff\xff\xff\xffWAVE"),
        ("endless.csv", b"x1,x2\n0,0\n"),
        ("endless.npy", b"\x93NUMPY\x01\0"),
        ("endless.toml", b"[domain]\n"),
        ("endless.safetensors", b"\xff\xff\xff\xff\xff\xff\xff\x7f"),
    ] {
        folder.write_endless(name, start);
    }
    let memory = "of memory; ";
    for (arguments, message) in [
        ("fit image huge.jpg", memory),
        ("fit video huge.gif", "where at most 67108864 is possible"),
        ("fit video large.gif", ""),
        (
            "fit audio huge.wav",
            "8 of 4294967294 bytes of samples are there",
        ),
        ("fit table wide.csv", "has more than 1048576 columns"),
        ("fit image endless.png", memory),
        ("fit image endless.jpg", memory),
        ("fit video endless.gif", memory),
        ("fit video endless.mp4", "moov"),
        ("fit audio endless.wav", memory),
        ("fit table endless.csv", "is longer than 67108864 bytes"),
        ("solve endless.toml", "cannot be read"),
        (
            "eval plane.safetensors -o u.npy --at endless.csv",
            "line 3 is longer than 67108864 bytes",
        ),
        ("eval plane.safetensors -o u.npy --at endless.npy", ""),
        (
            "eval endless.safetensors -o u.npy --grid 3x3",
            "cannot read the model",
        ),
    ] {
        let said = refused(&folder.0, arguments);
        assert!(said.contains(message), "{arguments}: {said}");
    }
}
