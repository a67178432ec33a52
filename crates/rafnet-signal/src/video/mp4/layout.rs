//! The index of an MP4 file as it is written: nested boxes, each built from its parts.

/// What the index says of a video.
pub(super) struct Index<'a> {
    pub(super) width: u16,
    pub(super) height: u16,
    pub(super) ticks_per_second: u32,
    pub(super) ticks_per_frame: u32,
    pub(super) offset: u64,
    pub(super) sizes: &'a [u32],
    /// The places, from 1, of pictures that can be decoded without others.
    pub(super) independent: &'a [u32],
    pub(super) sequence: &'a [u8],
    pub(super) picture: &'a [u8],
}

/// A box of this kind around the parts.
pub(super) fn wrap(kind: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let length = 8 + parts.iter().map(|part| part.len()).sum::<usize>();
    let mut bytes = Vec::with_capacity(length);
    bytes.extend_from_slice(&count(length).to_be_bytes());
    bytes.extend_from_slice(kind);
    parts.iter().for_each(|part| bytes.extend_from_slice(part));
    bytes
}

/// Numbers of four bytes.
fn words(numbers: &[u32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_be_bytes())
        .collect()
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// No turning, no scaling.
const UNIT_MATRIX: [u32; 9] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000];

impl Index<'_> {
    /// The box `moov`.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let ticks = self.ticks_per_frame.saturating_mul(count(self.sizes.len()));
        let matrix = words(&UNIT_MATRIX);
        let mvhd = wrap(
            b"mvhd",
            &[
                &words(&[
                    0,
                    0,
                    0,
                    self.ticks_per_second,
                    ticks,
                    0x1_0000,
                    0x0100_0000,
                    0,
                    0,
                ]),
                &matrix,
                &words(&[0; 6]),
                &words(&[2]),
            ],
        );
        let tkhd = wrap(
            b"tkhd",
            &[
                // enabled, in the movie, in the preview
                &words(&[7, 0, 0, 1, 0, ticks, 0, 0, 0, 0]),
                &matrix,
                &words(&[u32::from(self.width) << 16, u32::from(self.height) << 16]),
            ],
        );
        let mdhd = wrap(
            b"mdhd",
            &[&words(&[
                0,
                0,
                0,
                self.ticks_per_second,
                ticks,
                0x55c4_0000,
            ])],
        );
        let hdlr = wrap(
            b"hdlr",
            &[&words(&[0, 0]), b"vide", &words(&[0; 3]), b"video\0"],
        );
        let url = wrap(b"url ", &[&words(&[1])]);
        let dinf = wrap(b"dinf", &[&wrap(b"dref", &[&words(&[0, 1]), &url])]);
        let vmhd = wrap(b"vmhd", &[&words(&[1, 0, 0])]);
        let minf = wrap(b"minf", &[&vmhd, &dinf, &self.tables()]);
        let trak = wrap(b"trak", &[&tkhd, &wrap(b"mdia", &[&mdhd, &hdlr, &minf])]);
        wrap(b"moov", &[&mvhd, &trak])
    }

    /// The box `stbl`: all pictures lie one behind the other, each a chunk of its own.
    fn tables(&self) -> Vec<u8> {
        let n = count(self.sizes.len());
        let stts = wrap(b"stts", &[&words(&[0, 1, n, self.ticks_per_frame])]);
        let stss = wrap(
            b"stss",
            &[
                &words(&[0, count(self.independent.len())]),
                &words(self.independent),
            ],
        );
        let stsc = wrap(b"stsc", &[&words(&[0, 1, 1, 1, 1])]);
        let stsz = wrap(b"stsz", &[&words(&[0, 0, n]), &words(self.sizes)]);
        let mut offset = self.offset;
        let offsets: Vec<u8> = self
            .sizes
            .iter()
            .flat_map(|&size| {
                let here = offset.to_be_bytes();
                offset += u64::from(size);
                here
            })
            .collect();
        let co64 = wrap(b"co64", &[&words(&[0, n]), &offsets]);
        let stsd = wrap(b"stsd", &[&words(&[0, 1]), &self.description()]);
        wrap(b"stbl", &[&stsd, &stts, &stss, &stsc, &stsz, &co64])
    }

    /// The box `avc1`: size, parameters and colours of the pictures.
    fn description(&self) -> Vec<u8> {
        let set = |unit: &[u8]| {
            [
                &u16::try_from(unit.len()).unwrap_or(u16::MAX).to_be_bytes()[..],
                unit,
            ]
            .concat()
        };
        let profile = self.sequence.get(1..4).unwrap_or(&[66, 0, 30]);
        let avcc = wrap(
            b"avcC",
            &[
                &[1],
                profile,
                &[0xff, 0xe1],
                &set(self.sequence),
                &[1],
                &set(self.picture),
            ],
        );
        // primaries, transfer and matrix of BT.601, limited range
        let colr = wrap(b"colr", &[b"nclx", &[0, 6, 0, 6, 0, 6, 0]]);
        let size = [self.width.to_be_bytes(), self.height.to_be_bytes()].concat();
        let resolution = words(&[0x48_0000, 0x48_0000, 0]);
        wrap(
            b"avc1",
            &[
                &[0; 6],
                &[0, 1],
                &[0; 16],
                &size,
                &resolution,
                &[0, 1],
                &[0; 32],
                &[0, 24, 0xff, 0xff],
                &avcc,
                &colr,
            ],
        )
    }
}
