"""Writes the files in this folder with independent implementations: Pillow, scikit-image, NumPy, SciPy and FFmpeg.

Needs: pip install "pillow<13" scikit-image numpy scipy imageio-ffmpeg
Run it in this folder; the tests compare with what it wrote. Made with Pillow 12.3.0, scikit-image 0.26.0,
NumPy 2.4.6, SciPy 1.17.1 and the FFmpeg 7.0.2 of imageio-ffmpeg 0.7.0.
"""

import hashlib
import struct
import subprocess
import zlib

import imageio_ffmpeg
import numpy as np
from PIL import Image
from scipy.io import wavfile
from skimage.color import rgb2gray
from skimage.metrics import mean_squared_error, peak_signal_noise_ratio, structural_similarity

rng = np.random.default_rng(1)
SIZES = [(10, 8), (40, 31), (23, 5), (7, 17), (30, 6)]
FILTERS = [Image.Resampling.BILINEAR, Image.Resampling.BICUBIC, Image.Resampling.LANCZOS]


def texture(height, width, channels):
    """Smooth shapes with noise on them, so that overshoots and clamping both occur."""
    i, j, c = np.meshgrid(np.arange(height), np.arange(width), np.arange(channels), indexing="ij")
    smooth = 127 + 150 * np.sin(0.7 * i + 0.3 * j + c) * np.cos(0.2 * i * j / 9 + 2 * c)
    noisy = smooth + rng.normal(0, 40, smooth.shape)
    return np.clip(np.rint(noisy), 0, 255).astype(np.uint8)


def resizes():
    """Every size and filter for each kind of picture, all results one behind the other."""
    for name, mode, channels in [("l", "L", 1), ("la", "LA", 2), ("rgb", "RGB", 3), ("rgba", "RGBA", 4)]:
        pixels = texture(17, 23, channels)
        if mode in ("LA", "RGBA"):
            pixels[2:5, 3:9, -1] = 0
            pixels[7:9, 3:19, -1] = 255
        image = Image.fromarray(pixels[..., 0] if channels == 1 else pixels, mode)
        image.save(f"resize_{name}.png")
        out = [np.asarray(image.resize(size, f)).ravel() for size in SIZES for f in FILTERS]
        np.save(f"resize_{name}.npy", np.concatenate(out))
    sixteen = (texture(17, 23, 1)[..., 0].astype(np.uint16) * 200 + 5000).astype(np.uint16)
    image = Image.fromarray(sixteen)
    assert image.mode == "I;16"
    image.save("resize_i16.png")
    # Pillow splits overshoots beyond 16 bits into bytes; these values stay inside
    out = [np.asarray(image.resize(size, f)).ravel() for size in SIZES for f in FILTERS]
    np.save("resize_i16.npy", np.concatenate(out))
    grey = rgb2gray(np.asarray(Image.open("resize_rgb.png"))).astype(np.float32)
    np.save("grey.npy", grey)
    image = Image.fromarray(grey)
    assert image.mode == "F"
    out = [np.asarray(image.resize(size, f)).ravel() for size in SIZES for f in FILTERS]
    np.save("resize_f.npy", np.concatenate(out))


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(path, pixels, depth, colour, interlaced=False):
    """A PNG encoder that knows 16-bit colours and interlacing, which Pillow does not write."""
    height, width = pixels.shape[:2]
    passes = [(0, 0, 1, 1)]
    if interlaced:
        passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
    raw = b""
    for top, left, down, across in passes:
        part = pixels[top::down, left::across]
        if part.size:
            raw += b"".join(b"\0" + row.astype(">u2" if depth == 16 else "u1").tobytes() for row in part)
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, int(interlaced))
    data = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")
    open(path, "wb").write(b"\x89PNG\r\n\x1a\n" + data)


