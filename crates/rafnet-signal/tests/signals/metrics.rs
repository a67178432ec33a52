//! Quality measures.

use crate::folder::golden;
use rafnet_signal::metrics::{mse, psnr, ssim};
use std::collections::HashMap;

fn reference() -> HashMap<String, f64> {
    let text = std::fs::read_to_string(golden("metrics.txt")).unwrap();
    text.lines()
        .map(|line| line.split_once(' ').unwrap())
        .map(|(name, v)| (name.to_owned(), v.parse().unwrap()))
        .collect()
}

fn close(found: f64, expected: f64) {
    // sums of some thousand terms near 1: a few hundred units in the last place
    assert!(
        (found - expected).abs() <= 1e-12 * expected.abs(),
        "{found} instead of {expected}"
    );
}

/// A picture with a wave on it.
fn disturbed(x: &[f64], wave: impl Iterator<Item = f64>) -> Vec<f64> {
    let sums = x.iter().zip(wave).map(|(x, wave)| x + wave);
    sums.map(|sum| sum.clamp(0.0, 1.0)).collect()
}

#[test]
fn grey_pictures_agree_with_scikit_image() {
    let at = |k: u32| (f64::from(k / 40), f64::from(k % 40));
    let x: Vec<f64> = (0..1280)
        .map(at)
        .map(|(i, j)| 0.5 + 0.4 * (0.3 * i + 0.17 * j).sin())
        .collect();
    let wave = (0..1280)
        .map(at)
        .map(|(i, j)| 0.05 * (1.1 * i - 0.7 * j).cos());
    let y = disturbed(&x, wave);
    let reference = reference();
    close(
        ssim(&x, &y, 32, 40, 1, 1.0).unwrap(),
        reference["grey_ssim"],
    );
    close(psnr(&x, &y, 1.0).unwrap(), reference["grey_psnr"]);
    close(mse(&x, &y).unwrap(), reference["grey_mse"]);
    assert!((ssim(&x, &y, 32, 40, 1, 1.0).unwrap() - 0.972_709_125_275).abs() < 1e-12);
    assert!((psnr(&x, &y, 1.0).unwrap() - 29.031_733_937_3).abs() < 1e-10);
}

#[test]
fn colour_pictures_agree_with_scikit_image() {
    let at = |k: u32| (f64::from(k / 99), f64::from(k / 3 % 33), f64::from(k % 3));
    let x: Vec<f64> = (0..4455)
        .map(at)
        .map(|(i, j, c)| 0.5 + 0.5 * (0.9 * i + 0.4 * j + c).sin())
        .collect();
    let wave = (0..4455)
        .map(at)
        .map(|(i, j, c)| 0.2 * (1.7 * i - 2.9 * j + 0.3 * c).cos());
    let y = disturbed(&x, wave);
    let reference = reference();
    close(
        ssim(&x, &y, 45, 33, 3, 1.0).unwrap(),
        reference["colour_ssim"],
    );
    close(psnr(&x, &y, 1.0).unwrap(), reference["colour_psnr"]);
}

#[test]
fn eight_bit_pictures_agree_with_scikit_image() {
    let at = |k: u32| (k / 99, k / 3 % 33, k % 3);
    let step = |value: u32| u8::try_from(value % 256).unwrap();
    let a: Vec<u8> = (0..4455)
        .map(at)
        .map(|(i, j, c)| step(37 * i + 11 * j + 5 * c * i))
        .collect();
    let b: Vec<u8> = (0..4455)
        .map(at)
        .zip(&a)
        .map(|((i, j, _), &a)| step(u32::from(a) + i * j % 9))
        .collect();
    let reference = reference();
    close(
        ssim(&a, &b, 45, 33, 3, 255.0).unwrap(),
        reference["bytes_ssim"],
    );
    close(psnr(&a, &b, 255.0).unwrap(), reference["bytes_psnr"]);
    let corner = |picture: &[u8]| {
        (0..49)
            .map(|k| picture[(k / 7 * 33 + k % 7) * 3])
            .collect::<Vec<u8>>()
    };
    close(
        ssim(&corner(&a), &corner(&b), 7, 7, 1, 255.0).unwrap(),
        reference["smallest_ssim"],
    );
}

#[test]
fn equal_signals_are_perfect_and_unequal_lengths_are_refused() {
    assert_eq!(
        psnr(&[1.0f32, 2.0], &[1.0, 2.0], 1.0).unwrap(),
        f64::INFINITY
    );
    assert!(mse(&[1.0], &[1.0, 2.0]).is_err());
    assert!(mse::<f64>(&[], &[]).is_err());
    let error = ssim(&[0.0; 36], &[0.0; 36], 6, 6, 1, 1.0)
        .unwrap_err()
        .to_string();
    assert_eq!(error, "the height is 6, expected 7 or more for SSIM");
    assert!(ssim(&[0.0; 49], &[0.0; 48], 7, 7, 1, 1.0).is_err());
    assert!(ssim(&[0.0; 49], &[0.0; 49], 7, 7, 0, 1.0).is_err());
}
