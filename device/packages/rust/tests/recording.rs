//! A program whose global allocator is recorded, into a file that HEAPSCOPE_TRACE names, and into
//! lines of text.
#![cfg(feature = "std")]

use std::alloc::System;
use std::env;
use std::fs::File;
use std::future::Future;
use std::pin::{pin, Pin};
use std::sync::mpsc::channel;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Instant;

use heapscope::{Facts, FileSink, HexLines, OpenError, Recorded, Sink};

#[global_allocator]
static HEAP: Recorded<System, 16> = Recorded::new(System);

static LINES: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Both sinks at once.
struct Both {
    file: Option<FileSink>,
    lines: HexLines<fn(&str)>,
    copy: Vec<u8>,
}

impl Sink for Both {
    fn write(&mut self, bytes: &[u8]) -> Option<usize> {
        self.copy.extend(bytes);
        self.lines.write(bytes);
        self.file
            .as_mut()
            .map_or(Some(bytes.len()), |file| file.write(bytes))
    }
}

fn clock() -> u32 {
    static BEGIN: Mutex<Option<Instant>> = Mutex::new(None);
    let Ok(mut begin) = BEGIN.try_lock() else {
        return 0;
    };
    begin.get_or_insert_with(Instant::now).elapsed().as_micros() as u32
}

fn keep(line: &str) {
    let mut lines = LINES.lock().unwrap();
    let digits = line.strip_prefix("heapscope:").unwrap().as_bytes();
    for pair in digits.chunks(2) {
        let text = std::str::from_utf8(pair).unwrap();
        lines.push(u8::from_str_radix(text, 16).unwrap());
    }
}

/// Is ready when it is polled for the second time.
struct Later(bool);

impl Future for Later {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        let ready = self.0;
        self.0 = true;
        if ready {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

fn run<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(result) = future.as_mut().poll(&mut context) {
            return result;
        }
    }
}

#[repr(align(256))]
struct Page([u8; 512]);

async fn outer() {
    let first = vec![1u8; 7001];
    heapscope::task(c"inner", async {
        let second = vec![2u8; 7002];
        Later(false).await;
        let third = vec![3u8; 7003];
        assert_eq!(second[0] + third[0], 5);
    })
    .await;
    let fourth = vec![4u8; 7004];
    assert_eq!(first[0] + fourth[0], 5);
}

#[test]
fn a_program_is_recorded_as_it_runs() {
    assert_eq!(heapscope::drain(10), 0);
    let facts = Facts {
        program: Some(c"recording 1"),
        ..Facts::new(clock, 1_000_000)
    };
    let file = env::var_os("HEAPSCOPE_TRACE").map(|path| FileSink(File::create(path).unwrap()));
    let both = Both {
        file,
        lines: HexLines(keep),
        copy: Vec::new(),
    };
    let sink = Box::leak(Box::new(both));
    let copy: *const Vec<u8> = &sink.copy;
    let small = Box::leak(vec![0u8; 64].into_boxed_slice());
    let none = Box::leak(Box::new(heapscope::Bytes(|_: &[u8]| None)));
    assert_eq!(
        heapscope::open(small, &facts, none),
        Err(OpenError::Refused)
    );
    let memory = Box::leak(vec![0u8; heapscope::overhead() + (4 << 20)].into_boxed_slice());
    heapscope::open(memory, &facts, sink).unwrap();
    let more = Box::leak(vec![0u8; 4096].into_boxed_slice());
    let none = Box::leak(Box::new(heapscope::Bytes(|_: &[u8]| None)));
    assert_eq!(heapscope::open(more, &facts, none), Err(OpenError::Open));

    run(heapscope::task(c"outer", outer()));
    let (give, take) = channel::<Vec<u8>>();
    let threads: Vec<_> = (0..4)
        .map(|number| {
            let give = give.clone();
            thread::spawn(move || {
                run(heapscope::task(c"worker", async {
                    for size in 0..500 {
                        give.send(vec![number; 1 + size]).unwrap();
                        Later(false).await;
                    }
                }));
            })
        })
        .collect();
    drop(give);
    let draining = thread::spawn(|| {
        for _ in 0..200 {
            heapscope::drain(16);
            thread::yield_now();
        }
    });
    let bytes: usize = take.iter().map(|one| one.len()).sum();
    assert_eq!(bytes, 4 * 500 * 501 / 2);
    for one in threads {
        one.join().unwrap();
    }
    draining.join().unwrap();
    heapscope::mark(c"aligned");
    let page = Box::new(Page([7; 512]));
    let mut list: Vec<Page> = Vec::with_capacity(3);
    list.push(Page([8; 512]));
    list.reserve_exact(5);
    assert_eq!(page.0[511] + list[0].0[0], 15);
    assert!(Vec::<u8>::new().try_reserve(isize::MAX as usize).is_err());
    heapscope::mark(c"end");
    while heapscope::drain(1000) > 0 {}
    assert!(heapscope::flush());
    assert_eq!(heapscope::figures().lost, 0);
    assert!(heapscope::figures().events > 4 * 500 * 2);
    // SAFETY: nobody drains any more.
    assert!(unsafe { &*copy } == &*LINES.lock().unwrap());
}
