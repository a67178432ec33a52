//! The machine of a card, piece by piece. On a real card, which the rest of the tests do without:
//! `cargo test -p rafnet-cuda --release --test card_works -- --ignored --test-threads=1 --nocapture`;
//! on a driver made up for it (`made_up`) in every run of the tests.

#![expect(clippy::print_stdout, reason = "what was measured")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod made_up;
#[path = "../../rafnet/tests/common/skipped.rs"]
mod skipped;

use rafnet_cuda::machine::{Argument, Kernel, Machine, Memory, Shape};
use rafnet_cuda::{Card, CudaError};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

const TEXT: &str = r#"
extern "C" __global__ void add(const double *x, const double *y, double *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
extern "C" __global__ void grow(double *x, double by, float factor, unsigned long long n) {
    extern __shared__ double part[];
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0.0;
    __syncthreads();
    if (i < n) x[i] = fma(part[threadIdx.x], (double)factor, by);
}
extern "C" __global__ void spoil(double *x) { x[1ull << 40] = 1.0; }
"#;

fn card() -> Arc<Card> {
    Card::open(0).expect("a card")
}

fn bytes(values: &[f64]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

fn values(bytes: &[u8]) -> Vec<f64> {
    let values = bytes.chunks_exact(8);
    let values = values.map(|b| f64::from_le_bytes(b.try_into().expect("eight")));
    values.collect()
}

fn filled(machine: &Arc<dyn Machine>, values: &[f64]) -> Memory {
    let memory = Memory::new(machine, values.len() * 8).expect("memory");
    machine.write(memory.at(), &bytes(values)).expect("written");
    memory
}

fn read(machine: &Arc<dyn Machine>, memory: &Memory) -> Vec<f64> {
    let mut into = vec![0; memory.bytes()];
    machine.read(memory.at(), &mut into).expect("read");
    values(&into)
}

fn kernel(machine: &Arc<dyn Machine>, name: &str) -> Kernel {
    machine.kernels(TEXT, &[name]).expect("compiled")[0]
}

#[test]
#[ignore = "needs a card"]
fn it_is_listed() {
    for card in Card::list().expect("cards") {
        println!("{card:?}");
    }
    println!("{:?}", rafnet_cuda::compiler_found());
    println!("{:?}, notes {:?}", card().facts(), card().notes());
    let missing = Card::open(77).err().expect("no such card");
    println!("{missing}");
    assert!(matches!(missing, CudaError::NoSuchCard { ordinal: 77, .. }));
    assert!(Arc::ptr_eq(&card(), &card()));
}

#[test]
#[ignore = "needs a card"]
fn vectors_are_added() {
    let machine: Arc<dyn Machine> = card();
    let x: Vec<f64> = (0..100_000).map(f64::from).collect();
    let (a, b) = (filled(&machine, &x), filled(&machine, &x));
    let c = Memory::new(&machine, a.bytes()).expect("memory");
    machine.clear(c.at(), c.bytes()).expect("cleared");
    assert!(read(&machine, &c).iter().all(|z| *z == 0.0));
    let add = kernel(&machine, "add");
    let arguments = [
        Argument::Address(a.at()),
        Argument::Address(b.at()),
        Argument::Address(c.at()),
        Argument::Int(100_000),
    ];
    let shape = Shape {
        blocks: 100_000_u32.div_ceil(256),
        threads: 256,
        shared: 0,
    };
    machine.launch(add, shape, &arguments).expect("launched");
    let z = read(&machine, &c);
    let twice: Vec<f64> = x.iter().map(|x| 2.0 * x).collect();
    assert!(z == twice);
    let wrong = machine.launch(add, shape, &arguments[..3]).unwrap_err();
    println!("{wrong}");
    let most = machine.facts().shared_of_block;
    let shape = |shared| Shape {
        blocks: 1,
        threads: 256,
        shared,
    };
    machine
        .launch(add, shape(most), &arguments)
        .expect("all the shared memory");
    println!(
        "{}",
        machine
            .launch(add, shape(most + 1), &arguments)
            .unwrap_err()
    );
    println!("{}", machine.kernels(TEXT, &["absent"]).unwrap_err());
}

fn grow(machine: &Arc<dyn Machine>, memory: &Memory) -> Result<(), CudaError> {
    let count = memory.bytes() as u64 / 8;
    let shape = Shape {
        blocks: u32::try_from(count.div_ceil(128)).expect("few"),
        threads: 128,
        shared: 128 * 8,
    };
    let arguments = [
        Argument::Address(memory.at()),
        Argument::Double(0.25),
        Argument::Float(0.5),
        Argument::Long(count),
    ];
    machine.launch(kernel(machine, "grow"), shape, &arguments)
}

#[test]
#[ignore = "needs a card"]
fn a_recording_does_what_its_launches_do() {
    let machine: Arc<dyn Machine> = card();
    let x: Vec<f64> = (0..10_000).map(|i| f64::from(i).sin()).collect();
    let (one, two) = (filled(&machine, &x), filled(&machine, &x));
    let recorded = machine
        .record(&mut || (0..100).try_for_each(|_| grow(&machine, &one)))
        .expect("recorded");
    assert_eq!(read(&machine, &one), x, "recording does nothing yet");
    machine.replay(recorded).expect("replayed");
    let launch = &mut || (0..100).try_for_each(|_| grow(&machine, &two));
    launch().expect("launched");
    assert_eq!(read(&machine, &one), read(&machine, &two));
    assert_ne!(read(&machine, &one), x);
    for _ in 0..3 {
        let replayed = machine.timed(&mut || machine.replay(recorded));
        let launched = machine.timed(launch);
        println!("100 launches: {launched:?} ms one by one, {replayed:?} ms recorded");
    }
    // what fails while it is recorded leaves a card that works
    let refused = machine.record(&mut || machine.wait()).unwrap_err();
    println!("{refused}");
    let failed = machine.record(&mut || machine.clear(one.at(), 8).and(Err(refused.clone())));
    assert_eq!(failed.unwrap_err(), refused);
    // memory and kernels may be asked for meanwhile, and are not part of it
    let mut kept = None;
    let with = machine.record(&mut || {
        kept = Some(Memory::new(&machine, 5 << 20)?);
        machine.kernels("extern \"C\" __global__ void other() {}", &["other"])?;
        machine.clear(two.at(), two.bytes())
    });
    machine.replay(with.expect("recorded")).expect("replayed");
    assert!(read(&machine, &two).iter().all(|z| *z == 0.0));
}

#[test]
#[ignore = "needs a card"]
fn a_gigabyte_goes_there_and_back() {
    let machine: Arc<dyn Machine> = card();
    let size = usize::try_from(machine.facts().memory / 4).expect("64 bits");
    let size = size.min(1 << 30);
    let gigabytes = size as f64 / 1e9;
    let sent: Vec<u8> = (0..size)
        .map(|i| (i * 2_654_435_761_usize).to_le_bytes()[2])
        .collect();
    let memory = Memory::new(&machine, size).expect("memory");
    let mut back = vec![0; size];
    for _ in 0..3 {
        let begun = Instant::now();
        machine.write(memory.at(), &sent).expect("written");
        machine.wait().expect("done");
        let there = begun.elapsed().as_secs_f64();
        back.fill(0);
        let begun = Instant::now();
        machine.read(memory.at(), &mut back).expect("read");
        let again = begun.elapsed().as_secs_f64();
        println!(
            "{gigabytes:.3} GB: {:.1} GB/s there, {:.1} GB/s back",
            gigabytes / there,
            gigabytes / again
        );
    }
    assert!(sent == back);
    for size in [1, 7, 65_536, 65_537, 8 << 20, (8 << 20) + 1, 24 << 20] {
        let mut part = vec![0; size];
        machine
            .write(memory.at().offset(4096), &sent[size..2 * size])
            .expect("written");
        machine
            .read(memory.at().offset(4096), &mut part)
            .expect("read");
        assert!(part == sent[size..2 * size], "{size} bytes");
    }
    let begun = Instant::now();
    let mut loss = [0; 8];
    (0..1000)
        .try_for_each(|_| machine.read(memory.at(), &mut loss))
        .expect("read");
    println!(
        "8 bytes read: {:.1} µs",
        begun.elapsed().as_secs_f64() * 1e3
    );
}

#[test]
#[ignore = "needs a card"]
fn memory_that_is_not_there_is_said() {
    let machine: Arc<dyn Machine> = card();
    let before = machine.free_memory();
    let whole = usize::try_from(machine.facts().memory).expect("64 bits");
    let error = machine.alloc(whole + (1 << 20)).unwrap_err();
    println!("{error}");
    assert!(matches!(error, CudaError::Memory { .. }));
    let begun = Instant::now();
    for _ in 0..1000 {
        drop(Memory::new(&machine, 10 << 20).expect("memory"));
    }
    println!(
        "10 MB taken and given back: {:.2} µs",
        begun.elapsed().as_secs_f64() * 1e3
    );
    // what is kept for the next who asks goes when somebody needs it
    let much = Memory::new(
        &machine,
        usize::try_from(machine.free_memory()).expect("64 bits") - (64 << 20),
    );
    drop(much.expect("nearly all of it"));
    assert!(machine.free_memory() + (64 << 20) > before);
}

/// Set in the processes of single tests.
const CHILD: &str = "RAFNET_CARD_CHILD";

/// Runs one of the tests below in its own process.
fn child(name: &str, cache: &str) -> String {
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.env(CHILD, "1");
    command.args(["--ignored", "--exact", name, "--nocapture"]);
    let output = command
        .env("RAFNET_CACHE", cache)
        .output()
        .expect("started");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    print!("{text}");
    text
}

#[test]
#[ignore = "needs a card"]
fn what_was_compiled_is_kept() {
    let folder = std::env::temp_dir().join(format!("rafnet-cache-{}", std::process::id()));
    let folder = folder.to_str().expect("a text").to_owned();
    assert!(child("one_text", &folder).contains("compiled 1"));
    assert!(child("one_text", &folder).contains("compiled 0"));
    for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
        let mut bytes = std::fs::read(entry.path()).expect("an entry");
        bytes[300] ^= 1;
        std::fs::write(entry.path(), bytes).expect("damaged");
    }
    assert!(child("one_text", &folder).contains("compiled 1"));
    assert!(child("one_text", &folder).contains("compiled 0"));
    let _ = std::fs::remove_dir_all(&folder);
    assert!(child("one_text", "/proc/nowhere").contains("cannot be kept"));
}

#[test]
#[ignore = "needs a card; what_was_compiled_is_kept runs it"]
fn one_text() {
    let card = card();
    let begun = Instant::now();
    card.kernels(TEXT, &["add", "grow"]).expect("compiled");
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "compiled {} in {seconds:.3} s, notes {:?}",
        card.compiled(),
        card.notes()
    );
}

