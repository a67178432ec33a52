//! Pictures.

use crate::folder::{Folder, golden, golden_values};
use proptest::prelude::*;
use rafnet_signal::image::{Channels, Depth, Filter, Image, PngWriter, Samples};

const SIZES: [(usize, usize); 5] = [(10, 8), (40, 31), (23, 5), (7, 17), (30, 6)];
const FILTERS: [Filter; 3] = [Filter::Bilinear, Filter::Bicubic, Filter::Lanczos];

/// The samples as they are stored, as f64.
fn raw(image: &Image) -> Vec<f64> {
    match image.samples() {
        Samples::Eight(samples) => samples.iter().map(|&s| s.into()).collect(),
        Samples::Sixteen(samples) => samples.iter().map(|&s| s.into()).collect(),
        Samples::Float(samples) => samples.iter().map(|&s| s.into()).collect(),
    }
}

fn all_sizes(image: &Image) -> Vec<f64> {
    let each = SIZES
        .iter()
        .flat_map(|size| FILTERS.map(|filter| (size, filter)));
    each.flat_map(|(&(width, height), filter)| raw(&image.resize(width, height, filter).unwrap()))
        .collect()
}

#[test]
fn resizing_equals_pillow_bit_for_bit() {
    for kind in ["l", "la", "rgb", "rgba", "i16"] {
        let image = Image::open(golden(&format!("resize_{kind}.png"))).unwrap();
        assert_eq!(
            all_sizes(&image),
            golden_values(&format!("resize_{kind}.npy")),
            "{kind}"
        );
    }
}

#[test]
fn grey_conversion_and_float_resizing_equal_scikit_image_and_pillow_bit_for_bit() {
    let grey = Image::open(golden("resize_rgb.png")).unwrap().to_grey();
    assert_eq!(raw(&grey), golden_values("grey.npy"));
    assert_eq!(all_sizes(&grey), golden_values("resize_f.npy"));
}

#[test]
fn a_grey_picture_stays_as_it_is() {
    let image = Image::open(golden("resize_l.png")).unwrap();
    assert_eq!(image.to_grey(), image);
    let with_alpha = Image::open(golden("resize_la.png")).unwrap();
    assert_eq!(with_alpha.to_grey(), with_alpha.without_alpha());
}

#[test]
fn targets_equal_the_reference_arithmetic_bit_for_bit() {
    let steps = Image::new(256, 1, Channels::Grey, Samples::Eight((0..=255).collect())).unwrap();
    let target: Vec<f64> = steps.to_target().into_iter().map(f64::from).collect();
    assert_eq!(target, golden_values("target.npy"));
}

#[test]
fn every_kind_of_png_is_decoded() {
    for (name, channels, depth) in [
        ("rgb16", Channels::Rgb, Depth::Sixteen),
        ("interlaced", Channels::Rgb, Depth::Eight),
        ("palette", Channels::Rgb, Depth::Eight),
        ("palette_alpha", Channels::Rgba, Depth::Eight),
        ("animated", Channels::Rgb, Depth::Eight),
        ("one_bit", Channels::Grey, Depth::Eight),
    ] {
        let image = Image::open(golden(&format!("{name}.png"))).unwrap();
        assert_eq!(
            (image.channels(), image.depth()),
            (channels, Some(depth)),
            "{name}"
        );
        assert_eq!(raw(&image), golden_values(&format!("{name}.npy")), "{name}");
    }
}

#[test]
fn jpegs_differ_from_another_decoder_by_rounding_only() {
    // the standard leaves the rounding of the cosine transform and the interpolation of chroma open
    for (name, channels, tolerance) in [
        ("grey", Channels::Grey, 1.0),
        ("colour", Channels::Rgb, 3.0),
        ("progressive", Channels::Rgb, 4.0),
    ] {
        let image = Image::open(golden(&format!("{name}.jpg"))).unwrap();
        assert_eq!(
            (image.width(), image.height(), image.channels()),
            (40, 24, channels)
        );
        let expected = golden_values(&format!("{name}_jpg.npy"));
        for (found, expected) in raw(&image).iter().zip(expected) {
            let off = (found - expected).abs();
            assert!(off <= tolerance, "{name}: {found}, not {expected}");
        }
    }
}

#[test]
fn a_preview_in_a_jpeg_is_passed_over() {
    let plain = Image::open(golden("colour.jpg")).unwrap();
    assert_eq!(Image::open(golden("preview.jpg")).unwrap(), plain);
}

#[test]
fn a_cmyk_jpeg_is_refused_with_a_hint() {
    let error = Image::open(golden("cmyk.jpg")).unwrap_err().to_string();
    assert!(
        error.ends_with("JPEG with CMYK colours is not supported; convert the picture to RGB"),
        "{error}"
    );
}

