//! Texts compile where the compiler's library is, with or without a card.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use common::skipped;
use rafnet_cuda::{CudaError, compile_only, compiler_found};

/// Whether there is a compiler; says that a test is left out where there is none.
fn compiler() -> bool {
    match compiler_found() {
        Ok(_) => true,
        Err(error) => {
            assert!(
                matches!(error, CudaError::NoCompiler { .. }),
                "{error}: neither a compiler nor its absence"
            );
            skipped(&format!("kernels are not compiled: {error}"));
            false
        }
    }
}

const SQUARE: &str = r#"
extern "C" __global__ void square(const double *x, double *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * x[i];
}
"#;

#[test]
fn texts_compile_for_both_targets() {
    if !compiler() {
        return;
    }
    for architecture in ["sm_90a", "sm_80"] {
        let cubin = compile_only(SQUARE, architecture).unwrap();
        assert!(cubin.starts_with(b"\x7fELF"), "{architecture}");
    }
}

#[test]
fn a_mistake_in_a_text_is_named() {
    if !compiler() {
        return;
    }
    let error = compile_only("extern \"C\" __global__ void f() { g(); }", "sm_80").unwrap_err();
    let said = error.to_string();
    assert!(
        said.contains("rafnet.cu(1)") && said.contains("\"g\""),
        "{said}"
    );
}
