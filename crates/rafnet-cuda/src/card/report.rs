//! What the compiler says of each kernel: its registers, and what it keeps in slow memory because they do not suffice.

use super::compiler::Compiler;
use crate::CudaError;

/// Machine code, and what the compiler says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// The machine code: an ELF file.
    pub cubin: Vec<u8>,
    /// Its kernels, and functions that were not inlined into them, in the compiler's order.
    pub functions: Vec<FunctionUse>,
    /// All else that the compiler remarks: warnings, tensor instructions that it put in a row.
    pub remarks: Vec<String>,
}

/// What a kernel needs of a multiprocessor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionUse {
    /// Its name; a C++ function's is mangled.
    pub name: String,
    /// Registers of a thread; none for a function that is called.
    pub registers: Option<u32>,
    /// Bytes of a thread's frame in slow memory: arrays that are not in registers, and spilled registers.
    pub stack: u32,
    /// Bytes of registers that are written to slow memory.
    pub spill_stores: u32,
    /// Bytes of registers that are read back.
    pub spill_loads: u32,
    /// Bytes of shared memory that the text declares.
    pub shared: u32,
}

impl FunctionUse {
    /// Whether registers did not suffice.
    pub fn spills(&self) -> bool {
        self.spill_stores > 0 || self.spill_loads > 0
    }
}

/// As [`compile_only`](super::compile_only), with what the compiler says of the kernels.
///
/// # Errors
/// As [`compile_only`](super::compile_only)'s.
pub fn compile_report(text: &str, architecture: &str) -> Result<Compiled, CudaError> {
    let (cubin, log) = Compiler::here()?.compile(text, architecture, &["--ptxas-options=-v"])?;
    let (functions, remarks) = read(&log);
    Ok(Compiled {
        cubin,
        functions,
        remarks,
    })
}

/// The number before some words.
fn before(line: &str, words: &str) -> Option<u32> {
    let (number, _) = line.split_once(words)?;
    number.trim_end().rsplit([' ', ',']).next()?.parse().ok()
}

fn read(log: &str) -> (Vec<FunctionUse>, Vec<String>) {
    let mut functions: Vec<FunctionUse> = Vec::new();
    let mut remarks = Vec::new();
    // the kernel whose registers are said next: behind it, functions that it calls may be named first
    let mut kernel = 0;
    for line in log.lines() {
        if let Some((_, name)) = line.split_once("Function properties for ") {
            functions.push(FunctionUse {
                name: name.trim().to_owned(),
                ..FunctionUse::default()
            });
        } else if line.contains("Compiling entry function") {
            kernel = functions.len();
        } else if let Some(stack) = before(line, "bytes stack frame") {
            if let Some(function) = functions.last_mut() {
                function.stack = stack;
                function.spill_stores = before(line, "bytes spill stores").unwrap_or(0);
                function.spill_loads = before(line, "bytes spill loads").unwrap_or(0);
            }
        } else if let Some(registers) = line
            .split_once("Used ")
            .and_then(|(_, used)| before(used, "registers"))
        {
            if let Some(function) = functions.get_mut(kernel) {
                function.registers = Some(registers);
                function.shared = before(line, "bytes smem").unwrap_or(0);
            }
        } else if !(line.contains("Compile time =")
            || line.contains("bytes gmem")
            || line.trim().is_empty())
        {
            remarks.push(line.trim().to_owned());
        }
    }
    (functions, remarks)
}

#[cfg(test)]
mod tests {
    use super::{FunctionUse, read};

    const LOG: &str = "ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'calls' for 'sm_80'
ptxas info    : Function properties for calls
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 24 registers, used 1 barriers, 8192 bytes smem, 364 bytes cmem[0]
ptxas info    : Compile time = 3.409 ms
ptxas info    : Function properties for _Z4deepdi
ptxas         .     24 bytes stack frame, 20 bytes spill stores, 16 bytes spill loads
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized
ptxas info    : Compiling entry function 'array' for 'sm_80'
ptxas info    : Function properties for array
ptxas         .     256 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 38 registers, used 0 barriers, 256 bytes cumulative stack size, 364 bytes cmem[0]
";

    #[test]
    fn what_the_compiler_says_is_read() {
        let (functions, remarks) = read(LOG);
        let said = |name: &str, registers, stack, spill_stores, spill_loads, shared| FunctionUse {
            name: name.to_owned(),
            registers,
            stack,
            spill_stores,
            spill_loads,
            shared,
        };
        assert_eq!(
            functions,
            [
                said("calls", Some(24), 0, 0, 0, 8192),
                said("_Z4deepdi", None, 24, 20, 16, 0),
                said("array", Some(38), 256, 0, 0, 0),
            ]
        );
        assert!(functions[1].spills() && !functions[2].spills());
        assert_eq!(remarks.len(), 1);
        assert!(remarks[0].contains("serialized"));
    }
}