def pngs():
    rgb16 = rng.integers(0, 65536, (9, 11, 3), dtype=np.uint16)
    png("rgb16.png", rgb16, 16, 2)
    np.save("rgb16.npy", rgb16)
    rgb8 = texture(9, 11, 3)
    png("interlaced.png", rgb8, 8, 2, interlaced=True)
    np.save("interlaced.npy", rgb8)
    palette = Image.fromarray(texture(9, 11, 3)).quantize(16)
    palette.save("palette.png")
    np.save("palette.npy", np.asarray(palette.convert("RGB")))
    palette.save("palette_alpha.png", transparency=3)
    np.save("palette_alpha.npy", np.asarray(Image.open("palette_alpha.png").convert("RGBA")))
    first, second = (Image.fromarray(texture(9, 11, 3)) for _ in range(2))
    first.save("animated.png", save_all=True, append_images=[second])
    np.save("animated.npy", np.asarray(first))
    bits = Image.fromarray(texture(9, 11, 1)[..., 0]).convert("1")
    bits.save("one_bit.png")
    np.save("one_bit.npy", np.asarray(bits.convert("L")))


def jpegs():
    smooth = np.asarray(Image.fromarray(texture(6, 8, 3)).resize((40, 24), Image.Resampling.BICUBIC))
    colour = Image.fromarray(smooth)
    colour.save("colour.jpg", quality=95, subsampling=0)
    colour.save("progressive.jpg", quality=90, subsampling=2, progressive=True)
    colour.convert("L").save("grey.jpg", quality=92)
    # a preview before the picture, with marks of its own
    preview = open("grey.jpg", "rb").read()
    exif = b"\xff\xe1" + struct.pack(">H", len(preview) + 2) + preview
    plain = open("colour.jpg", "rb").read()
    open("preview.jpg", "wb").write(plain[:2] + exif + plain[2:])
    colour.convert("CMYK").save("cmyk.jpg", quality=90)
    for name in ["colour", "progressive", "grey"]:
        np.save(f"{name}_jpg.npy", np.asarray(Image.open(f"{name}.jpg")))


def metrics():
    lines = []

    def add(name, value):
        lines.append(f"{name} {value:.17g}")

    i, j = np.meshgrid(np.arange(32), np.arange(40), indexing="ij")
    x = 0.5 + 0.4 * np.sin(0.3 * i + 0.17 * j)
    y = np.clip(x + 0.05 * np.cos(1.1 * i - 0.7 * j), 0, 1)
    add("grey_ssim", structural_similarity(x, y, data_range=1))
    add("grey_psnr", peak_signal_noise_ratio(x, y, data_range=1))
    add("grey_mse", mean_squared_error(x, y))
    i, j, c = np.meshgrid(np.arange(45), np.arange(33), np.arange(3), indexing="ij")
    x = 0.5 + 0.5 * np.sin(0.9 * i + 0.4 * j + c)
    y = np.clip(x + 0.2 * np.cos(1.7 * i - 2.9 * j + 0.3 * c), 0, 1)
    add("colour_ssim", structural_similarity(x, y, data_range=1, channel_axis=-1))
    add("colour_psnr", peak_signal_noise_ratio(x, y, data_range=1))
    a = (37 * i + 11 * j + 5 * c * i) % 256
    b = (a + (i * j) % 9) % 256
    a, b = a.astype(np.uint8), b.astype(np.uint8)
    add("bytes_ssim", structural_similarity(a, b, data_range=255, channel_axis=-1))
    add("bytes_psnr", peak_signal_noise_ratio(a, b, data_range=255))
    add("smallest_ssim", structural_similarity(a[:7, :7, 0], b[:7, :7, 0], data_range=255))
    open("metrics.txt", "w").write("\n".join(lines) + "\n")


def arrays():
    base = np.arange(24).reshape(2, 3, 4) * 3 - 7
    for kind in ["<f4", "<f8", "|i1", "<i2", "<i4", "<i8", ">f4", ">f8", ">i2", ">i8"]:
        np.save(f"array_{kind.strip('<>|')}{'_big' if '>' in kind else ''}.npy", base.astype(kind))
    for kind in ["|u1", "<u2", "<u4", "<u8", ">u4"]:
        np.save(f"array_{kind.strip('<>|')}{'_big' if '>' in kind else ''}.npy", (base + 7).astype(kind))
    np.save("array_fortran.npy", np.asfortranarray(base.astype("<f8")))
    np.save("array_bool.npy", base % 2 == 0)
    np.save("array_scalar.npy", np.float64(2.5))
    np.save("array_empty.npy", np.zeros((0, 3)))
    with open("array_version2.npy", "wb") as file:
        np.lib.format.write_array(file, base.astype("<f8"), version=(2, 0))
    np.save("array_complex.npy", base.astype(complex))
    np.save("array_fields.npy", np.zeros(2, dtype=[("a", "f8"), ("b", "i4")]))
    steps = np.arange(256, dtype=np.uint8).astype(np.float32) / np.float32(255)
    np.save("target.npy", (steps - np.float32(0.5)) / np.float32(0.5))


