//! The cards of this machine, and what each is.

use super::driver::{Code, Driver, dotted};
use super::failure;
use crate::CudaError;
use crate::machine::Facts;
use cudarc::driver::sys::{CUdevice, CUdevice_attribute as Attribute};
use std::ffi::{CStr, c_int};
use std::ptr::null_mut;

/// A card, as it is listed.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// Its number, the K of `cuda:K`.
    pub ordinal: usize,
    /// What it is.
    pub facts: Facts,
    /// Bytes of its memory that are free now; none where the card does not let this process in.
    pub free: Option<u64>,
    /// Its highest clock rate, in MHz; none where the driver does not say.
    pub clock: Option<u32>,
    /// The driver's release, where it can be read, and the newest CUDA that it knows: "580.65.06 (CUDA 13.0)".
    pub driver: String,
}

/// An answer of the driver as an error, before any kernel ran.
pub(super) fn error(driver: &Driver, code: Code, what: &str) -> CudaError {
    failure::error(code, driver.words(code), what, failure::one_of(&[]))
}

/// As [`error`], where it is one.
pub(super) fn must(driver: &Driver, code: Code, what: &str) -> Result<(), CudaError> {
    if code == 0 {
        Ok(())
    } else {
        Err(error(driver, code, what))
    }
}

/// All of them.
pub(super) fn cards() -> Result<Vec<Listed>, CudaError> {
    let driver = Driver::here()?;
    let cards = (0..count(driver)?).map(|ordinal| {
        let (device, facts) = device(driver, ordinal)?;
        let clock = attribute(driver, device, Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
        let clock = clock.ok().and_then(|khz| u32::try_from(khz / 1000).ok());
        Ok(Listed {
            ordinal,
            facts,
            free: free(driver, device),
            clock: clock.filter(|mhz| *mhz > 0),
            driver: release(driver),
        })
    });
    cards.collect()
}

#[allow(unsafe_code, reason = "calls into the driver")]
fn count(driver: &Driver) -> Result<usize, CudaError> {
    let mut count = 0;
    // SAFETY: the pointer is to a number of this frame.
    let code = unsafe { (driver.device_count)(&raw mut count) };
    must(driver, code, "counting the cards")?;
    let count = usize::try_from(count).unwrap_or(0);
    if count == 0 {
        return Err(CudaError::NoCard {
            why: "it counts none".to_owned(),
        });
    }
    Ok(count)
}

/// A card by its number.
#[allow(unsafe_code, reason = "calls into the driver")]
pub(super) fn device(driver: &Driver, ordinal: usize) -> Result<(CUdevice, Facts), CudaError> {
    let count = count(driver)?;
    let number = c_int::try_from(ordinal).ok().filter(|_| ordinal < count);
    let number = number.ok_or(CudaError::NoSuchCard { ordinal, count })?;
    let what = format!("asking what card {ordinal} is");
    let mut device = 0;
    // SAFETY: the pointer is to a number of this frame.
    let code = unsafe { (driver.device)(&raw mut device, number) };
    must(driver, code, &what)?;
    let mut name = [0u8; 256];
    // SAFETY: room for 255 characters and a zero, as is said.
    let code = unsafe { (driver.device_name)(name.as_mut_ptr().cast(), 256, device) };
    must(driver, code, &what)?;
    let mut memory = 0;
    // SAFETY: the pointer is to a number of this frame.
    let code = unsafe { (driver.device_memory)(&raw mut memory, device) };
    must(driver, code, &what)?;
    let of = |kind| {
        let value = attribute(driver, device, kind);
        let value = value.map_err(|code| error(driver, code, &what))?;
        Ok::<_, CudaError>(u32::try_from(value).unwrap_or(0))
    };
    let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
    let capability = (
        of(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        of(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    );
    let facts = Facts {
        name: name.to_string_lossy().into_owned(),
        capability,
        multiprocessors: of(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        shared_of_block: of(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        shared_of_multiprocessor: of(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
        )?,
        memory: memory as u64,
        cache: u64::from(of(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?),
        warpgroups: capability == (9, 0),
    };
    Ok((device, facts))
}

#[allow(unsafe_code, reason = "calls into the driver")]
fn attribute(driver: &Driver, device: CUdevice, kind: Attribute) -> Result<c_int, Code> {
    let mut value = 0;
    // SAFETY: the pointer is to a number of this frame.
    match unsafe { (driver.device_attribute)(&raw mut value, kind, device) } {
        0 => Ok(value),
        code => Err(code),
    }
}

/// Free memory: the driver says it in a context only, which is made for this and given back.
#[allow(unsafe_code, reason = "calls into the driver")]
fn free(driver: &Driver, device: CUdevice) -> Option<u64> {
    let (mut before, mut context) = (null_mut(), null_mut());
    // SAFETY: the pointer is to one of this frame.
    let known = unsafe { (driver.context_get)(&raw mut before) } == 0;
    // SAFETY: the pointer is to one of this frame, the device one that the driver named.
    if unsafe { (driver.context_retain)(&raw mut context, device) } != 0 {
        return None;
    }
    let (mut free, mut total) = (0, 0);
    // SAFETY: the context that was just retained.
    let mut code = unsafe { (driver.context_set)(context) };
    if code == 0 {
        // SAFETY: pointers to numbers of this frame.
        code = unsafe { (driver.memory_info)(&raw mut free, &raw mut total) };
    }
    let back = if known { before } else { null_mut() };
    // SAFETY: what was current before, or none.
    unsafe { (driver.context_set)(back) };
    // SAFETY: retained once above, and not used any more.
    unsafe { (driver.context_release)(device) };
    (code == 0).then_some(free as u64)
}

/// The driver's release, from where Linux shows it.
fn release(driver: &Driver) -> String {
    let cuda = format!("CUDA {}", dotted(driver.cuda_version()));
    let shown = std::fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    match release_in(&shown) {
        Some(release) => format!("{release} ({cuda})"),
        None => cuda,
    }
}

fn release_in(text: &str) -> Option<&str> {
    let mut words = text.lines().next()?.split_whitespace();
    words.find(|word| word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.'))
}