#[test]
#[ignore = "needs a card"]
fn a_kernel_that_fails_is_named() {
    let cache = std::env::temp_dir().join("rafnet-cache-spoilt");
    let text = child("spoilt", cache.to_str().expect("a text"));
    assert!(text.contains("`spoil`"));
}

#[test]
#[ignore = "needs a card, which it spoils for its process; a_kernel_that_fails_is_named runs it"]
fn spoilt() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let machine: Arc<dyn Machine> = card();
    let x = filled(&machine, &[1.0; 1000]);
    let shape = Shape {
        blocks: 1,
        threads: 1,
        shared: 0,
    };
    let spoil = kernel(&machine, "spoil");
    let arguments = [Argument::Address(x.at())];
    machine.launch(spoil, shape, &arguments).expect("launched");
    let error = machine.wait().unwrap_err();
    println!("{error}");
    assert!(matches!(&error, CudaError::Kernel { sweep, .. } if sweep == "`spoil`"));
    assert_eq!(machine.launch(spoil, shape, &arguments), Err(error.clone()));
    assert_eq!(machine.alloc(8), Err(error.clone()));
    assert_eq!(Card::open(0).err(), Some(error));
}

#[test]
#[ignore = "needs a card; made_up runs it"]
fn opened() {
    match Card::open(0) {
        Ok(_) => println!("opened: ok"),
        Err(error) => println!("opened: {error}"),
    }
}
