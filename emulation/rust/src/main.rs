//! A gateway: sensors send readings, a collector makes JSON documents of them and keeps the newest,
//! and a client reads some of these again. All of them are tasks of embassy.
#![no_std]
#![no_main]

extern crate alloc;

mod board;
mod heaps;

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write;

use embassy_executor::Spawner;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::channel::Channel;
use embassy_time::{Duration, Timer};
use heapscope::{Arena, Bytes, Facts};
use serde_json::{json, Value};

const HEAP_BYTES: usize = 48 * 1024;
const ROUNDS: u32 = 120;

static MEMORY: Arena<HEAP_BYTES> = Arena::new();
static EVENTS: Arena<65536> = Arena::new();

struct Reading {
    sensor: u32,
    name: Box<str>,
    samples: Vec<f64>,
}

#[repr(align(64))]
#[derive(Clone)]
struct Packet([u8; 192]);

static READINGS: Channel<CriticalSectionRawMutex, Box<Reading>, 4> = Channel::new();
static DOCUMENTS: Channel<CriticalSectionRawMutex, String, 2> = Channel::new();
static DONE: Channel<CriticalSectionRawMutex, u32, 4> = Channel::new();

#[embassy_executor::task(pool_size = 3)]
async fn sensor(number: u32) {
    heapscope::task(c"sensor", async {
        let mut state = number * 2_654_435_761 + 1;
        for round in 0..ROUNDS {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            let mut samples = Vec::new();
            for sample in 0..=state % 40 {
                samples.push(f64::from(sample * round) / 7.0);
            }
            let name = format!("sensor {number} of round {round}").into_boxed_str();
            READINGS
                .send(Box::new(Reading {
                    sensor: number,
                    name,
                    samples,
                }))
                .await;
            Timer::after(Duration::from_micros(u64::from(100 + state % 700))).await;
        }
        DONE.send(number).await;
    })
    .await;
}

#[embassy_executor::task]
async fn collector() {
    heapscope::task(c"collector", async {
        let mut newest: BTreeMap<u32, VecDeque<Value>> = BTreeMap::new();
        loop {
            let reading = READINGS.receive().await;
            let mean = reading.samples.iter().sum::<f64>() / reading.samples.len() as f64;
            let document = json!({
                "name": reading.name, "mean": mean, "samples": reading.samples,
                "tags": ["a", reading.sensor.to_string()]
            });
            let kept = newest.entry(reading.sensor).or_default();
            kept.push_back(document.clone());
            if kept.len() > 6 {
                kept.pop_front();
            }
            DOCUMENTS.send(document.to_string()).await;
        }
    })
    .await;
}

#[embassy_executor::task]
async fn client() {
    heapscope::task(c"client", async {
        let mut pages: Vec<String> = Vec::new();
        loop {
            let text = DOCUMENTS.receive().await;
            let value: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
            let mut packet = Box::new(Packet([0; 192]));
            for (to, from) in packet.0.iter_mut().zip(text.bytes()) {
                *to = from;
            }
            let mut page = String::new();
            let _ = write!(page, "{:?} {}", value["name"], packet.0[0]);
            pages.push(page);
            if pages.len() == 30 {
                heapscope::mark(c"pages");
                pages = Vec::new();
            }
        }
    })
    .await;
}

#[embassy_executor::main(entry = "riscv_rt::entry")]
async fn main(spawner: Spawner) {
    heaps::begin();
    static mut UART: Bytes<fn(&[u8]) -> Option<usize>> = Bytes(|bytes| {
        board::put(bytes);
        Some(bytes.len())
    });
    extern "C" {
        static _stack_start: u8;
    }
    let facts = Facts {
        program: Some(c"gateway 0.1"),
        sdk: Some(c"embassy"),
        stack_top: &raw const _stack_start as usize,
        ..Facts::new(board::microseconds, 1_000_000)
    };
    let memory = EVENTS.take().expect("once");
    // SAFETY: here alone.
    heapscope::open(memory, &facts, unsafe { &mut *(&raw mut UART) }).expect("it is open");
    board::begin();

    for number in 0..3 {
        spawner.spawn(sensor(number).expect("one of three"));
    }
    spawner.spawn(collector().expect("one"));
    spawner.spawn(client().expect("one"));
    let mut running = 3;
    while running > 0 {
        while DONE.try_receive().is_ok() {
            running -= 1;
        }
        while heapscope::drain(64) > 0 {}
        Timer::after(Duration::from_micros(200)).await;
    }
    let too_large = Vec::<u8>::new().try_reserve(1 << 20).is_err();
    while heapscope::drain(64) > 0 {}
    let flushed = heapscope::flush();
    let lost = heapscope::figures().lost;
    let mut text = [0; 80];
    let line = say(&mut text, MEMORY.start() as usize, lost);
    board::put(line);
    board::end(too_large && flushed && lost == 0);
}

/// Where the heap is, and what it says of itself.
fn say(text: &mut [u8; 80], start: usize, lost: u32) -> &[u8] {
    struct Text<'a>(&'a mut [u8], usize);
    impl Write for Text<'_> {
        fn write_str(&mut self, part: &str) -> core::fmt::Result {
            let to = self.1 + part.len();
            self.0
                .get_mut(self.1..to)
                .ok_or(core::fmt::Error)?
                .copy_from_slice(part.as_bytes());
            self.1 = to;
            Ok(())
        }
    }
    let mut out = Text(text, 0);
    let (free, minimum) = heaps::free();
    let _ = writeln!(
        out,
        "\nheap {start} {HEAP_BYTES} free {free} minimum {minimum} lost {lost}"
    );
    let used = out.1;
    &text[..used]
}

#[panic_handler]
fn panicked(info: &core::panic::PanicInfo<'_>) -> ! {
    let line = info.location().map_or(0, |place| place.line());
    board::put(b"\npanic in line ");
    for digit in [1000, 100, 10, 1] {
        board::put(&[b'0' + (line / digit % 10) as u8]);
    }
    board::put(b"\n");
    board::end(false);
}
