//! What can go wrong on a graphics card, and what to do about it.

/// Why something could not be done on a card.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CudaError {
    /// No driver of an NVIDIA card.
    #[error(
        "there is no NVIDIA driver here: {why}; install the driver (https://www.nvidia.com/drivers), or name the folder of its library in \
         RAFNET_CUDA_LIBRARIES, or use --device cpu"
    )]
    NoDriver {
        /// Where it was looked for, or why it could not be opened.
        why: String,
    },
    /// A driver from before CUDA 13.
    #[error(
        "the NVIDIA driver is too old: it is of {have}, and CUDA 13.0 is needed; install driver 580 or newer (https://www.nvidia.com/drivers), \
         or use --device cpu"
    )]
    OldDriver {
        /// What the driver offers, "CUDA 12.4" say.
        have: String,
    },
    /// A driver, and no card that it shows.
    #[error("the NVIDIA driver shows no card: {why}; use --device cpu")]
    NoCard {
        /// What the driver said.
        why: String,
    },
    /// A card that is not there.
    #[error("there is no card {ordinal}: {}; `raf devices` lists what is here", counted(*.count))]
    NoSuchCard {
        /// The number that was asked for.
        ordinal: usize,
        /// How many cards there are.
        count: usize,
    },
    /// A card whose compute capability is too low.
    #[error(
        "the {name} has compute capability {}.{}, and 8.0 is needed (cards since 2020); use another card (`raf devices` lists them) or --device cpu",
        .capability.0, .capability.1
    )]
    OldCard {
        /// As its maker calls it.
        name: String,
        /// Its compute capability.
        capability: (u32, u32),
    },
    /// No compiler for kernels.
    #[error(
        "kernels cannot be compiled: {why}; install it with `pip install \"nvidia-cuda-nvrtc>=13,<14\"` into the active Python or with the CUDA \
         toolkit 13, or name the folder of its library in RAFNET_CUDA_LIBRARIES"
    )]
    NoCompiler {
        /// Where NVRTC was looked for, or why it could not be opened.
        why: String,
    },
    /// No library of dense algebra.
    #[error(
        "second-order steps need cuBLAS and cuSOLVER on the card: {why}; install both with `pip install nvidia-cublas nvidia-cusolver` into the \
         active Python or with the CUDA toolkit 13, or name the folder of the libraries in RAFNET_CUDA_LIBRARIES, or use --device cpu"
    )]
    NoDense {
        /// Where they were looked for, or why they could not be opened.
        why: String,
    },
    /// A text that does not compile.
    #[error("a kernel does not compile, which is a mistake of this program: {log}")]
    Compile {
        /// What the compiler said.
        log: String,
    },
    /// Not enough of the card's memory.
    #[error(
        "the card has {free} MB free and {asked} MB more were asked for; use fewer points or a smaller network, close other programs on the card, \
         or use --device cpu"
    )]
    Memory {
        /// Megabytes that were asked for.
        asked: u64,
        /// Megabytes that are free.
        free: u64,
    },
    /// A kernel that failed while it ran; the card takes no more work from this process.
    #[error(
        "a kernel failed on the card, which is a mistake of this program: {why}, in {sweep}; start again from the last checkpoint, with --device cpu if it \
         happens again"
    )]
    Kernel {
        /// The kernels that ran last, one of which it was.
        sweep: String,
        /// What the driver said.
        why: String,
    },
    /// A card that went away.
    #[error(
        "the card was lost while {what}: {why}; `nvidia-smi` shows its state; the run can be resumed from its last checkpoint, with --device cpu too"
    )]
    Lost {
        /// What was being done.
        what: String,
        /// What the driver said.
        why: String,
    },
    /// A process that was forked from the one that opened the card.
    #[error(
        "the card was opened by process {opened} and this is process {here}, forked from it: a driver's state does not survive that; open the card \
         after the fork, or start new processes instead"
    )]
    Forked {
        /// Who opened it.
        opened: u32,
        /// Who asks.
        here: u32,
    },
    /// Anything else that the driver says.
    #[error("{what}: {why}")]
    Driver {
        /// What was being done.
        what: String,
        /// What the driver said, and what helps.
        why: String,
    },
}

fn counted(count: usize) -> String {
    match count {
        1 => "there is one, number 0".to_owned(),
        n => format!("there are {n}, numbered from 0"),
    }
}
