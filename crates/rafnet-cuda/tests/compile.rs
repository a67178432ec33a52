//! Texts compile where the compiler's library is, with or without a card.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../../rafnet/tests/common/skipped.rs"]
mod skipped;

use rafnet_cuda::{CudaError, compile_only, compile_report, compiler_found};
use skipped::skipped;

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

/// Sixty-four numbers in thirty-two registers.
const CROWDED: &str = r#"
extern "C" __global__ void square(double *x) { x[threadIdx.x] *= x[threadIdx.x]; }
extern "C" __global__ __launch_bounds__(1024) void crowded(double *x, int n) {
    double r[64];
    for (int i = 0; i < 64; i++) r[i] = x[threadIdx.x * 64 + i];
    for (int k = 0; k < n; k++)
        #pragma unroll
        for (int i = 0; i < 64; i++) r[i] = r[i] * r[(i * 7 + 1) & 63] + r[(i * 13 + 5) & 63];
    for (int i = 0; i < 64; i++) x[threadIdx.x * 64 + i] = r[i];
}
"#;

#[test]
fn registers_that_do_not_suffice_are_seen() {
    if !compiler() {
        return;
    }
    for architecture in ["sm_90a", "sm_80"] {
        let report = compile_report(CROWDED, architecture).unwrap();
        let of = |name: &str| report.functions.iter().find(|f| f.name == name).unwrap();
        assert!(!of("square").spills() && of("square").registers < Some(32));
        assert!(of("crowded").spills() && of("crowded").stack > 0);
        assert_eq!(report.remarks, Vec::<String>::new());
    }
}