def sounds():
    t = np.arange(20)
    wave = 0.9 * np.sin(0.7 * t)
    wavfile.write("f64.wav", 8000, wave)
    wavfile.write("f32.wav", 44100, wave.astype(np.float32))
    stereo = np.stack([wave, 0.5 * np.cos(t)], axis=1)
    wavfile.write("stereo_i16.wav", 22050, np.rint(stereo * 32767).astype(np.int16))
    wavfile.write("u8.wav", 8000, np.rint(stereo * 127 + 128).astype(np.uint8))
    wavfile.write("i32.wav", 8000, np.rint(wave * 2**31).clip(-(2**31), 2**31 - 1).astype(np.int32))
    np.save("stereo.npy", np.rint(stereo * 32767).astype(np.int16))
    mean = np.mean(np.rint(stereo * 32767).astype(np.int16), axis=1).astype(np.float32)
    np.save("stereo_target.npy", mean / np.max(np.abs(mean)))


def videos():
    frames = []
    for k in range(4):
        frame = Image.new("P", (12, 9), 0)
        frame.putpalette([255, 0, 0, 0, 255, 0, 0, 0, 255, 240, 240, 0] + [0] * 756)
        frame.paste(1 + k % 3, (2 * k, k, 2 * k + 4, k + 5))
        frames.append(frame)
    for disposal in [1, 2, 3]:
        path = f"disposal_{disposal}.gif"
        frames[0].save(path, save_all=True, append_images=frames[1:], duration=40, loop=0, transparency=0,
                       disposal=disposal, optimize=False)
        image = Image.open(path)
        out = []
        for k in range(image.n_frames):
            image.seek(k)
            rgba = image.convert("RGBA")
            white = Image.new("RGBA", rgba.size, (255, 255, 255, 255))
            out.append(np.asarray(Image.alpha_composite(white, rgba).convert("RGB")))
        np.save(f"disposal_{disposal}.npy", np.stack(out))

    ffmpeg = imageio_ffmpeg.get_ffmpeg_exe()
    quiet = [ffmpeg, "-v", "error", "-y"]
    source = ["-f", "lavfi", "-i", "testsrc=size=50x38:rate=30:duration=0.8"]
    lines = []
    for name, options in [
        # B-frames, cropping (50 x 38 is no multiple of 16), CABAC and 8x8 transforms
        ("high", ["-profile:v", "high", "-bf", "3", "-g", "12"]),
        ("baseline", ["-profile:v", "baseline", "-g", "8", "-movflags", "+faststart"]),
        ("bt709", ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]),
    ]:
        path = f"{name}.mp4"
        encode = ["-c:v", "libx264", "-preset", "slow", "-crf", "30", "-pix_fmt", "yuv420p", "-threads", "1"]
        bare = ["-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1"]
        subprocess.run(quiet + source + encode + options + bare + [path], check=True)
        planes = subprocess.run(quiet + ["-i", path, "-f", "rawvideo", "-pix_fmt", "yuv420p", "-"], check=True,
                                capture_output=True).stdout
        lines.append(f"{name} {len(planes) // (50 * 38 + 2 * 25 * 19)} {hashlib.sha256(planes).hexdigest()}")
    subprocess.run(quiet + source + ["-c:v", "mpeg4", "-frames:v", "2", "mpeg4.mp4"], check=True)
    subprocess.run(quiet + source + ["-c:v", "libx264", "-frames:v", "2", "-movflags", "frag_keyframe+empty_moov",
                                     "-pix_fmt", "yuv420p", "fragments.mp4"], check=True)
    subprocess.run(quiet + source + ["-c:v", "libx264", "-frames:v", "2", "-pix_fmt", "yuv444p", "chroma444.mp4"],
                   check=True)
    open("videos.txt", "w").write("\n".join(lines) + "\n")


resizes()
pngs()
jpegs()
metrics()
arrays()
sounds()
videos()