fn any_image() -> impl Strategy<Value = Image> {
    let channels = prop_oneof![
        Just(Channels::Grey),
        Just(Channels::GreyAlpha),
        Just(Channels::Rgb),
        Just(Channels::Rgba)
    ];
    (1usize..20, 1usize..20, channels, any::<bool>()).prop_flat_map(
        |(width, height, channels, eight)| {
            let n = width * height * channels.count();
            let samples = if eight {
                proptest::collection::vec(any::<u8>(), n)
                    .prop_map(Samples::Eight)
                    .boxed()
            } else {
                proptest::collection::vec(any::<u16>(), n)
                    .prop_map(Samples::Sixteen)
                    .boxed()
            };
            samples.prop_map(move |samples| Image::new(width, height, channels, samples).unwrap())
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_saved_picture_comes_back_bit_for_bit(image in any_image()) {
        let folder = Folder::new();
        let path = folder.path("picture.png");
        image.save(&path).unwrap();
        prop_assert_eq!(Image::open(&path).unwrap(), image);
        prop_assert_eq!(folder.names(), ["picture.png"]);
    }

    #[test]
    fn a_target_comes_back_bit_for_bit(image in any_image()) {
        let (w, h) = (image.width(), image.height());
        let back = Image::from_target(w, h, image.channels(), image.depth().unwrap(), &image.to_target()).unwrap();
        prop_assert_eq!(back, image);
    }

    #[test]
    fn a_resized_picture_stays_within_its_own_range_with_the_triangle(
        image in any_image(), width in 1usize..30, height in 1usize..30,
    ) {
        let image = image.without_alpha();
        let resized = raw(&image.resize(width, height, Filter::Bilinear).unwrap());
        // without NaN: a picture that is read has none
        let (low, high) = raw(&image).iter().fold((f64::MAX, f64::MIN), |(a, b), &v| (a.min(v), b.max(v)));
        prop_assert!(resized.iter().all(|v| (low..=high).contains(v)));
    }
}

#[test]
fn a_writer_that_is_not_finished_leaves_nothing_behind() {
    let folder = Folder::new();
    let path = folder.path("picture.png");
    let mut writer = PngWriter::create(&path, 4, 2, Channels::Grey, Depth::Eight).unwrap();
    writer.write_row(&[1, 2, 3, 4]).unwrap();
    assert!(!path.exists());
    let error = writer.finish().unwrap_err().to_string();
    assert_eq!(
        error,
        "rows of a picture: 1 were written, 2 were announced; write exactly as many as announced"
    );
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn a_writer_refuses_what_does_not_fit() {
    let folder = Folder::new();
    let mut writer =
        PngWriter::create(folder.path("p.png"), 2, 1, Channels::Grey, Depth::Eight).unwrap();
    assert!(writer.write_row(&[1]).is_err());
    let error = writer.write_row(&[1, 256]).unwrap_err().to_string();
    assert_eq!(error, "a sample is 256, expected 0 to 255");
    writer.write_row(&[1, 2]).unwrap();
    assert!(writer.write_row(&[1, 2]).is_err());
    writer.finish().unwrap();
    assert!(
        PngWriter::create(
            folder.path("missing/p.png"),
            2,
            1,
            Channels::Grey,
            Depth::Eight
        )
        .is_err()
    );
    assert!(
        PngWriter::create(
            folder.path("p.png"),
            1 << 40,
            1,
            Channels::Grey,
            Depth::Eight
        )
        .is_err()
    );
}

#[test]
fn an_existing_file_is_replaced_only_when_the_new_one_is_complete() {
    let folder = Folder::new();
    let path = folder.path("p.png");
    let first = Image::new(1, 1, Channels::Grey, Samples::Eight(vec![7])).unwrap();
    first.save(&path).unwrap();
    drop(PngWriter::create(&path, 1, 1, Channels::Grey, Depth::Eight).unwrap());
    assert_eq!(Image::open(&path).unwrap(), first);
    assert_eq!(folder.names(), ["p.png"]);
}

#[test]
fn a_large_picture_is_written_row_by_row() {
    // 16,384 columns wide; the height is kept small only to keep the test short
    let folder = Folder::new();
    let path = folder.path("wide.png");
    let mut writer = PngWriter::create(&path, 16_384, 64, Channels::Rgb, Depth::Sixteen).unwrap();
    let row = |y: u16| {
        (0..16_384u32 * 3)
            .map(|x| u16::try_from(x * 5 % 65_536).unwrap() ^ y)
            .collect::<Vec<u16>>()
    };
    for y in 0..64 {
        writer.write_row(&row(y)).unwrap();
    }
    writer.finish().unwrap();
    let image = Image::open(&path).unwrap();
    let Samples::Sixteen(samples) = image.samples() else {
        panic!("written with 16 bits")
    };
    assert!((0..64).all(|y| samples[usize::from(y) * 49_152..][..49_152] == row(y)));
}

/// A palette of four bytes with a sound checksum, which the decoder does not expect.
#[test]
fn a_palette_of_broken_colours_is_damage() {
    let bytes = b"\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x02\x00\x00\x00\x01\
        \x08\x03\x00\x00\x00\xc3\xfc\x8f\xb8\x00\x00\x00\x04\x50\x4c\x54\x45\x09\x08\x07\x06\x61\x9a\x83\
        \xba\x00\x00\x00\x0b\x49\x44\x41\x54\x78\x9c\x63\x60\x60\x04\x00\x00\x04\x00\x02\xbf\x7a\x3f\x4a\
        \x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82";
    let error = Image::from_bytes(bytes).expect_err("a palette has three bytes a colour");
    assert!(error.to_string().contains("palette"), "{error}");
}

/// A JPEG over which the decoder panics.
#[test]
fn a_picture_over_which_its_decoder_stumbles_is_damage() {
    let bytes = include_bytes!("../golden/stumble.jpg");
    let error = Image::from_bytes(bytes).expect_err("a damaged picture");
    assert!(error.to_string().contains("stumbled"), "{error}");
}
