//! Evaluating a program allocates nothing.
#![expect(unsafe_code, reason = "a counting allocator is an allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use rafnet::expr::{Leaf, Program, Scope, parse};

/// The system's allocator, counting.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises about `layout` are the system allocator's conditions.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `alloc` above, so from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn evaluation_allocates_nothing() -> Result<(), Box<dyn std::error::Error>> {
    let f = parse(
        "sin(x)*exp(y)^2 + where(x > 0, atan2(x, y), mod(x, 3))",
        &Scope::new(["x", "y"]),
    )?;
    let program = Program::compile(
        &[f.clone(), f.derivative(0)],
        &[Leaf::Coordinate(0), Leaf::Coordinate(1)],
    )?;
    let x = vec![0.5; 1000];
    let (mut value, mut slope) = (vec![0.0; 1000], vec![0.0; 1000]);
    let mut scratch = program.scratch();
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    assert!(before > 0, "the allocator counts");
    program.evaluate(&[&x, &[2.0]], &mut [&mut value, &mut slope], &mut scratch);
    assert_eq!(ALLOCATIONS.load(Ordering::Relaxed), before);
    assert!(value[999] > 1.0);
    Ok(())
}
